/* conform.h: sweeps an engine over op, request, dtype and class of points, with small programs. */
#ifndef FUZZ_CONFORM_CONFORM_H
#define FUZZ_CONFORM_CONFORM_H

#include <stdio.h>

#include "fuzz/bench/bench.h"

enum { CONFORM_COLUMNS = 512, CONFORM_STACK_TEXT = 48 };

/*
 * Inside: points that the programs expect.  Edge: points with zeros, ties and other special values.  A deep sweep has
 * two more classes.  Reused: inside, with an operand of the op used once more beside it.  Special: the op alone, at the
 * values of special.def.
 */
enum point_class { POINTS_INSIDE, POINTS_EDGE, POINTS_REUSED, POINTS_SPECIAL, POINTS_COUNT };
extern const char *const point_class_names[POINTS_COUNT];

struct conform_column {
	int n_stack;
	enum transform_kind stack[LIMIT_TRANSFORMS]; /* n_stack 0: the primal alone */
	enum dtype dtype;
	enum point_class points;
	int number; /* for the seeds of its draws: the same in a deep sweep, and for reused as for inside */
	char request[CONFORM_STACK_TEXT]; /* "vjp", "vjp,jvp", "primal" */
};

/* A failing case of a cell. */
struct conform_shown {
	struct testcase c;
	enum verdict verdict;
	int form; /* of a listed case, from 1 (deep.h); 0 for others */
	struct conform_shown *next;
};

struct conform_cell {
	int cases[VERDICT_COUNT]; /* number of cases with that verdict */
	enum verdict worst; /* the last one in the order of enum verdict; VERDICT_UNSUPPORTED: nothing was asked */
	struct conform_shown *shows; /* the first case with that verdict, if it is a finding or inaccurate; else NULL */
	struct conform_shown *found; /* likewise, in order: the first of each form and verdict; of form 0 the worst */
	const char *text;            /* the engine's message about that case, or "" */
	const char *signature;       /* coarse, of the case that `shows` holds; NULL if there is none */
	const char *numbers;         /* "expected 1, returned 2" about that case, or "" */
	int flaky;                   /* cases with a failure that did not come again */
	enum verdict gone;           /* of the first of them, with the message; valid if flaky is not 0 */
	const char *gone_text;
};

/* A case of a corpus, in a deep sweep. */
struct conform_replayed {
	const char *name; /* "corpus/" and the path below the folder */
	struct conform_cell cell;
};

/* NaNs that 0 times infinity may have made (leaks.h). */
struct conform_leaks {
	int cases;
	bool declared;             /* by the engine: they fail nothing, unless somebody is strict */
	const char *first;         /* name of the cell that showed them first */
	int branch;                /* number of the dead branch that the case is (leaks.h) */
	const char *signature;     /* of the case, coarse */
	struct testcase *smallest; /* NULL if there are none */
};

struct conform_options {
	uint64_t seed;
	int cases; /* cases of each cell for a request of one level; a quarter of that for each further level that
	              differentiates, but at least 1 */
	bool op[OP_COUNT], dtype[DTYPE_COUNT]; /* swept if the engine knows them */
	int shard, n_shard; /* sweeps the ops whose number leaves the remainder `shard`; n_shard 0: all ops */
	bool deep;          /* two more classes of points; requests of two levels of any engine; the corpus */
	int n_path;         /* of a deep sweep */
	char **path;        /* [n_path] case files of the corpus */
	const char *corpus; /* the folder that they are in */
	bool strict;        /* leaks that the engine declares are findings like any other */
	bool progress;
	int jobs; /* processes that judge; below 2: this one alone */
	/* Opens the same bench in one of several processes.  False after a complaint. */
	bool (*open)(void *context, struct bench *b);
	void *context;
};

struct conform {
	int n_column, n_drawn; /* n_drawn: columns of the classes inside and edge */
	struct conform_column column[CONFORM_COLUMNS];
	struct conform_cell *cell[OP_COUNT]; /* [n_column]; NULL: the engine does not know the op */
	int verdict[VERDICT_COUNT];          /* over all cases */
	bool deep;
	int n_corpus, n_replayed;          /* case files of the corpus; how many of them the engine was asked about */
	struct conform_replayed *replayed; /* [n_replayed] */
	struct conform_leaks leaks;
	int asked;   /* cases */
	int flaky;   /* over all cells */
	bool failed; /* the machine prevented an answer */
	char failure[256];
};

/* The name of a cell, in the arena: OP-REQUEST-DTYPE-POINTS. */
const char *conform_cell_name(const struct conform *m, enum op op, int column, struct arena *a);
/* The name of a case of the corpus as that of a cell: REQUEST-DTYPE-corpus. */
const char *conform_replayed_column(const struct testcase *c, struct arena *a);
/* The number of cases of a cell. */
int conform_cell_cases(const struct conform_cell *cell);

/* Sweeps b->engine[0] until a signal asks to stop (stop.h).  Everything lives in the arena.  The result does not depend
 * on the number of processes.  False: one of them could not open its bench. */
bool conform_sweep(struct bench *b, const struct conform_options *o, struct arena *a, struct conform *out) MUST_CHECK;

/*
 * Writes each finding into the directory as a minimal case OPS-REQUEST-DTYPE-POINTS.json.  OPS are the ops of that
 * case; the rest is the cell that showed it first.  One case of each op and coarse signature is minimized.  If the
 * engine emits source, or `writer` (NULL: none) does so for it, a program for the engine alone stands beside the case.
 * Inaccurate cases are written as they were found. Declared leaks are one file, nan-leak.json. Prints a line for each
 * finding to `list`, and one for each other op that shows it.  False: a file cannot be written.
 */
bool conform_write_findings(const struct conform *m, struct bench *b, struct engine *writer, const char *dir,
    FILE *list, struct arena *a, struct error *e) MUST_CHECK;

/* The matrix as text for people and programs; NUL-terminated, in the arena.  Each names the engine and its version.
 * reasons: the text names each cell with a finding, an inaccuracy or a message of the engine, and says what it is. */
char *conform_text(const struct conform *m, const struct engine *engine, bool reasons, struct arena *a);
char *conform_json(const struct conform *m, const struct engine *engine, struct arena *a);
char *conform_markdown(const struct conform *m, const struct engine *engine, struct arena *a);
char *conform_html(const struct conform *m, const struct engine *engine, struct arena *a);

#endif
