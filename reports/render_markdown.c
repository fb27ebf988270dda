/* render_markdown.c: a report as Markdown, ready to paste as an issue. */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "view.h"

enum { ROWS_SHOWN = 24 };

static void put(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *out, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	text_put_template(out, ESCAPE_MARKDOWN, format, list);
	va_end(list);
}

/* Writes a code span: its backtick runs are longer than any inside, and it has no line breaks. */
static void put_code(struct text *out, const char *text)
{
	const char *fence = fence_of(&text, 1, out->arena);

	if (!strchr(text, '`'))
		fence = "`";
	text_put(out, "%s%s", fence, *fence && fence[1] ? " " : "");
	text_put_escaped(out, ESCAPE_MARKDOWN_CODE, text);
	text_put(out, "%s%s", fence[1] ? " " : "", fence);
}

static void put_block(struct text *out, const char *language, const char *const *line, int n)
{
	const char *fence = fence_of(line, n, out->arena);

	text_put(out, "%s%s\n", fence, language);
	for (int k = 0; k < n; k++) {
		text_put_escaped(out, ESCAPE_MARKDOWN_CODE, line[k]);
		text_put(out, "\n");
	}
	text_put(out, "%s\n", fence);
}

static void put_row(struct text *out, const char *name, const char *value)
{
	if (!*value)
		return;
	text_put(out, "| %s | ", name);
	put(out, "%s |\n", value);
}

static void put_head(struct text *out, const struct json *report)
{
	const struct json *first = view_first(report);

	put(out, "# %s\n\n", view_title(report, out->arena));
	if (*view_after_title(report))
		put(out, "%s\n\n", view_after_title(report));
	put(out, "| | |\n|---|---|\n| engine | %s |\n", view_engine(report, out->arena));
	put_row(out, "request", view_request(first, out->arena));
	put_row(out, "verdict", render_member(report, "verdict"));
	put_row(out, "where", render_member(json_find(first, "where"), "of"));
	put_row(out, "**expected**", view_side(first, "expected", out->arena));
	put_row(out, "or by other conventions at the tie", view_others(first, out->arena));
	put_row(out, "**returned**", view_side(first, "returned", out->arena));
	put_row(out, "off by", view_difference(first, out->arena));
	put_row(out, "allowed", view_allowed(first, out->arena));
}

/* A table of the inputs at the only point. */
static void put_inputs(struct text *out, const struct testcase *c)
{
	char type[TYPE_TEXT];

	text_put(out, "\nAt the point:\n\n| input | type | value |\n|---|---|---|\n");
	for (int k = 0; k < c->program.top.n_param; k++) {
		const struct tensor *t = &c->point[0][k];

		text_put(out, "| v%d | %s | ", c->program.top.param + k, type_print(&t->type, type));
		put(out, "%s |\n", view_tensor(t, out->arena));
	}
}

static void put_program(struct text *out, const struct json *report, const char *heading)
{
	const struct json *lines = json_find(report, "program");
	const char **line = NEW(out->arena, const char *, lines && lines->n_child ? lines->n_child : 1);
	int n = 0, point = atoi(render_member(json_find(report, "where"), "point"));
	struct testcase c;

	for (const struct json *v = lines ? lines->child : NULL; v; v = v->next)
		line[n++] = v->kind == JSON_STRING ? v->text : "";
	text_put(out, "\n## %s\n\n", heading);
	put_block(out, "", line, n);
	if (!view_case(report, out->arena, &c))
		return;
	if (c.n_point == 1 && c.program.top.n_param)
		put_inputs(out, &c);
	else
		for (const char *const *at = view_points(&c, point, out->arena); *at; at++)
			put(out, "\n- %s", *at);
	if (c.n_point > 1)
		text_put(out, "\n");
	put(out, "\nRequest: %s\n", view_request(report, out->arena));
}

static void put_tensor(struct text *out, const struct json *t)
{
	const struct json *elements = json_find(t, "elements");

	put(out, "\n%s, ", render_member(t, "of"));
	put_code(out, render_member(t, "type"));
	text_put(out, ":\n\n| element | expected | returned | |\n|---:|---:|---:|---|\n");
	for (const struct json *e = elements ? elements->child : NULL; e; e = e->next) {
		const char *verdict = render_member(e, "verdict"),
		           *got = view_number(e, "returned_decimal", out->arena);
		bool bad = *verdict && strcmp(verdict, "agree") != 0;

		text_put(out, "| %s | ", render_member(e, "element"));
		put(out, bad ? "%s | **%s** | %s |\n" : "%s | %s | %s |\n", view_number(e, "decimal", out->arena),
		    *got ? got : view_number(e, "returned", out->arena),
		    *verdict ? verdict : render_member(e, "reason"));
	}
	if (*render_member(t, "elements_left_out"))
		text_put(out, "\n%s elements are left out.\n", render_member(t, "elements_left_out"));
}

static void put_points(struct text *out, const struct json *report)
{
	const struct json *points = json_find(report, "points");

	text_put(out, "\n## Every component\n");
	for (const struct json *p = points ? points->child : NULL; p; p = p->next) {
		const struct json *const lists[] = {json_find(p, "primal"), json_find(p, "derivative")};
		const char *said = render_member(p, "text");

		if (points->n_child > 1)
			text_put(out, "\nPoint %d\n", p->index);
		if (*said) {
			text_put(out, "\n");
			put_block(out, "", &said, 1);
		}
		for (int k = 0; k < 2; k++)
			for (const struct json *t = lists[k] ? lists[k]->child : NULL; t; t = t->next)
				put_tensor(out, t);
	}
}

