/* nested.h: the derivative that a case asks for as the value of a program: its program as the region of an op
 * derivative. */
#ifndef TESTS_NESTED_H
#define TESTS_NESTED_H

#include "graph/testcase.h"

static inline void nest_rename(struct arena *a, struct region *r, const int *to)
{
	for (int i = 0; i < r->n_node; i++) {
		for (int k = 0; k < r->node[i].n_arg; k++)
			r->node[i].arg[k] = to[r->node[i].arg[k]];
		for (int k = 0; k < r->node[i].n_region; k++)
			nest_rename(a, &r->node[i].region[k], to);
	}
	for (int k = 0; k < r->n_result; k++)
		r->result[k] = to[r->result[k]];
}

/*
 * The derivative of c->transform[0] (jvp or vjp) of c->program as a program: inputs as they were, of which those in wrt
 * become parameters of a derivative region and the others are captured by it; the seeds are constants.  Results:
 * tangents of the float results, or cotangents of the float inputs in wrt.  False where op derivative has no room for
 * the operands, or there is nothing to derive.
 */
static inline bool nest_program(const struct testcase *c, struct arena *a, struct program *out)
{
	const struct transform *t = &c->transform[0];
	const struct program old = program_copy(&c->program, a);
	int n_in = old.top.n_param, n_param = 0, n_constant = 0, n_out = 0, room = old.n_value + 4 * LIMIT_ARGS,
	    next = old.n_value;
	int *to = NEW(a, int, room), param[LIMIT_ARGS];
	struct program p = {.type = NEW(a, struct type, room)};
	struct node derivative = {
	    .op = OP_DERIVATIVE, .n_region = 1, .region = NEW(a, struct region, 1), .arg = NEW(a, int, 2 * LIMIT_ARGS)};
	struct region *region = &derivative.region[0];

	for (int v = 0; v < old.n_value; v++) {
		to[v] = v;
		p.type[v] = old.type[v];
	}
	for (int k = 0; k < t->n_wrt; k++)
		if (dtype_is_float(old.type[old.top.param + t->wrt[k]].dtype))
			param[n_param++] = old.top.param + t->wrt[k];
	p.top = (struct region){.n_param = n_in, .param = old.top.param, .node = NEW(a, struct node, LIMIT_ARGS + 1)};
	*region = old.top;
	region->param = next;
	region->n_param = n_param;
	for (int k = 0; k < n_param; k++) {
		to[param[k]] = next;
		p.type[next++] = old.type[param[k]];
		derivative.arg[derivative.n_arg++] = param[k];
	}
	nest_rename(a, region, to);
	for (int k = 0; k < t->n_seed; k++) {
		struct node *node = &p.top.node[n_constant];

		if (!dtype_is_float(t->seed[k].type.dtype))
			continue;
		*node = (struct node){.op = OP_CONSTANT, .n_out = 1, .out = next, .attrs = {.value = t->seed[k]}};
		derivative.arg[derivative.n_arg++] = next;
		p.type[next++] = t->seed[k].type;
		n_constant++;
	}
	derivative.attrs.primals = n_param;
	derivative.attrs.transform = t->kind == TRANSFORM_JVP ? DERIVATIVE_JVP : DERIVATIVE_VJP;
	derivative.out = next;
	p.top.result = NEW(a, int, LIMIT_ARGS);
	for (int k = 0; k < (t->kind == TRANSFORM_JVP ? old.top.n_result : n_param); k++) {
		const struct type
		    *type = &p.type[t->kind == TRANSFORM_JVP ? region->result[k] : param[k]]; /* renamed above */

		if (!dtype_is_float(type->dtype))
			continue;
		p.type[next] = *type;
		p.top.result[n_out++] = next++;
	}
	p.n_value = next;
	derivative.n_out = p.top.n_result = n_out;
	p.top.n_node = n_constant + 1;
	p.top.node[n_constant] = derivative;
	if (derivative.n_arg > LIMIT_ARGS || !n_param || !n_out)
		return false;
	*out = program_renumber(&p, a);
	return true;
}

#endif
