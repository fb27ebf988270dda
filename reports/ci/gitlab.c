/* gitlab.c: a Code Quality report of GitLab: an array of issues, each with a fingerprint of its own. */
#include "outcome.h"

#include "graph/json.h"

static const char *const severity[CI_LEVEL_PASS + 1] =
    {[CI_LEVEL_FAIL] = "major", [CI_LEVEL_WARN] = "minor", [CI_LEVEL_KNOWN] = "info"};

static void put_issue(struct json_writer *w, const struct ci_report *r, int k)
{
	const struct ci_outcome *x = &r->at[k];
	char fingerprint[CI_FINGERPRINT];

	ci_fingerprint(r, k, fingerprint);
	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "description",
	    arena_printf(r->arena, "%s%s%s%s%s", *ci_version(r, x->engine) ? ci_engine_text(r, x->engine) : "",
	        *ci_version(r, x->engine) ? ": " : "", x->signature, *x->signature ? ": " : "",
	        *x->message ? x->message : ci_state_meanings[x->state]));
	json_member_string(w, "check_name", arena_printf(r->arena, "adjudge-%s", ci_state_names[x->state]));
	json_member_string(w, "fingerprint", fingerprint);
	json_member_string(w, "severity", severity[ci_state_levels[x->state]]);
	json_member_object(w, "location", JSON_FLOW);
	json_member_string(w, "path", *x->path ? ci_path(r, x) : "unknown");
	json_member_object(w, "lines", JSON_FLOW);
	json_member_integer(w, "begin", x->line ? x->line : 1);
	json_end(w);
	json_end(w);
	json_end(w);
}

void ci_write_gitlab(const struct ci_report *r, struct text *out)
{
	struct json_writer w = json_writer_new(r->arena, true);
	size_t len;

	json_begin_array(&w, JSON_BLOCK);
	for (int i = 0; i < r->n; i++)
		if (severity[ci_state_levels[r->at[i].state]])
			put_issue(&w, r, i);
	json_end(&w);
	text_put(out, "%s", json_finish(&w, &len));
}
