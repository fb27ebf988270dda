/* minimize_edit.c: editing a copy of a case, and making it a valid case again. */
#include "minimize_edit.h"

#include <math.h>
#include <string.h>

/* ---- sites ---- */

static int region_nodes(const struct region *r)
{
	int n = r->n_node;

	for (int i = 0; i < r->n_node; i++)
		for (int w = 0; w < r->node[i].n_region; w++)
			n += region_nodes(&r->node[i].region[w]);
	return n;
}

/* Counts *k down over the sites of r; true when it was found. */
static bool region_site(struct region *r, int *k, struct site *out)
{
	for (int i = 0; i < r->n_node; i++) {
		if ((*k)-- == 0) {
			*out = (struct site){.region = r, .index = i, .node = &r->node[i]};
			return true;
		}
		for (int w = 0; w < r->node[i].n_region; w++)
			if (region_site(&r->node[i].region[w], k, out))
				return true;
	}
	return false;
}

bool edit_site(struct edit *e, int k, struct site *out)
{
	if (k < 0 || !region_site(&e->c.program.top, &k, out))
		return false;
	out->top = out->region == &e->c.program.top;
	return true;
}

bool edit_site_last(struct edit *e, int k, struct site *out)
{
	return edit_site(e, region_nodes(&e->c.program.top) - 1 - k, out);
}

/* ---- values and nodes ---- */

static void region_replace(struct region *r, int from, int to)
{
	for (int i = 0; i < r->n_node; i++) {
		struct node *n = &r->node[i];

		for (int k = 0; k < n->n_arg; k++)
			if (n->arg[k] == from)
				n->arg[k] = to;
		for (int w = 0; w < n->n_region; w++)
			region_replace(&n->region[w], from, to);
	}
	for (int k = 0; k < r->n_result; k++)
		if (r->result[k] == from)
			r->result[k] = to;
}

void edit_replace(struct edit *e, int from, int to)
{
	region_replace(&e->c.program.top, from, to);
}

void edit_remove_item(void *list, int *n, size_t size, int which)
{
	char *at = (char *)list + (size_t)which * size;

	memmove(at, at + size, (size_t)(*n - which - 1) * size);
	--*n;
}

void edit_remove_node(struct region *r, int index)
{
	edit_remove_item(r->node, &r->n_node, sizeof *r->node, index);
}

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

	memcpy(all, p->type, (size_t)p->n_value * sizeof *all);
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

/* The values of a list but one get new, again consecutive numbers. */
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

struct loop edit_loop(const struct node *n)
{
	struct loop l = {.is_loop = true};

	switch (op_table[n->op].family) {
	case FAMILY_FOR:
		l.body = &n->region[0];
		l.first_arg = n->attrs.trip < 0;
		l.first_param = 1;
		l.n_carry = n->n_arg - l.first_arg;
		l.until = n->attrs.until;
		return l;
	case FAMILY_WHILE:
		l.body = &n->region[1];
		l.n_carry = n->n_arg;
		return l;
	case FAMILY_SCAN:
		l.body = &n->region[0];
		l.n_carry = n->attrs.carries;
		l.n_xs = n->n_arg - l.n_carry;
		l.n_ys = n->n_out - l.n_carry;
		l.until = n->attrs.until;
		return l;
	case FAMILY_CONSTANT: case FAMILY_UNARY: case FAMILY_BINARY: case FAMILY_COMPARE: case FAMILY_CLAMP: case FAMILY_SELECT:
	case FAMILY_CAST: case FAMILY_BROADCAST_TO: case FAMILY_RESHAPE: case FAMILY_TRANSPOSE: case FAMILY_REVERSE:
	case FAMILY_SQUEEZE: case FAMILY_SLICE: case FAMILY_SLICE_SCATTER: case FAMILY_DYNAMIC_SLICE:
	case FAMILY_DYNAMIC_UPDATE_SLICE: case FAMILY_PAD: case FAMILY_CONCATENATE: case FAMILY_GATHER:
	case FAMILY_TAKE_ALONG_AXIS: case FAMILY_SCATTER: case FAMILY_MASKED_SCATTER: case FAMILY_REDUCE:
	case FAMILY_CUMULATIVE: case FAMILY_MATMUL: case FAMILY_COND: case FAMILY_IOTA: case FAMILY_SORT: case FAMILY_ARGSORT:
	case FAMILY_ARGMAX: case FAMILY_CHECKPOINT: case FAMILY_SCATTER_APPLY:
		break;
	}
	return (struct loop){0};
}

