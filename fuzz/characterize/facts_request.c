/* facts_request.c: facts_of, and the features of the request. */
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
		for (int k = 0, n = shape_elements(&t->seed[i].type.shape);
		     k < n && dtype_is_float(t->seed[i].type.dtype); k++) {
			double x = t->seed[i].at[k].f;

			f->at[FEATURE_SEED_ZERO] |= x == 0;
			f->at[FEATURE_SEED_NOT_ONE] |= x != 1;
			f->at[FEATURE_SEED_VARIES] |= x != t->seed[i].at[0].f;
		}
}

/* Ops with two differentiated integer inputs as operands; also ops whose results are not used. */
static void of_asked(struct facts *f, const struct program *p, const struct node *n, const struct transform *t)
{
	int asked = 0;

	for (int k = 0; k < n->n_arg; k++)
		for (int w = 0; w < t->n_wrt; w++)
			asked += n->arg[k] == p->top.param + t->wrt[w] && !dtype_is_float(p->type[n->arg[k]].dtype);
	if (asked < 2)
		return;
	f->at[FEATURE_TWO_INTEGERS_ASKED] |= op_table[n->op].family == FAMILY_BINARY;
	f->at[FEATURE_TWO_BITS_ASKED] |= op_table[n->op].family == FAMILY_BINARY &&
	    op_table[n->op].regularity == REGULARITY_DISCRETE && n->op != OP_REMAINDER;
	facts_name(f, arena_printf(f->arena, "asks %s", op_table[n->op].name),
	    arena_printf(f->arena, "both operands of %s are differentiated inputs", op_table[n->op].name));
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
	for (int i = 0; i < f->whole->program.top.n_node; i++)
		of_asked(f, &f->whole->program, &f->whole->program.top.node[i], outermost);
}

bool facts_is_form(enum feature f)
{
	return f == FEATURE_SEED_VARIES || f == FEATURE_SEED_NOT_ONE || f == FEATURE_SEED_ZERO ||
	    f == FEATURE_TENSORS || f == FEATURE_NONLINEAR || f == FEATURE_OVER_QUADRATIC || f == FEATURE_OVER_CUBIC ||
	    f == FEATURE_EXTENT_ONE || f == FEATURE_INPUTS_SEVERAL || f == FEATURE_RANKS_DIFFER ||
	    f == FEATURE_SOME_INPUTS || f == FEATURE_INPUT_SKIPPED || f == FEATURE_NARROW || f == FEATURE_ZERO_VALUE ||
	    f == FEATURE_INPUTS_EQUAL || f == FEATURE_POINTS_SEVERAL || f == FEATURE_RESULT_IS_INPUT ||
	    f == FEATURE_LOOP_CHANGES || f == FEATURE_OPERANDS_EQUAL || f == FEATURE_SHAPE_SPREAD ||
	    f == FEATURE_INPUT_SPREAD || f == FEATURE_SCALAR_SPREAD || f == FEATURE_USED_TWICE;
}

struct facts *facts_of(const struct testcase *c, struct arena *a) { return facts_with(c, NULL, a); }

struct facts *facts_with(const struct testcase *c, const struct known_cotangents *known, struct arena *a)
{
	struct facts *f = NEW(a, struct facts, 1);
	struct testcase *live = NEW(a, struct testcase, 1);

	f->whole = c;
	*live = *c;
	live->program = program_drop_dead(&c->program, a);
	f->c = live;
	c = live;
	f->arena = a;
	f->varied = NEW(a, bool, c->program.n_value + 1);
	f->reached = NEW(a, bool, c->program.n_value + 1);
	f->uses = NEW(a, int, c->program.n_value + 1);
	f->live = NEW(a, bool, c->program.n_value + 1);
	f->elements = NEW(a, struct node_elements, c->program.n_value + 1);
	f->trips = NEW(a, int, c->program.n_value + 1);
	f->odd_trips = NEW(a, int, c->program.n_value + 1);
	f->known = known;
	facts_find_varied(f);
	facts_at_points(f);
	facts_of_program(f);
	facts_of_counts(f);
	facts_of_batch(f);
	facts_of_request(f);
	facts_of_measures(f);
	return f;
}
