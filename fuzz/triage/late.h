/* late.h: which of the findings that are compared at the end of a campaign are one, and which report stays. */
#ifndef FUZZ_TRIAGE_LATE_H
#define FUZZ_TRIAGE_LATE_H

#include <stdbool.h>

/* Whether two things, by their numbers, are the same. */
typedef bool late_same_fn(void *self, int x, int y);
/* Fills group[n]: two things have one number if they are the same, or if others in between are.  Pairs that are in one
 * group already are not compared. */
void late_group(int n, late_same_fn *same, void *self, int *group);

/* What a simplest case is about, and how simple it is. */
struct late_rank {
	bool of_value; /* a value is wrong, not a derivative */
	int points, ops;
};
/* Whether y stays of two findings that are one: it is about a value, or needs fewer points, or has fewer ops. */
bool late_says_more(const struct late_rank *y, const struct late_rank *x);

#endif
