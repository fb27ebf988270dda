/* rewrite.c: see array.h. */
#include "rewrite_parts.h"

#include <math.h>

/* ---- appending ops ---- */

const struct type *type_said(const struct rewriting *r, int v) { return &r->b.program.type[v]; }

const struct tensor *constant_said(const struct rewriting *r, int v) { return r->constant[v]; }

static int note_constant(struct rewriting *r, int v, const struct tensor *t)
{
	GROW(r->arena, r->constant, &r->constant_room, v + 1);
	r->constant[v] = t;
	return v;
}

int say_plain(struct rewriting *r, const struct node *node)
{
	int out = build_node(&r->b, node->op, node->arg, node->n_arg, &node->attrs, r->e);

	return out < 0 ? REWRITE_FAILED : note_constant(r, out, NULL);
}

int say_constant(struct rewriting *r, const struct tensor *t)
{
	return note_constant(r, build_constant(&r->b, t), arena_copy(r->arena, t, 1, sizeof *t));
}

int say_filled(struct rewriting *r, enum dtype d, struct shape shape, double x)
{
	struct tensor t = tensor_new(r->arena, &(struct type){d, shape});
	int n = shape_elements(&shape);

	for (int k = 0; k < n; k++)
		if (dtype_is_float(d))
			t.at[k].f = x;
		else
			t.at[k].i = (int64_t)x;
	return say_constant(r, &t);
}

int say_integers(struct rewriting *r, enum dtype d, const int *x, int n)
{
	struct tensor t = tensor_new(r->arena, &(struct type){d, {1, {n}}});

	for (int k = 0; k < n; k++)
		t.at[k].i = x[k];
	return say_constant(r, &t);
}

int say1(struct rewriting *r, enum op op, int x, const struct attrs *attrs) { return say(r, op, &x, 1, attrs); }

int say2(struct rewriting *r, enum op op, int x, int y) { return say(r, op, (const int[]){x, y}, 2, NULL); }

int say3(struct rewriting *r, enum op op, int x, int y, int z) { return say(r, op, (const int[]){x, y, z}, 3, NULL); }

int say_reshape(struct rewriting *r, int x, struct shape shape)
{
	return say1(r, OP_RESHAPE, x, &(struct attrs){.shape = shape});
}

/* ---- rules: forms of ops that mean the same in every target ---- */

static int copied(struct rewriting *r, const struct node *node) { return say1(r, OP_COPY, node->arg[0], NULL); }

static int slice(struct rewriting *r, const struct node *node)
{
	const struct shape *whole = &type_said(r, node->arg[0])->shape;
	struct attrs flip = {0}, forward = node->attrs;

	if (!whole->rank)
		return copied(r, node);
	for (int d = 0; d < whole->rank && r->target->ascending; d++) {
		if (node->attrs.stride[d] > 0)
			continue;
		flip.axes[flip.n_axes++] = d;
		forward.start[d] = whole->extent[d] - 1 - forward.start[d];
		forward.stride[d] = -forward.stride[d];
		if (!forward.size[d])
			forward.start[d] = 0;
	}
	return flip.n_axes ? say1(r, OP_SLICE, say1(r, OP_REVERSE, node->arg[0], &flip), &forward) : REWRITE_NOT;
}

/* Replaces all of it, or some elements by their place in row-major order. */
static int slice_scatter(struct rewriting *r, const struct node *node)
{
	const struct shape *whole = &type_said(r, node->arg[0])->shape, *part = &type_said(r, node->arg[1])->shape;
	const struct shape flat = {1, {shape_elements(whole)}}, flat_part = {1, {shape_elements(part)}};
	int step[LIMIT_RANK], index[LIMIT_RANK] = {0}, *list = NEW(r->arena, int, flat_part.extent[0] + 1), n = 0;
	bool all = true;

	for (int d = 0; d < whole->rank; d++)
		all = all && whole->extent[d] == part->extent[d] && node->attrs.stride[d] == 1;
	if (all)
		return say1(r, OP_COPY, node->arg[1], NULL);
	if (!flat_part.extent[0])
		return copied(r, node);
	if (has_row(r, node))
		return REWRITE_NOT;
	shape_strides(whole, step);
	do {
		list[n] = 0;
		for (int d = 0; d < whole->rank; d++)
			list[n] += step[d] * (node->attrs.start[d] + index[d] * node->attrs.stride[d]);
		n++;
	} while (shape_next(part, index));
	return say_reshape(r,
	    say3(r, OP_SCATTER_SET, say_reshape(r, node->arg[0], flat), say_integers(r, DTYPE_I64, list, n),
	        say_reshape(r, node->arg[1], flat_part)),
	    *whole);
}

