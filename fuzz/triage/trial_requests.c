/* trial_requests.c: trials that ask for something else, or at another point. */
#include <math.h>

#include "fuzz/minimize/simplest.h"
#include "inlets.h"
#include "trial_edits.h"
#include "trials.h"

enum effect trial_mode(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = trial_begin(c, a);

	for (int k = 0; k < e.c.n_transform; k++) {
		struct transform *t = &e.c.transform[k];

		if (t->kind == TRANSFORM_BATCH)
			continue;
		t->kind = t->kind == TRANSFORM_JVP ? TRANSFORM_VJP : TRANSFORM_JVP;
		t->n_seed = 0; /* edit_finish makes them */
	}
	return trial_effect(q, &e, j);
}

/* Seeds without a pattern: a wrong element that another one makes up for does not stay hidden. */
static void fill_seeds(struct transform *t)
{
	int number = 0;

	for (int k = 0; k < t->n_seed; k++)
		for (int i = 0, n = shape_elements(&t->seed[k].type.shape); i < n; i++, number++)
			edit_round(t->seed[k].type.dtype, 1 + 0.3125 * (number * number % 11), &t->seed[k].at[i]);
}

/* The answer to c in that mode, times `other` seeds; false: it is right, or there is no such number.  seeds: those of
 * c. */
static bool ask_product(const struct question *q, const struct testcase *c, enum transform_kind kind,
    const struct transform *other, struct transform *seeds, struct arena *a, double *out)
{
	struct edit e = trial_begin(c, a);
	struct bench_result r;
	const struct answer *answer;

	for (int k = 0; k < c->n_transform; k++) {
		e.c.transform[k].kind = kind;
		e.c.transform[k].n_seed = 0;
	}
	e.c.n_point = 1;
	if (!edit_finish(&e, false))
		return false;
	fill_seeds(&e.c.transform[0]);
	*seeds = e.c.transform[0];
	if (!other)
		return true;
	bench_judge(q->bench, &e.c, a, &r);
	answer = &r.answer[0][0];
	if (r.interrupted || !verdict_is_finding[r.judgement[0].verdict] || answer->status != ANSWER_OK ||
	    answer->n_derivative != other->n_seed)
		return false;
	*out = 0;
	for (int k = 0; k < other->n_seed; k++) {
		if (!type_equal(&answer->derivative[k].type, &other->seed[k].type))
			return false;
		for (int i = 0, n = shape_elements(&other->seed[k].type.shape); i < n; i++)
			if (dtype_is_float(other->seed[k].type.dtype))
				*out += answer->derivative[k].at[i].f * other->seed[k].at[i].f;
	}
	return true;
}

bool trial_same_jacobian(const struct question *q, const struct testcase *c, struct arena *a)
{
	struct transform pushed, pulled;
	double by_jvp, by_vjp;

	if (q->guess || c->n_transform != 1 || c->transform[0].kind == TRANSFORM_BATCH)
		return false;
	return ask_product(q, c, TRANSFORM_JVP, NULL, &pushed, a, &by_jvp) &&
	    ask_product(q, c, TRANSFORM_VJP, &pushed, &pulled, a, &by_vjp) &&
	    ask_product(q, c, TRANSFORM_JVP, &pulled, &pushed, a, &by_jvp) &&
	    fabs(by_jvp - by_vjp) <= 1e-3 * fmax(fabs(by_jvp), fabs(by_vjp));
}

enum effect trial_written(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = {.arena = a};

	return written_in_full(c, a, &e.c) ? trial_effect(q, &e, j) : EFFECT_NONE;
}

enum effect trial_primal(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = trial_begin(c, a);
	int n = 0;

	for (int k = 0; k < e.c.n_transform; k++)
		if (e.c.transform[k].kind == TRANSFORM_BATCH)
			e.c.transform[n++] = e.c.transform[k];
	e.c.n_transform = n;
	return trial_effect(q, &e, j);
}

