/* layout.c: where the elements of results are stored: views that cost nothing, and the layouts of new memory. */
#include <string.h>

#include "parts.h"
#include "engines/kernels/kernels.h"

int view_fresh(const struct shape *s, const bool varies[LIMIT_RANK], struct view *out)
{
	int n = 1;

	out->offset = 0;
	for (int d = s->rank - 1; d >= 0; d--) {
		out->stride[d] = varies[d] ? n : 0;
		n *= varies[d] ? s->extent[d] : 1;
	}
	return n;
}

bool view_dense(const struct shape *s, const struct view *v)
{
	int n = 1;

	for (int d = s->rank - 1; d >= 0; d--) {
		if (s->extent[d] > 1 && v->stride[d] != n)
			return false;
		n *= s->extent[d];
	}
	return true;
}

void view_broadcast(const struct shape *from, const struct view *v, const struct shape *to, int stride[LIMIT_RANK])
{
	int missing = to->rank - from->rank;

	for (int d = 0; d < to->rank; d++)
		stride[d] = d < missing || from->extent[d - missing] != to->extent[d] ? 0 : v->stride[d - missing];
}

/* ---- layouts of new results ---- */

static void layout_dense(const struct layout_call *call, bool varies[LIMIT_RANK])
{
	(void)call;
	for (int d = 0; d < LIMIT_RANK; d++)
		varies[d] = true;
}

/*
 * An element depends only on the operands' elements at its own coordinates.  If none of them varies, it does not vary
 * either.
 */
static void layout_of_operands(const struct layout_call *call, bool varies[LIMIT_RANK])
{
	int rank = call->p->type[call->node->out].shape.rank;

	for (int d = 0; d < rank; d++) {
		varies[d] = false;
		for (int k = 0; k < call->node->n_arg; k++)
			varies[d] = varies[d] || call->operand[k][d] != 0;
	}
}

static void layout_iota(const struct layout_call *call, bool varies[LIMIT_RANK])
{
	for (int d = 0; d < LIMIT_RANK; d++)
		varies[d] = d == call->node->attrs.axis;
}

/* ---- views ---- */

static bool view_broadcast_to(
    const struct program *p, const struct node *node, const struct view *operand, struct view *out)
{
	*out = *operand;
	view_broadcast(&p->type[node->arg[0]].shape, operand, &p->type[node->out].shape, out->stride);
	return true;
}

/*
 * The result is a view if the axes of both shapes form runs of equal size, each evenly spaced in the operand.  Then
 * row-major order is kept.  Extents of 1 may be anywhere.
 */
static bool view_reshape(const struct program *p, const struct node *node, const struct view *operand, struct view *out)
{
	const struct shape *from = &p->type[node->arg[0]].shape, *to = &p->type[node->out].shape;
	int i = from->rank - 1, j = to->rank - 1;

	*out = *operand;
	memset(out->stride, 0, sizeof out->stride);
	if (shape_elements(to) == 0)
		return true;
	while (j >= 0) {
		int step, n, run;

		if (to->extent[j] == 1) {
			j--;
			continue;
		}
		while (from->extent[i] == 1)
			i--;
		step = operand->stride[i];
		n = from->extent[i];
		run = 1;
		/* Axes of `to` take from the run until it is used up.  The run grows by an axis that continues it. */
		while (j >= 0) {
			if (to->extent[j] == 1) {
				j--;
				continue;
			}
			while (n % (run * to->extent[j]) != 0 || run * to->extent[j] > n) {
				int next = i - 1;

				while (next >= 0 && from->extent[next] == 1)
					next--;
				if (next < 0 || operand->stride[next] != step * n)
					return false;
				n *= from->extent[next];
				i = next;
			}
			out->stride[j] = step * run;
			run *= to->extent[j--];
			if (run == n)
				break;
		}
		i--;
	}
	return true;
}

static bool view_transpose(
    const struct program *p, const struct node *node, const struct view *operand, struct view *out)
{
	*out = *operand;
	for (int d = 0; d < p->type[node->out].shape.rank; d++)
		out->stride[d] = operand->stride[node->attrs.axes[d]];
	return true;
}

/* Nothing reads an empty axis, so nothing moves along it.  So offsets stay inside the buffer. */
static void view_window(struct view *v, const struct shape *s, int d, int start, int step)
{
	if (shape_elements(s))
		v->offset += start * v->stride[d];
	v->stride[d] *= step;
}

static bool view_reverse(const struct program *p, const struct node *node, const struct view *operand, struct view *out)
{
	const struct shape *s = &p->type[node->out].shape;

	*out = *operand;
	for (int i = 0; i < node->attrs.n_axes; i++)
		view_window(out, s, node->attrs.axes[i], s->extent[node->attrs.axes[i]] - 1, -1);
	return true;
}

static bool view_squeeze(const struct program *p, const struct node *node, const struct view *operand, struct view *out)
{
	int rank = p->type[node->arg[0]].shape.rank, n = 0;

	*out = *operand;
	for (int d = 0; d < rank; d++) {
		bool dropped = false;

		for (int i = 0; i < node->attrs.n_axes; i++)
			dropped = dropped || node->attrs.axes[i] == d;
		if (!dropped)
			out->stride[n++] = operand->stride[d];
	}
	return true;
}

static bool view_slice(const struct program *p, const struct node *node, const struct view *operand, struct view *out)
{
	const struct shape *s = &p->type[node->out].shape;

	*out = *operand;
	for (int d = 0; d < s->rank; d++)
		view_window(out, s, d, node->attrs.start[d], node->attrs.stride[d]);
	return true;
}

/* ---- windows ---- */

