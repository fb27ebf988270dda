/* case_paths.h: the case files below given paths, in an order that does not depend on the file system. */
#ifndef FUZZ_CAMPAIGN_BOOKS_CASE_PATHS_H
#define FUZZ_CAMPAIGN_BOOKS_CASE_PATHS_H

struct paths {
	int n;
	char **at;   /* sorted by bytes, without duplicates */
	char *error; /* "PATH: why" for the first path that cannot be read, or NULL */
};

/*
 * Lists the given files, and every *.json below the given directories.  There it leaves out names that start with a
 * dot, and links to directories, which could form a circle.
 */
struct paths paths_find(const char *const *root, int n_root);
void paths_free(struct paths *p);

#endif
