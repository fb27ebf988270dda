/*
 * simplify.c: value-safe simplification.  A rewrite is made only if its result equals that of the original program bit
 * by bit, for every input.  So x*0 does not become 0 (x may be infinite). x - x does not become 0, x/x does not become
 * 1, and x + 0 does not become x (x may be -0).  No sum changes its order.
 */
#include "parts.h"

static const struct type *type_of(const struct rewrite *x, int v) { return &x->p->type[v]; }

/* The common element of a constant whose elements are all equal, however it got its shape; NULL. */
static const union cell *splat(const struct rewrite *x, int v)
{
	const struct node *node = x->def[v];
	const struct tensor *t;
	int n;

	while (node && (node->op == OP_BROADCAST_TO || node->op == OP_RESHAPE))
		node = x->def[node->arg[0]];
	if (!node || node->op != OP_CONSTANT)
		return NULL;
	t = &node->attrs.value;
	n = shape_elements(&t->type.shape);
	for (int k = 1; k < n; k++)
		if (t->at[k].i != t->at[0].i)
			return NULL;
	return n ? t->at : NULL;
}

/* Replaces the result of a node by value v, which has its type. */
static enum rewritten is_value(struct rewrite *x, const struct node *node, int v)
{
	if (!type_equal(type_of(x, v), type_of(x, node->out)))
		return REWRITE_KEEP;
	x->alias[node->out] = v;
	return REWRITE_GONE;
}

/* Makes v the first operand.  Operands may belong to the program that is rewritten, so they are copied. */
static enum rewritten takes_operand(struct rewrite *x, const struct node *node, int v)
{
	struct node *edited = rewrite_edit(x, node);

	edited->arg = arena_copy(x->arena, node->arg, (size_t)node->n_arg, sizeof *node->arg);
	edited->arg[0] = v;
	return REWRITE_CHANGED;
}

/* Replaces op(op(v)) by v. */
static enum rewritten undo(struct rewrite *x, const struct node *node)
{
	const struct node *inner = rewrite_def(x, node->arg[0], node->op);

	return inner ? is_value(x, node, inner->arg[0]) : REWRITE_KEEP;
}

/* ---- elementwise ---- */

static enum rewritten drop_identity(struct rewrite *x, const struct node *node)
{
	for (int k = 0; k < x->rules->n_identity; k++) {
		const struct identity *id = &x->rules->identity[k];
		const union cell *c;

		if (id->op != node->op || id->is_float != dtype_is_float(type_of(x, node->out)->dtype))
			continue;
		c = splat(x, node->arg[id->operand]);
		if (c && (id->is_float ? bits_of(c->f) == bits_of(id->f) : c->i == id->i) &&
		    is_value(x, node, node->arg[1 - id->operand]) == REWRITE_GONE)
			return REWRITE_GONE;
	}
	return REWRITE_KEEP;
}

static enum rewritten simplify_select(struct rewrite *x, const struct node *node)
{
	const union cell *predicate = splat(x, node->arg[0]);

	if (node->arg[1] == node->arg[2])
		return is_value(x, node, node->arg[1]);
	return predicate ? is_value(x, node, node->arg[predicate->i ? 1 : 2]) : REWRITE_KEEP;
}

static enum rewritten simplify_plain(struct rewrite *x, const struct node *node)
{
	if (x->rules->row[node->op].idempotent && node->arg[0] == node->arg[1] &&
	    is_value(x, node, node->arg[0]) == REWRITE_GONE)
		return REWRITE_GONE;
	return drop_identity(x, node);
}

/* ---- moves ---- */

/* Merges two moves of one kind: the outer move takes the inner one's operand. */
static enum rewritten skip_inner(struct rewrite *x, const struct node *node)
{
	const struct node *inner = rewrite_def(x, node->arg[0], node->op);

	if (is_value(x, node, node->arg[0]) == REWRITE_GONE)
		return REWRITE_GONE;
	if (!inner)
		return REWRITE_KEEP;
	return takes_operand(x, node, inner->arg[0]);
}

static enum rewritten simplify_transpose(struct rewrite *x, const struct node *node)
{
	const struct node *inner = rewrite_def(x, node->arg[0], OP_TRANSPOSE);
	struct node *edited;
	bool moved = false;

	for (int d = 0; d < node->attrs.n_axes; d++)
		moved = moved || node->attrs.axes[d] != d;
	if (!moved)
		return is_value(x, node, node->arg[0]);
	if (!inner)
		return REWRITE_KEEP;
	edited = rewrite_edit(x, node);
	for (int d = 0; d < node->attrs.n_axes; d++)
		edited->attrs.axes[d] = inner->attrs.axes[node->attrs.axes[d]];
	return takes_operand(x, node, inner->arg[0]);
}

/* Drops the reversal of axes that are reversed twice. */
static enum rewritten simplify_reverse(struct rewrite *x, const struct node *node)
{
	const struct node *inner = rewrite_def(x, node->arg[0], OP_REVERSE);
	struct node *edited;
	bool reversed[LIMIT_RANK] = {false};

