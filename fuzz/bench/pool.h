/*
 * pool.h: independent items, done in this process or in several, with the same results in the same order.
 *
 * Each process claims the next item that is free, and sends its result through a pipe of its own.  This process takes
 * the results in the order of the items.  A process that dies is replaced, and the new one does its item again.  On a
 * request to stop (stop.h) no more items are begun; the processes get a short while to end, then they are killed.
 */
#ifndef FUZZ_BENCH_POOL_H
#define FUZZ_BENCH_POOL_H

#include <stdbool.h>

#include "graph/text.h"

/* What is to be done.  Every function gets `self`, which in another process is that process's own copy. */
struct pool_work {
	int n;    /* items */
	int jobs; /* processes; below 2, or with fewer than 2 items: this one alone */
	void *self;
	/* Called once where items are done, before the first one.  False after a complaint: nothing can be done there.
	 */
	bool (*open)(void *self);
	/* Does item k, and appends its result as bytes.  The arena of the text is empty. */
	void (*item)(void *self, int k, struct text *result);
	/* Closes, also after a failed open, and appends what is to be said about all items done there. */
	void (*close)(void *self, struct text *last);
	/* In this process: takes the result of item k; bytes NULL: there is none, and `lost` says why.  False: no more
	 * items are wanted. */
	bool (*take)(void *self, int k, const char *bytes, size_t len, const char *lost);
	/* In this process: takes what a process said as it closed; NULL: nothing is taken.  Processes that are killed
	 * while they do items say nothing: because of a stop, or because `take` wanted no more items. */
	void (*take_last)(void *self, const char *bytes, size_t len);
};

/* Whether other processes do the items, so that `open` works on a copy. */
bool pool_forks(const struct pool_work *work);
/* Does all items.  What they write to standard error comes before their results are taken.  False: `open` failed. */
bool pool_run(const struct pool_work *work);

#endif
