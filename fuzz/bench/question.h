/* question.h: does this case show the finding?  A struct question says at the call what exactly is asked. */
#ifndef FUZZ_BENCH_QUESTION_H
#define FUZZ_BENCH_QUESTION_H

#include "bench.h"
#include "slips.h"

/* How carefully a case is judged. */
enum judged {
	/* By the analytic oracle alone, or by the truth that the caller has. */
	JUDGED_BY_ANALYTIC,
	/* By both oracles, as a campaign does. */
	JUDGED_IN_FULL,
	/*
	 * By the analytic oracle alone, as fast as possible: for the candidates of a search.  Needs signature and
	 * spent.  The engine is not asked where the oracle decides nothing.  A hang is cut short, at a multiple of the
	 * slowest answer.
	 */
	JUDGED_IN_SHORT
};

enum {
	/* A search may wait for hangs so many times the engine's time limit.  Then it ends. */
	LIMIT_HANGS = 24
};

/* What ends a search of many questions. */
struct limit {
	double deadline;    /* on bench_clock; 0: none */
	bool (*stop)(void); /* NULL: never */
	double hung;        /* seconds that hangs took */
	double slowest;     /* seconds of the slowest candidate that was answered */
};

/* Whether a case is not to be asked about. */
typedef bool refuse_case_fn(void *context, const struct testcase *c);

/*
 * What is asked about a case.  All zero but for the bench: does its only engine show any finding in one run, judged by
 * the analytic oracle?
 */
struct question {
	struct bench *bench;
	/* NULL: the first engine of the bench.  JUDGED_IN_FULL it is always that one. */
	struct engine *engine;
	enum judged judged;
	/* For JUDGED_BY_ANALYTIC: the truth of the case, which a finding confirms.  NULL: it is computed here. */
	struct shared_truth *truth;
	/* Runs at most, until one shows the finding.  0: one, or as many fresh processes as a flaky engine may need. */
	int runs;
	/* Each run has a fresh process, if the engine has one: what shows only after other cases does not count. */
	bool fresh;
	/* An arena that is full means no.  Otherwise the caller's arena_try ends. */
	bool full_is_no;

	const char *signature; /* the coarse signature of the finding; NULL: any finding */
	struct slips *slips;   /* receives findings of other signatures; NULL: they are dropped */
	bool disagreement;     /* the finding is that the oracles disagree; JUDGED_IN_FULL, no engine is needed */

	const struct limit *until; /* once it is over no engine is asked and nothing shows; NULL: never */
	struct limit *spent;       /* receives the time that hangs took; NULL: nobody counts it */
	refuse_case_fn *refuse;    /* cases that it refuses show nothing, and no engine is asked; NULL: none */
	void *context;             /* of refuse */

	struct bench_result *result; /* JUDGED_IN_FULL: receives judgement, truth and answers; NULL: dropped */
};

/*
 * Whether c shows what q asks for.  *out (may be NULL) is the judgement of the run that shows it, or of the last run.
 * It is undecided where no engine was asked.  What *out and *q->result point to lies in `a`.
 */
bool case_shows(const struct testcase *c, const struct question *q, struct arena *a, struct judgement *out);

/* case_shows as a predicate for minimize(): `question` points to a struct question. */
bool question_holds(void *question, const struct testcase *candidate, struct arena *scratch);

/* Whether a search that asks `engine` has to end.  NULL: never. */
bool limit_over(const struct limit *l, const struct engine *engine);

#endif
