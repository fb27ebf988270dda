/* facts.h: which features of features_explain.def a case has, and features named after the ops that are differentiated in it. */
#ifndef FUZZ_FACTS_H
#define FUZZ_FACTS_H

#include "../graph/testcase.h"

enum feature {
#define FEATURE(id, sentence) FEATURE_##id,
#include "features_explain.def"
#undef FEATURE
	FEATURE_COUNT
};

enum { FACTS_NAMED = 512 };

struct facts {
	const struct testcase *c;
	struct arena *arena;
	bool at[FEATURE_COUNT];
	bool *varied;  /* [n_value] a float that depends on an input in wrt, and that a result depends on */
	bool *live;    /* [n_value] the same along what is executed and taken at the points */
	bool *run;     /* [n_value] computed at some point; NULL: not known */
	bool *taken[2]; /* [n_value] by the result of a select: its first, second branch is taken somewhere */
	int *uses;     /* [n_value] by nodes and results */
	int n_named;
	const char *named[FACTS_NAMED], *sentence[FACTS_NAMED]; /* "derives sin": "sin is differentiated" */
};

/* Of a valid case, at all its points.  In the arena. */
struct facts *facts_of(const struct testcase *c, struct arena *a);

/* ---- its parts ---- */

void facts_name(struct facts *f, const char *name, const char *sentence);
void facts_find_varied(struct facts *f); /* facts_activity.c: varied */
void facts_find_live(struct facts *f);   /* facts_activity.c: live; after facts_at_points */
void facts_at_points(struct facts *f);   /* facts_values.c: what happens when it runs; run, taken */
void facts_of_program(struct facts *f);  /* facts_program.c: loops, sharing, ops */
void facts_of_request(struct facts *f);  /* facts_request.c */

#endif