	if (node->attrs.n_axes == 0)
		return is_value(x, node, node->arg[0]);
	if (!inner)
		return REWRITE_KEEP;
	for (int k = 0; k < node->attrs.n_axes; k++)
		reversed[node->attrs.axes[k]] = true;
	for (int k = 0; k < inner->attrs.n_axes; k++)
		reversed[inner->attrs.axes[k]] = !reversed[inner->attrs.axes[k]];
	edited = rewrite_edit(x, node);
	edited->attrs = (struct attrs){.n_axes = 0};
	for (int d = 0; d < LIMIT_RANK; d++)
		if (reversed[d])
			edited->attrs.axes[edited->attrs.n_axes++] = d;
	return takes_operand(x, node, inner->arg[0]);
}

/* Whether the window covers all of s. */
static bool is_whole(const struct shape *s, const struct shape *size, const int *start, const int *stride)
{
	for (int d = 0; d < s->rank; d++)
		if (size->extent[d] != s->extent[d] || (s->extent[d] > 0 && start[d] != 0) ||
		    (s->extent[d] > 1 && stride[d] != 1))
			return false;
	return true;
}

static enum rewritten simplify_slice(struct rewrite *x, const struct node *node)
{
	const struct node *inner = rewrite_def(x, node->arg[0], OP_SLICE);
	const struct shape *s = &type_of(x, node->arg[0])->shape, *to = &type_of(x, node->out)->shape;
	struct attrs *at;

	if (is_whole(s, to, node->attrs.start, node->attrs.stride))
		return is_value(x, node, node->arg[0]);
	if (!inner || shape_elements(to) == 0)
		return REWRITE_KEEP;
	at = &rewrite_edit(x, node)->attrs;
	for (int d = 0; d < s->rank; d++) {
		at->start[d] = inner->attrs.start[d] + at->start[d] * inner->attrs.stride[d];
		/* The step of a single position has no effect, and may be large. */
		at->stride[d] = to->extent[d] > 1 ? at->stride[d] * inner->attrs.stride[d] : 1;
	}
	return takes_operand(x, node, inner->arg[0]);
}

static enum rewritten simplify_slice_scatter(struct rewrite *x, const struct node *node)
{
	const struct shape *s = &type_of(x, node->arg[0])->shape, *update = &type_of(x, node->arg[1])->shape;

	if (shape_elements(update) == 0)
		return is_value(x, node, node->arg[0]);
	return is_whole(s, update, node->attrs.start, node->attrs.stride) ? is_value(x, node, node->arg[1])
	                                                                  : REWRITE_KEEP;
}

static enum rewritten simplify_concatenate(struct rewrite *x, const struct node *node)
{
	int n = 0, *kept = NEW_RAW(x->arena, int, node->n_arg);
	struct node *edited;

	for (int k = 0; k < node->n_arg; k++)
		if (type_of(x, node->arg[k])->shape.extent[node->attrs.axis] > 0)
			kept[n++] = node->arg[k];
	if (n == 1)
		return is_value(x, node, kept[0]);
	if (n == 0 || n == node->n_arg)
		return REWRITE_KEEP;
	edited = rewrite_edit(x, node);
	edited->arg = kept;
	edited->n_arg = n;
	return REWRITE_CHANGED;
}

/* ---- regions ---- */

static enum rewritten simplify_cond(const struct rewrite *x, const struct node *node, int *taken)
{
	const union cell *predicate = splat(x, node->arg[0]);

	if (!predicate)
		return REWRITE_KEEP;
	*taken = predicate->i ? 0 : 1;
	return REWRITE_INLINE;
}

/* A loop that never runs leaves its carries unchanged. */
static enum rewritten drop_loop(struct rewrite *x, const struct node *node, bool never)
{
	if (!never)
		return REWRITE_KEEP;
	for (int k = 0; k < node->n_out; k++)
		x->alias[node->out + k] = node->arg[k];
	return REWRITE_GONE;
}

static enum rewritten simplify_node(struct rewrite *x, const struct node *node, int *taken)
{
	switch (node->op) {
	case OP_COPY:
	case OP_STOP_GRADIENT:
	case OP_CAST:
	case OP_SQUEEZE:
		return is_value(x, node, node->arg[0]);
	case OP_NEG:
	case OP_LOGICAL_NOT:
	case OP_BITWISE_INVERT:
		return undo(x, node);
	case OP_SELECT:
		return simplify_select(x, node);
	case OP_RESHAPE:
	case OP_BROADCAST_TO:
		return skip_inner(x, node);
	case OP_TRANSPOSE:
		return simplify_transpose(x, node);
	case OP_REVERSE:
		return simplify_reverse(x, node);
	case OP_SLICE:
		return simplify_slice(x, node);
	case OP_SLICE_SCATTER:
		return simplify_slice_scatter(x, node);
	case OP_PAD:
		return is_value(x, node, node->arg[0]);
	case OP_CONCATENATE:
		return simplify_concatenate(x, node);
	case OP_CHECKPOINT:
		*taken = 0;
		return REWRITE_INLINE;
	case OP_COND:
		return simplify_cond(x, node, taken);
	case OP_FOR:
		return drop_loop(x, node, node->attrs.trip == 0);
	case OP_WHILE:
		return drop_loop(x, node, node->attrs.cap == 0);
	default:
		return simplify_plain(x, node);
	}
}

int compiled_simplify(const struct compiled_rules *rules, const struct program *p, struct arena *a, struct program *out)
{
	struct rewrite x = {.rules = rules, .arena = a, .visit = simplify_node};

	*out = rewrite_program(&x, p);
	return x.count;
}
