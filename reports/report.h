/* report.h: the report JSON of one finding (schema reports/report.schema.json); its member "case" is a case. */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include "graph/json.h"
#include "oracles/verdict/verdict.h"

struct characterization;

struct report {
	const char *signature;      /* coarse */
	const char *fine;           /* NULL: not known (fuzz/triage/fine_signature.h) */
	const char *engine;         /* spec */
	const char *engine_version; /* as fuzz/bench.h says it */
	const struct testcase *c;
	const struct truth *truth;
	const struct answer *answers; /* [c->n_point] */
	const struct judgement *judgement;
	/* How it was found; found == NULL when it was not a campaign. */
	const struct testcase *found; /* the case before minimization */
	uint64_t seed;
	long case_number;
	int minimize_tried, minimize_accepted;
	const struct characterization *characterization; /* NULL: no experiments were made */
};

/* Canonical JSON text ending in a newline, in the arena; same report, same bytes. */
char *report_write(const struct report *r, struct arena *a, size_t *len);

/* {"cause":"formula","ulps":12.3,"good":4,"op":"tanh","better":"...","instead":"..."}; op and the two are missing where
 * it is nobody's formula. */
void accuracy_put(struct json_writer *w, const struct accuracy *x);

/* Version and build facts that identify a run: adjudge version, MPFR, cJSON, libm, compiler.  NULL-terminated pairs. */
const char *const *report_versions(void);

#endif
