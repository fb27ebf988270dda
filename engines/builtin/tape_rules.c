/*
 * tape_rules.c: derivatives of recorded ops, which are recorded themselves.
 *
 * The rule is that of derivative programs, the table in our own IR (aot/rules.def).  For ops with the same attributes
 * and types, aot/op.c writes one small program per case.  It is executed, on a tape of its own, for every instance of
 * such an op.  So a rule of higher order consists of the rules of the ops that the rule below it executed.
 */
#include <string.h>

#include "engines/aot/aot.h"
#include "graph/hash.h"
#include "tape.h"

/* Memory of an answer before its last sweep, which may take as much again. */
enum { TRACE_BYTES = 128 << 20 };

/* Which derivative of an op. */
struct wanted {
	bool push;
	unsigned there;   /* operands whose cotangents are wanted, or that have a tangent: a bit each */
	int above, below; /* as in struct aot */
};

/* That derivative of all ops that equal `node` and have operands and a result of these types. */
struct op_program {
	struct op_program *next;
	struct wanted wanted;
	const struct node *node;
	struct type *type; /* [node->n_arg + 1] */
	int *operand;      /* the operand to which each result contributes */
	struct program program;
};

enum { CHAINS = 64 };
struct op_programs {
	struct op_program *chain[CHAINS];
};

/* A program on a tape: the derivative of one node, for one level. */
struct derived {
	struct derived *next;
	uint8_t level;
	struct wanted wanted;
	const int *operand; /* as above */
	struct tape tape;
};

struct op_programs *tape_op_programs(struct arena *a) { return NEW(a, struct op_programs, 1); }

struct variable *tape_dual(const struct tape *tape, const struct variable *v)
{
	return v->walk == tape->trace->walk ? v->dual : NULL;
}

void tape_set_dual(const struct tape *tape, struct variable *v, struct variable *dual)
{
	v->walk = tape->trace->walk;
	v->dual = dual;
}

struct variable *tape_zeros(struct tape *tape, const struct type *type)
{
	return tape_variable(tape, tensor_new(tape->arena, type));
}

void tape_check_room(struct tape *tape)
{
	struct trace *trace = tape->trace;

	if (tape->arena->used - trace->start <= TRACE_BYTES)
		return;
	error_set_limit(trace->error, NULL,
	    "the levels of a program of this length have too many records, expected at most %d MiB", TRACE_BYTES >> 20);
	longjmp(trace->fail, 1);
}

/* Executes a derivative whose inputs are bound. */
static void run(struct tape *tape, struct derived *d)
{
	tape_check_room(tape);
	tape_run(&d->tape, &d->tape.program->top);
}

/* The only result. */
static struct variable *result_of(const struct derived *d) { return d->tape.variable[d->tape.program->top.result[0]]; }

/* ---- programs that depend on a type alone: sums ---- */

/* The program in a list whose first input has that type; NULL: there is none. */
static struct derived *of_type(struct derived *list, const struct type *type)
{
	while (list && !type_equal(&list->tape.program->type[0], type))
		list = list->next;
	return list;
}

static struct derived *add_to(struct derived **list, struct tape *tape, const struct program *p)
{
	struct derived *d = NEW(tape->arena, struct derived, 1);

	d->tape = tape_open(tape->trace, tape->rules, p, tape->arena);
	d->next = *list;
	return *list = d;
}

static struct derived *sum_of(struct tape *tape, const struct type *type)
{
	struct derived *d = of_type(tape->trace->sum, type);
	struct program *p;
	struct builder b;
	int x, y;

	if (d)
		return d;
	p = NEW(tape->arena, struct program, 1);
	build_begin(&b, tape->arena);
	x = build_input(&b, type);
	y = build_input(&b, type);
	x = build_node(&b, OP_ADD, (int[]){x, y}, 2, NULL, NULL);
	*p = build_end(&b, &x, 1);
	return add_to(&tape->trace->sum, tape, p);
}

void tape_give(struct tape *tape, struct variable *v, struct variable *contribution)
{
	struct variable *before = tape_dual(tape, v);

	if (!(v->active & tape->trace->level))
		return;
	if (before) {
		struct derived *d = sum_of(tape, &v->tensor.type);

		d->tape.variable[0] = before;
		d->tape.variable[1] = contribution;
		run(tape, d);
		contribution = result_of(d);
	}
	tape_set_dual(tape, v, contribution);
}

/* ---- customs ---- */

struct variable *tape_rule_operand(struct tape *tape, struct variable *v)
{
	struct trace *trace = tape->trace;
	struct derived *d;

	if (!dtype_is_float(v->tensor.type.dtype))
		return v;
	d = of_type(trace->operand, &v->tensor.type);
	if (!d) {
		struct program *p = NEW(tape->arena, struct program, 1);

		if (!aot_rule_operand(&v->tensor.type, trace->aot, tape->arena, p, trace->error))
			longjmp(trace->fail, 1);
		d = add_to(&trace->operand, tape, p);
	}
	d->tape.variable[0] = v;
	run(tape, d);
	return result_of(d);
}

/* ---- ops ---- */

static bool same_wanted(const struct wanted *w, const struct wanted *v)
{
	return w->push == v->push && w->there == v->there && w->above == v->above && w->below == v->below;
}

