/* test_specs.c: what names an engine: its kind, its arguments and its faults. */
#include <string.h>

#include "engines/engine.h"
#include "tests/engines/samples.h"

static const struct {
	const char *spec, *says;
} bad_specs[] = {
    {"", "forward, tape, functional, checkpointed, parallel"},
    {"forwards", "no engine 'forwards'"},
    {"forward:3", "no arguments"},
    {"forward+residual-fifo", "'adjudge faults'"},
    {"tape+packed-select", "weak-zero"},
    {"forward+", "no fault ''"},
    {"forward+packed-select:3", "takes no arguments"},
    {"forward+scale", "scale:OP:FACTOR"},
    {"forward+scale:sin.b:2", "no operand"},
    {"forward+scale:pow.:2", "no operand"},
    {"forward+scale:mul", "scale:OP:FACTOR"},
    {"forward+scale:mul:", "scale:OP:FACTOR"},
    {"forward+scale:mul:2x", "scale:OP:FACTOR"},
    {"forward+scale:mul:inf", "scale:OP:FACTOR"},
    {"forward+scale:muls:2", "no op 'muls'"},
    {"forward+scale:while:2", "while"},
    {"forward+scale:floor:2", "floor"},
};

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	for (size_t i = 0; i < sizeof bad_specs / sizeof *bad_specs; i++) {
		if (!row_wanted("specs: %s", bad_specs[i].spec))
			continue;
		struct error e = {.text = ""};
		struct engine *engine = engine_open(bad_specs[i].spec, &e);

		CHECK(!engine && strstr(e.text, bad_specs[i].says), "%s: %s", bad_specs[i].spec, e.text);
		engine_close(engine);
	}
	for (int i = 0; fault_row(i); i++) {
		const struct fault_info *f = fault_row(i);
		struct error e = {.text = ""};
		char spec[80];
		struct engine *engine;

		snprintf(spec, sizeof spec, "%.*s", (int)strcspn(f->spec, ":"), f->spec);
		if (strchr(f->spec, ':'))
			strcat(spec, strcmp(f->slug, "mutant") ? ":mul:2" : ":0");
		engine = engine_open(spec, &e);
		CHECK(engine, "%s: %s", spec, e.text);
		if (engine)
			CHECK(!engine_is_right(engine) && !strcmp(engine_spec(engine), spec), "%s", spec);
		engine_close(engine);
	}
	for (int i = 0; engine_names[i]; i++) {
		struct engine *engine = sample_engine(engine_names[i]);

		CHECK(engine_is_right(engine) && engine_kind(engine) == engine_kind_find(engine_names[i]), "%s",
		    engine_names[i]);
		CHECK(!strcmp(engine_kind(engine)->name, engine_names[i]), "%s", engine_names[i]);
		engine_close(engine);
	}
	return check_done();
}
