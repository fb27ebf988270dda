/* fuzz_options.h: what the command line of `adjudge fuzz` asks for. */
#ifndef FUZZ_CLI_FUZZ_OPTIONS_H
#define FUZZ_CLI_FUZZ_OPTIONS_H

#include "ci_campaign.h"
#include "commands.h"
#include "fuzz/campaign/campaign.h"

enum driver { DRIVER_LIBFUZZER, DRIVER_PLAIN, DRIVER_GENERATE, DRIVER_COUNT };

/* How a campaign is shown when it ends. */
struct campaign_ending {
	struct ci_run run;
	struct ci_campaign of; /* what the options say; the rest follows at the end */
	bool json;             /* print the summary as JSON */
};

/* Everything that a user can say. */
struct fuzz_request {
	struct campaign_options c;
	int64_t fd_one_in, max_findings, jobs;
	const char *profile, *driver, *progress, *engines, *resume;
	struct naming names;
	struct arena texts;
	struct texts specs;
	struct engine_limits limits;
	bool keep_going, quiet;
	struct ci_options ci;
	struct campaign_ending end;
};

/*
 * Completes the options of a new campaign, or takes those of the campaign that goes on.  Says which driver runs it. -1,
 * or an exit code after a complaint.
 */
int fuzz_settle(struct fuzz_request *r, const struct options *o, enum driver *driver);

#endif
