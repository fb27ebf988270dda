/*
 * generate.c: draws a random case: inputs, a program grown op by op from a pool of values, results that depend on most
 * of it, a request, and points.
 */
#include "generator.h"

#include <math.h> /* ldexp: exact */
#include <stddef.h>

/* Emitters, with their weights.  Ops with regions are drawn only while a region may be opened. */
static const struct emitter {
	gen_emit_fn *emit;
	size_t weight; /* offset of the weight in struct profile */
	bool region;
	enum op op; /* the op that it makes, if it has regions */
} emitters[] = {
    {gen_emit_unary, offsetof(struct profile, weight_unary), false, OP_CONSTANT},
    {gen_emit_binary, offsetof(struct profile, weight_binary), false, OP_CONSTANT},
    {gen_emit_select, offsetof(struct profile, weight_select), false, OP_CONSTANT},
    {gen_emit_clamp, offsetof(struct profile, weight_clamp), false, OP_CONSTANT},
    {gen_emit_cast, offsetof(struct profile, weight_cast), false, OP_CONSTANT},
    {gen_emit_shape, offsetof(struct profile, weight_shape), false, OP_CONSTANT},
    {gen_emit_slice, offsetof(struct profile, weight_slice), false, OP_CONSTANT},
    {gen_emit_store, offsetof(struct profile, weight_store), false, OP_CONSTANT},
    {gen_emit_join, offsetof(struct profile, weight_join), false, OP_CONSTANT},
    {gen_emit_gather, offsetof(struct profile, weight_gather), false, OP_CONSTANT},
    {gen_emit_scatter, offsetof(struct profile, weight_scatter), false, OP_CONSTANT},
    {gen_emit_reduce, offsetof(struct profile, weight_reduce), false, OP_CONSTANT},
    {gen_emit_cumulative, offsetof(struct profile, weight_cumulative), false, OP_CONSTANT},
    {gen_emit_matmul, offsetof(struct profile, weight_matmul), false, OP_CONSTANT},
    {gen_emit_integer, offsetof(struct profile, weight_integer), false, OP_CONSTANT},
    {gen_emit_logical, offsetof(struct profile, weight_logical), false, OP_CONSTANT},
    {gen_emit_cond, offsetof(struct profile, weight_cond), true, OP_COND},
    {gen_emit_for, offsetof(struct profile, weight_for), true, OP_FOR},
    {gen_emit_while, offsetof(struct profile, weight_while), true, OP_WHILE},
    {gen_emit_scan, offsetof(struct profile, weight_scan), true, OP_SCAN},
    {gen_emit_large, offsetof(struct profile, weight_large), false, OP_CONSTANT},
    {gen_emit_edge, offsetof(struct profile, weight_edge), false, OP_CONSTANT},
    {gen_emit_masked, offsetof(struct profile, weight_masked), false, OP_CONSTANT},
    {gen_emit_order, offsetof(struct profile, weight_order), false, OP_CONSTANT},
    {gen_emit_copy, offsetof(struct profile, weight_copy), false, OP_CONSTANT},
    {gen_emit_scatter_apply, offsetof(struct profile, weight_scatter_apply), true, OP_SCATTER_APPLY},
    {gen_emit_checkpoint, offsetof(struct profile, weight_checkpoint), true, OP_CHECKPOINT},
    {gen_emit_fixed_point, offsetof(struct profile, weight_fixed_point), true, OP_FIXED_POINT},
    {gen_emit_derivative, offsetof(struct profile, weight_derivative), true, OP_DERIVATIVE},
    {gen_emit_custom, offsetof(struct profile, weight_custom), true, OP_CUSTOM},
    {gen_emit_mod, offsetof(struct profile, weight_mod), false, OP_CONSTANT},
    {gen_emit_rare, offsetof(struct profile, weight_rare), false, OP_CONSTANT},
};

enum { EMITTERS = sizeof(emitters) / sizeof(emitters[0]) };

int gen_emit(struct gen *g)
{
	bool regions = g->depth < g->p->depth_max && g->depth < GEN_DEPTH;
	int weight[EMITTERS];

	for (int i = 0; i < EMITTERS; i++) {
		weight[i] = *(const int *)(const void *)((const char *)g->p + emitters[i].weight);
		if (emitters[i].region && (!regions || g->p->without[emitters[i].op]))
			weight[i] = 0;
	}
	return emitters[choice_weighted(g->c, weight, EMITTERS)].emit(g);
}

