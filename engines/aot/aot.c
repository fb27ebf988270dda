/* aot.c: the engine `aot`.  It writes the derivative program once per case, and interprets it at every point. */
#include "case.h"
#include "interpret.h"
#include "engines/instance.h"

static enum answer_status aot_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	struct program *derived = NEW(a, struct program, 1);

	*state = derived;
	return aot_case_shared(&self->aot, c, self->kind->name, self->share, a, derived, text);
}

static void interpret(void *code, const struct tensor *input, struct arena *a, struct tensor *result)
{
	interpret_program(code, input, a, result);
}

static void aot_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out)
{
	(void)self, (void)which;
	aot_case_answer(c, state, point, interpret, state, a, out);
}

const struct engine_kind aot_kind = {
    .name = "aot",
    .summary = "source to source: a derivative program in our own IR, then run op by op",
    .modelled_on = "PyTorch aot_eager",
    .jvp = true,
    .vjp = true,
    .order = LIMIT_TRANSFORMS,
    .batch = true,
    .stacks = true,
    .prepare = aot_prepare,
    .answer = aot_answer,
};
