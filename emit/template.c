/* template.c: nodes and tensors by the templates of a target. */
#include "array.h"

#include <math.h>
#include <string.h>

const char *template_put(const char *text, key_fn *key, const void *self, struct arena *a)
{
	struct text out = {.arena = a};

	text_put_bytes(&out, "", 0);
	while (*text) {
		size_t len = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_0123456789");
		const char *by = *text == '{' && text[1 + len] == '}' ? key(self, text + 1, len) : NULL;

		if (by)
			text_put(&out, "%s", by);
		else
			text_put_bytes(&out, text, 1);
		text += by ? len + 2 : 1;
	}
	return out.at;
}

bool template_is(const char *key, size_t len, const char *name)
{
	return strlen(name) == len && !strncmp(key, name, len);
}

/* Pairs of a key and its text, ended by NULL. */
static const char *pair_key(const void *self, const char *key, size_t len)
{
	for (const char *const *pair = self; pair[0]; pair += 2)
		if (template_is(key, len, pair[0]))
			return pair[1];
	return NULL;
}

const char *template_with(const char *text, const char *const *pairs, struct arena *a)
{
	return template_put(text, pair_key, pairs, a);
}

/* ---- lists ---- */

static const char *bracketed(const char *const bracket[2], const char *const *item, int n, bool comma, struct arena *a)
{
	struct text out = {.arena = a};

	text_put(&out, "%s", bracket[0]);
	for (int k = 0; k < n; k++)
		text_put(&out, "%s%s", k ? ", " : "", item[k]);
	text_put(&out, "%s%s", comma && n == 1 ? "," : "", bracket[1]);
	return out.at;
}

const char *template_list(const char *const *item, int n, struct arena *a)
{
	return bracketed((const char *const[2]){"", ""}, item, n, false, a);
}

const char *template_tuple(const struct array_target *target, const char *const *item, int n, struct arena *a)
{
	return bracketed(target->tuple, item, n, target->comma, a);
}

static const char *integers(const struct array_target *target, const int *x, int n, bool shape, struct arena *a)
{
	const char *item[LIMIT_RANK];

	for (int k = 0; k < n; k++)
		item[k] = arena_printf(a, "%d", x[k]);
	return shape ? template_tuple(target, item, n, a)
	             : bracketed(target->list, item, n, target->comma && !strcmp(target->list[0], target->tuple[0]), a);
}

static const char *literal(const struct array_target *target, enum dtype d, union cell x, struct arena *a)
{
	if (d == DTYPE_BOOL)
		return target->truth[x.i != 0];
	if (!dtype_is_float(d))
		return arena_printf(a, "%lld", (long long)x.i);
	return isnan(x.f) ? target->nan : isinf(x.f) ? x.f > 0 ? target->inf : target->minus_inf : emit_decimal(x.f, a);
}

/* Writes nested lists of the elements from *next on. */
static void put_data(
    struct text *out, const struct array_target *target, const struct tensor *t, int axis, const union cell **next)
{
	if (axis == t->type.shape.rank) {
		text_put(out, "%s", literal(target, t->type.dtype, *(*next)++, out->arena));
		return;
	}
	text_put(out, "[");
	for (int k = 0; k < t->type.shape.extent[axis]; k++) {
		text_put(out, "%s", k ? ", " : "");
		put_data(out, target, t, axis + 1, next);
	}
	text_put(out, "]");
}

struct tensor_keys {
	const struct array_target *target;
	const struct tensor *t;
	struct arena *arena;
};

static const char *tensor_key(const void *self, const char *key, size_t len)
{
	const struct tensor_keys *x = self;
	const struct type *type = &x->t->type;

	if (template_is(key, len, "data")) {
		struct text out = {.arena = x->arena};
		const union cell *next = x->t->at;

		put_data(&out, x->target, x->t, 0, &next);
		return out.at;
	}
	if (template_is(key, len, "shape"))
		return integers(x->target, type->shape.extent, type->shape.rank, true, x->arena);
	return template_is(key, len, "type") ? x->target->dtype[type->dtype] : NULL;
}

