/* strata.c: the strata of a case, computed from the case alone. */
#include "graph/walk.h"
#include "generator.h"

static bool compares(enum op op)
{
	return op_table[op].family == FAMILY_COMPARE || op == OP_CLAMP || op == OP_MAX || op == OP_MIN;
}

/* The literal of one float element that defines `value`, or NULL. */
static const union cell *find_scalar(const struct region *r, int value)
{
	const struct tensor *t = region_constant(r, value);

	return t && dtype_is_float(t->type.dtype) && shape_elements(&t->type.shape) == 1 ? t->at : NULL;
}

int program_landmarks(const struct program *p, double out[POINT_LANDMARKS])
{
	int n = 0;

	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		for (int i = 0; compares(w.node->op) && i < w.node->n_arg && n < POINT_LANDMARKS; i++) {
			const union cell *x = find_scalar(&p->top, w.node->arg[i]);

			if (x)
				out[n++] = x->f;
		}
	return n;
}

static bool is_slice_or_scatter(enum family f)
{
	return f >= FAMILY_SLICE && f <= FAMILY_MASKED_SCATTER && f != FAMILY_PAD && f != FAMILY_CONCATENATE;
}

static void strata_of_nodes(const struct program *p, struct strata *s)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);) {
		const struct node *n = w.node;
		enum family f = op_table[n->op].family;

		s->ops += n->op != OP_CONSTANT;
		s->loop |= op_is_loop(n->op);
		s->cond |= f == FAMILY_COND;
		s->scatter_or_slice |= is_slice_or_scatter(f);
		s->solution |= f == FAMILY_FIXED_POINT && n->attrs.meaning == MEANING_SOLUTION;
		s->nested |= n->n_region && w.depth > 0;
	}
}

/*
 * Whether a float input in wrt has a special element.  It is 0, 1 or -1, or equal to another element of the inputs in
 * wrt, or equal to a constant with which the program compares.
 */
static bool is_edge(const struct transform *t, const struct tensor *point, const double *landmark, int n_landmark)
{
	double seen[512];
	int n_seen = 0;

	for (int i = 0; i < t->n_wrt; i++) {
		const struct tensor *x = &point[t->wrt[i]];
		int n = dtype_is_float(x->type.dtype) ? shape_elements(&x->type.shape) : 0;

		for (int k = 0; k < n; k++) {
			double v = x->at[k].f;

			if (v == 0 || v == 1 || v == -1)
				return true;
			for (int j = 0; j < n_landmark; j++)
				if (v == landmark[j])
					return true;
			for (int j = 0; j < n_seen; j++)
				if (v == seen[j])
					return true;
			if (n_seen < 512)
				seen[n_seen++] = v;
		}
	}
	return false;
}

static bool has_low_precision(const struct program *p)
{
	for (int v = 0; v < p->n_value; v++)
		if (p->type[v].dtype == DTYPE_BF16 || p->type[v].dtype == DTYPE_F16)
			return true;
	return false;
}

struct strata strata_of(const struct testcase *c)
{
	const struct transform *t = request_outermost(c->transform, c->n_transform);
	struct strata s = {0};
	double landmark[POINT_LANDMARKS];
	int n_landmark = program_landmarks(&c->program, landmark), floats = 0, in_wrt = 0;

	strata_of_nodes(&c->program, &s);
	s.low_precision = has_low_precision(&c->program);
	s.points = c->n_point;
	s.batch = request_order(c->transform, c->n_transform) < c->n_transform;
	s.higher_order = request_order(c->transform, c->n_transform) > 1;
	if (!t)
		return s;
	s.jvp = t->kind == TRANSFORM_JVP;
	s.vjp = t->kind == TRANSFORM_VJP;
	for (int i = 0; i < c->program.top.n_param; i++)
		floats += dtype_is_float(c->program.type[i].dtype);
	for (int i = 0; i < t->n_wrt; i++)
		in_wrt += dtype_is_float(c->program.type[t->wrt[i]].dtype);
	s.strict_subset = in_wrt < floats;
	for (int i = 0; i < c->n_point; i++)
		s.edge_points += is_edge(t, c->point[i], landmark, n_landmark);
	s.edge_point = s.edge_points > 0;
	return s;
}
