/* analytic.c: the primal ball while the trace grows, then a tangent or adjoint sweep per convention assignment. */
#include "analytic.h"
#include "../graph/answer.h"
#include "ball.h"
#include "conventions.h"
#include "convergence.h"
#include "scalar_ops.h"
#include "singular.h"
#include "trace_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define R MPFR_RNDN

/* Scalars that derivatives of order 2 and above may grow the trace to: some 100 bytes and half a microsecond each. */
enum { DERIVED_SCALARS = 1 << 18 };

/* The tangent or adjoint of one scalar while contributions arrive. */
struct flow {
	double tight, loose; /* radii */
	double magnitude;    /* sum of the magnitudes of the path contributions */
	double sum;          /* sum of |terms| so far */
	int fan;             /* number of terms */
	uint8_t reason;      /* enum reason */
	bool present;        /* a path leads here; its contributions may happen to be 0 */
};

struct analytic {
	struct evaluation ev;
	struct note *note;
	struct flow *flow;
	mpfr_t *value; /* of the flows */
	int room, value_ready;
	mpfr_t partial, term;
	double stray; /* the farthest that an engine's iterate is from a solution */
	struct shared shared; /* of the scalar whose partials are being taken */
	const struct testcase *c;
	const uint8_t *input_active; /* [float input elements], set per case */
	int n_input_scalar;
};

/* ---- hooks: the ball follows the trace ---- */

static void make_room(struct analytic *self, int n)
{
	if (n <= self->room)
		return;
	int room = self->room ? self->room : 1024;
	while (room < n)
		room *= 2;
	self->note = realloc(self->note, (size_t)room * sizeof *self->note);
	self->flow = realloc(self->flow, (size_t)room * sizeof *self->flow);
	self->value = realloc(self->value, (size_t)room * sizeof *self->value);
	if (!self->note || !self->flow || !self->value)
		exit(4);
	self->room = room;
}

static void on_scalar(void *context, struct evaluation *ev, int k)
{
	struct analytic *self = context;
	const struct scalar *s = &ev->scalar[k];
	make_room(self, k + 1);
	bool active = ev->part == TRACE_PARAMETER; /* its ties matter to the derivative inside, whatever the request */
	if (k < self->n_input_scalar)
		active = self->input_active[k] != 0;
	else if (s->op != OP_STOP_GRADIENT)
		for (int j = 0; j < s->n_parent; j++)
			active |= self->note[ev->parent[s->parent + j]].active;
	self->note[k].active = active;
	ball_scalar(ev, self->note, k);
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

static bool norm_of_zeros(const struct evaluation *ev, int k) { return ev->scalar[k].op == OP_NORM && mpfr_zero_p(ev->value[k]); }

/* Why the partials of scalar k are not certain. */
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
	note[k].reason = because >= 0 ? reason_of_partials(ev, note, because) : REASON_UNSTABLE_PATH;
}

static bool on_unsure(void *context, const struct evaluation *ev, int k)
{
	const struct note *n = &((struct analytic *)context)->note[k];
	/* A solution's derivative differs between engines that know its meaning and engines that iterate (convergence.h). */
	return n->tie || n->unsure || norm_of_zeros(ev, k) || ev->scalar[k].op == OP_SELECT || ev->scalar[k].op == OP_FIXED_POINT;
}

static void on_settled(void *context, int k, double radius)
{
	struct analytic *self = context;
	struct note *n = &self->note[k];
	if (isfinite(radius))
		self->stray = fmax(self->stray, radius);
	if (!isfinite(radius))
		n->reason = REASON_CONVERGENCE;
	else if (!n->reason)
		n->radius = radius;
	if (!n->reason && n->magnitude + radius > dtype_table[self->ev.scalar[k].dtype].max)
		n->reason = REASON_OVERFLOW;
}

struct analytic *analytic_open(void)
{
	struct analytic *self = calloc(1, sizeof *self);
	if (!self)
		exit(4);
	mp_setup();
	evaluation_open(&self->ev);
	self->ev.hooks = (struct evaluate_hooks){self, on_scalar, on_separated, on_uncertain, on_settled, on_unsure, on_radius};
	mpfr_init2(self->partial, self->ev.precision);
	mpfr_init2(self->term, self->ev.precision);
	return self;
}

