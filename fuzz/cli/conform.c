/* conform.c: adjudge conform: a matrix of verdicts over every op. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engines/process/hello.h"
#include "commands.h"
#include "fuzz/conform/conform.h"

enum { DEFAULT_CASES = 4 };

/* Sets flags for the names in the list; an empty list sets all.  False: an unknown name. */
static bool choose(const struct texts *list, int (*find)(const char *name), bool *chosen, int n, const char *what)
{
	for (int k = 0; k < n; k++)
		chosen[k] = !list->n;
	for (int i = 0; i < list->n; i++) {
		int k = find(list->at[i]);

		if (k < 0) {
			complain("conform: no %s '%s'", what, list->at[i]);
			return false;
		}
		chosen[k] = true;
	}
	return true;
}

static int find_dtype(const char *name) { return dtype_find(name, strlen(name)); }

static char *render(const struct conform *m, const struct engine *engine, const char *format, struct arena *a)
{
	if (!strcmp(format, "json"))
		return conform_json(m, engine, a);
	if (!strcmp(format, "markdown"))
		return conform_markdown(m, engine, a);
	if (!strcmp(format, "html"))
		return conform_html(m, engine, a);
	return strcmp(format, "text") ? NULL : conform_text(m, engine, a);
}

static int outcome(const struct conform *m)
{
	if (m->failed) {
		complain("%s", m->failure);
		return EXIT_OURS;
	}
	for (int v = 0; v < VERDICT_COUNT; v++)
		if (m->verdict[v] && verdict_is_finding[v])
			return EXIT_FINDING;
	return m->verdict[VERDICT_AGREE] || m->verdict[VERDICT_CONVENTION] ? EXIT_NO_FINDING : EXIT_NOTHING;
}

static int conform_engine(const char *spec, const struct conform_options *o, const char *format, const char *out)
{
	struct oracle_options oracle = {.seed = o->seed, .fd_one_in = INT_MAX};
	struct error e = {0};
	struct conform m;
	struct arena a;
	struct bench b;
	char *text;
	int code;

	if (!bench_open(&b, &spec, 1, &oracle, &e)) {
		complain("conform: %s", e.text);
		return EXIT_OURS;
	}
	arena_init(&a, COMMAND_ARENA);
	conform_sweep(&b, o, &a, &m);
	text = render(&m, b.engine[0], format, &a);
	fputs(text, stdout);
	code = outcome(&m);
	if (out && !conform_write_findings(&m, &b, spec, out, !strcmp(format, "text") ? stdout : stderr, &a, &e)) {
		complain("%s", e.text);
		code = EXIT_OURS;
	}
	bench_close(&b);
	arena_free(&a);
	return code;
}

int command_conform(int argc, char **argv)
{
	static const char *const formats[] = {"text", "json", "markdown", "html"};
	struct conform_options s = {.seed = 1};
	const char *spec = NULL, *format = "text", *out = NULL;
	int64_t cases = DEFAULT_CASES;
	bool quiet = false, known = false;
	struct texts ops = {0}, dtypes = {0};
	const struct option_row rows[] = {
	    {"engine", OPTION_TEXT, &spec, "SPEC",
	        "the engine; proc:COMMAND for one that speaks the protocol, so:PATH for a shared object"},
	    {"op", OPTION_TEXTS, &ops, "OP", "this op alone; may be repeated"},
	    {"dtype", OPTION_TEXTS, &dtypes, "D", "this dtype alone; may be repeated"},
	    {"cases", OPTION_NUMBER, &cases, "N",
	        "cases of each cell of the matrix (default 4); a quarter of that for each further level, at least 1"},
	    {"seed", OPTION_SEED, &s.seed, "N", "same seed, same cases (default 1)"},
	    {"format", OPTION_TEXT, &format, "F", "text (default), json, markdown or html"},
	    {"out", OPTION_TEXT, &out, "DIR",
	        "write each finding as a minimal case and, if possible, as source for the engine alone"},
	    {"quiet", OPTION_FLAG, &quiet, NULL, "no progress on standard error"},
	};
	const struct options o = {"conform", "--engine SPEC [OPTION]...",
	    "Prints a matrix of verdicts of one engine: every op, in every request and dtype, inside the domain\n"
	    "and on its edges.\n"
	    "Example: adjudge conform --engine proc:'python3 my_engine.py'\n"
	    "Exit status: 0 no finding (a convention, an inaccuracy or an unsupported case is none), 1 a\n"
	    "finding, 4 the engine cannot be started, 5 nothing was decided.\n",
	    rows, sizeof rows / sizeof *rows, 0, 0};
	char **operand;
	int n, code = options_parse(&o, argc, argv, &operand, &n);

	if (code >= 0)
		return code;
	for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
		known = known || !strcmp(format, formats[k]);
	if (!spec || !known) {
		complain(spec ? "conform: no format '%s'; there are text, json, markdown, html"
		              : "conform: --engine is missing",
		    format);
		fputs("Try 'adjudge conform --help'.\n", stderr);
		return EXIT_USAGE;
	}
	if (!check_spec("conform", spec) || !choose(&ops, op_find, s.op, OP_COUNT, "op") ||
	    !choose(&dtypes, find_dtype, s.dtype, DTYPE_COUNT, "dtype"))
		return EXIT_USAGE;
	s.cases = cases < 1 ? 1 : cases > 1000 ? 1000 : (int)cases;
	s.progress = !quiet;
	return conform_engine(spec, &s, format, out);
}
