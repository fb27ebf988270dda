/* cross.h: compares answers without an oracle where something stays undecided. */
#ifndef FUZZ_CAMPAIGN_OWNER_CROSS_H
#define FUZZ_CAMPAIGN_OWNER_CROSS_H

#include "fuzz/bench/bench.h"

struct campaign;
struct json_writer;
struct source;

bool campaign_cross_open(struct campaign *self, struct error *e) MUST_CHECK;
void campaign_cross_close(struct campaign *self);
/* Runs every mode for every engine for which case `number` leaves something undecided.  Does nothing if cross is off.
 * Working memory from a. */
void campaign_cross(
    struct campaign *self, const struct testcase *c, int64_t number, const struct bench_result *r, struct arena *a);
/* In a merge: adds the comparisons and leads of a campaign, by its summary. */
bool campaign_cross_join(struct campaign *self, const struct source *s, struct error *e) MUST_CHECK;
int campaign_leads(const struct campaign *self);
/* Whether any two answers were compared. */
bool campaign_compared(const struct campaign *self);
/* Writes member `cross` of the summary; appends its lines for people to `text`.  Both do nothing if cross is off. */
void campaign_put_cross(const struct campaign *self, struct json_writer *w, struct arena *a);
char *campaign_cross_text(const struct campaign *self, char *text, struct arena *a);

#endif
