/*
 * starts.h: solutions of fixed points, as places where the iterations of other evaluations start.
 *
 * Finite differences solve the same fixed points many times, a tiny step apart and at more and more bits. The
 * iterations at the point begin at the initial carries and show that they converge. All others begin at a solution that
 * was found before. They end by the same criterion, so they are as exact (TOLERANCE.md, "Solutions").
 */
#ifndef ORACLES_EVALUATE_STARTS_H
#define ORACLES_EVALUATE_STARTS_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

/* The solutions of one evaluation, in order of execution, without those inside the search for another. */
struct starts {
	int n, room;
	struct start *at; /* [n] */
	mpfr_t *value;
	int n_value, value_ready, value_room;
};

/* Frees all memory; *self can be used again. */
void starts_free(struct starts *self);
/* Forgets all solutions. */
void starts_clear(struct starts *self);
/*
 * Keeps the next solution: the `total` numbers at x. path: of the decisions before it. largest: the largest element of
 * the iterates that led to it.
 */
void starts_keep(struct starts *self, uint64_t path, const mpfr_t *x, int total, double largest);
/*
 * Sets x[total] to solution number k if there is one, on the same path, and *largest to its. across: NULL, or solutions
 * as far on one side; x is then the place as far on the other side, if that has solution k as well.
 */
bool starts_take(const struct starts *self, const struct starts *across, int k, uint64_t path, mpfr_t *x, int total,
    double *largest);

#endif
