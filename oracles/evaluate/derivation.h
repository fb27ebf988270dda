/* derivation.h: one derivation of a stretch of the trace; for trace_derive.c, which orders it, and trace_edges.c. */
#ifndef ORACLES_EVALUATE_DERIVATION_H
#define ORACLES_EVALUATE_DERIVATION_H

#include "trace_derive.h"

enum { ABSENT = -1, CONSTANTS = 32 };

/* A contribution to the adjoint of a scalar. */
struct contribution {
	int flow, next; /* the next one's number, ABSENT at the end */
};

/* One derivation. */
struct derivation {
	struct evaluation *ev;
	const struct stretch *s;
	int end; /* the stretch is first ... end - 1 */
	/* [end - first] enum live. For tangents: a result depends on the scalar. For adjoints: the scalar depends
	 * on an input, or is one. */
	uint8_t *live;
	int *flow; /* [end - first] tangents so far, or ABSENT */
	int *head; /* [end - first] adjoints: first contribution, or ABSENT */
	struct contribution *contribution;
	int n_contribution, contribution_room;
	int *term; /* working memory for the terms of one sum */
	/* Working values for the edges of one scalar, or of all scalars. */
	enum dtype dtype; /* of the scalar whose edges are being taken */
	int shared_k, shared_largest, shared_mean, shared_flow;
	int n_constant;
	struct {
		enum dtype dtype;
		double value;
		int scalar;
	} constant[CONSTANTS];
};

/* A scalar of a tangent or adjoint. */
int derived_flow(struct derivation *d, enum op op, enum dtype dtype, const int *parent, int n);
/* The sum of n flows: ABSENT for none, the flow itself for one. */
int derived_sum(struct derivation *d, enum dtype dtype, const int *term, int n);
/* g / p, as a flow of d->dtype. */
int derived_over(struct derivation *d, int g, int p);
/* The leaf x of d->dtype. */
int derived_constant(struct derivation *d, double x);

/* Whether the partials of scalar k are unknown or a matter of convention. Example: log of a negative number is NaN,
 * but 1/a is a number. */
bool edge_uncertain(const struct derivation *d, int k);
/*
 * The flow g over edge j of scalar k. `to` is the dtype of the end where it arrives; a cast has two. ABSENT if no path
 * uses the edge: floor, sign, the loser of a maximum, stop_gradient.
 */
int edge_cross(struct derivation *d, int k, const int *parent, int j, int g, enum dtype to);

#endif
