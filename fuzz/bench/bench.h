/* bench.h: a bench of engines and oracles: one case in, judgements out.  Every command that judges a case uses it. */
#ifndef FUZZ_BENCH_BENCH_H
#define FUZZ_BENCH_BENCH_H

#include "engines/engine.h"
#include "engines/process/hello.h"
#include "oracles/verdict/verdict.h"

enum { BENCH_ENGINES = 64 };

/* Bytes for one case and everything computed about it. */
enum { CASE_ARENA = 512 << 20 };

/* How often an engine is asked before a finding counts as gone, because its answers may differ from run to run.  The
 * first run is enough for an engine whose answers do not differ. */
enum { BENCH_RUNS = 64 };

struct bench {
	int n_engine;
	struct engine *engine[BENCH_ENGINES]; /* owned */
	struct oracle *oracle;                /* owned */
	struct engine *reference;     /* owned; a finding counts only where it is right; NULL: every finding counts */
	struct engine *right;         /* owned; see like_right.h; NULL: not needed so far */
	bool strict;                  /* finite_math of a hello excuses nothing; false when opened */
	double waited[BENCH_ENGINES]; /* seconds spent waiting for each engine */
	int64_t failures;             /* answers that the machine prevented (ANSWER_FAILURE) */
	int64_t interrupted;          /* answers that were not waited for (ANSWER_INTERRUPTED) */
	int64_t work;                 /* of the requests, except for those of bench_send; see bench_work */
};

/* Everything computed about one case; lives in the arena. */
struct bench_result {
	struct truth truth;
	struct answer *answer[BENCH_ENGINES]; /* [n_point] each; NULL until it was asked */
	bool ahead[BENCH_ENGINES];            /* the engine was asked about this case together with others */
	struct judgement judgement[BENCH_ENGINES];
	bool unsteady[BENCH_ENGINES]; /* it is a finding in one of two runs; the other run differs, or shows none */
	/*
	 * The first request of the engine that ended badly while this case was judged.  The judgement need not show it:
	 * it may not have come again.  The request of several cases counts for the first of them.
	 */
	struct incident incident[BENCH_ENGINES];
	bool oracle_disagreement;
	bool interrupted; /* an answer was not waited for: of the judgements only the findings count */
};

/* Seconds on a clock that only goes forward: for statistics and budgets; no judgement depends on it. */
double bench_clock(void);

/*
 * Opens every [NAME=]SPEC.  False, with a message, names the bad one.  The oracles allow for flushing in the dtypes
 * that o names and in those that the hello of any engine names.  This holds for all engines, because there is one
 * truth.
 */
bool bench_open(
    struct bench *b, const char *const *spec, int n_spec, const struct oracle_options *o, struct error *e) MUST_CHECK;
/*
 * The same, with a reference engine (NULL: none), for instance another version of the engine.  If the reference is
 * wrong too, or gives no answer, a finding becomes undecided with REASON_REFERENCE.  The reference is asked only about
 * findings.
 */
bool bench_open_against(struct bench *b, const char *const *spec, int n_spec, const char *reference,
    const struct oracle_options *o, struct error *e) MUST_CHECK;
/*
 * The same, with a deadline on bench_clock (0: none) after which no engine is waited for (stop.h).  Every bench stops
 * waiting after a signal that asks the process to stop.
 */
bool bench_open_until(struct bench *b, const char *const *spec, int n_spec, const char *reference,
    const struct oracle_options *o, double deadline, struct error *e) MUST_CHECK;
/*
 * The same, for one engine that did open before.  It is tried some times with a pause in between, because an engine
 * whose process is killed as it starts must not end a campaign.
 */
bool bench_open_again(struct bench *b, const char *spec, const char *reference, const struct oracle_options *o,
    double deadline, struct error *e) MUST_CHECK;
/* Whether there is no reference, or it is right about c. */
bool bench_reference_agrees(struct bench *b, const struct testcase *c, struct arena *a);
void bench_close(struct bench *b);
/* Asks an engine of the bench about c; out: [n_point].  As engine_answer, but counted as work. */
void bench_answer(
    struct bench *b, struct engine *engine, const struct testcase *c, struct arena *a, struct answer *out);
/* The same, for an engine that is asked several times about c, or with others (engine_share). */
void bench_answer_shared(struct bench *b, struct engine *engine, const struct testcase *c, struct engine_share *share,
    struct arena *a, struct answer *out);
