/*
 * alone_bodies.c: the op with regions that alone_region.c draws: its kind of loop or branch, its operands, and what its
 * regions do.  A result of a region is computed by a few simple ops, or is a carry or a value from outside, unchanged.
 */
#include "alone_region.h"

#include "fuzz/edit/formula.h"

enum {
	OWN = 10,    /* values of a region that its ops read */
	RESULTS = 8, /* of a region */
	CAP = 60,    /* of a fixed point, which converges sooner */
	FAR = 10000  /* no float comes near it */
};

static const struct type number = {DTYPE_I64, {0}}, truth_value = {DTYPE_BOOL, {0}};

/* A region that is being filled: the values in it, and which of them are carries. */
struct drawn_body {
	struct region *r;
	int n_own, own[OWN], n_carry, carry[OWN];
	int n_result, count; /* count: an integer that changes from iteration to iteration; -1: none */
};

static struct drawn_body body_open(struct drawn_region *x, struct region *r, const struct type *param, int n_param)
{
	*r = (struct region){.n_param = n_param, .param = edit_new_values(x->e, param, n_param)};
	r->result = NEW(x->e->arena, int, RESULTS + 2);
	return (struct drawn_body){.r = r, .count = -1};
}

static void add_own(struct drawn_body *b, int value)
{
	if (b->n_own < OWN)
		b->own[b->n_own++] = value;
}

static void add_carry(struct drawn_body *b, int value)
{
	add_own(b, value);
	b->carry[b->n_carry++] = value;
}

static void yield(struct drawn_body *b, int value) { b->r->result[b->n_result++] = value; }

static int outside(struct drawn_region *x) { return x->outside[choice_below(x->c, x->n_outside)]; }

/* ---- values ---- */

enum reads { READS_ALL, READS_OWN, READS_OUTSIDE };

static int operand(struct drawn_region *x, const struct drawn_body *b, enum reads reads)
{
	if (b->n_own && reads != READS_OUTSIDE && (reads == READS_OWN || choice_percent(x->c, 60)))
		return b->own[choice_below(x->c, b->n_own)];
	return outside(x);
}

static int small_number(struct drawn_region *x, struct drawn_body *b)
{
	return edit_insert_fill(x->e, b->r, b->r->n_node, &x->type, choice_between(x->c, 2, 6) * 0.25);
}

/* One op on a value and perhaps another one. */
static int step(struct drawn_region *x, struct drawn_body *b, int value, enum reads reads)
{
	static const enum op nonlinear[] = {OP_MUL, OP_MUL, OP_MUL, OP_SIN, OP_COS, OP_TANH, OP_ADD, OP_SUB},
	                     linear[] = {OP_ADD, OP_ADD, OP_SUB, OP_SUB, OP_NEG, OP_MUL};
	const enum op op = x->linear ? linear[choice_below(x->c, 6)] : nonlinear[choice_below(x->c, 8)];
	const bool by_number = op_table[op].n_arg == 2 && (choice_percent(x->c, 20) || (x->linear && op == OP_MUL));
	int arg[2] = {value, -1};

	if (op_table[op].n_arg == 2)
		arg[1] = by_number ? small_number(x, b) : operand(x, b, reads);
	if (choice_percent(x->c, 30) && arg[1] >= 0) {
		arg[0] = arg[1];
		arg[1] = value;
	}
	return edit_append(x->e, b->r, op, arg, op_table[op].n_arg, NULL);
}

/* The carry itself most often: a step that does not depend on it is right for many reasons. */
static int computed(struct drawn_region *x, struct drawn_body *b, int k)
{
	const enum reads reads = (enum reads)choice_weighted(x->c, (const int[]){60, 25, 15}, 3);
	int value = k >= 0 && choice_percent(x->c, 65) ? b->carry[k] : operand(x, b, reads);

	for (int i = 0, n = 1 + choice_weighted(x->c, (const int[]){60, 28, 12}, 3); i < n && value >= 0; i++)
		value = step(x, b, value, reads);
	return value;
}

