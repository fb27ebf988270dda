/* ops.c: experiments with other ops, other operands and guarded functions. */
#include <string.h>

#include "graph/walk.h"
#include "fuzz/edit/formula.h"
#include "lab_edit.h"

/* Makes the program `text` over named inputs, and differentiates those in wrt.  False if the dtype does not fit. */
static bool program_of(struct lab *l, struct edit *e, const char *text, const char *const *name,
    const struct tensor *input, int n, const int *wrt, int n_wrt, enum transform_kind kind)
{
	struct text_name names[LIMIT_ARGS];

	*e = lab_fresh(l, input, n);
	for (int i = 0; i < n; i++)
		names[i] = (struct text_name){name[i], e->c.program.top.param + i};
	if (!formula_build(e, &e->c.program.top, text, names, n, lab_dtype(l), &e->c.program.top.result[0]))
		return false;
	e->c.program.top.n_result = 1;
	lab_request(e, kind, wrt, n_wrt);
	return true;
}

/* ---- branches ---- */

static void try_branch(struct lab *l, const char *text, const struct tensor *x, int n, const char *point)
{
	static const char *const names[] = {"x", "y"};
	struct edit e;

	if (program_of(l, &e, text, names, x, n, (const int[]){0}, 1, lab_kind(l)))
		lab_try(l, &e, (const char *const[]){text, point});
}

/* Guarded functions as people write them.  The function behind the guard ends its domain near the point, or another
 * function takes over there.  experiment_branches also guards every float op of one operand. */
static const char *const guarded[] = {"where(x > 0, 1 / x, 1)", "where(x > 0, log(x), -100)",
    "where(x < -1, 999, x * x)", "where(x < 0, x * x, sqrt(x))"};

void experiment_branches(struct lab *l)
{
	static const double points[] = {0, -1, 1, 4, 3}, mixed[] = {-1, 0, 1, 4}, equal[] = {1, 2, 3};
	const enum dtype d = lab_dtype(l);
	struct tensor vector = lab_vector(l, d, mixed, 4),
	              pair[2] = {lab_vector(l, d, equal, 3), lab_vector(l, d, equal, 3)};

	lab_columns(l, (const char *const[]){"program", "x"}, 2);
	if (!lab_has_family(l, FAMILY_SELECT) && !lab_has_family(l, FAMILY_COND) &&
	    l->finding.verdict != VERDICT_NAN_LEAK)
		return;
	for (int op = 0; op < OP_COUNT; op++) {
		const struct op_info *o = &op_table[op];
		const char *text = LAB_TEXT(l, "where(x > 0, %s(x), 0)", o->name);

		if (o->family != FAMILY_UNARY || !(o->dtypes & MASK_FLOAT) ||
		    (o->domain == DOMAIN_ALL && op != OP_SQUARE))
			continue;
		for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
			struct tensor x = lab_scalar(l, d, points[k]);

			try_branch(l, text, &x, 1, lab_number(l, points[k]));
		}
		try_branch(l, text, &vector, 1, "[-1, 0, 1, 4]");
	}
	for (size_t g = 0; g < sizeof guarded / sizeof *guarded; g++) {
		for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
			struct tensor x = lab_scalar(l, d, points[k]);

			try_branch(l, guarded[g], &x, 1, lab_number(l, points[k]));
		}
		try_branch(l, guarded[g], &vector, 1, "[-1, 0, 1, 4]");
	}
	try_branch(l, "where(sum((x - y)^2) > 0, sqrt(sum((x - y)^2)), 0)", pair, 2, "x = y = [1, 2, 3]");
}

/* ---- operands ---- */

enum { OPERANDS = 3 };

/* A value that suits operand i of an op, of any dtype: inside the domain, without ties. */
static struct tensor operand(struct lab *l, enum op op, int which)
{
	static const double values[OPERANDS] = {0.75, 2, 3};
	struct tensor t = lab_scalar(l, lab_dtype(l), values[which]);

	if (op_table[op].family == FAMILY_SELECT && !which)
		t.type.dtype = DTYPE_BOOL;
	else if (!(op_table[op].dtypes & MASK_FLOAT))
		t.type.dtype = (op_table[op].dtypes & MASK_INT) ? DTYPE_I64 : DTYPE_BOOL;
	if (!dtype_is_float(t.type.dtype))
		t.at[0].i = t.type.dtype == DTYPE_BOOL ? which == 1 : which + 1;
	return t;
}

