/* elements.c: the elements of operands, results and cotangents of executed nodes. */
#include <math.h>

#include "engines/kernels/kernels.h"
#include "engines/kernels/parts.h"
#include "elements.h"

enum { TIES_MOST = 64 };

static int most_ties(const struct tensor *x, int n)
{
	int most = n ? 1 : 0;

	for (int i = 0; i < n && n <= TIES_MOST; i++) {
		int same = 0;

		for (int k = 0; k < n; k++)
			same += x->at[k].f == x->at[i].f;
		most = same > most ? same : most;
	}
	return most;
}

/* How often an element is below the one before it along the axis. */
static int descents_along(const struct tensor *x, int axis)
{
	const struct shape *s = &x->type.shape;
	int n = 0, step = 1;

	for (int d = axis + 1; d < s->rank; d++)
		step *= s->extent[d];
	for (int i = step; i < shape_elements(s) && axis < s->rank; i++)
		n += i / step % s->extent[axis] && x->at[i].f < x->at[i - step].f;
	return n;
}

/* The place of element i among the n elements of its line, in ascending order; of equal ones the earlier comes first.
 */
static int rank_in_line(const union cell *line, int n, int step, int i)
{
	int rank = 0;

	for (int k = 0; k < n; k++)
		rank += line[k * step].f < line[i * step].f || (line[k * step].f == line[i * step].f && k < i);
	return rank;
}

/* Whether element `at` of a line counts; first: the first line. */
typedef bool place_fn(const union cell *first, const union cell *line, int n, int step, int at);

/* How many elements count, over all lines along the axis; 0 if there are too many. */
static int count_places(const struct tensor *x, int axis, place_fn *counts)
{
	const struct shape *s = &x->type.shape;
	int count = 0, step = 1, n;

	if (axis >= s->rank || shape_elements(s) > TIES_MOST)
		return 0;
	for (int d = axis + 1; d < s->rank; d++)
		step *= s->extent[d];
	n = s->extent[axis];
	for (int i = 0; i < shape_elements(s); i++) {
		const int at = i / step % n;

		count += counts(x->at, x->at + i - at * step, n, step, at);
	}
	return count;
}

/* Whether the element does not come back to its place if the permutation that sorts its line is applied twice. */
static bool is_in_cycle(const union cell *first, const union cell *line, int n, int step, int at)
{
	(void)first;
	return rank_in_line(line, n, step, rank_in_line(line, n, step, at)) != at;
}

/* Whether the element has another place in the order of its line than its neighbour in the order of the first line. */
static bool is_apart(const union cell *first, const union cell *line, int n, int step, int at)
{
	return rank_in_line(line, n, step, at) != rank_in_line(first, n, step, at);
}

static void add_element(struct element_span *s, double y, bool first)
{
	const bool integer = y == trunc(y);

	if (!s->known)
		*s = (struct element_span){
		    .known = true, .low = INFINITY, .high = -INFINITY, .near = INFINITY, .first = -INFINITY};
	s->low = fmin(s->low, y);
	s->high = fmax(s->high, y);
	s->near = fmin(s->near, fabs(y));
	s->far = fmax(s->far, fabs(y));
	s->first = first ? fmax(s->first, y) : s->first;
	s->below_one += y > 0 && y < 1;
	s->above_minus_one += y > -1 && y < 0;
	s->integers += integer;
	s->fractions += !integer;
	s->late += y != 0 && s->zeros;
	s->odds += integer && fmod(y, 2) != 0;
	s->evens += integer && fmod(y, 2) == 0;
	s->zeros += y == 0;
}

/* The larger of two counts each: a value may be computed several times. */
static void join(struct element_span *to, const struct element_span *now)
{
	if (!to->known) {
		*to = *now;
		return;
	}
	to->low = fmin(to->low, now->low);
	to->high = fmax(to->high, now->high);
	to->near = fmin(to->near, now->near);
	to->far = fmax(to->far, now->far);
	to->first = fmax(to->first, now->first);
#define LARGER(count) to->count = now->count > to->count ? now->count : to->count
	LARGER(fractions);
	LARGER(below_one);
	LARGER(above_minus_one);
	LARGER(integers);
	LARGER(odds);
	LARGER(evens);
	LARGER(zeros);
	LARGER(descents);
	LARGER(cycles);
	LARGER(apart);
	LARGER(late);
	LARGER(ties);
	LARGER(ends);
#undef LARGER
}

static void watch_tensor(struct element_span *to, const struct tensor *x, const struct element_view *v)
{
	const bool is_float = dtype_is_float(x->type.dtype);
	struct element_span now = {0};

	for (int i = 0, n = shape_elements(v->to ? v->to : &x->type.shape); i < n; i++)
		if (element_flows(v, i))
			add_element(
			    &now, tensor_number(x, v->to ? shape_broadcast_offset(&x->type.shape, v->to, i) : i), !i);
	if (!now.known)
		return;
	if (is_float && !v->to) {
		const int n = shape_elements(&x->type.shape);

		now.ties = most_ties(x, n);
		now.descents = descents_along(x, v->axis);
		now.cycles = count_places(x, v->axis, is_in_cycle);
		now.apart = count_places(x, v->axis, is_apart);
	}
	join(to, &now);
}

