/* quota.c: see quota.h. */
#include "quota.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char memory[] = "ADJUDGE_MEMORY_LIMIT", processes[] = "ADJUDGE_PROCESS_LIMIT",
                  start[] = "ADJUDGE_START_LIMIT";

/* A text that is no number counts as absent, and a larger number than `most` as `most`. */
static int64_t read_limit(const char *name, int64_t preset, int64_t most)
{
	const char *text = getenv(name);
	char *end;
	long long n;

	if (!text || *text < '0' || *text > '9')
		return preset;
	n = strtoll(text, &end, 10);
	return *end ? preset : n < most ? n : most;
}

static void write_limit(const char *name, int64_t n)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", (long long)n);
	setenv(name, text, 1);
}

struct quota quota_now(void)
{
	return (struct quota){.memory = read_limit(memory, QUOTA_MEMORY, INT64_MAX),
	    .processes = read_limit(processes, QUOTA_PROCESSES, INT_MAX),
	    .start_ms = read_limit(start, QUOTA_START_MS, INT_MAX)};
}

void quota_set(const struct quota *x)
{
	write_limit(memory, x->memory);
	write_limit(processes, x->processes);
	write_limit(start, x->start_ms);
}
