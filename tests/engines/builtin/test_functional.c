/*
 * test_functional.c: the engine with reverse loops: known gradients, agreement with the tape, and the figures of a
 * reversed order.
 */
#include "tests/engines/samples.h"

/* Both engines use one table of rules and add up contributions in nearly one order. */
static void check_against_tape(struct engine *functional, struct arena *a)
{
	struct engine *tape = sample_engine("tape");

	for (int n = 0; n < N_SAMPLE; n++) {
		if (!row_wanted("against tape: %s", samples[n].name))
			continue;
		const struct sample *s = &samples[n];
		struct testcase c = sample_case(a, s, s->at, true);
		struct answer p = {.status = ANSWER_FAILURE}, q = p;

		engine_answer(functional, &c, a, &p);
		engine_answer(tape, &c, a, &q);
		for (int k = 0; k < p.n_primal; k++)
			CHECK(tensor_same(&p.primal[k], &q.primal[k]), "%s: primal %d", s->name, k);
		for (int k = 0; k < p.n_derivative; k++)
			for (int i = 0; i < shape_elements(&p.derivative[k].type.shape); i++)
				CHECK(near(p.derivative[k].at[i].f, q.derivative[k].at[i].f, 1e-15),
				    "%s[%d][%d]: %.17g, tape %.17g", s->name, k, i, p.derivative[k].at[i].f,
				    q.derivative[k].at[i].f);
	}
	engine_close(tape);
}

/*
 * Gradients at x of acc = 1; repeat n: acc = step(acc, x): right, and with the saved iterates read in forward order.
 */
static const struct {
	const char *body;
	step_fn *step;
	int n;
	double x, right, faulty;
} loops[] = {
    {"acc+x", step_sum, 3, .5, 3, 3},
    {"acc*x", step_mul, 3, .5, .75, 1.3125},
    {"acc*x", step_mul, 2, .5, 1, 1.25},
    {"acc/x", step_div, 3, .5, -48, -84},
    {"sin(acc*x)", step_sin, 2, .5, 0.8919615208882853, 1.0819350969923076},
    {"sin(acc*x)", step_sin, 3, .5, 0.6785945955153712, 1.132179238282995},
    {"acc+acc*x", step_grow, 3, .5, 6.75, 8.3125},
    {"acc*(x-2)", step_shift, 2, .5, -3, 3.25},
    {"acc*(x-2)", step_shift, 4, 1.5, -.5, 1.328125},
};

static const char *build_spec;
static int build_row;
static bool build_as_while;

static int build_loop(struct builder *b, const int *in, int *result)
{
	result[0] = build_as_while ? build_power_while(b, in[0], loops[build_row].n, loops[build_row].step)
	                           : build_power_for(b, in[0], loops[build_row].n, loops[build_row].step);
	return 1;
}

/* x captured by a for, and x carried through a while: the same figures. */
static void check_order(struct engine *engine, bool fifo, struct arena *a)
{
	for (build_row = 0; build_row < (int)(sizeof loops / sizeof loops[0]); build_row++)
		if (row_wanted("order: %s", loops[build_row].body))
			for (int form = 0; form < 2; form++) {
				const struct sample s = {.name = loops[build_row].body,
				    .build = build_loop,
				    .n_in = 1,
				    .type = {F64},
				    .at = {{loops[build_row].x}}};
				double want = fifo ? loops[build_row].faulty : loops[build_row].right;
				struct answer out = {.status = ANSWER_FAILURE};

				build_as_while = form == 1;
				struct testcase c = sample_case(a, &s, s.at, true);
				engine_answer(engine, &c, a, &out);
				CHECK(near(out.derivative[0].at->f, want, 4e-16), "%s: %s, n %d, %s: %.17g, want %.17g",
				    build_spec, s.name, loops[build_row].n, form ? "while" : "for",
				    out.derivative[0].at->f, want);
			}
}

/*
 * The wrong order is that of the saved iterates alone: cotangents of xs and ys keep their rows.  s = a s + x_t
 * saves 0, 1, 2.5; the cotangents of s are 5, 5.5, 4.75 from the last iteration on.
 */
static void check_rows(struct engine *fifo, struct arena *a)
{
	static const double want[3] = {4.75, 5.5, 5};
	struct testcase c = sample_case(a, sample_find("scan"), sample_find("scan")->at, true);
	struct answer out = {.status = ANSWER_FAILURE};

	engine_answer(fifo, &c, a, &out);
	CHECK(out.derivative[0].at->f == 5 * 0 + 5.5 * 1 + 4.75 * 2.5, "a: %.17g", out.derivative[0].at->f);
	for (int i = 0; i < 3; i++)
		CHECK(out.derivative[1].at[i].f == want[i], "x[%d]: %.17g", i, out.derivative[1].at[i].f);
}

int main(int argc, char **argv)
{
	struct arena a;
	struct engine *engine = sample_engine("functional"), *fifo = sample_engine("functional+residual-fifo");

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	check_samples(engine, &a);
	check_against_tape(engine, &a);
	build_spec = "functional";
	check_order(engine, false, &a);
	build_spec = "functional+residual-fifo";
	check_order(fifo, true, &a);
	CHECK_LAW(check_rows(fifo, &a));
	engine_close(engine);
	engine_close(fifo);
	arena_free(&a);
	return check_done();
}
