/* rows.c: reads the rows of tables: counts, and lists of texts. */
#include "rows.h"

#include <math.h>
#include <string.h>

bool rows_any(const struct variant_row *r, const void *self)
{
	(void)self;
	return r->decided;
}

int rows_count(const struct variant_table *t, row_fn *keep, const void *self)
{
	int n = 0;

	for (int i = 0; t && i < t->n_row; i++)
		n += keep(&t->row[i], self);
	return n;
}

bool rows_with_text(const struct variant_row *r, const void *self)
{
	const struct row_text *c = self;

	return r->decided && r->fails == c->fails && !strcmp(r->cell[c->column], c->text);
}

/* The text, in brackets if it has a comma outside of parentheses and brackets: "[0, 2]" in a list is one item. */
static const char *list_item(struct lab *l, const char *text)
{
	int depth = 0;

	for (const char *c = text; *c; c++) {
		depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
		if (*c == ',' && !depth)
			return LAB_TEXT(l, "[%s]", text);
	}
	return text;
}

const char *rows_list(struct lab *l, const struct variant_table *t, int column, bool fail, int most)
{
	const char *list = "";
	int n = 0;

	for (int i = 0; i < t->n_row; i++) {
		const struct row_text fails = {column, t->row[i].cell[column], true},
		                      passes = {column, t->row[i].cell[column], false};
		bool first = true;

		for (int k = 0; k < i; k++)
			first = first && strcmp(t->row[k].cell[column], fails.text) != 0;
		if (!first || !t->row[i].decided || (rows_count(t, rows_with_text, &fails) > 0) != fail ||
		    (!fail && !rows_count(t, rows_with_text, &passes)))
			continue;
		if (n++ < most)
			list = LAB_TEXT(l, "%s%s%s", list, *list ? ", " : "", list_item(l, fails.text));
	}
	return n > most ? LAB_TEXT(l, "%s and %d more", list, n - most) : list;
}

const char *rows_clause(struct lab *l, const char *words, const char *list)
{
	return *list ? LAB_TEXT(l, "%s%s", words, list) : "";
}

bool row_has_numbers(const struct variant_row *r) { return r->of && isfinite(r->expected) && isfinite(r->returned); }

bool row_all_wrong(const struct variant_row *r)
{
	for (int i = 0; i < r->n_element; i++)
		if (r->element_expected[i] == r->element_returned[i])
			return false;
	return r->fails && r->n_element > 1;
}