/* The operands of masked_scatter, vectors of length 3: the tensor, the mask and the source. */
static void masked_operands(struct lab *l, struct tensor *input)
{
	static const double x[] = {0.5, 1.5, 2.5}, s[] = {4, 5, 6};
	struct type mask = {DTYPE_BOOL, {1, {3}}};

	input[0] = lab_vector(l, lab_dtype(l), x, 3);
	input[1] = tensor_new(l->arena, &mask);
	input[1].at[0].i = input[1].at[2].i = 1;
	input[2] = lab_vector(l, lab_dtype(l), s, 3);
}

/* Judges a program of this op alone.  The operands in `traced` are inputs, the others constants. */
static void try_operands(struct lab *l, enum op op, unsigned traced, enum transform_kind kind)
{
	static const char *const names[OPERANDS] = {"a", "b", "c"};
	struct tensor input[OPERANDS] = {0}, given[OPERANDS];
	int wrt[OPERANDS], arg[OPERANDS], n_wrt = 0, n = op_table[op].n_arg;
	const char *text = "";
	struct node node = {.op = op, .n_arg = n, .n_out = 1};
	struct region *top;
	struct edit e;

	for (int i = 0; i < n; i++)
		input[i] = operand(l, op, i);
	if (op_table[op].family == FAMILY_MASKED_SCATTER)
		masked_operands(l, input);
	if (op == OP_CLAMP) /* inside its bounds */
		input[0].at[0].f = 2.5;
	for (int i = 0; i < n; i++)
		if (traced >> i & 1)
			given[n_wrt++] = input[i];
	e = lab_fresh(l, given, n_wrt);
	top = &e.c.program.top;
	for (int i = 0, k = 0; i < n; i++) {
		arg[i] = traced >> i & 1 ? top->param + k : edit_insert_constant(&e, top, top->n_node, &input[i]);
		if (traced >> i & 1) {
			wrt[k] = k;
			k++;
			text = LAB_TEXT(l, "%s%s%s", text, *text ? ", " : "", names[i]);
		}
	}
	node.arg = arena_copy(e.arena, arg, (size_t)n, sizeof *arg);
	node.out = edit_new_values(&e, &input[n - 1].type, 1);
	edit_insert_node(&e, top, top->n_node, &node);
	top->result[0] = node.out;
	top->n_result = 1;
	lab_request(&e, kind, wrt, n_wrt);
	lab_try(l, &e, (const char *const[]){op_table[op].name, text, transform_names[kind]});
}

static bool takes_operands(enum op op)
{
	enum family f = op_table[op].family;

	return f == FAMILY_BINARY || f == FAMILY_SELECT || f == FAMILY_CLAMP || f == FAMILY_MASKED_SCATTER;
}

void experiment_operands(struct lab *l)
{
	const struct engine_kind *kind = engine_kind(l->bench->engine[0]);
	bool any = false;

	lab_columns(l, (const char *const[]){"op", "differentiated", "request"}, 3);
	for (int op = 0; op < OP_COUNT; op++)
		any = any ||
		    (takes_operands((enum op)op) && lab_has_family(l, op_table[op].family) &&
		        region_has_op(&l->base->program.top, (enum op)op));
	if (!any)
		return;
	for (int op = 0; op < OP_COUNT; op++)
		for (unsigned traced = 1; takes_operands((enum op)op) && traced < 1u << op_table[op].n_arg; traced++) {
			if (kind->jvp)
				try_operands(l, (enum op)op, traced, TRANSFORM_JVP);
			if (kind->vjp)
				try_operands(l, (enum op)op, traced, TRANSFORM_VJP);
		}
}

/* ---- ops ---- */

enum { OPS_NODES = 4 };

void experiment_ops(struct lab *l)
{
	struct site s;
	int nodes = 0;

	lab_columns(l, (const char *const[]){"node", "was", "op"}, 3);
	for (int k = 0; nodes < OPS_NODES; k++) {
		struct edit e = lab_edit(l);
		enum op was;

		if (!edit_site(&e, k, &s))
			return;
		was = s.node->op;
		if (was == OP_CONSTANT || s.node->n_region)
			continue;
		nodes++;
		for (int op = 0; op < OP_COUNT; op++) {
			const struct op_info *o = &op_table[op];

			if (o->family != op_table[was].family || o->n_arg != op_table[was].n_arg ||
			    o->attrs != op_table[was].attrs)
				continue;
			e = lab_edit(l);
			edit_site(&e, k, &s);
			s.node->op = (enum op)op;
			lab_try(l, &e, (const char *const[]){LAB_TEXT(l, "%d", k), op_table[was].name, o->name});
		}
	}
}
