/*
 * rehearse.h: trials that ask an engine about many cases, one by one, with the answers of few requests.
 *
 * The trials run three times.  In the two rehearsals no engine is asked: each case that has no answer yet is noted, and
 * a guess takes the place of the answer.  First every case is guessed to be a finding, then every new one to be right.
 * After each rehearsal the noted cases are asked together.  If a guess was wrong, the
 * last run may need other cases, and asks about each of them alone.
 *
 * In that run a wrong number that was given ahead counts as a finding.  A trial says what a finding needs; it is no
 * finding of its own.  Any other failure is asked about alone.
 */
#ifndef FUZZ_BENCH_REHEARSE_H
#define FUZZ_BENCH_REHEARSE_H

#include "question.h"

/* Asks q about cases.  It may run several times: only the last run counts, and writes over what the others wrote.  It
 * asks by case_shows and question_answers alone. */
typedef void trials_fn(void *context, const struct question *q, struct arena *a);

/*
 * Runs the trials with q.  They are rehearsed if the engine takes several cases in one request, and one run of each
 * case is enough.  The work that is counted is the same.
 */
void rehearse(const struct question *q, trials_fn *trials, void *context, struct arena *a);

#endif
