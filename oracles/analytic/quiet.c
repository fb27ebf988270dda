/* quiet.c: the balls of scalars for which no hook was called. */
#include "quiet.h"
#include "conventions.h"
#include "internal.h"
#include "regroup.h"
#include "contribution.h"
#include "singular.h"
#include "oracles/evaluate/double_of.h"

#include <limits.h>
#include <math.h>

#define R MPFR_RNDN

/* A rule may lose so many times more than the derivative. Beyond that its answers would hardly be judged. */
static const double MOST_EXCESS = 16;

/* How many times farther apart rule and derivative may be in another direction than in the one that is tried. */
static const double APART = 8;

/* By which part of all exponents a rule may leave the range of its direction and results. */
enum { RANGE_PART = 8 };

/* Notes of all scalars from `first` on. They depend on parameters, and each is a class of its own. */
static void note_quiet(struct analytic *self, int first)
{
	analytic_room(self, self->ev.n_scalar);
	for (int k = first; k < self->ev.n_scalar; k++) {
		self->note[k].active = true;
		ball_scalar(&self->ev, self->note, k);
		regroup_scalar(self, k);
		self->note[k].alike = k;
	}
}

/* Marks what scalar k reads: all parents, or of an extremum those that win. */
static void mark_read(const struct evaluation *ev, int k, bool *read)
{
	const struct scalar *s = &ev->scalar[k];
	const bool extremum = s->op == OP_MAX || s->op == OP_MIN || s->op == OP_REDUCE_MAX || s->op == OP_REDUCE_MIN;

	for (int j = 0; j < s->n_parent; j++) {
		const int parent = ev->parent[s->parent + j];

		read[parent] |= !extremum || mpfr_equal_p(ev->value[parent], ev->value[k]);
	}
}

/*
 * Whether a derivative of the rule may be NaN though its results are right. A value that they do not read is singular
 * then, or near the end of the range, and an engine multiplies its derivative by 0. What they read has radii. At
 * order 1 no engine differentiates a rule, but one may transpose a jvp rule for a vjp, by partials that may be
 * infinite.
 */
static bool hides_singular(const struct analytic *self, const struct rule_check *check)
{
	const struct evaluation *ev = &self->ev;
	const mpfr_exp_t range = trace_range(ev, ev->order);
	const bool transposed = ev->order == 1 && !check->adjoint && self->c->transform[0].kind == TRANSFORM_VJP;
	bool *read = NEW(ev->arena, bool, ev->n_scalar), any = false;

	for (int i = 0; i < check->n; i++)
		if (check->given[i] >= 0)
			read[check->given[i]] = true;
	for (int k = check->rule - 1; k >= check->end && (ev->order > 1 || transposed); k--)
		if (read[k])
			mark_read(ev, k, read);
		else if (ev->scalar[k].n_parent)
			any |= scalar_singular(ev, self->note, k, range) ||
			    (ev->order > 1 && scalar_strays(ev, self->note, k, range));
	return any;
}

/* How far scalars a and b are apart; -1 is 0. */
static double distance(struct analytic *self, int a, int b)
{
	mpfr_set_zero(self->term, 1);
	if (a >= 0)
		mpfr_set(self->term, self->ev.value[a], R);
	if (b >= 0)
		mpfr_sub(self->term, self->term, self->ev.value[b], R);
	return fabs(double_of(self->term));
}

static bool has_tie(const struct analytic *self, const struct rule_check *check)
{
	for (int k = check->first; k < check->end; k++)
		if (convention_tied(self->note, k))
			return true;
	return false;
}

/* Sweeps the function. The flows of its results, or of its operands for an adjoint, are the derivative. */
static void sweep_function(struct analytic *self, const struct rule_check *check)
{
	analytic_make_flows(self, self->ev.n_scalar);
	for (int k = check->first; k < check->begin; k++)
		self->flow[k] = (struct flow){0};
	analytic_sweep_part(self, check->begin, check->end, check->adjoint ? check->result : check->input,
	    check->direction, check->adjoint ? check->n_result : check->n_input, check->adjoint);
	for (int i = 0; check->adjoint && i < check->n_input; i++)
		flow_finish(self, check->input[i]);
}

/* How far off an engine may be in derivative number i, by the sweep; NAN if that is unknown. *paths: the magnitudes of
 * its paths. */
