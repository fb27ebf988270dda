/* program.c: whole derivative programs: inputs and results, refusals, and the levels of a request. */
#include "graph/walk.h"
#include "parts.h"

/* Most derivative programs have fewer nodes for each node of the program before. */
enum { GROWTH = 16 };

/* Appends the values that hold value[n] of p. */
int aot_add_primals(struct aot *x, int *list, int n_list, const int *value, int n)
{
	for (int k = 0; k < n; k++)
		list[n_list++] = x->map[value[k]];
	return n_list;
}

bool aot_has_rules(const struct region *region, struct error *e)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (w.node->op == OP_SCATTER_APPLY || w.node->op == OP_DERIVATIVE)
			return error_set(e, NULL, "no rule for %s", op_table[w.node->op].name);
	return true;
}

struct aot *aot_begin(const struct program *p, struct arena *a, struct error *e)
{
	const struct region *top = &p->top;
	struct aot *x = NEW(a, struct aot, 1);

	x->error = e;
	x->arena = a;
	x->p = p;
	x->active = NEW(a, bool, p->n_value);
	x->map = NEW(a, int, p->n_value);
	x->dual = NEW(a, int, p->n_value);
	x->saved = NEW(a, struct aot_saved, p->n_value);
	for (int v = 0; v < p->n_value; v++)
		x->map[v] = x->dual[v] = -1;
	build_begin(&x->b, a);
	build_reserve(&x->b, GROWTH * top->n_node);
	for (int k = 0; k < top->n_param; k++)
		x->map[top->param + k] = build_input(&x->b, &p->type[top->param + k]);
	return x;
}

bool aot_end(struct aot *x, const int *result, int n_result, struct program *out)
{
	int n_input;

	if (n_result > LIMIT_ARGS)
		return error_set_limit(
		    x->error, NULL, "derivative program: %d results, expected at most %d", n_result, LIMIT_ARGS);
	*out = build_end(&x->b, result, n_result);
	n_input = out->top.n_param;
	if (n_input > LIMIT_ARGS)
		return error_set_limit(
		    x->error, NULL, "derivative program: %d inputs, expected at most %d", n_input, LIMIT_ARGS);
	aot_order(out, x->arena);
	program_settle_stores(out, x->arena); /* an old input, or a value that was used once, may have more uses here */
	if (program_nodes(out) > AOT_NODES)
		return error_set_limit(
		    x->error, NULL, "derivative program: %d nodes, expected at most %d", program_nodes(out), AOT_NODES);
	if (program_work(out) > AOT_WORK)
		return error_set_limit(x->error, NULL, "derivative program: work of %lld elements, expected at most %d",
		    (long long)program_work(out), AOT_WORK);
	return true;
}

/*
 * One derivation.  If the seeds are NULL, they are inputs of the derivative program, and its results begin with those
 * of p.  Otherwise they are constants, and the results are derivatives only.
 */
struct level_derivation {
	const int *wrt;
	int n_wrt;
	const struct tensor *seed;
	int above, below; /* as in struct aot */
	const struct aot_rules *rules;
};

/* Whether t is a float type and its seed number k is not 0 everywhere.  A seed that is known to be 0 is absent. */
static bool is_there(const struct level_derivation *d, const struct type *t, int k)
{
	if (!dtype_is_float(t->dtype))
		return false;
	for (int i = 0; d->seed && i < shape_elements(&t->shape); i++)
		if (d->seed[k].at[i].f != 0)
			return true;
	return !d->seed;
}

/* Begins a derivation of p without checkpoints and derivatives.  Its wrt inputs are active.  NULL with an error. */
static struct aot *begin(
    const struct program *p, const struct level_derivation *d, bool jvp, struct arena *a, struct error *e)
{
	struct program *plain = NEW(a, struct program, 1);
	struct aot *x;

	if (!aot_lower(p, d->above + 1, d->rules, a, plain, e) || !aot_has_rules(&plain->top, e))
		return NULL;
	x = aot_begin(plain, a, e);
	x->above = d->above;
	x->below = d->below;
	x->rules = d->rules;
	for (int k = 0; k < d->n_wrt; k++) {
		int v = plain->top.param + d->wrt[k];

		x->active[v] = jvp ? is_there(d, &plain->type[v], k) : dtype_is_float(plain->type[v].dtype);
	}
	aot_activate(x, &plain->top);
	return x;
}

/* The tangent of an input, or the cotangent of a result, of type t.  It is number k of its kind. */
static int take_seed(struct aot *x, const struct level_derivation *d, const struct type *t, int k)
{
	return d->seed ? build_constant(&x->b, &d->seed[k]) : build_input(&x->b, t);
}

/*
 * Appends the derivatives of value[n] of p.  For integers and bools it appends zeros if the seeds are constants, else
 * nothing.
 */
static int add_derivatives(
    struct aot *x, const struct level_derivation *d, int *list, int n_list, const int *value, int n)
{
	for (int k = 0; k < n; k++) {
		const struct type *t = &x->p->type[value[k]];

		if (dtype_is_float(t->dtype)) {
			list[n_list++] = aot_dual(x, value[k]);
		} else if (d->seed) {
			const struct tensor zero = tensor_new(x->arena, &(struct type){.dtype = t->dtype});

			list[n_list++] = aot_broadcast(x, build_constant(&x->b, &zero), &t->shape);
		}
	}
	return n_list;
}

