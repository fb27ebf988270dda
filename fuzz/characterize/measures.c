/* measures.c: see measures.h. */
#include "measures.h"

#include <math.h>
#include <string.h>

#include "facts.h"
#include "fuzz/edit/edit.h"

enum { MEASURES = 512 };

static const struct measure_row {
	enum measure_unit unit;
	const char *text[2][2]; /* above, at most; of the threshold 0, of others */
} rows[] = {
#define MEASURE(id, unit, some, more, none, most) {MEASURE_UNIT_##unit, {{none, most}, {some, more}}},
#include "measures.def"
#undef MEASURE
};

enum measure_unit measure_unit(enum measure_id id) { return rows[id].unit; }

/* ---- texts ---- */

static const char *count_word(int n, struct arena *a)
{
	static const char *const words[] = {"no", "one", "two", "three", "four", "five", "six"};

	return n >= 0 && n < (int)(sizeof words / sizeof *words) ? words[n] : arena_printf(a, "%d", n);
}

/* The text without brackets: of [one|many], the noun for that number. */
static char *with_noun(const char *text, bool one, struct arena *a)
{
	const char *open = strchr(text, '['), *bar = open ? strchr(open, '|') : NULL,
	           *close = bar ? strchr(bar, ']') : NULL;
	const char *noun, *end;

	if (!close)
		return arena_printf(a, "%s", text);
	noun = one ? open + 1 : bar + 1;
	end = one ? bar : close;
	return arena_printf(a, "%.*s%.*s%s", (int)(open - text), text, (int)(end - noun), noun, close + 1);
}

const char *measure_text(
    enum measure_id id, bool above, double threshold, const char *op, const char *operand, struct arena *a)
{
	const struct measure_row *row = &rows[id];
	const double n = row->unit == MEASURE_UNIT_BELOW ? -threshold : threshold;
	const char *text = "", *from = row->text[above][threshold != 0];

	if (!*from)
		return NULL;
	for (const char *at; (at = strchr(from, '%')); from = at + 2)
		text = arena_printf(a, "%s%.*s%s", text, (int)(at - from), from,
		    at[1] == 'o'                          ? op
		        : at[1] == 'k'                    ? operand
		        : row->unit == MEASURE_UNIT_COUNT ? count_word((int)n, a)
		                                          : arena_printf(a, "%.4g", n));
	return with_noun(arena_printf(a, "%s%s", text, from), n == 1, a);
}

/* ---- nodes ---- */

void measures_put(struct facts *f, enum measure_id id, const struct node *n, int operand, double x)
{
	for (int i = 0; i < f->n_measure; i++) {
		struct node_measure *m = &f->measure[i];

		if (m->id == id && m->op == n->op && m->operand == operand) {
			m->x = fmax(m->x, x);
			return;
		}
	}
	if (f->n_measure < MEASURES)
		f->measure[f->n_measure++] = (struct node_measure){id, n->op, operand, x};
}

/* A number, and whether it is odd, or no multiple of others: rows of MEASURE_SIZE in measures.def. */
static void put_size(struct facts *f, enum measure_id id, enum measure_id odd, const struct node *n, int operand, int x)
{
	measures_put(f, id, n, operand, x);
	measures_put(f, odd, n, operand, x % 2 != 0);
	measures_put(f, (enum measure_id)(odd + 1), n, operand, x % 3 != 0);
	measures_put(f, (enum measure_id)(odd + 2), n, operand, x % 4 != 0);
	measures_put(f, (enum measure_id)(odd + 3), n, operand, x % 8 != 0);
}
#define PUT_SIZE(f, id, n, operand, x) put_size(f, MEASURE_##id, MEASURE_##id##_ODD, n, operand, x)

static bool orders(enum family f) { return f == FAMILY_SORT || f == FAMILY_REDUCE || f == FAMILY_CUMULATIVE; }

