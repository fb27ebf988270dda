/* job.h: what a judging process and the process of the campaign share.  Only for this room. */
#ifndef FUZZ_CAMPAIGN_JUDGING_JOB_H
#define FUZZ_CAMPAIGN_JUDGING_JOB_H

#include <sys/types.h>

#include "fuzz/campaign/owner/members.h"
#include "jobs.h"
#include "ring.h"

enum {
	BLOCK = 4,          /* draws claimed together; few: the end loses those behind an unfinished one */
	CLAIMS = 1 << 16,   /* blocks that may be claimed and not yet counted */
	REFRESH_SECONDS = 5 /* how often a process looks for cases that the others kept */
};

/* The first byte of a message. */
enum message { MESSAGE_RECORD, MESSAGE_FAILURE };

/* In shared memory; initially zero. */
struct jobs_memory {
	atomic_bool stop;
	_Atomic uint64_t next;           /* no block below it is free to be claimed; only a hint */
	_Atomic uint64_t counted;        /* blocks whose draws are all counted */
	_Atomic int64_t limit;           /* draws from here on are not wanted */
	_Atomic int64_t held[JOBS_MOST]; /* bytes of cases that each process holds */
	/* [block % CLAIMS]: block * JOBS_MOST + number of the process, plus 1.  A claim is one compare-and-swap, so a
	 * process that is killed has claimed a block or has not. */
	_Atomic uint64_t claim[CLAIMS];
	struct ring ring[]; /* [jobs] */
};

/* What a judging process is told when it starts. */
struct job_start {
	int number;
	pid_t owner;  /* the process of the campaign */
	int64_t redo; /* the process of this number that died had not finished this draw */
	int64_t sent; /* draws that processes of this number have finished in this run of the campaign */
};

/* A judging process, as it sees itself. */
struct job {
	struct jobs_memory *shared;
	int number;
	int64_t at, end;           /* draws of the current block that are left */
	int64_t redo;              /* as in struct job_start */
	uint64_t looked, look_end; /* blocks that it may have claimed before it died, and has not looked at */
	double refreshed;          /* when it looked for cases that the others kept */
	struct arena arena;
};

/* Judges until there is nothing left to do, and ends the process. */
void job_run(struct campaign *self, struct jobs_memory *shared, const struct job_start *how, campaign_driver_fn *drive)
    __attribute__((noreturn));

/* campaign_next and campaign_over of a judging process. */
bool job_next(struct campaign *self, int64_t *draw);
bool job_over(const struct campaign *self);
/* Gives a record to the owner of the campaign: to this process, or through the ring.  c: the case; NULL if it has none.
 */
void job_give(struct campaign *self, const struct case_record *record, const struct testcase *c);
/* Its number, from 0; 0 for the process that owns the campaign. */
int job_number(const struct campaign *self);

#endif
