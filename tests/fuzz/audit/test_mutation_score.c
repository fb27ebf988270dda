/* Scores: what is skipped changes nothing, a first case is that of a campaign, the same twice. */
#include "fuzz/audit/mutation_score.h"

#include <string.h>

#include "tests/check.h"
#include "fuzz/bench/fit_profile.h"

static struct score_options options(const char *engine, bool mutants, int64_t cases)
{
	return (struct score_options){
	    .engine = engine, .mutants = mutants, .cases = cases, .seed = 11, .profile = profile_default()};
}

static struct score run(const struct score_options *o)
{
	struct error e = {0};
	struct score s;

	CHECK(mutation_score(o, &s, &e), "%s: %s", o->engine, e.text);
	CHECK(!s.right_wrong && !s.failures, "%s: judged wrong in case %lld, %lld failures", o->engine,
	    (long long)s.right_wrong, (long long)s.failures);
	return s;
}

static void check_same(const char *what, const struct score *a, const struct score *b)
{
	CHECK(a->n == b->n && a->cases == b->cases && a->survivors == b->survivors && a->median == b->median &&
	        a->ninety == b->ninety,
	    "%s: %d and %d rows, %lld and %lld cases, %d and %d survivors", what, a->n, b->n, (long long)a->cases,
	    (long long)b->cases, a->survivors, b->survivors);
	for (int i = 0; i < a->n && i < b->n; i++)
		CHECK(!strcmp(a->row[i].spec, b->row[i].spec) && a->row[i].found == b->row[i].found &&
		        a->row[i].verdict == b->row[i].verdict && (a->row[i].inaccurate == b->row[i].inaccurate),
		    "%s: %s: case %lld, case %lld", what, a->row[i].spec, (long long)a->row[i].found,
		    (long long)b->row[i].found);
}

/* Every engine, also those without mutants: nothing then. */
static void check_filter(void)
{
	for (int k = 0; engine_names[k]; k++) {
		struct score_options o = options(engine_names[k], true, 150);
		struct score quick, all;

		if (!row_wanted("filter of %s", o.engine))
			continue;
		quick = run(&o);
		o.ask_all = true;
		all = run(&o);
		check_same(o.engine, &quick, &all);
		/* Few cases have what the mutants of these two are about: check_rare. */
		bool rare = !strcmp(o.engine, "compiled") || !strcmp(o.engine, "implicit");
		CHECK(!quick.n || rare || quick.survivors < quick.n / 2, "%s: %d of %d survive", o.engine,
		    quick.survivors, quick.n);
		score_free(&quick);
		score_free(&all);
	}
}

/* The same bar, after as many cases as it takes: solutions of fixed points, integers, memory that is shared. */
static void check_rare(void)
{
	static const struct {
		const char *engine;
		int64_t cases;
	} rows[] = {{"compiled", 600}, {"implicit", 3000}};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct score_options o = options(rows[k].engine, true, rows[k].cases);
		struct score s;

		if (!row_wanted("rare cases of %s", o.engine))
			continue;
		s = run(&o);
		CHECK(s.n && 2 * s.survivors < s.n, "%s: %d of %d survive", o.engine, s.survivors, s.n);
		score_free(&s);
	}
}

/* The first case of a finding of the campaign that plants the fault alone. */
static int64_t first_of_campaign(const char *spec, const struct score_options *o)
{
	struct oracle_options oracle = {.seed = o->seed, .fd_one_in = 1000000};
	struct profile profile = o->profile;
	struct error e = {0};
	struct bench b;
	struct arena a;
	int64_t found = 0;

	CHECK(bench_open(&b, &spec, 1, &oracle, &e), "%s: %s", spec, e.text);
	fit_profile(&b, &profile);
	arena_init(&a, CASE_ARENA);
	for (int64_t k = 0; k < o->cases && !found; k++) {
		struct choice choice = choice_seeded(seed_mix(o->seed, (uint64_t)k));
		struct bench_result r;
		struct testcase c;

		arena_reset(&a);
		c = generate(&choice, &profile, &a);
		bench_judge(&b, &c, &a, &r);
		if (verdict_is_finding[r.judgement[0].verdict])
			found = k + 1;
	}
	arena_free(&a);
	bench_close(&b);
	return found;
}

static void check_against_bench(const char *engine, bool mutants, int every)
{
	struct score_options o = options(engine, mutants, 120);
	struct score s = run(&o);

	for (int i = 0; i < s.n; i += every) {
		int64_t found = first_of_campaign(s.row[i].spec, &o);

		CHECK(found == s.row[i].found, "%s (%s): case %lld alone, case %lld among others", s.row[i].spec,
		    s.row[i].meaning, (long long)found, (long long)s.row[i].found);
	}
	score_free(&s);
}

static void check_statistics(void)
{
	struct score_options o = options("tape", true, 60);
	struct score s, again;
	int within_median = 0, within_ninety = 0, found = 0;

	s = run(&o);
	again = run(&o);
	check_same("twice", &s, &again);
	score_free(&again);
	for (int i = 0; i < s.n; i++) {
		found += s.row[i].found > 0;
		within_median += s.row[i].found > 0 && s.row[i].found <= s.median;
		within_ninety += s.row[i].found > 0 && s.row[i].found <= s.ninety;
	}
	CHECK(found == s.n - s.survivors && found > 0, "%d found, %d survivors of %d", found, s.survivors, s.n);
	CHECK(2 * within_median >= found && 10 * within_ninety >= 9 * found, "%d and %d of %d", within_median,
	    within_ninety, found);
	score_free(&s);

	o.seed = 12;
	again = run(&o);
	o.seed = 11;
	s = run(&o);
	CHECK(again.median != s.median || again.survivors != s.survivors || again.ninety != s.ninety,
	    "another seed, the same score");
	score_free(&s);
	score_free(&again);

	/* A few, and no more cases than they take. */
	o.only = "mul: the sign";
	o.cases = 100000;
	s = run(&o);
	CHECK(s.n == 0 || strstr(s.row[0].meaning, "mul: the sign"), "%s", s.row[0].meaning);
	CHECK(s.n > 0 && !s.survivors && s.cases < 5000, "%d rows, %d survivors, %lld cases", s.n, s.survivors,
	    (long long)s.cases);
	score_free(&s);
	o.only = "no such text";
	s = run(&o);
	CHECK(!s.n && !s.cases, "%d rows, %lld cases", s.n, (long long)s.cases);
	score_free(&s);
}

/* Digits that a usual formula loses, too, are no finding, but are seen. */
static void check_inaccurate(void)
{
	struct score_options o = options("aot", true, 3000);
	struct score s;

	o.only = "asin, partial by a: 1/sqrt(select(lt(abs(a),(2*0.5)";
	s = run(&o);
	CHECK(s.n == 1 && s.survivors == 1 && s.row[0].inaccurate > 0, "%d rows, %d survivors, inaccurate in case %lld",
	    s.n, s.survivors, s.n ? (long long)s.row[0].inaccurate : 0);
	score_free(&s);
}

/* Isolated faults are answered by this program as a worker. */
int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "worker"))
		return engine_worker(argv[3]);
	check_begin(argc, argv);
	CHECK_LAW(check_inaccurate());
	check_filter();
	check_rare();
	CHECK_LAW(check_against_bench("tape", true, 41));
	CHECK_LAW(check_against_bench("forward", true, 41));
	CHECK_LAW(check_against_bench("functional", false, 3));
	CHECK_LAW(check_statistics());
	return check_done();
}
