/*
 * op.c: the derivative of one op as a program, for engines that differentiate ops one by one while they execute them.
 */
#include "parts.h"

/* Begins a program with the inputs of an op: operand k is value k, and the result comes after them. */
static struct aot *begin_op(const struct aot_op *of, struct node *plain, struct arena *a, struct error *e)
{
	struct aot *x = NEW(a, struct aot, 1);

	x->error = e;
	x->arena = a;
	x->rules = of->rules;
	x->above = of->above;
	x->below = of->below;
	build_begin(&x->b, a);
	for (int k = 0; k < of->node->n_arg; k++)
		build_input(&x->b, &of->arg[k]);
	build_input(&x->b, &of->out);
	*plain = *of->node;
	if (plain->op == OP_STORE)
		plain->op = OP_DYNAMIC_UPDATE_SLICE; /* the buffer is a tangent, which others may use too */
	return x;
}

static struct program end_op(struct aot *x, const int *result, int n_result)
{
	const struct program p = build_end(&x->b, result, n_result);

	return program_drop_dead(&p, x->arena);
}

static void number_operands(const struct node *node, int *arg)
{
	for (int k = 0; k < node->n_arg; k++)
		arg[k] = k;
}

bool aot_op_vjp(
    const struct aot_op *of, const bool *wanted, struct arena *a, struct program *out, int *operand, struct error *e)
{
	struct node plain;
	struct aot *x = begin_op(of, &plain, a, e);
	const struct aot_rule *rule = &of->rules->row[plain.op];
	int arg[LIMIT_ARGS], contribution[LIMIT_ARGS], result[LIMIT_ARGS], n = 0, cotangent;

	if (setjmp(x->fail))
		return false;
	number_operands(&plain, arg);
	for (int k = 0; k < plain.n_arg; k++)
		contribution[k] = -1;
	cotangent = build_input(&x->b, &of->out);
	if (rule->pull)
		rule->pull(x, &plain, arg, plain.n_arg, cotangent, wanted, contribution);
	for (int k = 0; k < plain.n_arg; k++)
		if (contribution[k] >= 0) {
			operand[n] = k;
			result[n++] = aot_scaled(x, contribution[k], rule->scale);
		}
	*out = end_op(x, result, n);
	return true;
}

bool aot_op_jvp(const struct aot_op *of, const bool *there, struct arena *a, struct program *out, struct error *e)
{
	struct node plain;
	struct aot *x = begin_op(of, &plain, a, e);
	const struct aot_rule *rule = &of->rules->row[plain.op];
	int arg[LIMIT_ARGS], tangent[LIMIT_ARGS], result = -1;

	if (setjmp(x->fail))
		return false;
	number_operands(&plain, arg);
	for (int k = 0; k < plain.n_arg; k++)
		tangent[k] = there[k] ? build_input(&x->b, &of->arg[k]) : -1;
	if (rule->push)
		result = aot_scaled(x, rule->push(x, &plain, arg, plain.n_arg, tangent), rule->scale);
	*out = end_op(x, &result, result >= 0);
	return true;
}

bool aot_rule_operand(
    const struct type *type, const struct aot_rules *rules, struct arena *a, struct program *out, struct error *e)
{
	struct aot *x = NEW(a, struct aot, 1);
	int value;

	x->error = e;
	x->arena = a;
	x->rules = rules;
	build_begin(&x->b, a);
	value = build_input(&x->b, type);
	if (setjmp(x->fail))
		return false;
	value = rules->rule_reads(x, value);
	*out = end_op(x, &value, 1);
	return true;
}
