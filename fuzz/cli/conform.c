/* conform.c: adjudge conform: a matrix of verdicts over every op. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engines/process/hello.h"
#include "ci.h"
#include "commands.h"
#include "emit_writer.h"
#include "fuzz/bench/account.h"
#include "fuzz/bench/stop.h"
#include "fuzz/campaign/books/case_paths.h"
#include "fuzz/conform/conform.h"

enum { DEFAULT_CASES = 4 };

#define DEEP_HELP   "also judge the corpus, each op with an operand used once more beside it, and at special operands"
#define CORPUS_HELP "folder of the cases that --deep judges (default: the corpus of adjudge)"

/* Sets flags for those of name[n] that are in the list; an empty list sets all.  False after a complaint about a name
 * that is unknown. */
static bool choose(const struct texts *list, const char *const *name, bool *chosen, int n, const char *what)
{
	for (int k = 0; k < n; k++)
		chosen[k] = !list->n;
	for (int i = 0; i < list->n; i++) {
		const char *near = json_nearest(list->at[i], name, n);
		int k = 0;

		while (k < n && strcmp(name[k], list->at[i]) != 0)
			k++;
		if (k == n) {
			complain("conform: no %s '%s'%s%s%s", what, list->at[i], near ? "; did you mean '" : "",
			    near ? near : "", near ? "'?" : "");
			return false;
		}
		chosen[k] = true;
	}
	return true;
}

/* False after a complaint. */
static bool choose_all(const struct texts *ops, const struct texts *dtypes, struct conform_options *o)
{
	const char *op[OP_COUNT], *dtype[DTYPE_COUNT];

	for (int k = 0; k < OP_COUNT; k++)
		op[k] = op_table[k].name;
	for (int k = 0; k < DTYPE_COUNT; k++)
		dtype[k] = dtype_table[k].name;
	return choose(ops, op, o->op, OP_COUNT, "op") && choose(dtypes, dtype, o->dtype, DTYPE_COUNT, "dtype");
}

/* reasons: of cells, in the format text. */
static char *render(
    const struct conform *m, const struct engine *engine, const char *format, bool reasons, struct arena *a)
{
	if (!strcmp(format, "json"))
		return conform_json(m, engine, a);
	if (!strcmp(format, "markdown"))
		return conform_markdown(m, engine, a);
	if (!strcmp(format, "html"))
		return conform_html(m, engine, a);
	return strcmp(format, "text") ? NULL : conform_text(m, engine, reasons, a);
}

/* What the options say, and the list of outcomes. */
struct conform_run {
	const char *spec; /* [NAME=]SPEC of the engine */
	struct conform_options o;
	struct ci_options ci;
	struct ci_run run;
	struct arena arena;
	const char *out; /* directory of the findings, or NULL */
	struct conform m;
	struct paths corpus; /* case files, with --deep */
	int n_cell;
	char **path; /* [n_cell] of the cells that have a case, then of the cases of the corpus */
};

static enum ci_state state_of(const struct conform_cell *cell)
{
	if (verdict_is_finding[cell->worst])
		return CI_NEW;
	return cell->worst == VERDICT_UNSUPPORTED ? CI_UNSUPPORTED
	    : cell->worst == VERDICT_UNDECIDED    ? CI_UNDECIDED
	                                          : CI_PASSED;
}

static void list_cells(struct conform_run *s)
{
	const struct conform *m = &s->m;

	s->path = NEW(&s->arena, char *, OP_COUNT * m->n_column + m->n_replayed + 1);
	for (int op = 0; op < OP_COUNT; op++)
		for (int k = 0; m->cell[op] && k < m->n_column; k++)
			if (conform_cell_cases(&m->cell[op][k]))
				s->path[s->n_cell++] = arena_printf(&s->arena, "%s%s%s.json", s->out ? s->out : "",
				    s->out ? "/" : "", conform_cell_name(m, (enum op)op, k, &s->arena));
	for (int k = 0; k < m->n_replayed; k++)
		if (conform_cell_cases(&m->replayed[k].cell))
			s->path[s->n_cell++] = arena_printf(&s->arena, "%s", m->replayed[k].name);
}

