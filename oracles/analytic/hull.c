/*
 * hull.c: the answers that mixtures of conventions may give. They come from every choice of each tie on its own. If
 * there are too many choices, or if a tie has no corners, an interval bounds each component.
 *
 * A program may use any element of the Clarke subdifferential in each use of an elementary function. Its answer is
 * then an element of a conservative field (Bolte and Pauwels, Conservative set valued fields, automatic
 * differentiation, stochastic gradient methods and deep learning, Mathematical Programming 188, 2021). An answer
 * outside cannot come from any such choice.
 */
#include "internal.h"
#include "oracles/evaluate/double_of.h"

#include <math.h>

#define R MPFR_RNDN

/* ---- corners ---- */

/* What the corners so far say about the errors of one component. */
struct sides {
	bool any, unknown;
	double inner, magnitude, loose; /* the largest of all corners */
	int leaps, source;              /* the same in all corners, or nothing is known */
	bool against;
	double gross, lost; /* the least leap before other errors reduce it; the most that they do */
};

/* The flow of element e of derivative i; NULL: it is the constant 0. */
static const struct flow *flow_at(const struct analytic *self, const struct transform *t, int i, int e)
{
	if (t->kind == TRANSFORM_JVP)
		return &self->flow[self->ev.result[i].at[e].scalar];
	const int first = self->ev.input_scalar[t->wrt[i]];
	return first < 0 ? NULL : &self->flow[first + e];
}

/*
 * A mixture is a convex combination of corners. A derivative is affine in a partial that leaps, and its factor has one
 * sign in all mixtures if it has in all corners. Errors that do not leap are convex in the shares of each tie.
 */
static void add_sides(struct sides *x, const struct spread *s, const struct component *c)
{
	x->unknown |= c->reason != REASON_NONE || s->leaps > 1 || s->twice ||
	    (x->any && (s->leaps != x->leaps || (s->leaps && (s->source != x->source || s->against != x->against))));
	x->inner = fmax(x->inner, fmax(c->tight, spread_width(s)));
	x->magnitude = fmax(x->magnitude, c->magnitude);
	x->loose = fmax(x->loose, c->loose);
	x->gross = x->any ? fmin(x->gross, s->gross) : s->gross;
	x->lost = fmax(x->lost, s->gross - s->leap);
	x->unknown |= s->leaps && !(s->leap > 0);
	x->leaps = s->leaps;
	x->source = s->source;
	x->against = s->against;
	x->any = true;
}

/*
 * Unit roundoffs that a mixture may lose and no corner does: where all shares are present, more terms are added, and
 * each share is rounded. There are at most two operations for each edge of the trace.
 */
static double mixing(const struct analytic *self)
{
	double edges = 0, unit = 0;
	for (int k = 0; k < self->ev.n_scalar; k++) {
		edges += self->note[k].active ? self->ev.scalar[k].n_parent : 0;
		if (self->note[k].active)
			unit = fmax(unit, self->dtype[self->ev.scalar[k].dtype].unit);
	}
	return 2 * edges * unit;
}

static void finish_sides(const struct sides *x, double mixing, struct hull *out, int k)
{
	out->inner[k] = x->unknown ? INFINITY : x->inner + mixing * x->magnitude;
	out->leap[k] = x->leaps ? x->gross - x->lost - mixing * (x->magnitude + x->loose) : INFINITY;
}

static void add_corner(struct analytic *self, const struct transform *t, const struct type *types, int n, int number,
    struct sides *sides, struct hull *out)
{
	static const struct flow absent = {0};
	int k = 0;
	for (int i = 0; i < n; i++) {
		for (int e = 0; e < shape_elements(&types[i].shape); e++, k++) {
			if (!dtype_is_float(types[i].dtype))
				continue;
			struct component c = analytic_component(self, t, i, e);
			const struct flow *f = flow_at(self, t, i, e);
			add_sides(&sides[k], &(f ? f : &absent)->spread, &c);
			out->corner[number][k] = c.value;
			out->low[k] = c.reason ? -INFINITY : fmin(out->low[k], c.value);
			out->high[k] = c.reason ? INFINITY : fmax(out->high[k], c.value);
			out->slack[k] = fmax(out->slack[k], c.reason ? 0 : c.loose);
		}
	}
}

