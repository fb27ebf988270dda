/*
 * stack.h: requests of several levels (graph/request.h) put to an engine that answers one transform of one program.
 *
 * The outermost level that differentiates is the engine's own.  The levels below it become its program: derivatives and
 * batches by aot_levels, seeds as constants; an engine that composes gets them as they are.  Batches above it are
 * answered slice by slice.
 */
#ifndef ENGINES_AOT_STACK_H
#define ENGINES_AOT_STACK_H

#include "engines/engine.h"

/* Whether the request is more than one jvp or vjp. */
bool stack_needed(const struct testcase *c);

/* The levels of the request without the batches above all that differentiates. */
int stack_inner(const struct testcase *c);

/* Those of struct engine_kind, for a case that needs a stack: prepare asks the engine's own prepare for the case of one
 * level. */
enum answer_status stack_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text);
void stack_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out);

#endif
