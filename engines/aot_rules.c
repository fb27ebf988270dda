/* aot_rules.c: the table of `aot`, its texts as nodes of the program, and the rules of ops that are elementwise or linear. */
#include <stdlib.h>
#include <string.h>

#include "aot_parts.h"

static int all_that_ran(struct aot *x, int count)
{
	(void)x;
	return count;
}

static void leave_constant(struct aot *x, const struct node *node)
{
	(void)x, (void)node;
}

static int the_value(struct aot *x, int value)
{
	(void)x;
	return value;
}

static void keep_slots(struct aot *x, const struct node *node, int *contribution)
{
	(void)x, (void)node, (void)contribution;
}

const struct aot_rules aot_rules_right = {
	.row =
	    {
#define AOT(op, push, pull, a, b, c) [OP_##op] = {aot_push_##push, aot_pull_##pull, {a, b, c}, 1, 0},
#define AOT_NONE(op)
#define AOT_REGION(op)
#include "aot_rules.def"
#undef AOT
#undef AOT_NONE
#undef AOT_REGION
	    },
	.product = aot_product,
	.running_term = aot_product,
	.reversed = all_that_ran,
	.capture = leave_constant,
	.rule_reads = the_value,
	.slots = keep_slots,
	.guard = aot_guard,
	.gather = aot_gather,
};

/* ---- texts: recursive descent that emits while it reads; a text that is wrong is a mistake in the table ---- */

struct reader {
	struct aot *x;
	const char *at;
	int value['z' + 1]; /* of the names of one letter; -1: none */
};

static int read_sum(struct reader *r);

