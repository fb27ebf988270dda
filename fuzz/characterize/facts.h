/* facts.h: the features of a case: those of features_explain.def, and features named after its differentiated ops. */
#ifndef FUZZ_CHARACTERIZE_FACTS_H
#define FUZZ_CHARACTERIZE_FACTS_H

#include "graph/loop.h"
#include "graph/testcase.h"
#include "measures.h"

enum feature {
#define FEATURE(id, sentence) FEATURE_##id,
#include "features_explain.def"
#undef FEATURE
	FEATURE_COUNT
};

enum { FACTS_NAMED = 1024, FACTS_OPERANDS = 3, FACTS_REGIONS = 64, FACTS_ROLES = 128 };

struct facts {
	const struct testcase *c, *whole; /* without dead nodes; with them */
	struct arena *arena;
	bool at[FEATURE_COUNT];
	bool *varied;      /* [n_value] a float that depends on an input in wrt, and that a result depends on */
	bool *reached;     /* [n_value] a float that depends on an input in wrt, used or not */
	bool *by_level[2]; /* [n_value] as reached, but of the innermost level alone; of the levels above it.  NULL:
	                      there is one level */
	bool *live;        /* [n_value] as varied, but only along the path at the points */
	bool *run;         /* [n_value] computed at some point; NULL: not known */
	int n_ran;         /* regions that were entered; only if run is known */
	const struct region *ran[FACTS_REGIONS];
	bool *unentered; /* [n_value] the result of a loop that ran no iteration at some point */
	bool *chooses;   /* [n_value] the result of an op whose elements come from one operand each: select, max, min,
	                    clamp, masked_scatter */
	bool *taken[FACTS_OPERANDS]; /* [n_value] result of such an op: some element comes from that operand */
	bool *changes;               /* [n_value] differs between two executions at one point */
	bool *zero_factor[2];        /* [n_value] result of a product: that factor has an element 0 */
	int *uses;                   /* [n_value] how many operands and results are this value */
	int *trips, *odd_trips;      /* [n_value] first result of a loop: most iterations; whether it was an odd number
	                              */
	struct node_elements *elements; /* [n_value] of the node with that result; not known if the program had to be
	                                   lowered */
	const struct known_cotangents *known; /* NULL: none */
	int n_role; /* operands that pass a derivative on: "lower bound of clamp", "values captured by the body of for"
	             */
	const char *role[FACTS_ROLES];
	int n_measure;
	struct node_measure *measure;
	int n_named;
	const char *named[FACTS_NAMED], *sentence[FACTS_NAMED]; /* "derives sin": "sin is differentiated" */
};

/* The features of a valid case, at all its points together.  In the arena. */
struct facts *facts_of(const struct testcase *c, struct arena *a);
/* The same, if cotangents in it are known. */
struct facts *facts_with(const struct testcase *c, const struct known_cotangents *known, struct arena *a);

/* Whether one program takes the same path at two points, as far as its features show.  These are computed values,
 * chosen operands, trip counts up to three, ties, indices and singular operands. */
bool facts_same_path(const struct facts *a, const struct facts *b);

/* Whether the feature follows from the form of a program, and is seldom a cause. */
bool facts_is_form(enum feature f);

/* ---- its parts ---- */

/* Whether the region was entered at some point; true if that is not known. */
bool facts_ran(const struct facts *f, const struct region *r);
/* Whether the loop ran no iteration at some point; true if that is not known. */
bool facts_unentered(const struct facts *f, const struct node *loop);
/* Whether elements of operand k reach the result; true for ops that do not choose. */
bool facts_passes(const struct facts *f, const struct node *n, int k);

/* Whether the region uses a varied value from outside. */
bool facts_captures_varied(const struct facts *f, const struct region *r);

/* Whether an op of that family gives each element another place, once, and computes nothing. */
bool facts_is_view(enum family family);
/* Whether an axis of extent 1 becomes longer from `s` to the shape `to`. */
bool facts_stretched(const struct shape *s, const struct shape *to);

void facts_name(struct facts *f, const char *name, const char *sentence);
void facts_find_varied(struct facts *f); /* facts_activity.c: varied */
void facts_find_live(struct facts *f);   /* facts_activity.c: live; after facts_at_points */
void facts_at_points(struct facts *f);   /* facts_values.c: runs the program; run, taken */
void facts_of_program(struct facts *f);  /* facts_program.c: sharing, ops, loops */
/* facts_loops.c: a loop that is differentiated. */
void facts_of_loop(struct facts *f, const struct node *n, const struct node_loop *l);
void facts_of_uses(struct facts *f);    /* facts_uses.c: which node reads which value; after facts_find_live */
void facts_of_counts(struct facts *f);  /* facts_counts.c: after facts_of_program; carries, captures, views */
void facts_of_batch(struct facts *f);   /* facts_batch.c: the slices of a batch */
void facts_of_request(struct facts *f); /* facts_request.c */

#endif
