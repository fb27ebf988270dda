/* finite_difference.c: see finite_difference.h. */
#include "finite_difference.h"
#include "oracles/evaluate/double_of.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph/heap.h"
#include "oracles/evaluate/evaluate.h"
#include "oracles/oracle_rules.h"
#include "step_length.h"

/*
 * The ladder of steps and precisions.
 *
 * A smooth function leaves a truncation error of about h f''/2 beside f', with h relative to |x|, and a noise of
 * 2^(-log_step - precision). The first rung gives about 60 bits, more than enough for binary64. The second rung shows
 * whether that is true. The others are for strong curvature, for cancellation, and for one-sided values.
 *
 * The last two are for points that are tiny beside the results (subnormal inputs), where 512 bits are lost in noise.
 * They are expensive, so only small programs use them.
 */
static const struct {
	mpfr_prec_t precision;
	int log_step;
} ladder[] = {{128, -60}, {256, -110}, {512, -220}, {2560, -300}, {2560, -400}};

enum {
	RUNGS = (int)(sizeof ladder / sizeof *ladder),
	NOISE_RUNG = RUNGS - 2, /* it and the next rung, which measures its error */
	NOISE_RUNG_SCALARS = 4096,
	GUARD_BITS = 64,
	ZERO_EXPONENT = INT_MIN / 2 /* of an exact zero */
};

enum side { RIGHT, LEFT, SIDES };

struct rung {
	struct evaluation ev;
	mpfr_t *base; /* [n_component] results at the point */
	int base_room;
	bool base_ready;
	uint64_t path;
	enum evaluate_status status;
	int top;                                     /* no scalar of the trace at the point reaches 2^top */
	int residual;                                /* the residual exponent of its solutions (struct evaluation) */
	int residual_moved;                          /* the same with those of both sides of this run */
	struct starts base_solution, right_solution; /* at the point, and on the right side of this run */
	mpfr_t delta, term;
};

struct fd {
	struct rung rung[RUNGS];
	const struct testcase *c;
	int which;
	int n_component;
	int *result, *element; /* [n_component] the place of a component */
	int fit_known;         /* the number of rungs for which `unfit` is known; 0: none */
	bool unfit;            /* what is_unfit found for this run */
};

struct fd *fd_open(const struct oracle_rules *rules)
{
	struct fd *self = heap_new(1, sizeof *self);
	for (int k = 0; k < RUNGS; k++) {
		struct rung *r = &self->rung[k];
		evaluation_open(&r->ev, rules);
		r->ev.precision = ladder[k].precision;
		evaluation_fill(&r->ev, EVALUATION_KEPT_RARE, ladder[k].precision);
		mpfr_init2(r->delta, ladder[k].precision + GUARD_BITS);
		mpfr_init2(r->term, ladder[k].precision + GUARD_BITS);
	}
	return self;
}

void fd_close(struct fd *self)
{
	if (!self)
		return;
	for (int k = 0; k < RUNGS; k++) {
		struct rung *r = &self->rung[k];
		evaluation_close(&r->ev);
		starts_free(&r->base_solution);
		starts_free(&r->right_solution);
		mpfr_clear(r->delta);
		mpfr_clear(r->term);
		for (int j = 0; j < r->base_room; j++)
			mpfr_clear(r->base[j]);
		free(r->base);
	}
	free(self);
}

void fd_trim(struct fd *self)
{
	for (int k = 0; k < RUNGS; k++) {
		struct rung *r = &self->rung[k];
		evaluation_trim(&r->ev, EVALUATION_KEPT_RARE);
		starts_free(&r->base_solution);
		starts_free(&r->right_solution);
		if (r->base_room <= EVALUATION_KEPT_RARE)
			continue;
		while (r->base_room > EVALUATION_KEPT_RARE)
			mpfr_clear(r->base[--r->base_room]);
		r->base = heap_resize(r->base, EVALUATION_KEPT_RARE, sizeof *r->base);
	}
}

void fd_limit(struct fd *self, struct budget *work)
{
	for (int k = 0; k < RUNGS; k++)
		self->rung[k].ev.work = work;
}

void fd_begin(struct fd *self, const struct testcase *c, int which, struct arena *a)
{
	const struct program *p = &c->program;
	self->c = c;
	self->which = which;
	self->n_component = 0;
	for (int k = 0; k < RUNGS; k++) {
		self->rung[k].base_ready = false;
		self->rung[k].ev.of = c;
	}
	for (int r = 0; r < p->top.n_result; r++) {
		const struct type *t = &p->type[p->top.result[r]];
		if (dtype_is_float(t->dtype))
			self->n_component += shape_elements(&t->shape);
	}
	self->result = NEW(a, int, self->n_component);
	self->element = NEW(a, int, self->n_component);
	int j = 0;
	for (int r = 0; r < p->top.n_result; r++) {
		const struct type *t = &p->type[p->top.result[r]];
		if (!dtype_is_float(t->dtype))
			continue;
		for (int e = 0; e < shape_elements(&t->shape); e++, j++) {
			self->result[j] = r;
			self->element[j] = e;
		}
	}
}

