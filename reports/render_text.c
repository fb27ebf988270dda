/* render_text.c: a report for a terminal. */
#include "render.h"
#include "view.h"

#include "graph/errors.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 14, CELL_WIDTH = 44, COLUMNS = 12, ELEMENTS_SHOWN = 4 };

/* A number in 7 digits; any other text as it is; "" if there is none. */
static const char *number(const struct json *row, const char *key, struct arena *a)
{
	const char *text = render_member(row, key);
	char *end;
	double x = strtod(text, &end);

	return end == text || *end ? text : arena_printf(a, "%.7g", x);
}

/* The numbers of a row: those of its elements if they are few, the sum, or the number; with as many digits as tell the
 * two sides apart. */
static void put_sides(const struct json *row, const char *cell[2], struct arena *a)
{
	const struct json *elements = json_find(row, "elements"), *sum = json_find(row, "sum"), *of = sum ? sum : row;

	cell[0] = number(of, "expected", a);
	cell[1] = number(of, "returned", a);
	if (!strcmp(cell[0], cell[1]) && strcmp(render_member(of, "expected"), render_member(of, "returned")) != 0) {
		cell[0] = render_member(of, "expected");
		cell[1] = render_member(of, "returned");
	}
	for (int k = 0; k < 2; k++) {
		const struct json *list = elements ? json_find(elements, k ? "returned" : "expected") : NULL;

		if (list && list->n_child <= ELEMENTS_SHOWN)
			cell[k] = view_numbers(list, a);
		else if (sum)
			cell[k] = arena_printf(a, "sum %s", cell[k]);
	}
	if (view_is_first(row))
		cell[0] = arena_printf(a, "first %s", cell[0]);
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

/* Writes those statements that matter most, or the others. */
static void put_statements(struct text *out, const struct json *list, bool most)
{
	const struct json *const *s = view_statements(list, out->arena);

	for (int k = 0; s[k]; k++) {
		const char *kind = render_member(s[k], "kind");

		if ((k < STATEMENTS_FIRST) != most)
			continue;
		text_put(out, "%s ", !strcmp(kind, "shown") ? "-" : !strcmp(kind, "open") ? "?" : "x");
		put_wrapped(out, "  ", render_member(s[k], "text"));
	}
}

/* The cells of a row, then the columns that every table has. */
static int row_cells(const struct json *row, const char *cell[COLUMNS], struct arena *a)
{
	const struct json *cells = json_find(row, "cells");
	const char *engine = render_member(row, "engine"), *verdict = render_member(row, "verdict");
	int n = 0;

	for (const struct json *c = cells ? cells->child : NULL; c && n < COLUMNS - 4; c = c->next)
		cell[n++] = c->text ? c->text : "";
	put_sides(row, &cell[n], a);
	n += 2;
	cell[n++] = view_ratio(row, a);
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
	for (int i = 0; i < n; i++) {
		const char *text = text_harmless(cell[i], out->arena);

		if (strlen(text) > CELL_WIDTH && i < n - 1)
			text = arena_printf(out->arena, "%.*s...", CELL_WIDTH - 3, text);
		text_put(out, " %-*s", i == n - 1 ? 0 : width[i], text);
	}
	text_put(out, "\n");
}

/* Whether two rows differ in their cells alone. */
static bool alike(const struct json *x, const struct json *y)
{
	return !strcmp(render_member(x, "expected"), render_member(y, "expected")) &&
	    !strcmp(render_member(x, "returned"), render_member(y, "returned")) &&
	    !strcmp(render_member(x, "verdict"), render_member(y, "verdict"));
}

/* The row to begin with: the first one, or a few before the first other verdict if that is far down. */
static int first_shown(const struct json *rows)
{
	enum { BEFORE = 4 };
	const struct json *first = rows ? rows->child : NULL;
	int at = 0;

	for (const struct json *r = first; r; r = r->next, at++)
		if (strcmp(render_member(r, "verdict"), render_member(first, "verdict")) != 0)
			return at + BEFORE < ROWS_SHOWN ? 0 : at - BEFORE;
	return 0;
}

/* How many rows are shown: of those at the end that are alike, the first two. */
static int rows_shown(const struct json *rows)
{
	int n = 0, last = 0;
	const struct json *before = NULL;

	for (const struct json *r = rows ? rows->child : NULL; r; before = r, r = r->next, n++)
		if (!before || !alike(before, r))
			last = n;
	n = last + 2 < n ? last + 2 : n;
	return n < ROWS_SHOWN ? n : ROWS_SHOWN;
}

static void put_table(struct text *out, const struct json *table)
{
	const struct json *rows = json_find(table, "rows"), *first = rows ? rows->child : NULL;
	const char *cell[COLUMNS];
	const int skipped = first_shown(rows), most = rows_shown(rows);
	int width[COLUMNS] = {0}, n, shown = 0, left;

	text_put(out, "\n%s: %s\n", text_harmless(render_member(table, "title"), out->arena),
	    text_harmless(render_member(table, "varies"), out->arena));
	for (int i = 0; i < skipped; i++)
		first = first->next;
	n = head_cells(table, cell);
	widen(width, cell, n);
	for (const struct json *r = first; r && shown < most; r = r->next, shown++) {
		n = row_cells(r, cell, out->arena);
		widen(width, cell, n);
	}
	n = head_cells(table, cell);
	put_line(out, width, cell, n);
	if (skipped)
		text_put(out, "    %d rows before with the same verdict, see --format json\n", skipped);
	shown = 0;
	for (const struct json *r = first; r && shown < most; r = r->next, shown++) {
		n = row_cells(r, cell, out->arena);
		put_line(out, width, cell, n);
	}
	left = rows ? rows->n_child - skipped - shown : 0;
	if (left > 0)
		text_put(out, "    and %d more rows%s, see --format json\n", left,
		    most < ROWS_SHOWN ? " with the same numbers" : "");
}

/* The program of a report or of its typical case, the points, and the request. */
static void put_case(struct text *out, const struct json *report)
{
	const struct json *program = json_find(report, "program");
	const int point = atoi(render_member(json_find(report, "where"), "point"));
	struct testcase c;

	for (const struct json *line = program ? program->child : NULL; line; line = line->next)
		text_put(out, "    %s\n", text_harmless(line->text ? line->text : "", out->arena));
	if (view_case(report, out->arena, &c)) {
		for (const char *const *at = view_points(&c, point, out->arena); *at; at++) {
			text_put(out, "    %s", c.n_point == 1 ? "at " : "");
			put_wrapped(out, "       ", *at);
		}
		text_put(out, "    request: ");
		put_wrapped(out, "       ", view_request(report, out->arena));
	}
	text_put(out, "\n");
}

void render_text(struct text *out, const struct json *report, const char *source)
{
	const struct json *c = json_find(report, "characterization"), *typical = json_find(report, "typical"), *found;
	const char *cause = view_cause(report);
	const size_t start = out->len;

	(void)source;
	if (*cause)
		put_wrapped(out, "", cause);
	if (!typical)
		put_wrapped(out, "", render_member(report, "summary"));
	put_wrapped(out, "", arena_printf(out->arena, "Engine: %s", view_engine(report, out->arena)));
	if (typical) {
		text_put(out, "\n");
		put_wrapped(out, "", arena_printf(out->arena, "A typical case: %s", render_member(typical, "summary")));
		put_case(out, typical);
		put_wrapped(
		    out, "", arena_printf(out->arena, "The smallest case: %s", render_member(report, "summary")));
	} else {
		text_put(out, "\n");
	}
	put_case(out, report);
	if (c) {
		if (view_shown_condition(c))
			put_wrapped(out, "", view_condition(report, view_shown_condition(c), out->arena));
		if (json_find(c, "first_departure"))
			put_wrapped(out, "", render_member(json_find(c, "first_departure"), "sentence"));
		text_put(out, "What experiments show (x: ruled out as the cause, ?: open):\n");
		put_statements(out, json_find(c, "statements"), true);
		found = json_find(c, "experiments");
		for (const struct json *t = found ? found->child : NULL; t; t = t->next)
			put_table(out, t);
		found = json_find(c, "statements");
		if (found && found->n_child > STATEMENTS_FIRST) {
			text_put(out, "\nMore:\n");
			put_statements(out, found, false);
		}
	}
	if (out->at)
		text_disarm(out->at + start, true);
}
