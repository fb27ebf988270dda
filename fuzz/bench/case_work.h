/*
 * case_work.h: an estimate of what it costs to judge a case, beside its truth.  It is counted, not timed, so it is the
 * same everywhere.  The unit is that of the oracles (oracles/evaluate/work.h): a nanosecond of one machine.
 */
#ifndef FUZZ_BENCH_CASE_WORK_H
#define FUZZ_BENCH_CASE_WORK_H

#include "graph/testcase.h"

enum {
	WORK_MILLISECOND = 1000000,
	WORK_PROCESS = 12 * WORK_MILLISECOND, /* to start a process of an engine */
	WORK_EXTERNAL = 3 * WORK_MILLISECOND, /* a request to an engine from outside */
	WORK_DRAW = WORK_MILLISECOND / 10     /* to draw a case, and to ask a built-in engine about it */
};

/*
 * What it costs to make candidate c of a search and to ask a built-in engine about it.  It counts the scalars that the
 * program computes at all points of c, if every loop runs as often as it may.
 */
int64_t case_work(const struct testcase *c);
/*
 * The same for one request to the engine of that spec, which is built in.  Derivatives of higher order and engines that
 * write a derivative program cost more, as measured.
 */
int64_t request_work(const struct testcase *c, const char *spec);

#endif
