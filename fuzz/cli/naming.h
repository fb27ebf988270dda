/*
 * naming.h: which engines a command line names.
 *
 * --engine takes [NAME=]SPEC, or a NAME of the file that --engines gives.  Everything that adjudge writes then calls
 * the engine NAME.  The other options with an engine (--right-on, --against) take the same.
 */
#ifndef FUZZ_CLI_NAMING_H
#define FUZZ_CLI_NAMING_H

#include "options.h"

#include "graph/arena.h"
#include "graph/errors.h"

/* What --engine takes, for the help of commands with several engines and with one. */
#define ENGINE_ARGUMENT  "[NAME=]SPEC"
#define ENGINES_HELP     "names of engines (adjudge.engines/1); without --engine, all of them are judged"
#define ENGINES_HELP_ONE "names of engines (adjudge.engines/1) that --engine may take"

/* The engines in a file of names, each as NAME=SPEC. */
struct naming {
	const char *path; /* NULL: there is no file */
	struct texts engines;
};

/*
 * Reads a file of schema adjudge.engines/1.  Only a file that the user names is ever read.  False with an error that
 * names the place.  Errors are a file that cannot be read, a bad name or spec, a name of two engines, and no engine.
 */
bool naming_read(const char *path, struct arena *a, struct naming *out, struct error *e) MUST_CHECK;
/* NAME=SPEC of the engine with that name in the file; NULL: there is none. */
const char *naming_find(const struct naming *names, const char *name);
/* The index of the engine with that name in a list of [NAME=]SPEC; -1: there is none, or name is NULL. */
int naming_index(const struct texts *engines, const char *name);

/*
 * Prepares the engines of a command.  It reads the file `path` (NULL: there is none).  In *list and *other[n] (NULL:
 * not given) it replaces each name of that file by NAME=SPEC.  An empty list becomes the engines of the file if `all`.
 * -1, or an exit code after a complaint: the file is bad (3), or an option (2).  Two engines must not share a name.
 */
int naming_apply(const char *command, const char *path, bool all, struct naming *names, struct arena *a,
    struct texts *list, const char **const *other, int n) MUST_CHECK;

#endif
