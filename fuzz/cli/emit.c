/* emit.c: adjudge emit: writes a case as source that runs against an engine alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/emit.h"
#include "engines/process/hello.h"
#include "reports/view.h"
#include "commands.h"
#include "emit_serve.h"

static const struct format {
	const char *name, *program, *adapter, *comment, *title, *meaning;
} formats[] = {
#define FORMAT(name, program, adapter, comment, title, meaning) {name, program, adapter, comment, title, meaning},
#include "emit_formats.def"
#undef FORMAT
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const struct format *find_format(const char *name)
{
	for (int k = 0; k < FORMATS; k++)
		if (!strcmp(name, formats[k].name))
			return &formats[k];
	return NULL;
}

static void list_formats(void)
{
	for (int k = 0; k < FORMATS; k++)
		printf("%-14s %s\n", formats[k].name, formats[k].meaning);
	for (const struct emit_target *t = emit_targets; t->name; t++)
		printf("%-14s %s\n", t->name, t->meaning);
}

/* The environment variable ADJUDGE_ADAPTERS names the folder. */
const char *adapter_folder(const char *file, struct arena *a)
{
	static const char *const places[] = {
	    "../engines/external", ADJUDGE_ADAPTERS_FROM_BIN, ADJUDGE_ADAPTERS_INSTALLED};
	const char *given = getenv("ADJUDGE_ADAPTERS");

	return given ? given : data_folder(places, file, a);
}

/* Opens the engine of f to emit.  An exit code, after a complaint where it failed. */
static int open_adapter(const struct format *f, struct bench *b, const struct oracle_options *o, struct arena *a)
{
	const char *file = arena_printf(a, "%.*s", (int)strcspn(f->adapter, " "), f->adapter);
	const char *folder = adapter_folder(file, a), *spec;
	struct error e = {0};

	if (!folder) {
		complain("emit: there is no adapter %s in %s; the environment variable ADJUDGE_ADAPTERS names the "
		         "folder that has it",
		    file, ADJUDGE_ADAPTERS_INSTALLED);
		return EXIT_OURS;
	}
	spec = arena_printf(a, "proc:exec %s %s/%s --emit", f->program, view_shell_word(folder, a), f->adapter);
	if (bench_open(b, &spec, 1, o, &e))
		return EXIT_NO_FINDING;
	complain("emit: %s", e.text);
	return EXIT_OURS;
}

/* What the engine declares is no excuse where the question is whether usual formulas do better. */
static void truth_for(struct bench *b, const struct emission *x, struct truth *out)
{
	if (!x->tight) {
		bench_declared_truth(b, x->c, x->arena, out);
		return;
	}
	oracle_truth(b->oracle, x->c, x->arena, out);
	oracle_confirm(b->oracle, x->c, x->arena, out);
}

/* "; other formats of PyTorch: torch-forward, torch-func", which may know a request that f does not. */
static const char *other_formats(const struct format *f, struct arena *a)
{
	const char *text = "";

	for (int k = 0; k < FORMATS; k++)
		if (&formats[k] != f && !strcmp(formats[k].title, f->title))
			text = arena_printf(a, "%s%s%s", text, *text ? ", " : "", formats[k].name);
	return *text ? arena_printf(a, "; other formats of %s: %s", f->title, text) : "";
}

/* Writes the source by the adapter of the engine. */
static int emit_by_adapter(const struct format *f, struct emission *x)
{
	const struct oracle_options options = {.fd_one_in = 1};
	struct bench b;
	struct truth truth;
	struct error e = {0};
	const char **text = NULL;
	int n = 0, code = open_adapter(f, &b, &options, x->arena);

	if (code != EXIT_NO_FINDING)
		return code;
	x->truth = &truth;
	x->weak_zero &= engine_hello(b.engine[0])->weak_zero;
	if (engine_emit(b.engine[0], x->c, x->brief, x->arena, &text, &n, &e)) {
		truth_for(&b, x, &truth);
		if (!x->brief)
			emit_comment(x, f->comment, f->title);
		emit_adapted(x, engine_hello(b.engine[0])->emits, text, n);
	} else {
		complain("emit: %s%s", e.text,
		    hello_takes(engine_hello(b.engine[0]), x->c->transform, x->c->n_transform)
		        ? ""
		        : other_formats(f, x->arena));
		code = EXIT_NOTHING;
	}
	bench_close(&b);
	return code;
}

