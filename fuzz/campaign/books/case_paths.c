/* case_paths.c: see case_paths.h. */
#include "case_paths.h"
#include "graph/heap.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add(struct paths *p, const char *path)
{
	p->at = heap_resize(p->at, (size_t)p->n + 1, sizeof *p->at);
	p->at[p->n++] = heap_text(path);
}

static bool is_json(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && !strcmp(name + len - 5, ".json");
}

static void fail(struct paths *p, const char *path)
{
	const char *why = strerror(errno);
	size_t room = strlen(path) + strlen(why) + 8;

	if (p->error)
		return;
	p->error = heap_new(room, 1);
	snprintf(p->error, room, "%s: %s", *path ? path : "''", why);
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
	if ((given ? stat : lstat)(path, &status)) {
		fail(p, path);
		return;
	}
	if (!S_ISDIR(status.st_mode)) {
		if (given ||
		    (is_json(path) && (!S_ISLNK(status.st_mode) || stat(path, &status) || !S_ISDIR(status.st_mode))))
			add(p, path);
		return;
	}
	dir = opendir(path);
	if (!dir) {
		fail(p, path);
		return;
	}
	while ((entry = readdir(dir))) {
		size_t room = strlen(path) + strlen(entry->d_name) + 2;
		char *below;

		if (entry->d_name[0] == '.')
			continue;
		below = heap_new(room, 1);
		snprintf(below, room, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", entry->d_name);
		walk(p, below, false);
		free(below);
	}
	closedir(dir);
}

static int by_bytes(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

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
	free(p->error);
	*p = (struct paths){0};
}
