/*
 * wire.h: the lines between adjudge and an engine in another process, after its hello (hello.h).  JSON Lines:
 *
 *    {"id":7,"cases":[CASE,...]}                    a request; CASE as in a case file
 *    {"id":7,"answers":[[POINT,...],...]}           its answer: per case, per point
 *    {"id":7,"error":"..."}                         or: the request could not be read
 *    {"id":7,"emit":[CASE,...],"brief":true}        asks an engine that emits for source text; brief: optional
 *    {"id":7,"sources":["...",...]}                 its answer
 *    POINT   {"status":"ok","primal":[TENSOR,...],"derivative":[TENSOR,...],"input_modified":false},
 *            the last member optional; or {"status":"unsupported","text":"..."};
 *            or "error": the engine itself failed, for instance by an exception of its own
 *    TENSOR  {"type":"f64[2]","data":["0x1p+0",2.5]}, flat and row-major; at rank 0 also one bare element
 */
#ifndef ENGINES_PROCESS_WIRE_H
#define ENGINES_PROCESS_WIRE_H

#include "graph/answer.h"
#include "hello.h"

/*
 * Writes a request: no newline, NUL-terminated, in the arena, like all lines written here.  Expectations and provenance
 * of the cases are left out.
 */
char *wire_write_request(long id, const struct testcase *c, int n, enum json_reals reals, struct arena *a, size_t *len);
/* The same with "emit" instead of "cases", which asks for source text; brief: a short one. */
char *wire_write_emission(
    long id, const struct testcase *c, int n, bool brief, enum json_reals reals, struct arena *a, size_t *len);
/*
 * Reads a request.  *id is set as soon as it is known, and 0 before.  False with the reason when the line is no
 * request, or a case is not valid.
 */
bool wire_read_request(
    const char *line, size_t len, struct arena *a, long *id, struct testcase **c, int *n, struct error *e) MUST_CHECK;

/* Reads a request for source text.  *brief: for a short one. */
bool wire_read_emission(const char *line, size_t len, struct arena *a, long *id, struct testcase **c, int *n,
    bool *brief, struct error *e) MUST_CHECK;
/* Writes the answer to it, a text per case. */
char *wire_write_sources(long id, const char *const *source, int n, struct arena *a, size_t *len);

/*
 * Writes answers[n], c[k].n_point each.  Only ANSWER_OK, ANSWER_UNSUPPORTED and ANSWER_CRASH (the engine's own error)
 * travel.
 */
char *wire_write_answers(
    long id, const struct testcase *c, struct answer *const *answers, int n, struct arena *a, size_t *len);
/* Writes an error, which the other end reads as ANSWER_FAILURE. */
char *wire_write_error(long id, const char *text, struct arena *a, size_t *len);
/*
 * Reads answers into out[n], c[k].n_point each.  False with the reason when the line does not answer request `id` with
 * these cases.
 */
bool wire_read_answers(const char *line, size_t len, long id, const struct testcase *c, struct answer *const *out,
    int n, struct arena *a, struct error *e) MUST_CHECK;

/* Reads the answer to "emit", {"id":7,"sources":["...",...]}: a text per case, into source[n], in the arena. */
bool wire_read_sources(
    const char *line, size_t len, long id, int n, struct arena *a, const char **source, struct error *e) MUST_CHECK;

#endif
