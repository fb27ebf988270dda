/* lower_custom.c: replaces a custom by its function, for engines that cannot use its rule. */
#include "graph/walk.h"
#include "lower.h"

struct splicing {
	enum derivative_kind kept; /* rules of this kind stay */
	int *alias;                /* [n_value] the value that replaces one that is gone; itself if it stays */
	struct arena *arena;
};

static int alias_of(const struct splicing *s, int v)
{
	while (s->alias[v] != v)
		v = s->alias[v];
	return v;
}

static bool goes(const struct splicing *s, const struct node *node)
{
	return node->op == OP_CUSTOM && node->attrs.transform != s->kept;
}

/* The number of nodes that the region will have.  Nodes in regions that stay do not count. */
static int count_nodes(const struct splicing *s, const struct region *region)
{
	int n = 0;

	for (int i = 0; i < region->n_node; i++)
		n += goes(s, &region->node[i]) ? count_nodes(s, &region->node[i].region[0]) : 1;
	return n;
}

static int *use(const struct splicing *s, const int *value, int n)
{
	int *out = NEW(s->arena, int, n);

	for (int k = 0; k < n; k++)
		out[k] = alias_of(s, value[k]);
	return out;
}

static void splice_region(const struct splicing *s, const struct region *from, struct region *to);

static void append_nodes(const struct splicing *s, const struct region *from, struct region *to)
{
	for (int i = 0; i < from->n_node; i++) {
		const struct node *node = &from->node[i];

		if (goes(s, node)) {
			const struct region *f = &node->region[0];

			for (int k = 0; k < f->n_param; k++)
				s->alias[f->param + k] = node->arg[k];
			append_nodes(s, f, to);
			for (int k = 0; k < node->n_out; k++)
				s->alias[node->out + k] = f->result[k];
			continue;
		}
		struct node *copy = &to->node[to->n_node++];

		*copy = *node;
		copy->arg = use(s, node->arg, node->n_arg);
		copy->region = NEW(s->arena, struct region, node->n_region);
		const struct splicing inside = {node->op == OP_CUSTOM ? DERIVATIVE_COUNT : s->kept, s->alias, s->arena};

		for (int r = 0; r < node->n_region; r++)
			splice_region(&inside, &node->region[r], &copy->region[r]);
	}
}

static void splice_region(const struct splicing *s, const struct region *from, struct region *to)
{
	*to = *from;
	to->n_node = 0;
	to->node = NEW(s->arena, struct node, count_nodes(s, from));
	append_nodes(s, from, to);
	to->result = use(s, from->result, from->n_result);
}

struct program lower_customs(const struct program *p, enum derivative_kind kept, struct arena *a)
{
	struct splicing s = {.kept = kept, .arena = a};
	struct program out = *p;

	if (!region_has_op(&p->top, OP_CUSTOM))
		return out;
	s.alias = NEW(a, int, p->n_value);
	for (int v = 0; v < p->n_value; v++)
		s.alias[v] = v;
	splice_region(&s, &p->top, &out.top);
	program_number(&out, a);
	program_settle_stores(
	    &out, a); /* a result may be an operand, and a value that is stored into must not be used elsewhere */
	return out;
}

enum derivative_kind lower_keeps(const struct transform *level)
{
	if (!level || level->kind == TRANSFORM_BATCH)
		return DERIVATIVE_COUNT;
	return level->kind == TRANSFORM_JVP ? DERIVATIVE_JVP : DERIVATIVE_VJP;
}
