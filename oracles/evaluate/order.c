/*
 * order.c: iota, and order along an axis.
 *
 * An element whose place is certain is moved. An element may change places with others if they are tied or if rounding
 * may reorder them. It becomes a scalar of op sort over all of these elements.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

static void iota(struct evaluation_run *r, const struct node *node)
{
	const struct type *type = &r->p->type[node->out];
	struct axis_split v = evaluate_axis_view(&type->shape, node->attrs.axis);
	int n = shape_elements(&type->shape);
	struct elements out = elements_new(r, n, false);
	for (int k = 0; k < n; k++) {
		int i = k / v.inner % v.n;
		if (dtype_is_float(type->dtype))
			out.at[k].scalar = trace_leaf_integer(r->ev, type->dtype, i);
		else
			out.at[k].i = i;
	}
	r->env[node->out] = out;
}

/* ---- one line ---- */

/* n elements along an axis, and what is known about their order. */
struct ordered_line {
	int n, step;
	const union element *at;     /* element k is at[k * step] */
	const struct evaluation *ev; /* NULL: integers */
	int *perm, *spare;           /* [n] positions in order */
	double *high, *low; /* [n] in order: the largest upper end so far, the smallest lower end from here on */
};

static int scalar_at(const struct ordered_line *l, int position) { return l->at[position * l->step].scalar; }

/* Whether position a comes strictly before b. A NaN comes after everything else. */
static bool before(const struct ordered_line *l, int a, int b)
{
	if (!l->ev)
		return l->at[a * l->step].i < l->at[b * l->step].i;
	mpfr_srcptr x = l->ev->value[scalar_at(l, a)], y = l->ev->value[scalar_at(l, b)];
	return !mpfr_nan_p(x) && (mpfr_nan_p(y) || mpfr_less_p(x, y));
}

/* A stable merge sort of perm[low .. high). */
static void merge_sort(struct ordered_line *l, int low, int high)
{
	int middle = low + (high - low) / 2, left = low, right = middle;
	if (high - low < 2)
		return;
	merge_sort(l, low, middle);
	merge_sort(l, middle, high);
	memcpy(l->spare + low, l->perm + low, (size_t)(high - low) * sizeof *l->perm);
	for (int k = low; k < high; k++) {
		bool take_right = right < high && (left == middle || before(l, l->spare[right], l->spare[left]));
		l->perm[k] = take_right ? l->spare[right++] : l->spare[left++];
	}
}

static void sort_line(struct ordered_line *l)
{
	for (int k = 0; k < l->n; k++)
		l->perm[k] = k;
	merge_sort(l, 0, l->n);
}

/* An end of the interval in which a correct engine may see the scalar. It lies on the safe side, because the value
 * rounds to binary64 here. */
static double end_of(const struct evaluation *ev, int k, int sign)
{
	double radius = trace_radius(ev, k), x = mpfr_get_d(ev->value[k], sign > 0 ? MPFR_RNDU : MPFR_RNDD);
	if (isinf(radius) || isnan(x))
		return sign > 0 ? INFINITY : -INFINITY;
	return radius == 0 ? x : nextafter(x + sign * radius, sign > 0 ? INFINITY : -INFINITY);
}

static void find_ends(struct ordered_line *l)
{
	double most = -INFINITY, least = INFINITY;
	for (int k = 0; k < l->n; k++)
		l->high[k] = most = fmax(most, end_of(l->ev, scalar_at(l, l->perm[k]), 1));
	for (int k = l->n - 1; k >= 0; k--)
		l->low[k] = least = fmin(least, end_of(l->ev, scalar_at(l, l->perm[k]), -1));
}

/* The end of the cluster that starts at `first` of the order. No correct engine moves an element across the borders
 * of a cluster. */
static int cluster_end(const struct ordered_line *l, int first)
{
	int end = first + 1;
	while (end < l->n && l->high[end - 1] >= l->low[end])
		end++;
	return end;
}

enum cluster { CLUSTER_SAME, CLUSTER_TIED, CLUSTER_UNSURE };

/* Same: one scalar that occurs several times. Tied: exactly equal in every correct engine. */
static enum cluster cluster_kind(const struct ordered_line *l, int first, int end)
{
	int a = scalar_at(l, l->perm[first]);
	bool same = true, tied = !mpfr_nan_p(l->ev->value[a]);
	for (int k = first; k < end; k++) {
		int b = scalar_at(l, l->perm[k]);
		same &= a == b;
		tied &= trace_radius(l->ev, b) == 0 && mpfr_equal_p(l->ev->value[a], l->ev->value[b]);
	}
	return same ? CLUSTER_SAME : tied ? CLUSTER_TIED : CLUSTER_UNSURE;
}

/* Notes the permutation as a decision of the path. The ties are part of it, because the permutation beside a tie
 * may be that of the tie. */
static void note_order(struct evaluation *ev, const struct ordered_line *l)
{
	for (int k = 0; k < l->n; k++) {
		int b = scalar_at(l, l->perm[k]), a = k ? scalar_at(l, l->perm[k - 1]) : b;
		bool tie = a != b && mpfr_equal_p(ev->value[a], ev->value[b]);
		trace_event(ev, (int64_t)l->perm[k] * 2 + tie);
		trace_edge(ev, tie, a, b);
	}
}

