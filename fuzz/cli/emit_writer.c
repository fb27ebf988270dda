/* emit_writer.c: see emit_writer.h. */
#include "emit_writer.h"

#include <string.h>

#include "commands.h"
#include "engines/process/hello.h"
#include "reports/view.h"

static const struct {
	const char *says, *format;
} writers[] = {
#define WRITER(says, format) {says, format},
#include "emit_writers.def"
#undef WRITER
};

static const struct {
	const char *name, *program, *adapter;
} formats[] = {
#define FORMAT(name, program, adapter, comment, title, meaning) {name, program, adapter},
#include "emit_formats.def"
#undef FORMAT
};

/* The format for an engine that says this name; NULL: there is none. */
static const char *format_for(const char *says)
{
	for (size_t k = 0; k < sizeof writers / sizeof *writers; k++)
		if (!strcmp(writers[k].says, says))
			return writers[k].format;
	return NULL;
}

const char *emit_call(const char *says, enum op op)
{
	static const struct {
		const char *library;
		enum op op;
		const char *name;
	} calls[] = {
#define CALL(library, op, name) {library, OP_##op, name},
#include "emit_calls.def"
#undef CALL
	};

	for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
		if (calls[k].op == op && strlen(calls[k].library) == strcspn(says, ".") &&
		    !strncmp(calls[k].library, says, strcspn(says, ".")))
			return calls[k].name;
	return NULL;
}

struct engine *emit_writer_open(const struct engine *engine, struct arena *a)
{
	const struct hello *hello = engine_hello(engine);
	const char *format = hello && !*hello->emits ? format_for(hello->name) : NULL;
	struct error e = {0};

	for (size_t k = 0; format && k < sizeof formats / sizeof *formats; k++) {
		const char *adapter = formats[k].adapter,
		           *folder = adapter_folder(arena_printf(a, "%.*s", (int)strcspn(adapter, " "), adapter), a);

		if (folder && !strcmp(formats[k].name, format))
			return engine_open(arena_printf(a, "proc:exec %s %s/%s --emit", formats[k].program,
			                       view_shell_word(folder, a), adapter),
			    &e);
	}
	return NULL;
}
