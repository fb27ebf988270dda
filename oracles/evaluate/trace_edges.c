/* trace_edges.c: the flow over one edge of the trace, as scalars of the trace: partials, sums, ties. */
#include "derivation.h"
#include "internal.h"
#include "oracles/oracle_rules.h"

#include <math.h>
#include <string.h>

#define R MPFR_RNDN

/* ---- scalars ---- */

/* A scalar of a formula for a partial. */
static int formula(struct derivation *d, enum op op, int a, int b)
{
	const int parent[2] = {a, b};
	d->ev->part = TRACE_FORMULA;
	return trace_scalar(d->ev, op, op, d->dtype, parent, b == ABSENT ? 1 : 2);
}

int derived_flow(struct derivation *d, enum op op, enum dtype dtype, const int *parent, int n)
{
	d->ev->part = TRACE_FLOW;
	return trace_scalar(d->ev, op, op, dtype, parent, n);
}

int derived_constant(struct derivation *d, double x)
{
	for (int i = 0; i < d->n_constant; i++)
		if (d->constant[i].dtype == d->dtype && d->constant[i].value == x)
			return d->constant[i].scalar;
	d->ev->part = TRACE_FORMULA;
	int k = trace_leaf(d->ev, d->dtype, x);
	if (d->n_constant < CONSTANTS) {
		d->constant[d->n_constant].dtype = d->dtype;
		d->constant[d->n_constant].value = x;
		d->constant[d->n_constant++].scalar = k;
	}
	return k;
}

int derived_sum(struct derivation *d, enum dtype dtype, const int *term, int n)
{
	return n == 0 ? ABSENT : n == 1 ? term[0] : derived_flow(d, OP_REDUCE_SUM, dtype, term, n);
}

static int times(struct derivation *d, int g, int p)
{
	return derived_flow(d, OP_MUL, d->dtype, (const int[2]){g, p}, 2);
}
int derived_over(struct derivation *d, int g, int p)
{
	return derived_flow(d, OP_DIV, d->dtype, (const int[2]){g, p}, 2);
}
static int negated(struct derivation *d, int g) { return derived_flow(d, OP_NEG, d->dtype, &g, 1); }

/* ---- partials ---- */

/* The first of the largest parents of logsumexp k. Engines subtract it from all parents and need not treat it as a
 * constant. */
static int largest(struct derivation *d, int k, const int *parent)
{
	if (d->shared_k != k || d->shared_largest == ABSENT) {
		d->shared_k = k;
		d->shared_mean = ABSENT;
		d->shared_largest = parent[0];
		for (int j = 1; j < d->ev->scalar[k].n_parent; j++)
			if (mpfr_greater_p(d->ev->value[parent[j]], d->ev->value[d->shared_largest]))
				d->shared_largest = parent[j];
	}
	return d->shared_largest;
}

/*
 * The product of the other factors. Its grouping is the engine's choice. An engine may also divide the whole product by
 * one factor. In the next order, that leaves y/x - y/x where the other factors leave nothing. So the oracle evaluates
 * both forms (analytic/quotients.h).
 */
static int product_without(struct derivation *d, int k, const int *parent, int j)
{
	if (mpfr_zero_p(d->ev->value[parent[j]]) || d->ev->scalar[parent[j]].op == OP_CUMPROD)
		return parent[1 - j];
	d->ev->product = d->ev->scalar[k].kind;
	return d->ev->quotients ? formula(d, OP_DIV, k, parent[j]) : parent[1 - j];
}

/* The power k as its derivatives read it. Engines may compute a^(b - 1) instead, so its ball is wider than that of k.
 */
static int power(struct derivation *d, int k, const int *parent)
{
	if (mpfr_zero_p(d->ev->value[parent[0]]))
		return k;
	d->ev->part = TRACE_FORMULA;
	return trace_scalar(d->ev, OP_CAST, OP_POW, d->dtype, &k, 1);
}

/* a^(b - 1), computed from the power itself where possible. */
static int power_less_one(struct derivation *d, int k, const int *parent)
{
	if (!mpfr_zero_p(d->ev->value[parent[0]]))
		return formula(d, OP_DIV, power(d, k, parent), parent[0]);
	return formula(d, OP_POW, parent[0], formula(d, OP_SUB, parent[1], derived_constant(d, 1)));
}

static void set_two_over_root_pi(mpfr_ptr x)
{
	mpfr_const_pi(x, R);
	mpfr_rec_sqrt(x, x, R);
	mpfr_mul_2ui(x, x, 1, R);
}

static int two_over_root_pi(struct derivation *d)
{
	d->ev->part = TRACE_FORMULA;
	return trace_leaf_real(d->ev, d->dtype, set_two_over_root_pi);
}

enum { ANY = -1 };

