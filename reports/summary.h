/* summary.h: a finding in one sentence, and the names and numbers in it. */
#ifndef REPORTS_SUMMARY_H
#define REPORTS_SUMMARY_H

#include "report.h"

/* The subject of a verdict: the whole case, one tensor (its type), or one element (its value). */
enum subject { SUBJECT_CASE, SUBJECT_TENSOR, SUBJECT_ELEMENT };
enum subject summary_subject(enum verdict v);

/* The returned tensor that the judgement is about; NULL if the answer does not have it, or not that element. */
const struct tensor *summary_returned(const struct report *r, enum subject subject);
/* The assignment of conventions that the judged element was compared with. */
int summary_assignment(const struct report *r);
/* The truth of the same tensor under that assignment, or NULL. */
const struct truth_tensor *summary_expected(const struct report *r);

/* What the judged element is by other conventions at a tie, each number once, at most SUMMARY_OTHERS.  Returns how
 * many.
 */
enum { SUMMARY_OTHERS = 8 };
int summary_others(const struct report *r, double out[SUMMARY_OTHERS]);

/* value + low of an integer component, which may have more digits than a double. */
int64_t summary_integer(const struct component *c);

/* "primal", "vjp wrt [0, 2]", "vjp wrt [0], then jvp wrt [1]". */
char *summary_request(const struct testcase *c, struct arena *a);
/* The name of derivative or primal `which`: "result 1", "tangent of result 0", "cotangent of input 2". */
char *summary_name(const struct testcase *c, bool in_primal, int which, struct arena *a);
/* For SUBJECT_TENSOR, what follows the name of the engine: "gives f64[2] for the cotangent of input 0, which is f64[]".
 */
char *summary_type(const struct report *r, struct arena *a);
/* The finding in one English sentence. */
char *summary_sentence(const struct report *r, struct arena *a);

#endif
