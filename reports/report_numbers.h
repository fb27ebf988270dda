/* report_numbers.h: the members of a report that hold numbers of the engine and of the truth. */
#ifndef REPORTS_REPORT_NUMBERS_H
#define REPORTS_REPORT_NUMBERS_H

#include "report.h"

/* Writes the tensors of every point, REPORT_ELEMENTS of each at most.  The primal is listed if it was requested or is
 * wrong. */
void report_put_points(struct json_writer *w, const struct report *r);
/* Writes where the finding is, and the two numbers or types that differ there. */
void report_put_where(struct json_writer *w, const struct report *r);

#endif
