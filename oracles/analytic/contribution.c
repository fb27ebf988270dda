/* contribution.c: see contribution.h. */
#include "contribution.h"
#include "inside.h"
#include "internal.h"
#include "regroup.h"
#include "graph/heap.h"
#include "oracles/ball/range.h"
#include "oracles/evaluate/double_of.h"

#include <assert.h>
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
	self->note = heap_resize(self->note, (size_t)room, sizeof *self->note);
	self->flow = heap_resize(self->flow, (size_t)room, sizeof *self->flow);
	self->value = heap_resize(self->value, (size_t)room, sizeof *self->value);
	regroup_room(self, room);
	self->room = room;
}

void analytic_make_flows(struct analytic *self, int n)
{
	analytic_room(self, n);
	for (; self->value_ready < n; self->value_ready++)
		mpfr_init2(self->value[self->value_ready], mpfr_get_prec(self->partial));
}

void flows_clear(struct analytic *self)
{
	self->shared.k = -1;
	analytic_make_flows(self, self->ev.n_scalar);
	memset(self->flow, 0, (size_t)self->ev.n_scalar * sizeof *self->flow);
	regroup_clear(self);
}

/* The largest number of the dtype, or what is left of it where the derivatives of several slices may be added first. */
static double room_of(const struct analytic *self, const struct dtype_info *info)
{
	return self->ev.slices > 1 ? info->max / self->ev.slices : info->max;
}

static void add_term(
    struct analytic *self, int k, double tight, double loose, const struct spread *spread, double magnitude)
{
	struct flow *f = &self->flow[k];
	double size = fabs(double_of(self->term));
	if (f->present)
		mpfr_add(self->value[k], self->value[k], self->term, R);
	else
		mpfr_set(self->value[k], self->term, R);
	f->present = true;
	f->tight += tight;
	f->loose += loose;
	spread_add(&f->spread, spread);
	f->magnitude += magnitude;
	terms_add(&f->terms, self->term, size, tight);
	if (f->mixed) { /* in an engine the terms may have either sign */
		f->terms.positive += magnitude;
		f->terms.negative += magnitude;
	}
	f->group += size;
	f->joined++;
}

void flow_add_term(struct analytic *self, int k, double tight, double loose, double magnitude)
{
	add_term(self, k, tight, loose, &(struct spread){.down = loose, .up = loose}, magnitude);
}

void flow_widen(struct flow *f, double more)
{
	f->loose += more;
	spread_widen(&f->spread, more, more);
}

void analytic_share(struct flow *f, double share, enum op culprit)
{
	if (!(share > f->share))
		return;
	f->share = share;
	f->culprit = culprit;
}

void flow_escape(struct flow *f, enum op op)
{
	f->escapes = true;
	analytic_share(f, INFINITY, op);
}

void flow_lose(struct flow *f, enum op op)
{
	f->loose = INFINITY;
	f->spread = spread_ball(INFINITY);
	flow_escape(f, op);
}

void flow_poison(struct flow *f, enum reason reason)
{
	f->present = true;
	f->reason = (uint8_t)reason;
}

void flow_add_seed(struct analytic *self, int k, double seed)
{
	if (seed == 0)
		return;
	if (!isfinite(seed)) {
		flow_poison(&self->flow[k], REASON_NON_FINITE);
		return;
	}
	mpfr_set_d(self->term, seed, R);
	flow_add_term(self, k, 0, 0, fabs(seed));
	regroup_seed(self, k, seed);
}

/* Marks that a path leads to flow k, although only zeros have come over it. An infinite partial further on then
 * gives 0 * infinity, not 0. */
static void add_zero(struct analytic *self, int k)
{
	if (!self->flow[k].present)
		mpfr_set_zero(self->value[k], 1);
	self->flow[k].present = true;
}

/*
 * Extra roundings of each term that passes a derivative inside the program, at the size of the paths. Engines compute
 * that derivative by their own formulas and groupings, and then differentiate these.
 */
static const double DERIVATIVE_ROUNDINGS = 4;

/*
 * Whether the product in self->term is exact in every engine. That holds for a power of two outside the subnormal
 * range, and for exact factors whose product is a value of the dtype. An exact partial other than +-1 is an operand,
 * so no engine splits it into factors.
 */
