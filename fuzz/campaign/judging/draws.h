/* draws.h: what a driver asks of a campaign: the next draw, cases to begin with, and whether it is over. */
#ifndef FUZZ_CAMPAIGN_JUDGING_DRAWS_H
#define FUZZ_CAMPAIGN_JUDGING_DRAWS_H

#include "fuzz/campaign/books/options.h"

struct bench;
struct campaign;

const struct campaign_options *campaign_options(const struct campaign *self);
/* The engines that judge, for drawing cases that they know (draw.h). */
const struct bench *campaign_bench(const struct campaign *self);

/* Begins the next draw, and gives its number, from 0.  False: this process draws no more. */
bool campaign_next(struct campaign *self, uint64_t *number);
/* Ends a draw for which there was no memory. */
void campaign_skip(struct campaign *self);
/*
 * Whether the campaign must end: the budget is used up, a signal came (stop.h), or writing failed.  It first judges
 * cases that were asked together.
 */
bool campaign_over(struct campaign *self);
/* Whether it must end because its time is over, and for no other reason. */
bool campaign_is_out_of_time(struct campaign *self);
/* Adds time that the driver spent on making cases, for the summary. */
void campaign_add_generate(struct campaign *self, double seconds);
/* If all cases were judged: looks at the deferred ones, for a fixed sum of work more. */
void campaign_take_rest(struct campaign *self);

/*
 * The next of the cases that the campaign judges before all others, as compact text.  NULL: there is none left.
 * number: of the draw.
 */
const char *campaign_given(struct campaign *self, uint64_t number, size_t *len);
/* The number of a fresh case of draw `number` in a driver of independent cases: the seed and it give the case. */
uint64_t campaign_fresh(const struct campaign *self, uint64_t number);
/* Cases to start mutating from: those given, then those that earlier runs of the campaign kept. */
int campaign_corpus(const struct campaign *self);
const char *campaign_corpus_text(const struct campaign *self, int k, size_t *len);
/* Of these, the number of the first one that an earlier run kept.  Its features are counted already. */
int campaign_corpus_kept(const struct campaign *self);
/* A number for the seed of a mutating driver: another one for each process, and for each run that goes on. */
uint64_t campaign_stream(const struct campaign *self);

#endif
