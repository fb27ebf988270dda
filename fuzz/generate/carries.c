/* carries.c: carries of loops: their initial values, their updates in the body, and the results. */
#include "loop.h"

static uint32_t depth_bit(const struct gen *g) { return UINT32_C(1) << (16 + g->depth); }

int gen_region_open(
    struct gen *g, const struct type *params, const int *init, const struct range *range, int n, int trips)
{
	int first = build_open(&g->b, params, n);
	uint32_t bit = depth_bit(g);

	g->depth++;
	g->multiplier *= trips > 1 ? trips : 1;
	for (int i = 0; i < n; i++) {
		struct range r = range_make(0, 1);
		uint32_t deps = bit;
		bool noisy = false;

		if (init[i] >= 0) {
			double m = 2 * range_magnitude(g->info[init[i]].range);

			m = m > 2 ? m : 2;
			r = range_make(-m, m);
			deps |= g->info[init[i]].deps;
			noisy = g->info[init[i]].noisy;
		} else if (range) {
			r = range[i];
		}
		gen_track(g, first + i, r, deps, noisy);
		if (init[i] >= 0)
			gen_flow_set(g, first + i, gen_flow(g, init[i]));
	}
	return first;
}

void gen_region_close(struct gen *g, const int *result, int n, int pool_mark, int trips)
{
	build_close(&g->b, result, n);
	g->depth--;
	g->multiplier /= trips > 1 ? trips : 1;
	g->n_pool = pool_mark;
}

void loop_fill(struct gen *g, int ops)
{
	int end = g->ops + ops;

	for (int i = 0; i < 2 * ops && g->ops < end && gen_open(g); i++)
		gen_emit(g);
}

bool loop_may_open(const struct gen *g) { return g->depth < GEN_DEPTH && gen_open(g); }

int loop_pick_trips(struct gen *g, int elements)
{
	const int weights[] = {g->p->trip_small, g->p->trip_medium, g->p->trip_large};
	int64_t room = (gen_budget(g) - g->work) / ((int64_t)g->multiplier * (24 + 8 * elements));
	int t = 0, most = GEN_MULTIPLIER / g->multiplier;

	if (g->trips && !g->depth)
		return g->trips;
	switch (choice_weighted(g->c, weights, 3)) {
	case 0:
		t = choice_percent(g->c, 12) ? choice_below(g->c, 2) : choice_between(g->c, 2, 6);
		break;
	case 1:
		t = choice_between(g->c, 7, 64);
		break;
	case 2:
		t = choice_between(g->c, 65, 256);
		break;
	}
	if (most > room)
		most = (int)room;
	return t < most ? t : most > 0 ? most : 0;
}

/* ---- carries ---- */

static int constant_init(struct gen *g)
{
	struct type t = {.dtype = g->dtype, .shape = shape_scalar()};
	int like = gen_pick(g, gen_fits_float, NULL), v;

	if (like >= 0 && choice_percent(g->c, 70))
		t = *gen_type(g, like);
	if (!gen_fits(g, shape_elements(&t.shape)) || (t.shape.rank && choice_percent(g->c, 40)))
		return gen_literal(g, &t);
	v = gen_scalar(g, t.dtype, choice_percent(g->c, 55) ? 1 : choice_percent(g->c, 50) ? 0 : gen_real(g, t.dtype));
	return gen_as(g, v, &t);
}

int loop_pick_init(struct gen *g)
{
	int v = -1;

	if (choice_percent(g->c, g->p->integer_carry)) {
		v = choice_percent(g->c, 50) ? gen_pick(g, gen_fits_int, NULL)
		                             : gen_scalar(g, DTYPE_I64, choice_below(g->c, 3));
	} else if (choice_percent(g->c, 3)) {
		v = gen_pick(g, gen_fits_bool, NULL);
	} else if (choice_percent(g->c, g->p->constant_carry)) {
		v = constant_init(g);
	}
	if (v < 0)
		v = gen_tame(g, gen_pick_float(g));
	return v;
}

