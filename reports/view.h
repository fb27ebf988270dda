/* view.h: parts of a report as text for people; the renderings share them. */
#ifndef REPORTS_VIEW_H
#define REPORTS_VIEW_H

#include "graph/testcase.h"
#include "render.h"

/* A number as the shortest decimal that reads back as the same binary64; a text as it is; "" if the member is missing.
 */
const char *view_number(const struct json *object, const char *key, struct arena *a);
const char *view_number_value(const struct json *v, struct arena *a);
/* "[0, 0.5, ...]", or the number alone. */
const char *view_numbers(const struct json *list, struct arena *a);
/* Whether the "expected" of a row is no truth, but the first of two answers that differ. */
bool view_is_first(const struct json *row);
/* The "expected" or "returned" of a row of an experiment: the elements if they are there, else the sum or the number.
 */
const char *view_value(const struct json *row, const char *key, struct arena *a);
/* The returned number over the expected one; "1-2.3e-15" where they are too close for a few digits.  "" if the row has
 * no ratio. */
const char *view_ratio(const struct json *row, struct arena *a);
/* The report's "expected" or "returned": the decimal; else the exact value; else the type. */
const char *view_side(const struct json *report, const char *side, struct arena *a);
/* "0 or 1": what is accepted at a tie beside the expected number; "": nothing. */
const char *view_others(const struct json *report, struct arena *a);
/* How many leading characters two numbers share, so that the rest can be marked.  0 if sign, exponent or the number of
 * integer digits differs. */
int view_common(const char *x, const char *y);
/* The object that stands first: member "typical" if the report has one, else the report.  Both have where, expected,
 * returned, points, program and case. */
const struct json *view_first(const struct json *report);
/* The paragraph on the cause; "" if there is none. */
const char *view_cause(const struct json *report);
/* The title: the first sentence on the cause, else the summary. */
const char *view_title(const struct json *report, struct arena *a);
/* The sentences of the cause that follow the one of the title; "": there are none. */
const char *view_after_title(const struct json *report);
/* The case of the report; false: it has none that can be read. */
bool view_case(const struct json *report, struct arena *a, struct testcase *out);
/* The elements of a tensor, at most 16 of them. */
const char *view_tensor(const struct tensor *t, struct arena *a);
/*
 * The points of a case, those that are shown: "v0 = 0.5, v1 = [1, 2]", the inputs at the one point.  Of several points
 * the first ones and the judged one, with their numbers: "point 0: v0 = 0.5"; then how many others there are.  NULL
 * ends the list.  It is empty if the case has no inputs.
 */
const char *const *view_points(const struct testcase *c, int judged, struct arena *a);
/* "vjp with respect to v0; cotangents 1": the request with its seeds, if the object has a case; else its member. */
const char *view_request(const struct json *object, struct arena *a);
/* Quotes the text as one word of a shell, if it needs that. */
const char *view_shell_word(const char *text, struct arena *a);
/* The engine's name, followed by its version in parentheses, and by the spellings that are not the first, where the
 * report has them. */
const char *view_engine(const struct json *report, struct arena *a);
/* "--engine [NAME=]SPEC", for a shell. */
const char *view_engine_option(const struct json *report, struct arena *a);
/* "adjudge report FILE --engine [NAME=]SPEC", with a shell comment; "" if the report has experiments. */
const char *view_report_command(const struct json *report, const char *file, struct arena *a);
/* "adjudge run FILE --engine [NAME=]SPEC". */
const char *view_command(const struct json *report, const char *file, struct arena *a);
/* "adjudge emit --format FORMAT FILE", with a shell comment on the formats. */
const char *view_emit_command(const char *file, struct arena *a);
/* How far the returned number is from the expected one; how far it may be.  "" if that is not finite. */
const char *view_difference(const struct json *report, struct arena *a);
const char *view_allowed(const struct json *report, struct arena *a);
/* "The condition holds for 9 of 10 variants that fail and for 0 of 5 that pass.", from the condition of a
 * characterization. */
const char *view_counts(const struct json *condition, struct arena *a);
/* The condition to show of a characterization: what is told, else what separates the variants if it does so well; NULL:
 * none. */
const struct json *view_shown_condition(const struct json *characterization);
/* The same after the condition itself, unless the paragraph on the cause has it. */
const char *view_condition(const struct json *report, const struct json *condition, struct arena *a);
/* The statements of a characterization, those that matter most first; NULL ends the list. */
enum { STATEMENTS_FIRST = 8 };
const struct json *const *view_statements(const struct json *list, struct arena *a);
/* A sentence or two on what the oracles say: whether finite differences agree, and whether there is a kink. */
const char *view_evidence(const struct json *report, struct arena *a);

#endif
