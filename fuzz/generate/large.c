/*
 * large.c: programs with large tensors or a long loop.  Blocked kernels, vector tails, threads and checkpoints have
 * their own code there.  The programs are short, because each node costs thousands of scalars.
 */
#include "loop.h"

#include <math.h> /* ldexp: exact */

/* The profile of a large program: few ops, without regions inside. */
static void narrow(struct gen *g)
{
	struct profile *p = NEW(g->a, struct profile, 1);

	*p = *g->p;
	p->elements = GEN_LARGE;
	p->work = GEN_BUDGET;
	p->depth_max = 0;
	p->weight_integer = p->weight_logical = p->weight_rare = p->weight_mod = p->weight_edge = 0;
	p->weight_select /= 2;
	p->weight_reduce *= 2;
	p->weight_cumulative *= 2;
	p->trip_operand /= 2;
	p->until /= 2;
	p->results_several /= 2;
	/* Elementwise ops would be most of the few ops. */
	if (p->large_lines) {
		p->weight_cumulative *= 4;
		p->weight_order *= 8;
		p->weight_gather *= 3;
		p->weight_scatter *= 5;
		p->weight_matmul *= 8;
		p->weight_slice *= 2;
	}
	g->p = p;
	g->large = true;
}

/* ---- large tensors ---- */

static struct shape large_shape(struct gen *g)
{
	int n = gen_large_size(g), rows;
	struct shape s = {.rank = 1, .extent = {n}};

	if (choice_percent(g->c, 60))
		return s;
	rows = choice_between(g->c, 2, 33);
	s = (struct shape){.rank = 2, .extent = {rows, n / rows}};
	if (choice_percent(g->c, 40))
		s = (struct shape){.rank = 2, .extent = {n / rows, rows}};
	if (choice_percent(g->c, 20) && s.extent[1] > 4)
		s = (struct shape){.rank = 3, .extent = {s.extent[0], 2, s.extent[1] / 2}};
	return s;
}

static void tensor_inputs(struct gen *g)
{
	struct type t = {.dtype = g->dtype};
	int n = choice_between(g->c, 1, 3);

	t.shape = g->base = large_shape(g);
	for (int i = 0; i < n; i++) {
		if (i && choice_percent(g->c, 60))
			t.shape = choice_percent(g->c, 40) ? shape_scalar() : gen_shape(g);
		gen_input(g, &t, choice_percent(g->c, 40) ? range_make(0.125, 4) : range_make(-4, 4));
	}
}

/* ---- long loops ---- */

/* A bounded function of carry x, of a captured input, and of the number of the iteration (counter; -1: there is none).
 */
static int slope(struct gen *g, const struct loop_draft *l, int counter, int x)
{
	static const enum op bounded[] = {OP_SIN, OP_COS, OP_TANH, OP_ATAN, OP_LOGISTIC, OP_NEG};
	const struct type t = *gen_type(g, x);
	const struct attrs to = {.dtype = t.dtype};
	int v = x, other = l->param[choice_below(g->c, l->n)], input = choice_below(g->c, g->n_input);

	if (type_equal(gen_type(g, other), &t) && choice_percent(g->c, 50))
		v = other;
	if (gen_type(g, input)->dtype == t.dtype && gen_broadcast_elements(g, x, input) == gen_elements(g, x) &&
	    choice_percent(g->c, 60))
		v = gen_binary(g, choice_percent(g->c, 60) ? OP_MUL : OP_ADD, v, input);
	if (counter >= 0 && choice_percent(g->c, 40)) {
		int time = gen_with_scalar(g, OP_MUL, gen_node(g, OP_CAST, &counter, 1, &to), ldexp(1, -8));

		v = time < 0 ? v : gen_binary(g, OP_ADD, v, time);
	}
	return v < 0 ? x : gen_unary(g, bounded[choice_below(g->c, 6)], v);
}

/* One step x + h f(x) or x (1 + h f(x)), with h so small that all iterations count alike. */
static void step(struct gen *g, struct loop_draft *l, int counter)
{
	int bits = 0;

	while (1 << bits < l->trips)
		bits++;
	for (int i = 0; i < l->n; i++) {
		const double reach = 4 + 4 * range_magnitude(g->info[l->param[i]].range);
		int x = l->param[i], v, larger;

		l->result[i] = x;
		if (!gen_is_float(g, x))
			continue;
		larger = choice_between(g->c, 0, 2);
		v = gen_with_scalar(g, OP_MUL, slope(g, l, counter, x), ldexp(1, larger - bits));
		if (choice_percent(g->c, 30))
			v = gen_binary(g, OP_MUL, x, gen_with_scalar(g, OP_ADD, v, 1));
		else
			v = gen_binary(g, OP_ADD, x, v);
		if (v < 0)
			continue;
		l->result[i] = v;
		g->info[v].range = range_make(-reach, reach);
	}
	l->updated = true;
}