/* Counts as work what asking the engine about c costs, as bench_answer does. */
void bench_count(struct bench *b, const struct engine *engine, const struct testcase *c);
/* Everything that the bench has done: requests, truths and processes of its engines.  It is counted, not timed
 * (case_work.h). */
int64_t bench_work(const struct bench *b);
/* Seconds spent waiting for engines. */
double bench_waited(const struct bench *b);
/*
 * Computes the truth once, then asks and judges every engine.  If a judgement is a finding, both oracles are confirmed
 * coordinate by coordinate.  The engine is then asked again, to detect nondeterminism, and judged anew.
 */
void bench_judge(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *out);

/*
 * The two halves of bench_judge. bench_truth computes the truth without any engine. bench_conclude judges every engine,
 * and first asks those that have not answered ahead.
 */
void bench_truth(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *out);
void bench_conclude(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *io);

/*
 * The truth for somebody who judges engine 0 without a bench.  It has the accuracy that the engine's hello declares,
 * and is undecided where that excuses a number that is not finite.  Both oracles are confirmed coordinate by
 * coordinate.
 */
void bench_declared_truth(struct bench *b, const struct testcase *c, struct arena *a, struct truth *out);

/* "adjudge VERSION" for a built-in engine, whose spec names its faults.  For any other engine, the name and version in
 * its hello.  In the arena. */
const char *engine_version(const struct engine *engine, struct arena *a);

/* The number of the spelling of each op that the engine gets for c, and of its request (hello.h); 0 for other ops. */
struct spelled {
	unsigned char at[SPELLED_COUNT];
};
struct spelled engine_spelled(const struct engine *engine, const struct testcase *c, struct arena *a);
/*
 * The spellings of c that are not the first of their op, as the engine names them: "clamp as torch.clamp by one bound
 * at a time, request as script".  NULL: there are none.  In the arena.
 */
const char *engine_spellings(const struct engine *engine, const struct testcase *c, struct arena *a);

/* How many cases may be asked together: the smallest number that an engine wants, among the engines that take several
 * cases in one request.  1: no engine does. */
int bench_cases(const struct bench *b);
/* Sends c[n] to these engines and returns while they work.  Call it after bench_truth. c, r and the arena stay until
 * bench_receive. */
void bench_send(struct bench *b, const struct testcase *c, int n, struct arena *a, struct bench_result *r);
/*
 * Waits for the answers to the last bench_send.  If an engine gave none, bench_conclude asks it about each case alone.
 */
void bench_receive(struct bench *b, int n, struct bench_result *r);

/* The truth of one case, shared by engines that are asked one after the other. */
struct shared_truth {
	struct truth truth; /* as oracle_truth made it */
	bool confirmed;     /* coordinate by coordinate; done at the first finding, once for all engines */
};

/*
 * Asks one engine and judges it as bench_judge does.  If its judgement is a finding, the truth is confirmed, and the
 * engine is judged anew and asked again, unless it broke already.  The answers are given back to the arena.
 */
void bench_judge_one(struct bench *b, struct engine *engine, const struct testcase *c, struct arena *a,
    struct shared_truth *t, struct judgement *out);

/*
 * Whether engine k ended a request badly in one of the results r[n], and no judgement among them has that verdict.
 * *which: the number of the result with the incident.
 */
bool bench_unexplained(const struct bench_result *r, int n, int k, int *which);

/* Whether any engine ended a request badly; the result's incidents then point into the arena. */
bool bench_any_incident(const struct bench *b, const struct bench_result *r);
/* The verdict for an answer of that status.  ANSWER_FAILURE decides nothing. */
enum verdict bench_verdict_of(enum answer_status status);

/* For a command that is not strict: declared leaks of all engines become conventions (judgement_forgive). */
void bench_forgive(const struct bench *b, struct bench_result *io);

/* Whether expected, returned and radius of a judgement mean something, because it is about one number. */
bool judgement_has_numbers(const struct judgement *j);
/* A decimal for people: enough digits to tell doubles apart, "nan", "inf". */
const char *decimal_text(double x, struct arena *a);
/* "expected 2, returned 3"; of an answer that differs from an earlier one "first 2, then 3". */
const char *numbers_text(const struct judgement *j, struct arena *a);
/* The engine's own message at the first point that has one, or "". */
const char *answers_text(const struct answer *answers, int n_point);
/* What a judgement without numbers is about: of a wrong type the type; else the engine's own message.  May be "". */
const char *judged_text(const struct testcase *c, const struct truth *t, const struct answer *answers,
    const struct judgement *j, struct arena *a);

#endif