void loop_add_carry(struct gen *g, struct loop_draft *l, int init)
{
	if (init < 0 || l->n >= CARRIES || gen_elements(g, init) > GEN_ELEMENTS / 4)
		return;
	l->type[l->n] = *gen_type(g, init);
	l->init[l->n++] = init;
}

void loop_pick_carries(struct gen *g, struct loop_draft *l)
{
	static const int weights[] = {5, 4, 2};
	int n = 1 + choice_weighted(g->c, weights, 3);

	l->n = 0;
	for (int i = 0; i < n; i++)
		loop_add_carry(g, l, loop_pick_init(g));
}

int loop_carry_elements(const struct gen *g, const struct loop_draft *l)
{
	int n = 0;

	for (int i = 0; i < l->n; i++)
		n += gen_elements(g, l->init[i]);
	return n;
}

/* The update of a recurrence: op(param, other), with the type of param. */
static int combine(struct gen *g, int param, int other)
{
	static const enum op ops[] = {OP_MUL, OP_ADD, OP_SUB, OP_DIV, OP_MAX, OP_MIN};
	static const int weights[] = {10, 7, 4, 2, 1, 1};
	enum op op = ops[choice_weighted(g->c, weights, 6)];
	struct type t = *gen_type(g, param);
	int v;

	if (other < 0 || other == param)
		other = gen_pick(g, gen_fits_broadcast, &t);
	if (other >= 0 && gen_type(g, other)->dtype != t.dtype)
		other = gen_as(g, other, &t);
	if (other < 0)
		return -1;
	if (other == param)
		op = OP_MUL;
	if (op == OP_DIV)
		other = gen_guard(g, other, DOMAIN_SECOND_NONZERO);
	v = choice_percent(g->c, 30) ? gen_binary(g, op, other, param) : gen_binary(g, op, param, other);
	if (op == OP_DIV && v >= 0 && range_magnitude(g->info[v].range) > 64)
		v = gen_binary(g, OP_ADD, param, other);
	if (v >= 0 && choice_percent(g->c, 25)) {
		int w = gen_unary_on(g, v);

		v = w >= 0 ? w : v;
	}
	return gen_as(g, v, &t);
}

/* The largest magnitude that x -> x * growth reaches in `trips` iterations. */
static double grown(double magnitude, double growth, int trips)
{
	for (int i = 0; i < trips && growth > 1 && magnitude < 1e30; i++)
		magnitude *= growth;
	return magnitude;
}

/* Keeps a carry from growing too large over the iterations. */
static int settle(struct gen *g, int v, int param, int trips)
{
	double most = range_magnitude(g->info[param].range), m = range_magnitude(g->info[v].range), scale = 0.5;
	enum dtype d = gen_type(g, v)->dtype;

	if (grown(most, m / most, trips) <= gen_limit(d))
		return v;
	if (m <= 8 && choice_percent(g->c, 60)) {
		static const enum op squashes[] = {OP_TANH, OP_SIN, OP_ATAN, OP_LOGISTIC, OP_COS, OP_ERF};

		return gen_unary(g, squashes[choice_below(g->c, 6)], v);
	}
	while (scale * m > most && scale > 0x1p-12)
		scale /= 2;
	v = gen_with_scalar(g, OP_MUL, v, scale);
	/* Without a constant, many iterations bring the carry to 0. */
	return trips > 6 && gen_steady(g) ? gen_with_scalar(g, OP_ADD, v, gen_real(g, d) / 2) : v;
}

