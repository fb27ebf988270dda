/* partial_edge.h: what partial.c and partial_formulas.c share: one edge of the trace, and the radii of its partial. */
#ifndef ORACLES_BALL_PARTIAL_EDGE_H
#define ORACLES_BALL_PARTIAL_EDGE_H

#include "ball.h"
#include "oracles/evaluate/double_of.h"
#include "rules.h"

#include <math.h>

/* The operands of a rule: scalar k, parent number j. */
struct partial_edge {
	const struct evaluation *ev;
	const struct note *note;
	int k, j;
	const int *parent;
	double u, tiny;
	struct shared *shared;
};

/* The facts that all partials of scalar s->k share. */
static inline const struct shared *shared_of(const struct partial_edge *s)
{
	ball_share(s->ev, s->note, s->k, s->shared);
	return s->shared;
}

static inline mpfr_srcptr parent_value(const struct partial_edge *s, int j) { return s->ev->value[s->parent[j]]; }
static inline const struct note *parent_note(const struct partial_edge *s, int j) { return &s->note[s->parent[j]]; }

/*
 * Sets the radii. `moved` bounds how far p moves over the parents' radii. tight and loose are errors of formulas in
 * units of u, loose in addition to tight; tight == 0: the partial is read as it is, without rounding. A partial below
 * the range of double does not count as 0.
 */
static inline void set_radii(
    const struct partial_edge *s, struct partial *out, double moved, double tight, double loose)
{
	out->magnitude = fabs(double_of(out->value));
	bool lost = out->magnitude == 0 && !mpfr_zero_p(out->value);
	if (lost)
		out->magnitude = dtype_table[DTYPE_F64].tiny;
	out->tight = moved +
	    (tight > 0 || lost ? tight * s->u + 2 * s->tiny : 0); /* a factor and the product underflow */
	out->loose = out->tight + loose * s->u;
	out->most = tight > 0 ? fmax(1, out->magnitude) : 0;
}

/* Sets most from the factors of the formula. Some products of factors may be larger than the product of all. */
static inline void set_most(struct partial *out, double x, double y, double z)
{
	out->most = fmax(out->most, fmax(x, fmax(y, z)));
}

/* Compute the partial of the edge, whose scalar is such an op, into *out: its value and its radii (TOLERANCE.md). */
void partial_unary(const struct partial_edge *s, const struct unary_rule *rule, struct partial *out);
void partial_div(const struct partial_edge *s, struct partial *out);
void partial_mod(const struct partial_edge *s, struct partial *out);
void partial_atan2(const struct partial_edge *s, struct partial *out);
void partial_pow(const struct partial_edge *s, struct partial *out);
void partial_norm(const struct partial_edge *s, struct partial *out);
void partial_logsumexp(const struct partial_edge *s, struct partial *out);

#endif
