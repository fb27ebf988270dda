/* external_lower.c: changes a case into what an engine from outside wants, and its answers back. */
#include "external_lower.h"

#include "engines/aot/aot.h"
#include "engines/aot/lower.h"
#include "engines/aot/nested.h"
#include "graph/walk.h"
#include "straight.h"

/* ---- what a program needs ---- */

/* The first op of the region, at any depth, that the engine does not know; -1: it knows all. */
static int unknown_op(const struct hello *h, const struct region *region)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (!h->op[w.node->op])
			return (int)w.node->op;
	return -1;
}

/* Whether the region contains control flow, at any depth, that the engine must not see. */
static bool unrolls(const struct hello *h, const struct region *region)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (w.node->n_region && !h->op[w.node->op])
			return true;
	return false;
}

/* Whether the region has more than n nodes, at any depth. */
static bool has_more_nodes(const struct region *region, int n)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (--n < 0)
			return true;
	return false;
}

/* What would help against a dtype that is no float: a constant predicate of select is a bool. */
static const char *dtype_hint(const struct hello *h, const struct program *p, enum dtype d)
{
	if (!h->constants || h->dtype[DTYPE_BOOL] || dtype_is_float(d))
		return "";
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (w.node->op == OP_SELECT)
			return "; for select, \"dtypes\" must have bool";
	return "";
}

/* The reason why the engine will not be asked, or NULL. */
static const char *refusal(const struct external *self, const struct program *p, struct arena *a)
{
	const struct hello *h = self->hello;
	int op = unknown_op(h, &p->top);

	if (op >= 0)
		return arena_printf(a, "%s: no op %s", self->name, op_table[op].name);
	if (has_more_nodes(&p->top, h->nodes))
		return arena_printf(a, "%s: more than %d nodes", self->name, h->nodes);
	for (int v = 0; v < p->n_value; v++) {
		if (!h->dtype[p->type[v].dtype])
			return arena_printf(a, "%s: no %s%s", self->name, dtype_table[p->type[v].dtype].name,
			    dtype_hint(h, p, p->type[v].dtype));
		if (p->type[v].shape.rank > h->rank)
			return arena_printf(a, "%s: no rank %d", self->name, p->type[v].shape.rank);
	}
	return NULL;
}

/* ---- lowering ---- */

/* Replaces ops that the engine does not know and that other ops can express. */
static bool plain_program(const struct external *self, const struct aot_rules *rules, int order, struct program *p,
    struct arena *a, struct error *e)
{
	const struct hello *h = self->hello;

	if (!h->op[OP_FIXED_POINT] && region_has_op(&p->top, OP_FIXED_POINT))
		*p = lower_fixed_points(p, false, a);
	if (hello_has_derivatives_written(h, p) && !aot_lower(p, order, rules, a, p, e))
		return false;
	if (!h->op[OP_CUSTOM])
		*p = lower_customs(p, DERIVATIVE_COUNT, a);
	if (!h->op[OP_CHECKPOINT] && region_has_op(&p->top, OP_CHECKPOINT))
		*p = aot_inline(p, a);
	if (!h->op[OP_STORE])
		*p = lower_stores(p, a);
	return true;
}

/* Gives every float of the region dtype d. */
static void widen_region(struct region *region, enum dtype d)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);) {
		struct attrs *attrs = &w.node->attrs;

		if (op_table[w.node->op].attrs & ATTR_DTYPE && dtype_is_float(attrs->dtype))
			attrs->dtype = d;
		if (w.node->op == OP_CONSTANT && dtype_is_float(attrs->value.type.dtype))
			attrs->value.type.dtype = d;
	}
}

static struct tensor *retyped(const struct tensor *t, int n, enum dtype d, struct arena *a)
{
	struct tensor *out = arena_copy(a, t, (size_t)n, sizeof *t);

	for (int k = 0; k < n; k++)
		if (dtype_is_float(out[k].type.dtype))
			out[k].type.dtype = d;
	return out;
}

/*
 * Gives all floats of the case one dtype.  The truth is in real arithmetic in any case.  An engine that rounds less
 * than it may stays within the radius of one that rounds to the dtypes of the case.
 */
static void widen(struct testcase *c, enum dtype d, struct arena *a)
{
	int n = c->program.top.n_param;

	c->program = program_copy(&c->program, a);
	for (int v = 0; v < c->program.n_value; v++)
		if (dtype_is_float(c->program.type[v].dtype))
			c->program.type[v].dtype = d;
	widen_region(&c->program.top, d);
	c->point = arena_copy(a, c->point, (size_t)c->n_point, sizeof *c->point);
	for (int k = 0; k < c->n_point; k++)
		c->point[k] = retyped(c->point[k], n, d, a);
	c->transform = arena_copy(a, c->transform, (size_t)c->n_transform, sizeof *c->transform);
	for (int k = 0; k < c->n_transform; k++)
		c->transform[k].seed = retyped(c->transform[k].seed, c->transform[k].n_seed, d, a);
}

