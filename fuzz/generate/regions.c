/* regions.c: ops with regions: for, while, scan, cond, checkpoint and scatter_apply. */
#include "loop.h"

enum { RESULTS = 2 };

static const struct type index_type = {.dtype = DTYPE_I64};

/* The bool that ends a loop early: often from a counter, otherwise from data. */
static int pick_until(struct gen *g, int counter, int trips, int never)
{
	int v;

	if (counter >= 0 && choice_percent(g->c, 40))
		v = gen_with_scalar(g, OP_GE, counter, choice_below(g->c, trips > 1 ? trips : 1));
	else
		v = gen_predicate_scalar(g);
	return v >= 0 ? v : never;
}

int loop_emit_for(struct gen *g, struct loop_draft *l, loop_body_fn *body)
{
	struct attrs attrs = {0};
	int args[CARRIES + 1], results[CARRIES + 1], n_arg = 0, first, never = -1, v;
	struct type types[CARRIES + 1] = {index_type};
	struct range ranges[CARRIES + 1];
	int inits[CARRIES + 1] = {-1};
	uint32_t deps;

	l->trips = loop_pick_trips(g, loop_carry_elements(g, l));
	attrs.trip = l->trips;
	if (choice_percent(g->c, g->p->trip_operand)) {
		const struct type narrow = {.dtype = DTYPE_I32, .shape = shape_scalar()};
		int count = gen_pick(g, gen_fits_type, choice_percent(g->c, 30) ? &narrow : &index_type);

		args[0] = count >= 0 ? count : gen_scalar(g, DTYPE_I64, choice_between(g->c, 0, l->trips));
		if (args[0] < 0)
			return -1;
		n_arg = 1;
		attrs.trip = -1;
		attrs.cap = l->trips;
	}
	attrs.until = choice_percent(g->c, g->p->until);
	if (attrs.until)
		never = gen_scalar(g, DTYPE_BOOL, 0);
	if (attrs.until && never < 0)
		return -1;
	for (int i = 0; i < l->n; i++) {
		args[n_arg + i] = inits[i + 1] = l->init[i];
		types[i + 1] = l->type[i];
	}
	ranges[0] = range_make(0, l->trips);
	l->pool_mark = g->n_pool;
	first = gen_region_open(g, types, inits, ranges, l->n + 1, l->trips);
	for (int i = 0; i < l->n; i++)
		l->param[i] = first + 1 + i;
	body(g, l, first);
	loop_update_carries(g, l);
	for (int i = 0; i < l->n; i++)
		results[i] = l->result[i];
	if (attrs.until)
		results[l->n] = pick_until(g, first, l->trips, never);
	gen_region_close(g, results, l->n + attrs.until, l->pool_mark, l->trips);
	deps = loop_deps(g, results, l->n + attrs.until);
	v = gen_region_node(g, OP_FOR, args, n_arg + l->n, &attrs);
	for (int i = 0; v >= 0 && i < l->n; i++)
		loop_track_carry(g, l, i, v + i, deps);
	return v;
}

static void random_body(struct gen *g, struct loop_draft *l, int counter)
{
	(void)l, (void)counter;
	loop_fill(g, choice_between(g->c, 0, g->p->body_ops_max));
}

int gen_emit_for(struct gen *g)
{
	struct loop_draft l = {0};

	if (!loop_may_open(g))
		return -1;
	loop_pick_carries(g, &l);
	return l.n ? loop_emit_for(g, &l, random_body) : -1;
}

/* ---- while ---- */

static bool is_scalar_float(const struct type *t) { return dtype_is_float(t->dtype) && !t->shape.rank; }

/*
 * Carry `k` decides when the while ends.  It is a counter below a bound, or a scalar float that the body moves toward
 * its bound.  Its steps are exact, so rounding rarely decides the trip count.
 */
struct ending {
	int k;
	bool counter;
	enum op compare, step;
	double bound, by;
};

static struct ending pick_ending(struct gen *g, struct loop_draft *l)
{
	struct ending e = {.k = -1, .compare = OP_LT, .step = OP_ADD, .by = 1};
	const struct type scalar = {.dtype = g->dtype, .shape = shape_scalar()};

