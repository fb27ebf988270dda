/* sensitivity.c: see sensitivity.h. */
#include "sensitivity.h"
#include "graph/heap.h"
#include "graph/walk.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/bench/fit_profile.h"
#include "fuzz/bench/question.h"
#include "fuzz/bench/stop.h"

enum { SPEC = 96, LINE_SECONDS = 30 };

const double sensitivity_error[SENSITIVITY_ERRORS] = {
    1e-8, 3e-9, 1e-9, 3e-10, 1e-10, 3e-11, 1e-11, 3e-12, 1e-12, 3e-13, 1e-13, 3e-14, 1e-14, 3e-15, 1e-15};

/* The errors of an op's rule.  Enough cases have shown those before `next`. */
struct ladder {
	struct engine *engine[SENSITIVITY_ERRORS]; /* owned */
	int next, shown[SENSITIVITY_ERRORS];
	int64_t last[SENSITIVITY_ERRORS]; /* number of the last case that showed it */
};

struct measuring {
	const struct sensitivity_options *o;
	struct sensitivity *out;
	struct bench bench;    /* holds the engine without faults */
	struct ladder *ladder; /* [out->n] */
	double start, shown;
	struct profile profile;
	struct arena arena; /* of a case */
	uint64_t number;    /* of the case */
};

int sensitivity_needed(int64_t cases)
{
	double mean = (double)cases * (1 - pow(0.05, 1.0 / SENSITIVITY_CASES)), term = exp(-mean), below = term;
	int k = 1;

	for (; 1 - below > 0.05; k++) {
		term *= mean / k;
		below += term;
	}
	return k;
}

/* The operands that contribute to a derivative, if there are several: "bc"; else "". */
static const char *operands_of(enum op op)
{
	switch (op_table[op].family) {
	case FAMILY_BINARY:
	case FAMILY_MATMUL:
	case FAMILY_SLICE_SCATTER:
	case FAMILY_DYNAMIC_UPDATE_SLICE:
	case FAMILY_PAD:
		return "ab";
	case FAMILY_CLAMP:
		return "abc";
	case FAMILY_SELECT:
		return "bc";
	case FAMILY_SCATTER:
	case FAMILY_MASKED_SCATTER:
		return "ac";
	default:
		return "";
	}
}

static void add_rows(struct sensitivity *s, const struct sensitivity_options *o)
{
	for (int op = 0; op < OP_COUNT; op++) {
		enum regularity r = op_table[op].regularity;
		const char *operand = operands_of((enum op)op);

		if (op_table[op].n_region || r == REGULARITY_DISCRETE || r == REGULARITY_STEP ||
		    (o->only && !strstr(op_table[op].name, o->only)))
			continue;
		do
			s->row[s->n++] = (struct sensitivity_row){.op = (enum op)op, .operand = *operand};
		while (*operand && *++operand);
	}
}

static struct engine *open_one(const struct measuring *m, const struct sensitivity_row *row, int i, struct error *e)
{
	char spec[SPEC], of[3] = {row->operand ? '.' : '\0', row->operand, '\0'};

	snprintf(spec, sizeof spec, "%s+scale:%s%s:%.17g", m->o->engine, op_table[row->op].name, of,
	    1 + sensitivity_error[i]);
	return engine_open(spec, e);
}

/* Opens the engine with the largest error of each row.  The others are opened when they are asked and closed when they
 * are no longer needed: there are a thousand. */
static bool open_first(struct measuring *m, struct error *e)
{
	struct oracle_options oracle = {.seed = m->o->seed, .fd_one_in = INT_MAX};

	for (int k = 0; k < m->out->n; k++) {
		m->ladder[k].engine[0] = open_one(m, &m->out->row[k], 0, e);
		if (!m->ladder[k].engine[0])
			return false;
	}
	return bench_open(&m->bench, &m->o->engine, 1, &oracle, e);
}

static bool shows(
    struct measuring *m, int k, int i, const struct testcase *c, struct shared_truth *truth, struct arena *a)
{
	struct ladder *l = &m->ladder[k];

	if (!l->engine[i])
		l->engine[i] = open_one(m, &m->out->row[k], i, NULL);
	if (!l->engine[i]) {
		m->bench.failures++;
		return false;
	}
	return case_shows(c,
	    &(struct question){.bench = &m->bench, .engine = l->engine[i], .truth = truth, .full_is_no = true}, a,
	    NULL);
}

