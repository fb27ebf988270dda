/* analytic.c: the primal ball while the trace grows, then the truth at a point: one sweep per assignment of
 * conventions. */
#include "alternatives.h"
#include "internal.h"
#include "graph/answer.h"
#include "graph/heap.h"
#include "graph/walk.h"
#include "convergence.h"
#include "custom_reach.h"
#include "digits.h"
#include "inside.h"
#include "nan_reach.h"
#include "oracles/evaluate/scalar_ops.h"
#include "quiet.h"
#include "quotients.h"
#include "regroup.h"
#include "resweep.h"
#include "singular.h"
#include "oracles/evaluate/trace_request.h"
#include "oracles/oracle_rules.h"
#include "oracles/evaluate/double_of.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define R MPFR_RNDN

/* Derivatives of order 2 and above may grow the trace to this many scalars. Each takes about 100 bytes and half a
 * microsecond. */
enum { DERIVED_SCALARS = 1 << 18 };

/* ---- hooks: the ball follows the trace ---- */

/* Whether the ball of the op compares the classes of its parents (alike.h). */
static bool chooses(enum op op)
{
	return op == OP_MAX || op == OP_MIN || op == OP_REDUCE_MAX || op == OP_REDUCE_MIN || op == OP_SORT;
}

static void on_scalar(void *context, struct evaluation *ev, int k)
{
	struct analytic *self = context;
	const struct scalar *s = &ev->scalar[k];
	analytic_room(self, k + 1);
	bool active = ev->part ==
	    TRACE_PARAMETER; /* its ties matter to the derivative inside, whatever the request is */
	if (k < self->n_input_scalar)
		active = self->input_active[k] != 0;
	else if (s->op != OP_STOP_GRADIENT)
		for (int j = 0; j < s->n_parent; j++)
			active |= self->note[ev->parent[s->parent + j]].active;
	self->note[k].active = active;
	inside_note(self, k);
	self->by_paths |= ev->part != TRACE_PROGRAM;
	self->apart |= ev->part != TRACE_PROGRAM;
	if (chooses(s->op))
		alike_classes(self->alike, ev, self->note, k);
	ball_scalar(ev, self->note, k);
	if (ev->both)
		alternatives_note(self->note, k);
	self->note[k].excess = ev->excess;
	regroup_scalar(self, k);
	alike_appended(self->alike, k);
	self->by_paths |= self->note[k].shared && active;
	self->apart |= self->note[k].shared && active;
}

static bool on_separated(void *context, const struct evaluation *ev, int a, int b, double bound)
{
	return ball_separated(ev, ((struct analytic *)context)->note, a, b, bound);
}

static double on_radius(void *context, int k)
{
	const struct note *n = &((struct analytic *)context)->note[k];
	return n->reason ? INFINITY : n->radius;
}

static bool norm_of_zeros(const struct evaluation *ev, int k)
{
	return ev->scalar[k].op == OP_NORM && mpfr_zero_p(ev->value[k]);
}

/* Why the partials of scalar k are uncertain. */
static uint8_t reason_of_partials(const struct evaluation *ev, const struct note *note, int k)
{
	if (note[k].reason)
		return note[k].reason;
	if (ev->scalar[k].op == OP_FIXED_POINT)
		return REASON_CONVERGENCE;
	return (note[k].tie && !note[k].unsure) || norm_of_zeros(ev, k) ? REASON_CONVENTION : REASON_UNSTABLE_PATH;
}

static void on_uncertain(void *context, struct evaluation *ev, int k, int because)
{
	struct note *note = ((struct analytic *)context)->note;
	if (note[k].reason) /* of the flow itself */
		return;
	if (ev->both && because < 0)
		alternatives_join(ev, note, k);
	else
		note[k].reason = because >= 0 ? reason_of_partials(ev, note, because) : REASON_UNSTABLE_PATH;
}

/* Whether b a^(b - 1) of a negative a may have either sign: b - 1 rounds from odd to even. Then its derivatives may
 * have either sign too. */
static bool power_of_either_sign(const struct evaluation *ev, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	return s->op == OP_POW && mpfr_sgn(ev->value[parent[0]]) < 0 &&
	    fabs(double_of(ev->value[parent[1]])) * ev->dtype[s->dtype].unit >= 1;
}

static bool on_unsure(void *context, const struct evaluation *ev, int k)
{
	const struct note *n = &((struct analytic *)context)->note[k];
	/* Engines that know the meaning of a solution and engines that iterate get different derivatives
	 * (convergence.h). */
	return n->tie || n->unsure || norm_of_zeros(ev, k) || ev->scalar[k].op == OP_SELECT ||
	    ev->scalar[k].op == OP_FIXED_POINT || power_of_either_sign(ev, k);
}

