/*
 * flow.c: guesses which inputs a value passes derivatives to, and how far it is rounded (struct gen_trait).  A path
 * counts only if it does not depend on the point: both sides of a select, max or cond must carry it.  A wrong guess
 * wastes a case and proves nothing.
 */
#include "generator.h"

#include "graph/loop.h"

static double larger(double x, double y) { return x > y ? x : y; }

static struct gen_trait any(struct gen_trait a, struct gen_trait b)
{
	return (struct gen_trait){
	    a.covered | b.covered, a.whole | b.whole, a.curved | b.curved, a.tied || b.tied, larger(a.wear, b.wear)};
}

static struct gen_trait both(struct gen_trait a, struct gen_trait b)
{
	return (struct gen_trait){
	    a.covered & b.covered, a.whole & b.whole, a.curved & b.curved, a.tied || b.tied, larger(a.wear, b.wear)};
}

static bool is_zero(const struct gen *g, int value)
{
	return g->info[value].range.lo == 0 && g->info[value].range.hi == 0;
}

/* Every element of the result comes from an operand, but only some elements of the operands are used. */
static struct gen_trait part(struct gen_trait a, bool all)
{
	if (!all)
		a.whole = 0;
	return a;
}

/* A function with a second derivative. */
static struct gen_trait curve(struct gen_trait a, bool curved)
{
	if (curved)
		a.curved |= a.covered;
	return a;
}

/* Far out, the derivatives of these ops round to 0. */
static bool saturates(enum op op, double magnitude)
{
	return magnitude > 32 && (op == OP_TANH || op == OP_ERF || op == OP_LOGISTIC);
}

static struct gen_trait of_unary(const struct gen *g, const struct node *n)
{
	if (saturates(n->op, range_magnitude(g->info[n->arg[0]].range)))
		return (struct gen_trait){0};
	return curve(gen_flow(g, n->arg[0]), op_table[n->op].regularity == REGULARITY_SMOOTH);
}

static struct gen_trait of_binary(const struct gen *g, const struct node *n)
{
	const int x = n->arg[0], y = n->arg[1];
	const struct gen_trait a = gen_flow(g, x), b = gen_flow(g, y);
	struct gen_trait out = any(a, b);

	switch (n->op) {
	case OP_SUB:
		return x == y ? (struct gen_trait){0} : out;
	case OP_MUL:
		if (is_zero(g, x) || is_zero(g, y))
			return (struct gen_trait){0};
		out.curved |= a.covered & b.covered;
		return out;
	case OP_DIV:
		if (x == y || is_zero(g, x))
			return (struct gen_trait){0};
		out.curved |= b.covered;
		return out;
	case OP_POW:
		return is_zero(g, y) ? (struct gen_trait){0} : curve(out, true);
	case OP_ATAN2:
		return curve(out, true);
	case OP_MOD:
		return a;
	case OP_MAX:
	case OP_MIN:
		return both(a, b);
	default:
		return out;
	}
}

/* Whether all indices surely lie inside the axis, or the mode brings them there. */
static bool reads_inside(const struct gen *g, const struct node *n)
{
	const struct range r = g->info[n->arg[1]].range;

	return n->attrs.mode != MODE_DROP || (r.lo >= 0 && r.hi < gen_type(g, n->arg[0])->shape.extent[n->attrs.axis]);
}

/* Some elements of operand 0 are replaced by elements of `from`. */
static struct gen_trait replaced(const struct gen *g, const struct node *n, int from, bool surely)
{
	const struct gen_trait old = gen_flow(g, n->arg[0]), new = gen_flow(g, from);

	if (surely && gen_elements(g, from) == gen_elements(g, n->arg[0]))
		return new;
	return (struct gen_trait){
	    .covered = old.covered & new.covered, .whole = surely ? new.whole : 0, .curved = old.curved &new.curved};
}

static struct gen_trait of_scatter(const struct gen *g, const struct node *n)
{
	const struct gen_trait x = gen_flow(g, n->arg[0]), updates = gen_flow(g, n->arg[2]);

	if (n->op == OP_SCATTER_ADD && reads_inside(g, n))
		return (struct gen_trait){.covered = x.covered, .whole = x.whole | updates.whole, .curved = x.curved};
	return n->op == OP_SCATTER_ADD || n->op == OP_SCATTER_MUL ? x : replaced(g, n, n->arg[2], false);
}

static struct gen_trait of_reduce(const struct gen *g, const struct node *n)
{
	const struct gen_trait a = gen_flow(g, n->arg[0]);
	const bool one = gen_elements(g, n->arg[0]) == gen_elements(g, n->out);

	if (n->op == OP_REDUCE_MAX || n->op == OP_REDUCE_MIN)
		return part(a, one);
	return curve(a, !one && n->op != OP_REDUCE_SUM && n->op != OP_REDUCE_MEAN);
}

