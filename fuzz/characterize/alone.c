/*
 * alone.c: one op alone on inputs, with everything that it may have drawn: shapes, attributes, numbers, and what is
 * differentiated.  The generator draws programs that engines meet; here an op has its whole freedom.
 */
#include <math.h>
#include <string.h>

#include "fuzz/bench/draw.h"
#include "fuzz/generate/choice.h"
#include "graph/walk.h"
#include "lab_edit.h"

enum {
	OPERANDS = 4,
	RANK = 3,   /* of an operand, at most; matrices may have one more axis */
	EXTENT = 4, /* of an axis, at most */
	UNIT = 16   /* numbers are multiples of 1 / UNIT */
};

/* The op, its operands and attributes. */
struct alone {
	struct lab *lab;
	struct choice *c;
	enum op op;
	enum dtype dtype; /* of floats */
	int n;
	struct type type[OPERANDS];
	int low[OPERANDS], high[OPERANDS]; /* of integers */
	struct attrs attrs;
	const struct shape *given; /* of the first operand; NULL: any */
};

static int extent_of(struct alone *x) { return choice_percent(x->c, 15) ? 1 : choice_between(x->c, 2, EXTENT); }

static struct shape any_shape(struct alone *x, int rank_least)
{
	struct shape s = {.rank = choice_between(x->c, rank_least, RANK)};

	if (x->given && x->given->rank >= rank_least)
		return *x->given;
	for (int d = 0; d < s.rank; d++)
		s.extent[d] = extent_of(x);
	return s;
}

/* A shape that broadcasts to s: often s itself. */
static struct shape part_of(struct alone *x, const struct shape *s)
{
	struct shape part = *s;
	const int lost = choice_percent(x->c, 25) ? choice_between(x->c, 0, s->rank) : 0;

	if (choice_percent(x->c, 40))
		return part;
	if (choice_percent(x->c, 25))
		return shape_scalar();
	part.rank -= lost;
	for (int d = 0; d < part.rank; d++)
		part.extent[d] = choice_percent(x->c, 25) ? 1 : s->extent[d + lost];
	return part;
}

static void add(struct alone *x, enum dtype d, struct shape s, int low, int high)
{
	x->type[x->n] = (struct type){d, s};
	x->low[x->n] = low;
	x->high[x->n++] = high;
}

static void add_float(struct alone *x, struct shape s) { add(x, x->dtype, s, 0, 0); }

static struct shape vector_of(int n) { return (struct shape){.rank = 1, .extent = {n}}; }

static void take_axes(struct alone *x, int rank)
{
	const int share = choice_between(x->c, 30, 90);

	for (int d = 0; d < rank; d++)
		if (choice_percent(x->c, share))
			x->attrs.axes[x->attrs.n_axes++] = d;
	if (!x->attrs.n_axes && rank)
		x->attrs.axes[x->attrs.n_axes++] = choice_below(x->c, rank);
}

static void shuffle_axes(struct alone *x, int rank)
{
	x->attrs.n_axes = rank;
	for (int d = 0; d < rank; d++) {
		const int k = choice_below(x->c, d + 1);

		x->attrs.axes[d] = x->attrs.axes[k];
		x->attrs.axes[k] = d;
	}
}

/* Starts, sizes and strides of a window of s. */
static struct shape take_window(struct alone *x, const struct shape *s)
{
	struct shape window = *s;

	for (int d = 0; d < s->rank; d++) {
		const int all = s->extent[d], size = choice_between(x->c, 1, all),
		          stride = size > 1 ? choice_between(x->c, 1, (all - 1) / (size - 1))
		                            : choice_between(x->c, 1, 2),
		          start = choice_between(x->c, 0, all - 1 - (size - 1) * stride);
		const bool backwards = choice_percent(x->c, 25);

		window.extent[d] = x->attrs.size[d] = size;
		x->attrs.start[d] = backwards ? start + (size - 1) * stride : start;
		x->attrs.stride[d] = backwards ? -stride : stride;
	}
	return window;
}

