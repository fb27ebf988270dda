/*
 * characterization.h: what experiments around a case showed: tables of variants that were judged, statements with the
 * rows that support them, the condition that separates what fails from what passes, and the first node that departs
 * from the truth.  Member "characterization" of a report.
 */
#ifndef REPORTS_CHARACTERIZATION_H
#define REPORTS_CHARACTERIZATION_H

#include "graph/json.h"
#include "oracles/verdict/verdict.h"

/* ELEMENTS: tensors of at most so many are shown whole. */
enum { CHARACTERIZATION_ELEMENTS = 16 };

/* One variant that was judged. */
struct variant_row {
	const char **cell;  /* [n_column] of its table */
	const char *engine; /* NULL: the report's */
	enum verdict verdict;
	enum reason reason;  /* of undecided */
	bool decided, fails; /* neither unsupported nor undecided; a finding */
	/* Where the verdict is about a number: which tensor, and the number. */
	const char *of; /* NULL: it is about none */
	double expected, returned, radius;
	/* The tensor that the number is in, where both are known: 2 to CHARACTERIZATION_ELEMENTS elements, or NULL. */
	int n_element;
	double *element_expected, *element_returned;
	bool has_sum; /* of 2 and more elements */
	double sum_expected, sum_returned;
	const char *text; /* what the engine said of itself, or "" */
	int case_number;  /* in cases[] */
};

struct variant_table {
	const char *id, *title, *varies;
	int n_column;
	const char *const *column;
	int n_row, row_room;
	struct variant_row *row;
};

/* Rows of one table. */
struct support {
	int table, n_row;
	int *row;
};

/* SHOWN of the failure, RULED_OUT as its cause, OPEN: could not be decided. */
enum statement_kind { STATEMENT_SHOWN, STATEMENT_RULED_OUT, STATEMENT_OPEN, STATEMENT_KINDS };
extern const char *const statement_kind_names[STATEMENT_KINDS];

struct statement {
	const char *id, *text;
	enum statement_kind kind;
	int n_support;
	struct support *support;
};

enum { CONDITION_TERMS = 3 };

/* Features or their negations, all of them or any (none: always, every variant fails): fails where it holds, passes
 * where it does not, but for the exceptions. */
struct condition {
	bool any, always;
	int n_term;
	struct condition_term {
		const char *feature, *sentence;
		bool holds;
	} term[CONDITION_TERMS];
	const char *text;
	int failing, failing_with; /* variants that fail; of them, those where it holds */
	int passing, passing_without;
	int n_exception;
	struct support *exception;
	int n_alternative;
	const char **alternative;
	int held_out, predicted; /* fresh variants that were decided, and those predicted right; 0: not measured */
};

struct departure {
	int line; /* of the printed program; -1: none */
	const char *op, *text, *sentence;
	struct support support;
};

struct characterization {
	int runs;
	bool finished;
	int n_skipped;
	const char **skipped;
	int n_table;
	struct variant_table *table;
	int n_statement;
	struct statement *statement;
	struct condition *condition; /* NULL: none */
	struct departure *departure; /* NULL: none */
	int n_case;
	const struct testcase **cases;
};

/* The object, as the next value. */
void characterization_put(struct json_writer *w, const struct characterization *x);

#endif
