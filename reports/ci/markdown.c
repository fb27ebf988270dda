/* markdown.c: a job summary for people.  GitHub refuses more than 1 MiB, so the table has a limited number of rows. */
#include "outcome.h"

#include <string.h>

#include "reports/escape.h"

enum { ROWS = 200, SUMMARY_BYTES = 900 << 10 };

static void put_cell(struct text *t, const char *text)
{
	text_put(t, " ");
	text_put_escaped(t, ESCAPE_MARKDOWN, text);
	text_put(t, " |");
}

static void put_counts(struct text *t, const struct ci_report *r)
{
	text_put(t, "| state | number | meaning |\n|---|---:|---|\n");
	for (int s = 0; s < CI_STATES; s++)
		if (r->count[s])
			text_put(t, "| %s | %d | %s |\n", ci_state_names[s], r->count[s], ci_state_meanings[s]);
}

/* Outcomes that a person should see, the worst first. */
static void put_table(struct text *t, const struct ci_report *r)
{
	int n = 0, left_out = 0;

	for (int s = 0; s < CI_STATES && ci_state_levels[s] <= CI_LEVEL_KNOWN; s++)
		for (int i = 0; i < r->n; i++) {
			const struct ci_outcome *x = &r->at[i];

			if ((int)x->state != s)
				continue;
			if (n == ROWS || t->len > SUMMARY_BYTES) {
				left_out++;
				continue;
			}
			if (!n++)
				text_put(t, "\n| state | file | engine or signature | message |\n|---|---|---|---|\n");
			text_put(t, "| %s |", ci_state_names[s]);
			put_cell(t, ci_place(x->path, x, r->arena));
			put_cell(t, *x->signature ? x->signature : x->engine);
			put_cell(t, *x->message ? x->message : x->link);
			text_put(t, "\n");
		}
	if (left_out)
		text_put(t, "\n%d further rows are left out.\n", left_out);
}

void ci_write_markdown(const struct ci_report *r, struct text *out)
{
	const char *fence = fence_of(r->total, r->n_total, r->arena);

	text_put(out, "## adjudge %s: %s\n\n", r->command,
	    ci_failures(r)     ? "failed"
	        : r->exit_code ? arena_printf(r->arena, "ended with exit code %d", r->exit_code)
	                       : "passed");
	put_counts(out, r);
	put_table(out, r);
	text_put(out, "\n%stext\n", fence);
	for (int i = 0; i < r->n_total; i++) {
		text_put_escaped(out, ESCAPE_MARKDOWN_CODE, r->total[i]);
		text_put(out, "\n");
	}
	text_put(out, "%s\n", fence);
}
