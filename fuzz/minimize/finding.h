/* finding.h: minimizes a finding of one engine, and takes the other findings that the search meets. */
#ifndef FUZZ_MINIMIZE_FINDING_H
#define FUZZ_MINIMIZE_FINDING_H

#include "minimize.h"
#include "fuzz/bench/question.h"

/*
 * Minimizes a finding.  same: its bench, signature, until, spent, refuse and slips.  Candidates are judged in short.
 * The smallest one is then judged in full, in fresh processes.  If it shows nothing, the search begins again, and
 * judges every candidate in full and in a fresh process.  *small and its judgement *r live in `a`.  False: *small,
 * which may be `from`, does not show the finding in the end.  If same->ends ends the search, it returns true, and *r is
 * not set.
 */
bool minimize_finding(const struct question *same, const struct testcase *from, int budget, struct arena *a,
    struct testcase *small, struct bench_result *r, struct minimize_statistics *stats) MUST_CHECK;

/*
 * Whether a search that needs no truths comes to a case at which same->ends ends it, and that case shows the finding.
 * It tries at most `budget` candidates; a candidate holds if the engine answers it unlike a right one.  False for an
 * engine from outside.
 */
bool finding_ends_soon(const struct question *same, const struct testcase *from, int budget, struct arena *a);

/*
 * Calls `take` for every slip that a fresh engine shows, judged in full.  right_on: see bench_open_against.  It ends
 * when `until` (NULL: never) is over.  Returns the work of judging them (bench_work).
 */
typedef void take_slip_fn(void *context, const char *signature, const struct testcase *c);
int64_t slips_take(const struct slips *slips, const char *spec, const char *right_on, const struct limit *until,
    take_slip_fn *take, void *context);

#endif
