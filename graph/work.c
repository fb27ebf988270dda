/* work.c: how much a program holds, and how much it executes at most. */
#include "program.h"
#include "walk.h"

static int64_t add(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

static int64_t multiply(int64_t a, int64_t b) { return b && a > INT64_MAX / b ? INT64_MAX : a * b; }

static int64_t elements(const struct program *p, int value) { return shape_elements(&p->type[value].shape); }

int node_max_trip(const struct node *node)
{
	if (node->op == OP_FOR)
		return node_has_trip(node) ? node->attrs.trip : node->attrs.cap;
	if (node->op == OP_WHILE || node->op == OP_FIXED_POINT)
		return node->attrs.cap;
	return node->op == OP_SCAN ? node->attrs.trip : 1;
}

/* Work that the operands and results of a node do not show, in scalar operations. */
static int64_t hidden_work(const struct program *p, const struct node *node)
{
	enum family family = op_table[node->op].family;

	if (family == FAMILY_MATMUL) {
		const struct shape *a = &p->type[node->arg[0]].shape;
		return multiply(elements(p, node->out), a->extent[a->rank - 1]);
	}
	/* The derivative of a running product has extent/2 terms an element. */
	/* So has that of a sort where elements are tied. */
	if (family == FAMILY_CUMULATIVE || family == FAMILY_SORT)
		return multiply(elements(p, node->arg[0]), p->type[node->arg[0]].shape.extent[node->attrs.axis]) / 2;
	return 0;
}

/*
 * A derivative evaluates its region and as many operations again for each of its partials and their sums.  The
 * derivative of a derivative multiplies.  So does the rule of a custom, which the oracle holds against the derivative
 * of its function.
 */
enum { DERIVATIVE_WORK = 4 };

int64_t node_executions(const struct program *p, const struct node *node)
{
	const struct shape *x;
	int64_t slice = 1;

	if (node->op == OP_DERIVATIVE || node->op == OP_CUSTOM)
		return DERIVATIVE_WORK;
	if (node->op != OP_SCATTER_APPLY)
		return node_max_trip(node);
	x = &p->type[node->arg[0]].shape;
	for (int d = 0; d < x->rank; d++)
		slice = multiply(slice, d == node->attrs.axis ? 1 : x->extent[d]);
	return multiply(slice, elements(p, node->arg[1]));
}

/*
 * One execution of a region.  Every region and node counts as one at least, so that a loop around nothing, or around
 * empty values, is bounded too.
 */
static int64_t region_work(const struct program *p, const struct region *region)
{
	int64_t total = 1;

	for (int i = 0; i < region->n_param; i++)
		total = add(total, elements(p, region->param + i));
	for (int k = 0; k < region->n_node; k++) {
		const struct node *node = &region->node[k];
		total = add(total, 1 + hidden_work(p, node));
		for (int i = 0; i < node->n_arg; i++)
			total = add(total, elements(p, node->arg[i]));
		for (int i = 0; i < node->n_out; i++)
			total = add(total, elements(p, node->out + i));
		for (int i = 0; i < node->n_region; i++)
			total = add(total, multiply(node_executions(p, node), region_work(p, &node->region[i])));
	}
	return total;
}

int64_t program_work(const struct program *p) { return region_work(p, &p->top); }

int program_nodes(const struct program *p)
{
	int n = 0;

	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		n++;
	return n;
}
