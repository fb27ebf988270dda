/*
 * libfuzzer.c: libFuzzer as a driver inside this process.
 *
 * Our code is not instrumented. libFuzzer is guided only by our own feature counters, so the same seed gives the same
 * campaign with any compiler.  Its inputs are cases as compact JSON.  Its byte mutators never run, because both hooks
 * below replace them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "case_mutator.h"
#include "fuzz/campaign/books/corpus_room.h"
#include "fuzz/bench/exit_code.h"
#include "fuzz/bench/bench.h"
#include "fuzz/campaign/judging/draws.h"
#include "fuzz/campaign/judging/window.h"
#include "fuzz/campaign/owner/corpus.h"
#include "drivers.h"

extern int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2, size_t size2, uint8_t *out,
    size_t max_size, unsigned seed);

/* libFuzzer reads and clears this section; it must be in the executable itself, its size a multiple of 8. */
__attribute__((section("__libfuzzer_extra_counters"), used, aligned(64))) static uint8_t counters[FEATURE_BYTES];

/* libFuzzer's hooks take no context. */
static struct hosted {
	struct campaign *campaign;
	campaign_finish_fn *finish;
	void *self;
	struct case_mutator mutator;
	struct arena arena;
	struct fuzzer_corpus corpus;
	int replays;        /* seeds of earlier runs that libFuzzer has not run yet */
	int standard_error; /* the original standard error while libFuzzer greets; -1: it is back in place */
} hosted;

/*
 * libFuzzer prints a greeting whatever its flags (which sanitizer hooks are missing, how it schedules).  Nobody can act
 * on that, so standard error is put aside until the first input.
 */
static void hide_greeting(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	hosted.standard_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (hosted.standard_error >= 0 && null >= 0)
		dup2(null, STDERR_FILENO);
	if (null >= 0)
		close(null);
}

static void show_errors(void)
{
	if (hosted.standard_error < 0)
		return;
	dup2(hosted.standard_error, STDERR_FILENO);
	close(hosted.standard_error);
	hosted.standard_error = -1;
}

static const char *pool_text(void *self, int k, size_t *len) { return campaign_corpus_text(self, k, len); }

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	double start = bench_clock();
	size_t len = case_mutate(&hosted.mutator, data, size, max_size, seed);

	campaign_add_generate(hosted.campaign, bench_clock() - start);
	return len;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2, size_t size2, uint8_t *out,
    size_t max_size, unsigned seed)
{
	double start = bench_clock();
	size_t len = case_cross_over(&hosted.mutator, data1, size1, data2, size2, out, max_size, seed);

	campaign_add_generate(hosted.campaign, bench_clock() - start);
	return len;
}

struct fuzzer_input {
	const char *text;
	size_t len;
};

/* Judges the case; or only takes its features, if an earlier run of the campaign has judged it. */
static void read_and_judge(void *context)
{
	const struct fuzzer_input *in = context;
	struct error e = {0};
	struct testcase c;

	if (!testcase_read(in->text, in->len, &hosted.arena, &c, &e)) {
		/* libFuzzer's first inputs are "" and "\n"; without any feature there it would give up. */
		counters[FEATURE_BYTES - 1] = 1;
	} else if (hosted.replays > 0) {
		hosted.replays--;
		campaign_features_of(hosted.campaign, &c, &hosted.arena, counters);
	} else {
		uint64_t number;

		if (campaign_next(hosted.campaign, &number))
			campaign_judge(hosted.campaign, &c, &hosted.arena, counters);
	}
}

static void judge_text(const char *text, size_t len)
{
	arena_reset(&hosted.arena);
	if (!arena_try(&hosted.arena, read_and_judge, &(struct fuzzer_input){text, len})) {
		campaign_skip(hosted.campaign);
		counters[FEATURE_BYTES - 1] = 1;
	}
}

static void finish_here(void) __attribute__((noreturn));
static void finish_here(void)
{
	int code;

	show_errors();
	code = hosted.finish(hosted.campaign, hosted.self);

	/* The driver does not return, and its atexit handler would call this a crash. */
	_exit(fflush(stdout) || ferror(stdout) ? EXIT_OURS : code);
}

static void note_corpus(size_t len)
{
	const size_t before = hosted.corpus.room.bytes;

	fuzzer_corpus_note(&hosted.corpus, counters, len);
	campaign_hold(hosted.campaign, (int64_t)(hosted.corpus.room.bytes - before));
}

static int judge_input(const uint8_t *data, size_t size)
{
	/* The first input is empty, and comes before the last lines of the greeting. */
	if (size)
		show_errors();
	judge_text((const char *)data, size);
	if (size)
		note_corpus(size);
	hosted.mutator.n_pool = campaign_corpus(hosted.campaign);
	if (campaign_over(hosted.campaign))
		finish_here();
	return 0;
}

/* Judges the cases that the campaign is given. */
static void judge_given(struct campaign *s)
{
	const char *text;
	size_t len;

	while (!campaign_over(s) && (text = campaign_given(s, 0, &len)))
		judge_text(text, len);
	if (campaign_over(s))
		finish_here();
}

void drive_libfuzzer(struct campaign *s, campaign_finish_fn *finish, void *self)
{
	const struct campaign_options *o = campaign_options(s);
	char seed[32], *seeds = "-jobs=0";
	/*
	 * adjudge handles signals itself.  There is no -timeout: the limits of validation end built-in engines, and
	 * isolated ones have their own time limit.  Minimizing a hang takes long, and so does waiting for a window.
	 * libFuzzer writes no file for that either.  Its schedule "entropic" counts features for each case that it
	 * holds, and these counts grow for hours.  It must not put smaller cases in place of others: note_corpus counts
	 * them.
	 */
	char *list[] = {"adjudge", seed, seeds, "-max_len=65536", "-len_control=0", "-reload=0", "-verbosity=0",
	    "-print_final_stats=0", "-timeout=0", "-report_slow_units=2147483647", "-rss_limit_mb=4096",
	    "-handle_abrt=0", "-handle_bus=0", "-handle_fpe=0", "-handle_ill=0", "-handle_int=0", "-handle_segv=0",
	    "-handle_term=0", "-handle_usr1=0", "-handle_usr2=0", "-handle_xfsz=0", "-detect_leaks=0", "-use_memmem=0",
	    "-use_cmp=0", "-entropic=0", "-reduce_inputs=0", NULL};
	char **argv = list;
	int argc = (int)(sizeof list / sizeof *list) - 1;

	/* 0 would mean "by the clock"; the flag holds 31 bits. */
	snprintf(
	    seed, sizeof seed, "-seed=%lu", (unsigned long)(seed_mix(o->seed, campaign_stream(s)) % 0x7ffffffe) + 1);
	hosted.campaign = s;
	hosted.finish = finish;
	hosted.self = self;
	arena_init(&hosted.arena, CASE_ARENA);
	arena_touch(&hosted.arena);
	case_mutator_open(&hosted.mutator, o->seed, &o->profile, campaign_bench(s));
	hosted.mutator.pool_text = pool_text;
	hosted.mutator.pool = s;
	hosted.mutator.n_pool = campaign_corpus(s);
	judge_given(s);
	seeds = campaign_seeds(s, &hosted.replays);
	if (seeds)
		list[2] = seeds;
	hide_greeting();
	LLVMFuzzerRunDriver(&argc, &argv, judge_input);
	show_errors(); /* it gave up before the first input */
	_exit(finish(s, self));
}
