/* test_tape.c: the eager engine on programs with known gradients, requests, subsets of wrt, faults. */
#include "tests/engines/samples.h"

/* Every subset of wrt gives the same components as all of them. */
static void check_subsets(struct engine *engine, struct arena *a)
{
	for (int n = 0; n < N_SAMPLE; n++) {
		if (!row_wanted("subsets: %s", samples[n].name))
			continue;
		const struct sample *s = &samples[n];
		struct testcase c = sample_case(a, s, s->at, true);
		struct answer all = {.status = ANSWER_FAILURE}, some = all;

		engine_answer(engine, &c, a, &all);
		for (int subset = 0; subset < 1 << s->n_in; subset++) {
			c.transform[0].n_wrt = 0;
			for (int k = 0; k < s->n_in; k++)
				if (subset >> k & 1)
					c.transform[0].wrt[c.transform[0].n_wrt++] = k;
			engine_answer(engine, &c, a, &some);
			CHECK(some.n_derivative == c.transform[0].n_wrt, "%s", s->name);
			for (int k = 0; k < some.n_derivative; k++)
				CHECK(tensor_same(&some.derivative[k], &all.derivative[c.transform[0].wrt[k]]),
				    "%s: subset %d", s->name, subset);
		}
	}
}

static void check_refusals(struct engine *engine, struct arena *a)
{
	struct testcase c = sample_case(a, &samples[0], samples[0].at, true);
	struct answer out = {.status = ANSWER_FAILURE};

	c.transform[0].kind = TRANSFORM_JVP;
	engine_answer(engine, &c, a, &out);
	CHECK(out.status == ANSWER_UNSUPPORTED && out.text[0], "a jvp: %d", out.status);
	c.transform = (struct transform[]){c.transform[0], c.transform[0]};
	c.n_transform = 2;
	engine_answer(engine, &c, a, &out);
	CHECK(out.status == ANSWER_UNSUPPORTED && out.text[0], "a jvp of a jvp: %d", out.status);
}

/* Several points: each answer is that of the point alone. */
static void check_points(struct engine *engine, struct arena *a)
{
	const struct sample *s = sample_find("while");
	const double at[3][SAMPLE_INPUTS][SAMPLE_ELEMENTS] = {{{1.7}}, {{3}}, {{200}}};
	struct testcase c[3], all;
	struct answer one, out[3];

	for (int k = 0; k < 3; k++)
		c[k] = sample_case(a, s, at[k], true);
	all = c[0];
	all.n_point = 3;
	all.point = (struct tensor *[]){c[0].point[0], c[1].point[0], c[2].point[0]};
	engine_answer(engine, &all, a, out);
	for (int k = 0; k < 3; k++) {
		engine_answer(engine, &c[k], a, &one);
		CHECK(tensor_same(&one.derivative[0], &out[k].derivative[0]), "point %d", k);
	}
	CHECK(out[2].derivative[0].at->f == 1, "no iteration: %g", out[2].derivative[0].at->f);
}

/* The dead branch's NaN reaches x only when a zero cotangent is multiplied as any other number. */
static void check_weak_zero(struct arena *a)
{
	static const double want[4] = {NAN, NAN, .5, .25};
	struct engine *engine = sample_engine("tape+weak-zero");
	const struct sample *s = sample_find("where");
	struct testcase c = sample_case(a, s, s->at, true);
	struct answer out = {.status = ANSWER_FAILURE};

	for (int i = 0; i < 4; i++)
		c.transform[0].seed[0].at[i].f = 1;
	engine_answer(engine, &c, a, &out);
	for (int i = 0; i < 4; i++)
		CHECK(near(out.derivative[0].at[i].f, want[i], 0), "x[%d]: %g", i, out.derivative[0].at[i].f);
	engine_close(engine);
}

int main(int argc, char **argv)
{
	struct arena a;
	struct engine *engine = sample_engine("tape");

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	check_samples(engine, &a);
	check_subsets(engine, &a);
	CHECK_LAW(check_refusals(engine, &a));
	CHECK_LAW(check_points(engine, &a));
	CHECK_LAW(check_weak_zero(&a));
	engine_close(engine);
	arena_free(&a);
	return check_done();
}
