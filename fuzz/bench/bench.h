/* bench.h: a bench of engines and an oracle: one case in, judgements out.  Used by run, gate, fuzz and minimize alike.
 */
#ifndef FUZZ_BENCH_BENCH_H
#define FUZZ_BENCH_BENCH_H

#include "engines/engine.h"
#include "oracles/verdict/verdict.h"

enum { BENCH_ENGINES = 64 };

/* Bytes for a case and everything that is said of it. */
enum { CASE_ARENA = 512 << 20 };

/* How often a finding is asked for before it counts as gone: an engine may differ from run to run.  What does not
 * differ comes at once. */
enum { BENCH_RUNS = 64 };

struct bench {
	int n_engine;
	struct engine *engine[BENCH_ENGINES]; /* owned */
	struct oracle *oracle;                /* owned */
	struct engine *reference;             /* owned; findings count only where it is right; NULL: they all do */
	double waited[BENCH_ENGINES];         /* seconds that each engine was waited for */
	int64_t failures; /* times that the machine kept an engine from answering (ANSWER_FAILURE) */
};

/* Everything said about one case; lives in the arena. */
struct bench_result {
	struct truth truth;
	struct answer *answer[BENCH_ENGINES]; /* [n_point] each; NULL until it was asked */
	bool ahead[BENCH_ENGINES];            /* it was asked together with others */
	struct judgement judgement[BENCH_ENGINES];
	bool oracle_disagreement;
};

/* Seconds on a clock that only goes forward: for statistics and budgets; no judgement depends on it. */
double bench_clock(void);

/*
 * Opens every spec; false with a message that names the bad one.  The oracles allow for flushing where o says so, and
 * in the dtypes in which the hello of an engine says so: for all engines then, for the truth is one.
 */
bool bench_open(
    struct bench *b, const char *const *spec, int n_spec, const struct oracle_options *o, struct error *e) MUST_CHECK;
/*
 * The same, findings held against a reference engine (NULL: none), as one version of an engine is held against another:
 * what would be a finding is undecided, by REASON_REFERENCE, where the reference is not right: wrong too, or has no
 * answer.  It is asked about nothing else.
 */
bool bench_open_against(struct bench *b, const char *const *spec, int n_spec, const char *reference,
    const struct oracle_options *o, struct error *e) MUST_CHECK;
/* Whether there is no reference, or it is right about c. */
bool bench_reference_agrees(struct bench *b, const struct testcase *c, struct arena *a);
void bench_close(struct bench *b);
/* Seconds that engines were waited for. */
double bench_waited(const struct bench *b);
/*
 * Truth once, then every engine.  When a judgement is a finding, both oracles are confirmed coordinate by coordinate,
 * the engine is asked again (nondeterminism) and judged anew.
 */
void bench_judge(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *out);

/*
 * The two halves of it: the truth, which no engine has a part in, and the judgement of every engine, of which those are
 * asked that have not answered ahead.
 */
void bench_truth(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *out);
void bench_conclude(struct bench *b, const struct testcase *c, struct arena *a, struct bench_result *io);

/* "adjudge VERSION" for a built-in engine, whose faults are in its spec; for another the name and version of its hello.
 * In the arena. */
const char *engine_version(const struct engine *engine, struct arena *a);

/* How many cases may be asked together: what those engines of the bench want that take several in one request; 1: there
 * is none. */
int bench_cases(const struct bench *b);
/* Asks these engines for c[n], between the truth and the judgement, and returns while they work.  c, r and the arena
 * stay until bench_receive. */
void bench_send(struct bench *b, const struct testcase *c, int n, struct arena *a, struct bench_result *r);
/* Waits for the answers of what was sent last.  Where an engine gave none, bench_conclude asks the cases one by one. */
void bench_receive(struct bench *b, int n, struct bench_result *r);

/* The truth of one case, shared by engines that are asked one after the other. */
struct shared_truth {
	struct truth truth; /* as oracle_truth made it */
	bool confirmed;     /* coordinate by coordinate, which one engine's finding asked for: once is enough for all */
};

/*
 * Asks one engine and judges it by the rule of bench_judge: when its judgement is a finding, the truth is confirmed,
 * the engine judged anew, and asked again.  What the engine made is given back to the arena.
 */
void bench_judge_one(struct bench *b, struct engine *engine, const struct testcase *c, struct arena *a,
    struct shared_truth *t, struct judgement *out);

/* Whether expected, returned and radius of a judgement mean something: it is about one number. */
bool judgement_has_numbers(const struct judgement *j);
/* A decimal for people: enough digits to tell doubles apart, "nan", "inf". */
const char *decimal_text(double x, struct arena *a);
/* What the engine said of itself at the first point where it said anything, or "". */
const char *answers_text(const struct answer *answers, int n_point);

#endif
