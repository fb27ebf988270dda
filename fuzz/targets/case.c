/*
 * case.c: a libFuzzer target that judges every case.  Input: case JSON.  This target is for fleets of machines; the
 * command `adjudge fuzz` also minimizes and writes reports.
 *
 * Environment: ADJUDGE_ENGINES has the specs of the engines, one a line (default: every right built-in engine).  A
 * finding aborts after a state line (state_line.h).  With ADJUDGE_ABORT=0 it is only printed, and the run goes on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state_line.h"

#include "fuzz/bench/bench.h"
#include "fuzz/campaign/drivers/case_mutator.h"
#include "fuzz/campaign/counting/coverage.h"
#include "fuzz/cli/commands.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2, size_t size2, uint8_t *out,
    size_t max_size, unsigned seed);

enum { ARENA = 512 << 20, FD_ONE_IN = 10 };

__attribute__((section("__libfuzzer_extra_counters"), used, aligned(64))) static uint8_t counters[FEATURE_BYTES];

/* libFuzzer's hooks take no context. */
static struct {
	struct bench bench;
	struct arena arena;
	struct case_mutator mutator;
	char *specs; /* of ADJUDGE_ENGINES, until the process ends */
	bool open, abort;
} target;

/* The specs in ADJUDGE_ENGINES, or the right engines.  Returns their number. */
static int choose_engines(const char *spec[BENCH_ENGINES])
{
	const char *given = getenv("ADJUDGE_ENGINES");
	int n = 0;

	if (given && *given) {
		target.specs = strdup(given);
		for (char *s = target.specs, *line; n < BENCH_ENGINES && (line = strsep(&s, "\n"));)
			if (*line)
				spec[n++] = line;
		return n;
	}
	for (; n < BENCH_ENGINES && engine_names[n]; n++)
		spec[n] = engine_names[n];
	return n;
}

/* An engine that may crash runs in a worker, which is this executable again: `fuzz_case worker --engine SPEC`. */
static void become_worker(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "worker"))
		exit(command_worker(argc - 1, argv + 1));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct oracle_options o = {.seed = 1, .fd_one_in = FD_ONE_IN};
	struct profile profile = profile_default();
	const char *spec[BENCH_ENGINES], *abort_wanted = getenv("ADJUDGE_ABORT");
	struct error e = {0};

	if (argc && argv)
		become_worker(*argc, *argv);
	if (!bench_open(&target.bench, spec, choose_engines(spec), &o, &e)) {
		fprintf(stderr, "%s\n", e.text);
		exit(4);
	}
	arena_init(&target.arena, ARENA);
	case_mutator_open(&target.mutator, 1, &profile, NULL);
	target.abort = !abort_wanted || strcmp(abort_wanted, "0") != 0;
	target.open = true;
	return 0;
}

static void report_finding(const char *signature)
{
	if (target.abort)
		state_line_abort(signature);
	state_line(signature);
}

struct case_input {
	const char *text;
	size_t len;
};

static void judge_input(void *context)
{
	const struct case_input *in = context;
	struct bench_result r;
	struct error e = {0};
	struct testcase c;

	if (!testcase_read(in->text, in->len, &target.arena, &c, &e))
		return;
	bench_judge(&target.bench, &c, &target.arena, &r);
	features_of(&c, &r.truth, counters);
	for (int k = 0; k < target.bench.n_engine; k++)
		if (verdict_is_finding[r.judgement[k].verdict])
			report_finding(
			    signature_coarse(engine_name(target.bench.engine[k]), &c, &r.judgement[k], &target.arena));
	if (r.oracle_disagreement)
		report_finding("oracle");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!target.open)
		LLVMFuzzerInitialize(NULL, NULL); /* drivers other than libFuzzer do not call it */
	counters[FEATURE_BYTES - 1] = 1;
	arena_reset(&target.arena);
	arena_try(&target.arena, judge_input, &(struct case_input){(const char *)data, size});
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	return case_mutate(&target.mutator, data, size, max_size, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2, size_t size2, uint8_t *out,
    size_t max_size, unsigned seed)
{
	return case_cross_over(&target.mutator, data1, size1, data2, size2, out, max_size, seed);
}
