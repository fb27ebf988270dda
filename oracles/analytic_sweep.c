/* analytic_sweep.c: one tangent or adjoint sweep over the trace, every contribution with its radii. */
#include "analytic_internal.h"
#include "oracle_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define R MPFR_RNDN

void analytic_room(struct analytic *self, int n)
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

/* ---- contributions ---- */

static void clear_flows(struct analytic *self)
{
	self->shared.k = -1;
	analytic_room(self, self->ev.n_scalar);
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
	terms_add(&f->terms, self->term, fabs(mpfr_get_d(self->term, R)), tight);
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
 * Whether the product in self->term is exact in every engine: over a power of two out of the subnormal range, or because exact factors have a
 * product that is a value of the dtype.  An exact partial other than +-1 is an operand, which nobody's formula takes apart.
 */
static bool exact_product(const struct analytic *self, int to, int from, const struct partial *p, bool chain)
{
	const struct dtype_info *info = &dtype_table[self->ev.scalar[to].dtype], *before = &dtype_table[self->ev.scalar[from].dtype];
	const struct flow *f = &self->flow[from];
	bool wider = info->precision >= before->precision && info->emax >= before->emax && info->emin <= before->emin;
	if ((p->magnitude == 0 && p->tight == 0) || (f->tight == 0 && mpfr_zero_p(self->value[from])))
		return true;
	if (p->tight > 0 || chain)
		return false;
	if (p->magnitude == 1 && wider)
		return true;
	if (self->by_paths)
		return false;
	if (f->tight == 0 && ball_representable(self->term, self->ev.scalar[to].dtype))
		return true;
	return wider && is_power_of_two(p->value) && (p->magnitude > 1 || fabs(mpfr_get_d(self->term, R)) - p->magnitude * f->tight >= info->normal);
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
	const struct dtype_info *info = &self->ev.rules->dtype[self->ev.scalar[to].dtype];
	if (!f->present)
		return; /* a strong zero: whatever the partial, nothing arrives */
	if (!p && !f->reason) { /* nor here, but for the NaN of a usual formula that left the range */
		if (f->loose == INFINITY) {
			add_zero(self, to);
			self->flow[to].loose = INFINITY;
		}
		return;
	}
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
	double tight = p->magnitude * f->tight + g * p->tight + f->tight * p->tight;
	double loose = p->magnitude * f->loose + g * p->loose + f->loose * p->loose;
	if (p->loose == INFINITY || f->loose == INFINITY)
		loose = INFINITY;
	if (is_derivative(self, from)) {
		double more = DERIVATIVE_ROUNDINGS * (info->unit * p->magnitude * f->magnitude + info->tiny * fmax(1, p->magnitude));
		tight += more;
		loose += more;
	}
	if (!exact_product(self, to, from, p, chain)) {
		tight += chain || self->by_paths ? info->unit * (size + tight) + info->tiny : rounding_of(info, term + tight);
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
	const struct dtype_info *info = &self->ev.rules->sums[self->ev.scalar[k].dtype];
	if (f->terms.n > 1 && !f->reason) {
		double sum = f->terms.positive + f->terms.negative, rounding = (f->terms.n - 1) * info->unit * (sum + f->tight);
		f->loose += rounding;
		if (!self->by_paths)
			rounding = terms_exact(&f->terms, info) ? 0 : terms_rounding(&f->terms, info, fabs(mpfr_get_d(self->value[k], R)));
		f->tight += rounding;
	}
	if (!f->reason && f->present && f->terms.positive + f->terms.negative + f->tight > info->max)
		f->reason = REASON_OVERFLOW;
}

/* The partial of scalar k by parent j under the assignment; false when no path leads through the edge. */
static bool edge_partial(struct analytic *self, const struct conventions *conventions, int k, int j, struct partial *p)
{
	p->value = self->partial;
	if (!self->note[k].tie || self->note[k].unsure || self->note[k].reason)
		return self->ev.rules->partial(&self->ev, self->note, k, j, &self->shared, p);
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

void analytic_sweep_adjoint(struct analytic *self, const struct conventions *conventions, const struct transform *t)
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
				struct terms *terms = &self->flow[parent].terms;
				terms->n += self->flow[k].terms.n;
				terms->positive += self->flow[k].terms.positive;
				terms->negative += self->flow[k].terms.negative;
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

void analytic_sweep_tangent(struct analytic *self, const struct conventions *conventions, const struct transform *t)
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
