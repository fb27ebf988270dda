/* findings.h: files the findings of a case, and the disagreements of the oracles. */
#ifndef FUZZ_CAMPAIGN_OWNER_FINDINGS_H
#define FUZZ_CAMPAIGN_OWNER_FINDINGS_H

#include "fuzz/campaign/counting/record.h"

struct campaign;

/* Files the findings and the oracle disagreement of case `number`. */
void campaign_file(struct campaign *self, const struct case_record *record, const struct testcase *c, int64_t number);

#endif