/* Appends a node with one result to the region; -1: it does not fit. */
static int append_inner(struct drawn_region *x, struct region *r, struct node *node, int arg)
{
	struct type type[LIMIT_ARGS + 1];

	node->arg = arena_copy(x->e->arena, &arg, 1, sizeof arg);
	if (!node_infer(&x->e->c.program, node, type, &node->n_out, NULL))
		return -1;
	node->out = edit_new_values(x->e, type, 1);
	edit_insert_node(x->e, r, r->n_node, node);
	return node->out;
}

/* A value that a cond or a checkpoint inside the region computes.  A cond may change its branch between iterations. */
static int nested(struct drawn_region *x, struct drawn_body *b, int k)
{
	const int n = x->nested == OP_COND ? 2 : 1;
	struct region *r = NEW(x->e->arena, struct region, n);
	struct node node = {.op = x->nested, .n_region = n, .region = r, .n_arg = n - 1};
	int predicate = -1;

	for (int w = 0; w < n; w++) {
		struct drawn_body inner = *b;

		r[w] = (struct region){.result = NEW(x->e->arena, int, 1), .n_result = 1};
		inner.r = &r[w];
		r[w].result[0] = choice_percent(x->c, 75) ? computed(x, &inner, k) : operand(x, b, READS_ALL);
		if (r[w].result[0] < 0)
			return -1;
	}
	if (n == 2 && b->count >= 0 && choice_percent(x->c, 70)) {
		const int bound = edit_insert_fill(x->e, b->r, b->r->n_node, &number, choice_between(x->c, 1, 3));

		predicate = edit_insert_binary(x->e, b->r, b->r->n_node, OP_LT, b->count, bound, &truth_value);
	} else if (n == 2) {
		predicate = edit_insert_fill(x->e, b->r, b->r->n_node, &truth_value, choice_below(x->c, 2));
	}
	return append_inner(x, b->r, &node, predicate);
}

/* The result of a region that is the next value of carry k, or no carry (-1). */
static int result(struct drawn_region *x, struct drawn_body *b, int k)
{
	enum { COMPUTED, KEPT, SHIFTED, HANDED_ON, CONSTANT };

	switch (choice_weighted(x->c, k < 0 ? (const int[]){70, 0, 0, 26, 4} : (const int[]){76, 8, 7, 7, 2}, 5)) {
	case KEPT:
		return b->carry[k];
	case SHIFTED:
		return b->carry[choice_below(x->c, b->n_carry)];
	case HANDED_ON: /* a value from outside, or a row or carry of the loop */
		return x->op == OP_SCAN && b->n_own && choice_percent(x->c, 40) ? b->own[choice_below(x->c, b->n_own)]
		                                                                : outside(x);
	case CONSTANT:
		return small_number(x, b);
	default:
		return x->nesting && choice_percent(x->c, x->nesting) ? nested(x, b, k) : computed(x, b, k);
	}
}

/* Adds a value that an integer makes: a multiple of another one, or a row of the table. */
static void add_by_integer(struct drawn_region *x, struct drawn_body *b, int integer)
{
	const struct attrs as_float = {.dtype = x->type.dtype}, along = {.axis = 0, .mode = MODE_CLIP};
	int value;

	if (x->table >= 0 && choice_percent(x->c, 60)) {
		value = edit_append(x->e, b->r, OP_GATHER, (const int[]){x->table, integer}, 2, &along);
	} else {
		value = edit_append(x->e, b->r, OP_CAST, &integer, 1, &as_float);
		value = edit_append(x->e, b->r, OP_MUL, (const int[]){value, operand(x, b, READS_ALL)}, 2, NULL);
	}
	if (value >= 0 && shape_equal(&edit_type(x->e, value)->shape, &x->type.shape)) {
		add_own(b, value);
		b->own[b->n_own - 1] = b->own[0]; /* it is read first, and more often than others */
		b->own[0] = value;
	}
}

