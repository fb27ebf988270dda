/* summary.h: how a campaign ends: its summary, as a file and for people, and its exit code. */
#ifndef FUZZ_CAMPAIGN_OWNER_SUMMARY_H
#define FUZZ_CAMPAIGN_OWNER_SUMMARY_H

struct campaign;

/* The outcome of a campaign: texts that the caller frees. */
struct campaign_end {
	char *summary;     /* DIR/summary.json */
	char *text;        /* the same in a few lines for people */
	char failure[512]; /* the failure of adjudge or the machine behind the exit code; "" */
};

/* Writes DIR/summary.json, and fills *end.  Returns the exit code. */
int campaign_conclude(struct campaign *self, struct campaign_end *end);

#endif
