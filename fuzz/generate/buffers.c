/* buffers.c: stores into buffers: anywhere, and in loops that carry a buffer. */
#include "loop.h"

/* A store may consume only a value of the innermost region. */
static bool fits_buffer(const struct gen *g, int value, const void *unused)
{
	return gen_fits_axes(g, value, unused) && g->info[value].depth == g->depth;
}

static bool fits_float_buffer(const struct gen *g, int value, const void *unused)
{
	return gen_is_float(g, value) && fits_buffer(g, value, unused);
}

/* A buffer: a value that may be in use elsewhere, or a copy of one. */
static int pick_buffer(struct gen *g)
{
	int v = choice_percent(g->c, 75) ? gen_pick(g, choice_percent(g->c, 8) ? fits_buffer : fits_float_buffer, NULL)
	                                 : -1;

	if (v < 0) {
		v = gen_pick(g, gen_fits_float_axes, NULL);
		v = v >= 0 && gen_fits(g, gen_elements(g, v)) ? gen_unary(g, OP_COPY, v) : -1;
	}
	return v >= 0 && gen_elements(g, v) <= GEN_ELEMENTS ? v : -1;
}

/* Computes something from the buffer before the store, whose derivative needs the old value later; or makes a view of
 * it. */
static void read_buffer(struct gen *g, int buffer)
{
	const struct attrs flat = {.shape = {.rank = 1, .extent = {gen_elements(g, buffer)}}};

	if (!gen_is_float(g, buffer))
		return;
	switch (choice_below(g->c, 4)) {
	case 0:
		gen_unary_on(g, buffer);
		break;
	case 1:
		gen_unary(g, OP_SQUARE, gen_tame(g, buffer));
		break;
	case 2:
		gen_binary_on(g, buffer);
		break;
	default:
		gen_node(g, OP_RESHAPE, &buffer, 1, &flat);
	}
}

/* Stores into a window of the buffer; -1 if nothing fits. */
static int store(struct gen *g, int buffer, int update, int starts)
{
	if (update == buffer)
		update = gen_unary(g, OP_COPY, update);
	return starts == buffer ? -1 : gen_node(g, OP_STORE, (const int[]){buffer, update, starts}, 3, NULL);
}

static int emit_once(struct gen *g)
{
	int buffer = pick_buffer(g), starts, times = choice_percent(g->c, 30) ? 2 : 1;
	struct attrs attrs = {0};
	struct shape size;
	struct type t;

	if (buffer < 0 || !gen_fits(g, gen_elements(g, buffer)))
		return -1;
	t = *gen_type(g, buffer);
	for (int k = 0; k < times && buffer >= 0; k++) {
		gen_window(g, &gen_type(g, buffer)->shape, &size);
		t.shape = size;
		if (choice_percent(g->c, 55))
			read_buffer(g, buffer);
		starts = gen_starts(g, size.rank);
		buffer = store(g, buffer, gen_value_of(g, &t), starts);
	}
	if (buffer < 0 || choice_percent(g->c, 65))
		return buffer;
	for (int d = 0; d < size.rank; d++)
		attrs.size[d] = size.extent[d];
	gen_node(g, OP_DYNAMIC_SLICE, (const int[]){buffer, starts}, 2, &attrs);
	return buffer;
}

/* ---- a table that a loop fills ---- */

/* The first contents of the table: a value, or one number everywhere. */
static int pick_table(struct gen *g)
{
	struct type t = {.dtype = g->dtype, .shape = {.rank = 1, .extent = {choice_between(g->c, 2, 5)}}};
	int v = choice_percent(g->c, 45) ? gen_pick(g, gen_fits_float_axes, NULL) : -1;

	if (v >= 0 && gen_elements(g, v) <= GEN_ELEMENTS / 4)
		return v;
	if (choice_percent(g->c, 25))
		t.shape = (struct shape){.rank = 2, .extent = {t.shape.extent[0], choice_between(g->c, 1, 3)}};
	v = gen_scalar(g, t.dtype, choice_percent(g->c, 60) ? 0 : gen_real(g, t.dtype));
	return gen_fits(g, shape_elements(&t.shape)) ? gen_as(g, v, &t) : -1;
}

/* The vector [position, 0, ...] of that length. */
static int row_starts(struct gen *g, int position, int rank)
{
	const struct attrs vector = {.shape = {.rank = 1, .extent = {1}}};
	int part[LIMIT_RANK];

	part[0] = gen_node(g, OP_RESHAPE, &position, 1, &vector);
	for (int d = 1; d < rank; d++) {
		int zero = gen_scalar(g, DTYPE_I64, 0);

		part[d] = gen_node(g, OP_RESHAPE, &zero, 1, &vector);
	}
	return rank == 1 ? part[0] : gen_node(g, OP_CONCATENATE, part, rank, &(struct attrs){.axis = 0});
}

/*
 * Iteration i writes a row of carry 0, which is a table.  Row i comes from values in scope, from a captured value, or
 * from row i - 1 (a running maximum, sum or product).  As a ring, row i mod n comes from its old contents.
 */
static void fill_row(struct gen *g, struct loop_draft *l, int counter)
{
	static const enum op joins[] = {OP_MAX, OP_ADD, OP_MUL, OP_MIN};
	int table = l->param[0], n, position = counter, starts, update = -1, kind = choice_below(g->c, 4), old = -1;
	struct type row = *gen_type(g, table);
	struct attrs size = {0};

	n = row.shape.extent[0];
	row.shape.extent[0] = 1;
	for (int d = 0; d < row.shape.rank; d++)
		size.size[d] = row.shape.extent[d];
	if (kind == 3)
		position = gen_with_scalar(g, OP_REMAINDER, counter, n);
	if (choice_percent(g->c, 40))
		read_buffer(g, table);
	if (kind >= 2) {
		int from = kind == 3 ? position : gen_with_scalar(g, OP_SUB, counter, 1);

		starts = row_starts(g, from, row.shape.rank);
		old = gen_node(g, OP_DYNAMIC_SLICE, (const int[]){table, starts}, 2, &size);
	}
	loop_fill(g, choice_below(g->c, 3));
	/* The random ops may have stored into the table too. */
	table = gen_latest(g, table);
	update = kind == 0 ? gen_as(g, gen_pick_from(g, l->pool_mark, gen_fits_float, NULL), &row)
	                   : gen_value_of(g, &row);
	if (old >= 0)
		update = gen_binary(g, joins[choice_below(g->c, 4)], old, update);
	starts = row_starts(g, position, row.shape.rank);
	store(g, table, gen_as(g, gen_tame(g, update), &row), starts);
}

static int emit_fill(struct gen *g)
{
	struct loop_draft l = {0};

	if (!loop_may_open(g) || g->depth >= g->p->depth_max)
		return -1;
	loop_add_carry(g, &l, pick_table(g));
	if (!l.n)
		return -1;
	if (choice_percent(g->c, 70))
		loop_add_carry(g, &l, loop_pick_init(g));
	return loop_emit_for(g, &l, fill_row);
}

int gen_emit_store(struct gen *g)
{
	int v = choice_percent(g->c, 35) ? emit_fill(g) : -1;

	return v >= 0 ? v : emit_once(g);
}