static void plan_indexed(struct alone *x, enum family f)
{
	struct shape s = any_shape(x, 1), index;
	const int axis = x->attrs.axis = choice_below(x->c, s.rank), all = s.extent[axis],
	          n = choice_between(x->c, 1, EXTENT + 1);
	const bool far = choice_percent(x->c, 60);

	x->attrs.mode = (enum index_mode)choice_below(x->c, MODE_COUNT);
	add_float(x, s);
	if (f == FAMILY_TAKE_ALONG_AXIS) {
		index = s;
		index.extent[axis] = n;
	} else if (f == FAMILY_GATHER) {
		index = any_shape(x, 0);
		index.rank = index.rank > 2 ? 1 : index.rank;
	} else {
		index = vector_of(n);
	}
	add(x, DTYPE_I64, index, far ? -2 * all - 1 : 0, far ? 3 * all : all - 1);
	s.extent[axis] = n + choice_percent(x->c, 20);
	if (f == FAMILY_SCATTER)
		add_float(x, s);
}

static void plan_dynamic(struct alone *x, enum family f)
{
	const struct shape s = any_shape(x, 1), window = take_window(x, &s);

	add_float(x, s);
	memset(x->attrs.start, 0, sizeof x->attrs.start);
	memset(x->attrs.stride, 0, sizeof x->attrs.stride);
	if (f == FAMILY_DYNAMIC_UPDATE_SLICE) {
		add_float(x, window);
		memset(x->attrs.size, 0, sizeof x->attrs.size);
	}
	add(x, DTYPE_I64, vector_of(s.rank), -EXTENT - 1, 2 * EXTENT);
}

static void plan_matrices(struct alone *x)
{
	const int inner = extent_of(x);
	struct shape batch = {.rank = choice_below(x->c, 3), .extent = {extent_of(x), extent_of(x)}};

	for (int k = 0; k < 2; k++) {
		struct shape s = part_of(x, &batch);

		if (choice_percent(x->c, 30))
			s.rank = 0;
		if (s.rank || choice_percent(x->c, 75)) {
			s.extent[s.rank + !k] = inner;
			s.extent[s.rank + k] = extent_of(x);
			s.rank += 2;
		} else {
			s = vector_of(inner);
		}
		add_float(x, s);
	}
}

static void plan_reshape(struct alone *x)
{
	struct shape s = any_shape(x, 0), to = {.rank = 0};

	add_float(x, s);
	for (int d = 0; d < s.rank; d++) {
		if (to.rank < LIMIT_RANK && choice_percent(x->c, 20))
			to.extent[to.rank++] = 1;
		if (to.rank && (to.rank == LIMIT_RANK || choice_percent(x->c, 30)))
			to.extent[to.rank - 1] *= s.extent[d];
		else
			to.extent[to.rank++] = s.extent[d];
	}
	x->attrs.shape = to;
}

static void plan_pad(struct alone *x)
{
	const struct shape s = any_shape(x, 1);

	for (int d = 0; d < s.rank; d++) {
		x->attrs.low[d] = choice_percent(x->c, 50) ? choice_between(x->c, 1, 2) : 0;
		x->attrs.high[d] = choice_percent(x->c, 50) ? choice_between(x->c, 1, 2) : 0;
	}
	add_float(x, s);
	add_float(x, shape_scalar());
}

static void plan_joined(struct alone *x)
{
	struct shape s = any_shape(x, 1);
	const int n = choice_between(x->c, 1, OPERANDS);

	x->attrs.axis = choice_below(x->c, s.rank);
	for (int k = 0; k < n; k++) {
		s.extent[x->attrs.axis] = extent_of(x);
		add_float(x, s);
	}
}

static void plan_elementwise(struct alone *x, enum family f)
{
	const struct shape s = any_shape(x, 0);

	for (int k = 0; k < op_table[x->op].n_arg; k++)
		if (f == FAMILY_SELECT && !k)
			add(x, DTYPE_BOOL, part_of(x, &s), 0, 1);
		else
			add_float(x, part_of(x, &s));
}