static int at_most(int x, int most) { return x < most ? x : most; }

/* ---- inputs ---- */

/* The shape of the first input, or one that broadcasts to it. */
static struct shape like_base(struct gen *g)
{
	struct shape s = g->base;
	int drop;

	if (!s.rank || choice_percent(g->c, 65))
		return s;
	drop = choice_below(g->c, s.rank + 1);
	s = (struct shape){.rank = g->base.rank - drop};
	for (int d = 0; d < s.rank; d++)
		s.extent[d] = choice_percent(g->c, 20) ? 1 : g->base.extent[drop + d];
	return s;
}

/* A few binades, anywhere in the range of the dtype; mostly so that squares stay in the range, too. */
static struct range wide_range(struct gen *g, enum dtype d)
{
	const struct dtype_info *t = &dtype_table[d];
	const bool far = choice_percent(g->c, 25);
	const int exponent = choice_between(g->c, far ? t->emin : t->emin / 2, far ? t->emax - 4 : t->emax / 2 - 2);
	const double most = ldexp(1, exponent + 3);

	return (struct range){choice_percent(g->c, 50) ? -most : most / 16, most};
}

static void float_input(struct gen *g, bool first)
{
	struct type t = {.dtype = g->dtype, .shape = g->base};
	bool low = g->dtype == DTYPE_BF16 || g->dtype == DTYPE_F16;
	double most = low ? 3 : 4;

	if (!first) {
		t.shape = choice_percent(g->c, g->p->input_same_shape) ? like_base(g) : gen_shape(g);
		if (choice_percent(g->c, 5))
			t.dtype = gen_float_dtype(g);
	}
	if (g->p->input_wide && choice_percent(g->c, g->p->input_wide))
		gen_input(g, &t, wide_range(g, t.dtype));
	else if (choice_percent(g->c, g->p->input_positive))
		gen_input(g, &t, range_make(low ? 0.25 : 0.125, most));
	else
		gen_input(g, &t, choice_percent(g->c, 15) ? range_make(-1, 1) : range_make(-most, most));
}

/* A count, a vector of indices, or a mask or operand of the common shape. */
static void integer_input(struct gen *g)
{
	struct type t = {.dtype = choice_percent(g->c, 35) ? DTYPE_I32 : DTYPE_I64, .shape = shape_scalar()};
	int role = choice_below(g->c, 3);

	/* Ops on two differentiated integers need two that fit. */
	for (int i = 0; i < g->n_input; i++) {
		if (gen_fits_int(g, i, NULL) && choice_percent(g->c, 60)) {
			struct type same = *gen_type(g, i);

			gen_input(g, &same, g->input_range[i]);
			return;
		}
	}
	if (role == 1)
		t.shape = (struct shape){.rank = 1, .extent = {choice_between(g->c, 1, 4)}};
	else if (role == 2)
		t.shape = like_base(g);
	gen_input(g, &t, role == 2 ? range_make(-3, 8) : range_make(0, role ? 4 : 5));
}

static void bool_input(struct gen *g)
{
	struct type t = {.dtype = DTYPE_BOOL, .shape = choice_percent(g->c, 50) ? shape_scalar() : like_base(g)};

	gen_input(g, &t, range_make(0, 1));
}

static void make_inputs(struct gen *g)
{
	int most = g->p->inputs_max < 1 ? 1 : at_most(g->p->inputs_max, 6), n = choice_between(g->c, 1, most);

	g->base = gen_shape(g);
	for (int i = 0; i < n; i++) {
		/* Integers come in pairs. */
		bool follow = i && gen_fits_int(g, i - 1, NULL) && choice_percent(g->c, 35);

		if (i && choice_percent(g->c, g->p->input_bool))
			bool_input(g);
		else if (i && (follow || choice_percent(g->c, g->p->input_int)))
			integer_input(g);
		else
			float_input(g, !i);
	}
}

/* ---- the case ---- */

static struct program make_program(struct gen *g)
{
	int result[LIMIT_ARGS], n, end;
	struct program p;

