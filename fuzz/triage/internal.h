/* internal.h: shared by triage.c (the cases, one by one), known.c (is it a known finding?), one_case.c (minimizes and
 * names a case) and filing.c (which finding it is). */
#ifndef FUZZ_TRIAGE_INTERNAL_H
#define FUZZ_TRIAGE_INTERNAL_H

#include "fuzz/bench/case_work.h"
#include "case_form.h"
#include "inlets.h"
#include "triage.h"
#include "wiring.h"

enum { QUIET = 4 };

/* A failing case of engine `which`. */
struct shown {
	int which;
	const char *signature; /* coarse */
	enum verdict verdict;
	int point; /* the point that fails */
	const struct testcase *c,
	    *found; /* c: the case, or its remainder without known patterns; found: the original case */
	const struct evidence *seen; /* the judgement of c in the campaign; NULL: none */
	bool slip;                   /* the minimizer met it while it worked on another finding */
	int n_quiet;
	struct quiet quiet[QUIET]; /* of c; the search for a smaller case leaves them constant */
	int64_t number;
};

/* ---- filing.c ---- */

/* A case after triage.  Texts and the report lie in the side arena. */
struct triaged {
	const char *engine;    /* its name */
	const char *signature; /* coarse signature of the simplest case */
	struct symptom symptom;
	const struct testcase *c;
	int ops;
	bool raw;   /* the case was not minimized */
	char *text; /* the report; the case alone if there was no memory for a report */
	size_t len;
};

/* Files *t, a case that shows `signature`, with the finding it belongs to, which may be new.  trail: the forms of the
 * search for its minimal case. */
void triage_file(struct triage *self, const struct shown *shown, const char *signature, const struct triaged *t,
    const struct trail *trail);
/* Whether it is one of the finding's slips or faces. */
bool finding_has_slip(const struct finding *f, const char *signature);
/* Notes a slip that is most likely the finding, as far as there is room. */
void finding_add_slip(struct triage *self, struct finding *f, const char *signature);
bool finding_has_form(const struct finding *f, uint64_t form);
void finding_free(struct finding *f);
/* As same_bug, of the finding and a symptom of an engine.  Findings of two engines are two bugs. */
int finding_relation(const struct finding *f, const char *engine, const struct symptom *s);
/* Adds the counts, faces and symptoms of f to another finding, and frees f.  Its report is dropped. */
void finding_join(struct triage *self, struct finding *to, struct finding *f);

/* ---- one_case.c ---- */

/*
 * What the minimizer of a case must not turn it into (search_turns_known).  It rejects a candidate with exactly the
 * names of a finding that has the same face.  This holds only for names without regions: a region may fail in many
 * ways.  It also rejects a candidate with a known wiring that the original case does not have, and one that is not
 * quiet any more.
 */
struct known_names {
	const struct triage *triage;
	const char *engine, *signature;
	const struct program *from;
	const struct bench *bench; /* the engine */
	int n_quiet;
	const struct quiet *quiet; /* [n_quiet] that must be kept */
	struct trail *trail;       /* of the search for the minimal case */
	struct finding **found;    /* receives the finding to which a form of that search leads */
};

/* Of questions whose context is a struct known_names.  Whether the search must not go on from c. */
bool search_turns_known(void *context, const struct testcase *c);
/* Whether the search for a smaller case has come to a known form.  Some searches go on nevertheless, as a check: those
 * of the first, second, fourth, ... case of a finding. */
bool search_leads_to_known(void *context, const struct testcase *c, struct arena *a);
/* Minimizes and names one case.  same: asks for the case's coarse signature.  likely: the case is most likely known.
 * For an engine from outside, same->spent->deadline is earlier while it searches. */
void triage_case(
    struct triage *self, const struct question *same, const struct shown *shown, bool likely, struct triaged *out);
/* Names the original case, which is still a reproducer.  Without evidence the file is the case alone. */
void triage_keep_raw(struct triage *self, const struct shown *shown, const char *signature, struct triaged *out);
/* Fills the symptom of case *c with judgement *j, except for its names. */
void triage_set_symptom(
    struct triaged *out, const struct testcase *c, const struct judgement *j, const enum role *role);
/* The report is what the campaign saw. */
void triage_take_evidence(struct triage *self, const struct shown *shown, struct triaged *out);

/* ---- late.c ---- */

/* Joins findings of that engine that experiments find to be one bug.  For the end of a campaign. */
void triage_join_late(struct triage *self, int which);

/* ---- known.c ---- */

/* Cases of a finding that are minimized whatever work is left, as long as they have not taken FIRST_WORK. */
enum { FIRST_CASES = 8, FIRST_WORK = 200 * WORK_MILLISECOND };

bool finding_is_young(const struct finding *f);
/* Whether there is any finding of engine `which`. */
bool finding_any(const struct triage *self, int which);
/* Whether the judging so far pays for more minimizing (allowance.h). */
bool triage_is_paid(const struct triage *self, int which);
/* Whether there is work left for a case that shows a face of f; a young finding needs none. */
bool triage_has_work(const struct triage *self, const struct finding *f, int which);

bool finding_has_face(const struct finding *f, const char *signature);
/* The first finding of engine `which` with that face; NULL: there is none. */
struct finding *finding_of_face(struct triage *self, int which, const char *signature);
/* Whether one of the finding's wirings is in the program; false if it has none. */
bool finding_is_in(const struct finding *f, const struct program *p);
/* Whether symptom k of f hangs on the node. */
bool finding_hangs_on(const struct finding *f, int k, const struct program *p, const struct node *n);
/* Adds a face.  A NaN that 0 * infinity can explain becomes a face only of the finding of these NaNs: in any other
 * finding, that face would also match NaNs of other ops. */
void finding_add_face(struct finding *f, const char *signature);

/* The work of judging all cases so far, for an engine (allowance.h). */
int64_t triage_judged(const struct triage *self, int which);
/* Whether the campaign is to end: a signal came, or its time is over. */
bool triage_over(const struct triage *self);

/*
 * Returns the known finding that explains every failure of the case; the caller counts the case with it.  NULL: the
 * caller minimizes *s.  If something fails without the known patterns, *s is then the case without them. *likely:
 * the finding that probably explains the case, which is minimized nevertheless, as a check; otherwise NULL.
 */
struct finding *triage_known(struct triage *self, struct shown *s, struct finding **likely);

/* ---- other_faces.c ---- */

/*
 * The known finding that explains a case with a new coarse signature; NULL: none does, or judging pays for minimizing
 * it.  A slip is never minimized if known patterns explain it.
 */
struct finding *triage_other_face(struct triage *self, const struct shown *s);

/* ---- remainder.c ---- */

void triage_close_remainders(struct triage *self);

#endif