static int update_float(struct gen *g, struct loop_draft *l, int i)
{
	uint32_t bit = UINT32_C(1) << (16 + g->depth - 1);
	int v = gen_pick_from(g, l->pool_mark, gen_fits_type, &l->type[i]), w;

	if (v < 0 && choice_percent(g->c, 50))
		v = gen_as(g, gen_pick_from(g, l->pool_mark, gen_fits_float, NULL), &l->type[i]);
	if (v < 0 || v == l->param[i] || !(g->info[v].deps & bit) || choice_percent(g->c, 25)) {
		w = combine(g, l->param[i], v);
		v = w >= 0 ? w : v;
	}
	if (v < 0)
		return l->param[i];
	w = settle(g, v, l->param[i], l->trips);
	return w >= 0 ? w : l->param[i];
}

static int update_other(struct gen *g, struct loop_draft *l, int i)
{
	int p = l->param[i], v;

	if (l->type[i].dtype == DTYPE_BOOL) {
		v = choice_percent(g->c, 50) ? gen_unary(g, OP_LOGICAL_NOT, p)
		                             : gen_as(g, gen_predicate_scalar(g), &l->type[i]);
	} else {
		v = choice_percent(g->c, 30) ? gen_pick_from(g, l->pool_mark, gen_fits_type, &l->type[i]) : -1;
		if (v < 0)
			v = gen_with_scalar(g, OP_ADD, p, choice_percent(g->c, 80) ? 1 : 2);
	}
	return v >= 0 ? v : p;
}

void loop_update_carries(struct gen *g, struct loop_draft *l)
{
	for (int i = 0; i < l->n && !l->updated; i++) {
		int stored = gen_latest(g, l->param[i]), settled;

		if (stored != l->param[i]) {
			/* A buffer into which the body stored goes on to the next iteration. */
			settled = dtype_is_float(l->type[i].dtype) ? settle(g, stored, l->param[i], l->trips) : stored;
			l->result[i] = settled >= 0 ? settled : stored;
			continue;
		}
		if (choice_percent(g->c, g->p->pass_through)) {
			int other = choice_below(g->c, l->n);

			l->result[i] = gen_latest(g, l->param[type_equal(&l->type[other], &l->type[i]) ? other : i]);
			continue;
		}
		l->result[i] = dtype_is_float(l->type[i].dtype) ? update_float(g, l, i) : update_other(g, l, i);
	}
}

void loop_track_carry(struct gen *g, const struct loop_draft *l, int i, int v, uint32_t deps)
{
	struct range init = g->info[l->init[i]].range, body = g->info[l->result[i]].range;
	double most = range_magnitude(g->info[l->param[i]].range), m = range_magnitude(body);
	double reach = grown(m, m / most, l->trips);

	if (body.lo > 0 && init.lo > 0 && m <= most)
		init.lo = init.lo < body.lo ? init.lo : body.lo, init.hi = reach;
	else
		init = range_make(-reach < init.lo ? -reach : init.lo, reach > init.hi ? reach : init.hi);
	gen_track(
	    g, v, init, deps | g->info[l->init[i]].deps, g->info[l->init[i]].noisy || g->info[l->result[i]].noisy);
}

uint32_t loop_deps(const struct gen *g, const int *value, int n)
{
	uint32_t deps = 0;

	for (int i = 0; i < n; i++)
		deps |= g->info[value[i]].deps;
	return deps & (depth_bit(g) - 1);
}

void loop_count_uses(struct gen *g, const int *value, int n)
{
	for (int i = 0; i < n; i++)
		g->info[value[i]].uses++;
}

int gen_region_node(struct gen *g, enum op op, const int *arg, int n_arg, const struct attrs *attrs)
{
	int v = build_region_node(&g->b, op, arg, n_arg, attrs, NULL);

	/* Even an op that the profile leaves out is made here, because its regions must end. gen_emit does not begin
	 * such an op. */
	g->nodes++;
	g->ops++;
	if (v < 0)
		return -1;
	gen_flow_of_last(g);
	loop_count_uses(g, arg, n_arg);
	for (int i = 0; i < n_arg; i++)
		g->work += g->multiplier * 2 * gen_elements(g, arg[i]);
	return v;
}
