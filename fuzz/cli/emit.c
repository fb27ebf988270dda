/* emit.c: adjudge emit: writes a case as source that runs against an engine alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit/emit.h"
#include "commands.h"

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

/*
 * The folder with the adapter of f.  The environment variable ADJUDGE_ADAPTERS names it.  Otherwise it is the first of
 * three folders that has the adapter:
 * 1. the source folder, seen from a build folder inside it;
 * 2. the installed folder, seen from the executable;
 * 3. the folder of the installation prefix.
 *
 * NULL after a complaint.
 */
static const char *adapter_folder(const struct format *f, struct arena *a)
{
	static const char *const places[] = {
	    "../engines/external", ADJUDGE_ADAPTERS_FROM_BIN, ADJUDGE_ADAPTERS_INSTALLED};
	const char *given = getenv("ADJUDGE_ADAPTERS");
	int file = (int)strcspn(f->adapter, " ");
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	char *slash;

	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		slash[1] = '\0';
	for (size_t k = 0; !given && k < sizeof places / sizeof *places; k++) {
		const char *folder = places[k][0] == '/' ? places[k] : arena_printf(a, "%s%s", exe, places[k]);

		if (!access(arena_printf(a, "%s/%.*s", folder, file, f->adapter), R_OK))
			return folder;
	}
	if (!given)
		complain("emit: there is no adapter %.*s in %s; the environment variable ADJUDGE_ADAPTERS names the "
		         "folder that has it",
		    file, f->adapter, ADJUDGE_ADAPTERS_INSTALLED);
	return given;
}

/* Writes the source by the adapter of the engine. */
static int emit_by_adapter(const struct format *f, const struct emission *x)
{
	struct arena *a = x->arena;
	struct error e = {0};
	const char *folder = adapter_folder(f, a), **text = NULL;
	struct engine *engine;
	int n = 0;

	if (!folder)
		return EXIT_OURS;
	engine = engine_open(arena_printf(a, "proc:exec %s '%s'/%s --emit", f->program, folder, f->adapter), &e);
	if (!engine) {
		complain("emit: %s", e.text);
		return EXIT_OURS;
	}
	if (!engine_emit(engine, x->c, a, &text, &n, &e)) {
		complain("emit: %s", e.text);
		engine_close(engine);
		return EXIT_NOTHING;
	}
	emit_comment(x, f->comment, f->title);
	for (int k = 0; k < n; k++)
		text_put(x->out, "%s", text[k]);
	engine_close(engine);
	return EXIT_NO_FINDING;
}

static int emit_by_target(const struct emit_target *t, const struct emission *x)
{
	struct error e = {0};

	if (t->write(x, &e))
		return EXIT_NO_FINDING;
	complain("emit: %s", e.text);
	return EXIT_NOTHING;
}

static int emit_case(const char *path, const struct format *f, const struct emit_target *t, struct arena *a)
{
	const struct oracle_options options = {.fd_one_in = 1};
	struct text out = {.arena = a};
	struct error e = {0};
	const char *of = NULL;
	struct testcase c;
	struct truth truth;
	struct emission x = {&c, &truth, a, &out};
	struct oracle *oracle;
	int code;

	if (!read_case(path, a, &c, &of, &e))
		return complain_about_case(&e);
	oracle = oracle_open(&options);
	oracle_truth(oracle, &c, a, &truth);
	oracle_close(oracle);
	code = f ? emit_by_adapter(f, &x) : emit_by_target(t, &x);
	return code == EXIT_NO_FINDING ? write_output(NULL, out.at, out.len) : code;
}

int command_emit(int argc, char **argv)
{
	const char *name = NULL;
	bool list = false;
	const struct option_row rows[] = {
	    {"format", OPTION_TEXT, &name, "F", "the engine to write for; --formats lists them"},
	    {"formats", OPTION_FLAG, &list, NULL, "list the formats"},
	};
	const struct options o = {"emit", "--format F CASE",
	    "Prints a case or report as a program that runs against an engine alone, and shows expected and\n"
	    "returned numbers.  If the engine has an adapter, the program makes the same calls (needs python3\n"
	    "or node, not the engine).\n"
	    "Otherwise it is made from templates, and needs nothing.\n"
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
	if ((!f && !t) || !n) {
		complain(name && !f && !t ? "emit: no format '%s'; 'adjudge emit --formats' lists them"
		                          : "emit: --format and a case are needed",
		    name);
		return EXIT_USAGE;
	}
	arena_init(&a, COMMAND_ARENA);
	code = emit_case(operand[0], f, t, &a);
	arena_free(&a);
	return code;
}