static bool derive_jvp(
    const struct program *p, const struct level_derivation *d, struct arena *a, struct program *out, struct error *e)
{
	struct aot *x = begin(p, d, true, a, e);
	int result[AOT_ROOM], n = 0;

	if (!x || setjmp(x->fail))
		return false;
	const struct region *top = &x->p->top;
	for (int k = 0; k < d->n_wrt; k++) {
		int v = top->param + d->wrt[k];

		if (x->active[v])
			x->dual[v] = take_seed(x, d, &x->p->type[v], k);
	}
	aot_push_region(x, top);
	if (!d->seed)
		n = aot_add_primals(x, result, n, top->result, top->n_result);
	n = add_derivatives(x, d, result, n, top->result, top->n_result);
	return aot_end(x, result, n, out);
}

static bool derive_vjp(
    const struct program *p, const struct level_derivation *d, struct arena *a, struct program *out, struct error *e)
{
	struct aot *x = begin(p, d, false, a, e);
	int result[AOT_ROOM], n = 0, seed[LIMIT_ARGS], wrt[LIMIT_ARGS];

	if (!x || setjmp(x->fail))
		return false;
	const struct region *top = &x->p->top;
	for (int k = 0; k < top->n_result; k++) {
		const struct type *t = &x->p->type[top->result[k]];

		seed[k] = is_there(d, t, k) ? take_seed(x, d, t, k) : -1;
	}
	aot_primal_saving(x, top);
	for (int k = 0; k < top->n_result; k++)
		aot_give(x, top->result[k], seed[k]);
	aot_pull_region(x, top);
	for (int k = 0; k < d->n_wrt; k++)
		wrt[k] = top->param + d->wrt[k];
	if (!d->seed)
		n = aot_add_primals(x, result, n, top->result, top->n_result);
	n = add_derivatives(x, d, result, n, wrt, d->n_wrt);
	return aot_end(x, result, n, out);
}

bool aot_jvp(const struct program *p, const int *wrt, int n_wrt, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e)
{
	return derive_jvp(p, &(struct level_derivation){.wrt = wrt, .n_wrt = n_wrt, .rules = rules}, a, out, e);
}

bool aot_vjp(const struct program *p, const int *wrt, int n_wrt, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e)
{
	return derive_vjp(p, &(struct level_derivation){.wrt = wrt, .n_wrt = n_wrt, .rules = rules}, a, out, e);
}

bool aot_rule(const struct program *p, enum derivative_kind kind, const struct aot_rules *rules, struct arena *a,
    struct program *out, struct error *e)
{
	struct level_derivation d = {.above = LIMIT_TRANSFORMS, .rules = rules};
	int wrt[LIMIT_ARGS];

	for (int k = 0; k < p->top.n_param; k++)
		if (dtype_is_float(p->type[p->top.param + k].dtype))
			wrt[d.n_wrt++] = k;
	d.wrt = wrt;
	if (!(kind == DERIVATIVE_JVP ? derive_jvp : derive_vjp)(p, &d, a, out, e))
		return false;
	out->top.result += p->top.n_result;
	out->top.n_result -= p->top.n_result;
	*out = program_drop_dead(out, a);
	return true;
}

/* ---- the levels of a request ---- */

bool aot_levels(const struct program *p, const struct transform *t, int n, int above, const struct aot_rules *rules,
    struct arena *a, struct program *out, struct error *e)
{
	*out = *p;
	for (int k = 0; k < n; k++) {
		const struct level_derivation d = {.wrt = t[k].wrt,
		    .n_wrt = t[k].n_wrt,
		    .seed = t[k].seed,
		    .above = above + request_order(t + k + 1, n - k - 1),
		    .below = request_order(t, k),
		    .rules = rules};

		if (!(t[k].kind == TRANSFORM_BATCH       ? aot_batch(out, &t[k], rules, a, out, e)
		            : t[k].kind == TRANSFORM_JVP ? derive_jvp(out, &d, a, out, e)
		                                         : derive_vjp(out, &d, a, out, e)))
			return false;
	}
	return true;
}

bool aot_batches(const struct program *p, const struct transform *t, int n, const struct aot_rules *rules,
    struct arena *a, struct program *out, struct error *e)
{
	*out = *p;
	for (int k = 0; k < n; k++)
		if (t[k].kind == TRANSFORM_BATCH && !aot_batch(out, &t[k], rules, a, out, e))
			return false;
	return true;
}

bool aot_request(
    const struct testcase *c, const struct aot_rules *rules, struct arena *a, struct program *out, struct error *e)
{
	struct program part[2];
	int result[AOT_ROOM], n = 0, n_part = request_order(c->transform, c->n_transform) ? 2 : 1;
	struct aot *x;

	if (!aot_batches(&c->program, c->transform, c->n_transform, rules, a, &part[0], e) ||
	    (n_part == 2 && !aot_levels(&c->program, c->transform, c->n_transform, 0, rules, a, &part[1], e)))
		return false;
	x = aot_begin(&part[0], a, e);
	if (setjmp(x->fail))
		return false;
	aot_primal(x, &part[0].top);
	n = aot_add_primals(x, result, n, part[0].top.result, part[0].top.n_result);
	if (n_part == 2) {
		int first = x->map[part[0].top.param];

		x->p = &part[1];
		x->map = NEW(a, int, part[1].n_value);
		for (int k = 0; k < part[1].top.n_param; k++)
			x->map[part[1].top.param + k] = first + k;
		aot_primal(x, &part[1].top);
		n = aot_add_primals(x, result, n, part[1].top.result, part[1].top.n_result);
	}
	return aot_end(x, result, n, out);
}
