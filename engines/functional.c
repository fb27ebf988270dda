/*
 * functional.c: the engine in which loops stay loops.  The vjp of a loop is a reverse loop: forward saves the
 * carries at the start of each iteration, and each reverse step recomputes the body from one of them and pulls the
 * cotangents of the carries back through it.  Which values need a cotangent at all is decided once per program.
 */
#include "adjoint.h"
#include "kernels.h"

#include <string.h>

/* What forward leaves of one execution of a loop. */
struct residuals {
	int n, room, n_carry;
	struct tensor *start; /* [n][n_carry] carries at the start of each executed iteration */
};

/* What is decided once per program. */
struct plan {
	bool *active; /* [n_value] float, and depends on a wrt input through floats */
};

struct run {
	const struct adjoint_rules *rules;
	const struct program *program;
	const bool *active;
	struct arena *arena;
	struct tensor *value;         /* [n_value] */
	union cell **adjoint;         /* [n_value], NULL: no result depends on it */
	struct residuals **residuals; /* [n_value] by the first result of a loop */
	int depth;   /* loops that are being pulled back */
	bool saving; /* false while a loop runs forward: those inside it save when it is reversed */
};

/* ---- activity ---- */

static void activate_region(
    const struct adjoint_rules *rules, const struct program *p, const struct region *region, bool *active);

/*
 * Where the carries of a loop sit: operands first_arg + k, parameters first_param + k, results out + k and body
 * results k.  Xs and ys follow the carries.
 */
struct loop {
	const struct node *node;
	const struct region *body;
	int first_arg, first_param, n_carry, n_xs, n_ys;
};

static struct loop loop_of(const struct node *node)
{
	enum family family = op_table[node->op].family;
	int counted = family == FAMILY_FOR && node->attrs.trip < 0;
	struct loop l = {.node = node, .body = &node->region[family == FAMILY_WHILE ? 1 : 0], .first_arg = counted};

	l.n_carry = family == FAMILY_SCAN ? node->attrs.carries : node->n_arg - counted;
	l.n_xs = family == FAMILY_SCAN ? node->n_arg - l.n_carry : 0;
	l.n_ys = node->n_out - l.n_carry;
	l.first_param = l.body->param + (family == FAMILY_FOR);
	return l;
}

static void activate_loop(
    const struct adjoint_rules *rules, const struct program *p, const struct node *node, bool *active)
{
	struct loop l = loop_of(node);
	bool changed = true;

	/* Flags only rise, over all rounds of all enclosing loops, so their number is bounded by that of the
	 * carries. */
	for (int k = 0; k < l.n_carry + l.n_xs; k++)
		active[l.first_param + k] |= active[node->arg[l.first_arg + k]];
	while (changed) {
		changed = false;
		activate_region(rules, p, l.body, active);
		for (int k = 0; k < l.n_carry; k++) {
			bool *carry = &active[l.first_param + k];

			if (!*carry &&
			    rules->carry_active(active[node->arg[l.first_arg + k]], active[l.body->result[k]]))
				changed = *carry = true;
		}
	}
	for (int k = 0; k < node->n_out; k++)
		active[node->out + k] = active[l.body->result[k]] || (k < l.n_carry && active[l.first_param + k]);
}

static void activate_region(
    const struct adjoint_rules *rules, const struct program *p, const struct region *region, bool *active)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];
		bool any = false;

		if (op_table[node->op].family == FAMILY_COND) {
			activate_region(rules, p, &node->region[0], active);
			activate_region(rules, p, &node->region[1], active);
			for (int k = 0; k < node->n_out; k++)
				active[node->out + k] =
				    active[node->region[0].result[k]] || active[node->region[1].result[k]];
		} else if (node->n_region) {
			activate_loop(rules, p, node, active);
		} else {
			for (int k = 0; k < node->n_arg; k++)
				any |= active[node->arg[k]];
			active[node->out] =
			    any && dtype_is_float(p->type[node->out].dtype) && adjoint_flows(rules, node->op);
		}
	}
}

/* ---- forward ---- */

static void run_region(struct run *run, const struct region *region);

static void run_cond(struct run *run, const struct node *node)
{
	const struct region *taken = &node->region[run->value[node->arg[0]].at->i ? 0 : 1];

	run_region(run, taken);
	for (int k = 0; k < node->n_out; k++)
		run->value[node->out + k] = run->value[taken->result[k]];
}

