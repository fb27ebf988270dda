/* c_reduce.c: reductions, running sums and products, the matrix product, and order along an axis. */
#include "c_parts.h"

#include <string.h>

/* ---- reductions ---- */

/* The place in the result, in loops over the operand.  Reduced axes do not change it. */
static struct element_place reduced(const struct c_source *s, const struct node *node)
{
	const struct shape *over = &s->p->type[node->arg[0]].shape, *to = &s->p->type[node->out].shape;
	bool gone[LIMIT_RANK] = {false};
	int step[LIMIT_RANK];
	struct element_place at = {0};

	shape_strides(to, step);
	for (int i = 0; i < node->attrs.n_axes; i++)
		gone[node->attrs.axes[i]] = true;
	for (int d = 0, k = 0; d < over->rank; d++) {
		if (!gone[d])
			at.step[d] = step[k];
		k += node->attrs.keepdims || !gone[d];
	}
	c_only_long(&at, over);
	return at;
}

/* Prints out = op(out, x) for every element x of the operand. */
static void fold(struct c_source *s, const struct node *node, enum op op, const char *first, const char *x)
{
	const struct type *t = &s->p->type[node->arg[0]];
	const struct element_place to = reduced(s, node), from = c_rows(&t->shape);
	const char *out = c_element(s, node->out, &to, NULL);

	x = x ? x : c_element(s, node->arg[0], &from, NULL);
	c_fill(s, node->out, first);
	if (op == OP_ADD && dtype_is_float(t->dtype))
		c_loops(s, &t->shape, arena_printf(s->arena, "%s += %s", out, x));
	else
		c_loops(s, &t->shape,
		    arena_printf(s->arena, "%s = %s", out,
		        c_expression(s, op, t->dtype, t->dtype, (const char *const[3]){out, x})));
}

/* Prints the statement for each element of the result. @ is that element, # that of the variable most<v>. */
static void finish(struct c_source *s, const struct node *node, const char *statement)
{
	const struct shape *whole = &s->p->type[node->out].shape;
	const struct shape flat = {whole->rank > 0, {shape_elements(whole)}};
	const struct element_place at = c_rows(&flat);
	const char *y = c_element(s, node->out, &at, NULL);
	struct text text = {.arena = s->arena};

	for (; *statement; statement++)
		if (*statement == '@')
			text_put(&text, "%s", y);
		else if (*statement == '#')
			text_put(&text, "most%s", y + 1);
		else
			text_put_bytes(&text, statement, 1);
	c_loops(s, &flat, text.at);
}

/* Subtracts the largest operand first, unless it is infinite: infinity minus infinity is NaN. */
static void logsumexp(struct c_source *s, const struct node *node)
{
	const struct type *t = &s->p->type[node->arg[0]];
	const struct element_place to = reduced(s, node), from = c_rows(&t->shape);
	const char *f = t->dtype == DTYPE_F64 ? "" : "f", *x = c_element(s, node->arg[0], &from, NULL),
	           *declared = strchr(c_declared(s, node->out), 'v');

	fold(s, node, OP_MAX, "-INFINITY", NULL);
	c_line(s, "%s most%s;", c_type(t->dtype), declared + 1);
	finish(s, node, "# = isinf(@) ? 0 : @");
	fold(s, node, OP_ADD, "0",
	    arena_printf(s->arena, "exp%s(%s - most%s)", f, x, c_element(s, node->out, &to, NULL) + 1));
	finish(s, node, arena_printf(s->arena, "@ = # + log%s(@)", f));
}

