/* internal.h: shared by triage.c (which finding a case is) and known.c (whether it is a known one). */
#ifndef FUZZ_TRIAGE_INTERNAL_H
#define FUZZ_TRIAGE_INTERNAL_H

#include "triage.h"
#include "wiring.h"

/* A case of engine `which` that showed a finding. */
struct shown {
	int which;
	const char *signature; /* coarse */
	enum verdict verdict;
	int point;                        /* that shows it */
	const struct testcase *c, *found; /* the case, or what is left of it; the case */
	const struct bench_result *seen;  /* the judgement of c in the campaign; NULL: there is none */
	bool slip;                        /* minimizing another finding came upon it */
	int64_t number;
};

bool finding_has_face(const struct finding *f, const char *signature);
/* Of a finding with wirings: whether one of them is in the program. */
bool finding_is_in(const struct finding *f, const struct program *p);
/* A NaN that 0 times infinity may have made is a face of none but the finding of these: the next one may be of another
 * op. */
void finding_add_face(struct finding *f, const char *signature);

/*
 * The finding that the case is counted with, and is: all that fails in it goes away with the known patterns.  NULL: it
 * is to be minimized, as *s says now: less the known patterns where something fails without them.  *likely: what it is
 * is known, most likely, and it is minimized nevertheless.
 */
struct finding *triage_known(struct triage *self, struct shown *s, bool *likely);
void triage_close_remainders(struct triage *self);

#endif
