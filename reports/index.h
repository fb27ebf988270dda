/*
 * index.h: the findings of a campaign on one page.  Reports with the same fine signature form a group; without one, the
 * coarse signature counts.  Each group in the list differs as much as possible from the groups before it.  So the first
 * few groups teach the most.
 */
#ifndef REPORTS_INDEX_H
#define REPORTS_INDEX_H

#include "render.h"

struct index_group {
	const char *fine, *engine, *request, *verdict, *deviation, *summary;
	const char *engine_version; /* of the first report; "": none */
	int64_t count,
	    first_case; /* from the campaign's summary.json, else from the reports; first_case -1: not known */
	int ops;        /* of the smallest report: nodes of its program, without constants */
	int n_report, n_signature, n_also;
	const char **report;    /* [n_report] paths relative to the directory, the smallest program first */
	const char **signature; /* [n_signature] coarse */
	const char **also;      /* [n_also] fine signatures that the campaign considered the same bug */
};

struct index {
	int n_group, n_report, n_unreadable;
	struct index_group *group;
	const char **unreadable; /* [n_unreadable] paths */
};

/*
 * Reads DIR/summary.json if it exists, and the reports in DIR/findings, or in DIR if there is no such folder.  In the
 * arena.  False with the reason if no directory can be read.  A file that is no report goes to unreadable.
 */
bool index_read(const char *dir, struct arena *a, struct index *out, struct error *e) MUST_CHECK;

/* Schema reports/index.schema.json. */
char *index_json(const struct index *x, struct arena *a, size_t *len);
void index_markdown(struct text *out, const struct index *x);
void index_html(struct text *out, const struct index *x);

#endif
