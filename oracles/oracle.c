/* oracle.c: drives the two oracles over the points of a case. */
#include "truth.h"
#include "../graph/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analytic.h"
#include "cross_check.h"
#include "scalar_ops.h"

const char *const reason_names[REASON_COUNT] = {
#define REASON(id, name, meaning) [REASON_##id] = name,
#include "reasons.def"
#undef REASON
};

struct oracle {
	struct oracle_options options;
	struct analytic *analytic;
	struct cross_check cross_check;
	struct oracle_statistics statistics;
};

struct oracle *oracle_open(const struct oracle_options *o)
{
	struct oracle *self = calloc(1, sizeof *self);
	if (!self) {
		fprintf(stderr, "adjudge: out of memory\n");
		exit(4);
	}
	mp_setup();
	self->options = *o;
	self->analytic = analytic_open();
	self->cross_check.fd = fd_open();
	return self;
}

void oracle_close(struct oracle *self)
{
	if (!self)
		return;
	analytic_close(self->analytic);
	fd_close(self->cross_check.fd);
	free(self);
}

/* For statistics only: it decides nothing. */
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Requests whose derivatives are judged: one jvp or vjp. */
static bool first_order(const struct testcase *c)
{
	return c->n_transform == 1 && (c->transform[0].kind == TRANSFORM_JVP || c->transform[0].kind == TRANSFORM_VJP);
}

static bool batched(const struct testcase *c)
{
	return request_order(c->transform, c->n_transform) < c->n_transform;
}

static struct truth_tensor unknown_tensor(const struct type *type, struct arena *a)
{
	int n = shape_elements(&type->shape);
	struct truth_tensor t = {*type, NEW(a, struct component, n)};
	for (int k = 0; k < n; k++)
		t.at[k].reason = REASON_ORDER;
	return t;
}

/* Types alone: requests that neither oracle answers. */
static void unknown_truth(const struct testcase *c, struct arena *a, struct truth_point *out)
{
	struct type type[LIMIT_ARGS];
	*out = (struct truth_point){.n_primal = answer_primal_types(c, type), .n_assignment = 1};
	out->primal = NEW(a, struct truth_tensor, out->n_primal);
	for (int k = 0; k < out->n_primal; k++)
		out->primal[k] = unknown_tensor(&type[k], a);
	out->n_derivative = answer_derivative_types(c, type);
	out->derivative = NEW(a, struct truth_tensor *, 1);
	out->derivative[0] = NEW(a, struct truth_tensor, out->n_derivative);
	for (int k = 0; k < out->n_derivative; k++)
		out->derivative[0][k] = unknown_tensor(&type[k], a);
}

/* Random bits of a case: of the case itself, not of how many came before it. */
static uint64_t draw_of(const struct oracle *self, const struct testcase *c)
{
	uint64_t draw = (testcase_hash(c) ^ self->options.seed) * 0x9e3779b97f4a7c15u;
	return draw ^ draw >> 29;
}

void oracle_truth(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *out)
{
	double start = now();
	out->n_point = c->n_point;
	out->point = NEW(a, struct truth_point, c->n_point);
	for (int k = 0; k < c->n_point; k++) {
		if (batched(c))
			unknown_truth(c, a, &out->point[k]);
		else
			analytic_truth(self->analytic, c, k, a, &out->point[k]);
		out->point[k].fd = (struct fd_evidence){.outcome = FD_NOT_RUN, .component = -1};
	}
	double middle = now();
	self->statistics.truths++;
	self->statistics.analytic_seconds += middle - start;
	if (!first_order(c))
		return;

	uint64_t draw = draw_of(self, c);
	self->cross_check.seed = draw;
	bool share = self->options.fd_one_in > 0 && draw % (uint64_t)self->options.fd_one_in == 0;
	for (int k = 0; k < c->n_point; k++)
		if (share || out->point[k].edge)
			cross_check_direction(&self->cross_check, c, k, &out->point[k], a);
	self->statistics.fd_seconds += now() - middle;
}

void oracle_confirm(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *io)
{
	if (!first_order(c))
		return;
	double start = now();
	self->cross_check.seed = draw_of(self, c);
	bool jvp = c->transform[0].kind == TRANSFORM_JVP;
	for (int k = 0; k < io->n_point; k++)
		/* A jvp has one direction: measured once, it is confirmed. */
		if (!jvp || io->point[k].fd.outcome == FD_NOT_RUN)
			cross_check_coordinates(&self->cross_check, c, k, &io->point[k], a);
	self->statistics.fd_seconds += now() - start;
}

struct oracle_statistics oracle_statistics(const struct oracle *self)
{
	struct oracle_statistics s = self->statistics;
	s.fd_runs = self->cross_check.fd_runs;
	s.fd_escalations = self->cross_check.fd_escalations;
	s.fd_disagreements = self->cross_check.fd_disagreements;
	return s;
}
