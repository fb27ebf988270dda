/* standing.h: how one returned number stands against its component of the truth. */
#ifndef REPORTS_STANDING_H
#define REPORTS_STANDING_H

#include "oracles/verdict/verdict.h"

enum standing { STANDING_AGREE, STANDING_INACCURATE, STANDING_NAN_LEAK, STANDING_WRONG };
/* By standing, as in reports. */
extern const char *const standing_names[];

/* Of element i against a decided component. */
enum standing standing_of(const struct component *c, const struct tensor *t, int i);
/* Whether element i is decided and wrong or a leaked NaN.  The tensor has the type of the truth. */
bool standing_wrong(const struct truth_tensor *truth, const struct tensor *returned, int i);
/* How many elements are; all of them if the type is another one. */
int standing_count_wrong(const struct truth_tensor *truth, const struct tensor *returned);

#endif
