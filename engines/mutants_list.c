/* mutants_list.c: the mutants of an engine by its name. */
#include "engines/faults/mutants.h"

#include <string.h>

/* An engine without a row "mutant" in faults.def has no mutants: its rules are not the tables that mutants edit. */
static bool has_mutants(const char *engine)
{
	const struct fault_info *row;
	size_t len = strlen(engine);

	for (int k = 0; (row = fault_row(k)) != NULL; k++)
		if (!strncmp(row->spec, engine, len) && row->spec[len] == '+' && !strcmp(row->slug, "mutant"))
			return true;
	return false;
}

bool mutant_row(const char *engine, int index, char text[MUTANT_TEXT])
{
	struct engine *self = has_mutants(engine) ? engine_open_here(engine, NULL) : NULL;
	bool made = self && mutant_make(self, index, text);

	engine_close(self);
	return made;
}
