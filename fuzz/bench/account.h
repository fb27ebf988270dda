/* account.h: what came of asking one engine over a whole run, so that a run that judged nothing does not look clean. */
#ifndef FUZZ_BENCH_ACCOUNT_H
#define FUZZ_BENCH_ACCOUNT_H

#include "bench.h"
#include "graph/json.h"

/* ACCOUNT_CAUSES: an engine that knows few ops gives a reason for each of the others. */
enum { ACCOUNT_CAUSES = 64, ACCOUNT_CAUSE = 96 };

/* What came of asking an engine about one case: plain data, which another process may count. */
struct account_fact {
	bool asked; /* the engine says that it knows the request; the rest holds only then */
	bool broken;
	enum verdict verdict;
	enum reason reason;        /* of VERDICT_UNDECIDED */
	char cause[ACCOUNT_CAUSE]; /* of VERDICT_UNSUPPORTED; "" if the engine was only compared */
};

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
	} cause[ACCOUNT_CAUSES];       /* why cases are unsupported; the last one stands for all that find no room */
	int64_t flaky;                 /* failures that did not come again; the owner fills it */
	struct engine_trouble trouble; /* of its processes; the owner fills it (account_trouble) */
};

/* The fact to count for one judgement.  answers[c->n_point] may be NULL if the engine was only compared.  a: for
 * scratch. */
struct account_fact account_fact_of(const struct engine *engine, const struct testcase *c, const struct answer *answers,
    const struct judgement *j, struct arena *a);
void account_count(struct account *self, const struct account_fact *fact);
/* Counts one judgement: both of the above. */
void account_add(struct account *self, const struct engine *engine, const struct testcase *c,
    const struct answer *answers, const struct judgement *j, struct arena *a);
/* The troubles of two processes of adjudge, or of two runs. */
struct engine_trouble account_trouble_sum(struct engine_trouble a, struct engine_trouble b);
/* Adds all that another account counted. */
void account_join(struct account *self, const struct account *other);
/* The troubles of the engine's processes so far, added to `before`. */
struct engine_trouble account_trouble(const struct engine *engine, struct engine_trouble before);

/* Cases that the engine was asked; those that it answered; and those where a number was decided. */
int64_t account_asked(const struct account *self);
int64_t account_answered(const struct account *self);
int64_t account_decided(const struct account *self);

/*
 * Whether too little was decided: nothing at all, or less than `percent` of the cases asked.  An engine that was never
 * asked counts only if it is `named` on the command line.
 */
bool account_too_few(const struct account *self, int64_t percent, bool named);
/* The same from the two counts. */
bool decided_too_few(int64_t decided, int64_t asked, int64_t percent, bool named);
/* How that is said: "9 of 10 cases decided, 90.0 %, less than --min-decided 95". */
char *too_few_text(int64_t decided, int64_t asked, int64_t percent, struct arena *a);

/* Writes everything as members of the open JSON object, so that account_load reads the same account again. */
void account_save(const struct account *self, struct json_writer *w);
bool account_load(struct account *self, const struct json *object, struct error *e) MUST_CHECK;
/* Writes the counts as members of the open JSON object. */
void account_put(const struct account *self, struct json_writer *w);
/* The counts as a line for people, with a newline.  It names the main reason where less than half is decided. */
char *account_text(const struct account *self, const char *engine, struct arena *a);

#endif