const char *template_tensor(const struct array_target *target, const struct tensor *t, struct arena *a)
{
	const struct tensor_keys keys = {target, t, a};

	return template_put(shape_elements(&t->type.shape) ? target->tensor : target->empty, tensor_key, &keys, a);
}

/* ---- nodes ---- */

static bool fits(const struct template_node *x, enum form form)
{
	const struct node *node = x->node;
	const struct type *first = &x->p->type[node->n_arg ? node->arg[0] : node->out],
	                  *last = &x->p->type[node->n_arg ? node->arg[node->n_arg - 1] : node->out];

	switch (form) {
	case FORM_ANY:
		return true;
	case FORM_INT:
		return dtype_is_int(first->dtype);
	case FORM_TO_INT:
		return dtype_is_float(first->dtype) && dtype_is_int(node->attrs.dtype);
	case FORM_TO_BOOL:
		return node->attrs.dtype == DTYPE_BOOL;
	case FORM_LAST_CONSTANT:
		return x->constant[node->arg[node->n_arg - 1]] != NULL;
	case FORM_ONE_AXIS:
		return node->attrs.n_axes == 1;
	case FORM_LEADING:
		return node->attrs.axis == 0;
	case FORM_UNIT:
		for (int d = 0; d < first->shape.rank; d++)
			if (node->attrs.stride[d] != 1)
				return false;
		return true;
	case FORM_MATRICES:
		return first->shape.rank > 1 && last->shape.rank > 1;
	case FORM_SMALL:
		return first->shape.rank <= 2 && last->shape.rank <= 2;
	case FORM_SAME:
		for (int k = 1; k < node->n_arg; k++)
			if (!shape_equal(&x->p->type[node->arg[k]].shape, &first->shape))
				return false;
		return true;
	}
	return false;
}

const struct op_row *template_row(const struct template_node *x)
{
	for (int k = 0; k < x->target->n_row; k++)
		if (x->target->row[k].op == x->node->op && fits(x, x->target->row[k].form))
			return x->target->row[k].text ? &x->target->row[k] : NULL;
	return NULL;
}

const char *template_value(int v, struct arena *a) { return arena_printf(a, "v%d", v); }

/* The positions start + k*stride, k < size, as start:end:stride. */
static const char *slices(const struct node *node, const int *size, int rank, struct arena *a)
{
	struct text out = {.arena = a};

	for (int d = 0; d < rank; d++) {
		int start = node->attrs.start[d], stride = node->attrs.stride[d],
		    end = start + (size[d] - 1) * stride + (stride > 0 ? 1 : -1);

		text_put(&out, "%s", d ? ", " : "");
		if (!size[d])
			text_put(&out, "0:0");
		else if (end < 0)
			text_put(&out, "%d::%d", start, stride);
		else if (stride == 1)
			text_put(&out, "%d:%d", start, end);
		else
			text_put(&out, "%d:%d:%d", start, end, stride);
	}
	return out.at;
}

static const char *flips(const struct node *node, int rank, struct arena *a)
{
	struct text out = {.arena = a};

	for (int d = 0; d < rank; d++) {
		bool flip = false;

		for (int k = 0; k < node->attrs.n_axes; k++)
			flip = flip || node->attrs.axes[k] == d;
		text_put(&out, "%s%s", d ? ", " : "", flip ? "::-1" : ":");
	}
	return out.at;
}

/* Low and high of every axis, with the text `more` behind them. */
static const char *pads(const struct template_node *x, const char *more)
{
	const char *item[LIMIT_RANK];
	int rank = x->p->type[x->node->out].shape.rank;

	for (int d = 0; d < rank; d++)
		item[d] = arena_printf(x->arena, "%s%d, %d%s%s", x->target->tuple[0], x->node->attrs.low[d],
		    x->node->attrs.high[d], more, x->target->tuple[1]);
	return bracketed((const char *const[2]){"[", "]"}, item, rank, false, x->arena);
}