static int emit_while(struct gen *g, struct loop_draft *l)
{
	const struct attrs attrs = {.cap = l->trips};
	int k = l->n, mark = g->n_pool, first, p, v;
	uint32_t deps;

	loop_add_carry(g, l, gen_scalar(g, DTYPE_I64, 0));
	if (l->n == k)
		return -1;
	first = gen_region_open(g, l->type, l->init, NULL, l->n, l->trips);
	p = gen_with_scalar(g, OP_LT, first + k, l->trips - choice_below(g->c, 3));
	gen_region_close(g, &p, 1, mark, l->trips);
	first = gen_region_open(g, l->type, l->init, NULL, l->n, l->trips);
	for (int i = 0; i < l->n; i++)
		l->param[i] = first + i;
	step(g, l, first + k);
	v = gen_with_scalar(g, OP_ADD, first + k, 1);
	l->result[k] = v >= 0 ? v : first + k;
	gen_region_close(g, l->result, l->n, mark, l->trips);
	deps = loop_deps(g, l->result, l->n);
	v = p < 0 ? -1 : gen_region_node(g, OP_WHILE, l->init, l->n, &attrs);
	for (int i = 0; v >= 0 && i < l->n; i++)
		loop_track_carry(g, l, i, v + i, deps);
	return v;
}

/* A scan over `xs`, a vector, which stacks a carry. */
static int emit_scan(struct gen *g, struct loop_draft *l, int xs)
{
	const struct attrs attrs = {.trip = l->trips, .carries = l->n};
	struct type types[CARRIES + 1], row = {.dtype = gen_type(g, xs)->dtype};
	struct range ranges[CARRIES + 1] = {{0}};
	int args[CARRIES + 1], inits[CARRIES + 1], results[CARRIES + 1], mark = g->n_pool, first, v;
	uint32_t deps;

	for (int i = 0; i < l->n; i++) {
		args[i] = inits[i] = l->init[i];
		types[i] = l->type[i];
	}
	args[l->n] = xs;
	inits[l->n] = -1;
	types[l->n] = row;
	ranges[l->n] = g->info[xs].range;
	first = gen_region_open(g, types, inits, ranges, l->n + 1, l->trips);
	g->info[first + l->n].deps |= g->info[xs].deps;
	gen_flow_set(g, first + l->n, gen_flow(g, xs));
	for (int i = 0; i < l->n; i++)
		l->param[i] = first + i;
	step(g, l, -1);
	for (int i = 0; i < l->n; i++)
		results[i] = l->result[i];
	/* The row of this iteration goes into the first carry. */
	v = gen_with_scalar(g, OP_MUL, first + l->n, ldexp(1, -8));
	v = gen_binary(g, OP_ADD, results[0], v);
	results[0] = v >= 0 ? v : results[0];
	results[l->n] = first;
	gen_region_close(g, results, l->n + 1, mark, l->trips);
	deps = loop_deps(g, results, l->n + 1);
	v = gen_region_node(g, OP_SCAN, args, l->n + 1, &attrs);
	for (int i = 0; v >= 0 && i < l->n; i++)
		loop_track_carry(g, l, i, v + i, deps);
	if (v >= 0)
		gen_track(g, v + l->n, g->info[first].range, deps, true);
	return v;
}

static int emit_long(struct gen *g)
{
	struct type vector = {.dtype = g->dtype, .shape = {.rank = 1}}, scalar = {.dtype = g->dtype};
	struct loop_draft l = {.trips = gen_large_size(g)};
	int inputs = choice_percent(g->c, 30) ? 2 : 1, kind = choice_below(g->c, 3), xs = -1;

	for (int i = 0; i < inputs; i++)
		gen_input(g, &scalar, choice_percent(g->c, 50) ? range_make(0.125, 2) : range_make(-2, 2));
	vector.shape.extent[0] = l.trips;
	if (kind == 2)
		xs = gen_input(g, &vector, range_make(-2, 2));
	for (int i = 0; i < inputs; i++)
		loop_add_carry(g, &l, choice_percent(g->c, 25) ? gen_scalar(g, g->dtype, gen_real(g, g->dtype)) : i);
	if (!l.n)
		return -1;
	g->trips = l.trips;
	return kind == 0 ? loop_emit_for(g, &l, step) : kind == 1 ? emit_while(g, &l) : emit_scan(g, &l, xs);
}

int gen_large(struct gen *g, int result[LIMIT_ARGS])
{
	const bool loop = choice_percent(g->c, 35);

	narrow(g);
	/* A sum of so many terms leaves nothing to decide in f16 and bf16. */
	if (g->dtype == DTYPE_F16 || g->dtype == DTYPE_BF16)
		g->dtype = g->p->f32 || !g->p->f64 ? DTYPE_F32 : DTYPE_F64;
	g->ops_end = choice_between(g->c, 1, 3);
	if (loop) {
		g->base = shape_scalar();
		emit_long(g);
		g->ops_end += g->ops;
	} else {
		tensor_inputs(g);
	}
	for (int i = 0; i < 12 && gen_open(g); i++)
		gen_emit(g);
	return gen_results(g, result);
}