/* Draws types and attributes; false: an op of this family is not drawn alone. */
static bool plan(struct alone *x)
{
	const enum family f = op_table[x->op].family;
	struct shape s;

	switch (f) {
	case FAMILY_UNARY:
	case FAMILY_BINARY:
	case FAMILY_CLAMP:
	case FAMILY_SELECT:
		plan_elementwise(x, f);
		return true;
	case FAMILY_BROADCAST_TO:
		x->attrs.shape = any_shape(x, 0);
		add_float(x, part_of(x, &x->attrs.shape));
		return true;
	case FAMILY_RESHAPE:
		plan_reshape(x);
		return true;
	case FAMILY_SQUEEZE:
		s = any_shape(x, 1);
		take_axes(x, s.rank);
		for (int i = 0; i < x->attrs.n_axes; i++)
			s.extent[x->attrs.axes[i]] = 1;
		add_float(x, s);
		return true;
	case FAMILY_CAST:
		add_float(x, any_shape(x, 0));
		x->attrs.dtype = (enum dtype)choice_below(x->c, DTYPE_COUNT);
		return dtype_is_float(x->attrs.dtype);
	case FAMILY_TRANSPOSE:
	case FAMILY_REVERSE:
	case FAMILY_REDUCE:
		s = any_shape(x, f == FAMILY_REDUCE ? 0 : 1);
		add_float(x, s);
		x->attrs.keepdims = f == FAMILY_REDUCE && choice_percent(x->c, 40);
		if (f == FAMILY_TRANSPOSE)
			shuffle_axes(x, s.rank);
		else
			take_axes(x, s.rank);
		return true;
	case FAMILY_CUMULATIVE:
	case FAMILY_SORT:
		s = any_shape(x, 1);
		add_float(x, s);
		x->attrs.axis = choice_below(x->c, s.rank);
		return true;
	case FAMILY_SLICE:
	case FAMILY_SLICE_SCATTER:
		s = any_shape(x, 1);
		add_float(x, s);
		s = take_window(x, &s);
		if (f == FAMILY_SLICE_SCATTER) {
			add_float(x, s);
			memset(x->attrs.size, 0, sizeof x->attrs.size);
		}
		return true;
	case FAMILY_DYNAMIC_SLICE:
	case FAMILY_DYNAMIC_UPDATE_SLICE:
		plan_dynamic(x, f);
		return true;
	case FAMILY_PAD:
		plan_pad(x);
		return true;
	case FAMILY_CONCATENATE:
		plan_joined(x);
		return true;
	case FAMILY_GATHER:
	case FAMILY_TAKE_ALONG_AXIS:
	case FAMILY_SCATTER:
		plan_indexed(x, f);
		return true;
	case FAMILY_MASKED_SCATTER:
		s = any_shape(x, 1);
		add_float(x, s);
		add(x, DTYPE_BOOL, s, 0, 1);
		add_float(x, vector_of(choice_between(x->c, 1, 3 * EXTENT)));
		return true;
	case FAMILY_MATMUL:
		plan_matrices(x);
		return true;
	default:
		return false;
	}
}

bool lab_is_drawn_alone(const struct lab *l, enum op op)
{
	struct choice c = choice_seeded(0);
	struct alone x = {.c = &c, .op = op};

	return !lab_batched(l) && op_table[op].dtypes & MASK_FLOAT && plan(&x);
}

/* ---- numbers ---- */

enum style { STYLE_POSITIVE, STYLE_SIGNED, STYLE_INSIDE_ONE, STYLE_INTEGERS, STYLE_ONE_ZERO, STYLE_LARGE, STYLES };

