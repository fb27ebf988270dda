/* finite_difference_mixed.c: see finite_difference_mixed.h. */
#include "finite_difference_mixed.h"
#include "graph/heap.h"
#include "oracles/evaluate/evaluate.h"
#include "oracles/oracle_rules.h"
#include "step_length.h"
#include "oracles/evaluate/double_of.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define R MPFR_RNDN

/*
 * A step of 2^-64 of the input leaves a truncation error of about 2^-64 of the derivative of the next order. n steps
 * cost 64 n bits of the precision. The second rung measures the error of the first; the third is for strong curvature
 * and cancellation.
 */
static const struct {
	mpfr_prec_t precision;
	int log_step;
} ladder[] = {{512, -64}, {768, -110}, {2048, -300}};

enum { RUNGS = (int)(sizeof ladder / sizeof *ladder), GUARD_BITS = 64, LAST_RUNG_SCALARS = 8192 };

struct fd_mixed {
	struct evaluation ev[RUNGS];
};

struct fd_mixed *fd_mixed_open(const struct oracle_rules *rules)
{
	struct fd_mixed *self = heap_new(1, sizeof *self);
	for (int k = 0; k < RUNGS; k++) {
		evaluation_open(&self->ev[k], rules);
		self->ev[k].precision = ladder[k].precision;
		evaluation_fill(&self->ev[k], EVALUATION_KEPT_RARE, ladder[k].precision);
	}
	return self;
}

void fd_mixed_close(struct fd_mixed *self)
{
	if (!self)
		return;
	for (int k = 0; k < RUNGS; k++)
		evaluation_close(&self->ev[k]);
	free(self);
}

void fd_mixed_trim(struct fd_mixed *self)
{
	for (int k = 0; k < RUNGS; k++)
		evaluation_trim(&self->ev[k], EVALUATION_KEPT_RARE);
}

void fd_mixed_limit(struct fd_mixed *self, struct budget *work)
{
	for (int k = 0; k < RUNGS; k++)
		self->ev[k].work = work;
}

/* The state of one target, in units of 2^scale. */
struct mixed_progress {
	mpfr_t sum;          /* over the samples so far */
	mpfr_exp_t top;      /* of the largest sample */
	double excess, last; /* quotient minus the known value, on this rung and the previous one */
	bool seen;
	mpfr_t before;    /* the quotient of the previous rung */
	mpfr_exp_t moved; /* how far it moved since then */
	int moves;
	bool drifting; /* the quotients move apart: the step is longer than the function's period (sin(2^600 x)) */
	double noise;  /* what the precision leaves of the largest scalar of the trace, as an error of the quotient */
};

/* One measurement. */
struct mixed {
	struct fd_mixed *self;
	const struct testcase *c;
	const struct tensor *point;
	const struct fd_direction *direction;
	int n;
	struct fd_run *run;
	struct mixed_progress *progress;
	mpfr_exp_t trace_top;  /* of the largest finite scalar of the samples on this rung */
	mpfr_exp_t weight_top; /* of the largest weight */
	mpfr_t term;
	struct arena *arena;
};

/* Adds one sample, with its sign, to all sums. Notes the largest weight. */
static void add_sample(struct mixed *m, const struct evaluation *ev, bool negative)
{
	const struct program *p = &m->c->program;
	int j = 0;
	for (int r = 0; r < p->top.n_result; r++) {
		const struct type *type = &p->type[p->top.result[r]];
		for (int e = 0; dtype_is_float(type->dtype) && e < shape_elements(&type->shape); e++, j++) {
			if (m->run->weight[j] == 0)
				continue;
			if (ilogb(m->run->weight[j]) + 1 > m->weight_top)
				m->weight_top = ilogb(m->run->weight[j]) + 1;
			mpfr_mul_d(m->term, ev->value[ev->result[r].at[e].scalar],
			    negative ? -m->run->weight[j] : m->run->weight[j], R);
			for (int i = 0; i < m->run->n_target; i++) {
				const struct fd_target *t = &m->run->target[i];
				if (j < t->first || j >= t->first + t->count)
					continue;
				mpfr_add(m->progress[i].sum, m->progress[i].sum, m->term, R);
				if (mpfr_regular_p(m->term) && mpfr_get_exp(m->term) > m->progress[i].top)
					m->progress[i].top = mpfr_get_exp(m->term);
			}
		}
	}
}

/* Notes the size of the largest scalar. A result may be far smaller, such as sin(pi - x): its rounding errors are not.
 */
