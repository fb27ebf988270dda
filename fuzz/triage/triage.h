/*
 * triage.h: which finding a failing case belongs to.  A case of a known finding is counted.  Any other case is
 * minimized and gets a fine signature.  It becomes a new finding with its own report, or one more face of a known one.
 */
#ifndef FUZZ_TRIAGE_TRIAGE_H
#define FUZZ_TRIAGE_TRIAGE_H

#include "fuzz/bench/bench.h"
#include "fuzz/bench/failure.h"
#include "graph/json.h"
#include "allowance.h"
#include "same_bug.h"
#include "deferred.h"

enum { FINDING_NAME = 32, FINDING_SYMPTOMS = 8, FINDING_FORMS = 512 };

/*
 * State: a campaign that goes on later gets back all members of struct finding, and of struct triage the findings and
 * the allowance and the deferred cases (state.c).  They decide what is minimized, so they must be the same as if it
 * had never stopped.
 */

/* The failing cases that one bug most likely explains (same_bug.h).  The finding owns its texts, except for names of
 * symptoms and signatures of slips, which are in triage.known. */
struct finding {
	const char *engine; /* its name, as in triage.name */
	char *signature;    /* coarse, of the case in the report */
	/* [0] is the symptom of the case in the report.  The others were found to be of the same bug, and no symptom
	 * before them covers them. */
	int n_symptom;
	struct symptom symptom[FINDING_SYMPTOMS];
	int n_face;
	char **face; /* [n_face] coarse signatures of its cases */
	int n_slip;
	const char *slip[FINDING_SYMPTOMS]; /* coarse signatures of its slips; no case of the campaign had them */
	char file[FINDING_NAME];
	char announced[FINDING_NAME]; /* the file that the owner has announced; "": none yet */
	int64_t count, first_case;
	int64_t minimized; /* cases of it that were minimized */
	int64_t likely;    /* cases that were most likely of it; some of them are minimized as a check (known.c) */
	int64_t inside;    /* the same, of cases that have its pattern only as the engine runs them */
	int n_wiring;      /* for a bare pattern (wiring.h): the minimal cases in which it was found */
	const struct testcase **wiring;
	int n_form; /* forms that most likely lead to it (case_form.h) */
	uint64_t *form;
	int64_t short_cuts; /* cases whose search reached one of these forms */
	int64_t suspects;   /* cases that still fail when they are quiet about it (known.c) */
	int64_t spent;      /* work of minimizing its cases */
	int ops;            /* of the minimal case */
};

/* The judgement that showed a finding, for a finding that a fresh process does not show again. */
struct evidence {
	const char *report; /* JSON; lives until triage_record returns */
	size_t len;
	bool by_chance; /* it showed in one run of two, or somebody outside may have caused it */
};

struct triage {
	/* Set by the owner before the first call. */
	int n_spec;
	const char *const *spec; /* [n_spec] [NAME=]SPEC of every engine under test */
	const char *const *name; /* what signatures and reports call them; two engines have two names */
	const char *right_on;    /* spec of an engine; a failure counts only where that engine is right; NULL: always */
	uint64_t seed;
	int minimize_budget; /* candidates for one case */
	int max_findings;    /* 0: no limit */
	bool strict;         /* leaks that an engine declares are findings like any other */
	double deadline;     /* on bench_clock: when the time of the campaign is over; 0: no limit */
	const char *dir;     /* where the reports are written */
	const char *pending; /* directory of cases that are being minimized, so that none is lost; NULL: none is kept */
	struct arena *side;  /* working memory; reset for every case */
	struct failure *failure;
	void (*minimizing)(void *watcher); /* called before every candidate; NULL: nobody watches */
	void *watcher;
	/* The cases of the campaign so far, and what their truths cost (oracle_statistics).  The owner keeps it up to
	 * date. */
	int64_t cases, truth_work;

	/* Results.  The owner sets them to zero and opens the arena. */
	int n_finding;
	struct finding *finding;     /* owned */
	double seconds;              /* spent on minimizing */
	struct allowance allowance;  /* for cases of known findings */
	struct deferred deferred;    /* cases for which it did not suffice so far; owned */
	struct arena known;          /* programs and names of findings; owned */
	struct remainder *remainder; /* [BENCH_ENGINES] (known.c); owned */
	bool cut; /* a signal ended the minimizing of a case, so the findings are not those of a whole run */
	int n_dropped;
	char (*dropped)[FINDING_NAME]; /* reports of findings that were joined (triage_remove_dropped); owned */
};

/* Whether the finding fails a run: an engine may declare its leaks, and nobody is strict. */
bool triage_counts(const struct triage *self, const struct finding *f);
/* How many findings do. */
int triage_counted(const struct triage *self);
/* Whether there are as many as there may be (max_findings). */
bool triage_full(const struct triage *self);

/*
 * Records that case `number` shows a finding of engine `which` with that coarse signature, at that point.  A known
 * finding is counted.  Any other is minimized and its report is written.  seen: NULL if the case is a slip.
 */
void triage_record(struct triage *self, int which, const char *signature, int point, const struct testcase *c,
    const struct evidence *seen, int64_t number);
/* Minimizes deferred cases, as long as there is work left for them.  Call it after every case of the campaign. */
void triage_go_on(struct triage *self);
/*
 * The campaign has judged its last case: minimizes deferred cases, for a fixed sum of work more.  Such a case may show
 * a bug that no other finding has, so a short campaign must look at some of them too.
 */
void triage_end(struct triage *self);
/*
 * Records an incident: a request of engine `which` with case c, and perhaps others, ended badly, and no case shows it
 * alone.  It is a flaky finding, one for each signature.  Its report keeps the request.
 */
void triage_record_incident(struct triage *self, int which, const char *signature, const struct testcase *c,
    const struct evidence *seen, int64_t number);
/* The report of a judgement, as evidence.  name, spec, version: of the engine. spellings: as engine_spellings says. */
struct evidence triage_evidence(const char *name, const char *spec, const char *version, const char *spellings,
    const char *signature, const struct testcase *c, const struct bench_result *r, int which, uint64_t seed,
    int64_t number, struct arena *a);
/* Removes the reports of findings that no longer are findings of their own.  Call it when the rest is safe on disk. */
void triage_remove_dropped(struct triage *self);

/* ---- state.c ---- */

/* Writes the findings as members of the open JSON object. */
void triage_put(const struct triage *self, struct json_writer *w);
/* Reads what triage_put wrote into a triage without findings.  False with an error that names the place. */
bool triage_read(struct triage *self, int n_spec, const struct json *object, struct error *e) MUST_CHECK;

/* ---- join.c ---- */

/*
 * Joins findings that most likely are one bug, as if one campaign had met them in the order of their first cases.
 * Findings of several campaigns may have the same name; one of them stays.
 */
void triage_join(struct triage *self);

/* Drops all findings but those that are flaky, and the deferred cases; or the flaky ones. */
void triage_keep_only(struct triage *self, bool flaky);

/* Frees the findings. */
void triage_close(struct triage *self);

#endif
