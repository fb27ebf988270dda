/* body.h: the body of a fixed point: what one execution costs, which nodes it needs, and its carries. */
#ifndef ORACLES_EVALUATE_BODY_H
#define ORACLES_EVALUATE_BODY_H

#include "internal.h"

/* The search for one solution, or the iterations of an engine. */
struct solver {
	struct evaluation_run *r;
	const struct node *node;
	const struct region *body;
	/* [body->n_node] The carries depend on the node; nodes that only end the iteration have no part in x*. */
	bool *live;
	int64_t cost;     /* the most elements that one body makes */
	int total;        /* elements of all carries */
	int x, next;      /* the first of `total` scalars: the iterate, and room for its successor */
	double *residual; /* [total] how far the iterate may be from x* */
	double largest;   /* the largest element of any iterate so far */
	double top;       /* the largest number that the last execution of the body computed */
	int n_frozen, next_frozen;
};

/* The number of values that one execution makes. It saturates well above what is affordable. */
int64_t body_cost(const struct program *p, const struct region *region);
/* Sets s->live. */
void body_find_live(struct solver *s);
/* Every execution of the body freezes, or reads, the same values. Call it before each. */
void body_thaw(struct solver *s);

/* Binds the parameters to these carries. */
void body_set_parameters(struct solver *s, const struct elements *carry);
/* The carries that the body returned, or those that the op begins with. */
void body_take_results(struct solver *s, struct elements *carry);
void body_take_initial(struct solver *s, struct elements *carry);

/* The scalars of a set of carries, in order. */
void body_scalars(const struct solver *s, const struct elements *carry, int *out);

#endif
