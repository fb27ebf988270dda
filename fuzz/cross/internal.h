/* internal.h: what the modes of cross.h share: how they ask, and the pairs of numbers that they make. */
#ifndef FUZZ_CROSS_INTERNAL_H
#define FUZZ_CROSS_INTERNAL_H

#include "cross.h"

/* Two numbers that must be one. */
struct cross_pair {
	const char *sibling; /* what the right one is of; static */
	bool in_primal;
	int point, which, element;
	double left, right;
	double scale; /* of what the right one is a sum of: the sum of magnitudes; else 0 */
};

/* Who is asked, and what was said. */
struct cross_ask {
	struct arena *arena;
	struct engine *left, *right; /* right: of mode `engine`; else the same */
	bool probe; /* both are one probe: programs are blurred, and rules of customs left out where `plain` */
	bool plain;
	int draw; /* CROSS_SHARP: programs are as they are, so that an end of a domain is met where a kink leads to it
	           */
	struct rounding_seen seen;
	/* The base and its answers by `left`: it is asked for once. */
	const struct testcase *base;
	struct answer *base_answer;
	int asked; /* requests to engines */
	int n, room;
	struct cross_pair *pair;
	const char *why;    /* there is no pair */
	const char *fell;   /* what became of the last answer, if it is none: as `broken` */
	const char *broken; /* an engine that answers one request does not survive another: "crash", "protocol",
	                       "shape"; "input-modified" */
};

/* The pairs of a case: false with `why` where there are none. */
typedef bool cross_fn(struct cross_ask *q, const struct testcase *c);
#define MODE(id, name, meaning) cross_fn cross_##id;
#include "modes.def"
#undef MODE

/* ---- ask.c ---- */

/* The answers at every point; NULL, with the reason in q->why, where one of them is none. */
const struct answer *cross_ask(struct cross_ask *q, struct engine *engine, const struct testcase *c);
void cross_add(struct cross_ask *q, const struct cross_pair *pair);
/* Pairs of all elements of two lists of answers of n_point points. */
bool cross_add_answers(
    struct cross_ask *q, const char *sibling, const struct answer *left, const struct answer *right, int n_point);
/* The function below transform number `which`. */
struct signature cross_below(const struct testcase *c, int which);
/* The number of the outermost transform that differentiates; -1: none does.  The slices of the batches above transform
 * `which`. */
int cross_outermost(const struct testcase *c);
int cross_slices(const struct testcase *c, int which);
/* A copy with a list of transforms of its own, whose seeds are still those of c. */
struct testcase cross_copy(const struct cross_ask *q, const struct testcase *c);
/* Zero tensors of these types; seeds that are 0 but for one element, or 1 and -1 at random. */
struct tensor *cross_zeros(const struct cross_ask *q, const struct type *type, int n);
/* The case with all floats in one dtype; NULL: it does not fit. */
const struct testcase *cross_in_dtype(struct arena *a, const struct testcase *c, enum dtype d);
/* Point number k beside that of c: every float but 0 a few units in the last place away. */
const struct testcase *cross_beside(struct arena *a, const struct testcase *c, int k);
/* The precision of the coarsest and of the finest float dtype of the program; DTYPE_COUNT: there is none. */
enum dtype cross_coarsest(const struct testcase *c);

/* ---- probe.c ---- */

/* A probe's errors: CROSS_TIMES half units, twice what the worst usual formula of one op loses (TOLERANCE.md) for each
 * of ten steps that conspire. */
enum { CROSS_PROBES = 2, CROSS_DRAWS = 12, CROSS_TIMES = 512, CROSS_SHARP = -1 };
struct cross_probes {
	struct engine *engine[CROSS_PROBES];
};
bool cross_probes_open(struct cross_probes *self);
void cross_probes_close(struct cross_probes *self);
/*
 * c with the operands of what has kinks moved by some rounding errors, differently in each draw, of CROSS_DRAWS; in
 * draw k + CROSS_DRAWS/2 the other way than in draw k. NULL: it does not fit.
 */
const struct testcase *cross_blurred(struct arena *a, const struct testcase *c, int draw);

/* How far answers scatter: of pair k, half the distance between the least and the largest of all that the probes say of
 * both sides. */
struct cross_scatter {
	int n;
	double *by;     /* [n]; infinite where a probe gives no number */
	int64_t steps;  /* inexact ones, of what makes both sides */
	double largest; /* of all that they computed */
	bool edge;
};
/* False: the probes do not answer. */
bool cross_scatter(const struct cross_probes *self, cross_fn *mode, const struct testcase *c, int n, struct arena *a,
    struct cross_scatter *out);

#endif
