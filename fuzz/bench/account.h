/* account.h: what came of asking one engine over a whole run, so that a run that judged nothing does not look clean. */
#ifndef FUZZ_BENCH_ACCOUNT_H
#define FUZZ_BENCH_ACCOUNT_H

#include "bench.h"
#include "graph/json.h"

enum { ACCOUNT_CAUSES = 8, ACCOUNT_CAUSE = 96 };

/* Zero-initialise. */
struct account {
	int64_t not_asked;               /* cases whose request the engine says that it does not know */
	int64_t verdict[VERDICT_COUNT];  /* of the other cases */
	int64_t undecided[REASON_COUNT]; /* why nothing was decided */
	int64_t broken;                  /* unsupported, though it is our own engine, and its kind can answer that */
	char broken_why[ACCOUNT_CAUSE];  /* the first of them */
	int n_cause;
	struct account_cause {
		char text[ACCOUNT_CAUSE];
		int64_t n;
	} cause[ACCOUNT_CAUSES]; /* why cases are unsupported; the last one stands for all that find no room */
};

/* Counts one judgement.  answers[c->n_point] may be NULL if the engine was only compared.  a: for scratch. */
void account_add(struct account *self, const struct engine *engine, const struct testcase *c,
    const struct answer *answers, const struct judgement *j, struct arena *a);

/* Cases that the engine was asked; those that it answered; and those where a number was decided. */
int64_t account_asked(const struct account *self);
int64_t account_answered(const struct account *self);
int64_t account_decided(const struct account *self);
int64_t account_findings(const struct account *self);

/*
 * Whether too little was decided: nothing at all, or less than `percent` of the cases asked.  An engine that was never
 * asked counts only if it is `named` on the command line.
 */
bool account_too_few(const struct account *self, int64_t percent, bool named);

/* Writes the counts as members of the open JSON object; `engine` gives those of its process. */
void account_put(const struct account *self, const struct engine *engine, struct json_writer *w);
/* The counts as a line for people, with a newline.  It names the main reason where less than half is decided. */
char *account_text(const struct account *self, const struct engine *engine, struct arena *a);

#endif