void analytic_close(struct analytic *self)
{
	for (int k = 0; k < self->value_ready; k++)
		mpfr_clear(self->value[k]);
	mpfr_clear(self->partial);
	mpfr_clear(self->term);
	evaluation_close(&self->ev);
	free(self->note);
	free(self->flow);
	free(self->value);
	free(self);
}

/* ---- contributions ---- */

static void clear_flows(struct analytic *self)
{
	self->shared.k = -1;
	make_room(self, self->ev.n_scalar);
	memset(self->flow, 0, (size_t)self->ev.n_scalar * sizeof *self->flow);
	for (; self->value_ready < self->ev.n_scalar; self->value_ready++)
		mpfr_init2(self->value[self->value_ready], self->ev.precision);
}

/* Adds the term in self->term with these radii to flow k. */
static void add_term(struct analytic *self, int k, double tight, double loose, double magnitude)
{
	struct flow *f = &self->flow[k];
	if (f->present)
		mpfr_add(self->value[k], self->value[k], self->term, R);
	else
		mpfr_set(self->value[k], self->term, R);
	f->present = true;
	f->tight += tight;
	f->loose += loose;
	f->magnitude += magnitude;
	f->sum += fabs(mpfr_get_d(self->term, R));
	f->fan++;
}

static void poison(struct flow *f, enum reason reason)
{
	f->present = true;
	f->reason = (uint8_t)reason;
}

/* A seed: exact.  Of one that is no number nothing is known, nor of what it reaches. */
static void add_seed(struct analytic *self, int k, double seed)
{
	if (seed == 0)
		return;
	if (!isfinite(seed)) {
		poison(&self->flow[k], REASON_NON_FINITE);
		return;
	}
	mpfr_set_d(self->term, seed, R);
	add_term(self, k, 0, 0, fabs(seed));
}

/* A path leads to flow k, though nothing but 0 has come over it: an infinite partial further on is then 0 * infinity, not 0. */
static void add_zero(struct analytic *self, int k)
{
	if (!self->flow[k].present)
		mpfr_set_zero(self->value[k], 1);
	self->flow[k].present = true;
}

/*
 * A derivative inside the program: engines derive it by formulas and in groups of their own, and it is these that are differentiated around
 * it, each term rounded at the size of the paths.
 */
static const double DERIVATIVE_ROUNDINGS = 4;

static bool is_derivative(const struct analytic *self, int k)
{
	enum trace_part part = self->ev.scalar[k].part;
	return part == TRACE_FORMULA || part == TRACE_FLOW;
}

/*
 * flow[to] += p * flow[from], where p is the partial over the edge; p NULL: no path leads through the edge, and only what is unknown of
 * flow[from] passes it (an engine that masks by multiplication turns a NaN into a NaN).
 * chain: products whose grouping is the engine's choice are rounded at the size of all path contributions, not of their (possibly
 * cancelled) sum.
 */
