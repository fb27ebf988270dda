/* question.h: asks whether a case shows a finding.  A struct question holds what exactly is asked. */
#ifndef FUZZ_BENCH_QUESTION_H
#define FUZZ_BENCH_QUESTION_H

#include "lookahead.h"
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
	 * spent.  If the oracle decides nothing, the engine is not asked.  A hang is cut short, at a multiple of the
	 * slowest answer.
	 */
	JUDGED_IN_SHORT
};

enum {
	/* A search ends when its hangs have taken this many time limits of the engine, */
	LIMIT_HANGS = 24,
	/* or when requests that cost a process have taken so many seconds: most start one first, which may take long.
	 */
	LIMIT_RESTARTS = 60
};

/* What is taken for the answer to a case that was not asked yet. */
enum guess {
	GUESS_NONE, /* nothing: the engine is asked */
	GUESS_RIGHT,
	GUESS_FINDING
};

/* What ends a search of many questions. */
struct limit {
	double deadline;    /* on bench_clock; 0: none */
	bool (*stop)(void); /* NULL: never */
	double hung;        /* seconds that hangs took */
	double slowest;     /* seconds of the slowest candidate that was answered */
	int deaths;         /* requests that were not answered, except for hangs: each may have taken a process */
	double restarted;   /* seconds of those that did */
	bool ended;         /* a case has ended the search (ends_search_fn) */
};

/* Whether the case must not be asked about. */
typedef bool refuse_case_fn(void *context, const struct testcase *c);
/* Whether a search may end at the case, which shows the finding.  May use `scratch`. */
typedef bool ends_search_fn(void *context, const struct testcase *c, struct arena *scratch);

/*
 * What is asked about a case.  If only the bench is set, the question is: does the first engine show any finding in one
 * run, judged by the analytic oracle?
 */
struct question {
	struct bench *bench;
	/* NULL: the first engine of the bench.  JUDGED_IN_FULL it is always that one. */
	struct engine *engine;
	enum judged judged;
	/* For JUDGED_BY_ANALYTIC: the truth of the case; a finding confirms it.  NULL: case_shows computes it. */
	struct shared_truth *truth;
	/* The most runs; the first that shows the finding ends them.  0: one run, or with `fresh` as many as a flaky
	 * engine may need. */
	int runs;
	/* Each run has a fresh process, if the engine has a process.  A failure that shows only after other cases does
	 * not count. */
	bool fresh;
	/* An answer like a right one (like_right.h) means no, and any other answer yes.  No truth is computed.  Not for
	 * an engine from outside. */
	bool rough;
	/* A full arena means no.  Otherwise it ends the caller's arena_try. */
	bool full_is_no;

	const char *signature; /* the coarse signature of the finding; NULL: any finding */
	bool declared;         /* without a signature: a leak that the engine declares is a finding too */
	bool certain;          /* a number beyond the alternatives of an undecided component is no finding */
	struct slips *slips;   /* receives findings of other signatures; NULL: they are dropped */
	bool disagreement;     /* the finding is that the oracles disagree; JUDGED_IN_FULL, no engine is needed */

	const struct limit
	    *until;          /* once this limit is over, no engine is asked and no case shows anything; NULL: never */
	struct limit *spent; /* receives the time that hangs took; NULL: not counted */
	refuse_case_fn
	    *refuse;          /* a case that it refuses shows nothing, and no engine is asked; NULL: none is refused */
	ends_search_fn *ends; /* ends minimize_finding, with spent->ended; NULL: nothing does */
	void *context;        /* of refuse and ends */

	/* Answers that the engine gave ahead (question_ahead).  A case for which there is one that is no finding shows
	 * nothing, and the engine is not asked again.  NULL: there are none. */
	struct lookahead *ahead;
	/* For rehearse.h.  A wrong number that was given ahead counts too, unless there is a reference. */
	bool trusts_ahead;
	/* The same.  No engine is asked: a case without an answer ahead is added to those of `ahead`. */
	enum guess guess;

	struct bench_result *result; /* JUDGED_IN_FULL: receives judgement, truth and answers; NULL: dropped */
};

/*
 * For q->ahead, to be closed; for the cases of so many requests.  NULL if no answer ahead would do for q: where it must
 * be fresh, or asked several times, or where the case may take up the engine's time or memory.
 */
struct lookahead *question_ahead(const struct question *q, int requests);
/*
 * The engine's answers to c, which case_shows has been asked about: [n_point], given ahead or asked now.  NULL: q
 * guesses, and they are not known.
 */
const struct answer *question_answers(const struct question *q, const struct testcase *c, struct arena *a);

/*
 * Whether c shows the finding of q.  *out (may be NULL) is the judgement of the run that shows it, or of the last run.
 * It is undecided if no engine was asked.  *out and *q->result point into `a`.
 */
bool case_shows(const struct testcase *c, const struct question *q, struct arena *a, struct judgement *out);

/*
 * Whether fresh processes of the engine show the finding of q again; of q, only the bench, the engine, the signature
 * and the slips count.  One process is enough for most findings.  If answers differ from run to run, half of the
 * processes must show it: rounding that differs now and then is no solid finding.  A death that somebody outside may
 * have caused must come again every time.
 */
bool case_comes_again(const struct testcase *c, const struct question *q, struct arena *a);

/*
 * Whether the finding of engine k in *r, of that coarse signature, is a matter of chance.  Its second run differed, or
 * its process may have been killed from outside; and fresh processes do not show it again.
 */
bool finding_is_flaky(const struct bench *b, int k, const struct testcase *c, const struct bench_result *r,
    const char *signature, struct arena *a);

/* case_shows as a predicate for minimize(): `question` points to a struct question. */
bool question_holds(void *question, const struct testcase *candidate, struct arena *scratch);

/* Whether a search that asks `engine` must end.  l NULL: it never must.  engine NULL: whatever time its hangs took. */
bool limit_over(const struct limit *l, const struct engine *engine);

#endif