/* ---- loops ---- */

/* The operands of a loop, and the types of the parameters of its body, in this order. */
struct loop_plan {
	int n_arg, arg[RESULTS + 4], n_param;
	struct type param[RESULTS + 4];
	int n_carry, counter; /* float carries; whether an integer follows them */
	bool counted, until;
};

static void plan_carries(struct drawn_region *x, struct loop_plan *p, int least)
{
	struct region *top = &x->e->c.program.top;

	p->n_carry = least + choice_weighted(x->c, (const int[]){45, 40, 15}, 3);
	for (int k = 0; k < p->n_carry; k++) {
		p->arg[p->n_arg++] = choice_percent(x->c, 12)
		    ? edit_insert_fill(x->e, top, top->n_node, &x->type, choice_between(x->c, 1, 5) * 0.25)
		    : outside(x);
		p->param[p->n_param++] = x->type;
	}
	if (!p->counter)
		return;
	p->arg[p->n_arg++] = edit_insert_fill(
	    x->e, top, top->n_node, &number, x->op == OP_WHILE ? 0 : choice_below(x->c, 3));
	p->param[p->n_param++] = number;
}

/* Appends the node; its results are floats or integers. */
static bool append_node(struct drawn_region *x, struct node *node, const int *arg)
{
	struct region *top = &x->e->c.program.top;
	struct type type[LIMIT_ARGS + 1];

	node->op = x->op;
	node->arg = arena_copy(x->e->arena, arg, (size_t)node->n_arg, sizeof *arg);
	if (!node_infer(&x->e->c.program, node, type, &node->n_out, NULL))
		return false;
	node->out = edit_new_values(x->e, type, node->n_out);
	edit_insert_node(x->e, top, top->n_node, node);
	for (int k = 0; k < node->n_out && x->n_out < DRAWN_RESULTS; k++)
		if (dtype_is_float(type[k].dtype))
			x->out[x->n_out++] = node->out + k;
	return true;
}

/* Fills the body of a loop: next carries, the counter, rows, and whether to stop. */
static bool fill_loop(struct drawn_region *x, const struct loop_plan *p, struct region *r)
{
	const int index = x->op == OP_FOR;
	struct drawn_body b = body_open(x, r, p->param, p->n_param);
	const int counter = p->counter ? r->param + index + p->n_carry : -1, counts = index ? r->param : counter;
	int rows = x->op == OP_SCAN ? choice_below(x->c, 3) : 0;

	b.count = counts;
	for (int k = 0; k < p->n_carry; k++)
		add_carry(&b, r->param + index + k);
	for (int k = 0; k < x->n_xs && x->op == OP_SCAN; k++)
		add_own(&b, r->param + p->n_carry + p->counter + k);
	if (counts >= 0 && choice_percent(x->c, x->op == OP_WHILE ? 25 : 35))
		add_by_integer(x, &b, p->counter && choice_percent(x->c, 60) ? counter : counts);
	for (int k = 0; k < p->n_carry; k++)
		yield(&b, result(x, &b, k));
	if (p->counter) {
		const int by = edit_insert_fill(
		    x->e, r, r->n_node, &number, x->op == OP_WHILE || choice_percent(x->c, 70) ? 1 : 2);

		yield(&b, edit_insert_binary(x->e, r, r->n_node, OP_ADD, counter, by, &number));
	}
	if (x->op == OP_SCAN && !p->n_carry && !rows)
		rows = 1;
	for (int k = 0; k < rows; k++)
		yield(&b, result(x, &b, -1));
	if (p->until) {
		const int last = edit_insert_fill(x->e, r, r->n_node, &number, choice_below(x->c, x->trip + 1));

		yield(&b, edit_insert_binary(x->e, r, r->n_node, OP_GE, counts, last, &truth_value));
	}
	r->n_result = b.n_result;
	for (int k = 0; k < r->n_result; k++)
		if (r->result[k] < 0)
			return false;
	return true;
}

