/* Sensitivity: an error is shown by the case that a campaign finds it by, and counts when enough cases show it; the same twice. */
#include "../../fuzz/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../check.h"
#include "../../fuzz/campaign.h"

enum { MOST = 3000 };

static struct sensitivity_options options(const char *engine, const char *only, int64_t cases)
{
	return (struct sensitivity_options){.engine = engine, .only = only, .cases = cases, .seed = 5, .profile = profile_default()};
}

static struct sensitivity run(const struct sensitivity_options *o)
{
	struct error e = {0};
	struct sensitivity s;

	CHECK(sensitivity_measure(o, &s, &e), "%s: %s", o->engine, e.text);
	CHECK(!s.right_wrong && !s.failures, "%s: judged wrong in case %lld, %lld failures", o->engine, (long long)s.right_wrong,
	    (long long)s.failures);
	return s;
}

/* The case of a campaign that first shows the largest error of that op's rule; 0: none. */
static int64_t first_of_campaign(const char *engine, const char *op, uint64_t seed)
{
	char text[96];
	const char *spec = text;
	struct oracle_options oracle = {.seed = seed, .fd_one_in = 1000000};
	struct profile profile = profile_default();
	struct error e = {0};
	struct bench b;
	struct arena a;
	int64_t found = 0;

	snprintf(text, sizeof text, "%s+scale:%s:%.17g", engine, op, 1 + sensitivity_error[0]);
	CHECK(bench_open(&b, &spec, 1, &oracle, &e), "%s: %s", spec, e.text);
	campaign_fit_profile(&b, &profile);
	arena_init(&a, CASE_ARENA);
	for (int64_t k = 0; k < MOST && !found; k++) {
		struct choice choice = choice_seeded(seed_mix(seed, (uint64_t)k));
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

/* One case less than a campaign takes, and nothing is found.  Of so few cases one is enough: 3 in 10,000 are expected to show it. */
static void check_against_campaign(const char *engine, const char *op)
{
	struct sensitivity_options o = options(engine, op, 0);
	struct sensitivity s;

	o.cases = first_of_campaign(engine, op, o.seed);
	CHECK(o.cases > 1 && sensitivity_needed(o.cases) == 1, "%s of %s: case %lld", op, engine, (long long)o.cases);
	s = run(&o);
	CHECK(s.n == 1 && s.row[0].found > 0 && s.row[0].cases_95 == (int64_t)ceil(-log(0.05) * (double)o.cases) && s.row[0].occurs > 0,
	    "%s of %s: %d rows, %d errors, %lld cases of %lld", op, engine, s.n, s.row[0].found, (long long)s.row[0].cases_95, (long long)o.cases);
	o.cases--;
	s = run(&o);
	CHECK(!s.row[0].found && !s.row[0].cases_95, "%s of %s: %d errors", op, engine, s.row[0].found);
}

/* The sum of so many chances is at least that many with a probability of 5 % at most, and not of one less: by summing the distribution. */
static void check_needed(void)
{
	for (int64_t n = 100; n <= 300000; n += n / 3) {
		int k = sensitivity_needed(n);
		double p = 1 - pow(0.05, 1e-4), at_least[2] = {0, 0};

		for (int i = k - 1; i < k + 400; i++) {
			double term = exp((double)i * log(p * (double)n) - p * (double)n - lgamma(i + 1.0));

			at_least[0] += term;
			at_least[1] += i >= k ? term : 0;
		}
		CHECK(at_least[1] <= 0.05 && at_least[0] > 0.05, "%d of %lld: %g, one less %g", k, (long long)n, at_least[1], at_least[0]);
	}
	CHECK(sensitivity_needed(30000) == 15, "%d", sensitivity_needed(30000));
}

static void check_counts(void)
{
	struct sensitivity_options o = options("tape", "s", 400);
	struct sensitivity few = run(&o), again = run(&o), more;
	int found = 0;

	CHECK(few.n > 10 && !memcmp(&few, &again, sizeof few), "%d rows, not the same twice", few.n);
	o.cases = 1200;
	more = run(&o);
	CHECK(more.needed > few.needed, "%d and %d", more.needed, few.needed);
	for (int i = 0; i < more.n; i++) {
		CHECK(more.row[i].shown_next < more.needed && more.row[i].occurs >= few.row[i].occurs, "%s: %d, %lld cases",
		    op_table[more.row[i].op].name, more.row[i].shown_next, (long long)more.row[i].occurs);
		found += more.row[i].found;
	}
	CHECK(found > more.n, "%d errors of %d ops", found, more.n);
}

int main(void)
{
	check_against_campaign("tape", "logistic");
	check_against_campaign("forward", "cumprod");
	check_against_campaign("aot", "atan2");
	check_needed();
	check_counts();
	return check_done();
}
