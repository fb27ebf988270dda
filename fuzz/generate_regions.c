/* Region ops: what is carried, what bodies do with it, and how loops end. */
#include "generate_internal.h"

enum { CARRIES = 4, RESULTS = 2 };

/* Loop state while it is built.  `param`: of the innermost open region. */
struct loop {
	int trips; /* at most this many iterations */
	int n;
	int init[CARRIES], param[CARRIES], result[CARRIES];
	struct type type[CARRIES];
	int pool_mark;
};

static const struct type index_type = {.dtype = DTYPE_I64};

static uint32_t depth_bit(const struct gen *g)
{
	return UINT32_C(1) << (16 + g->depth);
}

int gen_region_open(struct gen *g, const struct type *params, const int *init, const struct range *range, int n, int trips)
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

/* Random ops inside the open region. */
static void fill(struct gen *g, int ops)
{
	int end = g->ops + ops;

	for (int i = 0; i < 2 * ops && g->ops < end && gen_open(g); i++)
		gen_emit(g);
}

static bool may_open(const struct gen *g)
{
	return g->depth < GEN_DEPTH && gen_open(g);
}

/* A trip count that a body over values of that many elements can afford. */
static int pick_trips(struct gen *g, int elements)
{
	const int weights[] = {g->p->trip_small, g->p->trip_medium, g->p->trip_large};
	int64_t room = (g->p->work - g->work) / ((int64_t)g->multiplier * (24 + 8 * elements));
	int t = 0, most = GEN_MULTIPLIER / g->multiplier;

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

static int pick_init(struct gen *g)
{
	int v = -1;

	if (choice_percent(g->c, g->p->integer_carry)) {
		v = choice_percent(g->c, 50) ? gen_pick(g, gen_fits_int, NULL) : gen_scalar(g, DTYPE_I64, choice_below(g->c, 3));
	} else if (choice_percent(g->c, 3)) {
		v = gen_pick(g, gen_fits_bool, NULL);
	} else if (choice_percent(g->c, g->p->constant_carry)) {
		v = constant_init(g);
	}
	if (v < 0)
		v = gen_tame(g, gen_pick_float(g));
	return v;
}

static void add_carry(struct gen *g, struct loop *l, int init)
{
	if (init < 0 || l->n >= CARRIES || gen_elements(g, init) > GEN_ELEMENTS / 4)
		return;
	l->type[l->n] = *gen_type(g, init);
	l->init[l->n++] = init;
}

/* One to three carries; none only when nothing fits. */
static void pick_carries(struct gen *g, struct loop *l)
{
	static const int weights[] = {5, 4, 2};
	int n = 1 + choice_weighted(g->c, weights, 3);

	l->n = 0;
	for (int i = 0; i < n; i++)
		add_carry(g, l, pick_init(g));
}

static int carry_elements(const struct gen *g, const struct loop *l)
{
	int n = 0;

	for (int i = 0; i < l->n; i++)
		n += gen_elements(g, l->init[i]);
	return n;
}

/* op(param, other), of the type of param: the update of a recurrence. */
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

/* The largest magnitude that x -> x * growth reaches in that many iterations. */
static double grown(double magnitude, double growth, int trips)
{
	for (int i = 0; i < trips && growth > 1 && magnitude < 1e30; i++)
		magnitude *= growth;
	return magnitude;
}

/* Keeps a carry from running away over the iterations. */
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
	return gen_binary(g, OP_MUL, v, gen_scalar(g, d, scale));
}

static int update_float(struct gen *g, struct loop *l, int i)
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

static int update_other(struct gen *g, struct loop *l, int i)
{
	int p = l->param[i], v;

	if (l->type[i].dtype == DTYPE_BOOL) {
		v = choice_percent(g->c, 50) ? gen_unary(g, OP_LOGICAL_NOT, p) : gen_as(g, gen_predicate_scalar(g), &l->type[i]);
	} else {
		v = choice_percent(g->c, 30) ? gen_pick_from(g, l->pool_mark, gen_fits_type, &l->type[i]) : -1;
		if (v < 0)
			v = gen_binary(g, OP_ADD, p, gen_scalar(g, l->type[i].dtype, choice_percent(g->c, 80) ? 1 : 2));
	}
	return v >= 0 ? v : p;
}