static bool append_for(struct drawn_region *x)
{
	struct region *top = &x->e->c.program.top, *r = NEW(x->e->arena, struct region, 1);
	struct loop_plan p = {.counter = choice_percent(x->c, 30), .counted = choice_percent(x->c, 15)};
	struct node node = {.n_region = 1, .region = r, .attrs = {.trip = x->trip}};

	p.until = choice_percent(x->c, 16);
	if (p.counted) {
		p.arg[p.n_arg++] = edit_insert_fill(x->e, top, top->n_node, &number, x->trip);
		node.attrs.cap = x->trip + choice_below(x->c, 3);
		node.attrs.trip = -1;
	}
	p.param[p.n_param++] = number;
	plan_carries(x, &p, 1);
	node.n_arg = p.n_arg;
	node.attrs.until = p.until;
	return fill_loop(x, &p, r) && append_node(x, &node, p.arg);
}

static bool append_while(struct drawn_region *x)
{
	struct region *r = NEW(x->e->arena, struct region, 2);
	struct loop_plan p = {.counter = 1};
	struct node node = {.n_region = 2, .region = r};
	struct drawn_body condition;
	int bound, goes_on;

	plan_carries(x, &p, 1);
	node.n_arg = p.n_arg;
	node.attrs.cap = x->trip && choice_percent(x->c, 10) ? x->trip - 1 : x->trip + choice_below(x->c, 3);
	condition = body_open(x, r, p.param, p.n_param);
	bound = edit_insert_fill(x->e, r, 0, &number, x->trip);
	goes_on = edit_insert_binary(x->e, r, 1, OP_LT, r->param + p.n_carry, bound, &truth_value);
	if (!x->type.shape.rank && choice_percent(x->c, 30)) { /* it reads a float too, which does not end the loop */
		const int far = edit_insert_fill(x->e, r, r->n_node, &x->type, FAR),
		          read = choice_percent(x->c, 40) ? outside(x) : r->param + choice_below(x->c, p.n_carry),
		          near = edit_insert_binary(x->e, r, r->n_node, OP_LT, read, far, &truth_value);

		goes_on = edit_insert_binary(x->e, r, r->n_node, OP_LOGICAL_AND, goes_on, near, &truth_value);
	}
	yield(&condition, goes_on);
	r->n_result = 1;
	return fill_loop(x, &p, r + 1) && append_node(x, &node, p.arg);
}

static bool append_scan(struct drawn_region *x)
{
	struct region *r = NEW(x->e->arena, struct region, 1);
	struct loop_plan p = {.counter = choice_percent(x->c, 40)};
	struct node node = {.n_region = 1, .region = r, .attrs = {.trip = x->trip}};

	p.until = p.counter && choice_percent(x->c, 50);
	plan_carries(x, &p, !x->n_xs);
	node.attrs.carries = p.n_arg;
	for (int k = 0; k < x->n_xs; k++) {
		p.arg[p.n_arg++] = x->xs[k];
		p.param[p.n_param++] = x->type;
	}
	node.n_arg = p.n_arg;
	node.attrs.until = p.until;
	return fill_loop(x, &p, r) && append_node(x, &node, p.arg);
}

