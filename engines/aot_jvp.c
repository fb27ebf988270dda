/* aot_jvp.c: tangents travel with the values: every node is followed by its tangent, carries by theirs. */
#include <string.h>

#include "aot_parts.h"

static void push_region(struct aot *x, const struct region *region);

int aot_dual(struct aot *x, int v)
{
	return x->dual[v] >= 0 ? x->dual[v] : aot_zeros(x, &x->p->type[v]);
}

static void push_plain(struct aot *x, const struct node *node)
{
	int arg[LIMIT_ARGS], tangent[LIMIT_ARGS];

	aot_primal_node(x, node);
	x->dual[node->out] = -1;
	if (!x->active[node->out])
		return;
	for (int k = 0; k < node->n_arg; k++) {
		arg[k] = x->map[node->arg[k]];
		tangent[k] = x->active[node->arg[k]] ? aot_dual(x, node->arg[k]) : -1;
	}
	x->dual[node->out] = aot_rules[node->op].push(x, node, arg, x->map[node->out], tangent);
}

/* Lists of values with room for a primal and a tangent each, or of their types. */
enum { ROOM = 2 * LIMIT_ARGS + 1 };

/* Appends the tangents of the active ones among n values of p; `like` decides which are active. */
static int add_duals(struct aot *x, int *list, int n_list, const int *value, const int *like, int n)
{
	for (int k = 0; k < n; k++)
		if (x->active[like[k]])
			list[n_list++] = aot_dual(x, value[k]);
	return n_list;
}

static int add_primals(struct aot *x, int *list, int n_list, const int *value, int n)
{
	for (int k = 0; k < n; k++)
		list[n_list++] = x->map[value[k]];
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

/* Binds n values of p from v on to `value`, and the tangents of the active ones (by `like`) to what follows; gives what is next. */
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
		int result[ROOM], n;

		build_open(&x->b, NULL, 0);
		push_region(x, region);
		n = add_primals(x, result, 0, region->result, region->n_result);
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

/* Carries are followed by their tangents, then xs by theirs. */
static void open_loop_region(struct aot *x, const struct aot_loop *l, int first_param, bool index)
{
	struct type type[2 * ROOM];
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
	const struct aot_loop l = aot_loop_of(node);
	const int *param = numbers(x, l.first_param, l.n_carry + l.n_xs), *out = numbers(x, node->out, node->n_out);
	const int *xs = node->arg + l.first_arg + l.n_carry, *ys = l.body->result + l.n_carry;
	struct attrs attrs = node->attrs;
	int arg[2 * ROOM], result[2 * ROOM], n = 0, value;

	n = add_primals(x, arg, n, node->arg, l.first_arg + l.n_carry);
	n = add_duals(x, arg, n, node->arg + l.first_arg, param, l.n_carry);
	if (family == FAMILY_SCAN)
		attrs.carries = n;
	n = add_primals(x, arg, n, xs, l.n_xs);
	n = add_duals(x, arg, n, xs, param + l.n_carry, l.n_xs);

	if (family == FAMILY_WHILE) {
		int condition;

		open_loop_region(x, &l, node->region[0].param, false);
		aot_primal(x, &node->region[0]);
		condition = x->map[node->region[0].result[0]];
		build_close(&x->b, &condition, 1);
	}
	open_loop_region(x, &l, l.first_param, family == FAMILY_FOR);
	push_region(x, l.body);
	value = add_primals(x, result, 0, l.body->result, l.n_carry);
	value = add_duals(x, result, value, l.body->result, param, l.n_carry);
	value = add_primals(x, result, value, ys, l.n_ys);
	value = add_duals(x, result, value, ys, out + l.n_carry, l.n_ys);
	if (attrs.until)
		result[value++] = x->map[l.body->result[l.body->n_result - 1]];
	build_close(&x->b, result, value);

	value = aot_emit_regions(x, node->op, arg, n, &attrs);
	value = bind(x, node->out, param, l.n_carry, value);
	if (l.n_ys)
		bind(x, node->out + l.n_carry, out + l.n_carry, l.n_ys, value);
}

static void push_region(struct aot *x, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		if (!node->n_region)
			push_plain(x, node);
		else if (op_table[node->op].family == FAMILY_COND)
			push_cond(x, node);
		else
			push_loop(x, node);
	}
}

/* ---- the program ---- */

