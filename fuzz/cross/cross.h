/*
 * cross.h: answers of one engine, or of two, that must be one: checks without an oracle.
 *
 * Where the oracles decide, a comparison with them says more.  This is for what they leave undecided, or cannot hold;
 * and a difference says neither which of the two answers is wrong nor by how much: it is a lead, no finding.  Right
 * answers differ by rounding, at kinks and where a formula leaves its range.  So a difference is a lead only if all of
 * this holds:
 * - it is more than the lower half of the digits, of the number and of the largest one on the way;
 * - it is larger than what rounding explains: built-in engines answer both requests with every inexact step off by up
 * to 256 units in the last place, twelve times, one half of them with the errors of the other half the other way, and
 * with operands of max, min, abs and their kin moved to either side of a tie; the difference is many times the scatter
 * of those answers (cross.c says how many, and why);
 * - nothing they computed is near an end of its dtype's range, or at the end of an op's domain;
 * - beside the point, at eight others a few units in the last place away, it is the same difference, and neither side
 * moves by much;
 * - in another dtype, where the engines have one, it is of the same size: rounding would be larger or smaller by the
 * ratio of the units. f16 and bf16 hold too few digits to tell by: such a case is asked in f64, or f32.
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
	CROSS_UNSUPPORTED, /* there are no two answers; text says why */
	CROSS_SAME,
	CROSS_ROUNDING, /* rounding explains the difference */
	CROSS_EDGE,     /* a value at the end of a range or domain, or a declared 0 times infinity: usual formulas part
	                   there */
	CROSS_ISOLATED, /* beside the point there is none: a special case, or a convention that the probes do not know
	                 */
	CROSS_UNSTEADY, /* beside the point it is another difference */
	CROSS_DIFFERS,  /* a lead */
	CROSS_VERDICTS
};
extern const char *const cross_verdict_names[CROSS_VERDICTS];

struct cross_result {
	enum cross_verdict verdict;
	const char *text; /* why, for CROSS_UNSUPPORTED; what the other answer is, where numbers are shown; static or in
	                     the arena */
	const char *kind; /* of a lead: "finite", "nan", "infinite", or what became of one answer: "crash", "protocol",
	                     "shape", "input-modified" */
	int compared;     /* numbers */
	bool has_numbers; /* there is a difference; of the worst: */
	bool in_primal;
	int point, which, element;
	double left, right;
	double relative, ulps; /* of the larger of the two, in the coarsest float dtype that was asked in */
	double scatter;        /* what rounding may be of it, where that was measured; NAN: it was not */
};

/* A pair of engines, and built-in ones that tell what rounding explains.  against: the reference of mode `engine`, or
 * NULL; both stay the caller's. */
struct cross;
struct cross *cross_open(struct engine *engine, struct engine *against);
void cross_close(struct cross *self);

/* One mode; working memory, and texts, in the arena. */
void cross_check(
    struct cross *self, enum cross_mode mode, const struct testcase *c, struct arena *a, struct cross_result *out);

/* How many requests it has made of the two engines. */
int64_t cross_asked(const struct cross *self);

/* "compiled+f|cross|transpose|finite" */
char *cross_signature(const struct cross *self, enum cross_mode mode, const struct cross_result *r, struct arena *a);

#endif