void external_narrow(struct tensor *t, int n, const struct type *want, int n_want, enum dtype d)
{
	for (int k = 0; k < n && k < n_want; k++) {
		int elements = shape_elements(&t[k].type.shape);

		if (t[k].type.dtype != d || !dtype_is_float(want[k].dtype))
			continue;
		t[k].type.dtype = want[k].dtype;
		for (int i = 0; i < elements; i++)
			t[k].at[i].f = dtype_round(want[k].dtype, t[k].at[i].f);
	}
}

/* Whether the engine gets a case for each point, with only what is executed there. */
static bool is_specialised(const struct hello *h, const struct program *p)
{
	return h->constants || (h->unroll && unrolls(h, &p->top));
}

/*
 * Writes what c executes at its points into cases[c->n_point], and their number to *n.  Neighbouring points that
 * execute the same share a case.
 */
static bool specialise(const struct external *self, const struct testcase *c, struct arena *a, struct testcase *cases,
    int *n, struct error *e)
{
	*n = 0;
	for (int k = 0; k < c->n_point; k++) {
		struct testcase x = *c;

		if (!straight_program(
		        &c->program, c->point[k], self->hello->constants, self->hello->op, a, &x.program, e))
			return false;
		if (*n && program_equal(&cases[*n - 1].program, &x.program)) {
			cases[*n - 1].n_point++;
			continue;
		}
		x.n_point = 1;
		x.point = &c->point[k];
		cases[(*n)++] = x;
	}
	return true;
}

/*
 * Writes c as the engine wants it: cases[], each with its points, and their number to *n.  Returns NULL, or the reason
 * why the engine will not be asked.
 */
static const char *lower(const struct external *self, const struct aot_rules *rules, const struct testcase *c,
    struct arena *a, struct testcase **cases, int *n)
{
	const struct hello *h = self->hello;
	struct error e = {.text = ""};
	struct testcase one = *c;
	int order = request_order(c->transform, c->n_transform);

	one.variant = h->variants ? c->variant : 0;
	if (!plain_program(self, rules, order, &one.program, a, &e))
		return arena_printf(a, "%s: %s", self->name, e.text);
	if (is_specialised(h, &one.program) && order < c->n_transform)
		return arena_printf(a, "%s: no batch of what is unrolled at one point", self->name);
	if (is_specialised(h, &one.program)) {
		*cases = NEW(a, struct testcase, c->n_point);
		if (!specialise(self, &one, a, *cases, n, &e))
			return arena_printf(a, "%s: %s", self->name, e.text);
	} else {
		*cases = arena_copy(a, &one, 1, sizeof one);
		*n = 1;
	}
	for (int k = 0; k < *n; k++) {
		struct testcase *x = &(*cases)[k];
		const char *why;

		if (h->broadcast)
			x->program = straight_broadcasts(&x->program, a);
		if (h->one_dtype >= 0)
			widen(x, (enum dtype)h->one_dtype, a);
		if ((why = refusal(self, &x->program, a)))
			return why;
		/* What was unrolled may have left the limits. */
		if (self->limited && !testcase_check(x, &e))
			return arena_printf(a, "%s: %s", self->name, e.text);
	}
	return NULL;
}

/* "vjp,jvp"; a request of no level is "primal". */
static const char *stack_text(const enum transform_kind *kind, int n, struct arena *a)
{
	const char *text = n ? "" : "primal";

	for (int i = 0; i < n; i++)
		text = arena_printf(a, "%s%s%s", text, i ? "," : "", transform_names[kind[i]]);
	return text;
}

/* "torch.reverse: no request jvp, only primal or vjp". */
static const char *no_request(const struct external *self, const struct testcase *c, struct arena *a)
{
	const struct hello *h = self->hello;
	enum transform_kind kind[LIMIT_TRANSFORMS];
	const char *known = "";

	for (int i = 0; i < c->n_transform; i++)
		kind[i] = c->transform[i].kind;
	for (int k = 0; k < h->n_request; k++)
		known = arena_printf(
		    a, "%s%s%s", known, k ? " or " : "", stack_text(h->request[k].kind, h->request[k].n, a));
	return arena_printf(a, "%s: no request %s, only %s", self->name, stack_text(kind, c->n_transform, a), known);
}

const char *external_prepare(const struct external *self, const struct aot_rules *rules, const struct testcase *c,
    struct arena *a, struct testcase **cases, int *n)
{
	return hello_takes(self->hello, c->transform, c->n_transform) ? lower(self, rules, c, a, cases, n)
	                                                              : no_request(self, c, a);
}
