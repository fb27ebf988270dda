/*
 * external.h: engines from outside, behind the protocol of wire.h: specs `proc:COMMAND` and `so:PATH`.
 *
 * An engine says in its hello what it knows and how it wants its cases.  Here each case is changed accordingly, and the
 * answers are changed back.
 */
#ifndef ENGINES_PROCESS_EXTERNAL_H
#define ENGINES_PROCESS_EXTERNAL_H

#include "engines/engine.h"

/* Whether the spec is one of these. */
bool external_spec(const char *spec);
/*
 * Starts the engine of engine->spec and reads its hello, which makes engine->kind.  Its functions are place_external
 * (instance.h).  False with the reason in e.
 */
bool external_open(struct engine *engine, struct error *e) MUST_CHECK;

#endif