int fd_components(const struct fd *self) { return self->n_component; }

/* Component j as last evaluated on rung r. */
static mpfr_srcptr component_value(const struct fd *self, const struct rung *r, int j)
{
	return r->ev.value[r->ev.result[self->result[j]].at[self->element[j]].scalar];
}

static void reserve_base(struct rung *r, int n, mpfr_prec_t precision)
{
	if (n <= r->base_room)
		return;
	r->base = heap_resize(r->base, (size_t)n, sizeof *r->base);
	while (r->base_room < n)
		mpfr_init2(r->base[r->base_room++], precision);
}

/* The exponent e with |x| < 2^e; ZERO_EXPONENT for 0, INT_MAX if x is infinite or NaN. */
static int exponent_of(mpfr_srcptr x)
{
	if (mpfr_regular_p(x))
		return (int)mpfr_get_exp(x);
	return mpfr_zero_p(x) ? ZERO_EXPONENT : INT_MAX;
}

/* Where the iterations of the next evaluations on the rung start (struct evaluation). */
static void start_at(struct rung *r, const struct starts *from, const struct starts *across, struct starts *to)
{
	r->ev.from = from;
	r->ev.across = across;
	r->ev.to = to;
	if (to)
		starts_clear(to);
}

/* Evaluates the point itself on rung k, once. Records the values of stop_gradient that the shifted evaluations
 * replay. */
static void evaluate_base(struct fd *self, int k, struct fd_run *run, struct arena *a)
{
	struct rung *r = &self->rung[k];
	if (r->base_ready)
		return;
	struct arena_mark mark = arena_mark(a);
	r->ev.freeze = false;
	start_at(r, k > 0 && self->rung[k - 1].base_ready ? &self->rung[k - 1].base_solution : NULL, NULL,
	    &r->base_solution);
	evaluate(&r->ev, &self->c->program, self->c->point[self->which], NULL, 0, 0, a);
	run->work += r->ev.n_scalar;
	r->path = r->ev.path;
	r->status = r->ev.status;
	reserve_base(r, self->n_component, ladder[k].precision);
	for (int j = 0; j < self->n_component; j++)
		mpfr_set(r->base[j], component_value(self, r, j), MPFR_RNDN);
	r->top = ZERO_EXPONENT;
	r->residual = r->ev.residual_exponent;
	for (int s = 0; s < r->ev.n_scalar; s++) {
		/* Infinities and NaN in branches not taken say nothing about rounding. */
		int e = exponent_of(r->ev.value[s]);
		if (e != INT_MAX && e > r->top)
			r->top = e;
	}
	arena_rewind(a, mark);
	r->base_ready = true;
	start_at(r, &r->base_solution, NULL, NULL);
}

/* A number of about 106 bits: high + low. */
struct pair {
	double high, low;
};

static double pair_distance(struct pair x, struct pair y) { return fabs((x.high - y.high) + (x.low - y.low)); }

static struct pair pair_mean(struct pair x, struct pair y)
{
	/* Knuth's two-sum: high + error is x.high + y.high exactly. */
	double high = x.high + y.high, back = high - x.high;
	double error = (x.high - (high - back)) + (y.high - back);
	return (struct pair){high / 2, (error + x.low + y.low) / 2};
}

/* The state of one target over the rungs so far. */
struct fd_progress {
	/* On this rung: quotient minus known value, in units of 2^scale. */
	struct pair excess[SIDES];
	bool finite[SIDES];
	int moved[SIDES], moved_before[SIDES]; /* exponent of the change of the functional */
	double size;                           /* sum |weight * component| at the point */
	bool base_finite;

	int step_last;  /* log2 of the previous rung's step */
	int sides_last; /* the sides that shared the path on the previous rung, as bits; -1: there was none */
	struct pair excess_last;
	double side_last[SIDES]; /* |excess| of each side on the previous rung; INFINITY before there is one */
	/* How far the excess moved between the last two rungs; INFINITY until two rungs have the same sides. */
	double change;
	/*
	 * The quotient itself. Its changes are lost in `excess` if the known value is 2^106 times larger. drift: how
	 * far it moved since the previous rung. drifting: it moved farther than on the rung before.
	 */
	double quotient[SIDES], quotient_last, drift;
	bool drifting;
	double goal;
	double noise_trace; /* the noise on this rung that the largest scalar of the trace explains */
	bool jump;
};

static bool is_open(const struct fd_target *t) { return t->outcome == FD_NOT_RUN; }

