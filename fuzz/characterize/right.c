/*
 * right.c: which built-in engines the experiments rely on.  They are of another family than the engine under test.  A
 * change in the sources of a family makes all of its engines wrong, and the experiments would then believe its mistake.
 */
#include <string.h>

#include "lab.h"

/* The rules of `tape` are those of the other eager engines; those of `compiled` are those of `aot`. */
static const struct right_engines {
	const char *under_test, *primal, *forward;
} rows[] = {
    {"tape", "aot", "aot"},
    {"functional", "aot", "aot"},
    {"checkpointed", "aot", "aot"},
    {"parallel", "aot", "aot"},
    {"implicit", "aot", "aot"},
    {"aot", "tape", "forward"},
    {"compiled", "tape", "forward"},
};

bool lab_open_right(struct lab *l, struct error *e)
{
	const char *kind = engine_kind(l->bench->engine[0])->name, *primal = "tape", *forward = "aot";

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].under_test, kind)) {
			primal = rows[i].primal;
			forward = rows[i].forward;
		}
	l->primal = engine_open(primal, e);
	l->forward = l->primal ? engine_open(forward, e) : NULL;
	if (l->forward)
		return true;
	engine_close(l->primal);
	l->primal = NULL;
	return false;
}