static void add_product(struct analytic *self, int to, int from, const struct partial *p, bool chain)
{
	const struct flow *f = &self->flow[from];
	const struct dtype_info *info = &dtype_table[self->ev.scalar[to].dtype];
	if (!f->present || (!p && !f->reason))
		return; /* a strong zero: whatever the partial, nothing arrives */
	if (f->reason || p->reason) {
		poison(&self->flow[to], f->reason ? f->reason : p->reason);
		return;
	}
	bool nothing = (p->magnitude == 0 && p->tight == 0) || (f->tight == 0 && mpfr_zero_p(self->value[from]));
	if (nothing && p->loose < INFINITY && f->loose < INFINITY) {
		add_zero(self, to);
		return;
	}
	mpfr_mul(self->term, self->value[from], p->value, R);
	double term = fabs(mpfr_get_d(self->term, R)), g = fabs(mpfr_get_d(self->value[from], R));
	double size = chain ? p->magnitude * f->magnitude : term;
	bool exact = p->tight == 0 && p->magnitude == 1 && self->ev.scalar[to].dtype == self->ev.scalar[from].dtype;
	double tight = p->magnitude * f->tight + g * p->tight + f->tight * p->tight;
	double loose = p->magnitude * f->loose + g * p->loose + f->loose * p->loose;
	if (p->loose == INFINITY || f->loose == INFINITY)
		loose = INFINITY;
	if (is_derivative(self, from)) {
		double more = DERIVATIVE_ROUNDINGS * (info->unit * p->magnitude * f->magnitude + info->tiny * fmax(1, p->magnitude));
		tight += more;
		loose += more;
	}
	if (!exact) {
		tight += info->unit * (size + tight) + info->tiny;
		/* g * 0.5 / y: what underflows before the last factor is multiplied by at most the partial and its kin */
		loose += info->unit * (size + loose) + info->tiny + 2 * p->magnitude * info->tiny;
		if (chain) /* the product of all, divided by one factor: g * y / x */
			loose += 3 * info->unit * size;
	}
	if (term + tight > info->max) {
		poison(&self->flow[to], REASON_OVERFLOW);
		return;
	}
	add_term(self, to, tight, loose, p->magnitude * f->magnitude);
}

/* All terms of flow k have arrived: their sum is rounded once less than there are terms, in any order. */
static void finish_flow(struct analytic *self, int k)
{
	struct flow *f = &self->flow[k];
	const struct dtype_info *info = &dtype_table[self->ev.scalar[k].dtype];
	if (f->fan > 1 && !f->reason) {
		double rounding = (f->fan - 1) * info->unit * (f->sum + f->tight);
		f->tight += rounding;
		f->loose += rounding;
	}
	if (!f->reason && f->present && f->sum + f->tight > info->max)
		f->reason = REASON_OVERFLOW;
}

/* The partial of scalar k by parent j under the assignment; false when no path leads through the edge. */
static bool edge_partial(struct analytic *self, const struct conventions *conventions, int k, int j, struct partial *p)
{
	p->value = self->partial;
	if (!self->note[k].tie || self->note[k].unsure || self->note[k].reason)
		return ball_partial(&self->ev, self->note, k, j, &self->shared, p);
	ball_share(&self->ev, self->note, k, &self->shared);
	int ties = 1, sign = convention_weight(conventions, &self->ev, &self->shared, k, j, &ties);
	mpfr_set_si(p->value, sign, R);
	mpfr_div_si(p->value, p->value, ties, R);
	p->magnitude = 1.0 / ties;
	p->tight = p->loose = (ties & (ties - 1)) == 0 ? 0 : p->magnitude * dtype_table[self->ev.scalar[k].dtype].unit;
	p->reason = REASON_NONE;
	return sign != 0;
}

static bool is_chain(const struct analytic *self, int k) { return self->ev.scalar[k].op == OP_CUMPROD; }

/* ---- sweeps ---- */

static void sweep_adjoint(struct analytic *self, const struct conventions *conventions, const struct transform *t)
{
	struct evaluation *ev = &self->ev;
	clear_flows(self);
	for (int i = 0; i < ev->n_result; i++) {
		const struct tensor *seed = &t->seed[i];
		if (dtype_is_float(seed->type.dtype))
			for (int e = 0; e < shape_elements(&seed->type.shape); e++)
				add_seed(self, ev->result[i].at[e].scalar, seed->at[e].f);
	}
	for (int k = ev->n_scalar - 1; k >= 0; k--) {
		const struct scalar *s = &ev->scalar[k];
		if (!self->flow[k].present || !self->note[k].active)
			continue;
		finish_flow(self, k);
		for (int j = 0; j < s->n_parent; j++) {
			struct partial p;
			int parent = ev->parent[s->parent + j];
			if (!self->note[parent].active)
				continue;
			bool connected = edge_partial(self, conventions, k, j, &p);
			add_product(self, parent, k, connected ? &p : NULL, is_chain(self, k));
			/* A parameter may be its operand: what is added up there may be added up here, one by one. */
			if (s->part == TRACE_PARAMETER) {
				self->flow[parent].fan += self->flow[k].fan;
				self->flow[parent].sum += self->flow[k].sum;
			}
		}
	}
}

