/* index_html.c: an index as a page: the campaign, a box that filters, and the findings. */
#include <string.h>

#include "html_page.h"
#include "index.h"

static const char script[] =
#include "reports/index_page_js.h"
    ;
static const char script_hash[] =
#include "reports/index_page_hash.h"
    ;

/* The address of a report's JSON file, as index_html says it. */
static const char *json_address(const char *report, const char *json, struct arena *a)
{
	const char *slash = strrchr(report, '/');

	return html_address(
	    json ? arena_printf(a, "%s%s", json, report) : arena_printf(a, "findings/%s", slash ? slash + 1 : report),
	    a);
}

const char *index_page_of(const char *report, struct arena *a)
{
	const char *slash = strrchr(report, '/'), *name = slash ? slash + 1 : report;
	size_t len = strlen(name);

	len -= len > 5 && !strcmp(name + len - 5, ".json") ? 5 : 0;
	return arena_printf(a, "findings/%.*s.html", (int)len, name);
}

void index_put_counts(struct text *out, const struct index_group *g)
{
	if (g->first_case >= 0 && !g->count) {
		text_put(out, "%s", text_seen(0, g->first_case, out->arena));
	} else {
		text_put(out, "<b>%lld</b> case%s", (long long)g->count, g->count == 1 ? "" : "s");
		if (g->first_case >= 0)
			text_put(out, ", the first is case %lld", (long long)g->first_case);
	}
	text_put(out, ", minimal case of %s", text_count(g->ops, "op", out->arena));
	if (g->n_signature > 1)
		text_put(out, ", %d coarse signatures", g->n_signature);
	if (g->flaky)
		text_put(out, ", <b>flaky</b>: a fresh process did not show it again");
	if (g->known)
		html_put(out, ", <b>known</b>: %s", *g->known ? g->known : "no reason given");
}

static void put_group(struct text *out, const struct index_group *g, const char *json)
{
	struct arena *a = out->arena;

	text_put(out, "<section class=\"finding\">\n<div class=\"top\">");
	html_element(out, "span", "tag bad", g->verdict);
	if (g->flaky)
		html_element(out, "span", "tag", "flaky");
	if (g->declared)
		html_element(out, "span", "tag", "declared");
	if (g->known)
		html_element(out, "span", "tag", "known");
	text_put(out, "<code class=\"engine\">");
	index_put_about(out, ESCAPE_HTML, g);
	html_put(out, "</code></div>\n<p><a href=\"%s\">%s</a></p>\n<p class=\"under\">",
	    html_address(index_page_of(g->report[0], a), a), g->summary);
	index_put_counts(out, g);
	html_put(out, " &middot; <span class=\"mono\">%s</span> &middot; <a href=\"%s\">JSON</a>", index_engine(g, a),
	    json_address(g->report[0], json, a));
	for (int k = 1; k < g->n_report; k++)
		html_put(out, "%s<a href=\"%s\">%s</a>", k == 1 ? " &middot; also seen in " : ", ",
		    html_address(index_page_of(g->report[k], a), a), arena_printf(a, "%d", k + 1));
	text_put(out, "</p>\n</section>\n");
}

/* ---- the box that filters ---- */

/* Writes how many findings have each name of that kind, as buttons that fill the box. */
static void put_picks(struct text *out, const struct index *x, bool engines)
{
	for (int k = 0; k < x->n_group; k++) {
		const char *name = engines ? x->group[k].engine : x->group[k].verdict;
		int n = 0, first = x->n_group;

		for (int i = x->n_group - 1; i >= 0; i--)
			if (!strcmp(engines ? x->group[i].engine : x->group[i].verdict, name)) {
				n++;
				first = i;
			}
		if (first == k)
			html_put(out, "<button class=\"tag pick\" type=\"button\">%s %s</button>\n",
			    arena_printf(out->arena, "%d", n), name);
	}
}

static void put_filter(struct text *out, const struct index *x)
{
	text_put(out,
	    "<div id=\"filtering\" hidden>\n<p><label for=\"filter\">Show findings with</label> "
	    "<input id=\"filter\" type=\"search\" placeholder=\"an engine, verdict, op or case\" autocomplete=\"off\"> "
	    "<span id=\"shown\" class=\"dim\" role=\"status\"></span></p>\n<div class=\"top\">\n");
	put_picks(out, x, false);
	put_picks(out, x, true);
	text_put(out, "</div>\n</div>\n");
}

void index_html(struct text *out, const struct index *x, const char *json)
{
	const char *title = index_title(x, out->arena);

	html_begin_scripted(out, title, script_hash);
	html_element(out, "h1", NULL, title);
	index_put_campaign(out, x, !x->n_group);
	if (x->n_group > 1) {
		text_put(out,
		    "<h2>Findings</h2>\n<p class=\"dim\">The first is the most frequent; each that follows differs "
		    "as much as possible from those before it.</p>\n");
		put_filter(out, x);
	}
	for (int k = 0; k < x->n_group; k++)
		put_group(out, &x->group[k], json);
	for (int k = 0; k < x->n_unreadable; k++)
		html_put(out, "<p class=\"dim\">No report: %s</p>\n", x->unreadable[k]);
	if (x->n_group > 1)
		text_put(out, "<script>%s</script>\n", script);
	html_end(out);
}
