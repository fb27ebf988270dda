/* view.h: what the renderings for people take from a report. */
#ifndef REPORTS_VIEW_H
#define REPORTS_VIEW_H

#include "graph/testcase.h"
#include "render.h"

/* A number as the shortest decimal that gives back the same binary64; a text as it is; "" where there is no such
 * member. */
const char *view_number(const struct json *object, const char *key, struct arena *a);
const char *view_number_value(const struct json *v, struct arena *a);
/* "[0, 0.5, ...]", or the number alone. */
const char *view_numbers(const struct json *list, struct arena *a);
/* What a row of an experiment has of "expected" or "returned": its elements, its sum, or its number. */
const char *view_value(const struct json *row, const char *key, struct arena *a);
/* The report's "expected" or "returned": as a decimal, exactly where it has none, or by its type. */
const char *view_side(const struct json *report, const char *side, struct arena *a);
/* How many leading characters two numbers have in common: what stands out is the rest.  0 where signs, exponents or
 * places differ. */
int view_common(const char *x, const char *y);
/* The case of the report; false: it has none that can be read. */
bool view_case(const struct json *report, struct arena *a, struct testcase *out);
/* An element list of a tensor in short. */
const char *view_tensor(const struct tensor *t, struct arena *a);
/* The words as one word of a shell. */
const char *view_shell_word(const char *text, struct arena *a);
/* The engine's spec, and in parentheses its version where the report has one. */
const char *view_engine(const struct json *report, struct arena *a);
/* "adjudge run FILE --engine SPEC". */
const char *view_command(const struct json *report, const char *file, struct arena *a);
/* "adjudge emit --format jax FILE", and how to learn of the other formats. */
const char *view_emit_command(const char *file, struct arena *a);
/* How far the returned number is from the expected one, and what is allowed; "" where one of them is no finite number.
 */
const char *view_difference(const struct json *report, struct arena *a);
const char *view_allowed(const struct json *report, struct arena *a);
/* "agrees, at 128 bits" ... of the finite-difference oracle, and the analytic one's ties. */
const char *view_evidence(const struct json *report, struct arena *a);

#endif
