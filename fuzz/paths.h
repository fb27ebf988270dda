/* paths.h: the case files below given paths, in an order that does not depend on the file system. */
#ifndef FUZZ_PATHS_H
#define FUZZ_PATHS_H

struct paths {
	int n;
	char **at;         /* sorted by bytes, without duplicates */
	const char *error; /* a path that cannot be read, or NULL; owned by the list */
};

/* Files as given, and every *.json below directories (names that start with a dot are left out). */
struct paths paths_find(const char *const *root, int n_root);
void paths_free(struct paths *p);

#endif
