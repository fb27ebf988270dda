/* characterize.c: runs the experiments in order, then finds the condition, the departure and the statements. */
#include "characterize.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/generate/choice.h"
#include "fuzz/generate/generate.h"
#include "fuzz/bench/stop.h"
#include "fuzz/grow/grow.h"
#include "lab.h"

enum {
	LAB_ARENA = 512 << 20,
	GROWTH_BUDGET = 400,      /* candidates */
	ROUNDS = 4,               /* in which what is told may be refuted */
	GROWTH_BUDGET_DEATHS = 12 /* where each costs a process; a hang costs too much time */
};

static const struct experiment {
	const char *id, *title, *varies;
	bool typical; /* it makes variants of the typical case */
	void (*run)(struct lab *l);
} experiments[] = {
#define EXPERIMENT(id, title, varies)            {#id, title, varies, false, experiment_##id},
#define EXPERIMENT_OF_TYPICAL(id, title, varies) {#id, title, varies, true, experiment_##id},
#include "experiments.def"
#undef EXPERIMENT
#undef EXPERIMENT_OF_TYPICAL
};
enum { EXPERIMENTS = sizeof experiments / sizeof *experiments };

const char *experiment_id(int index) { return index >= 0 && index < EXPERIMENTS ? experiments[index].id : NULL; }

/* ---- names of experiments ---- */

static bool listed(const char *list, const char *id)
{
	size_t n = strlen(id);

	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, id, n) && (at[n] == ',' || !at[n]))
			return true;
	return false;
}

bool experiments_exist(const char *list, struct error *e)
{
	const char *names[EXPERIMENTS], *near;

	for (int i = 0; i < EXPERIMENTS; i++)
		names[i] = experiments[i].id;
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		char word[64];
		bool known = false;

		snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
		for (int i = 0; i < EXPERIMENTS; i++)
			known = known || !strcmp(word, names[i]);
		if (known)
			continue;
		near = json_nearest(word, names, EXPERIMENTS);
		return error_set(e, NULL, "no experiment '%s'%s%s%s", word, near ? "; did you mean '" : "",
		    near ? near : "", near ? "'?" : "");
	}
	return true;
}

/* ---- running them ---- */

struct running {
	struct lab *lab;
	const struct experiment *experiment;
};

static void call_experiment(void *context)
{
	const struct running *x = context;

	x->experiment->run(x->lab);
}

/* Keeps the table if it has rows. */
static void run_experiment(struct lab *l, const struct experiment *x)
{
	struct variant_table table = {.id = x->id, .title = x->title, .varies = x->varies};

	l->table = &table;
	l->until = bench_work(l->bench) + LAB_WORK;
	explanation_aside(l->explain, x->typical, !x->typical);
	arena_try(&l->work, call_experiment, &(struct running){l, x});
	lab_settle(l);
	explanation_aside(l->explain, false, true);
	if (table.n_row)
		l->out->table[l->out->n_table++] = table;
}

static void run_experiments(struct lab *l, const char *list)
{
	struct characterization *out = l->out;

	out->table = NEW(l->arena, struct variant_table, EXPERIMENTS);
	out->skipped = NEW(l->arena, const char *, EXPERIMENTS);
	for (int i = 0; i < EXPERIMENTS; i++) {
		l->late = l->late || lab_time_over(l);
		if (l->late || (list && !listed(list, experiments[i].id)))
			out->skipped[out->n_skipped++] = experiments[i].id;
		else
			run_experiment(l, &experiments[i]);
		if (experiments[i].run == experiment_contributions || experiments[i].run == experiment_alone) {
			l->n_blamed = lab_blamed(l, l->blamed);
			l->drops = lab_drops(l);
		}
		if (experiments[i].run == experiment_contributions)
			lab_measure_again(l);
	}
	out->finished = !l->late;
}

/* ---- the condition ---- */

/* Lists the rows of the cases that the condition predicts wrongly, table by table. */
static void exceptions_of(struct lab *l, const struct explained *x, struct condition *c)
{
	struct characterization *out = l->out;

	c->exception = NEW(l->arena, struct support, out->n_table);
	for (int t = 0; t < out->n_table; t++) {
		const struct variant_table *table = &out->table[t];
		struct support s = {.table = t, .row = NEW(l->arena, int, table->n_row)};

		for (int r = 0; r < table->n_row; r++)
			for (int k = 0; k < x->n_exception; k++)
				if (table->row[r].case_number == x->exception[k] && !table->row[r].engine &&
				    table->row[r].decided) {
					s.row[s.n_row++] = r;
					break;
				}
		if (s.n_row)
			c->exception[c->n_exception++] = s;
	}
}

