/* facts_watch.c: what a node shows as it runs: singular operands, ties, indices, starts and trips. */
#include <math.h>

#include "engines/kernels/kernels.h"
#include "facts_watch.h"
#include "graph/walk.h"

static bool at_end_of_domain(enum domain d, double a, double b)
{
	switch (d) {
	case DOMAIN_POSITIVE:
		return a <= 0;
	case DOMAIN_ABOVE_MINUS_ONE:
		return a <= -1;
	case DOMAIN_INSIDE_ONE:
		return fabs(a) >= 1;
	case DOMAIN_ABOVE_ONE:
		return a <= 1;
	case DOMAIN_SECOND_NONZERO:
		return b == 0;
	case DOMAIN_POW:
		return a <= 0;
	case DOMAIN_NOT_BOTH_ZERO:
		return a == 0 && b == 0;
	case DOMAIN_NOT_ALL_ZERO:
	case DOMAIN_ALL:
		break;
	}
	return false;
}

/* The element of operand x that belongs to element i of a result of shape `to`, of an elementwise node. */
static double element(const struct tensor *x, const struct shape *to, int i)
{
	return tensor_number(x, shape_broadcast_offset(&x->type.shape, to, i));
}

/* Notes that an element of the result comes from operand k, or does not. */
static void take(struct facts_watch *w, const struct node *n, int k, bool taken)
{
	w->chooses[n->out] = true;
	w->taken[k][n->out] |= taken;
}

static void watch_elementwise(struct facts_watch *w, const struct node *n, const struct tensor *value)
{
	const struct tensor *y = &value[n->out];
	struct facts *f = w->f;
	enum family family = op_table[n->op].family;

	if (family == FAMILY_BINARY && dtype_is_float(y->type.dtype) && w->known && f->varied[n->arg[0]] &&
	    f->varied[n->arg[1]])
		f->at[FEATURE_OPERANDS_EQUAL] |= tensor_same(&value[n->arg[0]], &value[n->arg[1]]);

	for (int i = 0, size = shape_elements(&y->type.shape); i < size; i++) {
		double a = element(&value[n->arg[0]], &y->type.shape, i),
		       b = n->n_arg > 1 ? element(&value[n->arg[1]], &y->type.shape, i) : 1;

		if (family == FAMILY_SELECT) {
			w->untaken[n->arg[a != 0 ? 2 : 1]] = true;
			take(w, n, a != 0 ? 1 : 2, true);
			continue;
		}
		if (!dtype_is_float(y->type.dtype))
			continue;
		if (n->op == OP_CLAMP) {
			double hi = element(&value[n->arg[2]], &y->type.shape, i);

			f->at[FEATURE_TIE] |= a == b || a == hi;
			take(w, n, 0, a >= b && a <= hi);
			take(w, n, 1, a <= b && b <= hi);
			take(w, n, 2, a >= hi || b >= hi);
			w->lost[n->arg[a < b || a > hi ? 0 : 1]] = true;
			continue;
		}
		if (n->op == OP_MAX || n->op == OP_MIN) {
			f->at[FEATURE_TIE] |= a == b;
			take(w, n, 0, a == b || (n->op == OP_MAX) == (a > b));
			take(w, n, 1, a == b || (n->op == OP_MAX) != (a > b));
			if (a != b)
				w->lost[n->arg[(n->op == OP_MAX) == (a > b) ? 1 : 0]] = true;
		}
		w->singular[n->out] |= at_end_of_domain(op_table[n->op].domain, a, b) || !isfinite(tensor_number(y, i));
		if (n->op == OP_MUL) {
			f->at[FEATURE_ZERO_FACTOR] |= a == 0 || b == 0;
			w->zero_factor[0][n->out] |= a == 0;
			w->zero_factor[1][n->out] |= b == 0;
		}
		if (n->op == OP_POW) {
			f->at[FEATURE_ZERO_BASE] |= a == 0;
			f->at[FEATURE_ZERO_EXPONENT] |= b == 0;
			f->at[FEATURE_UNIT_BASE] |= a == 1;
		}
	}
}

