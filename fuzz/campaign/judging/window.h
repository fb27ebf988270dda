/* window.h: the path of a case through a campaign: judged at once, or in a window with others (window.c). */
#ifndef FUZZ_CAMPAIGN_JUDGING_WINDOW_H
#define FUZZ_CAMPAIGN_JUDGING_WINDOW_H

#include "fuzz/campaign/counting/coverage.h"

struct campaign;

/*
 * Judges the case of the draw and records it.  Working memory comes from `a`, which longjmps when it is full; the
 * driver then calls campaign_skip. counters receives the features of the case.  Returns how many of them no earlier
 * case had.  If an engine takes several cases in one request, c is judged later, with the same result.
 */
int campaign_judge(struct campaign *self, const struct testcase *c, struct arena *a, uint8_t counters[FEATURE_BYTES]);
/* Only the features of a case, without asking an engine. */
void campaign_features_of(
    struct campaign *self, const struct testcase *c, struct arena *a, uint8_t counters[FEATURE_BYTES]);

void window_open(struct campaign *self);
void window_close(struct campaign *self);
/* Judges all cases that wait in windows. */
void window_flush(struct campaign *self);

#endif
