/* edit.c: editing a copy of a case, and making it a valid case again. */
#include "edit.h"

#include "fit.h"

#include <math.h>
#include <string.h>

/* ---- sites ---- */

bool edit_next(struct edit *e, struct walk *w, struct site *out)
{
	if (!walk_next(w))
		return false;
	*out = (struct site){&e->c.program.top, w->index, w->node, !w->depth};
	if (w->depth)
		out->region = &w->around[w->depth - 1].node->region[w->around[w->depth - 1].which];
	return true;
}

bool edit_site(struct edit *e, int k, struct site *out)
{
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, out);)
		if (w.number == k)
			return true;
	return false;
}

bool edit_site_last(struct edit *e, int k, struct site *out)
{
	return edit_site(e, program_nodes(&e->c.program) - 1 - k, out);
}

int edit_branch_of(const struct node *n, int value)
{
	return op_table[n->op].family == FAMILY_COND && region_defines(&n->region[1], value);
}

int edit_scope(struct edit *e, const struct site *s, const struct type *type, int *out, int max)
{
	const struct region *path[WALK_DEPTH + 2] = {&e->c.program.top}, *inner;
	struct walk w = walk_nodes(path[0]);
	int index[WALK_DEPTH + 2], n = 0, depth = 0;

	while ((inner = walk_region(&w)) && inner != s->region)
		;
	for (; depth < w.depth; depth++) {
		index[depth] = w.around[depth].index;
		path[depth + 1] = &w.around[depth].node->region[w.around[depth].which];
	}
	if (w.node && inner) {
		index[depth++] = w.index;
		path[depth] = inner;
	}
	index[depth] = s->index;
	for (int d = depth; d >= 0 && inner; d--)
		for (int i = 0; i < path[d]->n_param && n < max; i++)
			if (!type || type_equal(edit_type(e, path[d]->param + i), type))
				out[n++] = path[d]->param + i;
	for (int d = depth; d >= 0 && inner; d--)
		for (int i = index[d] - 1; i >= 0; i--)
			for (int k = 0; k < path[d]->node[i].n_out && n < max; k++)
				if (path[d]->node[i].op != OP_CONSTANT &&
				    (!type || type_equal(edit_type(e, path[d]->node[i].out + k), type)))
					out[n++] = path[d]->node[i].out + k;
	return n;
}

int edit_input_of_type(const struct edit *e, const struct type *t, int n)
{
	const struct region *top = &e->c.program.top;

	for (int i = 0; i < top->n_param; i++)
		if (type_equal(edit_type(e, top->param + i), t) && n-- == 0)
			return top->param + i;
	return -1;
}

/* ---- values and nodes ---- */

static void replace_in(int *list, int n, int from, int to)
{
	for (int i = 0; i < n; i++)
		if (list[i] == from)
			list[i] = to;
}

void edit_replace(struct edit *e, int from, int to)
{
	const struct region *r;

	for (struct walk w = walk_nodes(&e->c.program.top); (r = walk_region(&w));) {
		for (int i = 0; i < r->n_node; i++)
			replace_in(r->node[i].arg, r->node[i].n_arg, from, to);
		replace_in(r->result, r->n_result, from, to);
	}
}

void edit_remove_item(void *list, int *n, size_t size, int which)
{
	char *at = (char *)list + (size_t)which * size;

	memmove(at, at + size, (size_t)(*n - which - 1) * size);
	--*n;
}

void edit_remove_node(struct region *r, int index) { edit_remove_item(r->node, &r->n_node, sizeof *r->node, index); }

void edit_insert_node(struct edit *e, struct region *r, int index, const struct node *n)
{
	struct node *list = NEW(e->arena, struct node, r->n_node + 1);

	for (int i = 0; i < r->n_node; i++)
		list[i + (i >= index)] = r->node[i];
	list[index] = *n;
	r->node = list;
	r->n_node++;
}

int edit_new_values(struct edit *e, const struct type *type, int n)
{
	struct program *p = &e->c.program;
	struct type *all = NEW(e->arena, struct type, p->n_value + n);
	int first = p->n_value;

	for (int i = 0; i < first; i++)
		all[i] = p->type[i];
	for (int i = 0; i < n; i++)
		all[first + i] = type[i];
	p->type = all;
	p->n_value += n;
	return first;
}

int edit_insert_constant(struct edit *e, struct region *r, int index, const struct tensor *value)
{
	struct node n = {.op = OP_CONSTANT, .n_out = 1};

	n.attrs.value = *value;
	n.out = edit_new_values(e, &value->type, 1);
	edit_insert_node(e, r, index, &n);
	return n.out;
}

