/*
 * case_text.h: cases as text, as tests write them and as `adjudge show` prints them.
 *
 *   inputs x: f64[], n: i64[]
 *   y = for (x) trip=3 {
 *     params i, acc
 *     next = mul acc, x
 *     yield next
 *   }
 *   z = div y, 2                             # a number as an operand is a constant of its own, an f64[]
 *   return z
 *   point 0: x = 1.5, n = 2
 *   request: vjp with respect to x; cotangents 1
 *       then jvp with respect to x; tangents 1
 *
 * A statement ends with its line or with a `;`.  A `#` begins a comment.  What may be left out, and what it then means:
 *
 * - inputs: the program has none.
 * - types of results: the inferred ones.  A constant is f64 or bool, a scalar or a vector.
 * - types of parameters: those that the op gives them.
 * - stride: 1 along each axis.
 * - names in a point: the inputs in their order, as in `point 1.5, 2`.  Number and colon are optional.
 * - request: the primal alone.
 * - with respect to: all inputs.  `vjp x` is short for `vjp with respect to x`, `batch x` for `batch over x`.
 * - cotangents, tangents: 1 in each float element, 0 in the others.
 *
 * The elements of a tensor are a flat list, and a scalar stands without brackets.  Decimals are rounded to the dtype.
 * Hex floats (0x1.8p-1), nan, inf and -inf are exact.  A printed literal that was cut ("...") cannot be read.
 */
#ifndef TESTS_SUPPORT_CASE_TEXT_H
#define TESTS_SUPPORT_CASE_TEXT_H

#include "graph/testcase.h"

/*
 * Reads a case; it is checked (testcase_check) and lives in the arena.  False with an error whose place is
 * "line L, column C".
 */
bool case_text_read(const char *text, struct arena *a, struct testcase *out, struct error *e);

/* The same.  Text that is no case is a failed check, and the case that comes back is empty. */
struct testcase test_case(struct arena *a, const char *text);

/*
 * The same of the function that `body` computes as y: "inputs INPUTS", body, "return y", "point POINT" and, unless it
 * is empty, "request: REQUEST".
 */
struct testcase test_function(
    struct arena *a, const char *inputs, const char *body, const char *point, const char *request);

/* The same of JSON in which ' stands for ". */
struct testcase test_case_json(struct arena *a, const char *text);

/* A copy of JSON text with " for each '; NUL-terminated. */
char *json_text(struct arena *a, const char *text);
/* The same of `len` bytes. */
char *json_bytes(struct arena *a, const char *text, size_t len);

#endif
