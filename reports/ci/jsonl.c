/* jsonl.c: one JSON object a line: one for each outcome, then one with the sums. */
#include "outcome.h"

#include "graph/json.h"

static void put_line(struct text *out, struct json_writer *w)
{
	size_t len;

	json_end(w);
	text_put(out, "%s\n", json_finish(w, &len));
}

static struct json_writer begin_line(const struct ci_report *r, const char *event)
{
	struct json_writer w = json_writer_new(r->arena, false);

	json_begin_object(&w, JSON_FLOW);
	json_member_string(&w, "schema", "adjudge.outcome/1");
	json_member_string(&w, "event", event);
	return w;
}

static void put_some(struct json_writer *w, const char *key, const char *text)
{
	if (*text)
		json_member_string(w, key, text);
}

void ci_write_jsonl(const struct ci_report *r, struct text *out)
{
	struct json_writer w;

	for (int i = 0; i < r->n; i++) {
		const struct ci_outcome *x = &r->at[i];

		w = begin_line(r, "outcome");
		json_member_string(&w, "state", ci_state_names[x->state]);
		json_member_bool(&w, "fails", ci_state_levels[x->state] == CI_LEVEL_FAIL);
		put_some(&w, "path", x->path);
		put_some(&w, "engine", x->engine);
		put_some(&w, "engine_version", ci_version(r, x->engine));
		put_some(&w, "signature", x->signature);
		put_some(&w, "verdict", x->verdict);
		put_some(&w, "message", x->message);
		put_some(&w, "link", x->link);
		put_line(out, &w);
	}
	w = begin_line(r, "end");
	json_member_string(&w, "command", r->command);
	put_some(&w, "shard", r->shard ? r->shard : "");
	json_member_object(&w, "outcomes", JSON_FLOW);
	for (int s = 0; s < CI_STATES; s++)
		if (r->count[s])
			json_member_integer(&w, ci_state_names[s], r->count[s]);
	json_end(&w);
	json_member_strings(&w, "totals", r->total, r->n_total, JSON_FLOW);
	json_member_integer(&w, "exit_code", r->exit_code);
	put_line(out, &w);
}