static bool exact_product(const struct analytic *self, int at, int to, int from, const struct partial *p,
    const struct chain *chain, bool mixed)
{
	const struct dtype_info *info = &self->dtype[self->ev.scalar[to].dtype],
	                        *before = &self->dtype[self->ev.scalar[from].dtype];
	const struct flow *f = &self->flow[from];
	bool wider = info->precision >= before->precision && info->emax >= before->emax && info->emin <= before->emin;
	if ((p->magnitude == 0 && p->tight == 0) || (f->tight == 0 && mpfr_zero_p(self->value[from]) && !mixed))
		return true;
	if (mixed)
		return p->tight == 0 && p->magnitude == 1 && wider;
	double term = fabs(double_of(self->term)), least = term - p->magnitude * f->tight - f->magnitude * p->tight;
	bool merged = at == from && self->note[at].merged;
	if (!chain && !self->by_paths && !merged && f->tight == 0 && wider && is_power_of_two(self->value[from]) &&
	    least >= info->normal)
		return true; /* a seed of 1 leaves the partial as it is */
	if (p->tight > 0)
		return false;
	if (p->magnitude == 1 && wider)
		return true;
	if (self->by_paths || chain)
		return false;
	if (!merged && f->tight == 0 && ball_representable(self->term, self->ev.scalar[to].dtype))
		return true;
	return wider && is_power_of_two(p->value) && (p->magnitude > 1 || least >= info->normal);
}

/* The errors of the product of p and flow `from`, without its own rounding. at: the scalar whose partial p is. */
static struct spread spread_of(const struct analytic *self, int at, int from, const struct partial *p)
{
	const double g = fabs(double_of(self->value[from]));
	const bool negative = mpfr_sgn(self->value[from]) < 0;
	const double down = p->narrow ? p->down : p->loose, up = p->narrow ? p->up : p->loose;
	const struct spread of_partial = {down, up, p->leap, p->narrow && p->leap > 0, at, false, p->leap, false};
	const struct spread_factor factor = {p->magnitude, mpfr_signbit(p->value) != 0, of_partial},
	                           flow = {g, negative, spread_signed(&self->flow[from].spread, negative)};

	return spread_product(&factor, &flow);
}

/* The rounding of a term that may be off by radius. */
static double rounding_of_term(const struct dtype_info *info, bool by_size, double size, double radius, bool doubled)
{
	return by_size ? info->unit * (size + radius) + info->tiny
	               : fmax(rounding_of(info, size + radius), doubled ? info->tiny : 0);
}

/* x p.  Many partials are 1 or -1, of sums and casts. */
static void multiply(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr p)
{
	if (!is_unit(p))
		mpfr_mul(out, x, p, R);
	else if (mpfr_signbit(p))
		mpfr_neg(out, x, R);
	else
		mpfr_set(out, x, R);
}

void flow_add_product(
    struct analytic *self, int at, int to, int from, const struct partial *p, const struct chain *chain)
{
	const struct flow *f = &self->flow[from];
	const struct dtype_info *info = &self->contributions[self->ev.scalar[to].dtype];
	if (f->present)
		self->flow[to].singular |= f->singular || (p && p->singular);
	if (!f->present)
		return;         /* a strong zero: nothing passes, whatever the partial is */
	if (!p && !f->reason) { /* nothing passes here either, except the NaN of a usual formula that left the range */
		if (f->escapes) {
			add_zero(self, to);
			flow_escape(&self->flow[to], f->culprit);
		}
		return;
	}
	if (f->reason || p->reason) {
		flow_poison(&self->flow[to], f->reason ? f->reason : p->reason);
		return;
	}
	bool mixed = f->mixed || (at == from && self->note[at].shared);
	bool merged = at == from && self->note[at].merged;
	self->flow[to].mixed |= mixed;
	self->flow[to].grouped |= merged;
	bool nothing = (p->magnitude == 0 && p->tight == 0 && !p->cancels && !p->strays) ||
	    (f->tight == 0 && f->loose == 0 && mpfr_zero_p(self->value[from]) && !mixed);
	double g = fabs(double_of(self->value[from])), most = chain ? chain->most : p->most;
	double reach = chain ? chain->reach : (g + f->loose) * most, products;
	const double way = regroup_product(self, at, to, from, p, &products);