	g->dtype = gen_float_dtype(g);
	/* Two derivatives of most functions are rounded away in bf16, three in f16. */
	if (((g->dtype == DTYPE_BF16 && g->order > 1) || (g->dtype == DTYPE_F16 && g->order > 2)) && g->p->f32 &&
	    gen_steady(g))
		g->dtype = DTYPE_F32;
	if (g->p->moved && choice_percent(g->c, g->p->moved)) {
		n = gen_moved(g, result);
		gen_curve(g, result, n);
		return gen_end(g, result, n);
	}
	if (g->p->bare && choice_percent(g->c, g->p->bare)) {
		n = gen_bare(g, result);
		gen_curve(g, result, n);
		return gen_end(g, result, n);
	}
	if (g->p->large && g->order == 1 && !g->batch && choice_below(g->c, 1000) >= 1000 - g->p->large &&
	    gen_may_have(g, DTYPE_F32)) {
		n = gen_large(g, result);
		p = gen_end(g, result, n);
		return program_drop_dead(&p, g->a);
	}
	/* A few programs are tiny; the simplest is empty. */
	end = choice_percent(g->c, 97) ? choice_between(g->c, g->p->ops_min, g->p->ops_max) : choice_below(g->c, 4);
	/* With 11 bits of precision (f16), few roundings leave something to decide; with 8 bits (bf16), even fewer. */
	if (g->dtype == DTYPE_F16 || g->dtype == DTYPE_BF16)
		end = end * g->p->ops_low_precision / (g->dtype == DTYPE_BF16 ? 150 : 100);
	if ((g->dtype == DTYPE_BF16 || (g->dtype == DTYPE_F16 && g->order > 1)) && gen_steady(g))
		end /= 2;
	g->ops_end = end;
	make_inputs(g);
	for (int i = 0; i < 3 * g->ops_end && gen_open(g); i++)
		gen_emit(g);
	n = gen_results(g, result);
	p = gen_end(g, result, n);
	return choice_percent(g->c, g->p->dead_code) ? p : program_drop_dead(&p, g->a);
}

/* Draws points for t, which has a program and a request. */
static void make_points(struct gen *g, const struct profile *profile, struct testcase *t)
{
	const struct signature outermost = testcase_signature(t);
	const struct transform *derivative = request_outermost(t->transform, t->n_transform);
	struct choice *c = g->c;

	t->n_point = !g->large && choice_percent(c, profile->points_several) ? choice_between(c, 2, 3) : 1;
	t->point = NEW(g->a, struct tensor *, t->n_point);
	for (int i = 0; i < t->n_point; i++) {
		t->point[i] = gen_point(c, profile, &outermost, g->input_range, g->a);
		gen_bare_point(c, profile, g->stand, g->n_input, t->point[i]);
		if (choice_percent(c, profile->edge_point) && derivative)
			gen_point_edge(c, profile, g->input_range, &t->program, derivative, t->point[i]);
		if (profile->point_equal && choice_percent(c, profile->point_equal))
			gen_point_equal(c, &t->program, t->point[i], g->a);
	}
}

int gen_variant(struct choice *c, const struct profile *profile)
{
	if (!profile->variants || !choice_percent(c, GEN_VARIED))
		return 0;
	return choice_between(c, 1, GEN_VARIANTS);
}

struct testcase generate(struct choice *c, const struct profile *profile, struct arena *a)
{
	const struct request_plan plan = gen_request_plan(c, profile);
	const struct profile fitted = gen_request_profile(profile, &plan);
	struct testcase t = {0};
	struct gen g;

	gen_begin(&g, c, &fitted, a);
	g.order = plan.order;
	g.batch = plan.inside || plan.between || plan.outside;
	t.program = make_program(&g);
	gen_request(c, &fitted, &plan, &t, a);
	make_points(&g, &fitted, &t);
	t.variant = gen_variant(c, profile);
	return t;
}

struct testcase generate_stack(
    struct choice *c, const struct profile *profile, const enum transform_kind *stack, int n, struct arena *a)
{
	struct testcase t = {0};
	struct gen g;

	gen_begin(&g, c, profile, a);
	for (int k = 0; k < n; k++)
		if (stack[k] == TRANSFORM_BATCH)
			g.batch = true;
		else
			g.order++;
	t.program = make_program(&g);
	gen_request_stack(c, profile, stack, n, &t, a);
	make_points(&g, profile, &t);
	t.variant = gen_variant(c, profile);
	return t;
}