/* The result of a reduction of nothing; NaN for ops that have none. */
static double of_nothing(enum op op, enum dtype d)
{
	switch ((int)op) {
	case OP_REDUCE_PROD:
		return 1;
	case OP_REDUCE_MAX:
		return dtype_is_float(d) ? -INFINITY : d == DTYPE_I64 ? (double)INT64_MIN : (double)INT32_MIN;
	case OP_REDUCE_MIN:
		return dtype_is_float(d) ? INFINITY : d == DTYPE_I64 ? 0 : (double)INT32_MAX;
	case OP_REDUCE_MEAN:
		return NAN;
	case OP_LOGSUMEXP:
		return -INFINITY;
	default:
		return 0;
	}
}

static int reduce(struct rewriting *r, const struct node *node)
{
	const struct type *t = type_said(r, node->arg[0]);
	struct attrs sum = node->attrs;
	bool empty = false;

	if (!node->attrs.n_axes)
		return node->op == OP_NORM ? say1(r, OP_ABS, node->arg[0], NULL) : copied(r, node);
	for (int k = 0; k < node->attrs.n_axes; k++)
		empty = empty || !t->shape.extent[node->attrs.axes[k]];
	if (empty && !(node->op == OP_REDUCE_MIN && t->dtype == DTYPE_I64)) {
		struct type out[LIMIT_ARGS];
		int n;

		if (node_infer(&r->b.program, node, out, &n, NULL))
			return say_filled(r, out[0].dtype, out[0].shape, of_nothing(node->op, t->dtype));
	}
	if (node->op != OP_NORM || has_row(r, node))
		return REWRITE_NOT;
	return say1(r, OP_SQRT, say1(r, OP_REDUCE_SUM, say1(r, OP_SQUARE, node->arg[0], NULL), &sum), NULL);
}

/* ---- rules: ops in other ops, if a target has no row ---- */

static int square(struct rewriting *r, const struct node *node)
{
	return has_row(r, node) ? REWRITE_NOT : say2(r, OP_MUL, node->arg[0], node->arg[0]);
}

static int trunc_(struct rewriting *r, const struct node *node)
{
	const struct type *t = type_said(r, node->arg[0]);
	int x = node->arg[0];

	if (has_row(r, node))
		return REWRITE_NOT;
	return say3(r, OP_SELECT,
	    say2(r, OP_LT, x, say_filled(r, t->dtype, r->target->broadcast ? t->shape : shape_scalar(), 0)),
	    say1(r, OP_CEIL, x, NULL), say1(r, OP_FLOOR, x, NULL));
}

static int clamp(struct rewriting *r, const struct node *node)
{
	return has_row(r, node) ? REWRITE_NOT
	                        : say2(r, OP_MIN, say2(r, OP_MAX, node->arg[0], node->arg[1]), node->arg[2]);
}

static int squeeze(struct rewriting *r, const struct node *node)
{
	struct type out[LIMIT_ARGS];
	int n;

	if (has_row(r, node) || !node_infer(&r->b.program, node, out, &n, NULL))
		return REWRITE_NOT;
	return say_reshape(r, node->arg[0], out[0].shape);
}

