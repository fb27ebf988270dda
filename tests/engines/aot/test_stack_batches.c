/* test_stack_batches.c: batches inside and outside of other levels, in every engine. */
#include "engines/aot/aot.h"
#include "engines/aot/interpret.h"
#include "fuzz/generate/generator.h"
#include "tests/engines/stack.h"

enum { SIZE = 3 };

/* c with a batch of the inputs in `wrt`, outermost; slice b of a float input is moved by b/8. */
static void push_batch(struct arena *a, struct testcase *c, const int *wrt, int n_wrt)
{
	const struct transform batch = {.kind = TRANSFORM_BATCH,
	    .n_wrt = n_wrt,
	    .wrt = arena_copy(a, wrt, (size_t)n_wrt, sizeof *wrt),
	    .size = SIZE};
	struct tensor *point = arena_copy(a, c->point[0], (size_t)c->program.top.n_param, sizeof *point);

	for (int k = 0; k < n_wrt; k++) {
		struct tensor *x = &point[wrt[k]], old = *x;
		int n = shape_elements(&old.type.shape);

		CHECK(shape_stack(&x->type.shape, SIZE), "room");
		*x = tensor_new(a, &x->type);
		for (int i = 0; i < SIZE * n; i++) {
			x->at[i] = old.at[i % n];
			if (dtype_is_float(x->type.dtype))
				x->at[i].f += .125 * (i / n);
		}
	}
	c->point = NEW(a, struct tensor *, 1);
	c->point[0] = point;
	push_transform(a, c, TRANSFORM_BATCH, &batch);
}

/* The point of slice b. */
static struct tensor *slice_point(struct arena *a, const struct testcase *c, const struct transform *batch, int b)
{
	struct tensor *point = arena_copy(a, c->point[0], (size_t)c->program.top.n_param, sizeof *point);

	for (int k = 0; k < batch->n_wrt; k++) {
		const struct tensor *x = &c->point[0][batch->wrt[k]];
		struct tensor row = {.type = type_row(&x->type)};

		row.at = x->at + b * shape_elements(&row.type.shape);
		point[batch->wrt[k]] = row;
	}
	return point;
}

/* A batch outermost: each engine gives what it gives for each slice alone, bit for bit. */
static void check_batch_outside(struct arena *a)
{
	for (int n = 0; n < N_SAMPLE; n++) {
		if (!row_wanted("batch outside: %s", samples[n].name))
			continue;
		const struct sample *s = &samples[n];
		struct testcase single = sample_case(a, s, s->at, true), c = single;

		if (s->type[0].shape.rank == LIMIT_RANK)
			continue;
		push_batch(a, &c, (int[]){0}, 1);
		for (int e = 0; e < ENGINES; e++) {
			struct answer all, one;

			if (!knows(engines[e], &c, a) || !answer_of(engines[e], &c, s->name, a, &all))
				continue;
			for (int b = 0; b < SIZE; b++) {
				struct tensor *point = slice_point(a, &c, &c.transform[1], b);

				single.point = &point;
				CHECK(answer_of(engines[e], &single, s->name, a, &one), "%s", s->name);
				for (int k = 0; k < one.n_derivative; k++) {
					struct tensor row = {.type = type_row(&all.derivative[k].type)};

					row.at = all.derivative[k].at + b * shape_elements(&row.type.shape);
					CHECK(tensor_same(&row, &one.derivative[k]), "%s, %s, slice %d", s->name,
					    specs[e], b);
				}
				for (int k = 0; k < one.n_primal; k++) {
					struct tensor row = {.type = type_row(&all.primal[k].type)};

					row.at = all.primal[k].at + b * shape_elements(&row.type.shape);
					CHECK(tensor_same(&row, &one.primal[k]), "%s, %s, slice %d", s->name, specs[e],
					    b);
				}
			}
		}
	}
}

