/* kinks.c: answers at kinks. An answer may follow one assignment of conventions, be a mixture of them, or be
 * outside of all mixtures. */
#include "internal.h"
#include "graph/heap.h"

#include <math.h>
#include <stdlib.h>

/* The component of one place under an assignment of conventions. */
static const struct component *assigned(const struct truth_point *t, int assignment, int k, int e)
{
	return &t->derivative[assignment][k].at[e];
}

static bool same_ball(const struct component *a, const struct component *b)
{
	return a->reason == b->reason &&
	    (a->reason != REASON_NONE ||
	        (a->value == b->value && a->low == b->low && a->tight == b->tight && a->loose == b->loose &&
	            a->escapes == b->escapes && a->narrow == b->narrow &&
	            (!a->narrow || (a->down == b->down && a->up == b->up && a->leap == b->leap))));
}

/* Whether a component is the same under all assignments. */
static bool same_in_all(const struct truth_point *t, int k, int e)
{
	for (int s = 1; s < t->n_assignment; s++)
		if (!same_ball(assigned(t, 0, k, e), assigned(t, s, k, e)))
			return false;
	return true;
}

const struct component *kink_weakest(const struct truth_point *t, int k, int e)
{
	const struct component *found = NULL;

	for (int s = 0; s < t->n_assignment; s++) {
		const struct component *c = assigned(t, s, k, e);

		if (c->reason != REASON_NONE && (!found || (judge_nan_leaks(found) && !judge_nan_leaks(c))))
			found = c;
	}
	return found ? found : assigned(t, 0, k, e);
}

/* How well an answer follows one assignment. */
enum fit { FIT_NONE, FIT_LOOSE, FIT_TIGHT };

static enum fit fit_of(const struct truth_point *t, int assignment, const struct answer *answer)
{
	enum fit fit = FIT_TIGHT;
	for (int k = 0; k < t->n_derivative; k++) {
		const struct truth_tensor *want = &t->derivative[assignment][k];
		if (!dtype_is_float(want->type.dtype))
			continue;
		for (int e = 0; e < shape_elements(&want->type.shape); e++) {
			double got = answer->derivative[k].at[e].f, error = fabs(judge_error(&want->at[e], got));
			if (want->at[e].reason != REASON_NONE || isnan(got))
				continue; /* NaN is judged apart */
			if (!judge_accepts(&want->at[e], got))
				return FIT_NONE;
			if (error > want->at[e].tight)
				fit = FIT_LOOSE;
		}
	}
	return fit;
}

/* ---- outside of all mixtures ---- */

/* The allowed error of a corner's own numbers: two roundings of a double and a division, with a margin. */
static const double CORNER_ERROR = 0x1p-40;

/* How far from the hull rounding may move component (k, e), whose flattened number is `at`. */
static double slack_of(const struct truth_point *t, int k, int e, int at)
{
	const struct hull *h = t->hull;
	double slack = h ? h->slack[at] : 0, size = 0;
	for (int s = 0; s < t->n_assignment; s++) {
		slack += assigned(t, s, k, e)->loose;
		size = fmax(size, fabs(assigned(t, s, k, e)->value));
	}
	for (int side = 0; h && side < 2; side++) {
		double end = side ? h->high[at] : h->low[at];
		size = fmax(size, isfinite(end) ? fabs(end) : 0);
	}
	return slack + CORNER_ERROR * size;
}

/*
 * Whether the errors of usual formulas allow `got` beside the numbers between low and high. They are small, or they
 * leap (struct hull).
 */
static bool may_err(const struct truth_point *t, int k, int e, int at, double low, double high, double got)
{
	const struct hull *h = t->hull;
	if (!h || !h->inner)
		return true;
	double inner = h->inner[at] + CORNER_ERROR * fmax(fabs(low), fabs(high)), leap = h->leap[at];
	for (int s = 0; s < t->n_assignment; s++) {
		const struct component *c = assigned(t, s, k, e);
		inner += c->narrow ? fmax(c->down, c->up) : c->loose;
		leap = c->narrow ? fmin(leap, c->leap) : leap;
	}
	return (got >= low - inner && got <= high + inner) || got <= high - leap || got >= low + leap;
}

