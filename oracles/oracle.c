/* oracle.c: runs the two oracles over the points of a case. */
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graph/heap.h"
#include "graph/random.h"
#include "oracles/analytic/analytic.h"
#include "batch.h"
#include "oracles/differences/cross_check.h"
#include "oracle_rules.h"
#include "oracles/evaluate/memo.h"
#include "oracles/evaluate/scalar_ops.h"
#include "oracles/evaluate/work.h"

const char *const reason_names[REASON_COUNT] = {
#define REASON(id, name, meaning) [REASON_##id] = name,
#include "reasons.def"
#undef REASON
};

/* How much evidence of finite differences a point needs: at points with a decision at an edge, in one direction, or
 * in every coordinate. */
enum check { CHECK_EDGES, CHECK_DIRECTION, CHECK_COORDINATES };

struct oracle {
	struct oracle_options options;
	const struct oracle_rules *rules;
	enum check check; /* of the case at hand */
	struct analytic *analytic;
	struct cross_check cross_check;
	struct budget work,
	    moved_work; /* what the truth at hand may still cost: the analytic oracle, and differences */
	struct oracle_statistics statistics;
};

struct oracle *oracle_open(const struct oracle_options *o)
{
	struct oracle *self = heap_new(1, sizeof *self);
	mp_setup();
	memo_begin();
	self->options = *o;
	self->rules = o->rules ? o->rules : &oracle_rules_right;
	self->analytic = analytic_open(self->rules);
	self->cross_check.fd = fd_open(self->rules);
	self->cross_check.mixed = fd_mixed_open(self->rules);
	analytic_use(self->analytic, self->rules, o->flushes);
	if (o->whole) {
		analytic_touch(self->analytic);
		memo_touch();
	}
	analytic_limit(self->analytic, &self->work);
	analytic_alternatives(self->analytic, o->alternatives);
	self->cross_check.work = &self->moved_work;
	return self;
}

void oracle_accuracy(struct oracle *self, const struct op_accuracy *of) { analytic_accuracy(self->analytic, of); }

void oracle_regroups(struct oracle *self, bool regroups) { analytic_regroups(self->analytic, regroups); }

void oracle_close(struct oracle *self)
{
	if (!self)
		return;
	analytic_close(self->analytic);
	fd_close(self->cross_check.fd);
	fd_mixed_close(self->cross_check.mixed);
	free(self);
}

/* For statistics only: it decides nothing. */
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool batched(const struct testcase *c) { return request_order(c->transform, c->n_transform) < c->n_transform; }

/* Random bits that depend on the case alone, not on the number of cases before it. */
static uint64_t draw_of(const struct oracle *self, const struct testcase *c)
{
	uint64_t draw = (testcase_hash(c) ^ self->options.seed) * RANDOM_STEP;
	return draw ^ draw >> 29;
}

/* Whether the request has a vjp. A jvp has one direction: once measured, it is confirmed. */
static bool has_vjp(const struct testcase *c)
{
	for (int k = 0; k < c->n_transform; k++)
		if (c->transform[k].kind == TRANSFORM_VJP)
			return true;
	return false;
}

/* The truth at one point of a case without batches, with as much evidence as self->check asks for. */
static void point_truth(
    struct oracle *self, const struct testcase *c, int which, struct arena *a, struct truth_point *out)
{
	double start = now();
	self->rules->truth(self->analytic, c, which, a, out);
	out->fd = (struct fd_evidence){.outcome = FD_NOT_RUN, .component = -1};
	double middle = now();
	self->statistics.analytic_seconds += middle - start;
	if (!c->n_transform || (self->check == CHECK_EDGES && !out->edge))
		return;
	if (self->check == CHECK_COORDINATES)
		cross_check_coordinates(&self->cross_check, c, which, out, a);
	else
		cross_check_direction(&self->cross_check, c, which, out, a);
	self->statistics.fd_seconds += now() - middle;
}

static void slice_truth(void *self, const struct testcase *slice, struct arena *a, struct truth_point *out)
{
	point_truth(self, slice, 0, a, out);
}

struct asked_truth {
	struct oracle *oracle;
	const struct testcase *c;
	struct arena *arena;
	struct truth *truth;
};

