/*
 * alternatives.c: engines that are right, and engines that round at random, against the alternatives of undecided
 * components (oracles/analytic/alternatives.h), on random cases. Those that are not switched on count as well.
 */
#include <math.h>

#include "audit.h"
#include "bend.h"
#include "fuzz/bench/bench.h"
#include "fuzz/bench/question.h"
#include "oracles/verdict/verdict.h"
#include "radii.h"

enum { ENGINES = 14, ROUNDING_FROM = 8, SEEDS_OF_CASE = 8, SHARES = 80 };
static const char *const specs[ENGINES] = {"forward", "tape", "functional", "checkpointed", "parallel", "aot",
    "compiled", "implicit", "forward:rounding=0", "tape:rounding=0", "functional:rounding=0", "checkpointed:rounding=0",
    "parallel:rounding=0", "aot:rounding=0"};

struct alternatives_run {
	struct audit *self;
	struct bench bench;
	int64_t cases, skipped, with, components, by_rule, choices, answers, outside, beyond;
};

/* Counts the components that have alternatives, and those with another rule in a custom. */
static int64_t count_components(struct alternatives_run *run, const struct truth *t)
{
	int64_t n = 0;

	for (int p = 0; p < t->n_point; p++)
		for (int k = 0; k < t->point[p].n_derivative; k++) {
			const struct truth_tensor *x = &t->point[p].derivative[0][k];

			for (int e = 0; e < shape_elements(&x->type.shape); e++) {
				const struct alternatives *found = component_alternatives(&x->at[e]);

				n += found != NULL;
				run->choices += found ? found->n : 0;
				run->by_rule += found && found->reason == REASON_CUSTOM_RULE;
			}
		}
	run->components += n;
	return n;
}

/* A number beyond all alternatives, by a bound of its own: more than the width and the largest radius. */
static double far_beyond(const struct alternatives *x, enum dtype d)
{
	double loose = 0, magnitude = 0;

	for (int s = 0; s < x->n; s++) {
		loose = fmax(loose, x->at[s].loose);
		magnitude = fmax(magnitude, x->at[s].magnitude);
	}
	return x->high + 1.25 * (x->high - x->low) + 2 * x->n * loose +
	    SHARES * dtype_table[DTYPE_BF16].unit * magnitude + dtype_table[d].tiny;
}

/* Such a number in place of each component that has alternatives must be found. */
static void try_beyond(
    struct alternatives_run *run, int64_t number, const struct testcase *c, const struct truth *t, struct arena *a)
{
	struct truth_point *p = &t->point[0];
	struct answer answer = radii_right_answer(p, a);

	for (int k = 0; t->n_point == 1 && k < p->n_derivative; k++) {
		const struct truth_tensor *x = &p->derivative[0][k];

		for (int e = 0; e < shape_elements(&x->type.shape); e++) {
			const struct alternatives *found = component_alternatives(&x->at[e]);
			const double far = found ? far_beyond(found, x->type.dtype) : 0,
			             right = answer.derivative[k].at[e].f;
			struct judgement j;

			if (!found || fabs(far) > dtype_table[x->type.dtype].max)
				continue;
			answer.derivative[k].at[e].f = far;
			judge(c, t, &answer, &j);
			answer.derivative[k].at[e].f = right;
			run->beyond++;
			if (!j.beyond)
				audit_broken(run->self, c, "beyond",
				    "case %lld, derivative %d, element %d: %.17g is no finding; the alternatives lie "
				    "between %.17g and %.17g",
				    (long long)number, k, e, far, found->low, found->high);
		}
	}
}

static void try_engine(struct alternatives_run *run, int which, int64_t number, uint64_t seed, const struct testcase *c,
    struct arena *a, struct shared_truth *t)
{
	struct engine *engine = run->bench.engine[which];
	struct judgement j;

	if (which >= ROUNDING_FROM)
		engine_reseed_rounding(engine, seed);
	const bool finding = case_shows(
	    c, &(struct question){.bench = &run->bench, .engine = engine, .truth = t}, a, &j);
	run->answers += j.verdict != VERDICT_UNSUPPORTED;
	run->outside += j.beyond;
	if (finding || j.beyond)
		audit_broken(run->self, c, engine_kind(engine)->name,
		    "case %lld, %s with seed %llu: %s, %d numbers outside of all alternatives; point %d, "
		    "derivative %d, element %d: expected %.17g, returned %.17g",
		    (long long)number, specs[which], (unsigned long long)seed, verdict_names[j.verdict], j.beyond,
		    j.point, j.which, j.element, j.expected, j.returned);
}

static void try_case(void *context, int64_t number, const struct testcase *drawn, struct arena *a)
{
	struct alternatives_run *run = context;
	const uint64_t seed = seed_mix(audit_options_of(run->self)->seed, (uint64_t)number);
	struct shared_truth t = {.confirmed = false};
	struct testcase own = testcase_copy(drawn, a);
	const struct testcase *c = &own;

	if (number % 2)
		bend_rules(&own, seed);
	run->cases++;
	oracle_truth(run->bench.oracle, c, a, &t.truth);
	const int64_t n = count_components(run, &t.truth);
	run->with += n > 0;
	if (n)
		try_beyond(run, number, c, &t.truth, a);
	for (int e = 0; n && e < ENGINES; e++)
		for (int k = 0; k < (e < ROUNDING_FROM ? 1 : SEEDS_OF_CASE); k++)
			try_engine(run, e, number, seed_mix(seed, (uint64_t)k + 1) % UINT64_C(1000000000), c, a, &t);
}

/* The same distributions with more equal numbers, which rounding may order either way, and more that chooses.  Every
 * second case has other rules in its customs. */
static struct profile with_equal_points(const struct profile *p)
{
	struct profile out = *p;

	out.point_equal = 60;
	out.weight_select += 20;
	out.weight_cond += 10;
	out.weight_clamp += 8;
	out.weight_order += 16;
	out.weight_reduce += 8;
	out.weight_custom += 16;
	return out;
}

void audit_alternatives(struct audit *self)
{
	/* Finite differences are used only if something is off, because this law is about choices. */
	struct oracle_options options = audit_oracle_options(self, 1 << 20);
	struct alternatives_run run = {.self = self};
	struct error e = {0};

	options.alternatives = ALTERNATIVES_COUNTED;
	if (!bench_open(&run.bench, specs, ENGINES, &options, &e)) {
		audit_broken(self, NULL, "engines", "%s", e.text);
		return;
	}
	const struct profile profile = with_equal_points(&audit_options_of(self)->profile);
	run.skipped = audit_each_case_of(self, &profile, try_case, &run);
	struct json_writer *w = audit_json(self);
	json_member_integer(w, "judged", run.cases);
	json_member_integer(w, "skipped", run.skipped);
	json_member_integer(w, "with_alternatives", run.with);
	json_member_integer(w, "components", run.components);
	json_member_integer(w, "by_rule", run.by_rule);
	json_member_integer(w, "alternatives", run.choices);
	json_member_integer(w, "answers", run.answers);
	json_member_integer(w, "outside", run.outside);
	json_member_integer(w, "beyond", run.beyond);
	audit_line(self, "cases", "%8lld  (%lld skipped), %lld with alternatives", (long long)run.cases,
	    (long long)run.skipped, (long long)run.with);
	audit_line(self, "components with alternatives", "%8lld  (%lld by a rule, %lld alternatives)",
	    (long long)run.components, (long long)run.by_rule, (long long)run.choices);
	audit_line(self, "numbers outside", "%8lld  in %lld answers", (long long)run.outside, (long long)run.answers);
	bench_close(&run.bench);
}
