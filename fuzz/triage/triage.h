/*
 * triage.h: which finding a case belongs to.  A case of a known finding is counted; any other is minimized, named and
 * filed, as a finding of its own or as one more face of one that is known.  Each finding has one report.
 */
#ifndef FUZZ_TRIAGE_TRIAGE_H
#define FUZZ_TRIAGE_TRIAGE_H

#include "fuzz/bench/bench.h"
#include "fuzz/bench/failure.h"
#include "same_bug.h"

enum { FINDING_NAME = 32, FINDING_SYMPTOMS = 8 };

/* A bug, as far as can be told (same_bug.h).  Texts are owned, but for names of symptoms and signatures of slips, which
 * are in triage.known. */
struct finding {
	const char *spec;
	char *signature; /* coarse, of the case in the report */
	/* [0] is that of the case in the report; the others were found to be of the same bug, which the names of those
	 * before them do not say. */
	int n_symptom;
	struct symptom symptom[FINDING_SYMPTOMS];
	int n_face;
	char **face; /* [n_face] coarse signatures that it was found under */
	int n_slip;
	const char
	    *slip[FINDING_SYMPTOMS]; /* coarse signatures that it was met under, and no case of the campaign was */
	char file[FINDING_NAME];
	int64_t count, first_case;
	int64_t minimized; /* how many of them were */
	int64_t likely;    /* cases that were most likely of it: every so often one is minimized (known.c) */
	int n_wiring;      /* of a bare pattern (wiring.h): the minimal programs that it was found in */
	const struct program **wiring;
	int ops; /* of the minimal case */
};

struct triage {
	/* Set by the owner, for as long as it goes on. */
	const char *const *spec; /* of every engine under test */
	const char *right_on;    /* spec of an engine: findings are what it is right about; NULL: all */
	uint64_t seed;
	int minimize_budget; /* candidates for one case */
	int max_findings;    /* 0: no limit */
	double deadline;     /* on bench_clock: the time of the campaign is over; 0: no limit */
	const char *dir;     /* where the reports are written */
	struct arena *side;  /* working memory; reset for every case */
	struct failure *failure;

	/* What came of it; to begin with zero, but for the arena. */
	int n_finding;
	struct finding *finding;     /* owned */
	double seconds;              /* spent on minimizing */
	struct arena known;          /* programs and names of findings; owned */
	struct remainder *remainder; /* [BENCH_ENGINES] (known.c); owned */
};

/*
 * Records that case `number` shows a finding of that coarse signature, of engine `which`: counted where it is known,
 * else minimized and written.  seen: the judgement that showed it, what is reported where a fresh process does not show
 * it again.
 */
void triage_record(struct triage *self, int which, const char *signature, const struct testcase *c,
    const struct bench_result *seen, int64_t number);
/* Frees the findings. */
void triage_close(struct triage *self);

#endif