static void on_settled(void *context, int k, double radius)
{
	struct analytic *self = context;
	struct note *n = &self->note[k];
	radius = rounding_flushed(&self->dtype[self->ev.scalar[k].dtype], n->magnitude, radius);
	if (isfinite(radius))
		self->stray = fmax(self->stray, radius);
	if (!isfinite(radius))
		n->reason = REASON_CONVERGENCE;
	else if (!n->reason)
		n->radius = radius;
	if (!n->reason && n->magnitude + radius > dtype_table[self->ev.scalar[k].dtype].max)
		n->reason = REASON_OVERFLOW;
}

static bool on_equal(void *context, int a, int b, int n)
{
	const struct note *note = ((struct analytic *)context)->note;
	for (int i = 0; i < n; i++)
		if (!note_equal(&note[a + i], &note[b + i]))
			return false;
	return true;
}

static void on_copied(void *context, int k, int from)
{
	struct analytic *self = context;
	analytic_room(self, k + 1);
	self->note[k] = self->note[from];
	self->note[k].original = from;
	regroup_copy(self, k, from);
	alike_appended(self->alike, k);
}

struct analytic *analytic_open(const struct oracle_rules *rules)
{
	struct analytic *self = heap_new(1, sizeof *self);
	mp_setup();
	evaluation_open(&self->ev, rules);
	self->ev.dtype = self->dtype;
	analytic_use(self, rules, NULL);
	self->alike = alike_open();
	self->ev.hooks = (struct evaluate_hooks){self, on_scalar, on_separated, on_uncertain, on_settled, on_unsure,
	    on_radius, on_equal, on_copied, quiet_excess};
	mpfr_init2(self->partial, self->ev.precision);
	mpfr_init2(self->term, self->ev.precision);
	self->kept = kept_partials_open(self->ev.precision);
	evaluation_fill(&self->ev, EVALUATION_KEPT, DIGITS_MORE);
	analytic_make_flows(self, EVALUATION_KEPT);
	return self;
}

void analytic_touch(struct analytic *self)
{
	evaluation_touch(&self->ev);
	memset(self->note, 0, (size_t)self->room * sizeof *self->note);
	memset(self->flow, 0, (size_t)self->room * sizeof *self->flow);
}

void analytic_limit(struct analytic *self, struct budget *work) { self->ev.work = work; }

void analytic_accuracy(struct analytic *self, const struct op_accuracy *of) { self->ev.accuracy = of; }

void analytic_regroups(struct analytic *self, bool regroups) { regroup_switch(self, regroups); }

void analytic_use(struct analytic *self, const struct oracle_rules *rules, const bool *flushes)
{
	self->ev.rules = rules;
	for (int d = 0; d < DTYPE_COUNT; d++) {
		self->flushes[d] = flushes && flushes[d];
		bool flushed = self->flushes[d] && rules->flushes && dtype_is_float((enum dtype)d);
		self->dtype[d] = flushed ? rounding_flushing(&rules->values[d]) : rules->values[d];
		self->contributions[d] = flushed ? rounding_flushing(&rules->dtype[d]) : rules->dtype[d];
		self->sums[d] = flushed ? rounding_flushing(&rules->sums[d]) : rules->sums[d];
	}
}

void analytic_close(struct analytic *self)
{
	for (int k = 0; k < self->value_ready; k++)
		mpfr_clear(self->value[k]);
	mpfr_clear(self->partial);
	mpfr_clear(self->term);
	evaluation_close(&self->ev);
	alike_close(self->alike);
	kept_partials_close(self->kept);
	free(self->note);
	free(self->flow);
	free(self->value);
	free(self->regrouped);
	free(self);
}

void analytic_trim(struct analytic *self)
{
	evaluation_trim(&self->ev, EVALUATION_KEPT);
	alike_trim(self->alike);
	if (self->room <= EVALUATION_KEPT)
		return;
	while (self->value_ready > EVALUATION_KEPT)
		mpfr_clear(self->value[--self->value_ready]);
	self->room = EVALUATION_KEPT;
	self->note = heap_resize(self->note, EVALUATION_KEPT, sizeof *self->note);
	self->flow = heap_resize(self->flow, EVALUATION_KEPT, sizeof *self->flow);
	self->value = heap_resize(self->value, EVALUATION_KEPT, sizeof *self->value);
	regroup_room(self, EVALUATION_KEPT);
}

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

