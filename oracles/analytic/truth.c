/* truth.c: the truth at a point, from the trace: one sweep per assignment of conventions. */
#include "alternatives.h"
#include "convergence.h"
#include "custom_reach.h"
#include "digits.h"
#include "graph/answer.h"
#include "graph/walk.h"
#include "inside.h"
#include "internal.h"
#include "nan_reach.h"
#include "oracles/evaluate/double_of.h"
#include "oracles/evaluate/trace_request.h"
#include "oracles/oracle_rules.h"
#include "quotients.h"
#include "resweep.h"
#include "singular.h"

#include <math.h>
#include <string.h>

#define R MPFR_RNDN

/* Derivatives of order 2 and above may grow the trace to this many scalars. Each takes about 100 bytes and half a
 * microsecond. */
enum { DERIVED_SCALARS = 1 << 18 };

/* ---- components ---- */

static struct component integer_component(int64_t i, bool shaky)
{
	double value = (double)i; /* rounded beyond 2^53; 2^63 is no int64_t */
	double low = value >= 0x1p63 ? (double)(i - INT64_MAX) - 1 : (double)(i - (int64_t)value);
	return (struct component){.value = value,
	    .low = low,
	    .magnitude = fabs(value),
	    .reason = shaky ? REASON_UNSTABLE_PATH : REASON_NONE,
	    .in_domain = !shaky};
}

static struct component primal_component(struct analytic *self, int k)
{
	const struct note *n = &self->note[k];
	struct component out = {.reason = n->reason, .magnitude = n->magnitude, .in_domain = !n->reason};
	out.value = double_of(self->ev.value[k]);
	if (n->reason)
		return out;
	mpfr_sub_d(self->term, self->ev.value[k], out.value, R);
	out.low = double_of(self->term);
	out.tight = n->radius;
	out.loose = n->danger ? n->far : n->radius;
	out.escapes = n->danger && n->escapes;
	out.culprit = n->danger_op;
	out.share = n->danger ? INFINITY : 0;
	if (out.loose == INFINITY)
		out.reason = REASON_RANGE;
	return out;
}

static struct component flow_component(struct analytic *self, int k)
{
	const struct flow *f = &self->flow[k];
	struct component out = {.reason = f->reason,
	    .magnitude = f->magnitude,
	    .in_domain = !f->reason && !f->singular,
	    .weak_zero = f->weak};
	if (!f->present || f->reason)
		return out;
	out.value = double_of(self->value[k]);
	mpfr_sub_d(self->term, self->value[k], out.value, R);
	out.low = double_of(self->term);
	out.tight = f->tight;
	out.loose = fmax(f->loose, f->tight);
	out.vanishes = f->vanishing != 0 && fabs(out.value - f->vanishing) <= fmax(f->tight, 1e-9 * fabs(out.value));
	out.narrow = spread_is_narrow(&f->spread, out.loose);
	out.down = fmax(f->spread.down, f->tight);
	out.up = fmax(f->spread.up, f->tight);
	out.leap = f->spread.leaps ? f->spread.leap : INFINITY;
	out.escapes = f->escapes;
	out.culprit = f->culprit;
	out.share = f->share;
	out.flushed = f->flushed;
	/* Without ops derivative, radii of order 1 hold to all orders of u. One of half the number tells it from 0 and
	 * from the other sign. */
	const bool tells = self->ev.order == 1 && f->tight <= fabs(out.value) / 2;
	if (!tells && !ball_decided(f->tight, f->magnitude, self->ev.scalar[k].dtype))
		out.reason = REASON_ILL_CONDITIONED;
	else if (out.loose == INFINITY)
		out.reason = REASON_RANGE;
	return out;
}

static void fill(struct truth_tensor *t, const struct type *type, struct arena *a)
{
	t->type = *type;
	t->at = NEW(a, struct component, shape_elements(&type->shape));
}

static void primal_truth(struct analytic *self, const struct testcase *c, struct arena *a, struct truth_point *out)
{
	const struct program *p = &c->program;
	out->n_primal = p->top.n_result;
	out->primal = NEW(a, struct truth_tensor, out->n_primal);
	for (int i = 0; i < out->n_primal; i++) {
		const struct type *type = &p->type[p->top.result[i]];
		const struct elements *e = &self->ev.result[i];
		fill(&out->primal[i], type, a);
		for (int k = 0; k < shape_elements(&type->shape); k++)
			out->primal[i].at[k] = dtype_is_float(type->dtype)
			    ? primal_component(self, e->at[k].scalar)
			    : integer_component(e->at[k].i, e->shaky && e->shaky[k]);
	}
}

