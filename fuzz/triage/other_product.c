/*
 * other_product.c: the trial of other ops that multiply (trials.h).  An engine often has one helper for them.  Their
 * operands differ, so none can take the place of another in a case.  But each can multiply the same two numbers.
 */
#include <math.h>

#include "fuzz/edit/edit.h"
#include "trials.h"

static const struct type factor_type = {.dtype = DTYPE_F64, .shape = {.rank = 1, .extent = {1}}};

/* Two different numbers.  Neither they nor their sum, difference or product are 0 or 1. */
static const double factors[2] = {0.75, 1.375};

/* The product of values x and y by op, f64[1]; -1: it is no op that multiplies. */
static int multiply(struct builder *b, enum op op, int x, int y, struct arena *a)
{
	const struct attrs along = {.axis = 0}, whole = {.n_axes = 1, .axes = {0}, .keepdims = true},
	                   last = {.start = {1}, .size = {1}, .stride = {1}}, clip = {.axis = 0, .mode = MODE_CLIP};
	const struct type index = {.dtype = DTYPE_I64, .shape = {.rank = 1, .extent = {1}}};
	const struct tensor first = tensor_new(a, &index);
	int both;

	if (op == OP_SCATTER_MUL)
		return build_node(b, op, (int[]){x, build_constant(b, &first), y}, 3, &clip, NULL);
	if (op != OP_REDUCE_PROD && op != OP_CUMPROD)
		return -1;
	both = build_node(b, OP_CONCATENATE, (int[]){x, y}, 2, &along, NULL);
	both = build_node(b, op, &both, 1, op == OP_CUMPROD ? &along : &whole, NULL);
	return op == OP_CUMPROD ? build_node(b, OP_SLICE, &both, 1, &last, NULL) : both;
}

bool trial_product(
    const struct question *q, enum op op, const struct transform *asked, struct arena *a, struct judgement *j)
{
	struct edit e = {.arena = a};
	struct transform *t = NEW(a, struct transform, 1);
	struct builder b = {.program = {.n_value = 0}};
	int x, y, out;

	build_begin(&b, a);
	x = build_input(&b, &factor_type);
	y = build_input(&b, &factor_type);
	out = multiply(&b, op, x, y, a);
	if (out < 0)
		return false;
	e.c = (struct testcase){.program = build_end(&b, &out, 1), .n_point = 1, .n_transform = 1, .transform = t};
	e.c.point = NEW(a, struct tensor *, 1);
	e.c.point[0] = NEW(a, struct tensor, 2);
	for (int k = 0; k < 2; k++) {
		e.c.point[0][k] = tensor_new(a, &factor_type);
		e.c.point[0][k].at[0].f = factors[k];
	}
	*t = (struct transform){.kind = asked->kind, .n_wrt = 1, .wrt = NEW(a, int, 1)};
	t->wrt[0] = 1;
	return trial_effect(q, &e, j) == EFFECT_FAILS && isfinite(j->returned) && j->returned != 0;
}