static void note_trace(struct mixed *m, const struct evaluation *ev)
{
	for (int s = 0; s < ev->n_scalar; s++)
		if (mpfr_regular_p(ev->value[s]) && mpfr_get_exp(ev->value[s]) > m->trace_top)
			m->trace_top = mpfr_get_exp(ev->value[s]);
}

/* Takes all samples on one side. False if one of them leaves the path. */
static bool sample(struct mixed *m, struct evaluation *ev, int log_step, int sign)
{
	struct move move[LIMIT_TRANSFORMS];
	uint64_t path = 0;
	for (int i = 0; i < m->run->n_target; i++) {
		mpfr_set_prec(m->progress[i].sum, ev->precision + GUARD_BITS);
		mpfr_set_zero(m->progress[i].sum, 1);
		m->progress[i].top = mpfr_get_emin();
	}
	mpfr_set_prec(m->term, ev->precision + GUARD_BITS);
	m->trace_top = mpfr_get_emin();
	m->weight_top = -(1 << 14);
	for (unsigned subset = 0; subset < 1u << m->n; subset++) {
		struct arena_mark mark = arena_mark(m->arena);
		int n = 0;
		for (int k = 0; k < m->n; k++)
			if (subset >> k & 1)
				move[n++] = (struct move){m->direction[k].at, sign, log_step + m->direction[k].step};
		ev->freeze = subset != 0 && ev->rules->freeze;
		evaluate_moved(ev, &m->c->program, m->point, move, n, m->arena);
		m->run->work += ev->n_scalar;
		if (!subset)
			path = ev->path;
		bool shares = ev->status == EVALUATE_OK && ev->rules->same_path(ev, path);
		if (shares) {
			add_sample(m, ev, (m->n - n) & 1);
			note_trace(m, ev);
		}
		arena_rewind(m->arena, mark);
		if (!shares)
			return false;
	}
	return true;
}

/* 2^exponent; 0 or infinity if that is out of range. */
static double power_of_two(mpfr_exp_t exponent)
{
	return exponent < -1100 ? 0 : exponent > 1100 ? INFINITY : ldexp(1, (int)exponent);
}

/* Compares the quotient in p->sum with that of the previous rung. The precision leaves an uncertainty of 2^noise. */
static void follow(struct mixed *m, struct mixed_progress *p, mpfr_exp_t noise)
{
	if (p->seen) {
		mpfr_sub(m->term, p->sum, p->before, R);
		mpfr_exp_t moved = mpfr_regular_p(m->term) ? mpfr_get_exp(m->term) : mpfr_get_emin();
		p->drifting |= p->moves && moved > p->moved && moved > noise;
		p->moved = moved;
		p->moves++;
	}
	mpfr_set_prec(p->before, mpfr_get_prec(p->sum));
	mpfr_set(p->before, p->sum, R);
}

/* Computes the quotient of a target from its sum. False if it is infinite or NaN. */
static bool measure(struct mixed *m, struct fd_target *t, struct mixed_progress *p, int log_step, int sign)
{
	long scale = t->scale;
	for (int k = 0; k < m->n; k++)
		scale += log_step + m->direction[k].step;
	mpfr_mul_2si(p->sum, p->sum, -scale, R);
	if (sign < 0 && (m->n & 1))
		mpfr_neg(p->sum, p->sum, R);
	mpfr_exp_t lost = mpfr_get_prec(p->sum) - GUARD_BITS - 4 + scale, trace = m->trace_top + m->weight_top;
	p->noise = power_of_two((p->top > trace ? p->top : trace) - lost);
	follow(m, p, p->top - lost);
	t->quotient = double_of(p->sum);
	mpfr_sub_d(p->sum, p->sum, t->value, R);
	mpfr_sub_d(p->sum, p->sum, t->low, R);
	p->excess = double_of(p->sum);
	return isfinite(p->excess);
}

/*
 * Decides a target from the rungs so far. If the quotient shrinks with the step, the derivative is 0. Its magnitude is
 * 0 too (no path) and gives no size for an error.
 */
static void settle(struct fd_target *t, struct mixed_progress *p)
{
	double change = p->seen ? fabs(p->excess - p->last) : INFINITY;
	t->error = change;
	t->excess = p->excess;
	p->last = p->excess;
	p->seen = true;
	if (isinf(change))
		return;
	bool vanishes = t->magnitude == 0 && fabs(p->excess) <= ldexp(change, -30);
	double goal = fmax(t->tolerance / 8, ldexp(t->magnitude, -50));
	if (vanishes || p->excess == 0 || (t->error <= goal && fd_accepts(t, fabs(p->excess))))
		t->outcome = FD_AGREES;
}