int edit_insert_fill(struct edit *e, struct region *r, int index, const struct type *type, double x)
{
	struct tensor t = tensor_new(e->arena, type);

	edit_fill(&t, x);
	return edit_insert_constant(e, r, index, &t);
}

int edit_insert_binary(
    struct edit *e, struct region *r, int index, enum op op, int left, int right, const struct type *type)
{
	struct node n = {.op = op, .n_arg = 2, .n_out = 1};

	n.arg = arena_copy(e->arena, (const int[]){left, right}, 2, sizeof *n.arg);
	n.out = edit_new_values(e, type, 1);
	edit_insert_node(e, r, index, &n);
	return n.out;
}

int edit_append(struct edit *e, struct region *r, enum op op, const int *arg, int n_arg, const struct attrs *attrs)
{
	struct node node = {.op = op, .n_arg = n_arg, .n_out = 1};
	struct type types[LIMIT_ARGS + 1];
	int n_type;

	if (attrs)
		node.attrs = *attrs;
	node.arg = arena_copy(e->arena, arg, (size_t)n_arg, sizeof *arg);
	if (!node_infer(&e->c.program, &node, types, &n_type, NULL) || n_type != 1)
		return -1;
	node.out = edit_new_values(e, types, 1);
	edit_insert_node(e, r, r->n_node, &node);
	return node.out;
}

/* Gives all values of a list except one new, consecutive numbers. */
static int renumber_without(struct edit *e, int first, int n, int which)
{
	struct type kept[LIMIT_ARGS + 1] = {0};
	int n_kept = 0, at;

	for (int i = 0; i < n; i++)
		if (i != which)
			kept[n_kept++] = *edit_type(e, first + i);
	at = edit_new_values(e, kept, n_kept);
	for (int i = 0, to = at; i < n; i++)
		if (i != which)
			edit_replace(e, first + i, to++);
	return at;
}

void edit_remove_param(struct edit *e, struct region *r, int which)
{
	r->param = renumber_without(e, r->param, r->n_param, which);
	r->n_param--;
}

void edit_remove_out(struct edit *e, struct node *n, int which)
{
	n->out = renumber_without(e, n->out, n->n_out, which);
	n->n_out--;
}

void edit_remove_result(struct region *r, int which)
{
	edit_remove_item(r->result, &r->n_result, sizeof *r->result, which);
}

/* ---- tensors ---- */

/* Stores x as a cell of dtype d; returns the stored number. */
double edit_round(enum dtype d, double x, union cell *out)
{
	out->i = 0;
	if (dtype_is_float(d)) {
		out->f = dtype_round(d, x);
		return out->f;
	}
	if (!(fabs(x) < 0x1p62))
		x = 0;
	out->i = dtype_wrap(d, (int64_t)x);
	return (double)out->i;
}

void edit_fill(struct tensor *t, double x)
{
	int n = shape_elements(&t->type.shape);

	for (int i = 0; i < n; i++)
		edit_round(t->type.dtype, x, &t->at[i]);
}

/* ---- the request ---- */

static void append_unit_seed(struct edit *e, struct transform *t, const struct type *type)
{
	struct tensor *seed = NEW(e->arena, struct tensor, t->n_seed + 1);

	for (int i = 0; i < t->n_seed; i++)
		seed[i] = t->seed[i];
	seed[t->n_seed] = tensor_new(e->arena, type);
	if (dtype_is_float(type->dtype))
		edit_fill(&seed[t->n_seed], 1);
	t->seed = seed;
	t->n_seed++;
}

int edit_add_input(struct edit *e, const struct tensor *value, bool wrt)
{
	struct testcase *c = &e->c;
	struct region *top = &c->program.top;
	struct type type[LIMIT_ARGS + 1];
	int n = top->n_param, first;

	for (int i = 0; i < n; i++)
		type[i] = *edit_type(e, top->param + i);
	type[n] = value->type;
	first = edit_new_values(e, type, n + 1);
	for (int i = 0; i < n; i++)
		edit_replace(e, top->param + i, first + i);
	top->param = first;
	top->n_param = n + 1;
	for (int p = 0; p < c->n_point; p++) {
		struct tensor *point = NEW(e->arena, struct tensor, n + 1);

		for (int i = 0; i < n; i++)
			point[i] = c->point[p][i];
		point[n] = tensor_copy(e->arena, value);
		c->point[p] = point;
	}
	for (int t = 0; wrt && t < c->n_transform; t++) {
		struct transform *tr = &c->transform[t];
		int *list;

		if (tr->kind == TRANSFORM_BATCH)
			continue;
		list = NEW(e->arena, int, tr->n_wrt + 1);
		for (int i = 0; i < tr->n_wrt; i++)
			list[i] = tr->wrt[i];
		list[tr->n_wrt++] = n;
		tr->wrt = list;
		if (tr->kind == TRANSFORM_JVP)
			append_unit_seed(e, tr, &value->type);
	}
	return first + n;
}

