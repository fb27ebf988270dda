/* report.c: adjudge report: makes experiments around a case, and writes the report in one of the formats. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "emit/emit.h"
#include "engines/process/hello.h"
#include "reports/render.h"
#include "reports/report.h"
#include "fuzz/characterize/characterize.h"
#include "commands.h"
#include "fuzz/bench/stop.h"

enum { DEFAULT_SECONDS = 60, ASKS = 16 }; /* ASKS: an engine whose answers differ may be right at first */

struct report_options {
	const char *spec, *out; /* spec: [NAME=]SPEC; NULL: not given */
	struct naming names;
	const struct rendering *rendering;
	bool again;
	struct characterize_options characterize;
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

/* Adds to the report a program for the engine alone, if the engine writes one: of the case that is shown first. */
static void add_script(struct report *r, struct engine *engine, struct arena *a)
{
	const struct hello *hello = engine_hello(engine);
	const struct testcase *c = r->characterization->typical.c ? r->characterization->typical.c : r->c;
	const struct emission x = {.c = c, .brief = true, .arena = a, .out = NEW(a, struct text, 1)};
	struct error e = {0};
	const char **text;
	int n;

	x.out->arena = a;
	if (!hello || !*hello->emits || !engine_emit(engine, c, a, &text, &n, &e))
		return;
	emit_adapted(&x, hello->emits, text, n);
	r->script = x.out->at;
	r->script_suffix = hello->emits;
}

/* The report of a finding, with the results of experiments. */
static int report_case(const struct report_options *o, const struct testcase *c, struct arena *a)
{
	const struct oracle_options oracle = {.seed = 1, .fd_one_in = INT_MAX};
	struct characterization x;
	struct bench_result r;
	struct report report;
	struct error e = {0};
	const char *name;
	struct bench b;
	char *text;
	size_t len;
	int code;

	stop_on_signals();
	if (!bench_open(&b, &o->spec, 1, &oracle, &e)) {
		complain("%s", e.text);
		return stop_signal() ? complain_about_stop("report") : EXIT_OURS;
	}
	name = engine_name(b.engine[0]);
	bench_judge(&b, c, a, &r);
	for (int k = 1; k < ASKS && !verdict_is_finding[r.judgement[0].verdict] && !r.interrupted &&
	     !machine_failed(name, r.answer[0], c->n_point);
	     k++)
		bench_judge(&b, c, a, &r);
	if (machine_failed(name, r.answer[0], c->n_point)) {
		code = EXIT_OURS;
	} else if (r.interrupted) {
		code = complain_about_stop("report");
	} else if (!verdict_is_finding[r.judgement[0].verdict]) {
		complain("%s shows no finding here: %s", name, verdict_names[r.judgement[0].verdict]);
		code = EXIT_NOTHING;
	} else if (!characterize(&b, o->spec, c, &o->characterize, a, &x, &e)) {
		complain("report: %s", e.text);
		code = EXIT_USAGE;
	} else {
		report = (struct report){.signature = signature_coarse(name, c, &r.judgement[0], a),
		    .engine = name,
		    .engine_spec = engine_spec(b.engine[0]),
		    .engine_version = engine_version(b.engine[0], a),
		    .spellings = engine_spellings(b.engine[0], c, a),
		    .c = c,
		    .truth = &r.truth,
		    .answers = r.answer[0],
		    .judgement = &r.judgement[0],
		    .characterization = &x};
		if (!strcmp(o->rendering->name, "issue"))
			add_script(&report, b.engine[0], a);
		text = report_write(&report, a, &len);
		code = render(o, text, len, a);
	}
	bench_close(&b);
	return stop_exit_code(code);
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

static int report_path(struct report_options *o, const char *path, struct arena *a)
{
	struct reported own;
	const char *text;
	struct error e = {0};
	struct testcase c;
	size_t len;
	int code;

	text = o->again || o->spec || !strcmp(path, "-") ? NULL : report_with(path, "characterization", a, &len);
	if (text)
		return render(o, text, len, a);
	if (!read_case(path, a, &c, &own, &e))
		return complain_about_case(&e);
	code = choose_engine("report", path, &own, &o->names, &o->spec, a);
	if (code == EXIT_NOTHING)
		return show_as_it_is(o, path, a);
	return code >= 0 ? code : report_case(o, &c, a);
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

/* format: NULL means pages. */
static int report_campaign(const char *dir, const char *format, const char *baseline, const char *out, struct arena *a)
{
	if (!format || !strcmp(format, "html"))
		return report_pages(dir, baseline, out, a);
	if (!strcmp(format, "dot") || !strcmp(format, "issue")) {
		complain("report: no index as '%s': html, markdown or json", format);
		return EXIT_USAGE;
	}
	return report_index(dir, format, baseline, out, a);
}

int command_report(int argc, char **argv)
{
	struct report_options report = {.characterize = {.seconds = DEFAULT_SECONDS}};
	const char *format = NULL, *baseline = NULL, *engines = NULL;
	const char **const other[] = {&report.spec};
	struct texts none = {0};
	int64_t held_out = 0;
	const struct option_row rows[] = {
	    {"engine", OPTION_TEXT, &report.spec, ENGINE_ARGUMENT,
	        "the engine with the finding (default: the one of a report)"},
	    {"engines", OPTION_TEXT, &engines, "FILE", ENGINES_HELP_ONE},
	    {"format", OPTION_TEXT, &format, "NAME",
	        "text (default), json, markdown, issue, html (default for DIR) or dot"},
	    {"out", OPTION_TEXT, &report.out, "FILE",
	        "write here; for pages, the directory (default: standard output, DIR/html)"},
	    {"baseline", OPTION_TEXT, &baseline, "FILE", "with DIR: mark the findings that are known"},
	    {"experiments", OPTION_TEXT, &report.characterize.experiments, "LIST",
	        "only these experiments, separated by commas"},
	    {"time", OPTION_LIMIT, &report.characterize.seconds, "TIME",
	        "begin no variant after this long (default 60s; 0: no limit)"},
	    {"held-out", OPTION_NUMBER, &held_out, "N", "try the condition on N fresh variants"},
	    {"again", OPTION_FLAG, &report.again, NULL, "repeat the experiments of a report that has them"},
	};
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
	    "the campaign, its findings, most different first, and a page for each.  No engine is started.\n"
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
	report.characterize.held_out = held_out > 100000 ? 100000 : (int)held_out;
	report.rendering = rendering_find(format ? format : renderings[0].name);
	if (!report.rendering) {
		complain("report: no format '%s'; there are %s", format, names_of_formats(&a));
		code = EXIT_USAGE;
	} else if ((code = naming_apply("report", engines, false, &report.names, &a, &none, other, 1)) >= 0) {
		goto out;
	} else if (is_directory(path[0])) {
		code = report_campaign(path[0], format, baseline, report.out, &a);
	} else {
		code = report_path(&report, path[0], &a);
	}
out:
	arena_free(&a);
	return code;
}
