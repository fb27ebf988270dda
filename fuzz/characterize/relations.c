/* relations.c: measures about how sizes, axes, operands and results of a node compare with each other. */
#include <math.h>

#include "facts.h"
#include "fuzz/edit/edit.h"

/* For a difference that no element has. */
static const double FAR_AWAY = 1e9;

/* Which axes of operand 0 the node goes along; false: it goes along none, or permutes all. */
static bool axes_of(const struct node *n, const struct shape *x, bool along[LIMIT_RANK])
{
	const struct op_info *o = &op_table[n->op];

	if (!(o->attrs & (ATTR_AXIS | ATTR_AXES)) || o->family == FAMILY_TRANSPOSE || o->family == FAMILY_SQUEEZE)
		return false;
	if (o->attrs & ATTR_AXIS)
		along[n->attrs.axis] = n->attrs.axis < x->rank;
	for (int i = 0; i < n->attrs.n_axes && !(o->attrs & ATTR_AXIS); i++)
		along[n->attrs.axes[i]] = true;
	return true;
}

/* Whether axes of several elements that the node goes along lie before others, or behind them. */
static void of_places(struct facts *f, const struct node *n)
{
	const struct shape *x = &f->c->program.type[n->arg[0]].shape;
	bool along[LIMIT_RANK] = {false}, outside = false, inside = false;

	if (!axes_of(n, x, along))
		return;
	for (int d = 0; d < x->rank; d++)
		for (int e = d + 1; e < x->rank; e++) {
			const bool both = x->extent[d] > 1 && x->extent[e] > 1;

			outside |= both && along[d] && !along[e];
			inside |= both && !along[d] && along[e];
		}
	measures_put(f, MEASURE_AXIS_OUTSIDE, n, -1, outside);
	measures_put(f, MEASURE_AXIS_INSIDE, n, -1, inside);
}

static void of_extents(struct facts *f, const struct node *n)
{
	const struct shape *a = &f->c->program.type[n->arg[0]].shape, *b = &f->c->program.type[n->arg[1]].shape;
	const int rows = a->rank > 1 ? a->extent[a->rank - 2] : 1, inner = a->rank ? a->extent[a->rank - 1] : 1,
	          columns = b->rank > 1 ? b->extent[b->rank - 1] : 1;

	measures_put(f, MEASURE_LEFT_TALL, n, -1, rows > inner);
	measures_put(f, MEASURE_LEFT_WIDE, n, -1, rows < inner);
	measures_put(f, MEASURE_RIGHT_TALL, n, -1, inner > columns);
	measures_put(f, MEASURE_RIGHT_WIDE, n, -1, inner < columns);
	measures_put(f, MEASURE_PRODUCT_TALL, n, -1, rows > columns);
	measures_put(f, MEASURE_PRODUCT_WIDE, n, -1, rows < columns);
}

static void of_indices(struct facts *f, const struct node *n)
{
	const struct shape *x = &f->c->program.type[n->arg[0]].shape;
	const struct shape *index = &f->c->program.type[n->arg[1]].shape;
	const int axis = n->attrs.axis;
	int indices;

	if (axis >= x->rank)
		return;
	indices = op_table[n->op].family == FAMILY_TAKE_ALONG_AXIS ? index->extent[axis] : shape_elements(index);
	measures_put(f, MEASURE_INDICES_OVER, n, -1, indices > x->extent[axis]);
	measures_put(f, MEASURE_INDICES_UNDER, n, -1, indices < x->extent[axis]);
}

static void of_ends(struct facts *f, const struct node *n)
{
	const struct ends *e = &f->elements[n->out].ends;

	if (!e->known)
		return;
	measures_put(f, MEASURE_ZERO_AMONG, n, -1, e->zero_before || e->zero_behind);
	measures_put(f, MEASURE_NEGATIVE_AMONG, n, -1, e->negative_before || e->negative_behind);
	measures_put(f, MEASURE_ZERO_BEFORE, n, -1, e->zero_before);
	measures_put(f, MEASURE_ZERO_BEHIND, n, -1, e->zero_behind);
	measures_put(f, MEASURE_NEGATIVE_BEFORE, n, -1, e->negative_before);
	measures_put(f, MEASURE_NEGATIVE_BEHIND, n, -1, e->negative_behind);
	if (op_table[n->op].family != FAMILY_REDUCE)
		return;
	measures_put(f, MEASURE_LARGEST_FIRST, n, -1, e->largest_first);
	measures_put(f, MEASURE_LARGEST_LAST, n, -1, e->largest_last);
	measures_put(f, MEASURE_SMALLEST_FIRST, n, -1, e->smallest_first);
	measures_put(f, MEASURE_SMALLEST_LAST, n, -1, e->smallest_last);
}

