/* internal.h: shared by the modes of cross.h: how they ask, and the pairs of numbers that they make. */
#ifndef FUZZ_CROSS_INTERNAL_H
#define FUZZ_CROSS_INTERNAL_H

#include "cross.h"

/* Two numbers that must be equal. */
struct cross_pair {
	const char *sibling; /* name of the right answer; static */
	bool in_primal;
	int point, which, element;
	double left, right;
	double scale; /* sum of magnitudes, if the right number is a sum; else 0 */
};

/* The engines that are asked, and their answers. */
struct cross_ask {
	struct arena *arena;
	struct engine *left, *right; /* right: the reference in mode `engine`, else the same as left */
	bool probe; /* both are the same probe: programs are blurred, and with `plain` rules of customs are not used */
	bool plain;
	int draw; /* CROSS_SHARP: programs are not blurred, so that a probe meets an end of a domain to which a kink
	             leads */
	struct rounding_seen seen;
	/* The base case and its answers from `left`, which is asked only once. */
	const struct testcase *base;
	struct answer *base_answer;
	int asked; /* requests to engines */
	int n, room;
	struct cross_pair *pair;
	const char *why;    /* why there is no pair */
	const char *fell;   /* how the last answer failed, in the words of `broken` */
	const char *broken; /* an engine that answered one request fails on another: "crash", "protocol", "shape";
	                       "input-modified" */
};

/* Adds the pairs of a case.  False: there are none; q->why says why. */
typedef bool cross_fn(struct cross_ask *q, const struct testcase *c);
#define MODE(id, name, meaning) cross_fn cross_##id;
#include "modes.def"
#undef MODE

/* ---- ask.c ---- */

/* The answers at every point.  NULL, with the reason in q->why: one of them failed. */
const struct answer *cross_ask(struct cross_ask *q, struct engine *engine, const struct testcase *c);
void cross_add(struct cross_ask *q, const struct cross_pair *pair);
/* Adds pairs of all elements of two lists of answers at n_point points. */
bool cross_add_answers(
    struct cross_ask *q, const char *sibling, const struct answer *left, const struct answer *right, int n_point);
/* Signature of the function below transform number `which`. */
struct signature cross_below(const struct testcase *c, int which);
/* cross_outermost: number of the outermost transform that differentiates; -1: none.  cross_slices: number of slices of
 * the batches above transform `which`. */
int cross_outermost(const struct testcase *c);
int cross_slices(const struct testcase *c, int which);
/* A copy of c with a transform list of its own; its seeds are still those of c. */
struct testcase cross_copy(const struct cross_ask *q, const struct testcase *c);
/* Zero tensors of these types, for seeds. */
struct tensor *cross_zeros(const struct cross_ask *q, const struct type *type, int n);
/* Point number k beside that of c: every float except 0 moves by a few units in the last place. */
const struct testcase *cross_beside(struct arena *a, const struct testcase *c, int k);
/* The coarsest float dtype of the program; DTYPE_COUNT: it has none. */
enum dtype cross_coarsest(const struct testcase *c);

/* ---- probe.c ---- */

/* The errors of a probe: CROSS_TIMES half units.  The worst usual formula of one op loses a number of units
 * (TOLERANCE.md); this is twice that, for each of ten steps whose errors add up. */
enum { CROSS_PROBES = 2, CROSS_DRAWS = 12, CROSS_TIMES = 512, CROSS_SHARP = -1 };
struct cross_probes {
	struct engine *engine[CROSS_PROBES];
};
bool cross_probes_open(struct cross_probes *self);
void cross_probes_close(struct cross_probes *self);
/*
 * c with the operands of ops with kinks moved by some rounding errors, differently in each of CROSS_DRAWS draws.  Draw
 * k + CROSS_DRAWS/2 moves them in the opposite direction of draw k.  NULL: the result is no valid case.
 */
const struct testcase *cross_blurred(struct arena *a, const struct testcase *c, int draw);

/* How far answers scatter.  For pair k, by[k] is half the distance between the smallest and the largest answer of the
 * probes, for both sides. */
struct cross_scatter {
	int n;
	double *by;     /* [n]; infinite if a probe gives no finite number */
	int64_t steps;  /* inexact steps behind both sides */
	double largest; /* largest number that the probes computed */
	bool edge;
};
/* False: too few probes answer. */
bool cross_scatter(const struct cross_probes *self, cross_fn *mode, const struct testcase *c, int n, struct arena *a,
    struct cross_scatter *out);

#endif
