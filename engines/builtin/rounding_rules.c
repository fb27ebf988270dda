/*
 * rounding_rules.c: derivatives by seeded rounding.  These structures and seams of an engine's own tables round every
 * step, in any order.
 */
#include <math.h>

#include "adjoint.h"
#include "engines/kernels/parts.h"
#include "engines/kernels/rounding.h"
#include "tangent.h"

/* ---- partials by usual formulas ---- */

/*
 * Formulas that systems use for the partial of an operand, besides the texts of the tables. oracles/TOLERANCE.md
 * promises only the loose ball for them: some cancel, some leave the range.
 */
static const struct {
	enum op op;
	int operand;
	const char *text;
} usual[] = {
    {OP_SQRT, 0, "0.5/y"},
    {OP_RSQRT, 0, "-0.5*y/a"},
    {OP_RSQRT, 0, "-0.5*y*y*y"},
    {OP_EXP, 0, "y"},
    {OP_EXPM1, 0, "y+1"},
    {OP_TAN, 0, "1+y*y"},
    {OP_ASIN, 0, "1/sqrt(1-a*a)"},
    {OP_ACOS, 0, "-1/sqrt(1-a*a)"},
    {OP_ATAN, 0, "1/(1+a*a)"},
    {OP_TANH, 0, "1-y*y"},
    {OP_TANH, 0, "(1-y)*(1+y)"},
    {OP_ASINH, 0, "1/sqrt(1+a*a)"},
    {OP_ACOSH, 0, "1/sqrt(a*a-1)"},
    {OP_ATANH, 0, "1/(1-a*a)"},
    {OP_LOGISTIC, 0, "y*(1-y)"},
    {OP_ERF, 0, "1.1283791670955126*exp(-(a*a))"},
    {OP_DIV, 1, "-y/b"},
    {OP_DIV, 1, "-a/(b*b)"},
    {OP_ATAN2, 0, "b/(a*a+b*b)"},
    {OP_ATAN2, 1, "-a/(a*a+b*b)"},
    {OP_POW, 0, "sel(eq(b,0),0,sel(eq(a,0),b*pow(a,b-1),b*y/a))"},
    {OP_POW, 1, "sel(eq(a,0),0,y*log(a))"},
};

enum { USUAL = sizeof usual / sizeof *usual };
static struct expression usual_expression[USUAL];

/* The table's own formula, or one of the usual ones. */
static const struct expression *formula(enum op op, int operand, const struct expression *own)
{
	int n = 0, pick;

	for (int i = 0; i < USUAL; i++)
		n += usual[i].op == op && usual[i].operand == operand;
	pick = n ? rounding_formula(n + 1) : 0;
	for (int i = 0; i < USUAL && pick; i++)
		if (usual[i].op == op && usual[i].operand == operand && !--pick)
			return &usual_expression[i];
	return own;
}

/* x times p.  A cotangent or tangent x of 0 gives 0 whatever the partial. */
static double strong_product(enum dtype d, double x, double p) { return x == 0 ? 0 : rounding_mul(d, x, p); }

static void adjoint_elementwise_rounded(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct shape *shape = &call->out->type.shape;
	const union cell *operand[RULE_PARTIALS];
	enum dtype d = call->out->type.dtype;
	int n = shape_elements(shape);

	for (int k = 0; k < RULE_PARTIALS; k++)
		operand[k] = k < call->node->n_arg ? adjoint_expand(call->arg[k], shape, call->arena) : call->out->at;
	for (int k = 0; k < call->node->n_arg; k++) {
		union cell *full;

		if (!call->wanted[k] || !call->rule->partial[k].n)
			continue;
		full = NEW(call->arena, union cell, n);
		for (int i = 0; i < n; i++) {
			const struct expression *partial = formula(call->node->op, k, &call->rule->partial[k]);

			full[i].f = strong_product(d, call->cotangent->at[i].f,
			    expression_eval_rounded(
			        partial, d, operand[0][i].f, operand[1][i].f, operand[2][i].f, call->out->at[i].f));
		}
		adjoint_deliver(call, k, shape, full, contribution);
	}
}

static void tangent_elementwise_rounded(const struct tangent_call *call, struct tensor *result)
{
	int n_arg = call->node->n_arg, n = shape_elements(&result->type.shape);
	enum dtype d = result->type.dtype;
	struct broadcast w;

	broadcast_begin(&w, &result->type.shape, call->arg, n_arg);
	for (int i = 0; i < n; i++, broadcast_next(&w)) {
		double operand[RULE_PARTIALS] = {0}, term[RULE_PARTIALS];
		int n_term = 0;

		for (int k = 0; k < n_arg; k++)
			operand[k] = call->arg[k]->at[w.at[k]].f;
		for (int k = 0; k < n_arg; k++) {
			double tangent = call->tangent[k] ? call->tangent[k]->at[w.at[k]].f : 0;

			if (tangent != 0)
				term[n_term++] = rounding_mul(d, tangent,
				    expression_eval_rounded(formula(call->node->op, k, &call->rule->partial[k]), d,
				        operand[0], operand[1], operand[2], call->out->at[i].f));
		}
		result->at[i].f = rounding_sum(d, term, n_term);
	}
}

