/* loop.h: a loop while the generator builds it (carries.c). */
#ifndef FUZZ_GENERATE_LOOP_H
#define FUZZ_GENERATE_LOOP_H

#include "generator.h"

enum { CARRIES = 4 };

/* A loop whose body is being built.  `param`: parameters of the innermost open region. */
struct loop_draft {
	int trips; /* at most this many iterations */
	int n;
	int init[CARRIES], param[CARRIES], result[CARRIES];
	struct type type[CARRIES];
	bool updated;  /* the body made result[] itself */
	int pool_mark; /* pool at the opening of the body */
};

/* Whether a region op may be begun here. */
bool loop_may_open(const struct gen *g);
/* Appends random ops inside the open region. */
void loop_fill(struct gen *g, int ops);
/* A trip count that a body over values of that many elements can afford. */
int loop_pick_trips(struct gen *g, int elements);

/* A value to start a carry from. */
int loop_pick_init(struct gen *g);
/* Adds `init` as a carry, unless it is -1 or too large, or there are too many carries. */
void loop_add_carry(struct gen *g, struct loop_draft *l, int init);
/* Picks one to three carries, or none if nothing fits. */
void loop_pick_carries(struct gen *g, struct loop_draft *l);
int loop_carry_elements(const struct gen *g, const struct loop_draft *l);
/* Fills the open body of a `for`, whose parameters are the counter and l->param[]. */
typedef void loop_body_fn(struct gen *g, struct loop_draft *l, int counter);
/* Makes a `for` over the carries of l with that body; -1 if it does not fit. */
int loop_emit_for(struct gen *g, struct loop_draft *l, loop_body_fn *body);
/* Makes result[] from param[]: the value of each carry at the end of the body. */
void loop_update_carries(struct gen *g, struct loop_draft *l);
/* Tracks value `v`, the loop's result for carry i.  Call it after the region is closed.  deps: those of all its
 * results. */
void loop_track_carry(struct gen *g, const struct loop_draft *l, int i, int v, uint32_t deps);
/* The deps of all results of a closed region, without those on its own parameters. */
uint32_t loop_deps(const struct gen *g, const int *value, int n);
void loop_count_uses(struct gen *g, const int *value, int n);

#endif
