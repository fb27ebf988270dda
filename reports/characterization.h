/*
 * characterization.h: the results of the experiments around a case, member "characterization" of a report.  They are
 * tables of judged variants, and statements with the rows that support them.  There may also be the condition that
 * separates failing from passing variants, and the first node that departs from the truth.
 */
#ifndef REPORTS_CHARACTERIZATION_H
#define REPORTS_CHARACTERIZATION_H

#include "graph/json.h"
#include "oracles/verdict/verdict.h"

/* Tensors of at most this many elements are shown whole. */
enum { CHARACTERIZATION_ELEMENTS = 16 };

/* One judged variant. */
struct variant_row {
	const char **cell;  /* [n_column] of its table */
	const char *engine; /* NULL: the engine of the report */
	enum verdict verdict;
	enum reason reason; /* why it is undecided */
	/* Neither unsupported nor undecided, nor a failure of another kind; the verdict is a finding. */
	bool decided, fails;
	/* The number that the verdict is about, and the name of its tensor. */
	const char *of; /* NULL: the verdict is not about a number */
	double expected, returned, radius;
	/* All elements of that tensor if it has 2 to CHARACTERIZATION_ELEMENTS; else NULL. */
	int n_element;
	double *element_expected, *element_returned;
	bool some_right; /* elements of the tensor are right, decided and not 0 */
	bool has_sum;    /* the tensor has at least 2 elements: their sums */
	double sum_expected, sum_returned;
	const char *text; /* the engine's message, or "" */
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

/* SHOWN: an observation.  RULED_OUT: a cause that is ruled out.  OPEN: could not be decided. */
enum statement_kind { STATEMENT_SHOWN, STATEMENT_RULED_OUT, STATEMENT_OPEN, STATEMENT_KINDS };
extern const char *const statement_kind_names[STATEMENT_KINDS];

struct statement {
	const char *id, *text;
	enum statement_kind kind;
	int n_support;
	struct support *support;
};

enum { CONDITION_TERMS = 3 };

/* Up to three features or negated features.  Apart from the exceptions, variants fail where all of them hold (or any),
 * and pass elsewhere.  always: every variant fails, or nearly every one, and there are no terms. */
struct condition {
	bool any, always;
	int n_term;
	struct condition_term {
		const char *feature, *sentence;
		bool holds;
	} term[CONDITION_TERMS];
	const char *text;
	int failing, failing_with;    /* failing variants; those of them where the condition holds */
	int passing, passing_without; /* passing variants; those of them where it does not hold */
	int n_exception;
	struct support *exception;
	int n_alternative;
	const char **alternative;
	int held_out, predicted; /* decided new variants, and those predicted right; 0: not measured */
};

struct departure {
	int line; /* of the printed program; -1: not found */
	const char *op, *text, *sentence;
	struct support support;
};

/* The typical case beside the smallest, with what was judged there.  c NULL: the smallest case is typical. */
struct typical_case {
	const struct testcase *c;
	const struct truth *truth;
	const struct answer *answers; /* [c->n_point] */
	const struct judgement *judgement;
	int tried, kept; /* candidates of its growth */
};

struct characterization {
	struct typical_case typical;
	const char *cause; /* a paragraph for a maintainer; NULL: none */
	int runs;
	bool finished;
	int n_skipped;
	const char **skipped;
	int n_table;
	struct variant_table *table;
	int n_statement;
	struct statement *statement;
	struct condition *condition; /* separates the variants of the smallest case best; NULL: none */
	struct condition
	    *told; /* about the operands to blame, as the cause tells it; NULL: not determined, or always */
	struct departure *departure; /* NULL: none */
	int n_case;
	const struct testcase **cases;
};

/* Writes the object as the next value. */
void characterization_put(struct json_writer *w, const struct characterization *x);

#endif
