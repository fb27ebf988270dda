/* misbehave.h: the worker that test_worker.c judges. */
#ifndef TESTS_ENGINES_PROCESS_MISBEHAVE_H
#define TESTS_ENGINES_PROCESS_MISBEHAVE_H

#include "graph/testcase.h"

/* One input f64[], result x + x, one point, primal request. */
struct testcase small_case(struct arena *a);
/* Waits until a signal ends the process. */
void say_nothing_for_ever(void) __attribute__((noreturn));
/* Serves as the worker of that spec, test-NAME.  Returns the exit code, if it returns. */
int misbehave(const char *spec);

#endif