/* ---- intervals ---- */

struct hull_range {
	double low, high;
	bool present;
};

static double times(double x, double y) { return x == 0 || y == 0 ? 0 : x * y; }

/* to += weight * from. */
static void add_range(struct hull_range *to, struct hull_range from, struct hull_range weight)
{
	const double p[] = {times(from.low, weight.low), times(from.low, weight.high), times(from.high, weight.low),
	    times(from.high, weight.high)};
	to->present = true;
	to->low += fmin(fmin(p[0], p[1]), fmin(p[2], p[3]));
	to->high += fmax(fmax(p[0], p[1]), fmax(p[2], p[3]));
}

static const struct hull_range unknown = {-INFINITY, INFINITY, true};

/* The range of the partial of tied scalar k by parent j. `present`: whether j takes part in the tie. */
static struct hull_range share_range(struct analytic *self, int k, int j)
{
	const struct evaluation *ev = &self->ev;
	const struct scalar *s = &ev->scalar[k];
	switch ((int)s->op) {
	case OP_ABS:
	case OP_NORM:
		return (struct hull_range){-1, 1, true};
	case OP_POW:
		return (struct hull_range){-INFINITY, 0, true};
	case OP_SORT:
		return (struct hull_range){0, 1, true};
	default:
		return (struct hull_range){0, 1, mpfr_equal_p(ev->value[ev->parent[s->parent + j]], ev->value[k]) != 0};
	}
}

/* The range of the partial of scalar k by parent j. */
static struct hull_range partial_range(struct analytic *self, const struct conventions *conventions, int k, int j)
{
	struct partial p;
	bool base_of_power = self->ev.scalar[k].op == OP_POW && j == 0;
	if (convention_tied(self->note, k) && !base_of_power)
		return share_range(self, k, j);
	if (!analytic_partial(self, conventions, k, j, &p))
		return (struct hull_range){0, 0, false};
	if (p.reason)
		return unknown;
	double value = double_of(p.value);
	return (struct hull_range){value, value, true};
}

static void seed_range(struct hull_range *r, double seed)
{
	if (seed == 0)
		return;
	add_range(r, isfinite(seed) ? (struct hull_range){seed, seed, true} : unknown, (struct hull_range){1, 1, true});
}

static void adjoint_ranges(
    struct analytic *self, const struct conventions *conventions, const struct transform *t, struct hull_range *range)
{
	const struct evaluation *ev = &self->ev;
	for (int i = 0; i < ev->n_result; i++)
		for (int e = 0; dtype_is_float(t->seed[i].type.dtype) && e < shape_elements(&t->seed[i].type.shape);
		     e++)
			seed_range(&range[ev->result[i].at[e].scalar], t->seed[i].at[e].f);
	for (int k = ev->n_scalar - 1; k >= 0; k--) {
		const struct scalar *s = &ev->scalar[k];
		for (int j = 0; range[k].present && self->note[k].active && j < s->n_parent; j++) {
			struct hull_range weight = partial_range(self, conventions, k, j);
			if (weight.present && self->note[ev->parent[s->parent + j]].active)
				add_range(&range[ev->parent[s->parent + j]], range[k], weight);
		}
	}
}

/* The range of the tangent of a maximum. Its shares add up to 1, so the tangent lies between those of its parents.
 * A clamp may also pass nothing. */
static struct hull_range between(struct analytic *self, int k, const struct hull_range *range)
{
	const struct evaluation *ev = &self->ev;
	const struct scalar *s = &ev->scalar[k];
	struct hull_range out = {INFINITY, -INFINITY, true};
	for (int j = 0; j < s->n_parent; j++) {
		if (!share_range(self, k, j).present)
			continue;
		out.low = fmin(out.low, range[ev->parent[s->parent + j]].low);
		out.high = fmax(out.high, range[ev->parent[s->parent + j]].high);
	}
	if (s->kind == OP_CLAMP)
		out = (struct hull_range){fmin(out.low, 0), fmax(out.high, 0), true};
	return out;
}