/* The parent whose tangent is number `rank` in ascending order: quickselect, order[] is working memory. */
static int nth_tangent(struct analytic *self, int *order, int n, int rank)
{
	int low = 0, high = n - 1;
	while (low < high) {
		mpfr_srcptr pivot = self->value[order[low + (high - low) / 2]];
		int i = low, j = high;
		while (i <= j) {
			while (mpfr_less_p(self->value[order[i]], pivot))
				i++;
			while (mpfr_greater_p(self->value[order[j]], pivot))
				j--;
			if (i <= j) {
				int swap = order[i];
				order[i++] = order[j];
				order[j--] = swap;
			}
		}
		if (rank <= j)
			high = j;
		else if (rank >= i)
			low = i;
		else
			break;
	}
	return order[rank];
}

/* Tied elements of a sort part in the order of their tangents. */
static void directional_sorted(struct analytic *self, int k)
{
	const struct scalar *s = &self->ev.scalar[k];
	int *order = arena_copy(self->ev.arena, self->ev.parent + s->parent, (size_t)s->n_parent, sizeof *order);
	struct flow widest = {0};
	for (int j = 0; j < s->n_parent; j++) {
		const struct flow *f = &self->flow[order[j]];
		if (f->reason) {
			poison(&self->flow[k], f->reason);
			return;
		}
		if (!f->present)
			mpfr_set_zero(self->value[order[j]], 1);
		widest.present |= f->present;
		widest.tight = fmax(widest.tight, f->tight);
		widest.loose = fmax(widest.loose, f->loose);
		widest.magnitude = fmax(widest.magnitude, f->magnitude);
	}
	if (!widest.present)
		return;
	mpfr_set(self->term, self->value[nth_tangent(self, order, s->n_parent, s->rank)], R);
	add_term(self, k, widest.tight, widest.loose, widest.magnitude);
}

/* The tangent of a tie where the convention follows the direction: that of the parent that wins just beyond the point. */
static void directional_tangent(struct analytic *self, int k)
{
	struct evaluation *ev = &self->ev;
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	if (s->op == OP_SORT) {
		directional_sorted(self, k);
		return;
	}
	int sign = s->op == OP_MIN || s->op == OP_REDUCE_MIN ? -1 : 1, best = -1;
	for (int j = 0; j < s->n_parent; j++) {
		if (s->op != OP_ABS && !mpfr_equal_p(ev->value[parent[j]], ev->value[k]))
			continue;
		if (!self->flow[parent[j]].present)
			mpfr_set_zero(self->value[parent[j]], 1);
		if (best < 0 || mpfr_cmp(self->value[parent[j]], self->value[parent[best]]) * sign > 0)
			best = j;
	}
	struct partial p = {.value = self->partial, .magnitude = 1};
	mpfr_set_si(p.value, s->op == OP_ABS && mpfr_sgn(self->value[parent[best]]) < 0 ? -1 : 1, R);
	add_product(self, k, parent[best], &p, false);
}

static void sweep_tangent(struct analytic *self, const struct conventions *conventions, const struct transform *t)
{
	struct evaluation *ev = &self->ev;
	clear_flows(self);
	for (int i = 0; i < t->n_wrt; i++) {
		const struct tensor *seed = &t->seed[i];
		if (dtype_is_float(seed->type.dtype))
			for (int e = 0; e < shape_elements(&seed->type.shape); e++)
				add_seed(self, ev->input_scalar[t->wrt[i]] + e, seed->at[e].f);
	}
	for (int k = 0; k < ev->n_scalar; k++) {
		const struct scalar *s = &ev->scalar[k];
		if (!self->note[k].active)
			continue;
		if (self->note[k].tie && !self->note[k].unsure && convention_is_directional(conventions, ev, k)) {
			directional_tangent(self, k);
		} else {
			for (int j = 0; j < s->n_parent; j++) {
				struct partial p;
				int parent = ev->parent[s->parent + j];
				if (!self->flow[parent].present)
					continue;
				bool connected = edge_partial(self, conventions, k, j, &p);
				add_product(self, k, parent, connected ? &p : NULL, is_chain(self, k));
			}
		}
		finish_flow(self, k);
	}
}

