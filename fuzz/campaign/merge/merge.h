/*
 * merge.h: several campaigns as one: shards, nights, machines.
 *
 * The result keeps the books of every campaign in it, in DIR/.sources/ID, and is computed from these alone.  So it does
 * not depend on the order of the campaigns, and a campaign that is merged twice counts once.
 *
 * The findings of shards of one campaign come from triage, which runs again over their failing cases (retriage.h).
 * Where that cannot be done, and for any other campaigns, findings of one bug are joined by their names.
 */
#ifndef FUZZ_CAMPAIGN_MERGE_MERGE_H
#define FUZZ_CAMPAIGN_MERGE_MERGE_H

#include "fuzz/campaign/owner/summary.h"
#include "graph/json.h"

struct merge_options {
	const char *out;
	const char *const *engine; /* [n_engine] [NAME=]SPEC of engines from outside that may be started (retriage.h) */
	int n_engine;
	bool by_name; /* no engine is started: findings of shards are joined by name */
};

/*
 * Merges the campaigns in dir[n], each of which may be a merge itself, into the directory o->out.  If that is a merge
 * already, they are added to it.  Receives the summary, a text for people, and in `warnings` lines about campaigns
 * that differ; the caller frees them.  Returns an exit code; EXIT_BAD_CASE with the reason in e if a directory holds no
 * campaign.  After a signal (stop.h) nothing but the books is written.
 */
int merge_campaigns(const char *const *dir, int n, const struct merge_options *o, struct campaign_end *end,
    char **warnings, struct error *e);

#endif
