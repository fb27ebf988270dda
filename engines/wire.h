/* wire.h: what passes between supervisor and worker, JSON Lines: a compact case there, this back. */
#ifndef ENGINES_WIRE_H
#define ENGINES_WIRE_H

#include "../graph/answer.h"

/* The first line of a worker: it is one, and for that engine.  No newline; NUL-terminated, in the arena. */
char *wire_write_hello(const char *spec, struct arena *a, size_t *len);
/* False with the reason when the line is not the hello of an engine `spec` (NULL takes any). */
bool wire_read_hello(const char *line, size_t len, const char *spec, struct arena *a, struct error *e);

/*
 * {"id":3,"answers":[{"status":"ok","primal":[{"type":"f64[2]","data":["0x1p+0","nan"]}],"derivative":[],
 * "input_modified":false},{"status":"unsupported","text":"..."}]} on one line without the newline; data as in a case.  Only
 * ANSWER_OK and ANSWER_UNSUPPORTED travel; `id` counts the cases of this process from 1.
 */
char *wire_write_answers(long id, const struct answer *answers, int n, struct arena *a, size_t *len);
/* {"id":3,"error":"..."}: the case could not be read; an answer of status ANSWER_FAILURE at the other end. */
char *wire_write_error(long id, const char *text, struct arena *a, size_t *len);
/* False with the reason when the line is not an answer of `n` points to request `id`. */
bool wire_read_answers(const char *line, size_t len, long id, struct answer *out, int n, struct arena *a, struct error *e);

#endif