static bool append_fixed_point(struct drawn_region *x)
{
	/* x: the carry; y: another one, or the same; a, b: from outside.  All contract. */
	static const char *const steps[] = {"a + 0.25 * x", "a + 0.25 * sin(x)", "b + 0.25 * x * tanh(a)",
	    "0.25 * cos(x + a)", "a + 0.25 * sin(y)", "a + 0.125 * x * tanh(y)", "0.5 * a", "0.25 * y - a",
	    "a * tanh(b) + 0.125 * y"};
	struct region *r = NEW(x->e->arena, struct region, 1);
	struct loop_plan p = {0};
	struct node node = {.n_region = 1, .region = r, .attrs = {.cap = CAP}};
	struct drawn_body b;
	int ends = -1;

	node.attrs.meaning = choice_percent(x->c, 60) ? MEANING_SOLUTION : MEANING_STEPS;
	plan_carries(x, &p, 1);
	node.n_arg = p.n_arg;
	b = body_open(x, r, p.param, p.n_param);
	for (int k = 0; k < p.n_carry; k++) {
		const struct text_name name[] = {{"x", r->param + k}, {"y", r->param + choice_below(x->c, p.n_carry)},
		    {"a", outside(x)}, {"b", outside(x)}};
		int next;

		if (!formula_build(x->e, r, steps[choice_below(x->c, 9)], name, 4, x->type.dtype, &next))
			return false;
		yield(&b, next);
	}
	for (int k = 0; k < p.n_carry; k++) {
		const struct text_name name[] = {{"x", r->param + k}, {"n", r->result[k]}};
		int still;

		if (!formula_build(x->e, r, "abs(n - x) <= 0.0001", name, 2, x->type.dtype, &still))
			return false;
		ends = ends < 0 ? still
		                : edit_insert_binary(x->e, r, r->n_node, OP_LOGICAL_AND, ends, still, &truth_value);
	}
	yield(&b, ends);
	r->n_result = b.n_result;
	return append_node(x, &node, p.arg);
}

/* ---- other regions ---- */

/* Fills a region without parameters: a branch, or what is run again. */
static bool fill_plain(struct drawn_region *x, struct region *r, int n)
{
	struct drawn_body b = body_open(x, r, NULL, 0);

	for (int k = 0; k < n; k++)
		yield(&b, result(x, &b, -1));
	r->n_result = n;
	for (int k = 0; k < n; k++)
		if (r->result[k] < 0)
			return false;
	return true;
}

static bool append_cond(struct drawn_region *x)
{
	struct region *top = &x->e->c.program.top, *r = NEW(x->e->arena, struct region, 2);
	const int n = 1 + choice_percent(x->c, 35);
	struct node node = {.n_region = 2, .region = r, .n_arg = 1};
	int predicate = edit_insert_fill(x->e, top, top->n_node, &truth_value, choice_below(x->c, 2));

	if (!x->type.shape.rank && choice_percent(x->c, 40)) {
		const int bound = edit_insert_fill(
		    x->e, top, top->n_node, &x->type, choice_between(x->c, -3, 6) * 0.25);

		predicate = edit_insert_binary(x->e, top, top->n_node, OP_GT, outside(x), bound, &truth_value);
	}
	return fill_plain(x, r, n) && fill_plain(x, r + 1, n) && append_node(x, &node, &predicate);
}

static bool append_checkpoint(struct drawn_region *x)
{
	struct region *r = NEW(x->e->arena, struct region, 1);
	struct node node = {.n_region = 1, .region = r};

	return fill_plain(x, r, 1 + choice_percent(x->c, 35)) && append_node(x, &node, NULL);
}

/* Each op works on one element, which is a scalar. */
static bool append_scatter_apply(struct drawn_region *x)
{
	struct region *top = &x->e->c.program.top, *r = NEW(x->e->arena, struct region, 1);
	const int extent = edit_type(x->e, x->whole)->shape.extent[0], n = choice_between(x->c, 1, 4);
	const bool far = choice_percent(x->c, 35);
	struct type type = {DTYPE_I64, {1, {n}}};
	struct tensor index = tensor_new(x->e->arena, &type);
	struct node node = {
	    .n_region = 1, .region = r, .n_arg = 2, .attrs.mode = (enum index_mode)choice_below(x->c, MODE_COUNT)};
	struct drawn_body b;

	for (int i = 0; i < n; i++)
		index.at[i].i = choice_between(x->c, far ? -extent : 0, far ? 2 * extent : extent - 1);
	b = body_open(x, r, &x->type, 1);
	add_carry(&b, r->param);
	yield(&b, result(x, &b, 0));
	r->n_result = 1;
	return r->result[0] >= 0 &&
	    append_node(x, &node, (const int[]){x->whole, edit_insert_constant(x->e, top, top->n_node, &index)});
}

