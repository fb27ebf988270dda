/*
 * wire.h: what passes between adjudge and an engine in another process after its hello (hello.h), JSON Lines:
 *
 *   {"id":7,"cases":[CASE,...]}                                      a request; CASE as in a case file
 *   {"id":7,"answers":[[POINT,...],...]}                             its answer: of every case, of every point
 *   {"id":7,"error":"..."}                                           or that it could not be read
 *   {"id":7,"emit":[CASE,...]}  {"id":7,"sources":["...",...]}        cases as source text, and that; of engines that
 * emit POINT: {"status":"ok","primal":[TENSOR,...],"derivative":[TENSOR,...],"input_modified":false}, the last member
 * optional, or {"status":"unsupported","text":"..."}, or "error": the engine itself failed, as by an exception of its
 * own TENSOR: {"type":"f64[2]","data":["0x1p+0",2.5]}                  flat, row-major; one bare element for rank 0 is
 * fine too
 */
#ifndef ENGINES_PROCESS_WIRE_H
#define ENGINES_PROCESS_WIRE_H

#include "graph/answer.h"
#include "hello.h"

/* No newline; NUL-terminated, in the arena: as all that is written here.  Expectations and provenance stay at home. */
char *wire_write_request(long id, const struct testcase *c, int n, enum json_reals reals, struct arena *a, size_t *len);
/* The same with "emit" for "cases": it is to be answered with source text. */
char *wire_write_emission(
    long id, const struct testcase *c, int n, enum json_reals reals, struct arena *a, size_t *len);
/* *id is set as soon as it is known, and 0 before.  False with the reason when the line is no request, or a case is no
 * valid case. */
bool wire_read_request(
    const char *line, size_t len, struct arena *a, long *id, struct testcase **c, int *n, struct error *e) MUST_CHECK;

/* answers[n]: c[k].n_point each.  Only ANSWER_OK, ANSWER_UNSUPPORTED and ANSWER_CRASH (an error of the engine's own)
 * travel. */
char *wire_write_answers(
    long id, const struct testcase *c, struct answer *const *answers, int n, struct arena *a, size_t *len);
/* An answer of status ANSWER_FAILURE at the other end. */
char *wire_write_error(long id, const char *text, struct arena *a, size_t *len);
/* Into out[n], c[k].n_point each.  False with the reason when the line is not an answer to request `id` with these
 * cases. */
bool wire_read_answers(const char *line, size_t len, long id, const struct testcase *c, struct answer *const *out,
    int n, struct arena *a, struct error *e) MUST_CHECK;

/* The answer to an emission: {"id":7,"sources":["...",...]}, a text each case, into source[n]; in the arena. */
bool wire_read_sources(
    const char *line, size_t len, long id, int n, struct arena *a, const char **source, struct error *e) MUST_CHECK;

#endif
