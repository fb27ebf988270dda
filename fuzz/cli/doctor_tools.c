/* doctor_tools.c: the checks of `adjudge doctor` about adapters, and programs and frameworks that they need. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/view.h"
#include "doctor.h"

enum language { PYTHON, NODE, LANGUAGES };

static const struct wanted_program {
	const char *command, *version, *use, *install;
} programs[] = {
#define PROGRAM(command, version, use, install) {command, version, use, install},
#include "doctor_tools.def"
#undef PROGRAM
};

static const struct framework {
	enum language language;
	const char *package, *adapter, *use, *install;
} frameworks[] = {
#define FRAMEWORK(language, package, adapter, use, install) {language, package, adapter, use, install},
#include "doctor_tools.def"
#undef FRAMEWORK
};

/* For each language: the program that runs it, and one that prints the version of the package after it, or nothing. */
static const struct {
	const char *program, *ask;
} languages[LANGUAGES] = {
    [PYTHON] = {"python3",
        "python3 -c 'import importlib.util as u, importlib.metadata as m, sys\n"
        "try: print(m.version(sys.argv[1]) if u.find_spec(sys.argv[1]) else \"\")\n"
        "except m.PackageNotFoundError: print(\"of unknown version\")'"},
    [NODE] = {"node",
        "node -e 'const fs = require(\"fs\"), p = require(\"path\"), at = process.env.ADJUDGE_NODE_MODULES ?? \".\";\n"
        "const f = [\"node_modules\", \".\"].map((n) => p.resolve(at, n, process.argv[1], \"package.json\"))\n"
        "    .find(fs.existsSync);\n"
        "console.log(f ? JSON.parse(fs.readFileSync(f)).version : \"\")'"},
};

/* The output of a shell command without its last newline, in the arena; "" where it fails or prints nothing. */
static const char *doctor_output(struct doctor *d, const char *command)
{
	char line[256] = "";
	FILE *f = popen(arena_printf(&d->list.arena, "{ %s\n} 2>/dev/null </dev/null", command), "r");
	bool read;

	if (!f)
		return "";
	read = fgets(line, sizeof line, f) != NULL;
	while (read && fgetc(f) != EOF) /* the rest, so that the program does not die of its own output */
		;
	line[strcspn(line, "\n")] = '\0';
	return pclose(f) || !read ? "" : arena_printf(&d->list.arena, "%s", line);
}

const char *doctor_adapter_folder(struct doctor *d)
{
	const char *folder = adapter_folder("adapter.py", &d->list.arena);

	return folder && !access(arena_printf(&d->list.arena, "%s/adapter.py", folder), R_OK) ? folder : NULL;
}

void doctor_adapters(struct doctor *d)
{
	const char *folder = doctor_adapter_folder(d);

	if (folder)
		doctor_say(d, DOCTOR_OK, "adapters", NULL, "%s", folder);
	else
		doctor_say(d, DOCTOR_ABSENT, "adapters", "ADJUDGE_ADAPTERS=FOLDER",
		    "engines that have an adapter cannot be started, and emit cannot write for them");
}

void doctor_programs(struct doctor *d)
{
	for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
		const struct wanted_program *p = &programs[k];
		const char *version = doctor_output(d, p->version);

		if (*version)
			doctor_say(d, DOCTOR_OK, p->command, NULL, "%s", version);
		else
			doctor_say(d, DOCTOR_ABSENT, p->command, p->install, "%s", p->use);
	}
}

static void say_framework(struct doctor *d, const struct framework *f, const char *folder)
{
	struct arena *a = &d->list.arena;
	const char *version = doctor_output(d, arena_printf(a, "%s %s", languages[f->language].ask, f->package));

	if (!*version)
		doctor_say(d, DOCTOR_ABSENT, f->package, f->install, "%s", f->use);
	else if (!f->adapter || !folder)
		doctor_say(d, DOCTOR_OK, f->package, NULL, "%s", version);
	else
		doctor_judge(d, f->package,
		    arena_printf(a, "proc:exec %s %s/%s", languages[f->language].program, view_shell_word(folder, a),
		        f->adapter),
		    NULL);
}

void doctor_frameworks(struct doctor *d)
{
	const char *folder = doctor_adapter_folder(d);

	for (size_t k = 0; k < sizeof frameworks / sizeof *frameworks; k++)
		say_framework(d, &frameworks[k], folder);
}
