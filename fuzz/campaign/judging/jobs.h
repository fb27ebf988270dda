/*
 * jobs.h: several processes judge for one campaign.
 *
 * Each has engines and oracles of its own and sends its records through a ring (ring.h).  The process of the campaign
 * counts them, minimizes and writes.  Independent cases are divided into blocks of draws, which the processes claim one
 * after the other; their records are counted in the order of draws.  So the findings and the summary do not depend on
 * the number of processes.  Cases that are made from other cases are counted as they come.
 *
 * A process that dies is started again with the draws that it had not finished.
 */
#ifndef FUZZ_CAMPAIGN_JUDGING_JOBS_H
#define FUZZ_CAMPAIGN_JUDGING_JOBS_H

enum { JOBS_MOST = 256 };

struct campaign;

typedef void campaign_driver_fn(struct campaign *self);

/* Processors that this process may use. */
int jobs_processors(void);
/* For a driver that ends its process itself: reports the failure of a process that only judges, if there is one. */
void job_end(struct campaign *self);
/* Runs the driver in campaign_options.jobs processes until the campaign is over. */
void drive_jobs(struct campaign *self, campaign_driver_fn *drive);

#endif
