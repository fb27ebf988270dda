/* oracle.c: runs the two oracles over the points of a case. */
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "graph/heap.h"
#include "graph/random.h"
#include "oracles/analytic/analytic.h"
#include "batch.h"
#include "oracles/differences/cross_check.h"
#include "oracle_rules.h"
#include "oracles/evaluate/scalar_ops.h"

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
	struct oracle_statistics statistics;
};

struct oracle *oracle_open(const struct oracle_options *o)
{
	struct oracle *self = heap_new(1, sizeof *self);
	mp_setup();
	self->options = *o;
	self->rules = o->rules ? o->rules : &oracle_rules_right;
	self->analytic = analytic_open(self->rules);
	self->cross_check.fd = fd_open(self->rules);
	self->cross_check.mixed = fd_mixed_open(self->rules);
	analytic_use(self->analytic, self->rules, o->flushes);
	return self;
}

void oracle_accuracy(struct oracle *self, const struct op_accuracy *of) { analytic_accuracy(self->analytic, of); }

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
	if (!c->n_transform)
		return;
	if (self->check == CHECK_COORDINATES)
		cross_check_coordinates(&self->cross_check, c, which, out, a);
	else if (self->check == CHECK_DIRECTION || out->edge)
		cross_check_direction(&self->cross_check, c, which, out, a);
	self->statistics.fd_seconds += now() - middle;
}

static void slice_truth(void *self, const struct testcase *slice, struct arena *a, struct truth_point *out)
{
	point_truth(self, slice, 0, a, out);
}

void oracle_truth(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *out)
{
	uint64_t draw = draw_of(self, c);
	self->cross_check.seed = draw;
	self->check = self->options.fd_one_in > 0 && draw % (uint64_t)self->options.fd_one_in == 0 ? CHECK_DIRECTION
	                                                                                           : CHECK_EDGES;
	self->statistics.truths++;
	analytic_slices(self->analytic, batched(c));
	out->n_point = c->n_point;
	out->point = NEW(a, struct truth_point, c->n_point);
	for (int k = 0; k < c->n_point; k++) {
		if (batched(c))
			batch_truth(c, k, slice_truth, self, a, &out->point[k]);
		else
			point_truth(self, c, k, a, &out->point[k]);
	}
}

void oracle_confirm(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *io)
{
	if (!request_order(c->transform, c->n_transform))
		return;
	self->cross_check.seed = draw_of(self, c);
	self->check = CHECK_COORDINATES;
	analytic_slices(self->analytic, batched(c));
	for (int k = 0; k < io->n_point; k++) {
		if (!has_vjp(c) && io->point[k].fd.outcome != FD_NOT_RUN)
			continue;
		if (batched(c)) { /* the slices' evidence is not kept */
			batch_truth(c, k, slice_truth, self, a, &io->point[k]);
			continue;
		}
		double start = now();
		cross_check_coordinates(&self->cross_check, c, k, &io->point[k], a);
		self->statistics.fd_seconds += now() - start;
	}
}

struct oracle_statistics oracle_statistics(const struct oracle *self)
{
	struct oracle_statistics s = self->statistics;
	s.fd_runs = self->cross_check.fd_runs;
	s.fd_escalations = self->cross_check.fd_escalations;
	s.fd_disagreements = self->cross_check.fd_disagreements;
	return s;
}
