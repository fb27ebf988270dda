/*
 * rounding.c: tests engines that round at random (engines/kernels/rounding.h) against the ball, on random cases, each
 * with several seeds.  In one case of four they also flush subnormal numbers to 0, and the oracles are told so.
 */
#include <stdio.h>

#include "audit.h"
#include "fuzz/bench/bench.h"
#include "fuzz/bench/question.h"

enum { SEEDS_OF_CASE = 4, FLUSHED_ONE_IN = 4, SPEC = 64, SPECS = 4 };

enum { ROUNDING, FLUSHING, MODES };
static const char *const rounded_as[MODES] = {"rounding", "flushing"};
static const char *const specs[MODES][SPECS] = {
    {"forward:rounding=0", "tape:rounding=0", "functional:rounding=0", "aot:rounding=0"},
    {"forward:flushing=0", "tape:flushing=0", "functional:flushing=0", "aot:flushing=0"},
};

struct rounding_tally {
	int64_t cases, skipped;
	int64_t answers, decided; /* answers with a decided component; decided components */
	int64_t verdict[VERDICT_COUNT];
};

struct rounding_run {
	struct audit *self;
	struct bench bench[MODES];
	struct rounding_tally all, of[SPECS], in[MODES]; /* by engine, and by mode */
};

static void count(struct rounding_tally *t, const struct judgement *j)
{
	t->verdict[j->verdict]++;
	if (j->verdict == VERDICT_UNSUPPORTED)
		return;
	t->decided += j->decided;
	t->answers += j->verdict != VERDICT_UNDECIDED;
}

/* A seed has at most 18 digits in a spec. */
static uint64_t rounding_seed(uint64_t seed, int64_t number, int k)
{
	return seed_mix(seed_mix(seed, (uint64_t)number), (uint64_t)k + 1) % UINT64_C(1000000000);
}

static void try_engine(struct rounding_run *run, int mode, int which, int64_t number, uint64_t seed,
    const struct testcase *c, struct arena *a, struct shared_truth *t)
{
	struct judgement j;
	struct engine *engine = run->bench[mode].engine[which];
	char spec[SPEC];

	snprintf(
	    spec, sizeof spec, "%s:%s=%llu", engine_kind(engine)->name, rounded_as[mode], (unsigned long long)seed);
	engine_reseed_rounding(engine, seed);
	bool finding = case_shows(
	    c, &(struct question){.bench = &run->bench[mode], .engine = engine, .truth = t}, a, &j);
	count(&run->all, &j);
	count(&run->of[which], &j);
	count(&run->in[mode], &j);
	if (finding)
		audit_broken(run->self, c, engine_kind(engine)->name,
		    "case %lld, %s: %s, point %d, %s %d, element %d: expected %.17g, returned %.17g, radius %.3g",
		    (long long)number, spec, verdict_names[j.verdict], j.point, j.in_primal ? "result" : "derivative",
		    j.which, j.element, j.expected, j.returned, j.radius);
}

static void try_case(void *context, int64_t number, const struct testcase *c, struct arena *a)
{
	struct rounding_run *run = context;

	for (int mode = 0; mode < (number % FLUSHED_ONE_IN ? FLUSHING : MODES); mode++) {
		struct shared_truth t = {.confirmed = false};

		oracle_truth(run->bench[mode].oracle, c, a, &t.truth);
		for (int e = 0; e < SPECS; e++)
			for (int k = 0; k < SEEDS_OF_CASE; k++)
				try_engine(run, mode, e, number,
				    rounding_seed(audit_options_of(run->self)->seed, number, k), c, a, &t);
		run->in[mode].cases++;
	}
	run->all.cases++;
}

/* ---- the report ---- */

static void put_tally(struct json_writer *w, const struct rounding_tally *t)
{
	json_member_integer(w, "answers", t->answers);
	json_member_integer(w, "components", t->decided);
	for (int v = 0; v < VERDICT_COUNT; v++)
		if (t->verdict[v])
			json_member_integer(w, verdict_names[v], t->verdict[v]);
}

static int64_t outside_of(const struct rounding_tally *t)
{
	return t->verdict[VERDICT_WRONG] + t->verdict[VERDICT_WRONG_PRIMAL] + t->verdict[VERDICT_NAN_LEAK];
}

static void report(struct rounding_run *run)
{
	struct json_writer *w = audit_json(run->self);
	const struct rounding_tally *t = &run->all, *flushed = &run->in[FLUSHING];

	json_member_integer(w, "judged", t->cases);
	json_member_integer(w, "skipped", t->skipped);
	json_member_integer(w, "seeds", SEEDS_OF_CASE);
	json_member_integer(w, "outside", outside_of(t));
	put_tally(w, t);
	json_member_object(w, "flushing", JSON_FLOW);
	json_member_integer(w, "judged", flushed->cases);
	json_member_integer(w, "outside", outside_of(flushed));
	put_tally(w, flushed);
	json_end(w);
	json_member_object(w, "engines", JSON_BLOCK);
	for (int e = 0; e < SPECS; e++) {
		json_member_object(w, engine_kind(run->bench[ROUNDING].engine[e])->name, JSON_FLOW);
		put_tally(w, &run->of[e]);
		json_end(w);
	}
	json_end(w);
	audit_line(run->self, "cases", "%8lld  (%lld skipped), %d seeds each", (long long)t->cases,
	    (long long)t->skipped, SEEDS_OF_CASE);
	audit_line(
	    run->self, "answers decided", "%8lld  (%lld components)", (long long)t->answers, (long long)t->decided);
	audit_line(run->self, "outside the loose ball", "%8lld", (long long)outside_of(t));
	audit_line(run->self, "between tight and loose", "%8lld", (long long)t->verdict[VERDICT_INACCURATE]);
	audit_line(run->self, "of these, flushing", "%8lld cases, %lld answers decided, %lld outside",
	    (long long)flushed->cases, (long long)flushed->answers, (long long)outside_of(flushed));
	for (int e = 0; e < SPECS; e++)
		audit_line(run->self, engine_kind(run->bench[ROUNDING].engine[e])->name,
		    "%8lld answers, %lld inaccurate, %lld undecided, %lld unsupported", (long long)run->of[e].answers,
		    (long long)run->of[e].verdict[VERDICT_INACCURATE], (long long)run->of[e].verdict[VERDICT_UNDECIDED],
		    (long long)run->of[e].verdict[VERDICT_UNSUPPORTED]);
}

void audit_rounding(struct audit *self)
{
	/* Finite differences are used only if something is off, because this law is about radii. */
	struct oracle_options options = audit_oracle_options(self, 1 << 20);
	struct rounding_run run = {.self = self};
	struct error e = {0};

	for (int mode = 0; mode < MODES; mode++) {
		for (int d = 0; d < DTYPE_COUNT; d++)
			options.flushes[d] = mode == FLUSHING;
		if (!bench_open(&run.bench[mode], specs[mode], SPECS, &options, &e)) {
			audit_broken(self, NULL, "engines", "%s", e.text);
			bench_close(&run.bench[ROUNDING]);
			return;
		}
	}
	run.all.skipped = audit_each_case(self, try_case, &run);
	report(&run);
	for (int mode = 0; mode < MODES; mode++)
		bench_close(&run.bench[mode]);
}