static void of_value(struct facts *f, const struct node *n, int k)
{
	const struct element_span *s = &f->elements[n->out].operand[k];

	if (!s->known)
		return;
	measures_put(f, MEASURE_SMALL, n, k, -s->low);
	measures_put(f, MEASURE_LARGE, n, k, s->high);
	measures_put(f, MEASURE_NEAR, n, k, -s->near);
	measures_put(f, MEASURE_FAR, n, k, s->far);
	measures_put(f, MEASURE_BELOW_ONE, n, k, s->below_one);
	measures_put(f, MEASURE_ABOVE_MINUS_ONE, n, k, s->above_minus_one);
	measures_put(f, MEASURE_FRACTIONS, n, k, s->fractions);
	measures_put(f, MEASURE_INTEGERS, n, k, s->integers);
	measures_put(f, MEASURE_ODDS, n, k, s->odds);
	measures_put(f, MEASURE_EVENS, n, k, s->evens);
	measures_put(f, MEASURE_ZEROS, n, k, s->zeros);
	if (op_table[n->op].family == FAMILY_SORT) {
		measures_put(f, MEASURE_DESCENTS, n, k, s->descents);
		measures_put(f, MEASURE_CYCLE, n, -1, s->cycles > 0);
		measures_put(f, MEASURE_LINES_APART, n, -1, s->apart > 0);
	}
	s = &f->elements[n->out].tangent[k];
	if (s->known) {
		measures_put(f, MEASURE_TANGENT_SMALL, n, k, -s->low);
		measures_put(f, MEASURE_TANGENT_LARGE, n, k, s->high);
		measures_put(f, MEASURE_TANGENT_NEAR, n, k, -s->near);
		measures_put(f, MEASURE_TANGENT_FAR, n, k, s->far);
	}
	s = &f->elements[n->out].operand[k];
	if (orders(op_table[n->op].family))
		measures_put(f, MEASURE_TIES, n, k, s->ties);
}

/* Predicates, masks, indices and starts. */
static void of_integers(struct facts *f, const struct node *n, int k)
{
	const struct element_span *s = &f->elements[n->out].operand[k];
	const struct type *t = &f->c->program.type[n->arg[k]];

	if (!s->known)
		return;
	if (t->dtype == DTYPE_BOOL) {
		measures_put(f, MEASURE_TRUES, n, k, s->odds);
		measures_put(f, MEASURE_FALSES, n, k, s->zeros);
		measures_put(f, MEASURE_LATE_TRUES, n, k, s->late);
		measures_put(f, MEASURE_MIXED, n, k, s->odds && s->zeros);
		return;
	}
	measures_put(f, MEASURE_SMALL, n, k, -s->low);
	measures_put(f, MEASURE_LARGE, n, k, s->high);
	measures_put(f, MEASURE_ZEROS, n, k, s->zeros > 0);
	measures_put(f, MEASURE_ODDS, n, k, s->odds);
	measures_put(f, MEASURE_EVENS, n, k, s->evens);
	if (t->shape.rank)
		measures_put(f, MEASURE_FIRST, n, k, s->first);
}

/* The extents and elements of the result, and the elements of its cotangent if they are known. */
static void of_result(struct facts *f, const struct node *n)
{
	const struct element_span *y = &f->elements[n->out].result, *c = &f->elements[n->out].cotangent;
	const struct shape *s = &f->c->program.type[n->out].shape;

	measures_put(f, MEASURE_RESULT_RANK, n, -1, s->rank);
	for (int d = 0; d < s->rank; d++)
		PUT_SIZE(f, RESULT_EXTENT, n, -1, s->extent[d]);

	if (y->known) {
		measures_put(f, MEASURE_RESULT_SMALL, n, -1, -y->low);
		measures_put(f, MEASURE_RESULT_LARGE, n, -1, y->high);
		measures_put(f, MEASURE_RESULT_NEAR, n, -1, -y->near);
		measures_put(f, MEASURE_RESULT_FAR, n, -1, y->far);
	}
	if (c->known) {
		measures_put(f, MEASURE_COTANGENT_SMALL, n, -1, -c->low);
		measures_put(f, MEASURE_COTANGENT_LARGE, n, -1, c->high);
		measures_put(f, MEASURE_COTANGENT_NEAR, n, -1, -c->near);
		measures_put(f, MEASURE_COTANGENT_FAR, n, -1, c->far);
	}
}