/* Inputs of p, then one for each wrt input with a derivative; sets activity. */
static void open_program(struct aot *x, const int *wrt, int n_wrt, bool tangents)
{
	const struct region *top = &x->p->top;

	for (int v = 0; v < x->p->n_value; v++)
		x->map[v] = x->dual[v] = -1;
	build_begin(&x->b, x->arena);
	for (int k = 0; k < top->n_param; k++)
		x->map[top->param + k] = build_input(&x->b, &x->p->type[top->param + k]);
	for (int k = 0; k < n_wrt; k++) {
		int v = top->param + wrt[k];

		x->active[v] = dtype_is_float(x->p->type[v].dtype);
		if (x->active[v] && tangents)
			x->dual[v] = build_input(&x->b, &x->p->type[v]);
	}
	aot_activate(x);
}

static struct aot *begin(const struct program *p, const int *wrt, int n_wrt, bool tangents, struct arena *a, struct error *e)
{
	struct aot *x = NEW(a, struct aot, 1);

	x->error = e;
	x->arena = a;
	x->p = p;
	x->active = NEW(a, bool, p->n_value);
	x->map = NEW(a, int, p->n_value);
	x->dual = NEW(a, int, p->n_value);
	x->saved = NEW(a, struct aot_saved, p->n_value);
	open_program(x, wrt, n_wrt, tangents);
	return x;
}

/* Ends the program unless it breaks a limit that program_check would name. */
static bool end(struct aot *x, const int *result, int n_result, struct program *out)
{
	int n_input = x->b.program.top.n_param;

	if (n_result > LIMIT_ARGS)
		return error_set(x->error, NULL, "derivative program: %d results, expected at most %d", n_result, LIMIT_ARGS);
	*out = build_end(&x->b, result, n_result);
	n_input = out->top.n_param;
	if (n_input > LIMIT_ARGS)
		return error_set(x->error, NULL, "derivative program: %d inputs, expected at most %d", n_input, LIMIT_ARGS);
	*out = aot_order(out, x->arena);
	if (program_nodes(out) > AOT_NODES)
		return error_set(
		    x->error, NULL, "derivative program: %d nodes, expected at most %d", program_nodes(out), AOT_NODES);
	if (program_work(out) > AOT_WORK)
		return error_set(x->error, NULL, "derivative program: work of %lld elements, expected at most %d",
		    (long long)program_work(out), AOT_WORK);
	return true;
}

bool aot_jvp(const struct program *p, const int *wrt, int n_wrt, struct arena *a, struct program *out, struct error *e)
{
	struct program plain = aot_inline(p, a);
	const struct region *top = &plain.top;
	struct aot *x = aot_without_apply(&plain, a, e) ? begin(&plain, wrt, n_wrt, true, a, e) : NULL;
	int result[ROOM], n;

	if (!x || setjmp(x->fail))
		return false;
	push_region(x, top);
	n = add_primals(x, result, 0, top->result, top->n_result);
	for (int k = 0; k < top->n_result; k++)
		if (dtype_is_float(plain.type[top->result[k]].dtype))
			result[n++] = aot_dual(x, top->result[k]);
	return end(x, result, n, out);
}

bool aot_vjp(const struct program *p, const int *wrt, int n_wrt, struct arena *a, struct program *out, struct error *e)
{
	struct program plain = aot_inline(p, a);
	const struct region *top = &plain.top;
	struct aot *x = aot_without_apply(&plain, a, e) ? begin(&plain, wrt, n_wrt, false, a, e) : NULL;
	int result[ROOM], n, seed[LIMIT_ARGS];

	if (!x || setjmp(x->fail))
		return false;
	for (int k = 0; k < top->n_result; k++)
		if (dtype_is_float(plain.type[top->result[k]].dtype))
			seed[k] = build_input(&x->b, &plain.type[top->result[k]]);
		else
			seed[k] = -1;
	aot_primal_saving(x, top);
	for (int k = 0; k < top->n_result; k++)
		aot_give(x, top->result[k], seed[k]);
	aot_pull_region(x, top);
	n = add_primals(x, result, 0, top->result, top->n_result);
	for (int k = 0; k < n_wrt; k++)
		if (dtype_is_float(plain.type[top->param + wrt[k]].dtype))
			result[n++] = aot_dual(x, top->param + wrt[k]);
	return end(x, result, n, out);
}