/* The indices that lie inside their axis, if an element is read there whose cotangent is not nearly 0. */
static void watch_indices(
    struct element_span *to, const struct node *n, const struct tensor *value, const union cell *c)
{
	const enum family family = op_table[n->op].family;
	const struct tensor *t = &value[n->arg[1]];
	const struct shape *x = &value[n->arg[0]].type.shape;
	const int count = shape_elements(&t->type.shape), axis = n->attrs.axis;
	struct element_span now = {0};
	int inner = 1;

	for (int d = axis + 1; d < x->rank; d++)
		inner *= x->extent[d];
	for (int k = 0; k < count && axis < x->rank; k++) {
		const int64_t at = t->at[k].i;
		bool read = family == FAMILY_SCATTER || !c;

		for (int i = 0, size = shape_elements(&value[n->out].type.shape); i < size && !read; i++)
			read = fabs(c[i].f) >= 1e-6 && (family == FAMILY_GATHER ? i / inner % count : i) == k;
		if (at < 0 || at >= x->extent[axis] || !read)
			continue;
		add_element(&now, (double)at, !k);
	}
	if (now.known)
		join(to, &now);
	to->ends = to->ends > 1 ? to->ends : 1;
	for (int k = 0; k < count && axis < x->rank; k++) {
		const int at = kernel_index(n->attrs.mode, t->at[k].i, x->extent[axis]);

		to->ends += at >= 0 && at == x->extent[axis] - 1;
	}
}

static void watch_index_places(struct index_places *p, const struct node *n, const struct tensor *value)
{
	const struct tensor *t = &value[n->arg[1]];
	const struct shape *x = &value[n->arg[0]].type.shape;
	const int axis = n->attrs.axis, rank = t->type.shape.rank;
	const int64_t extent = axis < x->rank ? x->extent[axis] : 0;
	int step = 1, line = shape_elements(&t->type.shape), same;

	if (op_table[n->op].family == FAMILY_TAKE_ALONG_AXIS && axis < rank) {
		line = t->type.shape.extent[axis];
		for (int d = axis + 1; d < rank; d++)
			step *= t->type.shape.extent[d];
	}
	p->known = extent > 0;
	for (int i = 0, size = shape_elements(&t->type.shape); i < size && extent; i++) {
		const int64_t at = t->at[i].i;
		const int place = i / step % line, to = kernel_index(n->attrs.mode, at, (int)extent);

		p->counts_back |= at < 0 && at >= -extent;
		p->dropped_back |= n->attrs.mode == MODE_DROP && at < 0 && at >= -extent;
		p->twice_beyond |= at >= 2 * extent;
		p->far_negative |= at < -extent;
		p->just_beyond |= at == extent;
		p->moved |= to != place;
		p->reach = to >= 0 && place >= p->reach ? place + 1 : p->reach;
		same = to >= 0;
		for (int k = i % step + i / step / line * line * step; k < i && to >= 0; k += step) {
			const int other = kernel_index(n->attrs.mode, t->at[k].i, (int)extent);

			p->meet |= other == to;
			same += other == to;
			p->differ |= other >= 0 && other != to;
		}
		p->most = same > p->most ? same : p->most;
		p->descends |= place && at < t->at[i - step].i;
		if (rank == 2) {
			const int rows = t->type.shape.extent[0], columns = t->type.shape.extent[1],
			          turned = i % rows * columns + i / rows;

			p->by_columns |= to != kernel_index(n->attrs.mode, t->at[turned].i, (int)extent);
		}
		p->lines_apart |= to != kernel_index(n->attrs.mode, t->at[place * step].i, (int)extent);
	}
}

/* For each element, the number of the group or of the line with which the node combines it; *n_group: how many. */
const int *elements_groups(const struct node *n, const struct shape *s, int *n_group, struct arena *a)
{
	const int size = shape_elements(s);
	int *group;

	*n_group = 0;
	if (op_table[n->op].family == FAMILY_CUMULATIVE) {
		const struct axis_view v = axis_view(s, n->attrs.axis);

		*n_group = v.outer * v.inner;
		group = NEW(a, int, size);
		for (int i = 0; i < size; i++)
			group[i] = i / (v.n * v.inner) * v.inner + i % v.inner;
		return group;
	}
	group = reduce_map(n, s, a);
	for (int i = 0; i < size; i++)
		*n_group = group[i] >= *n_group ? group[i] + 1 : *n_group;
	return group;
}

/* Whether the first or the last of the elements that are combined is the largest or the smallest, and where zeros are.
 */
