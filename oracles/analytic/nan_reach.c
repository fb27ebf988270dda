/* nan_reach.c: see nan_reach.h. */
#include "nan_reach.h"
#include "oracles/ball/rules.h"
#include "oracles/evaluate/trace_derive.h"
#include "singular.h"
#include "oracles/evaluate/double_of.h"

#include <math.h>
#include <string.h>

#define R MPFR_RNDN

enum { ROUNDS = 8 }; /* of passing on what masks pass on; more is not tried */

/* What is known by scalar, of self->ev.n_scalar. */
struct nan_search {
	struct analytic *self;
	int order;
	mpfr_exp_t range;          /* trace_range of that order */
	double max;                /* the least largest number of the float dtypes: a derivative may be cast to any */
	bool zeros;                /* what does not move has a tangent too, a 0 that multiplies like any number */
	uint8_t *moves;            /* it depends on a differentiated input, also by a path that a mask cuts */
	uint8_t *bad;              /* a usual formula of a derivative of it gives an infinity or a NaN here */
	uint8_t *tainted;          /* it is bad, or depends on a bad one */
	uint8_t *above;            /* it, or a scalar that depends on it, is nonlinear in a tainted operand */
	double *tangent, *adjoint; /* bounds: sums over paths of the products of |partials|, times the seeds */
	double *factor;            /* the largest intermediate value of the usual formulas of its derivatives */
	double *formula;           /* the largest value in a usual formula of a partial */
	double *weight;            /* by edge, as ev->parent: a bound of |partial|; 0: nothing passes */
};

static double seeds_of(const struct testcase *c)
{
	double product = 1;

	for (int k = 0; k < c->n_transform; k++) {
		const struct transform *t = &c->transform[k];
		double largest = 1;

		for (int i = 0; i < t->n_seed; i++)
			if (dtype_is_float(t->seed[i].type.dtype))
				for (int e = 0; e < shape_elements(&t->seed[i].type.shape); e++)
					largest = fmax(largest, fabs(t->seed[i].at[e].f));
		product *= largest;
	}
	return product;
}

/* ---- what is bad ---- */

/* Whether the value of scalar k may be infinite or NaN in an engine. */
static bool is_unbounded(const struct analytic *self, int k)
{
	const struct note *n = &self->note[k];

	return !mpfr_number_p(self->ev.value[k]) || n->escapes || (n->danger && n->far == INFINITY) ||
	    !(n->magnitude + n->radius <= self->dtype[self->ev.scalar[k].dtype].max);
}

static bool is_exponential(enum op op)
{
	return op == OP_EXP || op == OP_EXPM1 || op == OP_SINH || op == OP_COSH || op == OP_SIN || op == OP_COS;
}

/* Whether the partials of an op are computed from its operands. Those of other ops are operands, or constant. */
static bool is_curved(enum op op)
{
	return (unary_rule_of(op) && op != OP_SQUARE) || op == OP_DIV || op == OP_POW || op == OP_ATAN2 ||
	    op == OP_NORM || op == OP_LOGSUMEXP;
}

/* The largest value in usual formulas of the partial; 0: it is an operand. No formula was noted for an exact one. */
static double formula_of(enum op op, const struct partial *p)
{
	return p->most == 0 && is_curved(op) ? fmax(1, p->magnitude) : p->most;
}

/*
 * A bound of the intermediate values in usual formulas of the derivatives up to that order. A partial without a formula
 * is an operand. The derivatives of an exponential are as large as itself. Near a border of a domain, they grow at most
 * as the powers 3, 5, 7 ... of the first.
 */
static double largest_factor(const struct analytic *self, int k, const struct partial *p, int order)
{
	const struct evaluation *ev = &self->ev;
	const struct scalar *s = &ev->scalar[k];
	const struct unary_rule *rule = unary_rule_of(s->op);
	const double size = fmax(1, p->magnitude + p->loose), formula = formula_of(s->op, p);

	if (formula == 0)
		return size;
	if (is_exponential(s->op))
		return 2 * fmax(size, formula);
	double inner = rule ? rule->inner(double_of(ev->value[ev->parent[s->parent]]), double_of(ev->value[k])) : 1;
	return fmax(pow(2 * fmax(size, formula), 2 * order - 1), pow(inner, order));
}

