/* pairs.c: numbers of one operand against those of another, and tangents against the elements that they belong to. */
#include <math.h>

#include "elements.h"
#include "engines/kernels/kernels.h"
#include "engines/kernels/parts.h"

bool element_flows(const struct element_view *v, int i)
{
	return (!v->result || isfinite(v->result[i].f)) && (!v->flows || !(fabs(v->flows[i].f) < 1e-6));
}

static bool is_integer(double x) { return x == trunc(x) && isfinite(x); }

/* Where the operand of a clamp lies. */
static void compare_bounds(struct operand_comparison *c, const double x[3])
{
	const bool crossed = x[1] > x[2];

	c->between |= x[0] >= x[1] && x[0] <= x[2];
	c->below_both |= x[0] < x[1] && x[0] < x[2];
	c->above_both |= x[0] > x[1] && x[0] > x[2];
	c->crossed_between |= x[0] < x[1] && x[0] > x[2];
	c->below_in_order |= x[0] < x[1] && !crossed;
	c->above_in_order |= x[0] > x[2] && !crossed;
	c->crossed_over |= crossed && x[0] <= x[2];
	c->crossed_under |= crossed && x[0] > x[2];
}

/* What two or three operands are to each other in one element. */
static void compare_element(struct operand_comparison *c, enum op op, const double x[3])
{
	const double quotient = x[0] / x[1];

	for (int k = 1; k < 3; k++)
		if (x[k] != x[0])
			c->close[k] = fmin(c->close[k], fabs(x[0] - x[k]));
	if (x[0] != x[1])
		c->apart_least = fmin(c->apart_least, fabs(x[0] - x[1]) / fmax(fabs(x[0]), fabs(x[1])));
	for (int k = 1; k < 3; k++) {
		c->above_by[k] = fmax(c->above_by[k], x[0] - x[k]);
		c->below_by[k] = fmax(c->below_by[k], x[k] - x[0]);
		if (x[0] > x[k])
			c->close_above[k] = fmin(c->close_above[k], x[0] - x[k]);
		if (x[0] < x[k])
			c->close_below[k] = fmin(c->close_below[k], x[k] - x[0]);
	}
	if (isfinite(quotient)) {
		c->quotient_far = fmax(c->quotient_far, fabs(quotient));
		c->quotient_near = fmin(c->quotient_near, fabs(quotient));
	}
	c->larger_nearer |= (x[0] > x[1] && fabs(x[0]) < fabs(x[1])) || (x[0] < x[1] && fabs(x[0]) > fabs(x[1]));
	c->both_negative |= x[0] < 0 && x[1] < 0;
	c->both_positive |= x[0] > 0 && x[1] > 0;
	c->first_negative |= x[0] < 0 && x[1] > 0;
	c->second_negative |= x[0] > 0 && x[1] < 0;
	c->equal |= x[0] == x[1];
	c->negatives |= x[0] == -x[1] && x[0] != 0;
	c->negative_even |= x[0] < 0 && is_integer(x[1]) && fmod(x[1], 2) == 0;
	c->negative_odd |= x[0] < 0 && is_integer(x[1]) && fmod(x[1], 2) != 0;
	c->whole |= is_integer(quotient);
	c->fraction |= isfinite(quotient) && !is_integer(quotient);
	c->negative_fraction |= quotient < 0 && isfinite(quotient) && !is_integer(quotient);
	if (op == OP_CLAMP)
		compare_bounds(c, x);
}

