/* report.c: adjudge report: makes experiments around a case, and writes the report in one of the formats. */
#include <stdio.h>
#include <string.h>

#include "reports/render.h"
#include "commands.h"
#include "explain.h"
#include "report_pages.h"

enum { DEFAULT_SECONDS = 60 };

struct report_options {
	struct texts engines; /* [NAME=]SPEC */
	struct naming names;
	const char *format, *baseline, *out; /* format: NULL: not given */
	const struct rendering *rendering;
	bool again;
	struct explain_options explain;
};

static int render(const struct report_options *o, const char *source, size_t len, struct arena *a)
{
	struct text out = {.arena = a};
	struct error e = {0};
	const struct json *root = json_read(source, len, a, &e);

	if (!root) {
		complain("report: %s: %s", e.place, e.text);
		return EXIT_OURS;
	}
	o->rendering->render(&out, root, source);
	return write_output(o->out, out.at ? out.at : "", out.len);
}

/* The text of a report that has this member; NULL: it has none, or is no report. */
static const char *report_with(const char *path, const char *member, struct arena *a, size_t *len)
{
	struct error e = {0};
	const char *text = json_read_bytes(path, JSON_BYTES, a, len, &e);
	const struct json *root = text ? json_read(text, *len, a, &e) : NULL;

	return root && root->kind == JSON_OBJECT && json_find(root, member) ? text : NULL;
}

/* A report whose engine was not given is shown from its own evidence. */
static int show_as_it_is(const struct report_options *o, const char *path, struct arena *a)
{
	size_t len;
	const char *text = o->again || !strcmp(path, "-") ? NULL : report_with(path, "engine", a, &len);

	if (!text)
		return EXIT_NOTHING;
	complain("report: without it, only what %s holds is shown", path);
	return render(o, text, len, a);
}

/* The JSON of a report whose members stay; NULL for a case and for standard input. */
static const struct json *report_before(const char *path, struct arena *a)
{
	struct error e = {0};
	size_t len;
	const char *text = strcmp(path, "-") ? report_with(path, "case", a, &len) : NULL;

	return text ? json_read(text, len, a, &e) : NULL;
}

static int report_case(const struct report_options *o, const char *path, const struct testcase *c, struct arena *a)
{
	const char *text;
	size_t len;
	int code = explain_case(&o->explain, c, report_before(path, a), a, &text, &len), written;

	if (!text)
		return code;
	written = render(o, text, len, a);
	return code == EXIT_NO_FINDING ? written : code;
}

static int report_path(struct report_options *o, const char *path, struct arena *a)
{
	struct reported own;
	const char *text;
	struct error e = {0};
	struct testcase c;
	size_t len;
	int code;

	if (o->engines.n > 1) {
		complain("report: one engine for one case; --engine may be repeated for the directory of a campaign");
		return EXIT_USAGE;
	}
	code = check_output(o->out);
	if (code >= 0)
		return code;
	o->explain.spec = o->engines.n ? o->engines.at[0] : NULL;
	text = o->again || o->explain.spec || !strcmp(path, "-") ? NULL
	                                                         : report_with(path, "characterization", a, &len);
	if (text)
		return render(o, text, len, a);
	if (!read_case(path, a, &c, &own, &e))
		return complain_about_case(&e);
	code = choose_engine("report", path, &own, &o->names, &o->explain.spec, a);
	if (code == EXIT_NOTHING)
		return show_as_it_is(o, path, a);
	return code >= 0 ? code : report_case(o, path, &c, a);
}

static const char *names_of_experiments(struct arena *a)
{
	const char *text = "";

	for (int i = 0; experiment_id(i); i++)
		text = arena_printf(a, "%s%s%s", text, i ? ", " : "", experiment_id(i));
	return text;
}

static const char *names_of_formats(struct arena *a)
{
	const char *text = "";

	for (const struct rendering *r = renderings; r->name; r++)
		text = arena_printf(a, "%s%s%s", text, r == renderings ? "" : ", ", r->name);
	return text;
}