	e.counter = !choice_percent(g->c, g->p->while_data);
	if (!e.counter) {
		for (int i = 0; i < l->n && e.k < 0; i++)
			if (is_scalar_float(&l->type[i]))
				e.k = i;
		if (e.k < 0 && l->n < CARRIES) {
			loop_add_carry(g, l, gen_as(g, gen_pick_float(g), &scalar));
			if (l->n && is_scalar_float(&l->type[l->n - 1]))
				e.k = l->n - 1;
		}
	}
	if (e.k >= 0) {
		bool shrink = choice_percent(g->c, 40);

		e.compare = shrink ? OP_GT : choice_percent(g->c, 80) ? OP_LT : OP_LE;
		e.step = choice_percent(g->c, 65) ? OP_MUL : shrink ? OP_SUB : OP_ADD;
		e.by = e.step == OP_MUL ? (shrink                            ? 0.5
		                                  : choice_percent(g->c, 80) ? 2
		                                                             : 1.5)
		                        : choice_between(g->c, 1, 6) / 4.0;
		/*
		 * The bound is an odd multiple of 2^-4, away from the powers and integers that exact steps often meet.
		 */
		e.bound = shrink ? choice_between(g->c, 1, 12) / 16.0 : choice_between(g->c, 1, 6);
		if (!shrink && choice_percent(g->c, 70))
			e.bound += 0.3125;
		return e;
	}
	e.counter = true;
	loop_add_carry(g, l, gen_scalar(g, DTYPE_I64, choice_percent(g->c, 80) ? 0 : choice_between(g->c, -1, 2)));
	e.k = l->n - 1;
	e.by = choice_percent(g->c, 80) ? 1 : 2;
	e.bound = choice_between(g->c, 0, l->trips < 8 ? l->trips : 8);
	return e;
}

/* Makes the condition region: the carries are its parameters, and its result is a bool. */
static void build_condition(struct gen *g, const struct loop_draft *l, const struct ending *e, int never)
{
	int mark = g->n_pool, first = gen_region_open(g, l->type, l->init, NULL, l->n, l->trips), x = first + e->k,
	    bound = -1, p, q;

	if (e->counter && choice_percent(g->c, 25))
		bound = gen_pick_from(g, 0, gen_fits_type, &index_type);
	if (bound < 0 || bound == x)
		bound = gen_scalar(g, l->type[e->k].dtype, e->bound);
	if (!e->counter && choice_percent(g->c, 20)) {
		int y = gen_unary(g, choice_percent(g->c, 50) ? OP_ABS : OP_SQUARE, x);

		x = y >= 0 ? y : x;
	}
	p = gen_binary(g, e->compare, x, bound);
	if (p >= 0 && choice_percent(g->c, 12)) {
		q = gen_predicate_scalar(g);
		q = gen_binary(g, choice_percent(g->c, 50) ? OP_LOGICAL_AND : OP_LOGICAL_OR, p, q);
		p = q >= 0 ? q : p;
	}
	if (p < 0)
		p = never;
	g->info[p].uses++;
	gen_region_close(g, &p, 1, mark, l->trips);
}

int gen_emit_while(struct gen *g)
{
	struct loop_draft l = {0};
	struct attrs attrs = {0};
	struct ending e;
	int first, never, v;
	uint32_t deps;

	if (!loop_may_open(g))
		return -1;
	loop_pick_carries(g, &l);
	if (l.n == CARRIES)
		l.n--;
	l.trips = loop_pick_trips(g, loop_carry_elements(g, &l) + 2);
	e = pick_ending(g, &l);
	never = gen_scalar(g, DTYPE_BOOL, 0);
	if (e.k < 0 || never < 0)
		return -1;
	attrs.cap = l.trips;
	build_condition(g, &l, &e, never);
	l.pool_mark = g->n_pool;
	first = gen_region_open(g, l.type, l.init, NULL, l.n, l.trips);
	for (int i = 0; i < l.n; i++)
		l.param[i] = first + i;
	loop_fill(g, choice_between(g->c, 0, g->p->body_ops_max));
	loop_update_carries(g, &l);
	if (e.counter || choice_percent(g->c, 70)) {
		int counter = gen_latest(g, l.param[e.k]), next = gen_with_scalar(g, e.step, counter, e.by);

		l.result[e.k] = next >= 0 ? next : counter;
	}
	gen_region_close(g, l.result, l.n, l.pool_mark, l.trips);
	deps = loop_deps(g, l.result, l.n);
	v = gen_region_node(g, OP_WHILE, l.init, l.n, &attrs);
	for (int i = 0; v >= 0 && i < l.n; i++)
		loop_track_carry(g, &l, i, v + i, deps);
	return v;
}

