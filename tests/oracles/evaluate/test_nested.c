/*
 * test_nested.c: op derivative in the oracles.  The value of a derivative is the truth of the request it stands for,
 * which comes from other rules (sweeps over partials); its derivative is the truth of the stack of both; neither finite
 * differences nor engines are asked.
 */
#include "oracles/analytic/analytic.h"

#include <math.h>
#include <string.h>

#include "fuzz/generate/generate.h"
#include "oracles/evaluate/evaluate.h"
#include "oracles/oracle_rules.h"
#include "tests/check.h"
#include "tests/nested.h"

enum { GENERATED = 3000 };

/* Decided in both: how often, and equal each time. */
static int compare(const char *what, int number, const struct truth_tensor *x, const struct truth_tensor *y)
{
	int n = shape_elements(&x->type.shape), decided = 0;

	CHECK(type_equal(&x->type, &y->type), "case %d, %s: types", number, what);
	for (int i = 0; i < n && type_equal(&x->type, &y->type); i++) {
		const struct component *p = &x->at[i], *q = &y->at[i];
		double off = fabs((p->value - q->value) + (p->low - q->low));

		if (p->reason != REASON_NONE || q->reason != REASON_NONE)
			continue;
		/* What cancels at 128 bits, as 1 - tanh^2 does, is within a small part of the radius. */
		CHECK(off <= 0x1p-75 * fmax(p->magnitude, q->magnitude) + 0x1p-60 * (p->tight + q->tight),
		    "case %d, %s[%d]: %.17g, %.17g", number, what, i, p->value, q->value);
		decided++;
	}
	return decided;
}

/* All floats, so that a derivative by op and one by request have the same results. */
static bool only_floats(const struct testcase *c)
{
	const struct region *top = &c->program.top;
	const struct transform *t = &c->transform[0];

	for (int k = 0; k < top->n_result; k++)
		if (!dtype_is_float(c->program.type[top->result[k]].dtype))
			return false;
	for (int k = 0; k < t->n_wrt; k++)
		if (!dtype_is_float(c->program.type[top->param + t->wrt[k]].dtype))
			return false;
	return t->n_wrt > 0;
}

/* A vjp by the same inputs, with cotangents 1, -2, 3 ... */
static struct transform second(const struct testcase *c, const struct program *nested, struct arena *a)
{
	struct transform t = {.kind = TRANSFORM_VJP, .n_wrt = c->transform[0].n_wrt, .wrt = c->transform[0].wrt};

	t.n_seed = nested->top.n_result;
	t.seed = NEW(a, struct tensor, t.n_seed);
	for (int k = 0; k < t.n_seed; k++) {
		t.seed[k] = tensor_new(a, &nested->type[nested->top.result[k]]);
		for (int i = 0; i < shape_elements(&t.seed[k].type.shape); i++)
			t.seed[k].at[i].f = i % 2 ? -1 - i % 7 : 1 + i % 7;
	}
	return t;
}

int main(int argc, char **argv)
{
	struct analytic *one = analytic_open(&oracle_rules_right), *other = analytic_open(&oracle_rules_right);
	struct arena a;
	int values = 0, derivatives = 0;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	for (int number = 0; number < GENERATED; number++) {
		struct choice choice = choice_seeded(seed_mix(23, (uint64_t)number));
		struct profile profile = profile_default();
		struct truth_point want, got;
		struct testcase c, nested, stacked;
		struct transform both[2];

		arena_reset(&a);
		profile.weight_derivative = number % 2 ? 0 : 5;
		c = generate(&choice, &profile, &a);
		nested = stacked = c;
		nested.n_transform = 0;
		if (c.n_transform != 1 || c.transform[0].kind == TRANSFORM_BATCH || !only_floats(&c) ||
		    !nest_program(&c, &a, &nested.program) || !program_check(&nested.program, NULL))
			continue;
		analytic_truth(one, &c, 0, &a, &want);
		analytic_truth(other, &nested, 0, &a, &got);
		CHECK(got.n_primal == want.n_derivative, "case %d: %d values, %d asked for", number, got.n_primal,
		    want.n_derivative);
		for (int k = 0; k < got.n_primal && want.n_assignment == 1; k++)
			values += compare("value", number, &got.primal[k], &want.derivative[0][k]);

		both[0] = c.transform[0];
		both[1] = second(&c, &nested.program, &a);
		stacked.transform = both;
		stacked.n_transform = 2;
		nested.transform = &both[1];
		nested.n_transform = 1;
		analytic_truth(one, &stacked, 0, &a, &want);
		analytic_truth(other, &nested, 0, &a, &got);
		CHECK(got.n_derivative == want.n_derivative, "case %d: %d derivatives, %d asked for", number,
		    got.n_derivative, want.n_derivative);
		for (int k = 0; k < got.n_derivative && got.n_assignment == 1 && want.n_assignment == 1; k++)
			derivatives += compare("derivative", number, &got.derivative[0][k], &want.derivative[0][k]);
	}
	printf("%d values, %d derivatives compared\n", values, derivatives);
	CHECK(values > 20 * GENERATED / 10 && derivatives > GENERATED, "%d values, %d derivatives compared", values,
	    derivatives);
	analytic_close(one);
	analytic_close(other);
	arena_free(&a);
	return check_done();
}
