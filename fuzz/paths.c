/* paths.c: see paths.h. */
#include "paths.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add(struct paths *p, const char *path)
{
	p->at = realloc(p->at, (size_t)(p->n + 1) * sizeof *p->at);
	p->at[p->n++] = strdup(path);
}

static bool is_json(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && !strcmp(name + len - 5, ".json");
}

static void walk(struct paths *p, const char *path, bool given)
{
	struct dirent *entry;
	struct stat status;
	DIR *dir;

	if (given && !strcmp(path, "-")) {
		add(p, path);
		return;
	}
	if (stat(path, &status)) {
		if (given && !p->error)
			p->error = strdup(path);
		return;
	}
	if (!S_ISDIR(status.st_mode)) {
		if (given || is_json(path))
			add(p, path);
		return;
	}
	dir = opendir(path);
	if (!dir) {
		if (!p->error)
			p->error = strdup(path);
		return;
	}
	while ((entry = readdir(dir))) {
		char below[4096];

		if (entry->d_name[0] == '.' ||
		    snprintf(below, sizeof below, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", entry->d_name) >=
		    (int)sizeof below)
			continue;
		walk(p, below, false);
	}
	closedir(dir);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct paths paths_find(const char *const *root, int n_root)
{
	struct paths p = {0};
	int n = 0;

	for (int i = 0; i < n_root; i++)
		walk(&p, root[i], true);
	if (p.n)
		qsort(p.at, (size_t)p.n, sizeof *p.at, by_bytes);
	for (int i = 0; i < p.n; i++) {
		if (n && !strcmp(p.at[n - 1], p.at[i]))
			free(p.at[i]);
		else
			p.at[n++] = p.at[i];
	}
	p.n = n;
	return p;
}

void paths_free(struct paths *p)
{
	for (int i = 0; i < p->n; i++)
		free(p->at[i]);
	free(p->at);
	free((void *)(uintptr_t)p->error);
	*p = (struct paths){0};
}
