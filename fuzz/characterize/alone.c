/*
 * alone.c: one op alone on inputs, with everything that it may have drawn: shapes, attributes, numbers, and what is
 * differentiated.  The generator draws programs that engines meet; here an op has its whole freedom.
 */
#include "alone.h"
#include "alone_region.h"

#include <string.h>

#include "fuzz/bench/draw.h"
#include "graph/walk.h"
#include "lab_edit.h"

enum { UNIT = 16 }; /* numbers are multiples of 1 / UNIT */

/* ---- numbers ---- */

enum number_style {
	STYLE_POSITIVE,
	STYLE_SIGNED,
	STYLE_INSIDE_ONE,
	STYLE_INTEGERS,
	STYLE_ONE_ZERO,
	STYLE_LARGE,
	STYLE_FEW,
	STYLES
};

/* The styles of an op, inside its domain: nothing is decided at its end. */
static const int *style_weights(enum op op)
{
	static const int any[STYLES] = {25, 30, 10, 12, 9, 8, 6}, positive[STYLES] = {100},
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

static double number(struct choice *c, enum number_style s)
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
	case STYLE_FEW:
		return choice_percent(c, 50) ? 1.5 : 0.75;
	default:
		return (double)choice_between(c, 1, 4 * UNIT) / UNIT;
	}
}

static struct tensor fill(struct alone *x, int k)
{
	struct tensor t = tensor_new(&x->lab->scratch, &x->type[k]);
	const enum number_style s = (enum number_style)choice_weighted(x->c, style_weights(x->op), STYLES);
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

bool lab_is_drawn_alone(const struct lab *l, enum op op)
{
	struct choice c = choice_seeded(0);
	struct alone x = {.c = &c, .op = op, .extent = ALONE_EXTENT};

	return !lab_batched(l) && (drawn_region_is_known(op) || (op_table[op].dtypes & MASK_FLOAT && alone_plan(&x)));
}

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
		if (!alone_plan(x) || x->n != 1)
			return;
		second = edit_append(e, top, x->op, chain ? &value : arg, 1, &x->attrs);
	}
	if (second >= 0)
		top->result[chain && n == 1 ? 0 : top->n_result++] = second;
}

/* How long axes are drawn: a little longer than those of the typical case, which may have to be so long to fail. */
static int extent_of(const struct lab *l)
{
	enum { EXTENT_MOST = 9 };
	const struct program *p = &l->typical->program;
	int most = 0;

	for (int v = 0; v < p->n_value; v++)
		for (int d = 0; d < p->type[v].shape.rank; d++)
			most = p->type[v].shape.extent[d] > most ? p->type[v].shape.extent[d] : most;
	if (most <= ALONE_EXTENT)
		return ALONE_EXTENT;
	return most < EXTENT_MOST ? most + 1 : EXTENT_MOST;
}

/* The same of an op without regions.  operand: the one that is differentiated; -1: some. */
static bool draw_plain(struct lab *l, enum op op, int operand, struct choice *c, struct edit *e, int *wrt, int *n_wrt)
{
	struct alone x = {.lab = l, .c = c, .op = op, .dtype = lab_dtype(l), .extent = extent_of(l)};
	enum alone_maker maker[ALONE_OPERANDS] = {MAKER_NONE};
	struct type type[ALONE_OPERANDS];
	struct tensor in[ALONE_OPERANDS];
	int arg[ALONE_OPERANDS] = {0}, value;
	bool others;

	if (!alone_plan(&x) || (operand >= 0 && (operand >= x.n || !dtype_is_float(x.type[operand].dtype))))
		return false;
	others = alone_needs_others(l, op) && choice_percent(c, 65);
	memcpy(type, x.type, sizeof type);
	for (int i = 0; i < x.n && others; i++)
		if (dtype_is_float(type[i].dtype))
			maker[i] = alone_plan_maker(c, &x.type[i]);
	arena_reset(&l->scratch);
	for (int i = 0; i < x.n; i++)
		in[i] = fill(&x, i);
	*e = lab_fresh(l, in, x.n);
	e->c.program.top.n_result = 1;
	for (int i = 0; i < x.n; i++) {
		arg[i] = alone_make(e, c, maker[i], &type[i], e->c.program.top.param + i);
		if (arg[i] < 0)
			return false;
		if (others)
			alone_read_before(e, c, arg[i]);
	}
	value = edit_append(e, &e->c.program.top, op, arg, x.n, &x.attrs);
	if (value < 0)
		return false;
	e->c.program.top.result[0] = value;
	if (others)
		alone_read_after(e, c, value, arg[choice_below(c, x.n)]);
	*n_wrt = 1;
	if (operand < 0)
		*n_wrt = differentiated(&x, wrt);
	else
		wrt[0] = operand;
	if (has_several(l, op) && choice_percent(c, 60))
		add_second(&x, e, arg, value);
	return true;
}