/* ---- tensors ---- */

/* x as a cell of dtype d; returns what was stored. */
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

struct tensor edit_resize(struct arena *a, const struct tensor *from, const struct type *to)
{
	struct tensor t = tensor_new(a, to);
	const struct shape *f = &from->type.shape;
	bool was_float = dtype_is_float(from->type.dtype);
	int index[LIMIT_RANK] = {0}, stride[LIMIT_RANK], n = shape_elements(&to->shape);

	if (!shape_elements(f)) {
		edit_fill(&t, 1);
		return t;
	}
	shape_strides(f, stride);
	for (int i = 0; i < n; i++) {
		int at = 0;

		for (int d = 0; d < f->rank; d++) { /* axes are matched from the right */
			int o = d + to->shape.rank - f->rank;
			int k = o < 0 ? 0 : index[o];

			at += (k < f->extent[d] ? k : f->extent[d] - 1) * stride[d];
		}
		if (to->dtype == from->type.dtype)
			t.at[i] = from->at[at];
		else
			edit_round(to->dtype, was_float ? from->at[at].f : (double)from->at[at].i, &t.at[i]);
		shape_next(&to->shape, index);
	}
	return t;
}

/* ---- finishing ---- */

/* Which operand stands for a node that is bypassed. */
static int bypass_operand(const struct node *n)
{
	return op_table[n->op].family == FAMILY_SELECT ? 1 : 0;
}

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

static void fit_seed(struct edit *e, struct tensor *seed, const struct type *t)
{
	if (!type_equal(&seed->type, t))
		*seed = edit_resize(e->arena, seed, t);
	if (!dtype_is_float(t->dtype))
		edit_fill(seed, 0);
}

/* The points and seeds as the types that inputs and results have now. */
static bool fit_data(struct edit *e)
{
	struct testcase *c = &e->c;
	const struct program *p = &c->program;
	const struct region *top = &p->top;
	struct type out[LIMIT_ARGS];
	int n_out = top->n_result;

	for (int k = 0; k < c->n_point; k++)
		for (int i = 0; i < top->n_param; i++)
			if (!type_equal(&c->point[k][i].type, &p->type[top->param + i]))
				c->point[k][i] = edit_resize(e->arena, &c->point[k][i], &p->type[top->param + i]);
	/* A transform's cotangents belong to the outputs below it: results, or the derivatives of the transform below. */
	for (int i = 0; i < n_out; i++)
		out[i] = p->type[top->result[i]];
	for (int k = 0; k < c->n_transform; k++) {
		struct transform *t = &c->transform[k];
		bool jvp = t->kind == TRANSFORM_JVP;

		if (t->kind == TRANSFORM_BATCH)
			continue;
		for (int i = 0; i < t->n_wrt; i++)
			if (t->wrt[i] < 0 || t->wrt[i] >= top->n_param)
				return false;
		if (t->n_seed != (jvp ? t->n_wrt : n_out))
			return false;
		for (int i = 0; i < t->n_seed; i++)
			fit_seed(e, &t->seed[i], jvp ? &p->type[top->param + t->wrt[i]] : &out[i]);
		for (int i = 0; !jvp && i < t->n_wrt; i++)
			out[i] = p->type[top->param + t->wrt[i]];
		n_out = jvp ? n_out : t->n_wrt;
	}
	return true;
}

bool edit_finish(struct edit *e, bool drop_dead)
{
	struct program *p = &e->c.program;
	bool *defined = NEW(e->arena, bool, p->n_value + 1);
	struct error error = {0};

	if (!infer_region(e, &p->top, defined) || !fit_data(e))
		return false;
	*p = program_renumber(p, e->arena);
	if (drop_dead)
		*p = program_drop_dead(p, e->arena);
	return testcase_check(&e->c, &error);
}
