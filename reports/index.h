/*
 * index.h: the findings of a campaign on one page.  Reports with one fine signature (else with one signature) are a
 * group; groups are in such an order that each differs as much as possible from those before it, so that the first few
 * are the most to be learnt from.
 */
#ifndef REPORTS_INDEX_H
#define REPORTS_INDEX_H

#include "render.h"

struct index_group {
	const char *fine, *engine, *request, *verdict, *deviation, *summary;
	const char *engine_version; /* of the first report; "": it says none */
	int64_t count, first_case;  /* of the campaign's summary.json, else of the reports; first_case -1: not known */
	int ops; /* of the smallest report: lines of its program that make a value, constants left out */
	int n_report, n_signature, n_also;
	const char **report;    /* [n_report] paths from the directory, the smallest program first */
	const char **signature; /* [n_signature] coarse */
	const char **also;      /* [n_also] fine signatures that the campaign took for the same bug */
};

struct index {
	int n_group, n_report, n_unreadable;
	struct index_group *group;
	const char **unreadable; /* [n_unreadable] paths */
};

/*
 * Reads DIR/summary.json, where there is one, and the reports in DIR/findings or, where there is none, in DIR.  In the
 * arena.  False with the reason where no directory can be read; a file that is no report is only named.
 */
bool index_read(const char *dir, struct arena *a, struct index *out, struct error *e) MUST_CHECK;

/* Schema reports/index.schema.json. */
char *index_json(const struct index *x, struct arena *a, size_t *len);
void index_markdown(struct text *out, const struct index *x);
void index_html(struct text *out, const struct index *x);

#endif
