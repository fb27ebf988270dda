/* question.h: does this case show the finding?  What exactly is asked, and how often, is said by a struct question at the call. */
#ifndef FUZZ_QUESTION_H
#define FUZZ_QUESTION_H

#include "bench.h"
#include "slips.h"

/* How carefully a case is judged. */
enum judged {
	/* By the analytic oracle alone, or by the truth that the caller has. */
	JUDGED_BY_ANALYTIC,
	/* As a campaign judges: by both oracles. */
	JUDGED_IN_FULL,
	/*
	 * As the candidates of a search; needs signature and spent: by the analytic oracle alone.  The engine is not asked where that decides nothing, and a candidate that may
	 * hang is not waited for much longer than the slowest that was answered.
	 */
	JUDGED_IN_SHORT
};

enum {
	/* A search waits for hangs.  After so many times the engine's time limit it is over, so that it ends in minutes, with what is smallest so far. */
	LIMIT_HANGS = 24
};

/* What ends a search of many questions. */
struct limit {
	double deadline;    /* on bench_clock; 0: none */
	bool (*stop)(void); /* NULL: never */
	double hung;        /* seconds that hangs were waited for */
	double slowest;     /* seconds of the slowest candidate that was answered */
};

/* Whether a case is not to be asked about. */
typedef bool refuse_case_fn(void *context, const struct testcase *c);

/* Zero-initialized: does the bench's only engine show any finding, asked once, by the analytic oracle alone? */
struct question {
	struct bench *bench;
	struct engine *engine;      /* NULL: the first of the bench, as always JUDGED_IN_FULL */
	enum judged judged;
	struct shared_truth *truth; /* of the case, for JUDGED_BY_ANALYTIC: confirmed by both oracles where that flag is false; NULL: there is none yet */
	/* The engine is asked until it shows the finding, at most so often; 0: once, of a fresh process as often as an engine may need that differs from run to run. */
	int runs;
	bool fresh;                 /* each time in a fresh process, where the engine has one: what shows only after other cases does not count */
	bool full_is_no;            /* where the arena has no memory for an answer the case shows nothing; else the arena's own way out is taken (arena.h) */

	const char *signature;      /* the coarse signature of the finding; NULL: any finding will do */
	bool disagreement;          /* the finding is that the oracles disagree; JUDGED_IN_FULL, and no engine need be there */
	struct slips *slips;        /* receives findings of another signature; NULL: nobody wants them */

	const struct limit *until;  /* nothing is asked and nothing shows once that is over; NULL: never */
	struct limit *spent;        /* the time that hangs took is added to it; NULL: not */
	refuse_case_fn *refuse;     /* a case that it refuses is not asked about and shows nothing; NULL: none */
	void *context;              /* of refuse */

	struct bench_result *result; /* receives the judgement in full, which lies in the arena; NULL: not */
};

/*
 * Whether c shows what q asks for.  *out (may be NULL) is the judgement of the run that shows it, or of the last run; it is undecided where nothing was asked.
 */
bool case_shows(const struct testcase *c, const struct question *q, struct arena *a, struct judgement *out);

/* case_shows as a predicate for minimize(): `question` points to a struct question. */
bool question_holds(void *question, const struct testcase *candidate, struct arena *scratch);

/* Whether the time of a search in which `engine` is asked is over, or somebody said stop. */
bool limit_over(const struct limit *l, const struct engine *engine);

#endif
