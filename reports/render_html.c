/*
 * render_html.c: a report as one page.  It shows in five seconds which engine is wrong, what it returned and what was
 * expected.  Then come the program and how to run it.
 */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "graph_layout.h"
#include "html_page.h"
#include "index.h"
#include "view.h"

enum { OPEN_TABLES = 3, LINKS = 3, MARGIN = 12, ROWS_SHOWN = 60, COLUMN_WIDTH = 500 /* of half the page, in pixels */ };

/* ---- what is wrong ---- */

/* Writes the number and marks the digits that differ from the other. */
static void put_marked(struct text *out, const char *number, const char *other)
{
	int common = view_common(number, other);

	html_put(out, "%s", arena_printf(out->arena, "%.*s", common, number));
	if (number[common])
		html_element(out, "mark", NULL, number + common);
}

static void put_pair(struct text *out, const struct json *report)
{
	const char *right = view_side(report, "expected", out->arena), *got = view_side(report, "returned", out->arena);
	const char *off = view_difference(report, out->arena), *allowed = view_allowed(report, out->arena);
	if (!*right && !*got)
		return;
	html_put(out,
	    "<div class=\"pair\">\n<div class=\"card good\"><b>Expected</b><span class=\"num\">%s</span></div>\n"
	    "<div class=\"card bad\"><b>Returned</b><span class=\"num\">",
	    *right ? right : "undecided, but a number");
	put_marked(out, *got ? got : "nothing", right);
	text_put(out, "</span></div>\n</div>\n");
	if (*view_others(report, out->arena))
		html_put(out,
		    "<p class=\"under\">Other conventions at the tie give <span class=\"num\">%s</span>.</p>\n",
		    view_others(report, out->arena));
	if (*off && *allowed) {
		html_put(out,
		    "<p class=\"under\">Off by <span class=\"num\">%s</span>; "
		    "the worst of the usual formulas may be off by <span class=\"num\">%s</span>.</p>\n",
		    off, allowed);
	}
}

static void put_head(struct text *out, const struct json *report)
{
	const char *of = render_member(json_find(view_first(report), "where"), "of");

	text_put(out, "<div class=\"top\">");
	html_element(out, "code", "engine", view_engine(report, out->arena));
	html_element(out, "span", "tag bad", render_member(report, "verdict"));
	html_element(out, "span", "tag", render_member(view_first(report), "request"));
	if (*of)
		html_element(out, "span", "tag", of);
	text_put(out, "</div>\n");
	html_element(out, "h1", NULL, view_title(report, out->arena));
	if (*view_after_title(report))
		html_element(out, "p", "cause", view_after_title(report));
	put_pair(out, view_first(report));
}

/* ---- the program ---- */

