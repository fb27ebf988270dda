/* facts.h: which features of features_explain.def a case has, and features named after the ops that are differentiated
 * in it. */
#ifndef FUZZ_CHARACTERIZE_FACTS_H
#define FUZZ_CHARACTERIZE_FACTS_H

#include "graph/loop.h"
#include "graph/testcase.h"

enum feature {
#define FEATURE(id, sentence) FEATURE_##id,
#include "features_explain.def"
#undef FEATURE
	FEATURE_COUNT
};

enum { FACTS_NAMED = 1024, FACTS_OPERANDS = 3, FACTS_REGIONS = 64 };

struct facts {
	const struct testcase *c, *whole; /* without what no result depends on; with it */
	struct arena *arena;
	bool at[FEATURE_COUNT];
	bool *varied;  /* [n_value] a float that depends on an input in wrt, and that a result depends on */
	bool *reached; /* [n_value] a float that depends on an input in wrt, used or not */
	bool *live;    /* [n_value] the same along what is executed and taken at the points */
	bool *run;     /* [n_value] computed at some point; NULL: not known */
	int n_ran;     /* regions that were entered; where run is */
	const struct region *ran[FACTS_REGIONS];
	bool *unentered; /* [n_value] the result of a loop that ran no iteration somewhere */
	bool *chooses; /* [n_value] the result of an op that hands on elements of some operands alone: select, max, min,
	                  clamp, masked_scatter */
	bool *taken[FACTS_OPERANDS]; /* [n_value] by such a result: elements of that operand are handed on somewhere */
	bool *changes;               /* [n_value] differs between two executions at one point */
	bool *zero_factor[2];        /* [n_value] of a product: that factor has an element 0 */
	int *uses;                   /* [n_value] by nodes and results */
	int n_named;
	const char *named[FACTS_NAMED], *sentence[FACTS_NAMED]; /* "derives sin": "sin is differentiated" */
};

/* Of a valid case, at all its points.  In the arena. */
struct facts *facts_of(const struct testcase *c, struct arena *a);

/* Whether the same is executed and taken, as often, with the same ties and indices: of one case at two points. */
bool facts_same_path(const struct facts *a, const struct facts *b);

/* ---- its parts ---- */

/* Whether the region was entered at some point; true where that is not known. */
bool facts_ran(const struct facts *f, const struct region *r);
/* Whether it happened that the loop ran no iteration; true where that is not known. */
bool facts_unentered(const struct facts *f, const struct node *loop);
/* Whether elements of operand k are handed on; true of ops that do not choose. */
bool facts_passes(const struct facts *f, const struct node *n, int k);

void facts_name(struct facts *f, const char *name, const char *sentence);
void facts_find_varied(struct facts *f); /* facts_activity.c: varied */
void facts_find_live(struct facts *f);   /* facts_activity.c: live; after facts_at_points */
void facts_at_points(struct facts *f);   /* facts_values.c: what happens when it runs; run, taken */
void facts_of_program(struct facts *f);  /* facts_program.c: loops, sharing, ops */
void facts_of_uses(struct facts *f);     /* facts_uses.c: who reads what; after facts_find_live */
void facts_of_request(struct facts *f);  /* facts_request.c */

#endif
