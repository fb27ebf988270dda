/* testcase.h: the case, which goes through the whole project: program, points, request, expectations. */
#ifndef GRAPH_TESTCASE_H
#define GRAPH_TESTCASE_H

#include "request.h"

/* An expectation about one engine spec, about every right built-in engine ("*"), or about the truth (NULL). */
struct expectation {
	const char *engine;
	const char *verdict; /* name of a verdict (verdicts.def); NULL: not stated */
	/*
	 * Decimal literals, "nan", "inf" or "-inf", for all elements of all derivatives in order.  A value, rounded to
	 * as many digits as its literal has, must equal the literal.  n = 0: not stated.
	 */
	int n;
	const char **returned;
};

/* Where a case comes from and what it shows.  Every string may be NULL. */
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
	/*
	 * Which of its spellings an engine uses for each op, 0 to LIMIT_VARIANT (testcase_spelling).  It changes no
	 * derivative.  0: the first spelling of everything.
	 */
	int variant;
	int n_expect;
	struct expectation *expect;
	struct provenance provenance;
};

/* Whether the case is valid: the program, the types of points and seeds, and the limits of the request. */
bool testcase_check(const struct testcase *c, struct error *e) MUST_CHECK;
/* The same where the types of the program were inferred (program_check_inferred). */
bool testcase_check_inferred(const struct testcase *c, struct error *e) MUST_CHECK;
struct testcase testcase_copy(const struct testcase *c, struct arena *a);
/* Same program, points, request and variant, bit for bit. */
bool testcase_equal(const struct testcase *a, const struct testcase *b);
uint64_t testcase_hash(const struct testcase *c);
/* The outermost level of the request (c is checked). */
struct signature testcase_signature(const struct testcase *c);

/*
 * Which of n spellings, 0 to n - 1, a variant draws for `name`: that of an op, or "request" for the levels.  It depends
 * on nothing else, so a case keeps its spellings while it is minimized.  Adapters compute the same (PROTOCOL.md).
 */
int testcase_spelling(int variant, const char *name, int n);

/* ---- case JSON (case_read.c, case_write.c): the one file format, schema graph/case.schema.json ---- */

/*
 * Reads a case, or the member "case" of a report, from text[len].  Strict: unknown and duplicate keys, wrong types and
 * inexact numbers are errors with a place.  The result is checked (testcase_check) and lives in the arena.
 */
bool testcase_read(const char *text, size_t len, struct arena *a, struct testcase *out, struct error *e) MUST_CHECK;
/* The same from JSON that was read already. */
struct json;
bool testcase_read_value(const struct json *v, struct arena *a, struct testcase *out, struct error *e) MUST_CHECK;
/* The same; the place of an error begins with `path`. */
bool testcase_read_named(
    const char *path, const char *text, size_t len, struct arena *a, struct testcase *out, struct error *e) MUST_CHECK;
/* The same from a file: regular, at most LIMIT_CASE_BYTES; "-" is standard input. */
bool testcase_read_file(const char *path, struct arena *a, struct testcase *out, struct error *e) MUST_CHECK;
/* Canonical JSON for people: indented, one node per line, with a final newline.  *len bytes, NUL-terminated, in the
 * arena. */
char *testcase_write(const struct testcase *c, struct arena *a, size_t *len);
/* The same on one line without spaces, as engines in other processes receive it. */
char *testcase_write_compact(const struct testcase *c, struct arena *a, size_t *len);
/* Writes the case as one value of a larger text, such as a report. */
struct json_writer;
void testcase_put(struct json_writer *w, const struct testcase *c);
/* Elements in the case format: a flat array, or one bare element for rank 0. */
void tensor_put(struct json_writer *w, const struct tensor *t);
bool tensor_read(
    const struct json *v, const struct type *t, struct arena *a, struct tensor *out, struct error *e) MUST_CHECK;
/* For people: provenance, program_print, points and request. */
char *testcase_print(const struct testcase *c, struct arena *a);
/* The request alone, in one line, with at most `most` elements of a seed: "vjp with respect to v0; cotangents 1". */
char *testcase_print_request(const struct testcase *c, int most, struct arena *a);

/* ---- reals as text (real.c) ---- */

enum { REAL_TEXT = 40 };
/* Hex float ("0x1.8p-1"), "nan", "inf", "-inf"; exact.  Returns buf. */
char *real_print(double x, char buf[REAL_TEXT]);
/*
 * The shortest decimal, of at least `least` significant digits, that reads back as x in dtype d.  The f16
 * nearest to 0.1 is printed as "0.1".  Also "nan", "inf", "-inf".  Returns buf.
 */
char *real_decimal(double x, enum dtype d, int least, char buf[REAL_TEXT]);
/* The number of these digits, at most 17. */
int real_digits(double x, enum dtype d, int least);
/* Reads a lower-case hex float, as real_print writes it.  False unless the whole string is one and is exactly a
 * binary64. */
bool real_parse(const char *text, double *x);
/* The value of float dtype d nearest to a decimal number of JSON, rounded once, ties to even.  Infinite if it is too
 * large. */
double real_nearest(const char *text, enum dtype d);
/*
 * Whether x, rounded to as many digits as the decimal literal has, equals it ("1.3125", "-3", "3e-06", "nan").  False
 * if `text` is not a decimal literal.
 */
bool real_matches_decimal(double x, const char *text);
/* Whether `text` is a decimal literal. */
bool real_is_decimal(const char *text);

#endif