/* ---- finishing ---- */

/* The operand that replaces a bypassed node. */
static int bypass_operand(const struct node *n) { return op_table[n->op].family == FAMILY_SELECT ? 1 : 0; }

static bool infer_region(struct edit *e, struct region *r, bool *defined);

static bool infer_node(struct edit *e, struct node *n, bool *defined)
{
	struct program *p = &e->c.program;
	struct type types[LIMIT_ARGS + 1];
	struct error error = {0};
	int n_type;

	for (int w = 0; w < n->n_region; w++) {
		struct region *r = &n->region[w];

		if (!node_region_params(p, n, w, types, &n_type, &error) || n_type != r->n_param)
			return false;
		for (int i = 0; i < n_type; i++)
			p->type[r->param + i] = types[i];
		if (!infer_region(e, r, defined))
			return false;
	}
	if (!node_infer(p, n, types, &n_type, &error) || n_type != n->n_out)
		return false;
	for (int i = 0; i < n_type; i++) {
		p->type[n->out + i] = types[i];
		defined[n->out + i] = true;
	}
	return true;
}

static bool infer_region(struct edit *e, struct region *r, bool *defined)
{
	for (int i = 0; i < r->n_param; i++)
		defined[r->param + i] = true;
	for (int i = 0; i < r->n_node; i++) {
		struct node *n = &r->node[i];

		for (int k = 0; k < n->n_arg; k++)
			if (!defined[n->arg[k]])
				return false;
		if (infer_node(e, n, defined))
			continue;
		if (!e->lenient || n->n_region || !n->n_arg || n->n_out != 1)
			return false;
		edit_replace(e, n->out, n->arg[bypass_operand(n)]);
		edit_remove_node(r, i--);
	}
	for (int k = 0; k < r->n_result; k++)
		if (!defined[r->result[k]])
			return false;
	return true;
}

static struct tensor unit_seed(void *context, const struct type *t)
{
	struct edit *e = context;
	struct tensor seed = tensor_new(e->arena, t);

	if (dtype_is_float(t->dtype))
		edit_fill(&seed, 1);
	return seed;
}

bool edit_finish(struct edit *e, bool drop_dead)
{
	struct program *p = &e->c.program;
	bool *defined = NEW(e->arena, bool, p->n_value + 1);
	struct error error = {0};

	if (!infer_region(e, &p->top, defined) || !fit_case(&e->c, unit_seed, e, e->arena))
		return false;
	*p = program_renumber(p, e->arena);
	if (drop_dead)
		*p = program_drop_dead(p, e->arena);
	program_settle_stores(p, e->arena);
	return testcase_check(&e->c, &error);
}

/* ---- the same case in another dtype ---- */

static void recast(struct program *p, enum dtype d)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);) {
		struct attrs *a = &w.node->attrs;

		if (w.node->op == OP_CONSTANT && dtype_is_float(a->value.type.dtype)) {
			a->value.type.dtype = d;
			for (int k = 0, n = shape_elements(&a->value.type.shape); k < n; k++)
				a->value.at[k].f = dtype_round(d, a->value.at[k].f);
		}
		if ((op_table[w.node->op].attrs & ATTR_DTYPE) && dtype_is_float(a->dtype))
			a->dtype = d;
	}
}

const struct testcase *edit_in_dtype(struct arena *a, const struct testcase *c, enum dtype d)
{
	struct edit e = {.c = testcase_copy(c, a), .arena = a};
	struct program *p = &e.c.program;

	for (int i = 0; i < p->top.n_param; i++)
		if (dtype_is_float(p->type[p->top.param + i].dtype))
			p->type[p->top.param + i].dtype = d;
	recast(p, d);
	e.c.n_expect = 0;
	return edit_finish(&e, false) ? arena_copy(a, &e.c, 1, sizeof e.c) : NULL;
}