/* The truth with fixed points of meaning `solution` evaluated in one way; ev.unrolled says which. */
static void truth_one_way(
    struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	struct type types[LIMIT_ARGS];
	struct conventions conventions;
	int n = answer_derivative_types(c, types);
	memset(out, 0, sizeof *out);
	const int order = analytic_trace(self, c, which, a);
	out->edge = self->ev.edge;
	out->nonfinite = trace_nonfinite(&self->ev);
	primal_truth(self, c, a, out);
	/*
	 * At first order, a NaN from a masked part is a leak. At higher orders, by the request or by an op derivative,
	 * it is none. There, even the derivative of a correct mask multiplies its zeros by the masked partials, which
	 * may be infinite.
	 */
	self->singular = order > 0 && trace_singular(&self->ev, self->note, order);
	out->n_derivative = n;
	out->n_assignment = 1;
	conventions_collect(
	    &conventions, &self->ev, self->note, c->n_transform == 1 && c->transform[0].kind == TRANSFORM_JVP);
	out->kink = conventions.n_kind > 0;
	conventions_assign(&conventions, 0);
	const bool search = order > 1 && c->n_transform && self->ev.rules->reach;
	struct nan_reach reach = {0}, zeros = {0};
	if (search)
		reach = nan_reach_of(self, &conventions, c, order, false);
	if (c->n_transform > 1 && has_tangents(c) && self->ev.rules->reach)
		zeros = nan_reach_of(self, &conventions, c, order, true);
	if (c->n_transform == 1 && conventions.n_assignment <= CONVENTION_ASSIGNMENTS)
		out->n_assignment = conventions.n_assignment;
	out->derivative = NEW(a, struct truth_tensor *, out->n_assignment);
	for (int k = 0; k < out->n_assignment; k++) {
		out->derivative[k] = NEW(a, struct truth_tensor, n);
		for (int i = 0; i < n; i++)
			fill(&out->derivative[k][i], &types[i], a);
	}
	if (c->n_transform == 1 && c->transform[0].kind == TRANSFORM_VJP)
		analytic_find_merged(self);
	if (c->n_transform == 1) {
		const struct resweep *again = NULL;
		for (int k = 0; k < out->n_assignment; k++) {
			conventions_assign(&conventions, k);
			derivative_truth(self, &conventions, &c->transform[0], again, types, n, out->derivative[k]);
			again = k == 0 && out->kink ? resweep_plan(self, &c->transform[0], a) : again;
		}
		if (out->kink && conventions.n_assignment <= CONVENTION_ASSIGNMENTS)
			out->hull = analytic_hull(self, &conventions, &c->transform[0], types, n, again, a);
		if (conventions.n_assignment > CONVENTION_ASSIGNMENTS)
			undecide(out->derivative[0], n, REASON_CONVENTION);
	} else if (c->n_transform > 1 && !stacked_truth(self, c, types, n, out->derivative[0])) {
		undecide(out->derivative[0], n, REASON_ORDER);
	}
	for (int i = 0; order > 1 && i < n; i++)
		for (int e = 0; e < shape_elements(&types[i].shape); e++)
			out->derivative[0][i].at[e].in_domain &= search ? !nan_reaches(self, c, &reach, i, e)
			                                                : !self->singular;
	for (int s = 0; self->rule_singular && s < out->n_assignment; s++)
		excuse_all(out->derivative[s], n);
	for (int i = 0; zeros.forwards && i < n; i++)
		for (int e = 0; e < shape_elements(&types[i].shape); e++)
			out->derivative[0][i].at[e].weak_zero = nan_reaches(self, c, &zeros, i, e);
	if (self->ev.status == EVALUATE_LIMIT)
		undecide_all(out, REASON_ORDER);
	else if (self->ev.status != EVALUATE_OK)
		undecide_all(out, REASON_UNSTABLE_PATH);
	else if (self->ev.n_broken && self->ev.nested)
		undecide_all(out, REASON_CUSTOM_RULE);
	else if (self->ev.n_broken > EVALUATE_BROKEN)
		undecide_derivatives(out, REASON_CUSTOM_RULE);
	else if (self->ev.n_broken)
		custom_reach(c, self->ev.broken, self->ev.n_broken, a, out);
}

void analytic_alternatives(struct analytic *self, enum alternatives_use use) { self->use = use; }

void analytic_slices(struct analytic *self, int slices) { self->ev.slices = slices; }

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
