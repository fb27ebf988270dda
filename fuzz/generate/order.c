/* order.c: ops that order elements, copies and counting. */
#include "generator.h"

static bool fits_order(const struct gen *g, int value, const void *unused)
{
	return gen_fits_float_axes(g, value, unused) && !gen_is_close(g, value);
}

/*
 * Orders along an axis.  Positions are mostly used at once, to take elements of the ordered value or of a similar one.
 */
int gen_emit_order(struct gen *g)
{
	static const int weights[] = {6, 2, 3};
	static const enum op ops[] = {OP_SORT, OP_ARGSORT, OP_ARGMAX};

	return gen_order(g, ops[choice_weighted(g->c, weights, 3)]);
}

int gen_order(struct gen *g, enum op op)
{
	int x = gen_pick_axes(g), from, v;
	struct attrs attrs = {0};
	struct type t;

	if (x >= 0 && gen_is_close(g, x) && gen_steady(g))
		x = gen_pick(g, fits_order, NULL);
	if (x < 0 || !gen_fits(g, gen_elements(g, x)) || gen_type(g, x)->dtype == DTYPE_BOOL)
		return -1;
	t = *gen_type(g, x);
	attrs.axis = choice_below(g->c, t.shape.rank);
	if (!gen_lines_fit(g, x, attrs.axis))
		return -1;
	v = gen_node(g, op, &x, 1, &attrs);
	if (v < 0 || op == OP_SORT)
		return v;
	g->info[v].range = range_make(0, t.shape.extent[attrs.axis] - 1);
	if (choice_percent(g->c, 30))
		return v;
	from = choice_percent(g->c, 50) ? x : gen_value_of(g, &t);
	attrs.mode = gen_pick_mode(g);
	if (op == OP_ARGSORT)
		return gen_node(g, OP_TAKE_ALONG_AXIS, (const int[]){from, v}, 2, &attrs);
	if (!gen_fits(g, gen_elements(g, v) * gen_elements(g, x)))
		return v;
	return gen_node(g, OP_GATHER, (const int[]){from, v}, 2, &attrs);
}

/* A count along an axis: added to a value, multiplied by it, or used as positions in it. */
static int emit_iota(struct gen *g)
{
	int x = gen_pick(g, gen_fits_float_axes, NULL), v;
	struct attrs attrs = {.mode = gen_pick_mode(g)};
	bool positions = choice_percent(g->c, 30);

	if (x < 0 || !gen_fits(g, gen_elements(g, x)))
		return -1;
	attrs.dtype = positions ? (choice_percent(g->c, 50) ? DTYPE_I64 : DTYPE_I32) : gen_type(g, x)->dtype;
	attrs.shape = positions ? (struct shape){.rank = 1, .extent = {choice_between(g->c, 1, 4)}}
	                        : gen_type(g, x)->shape;
	attrs.axis = choice_below(g->c, attrs.shape.rank);
	v = gen_node(
	    g, OP_IOTA, NULL, 0, &(struct attrs){.dtype = attrs.dtype, .shape = attrs.shape, .axis = attrs.axis});
	if (v < 0)
		return -1;
	g->info[v].range = range_make(0, attrs.shape.extent[attrs.axis]);
	if (!positions)
		return gen_binary(g, choice_percent(g->c, 50) ? OP_ADD : OP_MUL, x, v);
	attrs.axis = choice_below(g->c, gen_type(g, x)->shape.rank);
	return gen_fits(g, gen_elements(g, x) * gen_elements(g, v))
	    ? gen_node(g, OP_GATHER, (const int[]){x, v}, 2, &(struct attrs){.axis = attrs.axis, .mode = attrs.mode})
	    : -1;
}

int gen_emit_copy(struct gen *g)
{
	int v;

	if (choice_percent(g->c, 50))
		return emit_iota(g);
	v = choice_percent(g->c, 12) ? gen_pick(g, choice_percent(g->c, 50) ? gen_fits_int : gen_fits_bool, NULL) : -1;
	if (v < 0)
		v = gen_pick_float(g);
	return v >= 0 && gen_fits(g, gen_elements(g, v)) ? gen_unary(g, OP_COPY, v) : -1;
}
