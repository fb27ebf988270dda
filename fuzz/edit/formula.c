/* formula.c: see formula.h. */
#include "formula.h"

struct target {
	struct edit *e;
	struct region *r;
	enum dtype dtype;
};

static int append(void *self, enum op op, const int *arg, int n_arg)
{
	const struct target *t = self;
	struct attrs attrs = {0};

	if (op == OP_REDUCE_SUM)
		attrs = (struct attrs){.n_axes = edit_type(t->e, arg[0])->shape.rank, .axes = {0, 1, 2, 3}};
	return edit_append(t->e, t->r, op, arg, n_arg, &attrs);
}

static int literal(void *self, double x)
{
	const struct target *t = self;
	const struct type scalar = {t->dtype, shape_scalar()};

	return edit_insert_fill(t->e, t->r, t->r->n_node, &scalar, x);
}

bool formula_build(
    struct edit *e, struct region *r, const char *text, const struct text_name *names, int n, enum dtype d, int *out)
{
	struct target target = {e, r, d};

	*out = aot_read_text(&(struct text_scope){names, n, &target, append, literal}, text);
	return *out >= 0;
}
