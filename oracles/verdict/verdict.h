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
/* Whether the verdict is about numbers. One bug may cause a wrong number in one case and a NaN in another. A wrong
 * type or a missing answer is a bug of another kind. */
bool verdict_of_numbers(enum verdict v);
/* Whether the engine answered: no crash, no hang, enough memory, no broken protocol. */
bool verdict_answers(enum verdict v);

/* How the worst component differs from the truth, for the coarse signature. */
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

/* The row of op; NULL if the usual formulas are as good as any. */
const struct formula *formula_of(enum op op);

/* How accurate an inaccurate number is, and how accurate a good formula would be. */
struct accuracy {
	/* The error in units in the last place of the expected number, in its dtype; not finite if the answer is
	 * infinite or NaN. */
	double ulps;
	double good; /* the largest error with the best known formulas, in the same units */
	bool range;  /* a usual formula leaves the range where the truth does not */
	enum op op;  /* the op whose formula loses most; OP_CONSTANT: none */
};

/* "formula" or "range". */
const char *accuracy_cause(const struct accuracy *x);
/*
 * A text about x in the arena: "off by 12.3 ulp; the best known formulas are off by at most 4 ulp; tanh: 1/cosh(a)^2
 * ... instead of 1 - y^2 ...".
 */
char *accuracy_text(const struct accuracy *x, struct arena *a);

struct judgement {
	enum verdict verdict;
	/* Why nothing was decided: for VERDICT_UNDECIDED, and where 0 instead of any number would be no finding. */
	enum reason reason;
	enum deviation deviation;
	/* The place of the worst component, if there is one: point, number of the derivative or primal value,
	 * element. */
	int point, which, element;
	bool in_primal;
	double expected, returned, radius;
	struct accuracy accuracy; /* for VERDICT_INACCURATE */
	/* For VERDICT_NAN_LEAK: 0 times infinity may have made this NaN, and every other one (struct component). */
	bool weak_zero;
	/* For such a NaN: the engine declares weak_zero. It is reported, and fails nothing unless somebody is strict.
	 */
	bool declared;
	int assignment; /* the assignment of conventions that the answer follows */
	/* Numbers of float components over all points: of derivatives, or of the primal for a primal request. */
	int decided, undecided[REASON_COUNT];
	int beyond; /* numbers that no alternative of an undecided component explains, also where none is a finding */
};

/* The radius that counts for this number: loose, or less on this side or before a leap (struct component). The number
 * is at most that far from the truth if a usual formula may give it. */
double component_radius(const struct component *c, double got);

/* Judges answers[c->n_point] of one engine. Whether `inaccurate` counts as a finding is up to the caller. */
void judge(const struct testcase *c, const struct truth *t, const struct answer *answers, struct judgement *out);

/* A copy of the truth in which every point with `nonfinite` is undecided; in the arena. */
struct truth truth_of_finite_points(const struct truth *t, struct arena *a);

/* Turns a wrong number into an inaccurate one, because the engine itself declares that accuracy. *t is the truth
 * that j was judged by. why: the reason of the judgement by the declared accuracy. */
void judgement_excuse(const struct truth *t, enum reason why, struct judgement *j);

/* Whether anything was decided: not if 0 in the place of any number would be no finding, whatever the verdict. */
bool judgement_decides(const struct judgement *j);

/* For somebody who is not strict: a declared leak becomes VERDICT_CONVENTION. */
void judgement_forgive(struct judgement *j);

/*
 * The coarse signature, in the arena: "tape+f|vjp|wrong|sign" is the name of the engine, differentiating transforms,
 * verdict and kind of deviation. For NaNs that 0 times infinity may have made it is "tape+f|*|nan-leak|weak-zero", for
 * any request, and "tape+f|*|nan-leak|declared" if the engine declares them. The minimizer keeps the signature; it may
 * drop a batch.
 */
char *signature_coarse(const char *engine, const struct testcase *c, const struct judgement *j, struct arena *a);
/* The verdict that a coarse signature names. */
enum verdict signature_verdict(const char *signature);
/* Whether the text is a coarse signature of any engine. */
bool signature_is_coarse(const char *text);
/* Whether some finding may have that signature, also one of another kind.  Of these the last two parts are no verdict.
 */
bool signature_may_be(const char *text);
/* Whether it is the signature of NaNs that 0 times infinity may have made. There is one such finding per engine. */
bool signature_weak_zero(const char *signature);
/* Whether the engine declares them, too. */
bool signature_declared(const char *signature);

#endif
