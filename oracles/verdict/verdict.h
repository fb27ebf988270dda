/* verdict.h: an engine's answer against the truth. */
#ifndef ORACLES_VERDICT_VERDICT_H
#define ORACLES_VERDICT_VERDICT_H

#include "graph/answer.h"
#include "oracles/truth.h"

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
/* Whether the verdict is about numbers: a bug may make one wrong here and a NaN there.  What has another type or does
 * not come is a bug of its own kind. */
bool verdict_of_numbers(enum verdict v);
/* Whether there is an answer: no crash, no hang, no broken protocol. */
bool verdict_answers(enum verdict v);

/* What the worst component looks like, for the coarse signature. */
enum deviation {
	DEVIATION_NONE,
	DEVIATION_FINITE,
	DEVIATION_ZERO,
	DEVIATION_SIGN,
	DEVIATION_NAN,
	DEVIATION_INFINITE,
	DEVIATION_SHAPE,
	DEVIATION_DTYPE,
	DEVIATION_COUNT
};
extern const char *const deviation_names[DEVIATION_COUNT];

/* A better formula for an op, and the usual one that loses (formulas.def). */
struct formula {
	const char *better, *instead;
};

/* NULL where the usual formulas are as good as any. */
const struct formula *formula_of(enum op op);

/* How an inaccurate number compares with what a good formula gives. */
struct accuracy {
	double ulps; /* off by so many units in the last place of the expected number, in its dtype; not finite for what
	                is no number */
	double good; /* so many at most by the best known formulas */
	bool range;  /* a usual formula leaves the range where the truth does not */
	enum op op;  /* whose formula loses most; OP_CONSTANT where it is nobody's */
};

/* "formula" or "range". */
const char *accuracy_cause(const struct accuracy *x);
/*
 * "off by 12.3 ulp, by the best known formulas 4 at most; tanh: 1/cosh(a)^2 ... instead of 1 - y^2 ...", in the arena.
 */
char *accuracy_text(const struct accuracy *x, struct arena *a);

struct judgement {
	enum verdict verdict;
	enum reason reason; /* why nothing was decided, for VERDICT_UNDECIDED */
	enum deviation deviation;
	/* Where the worst component is, when there is one: point, derivative or primal number, element. */
	int point, which, element;
	bool in_primal;
	double expected, returned, radius;
	struct accuracy accuracy; /* for VERDICT_INACCURATE */
	bool
	    weak_zero; /* for VERDICT_NAN_LEAK: 0 times infinity may have made it, and every other (struct component) */
	int assignment; /* convention assignment the answer was compared with */
	/* Float components over all points: derivative components, or primal ones for a primal request. */
	int decided, undecided[REASON_COUNT];
};

/* Judges answers[c->n_point] of one engine.  strict: inaccurate counts as a finding by the caller; the verdict is the
 * same. */
void judge(const struct testcase *c, const struct truth *t, const struct answer *answers, struct judgement *out);

/* The truth of which nothing is decided at points with `nonfinite`; in the arena. */
struct truth truth_of_finite_points(const struct truth *t, struct arena *a);

/* A number that is wrong by *t is inaccurate, as the engine itself declares. */
void judgement_excuse(const struct truth *t, struct judgement *j);

/*
 * "tape+f|vjp|wrong|sign": engine spec, transforms that differentiate, verdict, kind of deviation;
 * "tape+f|*|nan-leak|weak-zero" whatever leads to it.  Minimization keeps it, and may drop a batch.  In the arena.
 */
char *signature_coarse(const char *spec, const struct testcase *c, const struct judgement *j, struct arena *a);
/* The verdict that a coarse signature names. */
enum verdict signature_verdict(const char *signature);
/* Whether it is that of a NaN that 0 times infinity may have made: one finding per engine. */
bool signature_weak_zero(const char *signature);

#endif