struct held_out {
	struct lab *lab;
	const struct explained *explained;
	int number;  /* of the variant */
	int outcome; /* 1: predicted right, 0: predicted wrong, -1: it shows nothing, or is not new */
	int n_seen;
	uint64_t *seen; /* [n_seen] hashes of the variants so far */
};

static bool is_new(struct held_out *x, uint64_t hash)
{
	for (int i = 0; i < x->n_seen; i++)
		if (x->seen[i] == hash)
			return false;
	x->seen[x->n_seen++] = hash;
	return true;
}

/* Tests the condition on a new variant of the base.  Its seed differs from those of the experiments. */
static void hold_out_one(void *context)
{
	struct held_out *x = context;
	struct lab *l = x->lab;
	struct choice choice = choice_seeded(seed_mix(testcase_hash(l->base), 0x68656c64 + (uint64_t)x->number));
	struct profile profile = profile_default();
	struct testcase t = mutate(l->base, &choice, &profile, &l->work);
	struct bench_result r;
	enum verdict v = VERDICT_UNSUPPORTED;

	if (lab_same_request(l, &t) && is_new(x, testcase_hash(&t))) {
		bench_judge(l->bench, &t, &l->scratch, &r);
		v = r.judgement[0].verdict;
	}
	l->hangs += v == VERDICT_HANG;
	if (v != VERDICT_UNDECIDED && v != VERDICT_UNSUPPORTED) {
		const bool silent = lab_is_silent(l, &t, &r.truth);
		const bool fails = lab_fails(l, &t, verdict_is_finding[v], &l->scratch);

		if (fails || !silent)
			x->outcome = explanation_predicts(l->explain, x->explained, &t, &l->scratch) == fails;
	}
}

static void hold_out(struct lab *l, const struct explained *explained, int n, struct condition *c)
{
	struct arena *const arenas[] = {&l->work, &l->scratch};
	struct held_out x = {.lab = l, .explained = explained, .seen = NEW(l->arena, uint64_t, 8 * n)};

	l->hangs = 0;
	for (; x.number < 8 * n && c->held_out < n && l->hangs < LAB_HANGS && !lab_time_over(l); x.number++) {
		arena_reset(&l->work);
		arena_reset(&l->scratch);
		x.outcome = -1;
		arenas_try(arenas, 2, hold_out_one, &x);
		c->held_out += x.outcome >= 0;
		c->predicted += x.outcome > 0;
	}
}

/* NULL: there is none. */
static struct condition *condition_of(struct lab *l, const struct explained *x)
{
	struct condition *c;

	if (!x->n_term && !x->always)
		return NULL;
	c = NEW(l->arena, struct condition, 1);
	c->n_term = x->n_term;
	c->any = x->any;
	c->always = x->always;
	for (int i = 0; i < x->n_term; i++)
		c->term[i] = (struct condition_term){x->term[i].name, x->term[i].sentence, x->term[i].holds};
	c->text = explanation_text(x, l->arena);
	c->failing = x->failing;
	c->failing_with = x->failing_with;
	c->passing = x->passing;
	c->passing_without = x->passing_without;
	c->n_alternative = x->n_alternative;
	c->alternative = x->alternative;
	exceptions_of(l, x, c);
	return c;
}

/* Whether a separating condition is told where none about the blamed operand is good enough. It must be simple, and
 * predict nearly all variants of both kinds, of which there are some. */
static bool separates_well(const struct lab *l, const struct explained *x)
{
	enum { FEW = 12, TERMS_TOLD = 2 };
	const double most = 0.98;

	/* that an op to blame is differentiated says nothing */
	for (int i = 0; i < x->n_term; i++)
		for (int k = 0; k < l->n_blamed; k++)
			if (!strncmp(x->term[i].name, "derives ", 8) &&
			    !strcmp(x->term[i].name + 8, op_table[l->blamed[k].op].name))
				return false;
	return x->n_term > 0 && x->n_term <= TERMS_TOLD && x->failing >= FEW && x->passing >= FEW &&
	    x->failing_with >= most * x->failing && x->passing_without >= most * x->passing;
}