/* Appends the carries at the start of an iteration. */
static void save(struct run *run, struct residuals *r, const struct tensor *carry)
{
	if (r->n == r->room) {
		const struct tensor *old = r->start;

		r->room = r->room ? 2 * r->room : 8;
		r->start = NEW(run->arena, struct tensor, r->room * r->n_carry);
		if (r->n)
			memcpy(r->start, old, sizeof *old * (size_t)(r->n * r->n_carry));
	}
	if (r->n_carry)
		memcpy(r->start + r->n * r->n_carry, carry, sizeof *carry * (size_t)r->n_carry);
	r->n++;
}

/*
 * Sets the parameters of the body for iteration t, which reads row `row` of the xs, and runs it: forward for the first time, in reverse
 * once more.
 */
static void run_iteration(struct run *run, const struct loop *l, int t, int row, const struct tensor *carry)
{
	if (op_table[l->node->op].family == FAMILY_FOR) {
		run->value[l->body->param] = tensor_new(run->arena, &run->program->type[l->body->param]);
		run->value[l->body->param].at->i = t;
	}
	for (int k = 0; k < l->n_carry; k++)
		run->value[l->first_param + k] = carry[k];
	for (int k = 0; k < l->n_xs; k++)
		run->value[l->first_param + l->n_carry + k] =
		    kernel_row(&run->value[l->node->arg[l->first_arg + l->n_carry + k]], row, run->arena);
	run_region(run, l->body);
}

/* Whether iteration t of a while loop is to be run. */
static bool while_goes_on(struct run *run, const struct node *node, const struct tensor *carry)
{
	const struct region *condition = &node->region[0];

	for (int k = 0; k < node->n_arg; k++)
		run->value[condition->param + k] = carry[k];
	run_region(run, condition);
	return run->value[condition->result[0]].at->i != 0;
}

static int trip_limit(const struct run *run, const struct loop *l)
{
	const struct node *node = l->node;
	enum family family = op_table[node->op].family;

	if (family == FAMILY_FOR)
		return kernel_trip(node, l->first_arg ? &run->value[node->arg[0]] : NULL);
	return family == FAMILY_WHILE ? node->attrs.cap : node->attrs.trip;
}

static void run_loop(struct run *run, const struct node *node)
{
	enum family family = op_table[node->op].family;
	struct loop l = loop_of(node);
	struct residuals *r = NEW(run->arena, struct residuals, 1);
	struct tensor carry[LIMIT_ARGS];
	int trip = trip_limit(run, &l);
	bool done = false, saving = run->saving;

	run->saving = false;
	r->n_carry = l.n_carry;
	for (int k = 0; k < l.n_carry; k++)
		carry[k] = run->value[node->arg[l.first_arg + k]];
	for (int k = 0; k < l.n_ys; k++)
		run->value[node->out + l.n_carry + k] =
		    tensor_new(run->arena, &run->program->type[node->out + l.n_carry + k]);
	for (int t = 0; t < trip && !done; t++) {
		if (family == FAMILY_WHILE && !while_goes_on(run, node, carry))
			break;
		if (saving)
			save(run, r, carry);
		run_iteration(run, &l, t, t, carry);
		for (int k = 0; k < l.n_carry; k++)
			carry[k] = run->value[l.body->result[k]];
		for (int k = 0; k < l.n_ys; k++)
			kernel_set_row(
			    &run->value[node->out + l.n_carry + k], t, &run->value[l.body->result[l.n_carry + k]]);
		done = node->attrs.until && run->value[l.body->result[l.body->n_result - 1]].at->i;
	}
	/* What the loop left: one set more than there are iterations. */
	if (saving) {
		save(run, r, carry);
		r->n--;
	}
	for (int k = 0; k < l.n_carry; k++)
		run->value[node->out + k] = carry[k];
	if (node->n_out)
		run->residuals[node->out] = r;
	run->saving = saving;
}

static void run_op(struct run *run, const struct node *node)
{
	const struct tensor *arg[LIMIT_ARGS];

	for (int k = 0; k < node->n_arg; k++)
		arg[k] = &run->value[node->arg[k]];
	kernel_run(node, arg, &run->program->type[node->out], &run->value[node->out], run->arena);
}

static void run_region(struct run *run, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		if (!node->n_region)
			run_op(run, node);
		else if (op_table[node->op].family == FAMILY_COND)
			run_cond(run, node);
		else
			run_loop(run, node);
	}
}

/* ---- reverse ---- */

static void pull_region(struct run *run, const struct region *region);

/* Adds a contribution that nobody else uses to the adjoint of value v. */
static void give(struct run *run, int v, union cell *contribution)
{
	if (contribution && run->active[v])
		adjoint_add(run->rules, &run->program->type[v], &run->adjoint[v], contribution);
}

