/* aot.c: the engine: derives a program once per case, and interprets it at every point. */
#include "aot.h"

#include "interpret.h"
#include "rules.h"
#include "stack.h"

static enum answer_status aot_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	struct program *derived = NEW(a, struct program, 1);
	const struct transform *t = c->transform;
	struct error e = {.text = ""};
	bool done;

	*state = derived;
	*derived = c->program;
	if (c->n_transform == 0)
		return ANSWER_OK;
	if (stack_needed(c))
		done = aot_request(c, &self->aot, a, derived, &e);
	else if (t->kind == TRANSFORM_JVP)
		done = aot_jvp(&c->program, t->wrt, t->n_wrt, a, derived, &e);
	else
		done = aot_vjp(&c->program, t->wrt, t->n_wrt, a, derived, &e);
	if (done)
		return ANSWER_OK;
	*text = arena_printf(a, "aot: %s", e.text);
	return ANSWER_UNSUPPORTED;
}

/* One derivative per value of list[n] (value numbers of p): the next result where it is a float, else zeros. */
static void give_derivatives(const struct program *p, const int *value, int n, const struct tensor *from, struct arena *a,
    struct answer *out)
{
	out->n_derivative = n;
	out->derivative = NEW(a, struct tensor, n);
	for (int k = 0; k < n; k++) {
		const struct type *type = &p->type[value[k]];

		out->derivative[k] = dtype_is_float(type->dtype) ? *from++ : tensor_new(a, type);
	}
}

static void aot_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out)
{
	const struct program *derived = state;
	const struct region *top = &c->program.top;
	const struct transform *t = c->n_transform ? &c->transform[0] : NULL;
	struct tensor input[LIMIT_ARGS], *result = NEW(a, struct tensor, derived->top.n_result);
	int wrt[LIMIT_ARGS], n = 0;

	(void)self, (void)which;
	out->n_primal = top->n_result;
	out->primal = result;
	if (stack_needed(c)) {
		interpret_program(derived, point, a, result);
		out->n_derivative = derived->top.n_result - top->n_result;
		out->derivative = result + top->n_result;
		return;
	}
	for (int k = 0; k < top->n_param; k++)
		input[n++] = point[k];
	for (int k = 0; t && k < t->n_seed; k++)
		if (dtype_is_float(t->seed[k].type.dtype))
			input[n++] = t->seed[k];
	interpret_program(derived, input, a, result);
	if (!t)
		return;
	for (int k = 0; k < t->n_wrt; k++)
		wrt[k] = top->param + t->wrt[k];
	if (t->kind == TRANSFORM_JVP)
		give_derivatives(&c->program, top->result, top->n_result, result + top->n_result, a, out);
	else
		give_derivatives(&c->program, wrt, t->n_wrt, result + top->n_result, a, out);
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
