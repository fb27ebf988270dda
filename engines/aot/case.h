/*
 * case.h: a case as one derivative program, and its results as an answer.  Engines that run derivative programs share
 * this.
 */
#ifndef ENGINES_AOT_CASE_H
#define ENGINES_AOT_CASE_H

#include "engines/engine.h"
#include "graph/answer.h"
#include "table.h"

/*
 * Writes the program whose results answer c; for an empty request, that is the primal alone.  Returns ANSWER_OK, or
 * ANSWER_UNSUPPORTED with the reason, which begins with the engine's name.
 */
enum answer_status aot_case_program(const struct aot_rules *rules, const struct testcase *c, const char *engine,
    struct arena *a, struct program *derived, const char **text);
/* The same, but takes the program from `share` if equal rules have written it there, and otherwise puts it there. NULL:
 * nothing is shared. */
enum answer_status aot_case_shared(const struct aot_rules *rules, const struct testcase *c, const char *engine,
    struct engine_share *share, struct arena *a, struct program *derived, const char **text);

/* Runs `code` as interpret_program would run the program.  `code` is the engine's own form of it. */
typedef void aot_run_fn(void *code, const struct tensor *input, struct arena *a, struct tensor *result);

/* Answers at one point by one run of the program. */
void aot_case_answer(const struct testcase *c, const struct program *derived, const struct tensor *point,
    aot_run_fn *run, void *code, struct arena *a, struct answer *out);

#endif
