/* stacks.h: random requests of several levels for a case that has a program and points. */
#ifndef TESTS_ORACLES_STACKS_H
#define TESTS_ORACLES_STACKS_H

#include "engines/engine.h"
#include "fuzz/generate/generate.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"

static inline double stack_real(struct choice *c, enum dtype d)
{
	return dtype_round(d, (double)choice_between(c, -8, 8) / 4);
}

/* A transform of level s below: a random subset of the inputs, floats preferred, and random seeds. */
static inline struct transform stack_transform(
    struct choice *c, enum transform_kind kind, const struct signature *s, struct arena *a)
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
			out.at[k].f = dtype_round(
			    type.dtype, out.at[k].f * (1 + (double)choice_between(c, -2, 2) / 16));
	}
	return out;
}

/*
 * c with a request of these kinds, innermost first, as points and types allow; false when a batch does not fit, or c's
 * points already have a batch.
 */
static inline bool stack_request(
    struct testcase *c, struct choice *choice, const enum transform_kind *kind, int n, struct arena *a)
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

/* Draws the kinds of the levels; gives their number, at most 3. */
typedef int stack_kinds(struct choice *choice, enum transform_kind kind[3]);

/* Over generated programs: the oracles agree, every engine lies in the ball, and a product rule off by 1e-11 does not.
 */
static inline void stack_laws(int cases, uint64_t stream, stack_kinds *kinds, struct arena *a)
{
	static const char *const specs[] = {
	    "forward", "tape", "functional", "checkpointed", "parallel", "aot", "tape+scale:mul:1.00000000001"};
	enum { ENGINES = 7, RIGHT = 6 };
	const struct oracle_options options = {.seed = 5, .fd_one_in = 4};
	const struct profile profile = profile_default();
	struct oracle *oracle = oracle_open(&options);
	struct engine *engine[ENGINES];
	struct error e = {0};
	int seen = 0, decided = 0, undecided = 0;
	for (int k = 0; k < ENGINES; k++)
		engine[k] = engine_open(specs[k], &e);
	for (uint64_t seed = 0; seed < (uint64_t)cases; seed++) {
		arena_reset(a);
		struct choice choice = choice_seeded(seed_mix(stream, seed));
		struct testcase c = generate(&choice, &profile, a);
		enum transform_kind kind[3];
		int n = kinds(&choice, kind);
		if (program_work(&c.program) > 3000 || !stack_request(&c, &choice, kind, n, a))
			continue;
		struct truth t;
		oracle_truth(oracle, &c, a, &t);
		for (int p = 0; p < t.n_point; p++)
			CHECK(t.point[p].fd.outcome != FD_DISAGREES, "seed %d: the oracles disagree", (int)seed);
		for (int k = 0; k < ENGINES; k++) {
			struct judgement j;
			struct answer *answers = NEW(a, struct answer, c.n_point);
			if (engine_refuses(engine_kind(engine[k]), c.transform, c.n_transform, a))
				continue;
			engine_answer(engine[k], &c, a, answers);
			judge(&c, &t, answers, &j);
			decided += j.decided;
			for (int r = 1; r < REASON_COUNT; r++)
				undecided += j.undecided[r];
			if (k < RIGHT)
				CHECK(!verdict_is_finding[j.verdict], "seed %d: %s is %s: %g, expected %g", (int)seed,
				    specs[k], verdict_names[j.verdict], j.returned, j.expected);
			else
				seen += j.verdict == VERDICT_WRONG;
		}
	}
	CHECK(seen > 20, "a product rule off by 1e-11 was seen in %d cases only", seen);
	CHECK(decided > 4 * undecided, "%d components decided, %d not", decided, undecided);
	for (int k = 0; k < ENGINES; k++)
		engine_close(engine[k]);
	oracle_close(oracle);
}

#endif
