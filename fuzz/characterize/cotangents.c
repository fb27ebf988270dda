/*
 * cotangents.c: the cotangents of the results of the ops to blame.  Zeros are added to each such result, and a right
 * engine differentiates with respect to the zeros.  Of a jvp, also the tangents of their operands.
 */
#include <math.h>
#include <string.h>

#include "fuzz/edit/operand_name.h"
#include "lab_edit.h"

/* Whether the result of a node of the top region is to be known. */
static bool is_asked(const struct lab *l, const struct testcase *c, const struct node *n)
{
	bool blamed = false;

	for (int i = 0; i < l->n_blamed; i++)
		blamed |= l->blamed[i].op == n->op;
	return blamed && n->n_out == 1 && !n->n_region && dtype_is_float(c->program.type[n->out].dtype);
}

static bool has_asked(const struct lab *l, const struct testcase *c)
{
	bool has = false;

	for (int i = 0; i < c->program.top.n_node; i++)
		has |= is_asked(l, c, &c->program.top.node[i]);
	return has;
}

bool lab_in_place(const struct lab *l, const struct testcase *c)
{
	return !l->n_blamed || !has_asked(l, l->typical) || has_asked(l, c);
}

/* Adds zeros, a new input, to the result of that node of the top region.  Returns the number of the input. */
static int add_zeros(struct edit *e, int index)
{
	struct region *top = &e->c.program.top;
	const int value = top->node[index].out;
	const struct tensor zeros = tensor_new(e->arena, edit_type(e, value));
	const int own = edit_add_input(e, &zeros, false);
	const int sum = edit_insert_binary(e, top, index + 1, OP_ADD, value, own, edit_type(e, value));

	edit_replace(e, value, sum);
	top->node[index + 1].arg[0] = value;
	return top->n_param - 1;
}

/* Sets the tangents of the operands of these nodes, if a right engine finds them. */
static void find_tangents(struct lab *l, const struct testcase *c, struct known_cotangents *out)
{
	struct edit e = {.arena = &l->scratch, .primal = l->primal, .c = testcase_copy(c, &l->scratch)};
	struct answer *answer = NEW(&l->scratch, struct answer, c->n_point);
	struct region *top = &e.c.program.top;
	int *result = NEW(&l->scratch, int, LIMIT_ARGS), n = 0, of[LIMIT_ARGS], operand[LIMIT_ARGS];

	for (int i = 0; i < out->n; i++)
		for (int k = 0; k < top->n_node; k++)
			for (int j = 0; top->node[k].out == out->of[i].value && j < top->node[k].n_arg; j++) {
				const int v = top->node[k].arg[j];

				if (n == LIMIT_ARGS || j >= SPAN_OPERANDS || !dtype_is_float(edit_type(&e, v)->dtype))
					continue;
				of[n] = i;
				operand[n] = j;
				result[n++] = v;
			}
	top->result = result;
	top->n_result = n;
	if (!n || !edit_finish(&e, false))
		return;
	engine_answer(l->forward, &e.c, &l->scratch, answer);
	for (int p = 0; p < c->n_point; p++)
		if (answer[p].status != ANSWER_OK || answer[p].n_derivative != n)
			return;
	for (int k = 0; k < n; k++) {
		struct tensor *at = NEW(&l->scratch, struct tensor, c->n_point);

		for (int p = 0; p < c->n_point; p++)
			at[p] = answer[p].derivative[k];
		out->of[of[k]].tangent[operand[k]] = at;
	}
}

/* Whether the derivative by operand k of the node is to blame. */
static bool blames_operand(struct lab *l, const struct node *n, int k)
{
	const char *role = arena_printf(&l->scratch, "%s of %s", operand_name(n, k, &l->scratch), op_table[n->op].name);

	for (int i = 0; i < l->n_blamed; i++)
		if (l->blamed[i].op == n->op && l->blamed[i].role && !strcmp(l->blamed[i].role, role))
			return true;
	return false;
}

/* The node of the top region with that result. */
static int index_of(const struct region *top, int value)
{
	int i = 0;

	while (i < top->n_node && top->node[i].out != value)
		i++;
	return i;
}