enum effect trial_seeds(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = trial_begin(c, a);
	struct site s;

	/* From the last node on: what is inserted before a node changes no number of those that remain. */
	for (int k = 0; edit_site_last(&e, k, &s); k++) {
		const bool derives = s.node->op == OP_DERIVATIVE;

		for (int i = s.node->attrs.primals, at = s.index; derives; i++) {
			int *arg = s.region->node[at].arg;

			if (i >= s.region->node[at].n_arg)
				break;
			if (trial_is_float(&e, arg[i]))
				arg[i] = inlet_stop(&e, s.region, at++, arg[i]);
		}
	}
	return trial_effect(q, &e, j);
}

enum effect trial_without_zeros(
    const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = trial_begin(c, a);
	enum regularity *of = NEW(a, enum regularity, e.c.program.n_value);
	const int n_value = e.c.program.n_value;
	bool any = false;
	struct site s;

	for (struct walk w = walk_nodes(&e.c.program.top); walk_next(&w);)
		of[w.node->out] = op_table[w.node->op].regularity;
	for (int k = 0; edit_site_last(&e, k, &s); k++) {
		const int n_arg = s.node->n_arg;

		for (int i = 0, at = s.index; i < n_arg && s.node->op != OP_STOP_GRADIENT; i++) {
			int *arg = s.region->node[at].arg;

			if (arg[i] >= n_value || of[arg[i]] != REGULARITY_STEP || !trial_is_float(&e, arg[i]))
				continue;
			arg[i] = inlet_stop(&e, s.region, at++, arg[i]);
			any = true;
		}
	}
	return any ? trial_effect(q, &e, j) : EFFECT_NONE;
}

/* The effect of returning result k alone, without the nodes that it does not need. */
static enum effect return_alone(
    const struct question *q, const struct testcase *c, int k, struct arena *a, struct judgement *j)
{
	struct edit e = trial_begin(c, a);
	struct region *top = &e.c.program.top;

	if (top->n_result > 1)
		for (int t = 0; t < e.c.n_transform; t++)
			if (e.c.transform[t].kind == TRANSFORM_VJP)
				e.c.transform[t].n_seed = 0; /* edit_finish makes them */
	top->result[0] = top->result[k];
	top->n_result = 1;
	return edit_finish(&e, true) ? trial_effect(q, &e, j) : EFFECT_NONE;
}

bool trial_operands_right(const struct question *q, const struct testcase *c, struct arena *a)
{
	const struct region *from = &c->program.top;
	bool any = false;

	for (int i = 0; i < from->n_node; i++) {
		struct edit e = trial_begin(c, a);
		struct region *top = &e.c.program.top;
		struct judgement j;

		if (!from->node[i].n_region)
			continue;
		if (!from->node[i].n_arg)
			return false;
		top->n_result = from->node[i].n_arg;
		top->result = arena_copy(a, from->node[i].arg, (size_t)top->n_result, sizeof *top->result);
		if (!edit_finish(&e, true) || trial_effect(q, &e, &j) != EFFECT_RIGHT)
			return false;
		any = true;
	}
	return any;
}

bool trial_needs_no_infinity(const struct question *q, const struct testcase *c, struct arena *a)
{
	const int n = c->program.top.n_result;
	struct judgement j;

	if (n == 1 && !program_has_dead(&c->program, a))
		return false; /* it is the case itself */
	for (int k = 0; k < n; k++)
		if (return_alone(q, c, k, a, &j) == EFFECT_FAILS && !j.weak_zero)
			return true;
	return false;
}

enum effect trial_plain_point(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = trial_begin(c, a);

	for (int p = 0; p < e.c.n_point; p++)
		for (int k = 0; k < e.c.program.top.n_param; k++)
			if (dtype_is_float(e.c.point[p][k].type.dtype))
				edit_fill(&e.c.point[p][k], 0.5);
	return trial_effect(q, &e, j);
}