/* A batch below a vjp: batched inputs get their slice's gradient, shared ones the sum over the slices. */
static void check_batch_inside(struct arena *a)
{
	for (int n = 0; n < N_SAMPLE; n++) {
		if (!row_wanted("batch inside: %s", samples[n].name))
			continue;
		const struct sample *s = &samples[n];
		struct testcase single = sample_case(a, s, s->at, true), c = single;
		struct transform vjp = single.transform[0];
		bool rank = false;

		c.n_transform = 0;
		for (int k = 0; k < vjp.n_seed; k++)
			rank |= vjp.seed[k].type.shape.rank == LIMIT_RANK;
		if (rank || s->type[0].shape.rank == LIMIT_RANK)
			continue;
		push_batch(a, &c, (int[]){0}, 1);
		vjp.seed = NEW(a, struct tensor, vjp.n_seed);
		for (int k = 0; k < vjp.n_seed; k++) {
			const struct tensor *old = &single.transform[0].seed[k];
			struct type type = old->type;
			int elements = shape_elements(&type.shape);

			shape_stack(&type.shape, SIZE);
			vjp.seed[k] = tensor_new(a, &type);
			for (int i = 0; i < SIZE * elements; i++)
				vjp.seed[k].at[i] = old->at[i % elements];
		}
		push_transform(a, &c, TRANSFORM_VJP, &vjp);
		for (int e = 0; e < ENGINES; e++) {
			double want[SIZE * GRADIENT] = {0}, got[SIZE * GRADIENT];
			int first = shape_elements(&s->type[0].shape), total;
			struct answer all, one;

			if (!knows(engines[e], &c, a) || !answer_of(engines[e], &c, s->name, a, &all))
				continue;
			for (int b = 0; b < SIZE; b++) {
				struct tensor *point = slice_point(a, &c, &c.transform[0], b);
				double flat[GRADIENT];
				int m;

				single.point = &point;
				CHECK(answer_of(engines[e], &single, s->name, a, &one), "%s", s->name);
				m = flatten(one.derivative, one.n_derivative, flat);
				for (int i = 0; i < m; i++)
					want[i < first ? b * first + i : (SIZE - 1) * first + i] += flat[i];
			}
			total = flatten(all.derivative, all.n_derivative, got);
			for (int i = 0; i < total; i++)
				CHECK(near(got[i], want[i], 1e-12), "%s, %s: [%d] %.17g, expected %.17g", s->name,
				    specs[e], i, got[i], want[i]);
		}
	}
}

/* [vjp, batch, vjp, batch] of a^2 b: a batch of Hessian columns of batches. */
static void check_batch_both(struct arena *a)
{
	const struct sample s = {.name = "both",
	    .text = "s = square a; y = mul s, b; return y",
	    .n_in = 2,
	    .type = {{.dtype = DTYPE_F64}, {.dtype = DTYPE_F64}},
	    .at = {{2}, {3}}};
	struct testcase c = sample_case(a, &s, s.at, false);

	push_transform(a, &c, TRANSFORM_VJP, NULL); /* c (2xy, x^2) */
	c.transform[0].seed[0].at->f = 1;
	push_batch(a, &c, (int[]){0}, 1);           /* x = 2, 2.125, 2.25 */
	push_transform(a, &c, TRANSFORM_VJP, NULL); /* u0_b 2y + u1_b 2x_b; sum of u0_b 2x_b */
	push_batch(a, &c, (int[]){1}, 1);           /* y = 3, 3.125, 3.25 */
	for (int e = 0; e < ENGINES; e++) {
		const struct transform *outer = &c.transform[2];
		struct answer out;

		if (!knows(engines[e], &c, a) || !answer_of(engines[e], &c, s.name, a, &out))
			continue;
		for (int q = 0; q < SIZE; q++) {
			double y = 3 + .125 * q, sum = 0;

			for (int b = 0; b < SIZE; b++) {
				double x = 2 + .125 * b, u0 = outer->seed[0].at[b].f, u1 = outer->seed[1].at[b].f;
				double want = u0 * 2 * y + u1 * 2 * x;

				sum += u0 * 2 * x;
				CHECK(near(out.derivative[0].at[q * SIZE + b].f, want, 1e-14), "%s: [%d][%d]", specs[e],
				    q, b);
				CHECK(out.primal[0].at[q * SIZE + b].f == x * x * y, "%s: primal [%d][%d]", specs[e], q,
				    b);
			}
			CHECK(near(out.derivative[1].at[q].f, sum, 1e-14), "%s: [%d]", specs[e], q);
		}
	}
}

