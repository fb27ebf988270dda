/* run_numbers.h: the numbers of an answer beside those of the truth, as JSON. */
#ifndef FUZZ_CLI_RUN_NUMBERS_H
#define FUZZ_CLI_RUN_NUMBERS_H

#include "fuzz/bench/bench.h"
#include "graph/json.h"

/* Lists the derivative components (for a primal request, those of the primal) beside the returned numbers, at most 4096
 * of them. */
void run_put_components(struct json_writer *w, const struct testcase *c, const struct truth *t,
    const struct answer *answers, const struct judgement *j);
/* The value of the program that the engine returned; at most 4096 numbers. */
void run_put_value(struct json_writer *w, const struct answer *a);
/* Compares an inaccurate number with the result of a good formula; null for other verdicts. */
void run_put_accuracy(struct json_writer *w, const struct judgement *j);

#endif
