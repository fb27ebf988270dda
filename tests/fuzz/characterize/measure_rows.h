/* measure_rows.h: programs, each with a measure of a node and the number that it must have. */
#ifndef TESTS_FUZZ_CHARACTERIZE_MEASURE_ROWS_H
#define TESTS_FUZZ_CHARACTERIZE_MEASURE_ROWS_H

#include <math.h>

#include "fuzz/characterize/facts.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

struct measure_row {
	const char *inputs, *body, *point; /* as test_function has them */
	enum measure_id id;
	enum op op;
	int operand;
	double x; /* NAN: the case has no such measure */
};

/* The measure; NAN: the case has no such one. */
static inline double measure_of(const struct facts *f, enum measure_id id, enum op op, int operand)
{
	for (int i = 0; i < f->n_measure; i++)
		if (f->measure[i].id == id && f->measure[i].op == op && f->measure[i].operand == operand)
			return f->measure[i].x;
	return NAN;
}

/* Checks row[n], each by a vjp with respect to all inputs. */
static inline void check_measure_rows(const struct measure_row *row, size_t n, struct arena *a)
{
	for (size_t i = 0; i < n; i++) {
		struct testcase c;
		double x;

		if (!row_wanted("%s: measure %d", row[i].body, (int)row[i].id))
			continue;
		c = test_function(a, row[i].inputs, row[i].body, row[i].point, "vjp");
		x = measure_of(facts_of(&c, a), row[i].id, row[i].op, row[i].operand);
		CHECK(x == row[i].x || (isnan(x) && isnan(row[i].x)), "%g", x);
	}
}

#endif
