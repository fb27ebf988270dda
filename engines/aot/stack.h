/*
 * stack.h: answers requests of several levels (graph/request.h) with an engine that answers one transform of one
 * program.
 *
 * The outermost level that differentiates is the engine's own.  The levels below it become the engine's program:
 * aot_levels writes derivatives and batches, with seeds as constants.  An engine that composes gets these levels as
 * they are.  Batches above the engine's own level are answered slice by slice.
 */
#ifndef ENGINES_AOT_STACK_H
#define ENGINES_AOT_STACK_H

#include "engines/engine.h"

/* Whether the request is more than one jvp or vjp. */
bool stack_needed(const struct testcase *c);

/* The number of levels without the batches above all levels that differentiate. */
int stack_inner(const struct testcase *c);

/*
 * The functions of struct engine_kind, for a case that needs a stack. stack_prepare calls the engine's own prepare with
 * the case of one level.
 */
enum answer_status stack_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text);
void stack_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out);

#endif