static void add_cell(struct conform_run *s, const char *engine, const char *path, const struct conform_cell *cell)
{
	const struct paths all = {.n = s->n_cell, .at = s->path};
	const enum ci_state state = state_of(cell);
	const char *numbers = state == CI_NEW ? cell->numbers : "";

	if (state == CI_NEW || state == CI_PASSED)
		baseline_note_judged(&s->run.baseline, engine, path);
	ci_run_add(&s->run,
	    (struct ci_outcome){.state = state,
	        .path = path,
	        .engine = engine,
	        .signature = state == CI_NEW ? cell->signature : NULL,
	        .verdict = verdict_names[cell->worst],
	        .message = arena_printf(&s->arena, "%s in %d of %d cases%s%s%s%s", verdict_names[cell->worst],
	            cell->cases[cell->worst], conform_cell_cases(cell), *numbers ? ": " : "", numbers,
	            *cell->text ? ": " : "", cell->text)},
	    &all);
	if (cell->flaky)
		ci_run_add(&s->run,
		    (struct ci_outcome){.state = CI_FLAKY,
		        .path = path,
		        .engine = engine,
		        .signature = arena_printf(&s->arena, "%s|*|%s|none", engine, verdict_names[cell->gone]),
		        .verdict = verdict_names[cell->gone],
		        .message = arena_printf(
		            &s->arena, "did not come again, %d times: %s", cell->flaky, cell->gone_text)},
		    &all);
}

/* Why nothing was decided about the engine. */
static const char *why_nothing(struct conform_run *s, const struct hello *hello)
{
	const char *lacks = "";
	int wanted = 0, known = 0;

	if (s->m.asked)
		return too_few_text(0, s->m.asked, 0, &s->arena);
	for (int op = 0; hello && op < OP_COUNT; op++) {
		wanted += s->o.op[op];
		known += s->o.op[op] && hello->op[op];
		if (s->o.op[op] && !hello->op[op])
			lacks = op_table[op].name;
	}
	if (hello && !known)
		return arena_printf(&s->arena, "nothing was decided: its hello lacks %s",
		    wanted == 1 ? arena_printf(&s->arena, "op %s", lacks) : "these ops");
	return "nothing was decided: it takes none of these ops, dtypes and requests";
}

/* Adds the outcomes of all cells and of the baseline, and returns the exit code. */
static int take_outcomes(struct conform_run *s, const char *engine, const struct hello *hello)
{
	const struct conform *m = &s->m;
	const struct paths all = {.n = s->n_cell, .at = s->path};
	const bool decided = m->verdict[VERDICT_AGREE] || m->verdict[VERDICT_CONVENTION];
	int n = 0;

	for (int op = 0; op < OP_COUNT; op++)
		for (int k = 0; m->cell[op] && k < m->n_column; k++)
			if (conform_cell_cases(&m->cell[op][k]))
				add_cell(s, engine, s->path[n++], &m->cell[op][k]);
	for (int k = 0; k < m->n_replayed; k++)
		if (conform_cell_cases(&m->replayed[k].cell))
			add_cell(s, engine, s->path[n++], &m->replayed[k].cell);
	if (m->failed) {
		complain("%s", m->failure);
		ci_run_add(
		    &s->run, (struct ci_outcome){.state = CI_ERROR, .engine = engine, .message = m->failure}, &all);
		return EXIT_OURS;
	}
	if (!stop_requested())
		ci_check_baseline(&s->run, &all, (const char *const *)s->path, s->n_cell);
	if (ci_failures(&s->run.report))
		return EXIT_FINDING;
	if (stop_requested() || decided || s->run.report.count[CI_KNOWN] || ci_sharded(&s->run))
		return s->run.report.count[CI_FLAKY] ? EXIT_FLAKY : EXIT_NO_FINDING;
	ci_add_too_few(&s->run, engine, why_nothing(s, hello));
	return EXIT_NOTHING;
}

