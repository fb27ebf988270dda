/* leaks.c: the NaNs of weak zeros that a sweep meets: one entry, with one case, made small. */
#include "leaks.h"

#include <string.h>

#include "fuzz/bench/stop.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/minimize/simplest.h"

enum { LEAK_BUDGET = 400 }; /* candidates; the cases are small already */

void conform_note_leak(struct conform_leaks *leaks, const struct testcase *c, int branch, const struct judgement *j,
    const char *cell, const char *signature, struct arena *a)
{
	if (j->verdict != VERDICT_NAN_LEAK || !j->weak_zero)
		return;
	if (!leaks->cases++)
		leaks->first = cell;
	else if (branch >= leaks->branch)
		return;
	leaks->branch = branch;
	leaks->declared = j->declared;
	leaks->signature = signature;
	leaks->smallest = NEW(a, struct testcase, 1);
	*leaks->smallest = testcase_copy(c, a);
}

/* Makes the case the smallest, if the engine shows it once more. */
void conform_minimize_leak(struct conform_leaks *leaks, struct bench *b, struct arena *scratch, struct arena *a)
{
	struct minimize_statistics stats;
	struct limit limit = {.stop = stop_requested};
	struct question same = {.bench = b,
	    .judged = JUDGED_IN_FULL,
	    .signature = leaks->signature,
	    .declared = leaks->declared,
	    .until = &limit,
	    .spent = &limit};
	struct testcase small;
	bool smallest;

	if (!leaks->cases)
		return;
	arena_reset(scratch);
	if (dead_branch_of(&same, leaks->smallest, scratch, &small, &smallest) && smallest) {
		*leaks->smallest = testcase_copy(&small, a);
		return;
	}
	if (!case_shows(leaks->smallest, &same, scratch, NULL))
		return;
	same.ahead = question_ahead(&same, 1);
	small = minimize_together(leaks->smallest, question_holds, &same, &same, LEAK_BUDGET, &limit, scratch, &stats);
	lookahead_close(same.ahead);
	*leaks->smallest = testcase_copy(&small, a);
}