static struct gen_trait of_concatenate(const struct gen *g, const struct node *n)
{
	struct gen_trait out = gen_flow(g, n->arg[0]);

	for (int i = 1; i < n->n_arg; i++) {
		const struct gen_trait f = gen_flow(g, n->arg[i]);

		out.covered &= f.covered;
		out.whole |= f.whole;
		out.curved &= f.curved;
	}
	return out;
}

static struct gen_trait of_product(const struct gen *g, const struct node *n)
{
	const struct gen_trait a = gen_flow(g, n->arg[0]), b = gen_flow(g, n->arg[1]);
	struct gen_trait out = any(a, b);

	out.curved |= a.covered & b.covered;
	return out;
}

/* An op without regions. */
static struct gen_trait of_plain(const struct gen *g, const struct node *n)
{
	const struct op_info *op = &op_table[n->op];

	if (!gen_is_float(g, n->out) || op->regularity == REGULARITY_STEP || op->regularity == REGULARITY_DISCRETE ||
	    !n->n_arg)
		return (struct gen_trait){0};
	switch (op->family) {
	case FAMILY_UNARY:
		return of_unary(g, n);
	case FAMILY_BINARY:
		return of_binary(g, n);
	case FAMILY_CLAMP:
		return both(gen_flow(g, n->arg[0]), both(gen_flow(g, n->arg[1]), gen_flow(g, n->arg[2])));
	case FAMILY_SELECT:
		return both(gen_flow(g, n->arg[1]), gen_flow(g, n->arg[2]));
	case FAMILY_SLICE:
	case FAMILY_DYNAMIC_SLICE:
		return part(gen_flow(g, n->arg[0]), gen_elements(g, n->out) == gen_elements(g, n->arg[0]));
	case FAMILY_SLICE_SCATTER:
	case FAMILY_DYNAMIC_UPDATE_SLICE:
		return replaced(g, n, n->arg[1], true);
	case FAMILY_PAD:
	case FAMILY_CONCATENATE:
		return of_concatenate(g, n);
	case FAMILY_GATHER:
	case FAMILY_TAKE_ALONG_AXIS:
		return reads_inside(g, n) ? part(gen_flow(g, n->arg[0]), gen_elements(g, n->arg[0]) == 1)
		                          : (struct gen_trait){0};
	case FAMILY_SCATTER:
		return of_scatter(g, n);
	case FAMILY_MASKED_SCATTER:
		return replaced(g, n, n->arg[2], false);
	case FAMILY_REDUCE:
		return of_reduce(g, n);
	case FAMILY_CUMULATIVE:
		return curve(gen_flow(g, n->arg[0]), n->op == OP_CUMPROD && gen_elements(g, n->arg[0]) > 1);
	case FAMILY_MATMUL:
		return of_product(g, n);
	default:
		return gen_flow(g, n->arg[0]);
	}
}

/* ---- rounding and equal elements ---- */

/* By how much an op enlarges relative errors at its operand's largest magnitude. */
static double growth(const struct gen *g, const struct node *n)
{
	const double m = range_magnitude(g->info[n->arg[0]].range), most = m < 32 ? m : 32;

	switch (n->op) {
	case OP_EXP:
	case OP_EXPM1:
	case OP_SINH:
	case OP_COSH:
	case OP_SIN:
	case OP_COS:
	case OP_TAN:
		return larger(1, most);
	case OP_SQUARE:
	case OP_SUB:
		return 2;
	case OP_POW:
		return larger(1, range_magnitude(g->info[n->arg[1]].range));
	case OP_REDUCE_PROD:
	case OP_CUMPROD:
		return larger(1, gen_elements(g, n->arg[0]) < 16 ? gen_elements(g, n->arg[0]) : 16);
	default:
		return 1;
	}
}

/* A rough relative error of the result, as relative errors add up along the longest chain. */
static double wear_of(const struct gen *g, const struct node *n)
{
	const enum regularity r = op_table[n->op].regularity;
	const bool product = n->op == OP_MUL || n->op == OP_DIV || n->op == OP_MATMUL || n->op == OP_SCATTER_MUL;
	const bool rounds = (r == REGULARITY_SMOOTH || r == REGULARITY_LINEAR) && n->op != OP_NEG;
	double wear = 0;

	if (!gen_is_float(g, n->out))
		return 0;
	for (int i = 0; i < n->n_arg; i++) {
		const double w = gen_flow(g, n->arg[i]).wear;

		wear = product ? wear + w : larger(wear, w);
	}
	if (!rounds || !n->n_arg)
		return wear;
	return wear * growth(g, n) + dtype_table[gen_type(g, n->out)->dtype].unit;
}