	reach = fmax(reach, products > 0 ? way : 0);
	const enum op op = self->note[at].danger ? self->note[at].danger_op : self->ev.scalar[at].kind;
	const double room = room_of(self, info);
	if (nothing && !p->escapes && !f->escapes && !(reach > room)) {
		self->flow[to].reach += reach; /* y (b a'/a + log a b') may be 0 times infinity */
		add_zero(self, to);
		return;
	}
	multiply(self->term, self->value[from], p->value);
	double term = fabs(double_of(self->term));
	double size = chain || mixed || self->regrouped ? p->magnitude * f->magnitude : term;
	double tight = p->magnitude * f->tight + g * p->tight + f->tight * p->tight;
	double loose = p->magnitude * f->loose + g * p->loose + f->loose * p->loose;
	double worse = p->strays ? INFINITY : fmax(0, loose - tight - p->magnitude * fmax(0, f->loose - f->tight));
	if (p->loose == INFINITY || f->loose == INFINITY)
		loose = INFINITY;
	if (flow_is_derivative(self, from)) {
		double more = DERIVATIVE_ROUNDINGS *
		    (info->unit * p->magnitude * f->magnitude + rounding_tiny_times(info, fmax(1, p->magnitude)));
		tight += more;
		loose += more;
	}
	/* An engine may use a rule for this and other edges together. */
	loose += self->note[at].excess * p->magnitude * f->magnitude;
	bool exact = exact_product(self, at, to, from, p, chain, mixed),
	     doubled = self->ev.scalar[at].op == OP_SQUARE && term < 2 * info->normal; /* (g a) 2 */
	bool by_size = chain || self->by_paths || mixed || merged;
	if (!exact)
		tight += by_size ? info->unit * (size + tight) + info->tiny : rounding_of(info, term + tight);
	/* The case g * 0.5 / y: an underflow before the last factor is multiplied by the rest of the formula. That
	 * holds even if g is a power of two. */
	double detour = chain ? rounding_tiny_times(info, 2 * most) + chain->roundings * info->unit * size
	                      : range_underflow(info, most, (p->magnitude + p->tight) * (g + f->loose));
	if (products > 0)
		detour += rounding_tiny_times(info, 2 * products * way);
	if (chain && chain->divisor > 0) /* (g y)/x, where g y underflows, by at most its size */
		detour += fmin(2 * (info->tiny / chain->divisor), size + fmax(tight, loose));
	loose += detour;
	worse += detour;
	bool rounded_before = f->tight == 0 && f->loose > 0 &&
	    p->magnitude != 1; /* a usual formula rounded before, so the factors here are not exact in every engine */
	bool whole = chain || mixed || self->apart || !isfinite(loose) || rounding_flushes(info);
	struct spread spread = whole ? spread_ball(loose) : spread_of(self, at, from, p);
	spread_widen(&spread, detour, detour);
	if (!exact || doubled || chain || rounded_before) {
		double far = rounding_of_term(info, by_size, size, loose, doubled);
		spread_widen(&spread, rounding_of_term(info, by_size, size, spread_width(&spread), doubled), far);
		loose += far;
	}
	if (p->escapes || f->escapes || reach > room)
		flow_escape(&self->flow[to], p->escapes || reach > room ? op : f->culprit);
	self->flow[to].reach += reach;
	if (term + tight > info->max) {
		flow_poison(&self->flow[to], REASON_OVERFLOW);
		return;
	}
	if (term + loose > room) /* rounded to an infinity */
		flow_escape(&self->flow[to], op);
	self->flow[to].flushed += (p->magnitude + p->tight) * f->flushed;
	analytic_share(&self->flow[to], worse, op);
	analytic_share(&self->flow[to], f->share == INFINITY ? INFINITY : p->magnitude * f->share, f->culprit);
	self->flow[to].vanishing += p->vanishes ? double_of(self->term) : f->vanishing * double_of(p->value);
	tight = rounding_flushed(info, term, tight);
	loose = rounding_flushed(info, term, fmax(tight, loose));
	add_term(self, to, tight, loose, &spread, p->magnitude * f->magnitude);
	if (at == from)
		inside_split(self, to, from, term, p->magnitude * f->magnitude);
}

void flow_finish(struct analytic *self, int k)
{
	struct flow *f = &self->flow[k];
	const struct dtype_info *info = &self->sums[self->ev.scalar[k].dtype];
	/* One contribution that brings its terms along is no sum here: its own scalar has rounded it already. */
	const bool brought = f->joined == 1 && !self->by_paths && !self->regrouped;
	if (f->terms.n > 1 && !f->reason && !brought) {
		double sum = regroup_terms(self, f), rounding = (f->terms.n - 1) * info->unit * (sum + f->tight);
		double flushed = terms_flushed(self->by_paths ? 2 * f->terms.n : f->terms.n, info);
		double more = (f->terms.n - 1) * info->unit;
		spread_widen(
		    &f->spread, more * (sum + spread_width(&f->spread)) + flushed, more * (sum + f->loose) + flushed);
		f->loose += more * (sum + f->loose) + flushed;
		rounding += flushed;
		if (!self->by_paths && !f->mixed && !f->grouped)
			rounding = terms_exact(&f->terms, info)
			    ? 0
			    : terms_rounding(&f->terms, info, fabs(double_of(self->value[k])));
		f->tight += rounding;
	}
	if (rounding_flushes(info) && f->present && !f->reason) {
		double size = fabs(double_of(self->value[k]));
		f->flushed += info->normal;
		f->tight = rounding_flushed(info, size, f->tight);
		f->loose = rounding_flushed(info, size, fmax(f->loose, f->tight));
		f->spread = spread_ball(f->loose);
	}
	if (!f->reason && f->present && f->terms.positive + f->terms.negative + f->tight > info->max)
		f->reason = REASON_OVERFLOW;
	if (f->terms.positive + f->terms.negative + f->loose > room_of(self, info))
		flow_escape(f, self->ev.scalar[k].kind);
	/* With a reason set, the numbers may be NaN. */
	assert(!(f->tight < 0) && !(f->loose < 0) && !(f->magnitude < 0));
}