static void window_slice_scatter(const struct program *p, const struct node *node, struct strided_window *out)
{
	const struct shape *s = &p->type[node->arg[1]].shape;

	for (int d = 0; d < s->rank; d++) {
		out->start[d] = node->attrs.start[d];
		out->step[d] = node->attrs.stride[d];
		out->size[d] = s->extent[d];
	}
}

static void window_pad(const struct program *p, const struct node *node, struct strided_window *out)
{
	const struct shape *s = &p->type[node->arg[0]].shape;

	for (int d = 0; d < s->rank; d++) {
		out->start[d] = node->attrs.low[d];
		out->step[d] = 1;
		out->size[d] = s->extent[d];
	}
}

/* ---- the table ---- */

static const struct compiled_rule by_family[] = {
    [FAMILY_BROADCAST_TO] = {layout_dense, view_broadcast_to, NULL, false},
    [FAMILY_RESHAPE] = {layout_dense, view_reshape, NULL, false},
    [FAMILY_TRANSPOSE] = {layout_dense, view_transpose, NULL, false},
    [FAMILY_REVERSE] = {layout_dense, view_reverse, NULL, false},
    [FAMILY_SQUEEZE] = {layout_dense, view_squeeze, NULL, false},
    [FAMILY_SLICE] = {layout_dense, view_slice, NULL, false},
    [FAMILY_SLICE_SCATTER] = {layout_dense, NULL, window_slice_scatter, true},
    [FAMILY_PAD] = {layout_dense, NULL, window_pad, true},
    [FAMILY_IOTA] = {layout_iota, NULL, NULL, true},
    [FAMILY_REDUCE] = {layout_dense, NULL, NULL, false},
};

static bool in_cells_of_their_own(const struct shape *s, const struct view *operand) { return view_dense(s, operand); }

static bool dies_there(int last, int position) { return last == position; }
static bool alive_in_step(int last, int first) { return last >= first; }
static int until_the_end(int last, int end) { return last > end ? last : end; }

static bool always_aside(int carry, int n)
{
	(void)carry, (void)n;
	return true;
}

/* ---- identities ---- */

static const struct {
	enum op op;
	int operand;
	double f;
} float_identity[] = {
    {OP_ADD, 0, -0.0},
    {OP_ADD, 1, -0.0},
    {OP_SUB, 1, 0.0},
    {OP_MUL, 0, 1},
    {OP_MUL, 1, 1},
    {OP_DIV, 1, 1},
};

static const struct {
	enum op op;
	int operand, i;
} int_identity[] = {
    {OP_ADD, 0, 0},
    {OP_ADD, 1, 0},
    {OP_SUB, 1, 0},
    {OP_MUL, 0, 1},
    {OP_MUL, 1, 1},
    {OP_DIV, 1, 1},
    {OP_BITWISE_OR, 0, 0},
    {OP_BITWISE_OR, 1, 0},
    {OP_BITWISE_XOR, 0, 0},
    {OP_BITWISE_XOR, 1, 0},
    {OP_BITWISE_AND, 0, -1},
    {OP_BITWISE_AND, 1, -1},
    {OP_SHIFT_LEFT, 1, 0},
    {OP_SHIFT_RIGHT, 1, 0},
    {OP_LOGICAL_AND, 0, 1},
    {OP_LOGICAL_AND, 1, 1},
    {OP_LOGICAL_OR, 0, 0},
    {OP_LOGICAL_OR, 1, 0},
    {OP_LOGICAL_XOR, 0, 0},
    {OP_LOGICAL_XOR, 1, 0},
};

static bool is_idempotent(enum op op)
{
	switch (op) {
	case OP_MAX:
	case OP_MIN:
	case OP_BITWISE_AND:
	case OP_BITWISE_OR:
	case OP_LOGICAL_AND:
	case OP_LOGICAL_OR:
		return true;
	default:
		return false;
	}
}

static bool same_op(const struct program *p, const struct node *a, const struct node *b)
{
	return a->op == b->op && node_attrs_equal(p, a, p, b);
}

static void add_identity(struct compiled_rules *out, enum op op, int operand, bool is_float, double f, int64_t i)
{
	struct identity *id = &out->identity[out->n_identity++];

	id->op = op;
	id->operand = operand;
	id->is_float = is_float;
	id->f = f;
	id->i = i;
}

void compiled_rules_init(struct compiled_rules *out)
{
	memset(out, 0, sizeof *out); /* padding too: mutants are distinguished from the correct rules by their bytes */
	out->same = same_op;
	out->overwrites = in_cells_of_their_own;
	out->dies = dies_there;
	out->alive = alive_in_step;
	out->outlives = until_the_end;
	out->sets_aside = always_aside;
	for (int op = 0; op < OP_COUNT; op++) {
		enum family family = op_table[op].family;

		struct compiled_rule *row = &out->row[op];

		row->layout = layout_dense;
		if (kernel_is_elementwise((enum op)op)) {
			row->layout = layout_of_operands;
			row->loops = true;
		} else if ((size_t)family < sizeof by_family / sizeof *by_family && by_family[family].layout) {
			row->layout = by_family[family].layout;
			row->view = by_family[family].view;
			row->window = by_family[family].window;
			row->loops = by_family[family].loops;
		}
		row->combine = (enum op)op;
		row->idempotent = is_idempotent((enum op)op);
	}
	for (size_t k = 0; k < sizeof float_identity / sizeof *float_identity; k++)
		add_identity(out, float_identity[k].op, float_identity[k].operand, true, float_identity[k].f, 0);
	for (size_t k = 0; k < sizeof int_identity / sizeof *int_identity; k++)
		add_identity(out, int_identity[k].op, int_identity[k].operand, false, 0, int_identity[k].i);
}
