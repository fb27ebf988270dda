/*
 * truth_cost.c: what the truths of random cases cost in processor time, and how many exceed the budget of a case
 * (oracles/evaluate/work.h).
 *
 * Usage: truth_cost [CASES [SEED [PROFILE [SPEC...]]]].  The cases are those of `fuzz --driver generate`; a PROFILE of
 * "" is the default one.  Finite differences run on one case in 10, as in a campaign, and then on every coordinate of
 * one case in 100, as for a finding.  With engines: the cost of cases, which those engines answer, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fuzz/bench/bench.h"
#include "fuzz/generate/generate.h"
#include "graph/heap.h"
#include "oracles/truth.h"

enum { DEFAULT_CASES = 10000, CONFIRM_ONE_IN = 100, FD_ONE_IN = 10 };

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct cost {
	struct oracle *oracle;
	struct bench *bench; /* NULL: no engines */
	struct profile profile;
	uint64_t seed, number;
	struct arena arena;
	double truth, confirm; /* seconds; confirm < 0: not run.  With engines, truth is that of the whole case. */
	bool over;
	size_t bytes;
};

static bool any_over(const struct truth_tensor *t, int n)
{
	for (int k = 0; k < n; k++)
		for (int e = 0; e < shape_elements(&t[k].type.shape); e++)
			if (t[k].at[e].reason == REASON_BUDGET)
				return true;
	return false;
}

static void one_case(void *context)
{
	struct cost *x = context;
	struct choice choice = choice_seeded(seed_mix(x->seed, x->number));
	struct testcase c;
	struct truth truth;
	double start;

	arena_reset(&x->arena);
	start = processor_seconds();
	c = generate(&choice, &x->profile, &x->arena);
	if (x->bench) {
		static struct bench_result result;

		bench_judge(x->bench, &c, &x->arena, &result);
		x->truth = processor_seconds() - start;
		return;
	}
	start = processor_seconds();
	oracle_truth(x->oracle, &c, &x->arena, &truth);
	x->truth = processor_seconds() - start;
	for (int k = 0; k < truth.n_point; k++)
		x->over = x->over || any_over(truth.point[k].primal, truth.point[k].n_primal) ||
		    any_over(truth.point[k].derivative[0], truth.point[k].n_derivative);
	x->bytes = x->arena.used;
	if (x->number % CONFIRM_ONE_IN)
		return;
	start = processor_seconds();
	oracle_confirm(x->oracle, &c, &x->arena, &truth);
	x->confirm = processor_seconds() - start;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void print_quantiles(const char *name, double *x, int n)
{
	double sum = 0, dear = 0;

	if (!n)
		return;
	qsort(x, (size_t)n, sizeof *x, by_size);
	for (int k = 0; k < n; k++) {
		sum += x[k];
		dear += k >= (int)(0.99 * n) ? x[k] : 0;
	}
	printf("%-8s n %d: p50 %.2f ms, p99 %.2f ms, p99.9 %.1f ms, max %.1f ms; the dearest 1 %% take %.1f %%\n", name,
	    n, 1e3 * x[n / 2], 1e3 * x[(int)(0.99 * n)], 1e3 * x[(int)(0.999 * n)], 1e3 * x[n - 1], 100 * dear / sum);
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : DEFAULT_CASES;
	struct cost x = {.seed = argc > 2 ? (uint64_t)atoll(argv[2]) : 1};
	double *truth = heap_new((size_t)n, sizeof *truth), *confirm = heap_new((size_t)n, sizeof *confirm);
	int over = 0, full = 0, n_confirm = 0;
	size_t most = 0;

	const struct oracle_options options = {.seed = x.seed, .fd_one_in = FD_ONE_IN};
	struct bench bench;
	struct error e = {0};

	x.profile = profile_default();
	if (argc > 3 && *argv[3] && !profile_read_file(argv[3], &x.profile, &e)) {
		fprintf(stderr, "truth_cost: %s: %s\n", e.place, e.text);
		return 3;
	}
	if (argc > 4) {
		if (!bench_open(&bench, (const char *const *)(argv + 4), argc - 4, &options, &e)) {
			fprintf(stderr, "truth_cost: %s\n", e.text);
			return 2;
		}
		x.bench = &bench;
	}
	x.oracle = oracle_open(&options);
	arena_init(&x.arena, (size_t)512 << 20);
	for (int k = 0; k < n; k++) {
		x.number = (uint64_t)k;
		x.over = false;
		x.truth = 0;
		x.confirm = -1;
		full += !arena_try(&x.arena, one_case, &x);
		over += x.over;
		truth[k] = x.truth;
		most = x.bytes > most ? x.bytes : most;
		if (x.truth > 0.5 || x.confirm > 0.5)
			printf("case %d: truth %.2f s, confirmed in %.2f s\n", k, x.truth, x.confirm);
		if (x.confirm >= 0)
			confirm[n_confirm++] = x.confirm;
	}
	print_quantiles(x.bench ? "case" : "truth", truth, n);
	print_quantiles("confirm", confirm, n_confirm);
	if (!x.bench)
		printf("%d of %d cases exceed the budget, %d the memory; at most %.1f MiB of arena\n", over, n, full,
		    (double)most / (1 << 20));
	arena_free(&x.arena);
	oracle_close(x.oracle);
	if (x.bench)
		bench_close(&bench);
	free(truth);
	free(confirm);
	return 0;
}
