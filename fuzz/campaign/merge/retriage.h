/*
 * retriage.h: the findings of shards, as one campaign would have them.
 *
 * Triage decides by what it knows which failing cases it minimizes, so each shard decides otherwise than one campaign
 * would.  But triage is a function of its input: the failing cases in order, and what was judged before each.  Every
 * shard logs that (draw_log.h).  So `merge` puts the draws of all shards in order, makes their failing cases again, and
 * runs triage once more.  No case is judged again; what is spent is what one campaign would spend on minimizing.
 */
#ifndef FUZZ_CAMPAIGN_MERGE_RETRIAGE_H
#define FUZZ_CAMPAIGN_MERGE_RETRIAGE_H

#include "fuzz/campaign/books/sources.h"

/* Whether a campaign logs its draws: a shard whose cases depend on their numbers alone. */
bool retriage_needs_log(const struct campaign_options *o);
/* Whether the two campaigns are different shards of one. */
bool retriage_are_shards(const struct source *x, const struct source *y);

/*
 * Runs triage over the shards *s[n] of one campaign, in any order.  Reports are written to the directory `reports`,
 * which exists.  Returns the findings as triage_put writes them, in the members of a JSON object in `a`, with the
 * engines numbered as in *s[0].  Engines from outside are only started if allowed[n_allowed] names them.  NULL: the
 * findings of each shard must do, and *why says the reason; or with an error, because a report cannot be written; or a
 * signal came (stop.h).
 */
const struct json *retriage(struct source *const *s, int n, const char *const *allowed, int n_allowed,
    const char *reports, struct arena *a, const char **why, struct error *e);

#endif