/* ---- structures that compute ---- */

static void tangent_matmul_rounded(const struct tangent_call *call, struct tensor *result)
{
	struct tensor part = tensor_new(call->arena, &result->type);
	int n = shape_elements(&result->type.shape);

	if (call->tangent[0])
		rounding_matmul(call->tangent[0], call->arg[1], 0, result, call->arena);
	if (!call->tangent[1])
		return;
	rounding_matmul(call->arg[0], call->tangent[1], 1, &part, call->arena);
	for (int i = 0; i < n; i++)
		result->at[i].f = rounding_add(result->type.dtype, result->at[i].f, part.at[i].f);
}

/* The product of all other elements of a group, in random order, times the cotangent. */
static void adjoint_reduce_prod_rounded(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct tensor *x = call->arg[0];
	enum dtype d = x->type.dtype;
	int n = shape_elements(&x->type.shape), *map = reduce_map(call->node, &x->type.shape, call->arena);
	double *factor = NEW(call->arena, double, n);
	union cell *into;

	if (!call->wanted[0])
		return;
	into = adjoint_open(call, 0, contribution);
	for (int i = 0; i < n; i++) {
		double whole = call->out->at[map[i]].f, cotangent = call->cotangent->at[map[i]].f;
		int n_factor = 0;

		if (x->at[i].f != 0 && rounding_formula(2)) {
			into[i].f = strong_product(d, cotangent, rounding_div(d, whole, x->at[i].f));
			continue;
		}
		for (int k = 0; k < n; k++)
			if (k != i && map[k] == map[i])
				factor[n_factor++] = x->at[k].f;
		into[i].f = strong_product(d, cotangent, rounding_product(d, factor, n_factor));
	}
}

/* e^(x - y), or the softmax from the maximum. */
static void adjoint_logsumexp_rounded(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct tensor *x = call->arg[0], *y = call->out;
	enum dtype d = x->type.dtype;
	int n = shape_elements(&x->type.shape), *map = reduce_map(call->node, &x->type.shape, call->arena);

	if (rounding_formula(2) || !call->wanted[0]) {
		adjoint_logsumexp(call, contribution);
		return;
	}
	adjoint_open(call, 0, contribution);
	for (int i = 0; i < n; i++) {
		double below = rounding_add(d, x->at[i].f, -y->at[map[i]].f);

		contribution[0].at[i].f = strong_product(
		    d, call->cotangent->at[map[i]].f, isfinite(below) ? rounding_function(d, exp(below), 1) : 0);
	}
}

/* ḡ (x/y) or (ḡ/y) x or (ḡ x)/y; 0 if y is 0. */
static void adjoint_norm_rounded(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct tensor *x = call->arg[0];
	enum dtype d = x->type.dtype;
	int n = shape_elements(&x->type.shape), *map = reduce_map(call->node, &x->type.shape, call->arena);

	if (!call->wanted[0])
		return;
	adjoint_open(call, 0, contribution);
	for (int i = 0; i < n; i++) {
		double y = call->out->at[map[i]].f, g = call->cotangent->at[map[i]].f;

		if (y != 0 && g != 0)
			contribution[0].at[i].f = rounding_mul(d, g, rounding_div(d, x->at[i].f, y));
	}
}

/* ---- seams ---- */

static bool fold_some(int older, int newer)
{
	(void)older, (void)newer;
	return rounding_pick(2);
}

static void running_sum(enum dtype d, double *x, int n)
{
	for (int i = 1; i < n; i++)
		x[i] = rounding_add(d, x[i], x[i - 1]);
}

static void unbroadcast(const struct tensor *full, struct tensor *operand)
{
	struct cell_walk w = {.shape = full->type.shape};

	shape_broadcast_strides(&operand->type.shape, &full->type.shape, w.step);
	for (int i = 0, n = shape_elements(&full->type.shape); i < n; i++, cell_walk_next(&w))
		operand->at[w.offset].f = rounding_add(operand->type.dtype, operand->at[w.offset].f, full->at[i].f);
}

void rules_round(struct tangent_rules *tangent, struct adjoint_rules *adjoint)
{
	for (int i = 0; i < USUAL; i++)
		expression_known(&usual_expression[i], usual[i].text);
	for (int op = 0; op < OP_COUNT; op++) {
		if (adjoint->row[op].structure == adjoint_elementwise)
			adjoint->row[op].structure = adjoint_elementwise_rounded;
		if (tangent->row[op].structure == tangent_elementwise)
			tangent->row[op].structure = tangent_elementwise_rounded;
	}
	tangent->row[OP_MATMUL].structure = tangent_matmul_rounded;
	adjoint->row[OP_REDUCE_PROD].structure = adjoint_reduce_prod_rounded;
	adjoint->row[OP_LOGSUMEXP].structure = adjoint_logsumexp_rounded;
	adjoint->row[OP_NORM].structure = adjoint_norm_rounded;
	adjoint->multiply = rounding_seam_multiply;
	adjoint->accumulate = rounding_seam_accumulate;
	adjoint->fold = fold_some;
	adjoint->sum = rounding_sum;
	adjoint->running_sum = running_sum;
	adjoint->unbroadcast = unbroadcast;
}
