/*
 * triage.h: which finding a failing case belongs to.  A case of a known finding is counted.  Any other case is
 * minimized and gets a fine signature.  It becomes a new finding with its own report, or one more face of a known one.
 */
#ifndef FUZZ_TRIAGE_TRIAGE_H
#define FUZZ_TRIAGE_TRIAGE_H

#include "fuzz/bench/bench.h"
#include "fuzz/bench/failure.h"
#include "same_bug.h"

enum { FINDING_NAME = 32, FINDING_SYMPTOMS = 8 };

/* The failing cases that one bug most likely explains (same_bug.h).  The finding owns its texts, except for names of
 * symptoms and signatures of slips, which are in triage.known. */
struct finding {
	const char *spec;
	char *signature; /* coarse, of the case in the report */
	/* [0] is the symptom of the case in the report.  The others were found to be of the same bug, and no symptom
	 * before them covers them. */
	int n_symptom;
	struct symptom symptom[FINDING_SYMPTOMS];
	int n_face;
	char **face; /* [n_face] coarse signatures of its cases */
	int n_slip;
	const char *slip[FINDING_SYMPTOMS]; /* coarse signatures of its slips; no case of the campaign had them */
	char file[FINDING_NAME];
	int64_t count, first_case;
	int64_t minimized; /* cases of it that were minimized */
	int64_t likely;    /* cases that were most likely of it; some of them are minimized as a check (known.c) */
	int n_wiring;      /* for a bare pattern (wiring.h): the minimal programs in which it was found */
	const struct program **wiring;
	int ops; /* of the minimal case */
};

struct triage {
	/* Set by the owner before the first call. */
	const char *const *spec; /* of every engine under test */
	const char *right_on;    /* spec of an engine; a failure counts only where that engine is right; NULL: always */
	uint64_t seed;
	int minimize_budget; /* candidates for one case */
	int max_findings;    /* 0: no limit */
	double deadline;     /* on bench_clock: when the time of the campaign is over; 0: no limit */
	const char *dir;     /* where the reports are written */
	struct arena *side;  /* working memory; reset for every case */
	struct failure *failure;

	/* Results.  The owner sets them to zero and opens the arena. */
	int n_finding;
	struct finding *finding;     /* owned */
	double seconds;              /* spent on minimizing */
	struct arena known;          /* programs and names of findings; owned */
	struct remainder *remainder; /* [BENCH_ENGINES] (known.c); owned */
};

/*
 * Records that case `number` shows a finding of engine `which` with that coarse signature.  A known finding is counted.
 * Any other is minimized and its report is written.  seen: the judgement that showed it; it is reported if a fresh
 * process does not show the finding again.  NULL: the case is a slip.
 */
void triage_record(struct triage *self, int which, const char *signature, const struct testcase *c,
    const struct bench_result *seen, int64_t number);
/* Frees the findings. */
void triage_close(struct triage *self);

#endif