void elements_compare(
    struct operand_comparison *c, const struct node *n, const struct tensor *value, const struct element_view *v)
{
	if (!c->known)
		*c = (struct operand_comparison){.known = true,
		    .close = {INFINITY, INFINITY, INFINITY},
		    .close_above = {INFINITY, INFINITY, INFINITY},
		    .close_below = {INFINITY, INFINITY, INFINITY},
		    .quotient_near = INFINITY,
		    .apart_least = INFINITY};
	for (int i = 0, size = shape_elements(v->to); i < size; i++) {
		double x[3] = {0};

		if (!element_flows(v, i))
			continue;
		for (int k = 0; k < n->n_arg && k < 3; k++)
			x[k] = value[n->arg[k]].at[shape_broadcast_offset(&value[n->arg[k]].type.shape, v->to, i)].f;
		c->below |= x[0] < x[1];
		c->above |= x[0] > x[1];
		c->nearer |= fabs(x[0]) < fabs(x[1]);
		c->farther |= fabs(x[0]) > fabs(x[1]);
		c->opposite |= (x[0] < 0 && x[1] > 0) || (x[0] > 0 && x[1] < 0);
		c->alike |= (x[0] > 0 && x[1] > 0) || (x[0] < 0 && x[1] < 0);
		compare_element(c, n->op, x);
		for (int k = 0; k < n->n_arg && k < 3; k++) {
			c->taken_negative[k] |= x[k] < 0 && x[k] == value[n->out].at[i].f;
			c->taken_positive[k] |= x[k] > 0 && x[k] == value[n->out].at[i].f;
		}
		c->above_third |= n->n_arg > 2 && x[0] > x[2];
		c->crossed |= n->n_arg > 2 && x[1] > x[2];
	}
}

/* 0: none is kept yet. */
static void keep_least(double *least, double x)
{
	if (x > 0 && (*least == 0 || x < *least))
		*least = x;
}

/* An update y meets an element x. */
static void meet(struct meeting *m, double y, double x)
{
	m->above |= y > x;
	m->below |= y < x;
	m->equal |= y == x;
	keep_least(&m->close, fabs(y - x));
	keep_least(&m->close_above, y - x);
	keep_least(&m->close_below, x - y);
}

/* Of a scatter of extrema also: whether an element has several candidates that equal it. */
void elements_meet(struct node_elements *e, const struct node *n, const struct tensor *value)
{
	const struct tensor *x = &value[n->arg[0]], *at = &value[n->arg[1]], *y = &value[n->out];
	const union cell *update = value[n->arg[2]].at;
	const int axis = n->attrs.axis, n_index = shape_elements(&at->type.shape),
	          size = shape_elements(&x->type.shape);
	const bool extremum = n->op == OP_SCATTER_MIN || n->op == OP_SCATTER_MAX;
	const struct axis_view v = axis_view(&x->type.shape, axis), u = axis_view(&value[n->arg[2]].type.shape, axis);

	e->meeting.known = true;
	if (extremum) {
		e->candidates = e->candidates > 1 ? e->candidates : 1;
		e->update_ties = e->update_ties > 1 ? e->update_ties : 1;
	}
	for (int i = 0; i < size; i++) {
		const int o = i / (v.n * v.inner), row = i / v.inner % v.n, inner = i % v.inner;
		const bool stays = x->at[i].f == y->at[i].f;
		double before = 0;
		bool meets = false;
		int winners = stays;

		e->meeting.wins |= extremum && !stays;
		for (int k = 0; k < n_index; k++) {
			const double z = update[(o * u.n + k) * v.inner + inner].f;

			if (kernel_index(n->attrs.mode, at->at[k].i, v.n) != row)
				continue;
			winners += z == y->at[i].f;
			e->meeting.beaten |= extremum && z != y->at[i].f &&
			    (n->op == OP_SCATTER_MAX ? z > x->at[i].f : z < x->at[i].f);
			meet(&e->meeting, z, x->at[i].f);
			e->meeting.ascend |= meets && z > before;
			e->meeting.descend |= meets && z < before;
			before = z;
			meets = true;
		}
		if (!extremum)
			continue;
		e->candidates = winners > e->candidates ? winners : e->candidates;
		e->update_ties += stays ? winners - 1 : 0;
	}
}