static void watch_mask(struct facts_watch *w, const struct node *n, const struct tensor *value)
{
	const struct tensor *mask = &value[n->arg[1]];
	int size = shape_elements(&mask->type.shape), room = shape_elements(&value[n->arg[2]].type.shape);

	for (int i = 0, k = 0; i < size; i++) {
		bool from_source = mask->at[i].i && k < room;

		k += mask->at[i].i != 0;
		take(w, n, 0, !from_source);
		take(w, n, 2, from_source);
	}
}

/* How many elements of x equal an element of y, the extremum of some of them: at least if y has one element. */
static void watch_ties(struct facts *f, const struct node *n, const struct tensor *x, const struct tensor *y)
{
	const int groups = shape_elements(&y->type.shape), size = shape_elements(&x->type.shape);
	int *ties = NEW(f->arena, int, groups + 1);
	int stride[LIMIT_RANK], step[LIMIT_RANK] = {0}, place = 1;

	shape_strides(&x->type.shape, stride);
	for (int d = x->type.shape.rank - 1; d >= 0; d--) {
		bool reduced = false;

		for (int k = 0; k < n->attrs.n_axes; k++)
			reduced |= n->attrs.axes[k] == d;
		step[d] = reduced ? 0 : place;
		place *= reduced ? 1 : x->type.shape.extent[d];
	}
	for (int i = 0; i < size; i++) {
		int group = 0;

		for (int d = 0; d < x->type.shape.rank; d++)
			group += i / stride[d] % x->type.shape.extent[d] * step[d];
		if (group < groups && x->at[i].f == y->at[group].f)
			ties[group]++;
	}
	for (int g = 0; g < groups; g++) {
		f->at[FEATURE_TIES_OVER_TWO] |= ties[g] > 2;
		f->at[FEATURE_TIES_OVER_THREE] |= ties[g] > 3;
		f->at[FEATURE_TIES_OVER_FOUR] |= ties[g] > 4;
		f->at[FEATURE_TIES_OVER_FIVE] |= ties[g] > 5;
		f->at[FEATURE_TIES_OVER_SEVEN] |= ties[g] > 7;
	}
}

static void watch_reduction(struct facts_watch *w, const struct node *n, const struct tensor *value)
{
	const struct tensor *x = &value[n->arg[0]];
	struct facts *f = w->f;
	int size = shape_elements(&x->type.shape), zeros = 0;

	if (!dtype_is_float(x->type.dtype))
		return;
	for (int i = 0; i < size; i++) {
		zeros += x->at[i].f == 0;
		for (int k = 0;
		     k < i && (n->op == OP_REDUCE_MAX || n->op == OP_REDUCE_MIN || n->op == OP_SORT) && size <= 64; k++)
			f->at[FEATURE_TIE] |= x->at[i].f == x->at[k].f;
	}
	if (n->op == OP_REDUCE_PROD || n->op == OP_CUMPROD) {
		f->at[FEATURE_ZERO_FACTOR] |= zeros > 0;
		f->at[FEATURE_ZERO_FACTORS] |= zeros > 1;
		f->at[FEATURE_ZERO_ELEMENT] |= zeros > 0 && w->known && f->varied[n->arg[0]];
	}
	if (n->op == OP_NORM) {
		f->at[FEATURE_ZERO_NORM] |= zeros == size;
		w->singular[n->out] |= zeros == size;
	}
	if (n->op == OP_REDUCE_MAX || n->op == OP_REDUCE_MIN)
		watch_ties(f, n, x, &value[n->out]);
	if (n->op == OP_REDUCE_MAX || n->op == OP_REDUCE_MIN)
		w->lost[n->arg[0]] |= size > 1;
}

