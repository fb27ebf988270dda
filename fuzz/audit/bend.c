/* bend.c: see bend.h. */
#include "bend.h"

#include "graph/random.h"
#include "graph/walk.h"

/* Ops of one type that take each other's place. */
static const enum op pairs[][2] = {{OP_SIN, OP_COS}, {OP_TANH, OP_ATAN}, {OP_EXP, OP_COSH}, {OP_NEG, OP_COPY},
    {OP_ADD, OP_SUB}, {OP_SQUARE, OP_COPY}, {OP_GT, OP_LE}, {OP_GE, OP_LT}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* The op that takes the place of one; OP_COUNT: none does. */
static enum op instead_of(enum op op)
{
	for (int i = 0; i < PAIRS; i++)
		for (int side = 0; side < 2; side++)
			if (pairs[i][side] == op)
				return pairs[i][1 - side];
	return OP_COUNT;
}

static bool is_float_constant(const struct node *n)
{
	return n->op == OP_CONSTANT && dtype_is_float(n->attrs.value.type.dtype);
}

static bool may_bend(const struct program *p, const struct node *n)
{
	return is_float_constant(n) ||
	    (instead_of(n->op) < OP_COUNT &&
	        (op_table[n->op].dtypes != MASK_ANY || dtype_is_float(p->type[n->out].dtype)));
}

/* Rounds to the dtype, because a constant must be a value of it. */
static void bend_node(struct node *n)
{
	struct tensor *t = &n->attrs.value;

	if (!is_float_constant(n)) {
		n->op = instead_of(n->op);
		return;
	}
	for (int i = 0; i < shape_elements(&t->type.shape); i++)
		t->at[i].f = dtype_round(t->type.dtype, t->at[i].f * 1.25 + 0.5);
}

void bend_rules(struct testcase *c, uint64_t seed)
{
	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);) {
		int n = 0;

		if (w.node->op != OP_CUSTOM)
			continue;
		struct region *rule = &w.node->region[1];
		for (int i = 0; i < rule->n_node; i++)
			n += may_bend(&c->program, &rule->node[i]);
		int left = n ? (int)(random_next(&seed) % (uint64_t)n) : 0;
		for (int i = 0; n && i < rule->n_node; i++)
			if (may_bend(&c->program, &rule->node[i]) && left-- == 0)
				bend_node(&rule->node[i]);
	}
}
