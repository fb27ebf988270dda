/* jvp.c: the tangents travel with the values.  Every node is followed by its tangent, and carries by theirs. */
#include <string.h>

#include "parts.h"

int aot_dual(struct aot *x, int v) { return x->dual[v] >= 0 ? x->dual[v] : aot_zeros(x, &x->p->type[v]); }

static void push_plain(struct aot *x, const struct node *node)
{
	const struct aot_rule *rule = &x->rules->row[node->op];
	int arg[LIMIT_ARGS], tangent[LIMIT_ARGS];

	aot_primal_node(x, node);
	x->dual[node->out] = -1;
	if (!x->active[node->out])
		return;
	for (int k = 0; k < node->n_arg; k++) {
		arg[k] = x->map[node->arg[k]];
		tangent[k] = x->active[node->arg[k]] ? aot_dual(x, node->arg[k]) : -1;
		if (tangent[k] >= 0 && rule->unscaled && !(rule->unscaled >> k & 1))
			tangent[k] = aot_scaled(x, tangent[k], rule->scale);
	}
	x->dual[node->out] = aot_scaled(
	    x, rule->push(x, node, arg, x->map[node->out], tangent), rule->unscaled ? 1 : rule->scale);
}

/* Appends the tangents of the active values among n values of p; `like` decides which are active. */
static int add_duals(struct aot *x, int *list, int n_list, const int *value, const int *like, int n)
{
	for (int k = 0; k < n; k++)
		if (x->active[like[k]])
			list[n_list++] = aot_dual(x, value[k]);
	return n_list;
}

/* first, first + 1, ... as a list. */
static const int *numbers(struct aot *x, int first, int n)
{
	int *list = NEW(x->arena, int, n);

	for (int k = 0; k < n; k++)
		list[k] = first + k;
	return list;
}

/*
 * Binds n values of p from v on to `value` and the following ones.  Then it binds the tangents of the active values (by
 * `like`).  Returns the next free value.
 */
static int bind(struct aot *x, int v, const int *like, int n, int value)
{
	for (int k = 0; k < n; k++)
		x->map[v + k] = value++;
	for (int k = 0; k < n; k++)
		x->dual[v + k] = x->active[like[k]] ? value++ : -1;
	return value;
}

static void push_cond(struct aot *x, const struct node *node)
{
	const int *out = numbers(x, node->out, node->n_out);

	for (int r = 0; r < 2; r++) {
		const struct region *region = &node->region[r];
		int result[AOT_ROOM], n;

		build_open(&x->b, NULL, 0);
		aot_push_region(x, region);
		n = aot_add_primals(x, result, 0, region->result, region->n_result);
		n = add_duals(x, result, n, region->result, out, region->n_result);
		build_close(&x->b, result, n);
	}
	bind(x, node->out, out, node->n_out, aot_emit_regions(x, OP_COND, &x->map[node->arg[0]], 1, NULL));
}

/* Types of n parameters from v on, and of the tangents of the active ones. */
static int add_types(const struct aot *x, struct type *list, int n_list, int v, int n)
{
	for (int k = 0; k < n; k++)
		list[n_list++] = x->p->type[v + k];
	for (int k = 0; k < n; k++)
		if (x->active[v + k])
			list[n_list++] = x->p->type[v + k];
	return n_list;
}

/* Opens the region of a loop.  Carries are followed by their tangents, then xs by theirs. */
static void open_loop_region(struct aot *x, const struct node_loop *l, int first_param, bool index)
{
	struct type type[2 * AOT_ROOM];
	int n = 0, value;

	if (index)
		type[n++] = (struct type){.dtype = DTYPE_I64};
	n = add_types(x, type, n, l->first_param, l->n_carry);
	n = add_types(x, type, n, l->first_param + l->n_carry, l->n_xs);
	value = build_open(&x->b, type, n);
	if (index)
		x->map[l->body->param] = value++;
	value = bind(x, first_param, numbers(x, l->first_param, l->n_carry), l->n_carry, value);
	if (l->n_xs)
		bind(x, first_param + l->n_carry, numbers(x, l->first_param + l->n_carry, l->n_xs), l->n_xs, value);
}

static void push_loop(struct aot *x, const struct node *node)
{
	enum family family = op_table[node->op].family;
	const struct node_loop l = node_loop(node);
	const int *param = numbers(x, l.first_param, l.n_carry + l.n_xs), *out = numbers(x, node->out, node->n_out);
	const int *xs = node->arg + l.first_arg + l.n_carry, *ys = l.body->result + l.n_carry;
	struct attrs attrs = node->attrs;
	int arg[2 * AOT_ROOM], result[2 * AOT_ROOM], n = 0, value;

	n = aot_add_primals(x, arg, n, node->arg, l.first_arg + l.n_carry);
	n = add_duals(x, arg, n, node->arg + l.first_arg, param, l.n_carry);
	if (family == FAMILY_SCAN)
		attrs.carries = n;
	n = aot_add_primals(x, arg, n, xs, l.n_xs);
	n = add_duals(x, arg, n, xs, param + l.n_carry, l.n_xs);

	if (family == FAMILY_WHILE) {
		int condition;

		open_loop_region(x, &l, node->region[0].param, false);
		aot_primal(x, &node->region[0]);
		condition = x->map[node->region[0].result[0]];
		build_close(&x->b, &condition, 1);
	}
	open_loop_region(x, &l, l.first_param, family == FAMILY_FOR);
	aot_push_region(x, l.body);
	value = aot_add_primals(x, result, 0, l.body->result, l.n_carry);
	value = add_duals(x, result, value, l.body->result, param, l.n_carry);
	value = aot_add_primals(x, result, value, ys, l.n_ys);
	value = add_duals(x, result, value, ys, out + l.n_carry, l.n_ys);
	if (attrs.until)
		result[value++] = x->map[l.body->result[l.body->n_result - 1]];
	build_close(&x->b, result, value);

	value = aot_emit_regions(x, node->op, arg, n, &attrs);
	value = bind(x, node->out, param, l.n_carry, value);
	if (l.n_ys)
		bind(x, node->out + l.n_carry, out + l.n_carry, l.n_ys, value);
}

void aot_push_region(struct aot *x, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		if (!node->n_region)
			push_plain(x, node);
		else if (op_table[node->op].family == FAMILY_COND)
			push_cond(x, node);
		else if (node->op == OP_CUSTOM)
			aot_push_custom(x, node);
		else
			push_loop(x, node);
	}
}
