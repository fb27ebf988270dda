/* conform.h: what an engine makes of every op: a sweep over op, request, dtype and class of points, in small programs.
 */
#ifndef FUZZ_CONFORM_CONFORM_H
#define FUZZ_CONFORM_CONFORM_H

#include <stdio.h>

#include "fuzz/bench/bench.h"

enum { CONFORM_COLUMNS = 128, CONFORM_STACK_TEXT = 48 };

/* Points as the programs expect them, and points with zeros, ties and the like in them. */
enum point_class { POINTS_INSIDE, POINTS_EDGE, POINTS_COUNT };
extern const char *const point_class_names[POINTS_COUNT];

struct conform_column {
	int n_stack;
	enum transform_kind stack[LIMIT_TRANSFORMS]; /* none: the primal alone */
	enum dtype dtype;
	enum point_class points;
	char request[CONFORM_STACK_TEXT]; /* "vjp", "vjp,jvp", "primal" */
};

struct conform_cell {
	int cases[VERDICT_COUNT]; /* how many had that verdict */
	enum verdict worst;       /* as VERDICT_ rows are ordered; VERDICT_UNSUPPORTED when nothing was asked */
	struct testcase *shows;   /* the first case with that verdict, if it is a finding or inaccurate; else NULL */
	const char *text;         /* what the engine said of it, or "" */
};

struct conform_options {
	uint64_t seed;
	int cases; /* of each cell of a request of one level; a quarter of it for each further one that differentiates,
	              and 1 at least */
	bool op[OP_COUNT], dtype[DTYPE_COUNT]; /* that are swept, where the engine knows them */
	bool progress;
};

struct conform {
	int n_column;
	struct conform_column column[CONFORM_COLUMNS];
	struct conform_cell *cell[OP_COUNT]; /* [n_column]; NULL: an op that the engine does not know */
	int verdict[VERDICT_COUNT];          /* over all cases */
	int asked;                           /* cases */
	bool failed;                         /* the machine kept the engine from answering */
	char failure[256];
};

/* Asks b->engine[0].  Everything in the arena. */
void conform_sweep(struct bench *b, const struct conform_options *o, struct arena *a, struct conform *out);

/*
 * Writes each finding, one for an op and a coarse signature, into the directory as a minimal case
 * OP-REQUEST-DTYPE-POINTS.json and, where the engine emits source, beside it as a program for it alone; and what is
 * inaccurate as it is.  Tells of the findings on `list`, a line each.  False when a file cannot be written.
 */
bool conform_write_findings(const struct conform *m, struct bench *b, const char *spec, const char *dir, FILE *list,
    struct arena *a, struct error *e) MUST_CHECK;

/* Renderings of it, for people and programs; NUL-terminated, in the arena.  Each names the engine and its version. */
char *conform_text(const struct conform *m, const struct engine *engine, struct arena *a);
char *conform_json(const struct conform *m, const struct engine *engine, struct arena *a);
char *conform_markdown(const struct conform *m, const struct engine *engine, struct arena *a);
char *conform_html(const struct conform *m, const struct engine *engine, struct arena *a);

#endif
