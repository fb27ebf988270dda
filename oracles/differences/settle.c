/* settle.c: see settle.h. */
#include "settle.h"

#include <math.h>

static double pair_distance(struct pair x, struct pair y) { return fabs((x.high - y.high) + (x.low - y.low)); }

static struct pair pair_mean(struct pair x, struct pair y)
{
	/* Knuth's two-sum: high + error is x.high + y.high exactly. */
	double high = x.high + y.high, back = high - x.high;
	double error = (x.high - (high - back)) + (y.high - back);
	return (struct pair){high / 2, (error + x.low + y.low) / 2};
}

void fd_progress_start(struct fd_progress *p)
{
	*p = (struct fd_progress){.change = INFINITY,
	    .drift = INFINITY,
	    .sides_last = -1,
	    .side_last = {INFINITY, INFINITY},
	    .moved_before = {ZERO_EXPONENT, ZERO_EXPONENT}};
}

/* Sets quotient to value + excess. */
static void set_quotient(struct fd_target *t, struct pair excess)
{
	t->excess = excess.high;
	if (t->known) {
		t->quotient = t->value + excess.high;
		t->quotient_low = t->low;
	} else {
		t->quotient = excess.high;
		t->quotient_low = excess.low;
	}
}

bool fd_accepts(const struct fd_target *t, double excess)
{
	/* value + low itself is accurate to about 100 bits of the magnitude. */
	return excess <= fmax(4 * t->error, fmax(t->tolerance / 4, ldexp(t->magnitude, -90)));
}

/*
 * Whether the quotient vanishes with the step, as that of x^3 at 0. The path contributes nothing there, so there is no
 * size to compare an error with. change: how far the excess moved since the previous rung.
 */
static bool vanishes(const struct fd_target *t, double excess, double change)
{
	return t->known && t->magnitude == 0 && isfinite(change) && excess <= ldexp(change, -30);
}

/* The same for each side on its own, if neither side takes the path. Example: x^b by pow, whose formula changes
 * at 0, where b is an input. */
static bool sides_vanish(const struct fd_target *t, struct fd_progress *p)
{
	bool both = true;
	for (int side = 0; side < SIDES; side++) {
		if (!p->finite[side])
			continue;
		double excess = fabs(p->excess[side].high);
		both &= excess == 0 || vanishes(t, excess, p->side_last[side]);
		p->side_last[side] = excess;
	}
	return both;
}

/* Follows the quotient from rung to rung. Changes below 2^-40 of it count as agreement. */
static void measure_drift(struct fd_progress *p, double quotient)
{
	double drift = p->sides_last >= 0 ? fabs(quotient - p->quotient_last) : INFINITY;
	p->drifting = drift > fmax(p->drift, ldexp(fabs(quotient), -40));
	p->drift = drift;
	p->quotient_last = quotient;
}

/* The noise that rounding explains in a quotient: `lost` bits of the largest scalar, the rounding of the quotient
 * itself, and the errors of solutions. */
static double expected_noise(
    const struct fd_target *t, const struct fd_sizes *sizes, const struct fd_run *run, int lost, double quotient)
{
	double noise = ldexp(fabs(quotient), 4 - (run->precision < 1000 ? run->precision : 1000));
	if (sizes->top != ZERO_EXPONENT)
		noise += ldexp(1, sizes->top + sizes->weight + lost - t->scale);
	if (sizes->residual != INT_MIN)
		noise += ldexp(1, sizes->residual + sizes->weight + 4 - run->log_step - t->scale);
	return noise;
}

/*
 * A bound on the distance of the excess from its limit, from two rungs.
 *
 * The noise of a rung is unknown; its largest scalar only gives an expected noise. But both rungs amplify rounding
 * errors alike. So the noise may exceed the expectation on this rung as much as the change exceeded it before.
 *
 * A change that noise does not explain is truncation. A step that is 2^50 times shorter removes at least half of it. A
 * change that noise explains hides no more truncation than that noise. The shorter step, 2^shrink of the previous one,
 * leaves that part of it, as for any smooth function.
 */
