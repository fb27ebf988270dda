/* parts.c: experiments with parts of tensors: slices and indices. */
#include <string.h>

#include "graph/walk.h"
#include "lab_edit.h"

/* ---- slices ---- */

/* A shape with the axis that is sliced, and the slice. */
static const struct probe {
	struct shape shape;
	int axis, start, stop;
} probes[] = {
    {{1, {3}}, 0, 0, 1},
    {{1, {3}}, 0, 1, 2},
    {{1, {6}}, 0, 0, 2},
    {{1, {6}}, 0, 1, 4},
    {{1, {6}}, 0, 3, 6},
    {{1, {6}}, 0, 0, 6},
    {{2, {2, 5}}, 1, 0, 3},
    {{2, {2, 5}}, 1, 2, 4},
    {{2, {2, 5}}, 0, 0, 1},
    {{2, {2, 5}}, 0, 1, 2},
    {{3, {4, 13, 33}}, 1, 0, 6},
    {{3, {2, 8, 16}}, 1, 0, 4},
    {{3, {1, 6, 100}}, 1, 0, 3},
    {{3, {3, 20, 7}}, 1, 5, 12},
    {{3, {1, 64, 16}}, 1, 0, 32},
    {{3, {1, 33, 257}}, 1, 0, 16},
    {{3, {7, 63, 33}}, 1, 0, 31},
};
enum { PROBES = sizeof probes / sizeof *probes, WHOLE = 16 };

/*
 * Builds a tensor of that shape from scalar input `input`: each element is the scalar plus a different number.  The
 * derivative with respect to the scalar is then the sum of the derivatives of all elements.  A whole tensor as an input
 * would fill the report.
 */
static int spread_input(struct edit *e, int input, enum dtype d, const struct shape *shape)
{
	struct attrs iota = {.dtype = d, .shape = {1, {shape_elements(shape)}}}, reshape = {.shape = *shape};
	int value = edit_append(e, &e->c.program.top, OP_IOTA, NULL, 0, &iota);

	value = edit_append(e, &e->c.program.top, OP_ADD, (const int[]){value, input}, 2, NULL);
	return edit_append(e, &e->c.program.top, OP_RESHAPE, &value, 1, &reshape);
}

/* Judges the derivative of slice_scatter(x, y), summed over the axis or not, with respect to x (which = 0) or y (1). */
static void try_scatter(struct lab *l, const struct probe *p, int which, bool summed, enum dtype d)
{
	struct shape part = p->shape;
	struct attrs scatter = {.start = {0}, .stride = {1, 1, 1, 1}}, reduce = {.n_axes = 1, .axes = {p->axis}};
	const bool whole = shape_elements(&p->shape) <= WHOLE;
	struct tensor input[2];
	struct type type = {d, p->shape};
	struct edit e;
	int x, y, out;
	char text[TYPE_TEXT];

	part.extent[p->axis] = p->stop - p->start;
	scatter.start[p->axis] = p->start;
	input[0] = lab_scalar(l, d, 0.5);
	input[1] = lab_scalar(l, d, 2);
	if (whole) {
		input[0] = tensor_new(l->arena, &type);
		input[1] = tensor_new(l->arena, &(struct type){d, part});
		edit_fill(&input[0], 0.5);
		edit_fill(&input[1], 2);
	}
	e = lab_fresh(l, input, 2);
	x = whole ? e.c.program.top.param : spread_input(&e, e.c.program.top.param, d, &p->shape);
	y = whole ? e.c.program.top.param + 1 : spread_input(&e, e.c.program.top.param + 1, d, &part);
	out = edit_append(&e, &e.c.program.top, OP_SLICE_SCATTER, (const int[]){x, y}, 2, &scatter);
	if (summed)
		out = edit_append(&e, &e.c.program.top, OP_REDUCE_SUM, &out, 1, &reduce);
	e.c.program.top.result[0] = out;
	e.c.program.top.n_result = 1;
	lab_request(&e, lab_kind(l), &which, 1);
	lab_try(l, &e,
	    (const char *const[]){LAB_TEXT(l, "%s", type_print(&type, text)), LAB_TEXT(l, "[%d:%d]", p->start, p->stop),
	        LAB_TEXT(l, "%d", p->axis), summed ? "sum along it" : "nothing", which ? "y" : "x"});
}