/* Whether a float operand, of several, is not differentiated. */
static void of_fixed(struct facts *f, const struct node *n)
{
	int floats = 0, fixed = 0;

	for (int k = 0; k < n->n_arg; k++) {
		const bool is_float = dtype_is_float(f->c->program.type[n->arg[k]].dtype);

		floats += is_float;
		fixed += is_float && !f->reached[n->arg[k]];
	}
	if (floats > 1)
		measures_put(f, MEASURE_SOME_FIXED, n, -1, fixed > 0);
}

static void of_operands(struct facts *f, const struct node *n)
{
	const struct program *p = &f->c->program;
	const enum family family = op_table[n->op].family;
	const bool joins = family == FAMILY_BINARY || family == FAMILY_SELECT || family == FAMILY_CLAMP ||
	    family == FAMILY_BROADCAST_TO;

	of_fixed(f, n);
	for (int k = 0; k < n->n_arg; k++) {
		const int v = n->arg[k];
		const struct shape *s = &p->type[v].shape;
		bool is_param = v >= p->top.param && v < p->top.param + p->top.n_param;

		if (!dtype_is_float(p->type[v].dtype)) {
			if (k < SPAN_OPERANDS)
				of_integers(f, n, k);
			if (family == FAMILY_SELECT)
				measures_of_spread(f, n, k);
			continue;
		}
		if (joins)
			measures_of_spread(f, n, k);
		if (f->reached[v])
			measures_put(f, MEASURE_COMPUTED, n, k, !is_param);
		if (n->n_arg > 1)
			measures_put(f, MEASURE_FIXED, n, k, !f->reached[v]);
		if (f->by_level[0]) {
			measures_put(f, MEASURE_INNERMOST, n, k, f->by_level[0][v]);
			measures_put(f, MEASURE_OUTER, n, k, f->by_level[1][v]);
		}
		measures_put(f, MEASURE_LATER_USED, n, k, f->uses[v] - 1);
		measures_put(f, MEASURE_RANK, n, k, s->rank);
		PUT_SIZE(f, ELEMENTS, n, k, shape_elements(s));
		if (k < SPAN_OPERANDS)
			of_value(f, n, k);
	}
}

/* How the operands of an elementwise node, or of a product of matrices, differ. */
static void of_pairs(struct facts *f, const struct node *n)
{
	const enum family family = op_table[n->op].family;
	const struct type *type = f->c->program.type;
	bool same = false, ranks = false, shapes = false;

	if (family != FAMILY_BINARY && family != FAMILY_SELECT && family != FAMILY_CLAMP && family != FAMILY_MATMUL &&
	    family != FAMILY_CONCATENATE)
		return;
	for (int i = 0; i < n->n_arg; i++)
		for (int k = 0; k < i; k++) {
			const struct shape *x = &type[n->arg[i]].shape, *y = &type[n->arg[k]].shape;

			if (!dtype_is_float(type[n->arg[i]].dtype) || !dtype_is_float(type[n->arg[k]].dtype))
				continue;
			same |= n->arg[i] == n->arg[k];
			ranks |= x->rank != y->rank;
			shapes |= !shape_equal(x, y);
		}
	measures_put(f, MEASURE_SAME_OPERANDS, n, -1, same);
	measures_put(f, MEASURE_RANKS_DIFFER, n, -1, ranks);
	measures_put(f, MEASURE_SHAPES_DIFFER, n, -1, shapes);
}

