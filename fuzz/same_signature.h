/* same_signature.h: minimizing a finding of one engine: what counts as the same, how long it may take, and what else it comes upon. */
#ifndef FUZZ_SAME_SIGNATURE_H
#define FUZZ_SAME_SIGNATURE_H

#include "bench.h"
#include "minimize.h"

enum {
	/*
	 * Hangs are waited for.  After so many times the engine's time limit nothing is the same any more, so that minimizing one ends in minutes, with what is
	 * smallest so far.
	 */
	SAME_HANGS = 24,
	SAME_SLIPS = 16
};

/* Another finding of the engine that a candidate showed: the smallest case for each coarse signature. */
struct slip {
	char *signature, *text; /* of the case, compact JSON; both owned */
	size_t len;
	int nodes;
};

struct same_signature {
	struct bench *bench; /* of that engine alone */
	const char *spec, *signature;
	const char *right_on; /* the reference of the bench; NULL: none */
	double hung;     /* seconds that hangs were waited for; 0 to begin with */
	double deadline; /* on bench_clock: nothing is the same afterwards; 0: none */
	bool (*stop)(void); /* the same when it says so; NULL: never */
	/* Candidates that are not to be asked about; NULL: none. */
	refuse_case_fn *refuse;
	void *context;
	int n_slip;
	struct slip slip[SAME_SLIPS];
	double slowest; /* seconds of a request that was answered */
};

/* Whether its time is over, or somebody said stop. */
bool same_signature_over(const struct same_signature *self);

/*
 * A predicate for minimize(): the engine's coarse signature stays the same, by the judgement that a campaign makes: both oracles, two requests, and for a hang all
 * of the time limit.
 */
bool same_signature(void *self, const struct testcase *c, struct arena *scratch);

/*
 * The judgement of one engine alone on a case, by the analytic oracle only: true when it is a finding.  Its coarse signature is what minimize_same keeps.
 */
bool shows_finding(struct bench *one, const struct testcase *c, struct arena *a, struct judgement *out);
/* The same in one of up to `runs` requests: *out is of that one, or of the last. */
bool shows_finding_once(struct bench *one, const struct testcase *c, int runs, struct arena *a, struct judgement *out);

/*
 * Whether c shows the signature, as shows_finding judges, in one of some runs: an engine may differ from run to run.  Each is the first of a fresh process, where the
 * engine has one: what shows only after other cases, or the same case before, does not come again.
 */
bool same_again(struct same_signature *self, const struct testcase *c, struct arena *a);
/* The same judged in full; *r is of that run, or of the last. */
bool comes_again(struct same_signature *self, const struct testcase *c, struct arena *a, struct bench_result *r);

/*
 * minimize() for a finding.  Candidates are judged by the analytic oracle alone, where nothing is decided the engine is not asked, and one that hangs is not waited for
 * much longer than one that answers; what is left at the end is judged in full, and should that not hold the search begins again with same_signature() for every candidate.
 * *small and its judgement *r live in `a`.  False: *small, which may be `from`, does not come again.
 */
bool minimize_same(struct same_signature *self, const struct testcase *from, int budget, struct arena *a, struct testcase *small,
    struct bench_result *r, struct minimize_statistics *stats);

/* Calls `take` for every slip that a fresh engine shows, judged in full: a finding of its own. */
typedef void take_slip_fn(void *context, const char *signature, const struct testcase *c);
void same_signature_slips(const struct same_signature *self, take_slip_fn *take, void *context);

/* Frees the slips. */
void same_signature_close(struct same_signature *self);

#endif
