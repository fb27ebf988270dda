/* render_text.c: a report for a terminal. */
#include "render.h"
#include "view.h"

#include "graph/errors.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 14, CELL_WIDTH = 28, COLUMNS = 12 };

/* A number in 7 digits; any other text as it is; "" if there is none. */
static const char *number(const struct json *row, const char *key, struct arena *a)
{
	const char *text = render_member(row, key);
	char *end;
	double x = strtod(text, &end);

	return end == text || *end ? text : arena_printf(a, "%.7g", x);
}

static void put_wrapped(struct text *out, const char *indent, const char *text)
{
	const size_t width = 110;
	size_t column = 0;

	text = text_harmless(text, out->arena);
	while (*text) {
		size_t n = strcspn(text, " ");

		if (column && column + n > width) {
			text_put(out, "\n%s", indent);
			column = 0;
		}
		text_put(out, "%s%.*s", column ? " " : "", (int)n, text);
		column += n + 1;
		text += n + (text[n] == ' ');
	}
	text_put(out, "\n");
}

static void put_statements(struct text *out, const struct json *list)
{
	for (const struct json *s = list ? list->child : NULL; s; s = s->next) {
		const char *kind = render_member(s, "kind");

		text_put(out, "%s ", !strcmp(kind, "shown") ? "-" : !strcmp(kind, "open") ? "?" : "x");
		put_wrapped(out, "  ", render_member(s, "text"));
	}
}

/* Writes the condition with its counts, or the first departure. */
static void put_found(struct text *out, const struct json *x)
{
	const struct json *failing = x ? json_find(x, "failing") : NULL, *passing = x ? json_find(x, "passing") : NULL;

	if (failing && passing)
		put_wrapped(out, "",
		    arena_printf(out->arena, "%s (%s.)", render_member(x, "text"), view_counts(x, out->arena)));
	else if (x)
		put_wrapped(out, "", render_member(x, "sentence"));
}

/* The cells of a row, then the columns that every table has. */
static int row_cells(const struct json *row, const char *cell[COLUMNS], struct arena *a)
{
	const struct json *cells = json_find(row, "cells"), *sum = json_find(row, "sum");
	const char *engine = render_member(row, "engine"), *verdict = render_member(row, "verdict");
	int n = 0;

	for (const struct json *c = cells ? cells->child : NULL; c && n < COLUMNS - 4; c = c->next)
		cell[n++] = c->text ? c->text : "";
	cell[n++] = sum && cells ? arena_printf(a, "sum %s", number(sum, "expected", a)) : number(row, "expected", a);
	cell[n++] = sum && cells ? arena_printf(a, "sum %s", number(sum, "returned", a)) : number(row, "returned", a);
	cell[n++] = number(row, "ratio", a);
	cell[n++] = *engine ? arena_printf(a, "%s (%s)", verdict, engine) : verdict;
	return n;
}

static int head_cells(const struct json *table, const char *cell[COLUMNS])
{
	const struct json *columns = json_find(table, "columns");
	int n = 0;

	for (const struct json *c = columns ? columns->child : NULL; c && n < COLUMNS - 4; c = c->next)
		cell[n++] = c->text ? c->text : "";
	cell[n++] = "expected";
	cell[n++] = "returned";
	cell[n++] = "ratio";
	cell[n++] = "verdict";
	return n;
}

static void widen(int width[COLUMNS], const char *const *cell, int n)
{
	for (int i = 0; i < n; i++) {
		int len = (int)strlen(cell[i]);

		width[i] = len > CELL_WIDTH ? CELL_WIDTH : len > width[i] ? len : width[i];
	}
}

static void put_line(struct text *out, const int width[COLUMNS], const char *const *cell, int n)
{
	text_put(out, "   ");
	for (int i = 0; i < n; i++)
		text_put(out, " %-*s", i == n - 1 ? 0 : width[i], text_harmless(cell[i], out->arena));
	text_put(out, "\n");
}

static void put_table(struct text *out, const struct json *table)
{
	const struct json *rows = json_find(table, "rows");
	const char *cell[COLUMNS];
	int width[COLUMNS] = {0}, n, shown = 0;

	text_put(out, "\n%s: %s\n", text_harmless(render_member(table, "title"), out->arena),
	    text_harmless(render_member(table, "varies"), out->arena));
	n = head_cells(table, cell);
	widen(width, cell, n);
	for (const struct json *r = rows ? rows->child : NULL; r && shown < ROWS_SHOWN; r = r->next, shown++) {
		n = row_cells(r, cell, out->arena);
		widen(width, cell, n);
	}
	n = head_cells(table, cell);
	put_line(out, width, cell, n);
	shown = 0;
	for (const struct json *r = rows ? rows->child : NULL; r && shown < ROWS_SHOWN; r = r->next, shown++) {
		n = row_cells(r, cell, out->arena);
		put_line(out, width, cell, n);
	}
	if (rows && rows->n_child > shown)
		text_put(out, "    and %d more rows, see --format json\n", rows->n_child - shown);
}

void render_text(struct text *out, const struct json *report, const char *source)
{
	const struct json *c = json_find(report, "characterization"), *program = json_find(report, "program"), *found;
	const size_t start = out->len;

	(void)source;
	put_wrapped(out, "", render_member(report, "summary"));
	put_wrapped(out, "", arena_printf(out->arena, "Engine: %s", view_engine(report, out->arena)));
	text_put(out, "\n");
	for (const struct json *line = program ? program->child : NULL; line; line = line->next)
		text_put(out, "    %s\n", text_harmless(line->text ? line->text : "", out->arena));
	text_put(out, "\n");
	if (c) {
		put_found(out, json_find(c, "condition"));
		put_found(out, json_find(c, "first_departure"));
		text_put(out, "What experiments show (x: ruled out as the cause, ?: open):\n");
		put_statements(out, json_find(c, "statements"));
		found = json_find(c, "experiments");
		for (const struct json *t = found ? found->child : NULL; t; t = t->next)
			put_table(out, t);
	}
	if (out->at)
		text_disarm(out->at + start, true);
}