static void add_totals(struct conform_run *s, const char *engine)
{
	char *text = arena_printf(&s->arena, "%s: %d cases", ci_engine_text(&s->run.report, engine), s->m.asked);

	for (int v = VERDICT_COUNT - 1; v >= 0; v--)
		if (s->m.verdict[v])
			text = arena_printf(&s->arena, "%s, %s %d", text, verdict_names[v], s->m.verdict[v]);
	ci_add_total(&s->run.report, text);
}

static bool open_bench(void *self, struct bench *b)
{
	const struct conform_run *s = self;
	const struct oracle_options oracle = {.seed = s->o.seed, .fd_one_in = INT_MAX};
	struct error e = {0};

	if (bench_open(b, &s->spec, 1, &oracle, &e)) {
		b->strict = s->o.strict;
		return true;
	}
	complain("conform: %s", e.text);
	return false;
}

static int conform_engine(struct conform_run *s)
{
	const char *format = s->ci.format;
	struct error e = {0};
	bool printed, plain = !strcmp(format, "text");
	const char *shown;
	struct engine *writer;
	struct bench b;
	int code;

	stop_on_signals();
	if (!open_bench(s, &b))
		return stop_signal() ? complain_about_stop("conform") : EXIT_OURS;
	warn_of_hellos(&b);
	if (!conform_sweep(&b, &s->o, &s->arena, &s->m)) {
		bench_close(&b);
		return stop_signal() ? complain_about_stop("conform") : EXIT_OURS;
	}
	shown = render(&s->m, b.engine[0], format, !s->out, &s->arena);
	if (shown)
		fputs(shown, stdout);
	list_cells(s);
	if (engine_hello(b.engine[0]))
		ci_add_engine(&s->run.report, engine_name(b.engine[0]), engine_version(b.engine[0], &s->arena));
	code = take_outcomes(s, engine_name(b.engine[0]), engine_hello(b.engine[0]));
	add_totals(s, engine_name(b.engine[0]));
	if (plain)
		ci_print_baseline(&s->run);
	if (plain && code == EXIT_NOTHING)
		fputs(ci_line(&s->run.report.at[s->run.report.n - 1], &s->arena), stdout);
	if (stop_signal())
		complain_about_stop("conform");
	writer = s->out ? emit_writer_open(b.engine[0], &s->arena) : NULL;
	if (s->out && !conform_write_findings(&s->m, &b, writer, s->out, plain ? stdout : stderr, &s->arena, &e)) {
		complain("%s", e.text);
		code = EXIT_OURS;
	}
	if (writer)
		engine_close(writer);
	bench_close(&b);
	return ci_end(&s->run, stop_exit_code(code), &printed);
}

/* Finds the case files of the corpus, for --deep.  -1, or an exit code after a complaint. */
static int find_corpus(struct conform_run *s)
{
	if (!s->o.deep) {
		if (s->o.corpus)
			complain("conform: --corpus needs --deep");
		return s->o.corpus ? EXIT_USAGE : -1;
	}
	if (!s->o.corpus)
		s->o.corpus = corpus_folder(&s->arena);
	if (!s->o.corpus) {
		complain("conform: the corpus of adjudge is not installed; --corpus DIR names a folder of cases");
		return EXIT_BAD_CASE;
	}
	s->corpus = paths_find(&s->o.corpus, 1);
	if (s->corpus.error || !s->corpus.n) {
		complain("conform: --corpus: %s%s", s->corpus.error ? s->corpus.error : s->o.corpus,
		    s->corpus.error ? "" : ": has no *.json file");
		return EXIT_BAD_CASE;
	}
	s->o.path = s->corpus.at;
	s->o.n_path = s->corpus.n;
	return -1;
}