/* Elements of operand 1, a vector, as a list of scalars. */
static const char *starts(const struct template_node *x)
{
	const char *item[LIMIT_RANK];
	int rank = x->p->type[x->node->arg[0]].shape.rank;

	for (int d = 0; d < rank; d++)
		item[d] = arena_printf(x->arena, "v%d[%d]", x->node->arg[x->node->n_arg - 1], d);
	return bracketed((const char *const[2]){"[", "]"}, item, rank, false, x->arena);
}

static const char *repeated(const char *text, int n, struct arena *a)
{
	const char *out = "";

	while (n--)
		out = arena_printf(a, "%s%s", out, text);
	return out;
}

/*
 * The keys of a node:
 *
 *    0 1 2, args           operands; all of them
 *    out                   the result; it makes the template a line
 *    type, shape           of the result
 *    axis, axes, size, start, low    attributes
 *    keep                  keepdims
 *    const                 the last operand, a scalar
 *    colons                ":, " for each axis before `axis`
 *    every                 all axes
 *    slices                of slice and slice_scatter
 *    strides, span         of slice; span: from the first to the last position
 *    flips                 of reverse
 *    pads, pads_inner      of pad
 *    starts                of dynamic ops, a list of scalars
 */
static const char *node_key(const void *self, const char *key, size_t len)
{
	static const int numbers[LIMIT_RANK] = {0, 1, 2, 3};
	const struct template_node *x = self;
	const struct node *node = x->node;
	const struct attrs *at = &node->attrs;
	const struct type *t = &x->p->type[node->out];
	struct arena *a = x->arena;
	int rank = node->n_arg ? x->p->type[node->arg[0]].shape.rank : 0;

	if (len == 1 && *key >= '0' && *key < '0' + node->n_arg)
		return template_value(node->arg[*key - '0'], a);
	if (template_is(key, len, "args")) {
		const char *item[LIMIT_ARGS];

		for (int k = 0; k < node->n_arg; k++)
			item[k] = template_value(node->arg[k], a);
		return template_list(item, node->n_arg, a);
	}
	if (template_is(key, len, "out"))
		return template_value(node->out, a);
	if (template_is(key, len, "type"))
		return x->target->dtype[t->dtype];
	if (template_is(key, len, "shape"))
		return integers(x->target, t->shape.extent, t->shape.rank, true, a);
	if (template_is(key, len, "axis"))
		return arena_printf(a, "%d", at->axis);
	if (template_is(key, len, "axes"))
		return integers(x->target, at->axes, at->n_axes, false, a);
	if (template_is(key, len, "one_axis"))
		return arena_printf(a, "%d", at->axes[0]);
	if (template_is(key, len, "every"))
		return integers(x->target, numbers, rank, false, a);
	if (template_is(key, len, "keep"))
		return x->target->keep[at->keepdims];
	if (template_is(key, len, "size"))
		return integers(x->target, at->size, rank, false, a);
	if (template_is(key, len, "start"))
		return integers(x->target, at->start, rank, false, a);
	if (template_is(key, len, "strides"))
		return integers(x->target, at->stride, rank, false, a);
	if (template_is(key, len, "span")) {
		int span[LIMIT_RANK];

		for (int d = 0; d < rank; d++)
			span[d] = at->size[d] ? (at->size[d] - 1) * at->stride[d] + 1 : 0;
		return integers(x->target, span, rank, false, a);
	}
	if (template_is(key, len, "slices"))
		return slices(node, node->op == OP_SLICE ? at->size : x->p->type[node->arg[1]].shape.extent, rank, a);
	if (template_is(key, len, "flips"))
		return flips(node, rank, a);
	if (template_is(key, len, "pads"))
		return pads(x, "");
	if (template_is(key, len, "pads_inner"))
		return pads(x, ", 0");
	if (template_is(key, len, "starts"))
		return starts(x);
	if (template_is(key, len, "colons"))
		return repeated(":, ", at->axis, a);
	if (template_is(key, len, "const"))
		return literal(x->target, t->dtype, x->constant[node->arg[node->n_arg - 1]]->at[0], a);
	return NULL;
}

const char *template_node(const struct template_node *x, const struct op_row *row, bool *line)
{
	*line = strstr(row->text, "{out}");
	return template_put(row->text, node_key, x, x->arena);
}