/* Whether the steps of the last two rungs, in all directions at once, are too long for some value on the way, or too
 * short for some input. */
static bool is_unfit(struct mixed *m, struct evaluation *ev)
{
	int last = m->run->n_rung - 1;
	struct move move[LIMIT_TRANSFORMS];
	for (int k = 0; k < m->n; k++)
		move[k] = (struct move){
		    m->direction[k].at, m->run->right ? 1 : -1, ladder[last - 1].log_step + m->direction[k].step};
	for (int k = 0; k < m->n; k++) {
		struct move shortest = {m->direction[k].at, 1, ladder[last].log_step + m->direction[k].step};
		if (move_is_lost(ev, &m->c->program, m->point, &shortest))
			return true;
	}
	return steps_too_long(
	    ev, &m->c->program, m->point, move, m->n, ladder[last].log_step - ladder[last - 1].log_step, m->arena);
}

/*
 * To contradict the other oracle, the last two rungs must agree with each other much better than with it. That must
 * not be chance: no quotients move apart, which takes three rungs to see.
 */
static void give_up(struct mixed *m, struct fd_target *t, const struct mixed_progress *p, struct evaluation *ev)
{
	if (isfinite(t->error) && !fd_accepts(t, fabs(p->excess)) && t->error + p->noise <= fabs(p->excess) / 16 &&
	    p->moves > 1 && !p->drifting && !is_unfit(m, ev))
		t->outcome = FD_DISAGREES;
	else
		fd_abstain(t, REASON_ILL_CONDITIONED);
}

/* Climbs the ladder until all targets are decided. */
static void climb(void *context)
{
	struct mixed *m = context;
	struct fd_run *run = m->run;
	int open = run->n_target;
	for (int k = 0; k < RUNGS && open; k++) {
		struct evaluation *ev = &m->self->ev[k];
		if (k == RUNGS - 1 && m->self->ev[0].n_scalar > LAST_RUNG_SCALARS)
			break;
		run->precision = (int)ladder[k].precision;
		run->log_step = ladder[k].log_step;
		run->n_rung = k + 1;
		run->right = sample(m, ev, run->log_step, 1);
		run->left = !run->right && sample(m, ev, run->log_step, -1);
		if (!run->right && !run->left)
			continue; /* a shorter step may stay on the path */
		for (int i = 0; i < run->n_target; i++) {
			struct fd_target *t = &run->target[i];
			if (t->outcome != FD_NOT_RUN)
				continue;
			if (!measure(m, t, &m->progress[i], run->log_step, run->right ? 1 : -1))
				fd_abstain(t, REASON_NON_FINITE);
			else
				settle(t, &m->progress[i]);
			open -= t->outcome != FD_NOT_RUN;
		}
	}
	for (int i = 0; i < run->n_target; i++) {
		if (run->target[i].outcome == FD_NOT_RUN && !run->left && !run->right)
			fd_abstain(&run->target[i], REASON_ISOLATED_PATH);
		else if (run->target[i].outcome == FD_NOT_RUN)
			give_up(m, &run->target[i], &m->progress[i], &m->self->ev[run->n_rung - 1]);
	}
}

void fd_mixed_measure(struct fd_mixed *self, const struct testcase *c, int which, const struct fd_direction *direction,
    int n, struct fd_run *run, struct arena *a)
{
	struct mixed m = {.self = self,
	    .c = c,
	    .point = c->point[which],
	    .direction = direction,
	    .n = n,
	    .run = run,
	    .progress = NEW(a, struct mixed_progress, run->n_target),
	    .arena = a};
	fd_reset(run);
	for (int k = 0; k < RUNGS; k++)
		self->ev[k].of = c;
	mpfr_init2(m.term, 53);
	for (int i = 0; i < run->n_target; i++) {
		mpfr_init2(m.progress[i].sum, 53);
		mpfr_init2(m.progress[i].before, 53);
	}
	bool whole = arena_try(a, climb, &m);
	for (int i = 0; i < run->n_target; i++) {
		mpfr_clear(m.progress[i].sum);
		mpfr_clear(m.progress[i].before);
	}
	mpfr_clear(m.term);
	if (!whole)
		arena_full(a);
}