static const struct component *nearest_assigned(const struct truth_point *t, int k, int e, double got)
{
	const struct component *best = assigned(t, 0, k, e);
	for (int s = 1; s < t->n_assignment; s++)
		if (fabs(judge_error(assigned(t, s, k, e), got)) < fabs(judge_error(best, got)))
			best = assigned(t, s, k, e);
	return best;
}

static void observe_outside(struct judge *j, const struct truth_point *t, int k, int e, double got)
{
	const struct component *best = nearest_assigned(t, k, e, got);
	double error = fabs(judge_error(best, got));
	j->which = k;
	j->element = e;
	double radius = component_radius(best, got);
	judge_observe(j, VERDICT_WRONG, judge_deviation(best->value, got),
	    isfinite(error) ? judge_ratio(error, radius) : INFINITY, best->value, got, radius);
}

/*
 * Compares one component with the interval of all mixtures; without a hull, with the interval between the assignments.
 * True if it is inside, or undecided under one of them.
 */
static bool judge_box(struct judge *j, const struct truth_point *t, int k, int e, int at, double got)
{
	const struct component *first = assigned(t, 0, k, e);
	double low = t->hull ? t->hull->low[at] : INFINITY, high = t->hull ? t->hull->high[at] : -INFINITY,
	       slack = slack_of(t, k, e, at);
	/* Where no tie leads, every assignment gives the same component, and its own radius counts. */
	bool plain = same_in_all(t, k, e) && (!t->hull || low == high), inside, escapes = false;
	if (kink_weakest(t, k, e)->reason != REASON_NONE)
		return true;
	for (int s = 0; s < t->n_assignment; s++) {
		low = fmin(low, assigned(t, s, k, e)->value);
		high = fmax(high, assigned(t, s, k, e)->value);
		escapes |= assigned(t, s, k, e)->escapes;
	}
	inside = plain ? judge_accepts(first, got)
	               : (got >= low - slack && got <= high + slack && may_err(t, k, e, at, low, high, got)) ||
	        (escapes && isinf(got));
	if (!inside)
		observe_outside(j, t, k, e, got);
	return inside;
}

/* One coordinate of the joint test, in units of the largest number there. */
struct axis {
	int which, element, at;
	double scale, got, slack;
};

static double coordinate(const struct hull *h, int corner, const struct axis *x)
{
	return h->corner[corner][x->at] / x->scale;
}

/* The coordinates with a finite answer and a known truth. */
static int list_axes(const struct truth_point *t, const struct answer *answer, struct axis *axis)
{
	const struct hull *h = t->hull;
	int n = 0, at = 0;
	for (int k = 0; k < t->n_derivative; k++) {
		for (int e = 0; e < shape_elements(&t->derivative[0][k].type.shape); e++, at++) {
			if (!dtype_is_float(t->derivative[0][k].type.dtype) ||
			    kink_weakest(t, k, e)->reason != REASON_NONE || !isfinite(h->low[at]))
				continue;
			struct axis x = {.which = k,
			    .element = e,
			    .at = at,
			    .got = answer->derivative[k].at[e].f,
			    .slack = slack_of(t, k, e, at)};
			if (!isfinite(x.got) || !isfinite(x.slack))
				continue;
			x.scale = fmax(fabs(x.got), fmax(fabs(h->low[at]), fabs(h->high[at])));
			if (x.scale == 0)
				continue;
			x.got /= x.scale;
			x.slack /= x.scale;
			axis[n++] = x;
		}
	}
	return n;
}

/* The most steps towards the nearest point, and the most multiplications for them. The distance to that point falls
 * with the number of steps. */
enum { STEPS = 1000, STEP_WORK = 1 << 26 };