static int pad(struct rewriting *r, const struct node *node)
{
	struct attrs at = {0};
	struct type out[LIMIT_ARGS];
	int rank = type_said(r, node->arg[0])->shape.rank, n;

	if (!rank)
		return copied(r, node);
	if (has_row(r, node) || !node_infer(&r->b.program, node, out, &n, NULL))
		return REWRITE_NOT;
	for (int d = 0; d < rank; d++) {
		at.start[d] = node->attrs.low[d];
		at.stride[d] = 1;
	}
	return say(r, OP_SLICE_SCATTER,
	    (const int[]){say1(r, OP_BROADCAST_TO, node->arg[1], &(struct attrs){.shape = out[0].shape}), node->arg[0]},
	    2, &at);
}

/* Vectors as matrices of one row or column. */
static int matmul(struct rewriting *r, const struct node *node)
{
	struct shape a = type_said(r, node->arg[0])->shape, b = type_said(r, node->arg[1])->shape;
	struct type out[LIMIT_ARGS];
	int n;

	if (has_row(r, node) || (a.rank > 1 && b.rank > 1) || !node_infer(&r->b.program, node, out, &n, NULL))
		return REWRITE_NOT;
	if (a.rank == 1)
		a = (struct shape){2, {1, a.extent[0]}};
	if (b.rank == 1)
		b = (struct shape){2, {b.extent[0], 1}};
	return say_reshape(
	    r, say2(r, OP_MATMUL, say_reshape(r, node->arg[0], a), say_reshape(r, node->arg[1], b)), out[0].shape);
}

/* A reversal of no axes is a copy. */
static int reverse(struct rewriting *r, const struct node *node)
{
	return node->attrs.n_axes ? REWRITE_NOT : copied(r, node);
}

static int transpose(struct rewriting *r, const struct node *node)
{
	return type_said(r, node->arg[0])->shape.rank > 1 ? REWRITE_NOT : copied(r, node);
}

static rewrite_fn *const rules[OP_COUNT] = {[OP_SLICE] = slice,
    [OP_SLICE_SCATTER] = slice_scatter,
    [OP_DYNAMIC_SLICE] = rewrite_dynamic_slice,
    [OP_DYNAMIC_UPDATE_SLICE] = rewrite_dynamic_update_slice,
    [OP_GATHER] = rewrite_gather,
    [OP_TAKE_ALONG_AXIS] = rewrite_gather,
    [OP_SCATTER_SET] = rewrite_scatter,
    [OP_SCATTER_ADD] = rewrite_scatter,
    [OP_SCATTER_MUL] = rewrite_scatter,
    [OP_SCATTER_MIN] = rewrite_scatter,
    [OP_SCATTER_MAX] = rewrite_scatter,
    [OP_MASKED_SCATTER] = rewrite_masked_scatter,
    [OP_REDUCE_SUM] = reduce,
    [OP_REDUCE_PROD] = reduce,
    [OP_REDUCE_MAX] = reduce,
    [OP_REDUCE_MIN] = reduce,
    [OP_REDUCE_MEAN] = reduce,
    [OP_LOGSUMEXP] = reduce,
    [OP_NORM] = reduce,
    [OP_SQUARE] = square,
    [OP_TRUNC] = trunc_,
    [OP_CLAMP] = clamp,
    [OP_SQUEEZE] = squeeze,
    [OP_PAD] = pad,
    [OP_MATMUL] = matmul,
    [OP_REVERSE] = reverse,
    [OP_TRANSPOSE] = transpose};

bool has_row(const struct rewriting *r, const struct node *node)
{
	return template_row(&(struct template_node){r->target, &r->b.program, node, r->constant, r->arena});
}

int say(struct rewriting *r, enum op op, const int *arg, int n, const struct attrs *attrs)
{
	struct node node = {.op = op, .n_arg = n, .arg = arena_copy(r->arena, arg, (size_t)n, sizeof *arg), .n_out = 1};
	int out = REWRITE_NOT;

	for (int k = 0; k < n; k++)
		if (arg[k] < 0)
			return REWRITE_FAILED;
	if (attrs)
		node.attrs = *attrs;
	if (op == OP_CONSTANT)
		return say_constant(r, &node.attrs.value);
	if (rules[op])
		out = rules[op](r, &node);
	if (out != REWRITE_NOT)
		return out;
	if (!has_row(r, &node)) {
		error_set(r->e, NULL, "%s: no counterpart for op %s", r->target->name, op_table[op].name);
		return REWRITE_FAILED;
	}
	return say_plain(r, &node);
}

