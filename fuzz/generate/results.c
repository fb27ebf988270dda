/* results.c: which values a program returns, so that they depend on most of it. */
#include "generator.h"

#include <math.h> /* frexp, ldexp */

static bool depends_on_input(const struct gen *g, int v) { return (g->info[v].deps & 0xffff) != 0; }

/* Joins u to a result by +, - or *. u is reduced if the shapes do not fit. */
static int join_result(struct gen *g, int into, int u)
{
	static const enum op ops[] = {OP_ADD, OP_MUL, OP_SUB, OP_ADD};
	struct type scalar = {.dtype = gen_type(g, into)->dtype, .shape = shape_scalar()};
	struct type same = {.dtype = scalar.dtype, .shape = gen_type(g, u)->shape};
	enum op op = ops[choice_below(g->c, 4)];
	int v;

	u = gen_as(g, gen_tame(g, u), &same);
	if (u >= 0 && !gen_fits(g, gen_broadcast_elements(g, into, u)))
		u = gen_as(g, u, &scalar);
	if (op == OP_MUL && u >= 0 &&
	    range_magnitude(g->info[u].range) * range_magnitude(g->info[into].range) > gen_limit(scalar.dtype))
		op = OP_ADD;
	v = gen_binary(g, op, into, u);
	return v >= 0 ? v : into;
}

/* Appends `v` unless it is -1 or there are enough results. */
static void add_result(int result[LIMIT_ARGS], int *n, int v)
{
	if (v >= 0 && *n < LIMIT_ARGS)
		result[(*n)++] = v;
}

static void add_float(struct gen *g, int result[LIMIT_ARGS], int *n, int v)
{
	int sum = -1;

	if (v >= 0 && g->p->result_sum && gen_type(g, v)->shape.rank && choice_percent(g->c, g->p->result_sum))
		sum = gen_sum(g, v);
	add_result(result, n, sum >= 0 ? sum : v);
}

/* ---- results that pass derivatives on (profile member `live`) ---- */

/* A value that every element of input i reaches: one of the pool, preferably recent, or an op on the input. */
static int reached_by(struct gen *g, int i)
{
	int v;

	for (int k = 0; k < 6; k++) {
		v = g->pool[g->n_pool - 1 - choice_below(g->c, g->n_pool)];
		if (v >= g->n_input && gen_is_float(g, v) && gen_flow(g, v).whole >> i & 1)
			return v;
	}
	v = choice_percent(g->c, 50) ? gen_unary_on(g, i) : gen_binary_on(g, i);
	return v >= 0 && gen_flow(g, v).whole >> i & 1 ? v : i;
}

/* Joins u to `into` without losing an element of u. */
static int join_whole(struct gen *g, int into, int u)
{
	static const enum op ops[] = {OP_ADD, OP_SUB, OP_ADD, OP_MUL};
	const enum dtype d = gen_type(g, into)->dtype;
	struct attrs all = {0}, to = {.dtype = d};
	enum op op = ops[choice_below(g->c, 4)];
	int v;

	u = gen_tame(g, u);
	if (u >= 0 && gen_type(g, u)->dtype != d)
		u = gen_node(g, OP_CAST, &u, 1, &to);
	if (u < 0)
		return into;
	if (!gen_fits(g, gen_broadcast_elements(g, into, u))) {
		all.n_axes = gen_type(g, u)->shape.rank;
		for (int k = 0; k < all.n_axes; k++)
			all.axes[k] = k;
		u = gen_node(g, choice_percent(g->c, 70) ? OP_REDUCE_SUM : OP_REDUCE_MEAN, &u, 1, &all);
	}
	if (u >= 0 && op == OP_MUL &&
	    range_magnitude(g->info[u].range) * range_magnitude(g->info[into].range) > gen_limit(d))
		op = OP_ADD;
	v = gen_binary(g, op, into, u);
	return v >= 0 ? v : into;
}

/* `last` and the n results so far: what they miss of the float inputs is joined to `last`. */
static int cover_inputs(struct gen *g, int last, const int *result, int n)
{
	unsigned whole = 0;

	if (!g->p->live || last < 0 || !gen_is_float(g, last))
		return last;
	for (int i = 0; i < n; i++)
		whole |= gen_flow(g, result[i]).whole;
	for (int i = 0; i < g->n_input; i++) {
		whole |= gen_flow(g, last).whole;
		if (gen_is_float(g, i) && gen_elements(g, i) && !(whole >> i & 1) && gen_live(g))
			last = join_whole(g, last, reached_by(g, i));
	}
	return last;
}

/* A function of v with derivatives of every order. */
static int curved(struct gen *g, int v)
{
	static const enum op ops[] = {OP_SIN, OP_COS, OP_SIN, OP_ATAN, OP_TANH, OP_EXP};
	const double magnitude = range_magnitude(g->info[v].range);
	int exponent;

	if (magnitude > 4) {
		frexp(magnitude / 4, &exponent);
		v = gen_with_scalar(g, OP_MUL, v, ldexp(1, -exponent));
	}
	if (v < 0)
		return -1;
	return gen_unary(g, gen_type(g, v)->dtype == DTYPE_BF16 ? OP_SQUARE : ops[choice_below(g->c, 6)], v);
}

void gen_curve(struct gen *g, int *result, int n)
{
	for (int i = 0; i < n; i++) {
		const struct gen_trait f = gen_flow(g, result[i]);
		int v;

		if (g->order < 2 || !gen_is_float(g, result[i]) || !(f.covered & ~f.curved) || !gen_live(g))
			continue;
		v = curved(g, result[i]);
		result[i] = v >= 0 ? v : result[i];
	}
}

/* Picks results that depend on most of the program: an unused value becomes a result, or is joined to one. */
int gen_results(struct gen *g, int result[LIMIT_ARGS])
{
	const struct type constant = {.dtype = g->dtype, .shape = shape_scalar()};
	int unused[12], n_unused = 0, n = 0,
	                several = choice_percent(g->c, g->p->results_several) ? choice_between(g->c, 2, 4) : 1, primary;

	for (int i = g->n_pool - 1; i >= 0 && n_unused < 12; i--) {
		int v = g->pool[i];

		if (!gen_is_float(g, v) || g->info[v].uses || !depends_on_input(g, v) || !gen_elements(g, v))
			continue;
		if (v >= g->n_input || !n_unused || choice_percent(g->c, 85))
			unused[n_unused++] = v;
	}
	primary = n_unused ? unused[0] : gen_pick_float(g);
	for (int i = 1; i < n_unused; i++) {
		if (n + 1 < several && choice_percent(g->c, 60))
			add_float(g, result, &n, unused[i]);
		else
			primary = join_result(g, primary, unused[i]);
	}
	if (n + 1 < several)
		add_float(g, result, &n, gen_pick_float(g));
	add_float(g, result, &n, cover_inputs(g, primary, result, n));
	gen_curve(g, result, n);
	if (choice_percent(g->c, g->p->result_input))
		add_result(result, &n, choice_below(g->c, g->n_input));
	if (choice_percent(g->c, g->p->result_constant))
		add_result(result, &n, gen_literal(g, &constant));
	if (choice_percent(g->c, g->p->result_integer))
		add_result(result, &n, gen_pick(g, choice_percent(g->c, 60) ? gen_fits_int : gen_fits_bool, NULL));
	return n;
}
