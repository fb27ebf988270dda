/*
 * cse.c: common subexpressions.  A node is known where it dominates: in the rest of its region, and in the regions
 * inside.  So at the end of a region, the table forgets the nodes that were entered there.
 */
#include <string.h>

#include "graph/random.h"
#include "parts.h"

struct known_node {
	int value;      /* that it defines */
	int head, next; /* next in its chain; -1: the last */
};

struct open {
	int n; /* entries when the region began */
	struct open *up;
};

struct table {
	int n, room;
	struct known_node *known;
	int *head;         /* [n_head] of chains; -1: an empty one */
	unsigned n_head;   /* a power of two */
	struct open *open; /* the innermost region */
};

static bool commutes(enum op op)
{
	switch (op) {
	case OP_ADD:
	case OP_MUL:
	case OP_BITWISE_AND:
	case OP_BITWISE_OR:
	case OP_BITWISE_XOR:
	case OP_LOGICAL_AND:
	case OP_LOGICAL_OR:
	case OP_LOGICAL_XOR:
	case OP_EQ:
	case OP_NE:
		return true;
	default: /* max and min distinguish -0 and +0 by position */
		return false;
	}
}

static bool same_operands(const struct node *a, const struct node *b)
{
	if (a->n_arg != b->n_arg)
		return false;
	if (commutes(a->op) && a->op == b->op && a->arg[0] == b->arg[1] && a->arg[1] == b->arg[0])
		return true;
	for (int k = 0; k < a->n_arg; k++)
		if (a->arg[k] != b->arg[k])
			return false;
	return true;
}

/* A hash that equal nodes share.  It leaves out attributes and the order of two operands. */
static int hash(const struct table *t, const struct node *node, const struct type *type)
{
	uint64_t h = (uint64_t)op_table[node->op].family;

	h = random_mix(h * DTYPE_COUNT + type->dtype) + (uint64_t)shape_elements(&type->shape);

	for (int k = 0; k < node->n_arg; k++)
		h += random_mix((uint64_t)node->arg[k] + 1);
	return (int)(random_mix(h) & (t->n_head - 1));
}

static void enter(struct rewrite *x)
{
	struct table *t = x->state;
	struct open *open = NEW(x->arena, struct open, 1);

	*open = (struct open){t->n, t->open};
	t->open = open;
}

static void leave(struct rewrite *x)
{
	struct table *t = x->state;

	while (t->n > t->open->n) {
		t->n--;
		t->head[t->known[t->n].head] = t->known[t->n].next;
	}
	t->open = t->open->up;
}

static enum rewritten merge_node(struct rewrite *x, const struct node *node, int *taken)
{
	struct table *t = x->state;
	int head;

	(void)taken;
	if (node->n_region || node->n_out != 1)
		return REWRITE_KEEP;
	head = hash(t, node, &x->p->type[node->out]);
	for (int k = t->head[head]; k >= 0; k = t->known[k].next) {
		const struct node *other = x->def[t->known[k].value];

		if (!same_operands(node, other) || !type_equal(&x->p->type[node->out], &x->p->type[other->out]) ||
		    !x->rules->same(x->p, node, other))
			continue;
		x->alias[node->out] = other->out;
		return REWRITE_GONE;
	}
	GROW(x->arena, t->known, &t->room, t->n + 1);
	t->known[t->n] = (struct known_node){node->out, head, t->head[head]};
	t->head[head] = t->n++;
	return REWRITE_KEEP;
}

int compiled_cse(const struct compiled_rules *rules, const struct program *p, struct arena *a, struct program *out)
{
	struct table *t = NEW(a, struct table, 1);
	struct rewrite x = {
	    .rules = rules, .arena = a, .state = t, .visit = merge_node, .enter = enter, .leave = leave};

	for (t->n_head = 64; t->n_head < (unsigned)p->n_value; t->n_head *= 2)
		;
	t->head = NEW_RAW(a, int, t->n_head);
	for (unsigned k = 0; k < t->n_head; k++)
		t->head[k] = -1;
	*out = rewrite_program(&x, p);
	return x.count;
}