/* Results and inputs that are integers: their derivatives are 0 on every level, and of their own type. */
static void check_integers(struct arena *a)
{
	const struct sample s = {.name = "integer",
	    .text = "s = square a; f = cast b dtype=f64; y = mul s, f; n = add b, b; return y, n",
	    .n_in = 2,
	    .type = {{.dtype = DTYPE_F64}, {.dtype = DTYPE_I64}},
	    .at = {{.75}, {3}}};

	for (int mix = 0; mix < 4; mix++) {
		struct testcase c = sample_case(a, &s, s.at, false);

		push_transform(a, &c, mix & 1 ? TRANSFORM_JVP : TRANSFORM_VJP, NULL);
		push_transform(a, &c, mix & 2 ? TRANSFORM_JVP : TRANSFORM_VJP, NULL);
		push_batch(a, &c, (int[]){0, 1}, 2);
		for (int e = 0; e < ENGINES; e++) {
			struct answer out;

			if (!knows(engines[e], &c, a) || !answer_of(engines[e], &c, s.name, a, &out))
				continue;
			CHECK(out.n_derivative == 2 && out.derivative[1].type.dtype == DTYPE_I64, "%s", specs[e]);
			for (int b = 0; b < SIZE; b++) {
				CHECK(out.derivative[1].at[b].i == 0, "%s", specs[e]);
				CHECK(out.primal[1].at[b].i == 6, "%s", specs[e]);
				/*
				 * f = 3 x^2: f'' = 6; a jvp's seed is direction(0, 0), that of a vjp of result 0 too.
				 */
				CHECK(out.derivative[0].at[b].f == 6 * .5 * .5, "%s, mix %d: %g", specs[e], mix,
				    out.derivative[0].at[b].f);
			}
		}
	}
}

/*
 * ---- the vectorised batch against a scan over the slices: the same operations in the same order, so the same bits
 * ----
 */

enum { GENERATED = 3000 };

/* Whether the program is one scan, as a batch without rules is. */
static bool is_scan(const struct program *p) { return p->top.n_node == 1 && p->top.node[0].op == OP_SCAN; }

static void check_vectorised(struct arena *a)
{
	struct profile profile = profile_default();
	int vectorised = 0, compared = 0;

	profile.order_second = profile.order_third = 0;
	profile.batch = 100;
	profile.weight_derivative = 0; /* which the interpreter does not know */
	for (int i = 0; i < GENERATED; i++) {
		struct arena_mark mark = arena_mark(a);
		struct choice choice = choice_seeded(seed_mix(71, (uint64_t)i));
		struct testcase c = generate(&choice, &profile, a);
		struct error e = {.text = ""};
		struct program fast, slow;
		const struct transform *t = &c.transform[c.n_transform - 1];
		struct signature s;

		if (t->kind != TRANSFORM_BATCH)
			t = &c.transform[0];
		if (t->kind != TRANSFORM_BATCH)
			continue;
		c.transform = arena_copy(a, t, 1, sizeof *t);
		c.n_transform = 1;
		s = testcase_signature(&c);
		if (aot_map(&c.program, t, a, &slow, &e) && aot_batch(&c.program, t, &aot_rules_right, a, &fast, &e)) {
			struct tensor *input = NEW(a, struct tensor, s.n_input), *x = NEW(a, struct tensor, s.n_output),
			              *y = NEW(a, struct tensor, s.n_output);

			for (int k = 0; k < s.n_input; k++)
				input[k] = gen_point_tensor(&choice, &profile, &s.input[k], NULL, a);
			interpret_program(&slow, input, a, x);
			interpret_program(&fast, input, a, y);
			for (int k = 0; k < s.n_output; k++)
				CHECK(tensor_same(&x[k], &y[k]),
				    "seed %d, result %d\n"
				    "%s\n"
				    "%s",
				    i, k, program_print(&c.program, a), program_print(&fast, a));
			compared++;
			vectorised += !is_scan(&fast) || is_scan(&c.program);
		}
		arena_rewind(a, mark);
	}
	printf("%d programs compared, %d vectorised\n", compared, vectorised);
	CHECK(compared > GENERATED / 2 && vectorised > compared * 9 / 10, "%d, %d", compared, vectorised);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	open_engines();
	check_batch_outside(&a);
	arena_reset(&a);
	check_batch_inside(&a);
	arena_reset(&a);
	CHECK_LAW(check_batch_both(&a));
	arena_reset(&a);
	CHECK_LAW(check_integers(&a));
	arena_reset(&a);
	CHECK_LAW(check_vectorised(&a));
	arena_reset(&a);
	close_engines();
	arena_free(&a);
	return check_done();
}
