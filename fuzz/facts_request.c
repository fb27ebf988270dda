/* facts_request.c: facts_of, and what is asked. */
#include <math.h>
#include <string.h>

#include "facts.h"

void facts_name(struct facts *f, const char *name, const char *sentence)
{
	for (int i = 0; i < f->n_named; i++)
		if (!strcmp(f->named[i], name))
			return;
	if (f->n_named == FACTS_NAMED)
		return;
	f->named[f->n_named] = name;
	f->sentence[f->n_named++] = sentence;
}

static void of_seeds(struct facts *f, const struct transform *t)
{
	for (int i = 0; i < t->n_seed; i++)
		for (int k = 0, n = shape_elements(&t->seed[i].type.shape); k < n && dtype_is_float(t->seed[i].type.dtype); k++) {
			double x = t->seed[i].at[k].f;

			f->at[FEATURE_SEED_ZERO] |= x == 0;
			f->at[FEATURE_SEED_NOT_ONE] |= x != 1;
			f->at[FEATURE_SEED_VARIES] |= x != t->seed[i].at[0].f;
		}
}

void facts_of_request(struct facts *f)
{
	const struct testcase *c = f->c;
	const struct program *p = &c->program;
	const struct transform *outermost = request_outermost(c->transform, c->n_transform);
	const int order = request_order(c->transform, c->n_transform);

	f->at[FEATURE_BATCHED] = order < c->n_transform;
	f->at[FEATURE_HIGHER_ORDER] = order > 1;
	f->at[FEATURE_THIRD_ORDER] = order > 2;
	f->at[FEATURE_POINTS_SEVERAL] = c->n_point > 1;
	for (int t = 0; t < c->n_transform; t++) {
		of_seeds(f, &c->transform[t]);
		if (&c->transform[t] == outermost)
			continue;
		f->at[FEATURE_REVERSE_BELOW] |= c->transform[t].kind == TRANSFORM_VJP;
		f->at[FEATURE_FORWARD_BELOW] |= c->transform[t].kind == TRANSFORM_JVP;
	}
	if (!outermost)
		return;
	f->at[FEATURE_FORWARD_MODE] = outermost->kind == TRANSFORM_JVP;
	f->at[FEATURE_REVERSE_MODE] = outermost->kind == TRANSFORM_VJP;
	f->at[FEATURE_INPUTS_SEVERAL] = outermost->n_wrt > 1;
	for (int i = 0, k = 0; i < p->top.n_param; i++) {
		bool in = k < outermost->n_wrt && outermost->wrt[k] == i;

		k += in;
		f->at[FEATURE_SOME_INPUTS] |= !in && dtype_is_float(p->type[p->top.param + i].dtype);
		f->at[FEATURE_INPUT_SKIPPED] |= !in && k < outermost->n_wrt;
		f->at[FEATURE_INTEGERS_ASKED] |= in && !dtype_is_float(p->type[p->top.param + i].dtype);
	}
	for (int i = 0; i < p->top.n_node; i++) {
		const struct node *n = &p->top.node[i];
		int asked = 0;

		for (int k = 0; k < n->n_arg; k++)
			for (int w = 0; w < outermost->n_wrt; w++)
				asked += n->arg[k] == p->top.param + outermost->wrt[w] && !dtype_is_float(p->type[n->arg[k]].dtype);
		f->at[FEATURE_TWO_INTEGERS_ASKED] |= asked > 1 && op_table[n->op].family == FAMILY_BINARY;
		if (asked > 1)
			facts_name(f, arena_printf(f->arena, "asks %s", op_table[n->op].name), arena_printf(f->arena, "both operands of %s are asked for", op_table[n->op].name));
	}
}

struct facts *facts_of(const struct testcase *c, struct arena *a)
{
	struct facts *f = NEW(a, struct facts, 1);

	f->c = c;
	f->arena = a;
	f->varied = NEW(a, bool, c->program.n_value + 1);
	f->uses = NEW(a, int, c->program.n_value + 1);
	facts_of_program(f);
	facts_of_request(f);
	facts_at_points(f);
	return f;
}
