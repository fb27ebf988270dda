/* derivative.c: op derivative of a region.  Values of the pool are its parameters and its direction; the body captures
 * others. */
#include "loop.h"

enum { PARAMS = 3, RESULTS = 2, RUNS = 4 /* runs of the region, as graph/work.c counts them */ };

struct inner {
	int n_param, n_float, n_result;
	int arg[PARAMS + PARAMS + RESULTS], n_arg;
	struct type type[PARAMS];
	struct range range[PARAMS];
	int like[RESULTS]; /* for vjp: the cotangents, whose types the results take */
};

/* One or two floats, sometimes with an integer among them. */
static void pick_params(struct gen *g, struct inner *in)
{
	int n = choice_percent(g->c, 30) ? 2 : 1, integer = choice_percent(g->c, 8) ? choice_below(g->c, n + 1) : -1;

	for (int i = 0; i < n + (integer >= 0); i++) {
		int v = i == integer ? gen_pick(g, gen_fits_int, NULL) : gen_pick_float(g);

		if (v < 0)
			continue;
		in->type[in->n_param] = *gen_type(g, v);
		in->range[in->n_param] = g->info[v].range;
		in->n_float += gen_is_float(g, v);
		in->arg[in->n_param++] = v;
	}
}

/* Appends the operands that follow the parameters. */
static bool pick_directions(struct gen *g, struct inner *in, enum derivative_kind kind)
{
	in->n_arg = in->n_param;
	in->n_result = choice_percent(g->c, 25) ? 2 : 1;
	for (int i = 0; i < (kind == DERIVATIVE_JVP ? in->n_param : in->n_result); i++) {
		struct type t = kind == DERIVATIVE_JVP ? in->type[i] : *gen_type(g, gen_pick_float(g));
		int v;

		if (!dtype_is_float(t.dtype))
			continue;
		v = choice_percent(g->c, 40) ? gen_literal(g, &t) : gen_value_of(g, &t);
		if (v < 0)
			return false;
		if (kind == DERIVATIVE_VJP)
			in->like[i] = v;
		in->arg[in->n_arg++] = v;
	}
	return true;
}

/* A float of the body that depends on a parameter, often combined with a captured value. */
static int pick_result(struct gen *g, int mark, int first, const struct inner *in)
{
	uint32_t bit = UINT32_C(1) << (16 + g->depth - 1);
	int v = gen_pick_from(g, mark, gen_fits_float, NULL), param = first, outer, w;

	for (int i = 0; i < in->n_param && !gen_is_float(g, param); i++)
		param = first + i;
	if (v < 0 || !(g->info[v].deps & bit) || (v >= first && v < first + in->n_param)) {
		w = choice_percent(g->c, 50) ? gen_unary_on(g, param) : gen_binary_on(g, param);
		v = w >= 0 ? w : param;
	}
	outer = choice_percent(g->c, 45) && mark ? g->pool[choice_below(g->c, mark)] : -1;
	if (outer >= 0 && gen_is_float(g, outer)) {
		struct type t = *gen_type(g, v);

		outer = gen_as(g, gen_tame(g, outer), &t);
		w = outer >= 0 ? gen_binary(g, choice_percent(g->c, 75) ? OP_MUL : OP_ADD, v, outer) : -1;
		v = w >= 0 ? w : v;
	}
	w = gen_tame(g, v);
	return w >= 0 ? w : v;
}

int gen_emit_derivative(struct gen *g)
{
	struct inner in = {0};
	struct attrs attrs = {.transform = (enum derivative_kind)choice_below(g->c, DERIVATIVE_COUNT)};
	int inits[PARAMS] = {-1, -1, -1}, result[RESULTS], mark, first, v, n_out;
	uint32_t deps = 0;
	double most = 1;

	if (!loop_may_open(g) || (int64_t)g->multiplier * RUNS > GEN_MULTIPLIER || gen_pick_float(g) < 0)
		return -1;
	pick_params(g, &in);
	if (!in.n_float || !pick_directions(g, &in, attrs.transform))
		return -1;
	attrs.primals = in.n_param;
	mark = g->n_pool;
	first = gen_region_open(g, in.type, inits, in.range, in.n_param, RUNS);
	for (int i = 0; i < in.n_param; i++) {
		g->info[first + i].deps |= g->info[in.arg[i]].deps;
		g->info[first + i].noisy = g->info[in.arg[i]].noisy;
		gen_flow_set(g, first + i, gen_flow(g, in.arg[i]));
	}
	loop_fill(g, choice_between(g->c, 1, g->p->body_ops_max));
	for (int i = 0; i < in.n_result; i++) {
		result[i] = pick_result(g, mark, first, &in);
		if (attrs.transform == DERIVATIVE_VJP) {
			struct type t = *gen_type(g, in.like[i]);

			result[i] = gen_as(g, result[i], &t);
			if (result[i] < 0)
				result[i] = in.like[i];
		}
		most += range_magnitude(g->info[result[i]].range);
	}
	loop_count_uses(g, result, in.n_result);
	gen_region_close(g, result, in.n_result, mark, RUNS);
	deps = loop_deps(g, result, in.n_result) | loop_deps(g, in.arg, in.n_arg);
	n_out = attrs.transform == DERIVATIVE_JVP ? in.n_result : in.n_float;
	v = gen_region_node(g, OP_DERIVATIVE, in.arg, in.n_arg, &attrs);
	for (int i = 0; v >= 0 && i < n_out; i++)
		gen_track(g, v + i, range_make(-2 * most, 2 * most), deps, true);
	return v;
}