/* ---- components ---- */

static struct component integer_component(int64_t i, bool shaky)
{
	double value = (double)i; /* rounded beyond 2^53; 2^63 is no int64_t */
	double low = value >= 0x1p63 ? (double)(i - INT64_MAX) - 1 : (double)(i - (int64_t)value);
	return (struct component){
	    .value = value, .low = low, .magnitude = fabs(value), .reason = shaky ? REASON_UNSTABLE_PATH : REASON_NONE, .in_domain = !shaky};
}

static struct component primal_component(struct analytic *self, int k)
{
	const struct note *n = &self->note[k];
	struct component out = {.reason = n->reason, .magnitude = n->magnitude, .in_domain = !n->reason};
	out.value = mpfr_get_d(self->ev.value[k], R);
	if (n->reason)
		return out;
	mpfr_sub_d(self->term, self->ev.value[k], out.value, R);
	out.low = mpfr_get_d(self->term, R);
	out.tight = n->radius;
	out.loose = n->danger ? INFINITY : n->radius;
	return out;
}

/*
 * A component is decided only if its radius is at most 1/64 of what the paths contribute: else an engine that returns 0
 * would agree.
 */
static struct component flow_component(struct analytic *self, int k)
{
	const struct flow *f = &self->flow[k];
	struct component out = {.reason = f->reason, .magnitude = f->magnitude, .in_domain = !f->reason};
	if (!f->present || f->reason)
		return out;
	out.value = mpfr_get_d(self->value[k], R);
	mpfr_sub_d(self->term, self->value[k], out.value, R);
	out.low = mpfr_get_d(self->term, R);
	out.tight = f->tight;
	out.loose = f->loose;
	if (!(f->tight <= f->magnitude / 64))
		out.reason = REASON_ILL_CONDITIONED;
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

/* Derivative number i, element e of the last sweep. */
static struct component derivative_component(struct analytic *self, const struct transform *t, int i, int e)
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
	if (self->note[k].reason && !out.reason) /* beside a primal that is no number, a tangent may be anything */
		out = (struct component){.reason = self->note[k].reason};
	return out;
}

static void derivative_truth(struct analytic *self, const struct conventions *conventions, const struct transform *t,
    const struct type *types, int n, struct truth_tensor *out)
{
	if (t->kind == TRANSFORM_VJP)
		sweep_adjoint(self, conventions, t);
	else
		sweep_tangent(self, conventions, t);
	for (int i = 0; i < n; i++)
		for (int e = 0; e < shape_elements(&types[i].shape); e++)
			out[i].at[e] = dtype_is_float(types[i].dtype) ? derivative_component(self, t, i, e)
								      : integer_component(0, false);
}

/*
 * An element of a derivative of order 2 or more: scalar k of the trace, -1 for none.  Its ball is that of the formulas of trace_derive.def, the
 * usual ones that lose most; what an engine loses by other groupings of more than three factors is left to the loose radius.
 */
static struct component derived_component(struct analytic *self, int k)
{
	const struct note *n = &self->note[k];
	if (k < 0)
		return (struct component){.in_domain = true};
	struct component out = primal_component(self, k);
	if (out.reason)
		return out;
	out.magnitude = self->ev.scalar[k].derived ? n->path : n->magnitude;
	out.loose = n->danger ? INFINITY : BALL_FLOW_SLACK * n->radius;
	if (!(out.tight <= out.magnitude / 64))
		out.reason = REASON_ILL_CONDITIONED;
	return out;
}

/* Derivatives of a request of several transforms: all levels as scalars of the trace. */
static bool stacked_truth(struct analytic *self, const struct testcase *c, const struct type *types, int n,
    struct truth_tensor *out)
{
	const int *scalar = trace_request(&self->ev, c, DERIVED_SCALARS);
	if (!scalar)
		return false;
	for (int i = 0; i < n; i++)
		for (int e = 0; e < shape_elements(&types[i].shape); e++, scalar++)
			out[i].at[e] = dtype_is_float(types[i].dtype) ? derived_component(self, *scalar) : integer_component(0, false);
	return true;
}