/* What each carry becomes at the end of the body. */
static void update_carries(struct gen *g, struct loop *l)
{
	for (int i = 0; i < l->n; i++) {
		if (choice_percent(g->c, g->p->pass_through)) {
			int other = choice_below(g->c, l->n);

			l->result[i] = l->param[type_equal(&l->type[other], &l->type[i]) ? other : i];
			continue;
		}
		l->result[i] = dtype_is_float(l->type[i].dtype) ? update_float(g, l, i) : update_other(g, l, i);
	}
}

/* Tracks what the loop gives for carry i as value `v`.  Called after the region is closed, with deps of all results. */
static void track_carry(struct gen *g, const struct loop *l, int i, int v, uint32_t deps)
{
	struct range init = g->info[l->init[i]].range, body = g->info[l->result[i]].range;
	double most = range_magnitude(g->info[l->param[i]].range), m = range_magnitude(body);
	double reach = grown(m, m / most, l->trips);

	if (body.lo > 0 && init.lo > 0 && m <= most)
		init.lo = init.lo < body.lo ? init.lo : body.lo, init.hi = reach;
	else
		init = range_make(-reach < init.lo ? -reach : init.lo, reach > init.hi ? reach : init.hi);
	gen_track(g, v, init, deps | g->info[l->init[i]].deps, g->info[l->init[i]].noisy || g->info[l->result[i]].noisy);
}

/* deps of everything a body gives, without those on its own parameters. */
static uint32_t deps_of(const struct gen *g, const int *value, int n)
{
	uint32_t deps = 0;

	for (int i = 0; i < n; i++)
		deps |= g->info[value[i]].deps;
	return deps & (depth_bit(g) - 1);
}

static void count_uses(struct gen *g, const int *value, int n)
{
	for (int i = 0; i < n; i++)
		g->info[value[i]].uses++;
}

/* A region op whose regions are closed; -1 when it is refused. */
int gen_region_node(struct gen *g, enum op op, const int *arg, int n_arg, const struct attrs *attrs)
{
	int v = build_region_node(&g->b, op, arg, n_arg, attrs, NULL);

	g->nodes++;
	g->ops++;
	if (v < 0)
		return -1;
	count_uses(g, arg, n_arg);
	for (int i = 0; i < n_arg; i++)
		g->work += g->multiplier * 2 * gen_elements(g, arg[i]);
	return v;
}

/* The bool that ends a loop early: often a counter, else data. */
static int pick_until(struct gen *g, int counter, int trips, int never)
{
	int v;

	if (counter >= 0 && choice_percent(g->c, 40))
		v = gen_binary(g, OP_GE, counter, gen_scalar(g, DTYPE_I64, choice_below(g->c, trips > 1 ? trips : 1)));
	else
		v = gen_predicate_scalar(g);
	return v >= 0 ? v : never;
}

int gen_emit_for(struct gen *g)
{
	struct loop l = {0};
	struct attrs attrs = {0};
	int args[CARRIES + 1], results[CARRIES + 1], n_arg = 0, first, never = -1, v;
	struct type types[CARRIES + 1] = {index_type};
	struct range ranges[CARRIES + 1];
	int inits[CARRIES + 1] = {-1};
	uint32_t deps;

	if (!may_open(g))
		return -1;
	pick_carries(g, &l);
	if (!l.n)
		return -1;
	l.trips = pick_trips(g, carry_elements(g, &l));
	attrs.trip = l.trips;
	if (choice_percent(g->c, g->p->trip_operand)) {
		const struct type narrow = {.dtype = DTYPE_I32, .shape = shape_scalar()};
		int count = gen_pick(g, gen_fits_type, choice_percent(g->c, 30) ? &narrow : &index_type);

		args[0] = count >= 0 ? count : gen_scalar(g, DTYPE_I64, choice_between(g->c, 0, l.trips));
		if (args[0] < 0)
			return -1;
		n_arg = 1;
		attrs.trip = -1;
		attrs.cap = l.trips;
	}
	attrs.until = choice_percent(g->c, g->p->until);
	if (attrs.until)
		never = gen_scalar(g, DTYPE_BOOL, 0);
	if (attrs.until && never < 0)
		return -1;
	for (int i = 0; i < l.n; i++) {
		args[n_arg + i] = inits[i + 1] = l.init[i];
		types[i + 1] = l.type[i];
	}
	ranges[0] = range_make(0, l.trips);
	l.pool_mark = g->n_pool;
	first = gen_region_open(g, types, inits, ranges, l.n + 1, l.trips);
	for (int i = 0; i < l.n; i++)
		l.param[i] = first + 1 + i;
	fill(g, choice_between(g->c, 0, g->p->body_ops_max));
	update_carries(g, &l);
	for (int i = 0; i < l.n; i++)
		results[i] = l.result[i];
	if (attrs.until)
		results[l.n] = pick_until(g, first, l.trips, never);
	gen_region_close(g, results, l.n + attrs.until, l.pool_mark, l.trips);
	deps = deps_of(g, results, l.n + attrs.until);
	v = gen_region_node(g, OP_FOR, args, n_arg + l.n, &attrs);
	for (int i = 0; v >= 0 && i < l.n; i++)
		track_carry(g, &l, i, v + i, deps);
	return v;
}