/* Functions of customs, and their rules.  g: the cotangent; d, h, k: tangents of a, b, c.  There may be a second
 * result, 3 a, whose cotangent is q. */
static const struct ruled {
	int n;
	const char *function, *vjp[3], *jvp;
} functions[] = {
    {1, "sin(a)", {"g * cos(a)"}, "d * cos(a)"},
    {1, "2 * a", {"2 * g"}, "2 * d"},
    {2, "a * b", {"g * b", "g * a"}, "d * b + h * a"},
    {2, "a + b", {"1 * g", "1 * g"}, "d + h"},
    {2, "a * sin(b)", {"g * sin(b)", "g * a * cos(b)"}, "d * sin(b) + h * a * cos(b)"},
    {3, "a * b - c", {"g * b", "g * a", "-g"}, "d * b + h * a - k"},
};

/* The texts of the function, or of its rule.  Returns how many. */
static int texts_of(
    struct edit *e, const struct ruled *f, bool rule, enum derivative_kind kind, bool two, const char *out[3])
{
	if (!rule || kind == DERIVATIVE_JVP) {
		out[0] = rule ? f->jvp : f->function;
		out[1] = rule ? "3 * d" : "3 * a";
		return 1 + two;
	}
	for (int k = 0; k < f->n; k++)
		out[k] = k || !two ? f->vjp[k] : arena_printf(e->arena, "%s + 3 * q", f->vjp[k]);
	return f->n;
}

static bool append_custom(struct drawn_region *x)
{
	const struct ruled *f = &functions[choice_below(x->c, 6)];
	const enum derivative_kind kind = (enum derivative_kind)choice_below(x->c, DERIVATIVE_COUNT);
	const bool two = choice_percent(x->c, 25);
	struct region *r = NEW(x->e->arena, struct region, 2);
	struct node node = {.n_region = 2, .region = r, .n_arg = f->n, .attrs.transform = kind};
	const struct type params[6] = {x->type, x->type, x->type, x->type, x->type, x->type};
	const int n = f->n, directions = kind == DERIVATIVE_VJP ? 1 + two : n;
	struct drawn_body b[2] = {body_open(x, r, params, n), body_open(x, r + 1, params, n + directions)};
	int arg[3], value;

	for (int k = 0; k < n; k++)
		arg[k] = outside(x);
	for (int which = 0; which < 2; which++) {
		const int p = r[which].param;
		const struct text_name name[] = {{"a", p}, {"b", p + (n > 1)}, {"c", p + 2 * (n > 2)}, {"g", p + n},
		    {"q", p + n + two}, {"d", p + n}, {"h", p + n + (n > 1)}, {"k", p + n + 2 * (n > 2)}};
		const char *text[3];
		const int n_text = texts_of(x->e, f, which, kind, two, text);

		for (int k = 0; k < n_text; k++) {
			if (!formula_build(x->e, &r[which], text[k], name, 8, x->type.dtype, &value))
				return false;
			yield(&b[which], value);
		}
		r[which].n_result = b[which].n_result;
	}
	return append_node(x, &node, arg);
}

/* clang-format off */
static bool (*const append_op[OP_COUNT])(struct drawn_region *x) = {
	[OP_FOR] = append_for, [OP_WHILE] = append_while, [OP_SCAN] = append_scan, [OP_COND] = append_cond,
	[OP_CHECKPOINT] = append_checkpoint, [OP_FIXED_POINT] = append_fixed_point, [OP_CUSTOM] = append_custom,
	[OP_SCATTER_APPLY] = append_scatter_apply,
};
/* clang-format on */

bool drawn_region_is_known(enum op op) { return append_op[op] != NULL; }

bool drawn_region_append(struct drawn_region *x) { return append_op[x->op](x); }
