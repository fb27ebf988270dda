/*
 * allowance.h: how much of a campaign may go into cases of known findings.  It is counted in work (case_work.h), never
 * timed, so that the same campaign always decides alike.
 */
#ifndef FUZZ_TRIAGE_ALLOWANCE_H
#define FUZZ_TRIAGE_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Plain numbers: a campaign that goes on later needs all of them again. */
struct allowance {
	int64_t spent;   /* work on cases that led to no new finding */
	int64_t found;   /* work on cases that led to one */
	int64_t refused; /* checks for which there was no work left */
	int64_t extra;   /* work that the end of a campaign adds (triage_end); 0 before */
};

/* Whether that is less than a fixed share of `judged`, the work of judging all cases so far, and a fixed sum. */
bool allowance_grants(const struct allowance *self, int64_t judged);
/*
 * As allowance_grants, for a case that most likely is of a known finding.  Of the cases beyond, one in a fixed number
 * is granted nevertheless.  So a long campaign never stops to look for a bug behind a known one.
 */
bool allowance_grants_check(struct allowance *self, int64_t judged);
/*
 * At the end of a campaign: allows a fixed amount of work beyond what was spent so far (`spent`) or what is allowed for
 * `judged`, whichever is larger.  Sets `extra`, which the caller clears.
 */
void allowance_grant_end(struct allowance *self, int64_t judged);

#endif
