/* special.c: an op alone, at every combination of the values in special.def. */
#include "deep.h"

#include <math.h>

#include "fuzz/edit/fit.h"

#define VALUES(...) \
	{ \
		sizeof((double[]){__VA_ARGS__}) / sizeof(double), { __VA_ARGS__ } \
	}
#define NONE \
	{ \
		0, { 0 } \
	}

static const struct special_values rows[OP_COUNT][SPECIAL_OPERANDS] = {
#define SPECIAL(op, first, second, third) [OP_##op] = {first, second, third},
#include "special.def"
#undef SPECIAL
};

const struct special_values *special_row(enum op op) { return rows[op][0].n ? rows[op] : NULL; }

/*
 * The forms of an elementwise op, by its number of operands; a letter for each operand.  v: a variable.  c: a constant
 * of the program.  p: a passive input, which is not in wrt.  A digit: the input of that operand.  w: as v, a wide row
 * of equal elements, which engines compute by other code.
 */
enum { MOST_FORMS = 12, WIDE = 9 };
static const char *const forms[SPECIAL_OPERANDS + 1][MOST_FORMS] = {
    [1] = {"v", "w"},
    [2] = {"vv", "vc", "cv", "vp", "pv", "v0"},
    [3] = {"vvv", "vcc", "cvc", "ccv", "vpp", "pvp", "ppv", "v00", "v0v", "vv0", "vv1"},
};

/* The shape of the cases of an op. */
struct special_layout {
	const struct special_values *row;
	int n_operand, n_form;
	int elements; /* of each operand; 0: each is a scalar */
	bool indexed; /* a scatter: forms differ in their indices */
};

static struct special_layout layout_of(enum op op)
{
	struct special_layout l = {.row = special_row(op), .n_form = 1};

	while (l.row && l.n_operand < SPECIAL_OPERANDS && l.row[l.n_operand].n)
		l.n_operand++;
	switch (op_table[op].family) {
	case FAMILY_REDUCE:
	case FAMILY_CUMULATIVE:
	case FAMILY_SORT:
		l.elements = 3;
		break;
	case FAMILY_MATMUL:
		l.elements = 2;
		break;
	case FAMILY_SCATTER:
		l.elements = 2;
		l.indexed = true;
		l.n_form = 2;
		break;
	default:
		for (l.n_form = 0; l.n_form < MOST_FORMS && forms[l.n_operand][l.n_form];)
			l.n_form++;
	}
	return l;
}

/* The letter of an operand. */
static char role_in_form(const struct special_layout *l, int form, int operand)
{
	return l->elements ? 'v' : forms[l->n_operand][form][operand];
}

static bool is_variable(char role) { return role == 'v' || role == 'w'; }
static bool is_shared(char role) { return role >= '0' && role <= '9'; }

static struct tensor widened(const struct tensor *x, struct arena *a)
{
	struct type t = {.dtype = x->type.dtype, .shape = {.rank = 1, .extent = {WIDE}}};

	return fit_tensor(a, x, &t);
}

/* Takes the values of an operand from the number *k of the combination. */
static struct tensor operand_value(const struct special_layout *l, int operand, enum dtype d, int *k, struct arena *a)
{
	const struct special_values *values = &l->row[operand];
	struct type t = {.dtype = d, .shape = shape_scalar()};
	struct tensor x;

	if (l->elements)
		t.shape = (struct shape){.rank = 1, .extent = {l->elements}};
	x = tensor_new(a, &t);
	for (int i = 0; i < shape_elements(&t.shape); i++) {
		x.at[i].f = dtype_round(d, values->at[*k % values->n]);
		*k /= values->n;
	}
	return x;
}

/* The value of an index operand: positions 1, 0, or twice position 1. */
static int index_operand(struct builder *b, int form, struct arena *a)
{
	struct type t = {.dtype = DTYPE_I64, .shape = {.rank = 1, .extent = {2}}};
	struct tensor x = tensor_new(a, &t);

	x.at[0].i = 1;
	x.at[1].i = form;
	return build_constant(b, &x);
}

struct special_seeds {
	struct arena *arena;
	int n; /* elements so far */
};

