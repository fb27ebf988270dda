/* array_levels.c: writes each level of a request as a function that calls the level below it. */
#include "array_parts.h"

#include <string.h>

/* One level as a function, with everything that its template needs. */
struct array_level {
	const struct array_target *target;
	const struct transform *t;
	const char *name, *below;
	const struct program *p;
	int n_below;
	const struct array_output *output; /* [n_below] of the level below */
	struct arena *arena;
};

const char *array_element(const struct array_target *target, const char *of, int k, struct arena *a)
{
	return TEMPLATE_WITH(a, target->element, "of", of, "k", arena_printf(a, "%d", k));
}

static bool wants(const struct transform *t, int input)
{
	for (int k = 0; k < t->n_wrt; k++)
		if (t->wrt[k] == input)
			return true;
	return false;
}

static const char *call_of(const struct array_level *x)
{
	const char *call = TEMPLATE_WITH(
	               x->arena, x->target->call, "name", x->below, "args", array_parameters(&x->p->top, x->arena)),
	           *item[LIMIT_ARGS];
	int n = 0;

	for (int k = 0; k < x->n_below; k++)
		if (dtype_is_float(x->output[k].type.dtype))
			item[n++] = array_element(x->target, "y", k, x->arena);
	return n == x->n_below ? call
	                       : TEMPLATE_WITH(x->arena, x->target->pick, "call", call, "picked",
	                             template_tuple(x->target, item, n, x->arena));
}

static const char *seeds_of(const struct array_level *x)
{
	const char *item[LIMIT_ARGS];
	int n = 0;

	if (x->t->kind == TRANSFORM_VJP) {
		for (int k = 0; k < x->n_below; k++)
			if (dtype_is_float(x->output[k].type.dtype))
				item[n++] = template_tensor(x->target, &x->t->seed[x->output[k].index], x->arena);
	} else {
		for (int k = 0; k < x->t->n_seed; k++)
			if (dtype_is_float(x->t->seed[k].type.dtype))
				item[n++] = template_tensor(x->target, &x->t->seed[k], x->arena);
	}
	return template_tuple(x->target, item, n, x->arena);
}

/*
 * The keys of a level:
 *
 *    name      of the function              in        all inputs
 *    active    the differentiated inputs    call      the function below at them, its float outputs
 *    seeds     a tuple                      below     the name of the function below
 *    seed      of the only output
 *    axes      of a batch: 0 or none for each input
 *    batched   of a batch: the inputs that have slices
 *    mapped    of a batch: all inputs, the batched ones as slices
 */
static const char *level_key(const void *self, const char *key, size_t len)
{
	const struct array_level *x = self;
	struct arena *a = x->arena;
	const char *item[LIMIT_ARGS];
	int n = 0, first = x->p->top.param;

	if (template_is(key, len, "name"))
		return x->name;
	if (template_is(key, len, "below"))
		return x->below;
	if (template_is(key, len, "in"))
		return array_parameters(&x->p->top, a);
	if (template_is(key, len, "call"))
		return call_of(x);
	if (template_is(key, len, "seeds"))
		return seeds_of(x);
	if (template_is(key, len, "seed"))
		return template_tensor(x->target, &x->t->seed[x->output[0].index], a);
	if (template_is(key, len, "active")) {
		for (int k = 0; k < x->t->n_wrt; k++)
			if (dtype_is_float(x->p->type[first + x->t->wrt[k]].dtype))
				item[n++] = template_value(first + x->t->wrt[k], a);
		return template_list(item, n, a);
	}
	if (template_is(key, len, "batched")) {
		for (int k = 0; k < x->t->n_wrt; k++)
			item[n++] = template_value(first + x->t->wrt[k], a);
		return template_tuple(x->target, item, n, a);
	}
	if (template_is(key, len, "axes")) {
		for (int k = 0; k < x->p->top.n_param; k++)
			item[k] = wants(x->t, k) ? "0" : "None";
		return template_tuple(x->target, item, x->p->top.n_param, a);
	}
	if (template_is(key, len, "mapped")) {
		for (int k = 0; k < x->p->top.n_param; k++)
			item[k] = wants(x->t, k)
			    ? TEMPLATE_WITH(a, x->target->slice_of, "k", arena_printf(a, "%d", n++))
			    : template_value(first + k, a);
		return template_list(item, x->p->top.n_param, a);
	}
	return NULL;
}