/* ---- what experiments showed ---- */

static void put_experiment(struct text *out, const struct json *x)
{
	const struct json *columns = json_find(x, "columns"), *rows = json_find(x, "rows");
	int shown = 0;

	put(out, "\n<details><summary>%s</summary>\n\n%s\n\n|", render_member(x, "title"), render_member(x, "varies"));
	for (const struct json *c = columns ? columns->child : NULL; c; c = c->next)
		put(out, " %s |", c->text ? c->text : "");
	text_put(out, " expected | returned | verdict |\n|");
	for (int k = 0; columns && k < columns->n_child; k++)
		text_put(out, "---|");
	text_put(out, "---:|---:|---|\n");
	for (const struct json *r = rows ? rows->child : NULL; r && shown < ROWS_SHOWN; r = r->next, shown++) {
		const struct json *cells = json_find(r, "cells"), *fails = json_find(r, "fails");

		text_put(out, "|");
		for (const struct json *c = cells ? cells->child : NULL; c; c = c->next)
			put(out, " %s |", c->text ? c->text : "");
		put(out, fails && fails->truth ? " %s | %s | **%s** %s|\n" : " %s | %s | %s %s|\n",
		    view_value(r, "expected", out->arena), view_value(r, "returned", out->arena),
		    render_member(r, "verdict"), render_member(r, "engine"));
	}
	if (rows && rows->n_child > shown)
		text_put(out, "\n%d more rows are in the JSON.\n", rows->n_child - shown);
	text_put(out, "\n</details>\n");
}

static void put_statements(struct text *out, const struct json *list, bool most)
{
	const struct json *const *s = view_statements(list, out->arena);

	for (int k = 0; s[k]; k++) {
		const char *kind = render_member(s[k], "kind");

		if ((k < STATEMENTS_FIRST) != most)
			continue;
		text_put(out, "- %s",
		    !strcmp(kind, "ruled-out")  ? "Ruled out: "
		        : !strcmp(kind, "open") ? "Open: "
		                                : "");
		put(out, "%s\n", render_member(s[k], "text"));
	}
}

static void put_characterization(struct text *out, const struct json *report, const struct json *x)
{
	const struct json *statements = json_find(x, "statements"), *condition = view_shown_condition(x),
	                  *experiments = json_find(x, "experiments");
	const struct json *departure = json_find(x, "first_departure");

	text_put(out, "\n## What experiments show\n\n");
	if (condition)
		put(out, "%s\n\n", view_condition(report, condition, out->arena));
	if (departure)
		put(out, "%s\n\n", render_member(departure, "sentence"));
	put_statements(out, statements, true);
	for (const struct json *e = experiments ? experiments->child : NULL; e; e = e->next)
		put_experiment(out, e);
	if (statements && statements->n_child > STATEMENTS_FIRST) {
		text_put(out, "\n<details><summary>More observations</summary>\n\n");
		put_statements(out, statements, false);
		text_put(out, "\n</details>\n");
	}
}

/* ---- how to run it ---- */

static void put_case(struct text *out, const struct json *object, const char *file)
{
	const char **line;
	struct testcase c;
	size_t len;
	int n = 0;
	char *json;

	if (!view_case(object, out->arena, &c))
		return;
	text_put(out, "\n<details><summary>%s</summary>\n\n", file);
	json = testcase_write(&c, out->arena, &len);
	line = NEW(out->arena, const char *, len + 1);
	for (char *at = json; *at;) {
		line[n++] = at;
		at += strcspn(at, "\n");
		if (*at)
			*at++ = '\0';
	}
	put_block(out, "json", line, n);
	text_put(out, "\n</details>\n");
}

static void put_run(struct text *out, const struct json *report)
{
	const char *command[] = {
	    view_command(report, "case.json", out->arena), view_emit_command("case.json", out->arena)};

	text_put(out, "\n## Run it\n\n");
	put_block(out, "sh", command, 2);
	put_case(out, view_first(report), "case.json");
	if (view_first(report) != report)
		put_case(out, report, "smallest.json");
}

static void put_foot(struct text *out, const struct json *report)
{
	const struct json *versions = json_find(report, "versions");

	put(out, "\n---\n\n%s Signature ", view_evidence(report, out->arena));
	put_code(out, render_member(report, "signature"));
	text_put(out, ".");
	for (const struct json *v = versions ? versions->child : NULL; v; v = v->next) {
		text_put(out, "%s", v->index ? ", " : " ");
		put(out, "%s", arena_printf(out->arena, "%s %s", v->key, v->kind == JSON_STRING ? v->text : ""));
	}
	text_put(out, "\n");
}

void render_markdown(struct text *out, const struct json *report, const char *source)
{
	const struct json *x = json_find(report, "characterization");

	(void)source;
	put_head(out, report);
	put_program(out, view_first(report), view_first(report) == report ? "Program" : "A typical case");
	if (view_first(report) != report) {
		put_program(out, report, "The smallest case");
		put(out, "\n%s\n", render_member(report, "summary"));
	}
	put_run(out, report);
	if (x)
		put_characterization(out, report, x);
	put_points(out, report);
	put_foot(out, report);
}
