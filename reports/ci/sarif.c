/*
 * sarif.c: SARIF 2.1.0, with the members that GitHub requires.  A mismatch has no line in a source file, so its place
 * is line 1 of the case.  GitHub shows 5,000 results; those that fail come first.
 */
#include "outcome.h"

#include <string.h>

#include "graph/json.h"

enum { RESULTS = 5000, MESSAGE_CHARACTERS = 1000 };

static const char *const level_names[CI_LEVEL_PASS + 1] =
    {[CI_LEVEL_FAIL] = "error", [CI_LEVEL_WARN] = "warning", [CI_LEVEL_KNOWN] = "note"};

static const char schema[] = "https://json.schemastore.org/sarif-2.1.0.json";

static const char help[] = "Run `adjudge run FILE --engine SPEC` to see the expected and the returned numbers. "
                           "Run `adjudge report FILE` for experiments around the finding.";

static void put_text_object(struct json_writer *w, const char *key, const char *text)
{
	json_member_object(w, key, JSON_FLOW);
	json_member_string(w, "text", text);
	json_end(w);
}

/* A rule for each state that becomes a result, in the order of the table. */
static int rule_index(enum ci_state state)
{
	int index = 0;

	for (int s = 0; s < (int)state; s++)
		index += level_names[ci_state_levels[s]] != NULL;
	return index;
}

static void put_rules(struct json_writer *w, struct arena *a)
{
	json_member_array(w, "rules", JSON_BLOCK);
	for (int s = 0; s < CI_STATES; s++) {
		const char *level = level_names[ci_state_levels[s]];

		if (!level)
			continue;
		json_begin_object(w, JSON_BLOCK);
		json_member_string(w, "id", arena_printf(a, "adjudge/%s", ci_state_names[s]));
		put_text_object(w, "shortDescription", ci_state_meanings[s]);
		put_text_object(w, "fullDescription", arena_printf(a, "%s.", ci_state_meanings[s]));
		put_text_object(w, "help", help);
		json_member_object(w, "defaultConfiguration", JSON_FLOW);
		json_member_string(w, "level", level);
		json_end(w);
		json_end(w);
	}
	json_end(w);
}

/* The path as a relative reference, or an absolute one as a URI: all bytes but plain ones as %XX. */
static const char *uri_of(const char *path, struct arena *a)
{
	struct text t = {.arena = a};

	text_put(&t, "%s", *path == '/' ? "file://" : "");
	for (; *path; path++) {
		const unsigned char c = (unsigned char)*path;

		if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || strchr("-._~/", c))
			text_put_bytes(&t, path, 1);
		else
			text_put(&t, "%%%02X", (unsigned)c);
	}
	return t.len ? t.at : "unknown";
}

static void put_location(struct json_writer *w, const struct ci_report *r, const struct ci_outcome *x)
{
	json_member_array(w, "locations", JSON_FLOW);
	json_begin_object(w, JSON_FLOW);
	json_member_object(w, "physicalLocation", JSON_FLOW);
	json_member_object(w, "artifactLocation", JSON_FLOW);
	json_member_string(w, "uri", uri_of(ci_path(r, x), r->arena));
	json_end(w);
	json_member_object(w, "region", JSON_FLOW);
	json_member_integer(w, "startLine", x->line ? x->line : 1);
	json_member_integer(w, "startColumn", 1);
	json_member_integer(w, "endLine", x->line ? x->line : 1);
	json_member_integer(w, "endColumn", 2);
	json_end(w);
	json_end(w);
	json_end(w);
	json_end(w);
}

/* "engine: signature: message", cut at a character. */
static const char *message_of(const struct ci_outcome *x, struct arena *a)
{
	char *text = arena_printf(a, "%s%s%s", *x->signature ? x->signature : x->engine,
	    *x->signature || *x->engine ? ": " : "", *x->message ? x->message : ci_state_meanings[x->state]);
	int n = 0;

	for (char *c = text; *c; c++)
		if (((unsigned char)*c & 0xC0) != 0x80 && ++n > MESSAGE_CHARACTERS)
			*c-- = '\0';
	return text;
}