static void run_truth(void *context)
{
	const struct asked_truth *x = context;
	const struct testcase *c = x->c;
	struct truth *out = x->truth;
	out->point = NEW(x->arena, struct truth_point, c->n_point);
	for (int k = 0; k < c->n_point; k++) {
		if (batched(c))
			batch_truth(c, k, slice_truth, x->oracle, x->arena, &out->point[k]);
		else
			point_truth(x->oracle, c, k, x->arena, &out->point[k]);
	}
}

/*
 * Runs within the limits of work.h.  False: they were exceeded.  What was computed so far is then forgotten.  If the
 * arena is full for another reason, this leaves its next try.
 */
static bool within_budget(arena_run_fn *run, struct asked_truth *x, int64_t differences)
{
	struct oracle *self = x->oracle;
	struct arena_mark mark = arena_mark(x->arena);
	work_begin(&self->work, WORK_TRUTH, WORK_SCALARS, x->arena);
	work_begin(&self->moved_work, differences, WORK_MOVED_SCALARS, x->arena);
	const bool within = arena_try(x->arena, run, x);
	self->statistics.work += WORK_TRUTH - self->work.left + differences - self->moved_work.left;
	if (within)
		return true;
	if (!self->work.over)
		arena_full(x->arena);
	arena_rewind(x->arena, mark);
	return false;
}

/* One large case must not hold memory for the rest of a campaign. */
static void trim(struct oracle *self)
{
	analytic_trim(self->analytic);
	fd_trim(self->cross_check.fd);
	fd_mixed_trim(self->cross_check.mixed);
}

/* As much evidence as self->check asks for. */
static void truth_drawn(
    struct oracle *self, const struct testcase *c, uint64_t draw, struct arena *a, struct truth *out)
{
	struct asked_truth x = {self, c, a, out};
	self->cross_check.seed = draw;
	self->statistics.truths++;
	analytic_slices(self->analytic, batch_slices(c));
	out->n_point = c->n_point;
	const bool within = within_budget(run_truth, &x, WORK_DIFFERENCES);
	trim(self);
	if (within)
		return;
	out->point = NEW(a, struct truth_point, c->n_point);
	for (int k = 0; k < c->n_point; k++)
		batch_unknown(c, REASON_BUDGET, a, &out->point[k]);
}

void oracle_truth(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *out)
{
	const int one_in = self->options.fd_one_in;
	const uint64_t draw = draw_of(self, c);
	self->check = one_in > 0 && draw % (uint64_t)one_in == 0 ? CHECK_DIRECTION : CHECK_EDGES;
	truth_drawn(self, c, draw, a, out);
}

void oracle_truth_at_edges(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *out)
{
	self->check = CHECK_EDGES;
	truth_drawn(self, c, draw_of(self, c), a, out);
}

static void run_confirm(void *context)
{
	const struct asked_truth *x = context;
	struct oracle *self = x->oracle;
	for (int k = 0; k < x->truth->n_point; k++) {
		struct truth_point *io = &x->truth->point[k];
		if (!has_vjp(x->c) && io->fd.outcome != FD_NOT_RUN)
			continue;
		if (batched(x->c)) { /* the slices' evidence is not kept */
			struct truth_point again;
			batch_truth(x->c, k, slice_truth, self, x->arena, &again);
			*io = again;
			continue;
		}
		double start = now();
		cross_check_coordinates(&self->cross_check, x->c, k, io, x->arena);
		self->statistics.fd_seconds += now() - start;
	}
}

void oracle_confirm(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *io)
{
	struct asked_truth x = {self, c, a, io};
	struct truth_point *before;
	if (!request_order(c->transform, c->n_transform))
		return;
	before = arena_copy(a, io->point, (size_t)io->n_point, sizeof *before);
	self->cross_check.seed = draw_of(self, c);
	self->check = CHECK_COORDINATES;
	analytic_slices(self->analytic, batch_slices(c));
	/* Beyond the limits, the truth stays as far as it was confirmed.  New points of a batch are forgotten. */
	if (!within_budget(run_confirm, &x, WORK_CONFIRM) && batched(c))
		memcpy(io->point, before, sizeof *before * (size_t)io->n_point);
	trim(self);
}

struct oracle_statistics oracle_statistics(const struct oracle *self)
{
	struct oracle_statistics s = self->statistics;
	s.fd_runs = self->cross_check.fd_runs;
	s.fd_escalations = self->cross_check.fd_escalations;
	s.fd_disagreements = self->cross_check.fd_disagreements;
	return s;
}