/* Neighbours differ, so that a swap of two shows. */
static struct tensor next_seed(void *context, const struct type *t)
{
	static const double usual[] = {1, 0.5, 2, -1};
	struct special_seeds *s = context;
	struct tensor seed = tensor_new(s->arena, t);

	for (int i = 0; dtype_is_float(t->dtype) && i < shape_elements(&t->shape); i++)
		seed.at[i].f = usual[s->n++ % 4];
	return seed;
}

/* Every level is by the same inputs; a batch is over all inputs. */
static void ask(struct testcase *c, const struct conform_column *column, const int *wrt, int n_wrt, struct arena *a)
{
	const int n_input = c->program.top.n_param;
	int *all = NEW(a, int, n_input);

	for (int i = 0; i < n_input; i++)
		all[i] = i;
	c->n_transform = column->n_stack;
	c->transform = NEW(a, struct transform, column->n_stack + 1);
	for (int k = 0; k < column->n_stack; k++) {
		const bool batch = column->stack[k] == TRANSFORM_BATCH;

		c->transform[k] = (struct transform){.kind = column->stack[k], .size = batch ? 2 : 0};
		c->transform[k].n_wrt = batch ? n_input : n_wrt;
		c->transform[k].wrt = batch ? all : arena_copy(a, wrt, (size_t)n_wrt, sizeof *wrt);
	}
}

/* The program in *c and its point; returns how many inputs are variables, wrt[]. */
static int make_program(const struct special_layout *l, enum op op, int form, const struct tensor *value,
    struct arena *a, struct testcase *c, int wrt[SPECIAL_OPERANDS])
{
	struct builder b = {0};
	struct attrs attrs = {0};
	int arg[SPECIAL_OPERANDS + 1], n_wrt = 0, n_input = 0, out;

	build_begin(&b, a);
	c->point[0] = NEW(a, struct tensor, SPECIAL_OPERANDS);
	for (int i = 0; i < l->n_operand; i++) {
		const char role = role_in_form(l, form, i);

		if (!is_variable(role) && role != 'p')
			continue;
		if (is_variable(role))
			wrt[n_wrt++] = n_input;
		c->point[0][n_input] = role == 'w' ? widened(&value[i], a) : value[i];
		arg[i] = build_input(&b, &c->point[0][n_input++].type);
	}
	for (int i = 0; i < l->n_operand; i++) {
		const char role = role_in_form(l, form, i);

		if (role == 'c')
			arg[i] = build_constant(&b, &value[i]);
		else if (is_shared(role))
			arg[i] = arg[role - '0'];
	}
	if (l->indexed) {
		arg[2] = arg[1];
		arg[1] = index_operand(&b, form, a);
	}
	if (op_table[op].family == FAMILY_REDUCE)
		attrs.n_axes = 1;
	out = build_node(&b, op, arg, l->n_operand + l->indexed, &attrs, NULL);
	if (out < 0)
		return 0;
	c->program = build_end(&b, &out, 1);
	return n_wrt;
}

enum edit_result special_case(
    enum op op, const struct conform_column *column, int k, struct arena *a, struct testcase *out, int *form)
{
	const struct special_layout l = layout_of(op);
	struct special_seeds seeds = {a, 0};
	struct tensor value[SPECIAL_OPERANDS];
	int wrt[SPECIAL_OPERANDS], n_wrt, at = k;

	for (int i = 0; i < l.n_operand; i++)
		value[i] = operand_value(&l, i, column->dtype, &at, a);
	if (!l.n_operand || at >= l.n_form)
		return EDIT_END;
	*form = at;
	for (int i = 1; i < l.n_operand; i++)
		if (is_shared(role_in_form(&l, *form, i)) &&
		    bits_of(value[i].at[0].f) != bits_of(dtype_round(column->dtype, l.row[i].at[0])))
			return EDIT_SKIP; /* it is not read: one of its values stands for all */
	*out = (struct testcase){.n_point = 1, .point = NEW(a, struct tensor *, 1)};
	n_wrt = make_program(&l, op, *form, value, a, out, wrt);
	if (!n_wrt)
		return EDIT_SKIP;
	ask(out, column, wrt, n_wrt, a);
	return fit_case(out, next_seed, &seeds, a) && testcase_check(out, &(struct error){0}) ? EDIT_TRY : EDIT_SKIP;
}