/*
 * Whether a plane separates the answer from all corners by more than rounding.
 *
 * The method is Frank and Wolfe's (An Algorithm for Quadratic Programming, 1956). The vector z leads from the answer
 * to a point of the hull, and moves towards the nearest one. If any z on the way is the normal of a separating plane,
 * that is a proof. If none is, nothing is proved.
 */
static bool is_separated(const struct hull *h, const struct axis *axis, int n, double *z)
{
	for (int i = 0; i < n; i++)
		z[i] = coordinate(h, 0, &axis[i]) - axis[i].got;
	int steps = STEP_WORK / (h->n_corner * (n + 1)) + 1;
	for (int step = 0; step < STEPS && step < steps; step++) {
		double least = INFINITY, rounding = 0, length = 0, fall = 0;
		int nearest = 0;
		for (int s = 0; s < h->n_corner; s++) {
			double dot = 0;
			for (int i = 0; i < n; i++)
				dot += z[i] * (coordinate(h, s, &axis[i]) - axis[i].got);
			if (dot < least)
				least = dot, nearest = s;
		}
		for (int i = 0; i < n; i++)
			rounding += fabs(z[i]) * axis[i].slack;
		if (least > rounding)
			return true;
		for (int i = 0; i < n; i++) {
			double move = coordinate(h, nearest, &axis[i]) - axis[i].got - z[i];
			fall -= z[i] * move;
			length += move * move;
		}
		if (!(fall > 0) || length == 0)
			return false;
		double part = fmin(1, fall / length);
		for (int i = 0; i < n; i++)
			z[i] += part * (coordinate(h, nearest, &axis[i]) - axis[i].got - z[i]);
	}
	return false;
}

/* Notes the place where the answer differs most from the assignment that is nearest to it as a whole. */
static void observe_apart(struct judge *j, const struct truth_point *t, const struct axis *axis, int n)
{
	double least = INFINITY, worst = -1;
	int nearest = 0, far = 0;
	for (int s = 0; s < t->n_assignment; s++) {
		double sum = 0;
		for (int i = 0; i < n; i++) {
			double gap = axis[i].got -
			    assigned(t, s, axis[i].which, axis[i].element)->value / axis[i].scale;
			sum += gap * gap;
		}
		if (sum < least)
			least = sum, nearest = s;
	}
	for (int i = 0; i < n; i++) {
		double gap = fabs(
		    axis[i].got - assigned(t, nearest, axis[i].which, axis[i].element)->value / axis[i].scale);
		if (gap > worst)
			worst = gap, far = i;
	}
	const struct component *c = assigned(t, nearest, axis[far].which, axis[far].element);
	double got = axis[far].got * axis[far].scale;
	j->which = axis[far].which;
	j->element = axis[far].element;
	judge_observe(j, VERDICT_WRONG, judge_deviation(c->value, got),
	    judge_ratio(fabs(judge_error(c, got)), c->loose), c->value, got, c->loose);
}

/* Judges the answer as a whole. Each share may come from some mixture although no mixture gives all of them, such
 * as a doubled or a missing share. */
static void judge_joint(struct judge *j, const struct truth_point *t, const struct answer *answer)
{
	const struct hull *h = t->hull;
	if (!h || !h->n_corner || !h->n_component)
		return;
	struct axis *axis = heap_new((size_t)h->n_component, sizeof *axis);
	double *z = heap_new((size_t)h->n_component, sizeof *z);
	int n = list_axes(t, answer, axis);
	if (is_separated(h, axis, n, z))
		observe_apart(j, t, axis, n);
	free(axis);
	free(z);
}

/* ---- one convention ---- */

bool kink_leads(const struct truth_point *t, int k, int e, int at)
{
	return !same_in_all(t, k, e) || (t->hull && t->hull->open && t->hull->low[at] < t->hull->high[at]);
}

