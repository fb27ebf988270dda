/* baseline.h: known findings.  They do not fail the gate until they are fixed or their date has passed. */
#ifndef FUZZ_CLI_BASELINE_H
#define FUZZ_CLI_BASELINE_H

#include "graph/errors.h"

#include <stddef.h>

struct arena;

struct known_finding {
	const char *signature, *link, *reason;
	const char *path;    /* the end of the case's path, or NULL: any case */
	const char *expires; /* YYYY-MM-DD, the last day on which it counts */
	int matched;
};

struct baseline {
	int n;
	struct known_finding *known;
};

/* Reads a file of schema adjudge.baseline/1 into the arena. */
bool baseline_read_file(const char *path, struct arena *a, struct baseline *out, struct error *e) MUST_CHECK;
/* The entry for a finding of a case, which is then counted as matched; NULL: the finding is new.  An expired entry
 * still matches. */
struct known_finding *baseline_match(struct baseline *b, const char *signature, const char *path);
/* Whether the entry is about the case with that path. */
bool known_is_of(const struct known_finding *k, const char *path);
/* today: YYYY-MM-DD. */
bool known_expired(const struct known_finding *k, const char *today);

#endif