/* Whether indices i and k mean one place along the axis, in the same line of elements. */
static bool same_place(const struct node *n, const struct shape *s, const union cell *index, int i, int k, int extent)
{
	const int at = kernel_index(n->attrs.mode, index[i].i, extent);
	int stride[LIMIT_RANK];

	if (at < 0 || at != kernel_index(n->attrs.mode, index[k].i, extent))
		return false;
	shape_strides(s, stride);
	for (int d = 0; d < s->rank && op_table[n->op].family == FAMILY_TAKE_ALONG_AXIS; d++)
		if (d != n->attrs.axis && i / stride[d] % s->extent[d] != k / stride[d] % s->extent[d])
			return false;
	return true;
}

static void watch_indices(struct facts_watch *w, const struct node *n, const struct tensor *value)
{
	const struct tensor *x = &value[n->arg[0]], *t = &value[n->arg[1]];
	struct facts *f = w->f;
	int extent = n->attrs.axis < x->type.shape.rank ? x->type.shape.extent[n->attrs.axis] : 1,
	    size = shape_elements(&t->type.shape);

	if (!dtype_is_int(t->type.dtype))
		return;
	for (int i = 0; i < size; i++) {
		f->at[FEATURE_INDEX_NEGATIVE] |= t->at[i].i < 0;
		f->at[FEATURE_INDEX_BEYOND] |= t->at[i].i >= extent;
		f->at[FEATURE_INDEX_OUTSIDE] |= t->at[i].i < 0 || t->at[i].i >= extent;
		for (int k = 0; k < i && size <= 256; k++)
			f->at[FEATURE_DUPLICATE_INDEX] |= same_place(n, &t->type.shape, t->at, i, k, extent);
	}
}

static void watch_starts(struct facts_watch *w, const struct node *n, const struct tensor *value)
{
	const bool reads = op_table[n->op].family == FAMILY_DYNAMIC_SLICE;
	const struct shape *x = &value[n->arg[0]].type.shape,
	                   *part = reads ? &value[n->out].type.shape : &value[n->arg[1]].type.shape;
	const struct tensor *starts = &value[n->arg[reads ? 1 : 2]];

	for (int d = 0; d < x->rank; d++)
		w->f->at[FEATURE_START_CLAMPED] |= starts->at[d].i < 0 ||
		    starts->at[d].i > x->extent[d] - part->extent[d];
}

static void watch_loop(struct facts_watch *w, const struct node *n, const struct tensor *value)
{
	const struct node_loop l = node_loop(n);
	struct facts *f = w->f;
	int trips = w->entered[n->out];

	for (int i = 0; i < l.n_carry; i++)
		f->at[FEATURE_LOOP_CHANGES] |= !tensor_same(&value[n->out + i], &value[n->arg[l.first_arg + i]]);

	w->entered[n->out] = 0;
	f->at[FEATURE_TRIPS_OVER_ONE] |= trips > 1;
	f->at[FEATURE_TRIPS_OVER_TWO] |= trips > 2;
	f->at[FEATURE_TRIPS_OVER_THREE] |= trips > 3;
	f->at[FEATURE_TRIPS_OVER_FOUR] |= trips > 4;
	f->at[FEATURE_TRIPS_OVER_FIVE] |= trips > 5;
	f->at[FEATURE_TRIPS_OVER_SIX] |= trips > 6;
	f->at[FEATURE_TRIPS_OVER_SEVEN] |= trips > 7;
	f->at[FEATURE_TRIPS_ZERO] |= trips == 0;
	f->trips[n->out] = trips > f->trips[n->out] ? trips : f->trips[n->out];
	f->odd_trips[n->out] |= trips % 2;
	w->path = w->path * 31 + (uint64_t)trips;
	w->unentered[n->out] |= trips == 0;
	f->at[FEATURE_COUNT_BELOW_CAP] |= node_loop(n).counted && trips < node_max_trip(n);
	f->at[FEATURE_LOOP_ENDS_EARLY] |= (n->op == OP_FOR || n->op == OP_SCAN) && n->attrs.until &&
	    trips < node_max_trip(n);
}

/* The loop whose body is r; entered[] is indexed by its first result. */
static const struct node *loop_around(const struct program *p, const struct region *r)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (node_loop(w.node).body == r)
			return w.node;
	return NULL;
}

