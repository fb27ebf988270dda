/* index_render.c: an index as JSON, Markdown and HTML. */
#include "escape.h"
#include "html_page.h"
#include "index.h"

#include <string.h>

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

/* Writes what the group is about, and which signatures the campaign considered the same bug. */
static void put_about(struct text *out, enum escape escape, const struct index_group *g)
{
	text_put_escaped(out, escape, without_engine(g, g->fine));
	for (int k = 0; k < g->n_also; k++) {
		text_put(out, ", also ");
		text_put_escaped(out, escape, without_engine(g, g->also[k]));
	}
}

/* Spec and version. */
static const char *engine_text(const struct index_group *g, struct arena *a)
{
	return *g->engine_version ? arena_printf(a, "%s (%s)", g->engine, g->engine_version) : g->engine;
}

/* Writes a path as the address of a link: characters other than letters, digits and -_./ become %XX. */
static const char *address(const char *path, struct arena *a)
{
	struct text t = {.arena = a};

	text_put(&t, "%s", "");
	for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
		bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
		    strchr("-_./", *c);

		text_put(&t, plain ? "%c" : "%%%02X", *c);
	}
	return t.at ? t.at : "";
}

void index_markdown(struct text *out, const struct index *x)
{
	text_put(out,
	    "# %d findings\n\n| count | first case | ops | about | verdict | engine | report |\n"
	    "|---:|---:|---:|---|---|---|---|\n",
	    x->n_group);
	for (int k = 0; k < x->n_group; k++) {
		const struct index_group *g = &x->group[k];

		text_put(out, "| %lld | ", (long long)g->count);
		if (g->first_case >= 0)
			text_put(out, "%lld", (long long)g->first_case);
		text_put(out, " | %d | ", g->ops);
		put_about(out, ESCAPE_MARKDOWN, g);
		text_put(out, " | ");
		text_put_escaped(out, ESCAPE_MARKDOWN, g->verdict);
		text_put(out, " | ");
		text_put_escaped(out, ESCAPE_MARKDOWN, engine_text(g, out->arena));
		text_put(out, " | [");
		text_put_escaped(out, ESCAPE_MARKDOWN, g->summary);
		text_put(out, "](%s) |\n", address(g->report[0], out->arena));
	}
	for (int k = 0; k < x->n_unreadable; k++) {
		text_put(out, "%sno report: ", k ? "" : "\n");
		text_put_escaped(out, ESCAPE_MARKDOWN, x->unreadable[k]);
		text_put(out, "\n");
	}
}

void index_html(struct text *out, const struct index *x)
{
	struct arena *a = out->arena;

	html_begin(out, arena_printf(a, "%d findings", x->n_group));
	text_put(out,
	    "<h1>%d finding%s</h1>\n<p class=\"dim\">The first is the most frequent; each that follows differs "
	    "as much as possible from those before it.</p>\n",
	    x->n_group, x->n_group == 1 ? "" : "s");
	for (int k = 0; k < x->n_group; k++) {
		const struct index_group *g = &x->group[k];

		text_put(out, "<section class=\"finding\">\n<div class=\"top\">");
		html_element(out, "span", "tag bad", g->verdict);
		text_put(out, "<code class=\"engine\">");
		put_about(out, ESCAPE_HTML, g);
		text_put(out, "</code></div>\n<p><a href=\"%s\">", address(g->report[0], a));
		html_put(out, "%s", g->summary);
		text_put(out, "</a></p>\n<p class=\"under\"><b>%lld</b> time%s", (long long)g->count,
		    g->count == 1 ? "" : "s");
		if (g->first_case >= 0)
			text_put(out, ", first in case %lld", (long long)g->first_case);
		text_put(out, ", %d op%s", g->ops, g->ops == 1 ? "" : "s");
		if (g->n_signature > 1)
			text_put(out, ", under %d signatures", g->n_signature);
		html_put(out, " &middot; <span class=\"mono\">%s</span></p>\n</section>\n", engine_text(g, a));
	}
	for (int k = 0; k < x->n_unreadable; k++) {
		html_put(out, "<p class=\"dim\">No report: %s</p>\n", x->unreadable[k]);
	}
	html_end(out);
}