static const struct type *type_of(const struct record *r, int k)
{
	return k < r->n_arg ? &r->arg[k]->tensor.type : &r->out->tensor.type;
}

static bool is_program_of(const struct op_program *p, const struct record *r, const struct wanted *w)
{
	if (p->node->op != r->node->op || p->node->n_arg != r->n_arg || !same_wanted(&p->wanted, w))
		return false;
	for (int k = 0; k <= r->n_arg; k++)
		if (!type_equal(&p->type[k], type_of(r, k)))
			return false;
	/* If bytes between members differ, the program is only written once more. */
	return !memcmp(&p->node->attrs, &r->node->attrs, sizeof r->node->attrs);
}

/* The chain of programs for ops that equal r's. */
static struct op_program **chain_of(struct op_programs *of, const struct record *r, const struct wanted *w)
{
	uint64_t h = hash_step((uint64_t)r->node->op, w->there * 2 + w->push);

	for (int k = 0; k <= r->n_arg; k++)
		h = hash_step(h, (uint64_t)shape_elements(&type_of(r, k)->shape));
	return &of->chain[(h ^ h >> 32) % CHAINS];
}

static const struct op_program *write_program(
    struct tape *tape, const struct record *r, const struct wanted *w, struct op_program **chain)
{
	struct trace *trace = tape->trace;
	struct op_program *p = NEW(tape->arena, struct op_program, 1);
	bool there[LIMIT_ARGS];

	*p = (struct op_program){.next = *chain,
	    .wanted = *w,
	    .node = r->node,
	    .type = NEW_RAW(tape->arena, struct type, r->n_arg + 1),
	    .operand = NEW_RAW(tape->arena, int, LIMIT_ARGS)};
	for (int k = 0; k <= r->n_arg; k++)
		p->type[k] = *type_of(r, k);
	for (int k = 0; k < r->n_arg; k++)
		there[k] = w->there >> k & 1;
	const struct aot_op of = {.node = r->node,
	    .arg = p->type,
	    .out = p->type[r->n_arg],
	    .above = w->above,
	    .below = w->below,
	    .rules = trace->aot};

	if (!(w->push ? aot_op_jvp(&of, there, tape->arena, &p->program, trace->error)
	              : aot_op_vjp(&of, there, tape->arena, &p->program, p->operand, trace->error)))
		longjmp(trace->fail, 1);
	return *chain = p;
}

static struct derived *derived_of(struct tape *tape, const struct record *r, bool push, unsigned there)
{
	const struct trace *trace = tape->trace;
	const struct wanted w = {push, there, trace->above, trace->below};
	struct derived **list = &tape->derived[r->node->out];
	const struct op_program *p;
	struct op_program **chain;

	for (struct derived *d = *list; d; d = d->next)
		if (d->level == trace->level && same_wanted(&d->wanted, &w))
			return d;
	chain = chain_of(trace->programs, r, &w);
	for (p = *chain; p && !is_program_of(p, r, &w);)
		p = p->next;
	if (!p)
		p = write_program(tape, r, &w, chain);
	struct derived *d = add_to(list, tape, &p->program);

	d->level = trace->level;
	d->wanted = w;
	d->operand = p->operand;
	return d;
}

/* The operand as the sweep reads it. */
static struct variable *operand_of(struct tape *tape, const struct record *r, int k)
{
	struct variable *latest = tape->variable[r->node->arg[k]];
	const struct tensor *saved = tape->rules->row[r->node->op].saved(k, &r->arg[k]->tensor, &latest->tensor);

	return saved == &latest->tensor ? latest : r->arg[k];
}

void tape_pull_op(struct tape *tape, const struct record *r)
{
	unsigned wanted = 0;
	struct derived *d;

	for (int k = 0; k < r->n_arg; k++)
		wanted |= (r->arg[k]->active & tape->trace->level ? 1u : 0) << k;
	d = derived_of(tape, r, false, wanted);
	for (int k = 0; k < r->n_arg; k++)
		d->tape.variable[k] = operand_of(tape, r, k);
	d->tape.variable[r->n_arg] = r->out;
	d->tape.variable[r->n_arg + 1] = tape_dual(tape, r->out);
	run(tape, d);
	for (int k = 0; k < d->tape.program->top.n_result; k++)
		tape_give(tape, r->arg[d->operand[k]], d->tape.variable[d->tape.program->top.result[k]]);
}

void tape_push_op(struct tape *tape, const struct record *r)
{
	unsigned there = 0;
	struct derived *d;
	int at = r->n_arg + 1;

	for (int k = 0; k < r->n_arg; k++)
		there |= (tape_dual(tape, r->arg[k]) ? 1u : 0) << k;
	if (!there)
		return;
	d = derived_of(tape, r, true, there);
	for (int k = 0; k < r->n_arg; k++) {
		d->tape.variable[k] = r->arg[k];
		if (there >> k & 1)
			d->tape.variable[at++] = tape_dual(tape, r->arg[k]);
	}
	d->tape.variable[r->n_arg] = r->out;
	run(tape, d);
	if (d->tape.program->top.n_result)
		tape_set_dual(tape, r->out, result_of(d));
}
