/*
 * github.c: workflow commands of GitHub Actions.  A runner shows ten errors and ten warnings of a step beside the code.
 * All further outcomes are plain lines.
 */
#include "outcome.h"

#include <string.h>

enum { SHOWN = 10 };

/* The escapes of a command's text; a property also escapes the characters that separate properties. */
static void put_data(struct text *t, const char *text, bool property)
{
	for (; *text; text++) {
		if (strchr("%\r\n", *text) || (property && strchr(",:", *text)))
			text_put(t, "%%%02X", (unsigned)(unsigned char)*text);
		else
			text_put_bytes(t, text, 1);
	}
}

static void put_command(struct text *t, const struct ci_report *r, const char *kind, const struct ci_outcome *x)
{
	text_put(t, "::%s file=", kind);
	put_data(t, ci_path(r, x), true);
	text_put(t, ",line=%d,title=", x->line ? x->line : 1);
	put_data(t, *x->engine ? ci_engine_text(r, x->engine) : "adjudge", true);
	text_put(t, "%%3A %s", ci_state_names[x->state]); /* %3A is a colon */
	text_put(t, "::");
	if (*x->signature) {
		put_data(t, x->signature, false);
		text_put(t, ": ");
	}
	put_data(t, *x->message ? x->message : ci_state_meanings[x->state], false);
	text_put(t, "\n");
}

void ci_write_github(const struct ci_report *r, struct text *out)
{
	static const char *const kind[] = {[CI_LEVEL_FAIL] = "error", [CI_LEVEL_WARN] = "warning"};
	int shown[] = {[CI_LEVEL_FAIL] = 0, [CI_LEVEL_WARN] = 0};

	for (int i = 0; i < r->n; i++) {
		const enum ci_level level = ci_state_levels[r->at[i].state];

		if (level <= CI_LEVEL_WARN && shown[level]++ < SHOWN)
			put_command(out, r, kind[level], &r->at[i]);
		else
			text_put(out, "%s", ci_line(&r->at[i], r->arena));
	}
	for (int i = 0; i < r->n_total; i++)
		text_put(out, "%s\n", r->total[i]);
}