static void reduce(struct c_source *s, const struct node *node)
{
	const struct type *t = &s->p->type[node->arg[0]];
	const struct element_place from = c_rows(&t->shape);
	const char *x = c_element(s, node->arg[0], &from, NULL), *f = t->dtype == DTYPE_F64 ? "" : "f";
	bool floats = dtype_is_float(t->dtype), wide = t->dtype == DTYPE_I64;
	int n = 1;

	for (int i = 0; i < node->attrs.n_axes; i++)
		n *= t->shape.extent[node->attrs.axes[i]];
	switch ((int)node->op) {
	case OP_REDUCE_SUM:
		fold(s, node, OP_ADD, "0", NULL);
		break;
	case OP_REDUCE_PROD:
		fold(s, node, OP_MUL, "1", NULL);
		break;
	case OP_REDUCE_MAX:
		fold(s, node, OP_MAX, floats ? "-INFINITY" : wide ? "INT64_MIN" : "INT32_MIN", NULL);
		break;
	case OP_REDUCE_MIN:
		fold(s, node, OP_MIN, floats ? "INFINITY" : wide ? "INT64_MAX" : "INT32_MAX", NULL);
		break;
	case OP_REDUCE_MEAN:
		fold(s, node, OP_ADD, "0", NULL);
		finish(s, node, n ? arena_printf(s->arena, "@ /= %d", n) : "@ = NAN");
		break;
	case OP_NORM:
		fold(s, node, OP_ADD, "0", arena_printf(s->arena, "squared%s(%s)", f, x));
		finish(s, node, arena_printf(s->arena, "@ = sqrt%s(@)", f));
		break;
	default:
		logsumexp(s, node);
	}
}

/* ---- along an axis ---- */

static void cumulative(struct c_source *s, const struct node *node)
{
	const struct type *t = &s->p->type[node->out];
	const struct element_place at = c_rows(&t->shape);
	struct element_place before = at;
	int axis = node->attrs.axis, step[LIMIT_RANK];
	const char *x = c_element(s, node->arg[0], &at, NULL), *y = c_element(s, node->out, &at, NULL), *sum;

	shape_strides(&t->shape, step);
	before.offset = -step[axis];
	if (t->shape.extent[axis] <= 1) {
		c_copy(s, node->out, node->arg[0]);
		return;
	}
	sum = c_expression(s, node->op == OP_CUMSUM ? OP_ADD : OP_MUL, t->dtype, t->dtype,
	    (const char *const[3]){c_element(s, node->out, &before, NULL), x});
	c_loops(s, &t->shape, arena_printf(s->arena, "%s = %s > 0 ? %s : %s", y, c_variable[axis], sum, x));
}

static void matmul(struct c_source *s, const struct node *node)
{
	const struct shape *a = &s->p->type[node->arg[0]].shape, *b = &s->p->type[node->arg[1]].shape,
	                   *over = &s->p->type[node->out].shape;
	bool row = a->rank == 1, column = b->rank == 1;
	int inner = a->extent[a->rank - 1], step_a[LIMIT_RANK], step_b[LIMIT_RANK], lead = over->rank - !row - !column;
	struct element_place at = c_rows(over), left = {0}, right = {0};

	shape_strides(a, step_a);
	shape_strides(b, step_b);
	for (int d = 0; d < lead; d++) { /* batch axes, which broadcast */
		int da = d - (lead - (a->rank - 2)), db = d - (lead - (b->rank - 2));

		left.step[d] = !row && da >= 0 && a->extent[da] > 1 ? step_a[da] : 0;
		right.step[d] = !column && db >= 0 && b->extent[db] > 1 ? step_b[db] : 0;
	}
	if (!row)
		left.step[lead] = step_a[a->rank - 2];
	if (!column)
		right.step[lead + !row] = step_b[b->rank - 1];
	c_only_long(&left, over);
	c_only_long(&right, over);
	c_fill(s, node->out, "0");
	if (!inner || !shape_elements(over))
		return;
	c_open(s, over);
	c_line(s, "for (int n = 0; n < %d; n++)", inner);
	s->depth++;
	c_line(s, "%s += %s * %s;", c_element(s, node->out, &at, NULL), c_element(s, node->arg[0], &left, "n"),
	    c_element(s, node->arg[1], &right,
	        column || step_b[b->rank - 2] == 1 ? "n" : arena_printf(s->arena, "%d * n", step_b[b->rank - 2])));
	s->depth--;
	c_close(s, over);
}

/* ---- order ---- */

/* The other axes, and the place of element n along the axis. */
struct reduced_line {
	struct shape over;
	struct element_place at;
	int n, stride;
};