/* Whether a derivative passes through such an operand of the op, and through no other one or captured value of it. */
static bool passes_alone(struct lab *l, const struct testcase *c, const struct use *u)
{
	const struct facts *f = facts_of(c, &l->scratch);
	const char *suffix = strrchr(u->role, ' ');
	int passes = 0, others = 0;

	for (int i = 0; i < f->n_role; i++) {
		const char *own = strrchr(f->role[i], ' ');

		passes += !strcmp(f->role[i], u->role);
		others += strcmp(f->role[i], u->role) != 0 && own && !strcmp(own, suffix);
	}
	return passes && !others;
}

/* Draws program number k of the op alone.  u: the use of it that is differentiated; NULL: some.  In l->work. */
static bool draw_alone(struct lab *l, enum op op, const struct use *u, int k, struct edit *e)
{
	struct choice c = choice_seeded(
	    seed_mix(seed_mix(testcase_hash(l->base), (uint64_t)op), (uint64_t)k + 0x616c6f6e65));
	int wrt[DRAWN_INPUTS], n_wrt;

	if (!lab_is_drawn_alone(l, op) ||
	    !(drawn_region_is_known(op) ? alone_region(l, op, &c, e, wrt, &n_wrt)
	                                : draw_plain(l, op, u ? u->operand : -1, &c, e, wrt, &n_wrt)))
		return false;
	if (u && drawn_region_is_known(op))
		wrt[0] = wrt[choice_below(&c, n_wrt)];
	n_wrt = u ? 1 : n_wrt;
	lab_take_request(l, e, wrt, n_wrt);
	if (!edit_finish(e, true))
		return false;
	fill_seeds(&e->c, &c);
	arena_reset(&l->scratch);
	return bench_knows(l->bench, &e->c, &l->scratch) &&
	    !(u && drawn_region_is_known(op) && !passes_alone(l, &e->c, u));
}

bool lab_draw_alone(struct lab *l, enum op op, int k, struct testcase *out)
{
	struct edit e;

	if (!draw_alone(l, op, NULL, k, &e))
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

		if (draw_alone(l, u->op, u, k, &e))
			row = lab_try_now(l, &e, (const char *const[]){u->name, LAB_TEXT(l, "%d", k)});
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

/* Whether the use may be wrong in other programs.  Captured values have one role, and one that is wrong is enough. */
static bool is_tried(const struct lab *l, const struct use *u)
{
	bool blamed = false;

	if (!drawn_region_is_known(u->op))
		return u->operand >= 0;
	for (int i = 0; i < l->n_blamed; i++)
		blamed |= l->blamed[i].role && !strcmp(l->blamed[i].role, u->role);
	return u->top && !blamed;
}

void experiment_alone(struct lab *l)
{
	enum op blamed[LAB_USES];
	struct use use[LAB_USES];
	const int n = lab_uses(l, use), n_op = lab_kills(l) ? 0 : lab_blamed_ops(l, blamed);

	lab_columns(l, (const char *const[]){"differentiated", "draw"}, 2);
	l->strict = true;
	explanation_alone(l->explain, true);
	for (int i = 0; i < n_op && i < OPS; i++)
		for (int k = 0; k < n; k++)
			if (use[k].op == blamed[i] && is_tried(l, &use[k]) && !named_before(use, k))
				try_operand(l, &use[k]);
	explanation_alone(l->explain, false);
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
