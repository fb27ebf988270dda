/* verdict.h: an engine's answer against the truth. */
#ifndef ORACLES_VERDICT_H
#define ORACLES_VERDICT_H

#include "../graph/answer.h"
#include "truth.h"

enum verdict {
#define VERDICT(id, name, finding, meaning) VERDICT_##id,
#include "verdicts.def"
#undef VERDICT
	VERDICT_COUNT
};
extern const char *const verdict_names[VERDICT_COUNT];
extern const bool verdict_is_finding[VERDICT_COUNT];
/* The verdict of that name, or -1. */
int verdict_find(const char *name);

/* What the worst component looks like, for the coarse signature. */
enum deviation {
	DEVIATION_NONE, DEVIATION_FINITE, DEVIATION_ZERO, DEVIATION_SIGN, DEVIATION_NAN, DEVIATION_INFINITE, DEVIATION_SHAPE,
	DEVIATION_DTYPE, DEVIATION_COUNT
};
extern const char *const deviation_names[DEVIATION_COUNT];

struct judgement {
	enum verdict verdict;
	enum reason reason; /* why nothing was decided, for VERDICT_UNDECIDED */
	enum deviation deviation;
	/* Where the worst component is, when there is one: point, derivative or primal number, element. */
	int point, which, element;
	bool in_primal;
	double expected, returned, radius;
	int assignment; /* convention assignment the answer was compared with */
	/* Float components over all points: derivative components, or primal ones for a primal request. */
	int decided, undecided[REASON_COUNT];
};

/* Judges answers[c->n_point] of one engine.  strict: inaccurate counts as a finding by the caller; the verdict is the same. */
void judge(const struct testcase *c, const struct truth *t, const struct answer *answers, struct judgement *out);

/*
 * "tape+f|vjp|wrong|sign": engine spec, transforms that differentiate, verdict, kind of deviation.  Minimization keeps it, and may drop a batch.  In the arena.
 */
char *signature_coarse(const char *spec, const struct testcase *c, const struct judgement *j, struct arena *a);

#endif
