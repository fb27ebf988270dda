/*
 * draw_log.h: what triage learns from every draw of a shard, so that `merge` can sort the findings of all shards into
 * one list as one campaign would (retriage.h).
 *
 * DIR/draws.log has a line with the id of the campaign, then some bytes for each draw.  They say whether it was a case,
 * what its truth cost, and which failures it showed.  The case is not there: the seed and its number give it.
 */
#ifndef FUZZ_CAMPAIGN_COUNTING_DRAW_LOG_H
#define FUZZ_CAMPAIGN_COUNTING_DRAW_LOG_H

#include <stdio.h>

#include "fuzz/bench/bench.h"
#include "record.h"

#define DRAW_LOG "draws.log"

enum { LOGGED_MOST = 2 * BENCH_ENGINES * (1 + TWIN_COUNT) };

/* Every coarse signature is written once; later it is a number. */
struct logged_names {
	int n;
	char **at; /* [n] owned */
};

/* A failure of engine `which`.  The text belongs to the reader. */
struct logged_failure {
	int which, point;
	bool incident; /* a request that ended badly (record.h) */
	bool of_twin;  /* the case is a twin of that kind (record.h) */
	enum twin twin;
	const char *signature;
};

struct logged_draw {
	bool counts;  /* there was a case */
	int64_t work; /* that was counted for its truth */
	int n;
	struct logged_failure failure[LOGGED_MOST]; /* [n] */
};

/* ---- writing ---- */

/* All zero: nothing is logged. */
struct draw_log {
	bool on;
	size_t saved, len, room; /* bytes in the file; then those that wait, text[len] */
	char *text;              /* owned */
	struct logged_names names;
};

/* Begins the log of a campaign with that id, in memory. */
void draw_log_begin(struct draw_log *self, const char *id);
/* Goes on with the log in dir after so many draws.  If they are not all in it, nothing is logged from now on. */
void draw_log_resume(struct draw_log *self, const char *dir, const char *id, int64_t draws);
/* Adds a draw.  A log that is too long for a merge is given up. */
void draw_log_add(struct draw_log *self, bool counts, int64_t work, const struct case_record *record);
/* Writes what waits; removes the file of a log that was given up. */
bool draw_log_save(struct draw_log *self, const char *dir, struct error *e) MUST_CHECK;
void draw_log_free(struct draw_log *self);

/* ---- reading ---- */

struct draw_reader {
	FILE *file;
	struct logged_names names;
};

/* False: there is no such log. */
bool draw_reader_open(struct draw_reader *self, const char *dir, const char *id) MUST_CHECK;
/* Reads the next draw.  False at the end, or where the bytes are no draw. */
bool draw_reader_next(struct draw_reader *self, struct logged_draw *out) MUST_CHECK;
void draw_reader_close(struct draw_reader *self);

#endif
