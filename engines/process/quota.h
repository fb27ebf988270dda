/*
 * quota.h: what an engine in a process of its own may hold, and how long it may take to start.
 *
 * The limits stand in the environment, so every process of a campaign has the same ones.  The options of a command set
 * them there.  A script may set them too:
 *
 *    ADJUDGE_MEMORY_LIMIT=4294967296   bytes; 0: no limit
 *    ADJUDGE_PROCESS_LIMIT=256         processes; 0: no limit
 *    ADJUDGE_START_LIMIT=120000        milliseconds
 */
#ifndef ENGINES_PROCESS_QUOTA_H
#define ENGINES_PROCESS_QUOTA_H

#include <stdint.h>

enum {
	QUOTA_PROCESSES = 256,
	QUOTA_START_MS = 120000, /* some engines import half a gigabyte first */
	QUOTA_NOTICE_MS = 10000  /* an engine that takes longer to start is mentioned on standard error */
};
#define QUOTA_MEMORY ((int64_t)4 << 30)

/* The process and its descendants count together.  The memory is that in use: frameworks reserve much more. */
struct quota {
	int64_t memory;    /* bytes; 0: no limit */
	int64_t processes; /* at most INT_MAX; 0: no limit */
	int64_t start_ms;  /* from the start of the process to its hello; at most INT_MAX */
};

/* The limits of this process: those of the environment, else the presets above.  Larger numbers are cut to the most. */
struct quota quota_now(void);
/* Sets the limits for all engines that are opened from now on, in this process and in those that it starts. */
void quota_set(const struct quota *x);

#endif