static void of_index_places(struct facts *f, const struct node *n)
{
	const struct index_places *p = &f->elements[n->out].indices;

	if (!p->known)
		return;
	measures_put(f, MEASURE_INDEX_COUNTS_BACK, n, -1, p->counts_back);
	measures_put(f, MEASURE_INDEX_DROPPED_BACK, n, -1, p->dropped_back);
	measures_put(f, MEASURE_INDEX_ROUND_TWICE, n, -1, p->twice_beyond || p->far_negative);
	measures_put(f, MEASURE_INDEX_TWICE_BEYOND, n, -1, p->twice_beyond);
	measures_put(f, MEASURE_INDEX_JUST_BEYOND, n, -1, p->just_beyond);
	measures_put(f, MEASURE_INDEX_FAR_NEGATIVE, n, -1, p->far_negative);
	measures_put(f, MEASURE_INDICES_MEET, n, -1, p->meet);
	measures_put(f, MEASURE_INDICES_DIFFER, n, -1, p->differ);
	measures_put(f, MEASURE_INDEX_REACH, n, -1, p->reach);
	measures_put(f, MEASURE_INDEX_MOVED, n, -1, p->moved);
	measures_put(f, MEASURE_INDEX_DESCENDS, n, -1, p->descends);
	if (op_table[n->op].family == FAMILY_GATHER)
		measures_put(f, MEASURE_INDEX_BY_COLUMNS, n, -1, p->by_columns);
	if (op_table[n->op].family == FAMILY_TAKE_ALONG_AXIS)
		measures_put(f, MEASURE_INDEX_LINES_APART, n, -1, p->lines_apart);
}

static void of_meeting(struct facts *f, const struct node *n)
{
	const struct meeting *m = &f->elements[n->out].meeting;

	if (!m->known)
		return;
	measures_put(f, MEASURE_UPDATE_ABOVE, n, -1, m->above);
	measures_put(f, MEASURE_UPDATE_BELOW, n, -1, m->below);
	measures_put(f, MEASURE_UPDATE_EQUAL, n, -1, m->equal);
	if (m->close > 0) {
		measures_put(f, MEASURE_UPDATE_CLOSE, n, -1, -m->close);
		measures_put(f, MEASURE_UPDATE_CLOSE_ABOVE, n, -1, -(m->close_above > 0 ? m->close_above : FAR_AWAY));
		measures_put(f, MEASURE_UPDATE_CLOSE_BELOW, n, -1, -(m->close_below > 0 ? m->close_below : FAR_AWAY));
	}
	if (op_table[n->op].family == FAMILY_SCATTER) {
		measures_put(f, MEASURE_UPDATES_ASCEND, n, -1, m->ascend);
		measures_put(f, MEASURE_UPDATES_DESCEND, n, -1, m->descend);
	}
	if (n->op == OP_SCATTER_MIN || n->op == OP_SCATTER_MAX) {
		measures_put(f, MEASURE_UPDATE_WINS, n, -1, m->wins);
		measures_put(f, MEASURE_UPDATE_BEATEN, n, -1, m->beaten);
	}
}

static void of_tangents(struct facts *f, const struct node *n)
{
	const struct tangent_order *o = &f->elements[n->out].order;

	if (o->cotangents_known) {
		measures_put(f, MEASURE_COTANGENTS_DESCEND, n, -1, o->cotangents_descend);
		measures_put(f, MEASURE_COTANGENTS_APART, n, -1, o->cotangents_apart);
	}
	if (!o->known)
		return;
	if (op_table[n->op].family == FAMILY_SORT) {
		measures_put(f, MEASURE_TANGENTS_APART, n, -1, o->lines_apart);
		return;
	}
	measures_put(f, MEASURE_LARGEST_TANGENT_APART, n, -1, o->largest_apart);
	measures_put(f, MEASURE_SMALLEST_TANGENT_APART, n, -1, o->smallest_apart);
}

