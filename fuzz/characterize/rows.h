/* rows.h: reads the rows of tables, for the statements. */
#ifndef FUZZ_CHARACTERIZE_ROWS_H
#define FUZZ_CHARACTERIZE_ROWS_H

#include "lab.h"

/* Whether the row is decided. */
bool rows_any(const struct variant_row *r, const void *self);
int rows_count(const struct variant_table *t, row_fn *keep, const void *self);

/* Selects the decided rows that fail (or pass) and have this text in a column. */
struct row_text {
	int column;
	const char *text;
	bool fails;
};

/* self: a struct row_text. */
bool rows_with_text(const struct variant_row *r, const void *self);

/*
 * Lists the different texts of a column: those with a row that fails, or those with a row that passes and none that
 * fails.  At most `most` of them, then "and N more"; "" if there are none.
 */
const char *rows_list(struct lab *l, const struct variant_table *t, int column, bool fail, int most);
/* The words, then the list; "" if the list is empty. */
const char *rows_clause(struct lab *l, const char *words, const char *list);
/* Whether the row is about one number, which was expected and returned. */
bool row_has_numbers(const struct variant_row *r);
/* Whether it is about several elements, and all are wrong. */
bool row_all_wrong(const struct variant_row *r);

#endif