/* Of the targets, only C keeps subnormal numbers for sure. */
static void may_flush(const struct emit_target *t, struct oracle_options *o)
{
	for (int d = 0; d < DTYPE_COUNT; d++)
		o->flushes[d] = strcmp(t->name, "c") != 0 && dtype_is_float((enum dtype)d);
}

static int emit_by_target(const struct emit_target *t, struct emission *x)
{
	struct oracle_options options = {.fd_one_in = 1};
	struct truth truth;
	struct error e = {0};
	struct oracle *oracle;

	x->weak_zero = false;
	may_flush(t, &options);
	oracle = oracle_open(&options);
	oracle_truth(oracle, x->c, x->arena, &truth);
	oracle_confirm(oracle, x->c, x->arena, &truth);
	oracle_close(oracle);
	x->truth = &truth;
	if (t->write(x, &e))
		return EXIT_NO_FINDING;
	complain("emit: %s", e.text);
	return EXIT_NOTHING;
}

/* judged: how the source judges, its members `brief` and `tight`. */
static int emit_case(
    const char *path, const struct format *f, const struct emit_target *t, struct emission judged, struct arena *a)
{
	struct text out = {.arena = a};
	struct error e = {0};
	struct reported of;
	struct testcase c;
	struct emission x = {.c = &c, .brief = judged.brief, .tight = judged.tight, .arena = a, .out = &out};
	int code;

	if (!read_case(path, a, &c, &of, &e))
		return complain_about_case(&e);
	x.tight |= of.signature && signature_verdict(of.signature) == VERDICT_INACCURATE;
	x.weak_zero = of.signature && signature_verdict(of.signature) != VERDICT_NAN_LEAK;
	code = f ? emit_by_adapter(f, &x) : emit_by_target(t, &x);
	return code == EXIT_NO_FINDING ? write_output(NULL, out.at, out.len) : code;
}

int command_emit(int argc, char **argv)
{
	const char *name = NULL;
	struct emission x = {0};
	bool list = false, serve = false;
	const struct option_row rows[] = {
	    {"format", OPTION_TEXT, &name, "F", "the engine to write for; --formats lists them"},
	    {"brief", OPTION_FLAG, &x.brief, NULL, "a short source, for an issue"},
	    {"tight", OPTION_FLAG, &x.tight, NULL,
	        "what is less accurate than usual formulas is wrong, as in a report of that"},
	    {"formats", OPTION_FLAG, &list, NULL, "list the formats"},
	    {"serve", OPTION_FLAG, &serve, NULL,
	        "write sources for an adapter, which asks on standard input (engines/PROTOCOL.md)"},
	};
	const struct options o = {"emit", "--format F CASE | --format F --serve",
	    "Prints a case or report as a program that runs against an engine alone, and judges the numbers that\n"
	    "it returns.  The program's own exit status is 0 if all are right, 1 if one is wrong, and 125 if it\n"
	    "cannot tell, as git bisect run wants it.\n"
	    "A NaN is wrong where a number is expected, although the engine declares weak_zero.  A report of\n"
	    "another verdict allows that NaN, because it is not what the report shows.\n"
	    "If the engine has an adapter, the program makes the same calls (needs python3 or node, not the\n"
	    "engine).  Otherwise it is made from templates, and needs nothing.\n"
	    "Example: adjudge emit --format jax case.json >reproducer.py\n"
	    "Exit status: 0 written, 3 a bad case, 4 the adapter cannot be run, 5 the format cannot express a\n"
	    "part of the case.\n",
	    rows, sizeof rows / sizeof *rows, 0, 1};
	const struct emit_target *t;
	const struct format *f;
	struct arena a;
	char **operand;
	int n, code = options_parse(&o, argc, argv, &operand, &n);

	if (code >= 0)
		return code;
	if (list) {
		list_formats();
		return EXIT_NO_FINDING;
	}
	f = name ? find_format(name) : NULL;
	t = name ? emit_target_find(name) : NULL;
	if (serve && t && !n)
		return emit_serve(t);
	if ((!f && !t) || !n || serve) {
		if (name && !f && !t)
			complain("emit: no format '%s'; 'adjudge emit --formats' lists them", name);
		else if (serve)
			complain("emit: --serve takes a format that is made from templates, and no case");
		else
			complain("emit: %s is missing; 'adjudge emit --formats' lists the formats",
			    name ? "the case" : "--format");
		return EXIT_USAGE;
	}
	arena_init(&a, COMMAND_ARENA);
	code = emit_case(operand[0], f, t, x, &a);
	arena_free(&a);
	return code;
}