/* The region that holds the node with that result. */
static const struct region *region_of(const struct program *p, int out)
{
	const struct region *r;

	for (struct walk w = walk_nodes(&p->top); (r = walk_region(&w));)
		for (int i = 0; i < r->n_node; i++)
			if (r->node[i].out == out)
				return r;
	return &p->top;
}

/* How many elements of a product of that shape go into each element of a matrix of it, by its place. */
static int added_by_matmul(const struct shape *own, const struct shape *other, const struct shape *to, bool left)
{
	const int across = other->rank < 2 ? 1 : other->extent[left ? other->rank - 1 : other->rank - 2];
	int batch = 1, own_batch = 1;

	for (int d = 0; d < to->rank - (own->rank > 1) - (other->rank > 1); d++)
		batch *= to->extent[d];
	for (int d = 0; d + 2 < own->rank; d++)
		own_batch *= own->extent[d];
	return own_batch ? across * batch / own_batch : 0;
}

/* How many elements a cotangent adds into one of operand k. */
static int added(const struct facts *f, const struct node *n, int k)
{
	const struct shape *s = &f->c->program.type[n->arg[k]].shape, *to = &f->c->program.type[n->out].shape;

	switch (op_table[n->op].family) {
	case FAMILY_BINARY:
	case FAMILY_SELECT:
	case FAMILY_CLAMP:
	case FAMILY_BROADCAST_TO:
		return shape_elements(s) ? shape_elements(to) / shape_elements(s) : 0;
	case FAMILY_MATMUL:
		return added_by_matmul(s, &f->c->program.type[n->arg[1 - k]].shape, to, !k);
	case FAMILY_PAD:
		return k ? shape_elements(to) - shape_elements(&f->c->program.type[n->arg[0]].shape) : 1;
	case FAMILY_GATHER:
	case FAMILY_TAKE_ALONG_AXIS:
		return f->elements[n->out].indices.most;
	case FAMILY_CUMULATIVE:
		return s->extent[n->attrs.axis];
	default:
		return 0;
	}
}

static void of_added(struct facts *f, const struct node *n)
{
	int most = 0;

	for (int k = 0; k < n->n_arg; k++) {
		const int now = f->reached[n->arg[k]] ? added(f, n, k) : 0;

		most = now > most ? now : most;
	}
	if (most)
		measures_put(f, MEASURE_ADDED, n, -1, most);
}

/* Other nodes of the op in the same region, with the operands of n, in this order or the opposite one. */
static void of_twins(struct facts *f, const struct node *n)
{
	const struct region *r = region_of(&f->c->program, n->out);
	bool exchanged = false, repeated = false;

	for (int i = 0; i < r->n_node; i++) {
		const struct node *other = &r->node[i];

		if (other->op != n->op || other->out == n->out)
			continue;
		repeated |= other->arg[0] == n->arg[0] && other->arg[1] == n->arg[1];
		exchanged |= other->arg[0] == n->arg[1] && other->arg[1] == n->arg[0] && n->arg[0] != n->arg[1];
	}
	measures_put(f, MEASURE_EXCHANGED, n, -1, exchanged);
	measures_put(f, MEASURE_REPEATED, n, -1, repeated);
}

/* Whether both nodes have the same operands. */
static bool same_operands(const struct node *a, const struct node *b)
{
	bool same = a->n_arg == b->n_arg;

	for (int k = 0; same && k < a->n_arg; k++)
		same = a->arg[k] == b->arg[k];
	return same;
}

/* Other nodes of the op in the same region with other attributes: one that n reads, or one with the operands of n and a
 * result of the same shape. */