/* ---- scan ---- */

/* Whether the leading extent is `trips`. */
static bool fits_rows(const struct gen *g, int value, const void *trips)
{
	const struct shape *s = &gen_type(g, value)->shape;

	return s->rank > 0 && s->extent[0] == *(const int *)trips && gen_elements(g, value) <= GEN_ELEMENTS;
}

static struct type row_type(const struct type *xs)
{
	struct type t = {.dtype = xs->dtype, .shape = {.rank = xs->shape.rank - 1}};

	for (int d = 0; d < t.shape.rank; d++)
		t.shape.extent[d] = xs->shape.extent[d + 1];
	return t;
}

/* Picks one or two stacked inputs with a common leading extent, which becomes the trip count. */
static int pick_xs(struct gen *g, int xs[2], int *trips)
{
	struct type vector = {.dtype = g->dtype, .shape = {.rank = 1}};
	int n = 0;

	xs[0] = gen_pick(g, gen_fits_float_axes, NULL);
	if (xs[0] < 0) {
		vector.shape.extent[0] = choice_between(g->c, 1, 5);
		xs[0] = gen_literal(g, &vector);
	}
	if (xs[0] < 0)
		return 0;
	*trips = gen_type(g, xs[0])->shape.extent[0];
	n = 1;
	if (choice_percent(g->c, 35)) {
		xs[1] = gen_pick(g, fits_rows, trips);
		n += xs[1] >= 0;
	}
	return n;
}

/* The value that an iteration returns for stacking; its type must be small and stackable. */
static int pick_output(struct gen *g, const struct loop_draft *l)
{
	int v = gen_pick_from(g, l->pool_mark, gen_fits_float, NULL);

	if (choice_percent(g->c, 10))
		v = g->pool[l->pool_mark + choice_below(g->c, g->n_pool - l->pool_mark)];
	if (v < 0 || gen_type(g, v)->shape.rank == LIMIT_RANK ||
	    !gen_fits(g, gen_elements(g, v) * (l->trips > 1 ? l->trips : 1)))
		return -1;
	return v;
}

