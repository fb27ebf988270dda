/*
 * index.h: the findings of a campaign on one page.  Reports with the same fine signature form a group; without one, the
 * coarse signature counts.  Each group in the list differs as much as possible from the groups before it.  So the first
 * few groups teach the most.
 */
#ifndef REPORTS_INDEX_H
#define REPORTS_INDEX_H

#include "escape.h"
#include "render.h"

struct index_group {
	const char *fine, *engine, *request, *verdict, *deviation, *summary;
	const char *engine_version; /* of the first report; "": none */
	int64_t count,
	    first_case; /* from summary.json or state.json, else from the reports; first_case -1: not known */
	int ops;        /* of the smallest report: nodes of its program, without constants */
	int n_report, n_signature, n_also;
	bool flaky;             /* a fresh process did not show it again */
	bool declared;          /* the engine declares it: no finding, unless the campaign was strict */
	const char **report;    /* [n_report] paths relative to the directory, the smallest program first */
	const char **signature; /* [n_signature] coarse */
	const char **also;      /* [n_also] fine signatures that the campaign considered the same bug */
	const char *known;      /* why it is accepted for now, by a baseline; NULL: it is new */
};

struct index {
	int n_group, n_report, n_unreadable;
	struct index_group *group;
	const char **unreadable;    /* [n_unreadable] paths */
	bool in_folder;             /* the reports lie in DIR/findings, not in DIR */
	const struct json *summary; /* the campaign's summary.json; NULL: there is none that is up to date */
	const struct json *state,   /* its state.json, if it has judged more than a summary says; else NULL */
	    *setup;                 /* its campaign.json; NULL: there is none */
};

/*
 * Reads DIR/summary.json or DIR/state.json, and the reports in DIR/findings, or in DIR if there is no such folder.  In
 * the arena.  False with the reason if no directory can be read.  A file that is no report goes to unreadable.
 */
bool index_read(const char *dir, struct arena *a, struct index *out, struct error *e) MUST_CHECK;

/* Schema reports/index.schema.json. */
char *index_json(const struct index *x, struct arena *a, size_t *len);
/* "3 findings, 1 known, and 1 declared". */
const char *index_title(const struct index *x, struct arena *a);
void index_markdown(struct text *out, const struct index *x);

/*
 * The index as a page with a box that filters findings.  It links to the page of each report, at index_page_of, and to
 * the JSON file: below `json`, the address of the campaign's directory, or beside the page (NULL).
 */
void index_html(struct text *out, const struct index *x, const char *json);
/* The header of the index, if there is a campaign: how long it was, and what came of each engine; `open`: the engines
 * are shown at once. */
void index_put_campaign(struct text *out, const struct index *x, bool open);
/* "findings/NAME.html" for a report at the path DIR/NAME.json. */
const char *index_page_of(const char *report, struct arena *a);

/* What a page of a finding says about its campaign. */
struct finding_place {
	const struct index_group *group;
	const char *index, *json, *previous, *next; /* addresses from the page; previous and next may be NULL */
	const char *file;                           /* path of the report, for commands */
};
/* The report as one page, as format html gives it, with links to the index and to its neighbours. */
void render_html_finding(struct text *out, const struct json *report, const struct finding_place *place);

/* ---- for the formats ---- */

/* Writes what the group is about, and which signatures the campaign considered the same bug. */
void index_put_about(struct text *out, enum escape escape, const struct index_group *g);
/* Writes how often and when the campaign met it, as HTML. */
void index_put_counts(struct text *out, const struct index_group *g);
/* Spec and version. */
const char *index_engine(const struct index_group *g, struct arena *a);

#endif