void elements_replace(struct meeting *m, const struct node *n, const struct tensor *value, struct arena *a)
{
	const bool masked = op_table[n->op].family == FAMILY_MASKED_SCATTER;
	const int own = masked ? 2 : 1, size = shape_elements(&value[n->arg[0]].type.shape);
	struct tensor where = tensor_new(a, &value[n->arg[0]].type), from = tensor_new(a, &value[n->arg[own]].type), to;
	const struct tensor *arg[] = {
	    &where, n->n_arg > 1 ? &value[n->arg[1]] : NULL, n->n_arg > 2 ? &value[n->arg[2]] : NULL};

	where.type.dtype = from.type.dtype = DTYPE_F64; /* f16 does not have all numbers of elements */
	for (int i = 0, k = shape_elements(&from.type.shape); i < k; i++)
		from.at[i].f = i + 1;
	arg[own] = &from;
	kernel_run(n, arg, &where.type, &to, a);
	m->known = true;
	for (int i = 0; i < size; i++) {
		const int at = (int)to.at[i].f - 1;
		const double x = value[n->arg[0]].at[i].f;

		if (at < 0)
			continue;
		meet(m, value[n->arg[own]].at[at].f, x);
	}
}

enum { SIZE_MOST = 4096 }; /* of a tensor whose order is compared */

/* Whether the tangents of a line, in the order of its elements, do not ascend. */
static bool line_is_apart(const union cell *x, const union cell *dx, const struct axis_view *v)
{
	for (int i = 0; i < v->n; i++)
		for (int k = 0; k < v->n; k++)
			if (x[i * v->inner].f < x[k * v->inner].f && dx[i * v->inner].f > dx[k * v->inner].f)
				return true;
	return false;
}

/* Of the elements of each group: whether the largest tangent is that of the largest element, and the smallest that of
 * the smallest. */
static void compare_extrema(
    struct tangent_order *o, const struct node *n, const struct tensor *x, const struct tensor *dx, struct arena *a)
{
	const int size = shape_elements(&x->type.shape);
	int n_group;
	const int *group = elements_groups(n, &x->type.shape, &n_group, a);

	for (int k = 0; k < n_group; k++) {
		int high = -1, low = -1;

		for (int i = 0; i < size; i++) {
			if (group[i] != k)
				continue;
			high = high < 0 || x->at[i].f > x->at[high].f ? i : high;
			low = low < 0 || x->at[i].f < x->at[low].f ? i : low;
		}
		for (int i = 0; i < size; i++) {
			o->largest_apart |= group[i] == k && dx->at[i].f > dx->at[high].f;
			o->smallest_apart |= group[i] == k && dx->at[i].f < dx->at[low].f;
		}
	}
}

void elements_descend(
    struct tangent_order *o, const struct node *n, const struct tensor *x, const struct tensor *cotangent)
{
	const struct axis_view v = axis_view(&x->type.shape, n->attrs.axis);

	o->cotangents_known = true;
	for (int line = 0; line < v.outer * v.inner && shape_elements(&x->type.shape) <= SIZE_MOST; line++) {
		const int first = line / v.inner * v.n * v.inner + line % v.inner;
		const union cell *c = cotangent->at + first;

		o->cotangents_apart |= line_is_apart(x->at + first, c, &v);
		for (int k = 1; k < v.n; k++)
			o->cotangents_descend |= c[k * v.inner].f < c[(k - 1) * v.inner].f;
	}
}

void elements_order(struct tangent_order *o, const struct node *n, const struct tensor *value,
    const struct tensor *tangent, struct arena *a)
{
	const struct tensor *x = &value[n->arg[0]];

	if (shape_elements(&x->type.shape) > SIZE_MOST)
		return;
	if (op_table[n->op].family == FAMILY_SORT) {
		const struct axis_view v = axis_view(&x->type.shape, n->attrs.axis);

		o->known = true;
		for (int line = 0; line < v.outer * v.inner; line++) {
			const int first = line / v.inner * v.n * v.inner + line % v.inner;

			o->lines_apart |= line_is_apart(x->at + first, tangent->at + first, &v);
		}
	}
	if (op_table[n->op].family == FAMILY_REDUCE) {
		o->known = true;
		compare_extrema(o, n, x, tangent, a);
	}
}