/* The styles of an op, inside its domain: nothing is decided at its end. */
static const int *style_weights(enum op op)
{
	static const int any[STYLES] = {25, 30, 10, 15, 10, 10}, positive[STYLES] = {100},
	                 inside_one[STYLES] = {[STYLE_INSIDE_ONE] = 100}, not_zero[STYLES] = {30, 40, 15, 0, 0, 15};

	switch (op_table[op].domain) {
	case DOMAIN_POSITIVE:
	case DOMAIN_ABOVE_MINUS_ONE:
	case DOMAIN_ABOVE_ONE:
		return positive;
	case DOMAIN_INSIDE_ONE:
		return inside_one;
	case DOMAIN_SECOND_NONZERO:
		return not_zero;
	default:
		return any;
	}
}

static double number(struct choice *c, enum style s)
{
	const double sign = choice_percent(c, 50) ? -1 : 1;

	switch (s) {
	case STYLE_SIGNED:
		return sign * choice_between(c, 1, 4 * UNIT) / UNIT;
	case STYLE_INSIDE_ONE:
		return sign * choice_between(c, 1, UNIT - 1) / UNIT;
	case STYLE_INTEGERS:
		return choice_between(c, -3, 3);
	case STYLE_LARGE:
		return sign * choice_between(c, 3 * UNIT, 20 * UNIT) / UNIT;
	default:
		return (double)choice_between(c, 1, 4 * UNIT) / UNIT;
	}
}

static struct tensor fill(struct alone *x, int k)
{
	struct tensor t = tensor_new(&x->lab->scratch, &x->type[k]);
	const enum style s = (enum style)choice_weighted(x->c, style_weights(x->op), STYLES);
	const int n = shape_elements(&t.type.shape);

	for (int i = 0; i < n; i++)
		if (dtype_is_float(t.type.dtype))
			edit_round(t.type.dtype, number(x->c, s), &t.at[i]);
		else
			t.at[i].i = choice_between(x->c, x->low[k], x->high[k]);
	if (s == STYLE_ONE_ZERO && n && dtype_is_float(t.type.dtype))
		t.at[choice_below(x->c, n)].f = 0;
	return t;
}

/* Lets seeds be generic.  Those of one hide what is moved. */
static void fill_seeds(struct testcase *c, struct choice *choice)
{
	for (int t = 0; t < c->n_transform; t++)
		for (int k = 0; k < c->transform[t].n_seed; k++) {
			struct tensor *s = &c->transform[t].seed[k];

			for (int i = 0, n = shape_elements(&s->type.shape); i < n && dtype_is_float(s->type.dtype); i++)
				edit_round(s->type.dtype, number(choice, STYLE_SIGNED), &s->at[i]);
		}
}

/* ---- the case ---- */

/* All floats, or some of them. */
static int differentiated(const struct alone *x, int *wrt)
{
	const bool all = choice_percent(x->c, 60);
	int n = 0, last = 0;

	for (int k = 0; k < x->n; k++) {
		if (!dtype_is_float(x->type[k].dtype))
			continue;
		last = k;
		if (all || choice_percent(x->c, 50))
			wrt[n++] = k;
	}
	if (!n)
		wrt[n++] = last;
	return n;
}

/* Whether the typical case has several nodes of the op.  Then another one may have a part in it. */
static bool has_several(const struct lab *l, enum op op)
{
	int n = 0;

	for (struct walk w = walk_nodes(&l->typical->program.top); walk_next(&w);)
		n += w.node->op == op;
	return n > 1;
}

/* Adds a second node of the op: on the result of the first, or on the same operands. */
static void add_second(struct alone *x, struct edit *e, const int *arg, int value)
{
	struct region *top = &e->c.program.top;
	const bool chain = choice_percent(x->c, 60);
	const int n = x->n, swapped[] = {arg[1], arg[0]};
	const struct shape s = edit_type(e, chain ? value : arg[0])->shape;
	int second;

	if (n == 2 && !op_table[x->op].attrs) {
		second = edit_append(e, top, x->op, swapped, n, NULL);
	} else {
		x->n = 0;
		x->attrs = (struct attrs){0};
		x->given = &s;
		if (!plan(x) || x->n != 1)
			return;
		second = edit_append(e, top, x->op, chain ? &value : arg, 1, &x->attrs);
	}
	if (second >= 0)
		top->result[chain && n == 1 ? 0 : top->n_result++] = second;
}