/* Notes the worst component of an answer that follows one assignment. */
static void judge_followed(struct judge *j, const struct truth_point *t, int assignment, const struct answer *answer)
{
	bool plain = true;
	int at = 0;
	for (int k = 0; k < t->n_derivative; k++) {
		const struct truth_tensor *want = &t->derivative[assignment][k];
		int elements = shape_elements(&want->type.shape), first = at;
		at += elements;
		if (!dtype_is_float(want->type.dtype))
			continue;
		for (int e = 0; e < elements; e++) {
			j->which = k;
			j->element = e;
			double got = answer->derivative[k].at[e].f;
			const struct alternatives *x = component_alternatives(kink_weakest(t, k, e));
			if (x && !x->counted)
				continue; /* judged already */
			if (want->at[e].reason != REASON_NONE) {
				j->out->undecided[want->at[e].reason]++;
				continue;
			}
			if (isnan(got) && !want->at[e].in_domain) {
				j->out->undecided[REASON_CONVENTION]++;
				continue;
			}
			if (kink_allows_zero(t, k, e, first + e)) {
				j->out->decided++;
				j->certain++;
			} else {
				j->certain += judge_count(j, &want->at[e], want->type.dtype);
			}
			if (isnan(got))
				continue;
			judge_float(j, &want->at[e], want->type.dtype, got, VERDICT_WRONG);
			if (!kink_leads(t, k, e, first + e))
				continue;
			plain = false;
			double error = fabs(judge_error(&want->at[e], got));
			judge_observe(j, VERDICT_CONVENTION, DEVIATION_NONE, judge_ratio(error, want->at[e].tight),
			    want->at[e].value, got, want->at[e].tight);
		}
	}
	if (!plain)
		j->out->assignment = assignment;
}

bool kink_allows_zero(const struct truth_point *t, int k, int e, int at)
{
	double low = t->hull ? t->hull->low[at] : INFINITY, high = t->hull ? t->hull->high[at] : -INFINITY;

	for (int s = 0; s < t->n_assignment; s++) {
		low = fmin(low, assigned(t, s, k, e)->value);
		high = fmax(high, assigned(t, s, k, e)->value);
	}
	return kink_leads(t, k, e, at) && low <= 0 && high >= 0;
}

void judge_kink_component(struct judge *j, const struct truth_point *t, int k, int e, int at, double got)
{
	const struct component *c = kink_weakest(t, k, e);
	const enum dtype d = t->derivative[0][k].type.dtype;
	j->which = k;
	j->element = e;
	if (!judge_alternatives(j, c, d, got) && !judge_nan(j, c, d, got))
		judge_box(j, t, k, e, at, got);
}

void judge_conventions(struct judge *j, const struct truth_point *t, const struct answer *answer)
{
	enum fit best = FIT_NONE;
	int followed = 0;
	for (int s = 0; s < t->n_assignment; s++) {
		enum fit fit = fit_of(t, s, answer);
		if (fit > best) {
			best = fit;
			followed = s;
		}
	}
	bool all_inside = true;
	int at = 0;
	for (int k = 0; k < t->n_derivative; k++) {
		const struct truth_tensor *want = &t->derivative[0][k];
		int elements = shape_elements(&want->type.shape), first = at;
		at += elements;
		if (!dtype_is_float(want->type.dtype))
			continue;
		for (int e = 0; e < elements; e++) {
			j->which = k;
			j->element = e;
			double got = answer->derivative[k].at[e].f;
			if (judge_alternatives(j, kink_weakest(t, k, e), want->type.dtype, got))
				continue;
			if (judge_nan(j, kink_weakest(t, k, e), want->type.dtype, got) || best != FIT_NONE)
				continue;
			bool inside = judge_box(j, t, k, e, first + e, got);
			const struct component *c = kink_weakest(t, k, e);
			all_inside &= inside;
			if (c->reason != REASON_NONE) {
				j->out->undecided[c->reason]++;
			} else if (inside && kink_leads(t, k, e, first + e)) {
				/* Between the conventions: a mixture that no known system uses. */
				j->out->undecided[REASON_CONVENTION]++;
			} else {
				judge_count(j, c, want->type.dtype);
			}
		}
	}
	if (best != FIT_NONE)
		judge_followed(j, t, followed, answer);
	else if (all_inside)
		judge_joint(j, t, answer);
}
