/*
 * custom.c: op custom, a function with its own rule.  Region 0 is a few elementwise ops.  Region 1 is their derivative
 * as `aot` writes it for a program that will be differentiated again.  Sometimes the rule is rewritten without changing
 * any value.
 */
#include "engines/aot/aot.h"
#include "loop.h"

enum { PARAMS = 2, RESULTS = 2, OPS = 4, RUNS = 4 /* runs of a region, as graph/work.c counts them */ };

/* The function as a program of its own. */
struct body {
	struct program program;
	struct range range[RESULTS];
	int n_result;
	bool noisy;
};

static void make_body(struct gen *g, const int *arg, int n_arg, struct body *out)
{
	struct gen inner;
	int n = choice_between(g->c, 1, OPS), result[RESULTS];

	gen_begin(&inner, g->c, g->p, g->a);
	inner.dtype = g->dtype;
	inner.base = g->base;
	inner.ops_end = GEN_NODES;
	for (int i = 0; i < n_arg; i++) {
		struct type t = *gen_type(g, arg[i]);

		gen_input(&inner, &t, g->info[arg[i]].range);
	}
	for (int i = 0; i < n; i++) {
		int x = gen_pick_float(&inner);

		if (choice_percent(g->c, 50))
			gen_unary_on(&inner, x);
		else
			gen_binary_on(&inner, x);
	}
	out->n_result = choice_percent(g->c, 25) ? 2 : 1;
	for (int i = 0; i < out->n_result; i++) {
		int v = inner.pool[inner.n_pool - 1 - (i && inner.n_pool > 1)];

		result[i] = gen_is_float(&inner, v) ? v : gen_pick_float(&inner);
		out->range[i] = inner.info[result[i]].range;
		out->noisy |= inner.info[result[i]].noisy;
	}
	out->program = gen_end(&inner, result, out->n_result);
	out->program = program_drop_dead(&out->program, g->a);
}

static bool has_region(const struct program *p)
{
	for (int i = 0; i < p->top.n_node; i++)
		if (p->top.node[i].n_region)
			return true;
	return false;
}

/* A rule computes its partials in f64 for every dtype. */
static bool may_have(const struct gen *g, const struct program *p)
{
	for (int v = 0; v < p->n_value; v++)
		if (!gen_may_have(g, p->type[v].dtype))
			return false;
	return true;
}

/* The same value, negated twice: exact, and its derivatives are right. */
static int vary(struct gen *g, int value, int *n_node)
{
	*n_node += 2;
	value = build_node(&g->b, OP_NEG, &value, 1, NULL, NULL);
	return build_node(&g->b, OP_NEG, &value, 1, NULL, NULL);
}

/* Appends a program without regions as the next region.  Returns its number of nodes. */
static int put_region(struct gen *g, const struct program *p, bool varied)
{
	const struct region *top = &p->top;
	int *map = NEW(g->a, int, p->n_value), result[LIMIT_ARGS], n_node = top->n_node, first;

	first = build_open(&g->b, p->type + top->param, top->n_param);
	for (int k = 0; k < top->n_param; k++)
		map[top->param + k] = first + k;
	for (int i = 0; i < top->n_node; i++) {
		const struct node *node = &top->node[i];
		int arg[LIMIT_ARGS];
		bool swap = varied && (node->op == OP_ADD || node->op == OP_MUL) && choice_percent(g->c, 50);

		for (int k = 0; k < node->n_arg; k++)
			arg[k] = map[node->arg[swap ? 1 - k : k]];
		map[node->out] = build_node(&g->b, node->op, arg, node->n_arg, &node->attrs, NULL);
	}
	for (int k = 0; k < top->n_result; k++) {
		result[k] = map[top->result[k]];
		if (varied && choice_percent(g->c, 30))
			result[k] = vary(g, result[k], &n_node);
	}
	build_close(&g->b, result, top->n_result);
	return n_node;
}

/* The rules of `aot`, with the texts of the frozen profiles: a rule is a part of the case. */
static const struct aot_rules *frozen_rules(struct arena *a)
{
	struct aot_rules *rules = arena_copy(a, &aot_rules_right, 1, sizeof *rules);

	rules->row[OP_ATAN].partial[0] = "select(lt(abs(a),1e8),1/(1+a*a),1/a/a)";
	rules->row[OP_ASINH].partial[0] = "select(lt(abs(a),1e8),1/sqrt(1+a*a),1/abs(a))";
	return rules;
}

int gen_emit_custom(struct gen *g)
{
	struct attrs attrs = {.transform = (enum derivative_kind)choice_below(g->c, DERIVATIVE_COUNT)};
	int n = choice_percent(g->c, 40) ? 2 : 1, arg[PARAMS + 1], n_arg = 0, integer, v;
	struct body body = {.n_result = 0};
	struct program rule;
	uint32_t deps;
	int64_t work;
	bool noisy = false;

	if (!loop_may_open(g) || gen_pick_float(g) < 0)
		return -1;
	for (int i = 0; i < n; i++)
		arg[n_arg++] = i && choice_percent(g->c, 15) ? arg[0] : gen_pick_float(g);
	integer = choice_percent(g->c, 10) ? gen_pick(g, gen_fits_int, NULL) : -1;
	if (integer >= 0)
		arg[n_arg++] = integer;
	make_body(g, arg, n_arg, &body);
	if (!aot_rule(&body.program, attrs.transform, frozen_rules(g->a), g->a, &rule, NULL) ||
	    has_region(&body.program) || has_region(&rule) || !may_have(g, &rule))
		return -1;
	work = g->multiplier * RUNS * (program_work(&body.program) + program_work(&rule));
	if (g->nodes + program_nodes(&body.program) + program_nodes(&rule) + 2 * rule.top.n_result >= GEN_NODES ||
	    g->work + work >= GEN_WORK)
		return -1;
	g->nodes += put_region(g, &body.program, false);
	g->nodes += put_region(g, &rule, choice_percent(g->c, 40));
	g->work += work;
	for (int i = 0; i < n_arg; i++)
		noisy |= g->info[arg[i]].noisy;
	deps = loop_deps(g, arg, n_arg);
	v = gen_region_node(g, OP_CUSTOM, arg, n_arg, &attrs);
	for (int i = 0; v >= 0 && i < body.n_result; i++)
		gen_track(g, v + i, body.range[i], deps, noisy || body.noisy);
	return v;
}