int command_conform(int argc, char **argv)
{
	struct conform_run s = {.o = {.seed = 1}, .ci = {.format = "text"}};
	const char *engines = NULL;
	const char **const other[] = {&s.spec};
	struct naming names;
	struct texts none = {0};
	int64_t cases = DEFAULT_CASES, jobs = 1;
	bool quiet = false;
	struct texts ops = {0}, dtypes = {0};
	struct engine_limits limits = engine_limits_preset();
	const struct option_row rows[] = {
	    {"engine", OPTION_ONCE, &s.spec, ENGINE_ARGUMENT,
	        "the engine; proc:COMMAND for one that speaks the protocol, so:PATH for a shared object"},
	    {"engines", OPTION_TEXT, &engines, "FILE", ENGINES_HELP_ONE},
	    {"op", OPTION_TEXTS, &ops, "OP", "this op alone; may be repeated"},
	    {"dtype", OPTION_TEXTS, &dtypes, "D", "this dtype alone; may be repeated"},
	    {"cases", OPTION_NUMBER, &cases, "N",
	        "cases of each cell of the matrix (default 4); a quarter of that for each further level, at least 1"},
	    {"deep", OPTION_FLAG, &s.o.deep, NULL, DEEP_HELP},
	    {"corpus", OPTION_TEXT, &s.o.corpus, "DIR", CORPUS_HELP},
	    {"seed", OPTION_SEED, &s.o.seed, "N", "same seed, same cases (default 1)"},
	    {"format", OPTION_TEXT, &s.ci.format, "F", "text (default), json, markdown, html, " CI_FORMATS},
	    CI_OPTION_ROWS(s.ci),
	    CI_SHARD_ROW(s.ci),
	    JOBS_ROW(jobs),
	    {"out", OPTION_TEXT, &s.out, "DIR",
	        "write each finding as a minimal case and, if possible, as source for the engine alone; the search "
	        "with an engine from outside ends after two minutes"},
	    {"strict", OPTION_FLAG, &s.o.strict, NULL, STRICT_HELP FINITE_HELP},
	    {"quiet", OPTION_FLAG, &quiet, NULL, "no progress on standard error"},
	    ENGINE_LIMIT_ROWS(limits),
	};
	const struct options o = {"conform", "--engine SPEC [OPTION]...",
	    "Prints a matrix of verdicts of one engine: every op, in every request and dtype, inside the domain\n"
	    "and on its edges.\n"
	    "Example: adjudge conform --engine proc:'python3 my_engine.py'\n"
	    "Findings of the baseline do not count.\n"
	    "The output is the same for any number of processes.\n"
	    "Exit status: 0 no finding (a convention, an inaccuracy or an unsupported case is none), 1 a\n"
	    "finding, 4 the engine cannot be started, 5 nothing was decided, 6 only a crash or the like that did\n"
	    "not come again, 128 + N stopped by signal N.\n",
	    rows, sizeof rows / sizeof *rows, 0, 0};
	char **operand;
	int n, code = options_parse(&o, argc, argv, &operand, &n);

	if (code >= 0)
		return code;
	engine_limits_use(&limits);
	if (!s.spec)
		complain("conform: --engine is missing");
	if (!s.spec || !ci_check_format("conform", s.ci.format, "text, json, markdown, html")) {
		fputs("Try 'adjudge conform --help'.\n", stderr);
		return EXIT_USAGE;
	}
	s.o.jobs = choose_jobs("conform", jobs);
	if (s.o.jobs < 0 || !choose_all(&ops, &dtypes, &s.o))
		return EXIT_USAGE;
	s.o.open = open_bench;
	s.o.context = &s;
	s.o.cases = cases < 1 ? 1 : cases > 1000 ? 1000 : (int)cases;
	s.o.progress = !quiet;
	arena_init(&s.arena, COMMAND_ARENA);
	code = find_corpus(&s);
	if (code < 0)
		code = naming_apply("conform", engines, false, &names, &s.arena, &none, other, 1);
	if (code < 0)
		code = ci_begin(&s.run, "conform", &s.ci, &s.arena);
	if (code < 0) {
		s.o.shard = s.run.shard - 1;
		s.o.n_shard = s.run.n_shard;
		s.run.partial = ops.n || dtypes.n || s.run.n_shard > 1;
		code = conform_engine(&s);
	}
	paths_free(&s.corpus);
	arena_free(&s.arena);
	return code;
}
