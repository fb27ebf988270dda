/* oracle.c: drives the two oracles over the points of a case. */
#include "truth.h"

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

/* Random bits of a case: of the case itself, not of how many came before it. */
static uint64_t draw_of(const struct oracle *self, const struct testcase *c)
{
	uint64_t draw = (testcase_hash(c) ^ self->options.seed) * 0x9e3779b97f4a7c15u;
	return draw ^ draw >> 29;
}

void oracle_truth(struct oracle *self, const struct testcase *c, struct arena *a, struct truth *out)
{
	/* Of other requests the primal is still judged; their derivatives are undecided(order), which the verdict says. */
	struct testcase judged = *c;
	if (!first_order(c))
		judged.n_transform = 0;
	double start = now();
	out->n_point = c->n_point;
	out->point = NEW(a, struct truth_point, c->n_point);
	for (int k = 0; k < c->n_point; k++) {
		analytic_truth(self->analytic, &judged, k, a, &out->point[k]);
		out->point[k].fd = (struct fd_evidence){.outcome = FD_NOT_RUN, .component = -1};
	}
	double middle = now();
	self->statistics.truths++;
	self->statistics.analytic_seconds += middle - start;
	if (judged.n_transform == 0)
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