/* A partial with a reason is unknown: rounding may take another branch, whose partial may be of any size. */
static bool is_bad_partial(const struct partial *p) { return p->singular || p->strays || p->escapes || p->reason; }

/* Whether some derivative of a power of 0, up to that order, is infinite. */
static bool power_blows_up(const struct nan_search *r, int k)
{
	mpfr_srcptr exponent = r->self->ev.value[r->self->ev.parent[r->self->ev.scalar[k].parent + 1]];

	return mpfr_cmp_si(exponent, r->order) < 0 && !(mpfr_integer_p(exponent) && mpfr_sgn(exponent) >= 0);
}

/* Whether scalar k is at a kink of its op. Its second derivative is infinite there. */
static bool at_kink(const struct evaluation *ev, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;

	if (s->op == OP_MAX || s->op == OP_MIN)
		return mpfr_equal_p(ev->value[parent[0]], ev->value[parent[1]]);
	return s->op == OP_ABS && mpfr_zero_p(ev->value[k]);
}

/* Whether scalar k is bad whatever its partials are. */
static bool is_bad_value(const struct nan_search *r, int k)
{
	const struct evaluation *ev = &r->self->ev;
	const struct scalar *s = &ev->scalar[k];
	const bool of_zero = s->op == OP_POW && mpfr_zero_p(ev->value[ev->parent[s->parent]]); /* y b/a */

	if (is_unbounded(r->self, k) || (of_zero && (!r->zeros || power_blows_up(r, k))))
		return true;
	return r->zeros && at_kink(ev, k);
}

/* Whether the partial of scalar k by its parent j is differentiated. A constant exponent is not. */
static bool is_taken(const struct nan_search *r, int k, int j)
{
	const struct scalar *s = &r->self->ev.scalar[k];
	const int parent = r->self->ev.parent[s->parent + j];

	return r->moves[parent] && !(r->zeros && s->op == OP_POW && j == 1 && !r->self->note[parent].active);
}

/* Takes the partials of scalar k. */
static void take_partials(struct nan_search *r, const struct conventions *conventions, int k)
{
	struct analytic *self = r->self;
	const struct scalar *s = &self->ev.scalar[k];
	const int *parent = self->ev.parent + s->parent;

	r->factor[k] = 1;
	r->bad[k] = is_bad_value(r, k);
	for (int j = 0; j < s->n_parent; j++) {
		struct partial p = {.value = self->partial};

		r->bad[k] |= is_unbounded(self, parent[j]);
		if (!is_taken(r, k, j) || !analytic_partial(self, conventions, k, j, &p))
			continue;
		if (self->note[k].unsure && !self->note[k].reason) { /* it is one of its operands, or minus one */
			r->weight[s->parent + j] = 1;
			continue;
		}
		r->bad[k] |= is_bad_partial(&p);
		r->formula[k] = fmax(r->formula[k], formula_of(s->op, &p));
		if (p.reason)
			continue;
		r->weight[s->parent + j] = p.magnitude + p.loose;
		r->factor[k] = fmax(r->factor[k], largest_factor(self, k, &p, r->order));
	}
}

/* Bounds the first derivatives, masked parts included. */
static void bound_flows(struct nan_search *r, const struct testcase *c, double seeds)
{
	const struct evaluation *ev = &r->self->ev;

	for (int k = 0; k < ev->n_scalar; k++) {
		const struct scalar *s = &ev->scalar[k];

		if (k < r->self->n_input_scalar && r->self->note[k].active)
			r->tangent[k] = seeds;
		for (int j = 0; j < s->n_parent; j++)
			if (r->weight[s->parent + j] > 0)
				r->tangent[k] += r->weight[s->parent + j] * r->tangent[ev->parent[s->parent + j]];
	}
	for (int i = 0; i < ev->n_result; i++) {
		const struct type *type = &c->program.type[c->program.top.result[i]];

		for (int e = 0; dtype_is_float(type->dtype) && e < shape_elements(&type->shape); e++)
			r->adjoint[ev->result[i].at[e].scalar] += seeds;
	}
	for (int k = ev->n_scalar - 1; k >= 0; k--) {
		const struct scalar *s = &ev->scalar[k];

		for (int j = 0; j < s->n_parent && r->adjoint[k] > 0; j++)
			if (r->weight[s->parent + j] > 0)
				r->adjoint[ev->parent[s->parent + j]] += r->weight[s->parent + j] * r->adjoint[k];
	}
}