static double swept_radius(const struct analytic *self, const struct rule_check *check, int i, double *paths)
{
	const struct flow *f = &self->flow[(check->adjoint ? check->input : check->result)[i]];

	*paths = f->present ? f->magnitude : 0;
	return !f->present ? 0 : f->reason ? NAN : fmax(f->tight, f->loose);
}

/* The same by its ball. A request of order 2 and above allows for BALL_FLOW_SLACK times the ball; a sweep and a value
 * of the program do not. */
static double ball_radius(const struct analytic *self, int k)
{
	const double slack = self->ev.order > 1 && !self->ev.nested ? BALL_FLOW_SLACK : 1;

	return k < 0 ? 0 : self->note[k].reason ? NAN : slack * self->note[k].radius;
}

/* How far off the rule may be; infinity if that is unknown. */
static double error_of(const struct analytic *self, int k)
{
	const struct note *n = &self->note[k];

	if (k < 0)
		return 0;
	return n->reason || (n->danger && n->escapes) ? INFINITY : n->danger ? n->far : n->radius;
}

/* The factor by which the rule may be off more, at least 1. A rounding is off by u/(1 + u) at most (Higham, theorem
 * 2.2), and counts as u. The rest is for the roundings of these doubles. */
static double allowance(const struct analytic *self, int k)
{
	return 1 + 0x1p-40 + (k >= 0 ? self->ev.dtype[self->ev.scalar[k].dtype].unit : 0);
}

/* The exponents of the numbers so far: none reaches 2^most, and none but 0 is below 2^(least - 1). */
struct exponents {
	long least, most;
};

static void widen_exponents(struct exponents *s, const struct evaluation *ev, int k)
{
	if (k < 0 || !mpfr_regular_p(ev->value[k]))
		return;
	s->least = s->least < mpfr_get_exp(ev->value[k]) ? s->least : mpfr_get_exp(ev->value[k]);
	s->most = s->most > mpfr_get_exp(ev->value[k]) ? s->most : mpfr_get_exp(ev->value[k]);
}

/*
 * Whether the rule computes something of its direction that is far larger or smaller than directions and results: a
 * product by 4096, and then by 1/4096. With the direction of an engine it may leave the range of its dtype.
 */
static bool overreaches(const struct analytic *self, const struct rule_check *check)
{
	const struct evaluation *ev = &self->ev;
	bool *along = NEW(ev->arena, bool, check->rule);
	struct exponents ends = {LONG_MAX, LONG_MIN}, inside;

	for (int i = 0; i < (check->adjoint ? check->n_result : check->n_input); i++) {
		along[check->direction[i]] = true;
		widen_exponents(&ends, ev, check->direction[i]);
	}
	for (int i = 0; i < check->n; i++)
		widen_exponents(&ends, ev, check->given[i]);
	for (int k = check->end; k < check->rule; k++) {
		const struct scalar *s = &ev->scalar[k];
		const int room = (dtype_table[s->dtype].emax - dtype_table[s->dtype].emin) / RANGE_PART;

		for (int j = 0; j < s->n_parent; j++)
			along[k] = along[k] || along[ev->parent[s->parent + j]];
		inside = ends;
		if (along[k])
			widen_exponents(&inside, ev, k);
		if (inside.least < ends.least - room || inside.most > ends.most + room)
			return true;
	}
	return false;
}

double quiet_excess(void *context, const struct rule_check *check)
{
	struct analytic *self = context;
	double excess = 0;

	note_quiet(self, check->first);
	self->rule_singular |= check->order == 1 && hides_singular(self, check);
	if (check->order == 1 && overreaches(self, check))
		return INFINITY;
	self->by_paths = self->apart = true; /* the formulas of a rule round in other binades */
	const bool swept = self->ev.order <= 1 && !has_tie(self, check);
	if (swept)
		sweep_function(self, check);
	for (int i = 0; i < check->n; i++) {
		const int given = check->given[i], exact = check->exact[i];
		const double off = error_of(self, given) + APART * distance(self, given, exact);
		double paths = 0, most = swept ? swept_radius(self, check, i, &paths) : ball_radius(self, exact);

		most *= allowance(self, given);
		if (off <= most)
			continue;
		if (!(paths > 0 && off <= MOST_EXCESS * most))
			return INFINITY;
		excess = fmax(excess, (off - most) / paths);
	}
	return excess;
}
