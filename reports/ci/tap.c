/*
 * tap.c: the Test Anything Protocol, version 13; readers of version 14 take it too.  A known finding is TODO, and what
 * was not decided is SKIP.
 */
#include "outcome.h"

#include <string.h>

/* Escapes the characters that begin a directive. */
static void put_description(struct text *t, const char *text)
{
	for (; *text; text++)
		text_put(t, strchr("#\\", *text) ? "\\%c" : "%c", *text);
}

/* A text in double quotes, for the YAML block. */
static void put_quoted(struct text *t, const char *key, const char *text)
{
	if (!*text)
		return;
	text_put(t, "  %s: \"", key);
	for (; *text; text++)
		text_put(t, strchr("\"\\", *text) ? "\\%c" : "%c", *text);
	text_put(t, "\"\n");
}

static void put_outcome(struct text *t, const struct ci_report *r, const struct ci_outcome *x, int number)
{
	const enum ci_level level = ci_state_levels[x->state];
	const bool ok = level == CI_LEVEL_PASS || level == CI_LEVEL_SKIP;

	text_put(t, "%s %d - ", ok ? "ok" : "not ok", number);
	put_description(t, x->path);
	if (*x->signature || *x->engine) {
		text_put(t, ": ");
		put_description(t, *x->signature ? x->signature : x->engine);
	}
	if (level == CI_LEVEL_KNOWN || level == CI_LEVEL_WARN || level == CI_LEVEL_SKIP) {
		text_put(t, " # %s %s", level == CI_LEVEL_SKIP ? "SKIP" : "TODO", ci_state_names[x->state]);
		if (*x->link) {
			text_put(t, " ");
			put_description(t, x->link);
		}
	}
	text_put(t, "\n");
	if (ok)
		return;
	text_put(t, "  ---\n");
	put_quoted(t, "engine", *ci_version(r, x->engine) ? ci_engine_text(r, x->engine) : "");
	put_quoted(t, "state", ci_state_names[x->state]);
	put_quoted(t, "verdict", x->verdict);
	put_quoted(t, "message", x->message);
	text_put(t, "  ...\n");
}

void ci_write_tap(const struct ci_report *r, struct text *out)
{
	text_put(out, "TAP version 13\n1..%d%s\n", r->n, r->n ? "" : " # SKIP nothing was checked");
	for (int i = 0; i < r->n; i++)
		put_outcome(out, r, &r->at[i], i + 1);
	for (int i = 0; i < r->n_total; i++)
		text_put(out, "# %s\n", r->total[i]);
}