#define N(c)               derived_constant(d, c)
#define A                  parent[0]
#define B                  parent[1]
#define X                  parent[j]
#define Y                  k
#define ADD(a, b)          formula(d, OP_ADD, a, b)
#define SUB(a, b)          formula(d, OP_SUB, a, b)
#define MUL(a, b)          formula(d, OP_MUL, a, b)
#define DIV(a, b)          formula(d, OP_DIV, a, b)
#define FLOOR_DIVIDE(a, b) formula(d, OP_FLOOR_DIVIDE, a, b)
#define NEG(a)             formula(d, OP_NEG, a, ABSENT)
#define LOG(a)             formula(d, OP_LOG, a, ABSENT)
#define EXP(a)             formula(d, OP_EXP, a, ABSENT)
#define SIN(a)             formula(d, OP_SIN, a, ABSENT)
#define COS(a)             formula(d, OP_COS, a, ABSENT)
#define SINH(a)            formula(d, OP_SINH, a, ABSENT)
#define COSH(a)            formula(d, OP_COSH, a, ABSENT)
#define SQRT(a)            formula(d, OP_SQRT, a, ABSENT)
#define RSQRT(a)           formula(d, OP_RSQRT, a, ABSENT)
#define SQUARE(a)          formula(d, OP_SQUARE, a, ABSENT)

/* The adjacent side b of atan2, with a rounding error at the size of the hypotenuse. The reciprocal root always
 * makes it inexact. */
static int beside(struct derivation *d, const int *parent)
{
	int square = ADD(SQUARE(A), SQUARE(B)), h = MUL(square, RSQRT(square));
	return ADD(B, MUL(N(0.0625), SUB(h, h)));
}

#define PASTE(op, line)  factor_##op##_##line
#define FACTOR(op, line) PASTE(op, line)
#define EDGE(op, which, how, factor) \
	static int FACTOR(op, __LINE__)(struct derivation * d, int k, const int *parent, int j) \
	{ \
		return (void)d, (void)k, (void)parent, (void)j, (factor); \
	}
#include "trace_derive.def"
#undef EDGE

const struct edge_rule trace_edge_rules[OP_COUNT][2] = {
#define EDGE(op, which, how, factor) [OP_##op][(which) > 0] = {EDGE_##how, FACTOR(op, __LINE__)},
#include "trace_derive.def"
#undef EDGE
};

static const struct edge_rule *rule_of(const struct derivation *d, enum op op, int j)
{
	const struct edge_rule(*rules)[2] = d->s->inside ? d->ev->rules->inside : d->ev->rules->edge,
	             *rule = &rules[op][j > 0 && rules[op][1].factor];
	return rule->factor ? rule : NULL;
}

int trace_scaled(struct derivation *d, int scalar)
{
	int factor = derived_constant(d, 1 + 0x1p-30);
	return scalar < 0 ? factor : formula(d, OP_MUL, scalar, factor);
}

enum op trace_op_of(const struct derivation *d, int k) { return d->ev->scalar[k].op; }

/* ---- edges ---- */

/* What scalar k does at a tie when no hook is asked. */
static enum tie_choice at_tie(const struct derivation *d, int k)
{
	return d->ev->quiet && d->ev->at_ties ? d->ev->at_ties[d->ev->scalar[k].kind] : TIE_FIRST;
}

/* The parent that a max, min, abs or norm selects at its kink when no hook is asked. With hooks, the hook `unsure`
 * decides whether an engine may choose. */
static int winner(const struct derivation *d, int k, const int *parent)
{
	const int n = d->ev->scalar[k].n_parent;
	int found = ABSENT; /* for a NaN there is none */
	for (int i = 0; i < n && (found == ABSENT || at_tie(d, k) == TIE_LAST); i++)
		if (mpfr_equal_p(d->ev->value[parent[i]], d->ev->value[k]))
			found = parent[i];
	return found;
}

/* g over an abs. */
static int over_abs(struct derivation *d, int k, int a, int g)
{
	const int sign = mpfr_sgn(d->ev->value[a]);
	const enum tie_choice choice = at_tie(d, k);
	if (sign == 0 && choice == TIE_EVEN)
		return ABSENT;
	return sign < 0 || (sign == 0 && choice == TIE_LAST) ? negated(d, g) : g;
}

/* g / n, computed once for the n edges of a mean. */
static int share_of_mean(struct derivation *d, int k, int n, int g)
{
	if (d->shared_k != k || d->shared_mean == ABSENT || d->shared_flow != g) {
		d->shared_k = k;
		d->shared_largest = ABSENT;
		d->shared_flow = g;
		d->shared_mean = derived_over(d, g, derived_constant(d, n));
	}
	return d->shared_mean;
}