static void of_axes(struct facts *f, const struct node *n)
{
	const struct op_info *o = &op_table[n->op];
	const struct attrs *a = &n->attrs;
	const struct shape *x = &f->c->program.type[n->arg[0]].shape;
	const bool one = (o->attrs & ATTR_AXIS) != 0;
	const int n_axes = one ? 1 : a->n_axes, all = shape_elements(x);
	int longer = 0, group = 1, last = -1, last_long = -1;
	bool ascends = true, own_inverse = true, moves = false, reorders = false;

	if (!(o->attrs & (ATTR_AXIS | ATTR_AXES)))
		return;
	for (int i = 0; i < n_axes; i++) {
		const int d = one ? a->axis : a->axes[i];

		if (d >= x->rank)
			return;
		longer += x->extent[d] > 1;
		group *= x->extent[d];
		ascends &= d > last;
		last = d;
		moves |= d != i;
		if (x->extent[d] > 1) {
			reorders |= d < last_long;
			last_long = d;
		}
		own_inverse &= one || o->family != FAMILY_TRANSPOSE || a->axes[d] == i;
		if (o->family != FAMILY_TRANSPOSE) {
			measures_put(f, MEASURE_AXIS_LATER, n, -1, d > 0);
			measures_put(f, MEASURE_AXIS_EARLIER, n, -1, d < x->rank - 1);
		}
		if (one)
			PUT_SIZE(f, AXIS_EXTENT, n, -1, x->extent[d]);
	}
	if (o->family == FAMILY_TRANSPOSE) {
		measures_put(f, MEASURE_MOVES, n, -1, moves);
		measures_put(f, MEASURE_REORDERS, n, -1, reorders && all > 0);
		measures_put(f, MEASURE_CYCLE, n, -1, !own_inverse);
		return;
	}
	if (!one) {
		measures_put(f, MEASURE_AXES, n, -1, n_axes);
		measures_put(f, MEASURE_LONG_AXES, n, -1, longer);
		measures_put(f, MEASURE_UNSORTED_AXES, n, -1, !ascends);
	}
	if (o->family == FAMILY_REDUCE) {
		PUT_SIZE(f, GROUP, n, -1, group);
		measures_put(f, MEASURE_KEEPDIMS, n, -1, a->keepdims);
	}
	PUT_SIZE(f, LINES, n, -1, group ? all / group : 0);
}

static int batch_of(const struct shape *s)
{
	int n = 1;

	for (int d = 0; d + 2 < s->rank; d++)
		n *= s->extent[d];
	return n;
}

static void of_matrices(struct facts *f, const struct node *n)
{
	const struct shape *a = &f->c->program.type[n->arg[0]].shape, *b = &f->c->program.type[n->arg[1]].shape;

	measures_put(f, MEASURE_LEFT_VECTOR, n, -1, a->rank == 1);
	measures_put(f, MEASURE_RIGHT_VECTOR, n, -1, b->rank == 1);
	measures_put(f, MEASURE_MATRIX_SQUARE, n, -1, a->rank > 1 && a->extent[a->rank - 1] == a->extent[a->rank - 2]);
	PUT_SIZE(f, MATRIX_ROWS, n, -1, a->rank > 1 ? a->extent[a->rank - 2] : 1);
	PUT_SIZE(f, MATRIX_INNER, n, -1, a->rank ? a->extent[a->rank - 1] : 1);
	PUT_SIZE(f, MATRIX_COLUMNS, n, -1, b->rank > 1 ? b->extent[b->rank - 1] : 1);
	PUT_SIZE(f, MATRIX_BATCH, n, -1, batch_of(a) > batch_of(b) ? batch_of(a) : batch_of(b));
}

static void of_shapes(struct facts *f, const struct node *n)
{
	const struct type *type = f->c->program.type;
	const struct shape *x = &type[n->arg[0]].shape, *y = &type[n->out].shape;
	int spread = 0;

	switch (op_table[n->op].family) {
	case FAMILY_MATMUL:
		of_matrices(f, n);
		break;
	case FAMILY_BROADCAST_TO:
		for (int d = 0; d < y->rank; d++) {
			const int from = d - (y->rank - x->rank);

			spread += y->extent[d] != (from < 0 ? 1 : x->extent[from]);
		}
		measures_put(f, MEASURE_SPREAD_AXES, n, -1, spread);
		measures_put(f, MEASURE_NEW_AXES, n, -1, y->rank - x->rank);
		break;
	case FAMILY_MASKED_SCATTER:
		if (f->elements[n->out].operand[1].known) {
			const int trues = f->elements[n->out].operand[1].odds,
			          source = shape_elements(&type[n->arg[2]].shape);

			measures_put(f, MEASURE_MASK_LEFT, n, -1, trues > source);
			measures_put(f, MEASURE_SOURCE_LEFT, n, -1, trues < source);
		}
		break;
	case FAMILY_CONCATENATE:
		PUT_SIZE(f, OPERANDS, n, -1, n->n_arg);
		break;
	case FAMILY_GATHER:
	case FAMILY_SCATTER:
	case FAMILY_TAKE_ALONG_AXIS:
		PUT_SIZE(f, INDICES, n, -1, shape_elements(&type[n->arg[1]].shape));
		if (f->elements[n->out].candidates) {
			measures_put(f, MEASURE_CANDIDATES, n, -1, f->elements[n->out].candidates);
			measures_put(f, MEASURE_UPDATE_TIES, n, -1, f->elements[n->out].update_ties - 1);
		}
		measures_put(f, MEASURE_INDEX_RANK, n, -1, type[n->arg[1]].shape.rank);
		measures_put(f, MEASURE_INDEX_SCALAR, n, -1, !type[n->arg[1]].shape.rank);
		if (f->elements[n->out].operand[1].ends)
			measures_put(f, MEASURE_INDEX_AT_END, n, -1, f->elements[n->out].operand[1].ends - 1);
		break;
	default:
		break;
	}
}

