/* nested.c: op derivative. Its region becomes a stretch of the trace, which is differentiated by the rules of
 * trace_derive.def. Both oracles share these rules, and no engine does. */
#include "internal.h"
#include "oracles/oracle_rules.h"
#include "trace_derive.h"

/* A derivative may make the trace this many scalars long. */
enum { TRACE_LIMIT = 4 * LIMIT_WORK };

int evaluate_count_floats(const struct evaluation_run *r, const int *value, int n)
{
	int total = 0;
	for (int k = 0; k < n; k++)
		if (dtype_is_float(r->p->type[value[k]].dtype))
			total += shape_elements(&r->p->type[value[k]].shape);
	return total;
}

/* Writes the scalars of the float values among n values to `to`, in order; gives their number. */
static int gather(const struct evaluation_run *r, const int *value, int n, int *to)
{
	int total = 0;
	for (int k = 0; k < n; k++) {
		const struct type *type = &r->p->type[value[k]];
		for (int i = 0, size = shape_elements(&type->shape); dtype_is_float(type->dtype) && i < size; i++)
			to[total++] = r->env[value[k]].at[i].scalar;
	}
	return total;
}

/* Makes the parameters scalars of their own. A captured value stays constant, even where it is also the operand. */
static void bind_parameters(struct evaluation_run *r, const struct node *node)
{
	const struct region *region = &node->region[0];
	r->ev->part = TRACE_PARAMETER;
	for (int k = 0; k < region->n_param; k++) {
		const struct type *type = &r->p->type[region->param + k];
		int n = shape_elements(&type->shape);
		struct elements own = elements_new(r, n, false), *given = &r->env[node->arg[k]];
		for (int i = 0; i < n; i++) {
			element_copy(r, &own, n, i, given, i);
			if (dtype_is_float(type->dtype))
				own.at[i].scalar = trace_parameter(r->ev, given->at[i].scalar);
		}
		r->env[region->param + k] = own;
		if (!r->ev->rules->captures)
			r->env[node->arg[k]] = own;
	}
	r->ev->part = TRACE_PROGRAM;
}

/*
 * The 0 of a derivative that no path reaches. Every engine gives 0 here, but may compute it: an engine that multiplies
 * by a mask gets NaN where a value or a derivative on the way is infinite. So this 0 is a sum of zero times every
 * scalar that the results depend on, and zero times the direction.
 */
static int absent_zero(
    struct evaluation_run *r, const struct stretch *s, int end, const int *direction, int n_direction, enum dtype d)
{
	struct evaluation *ev = r->ev;
	struct arena_mark mark = arena_mark(r->arena);
	uint8_t *needed = NEW(r->arena, uint8_t, end - s->first + 1);
	int zero = trace_leaf(ev, d, 0), n = 0,
	    *from = NEW(r->arena, int, end - s->first + s->n_result + n_direction + 1);
	for (int i = 0; i < s->n_result; i++) {
		if (s->result[i] >= s->first)
			needed[s->result[i] - s->first] = 1;
		else
			from[n++] = s->result[i];
	}
	for (int k = end - 1; k >= s->first; k--) {
		const struct scalar *of = &ev->scalar[k];
		for (int j = 0; needed[k - s->first] && j < of->n_parent; j++)
			if (ev->parent[of->parent + j] >= s->first)
				needed[ev->parent[of->parent + j] - s->first] = 1;
		if (needed[k - s->first])
			from[n++] = k;
	}
	for (int i = 0; i < n_direction; i++)
		from[n++] = direction[i];
	ev->part = TRACE_FLOW; /* so a NaN of it is not certain: some engines have 0 */
	for (int i = 0; i < n; i++)
		from[i] = trace_scalar(ev, OP_MUL, OP_MUL, d, (const int[]){from[i], zero}, 2);
	if (n)
		zero = trace_scalar(ev, OP_REDUCE_SUM, OP_REDUCE_SUM, d, from, n);
	ev->part = TRACE_PROGRAM;
	arena_rewind(r->arena, mark);
	return zero;
}

/* The derivative as a computed scalar. It may be a direction, or a 0 that nothing reaches; the sign of such a 0 is
 * uncertain. */
static int as_computed(struct evaluation_run *r, int scalar)
{
	return r->ev->scalar[scalar].n_parent ? scalar : trace_result(r->ev, scalar);
}

/* Fills result k of the node with the scalars from `next` on; absent ones become zero[dtype]. Gives the next unused
 * place. */
static const int *take_result(
    struct evaluation_run *r, const struct node *node, int k, const int *next, const int zero[DTYPE_COUNT])
{
	const struct type *type = &r->p->type[node->out + k];
	int n = shape_elements(&type->shape);
	struct elements out = elements_new(r, n, false);
	for (int i = 0; i < n; i++, next++)
		out.at[i].scalar = as_computed(r, *next >= 0 ? *next : zero[type->dtype]);
	r->env[node->out + k] = out;
	return next;
}

/* Notes that each derivative may depend on all scalars of the region and on each other, by masks: d max(x, x^2) is 1
 * near 1/2, but may contain 0 * 2 x. */
static void mask_all(struct evaluation *ev, int first, const int *out, int n_out)
{
	for (int k = first + 1; k < ev->n_scalar; k++) {
		trace_masked(ev, k, first);
		trace_masked(ev, first, k);
	}
	for (int i = 0; i < n_out; i++)
		if (out[i] >= 0 && out[i] < first) /* a direction */
			trace_masked(ev, first, out[i]);
}

void evaluate_derivative(struct evaluation_run *r, const struct node *node)
{
	const struct region *region = &node->region[0];
	bool jvp = node->attrs.transform == DERIVATIVE_JVP;
	int param[LIMIT_ARGS], n_direction = node->n_arg - node->attrs.primals;
	const int *direction = node->arg + node->attrs.primals;
	struct stretch s = {.first = r->ev->n_scalar, .limit = TRACE_LIMIT, .inside = true};

	for (int k = 0; k < region->n_param; k++)
		param[k] = region->param + k;
	bind_parameters(r, node);
	evaluate_region(r, region);
	s.n_input = evaluate_count_floats(r, param, region->n_param);
	s.n_result = evaluate_count_floats(r, region->result, region->n_result);
	int *input = NEW(r->arena, int, s.n_input), *result = NEW(r->arena, int, s.n_result);
	int *given = NEW(r->arena, int, jvp ? s.n_input : s.n_result),
	    *out = NEW(r->arena, int, jvp ? s.n_result : s.n_input);
	gather(r, param, region->n_param, input);
	gather(r, region->result, region->n_result, result);
	gather(r, direction, n_direction, given);
	s.input = input;
	s.result = result;
	int end = r->ev->n_scalar, n_given = jvp ? s.n_input : s.n_result, zero[DTYPE_COUNT];
	if (!(jvp ? trace_tangents : trace_adjoints)(r->ev, &s, given, out))
		r->ev->status = EVALUATE_LIMIT;
	const int *next = out;
	for (int d = 0; d < DTYPE_COUNT; d++)
		zero[d] = -1;
	for (int k = 0; k < node->n_out; k++) {
		enum dtype d = r->p->type[node->out + k].dtype;
		for (int i = 0, n = shape_elements(&r->p->type[node->out + k].shape); zero[d] < 0 && i < n; i++)
			if (next[i] < 0)
				zero[d] = absent_zero(r, &s, end, given, n_given, d);
		next = take_result(r, node, k, next, zero);
	}
	if (s.first < r->ev->n_scalar)
		mask_all(r->ev, s.first, out, jvp ? s.n_result : s.n_input);
}
