/*
 * lookahead.h: answers of an engine to several cases, asked in one request before it is known which of them matter.
 *
 * For a search whose cases mostly show nothing, with an engine that takes several cases in one request.  Only an answer
 * that is no finding counts.  Any other case is asked about alone, as if nothing had been asked ahead.  So the search
 * ends in the same case and counts as the same work, unless the engine answers a case otherwise when it is asked
 * together with others.  Trials count more answers (rehearse.h).
 */
#ifndef FUZZ_BENCH_LOOKAHEAD_H
#define FUZZ_BENCH_LOOKAHEAD_H

#include "bench.h"

struct lookahead;

/* For an engine of the bench, and as many cases as it wants in `requests` requests.  NULL: it takes one case in a
 * request.  To be closed. */
struct lookahead *lookahead_open(struct bench *b, struct engine *engine, int requests);
void lookahead_close(struct lookahead *self);

/*
 * How many cases are worth asking next.  It begins with 1, which is not worth a request, and doubles with every call,
 * up to what the engine wants.  A success makes it 1 again: what was asked ahead was in vain then.  After a request
 * that ended badly it is 1 until a success.
 */
int lookahead_room(struct lookahead *self);
void lookahead_succeeded(struct lookahead *self);

/* Forgets all cases. */
void lookahead_clear(struct lookahead *self);
/* Adds a copy of c to the cases of the next request.  False: there is no memory for more. */
bool lookahead_add(struct lookahead *self, const struct testcase *c);
int lookahead_count(const struct lookahead *self);
/* Asks about the cases that were added and not asked yet.  One that would be alone in its request is not asked. */
void lookahead_ask(struct lookahead *self);
/* Whether c is among the cases that were asked, or will be. */
bool lookahead_has(const struct lookahead *self, const struct testcase *c);
/* The answers to c, one for each point, until lookahead_clear.  NULL: it was not asked, or there is no answer to count
 * on.
 */
const struct answer *lookahead_answers(const struct lookahead *self, const struct testcase *c);
/* Seconds that the last lookahead_ask took. */
double lookahead_seconds(const struct lookahead *self);

#endif