static void of_regions(struct facts *f, const struct node *n)
{
	const struct node_loop l = node_loop(n);
	int captures = 0;

	for (int v = 0; v < f->c->program.n_value && n->op != OP_CUSTOM; v++) {
		bool reads = false;

		for (int w = 0; w < n->n_region && f->varied[v]; w++)
			reads |= !region_defines(&n->region[w], v) && region_reads(&n->region[w], v) &&
			    facts_ran(f, &n->region[w]);
		captures += reads;
	}
	measures_put(f, MEASURE_CAPTURES, n, -1, captures);
	for (int k = 0; k < n->n_out; k++) {
		if (f->live[n->out + k])
			measures_put(f, MEASURE_LATER_RESULT, n, -1, k);
		if (n->n_out > 1)
			measures_put(f, MEASURE_RESULT_BEFORE_LAST, n, -1, f->live[n->out + k] && k < n->n_out - 1);
		if (f->uses[n->out + k])
			measures_put(f, MEASURE_LATER_READ, n, -1, k);
	}
	if (n->op == OP_COND && f->run)
		measures_put(f, MEASURE_BRANCH, n, -1, facts_ran(f, &n->region[1]));
	if (!l.is_loop)
		return;
	if (f->run && n->n_out) {
		measures_put(f, MEASURE_TRIPS, n, -1, f->trips[n->out]);
		measures_put(f, MEASURE_TRIPS_ODD, n, -1, f->odd_trips[n->out]);
		measures_put(f, MEASURE_TRIPS_NOT_3, n, -1, f->trips[n->out] % 3 != 0);
		measures_put(f, MEASURE_TRIPS_NOT_4, n, -1, f->trips[n->out] % 4 != 0);
	}
	measures_put(f, MEASURE_CARRIES, n, -1, l.n_carry);
	measures_put(f, MEASURE_ROWS, n, -1, l.n_xs);
	measures_put(f, MEASURE_STACKED, n, -1, l.n_ys);
}

/* Whether a result of n counts: for a derivative, or for a value. */
static bool is_live(const struct facts *f, const struct node *n)
{
	const bool primal = !request_order(f->c->transform, f->c->n_transform);
	bool live = false;

	for (int i = 0; i < n->n_out; i++)
		live |= (primal || f->live[n->out + i]) && (!f->run || f->run[n->out + i]);
	return live;
}

void facts_of_measures(struct facts *f)
{
	const struct node **maker = measures_makers(&f->c->program, f->arena);

	f->measure = NEW(f->arena, struct node_measure, MEASURES);
	for (struct walk w = walk_nodes(&f->c->program.top); walk_next(&w);) {
		if (!is_live(f, w.node))
			continue;
		of_operands(f, w.node);
		if (w.node->n_out == 1 && !w.node->n_region)
			of_result(f, w.node);
		if (w.node->n_region) {
			of_regions(f, w.node);
			measures_of_regions(f, w.region, w.index);
		}
		measures_of_relations(f, w.node);
		measures_of_origins(f, w.node, maker);
		if (!w.node->n_arg || w.node->n_region)
			continue;
		of_pairs(f, w.node);
		of_axes(f, w.node);
		measures_of_windows(f, w.node);
		of_shapes(f, w.node);
	}
}
