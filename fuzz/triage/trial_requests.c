/* trial_requests.c: trials that ask for something else, or at another point. */
#include "fuzz/minimize/simplest.h"
#include "inlets.h"
#include "trials.h"

static bool is_float(const struct edit *e, int value) { return dtype_is_float(edit_type(e, value)->dtype); }

static struct edit begin(const struct testcase *c, struct arena *a)
{
	return (struct edit){.c = testcase_copy(c, a), .arena = a};
}

enum effect trial_mode(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = begin(c, a);

	for (int k = 0; k < e.c.n_transform; k++) {
		struct transform *t = &e.c.transform[k];

		if (t->kind == TRANSFORM_BATCH)
			continue;
		t->kind = t->kind == TRANSFORM_JVP ? TRANSFORM_VJP : TRANSFORM_JVP;
		t->n_seed = 0; /* edit_finish makes them */
	}
	return trial_effect(q, &e, j);
}

enum effect trial_written(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = {.arena = a};

	return written_in_full(c, a, &e.c) ? trial_effect(q, &e, j) : EFFECT_NONE;
}

enum effect trial_primal(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = begin(c, a);
	int n = 0;

	for (int k = 0; k < e.c.n_transform; k++)
		if (e.c.transform[k].kind == TRANSFORM_BATCH)
			e.c.transform[n++] = e.c.transform[k];
	e.c.n_transform = n;
	return trial_effect(q, &e, j);
}

enum effect trial_seeds(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = begin(c, a);
	struct site s;

	/* From the last node on: what is inserted before a node changes no number of those that remain. */
	for (int k = 0; edit_site_last(&e, k, &s); k++) {
		const bool derives = s.node->op == OP_DERIVATIVE;

		for (int i = s.node->attrs.primals, at = s.index; derives; i++) {
			int *arg = s.region->node[at].arg;

			if (i >= s.region->node[at].n_arg)
				break;
			if (is_float(&e, arg[i]))
				arg[i] = inlet_stop(&e, s.region, at++, arg[i]);
		}
	}
	return trial_effect(q, &e, j);
}

enum effect trial_without_zeros(
    const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = begin(c, a);
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

			if (arg[i] >= n_value || of[arg[i]] != REGULARITY_STEP || !is_float(&e, arg[i]))
				continue;
			arg[i] = inlet_stop(&e, s.region, at++, arg[i]);
			any = true;
		}
	}
	return any ? trial_effect(q, &e, j) : EFFECT_NONE;
}

enum effect trial_plain_point(const struct question *q, const struct testcase *c, struct arena *a, struct judgement *j)
{
	struct edit e = begin(c, a);

	for (int p = 0; p < e.c.n_point; p++)
		for (int k = 0; k < e.c.program.top.n_param; k++)
			if (dtype_is_float(e.c.point[p][k].type.dtype))
				edit_fill(&e.c.point[p][k], 0.5);
	return trial_effect(q, &e, j);
}
