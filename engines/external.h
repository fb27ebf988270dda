/*
 * external.h: engines that are not ours, behind the protocol of wire.h: specs `proc:COMMAND` and `so:PATH`.
 *
 * An engine says in its hello what it knows and how it wants to be told; what that asks of a case is done here, and undone in the answers.
 */
#ifndef ENGINES_EXTERNAL_H
#define ENGINES_EXTERNAL_H

#include "engine.h"
#include "hello.h"

struct external;

/* Whether the spec is one of these. */
bool external_spec(const char *spec);
/* Starts it and hears its hello.  NULL with the reason in e. */
struct external *external_open(const char *spec, struct error *e);
void external_close(struct external *self);
/* The next case is answered by a fresh process. */
void external_restart(struct external *self);
/* Another time limit for one request. */
void external_set_timeout(struct external *self, int timeout_ms);
/* What the hello makes of it as an engine of ours; valid until external_close. */
const struct engine_kind *external_kind(const struct external *self);
const struct hello *external_hello(const struct external *self);
/* Its process (worker.h). */
void *external_worker(const struct external *self);
/* Dtypes and ops that it knows, or that are said otherwise to it. */
struct engine_scope external_scope(const struct external *self);
/* Answers all points of c: out[c->n_point], in the arena.  rules: for op derivative, which is written out where the engine does not know it. */
struct aot_rules;
void external_answer(
    struct external *self, const struct aot_rules *rules, const struct testcase *c, struct arena *a, struct answer *out);
/* As engine_send and engine_receive (engine.h). */
void external_send(
    struct external *self, const struct aot_rules *rules, const struct testcase *c, int n, struct arena *a, struct answer *const *out);
bool external_receive(struct external *self);

/*
 * c as source text for the engine alone, point by point where it is told what is executed at one: sources[*n], in the arena.  Only of an engine whose
 * command was told to emit (../engines/external/adapter.py).  False with the reason.
 */
bool external_emit(struct external *self, const struct aot_rules *rules, const struct testcase *c, struct arena *a, const char ***sources, int *n,
    struct error *e);

#endif