static void of_varied(struct facts *f, const struct node *n)
{
	const struct program *p = &f->c->program;
	const struct region *r = region_of(p, n->out);
	bool varied = false, chained = false;

	for (int i = 0; i < r->n_node; i++) {
		const struct node *other = &r->node[i];

		if (other->op == n->op && other->out == n->arg[0])
			chained |= !node_attrs_equal(p, n, p, other);
		if (other->op == n->op && other->out != n->out && same_operands(n, other) &&
		    type_equal(&p->type[n->out], &p->type[other->out]))
			varied |= !node_attrs_equal(p, n, p, other);
	}
	measures_put(f, MEASURE_VARIED, n, -1, varied);
	measures_put(f, MEASURE_CHAINED, n, -1, chained);
}

static bool has_twins(const int *value, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			if (value[i] == value[k])
				return true;
	return false;
}

static void of_yields(struct facts *f, const struct node *n)
{
	const struct node_loop l = node_loop(n);
	bool twice = false;

	for (int w = 0; w < n->n_region; w++)
		twice |= facts_ran(f, &n->region[w]) &&
		    has_twins(n->region[w].result, n->region[w].n_result < n->n_out ? n->region[w].n_result : n->n_out);
	measures_put(f, MEASURE_YIELDS_TWICE, n, -1, twice);
	if (!l.is_loop)
		return;
	measures_put(f, MEASURE_SAME_ROWS, n, -1, has_twins(n->arg + l.first_arg + l.n_carry, l.n_xs));
}

static void of_comparison(struct facts *f, const struct node *n)
{
	const struct operand_comparison *c = &f->elements[n->out].comparison;
	const bool takes_one = n->op == OP_MAX || n->op == OP_MIN || n->op == OP_CLAMP;

	if (!c->known)
		return;
	for (int k = 1; k < n->n_arg && k < 3; k++) {
		measures_put(f, MEASURE_ABOVE_BY, n, k, c->above_by[k]);
		measures_put(f, MEASURE_BELOW_BY, n, k, c->below_by[k]);
	}
	for (int k = 1; k < n->n_arg && k < 3; k++)
		if (isfinite(c->close[k])) {
			measures_put(f, MEASURE_CLOSE, n, k, -c->close[k]);
			measures_put(f, MEASURE_CLOSE_ABOVE, n, k, -fmin(c->close_above[k], FAR_AWAY));
			measures_put(f, MEASURE_CLOSE_BELOW, n, k, -fmin(c->close_below[k], FAR_AWAY));
		}
	for (int k = 0; k < n->n_arg && takes_one; k++) {
		measures_put(f, MEASURE_TAKEN_NEGATIVE, n, k, c->taken_negative[k]);
		measures_put(f, MEASURE_TAKEN_POSITIVE, n, k, c->taken_positive[k]);
	}
	if (n->op != OP_CLAMP) {
		measures_put(f, MEASURE_FIRST_BELOW, n, -1, c->below);
		measures_put(f, MEASURE_FIRST_ABOVE, n, -1, c->above);
		measures_put(f, MEASURE_FIRST_NEARER, n, -1, c->nearer);
		measures_put(f, MEASURE_FIRST_FARTHER, n, -1, c->farther);
		measures_put(f, MEASURE_SIGNS_OPPOSITE, n, -1, c->opposite);
		measures_put(f, MEASURE_SIGNS_ALIKE, n, -1, c->alike);
		measures_put(f, MEASURE_LARGER_NEARER, n, -1, c->larger_nearer);
		measures_put(f, MEASURE_BOTH_NEGATIVE, n, -1, c->both_negative);
		measures_put(f, MEASURE_BOTH_POSITIVE, n, -1, c->both_positive);
		measures_put(f, MEASURE_FIRST_NEGATIVE_ONLY, n, -1, c->first_negative);
		measures_put(f, MEASURE_SECOND_NEGATIVE_ONLY, n, -1, c->second_negative);
		measures_put(f, MEASURE_OPERANDS_ALIKE, n, -1, c->equal);
		measures_put(f, MEASURE_NEGATIVES_OF_EACH_OTHER, n, -1, c->negatives);
		if (isfinite(c->apart_least))
			measures_put(f, MEASURE_RELATIVELY_CLOSE, n, -1, -c->apart_least);
		if (isfinite(c->quotient_near)) {
			measures_put(f, MEASURE_QUOTIENT_FAR, n, -1, c->quotient_far);
			measures_put(f, MEASURE_QUOTIENT_NEAR, n, -1, -c->quotient_near);
		}
		if (n->op == OP_POW) {
			measures_put(f, MEASURE_NEGATIVE_EVEN, n, -1, c->negative_even);
			measures_put(f, MEASURE_NEGATIVE_ODD, n, -1, c->negative_odd);
		}
		if (n->op == OP_MOD || n->op == OP_FLOOR_DIVIDE || n->op == OP_DIV) {
			measures_put(f, MEASURE_QUOTIENT_FRACTION, n, -1, c->fraction);
			measures_put(f, MEASURE_QUOTIENT_INTEGER, n, -1, c->whole);
			measures_put(f, MEASURE_NEGATIVE_FRACTION, n, -1, c->negative_fraction);
		}
		return;
	}
	measures_put(f, MEASURE_BELOW_BOUND, n, -1, c->below);
	measures_put(f, MEASURE_ABOVE_BOUND, n, -1, c->above_third);
	measures_put(f, MEASURE_BETWEEN_BOUNDS, n, -1, c->between);
	measures_put(f, MEASURE_BELOW_BOTH, n, -1, c->below_both);
	measures_put(f, MEASURE_ABOVE_BOTH, n, -1, c->above_both);
	measures_put(f, MEASURE_BELOW_IN_ORDER, n, -1, c->below_in_order);
	measures_put(f, MEASURE_ABOVE_IN_ORDER, n, -1, c->above_in_order);
	measures_put(f, MEASURE_CROSSED_BETWEEN, n, -1, c->crossed_between);
	measures_put(f, MEASURE_CROSSED, n, -1, c->crossed);
	measures_put(f, MEASURE_CROSSED_OVER, n, -1, c->crossed_over);
	measures_put(f, MEASURE_CROSSED_UNDER, n, -1, c->crossed_under);
}

