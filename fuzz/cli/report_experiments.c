/* report_experiments.c: experiments around the findings of a campaign, for their pages. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/bench/stop.h"
#include "reports/file.h"
#include "reports/index.h"
#include "reports/view.h"
#include "commands.h"
#include "report_pages.h"

const char *report_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_same_directory(const char *x, const char *y)
{
	struct stat left, right;

	return stat(x, &left) == 0 && stat(y, &right) == 0 && left.st_dev == right.st_dev &&
	    left.st_ino == right.st_ino;
}

bool report_among(const char *dir, const struct index *x, const char *folder, struct arena *a)
{
	return is_same_directory(folder, x->in_folder ? arena_printf(a, "%s/findings", dir) : dir);
}

static const struct json *read_report(const char *path, struct arena *a, const char **text, size_t *len)
{
	struct error e = {0};
	const struct json *root;

	*text = json_read_bytes(path, JSON_BYTES, a, len, &e);
	root = *text ? json_read(*text, *len, a, &e) : NULL;
	return root && root->kind == JSON_OBJECT ? root : NULL;
}

const struct json *report_explained(
    const char *folder, const char *name, const struct json *report, struct arena *a, const char **text, size_t *len)
{
	const struct json *explained = read_report(arena_printf(a, "%s/%s", folder, name), a, text, len);
	struct testcase c, of;

	if (!explained || !json_find(explained, "characterization") ||
	    strcmp(render_member(explained, "engine"), render_member(report, "engine")) ||
	    !view_case(explained, a, &of) || !view_case(report, a, &c))
		return NULL;
	return testcase_equal(&c, &of) ? explained : NULL;
}

/* The engine of the plan with that name; NULL: it was not given. */
static const char *engine_of(const struct experiments_plan *plan, const char *name)
{
	int i = naming_index(plan->engines, name);

	if (plan->engines->n)
		return i < 0 ? NULL : plan->engines->at[i];
	return naming_find(plan->names, name);
}

/* Makes the experiments for one report and writes them.  -1, or an exit code. */
static int explain_report(const char *folder, const char *path, const struct experiments_plan *plan, struct arena *a)
{
	struct explain_options o = *plan->explain;
	struct error e = {0};
	struct testcase c;
	const char *text;
	size_t len;
	const struct json *report = read_report(path, a, &text, &len);
	int code;

	o.spec = report ? engine_of(plan, render_member(report, "engine")) : NULL;
	if (!o.spec || (!plan->again && report_explained(folder, report_name(path), report, a, &text, &len)))
		return -1;
	if (!view_case(report, a, &c)) {
		complain("report: %s: its case cannot be read", path);
		return -1;
	}
	fprintf(stderr, "adjudge: report: experiments around %s\n", text_harmless(path, a));
	code = explain_case(&o, &c, report, a, &text, &len);
	if (code == EXIT_NOTHING)
		return -1;
	if (code != EXIT_NO_FINDING)
		return code;
	if (file_write_atomic(folder, report_name(path), text, len, &e))
		return -1;
	complain("%s", e.text);
	return EXIT_OURS;
}

int report_experiments(const char *dir, const char *out, const struct experiments_plan *plan, struct arena *a)
{
	const char *folder = arena_printf(a, "%s/findings", out ? out : arena_printf(a, "%s/html", dir));
	struct error e = {0};
	struct index x;
	int code = -1;

	if (!plan->engines->n && !plan->names->engines.n)
		return -1;
	if (!index_read(dir, a, &x, &e)) {
		complain("%s: %s", e.place, e.text);
		return EXIT_BAD_CASE;
	}
	if (x.n_report && !file_make_directory(folder, &e)) {
		complain("%s", e.text);
		return EXIT_OURS;
	}
	if (report_among(dir, &x, folder, a)) {
		complain(
		    "report: the reports with experiments would replace those of the campaign; give another --out");
		return EXIT_USAGE;
	}
	for (int k = 0; k < x.n_group && code < 0; k++)
		for (int i = 0; i < x.group[k].n_report && code < 0; i++) {
			struct arena_mark mark = arena_mark(a);

			code = explain_report(folder, arena_printf(a, "%s/%s", dir, x.group[k].report[i]), plan, a);
			arena_rewind(a, mark);
		}
	return code;
}