void experiment_slices(struct lab *l)
{
	const struct engine_scope scope = engine_scope(l->bench->engine[0]);

	lab_columns(l, (const char *const[]){"x", "slice", "axis", "then", "by"}, 5);
	if (!region_has_op(&l->base->program.top, OP_SLICE_SCATTER) && !lab_has_family(l, FAMILY_SLICE))
		return;
	for (int which = 0; which < 2; which++)
		for (int k = 0; k < PROBES; k++) {
			try_scatter(l, &probes[k], which, true, lab_dtype(l));
			if (!which && k < PROBES - 7)
				try_scatter(l, &probes[k], which, false, lab_dtype(l));
		}
	for (int d = 0; d < DTYPE_COUNT; d++)
		if (dtype_is_float((enum dtype)d) && scope.dtype[d])
			for (int k = PROBES - 7; k < PROBES - 3; k++)
				try_scatter(l, &probes[k], 0, true, (enum dtype)d);
}

/* ---- indices ---- */

static const char *const patterns[] = {
    "0, 1, 2", "2, 1, 0", "0, 0, 0", "0, 1, 0", "-1, 0, 1", "past the end", "far below 0"};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static int64_t pattern_index(int pattern, int k, int extent)
{
	switch (pattern) {
	case 0:
		return k % (extent ? extent : 1);
	case 1:
		return extent - 1 - k % (extent ? extent : 1);
	case 2:
		return 0;
	case 3:
		return k % 2;
	case 4:
		return k - 1;
	case 5:
		return extent + k;
	default:
		return -100 - k;
	}
}

/* The indices in operand `arg` of a node: a constant or an input at the point.  NULL: it is neither. */
static struct tensor *index_tensor(struct edit *e, int arg)
{
	struct region *top = &e->c.program.top;
	struct site s;

	if (arg >= top->param && arg < top->param + top->n_param)
		return &e->c.point[0][arg - top->param];
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);)
		if (s.node->op == OP_CONSTANT && s.node->out == arg)
			return &s.node->attrs.value;
	return NULL;
}

static bool takes_index(enum family f)
{
	return f == FAMILY_GATHER || f == FAMILY_TAKE_ALONG_AXIS || f == FAMILY_SCATTER || f == FAMILY_SCATTER_APPLY;
}

void experiment_indices(struct lab *l)
{
	static const char *const modes[MODE_COUNT] = {"clip", "drop", "wrap"};
	struct edit sites = lab_edit(l);
	struct site s;
	int at = -1;

	lab_columns(l, (const char *const[]){"op", "indices", "mode"}, 3);
	for (struct walk w = walk_nodes(&sites.c.program.top); at < 0 && edit_next(&sites, &w, &s);)
		if (takes_index(op_table[s.node->op].family))
			at = w.number;
	if (at < 0)
		return;
	for (int p = 0; p < PATTERNS; p++)
		for (int mode = 0; mode < MODE_COUNT; mode++) {
			struct edit e = lab_edit(l);
			struct tensor *t;
			const struct type *x;

			edit_site(&e, at, &s);
			t = index_tensor(&e, s.node->arg[1]);
			x = edit_type(&e, s.node->arg[0]);
			if (!t || !dtype_is_int(t->type.dtype) || !x->shape.rank)
				return;
			s.node->attrs.mode = (enum index_mode)mode;
			for (int i = 0, n = shape_elements(&t->type.shape); i < n; i++)
				t->at[i].i = dtype_wrap(
				    t->type.dtype, pattern_index(p, i, x->shape.extent[s.node->attrs.axis]));
			lab_try(l, &e, (const char *const[]){op_table[s.node->op].name, patterns[p], modes[mode]});
		}
}
