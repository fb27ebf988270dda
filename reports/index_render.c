/* index_render.c: an index as JSON and Markdown. */
#include "escape.h"
#include "html_page.h"
#include "index.h"

#include <stdlib.h>
#include <string.h>

const char *index_title(const struct index *x, struct arena *a)
{
	int known = 0, declared = 0;
	const char *text;

	for (int k = 0; k < x->n_group; k++) {
		known += x->group[k].known != NULL;
		declared += x->group[k].declared;
	}
	text = text_count(x->n_group - declared, "finding", a);
	if (known)
		text = arena_printf(a, "%s, %d known", text, known);
	return declared ? arena_printf(a, "%s, and %d declared", text, declared) : text;
}

char *index_json(const struct index *x, struct arena *a, size_t *len)
{
	struct json_writer w = json_document(a, "adjudge.index/1");

	json_member_integer(&w, "reports", x->n_report);
	json_member_strings(&w, "unreadable", x->unreadable, x->n_unreadable, JSON_FLOW);
	json_member_array(&w, "groups", JSON_BLOCK);
	for (int k = 0; k < x->n_group; k++) {
		const struct index_group *g = &x->group[k];

		json_begin_object(&w, JSON_BLOCK);
		json_member_string(&w, "fine", g->fine);
		json_member_string(&w, "engine", g->engine);
		if (*g->engine_version)
			json_member_string(&w, "engine_version", g->engine_version);
		json_member_string(&w, "request", g->request);
		json_member_string(&w, "verdict", g->verdict);
		json_member_string(&w, "deviation", g->deviation);
		json_member_string(&w, "summary", g->summary);
		json_member_integer(&w, "count", g->count);
		if (g->first_case >= 0)
			json_member_integer(&w, "first_case", g->first_case);
		json_member_integer(&w, "minimal_ops", g->ops);
		json_member_strings(&w, "signatures", g->signature, g->n_signature, JSON_FLOW);
		if (g->flaky)
			json_member_bool(&w, "flaky", true);
		if (g->declared)
			json_member_bool(&w, "declared", true);
		if (g->known)
			json_member_string(&w, "known", g->known);
		if (g->n_also)
			json_member_strings(&w, "also", g->also, g->n_also, JSON_FLOW);
		json_member_strings(&w, "files", g->report, g->n_report, JSON_FLOW);
		json_end(&w);
	}
	json_end(&w);
	json_end(&w);
	return json_finish(&w, len);
}

/* The fine signature without the engine at its start: request and ops. */
static const char *without_engine(const struct index_group *g, const char *fine)
{
	size_t n = strlen(g->engine);

	return !strncmp(fine, g->engine, n) && fine[n] == '|' ? fine + n + 1 : fine;
}

void index_put_about(struct text *out, enum escape escape, const struct index_group *g)
{
	text_put_escaped(out, escape, without_engine(g, g->fine));
	for (int k = 0; k < g->n_also; k++) {
		text_put(out, ", also ");
		text_put_escaped(out, escape, without_engine(g, g->also[k]));
	}
}

const char *index_engine(const struct index_group *g, struct arena *a)
{
	return *g->engine_version ? arena_printf(a, "%s (%s)", g->engine, g->engine_version) : g->engine;
}

static void put_campaign(struct text *out, const struct index *x)
{
	const struct json *counts = x->summary ? x->summary : json_find(x->state, "counts");

	text_put_escaped(out, ESCAPE_MARKDOWN, render_member(counts, "cases"));
	text_put(out, " cases");
	if (x->summary) {
		text_put(out, ", %.1f %% decided", strtod(render_member(x->summary, "decided_percent"), NULL));
	} else {
		text_put(out, " so far: the campaign has not ended");
	}
	text_put(out, ".\n\n");
}

void index_markdown(struct text *out, const struct index *x)
{
	text_put(out, "# %s\n\n", index_title(x, out->arena));
	if (x->summary || x->state)
		put_campaign(out, x);
	text_put(out,
	    "| count | first case | ops | about | verdict | engine | report |\n"
	    "|---:|---:|---:|---|---|---|---|\n");
	for (int k = 0; k < x->n_group; k++) {
		const struct index_group *g = &x->group[k];

		text_put(out, "| %lld | ", (long long)g->count);
		if (g->first_case >= 0)
			text_put(out, "%lld", (long long)g->first_case);
		text_put(out, " | %d | ", g->ops);
		index_put_about(out, ESCAPE_MARKDOWN, g);
		text_put(out, " | ");
		text_put_escaped(out, ESCAPE_MARKDOWN, g->verdict);
		text_put(out, " | ");
		text_put_escaped(out, ESCAPE_MARKDOWN, index_engine(g, out->arena));
		text_put(out, " | [");
		text_put_escaped(out, ESCAPE_MARKDOWN, g->summary);
		text_put(out, "](%s)%s%s |\n", html_address(g->report[0], out->arena),
		    g->flaky ? ", did not come again" : "",
		    g->declared    ? ", declared"
		        : g->known ? ", known"
		                   : "");
	}
	for (int k = 0; k < x->n_unreadable; k++) {
		text_put(out, "%sno report: ", k ? "" : "\n");
		text_put_escaped(out, ESCAPE_MARKDOWN, x->unreadable[k]);
		text_put(out, "\n");
	}
}