/* ---- programs ---- */

/* now[v]: the value of the new program for v of p, whose region this is. */
struct mapping {
	struct rewriting r;
	const struct program *p;
	int *now;
};

static void list_now(const struct mapping *m, const int *v, int n, int *to)
{
	for (int k = 0; k < n; k++)
		to[k] = m->now[v[k]];
}

static bool rewrite_nodes(struct mapping *m, const struct region *region);

/* A node with regions.  They keep their order. */
static bool rewrite_regions(struct mapping *m, const struct node *node)
{
	struct rewriting *r = &m->r;
	int list[LIMIT_ARGS], out;

	for (int k = 0; k < node->n_region; k++) {
		const struct region *inner = &node->region[k];
		int first = build_open(&r->b, &m->p->type[inner->param], inner->n_param);

		for (int i = 0; i < inner->n_param; i++)
			m->now[inner->param + i] = note_constant(r, first + i, NULL);
		if (!rewrite_nodes(m, inner))
			return false;
		list_now(m, inner->result, inner->n_result, list);
		build_close(&r->b, list, inner->n_result);
	}
	list_now(m, node->arg, node->n_arg, list);
	out = build_region_node(&r->b, node->op, list, node->n_arg, &node->attrs, r->e);
	for (int k = 0; k < node->n_out && out >= 0; k++)
		m->now[node->out + k] = note_constant(r, out + k, NULL);
	return out >= 0;
}

static bool rewrite_nodes(struct mapping *m, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];
		int arg[LIMIT_ARGS];

		if (node->n_region) {
			if (!rewrite_regions(m, node))
				return false;
			continue;
		}
		list_now(m, node->arg, node->n_arg, arg);
		m->now[node->out] = say(&m->r, node->op, arg, node->n_arg, &node->attrs);
		if (m->now[node->out] < 0)
			return error_set(
			    m->r.e, NULL, "%s: no counterpart for op %s", m->r.target->name, op_table[node->op].name);
	}
	return true;
}

/* Rules that need no row of the op itself.  The ops that they use have one in every target. */
static const bool in_other_ops[OP_COUNT] = {[OP_SLICE_SCATTER] = true,
    [OP_MASKED_SCATTER] = true,
    [OP_DYNAMIC_SLICE] = true,
    [OP_DYNAMIC_UPDATE_SLICE] = true,
    [OP_SCATTER_MUL] = true,
    [OP_NORM] = true,
    [OP_SQUARE] = true,
    [OP_TRUNC] = true,
    [OP_CLAMP] = true,
    [OP_SQUEEZE] = true,
    [OP_PAD] = true};

bool rewrite_knows(const struct array_target *target, enum op op)
{
	bool known = op == OP_CONSTANT || in_other_ops[op];

	for (int k = 0; k < target->n_row; k++)
		known = known || (target->row[k].op == op && target->row[k].text);
	return known;
}

bool rewrite_for(
    const struct array_target *target, const struct program *p, struct arena *a, struct program *out, struct error *e)
{
	struct mapping m = {.r = {.target = target, .arena = a, .e = e}, .p = p, .now = NEW(a, int, p->n_value)};
	int result[LIMIT_ARGS];

	build_begin(&m.r.b, a);
	for (int k = 0; k < p->top.n_param; k++)
		m.now[p->top.param + k] = note_constant(&m.r, build_input(&m.r.b, &p->type[p->top.param + k]), NULL);
	if (!rewrite_nodes(&m, &p->top))
		return false;
	list_now(&m, p->top.result, p->top.n_result, result);
	*out = build_end(&m.r.b, result, p->top.n_result);
	if (!program_has_dead(
	        p, a)) /* a resolved index leaves its node without a use; dead nodes of the case itself stay */
		*out = program_drop_dead(out, a);
	return true;
}