/* The unknown flow over an edge of scalar k. Its partials depend on all parents of k. */
static int unknown(struct derivation *d, int k, int g, enum dtype to)
{
	const struct scalar s = d->ev->scalar[k];
	struct arena_mark mark = arena_mark(d->ev->arena);
	int *parent = NEW(d->ev->arena, int, s.n_parent + 1);
	parent[0] = g;
	memcpy(parent + 1, d->ev->parent + s.parent, (size_t)s.n_parent * sizeof *parent);
	d->ev->part = TRACE_FLOW;
	int out = trace_uncertain(d->ev, to, parent, s.n_parent + 1, k);
	arena_rewind(d->ev->arena, mark);
	return out;
}

bool trace_op_is_linear(enum op op)
{
	switch ((int)op) {
	case OP_ADD:
	case OP_SUB:
	case OP_NEG:
	case OP_REDUCE_SUM:
	case OP_REDUCE_MEAN:
	case OP_CAST:
		return true;
	default:
		return false;
	}
}

bool edge_uncertain(const struct derivation *d, int k)
{
	const struct evaluation *ev = d->ev;
	bool unsure = ev->hooks.unsure && !ev->quiet && ev->hooks.unsure(ev->hooks.self, ev, k);
	return unsure || (!trace_op_is_linear(ev->scalar[k].op) && isinf(trace_radius(ev, k)));
}

/* The flow over an edge that no path uses. An engine that masks by multiplication may still let a NaN pass. */
static int masked(struct derivation *d, int k, int g, enum dtype to)
{
	return isinf(trace_radius(d->ev, g)) ? unknown(d, k, g, to) : ABSENT;
}

/* Whether parent j is the extremum k. With hooks, uncertain() was asked before, so all parents with the value of
 * the extremum are known to be alike. */
static bool wins(const struct derivation *d, int k, const int *parent, int j)
{
	const struct evaluation *ev = d->ev;
	if ((ev->hooks.unsure && !ev->quiet) || at_tie(d, k) == TIE_EVEN)
		return mpfr_equal_p(ev->value[parent[j]], ev->value[k]) != 0;
	return parent[j] == winner(d, k, parent);
}

/* g in shares: one for each time the winner occurs as a parent. An engine that does not recognize them as one
 * parent adds up rounded shares. */
static int share_of_winner(struct derivation *d, int k, const int *parent, int g)
{
	int n = 0;
	for (int i = 0; i < d->ev->scalar[k].n_parent; i++)
		n += wins(d, k, parent, i);
	return n > 1 ? share_of_mean(d, k, n, g) : g;
}

/* Whether a^b is 0^0 with a b that nothing moves. a^0 is 1, but b a^(b - 1) is 0 times infinity there. */
static bool is_one(const struct evaluation *ev, const int *parent)
{
	return mpfr_zero_p(ev->value[parent[0]]) && mpfr_zero_p(ev->value[parent[1]]) && trace_is_still(ev, parent[1]);
}

int edge_cross(struct derivation *d, int k, const int *parent, int j, int g, enum dtype to)
{
	struct evaluation *ev = d->ev;
	const struct scalar s = ev->scalar[k];
	d->dtype = s.dtype;
	if (edge_uncertain(d, k))
		return unknown(d, k, g, to);
	switch ((int)s.op) {
	case OP_CAST:
		return s.dtype == ev->scalar[parent[j]].dtype ? g : derived_flow(d, OP_CAST, to, &g, 1);
	case OP_REDUCE_SUM:
		return g;
	case OP_REDUCE_MEAN:
		return share_of_mean(d, k, s.n_parent, g);
	case OP_MATMUL:
		return times(d, g, parent[j ^ 1]);
	case OP_ABS:
		return over_abs(d, k, parent[0], g);
	case OP_MAX:
	case OP_MIN:
	case OP_REDUCE_MAX:
	case OP_REDUCE_MIN:
		return wins(d, k, parent, j) ? share_of_winner(d, k, parent, g) : masked(d, k, g, to);
	case OP_SORT:
		return ev->hooks.unsure && !ev->quiet ? share_of_mean(d, k, s.n_parent, g) : j == s.rank ? g : ABSENT;
	case OP_SELECT:
	case OP_FIXED_POINT:
		return j == 0 ? g : ABSENT; /* certain only in an evaluation without hooks */
	default:
		break;
	}
	const struct edge_rule *rule = s.op == OP_POW && j == 0 && is_one(ev, parent) ? NULL : rule_of(d, s.op, j);
	if (!rule)
		return masked(d, k, g, to);
	if (rule->how == EDGE_SAME)
		return g;
	if (rule->how == EDGE_NEGATED)
		return negated(d, g);
	ev->derivations = s.op == OP_DIV ? (uint8_t)(s.derivations + 1) : 0;
	int factor = rule->factor(d, k, parent, j),
	    product = rule->how == EDGE_OVER || rule->how == EDGE_MINUS_OVER ? derived_over(d, g, factor) : ABSENT;
	ev->derivations = 0;
	if (product == ABSENT)
		product = times(d, g, factor);
	return rule->how == EDGE_TIMES || rule->how == EDGE_OVER ? product : negated(d, product);
}
