/* library.h: an engine that is a shared object (adjudge_engine.h).  A worker process loads it. */
#ifndef ENGINES_PROCESS_LIBRARY_H
#define ENGINES_PROCESS_LIBRARY_H

#include "graph/answer.h"
#include "hello.h"

struct library;

/* Loads the object.  *hello is the engine's hello, with its strings in the arena.  NULL with the reason in e. */
struct library *library_open(const char *path, struct arena *a, struct hello *hello, struct error *e) MUST_CHECK;
/* Answers every point of c: out[c->n_point], in the arena. */
void library_answer(struct library *self, const struct testcase *c, struct arena *a, struct answer *out);
/* The object stays loaded, because it may have left threads. */
void library_close(struct library *self);

#endif
