/* rare.c: ops that the other emitters seldom draw, each in a place where its value shows in a derivative. */
#include "generator.h"

/* How a rare op is emitted. */
enum rare { RARE_TAN, RARE_BITS, RARE_SCATTER, RARE_ORDER, RARE_STEP, RARE_LOGIC, RARE_REDUCE };

static const struct rare_row {
	enum op op;
	enum rare kind;
	int weight;
} rare_rows[] = {
    {OP_TAN, RARE_TAN, 11},
    {OP_BITWISE_AND, RARE_BITS, 9},
    {OP_BITWISE_OR, RARE_BITS, 17},
    {OP_BITWISE_XOR, RARE_BITS, 19},
    {OP_BITWISE_INVERT, RARE_BITS, 21},
    {OP_SHIFT_LEFT, RARE_BITS, 21},
    {OP_SHIFT_RIGHT, RARE_BITS, 20},
    {OP_REMAINDER, RARE_BITS, 8},
    {OP_SCATTER_MIN, RARE_SCATTER, 13},
    {OP_SCATTER_MAX, RARE_SCATTER, 13},
    {OP_ARGSORT, RARE_ORDER, 12},
    {OP_ARGMAX, RARE_ORDER, 3},
    {OP_FLOOR, RARE_STEP, 4},
    {OP_CEIL, RARE_STEP, 4},
    {OP_TRUNC, RARE_STEP, 4},
    {OP_ROUND, RARE_STEP, 4},
    {OP_LOGICAL_XOR, RARE_LOGIC, 9},
    {OP_LOGICAL_NOT, RARE_LOGIC, 3},
    {OP_REDUCE_MIN, RARE_REDUCE, 4},
};

enum { RARE_ROWS = sizeof(rare_rows) / sizeof(rare_rows[0]) };

/* x * f, where f passes no derivative on: the factor shows in the derivative of x. */
static int times(struct gen *g, int x, int f)
{
	struct type t;

	if (x < 0 || f < 0)
		return -1;
	t = (struct type){.dtype = gen_type(g, x)->dtype, .shape = gen_type(g, f)->shape};
	f = gen_as(g, f, &t);
	return f < 0 ? -1 : gen_binary(g, OP_MUL, x, f);
}

/* tan(x), with x between the poles. */
static int emit_tan(struct gen *g)
{
	int x = gen_tame(g, gen_pick_float(g));

	if (x >= 0 && range_magnitude(g->info[x].range) > 1.25)
		x = gen_with_scalar(g, OP_MUL, gen_unary(g, choice_percent(g->c, 50) ? OP_SIN : OP_ATAN, x), 0.75);
	return x < 0 ? -1 : gen_unary(g, OP_TAN, x);
}

/* 1 + floor(x), times x: the derivative is the integer. */
static int emit_step(struct gen *g, enum op op)
{
	int x = gen_tame(g, gen_pick_float(g)), v = x < 0 ? -1 : gen_unary(g, op, x);

	return times(g, x, gen_with_scalar(g, OP_ADD, v, 1));
}

/* select(p, x, c x), where p is a comparison joined with another, or negated. */
static int emit_logic(struct gen *g, enum op op)
{
	int x = gen_pick_float(g), p = gen_compare(g, x), q, scaled;

	if (x < 0 || p < 0)
		return -1;
	if (op == OP_LOGICAL_NOT) {
		p = gen_unary(g, op, p);
	} else {
		q = gen_compare(g, gen_pick_float(g));
		p = gen_binary(g, op, p, q);
	}
	scaled = gen_with_scalar(g, OP_MUL, x, gen_real(g, gen_type(g, x)->dtype));
	if (p < 0 || scaled < 0 || !gen_fits(g, gen_broadcast_elements(g, p, x)))
		return -1;
	return gen_node(g, OP_SELECT, (const int[]){p, x, scaled}, 3, NULL);
}

static int emit_reduce(struct gen *g, enum op op)
{
	int x = gen_pick(g, gen_fits_float_axes, NULL);
	struct attrs attrs = {.n_axes = 1};

	if (x < 0 || (gen_is_close(g, x) && gen_steady(g)))
		return -1;
	attrs.axes[0] = choice_below(g->c, gen_type(g, x)->shape.rank);
	return gen_node(g, op, &x, 1, &attrs);
}

int gen_emit_rare(struct gen *g)
{
	const struct rare_row *row;
	int weight[RARE_ROWS], v;

	for (int i = 0; i < RARE_ROWS; i++)
		weight[i] = rare_rows[i].weight;
	row = &rare_rows[choice_weighted(g->c, weight, RARE_ROWS)];
	switch (row->kind) {
	case RARE_TAN:
		return emit_tan(g);
	case RARE_BITS:
		v = gen_integer(g, row->op);
		return v < 0 || choice_percent(g->c, 25) ? v : times(g, gen_tame(g, gen_pick_float(g)), v);
	case RARE_SCATTER:
		return gen_scatter(g, row->op);
	case RARE_ORDER:
		return gen_order(g, row->op);
	case RARE_STEP:
		return emit_step(g, row->op);
	case RARE_LOGIC:
		return emit_logic(g, row->op);
	case RARE_REDUCE:
		return emit_reduce(g, row->op);
	}
	return -1;
}