/* ---- while ---- */

static bool is_scalar_float(const struct type *t)
{
	return dtype_is_float(t->dtype) && !t->shape.rank;
}

/*
 * Carry `k` decides when the while ends: a counter below a bound, or a scalar float that the body moves toward its bound by exact
 * steps, so that rounding rarely decides the trip count.
 */
struct ending {
	int k;
	bool counter;
	enum op compare, step;
	double bound, by;
};

static struct ending pick_ending(struct gen *g, struct loop *l)
{
	struct ending e = {.k = -1, .compare = OP_LT, .step = OP_ADD, .by = 1};
	const struct type scalar = {.dtype = g->dtype, .shape = shape_scalar()};

	e.counter = !choice_percent(g->c, g->p->while_data);
	if (!e.counter) {
		for (int i = 0; i < l->n && e.k < 0; i++)
			if (is_scalar_float(&l->type[i]))
				e.k = i;
		if (e.k < 0 && l->n < CARRIES) {
			add_carry(g, l, gen_as(g, gen_pick_float(g), &scalar));
			if (l->n && is_scalar_float(&l->type[l->n - 1]))
				e.k = l->n - 1;
		}
	}
	if (e.k >= 0) {
		bool shrink = choice_percent(g->c, 40);

		e.compare = shrink ? OP_GT : choice_percent(g->c, 80) ? OP_LT : OP_LE;
		e.step = choice_percent(g->c, 65) ? OP_MUL : shrink ? OP_SUB : OP_ADD;
		e.by = e.step == OP_MUL ? (shrink ? 0.5 : choice_percent(g->c, 80) ? 2 : 1.5) : choice_between(g->c, 1, 6) / 4.0;
		/* Odd multiples of 2^-4 away from the powers and integers that exact steps often meet. */
		e.bound = shrink ? choice_between(g->c, 1, 12) / 16.0 : choice_between(g->c, 1, 6) + (choice_percent(g->c, 70) ? 0.3125 : 0);
		return e;
	}
	e.counter = true;
	add_carry(g, l, gen_scalar(g, DTYPE_I64, choice_percent(g->c, 80) ? 0 : choice_between(g->c, -1, 2)));
	e.k = l->n - 1;
	e.by = choice_percent(g->c, 80) ? 1 : 2;
	e.bound = choice_between(g->c, 0, l->trips < 8 ? l->trips : 8);
	return e;
}

/* The condition region: carries as parameters, one bool. */
static void build_condition(struct gen *g, const struct loop *l, const struct ending *e, int never)
{
	int mark = g->n_pool, first = gen_region_open(g, l->type, l->init, NULL, l->n, l->trips), x = first + e->k, bound = -1, p, q;

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
		q = gen_binary(g, choice_percent(g->c, 50) ? OP_LOGICAL_AND : OP_LOGICAL_OR, p, gen_predicate_scalar(g));
		p = q >= 0 ? q : p;
	}
	if (p < 0)
		p = never;
	g->info[p].uses++;
	gen_region_close(g, &p, 1, mark, l->trips);
}

int gen_emit_while(struct gen *g)
{
	struct loop l = {0};
	struct attrs attrs = {0};
	struct ending e;
	int first, never, v;
	uint32_t deps;

	if (!may_open(g))
		return -1;
	pick_carries(g, &l);
	if (l.n == CARRIES)
		l.n--;
	l.trips = pick_trips(g, carry_elements(g, &l) + 2);
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
	fill(g, choice_between(g->c, 0, g->p->body_ops_max));
	update_carries(g, &l);
	if (e.counter || choice_percent(g->c, 70)) {
		int next = gen_binary(g, e.step, l.param[e.k], gen_scalar(g, l.type[e.k].dtype, e.by));

		l.result[e.k] = next >= 0 ? next : l.param[e.k];
	}
	gen_region_close(g, l.result, l.n, l.pool_mark, l.trips);
	deps = deps_of(g, l.result, l.n);
	v = gen_region_node(g, OP_WHILE, l.init, l.n, &attrs);
	for (int i = 0; v >= 0 && i < l.n; i++)
		track_carry(g, &l, i, v + i, deps);
	return v;
}

