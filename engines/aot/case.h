/* case.h: a case as one derived program, and its results as an answer: what engines that run derived programs share. */
#ifndef ENGINES_AOT_CASE_H
#define ENGINES_AOT_CASE_H

#include "graph/answer.h"
#include "table.h"

/*
 * The program whose results answer c: the primal alone for an empty request.  ANSWER_OK, or ANSWER_UNSUPPORTED with the
 * reason, which begins with the engine's name.
 */
enum answer_status aot_case_program(const struct aot_rules *rules, const struct testcase *c, const char *engine,
    struct arena *a, struct program *derived, const char **text);

/* Runs `code`, that program in whatever form the engine gave it, as interpret_program would. */
typedef void aot_run_fn(void *code, const struct tensor *input, struct arena *a, struct tensor *result);

/* Answers for one point by running the program once. */
void aot_case_answer(const struct testcase *c, const struct program *derived, const struct tensor *point,
    aot_run_fn *run, void *code, struct arena *a, struct answer *out);

#endif