/* Sets what is due by the operands to blame of elementwise nodes.  Each gets zeros of the result's shape added. */
static void find_due(struct lab *l, const struct testcase *c, struct known_cotangents *out)
{
	struct edit e = {.arena = &l->scratch, .primal = l->primal, .c = testcase_copy(c, &l->scratch)};
	struct answer *answer = NEW(&l->scratch, struct answer, c->n_point);
	struct region *top = &e.c.program.top;
	int wrt[LIMIT_ARGS], of[LIMIT_ARGS], n = 0;

	for (int i = 0; i < out->n; i++) {
		const struct node *node = &top->node[index_of(top, out->of[i].value)];

		if (op_table[node->op].family != FAMILY_BINARY && op_table[node->op].family != FAMILY_CLAMP)
			continue;
		for (int k = 0; k < node->n_arg && top->n_param < LIMIT_ARGS; k++) {
			const int at = index_of(top, out->of[i].value);
			const struct type type = *edit_type(&e, out->of[i].value);
			const struct tensor zeros = tensor_new(e.arena, &type);
			int own;

			if (!blames_operand(l, &top->node[at], k))
				continue;
			own = edit_add_input(&e, &zeros, false);
			own = edit_insert_binary(&e, top, at, OP_ADD, top->node[at].arg[k], own, &type);
			top->node[at + 1].arg[k] = own;
			of[n] = i;
			wrt[n++] = top->n_param - 1;
			node = &top->node[index_of(top, out->of[i].value)];
		}
	}
	if (!out->seeded)
		e.c.transform[0] = (struct transform){.kind = TRANSFORM_VJP};
	lab_wrt(&e, wrt, n);
	if (!n || !edit_finish(&e, false))
		return;
	engine_answer(l->primal, &e.c, &l->scratch, answer);
	for (int p = 0; p < c->n_point; p++)
		if (answer[p].status != ANSWER_OK || answer[p].n_derivative != n)
			return;
	for (int k = 0; k < n; k++) {
		struct known_cotangent *to = &out->of[of[k]];
		struct tensor *due = NEW(&l->scratch, struct tensor, c->n_point);

		for (int p = 0; p < c->n_point; p++) {
			due[p] = answer[p].derivative[k];
			for (int i = 0; i < shape_elements(&due[p].type.shape); i++)
				due[p].at[i].f = (isfinite(due[p].at[i].f) ? fabs(due[p].at[i].f) : 0) +
				    (to->due ? to->due[p].at[i].f : 0);
		}
		to->due = due;
	}
}

const struct known_cotangents *lab_cotangents(struct lab *l, const struct testcase *c)
{
	struct known_cotangents *out = NEW(&l->scratch, struct known_cotangents, 1);
	struct edit e = {.arena = &l->scratch, .primal = l->primal, .c = testcase_copy(c, &l->scratch)};
	struct answer *answer = NEW(&l->scratch, struct answer, c->n_point);
	struct testcase alive;
	int wrt[KNOWN_COTANGENTS];

	if (c->n_transform != 1 || c->transform[0].kind == TRANSFORM_BATCH)
		return NULL;
	e.c.program = program_drop_dead(&e.c.program, &l->scratch); /* as facts_of numbers values */
	alive = testcase_copy(&e.c, &l->scratch);
	for (int i = e.c.program.top.n_node - 1; i >= 0 && out->n < KNOWN_COTANGENTS; i--) {
		if (!is_asked(l, &e.c, &e.c.program.top.node[i]) || e.c.program.top.n_param == LIMIT_ARGS)
			continue;
		out->of[out->n].value = e.c.program.top.node[i].out;
		wrt[out->n++] = add_zeros(&e, i);
	}
	out->seeded = c->transform[0].kind == TRANSFORM_VJP;
	if (!out->seeded)
		e.c.transform[0] = (struct transform){.kind = TRANSFORM_VJP};
	lab_wrt(&e, wrt, out->n);
	if (!out->n || !edit_finish(&e, false))
		return NULL;
	engine_answer(l->primal, &e.c, &l->scratch, answer);
	for (int k = 0; k < out->n; k++) {
		struct tensor *at = NEW(&l->scratch, struct tensor, c->n_point);

		for (int p = 0; p < c->n_point; p++) {
			if (answer[p].status != ANSWER_OK || answer[p].n_derivative != out->n)
				return NULL;
			at[p] = answer[p].derivative[k];
		}
		out->of[k].at = at;
	}
	if (!out->seeded)
		find_tangents(l, &alive, out);
	if (l->drops)
		find_due(l, &alive, out);
	return out;
}

struct measured_again {
	struct lab *lab;
	const struct testcase *c;
	int number;
};

static void measure_again(void *context)
{
	const struct measured_again *x = context;
	struct lab *l = x->lab;

	explanation_measure(l->explain, x->c, lab_cotangents(l, x->c), x->number, &l->scratch);
}

void lab_measure_again(struct lab *l)
{
	/* samples have no row, and are not kept: the first are the base, number -1, and the typical case, -2 */
	const int kept = l->samples < 2 ? l->samples : 2;

	for (int k = -kept; k < l->out->n_case; k++) {
		const struct testcase *c = k == -1 ? l->base : k < 0 ? l->typical : l->out->cases[k];

		arena_reset(&l->scratch);
		arena_try(&l->scratch, measure_again, &(struct measured_again){l, c, k});
	}
}
