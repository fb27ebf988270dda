/* descendants.c: see descendants.h. */
#include "descendants.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Adds the children of one thread of process `pid`; the number so far. */
static int add_children(pid_t pid, const char *thread, pid_t out[DESCENDANTS], int n)
{
	char path[64];
	long child;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/task/%.20s/children", (long)pid, thread);
	f = fopen(path, "re");
	if (!f)
		return n;
	while (n < DESCENDANTS && fscanf(f, "%ld", &child) == 1)
		out[n++] = (pid_t)child;
	fclose(f);
	return n;
}

static int add_all_children(pid_t pid, pid_t out[DESCENDANTS], int n)
{
	const struct dirent *thread;
	char path[64];
	DIR *threads;

	snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
	threads = opendir(path);
	if (!threads)
		return n;
	while ((thread = readdir(threads)))
		if (*thread->d_name != '.')
			n = add_children(pid, thread->d_name, out, n);
	closedir(threads);
	return n;
}

int descendants_of(pid_t root, pid_t out[DESCENDANTS])
{
	int n = add_all_children(root, out, 0);

	for (int k = 0; k < n; k++)
		n = add_all_children(out[k], out, n);
	return n;
}

/* Bytes resident of one process; 0 where it is gone. */
static int64_t memory_of(pid_t pid)
{
	char path[64];
	long pages = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	fclose(f);
	return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

int64_t descendants_memory(pid_t root)
{
	pid_t all[DESCENDANTS];
	int64_t held = memory_of(root);

	for (int k = 0, n = descendants_of(root, all); k < n; k++)
		held += memory_of(all[k]);
	return held;
}
