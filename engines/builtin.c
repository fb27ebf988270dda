/* builtin.c: answers a case with a built-in engine, in this process or in its worker. */
#include <string.h>

#include "engines/aot/nested.h"
#include "instance.h"
#include "engines/aot/lower.h"
#include "engines/aot/stack.h"
#include "engines/process/worker.h"
#include "graph/walk.h"

/* ---- in this process ---- */

static bool has_vjp(const struct transform *t, int n)
{
	for (int k = 0; k < n; k++)
		if (t[k].kind == TRANSFORM_VJP)
			return true;
	return false;
}

/* "ENGINE: no THING".  Many requests are refused, and printf is slow. */
static const char *has_no(const struct engine_kind *kind, const char *thing, struct arena *a)
{
	static const char middle[] = ": no ";
	char *text = NEW_RAW(a, char, strlen(kind->name) + sizeof middle + strlen(thing));

	strcpy(stpcpy(stpcpy(text, kind->name), middle), thing);
	return text;
}

const char *engine_refuses(const struct engine_kind *kind, const struct transform *t, int n, struct arena *a)
{
	const struct transform *outermost = request_outermost(t, n);
	int order = request_order(t, n), most = kind->order ? kind->order : 1;

	if (outermost &&
	    !(outermost->kind == TRANSFORM_JVP ? kind->jvp || (kind->jvp_over_vjp && has_vjp(t, n)) : kind->vjp))
		return has_no(kind, transform_names[outermost->kind], a);
	if (order > most)
		return arena_printf(a, "%s: %d transforms differentiate, expected at most %d", kind->name, order, most);
	if (order < n && !kind->batch)
		return has_no(kind, "batch", a);
	return NULL;
}

/* Gives the engine its own copies of the point and the seeds, and afterwards checks that it has not modified them. */
static void answer_point(struct engine *self, bool stacked, void *state, const struct testcase *c, int which,
    struct arena *a, struct answer *out)
{
	int n_input = c->program.top.n_param;
	struct testcase own = *c;
	struct tensor *point = tensors_copy(a, c->point[which], n_input);

	own.transform = arena_copy(a, c->transform, (size_t)c->n_transform, sizeof *c->transform);
	for (int i = 0; i < c->n_transform; i++)
		own.transform[i].seed = tensors_copy(a, c->transform[i].seed, c->transform[i].n_seed);
	(stacked ? stack_answer : self->kind->answer)(self, state, &own, which, point, a, out);
	out->input_modified = !tensors_same(point, c->point[which], n_input);
	for (int i = 0; i < c->n_transform; i++)
		if (!tensors_same(own.transform[i].seed, c->transform[i].seed, c->transform[i].n_seed))
			out->input_modified = true;
}

/*
 * The case c with its program in a form that engines know.  Ops `derivative` are gone.  Fixed points are gone, except
 * those that the engine solves.  Customs are gone if nobody can use their rule: neither the engine's own level nor a
 * derivative program (all_customs).  Otherwise returns the status of the answer, with the reason in *text.
 */
static enum answer_status known_form(const struct engine *self, const struct testcase *c, bool all_customs,
    struct arena *a, const struct testcase **out, const char **text)
{
	bool has[OP_COUNT] = {false};

	region_ops(&c->program.top, has);
	if (!has[OP_DERIVATIVE] && !has[OP_FIXED_POINT] && !has[OP_CUSTOM]) {
		*out = c;
		return ANSWER_OK;
	}
	struct testcase *known = NEW(a, struct testcase, 1);
	struct error e = {.text = ""};
	bool several = self->kind->composes && stack_inner(c) > 1;

	*known = *c;
	known->program = lower_fixed_points(&c->program, self->kind->solves && !several, a);
	if (program_has_derivative(&c->program) &&
	    !aot_lower(&c->program, request_order(c->transform, c->n_transform), &self->aot, a, &known->program, &e)) {
		*text = arena_printf(a, "%s: %s", self->kind->name, e.text);
		return answer_refusal(&e);
	}
	if (!all_customs)
		known->program = lower_customs(&known->program, lower_keeps(c->n_transform ? c->transform : NULL), a);
	*out = known;
	return ANSWER_OK;
}

static void answer_here(struct engine *self, const struct testcase *c, struct arena *a, struct answer *out)
{
	const char *text = engine_refuses(self->kind, c->transform, c->n_transform, a);
	bool stacked = !self->kind->stacks && stack_needed(c);
	void *state = NULL;
	enum answer_status status = text ? ANSWER_UNSUPPORTED : ANSWER_OK;
	int n_point = c->n_point;

	rounding_begin(&self->rounding);
	if (status == ANSWER_OK)
		status = known_form(self, c, stacked || self->kind->stacks, a, &c, &text);
	if (status == ANSWER_OK)
		status = (stacked ? stack_prepare : self->kind->prepare)(self, c, a, &state, &text);
	for (int i = 0; i < n_point; i++) {
		if (status == ANSWER_OK) {
			answer_point(self, stacked, state, c, i, a, &out[i]);
		} else {
			out[i].status = status;
			out[i].text = text;
		}
	}
	rounding_end();
}

/* ---- in its worker ---- */

static void answer_there(struct engine *self, const struct testcase *c, struct arena *a, struct answer *out)
{
	worker_answer(self->worker, c, 1, a, &out);
}

/* ---- either ---- */

static struct engine_scope everything(const struct engine *self)
{
	struct engine_scope scope = {.rank = LIMIT_RANK};

	(void)self;
	memset(scope.dtype, true, sizeof scope.dtype);
	memset(scope.op, true, sizeof scope.op);
	return scope;
}

static const struct hello *no_hello(const struct engine *self)
{
	(void)self;
	return NULL;
}

static void own_ops(const struct engine *self, const struct testcase *c, struct arena *a, bool has[OP_COUNT])
{
	(void)self;
	(void)a;
	region_ops(&c->program.top, has);
}

static const char *no_refusal(const struct engine *self, const struct testcase *c, struct arena *a)
{
	(void)self, (void)c, (void)a;
	return NULL;
}

static bool no_source(struct engine *self, const struct testcase *c, bool brief, struct arena *a, const char ***text,
    int *n, struct error *e)
{
	(void)self, (void)c, (void)brief, (void)a, (void)text, (void)n;
	return error_set(e, NULL, "a built-in engine emits no source");
}

static int one_case(const struct engine *self)
{
	(void)self;
	return 1;
}

const struct engine_place place_here = {.ours = true,
    .scope = everything,
    .hello = no_hello,
    .refusal = no_refusal,
    .asked_ops = own_ops,
    .emit = no_source,
    .answer = answer_here,
    .cases = one_case};
const struct engine_place place_worker = {.ours = true,
    .scope = everything,
    .hello = no_hello,
    .refusal = no_refusal,
    .asked_ops = own_ops,
    .emit = no_source,
    .answer = answer_there,
    .cases = one_case};