/* Lists the outputs of the level.  Returns their number, or -1 if none is left. */
static int outputs_of(const struct array_level *x, struct array_output *out)
{
	int n = 0, first = x->p->top.param, active = 0;

	for (int k = 0; k < x->t->n_wrt; k++)
		active += dtype_is_float(x->p->type[first + x->t->wrt[k]].dtype);
	for (int k = 0; k < x->n_below; k++)
		if (x->t->kind == TRANSFORM_BATCH || dtype_is_float(x->output[k].type.dtype))
			out[n++] = x->output[k];
	if (x->t->kind == TRANSFORM_BATCH)
		return n;
	if (!n || !active)
		return -1;
	if (x->t->kind == TRANSFORM_JVP)
		return n;
	n = 0;
	for (int k = 0; k < x->t->n_wrt; k++)
		if (dtype_is_float(x->p->type[first + x->t->wrt[k]].dtype))
			out[n++] = (struct array_output){k, x->p->type[first + x->t->wrt[k]]};
	return n;
}

/* The expression of a function in Python that only returns it; NULL: it is none. */
static const char *lone_expression(const char *function, const char *name, const char *parameters, struct arena *a)
{
	const char *head = arena_printf(a, "def %s(%s):\n    return ", name, parameters);
	const char *body = function + strlen(head);

	return strncmp(function, head, strlen(head)) || strchr(body, '\n') != body + strlen(body) - 1
	    ? NULL
	    : arena_printf(a, "%.*s", (int)strcspn(body, "\n"), body);
}

/* NULL: the target has no such level. */
static const char *level_template(const struct array_source *s, enum transform_kind kind)
{
	return kind == TRANSFORM_JVP && s->calls->jvp ? s->calls->jvp : s->target->level[kind];
}

bool array_put_levels(struct array_source *s, const char *prefix, bool batches_alone, const char **name,
    struct array_output *output, int *n, struct error *e)
{
	const struct testcase *c = s->x->c;

	*name = "f";
	*n = s->p.top.n_result;
	for (int k = 0; k < *n; k++)
		output[k] = (struct array_output){k, s->p.type[s->p.top.result[k]]};
	for (int k = 0; k < c->n_transform; k++) {
		const struct transform *t = &c->transform[k];
		const char *text = level_template(s, t->kind);
		struct array_level level = {s->target, t, NULL, *name, &s->p, *n,
		    arena_copy(s->arena, output, LIMIT_ARGS, sizeof *output), s->arena};

		if (batches_alone && t->kind != TRANSFORM_BATCH)
			continue;
		level.name = arena_printf(s->arena, "%s%s%d", prefix, transform_names[t->kind], k + 1);
		if (!text)
			return error_set(
			    e, NULL, "%s: no counterpart for a %s", s->target->name, transform_names[t->kind]);
		if (s->x->brief && s->target->lone_vjp && t->kind == TRANSFORM_VJP && *n == 1)
			text = s->target->lone_vjp;
		*n = outputs_of(&level, output);
		if (*n < 0)
			return error_set(e, NULL, "%s: nothing to differentiate: no float is", s->target->name);
		text = template_put(text, level_key, &level, s->arena);
		s->outermost = s->x->brief && k + 1 == c->n_transform && !s->calls->call && !s->calls->level
		    ? lone_expression(text, level.name, array_parameters(&s->p.top, s->arena), s->arena)
		    : NULL;
		if (!s->outermost)
			text_put(s->out, "%s%s\n", s->calls->level ? s->calls->level : "", text);
		*name = level.name;
	}
	return true;
}