/* A bound of all intermediate values: below trace_range where no op is singular, and no formula of a partial strays. A
 * formula may do that alone: tanh' = 1/cosh^2 is 0 far out, and its derivative is infinity over infinity. */
static double most_of_all(const struct nan_search *r)
{
	const double most = ldexp(1, (int)r->range);

	for (int k = 0; k < r->self->ev.n_scalar; k++)
		if (r->bad[k] || !(r->formula[k] < most))
			return INFINITY;
	return r->zeros || r->self->singular ? INFINITY : most;
}

/* Whether a flow may leave the range where a formula of scalar k multiplies it before a zero does. */
static bool overflows(const struct nan_search *r, int k, double most)
{
	const struct evaluation *ev = &r->self->ev;
	const struct scalar *s = &ev->scalar[k];
	double flow = fmax(1, fmax(r->adjoint[k], r->tangent[k]));

	for (int j = 0; j < s->n_parent; j++)
		flow = fmax(flow, r->tangent[ev->parent[s->parent + j]]);
	if (r->order > 2 && mpfr_regular_p(ev->value[k]) && mpfr_get_exp(ev->value[k]) >= r->range)
		return true;
	return !(8 * fmin(r->factor[k], most) * pow(flow, r->order - 1) <= r->max);
}

/* ---- where it goes ---- */

/* Whether the partial of scalar k by its parent j depends on parent i. */
static bool depends(const struct evaluation *ev, int k, int j, int i)
{
	const enum op op = ev->scalar[k].op;

	return op == OP_MUL || op == OP_CUMPROD ? i != j : op == OP_MATMUL ? i == (j ^ 1) : !trace_op_is_linear(op);
}

/* Whether a second derivative of scalar k meets what its operands are tainted with. */
static bool meets(const struct nan_search *r, int k)
{
	const struct evaluation *ev = &r->self->ev;
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;

	if (r->bad[k])
		return true;
	for (int i = 0; i < s->n_parent; i++)
		for (int j = 0; r->tainted[parent[i]] && j < s->n_parent; j++)
			if (r->moves[parent[j]] && depends(ev, k, j, i))
				return true;
	return false;
}

/* A pass over the trace and its masked paths sets more marks. True: it did. */
typedef bool pass_fn(struct nan_search *r);

static bool set(uint8_t *mark, bool on)
{
	bool changed = on && !*mark;

	*mark |= on;
	return changed;
}

static bool pass_moves(struct nan_search *r)
{
	const struct evaluation *ev = &r->self->ev;
	bool changed = false;

	for (int k = 0; k < ev->n_scalar; k++)
		for (int j = 0; j < ev->scalar[k].n_parent; j++)
			if (ev->scalar[k].op != OP_STOP_GRADIENT)
				set(&r->moves[k], r->moves[ev->parent[ev->scalar[k].parent + j]]);
	for (int i = 0; i < ev->n_masked; i++)
		changed |= set(&r->moves[ev->masked[i].to], r->moves[ev->masked[i].from]);
	return changed;
}

static bool pass_tainted(struct nan_search *r)
{
	const struct evaluation *ev = &r->self->ev;
	bool changed = false;

	for (int k = 0; k < ev->n_scalar; k++)
		for (int j = 0; j < ev->scalar[k].n_parent; j++)
			if (r->moves[k])
				set(&r->tainted[k], r->tainted[ev->parent[ev->scalar[k].parent + j]]);
	for (int i = 0; i < ev->n_masked; i++)
		changed |= set(&r->tainted[ev->masked[i].to], r->tainted[ev->masked[i].from]);
	return changed;
}

static bool pass_above(struct nan_search *r)
{
	const struct evaluation *ev = &r->self->ev;
	bool changed = false;

	for (int i = 0; i < ev->n_masked; i++)
		set(&r->above[ev->masked[i].from], r->above[ev->masked[i].to]);
	for (int k = ev->n_scalar - 1; k >= 0; k--)
		for (int j = 0; j < ev->scalar[k].n_parent; j++)
			set(&r->above[ev->parent[ev->scalar[k].parent + j]], r->above[k]);
	for (int i = 0; i < ev->n_masked; i++)
		changed |= r->above[ev->masked[i].to] && !r->above[ev->masked[i].from];
	return changed;
}