static void find_conditions(struct lab *l, bool refutes, int held_out)
{
	struct explained separating, told;
	struct blamed blamed[LAB_USES];
	const int n = lab_blamed(l, blamed);
	struct condition *c;

	explanation_find(l->explain, l->arena, &separating);
	explanation_tell(l->explain, blamed, n, l->arena, &told);
	if (told.gap_to && !lab_kills(l)) {
		explanation_aside(l->explain, true, false);
		lab_try_sizes(l, told.gap_from, told.gap_to);
		lab_settle(l);
		explanation_aside(l->explain, false, true);
		explanation_tell(l->explain, blamed, n, l->arena, &told);
	}
	for (int round = 0; round < ROUNDS && refutes && !lab_kills(l) && lab_refute(l, blamed, n, &told, round);
	     round++)
		explanation_tell(l->explain, blamed, n, l->arena, &told);
	c = condition_of(l, &separating);
	if (c && held_out)
		hold_out(l, &separating, held_out, c);
	l->out->condition = c;
	l->told = condition_of(l, &told);
	l->out->told = told.determined ? l->told : NULL;
	if (!told.determined && !told.always && separates_well(l, &separating))
		l->told = l->out->told = c;
}

static bool at_tie(const struct testcase *c, const struct truth *t)
{
	for (int k = 0; k < c->n_point; k++)
		if (t->point[k].kink)
			return true;
	return false;
}

/* Grows the typical case, and judges it for the report. */
static void find_typical(struct lab *l, const struct truth *base, double seconds, struct typical_case *out)
{
	/* a quarter of the time, so that a slow engine leaves some for the experiments */
	const struct limit until = {
	    .deadline = isfinite(l->deadline) ? l->deadline - 0.75 * seconds : 0, .stop = stop_requested};
	const struct question q = {.bench = l->bench, .declared = true, .runs = l->asks, .until = &until};
	const enum verdict v = l->finding.verdict;
	const int budget = v == VERDICT_HANG || v == VERDICT_OOM ? 0
	    : !verdict_answers(v)                                ? GROWTH_BUDGET_DEATHS
	                                                         : GROWTH_BUDGET;
	struct testcase *c = NEW(l->arena, struct testcase, 1);
	struct bench_result *r = NEW(l->arena, struct bench_result, 1);
	struct growth g;

	l->typical = l->base;
	l->at_tie = at_tie(l->base, base);
	*c = grow(l->base, v, &q, budget, lab_note_pair, l, l->arena, &g);
	l->out->runs += g.tried;
	if (!g.kept)
		return;
	bench_judge(l->bench, c, l->arena, r);
	if (!verdict_is_finding[r->judgement[0].verdict])
		return;
	l->typical = c;
	l->at_tie = at_tie(c, &r->truth);
	*out = (struct typical_case){c, &r->truth, r->answer[0], &r->judgement[0], g.tried, g.kept};
}

bool characterize(struct bench *b, const char *spec, const struct testcase *c, const struct characterize_options *o,
    struct arena *a, struct characterization *out, struct error *e)
{
	struct lab l = {.bench = b, .spec = spec, .base = c, .arena = a, .out = out, .deadline = INFINITY, .focus = -1};
	struct bench_result r;

	if (!experiments_exist(o->experiments, e))
		return false;
	if (o->seconds > 0)
		l.deadline = bench_clock() + o->seconds;
	*out = (struct characterization){0};
	if (!lab_open_right(&l, e))
		return false;
	arena_init(&l.work, LAB_ARENA);
	arena_init(&l.scratch, LAB_ARENA);
	l.explain = explanation_open();
	bench_judge(b, c, a, &r);
	l.finding = r.judgement[0];
	for (int k = 0; k < c->n_point; k++)
		l.raised |= r.answer[0][k].raised;
	lab_try_chance(&l);
	find_typical(&l, &r.truth, o->seconds, &out->typical);
	arena_reset(&l.scratch);
	explanation_about(l.explain, l.base);
	if (l.typical != l.base)
		explanation_about(l.explain, l.typical);
	explanation_certain(l.explain, true);
	lab_sample(&l, l.base);
	explanation_aside(l.explain, true, false);
	if (l.typical != l.base)
		lab_sample(&l, l.typical);
	explanation_aside(l.explain, false, true);
	explanation_certain(l.explain, false);
	lab_open_together(&l);
	run_experiments(&l, o->experiments);
	find_conditions(&l, !o->experiments || listed(o->experiments, "alone"), o->held_out);
	lab_close_together(&l);
	lab_depart(&l);
	lab_state(&l);
	lab_tell_cause(&l);
	explanation_close(l.explain);
	if (l.others.oracle)
		bench_close(&l.others);
	engine_close(l.primal);
	engine_close(l.forward);
	arena_free(&l.work);
	arena_free(&l.scratch);
	return true;
}
