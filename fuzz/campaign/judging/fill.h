/* fill.h: from a judged case to its record. */
#ifndef FUZZ_CAMPAIGN_JUDGING_FILL_H
#define FUZZ_CAMPAIGN_JUDGING_FILL_H

#include "fuzz/bench/look_again.h"
#include "fuzz/campaign/counting/record.h"

struct campaign;

/*
 * Fills a record of the judged case c, except for what the draw says: draw, features and the work so far.  Texts are in
 * `a`, lists belong to the campaign.
 */
void campaign_fill(
    struct campaign *self, const struct testcase *c, struct bench_result *r, struct arena *a, struct case_record *io);
/*
 * Adds to the record the requests about the n cases c that ended badly, although no judgement among r[n] shows it: the
 * cases of one request, or one case.
 */
void campaign_fill_incidents(struct campaign *self, const struct testcase *c, const struct bench_result *r, int n,
    struct arena *a, struct case_record *io);
/* Adds to the record, after campaign_fill, what the twins of its case show. */
void campaign_fill_twins(
    struct campaign *self, const struct judged_twins *twins, struct arena *a, struct case_record *io);
/* Features of c that no case of this process had before; in `a`.  counters: those of c. */
struct feature *campaign_features(
    struct campaign *self, const uint8_t counters[FEATURE_BYTES], int *n, struct arena *a);

#endif
