/* custom.c: passes over op custom.  They make its function plainer and write a new rule, because the old rule would be
 * wrong. */
#include "passes.h"

#include "engines/aot/aot.h"

/* The region of p, renumbered with new values of the case's program. */
static struct region as_region(struct edit *e, const struct program *p)
{
	struct edit from = {.c = {.program = program_copy(p, e->arena)}};
	int first = edit_new_values(e, p->type, p->n_value);
	struct site s;

	for (struct walk w = walk_nodes(&from.c.program.top); edit_next(&from, &w, &s);) {
		for (int i = 0; i < s.node->n_arg; i++)
			s.node->arg[i] += first;
		s.node->out += first;
		for (int r = 0; r < s.node->n_region; r++) {
			s.node->region[r].param += first;
			for (int i = 0; i < s.node->region[r].n_result; i++)
				s.node->region[r].result[i] += first;
		}
	}
	from.c.program.top.param += first;
	for (int i = 0; i < from.c.program.top.n_result; i++)
		from.c.program.top.result[i] += first;
	return from.c.program.top;
}

/* Gives the custom that function and a rule for it.  The function has as many parameters and results as the old one. */
static enum edit_result with_function(struct edit *e, struct node *n, const struct program *function)
{
	struct program rule;
	struct error error = {0};

	if (!program_check(function, &error) ||
	    !aot_rule(function, n->attrs.transform, &aot_rules_right, e->arena, &rule, &error))
		return EDIT_SKIP;
	n->region = NEW(e->arena, struct region, 2);
	n->region[0] = as_region(e, function);
	n->region[1] = as_region(e, &rule);
	return EDIT_TRY;
}

/* ---- functions ---- */

static struct program plain_function(struct edit *e, const struct node *n, int i, int j)
{
	const struct region *old = &n->region[0];
	struct builder b = {0};
	int param[LIMIT_ARGS] = {0}, y;

	build_begin(&b, e->arena);
	for (int k = 0; k < old->n_param; k++)
		param[k] = build_input(&b, edit_type(e, old->param + k));
	y = j < 0 ? param[i] : build_node(&b, OP_MUL, (const int[]){param[i], param[j]}, 2, NULL, NULL);
	return build_end(&b, &y, 1);
}

/* Replaces all results by result `which`. */
static void keep_result(struct edit *e, struct node *n, struct region *function, int which)
{
	for (int r = 1; r < n->n_out; r++)
		edit_replace(e, n->out + r, n->out);
	n->n_out = 1;
	function->result[0] = function->result[which];
	function->n_result = 1;
}

/* Keeps the first result alone.  It becomes parameter i, or the product of parameters i and j <= i. */
enum edit_result pass_plain_custom(struct edit *e, int k)
{
	enum { MOST_PARAMS = 3, HOWS = MOST_PARAMS * (MOST_PARAMS + 1) };
	int i = k % HOWS / (MOST_PARAMS + 1), j = k % (MOST_PARAMS + 1) - 1;
	struct program function;
	struct site s;
	struct node *n;

	if (!edit_site(e, k / HOWS, &s))
		return EDIT_END;
	n = s.node;
	if (n->op != OP_CUSTOM || i >= n->n_arg || j > i ||
	    !dtype_is_float(edit_type(e, n->region[0].param + i)->dtype) ||
	    (j >= 0 && !type_equal(edit_type(e, n->region[0].param + i), edit_type(e, n->region[0].param + j))))
		return EDIT_SKIP;
	keep_result(e, n, &n->region[0], 0);
	function = plain_function(e, n, i, j);
	return with_function(e, n, &function);
}

/* Shrinks the function.  First, operand k % 2 replaces node number k / 2.  Then an unused parameter k is removed.  Then
 * result k stays alone. */
enum edit_result pass_shrink_custom(struct edit *e, int k)
{
	enum { NODES = 16, HOWS = 2 * NODES + 2 * LIMIT_ARGS };
	struct edit f = {.arena = e->arena};
	int how = k % HOWS, param = how - 2 * NODES, result = param - LIMIT_ARGS;
	struct site s, inside;
	struct node *n;

	if (!edit_site(e, k / HOWS, &s))
		return EDIT_END;
	n = s.node;
	if (n->op != OP_CUSTOM)
		return EDIT_SKIP;
	/* The function captures nothing, so it is a program of its own. */
	f.c.program = e->c.program;
	f.c.program.top = n->region[0];
	f.c.program = program_copy(&f.c.program, e->arena);
	if (param < 0) {
		if (!edit_site(&f, how / 2, &inside) || how % 2 >= inside.node->n_arg || inside.node->n_out != 1 ||
		    !type_equal(edit_type(e, inside.node->out), edit_type(e, inside.node->arg[how % 2])))
			return EDIT_SKIP;
		edit_replace(&f, inside.node->out, inside.node->arg[how % 2]);
		edit_remove_node(inside.region, inside.index);
	} else if (result < 0) {
		if (param >= n->n_arg || n->n_arg == 1 || region_reads(&f.c.program.top, f.c.program.top.param + param))
			return EDIT_SKIP;
		edit_remove_param(&f, &f.c.program.top, param);
		edit_remove_item(n->arg, &n->n_arg, sizeof *n->arg, param);
	} else {
		if (result >= n->n_out || n->n_out == 1)
			return EDIT_SKIP;
		keep_result(e, n, &f.c.program.top, result);
	}
	f.c.program = program_renumber(&f.c.program, e->arena);
	f.c.program = program_drop_dead(&f.c.program, e->arena);
	return with_function(e, n, &f.c.program);
}
