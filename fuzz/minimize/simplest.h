/*
 * simplest.h: finds the simplest case behind a minimal one.  The minimizer keeps the coarse signature of a finding, so
 * one bug leaves several minimal cases, one for each of its faces.  They differ in the levels of the request, in the
 * deviation (zero here, wrong sign there), or in an op whose derivative uses the broken op.  The simplest case may show
 * any finding of the engine.  It is the same, or nearly the same, for most faces of one bug.
 */
#ifndef FUZZ_MINIMIZE_SIMPLEST_H
#define FUZZ_MINIMIZE_SIMPLEST_H

#include "fuzz/bench/question.h"

/*
 * Makes the simplest case from a minimal one, for which the engine of q->bench shows a finding.
 * 1.  It writes inner levels of the request, op derivative, fixed points and scatter_apply as a program (aot.h): as
 * many as possible while the engine gives the same wrong numbers.  The bug is then in an op of that program.
 * 2.  It minimizes the result under any finding, but adds no op: a smaller case of another bug usually needs another
 * op.  There is one exception.  If one iteration of a loop shows nothing, the loop is to blame, and it may become the
 * plainest loop, with the ops of that loop.
 *
 * The result is valid, shows a finding, and lives in `a`.  q: the bench, until and refuse; the analytic oracle judges
 * the candidates.  Deterministic like minimize(), which gets `budget`.  If q->until ends the search, the result is the
 * simplest case so far.
 */
struct testcase simplest_case(const struct question *q, const struct testcase *minimal, int budget, struct arena *a);

/*
 * Writes inner levels of the request, op derivative, fixed points and scatter_apply of c as a program: as many as
 * possible while the engine of `any` gives the same answers.  *out then is a case that the engine most likely runs as
 * it runs c.  It is not judged.  False: there is nothing to write, or no way of writing gives the same answers.
 */
bool written_alike(const struct question *any, const struct testcase *c, struct arena *a, struct testcase *out);
/* Writes all levels of the request of c as a program, whose value is what c asks for.  False: that is not possible. */
bool written_in_full(const struct testcase *c, struct arena *a, struct testcase *out);

#endif
