/* lab_edit.c: see lab_edit.h. */
#include "lab_edit.h"
#include "graph/walk.h"

bool lab_is_float_input(const struct edit *e, int input)
{
	return input < e->c.program.top.n_param && dtype_is_float(edit_type(e, e->c.program.top.param + input)->dtype);
}

void lab_wrt(struct edit *e, const int *wrt, int n)
{
	struct testcase *c = &e->c;
	int kept = 0;

	for (int t = 0; t < c->n_transform; t++) {
		struct transform *tr = &c->transform[t];

		if (tr->kind == TRANSFORM_BATCH)
			continue;
		tr->wrt = arena_copy(e->arena, wrt, (size_t)n, sizeof *wrt);
		tr->n_wrt = n;
		/* The cotangents of the program's own results stay: a rule may be wrong for some and right for others.
		 */
		if (t || tr->kind != TRANSFORM_VJP)
			tr->n_seed = 0;
		c->transform[kept++] = *tr;
	}
	c->n_transform = kept;
}

void lab_take_request(struct lab *l, struct edit *e, const int *wrt, int n)
{
	e->c.n_transform = l->base->n_transform;
	e->c.transform = testcase_copy(l->base, e->arena).transform;
	for (int t = 0; t < e->c.n_transform; t++)
		e->c.transform[t].n_seed = 0;
	lab_wrt(e, wrt, n);
}

bool lab_find_loop(struct edit *e, struct site *s, struct node_loop *loop, int *carry)
{
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, s);) {
		*loop = node_loop(s->node);
		if (!s->top || !loop->is_loop)
			continue;
		for (*carry = 0; *carry < loop->n_carry; ++*carry)
			if (dtype_is_float(edit_type(e, s->node->arg[loop->first_arg + *carry])->dtype))
				return true;
	}
	return false;
}

static const char *ops_text(struct lab *l, const struct region *r)
{
	const char *text = "";

	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];

		if (n->op == OP_CONSTANT)
			continue;
		text = LAB_TEXT(l, "%s%s%s", text, *text ? ", " : "", op_table[n->op].name);
		for (int w = 0; w < n->n_region; w++)
			text = LAB_TEXT(l, "%s%s%s%s", text, w ? "; " : "(", ops_text(l, &n->region[w]),
			    w == n->n_region - 1 ? ")" : "");
	}
	return text;
}

const char *lab_ops(struct lab *l, struct edit *e) { return ops_text(l, &e->c.program.top); }

bool lab_batched(const struct lab *l)
{
	return request_order(l->base->transform, l->base->n_transform) < l->base->n_transform;
}

enum transform_kind lab_kind(const struct lab *l)
{
	const struct transform *t = request_outermost(l->base->transform, l->base->n_transform);

	return t ? t->kind : TRANSFORM_VJP;
}

enum dtype lab_dtype(const struct lab *l)
{
	const struct program *p = &l->base->program;

	for (int i = 0; i < p->top.n_param; i++)
		if (dtype_is_float(p->type[p->top.param + i].dtype))
			return p->type[p->top.param + i].dtype;
	return DTYPE_F64;
}

bool lab_has_family(struct lab *l, enum family f)
{
	struct edit sites = {.c = *l->base};
	struct site s;

	for (struct walk w = walk_nodes(&sites.c.program.top); edit_next(&sites, &w, &s);)
		if (op_table[s.node->op].family == f)
			return true;
	return false;
}

struct tensor lab_vector(struct lab *l, enum dtype d, const double *x, int n)
{
	struct type type = {d, {1, {n}}};
	struct tensor t = tensor_new(l->arena, &type);

	for (int i = 0; i < n; i++)
		edit_round(d, x[i], &t.at[i]);
	return t;
}

struct tensor lab_scalar(struct lab *l, enum dtype d, double x)
{
	struct tensor t = lab_vector(l, d, &x, 1);

	t.type.shape = shape_scalar();
	return t;
}