static void put_box(struct text *out, const struct box *b, bool here)
{
	const char *const line[] = {b->label, b->detail, b->attrs};
	bool holds = b->kind == BOX_LOOP || b->kind == BOX_REGION;
	int n = (*b->label != 0) + (*b->detail != 0) + (*b->attrs != 0), y = b->y + (b->h - n * BOX_LINE) / 2 + 12;

	text_put(out, "<g class=\"%s%s\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>",
	    box_kind_names[b->kind], here ? " here" : "", b->x, b->y, b->w, b->h, holds ? 10 : 7);
	for (int k = 0; k < 3; k++) {
		if (!*line[k])
			continue;
		if (holds) /* the head at the top, its results at the bottom */
			y = k ? b->y + b->h - 10 : b->y + 18;
		text_put(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", k ? "d" : "l", b->x + b->w / 2, y);
		html_put(out, "%s</text>", line[k]);
		y += BOX_LINE;
	}
	text_put(out, "</g>\n");
}

/* The box of the op that defines the first value of a printed line "v7: ..." (any depth), or -1. */
static int box_of_line(const struct drawing *d, const char *line)
{
	int value;

	line += strspn(line, " ");
	if (*line != 'v')
		return -1;
	value = atoi(line + 1);
	for (int k = 0; k < d->n_box; k++)
		if (d->box[k].value == value && (d->box[k].kind == BOX_OP || d->box[k].kind == BOX_LOOP))
			return k;
	return -1;
}

/* A piece of a curve that ends `short_of` pixels above (x1, y1), where its tip is. */
static void put_piece(struct text *out, int x0, int y0, int x1, int y1, int short_of)
{
	const int bend = curve_bend(y0, y1);

	text_put(out, "C%d %d %d %d %d %d", x0, y0 + bend, x1, y1 - bend, x1, y1 - short_of);
}

static void put_graph(struct text *out, const struct drawing *drawing, const char *departure)
{
	struct drawing d = *drawing;
	int here = box_of_line(&d, departure);

	text_put(out,
	    "<div class=\"wide\"><svg role=\"img\" aria-label=\"the program as a graph\" "
	    "style=\"min-width:%dpx\" width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\">\n"
	    "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
	    "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 1L7 4L0 7z\"/></marker></defs>\n",
	    (d.w + 2 * MARGIN) * 4 / 5, d.w + 2 * MARGIN, d.h + 2 * MARGIN, -MARGIN, -MARGIN, d.w + 2 * MARGIN,
	    d.h + 2 * MARGIN);
	for (int k = 0; k < d.n_box; k++)
		put_box(out, &d.box[k], k == here);
	for (int k = 0; k < d.n_curve; k++) {
		const struct curve *c = &d.curve[k];

		text_put(out, "<path%s marker-end=\"url(#tip)\" d=\"M%d %d", c->captured ? " class=\"captured\"" : "",
		    c->x0, c->y0);
		if (c->around) {
			put_piece(out, c->x0, c->y0, c->side, c->top, 0);
			text_put(out, "V%d", c->bottom);
			put_piece(out, c->side, c->bottom, c->x1, c->y1, 1);
		} else {
			put_piece(out, c->x0, c->y0, c->x1, c->y1, 1);
		}
		text_put(out, "\"/>\n");
	}
	text_put(out, "</svg></div>\n");
}

/* A table of the inputs at the only point. */
static void put_inputs(struct text *out, const struct testcase *c)
{
	char type[TYPE_TEXT];

	if (!c->program.top.n_param)
		return;
	text_put(out, "<h2>At the point</h2>\n<div class=\"wide\"><table><tr><th>input<th>type<th>value\n");
	for (int k = 0; k < c->program.top.n_param; k++) {
		const struct tensor *t = &c->point[0][k];

		text_put(out, "<tr><td class=\"mono\">v%d<td class=\"mono whole\">%s<td class=\"mono\">",
		    c->program.top.param + k, type_print(&t->type, type));
		html_put(out, "%s\n", view_tensor(t, out->arena));
	}
	text_put(out, "</table></div>\n");
}

/* The points, a line each, and the request. */
static void put_asked(struct text *out, const struct json *object, const struct testcase *c, bool points)
{
	const int judged = atoi(render_member(json_find(object, "where"), "point"));

	for (const char *const *at = view_points(c, judged, out->arena); points && *at; at++)
		html_put(out, "<p class=\"under mono\">%s</p>\n", *at);
	html_put(out, "<p class=\"under mono\">request: %s</p>\n", view_request(object, out->arena));
}

static void put_program(struct text *out, const struct json *report, const struct finding_place *place)
{
	const struct json *first = view_first(report), *lines = json_find(first, "program"),
	                  *x = json_find(report, "characterization"),
	                  *departure = x && first == report ? json_find(x, "first_departure") : NULL;
	const struct json *at = departure ? json_find(departure, "line") : NULL;
	int marked = at && at->kind == JSON_NUMBER ? atoi(at->text) : -1;
	const char *marked_text = "";
	struct drawing drawing;
	struct testcase c;
	const char *file = place ? place->file : "report.json";
	bool has_case = view_case(first, out->arena, &c);

	text_put(out, "<div class=\"split\">\n<div>\n<h2>%s</h2>\n<pre>",
	    first == report ? "The program" : "A typical case");
	for (const struct json *line = lines ? lines->child : NULL; line; line = line->next) {
		if (line->index == marked) {
			marked_text = line->text;
			html_element(out, "span", "here", line->text);
		} else {
			html_put(out, "%s", line->kind == JSON_STRING ? line->text : "");
		}
		text_put(out, "\n");
	}
	text_put(out, "</pre>\n");
	if (departure)
		html_put(out, "<p class=\"under\">%s</p>\n", render_member(departure, "sentence"));
	if (has_case && c.n_point == 1)
		put_inputs(out, &c);
	if (has_case)
		put_asked(out, first, &c, c.n_point > 1);
	html_put(out, "<h2>Run it</h2>\n<pre class=\"run\">%s\n", view_command(report, file, out->arena));
	if (*view_report_command(report, file, out->arena))
		html_put(out, "%s\n", view_report_command(report, file, out->arena));
	html_put(out, "%s", view_emit_command(file, out->arena));
	html_put(out, "</pre>\n<p class=\"under\">%s</p>\n</div>\n",
	    place ? "The path is from the directory of the campaign."
	          : "Save the report as JSON, or the case below, as report.json.");
	if (has_case) {
		drawing = graph_layout(&c.program, out->arena);
		text_put(out, drawing.w > COLUMN_WIDTH ? "</div>\n<div>\n<div>\n" : "<div>\n");
		text_put(out, "<h2>As a graph</h2>\n");
		put_graph(out, &drawing, marked_text);
		text_put(out, "</div>\n");
	}
	text_put(out, "</div>\n");
}

/* The smallest case, if a typical one stands first. */
static void put_smallest(struct text *out, const struct json *report)
{
	const struct json *lines = json_find(report, "program"), *x = json_find(report, "characterization"),
	                  *departure = x ? json_find(x, "first_departure") : NULL;
	struct testcase c;

	if (view_first(report) == report)
		return;
	text_put(out, "<h2>The smallest case</h2>\n<pre>");
	for (const struct json *line = lines ? lines->child : NULL; line; line = line->next)
		html_put(out, "%s\n", line->kind == JSON_STRING ? line->text : "");
	text_put(out, "</pre>\n");
	html_element(out, "p", NULL, render_member(report, "summary"));
	if (departure)
		html_put(out, "<p class=\"under\">%s</p>\n", render_member(departure, "sentence"));
	if (view_case(report, out->arena, &c))
		put_asked(out, report, &c, true);
}

/* ---- every component ---- */

static void put_tensor(struct text *out, const struct json *t)
{
	const struct json *elements = json_find(t, "elements");
	const char *left = render_member(t, "elements_left_out");

	html_put(out, "<p class=\"mono dim\">%s &middot; %s", render_member(t, "of"), render_member(t, "type"));
	text_put(out,
	    "</p>\n<div class=\"wide\"><table><tr><th class=\"num\">element<th class=\"num\">expected<th "
	    "class=\"num\">returned<th class=\"num\">allowed<th>\n");
	for (const struct json *e = elements ? elements->child : NULL; e; e = e->next) {
		const char *verdict = render_member(e, "verdict"), *reason = render_member(e, "reason"),
		           *loose = render_member(e, "loose");
		const char *right = view_number(e, "decimal", out->arena),
		           *got = view_number(e, "returned_decimal", out->arena);

		got = *got ? got : view_number(e, "returned", out->arena);
		html_put(out,
		    "<tr class=\"%s\"><td class=\"num\">%s<td class=\"num\">%s<td class=\"num got\">%s<td "
		    "class=\"num dim\">%s<td class=\"verdict\">%s\n",
		    !*verdict                       ? ""
		        : !strcmp(verdict, "agree") ? "good"
		                                    : "bad",
		    render_member(e, "element"), right, got,
		    *loose ? arena_printf(out->arena, "%.2g", strtod(loose, NULL)) : "",
		    *verdict      ? verdict
		        : *reason ? arena_printf(out->arena, "undecided: %s", reason)
		                  : "");
	}
	text_put(out, "</table></div>\n");
	if (*left)
		html_put(out, "<p class=\"under\">%s elements are left out.</p>\n", left);
}

static void put_points(struct text *out, const struct json *report)
{
	const struct json *points = json_find(report, "points");

	text_put(out, "<h2>Every component</h2>\n");
	for (const struct json *p = points ? points->child : NULL; p; p = p->next) {
		const struct json *const lists[] = {json_find(p, "primal"), json_find(p, "derivative")};

		if (points->n_child > 1)
			text_put(out, "<p>Point %d</p>\n", p->index);
		if (*render_member(p, "text"))
			html_put(out, "<pre>%s</pre>\n", render_member(p, "text"));
		for (int k = 0; k < 2; k++)
			for (const struct json *t = lists[k] ? lists[k]->child : NULL; t; t = t->next)
				put_tensor(out, t);
	}
}

/* ---- what experiments showed ---- */

/* Whether a member of the array before `s` is about the same experiment. */
static bool is_repeated(const struct json *array, const struct json *s)
{
	for (const struct json *v = array->child; v != s; v = v->next)
		if (!strcmp(render_member(v, "experiment"), render_member(s, "experiment")))
			return true;
	return false;
}

/* Links to the tables that support a statement. */
static void put_links_to(struct text *out, const struct json *statement, const struct json *experiments)
{
	const struct json *support = json_find(statement, "support");

	for (const struct json *s = support ? support->child : NULL; s; s = s->next)
		for (const struct json *e = experiments ? experiments->child : NULL; e; e = e->next)
			if (!strcmp(render_member(s, "experiment"), render_member(e, "id")) && s->index < LINKS &&
			    !is_repeated(support, s))
				html_put(out, " <a class=\"dim\" href=\"#experiment-%s\">%s</a>",
				    arena_printf(out->arena, "%d", e->index), render_member(e, "title"));
}

/* Writes those statements that matter most, or the others. */
static void put_statements(struct text *out, const struct json *list, const struct json *experiments, bool most)
{
	const struct json *const *s = view_statements(list, out->arena);

	text_put(out, "<ul class=\"said\">\n");
	for (int k = 0; s[k]; k++) {
		const char *kind = render_member(s[k], "kind");

		if ((k < STATEMENTS_FIRST) != most)
			continue;
		text_put(out, "<li%s>",
		    !strcmp(kind, "ruled-out")  ? " class=\"ruled-out\""
		        : !strcmp(kind, "open") ? " class=\"open\""
		                                : "");
		html_put(out, "%s", render_member(s[k], "text"));
		put_links_to(out, s[k], experiments);
		text_put(out, "\n");
	}
	text_put(out, "</ul>\n");
}

static void put_condition(struct text *out, const struct json *c)
{
	const struct json *fresh = json_find(c, "held_out");

	html_put(out, "<div class=\"note\"><p><b>%s</b></p><p class=\"under\">", render_member(c, "text"));
	html_put(out, "%s", view_counts(c, out->arena));
	if (fresh)
		html_put(out, "%s",
		    arena_printf(out->arena, " It predicts %s of %s new variants.", render_member(fresh, "predicted"),
		        render_member(fresh, "variants")));
	text_put(out, "</p></div>\n");
}

static void put_experiment(struct text *out, const struct json *x, bool open)
{
	const struct json *columns = json_find(x, "columns"), *rows = json_find(x, "rows");
	int shown = 0;

	text_put(out, "<details id=\"experiment-%d\"%s><summary>", x->index, open ? " open" : "");
	html_put(out, "%s</summary>\n<p class=\"under\">%s", render_member(x, "title"), render_member(x, "varies"));
	text_put(out, "</p>\n<div class=\"wide\"><table><tr>");
	for (const struct json *c = columns ? columns->child : NULL; c; c = c->next)
		html_element(out, "th", NULL, c->text);
	text_put(out, "<th class=\"num\">expected<th class=\"num\">returned<th class=\"num\">ratio<th>\n");
	for (const struct json *r = rows ? rows->child : NULL; r && shown < ROWS_SHOWN; r = r->next, shown++) {
		const struct json *cells = json_find(r, "cells"), *fails = json_find(r, "fails");
		const char *engine = render_member(r, "engine"), *verdict = render_member(r, "verdict");

		text_put(out, "<tr%s>", !fails ? "" : fails->truth ? " class=\"bad\"" : " class=\"good\"");
		for (const struct json *c = cells ? cells->child : NULL; c; c = c->next)
			html_element(out, "td", "mono", c->text);
		html_put(out,
		    "<td class=\"num\">%s<td class=\"num got\">%s<td class=\"num dim\">%s<td class=\"verdict\">%s\n",
		    view_value(r, "expected", out->arena), view_value(r, "returned", out->arena),
		    view_ratio(r, out->arena), *engine ? arena_printf(out->arena, "%s: %s", engine, verdict) : verdict);
	}
	text_put(out, "</table></div>\n");
	if (rows && rows->n_child > shown)
		text_put(out, "<p class=\"under\">%d more rows are in the JSON.</p>\n", rows->n_child - shown);
	text_put(out, "</details>\n");
}

static void put_characterization(struct text *out, const struct json *x)
{
	const struct json *statements = json_find(x, "statements"), *condition = view_shown_condition(x),
	                  *experiments = json_find(x, "experiments");

	if ((statements && statements->n_child) || condition)
		text_put(out, "<h2>What experiments show</h2>\n");
	if (condition)
		put_condition(out, condition);
	if (statements && statements->n_child)
		put_statements(out, statements, experiments, true);
	if (statements && statements->n_child > STATEMENTS_FIRST) {
		text_put(out, "<details><summary>More observations</summary>\n");
		put_statements(out, statements, experiments, false);
		text_put(out, "</details>\n");
	}
	if (experiments && experiments->n_child) {
		text_put(out, "<h2>The experiments</h2>\n");
		for (const struct json *e = experiments->child; e; e = e->next)
			put_experiment(out, e, e->index < OPEN_TABLES);
	}
}

/* ---- the rest ---- */

static void put_case(struct text *out, const struct json *report)
{
	struct testcase c;
	size_t len;
	char *json;

	if (!view_case(report, out->arena, &c))
		return;
	text_put(out, "<h2>The case</h2>\n<details><summary>JSON, as adjudge run reads it</summary>\n<pre>");
	json = testcase_write(&c, out->arena, &len);
	for (char *line = json, *next; *line; line = next) {
		next = line + strcspn(line, "\n");
		html_put(out, "%s\n", arena_printf(out->arena, "%.*s", (int)(next - line), line));
		next += *next == '\n';
	}
	text_put(out, "</pre></details>\n");
}

static void put_footer(struct text *out, const struct json *report)
{
	const struct json *versions = json_find(report, "versions"), *found = json_find(report, "found");

	html_put(out, "<footer>\n<p>%s</p>\n<p>Signature <code>%s</code>", view_evidence(report, out->arena),
	    render_member(report, "signature"));
	if (found)
		html_put(out, " &middot; %s",
		    arena_printf(out->arena, "found as case %s of seed %s, made of %s nodes",
		        render_member(found, "case_number"), render_member(found, "seed"),
		        render_member(found, "nodes")));
	text_put(out, "</p>\n<p>");
	for (const struct json *v = versions ? versions->child : NULL; v; v = v->next)
		html_put(out, "%s",
		    arena_printf(
		        out->arena, "%s%s %s", v->index ? ", " : "", v->key, v->kind == JSON_STRING ? v->text : ""));
	text_put(out, "</p>\n</footer>\n");
}

static void put_links(struct text *out, const struct finding_place *place)
{
	html_put(out, "<nav class=\"top\"><a href=\"%s\">All findings</a>", place->index);
	if (place->previous)
		html_put(out, "<a href=\"%s\">Previous</a>", place->previous);
	if (place->next)
		html_put(out, "<a href=\"%s\">Next</a>", place->next);
	html_put(out, "<a href=\"%s\">JSON</a></nav>\n", place->json);
}

/* What the campaign says about the finding. */
static void put_campaign(struct text *out, const struct index_group *g)
{
	text_put(out, "<p class=\"under\">In the campaign: ");
	index_put_counts(out, g);
	text_put(out, ". <code>");
	index_put_about(out, ESCAPE_HTML, g);
	text_put(out, "</code></p>\n");
}

static void put_page(struct text *out, const struct json *report, const struct finding_place *place)
{
	const struct json *x = json_find(report, "characterization");

	html_begin(out, render_member(report, "summary"));
	if (place)
		put_links(out, place);
	put_head(out, report);
	if (place)
		put_campaign(out, place->group);
	put_program(out, report, place);
	put_smallest(out, report);
	if (x)
		put_characterization(out, x);
	put_points(out, view_first(report));
	put_case(out, report);
	put_footer(out, report);
	html_end(out);
}

void render_html_finding(struct text *out, const struct json *report, const struct finding_place *place)
{
	put_page(out, report, place);
}

void render_html(struct text *out, const struct json *report, const char *source)
{
	(void)source;
	put_page(out, report, NULL);
}
