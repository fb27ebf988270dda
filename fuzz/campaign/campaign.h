/* campaign.h: many cases in; distinct, minimized findings and a summary out.  A driver chooses the cases.  A campaign
 * judges and records them. */
#ifndef FUZZ_CAMPAIGN_CAMPAIGN_H
#define FUZZ_CAMPAIGN_CAMPAIGN_H

#include "fuzz/campaign/books/options.h"
#include "fuzz/campaign/owner/summary.h"

struct campaign;

/*
 * Makes the output directories and opens the engines.  o must stay.  NULL with the reason in e, such as that another
 * campaign writes into the directory.  With `resume`, an error with a place is about a file that cannot be read.
 */
struct campaign *campaign_open(const struct campaign_options *o, struct error *e) MUST_CHECK;
/* Writes DIR/summary.json, stops the engines and frees everything.  Returns the exit code. */
int campaign_close(struct campaign *self, struct campaign_end *end);

#endif