static bool take(struct reader *r, char c)
{
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static void expect(struct reader *r, char c)
{
	if (!take(r, c))
		aot_fail(r->x, "aot: a text of the rule table cannot be read");
}

static int read_number(struct reader *r)
{
	char *end;
	double number = strtod(r->at, &end);

	r->at = end;
	return aot_scalar(r->x, DTYPE_F64, number);
}

static int read_call(struct reader *r, const char *name, size_t len)
{
	char text[32] = "";
	int arg[3], n = 0, op = -1;

	if (len < sizeof text) {
		memcpy(text, name, len);
		op = op_find(text);
	}
	expect(r, '(');
	do {
		if (n == 3)
			expect(r, ')');
		arg[n++] = read_sum(r);
	} while (take(r, ','));
	expect(r, ')');
	if (op < 0)
		aot_fail(r->x, "aot: a text of the rule table names no op");
	return aot_emit(r->x, (enum op)op, arg, n, NULL);
}

static int read_factor(struct reader *r)
{
	const char *name = r->at;
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789");
	int value;

	if (take(r, '-'))
		return aot_op1(r->x, OP_NEG, read_factor(r));
	if (take(r, '(')) {
		value = read_sum(r);
		expect(r, ')');
		return value;
	}
	if (*name < 'a' || *name > 'z')
		return read_number(r);
	r->at += len;
	if (len > 1)
		return read_call(r, name, len);
	value = r->value[(int)*name];
	if (value < 0)
		aot_fail(r->x, "aot: a text of the rule table reads what is not there");
	return value;
}

static int read_product(struct reader *r)
{
	int value = read_factor(r);

	for (;;) {
		if (take(r, '*'))
			value = aot_op2(r->x, OP_MUL, value, read_factor(r));
		else if (take(r, '/'))
			value = aot_op2(r->x, OP_DIV, value, read_factor(r));
		else
			return value;
	}
}

static int read_sum(struct reader *r)
{
	int value = read_product(r);

	for (;;) {
		if (take(r, '+'))
			value = aot_op2(r->x, OP_ADD, value, read_product(r));
		else if (take(r, '-'))
			value = aot_op2(r->x, OP_SUB, value, read_product(r));
		else
			return value;
	}
}

int aot_partial(struct aot *x, const char *text, const int *wide, int n_arg)
{
	struct reader r = {.x = x, .at = text};
	int value;

	for (size_t i = 0; i < sizeof r.value / sizeof *r.value; i++)
		r.value[i] = -1;
	for (int i = 0; i < n_arg; i++)
		r.value['a' + i] = wide[i];
	if (r.at[0] && r.at[1] == '=') {
		char name = r.at[0];

		r.at += 2;
		r.value[(int)name] = read_sum(&r);
		expect(&r, ';');
	}
	value = read_sum(&r);
	expect(&r, '\0');
	return value;
}

/* The partial by operand k, f64, of a shape that broadcasts to the result's. */
static int emit_partial(struct aot *x, const struct node *node, const int *wide, int k)
{
	return aot_partial(x, x->rules->row[node->op].partial[k], wide, node->n_arg);
}

/* ---- elementwise ---- */

static void widen(struct aot *x, const struct node *node, const int *arg, int *wide)
{
	for (int k = 0; k < node->n_arg; k++)
		wide[k] = aot_wide(x, arg[k]);
}

int aot_push_partials(struct aot *x, const struct node *node, const int *arg, int out, const int *tangent)
{
	const struct type type = *aot_type(x, out);
	int wide[3], sum = -1;

	widen(x, node, arg, wide);
	for (int k = 0; k < node->n_arg; k++) {
		int term;

		if (tangent[k] < 0)
			continue;
		term = aot_strong(x, aot_wide(x, tangent[k]), emit_partial(x, node, wide, k));
		sum = sum < 0 ? term : aot_op2(x, OP_ADD, sum, term);
	}
	return aot_broadcast(x, aot_cast(x, sum, type.dtype), &type.shape);
}

void aot_pull_partials(
    struct aot *x, const struct node *node, const int *arg, int out, int cotangent, const bool *wanted, int *contribution)
{
	bool widened = false;
	int wide[3];

	(void)out;
	for (int k = 0; k < node->n_arg; k++) {
		const char *text = x->rules->row[node->op].partial[k];
		const struct type type = *aot_type(x, arg[k]);
		int full;

		if (!wanted[k])
			continue;
		if (!strcmp(text, "1")) {
			full = cotangent;
		} else if (!strcmp(text, "-1")) {
			full = aot_op1(x, OP_NEG, cotangent);
		} else {
			if (!widened)
				widen(x, node, arg, wide);
			widened = true;
			full = aot_strong(x, aot_wide(x, cotangent), emit_partial(x, node, wide, k));
		}
		contribution[k] = aot_cast(x, aot_sum_to(x, full, &type.shape), type.dtype);
	}
}

/* ---- linear ---- */

int aot_push_linear(struct aot *x, const struct node *node, const int *arg, int out, const int *tangent)
{
	int operand[LIMIT_ARGS];

	(void)out;
	for (int k = 0; k < node->n_arg; k++) {
		operand[k] = arg[k];
		if (tangent[k] >= 0)
			operand[k] = tangent[k];
		else if (dtype_is_float(aot_type(x, arg[k])->dtype))
			operand[k] = aot_zeros(x, aot_type(x, arg[k]));
	}
	return aot_emit(x, node->op, operand, node->n_arg, &node->attrs);
}

void aot_pull_select(
    struct aot *x, const struct node *node, const int *arg, int out, int cotangent, const bool *wanted, int *contribution)
{
	int zero = aot_scalar(x, aot_type(x, out)->dtype, 0);

	(void)node;
	for (int k = 1; k < 3; k++) {
		const struct shape s = aot_type(x, arg[k])->shape;
		int kept = k == 1 ? aot_op3(x, OP_SELECT, arg[0], cotangent, zero) :
				    aot_op3(x, OP_SELECT, arg[0], zero, cotangent);

		if (wanted[k])
			contribution[k] = aot_sum_to(x, kept, &s);
	}
}

void aot_pull_cast(
    struct aot *x, const struct node *node, const int *arg, int out, int cotangent, const bool *wanted, int *contribution)
{
	(void)node, (void)out;
	if (wanted[0])
		contribution[0] = aot_cast(x, cotangent, aot_type(x, arg[0])->dtype);
}