/* ---- families ---- */

/* out[k] = the k-th scalar in order of a float line whose first element is number `base` of the result. */
static void put_sorted(
    struct evaluation_run *r, const struct ordered_line *l, enum dtype d, struct elements *out, int base)
{
	int *member = NEW(r->arena, int, l->n + 1);
	for (int first = 0, end; first < l->n; first = end) {
		end = cluster_end(l, first);
		enum cluster kind = cluster_kind(l, first, end);
		for (int k = first; k < end; k++)
			member[k] = scalar_at(l, l->perm[k]);
		for (int k = first; k < end; k++)
			out->at[base + k * l->step].scalar = kind == CLUSTER_SAME
			    ? member[k]
			    : trace_sorted(r->ev, d, member + first, end - first, k - first);
	}
}

static void put_positions(
    struct evaluation_run *r, const struct ordered_line *l, struct elements *out, int total, int base)
{
	for (int k = 0; k < l->n; k++)
		out->at[base + k * l->step].i = l->perm[k];
	for (int first = 0, end; l->ev && first < l->n; first = end) {
		end = cluster_end(l, first);
		if (cluster_kind(l, first, end) != CLUSTER_UNSURE)
			continue;
		for (int k = first; k < end; k++)
			element_set_shaky(r, out, total, base + k * l->step);
	}
}

static void sort(struct evaluation_run *r, const struct node *node)
{
	const struct type *in = &r->p->type[node->arg[0]];
	const struct elements *x = &r->env[node->arg[0]];
	struct axis_split v = evaluate_axis_view(&in->shape, node->attrs.axis);
	int total = shape_elements(&in->shape);
	bool is_float = dtype_is_float(in->dtype), positions = node->op == OP_ARGSORT;
	struct elements out = elements_new(r, total, false);
	struct ordered_line l = {.n = v.n,
	    .step = v.inner,
	    .ev = is_float ? r->ev : NULL,
	    .perm = NEW(r->arena, int, v.n),
	    .spare = NEW(r->arena, int, v.n),
	    .high = NEW(r->arena, double, v.n),
	    .low = NEW(r->arena, double, v.n)};
	for (int o = 0; o < v.outer; o++)
		for (int i = 0; i < v.inner; i++) {
			int base = o * v.n * v.inner + i;
			bool shaky = false;
			l.at = x->at + base;
			sort_line(&l);
			if (is_float) {
				find_ends(&l);
				note_order(r->ev, &l);
			}
			if (is_float && !positions) {
				put_sorted(r, &l, in->dtype, &out, base);
				continue;
			}
			if (positions)
				put_positions(r, &l, &out, total, base);
			for (int k = 0; k < v.n; k++) {
				shaky |= element_shaky(x, base + k * v.inner);
				if (!positions)
					out.at[base + k * v.inner] = l.at[l.perm[k] * v.inner];
			}
			for (int k = 0; shaky && k < v.n; k++)
				element_set_shaky(r, &out, total, base + k * v.inner);
		}
	r->env[node->out] = out;
}

static void argmax(struct evaluation_run *r, const struct node *node)
{
	const struct type *in = &r->p->type[node->arg[0]];
	const struct elements *x = &r->env[node->arg[0]];
	struct axis_split v = evaluate_axis_view(&in->shape, node->attrs.axis);
	int n = v.outer * v.inner;
	bool is_float = dtype_is_float(in->dtype);
	struct elements out = elements_new(r, n, false);
	struct ordered_line l = {.n = v.n, .step = v.inner, .ev = is_float ? r->ev : NULL};
	for (int o = 0; o < v.outer; o++)
		for (int i = 0; i < v.inner; i++) {
			int base = o * v.n * v.inner + i, at = o * v.inner + i, best = 0;
			bool shaky = false, tie = false;
			l.at = x->at + base;
			for (int k = 1; k < v.n; k++)
				if (before(&l, best, k))
					best = k;
			for (int k = 0; k < v.n; k++) {
				shaky |= element_shaky(x, base + k * v.inner);
				if (!is_float)
					continue;
				int a = scalar_at(&l, best), b = scalar_at(&l, k);
				shaky |= !trace_separated(r->ev, a, b, 0);
				tie |= a != b && mpfr_equal_p(r->ev->value[a], r->ev->value[b]);
			}
			out.at[at].i = best;
			if (is_float) {
				trace_event(r->ev, (int64_t)best * 2 + tie);
				r->ev->edge |= tie;
			}
			if (shaky)
				element_set_shaky(r, &out, n, at);
		}
	r->env[node->out] = out;
}

void evaluate_order(struct evaluation_run *r, const struct node *node)
{
	switch ((int)node->op) {
	case OP_IOTA:
		iota(r, node);
		break;
	case OP_ARGMAX:
		argmax(r, node);
		break;
	default:
		sort(r, node);
		break;
	}
}
