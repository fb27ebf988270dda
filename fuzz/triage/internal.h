/* internal.h: shared by triage.c (which finding a case is) and known.c (whether it is a known one). */
#ifndef FUZZ_TRIAGE_INTERNAL_H
#define FUZZ_TRIAGE_INTERNAL_H

#include "triage.h"
#include "wiring.h"

/* A failing case of engine `which`. */
struct shown {
	int which;
	const char *signature; /* coarse */
	enum verdict verdict;
	int point; /* the point that fails */
	const struct testcase *c,
	    *found; /* c: the case, or its remainder without known patterns; found: the original case */
	const struct bench_result *seen; /* the judgement of c in the campaign; NULL: none */
	bool slip;                       /* the minimizer met it while it worked on another finding */
	int64_t number;
};

bool finding_has_face(const struct finding *f, const char *signature);
/* Whether one of the finding's wirings is in the program; false if it has none. */
bool finding_is_in(const struct finding *f, const struct program *p);
/* Adds a face.  A NaN that 0 * infinity can explain becomes a face only of the finding of these NaNs: in any other
 * finding, that face would also match NaNs of other ops. */
void finding_add_face(struct finding *f, const char *signature);

/*
 * Returns the known finding that explains every failure of the case; the caller counts the case with it.  NULL: the
 * caller minimizes *s.  If something fails without the known patterns, *s is then the case without them. *likely:
 * whether the case probably shows a known bug and is minimized nevertheless, as a check.
 */
struct finding *triage_known(struct triage *self, struct shown *s, bool *likely);
void triage_close_remainders(struct triage *self);

#endif
