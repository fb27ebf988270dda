/* stack.c: see stack.h. */
#include "stack.h"

#include <string.h>

#include "aot.h"
#include "engines/kernels/kernels.h"
#include "lower.h"
#include "share.h"
#include "engines/instance.h"

/* One request to the engine's own prepare and answer. */
struct sub_request {
	struct testcase c;
	void *state;
};

struct stack_plan {
	int inner; /* levels that are not answered slice by slice */
	struct sub_request derivative, primal;
	/*
	 * Whether the primal is asked for apart.  With one level that differentiates, or an engine that composes, the
	 * other request gives it too.
	 */
	bool apart;
};

bool stack_needed(const struct testcase *c)
{
	return c->n_transform > 1 || (c->n_transform == 1 && c->transform[0].kind == TRANSFORM_BATCH);
}

int stack_inner(const struct testcase *c)
{
	int n = c->n_transform;

	while (n && c->transform[n - 1].kind == TRANSFORM_BATCH)
		n--;
	return n;
}

/*
 * Prepares the case of n levels t of p.  An engine that knows one level gets at most one; 0 levels ask for the primal.
 */
static enum answer_status ask(struct engine *self, struct sub_request *q, const struct testcase *c,
    const struct program *p, struct transform *t, int n, struct arena *a, const char **text)
{
	q->c = *c;
	q->c.program = n > 1 ? *p : lower_customs(p, lower_keeps(n ? t : NULL), a);
	q->c.n_transform = n;
	q->c.transform = t;
	q->c.n_point = 0; /* points come one by one */
	q->c.point = NULL;
	return self->kind->prepare(self, &q->c, a, &q->state, text);
}

/* The levels below the engine's own as a program, or only their batches. */
static bool write_below(struct engine *self, const struct testcase *c, int inner, bool primal, struct arena *a,
    struct program *out, struct error *e)
{
	const enum shared_program which = primal ? SHARED_BATCHES : SHARED_LEVELS;

	if (share_find(self->share, which, &self->aot, &c->program, out))
		return true;
	if (primal ? !aot_batches(&c->program, c->transform, inner, &self->aot, a, out, e)
	           : !aot_levels(&c->program, c->transform, inner - 1, 1, &self->aot, a, out, e))
		return false;
	share_keep(self->share, which, &self->aot, &c->program, out);
	return true;
}

enum answer_status stack_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	struct stack_plan *s = NEW(a, struct stack_plan, 1);
	struct program below;
	struct error e = {.text = ""};
	enum answer_status status;

	*state = s;
	s->inner = stack_inner(c);
	if (!s->inner || self->kind->composes)
		return ask(self, &s->derivative, c, &c->program, c->transform, s->inner, a, text);
	s->apart = request_order(c->transform, c->n_transform) > 1;
	if (!write_below(self, c, s->inner, false, a, &below, &e))
		goto refuse;
	status = ask(self, &s->derivative, c, &below, &c->transform[s->inner - 1], 1, a, text);
	if (status != ANSWER_OK || !s->apart)
		return status;
	if (!write_below(self, c, s->inner, true, a, &below, &e))
		goto refuse;
	return ask(self, &s->primal, c, &below, NULL, 0, a, text);
refuse:
	*text = arena_printf(a, "%s: %s", self->kind->name, e.text);
	return answer_refusal(&e);
}

/* The engine's answer to one request.  The seeds are those of `own`, its copy of the case. */
static void put(struct engine *self, const struct stack_plan *s, const struct sub_request *q,
    const struct testcase *own, int which, struct tensor *point, struct arena *a, struct answer *out)
{
	struct testcase c = q->c;

	c.transform = own->transform + s->inner - c.n_transform;
	*out = (struct answer){.status = ANSWER_OK, .text = ""};
	self->kind->answer(self, q->state, &c, which, point, a, out);
}

static void answer_inner(struct engine *self, const struct stack_plan *s, const struct testcase *own, int which,
    struct tensor *point, struct arena *a, struct answer *out)
{
	struct answer primal;

	put(self, s, &s->derivative, own, which, point, a, out);
	if (out->status != ANSWER_OK || !s->apart)
		return;
	put(self, s, &s->primal, own, which, point, a, &primal);
	out->status = primal.status;
	out->text = primal.text;
	out->n_primal = primal.n_primal;
	out->primal = primal.primal;
}

/*
 * Puts x[n] of slice b into row b of stacked[n], which slice 0 allocates.  If a type differs from that of slice 0, x
 * replaces the whole stacked tensor.
 */
static void stack_slice(struct tensor *stacked, const struct tensor *x, int n, int b, int size, struct arena *a)
{
	for (int k = 0; k < n; k++) {
		struct type type = x[k].type, row;

		if (!b) {
			stacked[k] = shape_stack(&type.shape, size) ? tensor_new(a, &type) : x[k];
			type = x[k].type;
		}
		if (stacked[k].type.shape.rank == 0)
			continue;
		row = type_row(&stacked[k].type);
		if (type_equal(&row, &type))
			kernel_set_row(&stacked[k], b, &x[k]);
		else
			stacked[k] = x[k];
	}
}

static void answer_level(struct engine *self, const struct stack_plan *s, const struct testcase *own, int level,
    int which, struct tensor *point, struct arena *a, struct answer *out)
{
	const struct transform *t;
	struct tensor slice[LIMIT_ARGS];

	if (level == s->inner) {
		answer_inner(self, s, own, which, point, a, out);
		return;
	}
	t = &own->transform[level - 1];
	for (int b = 0; b < t->size; b++) {
		struct answer one;

		memcpy(slice, point, (size_t)own->program.top.n_param * sizeof *slice);
		for (int k = 0; k < t->n_wrt; k++)
			slice[t->wrt[k]] = kernel_row(&point[t->wrt[k]], b, a);
		answer_level(self, s, own, level - 1, which, slice, a, &one);
		for (int k = 0; k < t->n_wrt; k++)
			kernel_set_row(
			    &point[t->wrt[k]], b, &slice[t->wrt[k]]); /* copies back what the engine did to its input,
			                                                 so that the caller sees it */
		if (one.status != ANSWER_OK) {
			*out = one;
			return;
		}
		if (!b) {
			*out = one;
			out->primal = NEW(a, struct tensor, one.n_primal);
			out->derivative = NEW(a, struct tensor, one.n_derivative);
		}
		/* If this slice gave fewer or more tensors than the first, the first one shows the error. */
		if (one.n_primal == out->n_primal)
			stack_slice(out->primal, one.primal, one.n_primal, b, t->size, a);
		if (one.n_derivative == out->n_derivative)
			stack_slice(out->derivative, one.derivative, one.n_derivative, b, t->size, a);
	}
}

void stack_answer(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
    struct arena *a, struct answer *out)
{
	answer_level(self, state, c, c->n_transform, which, point, a, out);
}