int gen_emit_scan(struct gen *g)
{
	static const int carry_weights[] = {2, 6, 2};
	struct loop_draft l = {0};
	struct attrs attrs = {0};
	int args[RESULTS + CARRIES], results[2 * RESULTS + CARRIES], xs[2], inits[CARRIES + 2];
	int n_xs, n_carry = choice_weighted(g->c, carry_weights, 3), n_out, n_result, first, never = -1, v;
	struct type types[CARRIES + 2];
	struct range ranges[CARRIES + 2] = {{0}};
	uint32_t deps;

	if (!loop_may_open(g))
		return -1;
	n_xs = choice_percent(g->c, 82) ? pick_xs(g, xs, &l.trips) : 0;
	for (int i = 0; i < n_carry || (!l.n && !n_xs && i < 3); i++)
		loop_add_carry(g, &l, loop_pick_init(g));
	if (!n_xs)
		l.trips = loop_pick_trips(g, loop_carry_elements(g, &l) + 8);
	if ((!n_xs && !l.n) || (int64_t)g->multiplier * l.trips > GEN_MULTIPLIER ||
	    (int64_t)g->multiplier * l.trips * (24 + 8 * loop_carry_elements(g, &l)) > gen_budget(g))
		return -1;
	attrs.trip = l.trips;
	attrs.carries = l.n;
	attrs.until = choice_percent(g->c, g->p->until);
	if (attrs.until)
		never = gen_scalar(g, DTYPE_BOOL, 0);
	if (attrs.until && never < 0)
		return -1;
	for (int i = 0; i < l.n; i++) {
		args[i] = inits[i] = l.init[i];
		types[i] = l.type[i];
	}
	for (int i = 0; i < n_xs; i++) {
		args[l.n + i] = xs[i];
		inits[l.n + i] = -1;
		types[l.n + i] = row_type(gen_type(g, xs[i]));
		ranges[l.n + i] = g->info[xs[i]].range;
	}
	l.pool_mark = g->n_pool;
	first = gen_region_open(g, types, inits, ranges, l.n + n_xs, l.trips);
	for (int i = 0; i < l.n; i++)
		l.param[i] = first + i;
	for (int i = 0; i < n_xs; i++) {
		g->info[first + l.n + i].deps |= g->info[xs[i]].deps;
		g->info[first + l.n + i].noisy = g->info[xs[i]].noisy;
		gen_flow_set(g, first + l.n + i, gen_flow(g, xs[i]));
	}
	loop_fill(g, choice_between(g->c, 0, g->p->body_ops_max));
	loop_update_carries(g, &l);
	n_result = l.n;
	for (int i = 0; i < l.n; i++)
		results[i] = l.result[i];
	n_out = choice_between(g->c, l.n ? 0 : 1, RESULTS);
	for (int i = 0; i < n_out; i++) {
		v = pick_output(g, &l);
		if (v < 0 && !n_result)
			v = never >= 0 ? never : gen_latest(g, first);
		if (v >= 0)
			results[n_result++] = v;
	}
	n_out = n_result - l.n;
	if (attrs.until)
		results[n_result++] = pick_until(g, -1, l.trips, never);
	loop_count_uses(g, results + l.n, n_result - l.n);
	gen_region_close(g, results, n_result, l.pool_mark, l.trips);
	deps = loop_deps(g, results, n_result);
	v = gen_region_node(g, OP_SCAN, args, l.n + n_xs, &attrs);
	for (int i = 0; v >= 0 && i < l.n; i++)
		loop_track_carry(g, &l, i, v + i, deps);
	for (int i = l.n; v >= 0 && i < l.n + n_out; i++) {
		struct gen_info info = g->info[results[i]];

		gen_track(g, v + i,
		    attrs.until
		        ? range_make(info.range.lo < 0 ? info.range.lo : 0, info.range.hi > 0 ? info.range.hi : 0)
		        : info.range,
		    deps, info.noisy);
	}
	return v;
}

/* ---- cond ---- */

/* The result of a branch, with the type of `like`, which is in scope outside. */
static int branch_result(struct gen *g, int like, int mark)
{
	struct type t = *gen_type(g, like);
	int v = gen_pick_from(g, mark, gen_fits_type, &t);

	if (v < 0 && choice_percent(g->c, 15))
		v = gen_literal(g, &t);
	if (v < 0 && dtype_is_float(t.dtype)) {
		int local = gen_pick_from(g, mark, gen_fits_float, NULL);

		if (local >= 0)
			v = gen_as(g, local, &t);
		else
			v = gen_as(g, choice_percent(g->c, 50) ? gen_unary_on(g, like) : gen_binary_on(g, like), &t);
	}
	return v >= 0 ? v : like;
}

int gen_emit_cond(struct gen *g)
{
	int predicate, n = choice_percent(g->c, 25) ? 2 : 1, like[RESULTS], result[2][RESULTS], v;
	uint32_t deps;

	if (!loop_may_open(g))
		return -1;
	predicate = gen_predicate_scalar(g);
	for (int i = 0; i < n; i++) {
		like[i] = choice_percent(g->c, 6) ? gen_pick(g, gen_fits_int, NULL) : -1;
		if (like[i] < 0)
			like[i] = gen_pick_float(g);
		if (like[i] < 0)
			return -1;
	}
	if (predicate < 0)
		return -1;
	deps = g->info[predicate].deps;
	for (int which = 0; which < 2; which++) {
		int mark = g->n_pool;

		gen_region_open(g, NULL, NULL, NULL, 0, 1);
		loop_fill(g, choice_below(g->c, g->p->body_ops_max));
		for (int i = 0; i < n; i++)
			result[which][i] = branch_result(g, like[i], mark);
		loop_count_uses(g, result[which], n);
		gen_region_close(g, result[which], n, mark, 1);
		deps |= loop_deps(g, result[which], n);
	}
	v = gen_region_node(g, OP_COND, &predicate, 1, NULL);
	for (int i = 0; v >= 0 && i < n; i++) {
		struct gen_info x = g->info[result[0][i]], y = g->info[result[1][i]];

		gen_track(g, v + i,
		    range_make(x.range.lo < y.range.lo ? x.range.lo : y.range.lo,
		        x.range.hi > y.range.hi ? x.range.hi : y.range.hi),
		    deps, x.noisy || y.noisy);
	}
	return v;
}