struct component analytic_component(struct analytic *self, const struct transform *t, int i, int e)
{
	struct evaluation *ev = &self->ev;
	if (t->kind == TRANSFORM_VJP) {
		int first = ev->input_scalar[t->wrt[i]], k = first + e;
		if (first < 0)
			return integer_component(0, false);
		return flow_component(self, k);
	}
	int k = ev->result[i].at[e].scalar;
	struct component out = flow_component(self, k);
	const enum reason beside = self->note[k].reason;
	if (beside &&
	    (!out.reason || beside == REASON_NON_FINITE ||
	        beside == REASON_OVERFLOW)) /* beside a primal that is infinite or NaN, a tangent may be anything */
		out = (struct component){.reason = out.reason ? out.reason : beside};
	return out;
}

static void derivative_truth(struct analytic *self, const struct conventions *conventions, const struct transform *t,
    const struct resweep *again, const struct type *types, int n, struct truth_tensor *out)
{
	analytic_sweep(self, conventions, t, again);
	if (self->singular)
		analytic_weak_zeros(self, conventions, t->kind);
	for (int i = 0; i < n; i++)
		for (int e = 0; e < shape_elements(&types[i].shape); e++)
			out[i].at[e] = dtype_is_float(types[i].dtype) ? analytic_component(self, t, i, e)
			                                              : integer_component(0, false);
}

/*
 * An element of a derivative of order 2 or more: scalar k of the trace, -1 for none. Its ball allows for the formulas
 * of trace_derive.def, which are the usual ones that lose most. The loose radius allows for other groupings of more
 * than three factors. divides: whether an engine may divide by a product that scatter_mul multiplied further.
 */
static struct component derived_component(struct analytic *self, int k, bool divides)
{
	const struct note *n = &self->note[k];
	if (k < 0)
		return (struct component){.in_domain = true};
	struct component out = primal_component(self, k);
	if (out.reason)
		return out;
	out.magnitude = self->ev.scalar[k].derived ? n->path : n->magnitude;
	out.loose = fmax(out.loose, BALL_FLOW_SLACK * n->radius);
	if (divides)
		out.loose += 2 * dtype_table[self->ev.scalar[k].dtype].unit * fabs(out.value);
	out.flushed = n->flushed;
	if (!ball_decided(out.tight, out.magnitude, self->ev.scalar[k].dtype))
		out.reason = REASON_ILL_CONDITIONED;
	return out;
}

/* Derivatives of a request of several transforms. All levels become scalars of the trace. */
static bool stacked_truth(
    struct analytic *self, const struct testcase *c, const struct type *types, int n, struct truth_tensor *out)
{
	const int *scalar = trace_request(&self->ev, c, DERIVED_SCALARS);
	bool divides = false;
	if (!scalar)
		return false;
	for (int k = 0; k < self->ev.n_scalar; k++)
		divides |= self->ev.scalar[k].divided;
	for (int i = 0; i < n; i++)
		for (int e = 0; e < shape_elements(&types[i].shape); e++, scalar++)
			out[i].at[e] = dtype_is_float(types[i].dtype) ? derived_component(self, *scalar, divides)
			                                              : integer_component(0, false);
	return true;
}

static void undecide(struct truth_tensor *t, int n, enum reason reason)
{
	for (int i = 0; i < n; i++)
		for (int e = 0; e < shape_elements(&t[i].type.shape); e++)
			t[i].at[e] = (struct component){.reason = reason};
}

static void undecide_derivatives(struct truth_point *t, enum reason reason)
{
	for (int k = 0; k < t->n_assignment; k++)
		undecide(t->derivative[k], t->n_derivative, reason);
}

static void undecide_all(struct truth_point *t, enum reason reason)
{
	undecide(t->primal, t->n_primal, reason);
	undecide_derivatives(t, reason);
}

/* ---- one point ---- */

/* Which float input elements are differentiated, in the order of their scalars. */
static void mark_active(struct analytic *self, const struct testcase *c, struct arena *a)
{
	const struct program *p = &c->program;
	int total = 0, at = 0;
	for (int i = 0; i < p->top.n_param; i++)
		if (dtype_is_float(p->type[p->top.param + i].dtype))
			total += shape_elements(&p->type[p->top.param + i].shape);
	uint8_t *active = NEW(a, uint8_t, total + 1);
	for (int i = 0; i < p->top.n_param; i++) {
		const struct type *type = &p->type[p->top.param + i];
		bool in_wrt = false;
		if (!dtype_is_float(type->dtype))
			continue;
		for (int k = 0; k < c->n_transform; k++)
			for (int j = 0; j < c->transform[k].n_wrt; j++)
				in_wrt |= c->transform[k].wrt[j] == i;
		memset(active + at, in_wrt, (size_t)shape_elements(&type->shape));
		at += shape_elements(&type->shape);
	}
	self->input_active = active;
	self->n_input_scalar = total;
}

