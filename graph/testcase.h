/* testcase.h: the case, the pivot of the project: program, points, request, expectation. */
#ifndef GRAPH_TESTCASE_H
#define GRAPH_TESTCASE_H

#include "request.h"

/* An expectation about one engine spec, "*" for every right built-in engine, or (engine NULL) about the truth. */
struct expectation {
	const char *engine;
	const char *verdict; /* verdict name (verdicts.def), or NULL: not stated */
	/*
	 * Decimal literals, "nan", "inf", "-inf", per derivative and element, flattened: the value rounded to as many
	 * digits as the literal has must equal it.  n = 0: not stated.
	 */
	int n;
	const char **returned;
};

/* Where a case came from and what it shows; every string may be NULL. */
struct provenance {
	const char *title, *source, *comment;
};

struct testcase {
	struct program program;
	int n_point;
	struct tensor *
	    *point;      /* [n_point][n_input], of the types that the inputs have on the outermost level (request.h) */
	int n_transform; /* 0: the primal alone; innermost first */
	struct transform *transform;
	int n_expect;
	struct expectation *expect;
	struct provenance provenance;
};

/* Whether the case is valid: program_check, points and seeds of the right types, request within limits. */
bool testcase_check(const struct testcase *c, struct error *e) MUST_CHECK;
struct testcase testcase_copy(const struct testcase *c, struct arena *a);
/* Same program, points and request, bit for bit. */
bool testcase_equal(const struct testcase *a, const struct testcase *b);
uint64_t testcase_hash(const struct testcase *c);
/* The outermost level of the request (c is checked). */
struct signature testcase_signature(const struct testcase *c);

/* ---- case JSON (case_read.c, case_write.c): the one file format, schema graph/case.schema.json ---- */

/*
 * Reads a case, or the case inside a report (its member "case").  text[len]; need not be NUL-terminated.  Strict:
 * unknown and duplicate keys, wrong types, inexact numbers are errors with a place.  The result is checked
 * (testcase_check) and lives in the arena.
 */
bool testcase_read(const char *text, size_t len, struct arena *a, struct testcase *out, struct error *e) MUST_CHECK;
/* The same of a value that was read already. */
struct json;
bool testcase_read_value(const struct json *v, struct arena *a, struct testcase *out, struct error *e) MUST_CHECK;
/* The same; the place of an error is prefixed by the path that the text came from. */
bool testcase_read_named(
    const char *path, const char *text, size_t len, struct arena *a, struct testcase *out, struct error *e) MUST_CHECK;
/* The same from a file: regular, at most LIMIT_CASE_BYTES; "-" is standard input. */
bool testcase_read_file(const char *path, struct arena *a, struct testcase *out, struct error *e) MUST_CHECK;
/* Canonical JSON, indented for people, one node a line, ending in a newline; *len bytes, NUL-terminated, in the arena.
 */
char *testcase_write(const struct testcase *c, struct arena *a, size_t *len);
/* The same on one line without spaces (for fuzzing engines and the wire). */
char *testcase_write_compact(const struct testcase *c, struct arena *a, size_t *len);
/* The case as one value of a larger text, as in a report. */
struct json_writer;
void testcase_put(struct json_writer *w, const struct testcase *c);
/* Elements as the case format has them: a flat array, or one bare element for rank 0. */
void tensor_put(struct json_writer *w, const struct tensor *t);
bool tensor_read(
    const struct json *v, const struct type *t, struct arena *a, struct tensor *out, struct error *e) MUST_CHECK;
/* For people: provenance, program_print, points and request. */
char *testcase_print(const struct testcase *c, struct arena *a);

/* ---- reals as text (real.c) ---- */

enum { REAL_TEXT = 40 };
/* Hex float ("0x1.8p-1"), "nan", "inf", "-inf"; exact.  Returns buf. */
char *real_print(double x, char buf[REAL_TEXT]);
/*
 * x with as few significant digits, `least` at least, as dtype d reads back as x: 0.1 is short for the nearest f16,
 * too.  Also "nan", "inf",
 * "-inf".  Returns buf.
 */
char *real_decimal(double x, enum dtype d, int least, char buf[REAL_TEXT]);
/* How many digits these are, 17 at most. */
int real_digits(double x, enum dtype d, int least);
/* Reads what real_print writes and any other lower-case hex float that is exactly a binary64; whole string; false else.
 */
bool real_parse(const char *text, double *x);
/* The value of float dtype d nearest to a decimal number in the grammar of JSON, rounded once, ties to even; infinite
 * when it is too large. */
double real_nearest(const char *text, enum dtype d);
/*
 * Whether x, rounded to the digits the decimal literal has, is that literal ("1.3125", "-3", "3e-06", "nan").
 * False also when `text` is no such literal.
 */
bool real_matches_decimal(double x, const char *text);
/* Whether `text` is such a literal. */
bool real_is_decimal(const char *text);

#endif
