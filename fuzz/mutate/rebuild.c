/* rebuild.c: rebuilds a program through the builder, with one edit on the way. */
#include "internal.h"

void rebuild_begin(struct rebuild *r, struct gen *g, const struct program *p)
{
	*r = (struct rebuild){.g = g, .p = p, .map = NEW(g->a, int, p->n_value), .at = -1};
	for (int i = 0; i < p->n_value; i++)
		r->map[i] = -1;
	for (int d = 0; d < DTYPE_COUNT; d++)
		r->dtype[d] = (enum dtype)d;
	/* Fresh ops may be added at any size; work still bounds them. */
	g->ops_end = 1 << 20;
}

struct type rebuild_type(const struct rebuild *r, int old)
{
	struct type t = r->p->type[old];

	t.dtype = r->dtype[t.dtype];
	return t;
}

struct tensor rebuild_tensor(const struct rebuild *r, const struct tensor *t)
{
	struct tensor x = tensor_copy(r->g->a, t);
	int n = shape_elements(&t->type.shape);

	x.type.dtype = r->dtype[t->type.dtype];
	for (int i = 0; i < n && dtype_is_float(x.type.dtype); i++)
		x.at[i].f = dtype_round(x.type.dtype, x.at[i].f);
	return x;
}

static struct range tensor_range(const struct tensor *t)
{
	int n = shape_elements(&t->type.shape);
	struct range r = {0, 0};

	for (int i = 0; i < n; i++) {
		double x = tensor_number(t, i);

		r = i ? range_make(x < r.lo ? x : r.lo, x > r.hi ? x : r.hi) : range_make(x, x);
	}
	return r;
}

static bool append_plain(struct rebuild *r, const struct node *old, const struct node *n)
{
	struct gen *g = r->g;
	int v = gen_node(g, n->op, n->arg, n->n_arg, &n->attrs);

	if (v < 0) {
		int arg[LIMIT_ARGS];

		if (n->n_arg != old->n_arg)
			return false;
		for (int i = 0; i < n->n_arg; i++) {
			struct type want = rebuild_type(r, old->arg[i]);

			arg[i] = gen_as(g, n->arg[i], &want);
		}
		v = gen_node(g, n->op, arg, n->n_arg, &n->attrs);
	}
	if (v < 0)
		return false;
	if (n->op == OP_CONSTANT)
		g->info[v].range = tensor_range(&n->attrs.value);
	r->map[old->out] = v;
	return true;
}

/* Opens region `which` of n, rebuilds and closes it.  A flag of `until` is added or dropped. */
static bool append_region(struct rebuild *r, const struct node *n, int which, bool add_flag, bool drop_flag)
{
	const struct region *region = &n->region[which];
	struct gen *g = r->g;
	struct type params[LIMIT_ARGS];
	int init[LIMIT_ARGS], result[LIMIT_ARGS], n_result = region->n_result - drop_flag, first, mark = g->n_pool,
	                                          outer = r->outer;
	struct range range[LIMIT_ARGS];
	int64_t executions = n->op == OP_COND ? 1 : node_executions(&g->b.program, n);
	int trips = executions > LIMIT_WORK ? LIMIT_WORK : (int)executions;
	bool ok = true;

	if (g->depth >= GEN_DEPTH || n_result + add_flag > LIMIT_ARGS || (int64_t)g->multiplier * trips > LIMIT_WORK)
		return false;
	for (int i = 0; i < region->n_param; i++) {
		params[i] = rebuild_type(r, region->param + i);
		init[i] = -1;
		range[i] = range_make(dtype_is_float(params[i].dtype) ? -4 : 0, 4);
	}
	r->outer = mark;
	first = gen_region_open(g, params, init, range, region->n_param, trips);
	for (int i = 0; i < region->n_param; i++)
		r->map[region->param + i] = first + i;
	ok = rebuild_nodes(r, region);
	for (int i = 0; ok && i < n_result; i++) {
		struct type want = rebuild_type(r, region->result[i]);

		result[i] = gen_as(g, r->map[region->result[i]], &want);
		ok = result[i] >= 0;
	}
	if (ok && add_flag) {
		result[n_result] = gen_predicate_scalar(g);
		ok = result[n_result++] >= 0;
	}
	/* A region that failed stays open, because the caller drops the program. */
	if (ok)
		gen_region_close(g, result, n_result, mark, trips);
	r->outer = outer;
	return ok;
}

static bool append_regions(struct rebuild *r, const struct node *old, struct node *n)
{
	struct gen *g = r->g;
	uint32_t deps = 0;
	int v;

	for (int i = 0; i < n->n_arg; i++) {
		struct type want = rebuild_type(r, old->arg[i]);

		n->arg[i] = gen_as(g, n->arg[i], &want);
		if (n->arg[i] < 0)
			return false;
		deps |= g->info[n->arg[i]].deps;
	}
	for (int i = 0; i < n->n_region; i++)
		if (!append_region(r, n, i, n->attrs.until && !old->attrs.until, !n->attrs.until && old->attrs.until))
			return false;
	v = gen_region_node(g, n->op, n->arg, n->n_arg, &n->attrs);
	if (v < 0)
		return false;
	for (int i = 0; i < old->n_out; i++) {
		/* Captures are not followed: a region counts as depending on every input. */
		gen_track(g, v + i, range_make(gen_is_float(g, v + i) ? -8 : 0, 8), deps | 0xffff, true);
		r->map[old->out + i] = v + i;
	}
	return true;
}

bool rebuild_append(struct rebuild *r, const struct node *old, struct node *n)
{
	return n->n_region ? append_regions(r, old, n) : append_plain(r, old, n);
}

static bool rebuild_node(struct rebuild *r, const struct node *old)
{
	struct node n = *old;
	int arg[LIMIT_ARGS];

	for (int i = 0; i < old->n_arg; i++) {
		arg[i] = r->map[old->arg[i]];
		if (arg[i] < 0)
			return false;
	}
	n.arg = arg;
	if (n.op == OP_CONSTANT)
		n.attrs.value = rebuild_tensor(r, &old->attrs.value);
	if (n.op == OP_CAST || n.op == OP_IOTA)
		n.attrs.dtype = r->dtype[n.attrs.dtype];
	if (r->next++ == r->at) {
		enum edit_outcome outcome = r->edit(r, old, &n);

		if (outcome != EDIT_CHANGED)
			return outcome == EDIT_DONE;
	}
	return rebuild_append(r, old, &n);
}

bool rebuild_nodes(struct rebuild *r, const struct region *region)
{
	for (int k = 0; k < region->n_node; k++)
		if (!rebuild_node(r, &region->node[k]))
			return false;
	return true;
}