int analytic_trace(struct analytic *self, const struct testcase *c, int which, struct arena *a)
{
	self->c = c;
	mark_active(self, c, a);
	self->ev.freeze = false;
	self->rule_singular = false;
	/* An engine that knows the meaning of a solution sums its chain before the sum leaves the body. */
	self->apart = convergence_matters(&c->program.top) || self->regrouped;
	self->by_paths = self->ev.slices || self->apart;
	inside_begin(self, c);
	const int nested = region_nesting(&c->program.top, OP_DERIVATIVE);
	const int order = request_order(c->transform, c->n_transform) + nested;
	self->ev.nested = nested > 0;
	self->ev.order = order;
	self->ev.times_one = order > 1;
	alike_reset(self->alike);
	kept_partials_forget(self->kept);
	evaluate(&self->ev, &c->program, c->point[which], NULL, 0, 0, a);
	return order;
}

/* Makes no NaN a leak. */
static void excuse_all(struct truth_tensor *t, int n)
{
	for (int i = 0; i < n; i++)
		for (int e = 0; e < shape_elements(&t[i].type.shape); e++)
			t[i].at[e].in_domain = false;
}

/* Whether a level is a jvp: an engine may give a tangent to everything. */
static bool has_tangents(const struct testcase *c)
{
	for (int k = 0; k < c->n_transform; k++)
		if (c->transform[k].kind == TRANSFORM_JVP)
			return true;
	return false;
}

/* Makes room for the derivatives under each assignment. Requests of several levels have one. */
static void derivative_room(const struct testcase *c, const struct conventions *conventions, const struct type *types,
    struct arena *a, struct truth_point *out)
{
	out->n_assignment = c->n_transform == 1 && conventions->n_assignment <= CONVENTION_ASSIGNMENTS
	    ? conventions->n_assignment
	    : 1;
	out->derivative = NEW(a, struct truth_tensor *, out->n_assignment);
	for (int k = 0; k < out->n_assignment; k++) {
		out->derivative[k] = NEW(a, struct truth_tensor, out->n_derivative);
		for (int i = 0; i < out->n_derivative; i++)
			fill(&out->derivative[k][i], &types[i], a);
	}
}

/* The derivatives of a request of one level, by a sweep for each assignment. */
static void swept_truth(struct analytic *self, struct conventions *conventions, const struct transform *t,
    const struct type *types, struct arena *a, struct truth_point *out)
{
	const struct resweep *again = NULL;
	const int n = out->n_derivative;

	if (t->kind == TRANSFORM_VJP)
		analytic_find_merged(self);
	for (int k = 0; k < out->n_assignment; k++) {
		conventions_assign(conventions, k);
		derivative_truth(self, conventions, t, again, types, n, out->derivative[k]);
		again = k == 0 && out->kink ? resweep_plan(self, t, a) : again;
	}
	if (out->kink && conventions->n_assignment <= CONVENTION_ASSIGNMENTS)
		out->hull = analytic_hull(self, conventions, t, types, n, again, a);
	if (conventions->n_assignment > CONVENTION_ASSIGNMENTS)
		undecide(out->derivative[0], n, REASON_CONVENTION);
}

/*
 * Whether engines may mask what slices of a batch choose on their own. A cond becomes a select there, and a loop goes
 * on for slices that are done. The trace of a slice does not have what is masked.
 */
static bool masks_slices(const struct analytic *self, const struct testcase *c)
{
	if (!self->ev.slices)
		return false;
	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);)
		switch ((int)w.node->op) {
		case OP_COND:
		case OP_WHILE:
		case OP_FIXED_POINT:
			return true;
		case OP_FOR:
		case OP_SCAN:
			if (w.node->attrs.until || !node_has_trip(w.node))
				return true;
			break;
		default:
			break;
		}
	return false;
}

/*
 * Where an engine may answer with a NaN, from order 2 on. leaks: the search for NaNs of masked parts; without a search,
 * all may be NaN if something is singular. zeros: that for NaNs of weak zeros.
 */
static void excuse_reached(struct analytic *self, const struct testcase *c, int order, const struct nan_reach *leaks,
    const struct nan_reach *zeros, struct truth_point *out)
{
	const bool masks = order > 1 && masks_slices(self, c);

	for (int i = 0; i < out->n_derivative; i++) {
		struct truth_tensor *t = &out->derivative[0][i];
		for (int e = 0; e < shape_elements(&t->type.shape); e++) {
			if (order > 1)
				t->at[e].in_domain &= !masks &&
				    (leaks ? !nan_reaches(self, c, leaks, i, e) : !self->singular);
			if (zeros && zeros->forwards)
				t->at[e].weak_zero = nan_reaches(self, c, zeros, i, e);
		}
	}
	for (int s = 0; self->rule_singular && s < out->n_assignment; s++)
		excuse_all(out->derivative[s], out->n_derivative);
}

