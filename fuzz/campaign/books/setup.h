/* setup.h: campaign.json: with what a campaign was begun, so that it can go on without being told again. */
#ifndef FUZZ_CAMPAIGN_BOOKS_SETUP_H
#define FUZZ_CAMPAIGN_BOOKS_SETUP_H

#include "options.h"
#include "engines/process/quota.h"

#define SETUP_FILE   "campaign.json"
#define STATE_FILE   "state.json" /* what is known after N draws (state.c) */
#define STATE_SCHEMA "adjudge.state/1"
#define SUMMARY_FILE "summary.json"

/* What a campaign adds to its options when it begins. */
struct setup {
	char id[24];                /* 16 hexadecimal digits, drawn by the system: `merge` knows the campaign again */
	const char *const *version; /* [n_spec] of the engines */
	uint64_t corpus;            /* hash of the cases to start from */
	struct quota quota;         /* of engines in processes of their own */
};

/* Whether the directory holds a campaign. */
bool setup_exists(const char *dir);
/* Whether the directory holds a campaign, or what is left of one: only `resume` may use it. */
bool campaign_is_in(const char *dir);
/* Draws an id. */
void setup_draw_id(struct setup *self);
/* Writes DIR/campaign.json. */
bool setup_write(const struct setup *self, const struct campaign_options *o, struct error *e) MUST_CHECK;
/*
 * Reads DIR/campaign.json.  Texts are in the arena.  Options that are no part of it are left alone.  Nobody knows who
 * wrote the file: whoever starts an engine that it names asks setup_may_open first, also for the reference.
 */
bool setup_read(
    const char *dir, struct arena *a, struct campaign_options *o, struct setup *out, struct error *e) MUST_CHECK;
/* The same from the text of such a file. */
bool setup_parse(const char *text, size_t len, struct arena *a, struct campaign_options *o, struct setup *out,
    struct error *e) MUST_CHECK;
/* The text of such a file, in the arena. */
char *setup_text(const struct setup *self, const struct campaign_options *o, struct arena *a, size_t *len);
/*
 * Whether DIR/campaign.json is enough to open that engine: only a built-in one without a name of the user's.  A file
 * never starts an engine from outside.
 */
bool setup_may_open(const char *engine);
/* The command that goes on with the campaign, for a shell, in the arena.  It gives the engines that must be given. */
const char *setup_resume_command(const struct campaign_options *o, struct arena *a);
/* A number that differs between builds whose state files mean different things. */
uint64_t setup_layout(void);

#endif