/* Asks from the largest error that too few cases have shown, down to the first that this case does not show. */
static void climb(struct measuring *m, int k, const struct testcase *c, struct shared_truth *truth, struct arena *a)
{
	struct ladder *l = &m->ladder[k];

	for (int i = l->next; i < SENSITIVITY_ERRORS && shows(m, k, i, c, truth, a); i++) {
		l->last[i] = m->out->cases;
		if (++l->shown[i] < m->out->needed)
			continue;
		/* At least as many cases have shown every larger error. */
		l->next = i + 1;
		engine_close(l->engine[i]);
		l->engine[i] = NULL;
	}
}

static void judge_case(struct measuring *m, const struct testcase *c, struct arena *a)
{
	struct shared_truth truth = {.confirmed = false};
	bool present[OP_COUNT] = {false};

	oracle_truth(m->bench.oracle, c, a, &truth.truth);
	m->out->cases++;
	if (case_shows(c, &(struct question){.bench = &m->bench, .truth = &truth, .full_is_no = true}, a, NULL)) {
		m->out->right_wrong = m->out->cases;
		return;
	}
	region_ops(&c->program.top, present);
	for (int k = 0; k < m->out->n; k++) {
		if (!present[m->out->row[k].op])
			continue;
		m->out->row[k].occurs++;
		climb(m, k, c, &truth, a);
	}
}

static bool all_shown(const struct measuring *m)
{
	for (int k = 0; k < m->out->n; k++)
		if (m->ladder[k].next < SENSITIVITY_ERRORS)
			return false;
	return true;
}

static bool over(const struct measuring *m)
{
	return m->out->cases >= m->o->cases || m->out->right_wrong || m->bench.failures || all_shown(m) ||
	    stop_requested();
}

static void show_progress(struct measuring *m)
{
	double now = bench_clock();

	if (!m->o->progress || now - m->shown < LINE_SECONDS)
		return;
	m->shown = now;
	fprintf(stderr, "%s: %lld of %lld cases, %.0f/s\n", m->o->engine, (long long)m->out->cases,
	    (long long)m->o->cases, (double)m->out->cases / (now - m->start));
}

static void run_case(void *context)
{
	struct measuring *m = context;
	struct choice choice = choice_seeded(seed_mix(m->o->seed, m->number));
	struct testcase c;

	arena_reset(&m->arena);
	c = generate(&choice, &m->profile, &m->arena);
	judge_case(m, &c, &m->arena);
	show_progress(m);
}

static void run_cases(struct measuring *m)
{
	m->profile = m->o->profile;
	fit_profile(&m->bench, &m->profile);
	arena_init(&m->arena, CASE_ARENA);
	for (; !over(m); m->number++)
		m->out->skipped += !arena_try(&m->arena, run_case, m);
	arena_free(&m->arena);
}

static void conclude(struct measuring *m)
{
	for (int k = 0; k < m->out->n; k++) {
		struct sensitivity_row *row = &m->out->row[k];
		const struct ladder *l = &m->ladder[k];
		int i = l->next - 1;

		row->found = l->next;
		if (i >= 0)
			row->cases_95 = (int64_t)ceil(-log(0.05) * (double)l->last[i] / l->shown[i]);
		row->shown_next = l->next < SENSITIVITY_ERRORS ? l->shown[l->next] : 0;
	}
}

static void close_all(struct measuring *m)
{
	for (int k = 0; k < m->out->n; k++)
		for (int i = 0; i < SENSITIVITY_ERRORS; i++)
			engine_close(m->ladder[k].engine[i]);
	free(m->ladder);
}

bool sensitivity_measure(const struct sensitivity_options *o, struct sensitivity *out, struct error *e)
{
	struct measuring m = {.o = o, .out = out};
	bool opened;

	memset(out, 0, sizeof *out);
	out->needed = sensitivity_needed(o->cases);
	add_rows(out, o);
	m.ladder = heap_new((size_t)out->n + 1, sizeof *m.ladder);
	m.start = m.shown = bench_clock();
	opened = open_first(&m, e);
	if (opened) {
		run_cases(&m);
		conclude(&m);
		out->failures = m.bench.failures;
		bench_close(&m.bench);
	}
	close_all(&m);
	return opened;
}