static double bound(
    const struct fd_progress *p, double spread, double expected, double expected_last, double floor, int shrink)
{
	if (!isfinite(p->change))
		return INFINITY;
	double amplified = expected;
	if (p->change > expected_last)
		amplified = expected_last > 0 ? expected * 2 * (p->change / expected_last) : INFINITY;
	double noise = fmin(amplified, floor + p->change);
	return spread + noise + (p->change > expected_last ? p->change : ldexp(2 * expected_last, shrink));
}

void fd_settle(struct fd_target *t, struct fd_progress *p, const struct fd_sizes *sizes, const struct fd_run *run)
{
	if (!p->base_finite || (run->right && !p->finite[RIGHT]) || (run->left && !p->finite[LEFT])) {
		fd_abstain(t, REASON_NON_FINITE);
		return;
	}
	bool jumps[SIDES] = {false, false};
	for (int side = 0; side < SIDES; side++) {
		/*
		 * Between rungs the step shrinks by at least 2^50, so even a cube root's change shrinks by 2^16. A
		 * change that shrinks by less than 2^8 does not tend to 0.
		 */
		if (p->finite[side] && p->moved_before[side] != ZERO_EXPONENT && p->moved[side] != ZERO_EXPONENT)
			jumps[side] = p->moved[side] > p->moved_before[side] - 8;
		p->moved_before[side] = p->moved[side];
	}
	p->jump = jumps[LEFT] || jumps[RIGHT];

	/*
	 * Without a side on the path, the quotients may still all tend to the known value. Then it is the derivative:
	 * a tie in a branch not taken, for example, is an event that changes nothing. A side with an infinity or NaN
	 * is outside of the domain: x^1.5 at 0 has only the other side.
	 */
	bool shared = run->left || run->right, left = shared ? run->left : p->finite[LEFT],
	     right = shared ? run->right : p->finite[RIGHT];
	if (!shared && (!t->known || (!left && !right)))
		return;
	bool both = left && right;
	int sides = left + 2 * right + 4 * shared;
	struct pair excess = both ? pair_mean(p->excess[LEFT], p->excess[RIGHT]) : p->excess[left ? LEFT : RIGHT];
	p->change = p->sides_last == sides ? pair_distance(excess, p->excess_last) : INFINITY;
	p->excess_last = excess;
	if (shared)
		measure_drift(
		    p, both ? (p->quotient[LEFT] + p->quotient[RIGHT]) / 2 : p->quotient[left ? LEFT : RIGHT]);

	/* Values in branches not taken may make the trace's largest scalar far too large. */
	int lost = (int)-run->precision - run->log_step + 4;
	double slope = fmax(left ? fabs(p->quotient[LEFT]) : 0, right ? fabs(p->quotient[RIGHT]) : 0);
	double expected = expected_noise(t, sizes, run, lost, slope);
	double spread = both ? pair_distance(p->excess[LEFT], p->excess[RIGHT]) : p->change;
	t->error = bound(p, spread, expected, p->noise_trace, ldexp(p->size, lost), run->log_step - p->step_last);
	p->step_last = run->log_step;
	p->noise_trace = expected;
	p->sides_last = sides;
	set_quotient(t, excess);

	/* If the path contributes nothing, x f'(x) is compared with the size of f. */
	p->goal = t->magnitude > 0 ? fmax(t->tolerance / 8, ldexp(t->magnitude, -56)) : ldexp(p->size, -40);
	/* A function that moves as far with a shorter step has not begun to converge (cos near 2^500). */
	bool moves = (left && jumps[LEFT]) || (right && jumps[RIGHT]),
	     accurate = !moves && t->error <= p->goal && (!t->known || fd_accepts(t, fabs(excess.high)));
	if (accurate || (shared ? vanishes(t, fabs(excess.high), p->change) : sides_vanish(t, p)))
		t->outcome = FD_AGREES;
}