/* Draws program number k of the op alone.  operand: the one that is differentiated; -1: some.  In l->work. */
static bool draw_alone(struct lab *l, enum op op, int operand, int k, struct edit *e)
{
	struct choice c = choice_seeded(
	    seed_mix(seed_mix(testcase_hash(l->base), (uint64_t)op), (uint64_t)k + 0x616c6f6e65));
	struct alone x = {.lab = l, .c = &c, .op = op, .dtype = lab_dtype(l)};
	struct tensor in[OPERANDS];
	int arg[OPERANDS] = {0}, wrt[OPERANDS], value, n_wrt = 1;

	if (!lab_is_drawn_alone(l, op) || !plan(&x) ||
	    (operand >= 0 && (operand >= x.n || !dtype_is_float(x.type[operand].dtype))))
		return false;
	arena_reset(&l->scratch);
	for (int i = 0; i < x.n; i++)
		in[i] = fill(&x, i);
	*e = lab_fresh(l, in, x.n);
	for (int i = 0; i < x.n; i++)
		arg[i] = e->c.program.top.param + i;
	value = edit_append(e, &e->c.program.top, op, arg, x.n, &x.attrs);
	if (value < 0)
		return false;
	e->c.program.top.result[0] = value;
	e->c.program.top.n_result = 1;
	if (operand < 0)
		n_wrt = differentiated(&x, wrt);
	else
		wrt[0] = operand;
	if (has_several(l, op) && choice_percent(&c, 60))
		add_second(&x, e, arg, value);
	lab_take_request(l, e, wrt, n_wrt);
	if (!edit_finish(e, true))
		return false;
	fill_seeds(&e->c, &c);
	return bench_knows(l->bench, &e->c, &l->scratch);
}

bool lab_draw_alone(struct lab *l, enum op op, int k, struct testcase *out)
{
	struct edit e;

	if (!draw_alone(l, op, -1, k, &e))
		return false;
	arena_reset(&l->scratch);
	*out = testcase_copy(&e.c, &l->scratch);
	return true;
}

/* ---- the experiment ---- */

enum {
	OPS = 2,    /* to blame, at most */
	TRIED = 80, /* programs for an operand, until so many fail: */
	FAILING = 4,
	DRAWS = 4 * TRIED
};

static void try_operand(struct lab *l, const struct use *u)
{
	int tried = 0, fails = 0;
	struct edit e;

	for (int k = 0; k < DRAWS && tried < TRIED && fails < FAILING && !lab_time_over(l); k++) {
		const struct variant_row *row = NULL;

		if (draw_alone(l, u->op, u->operand, k, &e))
			row = lab_try(l, &e, (const char *const[]){u->name, LAB_TEXT(l, "%d", k)});
		tried += row != NULL;
		fails += row && row_fails(row, NULL);
	}
}

/* Whether an earlier use has the name. */
static bool named_before(const struct use *use, int i)
{
	for (int k = 0; k < i; k++)
		if (!strcmp(use[k].name, use[i].name))
			return true;
	return false;
}

void experiment_alone(struct lab *l)
{
	enum op blamed[LAB_USES];
	struct use use[LAB_USES];
	const int n = lab_uses(l, use), n_op = lab_kills(l) ? 0 : lab_blamed_ops(l, blamed);

	lab_columns(l, (const char *const[]){"differentiated", "draw"}, 2);
	l->strict = true;
	for (int i = 0; i < n_op && i < OPS; i++)
		for (int k = 0; k < n; k++)
			if (use[k].op == blamed[i] && use[k].operand >= 0 && !named_before(use, k))
				try_operand(l, &use[k]);
	l->strict = false;
}

bool lab_fails_alone(const struct lab *l, const struct use *u)
{
	const struct variant_table *t = lab_find(l, "alone");
	bool fails = false;

	for (int i = 0; t && i < t->n_row; i++)
		fails |= row_fails(&t->row[i], NULL) && !strcmp(t->row[i].cell[0], u->name);
	return fails;
}