static void undecide(struct truth_tensor *t, int n, enum reason reason)
{
	for (int i = 0; i < n; i++)
		for (int e = 0; e < shape_elements(&t[i].type.shape); e++)
			t[i].at[e] = (struct component){.reason = reason};
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

/* The truth, fixed points of meaning `solution` being evaluated in one way, which ev.unrolled says. */
static void truth_one_way(struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	struct type types[LIMIT_ARGS];
	struct conventions conventions;
	int n = answer_derivative_types(c, types);
	memset(out, 0, sizeof *out);
	mark_active(self, c, a);
	self->ev.freeze = false;
	evaluate(&self->ev, &c->program, c->point[which], NULL, 0, 0, a);
	out->edge = self->ev.edge;
	primal_truth(self, c, a, out);
	/*
	 * At first order a NaN out of what is masked is a leak. Differentiated again, even the derivative of a right mask multiplies its zeros with
	 * whatever became of the masked partials: nobody promises more than not to call them a number.
	 */
	bool singular = c->n_transform > 1 && trace_singular(&self->ev, request_order(c->transform, c->n_transform));
	out->n_derivative = n;
	out->n_assignment = 1;
	conventions_collect(&conventions, &self->ev, self->note, c->n_transform == 1 && c->transform[0].kind == TRANSFORM_JVP);
	out->kink = conventions.n_kind > 0;
	if (c->n_transform == 1 && conventions.n_assignment > 1 && conventions.n_assignment <= CONVENTION_ASSIGNMENTS)
		out->n_assignment = conventions.n_assignment;
	out->derivative = NEW(a, struct truth_tensor *, out->n_assignment);
	for (int k = 0; k < out->n_assignment; k++) {
		out->derivative[k] = NEW(a, struct truth_tensor, n);
		for (int i = 0; i < n; i++)
			fill(&out->derivative[k][i], &types[i], a);
	}
	if (c->n_transform == 1) {
		for (int k = 0; k < out->n_assignment; k++) {
			conventions_assign(&conventions, k);
			derivative_truth(self, &conventions, &c->transform[0], types, n, out->derivative[k]);
		}
		if (conventions.n_assignment > CONVENTION_ASSIGNMENTS)
			undecide(out->derivative[0], n, REASON_CONVENTION);
	} else if (c->n_transform > 1 && !stacked_truth(self, c, types, n, out->derivative[0])) {
		undecide(out->derivative[0], n, REASON_ORDER);
	}
	for (int i = 0; singular && i < n; i++)
		for (int e = 0; e < shape_elements(&types[i].shape); e++)
			out->derivative[0][i].at[e].in_domain = false;
	if (self->ev.status != EVALUATE_OK || self->ev.rule_broken) {
		enum reason reason = self->ev.rule_broken ? REASON_CUSTOM_RULE :
		    self->ev.status == EVALUATE_SHAKY    ? REASON_UNSTABLE_PATH :
							    REASON_ORDER;
		undecide(out->primal, out->n_primal, reason);
		for (int k = 0; k < out->n_assignment; k++)
			undecide(out->derivative[k], out->n_derivative, reason);
	}
}

void analytic_truth(struct analytic *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	self->ev.unrolled = false;
	self->stray = 0;
	truth_one_way(self, c, which, a, out);
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
	self->ev.unrolled = true;
	/* The first few steps after which an engine may stop, for the error need not fall from one to the next; and the last. */
	for (int k = 0; k <= CONVERGENCE_STEPS && (!k || k <= self->ev.latest); k++) {
		struct truth_point unrolled;
		self->ev.late = k < CONVERGENCE_STEPS ? k : LIMIT_TRIP;
		truth_one_way(self, c, which, a, &unrolled);
		convergence_widen(out, &unrolled, &c->transform[0], stray);
	}
}