/* Whether elements of the result may be equal although rounding tells them apart. */
static bool ties_of(const struct gen *g, const struct node *n)
{
	bool tied = true;

	if (gen_elements(g, n->out) < 2)
		return false;
	switch (op_table[n->op].family) {
	case FAMILY_UNARY:
	case FAMILY_BINARY:
	case FAMILY_CAST:
	case FAMILY_RESHAPE:
	case FAMILY_TRANSPOSE:
	case FAMILY_REVERSE:
	case FAMILY_SQUEEZE:
	case FAMILY_SLICE:
	case FAMILY_CUMULATIVE:
		for (int i = 0; i < n->n_arg; i++)
			tied &= gen_elements(g, n->arg[i]) < 2 || gen_flow(g, n->arg[i]).tied;
		return tied || op_table[n->op].regularity == REGULARITY_STEP ||
		    op_table[n->op].regularity == REGULARITY_KINK;
	default:
		return true;
	}
}

/* ---- ops with regions ---- */

static void of_node(struct gen *g, const struct node *n);

static void into_region(struct gen *g, const struct region *r)
{
	for (int i = 0; i < r->n_node; i++)
		of_node(g, &r->node[i]);
}

/* The first iteration decides.  If there may be none, the initial values must carry the flow as well. */
static void of_loop(struct gen *g, const struct node *n, const struct node_loop *l)
{
	const bool skipped = n->op == OP_WHILE || l->counted || (n->op == OP_FOR && !n->attrs.trip);

	for (int i = 0; i < l->n_index; i++)
		g->flow[l->body->param + i] = (struct gen_trait){0};
	for (int i = 0; i < l->n_carry + l->n_xs; i++)
		g->flow[l->first_param + i] = gen_flow(g, n->arg[l->first_arg + i]);
	into_region(g, l->body);
	for (int i = 0; i < n->n_out; i++) {
		const bool carry = i < l->n_carry;
		const struct gen_trait first = carry ? gen_flow(g, n->arg[l->first_arg + i]) : (struct gen_trait){0},
		                       f = gen_flow(g, l->body->result[i]);
		const int most = n->attrs.trip > n->attrs.cap ? n->attrs.trip : n->attrs.cap;

		g->flow[n->out + i] = skipped && carry ? both(f, first) : f;
		g->flow[n->out + i].wear = larger(first.wear, first.wear + most * (f.wear - first.wear));
		g->flow[n->out + i].tied |= !carry && gen_elements(g, n->out + i) > 1;
	}
}

static void of_region(struct gen *g, const struct node *n)
{
	const struct region *r = n->region;
	struct gen_trait all = {0};

	switch (op_table[n->op].family) {
	case FAMILY_COND:
		into_region(g, &r[0]);
		into_region(g, &r[1]);
		for (int i = 0; i < n->n_out; i++)
			g->flow[n->out + i] = both(gen_flow(g, r[0].result[i]), gen_flow(g, r[1].result[i]));
		return;
	case FAMILY_SCATTER_APPLY:
		g->flow[r->param] = gen_flow(g, n->arg[0]);
		into_region(g, r);
		g->flow[n->out] = both(gen_flow(g, n->arg[0]), gen_flow(g, r->result[0]));
		return;
	case FAMILY_CUSTOM:
	case FAMILY_DERIVATIVE:
		for (int i = 0; i < n->n_arg; i++)
			all = any(all, gen_flow(g, n->arg[i]));
		for (int i = 0; i < n->n_out; i++)
			g->flow[n->out + i] = part(all, n->op == OP_CUSTOM);
		return;
	default:
		into_region(g, r); /* checkpoint */
		for (int i = 0; i < n->n_out; i++)
			g->flow[n->out + i] = gen_flow(g, r->result[i]);
	}
}

static void of_node(struct gen *g, const struct node *n)
{
	const struct node_loop l = node_loop(n);

	if (l.is_loop)
		of_loop(g, n, &l);
	else if (n->n_region)
		of_region(g, n);
	else
		g->flow[n->out] = of_plain(g, n);
	if (n->n_region)
		return;
	g->flow[n->out].wear = wear_of(g, n);
	g->flow[n->out].tied = ties_of(g, n);
}

bool gen_live(struct gen *g) { return g->p->live && choice_percent(g->c, g->p->live); }

bool gen_steady(struct gen *g) { return g->p->steady && choice_percent(g->c, g->p->steady); }

bool gen_is_close(const struct gen *g, int value)
{
	return gen_is_float(g, value) && g->info[value].noisy && gen_flow(g, value).tied;
}

void gen_flow_of_last(struct gen *g)
{
	if (!g->p->live && !g->p->steady)
		return;
	GROW(g->a, g->flow, &g->flow_room, g->b.program.n_value);
	of_node(g, build_last(&g->b));
}

void gen_flow_set(struct gen *g, int value, struct gen_trait f)
{
	if (!g->p->live && !g->p->steady)
		return;
	GROW(g->a, g->flow, &g->flow_room, g->b.program.n_value);
	g->flow[value] = f;
}

struct gen_trait gen_flow(const struct gen *g, int value)
{
	return value < g->flow_room ? g->flow[value] : (struct gen_trait){0};
}
