/*
 * directions.c: a request of two or three levels, on small programs whose derivatives by any inputs are not 0.  One
 * direction of each level is not 0.  So the table says through which inputs and results each level is wrong, whatever
 * the operation.
 */
#include "directions.h"

#include <string.h>

#include "graph/walk.h"
#include "lab_edit.h"

const struct direction_form direction_forms[DIRECTION_FORMS] = {
    {"an operation alone", "input", 1, 1, false, false},
    {"an operation on a sum", "input", DIRECTION_INPUTS, 1, false, false},
    {"an operation on a sum, several results", "input", DIRECTION_INPUTS, DIRECTION_RESULTS, false, false},
    {"an operation of two operands", "operand", 2, 1, false, true},
    {"an operation on an operation", "input", DIRECTION_INPUTS, 1, true, false},
};

const double direction_weight[DIRECTION_INPUTS] = {1, 0.5, 2}, direction_scale[DIRECTION_RESULTS] = {1, 0.5, 4},
             direction_seed[DIRECTION_LEVELS] = {1.5, 0.625, 0.875};

/* ---- the programs ---- */

static bool is_in_base(const struct lab *l, enum op op) { return region_has_op(&l->base->program.top, op); }

/* Ops that are not in the smallest case come first: if they fail too, no op of it is to blame. */
int direction_ops(const struct lab *l, const struct direction_form *f, enum op out[DIRECTION_OPS])
{
	static const enum op unary[] = {OP_SIN, OP_EXP, OP_COS, OP_SINH}, binary[] = {OP_DIV, OP_ATAN2, OP_POW, OP_MUL};
	enum { LISTED = 4 };
	const enum op *list = f->binary ? binary : unary;
	const int most = f->binary ? DIRECTION_OPS : DIRECTION_OPS - 1;
	int n = 0;

	for (int in_base = 0; in_base < 2; in_base++)
		for (int i = 0; i < LISTED && n < most; i++)
			if (is_in_base(l, list[i]) == (in_base == 1))
				out[n++] = list[i];
	return n;
}

/* The value times a number, by an op that is not in the smallest case if there is one. */
static int scaled(struct lab *l, struct edit *e, int value, double by)
{
	struct region *top = &e->c.program.top;
	const bool divides = is_in_base(l, OP_MUL);
	const struct type type = *edit_type(e, value);
	const int number = by == 1 ? 0 : edit_insert_fill(e, top, top->n_node, &type, divides ? 1 / by : by);

	return by == 1 ? value : edit_append(e, top, divides ? OP_DIV : OP_MUL, (int[]){value, number}, 2, NULL);
}

/* The sum of all inputs, each times its weight. */
static int weighted_sum(struct lab *l, struct edit *e, int n)
{
	struct region *top = &e->c.program.top;
	const bool subtracts = is_in_base(l, OP_ADD);
	int sum = top->param;

	for (int i = 1; i < n && sum >= 0; i++) {
		const int term = scaled(l, e, top->param + i, subtracts ? -direction_weight[i] : direction_weight[i]);

		sum = term < 0 ? -1 : edit_append(e, top, subtracts ? OP_SUB : OP_ADD, (int[]){sum, term}, 2, NULL);
	}
	return sum;
}

/* Other points are other cases. */
static bool make_program(struct lab *l, const struct direction_form *f, enum op op, int point, struct edit *e)
{
	static const double at[DIRECTION_INPUTS] = {0.5, 0.25, 0.625};
	enum { POINTS = 16 };
	struct tensor in[DIRECTION_INPUTS];
	struct region *top;
	int value, wrt[DIRECTION_INPUTS];

	for (int i = 0; i < f->inputs; i++) {
		in[i] = lab_scalar(l, lab_dtype(l), at[i] + point % POINTS / 32.0);
		wrt[i] = i;
	}
	*e = lab_fresh(l, in, f->inputs);
	top = &e->c.program.top;
	if (f->binary) {
		value = edit_append(e, top, op, (int[]){top->param, top->param + 1}, 2, NULL);
	} else {
		value = weighted_sum(l, e, f->inputs);
		for (int i = 0; i < 1 + f->chain && value >= 0; i++)
			value = edit_append(e, top, op, &value, 1, NULL);
	}
	for (int k = 0; k < f->results && value >= 0; k++)
		if ((top->result[top->n_result++] = scaled(l, e, value, direction_scale[k])) < 0)
			return false;
	if (value >= 0)
		lab_take_request(l, e, wrt, f->inputs);
	return value >= 0;
}

/* ---- the requests ---- */

/* The seeds of a level: n scalars, which are 0 but for number k; -1: none is 0. */
static void set_seeds(struct edit *e, struct transform *t, enum dtype d, int n, int k, double x)
{
	const struct type type = {.dtype = d, .shape = shape_scalar()};

	t->n_seed = n;
	t->seed = NEW(e->arena, struct tensor, n);
	for (int i = 0; i < n; i++) {
		t->seed[i] = tensor_new(e->arena, &type);
		edit_round(d, k < 0 || i == k ? x : 0, &t->seed[i].at[0]);
	}
}

/* input[level]; -1: all of them.  result likewise. */
static void try_one(struct lab *l, const struct direction_form *f, enum op op, const int *input, int result, int point)
{
	const char *list = "";
	int n_out = f->results, selected = result;
	struct edit e;

	if (!make_program(l, f, op, point, &e))
		return;
	for (int t = 0; t < e.c.n_transform; t++) {
		const bool vjp = e.c.transform[t].kind == TRANSFORM_VJP;

		/* the outputs of a vjp are gradients: the next cotangent selects one, as it selects a result */
		set_seeds(&e, &e.c.transform[t], lab_dtype(l), vjp ? n_out : f->inputs, vjp ? selected : input[t],
		    direction_seed[t]);
		if (vjp) {
			n_out = f->inputs;
			selected = input[t];
		}
		list = input[t] < 0 ? DIRECTION_ALL : LAB_TEXT(l, "%s%s%d", list, t ? ", " : "", input[t]);
	}
	l->focus = selected;
	lab_try(l, &e,
	    (const char *const[]){
	        f->name, op_table[op].name, list, result < 0 ? DIRECTION_ALL : LAB_TEXT(l, "%d", result)});
	l->focus = -1;
}

static void try_form(struct lab *l, const struct direction_form *f, enum op op)
{
	static const int all[DIRECTION_LEVELS] = {-1, -1, -1};
	const int levels = l->base->n_transform;
	int choices = f->results, point = 0;

	for (int t = 0; t < levels; t++)
		choices *= f->inputs;
	for (int k = 0; k < choices; k++) {
		int input[DIRECTION_LEVELS], rest = k / f->results;

		for (int t = levels - 1; t >= 0; t--, rest /= f->inputs)
			input[t] = rest % f->inputs;
		try_one(l, f, op, input, k % f->results, point++);
	}
	try_one(l, f, op, all, f->results > 1 ? -1 : 0, point);
}

void experiment_directions(struct lab *l)
{
	const int levels = l->base->n_transform;

	lab_columns(l, (const char *const[]){"program", "op", "inputs", "result"}, DIRECTION_COLUMNS);
	if (levels < 2 || levels > DIRECTION_LEVELS || lab_batched(l) || lab_kills(l))
		return;
	l->apart = true;
	for (int f = 0; f < DIRECTION_FORMS; f++) {
		enum op op[DIRECTION_OPS];
		const int n = direction_ops(l, &direction_forms[f], op);

		for (int i = 0; i < n; i++)
			try_form(l, &direction_forms[f], op[i]);
	}
	l->apart = false;
}
