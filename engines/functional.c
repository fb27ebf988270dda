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
		} else if (op_table[node->op].family == FAMILY_CHECKPOINT) {
			activate_region(rules, p, &node->region[0], active);
			for (int k = 0; k < node->n_out; k++)
				active[node->out + k] = active[node->region[0].result[k]];
		} else if (op_table[node->op].family == FAMILY_SCATTER_APPLY) {
			bool *element = &active[node->region[0].param];

			*element |= active[node->arg[0]];
			activate_region(rules, p, &node->region[0], active);
			/* A duplicate applies the region to what it gave. */
			if (!*element && active[node->region[0].result[0]]) {
				*element = true;
				activate_region(rules, p, &node->region[0], active);
			}
			active[node->out] = *element;
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

/* Residuals of loops inside are saved by the second execution, in reverse. */
static void run_checkpoint(struct run *run, const struct node *node)
{
	const struct region *region = &node->region[0];
	bool saving = run->saving;

	run->saving = false;
	run_region(run, region);
	run->saving = saving;
	for (int k = 0; k < node->n_out; k++)
		run->value[node->out + k] = run->value[region->result[k]];
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

/* Sets the parameters of the body for iteration t and runs it: forward for the first time, in reverse once more. */
static void run_iteration(struct run *run, const struct loop *l, int t, const struct tensor *carry)
{
	if (op_table[l->node->op].family == FAMILY_FOR) {
		run->value[l->body->param] = tensor_new(run->arena, &run->program->type[l->body->param]);
		run->value[l->body->param].at->i = t;
	}
	for (int k = 0; k < l->n_carry; k++)
		run->value[l->first_param + k] = carry[k];
	for (int k = 0; k < l->n_xs; k++)
		run->value[l->first_param + l->n_carry + k] =
		    kernel_row(&run->value[l->node->arg[l->first_arg + l->n_carry + k]], t, run->arena);
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

/* What each application found is saved, as the only carry of a loop over them. */
static void run_scatter_apply(struct run *run, const struct node *node)
{
	const struct region *region = &node->region[0];
	const struct tensor *x = &run->value[node->arg[0]];
	struct tensor y = tensor_copy(run->arena, x);
	struct residuals *r = NEW(run->arena, struct residuals, 1);
	int n, *at = kernel_positions(node, &x->type, &run->value[node->arg[1]], &n, run->arena);
	bool saving = run->saving;

	run->saving = false;
	r->n_carry = 1;
	for (int k = 0; k < n; k++) {
		struct tensor element = tensor_new(run->arena, &run->program->type[region->param]);

		element.at[0] = y.at[at[k]];
		if (saving)
			save(run, r, &element);
		run->value[region->param] = element;
		run_region(run, region);
		y.at[at[k]] = run->value[region->result[0]].at[0];
	}
	run->value[node->out] = y;
	run->residuals[node->out] = r;
	run->saving = saving;
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
		run_iteration(run, &l, t, carry);
		for (int k = 0; k < l.n_carry; k++)
			carry[k] = run->value[l.body->result[k]];
		for (int k = 0; k < l.n_ys; k++)
			kernel_set_row(
			    &run->value[node->out + l.n_carry + k], t, &run->value[l.body->result[l.n_carry + k]]);
		done = node->attrs.until && run->value[l.body->result[l.body->n_result - 1]].at->i;
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
		else if (op_table[node->op].family == FAMILY_CHECKPOINT)
			run_checkpoint(run, node);
		else if (op_table[node->op].family == FAMILY_SCATTER_APPLY)
			run_scatter_apply(run, node);
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
		give(run, node->arg[k], contribution[k].at);
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

/* Element by element backwards: the cotangent of what an application gave becomes that of what it found. */
static void pull_scatter_apply(struct run *run, const struct node *node)
{
	const struct region *region = &node->region[0];
	const struct residuals *r = run->residuals[node->out];
	const struct tensor *x = &run->value[node->arg[0]];
	int n, *at = kernel_positions(node, &x->type, &run->value[node->arg[1]], &n, run->arena);
	union cell *cotangent = run->adjoint[node->out];

	for (int k = r->n - 1; k >= 0; k--) {
		union cell *here = arena_copy(run->arena, &cotangent[at[k]], 1, sizeof *here);

		clear_region(run, region);
		run->value[region->param] = r->start[k];
		run_region(run, region);
		give(run, region->result[0], here);
		pull_region(run, region);
		cotangent[at[k]].f = run->adjoint[region->param] ? run->adjoint[region->param][0].f : 0;
	}
	give(run, node->arg[0], cotangent);
}

/* What the region captures still has the values of the execution that is being reversed: it is run again, saving this time. */
static void pull_checkpoint(struct run *run, const struct node *node)
{
	const struct region *region = &node->region[0];

	clear_region(run, region);
	run_region(run, region);
	for (int k = 0; k < node->n_out; k++)
		give(run, region->result[k], run->adjoint[node->out + k]);
	pull_region(run, region);
}

static void pull_loop(struct run *run, const struct node *node)
{
	struct loop l = loop_of(node);
	const struct residuals *r = run->residuals[node->out];
	const struct type *type = run->program->type;
	union cell *carry[LIMIT_ARGS]; /* cotangents of the carries after the iteration that is pulled back */

	for (int k = 0; k < l.n_carry; k++)
		carry[k] = run->adjoint[node->out + k];
	for (int step = 0; step < r->n; step++) {
		int saved = run->rules->residual_index(step, r->n), iteration = r->n - 1 - step;

		clear_region(run, l.body);
		run_iteration(run, &l, saved, r->start + saved * l.n_carry);
		for (int k = 0; k < l.n_carry; k++)
			give(run, l.body->result[k], carry[k]);
		for (int k = 0; k < l.n_ys; k++) {
			int ys = node->out + l.n_carry + k;
			const struct tensor stacked = {type[ys], run->adjoint[ys]};

			if (stacked.at)
				give(run, l.body->result[l.n_carry + k],
				    kernel_row(&stacked, iteration, run->arena).at);
		}
		pull_region(run, l.body);
		for (int k = 0; k < l.n_carry; k++)
			carry[k] = run->adjoint[l.first_param + k];
		for (int k = 0; k < l.n_xs; k++) {
			int xs = node->arg[l.first_arg + l.n_carry + k];
			const union cell *row = run->adjoint[l.first_param + l.n_carry + k];

			if (row)
				adjoint_add_row(
				    run->rules, &type[xs], &run->adjoint[xs], iteration, row, run->arena);
		}
	}
	for (int k = 0; k < l.n_carry; k++)
		give(run, node->arg[l.first_arg + k], carry[k]);
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
		else if (op_table[node->op].family == FAMILY_CHECKPOINT)
			pull_checkpoint(run, node);
		else if (op_table[node->op].family == FAMILY_SCATTER_APPLY)
			pull_scatter_apply(run, node);
		else
			pull_loop(run, node);
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
	pull_region(&run, &p->top);
	out->n_derivative = request->n_wrt;
	out->derivative = NEW(a, struct tensor, request->n_wrt);
	for (int k = 0; k < request->n_wrt; k++) {
		int v = p->top.param + request->wrt[k];

		out->derivative[k] =
		    run.adjoint[v] ? (struct tensor){p->type[v], run.adjoint[v]} : tensor_new(a, &p->type[v]);
	}
}

const struct engine_kind functional_kind = {
    .name = "functional",
    .summary = "loops stay loops: the vjp of a loop is a reverse loop over saved iterates",
    .modelled_on = "Nx.Defn and JAX",
    .vjp = true,
    .prepare = functional_prepare,
    .answer = functional_answer,
};
