/* case.c: see case.h. */
#include "case.h"

#include "aot.h"
#include "lower.h"
#include "share.h"
#include "stack.h"

enum answer_status aot_case_program(const struct aot_rules *rules, const struct testcase *c, const char *engine,
    struct arena *a, struct program *derived, const char **text)
{
	const struct transform *t = c->transform;
	struct error e = {.text = ""};
	bool done;

	*derived = c->program;
	if (c->n_transform == 0) {
		*derived = lower_customs(derived, DERIVATIVE_COUNT, a);
		return ANSWER_OK;
	}
	if (stack_needed(c))
		done = aot_request(c, rules, a, derived, &e);
	else if (t->kind == TRANSFORM_JVP)
		done = aot_jvp(&c->program, t->wrt, t->n_wrt, rules, a, derived, &e);
	else
		done = aot_vjp(&c->program, t->wrt, t->n_wrt, rules, a, derived, &e);
	if (done) {
		*derived = lower_customs(derived, DERIVATIVE_COUNT, a);
		return ANSWER_OK;
	}
	*text = arena_printf(a, "%s: %s", engine, e.text);
	return answer_refusal(&e);
}

enum answer_status aot_case_shared(const struct aot_rules *rules, const struct testcase *c, const char *engine,
    struct engine_share *share, struct arena *a, struct program *derived, const char **text)
{
	enum answer_status status;

	if (share_find(share, SHARED_REQUEST, rules, &c->program, derived))
		return ANSWER_OK;
	status = aot_case_program(rules, c, engine, a, derived, text);
	if (status == ANSWER_OK)
		share_keep(share, SHARED_REQUEST, rules, &c->program, derived);
	return status;
}

/*
 * Gives one derivative per value of list[n] (value numbers of p).  A float takes the next result; other values get
 * zeros.
 */
static void give_derivatives(
    const struct program *p, const int *value, int n, const struct tensor *from, struct arena *a, struct answer *out)
{
	out->n_derivative = n;
	out->derivative = NEW(a, struct tensor, n);
	for (int k = 0; k < n; k++) {
		const struct type *type = &p->type[value[k]];

		out->derivative[k] = dtype_is_float(type->dtype) ? *from++ : tensor_new(a, type);
	}
}

void aot_case_answer(const struct testcase *c, const struct program *derived, const struct tensor *point,
    aot_run_fn *run, void *code, struct arena *a, struct answer *out)
{
	const struct region *top = &c->program.top;
	const struct transform *t = c->n_transform ? &c->transform[0] : NULL;
	struct tensor input[LIMIT_ARGS], *result = NEW(a, struct tensor, derived->top.n_result);
	int wrt[LIMIT_ARGS], n = 0;

	out->n_primal = top->n_result;
	out->primal = result;
	if (stack_needed(c)) {
		run(code, point, a, result);
		out->n_derivative = derived->top.n_result - top->n_result;
		out->derivative = result + top->n_result;
		return;
	}
	for (int k = 0; k < top->n_param; k++)
		input[n++] = point[k];
	for (int k = 0; t && k < t->n_seed; k++)
		if (dtype_is_float(t->seed[k].type.dtype))
			input[n++] = t->seed[k];
	run(code, input, a, result);
	if (!t)
		return;
	for (int k = 0; k < t->n_wrt; k++)
		wrt[k] = top->param + t->wrt[k];
	if (t->kind == TRANSFORM_JVP)
		give_derivatives(&c->program, top->result, top->n_result, result + top->n_result, a, out);
	else
		give_derivatives(&c->program, wrt, t->n_wrt, result + top->n_result, a, out);
}
