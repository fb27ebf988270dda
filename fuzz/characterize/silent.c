/* silent.c: variants whose answer does not tell whether an engine is right. */
#include <math.h>

#include "graph/walk.h"
#include "lab.h"

/* Whether no derivative tells: each is undecided, or 0, or may be off by half of what it is. */
static bool tells_nothing(const struct truth_point *p)
{
	bool nothing = p->n_assignment > 0;

	for (int k = 0; nothing && k < p->n_derivative; k++)
		for (int i = 0, n = shape_elements(&p->derivative[0][k].type.shape); i < n; i++) {
			const struct component *c = &p->derivative[0][k].at[i];

			nothing &= c->reason != REASON_NONE || c->value == 0 || !(c->loose < fabs(c->value) / 2);
		}
	return nothing;
}

/* Whether a float tensor has several elements, and no two are equal. */
static bool varies(const struct tensor *x)
{
	const int n = shape_elements(&x->type.shape);

	for (int i = 1; i < n; i++)
		for (int k = 0; k < i; k++)
			if (x->at[i].f == x->at[k].f)
				return false;
	return n > 1;
}

bool lab_hides_places(const struct testcase *c)
{
	const struct region *top = &c->program.top;
	bool moves = false, several = false;

	for (struct walk w = walk_nodes(top); walk_next(&w);) {
		const struct tensor *x = &w.node->attrs.value;

		moves |= op_table[w.node->op].regularity == REGULARITY_MOVE;
		if (w.node->op != OP_CONSTANT || !dtype_is_float(x->type.dtype))
			continue;
		if (varies(x))
			return false;
		several |= shape_elements(&x->type.shape) > 1;
	}
	for (int k = 0; k < c->n_point; k++)
		for (int i = 0; i < top->n_param; i++) {
			const struct tensor *x = &c->point[k][i];

			if (!dtype_is_float(x->type.dtype) || !region_reads(top, top->param + i))
				continue;
			if (varies(x))
				return false;
			several |= shape_elements(&x->type.shape) > 1;
		}
	return moves && several;
}

/* Sets, for each value of the top region and of regions in it, the inputs on which it depends: a bit each. */
static void find_origins(const struct program *p, unsigned *origin)
{
	for (int i = 0; i < p->top.n_param; i++)
		origin[p->top.param + i] = dtype_is_float(p->type[p->top.param + i].dtype) ? 1u << i : 0;
	for (int n = 0; n < p->top.n_node; n++) {
		const struct region whole = {.n_node = 1, .node = &p->top.node[n]};
		unsigned all = 0;

		for (struct walk w = walk_nodes(&whole); walk_next(&w);)
			for (int k = 0; k < w.node->n_arg; k++)
				all |= origin[w.node->arg[k]];
		for (int k = 0; k < p->top.node[n].n_out; k++)
			origin[p->top.node[n].out + k] = all;
	}
}

bool lab_shares_operands(struct lab *l, const struct testcase *c)
{
	const struct region *top = &c->program.top;
	unsigned *origin = NEW(&l->scratch, unsigned, c->program.n_value);

	find_origins(&c->program, origin);
	for (int n = 0; n < top->n_node; n++) {
		const struct node *node = &top->node[n];
		int blamed = 0;

		for (int i = 0; i < l->n_blamed; i++)
			blamed += l->blamed[i].op == node->op;
		for (int i = 0; i < node->n_arg && blamed > 1; i++)
			for (int k = 0; k < i; k++)
				if (origin[node->arg[i]] & origin[node->arg[k]])
					return true;
	}
	return false;
}

bool lab_is_silent(const struct lab *l, const struct testcase *c, const struct truth *t)
{
	bool silent = true;

	if (!request_order(c->transform, c->n_transform) || l->finding.verdict == VERDICT_WRONG_PRIMAL)
		return lab_hides_places(c);
	for (int k = 0; k < c->n_point; k++)
		silent &= tells_nothing(&t->point[k]);
	return silent;
}