/* Notes whether value v was computed before with another result. */
static void watch_change(struct facts_watch *w, int v, const struct tensor *y)
{
	uint64_t hash = 1;

	for (int i = 0, size = shape_elements(&y->type.shape); i < size; i++)
		hash = (hash ^ (uint64_t)y->at[i].i) * UINT64_C(0x100000001b3) | 1;
	w->changes[v] |= w->last[v] && w->last[v] != hash;
	w->last[v] = hash;
}

static void watch_values(struct facts_watch *w, const struct node *n, const struct tensor *value)
{
	for (int k = 0; k < n->n_out; k++) {
		const struct tensor *y = &value[n->out + k];

		watch_change(w, n->out + k, y);
		for (int i = 0, size = shape_elements(&y->type.shape); i < size && dtype_is_float(y->type.dtype); i++) {
			w->f->at[FEATURE_NON_FINITE] |= !isfinite(y->at[i].f);
			w->f->at[FEATURE_NAN_VALUE] |= isnan(y->at[i].f);
		}
	}
}

static bool facts_ran_in(const struct facts *f, const struct region *r)
{
	for (int i = 0; i < f->n_ran; i++)
		if (f->ran[i] == r)
			return true;
	return false;
}

void facts_watch_exchanged(void *self, const struct region *region, const struct node *n, const struct tensor *value)
{
	struct facts_watch *w = self;
	const struct tensor *y;

	(void)region;
	if (!n || n->n_out != 1 ||
	    (op_table[n->op].family != FAMILY_UNARY && op_table[n->op].family != FAMILY_BINARY) ||
	    !w->f->varied[n->out] || w->run[n->out])
		return;
	y = &value[n->out];
	for (int i = 0, size = shape_elements(&y->type.shape); i < size; i++) {
		double a = element(&value[n->arg[0]], &y->type.shape, i),
		       b = n->n_arg > 1 ? element(&value[n->arg[1]], &y->type.shape, i) : 1;

		w->f->at[FEATURE_BRANCH_SINGULAR] |= at_end_of_domain(op_table[n->op].domain, a, b) ||
		    !isfinite(tensor_number(y, i));
	}
}

void facts_watch_step(void *self, const struct region *region, const struct node *n, const struct tensor *value)
{
	struct facts_watch *w = self;
	enum family family;

	if (!n) {
		const struct node *loop = loop_around(w->p, region);

		if (!facts_ran_in(w->f, region) && w->f->n_ran < FACTS_REGIONS)
			w->f->ran[w->f->n_ran++] = region;

		if (loop && loop->n_out)
			w->entered[loop->out]++;
		return;
	}
	family = op_table[n->op].family;
	for (int k = 0; k < n->n_out; k++)
		w->run[n->out + k] = true;
	watch_values(w, n, value);
	if (w->known && n->n_out)
		measures_watch(w->f, n, value, w->point);
	if (family == FAMILY_UNARY || family == FAMILY_BINARY || family == FAMILY_CLAMP || family == FAMILY_SELECT)
		watch_elementwise(w, n, value);
	else if (family == FAMILY_REDUCE || family == FAMILY_CUMULATIVE || family == FAMILY_SORT)
		watch_reduction(w, n, value);
	else if (family == FAMILY_GATHER || family == FAMILY_TAKE_ALONG_AXIS || family == FAMILY_SCATTER ||
	    family == FAMILY_SCATTER_APPLY)
		watch_indices(w, n, value);
	else if (family == FAMILY_MASKED_SCATTER)
		watch_mask(w, n, value);
	else if (node_loop(n).is_loop && n->n_out)
		watch_loop(w, n, value);
	else if (family == FAMILY_COND)
		w->path = w->path * 31 + 1 + (value[n->arg[0]].at->i != 0);
	else if (family == FAMILY_DYNAMIC_SLICE || family == FAMILY_DYNAMIC_UPDATE_SLICE)
		watch_starts(w, n, value);
}