/* ---- scan ---- */

/* Leading extent `trips`. */
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

/* One or two stacked inputs with a common leading extent, which becomes the trip count. */
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

/* What an iteration gives to be stacked; its type must be stackable and small. */
static int pick_output(struct gen *g, const struct loop *l)
{
	int v = gen_pick_from(g, l->pool_mark, gen_fits_float, NULL);

	if (choice_percent(g->c, 10))
		v = g->pool[l->pool_mark + choice_below(g->c, g->n_pool - l->pool_mark)];
	if (v < 0 || gen_type(g, v)->shape.rank == LIMIT_RANK || !gen_fits(g, gen_elements(g, v) * (l->trips > 1 ? l->trips : 1)))
		return -1;
	return v;
}

int gen_emit_scan(struct gen *g)
{
	static const int carry_weights[] = {2, 6, 2};
	struct loop l = {0};
	struct attrs attrs = {0};
	int args[RESULTS + CARRIES], results[2 * RESULTS + CARRIES], xs[2], inits[CARRIES + 2];
	int n_xs, n_carry = choice_weighted(g->c, carry_weights, 3), n_out, n_result, first, never = -1, v;
	struct type types[CARRIES + 2];
	struct range ranges[CARRIES + 2] = {{0}};
	uint32_t deps;

	if (!may_open(g))
		return -1;
	n_xs = choice_percent(g->c, 82) ? pick_xs(g, xs, &l.trips) : 0;
	for (int i = 0; i < n_carry || (!l.n && !n_xs && i < 3); i++)
		add_carry(g, &l, pick_init(g));
	if (!n_xs)
		l.trips = pick_trips(g, carry_elements(g, &l) + 8);
	if ((!n_xs && !l.n) || (int64_t)g->multiplier * l.trips > GEN_MULTIPLIER ||
	    (int64_t)g->multiplier * l.trips * (24 + 8 * carry_elements(g, &l)) > g->p->work)
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
	}
	fill(g, choice_between(g->c, 0, g->p->body_ops_max));
	update_carries(g, &l);
	n_result = l.n;
	for (int i = 0; i < l.n; i++)
		results[i] = l.result[i];
	n_out = choice_between(g->c, l.n ? 0 : 1, RESULTS);
	for (int i = 0; i < n_out; i++) {
		v = pick_output(g, &l);
		if (v < 0 && !n_result)
			v = never >= 0 ? never : first;
		if (v >= 0)
			results[n_result++] = v;
	}
	n_out = n_result - l.n;
	if (attrs.until)
		results[n_result++] = pick_until(g, -1, l.trips, never);
	count_uses(g, results + l.n, n_result - l.n);
	gen_region_close(g, results, n_result, l.pool_mark, l.trips);
	deps = deps_of(g, results, n_result);
	v = gen_region_node(g, OP_SCAN, args, l.n + n_xs, &attrs);
	for (int i = 0; v >= 0 && i < l.n; i++)
		track_carry(g, &l, i, v + i, deps);
	for (int i = l.n; v >= 0 && i < l.n + n_out; i++) {
		struct gen_info info = g->info[results[i]];

		gen_track(g, v + i, attrs.until ? range_make(info.range.lo < 0 ? info.range.lo : 0, info.range.hi > 0 ? info.range.hi : 0) : info.range,
		    deps, info.noisy);
	}
	return v;
}

/* ---- cond ---- */

/* The result of a branch, of the type of `like`, which is in scope outside. */
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

	if (!may_open(g))
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
		fill(g, choice_below(g->c, g->p->body_ops_max));
		for (int i = 0; i < n; i++)
			result[which][i] = branch_result(g, like[i], mark);
		count_uses(g, result[which], n);
		gen_region_close(g, result[which], n, mark, 1);
		deps |= deps_of(g, result[which], n);
	}
	v = gen_region_node(g, OP_COND, &predicate, 1, NULL);
	for (int i = 0; v >= 0 && i < n; i++) {
		struct gen_info x = g->info[result[0][i]], y = g->info[result[1][i]];

		gen_track(g, v + i, range_make(x.range.lo < y.range.lo ? x.range.lo : y.range.lo, x.range.hi > y.range.hi ? x.range.hi : y.range.hi),
		    deps, x.noisy || y.noisy);
	}
	return v;
}