static struct reduced_line line_of(const struct c_source *s, const struct node *node)
{
	const struct shape *whole = &s->p->type[node->arg[0]].shape;
	struct reduced_line line = {.over = *whole, .n = whole->extent[node->attrs.axis]};

	line.over.extent[node->attrs.axis] = 1;
	shape_strides(whole, line.at.step);
	line.stride = line.at.step[node->attrs.axis];
	c_only_long(&line.at, &line.over);
	return line;
}

/* Element number n of value v on the line. */
static const char *on_line(const struct c_source *s, const struct reduced_line *line, int v, const char *n)
{
	return c_element(s, v, &line->at, line->stride == 1 ? n : arena_printf(s->arena, "%d * (%s)", line->stride, n));
}

static const char *precedes(const struct c_source *s, enum dtype d, const char *a, const char *b)
{
	return arena_printf(s->arena, dtype_is_float(d) ? "before(%s, %s)" : "%s < %s", a, b);
}

/* Sorts by insertion, which is stable: values (sort) or their positions (argsort). */
static void sort(struct c_source *s, const struct node *node)
{
	const struct reduced_line line = line_of(s, node);
	bool positions = node->op == OP_ARGSORT;
	const char *m = on_line(s, &line, node->out, "n"), *before = on_line(s, &line, node->out, "n - 1"), *a = m,
	           *b = before;
	enum dtype d = s->p->type[node->arg[0]].dtype;

	if (!shape_elements(&s->p->type[node->out].shape))
		return;
	if (positions) {
		a = on_line(s, &line, node->arg[0], m);
		b = on_line(s, &line, node->arg[0], before);
		c_open(s, &line.over);
		c_line(s, "for (int n = 0; n < %d; n++)", line.n);
		s->depth++;
		c_line(s, "%s = n;", m);
		s->depth--;
		c_close(s, &line.over);
	} else {
		c_copy(s, node->out, node->arg[0]);
	}
	c_open(s, &line.over);
	c_line(s, "for (int end = 1; end < %d; end++)", line.n);
	s->depth++;
	c_line(s, "for (int n = end; n > 0 && %s; n--) {", precedes(s, d, a, b));
	s->depth++;
	c_line(s, "const %s moved = %s;", c_type(s->p->type[node->out].dtype), m);
	c_line(s, "%s = %s;", m, before);
	c_line(s, "%s = moved;", before);
	s->depth--;
	c_line(s, "}");
	s->depth--;
	c_close(s, &line.over);
}

static void argmax(struct c_source *s, const struct node *node)
{
	const struct reduced_line line = line_of(s, node);
	const struct shape *to = &s->p->type[node->out].shape;
	enum dtype d = s->p->type[node->arg[0]].dtype;
	int step[LIMIT_RANK];
	struct element_place at = {0};
	const char *best;

	c_fill(s, node->out, "0");
	if (!shape_elements(to))
		return;
	shape_strides(to, step);
	for (int k = 0; k < line.over.rank; k++)
		if (k != node->attrs.axis)
			at.step[k] = step[k < node->attrs.axis ? k : k - 1];
	c_only_long(&at, &line.over);
	best = c_element(s, node->out, &at, NULL);
	c_open(s, &line.over);
	c_line(s, "for (int n = 1; n < %d; n++)", line.n);
	s->depth++;
	c_line(
	    s, "if (%s)", precedes(s, d, on_line(s, &line, node->arg[0], best), on_line(s, &line, node->arg[0], "n")));
	s->depth++;
	c_line(s, "%s = n;", best);
	s->depth -= 2;
	c_close(s, &line.over);
}

void c_reduce(struct c_source *s, const struct node *node)
{
	switch ((int)op_table[node->op].family) {
	case FAMILY_REDUCE:
		reduce(s, node);
		break;
	case FAMILY_CUMULATIVE:
		cumulative(s, node);
		break;
	case FAMILY_MATMUL:
		matmul(s, node);
		break;
	case FAMILY_ARGMAX:
		argmax(s, node);
		break;
	default:
		sort(s, node);
	}
}
