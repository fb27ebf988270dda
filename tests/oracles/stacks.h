/* stacks.h: random requests of several levels for a case that has a program and points. */
#ifndef TESTS_ORACLES_STACKS_H
#define TESTS_ORACLES_STACKS_H

#include "../../fuzz/choice.h"
#include "../../graph/testcase.h"

static inline double stack_real(struct choice *c, enum dtype d)
{
	return dtype_round(d, (double)choice_between(c, -8, 8) / 4);
}

/* A transform of level s below: a random subset of the inputs, floats preferred, and random seeds. */
static inline struct transform stack_transform(struct choice *c, enum transform_kind kind, const struct signature *s, struct arena *a)
{
	struct transform t = {.kind = kind, .wrt = NEW(a, int, LIMIT_ARGS)};
	struct type type[LIMIT_ARGS];
	for (int i = 0; i < s->n_input; i++)
		if (choice_percent(c, 75))
			t.wrt[t.n_wrt++] = i;
	if (!t.n_wrt && s->n_input)
		t.wrt[t.n_wrt++] = (int)choice_between(c, 0, s->n_input - 1);
	t.size = kind == TRANSFORM_BATCH ? (int)choice_between(c, 1, 3) : 0;
	t.n_seed = request_seeds(s, &t, type);
	t.seed = NEW(a, struct tensor, t.n_seed + 1);
	for (int i = 0; i < t.n_seed; i++) {
		t.seed[i] = tensor_new(a, &type[i]);
		for (int e = 0; dtype_is_float(type[i].dtype) && e < shape_elements(&type[i].shape); e++)
			t.seed[i].at[e].f = stack_real(c, type[i].dtype);
	}
	return t;
}

/* A copy of x for every slice of t's new axis, the values moved a little. */
static inline struct tensor stack_point(struct choice *c, const struct tensor *x, int size, struct arena *a)
{
	struct type type = {.dtype = x->type.dtype, .shape = {.rank = x->type.shape.rank + 1, .extent = {size}}};
	int n = shape_elements(&x->type.shape);
	for (int d = 0; d < x->type.shape.rank; d++)
		type.shape.extent[d + 1] = x->type.shape.extent[d];
	struct tensor out = tensor_new(a, &type);
	for (int k = 0; k < size * n; k++) {
		out.at[k] = x->at[k % n];
		if (k >= n && dtype_is_float(type.dtype) && choice_percent(c, 50))
			out.at[k].f = dtype_round(type.dtype, out.at[k].f * (1 + (double)choice_between(c, -2, 2) / 16));
	}
	return out;
}

/*
 * c with a request of these kinds, innermost first, as points and types allow; false when a batch does not fit, or c's points already have
 * a batch.
 */
static inline bool stack_request(struct testcase *c, struct choice *choice, const enum transform_kind *kind, int n, struct arena *a)
{
	struct signature s = request_base(&c->program);
	struct error e;
	c->transform = NEW(a, struct transform, n + 1);
	c->n_transform = n;
	c->n_expect = 0;
	struct tensor **point = NEW(a, struct tensor *, c->n_point + 1);
	for (int p = 0; p < c->n_point; p++)
		for (int i = 0; i < s.n_input; i++)
			if (!type_equal(&c->point[p][i].type, &s.input[i]))
				return false;
	for (int p = 0; p < c->n_point; p++)
		point[p] = arena_copy(a, c->point[p], (size_t)s.n_input, sizeof **point);
	c->point = point;
	for (int k = 0; k < n; k++) {
		struct transform t = stack_transform(choice, kind[k], &s, a);
		if (!s.n_input || !request_apply(&s, &t, &e))
			return false;
		c->transform[k] = t;
		for (int p = 0; kind[k] == TRANSFORM_BATCH && p < c->n_point; p++)
			for (int i = 0; i < t.n_wrt; i++)
				point[p][t.wrt[i]] = stack_point(choice, &point[p][t.wrt[i]], t.size, a);
	}
	return testcase_check(c, &e);
}

#endif
