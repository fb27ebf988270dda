/* report.h: the report JSON of one finding (schema reports/report.schema.json); its member "case" is a case. */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include "graph/json.h"
#include "oracles/verdict/verdict.h"

struct characterization;

enum { REPORT_ELEMENTS = 64 }; /* listed of one tensor, at most */

struct report {
	const char *signature;      /* coarse */
	const char *fine;           /* NULL: not known (fuzz/triage/fine_signature.h) */
	const char *engine;         /* its name, or its spec if it has none */
	const char *engine_spec;    /* only for information; NULL, or equal to engine: not written */
	const char *engine_version; /* as fuzz/bench.h says it */
	const char *spellings;      /* as fuzz/bench.h says them; NULL: the first ones */
	const struct testcase *c;
	const struct truth *truth;
	const struct answer *answers; /* [c->n_point] */
	const struct judgement *judgement;
	/* How a campaign found it; found == NULL if no campaign did. */
	const struct testcase *found; /* the case before minimization */
	uint64_t seed;
	long case_number;
	int minimize_tried, minimize_accepted;
	/* The JSON of the report that this one replaces: members fine and found are those of it.  NULL: it replaces
	 * none. */
	const struct json *before;
	const struct characterization *characterization; /* NULL: no experiments were run */
	/* A program that makes the engine's calls alone, and the suffix of its language; NULL: not known. */
	const char *script, *script_suffix;
	const char **script_calls; /* [OP_COUNT] the name of an op in the engine's API; NULL: there is no other one. May
	                              be NULL */
	bool script_of_smallest;   /* it is of `c`, although there is a typical case */
	/* A request that ended badly and did not do so again: the line that was sent.  NULL: there is none. */
	const char *raw_request; /* [raw_len] */
	size_t raw_len;
	int raw_cases; /* cases in it; the report's case is the first of them */
};

/* Canonical JSON text ending in a newline, in the arena; same report, same bytes. */
char *report_write(const struct report *r, struct arena *a, size_t *len);

/* Writes {"cause":"formula","ulps":12.3,"good":4,"op":"tanh","better":"...","instead":"..."}.  The last three are
 * missing if no known formula is the cause. */
void accuracy_put(struct json_writer *w, const struct accuracy *x);

/* Version and build facts that identify a run: adjudge version, MPFR, cJSON, libm, compiler.  NULL-terminated pairs. */
const char *const *report_versions(void);

#endif
