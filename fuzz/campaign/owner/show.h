/* show.h: what a campaign tells its progress. */
#ifndef FUZZ_CAMPAIGN_OWNER_SHOW_H
#define FUZZ_CAMPAIGN_OWNER_SHOW_H

struct campaign;

void campaign_open_progress(struct campaign *self);
/* After a case, and while one is minimized: shows progress if it is time. */
void campaign_show_progress(struct campaign *self);
/* Announces the findings whose reports are new.  After triage has written them. */
void campaign_announce(struct campaign *self);
void campaign_close_progress(struct campaign *self);

#endif