static void measure_base(struct rung *r, const struct fd_run *run, const struct fd_target *t, struct fd_progress *p)
{
	p->base_finite = true;
	mpfr_set_zero(r->delta, 1);
	for (int j = t->first; j < t->first + t->count; j++) {
		if (run->weight[j] == 0)
			continue;
		p->base_finite &= mpfr_number_p(r->base[j]) != 0;
		mpfr_mul_d(r->term, r->base[j], fabs(run->weight[j]), MPFR_RNDN);
		mpfr_abs(r->term, r->term, MPFR_RNDN);
		mpfr_add(r->delta, r->delta, r->term, MPFR_RNDN);
	}
	mpfr_mul_2si(r->delta, r->delta, -t->scale, MPFR_RNDN);
	p->size = double_of(r->delta);
}

/* Measures the quotient of one side, minus the known value. */
static void measure_side(const struct fd *self, struct rung *r, const struct fd_run *run, const struct fd_target *t,
    enum side side, struct fd_progress *p)
{
	mpfr_set_zero(r->delta, 1);
	for (int j = t->first; j < t->first + t->count; j++) {
		if (run->weight[j] == 0)
			continue;
		mpfr_sub(r->term, component_value(self, r, j), r->base[j], MPFR_RNDN);
		mpfr_mul_d(r->term, r->term, run->weight[j], MPFR_RNDN);
		mpfr_add(r->delta, r->delta, r->term, MPFR_RNDN);
	}
	p->moved[side] = exponent_of(r->delta);
	p->finite[side] = mpfr_number_p(r->delta) != 0;
	if (side == LEFT)
		mpfr_neg(r->delta, r->delta, MPFR_RNDN);
	mpfr_mul_2si(r->delta, r->delta, -(long)run->log_step - t->scale, MPFR_RNDN);
	p->quotient[side] = double_of(r->delta);
	if (t->known) {
		mpfr_sub_d(r->delta, r->delta, t->value, MPFR_RNDN);
		mpfr_sub_d(r->delta, r->delta, t->low, MPFR_RNDN);
	}
	p->excess[side].high = double_of(r->delta);
	if (!isfinite(p->excess[side].high)) {
		p->finite[side] = false;
		return;
	}
	mpfr_sub_d(r->delta, r->delta, p->excess[side].high, MPFR_RNDN);
	p->excess[side].low = double_of(r->delta);
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
static double expected_noise(const struct fd_target *t, const struct rung *r, const struct fd_run *run, int weight_top,
    int lost, double quotient)
{
	double noise = ldexp(fabs(quotient), 4 - (run->precision < 1000 ? run->precision : 1000));
	if (r->top != ZERO_EXPONENT)
		noise += ldexp(1, r->top + weight_top + lost - t->scale);
	if (r->residual_moved != INT_MIN)
		noise += ldexp(1, r->residual_moved + weight_top + 4 - run->log_step - t->scale);
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

/* Decides one target, if this rung allows it. */
static void settle(
    struct fd_target *t, struct fd_progress *p, const struct rung *r, const struct fd_run *run, int weight_top)
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
	double expected = expected_noise(t, r, run, weight_top, lost, slope);
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

/* Whether the steps of the last two rungs are too long for some value on the way, or too short for some input. Only
 * sides that both rungs share count. */
static bool find_unfit(struct fd *self, const struct fd_run *run, struct arena *a)
{
	int last = run->n_rung - 1;
	struct move shortest = {run->direction, 1, run->log_step};
	bool found = false,
	     lost = move_is_lost(&self->rung[last].ev, &self->c->program, self->c->point[self->which], &shortest);
	for (int side = 0; last > 0 && side < SIDES && !found; side++) {
		struct move move = {run->direction, side == LEFT ? -1 : 1, ladder[last - 1].log_step + run->step};
		if (side == LEFT ? run->left : run->right)
			found = lost ||
			    steps_too_long(&self->rung[last].ev, &self->c->program, self->c->point[self->which], &move,
			        1, run->log_step - move.step, a);
	}
	return found;
}

/* The same for all targets of a run, which ask after each rung. It is found once. */
static bool is_unfit(struct fd *self, const struct fd_run *run, struct arena *a)
{
	if (self->fit_known != run->n_rung) {
		self->unfit = find_unfit(self, run, a);
		self->fit_known = run->n_rung;
	}
	return self->unfit;
}

/* Ends a target that is still open after the last rung. */
static void give_up(
    struct fd *self, struct fd_target *t, const struct fd_progress *p, const struct fd_run *run, struct arena *a)
{
	if (!run->left && !run->right) {
		fd_abstain(t, p->jump ? REASON_JUMP : REASON_ISOLATED_PATH);
		return;
	}
	/*
	 * To contradict the other oracle, the last two rungs must agree with each other much better than with it. Both
	 * must not be lost in noise: log(exp(x)) near 0 moves by less than a unit of e^0. Quotients that drift apart
	 * more on every rung have not begun to converge: the step is longer than the function's period (sin(2^225 x)).
	 */
	double excess = fabs(p->excess_last.high);
	bool converges = isfinite(p->change) && !p->drifting;
	if (t->known && converges && !fd_accepts(t, excess) && p->change + t->error + p->noise_trace <= excess / 16 &&
	    !is_unfit(self, run, a))
		t->outcome = FD_DISAGREES;
	else
		fd_abstain(t, REASON_ILL_CONDITIONED);
}

void fd_measure(struct fd *self, struct fd_run *run, struct arena *a)
{
	struct fd_progress *progress = NEW(a, struct fd_progress, run->n_target);
	fd_reset(run);
	self->fit_known = 0;
	int weight_top = ZERO_EXPONENT;
	for (int j = 0; j < self->n_component; j++)
		if (run->weight[j] != 0 && ilogb(run->weight[j]) + 1 > weight_top)
			weight_top = ilogb(run->weight[j]) + 1;
	for (int i = 0; i < run->n_target; i++) {
		progress[i].change = progress[i].drift = INFINITY;
		progress[i].sides_last = -1;
		progress[i].side_last[LEFT] = progress[i].side_last[RIGHT] = INFINITY;
		progress[i].moved_before[LEFT] = progress[i].moved_before[RIGHT] = ZERO_EXPONENT;
	}

	int open = run->n_target;
	bool noisy = false; /* some open target fails because of noise alone */
	for (int k = 0; k < RUNGS && open; k++) {
		struct rung *r = &self->rung[k];
		if (k == NOISE_RUNG && (!noisy || self->rung[k - 1].ev.n_scalar > NOISE_RUNG_SCALARS))
			break;
		run->precision = (int)ladder[k].precision;
		run->log_step = ladder[k].log_step + run->step;
		run->n_rung = k + 1;
		evaluate_base(self, k, run, a);
		for (int i = 0; i < run->n_target; i++)
			if (is_open(&run->target[i]))
				measure_base(r, run, &run->target[i], &progress[i]);
		r->ev.freeze = r->ev.rules->freeze;
		r->residual_moved = r->residual;
		for (int side = 0; side < SIDES; side++) {
			struct arena_mark mark = arena_mark(a);
			start_at(r, &r->base_solution, side == LEFT ? &r->right_solution : NULL,
			    side == LEFT ? NULL : &r->right_solution);
			evaluate(&r->ev, &self->c->program, self->c->point[self->which], run->direction,
			    side == LEFT ? -1 : 1, run->log_step, a);
			run->work += r->ev.n_scalar;
			if (r->ev.residual_exponent > r->residual_moved)
				r->residual_moved = r->ev.residual_exponent;
			bool shares = r->status == EVALUATE_OK && r->ev.status == EVALUATE_OK &&
			    r->ev.rules->same_path(&r->ev, r->path);
			*(side == LEFT ? &run->left : &run->right) = shares;
			for (int i = 0; i < run->n_target; i++)
				if (is_open(&run->target[i]))
					measure_side(self, r, run, &run->target[i], (enum side)side, &progress[i]);
			arena_rewind(a, mark);
		}
		start_at(r, &r->base_solution, NULL, NULL);
		open = 0;
		noisy = false;
		for (int i = 0; i < run->n_target; i++) {
			struct fd_target *t = &run->target[i];
			if (!is_open(t))
				continue;
			settle(t, &progress[i], r, run, weight_top);
			/* A limit that nothing is compared with: a sum that is flat at both steps may still be steep.
			 */
			if (!is_open(t) && !t->known && t->outcome == FD_AGREES && is_unfit(self, run, a))
				fd_abstain(t, REASON_ILL_CONDITIONED);
			if (!is_open(t))
				continue;
			open++;
			noisy |= (run->left || run->right) && progress[i].noise_trace > progress[i].goal;
		}
	}
	for (int i = 0; i < run->n_target; i++)
		if (is_open(&run->target[i]))
			give_up(self, &run->target[i], &progress[i], run, a);
}

void fd_reset(struct fd_run *run)
{
	run->work = 0;
	run->n_rung = 0;
	run->left = run->right = false;
	for (int i = 0; i < run->n_target; i++) {
		run->target[i].outcome = FD_NOT_RUN;
		run->target[i].reason = REASON_NONE;
		run->target[i].error = INFINITY;
	}
}

void fd_abstain(struct fd_target *t, enum reason reason)
{
	t->outcome = FD_ABSTAINS;
	t->reason = reason;
}

int fd_outcome_rank(enum fd_outcome outcome)
{
	static const int rank[] = {[FD_NOT_RUN] = 0, [FD_AGREES] = 1, [FD_ABSTAINS] = 2, [FD_DISAGREES] = 3};
	return rank[outcome];
}
