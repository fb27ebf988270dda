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
#include "settle.h"
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
	GUARD_BITS = 64
};

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

/* Measures the quotients of one side of all open targets, on rung r. */
static void measure_moved(
    struct fd *self, struct rung *r, struct fd_run *run, enum side side, struct fd_progress *progress, struct arena *a)
{
	struct arena_mark mark = arena_mark(a);

	start_at(
	    r, &r->base_solution, side == LEFT ? &r->right_solution : NULL, side == LEFT ? NULL : &r->right_solution);
	evaluate(&r->ev, &self->c->program, self->c->point[self->which], run->direction, side == LEFT ? -1 : 1,
	    run->log_step, a);
	run->work += r->ev.n_scalar;
	if (r->ev.residual_exponent > r->residual_moved)
		r->residual_moved = r->ev.residual_exponent;
	*(side == LEFT ? &run->left : &run->right) = r->status == EVALUATE_OK && r->ev.status == EVALUATE_OK &&
	    r->ev.rules->same_path(&r->ev, r->path);
	for (int i = 0; i < run->n_target; i++)
		if (is_open(&run->target[i]))
			measure_side(self, r, run, &run->target[i], side, &progress[i]);
	arena_rewind(a, mark);
}

/* Measures all open targets on rung k. */
static void climb(struct fd *self, int k, struct fd_run *run, struct fd_progress *progress, struct arena *a)
{
	struct rung *r = &self->rung[k];

	run->precision = (int)ladder[k].precision;
	run->log_step = ladder[k].log_step + run->step;
	run->n_rung = k + 1;
	evaluate_base(self, k, run, a);
	for (int i = 0; i < run->n_target; i++)
		if (is_open(&run->target[i]))
			measure_base(r, run, &run->target[i], &progress[i]);
	r->ev.freeze = r->ev.rules->freeze;
	r->residual_moved = r->residual;
	measure_moved(self, r, run, RIGHT, progress, a);
	measure_moved(self, r, run, LEFT, progress, a);
	start_at(r, &r->base_solution, NULL, NULL);
}

/* The exponent of the largest weight of the run. */
static int top_of_weights(const struct fd *self, const struct fd_run *run)
{
	int top = ZERO_EXPONENT;

	for (int j = 0; j < self->n_component; j++)
		if (run->weight[j] != 0 && ilogb(run->weight[j]) + 1 > top)
			top = ilogb(run->weight[j]) + 1;
	return top;
}

void fd_measure(struct fd *self, struct fd_run *run, struct arena *a)
{
	struct fd_progress *progress = NEW(a, struct fd_progress, run->n_target);
	const int weight = top_of_weights(self, run);
	int open = run->n_target;
	bool noisy = false; /* some open target fails because of noise alone */

	fd_reset(run);
	self->fit_known = 0;
	for (int i = 0; i < run->n_target; i++)
		fd_progress_start(&progress[i]);
	for (int k = 0; k < RUNGS && open; k++) {
		struct rung *r = &self->rung[k];
		if (k == NOISE_RUNG && (!noisy || self->rung[k - 1].ev.n_scalar > NOISE_RUNG_SCALARS))
			break;
		climb(self, k, run, progress, a);
		open = 0;
		noisy = false;
		for (int i = 0; i < run->n_target; i++) {
			struct fd_target *t = &run->target[i];
			if (!is_open(t))
				continue;
			fd_settle(t, &progress[i], &(struct fd_sizes){r->top, r->residual_moved, weight}, run);
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