/* ---- checkpoint ---- */

int gen_emit_checkpoint(struct gen *g)
{
	int n = choice_percent(g->c, 30) ? 2 : 1, result[RESULTS], mark = g->n_pool, v;
	uint32_t deps;

	if (!loop_may_open(g) || gen_pick_float(g) < 0)
		return -1;
	gen_region_open(g, NULL, NULL, NULL, 0, 1);
	loop_fill(g, choice_between(g->c, 1, g->p->body_ops_max));
	for (int i = 0; i < n; i++) {
		int x = gen_pick_from(g, mark, gen_fits_float, NULL), outer = gen_pick_float(g);

		if (x < 0)
			x = gen_unary_on(g, outer);
		/* Sometimes a region returns a value that it has captured. */
		result[i] = x >= 0 && !choice_percent(g->c, 4) ? x : outer;
	}
	loop_count_uses(g, result, n);
	gen_region_close(g, result, n, mark, 1);
	deps = loop_deps(g, result, n);
	v = gen_region_node(g, OP_CHECKPOINT, NULL, 0, NULL);
	for (int i = 0; v >= 0 && i < n; i++) {
		struct gen_info x = g->info[result[i]];

		gen_track(g, v + i, x.range, deps, x.noisy);
	}
	return v;
}

/* ---- scatter_apply ---- */

int gen_emit_scatter_apply(struct gen *g)
{
	int x = gen_pick(g, gen_fits_float_axes, NULL), mark, element, indices, v, slice, n;
	struct attrs attrs = {.mode = (enum index_mode)choice_below(g->c, MODE_COUNT)};
	struct shape vector = {.rank = 1};
	struct type scalar = {.shape = shape_scalar()};
	struct gen_info info;
	uint32_t deps;

	if (x < 0 || !loop_may_open(g))
		return -1;
	scalar.dtype = gen_type(g, x)->dtype;
	attrs.axis = choice_below(g->c, gen_type(g, x)->shape.rank);
	n = gen_type(g, x)->shape.extent[attrs.axis];
	slice = gen_elements(g, x) / n;
	vector.extent[0] = choice_percent(g->c, 3) ? 0 : choice_between(g->c, 1, 3);
	n = slice * vector.extent[0];
	if ((int64_t)g->multiplier * n > GEN_MULTIPLIER || (int64_t)g->multiplier * n * 24 > gen_budget(g))
		return -1;
	indices = gen_indices(g, &vector, gen_type(g, x)->shape.extent[attrs.axis]);
	if (indices < 0)
		return -1;
	mark = g->n_pool;
	element = gen_region_open(g, &scalar, (const int[]){-1}, &g->info[x].range, 1, n);
	g->info[element].deps |= g->info[x].deps;
	g->info[element].noisy = g->info[x].noisy;
	gen_flow_set(g, element, gen_flow(g, x));
	loop_fill(g, choice_below(g->c, 4));
	element = gen_latest(g, element);
	v = gen_pick_from(g, mark, gen_fits_float, NULL);
	if (v < 0 || v == element)
		v = choice_percent(g->c, 50) ? gen_unary_on(g, element) : gen_binary_on(g, element);
	v = v < 0 ? -1 : gen_as(g, gen_tame(g, v), &scalar);
	if (v < 0)
		v = element;
	loop_count_uses(g, &v, 1);
	gen_region_close(g, &v, 1, mark, n);
	info = g->info[v];
	deps = loop_deps(g, &v, 1) | g->info[x].deps | g->info[indices].deps;
	v = gen_region_node(g, OP_SCATTER_APPLY, (const int[]){x, indices}, 2, &attrs);
	if (v >= 0)
		gen_track(g, v,
		    range_make(info.range.lo < g->info[x].range.lo ? info.range.lo : g->info[x].range.lo,
		        info.range.hi > g->info[x].range.hi ? info.range.hi : g->info[x].range.hi),
		    deps, info.noisy || g->info[x].noisy);
	return v;
}