static void put_result(struct json_writer *w, const struct ci_report *r, int k)
{
	const struct ci_outcome *x = &r->at[k];
	char fingerprint[CI_FINGERPRINT];

	ci_fingerprint(r, k, fingerprint);
	json_begin_object(w, JSON_BLOCK);
	json_member_string(w, "ruleId", arena_printf(r->arena, "adjudge/%s", ci_state_names[x->state]));
	json_member_integer(w, "ruleIndex", rule_index(x->state));
	json_member_string(w, "level", level_names[ci_state_levels[x->state]]);
	put_text_object(w, "message", message_of(x, r->arena));
	put_location(w, r, x);
	json_member_object(w, "partialFingerprints", JSON_FLOW);
	json_member_string(w, "primaryLocationLineHash", fingerprint);
	json_end(w);
	if (*ci_version(r, x->engine)) {
		json_member_object(w, "properties", JSON_FLOW);
		json_member_string(w, "engine_version", ci_version(r, x->engine));
		json_end(w);
	}
	if (x->state == CI_KNOWN) {
		json_member_array(w, "suppressions", JSON_FLOW);
		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "kind", "external");
		json_member_string(w, "justification", *x->message ? x->message : "listed in the baseline");
		json_end(w);
		json_end(w);
	}
	json_end(w);
}

/* Writes the results; returns how many found no room. */
static int put_results(struct json_writer *w, const struct ci_report *r)
{
	int n = 0, left_out = 0;

	json_member_array(w, "results", JSON_BLOCK);
	for (int s = 0; s < CI_STATES; s++)
		for (int i = 0; level_names[ci_state_levels[s]] && i < r->n; i++)
			if ((int)r->at[i].state == s) {
				if (n++ < RESULTS)
					put_result(w, r, i);
				else
					left_out++;
			}
	json_end(w);
	return left_out;
}

static void put_invocation(struct json_writer *w, const struct ci_report *r, int left_out)
{
	json_member_array(w, "invocations", JSON_FLOW);
	json_begin_object(w, JSON_FLOW);
	/* Whether the tool itself ran; findings are no failure of it. */
	json_member_bool(w, "executionSuccessful", r->exit_code <= 1 || r->exit_code > 4);
	json_member_integer(w, "exitCode", r->exit_code);
	if (left_out) {
		json_member_array(w, "toolExecutionNotifications", JSON_FLOW);
		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "level", "warning");
		put_text_object(w, "message",
		    arena_printf(
		        r->arena, "%d further results are left out, because at most %d are shown.", left_out, RESULTS));
		json_end(w);
		json_end(w);
	}
	json_end(w);
	json_end(w);
}

void ci_write_sarif(const struct ci_report *r, struct text *out)
{
	struct json_writer w = json_writer_new(r->arena, true);
	size_t len;
	int left_out;

	json_begin_object(&w, JSON_BLOCK);
	json_member_string(&w, "$schema", schema);
	json_member_string(&w, "version", "2.1.0");
	json_member_array(&w, "runs", JSON_BLOCK);
	json_begin_object(&w, JSON_BLOCK);
	json_member_object(&w, "tool", JSON_BLOCK);
	json_member_object(&w, "driver", JSON_BLOCK);
	json_member_string(&w, "name", "adjudge");
	json_member_string(&w, "semanticVersion", ADJUDGE_VERSION);
	put_rules(&w, r->arena);
	json_end(&w);
	json_end(&w);
	json_member_object(&w, "automationDetails", JSON_FLOW);
	json_member_string(&w, "id",
	    arena_printf(r->arena, "adjudge-%s%s%s/", r->command, r->shard ? "/shard-" : "", r->shard ? r->shard : ""));
	json_end(&w);
	left_out = put_results(&w, r);
	put_invocation(&w, r, left_out);
	json_member_string(&w, "columnKind", "utf16CodeUnits");
	json_end(&w);
	json_end(&w);
	json_end(&w);
	text_put(out, "%s", json_finish(&w, &len));
}