static int report_campaign(struct report_options *o, const char *dir, struct arena *a)
{
	const struct experiments_plan plan = {&o->engines, &o->names, o->again, &o->explain};
	int code;

	if (o->format && strcmp(o->format, "html")) {
		if (strcmp(o->format, "dot") && strcmp(o->format, "issue"))
			return report_index(dir, o->format, o->baseline, o->out, a);
		complain("report: no index as '%s': html, markdown or json", o->format);
		return EXIT_USAGE;
	}
	code = report_experiments(dir, o->out, &plan, a);
	return code >= 0 ? code : report_pages(dir, o->baseline, o->out, a);
}

int command_report(int argc, char **argv)
{
	struct report_options report = {.explain = {.characterize = {.seconds = DEFAULT_SECONDS}}};
	const char *engines = NULL;
	int64_t held_out = 0;
	const struct option_row rows[] = {
	    {"engine", OPTION_TEXTS, &report.engines, ENGINE_ARGUMENT,
	        "the engine with the finding (default: the one of a report); with DIR: make experiments around its "
	        "findings, and repeat it for more engines"},
	    {"engines", OPTION_TEXT, &engines, "FILE",
	        "names of engines (adjudge.engines/1) that --engine may take; with DIR alone: all of them"},
	    {"format", OPTION_TEXT, &report.format, "NAME",
	        "text (default), json, markdown, issue, html (default for DIR) or dot"},
	    {"out", OPTION_TEXT, &report.out, "FILE",
	        "write here; for pages, the directory (default: standard output, DIR/html)"},
	    {"baseline", OPTION_TEXT, &report.baseline, "FILE", "with DIR: mark the findings that are known"},
	    {"experiments", OPTION_TEXT, &report.explain.characterize.experiments, "LIST",
	        "only these experiments, separated by commas"},
	    {"time", OPTION_LIMIT, &report.explain.characterize.seconds, "TIME",
	        "begin no variant after this long (default 60s; 0: no limit)"},
	    {"held-out", OPTION_NUMBER, &held_out, "N", "try the condition on N fresh variants"},
	    {"again", OPTION_FLAG, &report.again, NULL, "repeat the experiments of a report that has them"},
	};
	struct error e = {0};
	struct arena a;
	struct options o = {
	    "report", "CASE|DIR [--engine SPEC] [OPTION]...", NULL, rows, sizeof rows / sizeof *rows, 1, 1};
	char **path;
	int n, code;

	arena_init(&a, COMMAND_ARENA);
	o.summary = arena_printf(&a,
	    "Makes experiments around a case that shows a finding, preferably a minimal one, and writes a\n"
	    "report.  It says what fails, what does not fail, and what is ruled out; each statement lists its\n"
	    "variants.  If the report has experiments already, it is only written in another format.  So is\n"
	    "the report of an engine that is not built in, unless --engine gives it.\n"
	    "For the directory of a campaign, writes pages to look at in the morning: DIR/html/index.html, with\n"
	    "the campaign, its findings, most different first, and a page for each.  No engine is started,\n"
	    "except those of --engine and --engines: the pages of their findings say what experiments show.\n"
	    "Formats json and markdown write the index alone.\n"
	    "Experiments: %s.\n"
	    "Example: adjudge report corpus/documents/nx-while-acc-mul-x-n3.json --engine functional+residual-fifo\n"
	    "Exit status: 0 done, 3 the case cannot be read, 4 adjudge or the machine failed, 5 the engine\n"
	    "shows no finding, or the directory has no report, 128 + N stopped by signal N; the experiments\n"
	    "so far are written.\n",
	    names_of_experiments(&a));
	code = options_parse(&o, argc, argv, &path, &n);
	if (code >= 0)
		goto out;
	report.explain.characterize.held_out = held_out > 100000 ? 100000 : (int)held_out;
	report.rendering = rendering_find(report.format ? report.format : renderings[0].name);
	report.explain.script = report.format && !strcmp(report.format, "issue");
	if (!report.rendering) {
		complain("report: no format '%s'; there are %s", report.format, names_of_formats(&a));
		code = EXIT_USAGE;
	} else if (!experiments_exist(report.explain.characterize.experiments, &e)) {
		complain("report: %s", e.text);
		code = EXIT_USAGE;
	} else if ((code = naming_apply("report", engines, false, &report.names, &a, &report.engines, NULL, 0)) >= 0) {
		goto out;
	} else if (is_directory(path[0])) {
		code = report_campaign(&report, path[0], &a);
	} else {
		code = report_path(&report, path[0], &a);
	}
out:
	arena_free(&a);
	return code;
}
