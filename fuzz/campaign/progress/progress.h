/*
 * progress.h: what a person or a machine sees of a campaign while it runs, on standard error.
 *
 * A terminal has a screen of a few lines that is drawn again in place.  Elsewhere there is a line a minute.  Machines
 * get a JSON object a line (progress.schema.json).  A new finding is announced at once, by a line that stays.
 */
#ifndef FUZZ_CAMPAIGN_PROGRESS_PROGRESS_H
#define FUZZ_CAMPAIGN_PROGRESS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* AUTO: a screen where standard error is a terminal, else LINES. */
enum progress_mode { PROGRESS_NONE, PROGRESS_AUTO, PROGRESS_LINES, PROGRESS_JSON };

struct account;

/* Cases of one engine. */
struct progress_engine {
	const char *name;
	int64_t asked, answered, decided, unsupported, restarts;
	const struct account *account; /* all that is counted of it, for JSON */
};

/* A process of the campaign, of which JSON tells. */
struct progress_process {
	int64_t pid;          /* 0: it has died, and is started again */
	int64_t corpus_bytes; /* of the cases that it holds */
};

struct progress {
	const char *doing;                    /* "judging" or "minimizing" */
	double seconds, seconds_limit;        /* of all runs; limit 0: none */
	int64_t cases, cases_limit;           /* limit 0: none */
	int64_t decided;                      /* cases in which something was decided about some engine */
	int64_t corpus;                       /* kept cases; -1: the driver keeps none */
	int64_t features;                     /* that some case had */
	double seconds_since_feature;         /* since the last new one; negative: there was none */
	int64_t findings_new, findings_known; /* known: a baseline or an earlier campaign has them */
	int jobs;                             /* processes that judge; 0 and 1 are not shown */
	int64_t jobs_restarted;               /* of them, that died and were started again; 0 is not shown */
	struct progress_process owner;
	int n_process;                          /* that judge for the owner; 0: it judges itself */
	const struct progress_process *process; /* [n_process] */
	int n_engine;
	const struct progress_engine *engine; /* [n_engine] */
};

struct progress_finding {
	const char *signature;
	int64_t case_number;
	const char *file; /* path of its report, which is written already */
	bool flaky, known;
	const char *replaces; /* the file that was announced before for the same finding, and is gone; NULL: none */
};

/* Set the members to zero. */
struct progress_screen {
	enum progress_mode mode;
	bool terminal;
	double shown; /* when it was drawn, on bench_clock */
	int lines;    /* that are on the terminal now; the cursor is at the end of the last one */
};

void progress_open(struct progress_screen *self, enum progress_mode mode, double now);
/* Whether it is time to call progress_show. */
bool progress_due(const struct progress_screen *self, double now);
void progress_show(struct progress_screen *self, const struct progress *p, double now);
/* Prints a line that stays. */
void progress_announce(struct progress_screen *self, const struct progress_finding *f);
/* Removes the screen; machines get the last numbers. */
void progress_close(struct progress_screen *self, const struct progress *p);

#endif
