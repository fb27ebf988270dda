/*
 * cross.h: cross-checks: pairs of answers that must be equal, compared without an oracle.  They come from one engine,
 * or from two.
 *
 * Where the oracles decide, comparing with them says more.  Cross-checks are for everything that the oracles leave
 * undecided or cannot compute.  A difference does not say which answer is wrong, nor by how much.  So it is a lead, not
 * a finding.
 *
 * Correct answers differ by rounding, at kinks, and where a formula leaves its range.  So a difference is a lead only
 * if all of this holds:
 * - It is larger than half of the digits, both of the number and of the largest number on the way.
 * - It is larger than rounding explains.  Built-in engines answer both requests twelve times, with every inexact step
 * off by up to 256 units in the last place.  Six of these answers have the errors of the other six with the opposite
 * sign.  Operands of max, min, abs and similar ops are moved to either side of a tie.  The difference must be many
 * times the scatter of these answers (cross.c says how many, and why).
 * - No number that these engines computed is near an end of its dtype's range, or at the end of an op's domain.
 * - At eight other points, a few units in the last place away, the difference is the same, and neither side moves by
 * much.
 * - In another dtype, if the engines have one, the difference has the same size.  Rounding would change by the ratio of
 * the units. f16 and bf16 have too few digits for this test: their cases are asked in f64 or f32.
 */
#ifndef FUZZ_CROSS_CROSS_H
#define FUZZ_CROSS_CROSS_H

#include "fuzz/bench/bench.h"

enum cross_mode {
#define MODE(id, name, meaning) CROSS_MODE_##id,
#include "modes.def"
#undef MODE
	CROSS_MODES
};
extern const char *const cross_mode_names[CROSS_MODES];

enum cross_verdict {
	CROSS_UNSUPPORTED, /* there are no two answers to compare; text says why */
	CROSS_SAME,
	CROSS_ROUNDING, /* rounding explains the difference */
	CROSS_EDGE,     /* a value at the end of a range or domain, or a 0 * infinity that the engine declares: usual
	                   formulas differ there */
	CROSS_ISOLATED, /* no difference at points beside: a special case, or a convention that the probes do not know
	                 */
	CROSS_UNSTEADY, /* another difference at points beside */
	CROSS_DIFFERS,  /* a lead */
	CROSS_VERDICTS
};
extern const char *const cross_verdict_names[CROSS_VERDICTS];

struct cross_result {
	enum cross_verdict verdict;
	const char
	    *text; /* the reason for CROSS_UNSUPPORTED; otherwise a name for the other answer; static or in the arena */
	const char *kind; /* of a lead: "finite", "nan", "infinite"; or how one answer failed: "crash", "protocol",
	                     "shape", "input-modified" */
	int compared;     /* numbers */
	bool has_numbers; /* there is a difference; the members below describe the worst */
	bool in_primal;
	int point, which, element;
	double left, right;
	double relative, ulps; /* of the larger number, in the coarsest float dtype of the case */
	double scatter;        /* the part that rounding may explain; NAN: not measured */
};

/* An engine, perhaps a reference, and the probes that tell what rounding explains.  against: the reference of mode
 * `engine`, or NULL.  The caller keeps both engines. */
struct cross;
struct cross *cross_open(struct engine *engine, struct engine *against);
void cross_close(struct cross *self);

/* Runs one mode on case c.  Working memory and texts lie in the arena. */
void cross_check(
    struct cross *self, enum cross_mode mode, const struct testcase *c, struct arena *a, struct cross_result *out);

/* Number of requests made to the two engines. */
int64_t cross_asked(const struct cross *self);

/* "compiled+f|cross|transpose|finite" */
char *cross_signature(const struct cross *self, enum cross_mode mode, const struct cross_result *r, struct arena *a);

#endif
