/* custom_ways.c: see custom_ways.h. */
#include "custom_ways.h"
#include "custom_internal.h"
#include "trace_derive.h"

enum { ABSENT = -1 };

static int still(struct evaluation *ev, int x)
{
	return trace_scalar(ev, OP_STOP_GRADIENT, OP_STOP_GRADIENT, ev->scalar[x].dtype, &x, 1);
}

/* Binds the rule's parameters to x0, and lists x - x0. */
static void bind_operands(struct evaluation_run *r, const struct node *node, struct list *moved)
{
	for (int k = 0; k < node->n_arg; k++) {
		const struct elements *x = &r->env[node->arg[k]];
		const int size = shape_elements(&r->p->type[node->arg[k]].shape);
		const bool is_float = dtype_is_float(r->p->type[node->arg[k]].dtype);
		struct elements own = elements_new(r, size, false);

		for (int i = 0; i < size; i++) {
			element_copy(r, &own, size, i, x, i);
			if (!is_float)
				continue;
			const int pair[2] = {x->at[i].scalar, still(r->ev, x->at[i].scalar)};

			own.at[i].scalar = pair[1];
			moved->at[moved->n++] = trace_scalar(
			    r->ev, OP_SUB, OP_SUB, r->ev->scalar[pair[0]].dtype, pair, 2);
		}
		r->env[node->region[1].param + k] = own;
	}
}

/* Binds the rule's directions: to scalars of `given`, or to leaves of their own, which it lists in *out. */
static void bind_directions(
    struct evaluation_run *r, const struct node *node, const struct list *given, struct list *out)
{
	const struct region *rule = &node->region[1];
	int next = 0;

	for (int v = rule->param + node->n_arg; v < rule->param + rule->n_param; v++) {
		const struct type *type = &r->p->type[v];
		const int size = shape_elements(&type->shape);
		struct elements own = elements_new(r, size, false);

		for (int i = 0; i < size && dtype_is_float(type->dtype); i++, next++) {
			own.at[i].scalar = given ? given->at[next] : custom_direction(r->ev, type->dtype);
			out->at[out->n++] = own.at[i].scalar;
		}
		r->env[v] = own;
	}
}

/* For a vjp: the derivatives of the rule's results with respect to its cotangents, times `moved`. */
static bool transpose(struct evaluation_run *r, int first, const struct list *cotangent, const struct list *result,
    const struct list *moved, struct list *out)
{
	struct list present = list_new(r, result->n), along = list_new(r, result->n);

	for (int i = 0; i < result->n; i++) {
		if (result->at[i] < 0)
			continue;
		present.at[present.n++] = result->at[i];
		along.at[along.n++] = moved->at[i];
	}
	const struct stretch s = {first, cotangent->n, cotangent->at, present.n, present.at, CUSTOM_TRACE, false};
	out->n = cotangent->n;
	return trace_adjoints(r->ev, &s, along.at, out->at);
}

/* The choice between function and rule for scalar y; more: what the rule adds to its value, or absent. */
static int choice(struct evaluation *ev, int group, int y, int more)
{
	const enum dtype d = ev->scalar[y].dtype;
	int way[2] = {y, still(ev, y)};

	if (more != ABSENT) {
		const int sum[2] = {way[1], more};

		way[1] = trace_scalar(ev, OP_ADD, OP_ADD, d, sum, 2);
	}
	return trace_together(ev, d, way, 2, group);
}

bool custom_ways(struct evaluation_run *r, const struct node *node)
{
	struct evaluation *ev = r->ev;
	const struct region *f = &node->region[0], *rule = &node->region[1];
	const bool jvp = node->attrs.transform == DERIVATIVE_JVP;
	const int n_operand = evaluate_count_floats(r, node->arg, node->n_arg),
	          n_result = evaluate_count_floats(r, f->result, f->n_result), n_direction = jvp ? n_operand : n_result;
	struct list moved = list_new(r, n_operand), direction = list_new(r, n_direction),
	            given = list_new(r, jvp ? n_result : n_operand), more = list_new(r, n_result);

	bind_operands(r, node, &moved);
	const int first = ev->n_scalar;
	bind_directions(r, node, jvp ? &moved : NULL, &direction);
	evaluate_region(r, rule);
	list_floats(r, &given, rule->result, rule->n_result);
	if (!jvp && !transpose(r, first, &direction, &given, &moved, &more))
		return false;
	const int *by_rule = jvp ? given.at : more.at, group = ev->n_scalar;
	for (int k = 0, next = 0; k < f->n_result; k++) {
		const struct type *type = &r->p->type[f->result[k]];
		const int size = shape_elements(&type->shape);
		struct elements out = elements_new(r, size, false);

		for (int i = 0; i < size; i++) {
			element_copy(r, &out, size, i, &r->env[f->result[k]], i);
			if (dtype_is_float(type->dtype))
				out.at[i].scalar = choice(ev, group, out.at[i].scalar, by_rule[next++]);
		}
		r->env[node->out + k] = out;
	}
	return true;
}