static void watch_ends(struct ends *e, const struct node *n, const struct tensor *x, struct arena *a)
{
	int n_out;
	const int size = shape_elements(&x->type.shape), *group = elements_groups(n, &x->type.shape, &n_out, a);

	for (int k = 0; k < n_out && size <= TIES_MOST * TIES_MOST; k++) {
		double low = INFINITY, high = -INFINITY, first = NAN, last = NAN;
		int count = 0, zeros = 0, negatives = 0;

		for (int i = 0; i < size; i++) {
			if (group[i] != k)
				continue;
			e->zero_before |= zeros > 0;
			e->negative_before |= negatives > 0;
			last = x->at[i].f;
			e->zero_behind |= count && last == 0;
			e->negative_behind |= count && last < 0;
			zeros += last == 0;
			negatives += last < 0;
			first = count++ ? first : last;
			low = fmin(low, last);
			high = fmax(high, last);
		}
		e->known = true;
		e->largest_first |= count > 1 && first == high;
		e->largest_last |= count > 1 && last == high;
		e->smallest_first |= count > 1 && first == low;
		e->smallest_last |= count > 1 && last == low;
	}
}

/* Where the window of a dynamic slice begins: its starts are clamped so that it lies inside. */
static void watch_start(struct node_elements *e, const struct node *n, const struct tensor *value)
{
	const bool writes = op_table[n->op].family == FAMILY_DYNAMIC_UPDATE_SLICE;
	const struct tensor *starts = &value[n->arg[writes ? 2 : 1]];
	const struct shape *whole = &value[n->arg[0]].type.shape,
	                   *size = &value[writes ? n->arg[1] : n->out].type.shape;

	e->window_whole |= shape_equal(whole, size);
	for (int d = 0; d < whole->rank; d++) {
		const int64_t last = whole->extent[d] - size->extent[d], at = starts->at[d].i;
		const int start = 1 + (int)(at < 0 ? 0 : at > last ? last : at);

		e->start = start > e->start ? start : e->start;
		e->start_beyond |= at > last;
		e->start_negative |= at < 0;
		e->from_end |= last > 0 && at < 0 && at + whole->extent[d] > 0;
	}
}

static const struct known_cotangent *known_of(const struct facts *f, int value)
{
	for (int i = 0; f->known && i < f->known->n; i++)
		if (f->known->of[i].value == value)
			return &f->known->of[i];
	return NULL;
}

void measures_watch(struct facts *f, const struct node *n, const struct tensor *value, int point)
{
	const enum family family = op_table[n->op].family;
	const bool elementwise = family == FAMILY_UNARY || family == FAMILY_BINARY || family == FAMILY_CLAMP ||
	    family == FAMILY_SELECT;
	const struct known_cotangent *known = known_of(f, n->out);
	const struct tensor *y = &value[n->out], *c = known ? &known->at[point] : NULL,
	                    *due = known && known->due ? &known->due[point] : c;
	const struct element_view all = {.axis = n->attrs.axis},
	                          flowing = {&y->type.shape, dtype_is_float(y->type.dtype) ? y->at : NULL,
	                              due ? due->at : NULL, 0},
	                          *operands = elementwise ? &flowing : &all;
	struct node_elements *e = &f->elements[n->out];

	for (int k = 0; k < n->n_arg && k < SPAN_OPERANDS; k++)
		if (k == 1 && (family == FAMILY_GATHER || family == FAMILY_TAKE_ALONG_AXIS || family == FAMILY_SCATTER))
			watch_indices(&e->operand[k], n, value, c ? c->at : NULL);
		else
			watch_tensor(&e->operand[k], &value[n->arg[k]], operands);
	for (int k = 0; known && k < SPAN_OPERANDS; k++)
		if (known->tangent[k])
			watch_tensor(&e->tangent[k], &known->tangent[k][point], operands);
	if (known && known->tangent[0])
		elements_order(&e->order, n, value, &known->tangent[0][point], f->arena);
	if (family == FAMILY_SCATTER && dtype_is_float(y->type.dtype))
		elements_meet(e, n, value);
	if ((family == FAMILY_SLICE_SCATTER || family == FAMILY_DYNAMIC_UPDATE_SLICE ||
	        family == FAMILY_MASKED_SCATTER) &&
	    dtype_is_float(y->type.dtype))
		elements_replace(&e->meeting, n, value, f->arena);
	if (family == FAMILY_GATHER || family == FAMILY_TAKE_ALONG_AXIS || family == FAMILY_SCATTER)
		watch_index_places(&e->indices, n, value);
	if ((family == FAMILY_REDUCE || family == FAMILY_CUMULATIVE) && dtype_is_float(y->type.dtype))
		watch_ends(&e->ends, n, &value[n->arg[0]], f->arena);
	if (family == FAMILY_DYNAMIC_SLICE || family == FAMILY_DYNAMIC_UPDATE_SLICE)
		watch_start(e, n, value);
	if (!dtype_is_float(y->type.dtype))
		return;
	if (!n->n_region)
		watch_tensor(&e->result, y, &flowing);
	if (c && f->known->seeded && n->op == OP_SORT)
		elements_descend(&e->order, n, &value[n->arg[0]], c);
	if (c && f->known->seeded)
		watch_tensor(&e->cotangent, c, &flowing);
	if ((family == FAMILY_BINARY || family == FAMILY_CLAMP) && dtype_is_float(value[n->arg[0]].type.dtype))
		elements_compare(&e->comparison, n, value, operands);
}
