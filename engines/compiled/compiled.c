/*
 * compiled.c: the engine `compiled`.  It differentiates, optimizes and lowers a program once per case, and runs the
 * code at every point.
 */
#include "compiled.h"

#include "engines/aot/case.h"
#include "engines/instance.h"

struct compiled {
	struct program derived;
	struct compiled_options options;
	struct code *code;
};

static const struct engine_option options[] = {
#define PASS(id, text, rewrite, meaning) {.name = "no-" text, .flag = true},
#include "passes.def"
#undef PASS
    {.name = NULL},
};

static enum answer_status compiled_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	struct compiled *s = NEW(a, struct compiled, 1);
	enum answer_status status = aot_case_shared(&self->aot, c, self->kind->name, self->share, a, &s->derived, text);

	*state = s;
	if (status != ANSWER_OK)
		return status;
	s->options.rules = &self->compiled;
	for (int k = 0; k < PASS_COUNT; k++)
		s->options.off[k] = self->option[k];
	s->code = compiled_code(&s->derived, &s->options, a, text);
	if (s->code)
		return ANSWER_OK;
	*text = arena_printf(a, "%s: %s", self->kind->name, *text);
	return ANSWER_UNSUPPORTED;
}

static void run(void *code, const struct tensor *input, struct arena *a, struct tensor *result)
{
	compiled_run(code, input, a, result);
}

static void compiled_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out)
{
	struct compiled *s = state;

	(void)self, (void)which;
	aot_case_answer(c, &s->derived, point, run, s->code, a, out);
}

const struct engine_kind compiled_kind = {
    .name = "compiled",
    .summary = "the program of aot after optimizing passes, as fused loops over strided buffers",
    .modelled_on = "PyTorch inductor, XLA",
    .jvp = true,
    .vjp = true,
    .order = LIMIT_TRANSFORMS,
    .batch = true,
    .stacks = true,
    .option = options,
    .prepare = compiled_prepare,
    .answer = compiled_answer,
};