/* Repeats the pass until nothing changes. If that takes too long, everything is marked. */
static void settle(struct nan_search *r, uint8_t *mark, pass_fn *pass)
{
	for (int round = 0; round < ROUNDS; round++)
		if (!pass(r))
			return;
	memset(mark, 1, (size_t)r->self->ev.n_scalar);
}

static double least_max(const struct evaluation *ev)
{
	double least = INFINITY;

	for (int k = 0; k < ev->n_scalar; k++)
		if (dtype_is_float(ev->scalar[k].dtype))
			least = fmin(least, ev->dtype[ev->scalar[k].dtype].max);
	return least;
}

/* A bound of the seeds of derivatives inside the program: they are values of the trace. */
static double largest_value(const struct analytic *self)
{
	double largest = 1;

	for (int k = 0; k < self->ev.n_scalar; k++)
		if (mpfr_number_p(self->ev.value[k]))
			largest = fmax(largest, self->note[k].magnitude);
	return largest;
}

struct nan_reach nan_reach_of(
    struct analytic *self, const struct conventions *conventions, const struct testcase *c, int order, bool zeros)
{
	const struct evaluation *ev = &self->ev;
	const int n = ev->n_scalar;
	const bool inside = request_order(c->transform, c->n_transform) < order;
	int kept = 0;
	struct nan_search r = {.self = self,
	    .order = order,
	    .zeros = zeros,
	    .range = trace_range(ev, order),
	    .max = least_max(ev),
	    .moves = NEW(ev->arena, uint8_t, n + 1),
	    .bad = NEW(ev->arena, uint8_t, n + 1),
	    .tainted = NEW(ev->arena, uint8_t, n + 1),
	    .above = NEW(ev->arena, uint8_t, n + 1),
	    .tangent = NEW(ev->arena, double, n + 1),
	    .adjoint = NEW(ev->arena, double, n + 1),
	    .factor = NEW(ev->arena, double, n + 1),
	    .formula = NEW(ev->arena, double, n + 1),
	    .weight = NEW(ev->arena, double, ev->n_parent + 1)};

	for (int i = 0; i < ev->n_masked; i++) /* those of iterations that the evaluator took back do not count */
		if (ev->masked[i].to < n && ev->masked[i].from < n)
			self->ev.masked[kept++] = ev->masked[i];
	self->ev.n_masked = kept;
	self->shared.k = -1;
	for (int k = 0; k < n; k++)
		r.moves[k] = zeros || self->note[k].active;
	settle(&r, r.moves, pass_moves);
	for (int k = 0; k < n; k++)
		if (r.moves[k])
			take_partials(&r, conventions, k);
	bound_flows(&r, c, seeds_of(c) * (inside ? largest_value(self) : 1));
	const double most = most_of_all(&r);
	bool any = false;
	for (int k = 0; k < n; k++)
		any |= r.tainted[k] = r.bad[k] |= r.moves[k] && overflows(&r, k, most);
	if (!any)
		return (struct nan_reach){NULL, NULL};
	settle(&r, r.tainted, pass_tainted);
	for (int k = 0; k < n; k++)
		r.above[k] = r.moves[k] && meets(&r, k);
	settle(&r, r.above, pass_above);
	return (struct nan_reach){r.tainted, r.above};
}

bool nan_reaches(const struct analytic *self, const struct testcase *c, const struct nan_reach *reach, int i, int e)
{
	const struct evaluation *ev = &self->ev;
	const struct program *p = &c->program;
	int level = c->n_transform - 1;

	if (!reach->forwards)
		return false;
	while (level >= 0 && c->transform[level].kind != TRANSFORM_VJP)
		level--;
	if (level < 0) /* the tangent of a result */
		return dtype_is_float(p->type[p->top.result[i]].dtype) && reach->forwards[ev->result[i].at[e].scalar];
	int first = ev->input_scalar[c->transform[level].wrt[i]];
	return first >= 0 && reach->backwards[first + e];
}