void measures_of_relations(struct facts *f, const struct node *n)
{
	const enum family family = op_table[n->op].family;

	if (n->n_region && n->op != OP_CUSTOM)
		of_yields(f, n);
	if (!n->n_arg || n->n_region)
		return;
	of_places(f, n);
	of_ends(f, n);
	of_tangents(f, n);
	of_added(f, n);
	of_meeting(f, n);
	of_comparison(f, n);
	if (family == FAMILY_MATMUL)
		of_extents(f, n);
	if (family == FAMILY_GATHER || family == FAMILY_SCATTER || family == FAMILY_TAKE_ALONG_AXIS) {
		of_indices(f, n);
		of_index_places(f, n);
	}
	if (op_table[n->op].attrs && n->n_out == 1)
		of_varied(f, n);
	if (n->n_arg == 2 && n->n_out == 1)
		of_twins(f, n);
}

void measures_of_spread(struct facts *f, const struct node *n, int k)
{
	const struct shape *s = &f->c->program.type[n->arg[k]].shape, *to = &f->c->program.type[n->out].shape;
	const int lacks = to->rank - s->rank;
	bool inside = false, outside = false;
	int along = 0;

	for (int d = 0; d < to->rank; d++)
		for (int e = d + 1; e < to->rank; e++) {
			const int before = d < lacks ? 1 : s->extent[d - lacks],
			          behind = e < lacks ? 1 : s->extent[e - lacks];

			inside |= before > 1 && behind == 1 && to->extent[e] > 1;
			outside |= behind > 1 && before == 1 && to->extent[d] > 1;
		}
	for (int d = 0; d < to->rank; d++)
		along += to->extent[d] > 1 && (d < lacks || s->extent[d - lacks] == 1);
	if (f->reached[n->arg[k]])
		measures_put(f, MEASURE_SPREAD_ALONG, n, -1, along);
	measures_put(f, MEASURE_STRETCHED, n, k, facts_stretched(s, to));
	measures_put(f, MEASURE_LACKS_AXES, n, k, lacks > 0);
	measures_put(f, MEASURE_SPREAD, n, k, shape_elements(s) < shape_elements(to));
	measures_put(f, MEASURE_SPREAD_INSIDE, n, k, inside);
	measures_put(f, MEASURE_SPREAD_OUTSIDE, n, k, outside);
}