static void tangent_ranges(
    struct analytic *self, const struct conventions *conventions, const struct transform *t, struct hull_range *range)
{
	const struct evaluation *ev = &self->ev;
	for (int i = 0; i < t->n_wrt; i++)
		for (int e = 0; dtype_is_float(t->seed[i].type.dtype) && e < shape_elements(&t->seed[i].type.shape);
		     e++)
			seed_range(&range[ev->input_scalar[t->wrt[i]] + e], t->seed[i].at[e].f);
	for (int k = 0; k < ev->n_scalar; k++) {
		const struct scalar *s = &ev->scalar[k];
		bool shared = s->op != OP_ABS && !convention_is_open(s->op);
		if (!self->note[k].active)
			continue;
		if (convention_tied(self->note, k) && shared) {
			range[k] = between(self, k, range);
			continue;
		}
		for (int j = 0; j < s->n_parent; j++) {
			struct hull_range weight = partial_range(self, conventions, k, j);
			if (range[ev->parent[s->parent + j]].present && weight.present)
				add_range(&range[k], range[ev->parent[s->parent + j]], weight);
		}
	}
}

static void fill_ranges(struct analytic *self, const struct conventions *conventions, const struct transform *t,
    const struct type *types, int n, struct arena *a, struct hull *out)
{
	const struct evaluation *ev = &self->ev;
	struct hull_range *range = NEW(a, struct hull_range, ev->n_scalar + 1);
	bool vjp = t->kind == TRANSFORM_VJP;
	(vjp ? adjoint_ranges : tangent_ranges)(self, conventions, t, range);
	int k = 0;
	for (int i = 0; i < n; i++) {
		for (int e = 0; e < shape_elements(&types[i].shape); e++, k++) {
			if (!dtype_is_float(types[i].dtype))
				continue;
			const struct hull_range
			    *r = &range[vjp ? ev->input_scalar[t->wrt[i]] + e : ev->result[i].at[e].scalar];
			bool known = !isnan(r->low) && !isnan(r->high);
			out->low[k] = known ? r->low : -INFINITY;
			out->high[k] = known ? r->high : INFINITY;
		}
	}
}

/* ---- both ---- */

struct hull *analytic_hull(struct analytic *self, struct conventions *conventions, const struct transform *t,
    const struct type *types, int n, const struct resweep *again, struct arena *a)
{
	struct hull *out = NEW(a, struct hull, 1);
	for (int i = 0; i < n; i++)
		out->n_component += shape_elements(&types[i].shape);
	out->low = NEW(a, double, out->n_component);
	out->high = NEW(a, double, out->n_component);
	out->slack = NEW(a, double, out->n_component);
	for (int k = 0; k < self->ev.n_scalar; k++)
		out->open |= convention_tied(self->note, k) && convention_is_open(self->ev.scalar[k].op);
	struct corners *corners = corners_collect(&self->ev, self->note, false, a);
	if (!corners) {
		fill_ranges(self, conventions, t, types, n, a, out);
		return out;
	}
	out->n_corner = corners->n_corner;
	out->corner = NEW(a, double *, out->n_corner);
	out->inner = NEW(a, double, out->n_component);
	out->leap = NEW(a, double, out->n_component);
	struct sides *sides = NEW(a, struct sides, out->n_component);
	for (int k = 0; k < out->n_component; k++) {
		out->low[k] = INFINITY;
		out->high[k] = -INFINITY;
	}
	conventions->corner = corners;
	for (int s = 0; s < corners->n_corner; s++) {
		out->corner[s] = NEW(a, double, out->n_component);
		corners_choose(corners, s);
		analytic_sweep(self, conventions, t, again);
		add_corner(self, t, types, n, s, sides, out);
	}
	conventions->corner = NULL;
	const double more = mixing(self);
	for (int k = 0; k < out->n_component; k++)
		finish_sides(&sides[k], more, out, k);
	return out;
}