/* Leaves undecided what an evaluation that met a limit or a broken rule does not tell. */
static void undecide_untold(struct analytic *self, const struct testcase *c, struct arena *a, struct truth_point *out)
{
	const struct evaluation *ev = &self->ev;

	if (ev->status == EVALUATE_LIMIT)
		undecide_all(out, REASON_ORDER);
	else if (ev->status != EVALUATE_OK)
		undecide_all(out, REASON_UNSTABLE_PATH);
	else if (ev->n_broken && ev->nested)
		undecide_all(out, REASON_CUSTOM_RULE);
	else if (ev->n_broken > EVALUATE_BROKEN)
		undecide_derivatives(out, REASON_CUSTOM_RULE);
	else if (ev->n_broken)
		custom_reach(c, ev->broken, ev->n_broken, a, out);
}

/* The truth with fixed points of meaning `solution` evaluated in one way; ev.unrolled says which. */
static void truth_one_way(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	struct type types[LIMIT_ARGS];
	struct conventions conventions;
	struct nan_reach leaks = {0}, zeros = {0};

	memset(out, 0, sizeof *out);
	out->n_derivative = answer_derivative_types(c, types);
	const int order = analytic_trace(self, c, which, a);
	const bool reach = self->ev.rules->reach, search = order > 1 && c->n_transform && reach;
	out->edge = self->ev.edge;
	out->nonfinite = trace_nonfinite(&self->ev);
	primal_truth(self, c, a, out);
	/*
	 * At first order, a NaN from a masked part is a leak. At higher orders, by the request or by an op derivative,
	 * it is none. There, even the derivative of a correct mask multiplies its zeros by the masked partials, which
	 * may be infinite.
	 */
	self->singular = order > 0 && trace_singular(&self->ev, self->note, order);
	conventions_collect(
	    &conventions, &self->ev, self->note, c->n_transform == 1 && c->transform[0].kind == TRANSFORM_JVP);
	out->kink = conventions.n_kind > 0;
	conventions_assign(&conventions, 0);
	if (search)
		leaks = nan_reach_of(self, &conventions, c, order, false);
	if (c->n_transform > 1 && has_tangents(c) && reach)
		zeros = nan_reach_of(self, &conventions, c, order, true);
	derivative_room(c, &conventions, types, a, out);
	if (c->n_transform == 1)
		swept_truth(self, &conventions, &c->transform[0], types, a, out);
	else if (c->n_transform > 1 && !stacked_truth(self, c, types, out->n_derivative, out->derivative[0]))
		undecide(out->derivative[0], out->n_derivative, REASON_ORDER);
	excuse_reached(self, c, order, search ? &leaks : NULL, &zeros, out);
	undecide_untold(self, c, a, out);
}

void analytic_truth(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	self->ev.unrolled = self->ev.quotients = self->ev.again = false;
	self->ev.product = OP_CONSTANT;
	self->stray = 0;
	const int64_t before = self->ev.work ? self->ev.work->left : 0;
	truth_one_way(self, c, which, a, out);
	alternatives_add(self, c, which, self->ev.work ? before - self->ev.work->left : 0, a, out);
	if (c->n_transform > 1 && digits_lost(out, (int)self->ev.precision)) {
		const mpfr_prec_t usual = self->ev.precision;
		struct truth_point again;
		self->ev.precision = DIGITS_MORE;
		truth_one_way(self, c, which, a, &again);
		self->ev.precision = usual;
		digits_restore(out, &again, (int)usual);
	}
	if (self->ev.product != OP_CONSTANT) {
		struct truth_point by_quotients;
		self->ev.quotients = true;
		truth_one_way(self, c, which, a, &by_quotients);
		quotients_widen(out, &by_quotients, self->ev.product);
	}
	if (convergence_nested(&c->program.top))
		undecide(out->primal, out->n_primal, REASON_CONVERGENCE);
	else if (!out->n_derivative || !convergence_matters(&c->program.top))
		return;
	if (c->n_transform != 1 || convergence_nested(&c->program.top)) {
		for (int k = 0; k < out->n_assignment; k++)
			undecide(out->derivative[k], out->n_derivative, REASON_CONVERGENCE);
		return;
	}
	double stray = self->stray;
	self->ev.unrolled = self->ev.again = true;
	/* Tries the first few steps after which an engine may stop, because the error need not fall from step to
	 * step, and then the last. */
	for (int k = 0; k <= CONVERGENCE_STEPS && (!k || k <= self->ev.latest); k++) {
		struct truth_point unrolled;
		self->ev.late = k < CONVERGENCE_STEPS ? k : LIMIT_TRIP;
		truth_one_way(self, c, which, a, &unrolled);
		convergence_widen(out, &unrolled, &c->transform[0], stray);
	}
}