static void give_from(struct run *run, enum op op, int v, union cell *contribution)
{
	if (contribution && run->active[v])
		adjoint_join(run->rules, op, &run->program->type[v], &run->adjoint[v], contribution);
}

/* The adjoints of a region's own values are those of one execution; captured values keep theirs. */
static void clear_region(struct run *run, const struct region *region)
{
	for (int k = 0; k < region->n_param; k++)
		run->adjoint[region->param + k] = NULL;
	for (int i = 0; i < region->n_node; i++)
		for (int k = 0; k < region->node[i].n_out; k++)
			run->adjoint[region->node[i].out + k] = NULL;
}

static void pull_op(struct run *run, const struct node *node)
{
	const struct tensor *arg[LIMIT_ARGS];
	struct tensor contribution[LIMIT_ARGS];
	bool wanted[LIMIT_ARGS];
	const struct tensor cotangent = {run->program->type[node->out], run->adjoint[node->out]};

	for (int k = 0; k < node->n_arg; k++) {
		arg[k] = &run->value[node->arg[k]];
		wanted[k] = run->active[node->arg[k]];
	}
	adjoint_pull(run->rules, node, arg, &run->value[node->out], &cotangent, wanted, contribution, run->arena);
	for (int k = 0; k < node->n_arg; k++)
		give_from(run, node->op, node->arg[k], contribution[k].at);
}

/* Only the region taken; its values are still those of the execution that is being reversed. */
static void pull_cond(struct run *run, const struct node *node)
{
	const struct region *taken = &node->region[run->value[node->arg[0]].at->i ? 0 : 1];

	clear_region(run, taken);
	for (int k = 0; k < node->n_out; k++)
		give(run, taken->result[k], run->adjoint[node->out + k]);
	pull_region(run, taken);
}

/* One reverse step: carry[] holds the cotangents of the carries after the iteration, and then those before it. */
static void pull_iteration(
    struct run *run, const struct loop *l, const struct residuals *r, int step, union cell *carry[], const bool seeded[])
{
	const struct reverse_loop *rules = &run->rules->loop;
	const struct type *type = run->program->type;
	int saved = run->rules->residual_index(step, r->n), iteration = r->n - 1 - step, trip = l->node->attrs.trip;

	clear_region(run, l->body);
	run_iteration(run, l, saved, rules->xs_row(saved, r->n, trip),
	    r->start + rules->residual_carry(saved, r->n) * l->n_carry);
	for (int k = 0; k < l->n_carry; k++)
		give(run, l->body->result[k], carry[k]);
	for (int k = 0; k < l->n_ys; k++) {
		int ys = l->node->out + l->n_carry + k;
		const struct tensor stacked = {type[ys], run->adjoint[ys]};

		if (stacked.at)
			give(run, l->body->result[l->n_carry + k], kernel_row(&stacked, iteration, run->arena).at);
	}
	pull_region(run, l->body);
	for (int k = 0; k < l->n_carry; k++)
		carry[k] = rules->carry_flows(seeded[k]) ? run->adjoint[l->first_param + k] : NULL;
	for (int k = 0; k < l->n_xs; k++) {
		int xs = l->node->arg[l->first_arg + l->n_carry + k];
		const union cell *row = run->adjoint[l->first_param + l->n_carry + k];
		int at = rules->xs_cotangent_row(iteration, r->n, trip);

		if (row && at >= 0)
			adjoint_add_row(run->rules, &type[xs], &run->adjoint[xs], at, row, run->arena);
	}
}

/* Hands the cotangents of the carries at the start of the loop to its operands. */
static void give_operands(struct run *run, const struct loop *l, union cell *const carry[])
{
	const int *operand = l->node->arg + l->first_arg;
	bool requested[LIMIT_ARGS];

	for (int k = 0; k < l->n_xs + l->n_carry; k++)
		requested[k] = run->active[k < l->n_xs ? operand[l->n_carry + k] : operand[k - l->n_xs]];
	for (int k = 0; k < l->n_carry; k++) {
		int from = run->rules->loop.slot(l->n_xs + k, requested, l->n_xs + l->n_carry) - l->n_xs;

		if (from >= 0 && from < l->n_carry &&
		    type_equal(&run->program->type[operand[from]], &run->program->type[operand[k]]))
			give(run, operand[k], carry[from]);
	}
}

