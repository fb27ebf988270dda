/*
 * needed.c: what the failure needs.  Pairs of cases tell: one fails, and one edit of it does not.  What the first has
 * and the second lacks is needed, if it is one thing or a few.
 */
#include <string.h>

#include "lab.h"

enum { DIFFER = 3, NEEDED = 2 }; /* features that differ in a pair, at most; features told, at most */

static const char *const sentences[FEATURE_COUNT] = {
#define FEATURE(id, sentence) sentence,
#include "features_explain.def"
#undef FEATURE
};

/* Whether it explains nothing when it goes.  Counts are told by counts.c. */
static bool is_silent(enum feature f)
{
	return facts_is_form(f) || (f >= FEATURE_TRIPS_OVER_ONE && f <= FEATURE_TRIPS_OVER_SEVEN) ||
	    (f >= FEATURE_TIES_OVER_TWO && f <= FEATURE_TIES_OVER_SEVEN) ||
	    (f >= FEATURE_USES_OVER_TWO && f <= FEATURE_USES_OVER_SEVEN);
}

void lab_note_pair(void *lab, const struct testcase *fails, const struct testcase *passes)
{
	struct lab *l = lab;
	const struct facts *x, *y;
	int differ = 0;

	arena_reset(&l->scratch);
	x = facts_of(fails, &l->scratch);
	y = facts_of(passes, &l->scratch);
	for (int f = 0; f < FEATURE_COUNT; f++)
		differ += x->at[f] && !y->at[f] && !is_silent((enum feature)f);
	for (int f = 0; f < FEATURE_COUNT && differ <= DIFFER; f++)
		if (x->at[f] && !y->at[f] && !is_silent((enum feature)f))
			l->needed[f] += 1.0 / (differ * differ);
}

void lab_state_needed(struct lab *l)
{
	const struct facts *f, *smallest;

	arena_reset(&l->scratch);
	f = facts_of(l->typical, &l->scratch);
	smallest = facts_of(l->base, &l->scratch); /* it fails too */
	for (int n = 0; n < NEEDED; n++) {
		int best = -1;

		for (int i = 0; i < FEATURE_COUNT; i++)
			if (f->at[i] && smallest->at[i] && l->needed[i] > 0 && explanation_needs(l->explain, i) &&
			    (best < 0 || l->needed[i] > l->needed[best]))
				best = i;
		if (best < 0 || (n && l->needed[best] < 1))
			return;
		lab_say(l, "needed", STATEMENT_SHOWN, NULL, 0, "It fails only if %s.", sentences[best]);
		l->needed[best] = 0;
	}
}
