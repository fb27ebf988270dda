/* state.h: state.json, so that a campaign that was killed can go on. */
#ifndef FUZZ_CAMPAIGN_OWNER_STATE_H
#define FUZZ_CAMPAIGN_OWNER_STATE_H

#include <stddef.h>
#include "graph/errors.h"

struct campaign;

/* Seconds that the campaign has run, with its earlier runs. */
double campaign_elapsed(const struct campaign *self);
/* Writes the state, and removes files that it no longer needs. */
void campaign_save(struct campaign *self);
/* Saves if it is time, or if there are new findings, and then announces these. */
void campaign_settle(struct campaign *self);
/* Reads the state; nothing happens if there is none. */
bool campaign_load(struct campaign *self, struct error *e) MUST_CHECK;
/* The seconds that the state says; 0 if there is none, or if it cannot be read. */
double campaign_saved_seconds(struct campaign *self);
/* Until when engines may start: a campaign that goes on needs them even if its time is over, to write its summary. */
double campaign_start_deadline(const struct campaign *self);

#endif