static void pull_loop(struct run *run, const struct node *node)
{
	struct loop l = loop_of(node);
	const struct residuals *r = run->residuals[node->out];
	int passes = run->rules->loop.passes(node, run->depth);
	union cell *carry[LIMIT_ARGS];
	bool seeded[LIMIT_ARGS];

	run->depth++;
	for (int pass = 1; pass <= passes; pass++) {
		for (int k = 0; k < l.n_carry; k++) {
			const struct tensor end = {run->program->type[node->out + k], run->adjoint[node->out + k]};

			seeded[k] = end.at;
			/* A step takes the buffer over; a further pass needs it once more. */
			carry[k] = end.at && pass < passes ? tensor_copy(run->arena, &end).at : end.at;
		}
		for (int step = 0; step < r->n; step++)
			pull_iteration(run, &l, r, step, carry, seeded);
	}
	run->depth--;
	give_operands(run, &l, carry);
}

static void pull_region(struct run *run, const struct region *region)
{
	for (int i = region->n_node - 1; i >= 0; i--) {
		const struct node *node = &region->node[i];
		bool any = false;

		for (int k = 0; k < node->n_out; k++)
			any |= run->adjoint[node->out + k] != NULL;
		if (!any)
			continue;
		if (!node->n_region)
			pull_op(run, node);
		else if (op_table[node->op].family == FAMILY_COND)
			pull_cond(run, node);
		else
			pull_loop(run, node);
	}
}

/* Shows the sweep over a region the values it takes for the results of the loops there. */
static void settle_loops(struct run *run, const struct region *region)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];
		struct loop l;

		if (!node->n_region || op_table[node->op].family == FAMILY_COND)
			continue;
		l = loop_of(node);
		for (int k = 0; k < l.n_carry; k++)
			run->value[node->out + k] = *run->rules->loop.result(
			    node, &run->value[node->arg[l.first_arg + k]], &run->value[node->out + k]);
	}
}

/* ---- the engine ---- */

static enum answer_status functional_prepare(
    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text)
{
	const struct program *p = &c->program;
	struct plan *plan = NEW(a, struct plan, 1);

	*state = plan;
	*text = adjoint_refuse(&self->adjoint, "functional", c, a);
	if (*text)
		return ANSWER_UNSUPPORTED;
	plan->active = NEW(a, bool, p->n_value);
	for (int k = 0; c->n_transform && k < c->transform[0].n_wrt; k++) {
		int v = p->top.param + c->transform[0].wrt[k];

		plan->active[v] = dtype_is_float(p->type[v].dtype);
	}
	activate_region(&self->adjoint, p, &p->top, plan->active);
	return ANSWER_OK;
}

static void functional_answer(struct engine *self, void *state, const struct testcase *c, int which,
    struct tensor *point, struct arena *a, struct answer *out)
{
	const struct program *p = &c->program;
	const struct plan *plan = state;
	const struct transform *request = c->n_transform ? &c->transform[0] : NULL;
	struct run run = {.rules = &self->adjoint,
	    .program = p,
	    .active = plan->active,
	    .arena = a,
	    .value = NEW(a, struct tensor, p->n_value),
	    .adjoint = NEW(a, union cell *, p->n_value),
	    .residuals = NEW(a, struct residuals *, p->n_value),
	    .saving = request != NULL};

	(void)which;
	for (int k = 0; k < p->top.n_param; k++)
		run.value[p->top.param + k] = point[k];
	run_region(&run, &p->top);

	out->status = ANSWER_OK;
	out->text = "";
	out->n_primal = p->top.n_result;
	out->primal = NEW(a, struct tensor, out->n_primal);
	for (int k = 0; k < out->n_primal; k++)
		out->primal[k] = run.value[p->top.result[k]];
	if (!request)
		return;

	for (int k = 0; k < p->top.n_result; k++)
		give(&run, p->top.result[k], tensor_copy(a, &request->seed[k]).at);
	settle_loops(&run, &p->top);
	pull_region(&run, &p->top);
	out->n_derivative = request->n_wrt;
	out->derivative = NEW(a, struct tensor, request->n_wrt);
	for (int k = 0; k < request->n_wrt; k++) {
		int v = p->top.param + request->wrt[k];

		out->derivative[k] =
		    run.adjoint[v] ? (struct tensor){p->type[v], run.adjoint[v]} : tensor_new(a, &p->type[v]);
	}
	run.rules->finish(c, point, out->derivative, a);
}

const struct engine_kind functional_kind = {
    .name = "functional",
    .summary = "loops stay loops: the vjp of a loop is a reverse loop over saved iterates",
    .modelled_on = "Nx.Defn and JAX",
    .vjp = true,
    .prepare = functional_prepare,
    .answer = functional_answer,
};
