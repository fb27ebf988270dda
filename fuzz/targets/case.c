/*
 * case.c: a libFuzzer target that judges every case against all correct built-in engines.  Input: case JSON.
 *
 * It prints a finding with its signature, and aborts only if ADJUDGE_ABORT is set, because a campaign must go on after
 * the first finding.  This target is for fleets of machines.  `adjudge fuzz` also minimizes and writes reports.
 */
#include <stdio.h>
#include <stdlib.h>

#include "graph/hash.h"
#include "fuzz/bench/bench.h"
#include "fuzz/campaign/case_mutator.h"
#include "fuzz/campaign/coverage.h"

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
	bool open, abort;
} target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct oracle_options o = {.seed = 1, .fd_one_in = FD_ONE_IN};
	struct profile profile = profile_default();
	struct error e = {0};
	int n = 0;

	(void)argc, (void)argv;
	while (engine_names[n])
		n++;
	if (!bench_open(&target.bench, engine_names, n, &o, &e)) {
		fprintf(stderr, "%s\n", e.text);
		exit(4);
	}
	arena_init(&target.arena, ARENA);
	case_mutator_open(&target.mutator, 1, &profile);
	target.abort = getenv("ADJUDGE_ABORT") != NULL;
	target.open = true;
	return 0;
}

/* ClusterFuzz tells findings apart by this line.  It rewrites digits, so the hash is written in letters. */
static void report_finding(const char *signature)
{
	uint64_t h = hash_text(signature);
	char letters[17] = "";

	for (int i = 0; i < 16; i++, h >>= 4)
		letters[i] = (char)('a' + (h & 15));
	fprintf(stderr, "ASSERTION FAILED: FuzzerHash=%s %s\n", letters, signature);
	if (target.abort)
		abort();
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
			    signature_coarse(engine_spec(target.bench.engine[k]), &c, &r.judgement[k], &target.arena));
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
