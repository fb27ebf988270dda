/* take.h: a record is counted, its findings are filed, and its case is kept. */
#ifndef FUZZ_CAMPAIGN_OWNER_TAKE_H
#define FUZZ_CAMPAIGN_OWNER_TAKE_H

#include "fuzz/campaign/counting/record.h"

struct campaign;

/* Counts a record and files its findings.  c: the case; NULL if it has none.  Only the owner of the campaign does. */
void campaign_take(struct campaign *self, const struct case_record *record, const struct testcase *c);

#endif
