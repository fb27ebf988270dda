/* formula.c: the nodes of a text (engines/aot/text.h), appended to a region that is edited. */
#include "formula.h"

struct target {
	struct edit *e;
	struct region *r;
	enum dtype dtype;
};

static int append(void *self, enum op op, const int *arg, int n_arg)
{
	const struct target *t = self;
	struct node node = {.op = op, .n_arg = n_arg, .n_out = 1};
	struct type types[LIMIT_ARGS + 1];
	int n_type;

	if (op == OP_REDUCE_SUM)
		node.attrs = (struct attrs){.n_axes = edit_type(t->e, arg[0])->shape.rank, .axes = {0, 1, 2, 3}};
	node.arg = arena_copy(t->e->arena, arg, (size_t)n_arg, sizeof *arg);
	if (!node_infer(&t->e->c.program, &node, types, &n_type, NULL) || n_type != 1)
		return -1;
	node.out = edit_new_values(t->e, types, 1);
	edit_insert_node(t->e, t->r, t->r->n_node, &node);
	return node.out;
}

static int literal(void *self, double x)
{
	const struct target *t = self;
	const struct type scalar = {t->dtype, shape_scalar()};

	return edit_insert_fill(t->e, t->r, t->r->n_node, &scalar, x);
}

bool formula_build(struct edit *e, struct region *r, const char *text, const struct text_name *names, int n, enum dtype d, int *out)
{
	struct target target = {e, r, d};

	*out = aot_read_text(&(struct text_scope){names, n, &target, append, literal}, text);
	return *out >= 0;
}
