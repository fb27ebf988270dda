/* report_pages.h: adjudge report DIR: the findings of a campaign as one text, or as pages. */
#ifndef FUZZ_CLI_REPORT_PAGES_H
#define FUZZ_CLI_REPORT_PAGES_H

#include "explain.h"
#include "naming.h"
#include "reports/index.h"

/*
 * Writes the index of the campaign in that directory as json or markdown (any other format) to the file `out` (NULL:
 * standard output).  baseline: a file of known findings, which are marked, or NULL.  Returns an exit code.
 */
int report_index(const char *dir, const char *format, const char *baseline, const char *out, struct arena *a);
/*
 * Writes the index as OUT/index.html and a page per finding into OUT/findings; OUT is DIR/html if it is NULL. Elsewhere
 * it gets copies of the reports too, so that it is complete in itself.  A report with experiments that lies there
 * (report_experiments) is shown in place of the campaign's own.  Returns an exit code.
 */
int report_pages(const char *dir, const char *baseline, const char *out, struct arena *a);

/* ---- report_experiments.c ---- */

struct experiments_plan {
	const struct texts *engines; /* [NAME=]SPEC; with none of them, those of the file of names */
	const struct naming *names;
	bool again;                            /* also where there are experiments already */
	const struct explain_options *explain; /* its spec is not used */
};

/*
 * Makes experiments around the findings of the plan's engines, and writes the reports into OUT/findings; the campaign
 * stays as it is.  No engine: nothing happens.  -1, or an exit code after a complaint.  A finding that an engine does
 * not show, or that cannot be read, is complained about, and the others go on.
 */
int report_experiments(const char *dir, const char *out, const struct experiments_plan *plan, struct arena *a);

/*
 * The report with experiments of that finding, in the folder of pages; NULL: there is none, or it is of another case
 * or engine.  name: of the file.  report: the campaign's own.  *text has the source.
 */
const struct json *report_explained(
    const char *folder, const char *name, const struct json *report, struct arena *a, const char **text, size_t *len);
/* Whether that folder is the one with the reports of the campaign in dir. */
bool report_among(const char *dir, const struct index *x, const char *folder, struct arena *a);
/* The last part of a path. */
const char *report_name(const char *path);

#endif
