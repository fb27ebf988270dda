/* tangent.c: the tangent table, and the structures that its rows name. */
#include "tangent.h"

#include <assert.h>
#include <math.h>

#include "engines/kernels/parts.h"
#include "engines/kernels/rounding.h"

/* ---- packing ---- */

static int all_terms(int n_traced) { return n_traced; }

static int packed_operand(const int *argnums, int n_traced, int i)
{
	(void)n_traced;
	return argnums[i];
}

static int packed_tangent(const int *argnums, int n_traced, int i)
{
	(void)argnums, (void)n_traced;
	return i;
}

static int one_per_output(int n_out, int n_traced)
{
	(void)n_traced;
	return n_out;
}

static int no_output(int n_out, int n_traced)
{
	(void)n_out, (void)n_traced;
	return 0;
}

const struct packing packing_right = {all_terms, packed_operand, packed_tangent, one_per_output};

/*
 * Puts tangents in the order of operands.  A seam may point outside the packed array, or at a tangent of another type:
 * then the tangent is absent.  So a wrong packing is memory-safe here unless its seam is not.
 */
static void unpack(struct tangent_call *call, int n_traced, const int *argnums, const struct tensor *const packed[])
{
	const struct packing *packing = &call->rule->packing;
	int n_term = packing->terms(n_traced);

	for (int i = 0; i < n_term; i++) {
		int operand = packing->operand(argnums, n_traced, i), pick = packing->pick(argnums, n_traced, i);

		if (operand < 0 || operand >= call->node->n_arg || pick < 0 || pick >= n_traced)
			continue;
		if (dtype_is_float(call->arg[operand]->type.dtype) &&
		    type_equal(&packed[pick]->type, &call->arg[operand]->type))
			call->tangent[operand] = packed[pick];
	}
}

/*
 * A tangent of 0 gives 0 whatever the partial.  An operand that no direction reaches contributes nothing, not 0 times
 * infinity.
 */
static double multiply(double tangent, double partial) { return tangent == 0 ? 0 : tangent * partial; }

/* ---- structures ---- */

static void tangent_zero(const struct tangent_call *call, struct tensor *result) { (void)call, (void)result; }

void tangent_elementwise(const struct tangent_call *call, struct tensor *result)
{
	int n_arg = call->node->n_arg, n = shape_elements(&result->type.shape);
	struct broadcast w;

	assert(n_arg <= RULE_PARTIALS);
	broadcast_begin(&w, &result->type.shape, call->arg, n_arg);
	for (int i = 0; i < n; i++, broadcast_next(&w)) {
		double operand[RULE_PARTIALS] = {0}, sum = 0;

		for (int k = 0; k < n_arg; k++)
			operand[k] = call->arg[k]->at[w.at[k]].f;
		for (int k = 0; k < n_arg; k++) {
			double tangent = call->tangent[k] ? call->tangent[k]->at[w.at[k]].f : 0;

			if (tangent != 0)
				sum += tangent *
				    expression_eval(&call->rule->partial[k], operand[0], operand[1], operand[2],
				        call->out->at[i].f);
		}
		result->at[i].f = round_to(result->type.dtype, sum);
	}
}

static void tangent_linear(const struct tangent_call *call, struct tensor *result)
{
	const struct tensor *arg[LIMIT_ARGS];

	for (int k = 0; k < call->node->n_arg; k++) {
		const struct tensor *x = call->arg[k];

		arg[k] = call->tangent[k] ? call->tangent[k] : x;
		if (!call->tangent[k] && dtype_is_float(x->type.dtype)) {
			struct tensor *zero = NEW(call->arena, struct tensor, 1);

			*zero = tensor_new(call->arena, &x->type);
			arg[k] = zero;
		}
	}
	kernel_run(call->node, arg, &result->type, result, call->arena);
}

/* Puts the tangents in the order into which the elements are sorted. */
static void tangent_sort(const struct tangent_call *call, struct tensor *result)
{
	const struct tensor *x = call->arg[0], *dx = call->tangent[0];
	struct axis_view v = axis_view(&x->type.shape, call->node->attrs.axis);
	int *perm = NEW(call->arena, int, v.n), *spare = NEW(call->arena, int, v.n);

	for (int o = 0; o < v.outer; o++)
		for (int i = 0; i < v.inner; i++) {
			order_line(x, &v, o, i, perm, spare);
			for (int k = 0; k < v.n; k++)
				result->at[(o * v.n + k) * v.inner + i] = dx->at[(o * v.n + perm[k]) * v.inner + i];
		}
}

/* Multiplies (p, dp) by (x, dx).  There is no quotient, so zeros among the factors need no care. */
static void product_step(double *p, double *dp, double x, double dx)
{
	*dp = multiply(*dp, x) + multiply(dx, *p);
	*p *= x;
}

static void tangent_reduce_prod(const struct tangent_call *call, struct tensor *result)
{
	const struct tensor *x = call->arg[0], *dx = call->tangent[0];
	int n = shape_elements(&x->type.shape), n_out = shape_elements(&result->type.shape);
	int *map = reduce_map(call->node, &x->type.shape, call->arena);
	double *p = NEW(call->arena, double, n_out), *dp = NEW(call->arena, double, n_out);

	for (int k = 0; k < n_out; k++)
		p[k] = 1;
	for (int i = 0; i < n; i++)
		product_step(&p[map[i]], &dp[map[i]], x->at[i].f, dx->at[i].f);
	for (int k = 0; k < n_out; k++)
		result->at[k].f = round_to(result->type.dtype, dp[k]);
}

static void tangent_cumprod(const struct tangent_call *call, struct tensor *result)
{
	const struct tensor *x = call->arg[0], *dx = call->tangent[0];
	struct axis_view v = axis_view(&x->type.shape, call->node->attrs.axis);

	for (int o = 0; o < v.outer; o++)
		for (int i = 0; i < v.inner; i++) {
			double p = 1, dp = 0;

			for (int k = 0; k < v.n; k++) {
				int at = (o * v.n + k) * v.inner + i;

				product_step(&p, &dp, x->at[at].f, dx->at[at].f);
				result->at[at].f = round_to(result->type.dtype, dp);
			}
		}
}

/* Ties share evenly. */
static void tangent_reduce_extremum(const struct tangent_call *call, struct tensor *result)
{
	const struct tensor *x = call->arg[0], *dx = call->tangent[0];
	int n = shape_elements(&x->type.shape), n_out = shape_elements(&result->type.shape);
	int *map = reduce_map(call->node, &x->type.shape, call->arena), *ties = NEW(call->arena, int, n_out);
	double *sum = NEW(call->arena, double, n_out);

	for (int i = 0; i < n; i++)
		if (kernel_attains(x->at[i].f, call->out->at[map[i]].f)) {
			sum[map[i]] += dx->at[i].f;
			ties[map[i]]++;
		}
	for (int k = 0; k < n_out; k++)
		result->at[k].f = ties[k] ? round_to(result->type.dtype, sum[k] / ties[k]) : 0;
}

static void tangent_logsumexp(const struct tangent_call *call, struct tensor *result)
{
	const struct tensor *x = call->arg[0], *dx = call->tangent[0];
	int n = shape_elements(&x->type.shape), n_out = shape_elements(&result->type.shape);
	int *map = reduce_map(call->node, &x->type.shape, call->arena);
	double *max = NEW(call->arena, double, n_out), *sum = NEW(call->arena, double, n_out);
	double *weight = NEW(call->arena, double, n_out);

	/*
	 * exp(x - y) would have y's rounding error in the exponent, so the weights are computed from the maximum again.
	 */
	for (int k = 0; k < n_out; k++)
		max[k] = -INFINITY;
	for (int i = 0; i < n; i++)
		max[map[i]] = real_max(max[map[i]], x->at[i].f);
	for (int i = 0; i < n; i++) {
		double w = exp(x->at[i].f - max[map[i]]);

		weight[map[i]] += w;
		sum[map[i]] += multiply(dx->at[i].f, w);
	}
	for (int k = 0; k < n_out; k++)
		result->at[k].f = round_to(result->type.dtype, sum[k] == 0 ? 0 : sum[k] / weight[k]);
}

/* x·dx / |x|, after a division by a power of two near the largest |x|; 0 if |x| is 0. */
static void tangent_norm(const struct tangent_call *call, struct tensor *result)
{
	const struct tensor *x = call->arg[0], *dx = call->tangent[0];
	int n = shape_elements(&x->type.shape), n_out = shape_elements(&result->type.shape);
	int *map = reduce_map(call->node, &x->type.shape, call->arena), *scale = NEW(call->arena, int, n_out);
	double *max = NEW(call->arena, double, n_out), *square = NEW(call->arena, double, n_out);
	double *dot = NEW(call->arena, double, n_out);

	for (int i = 0; i < n; i++)
		max[map[i]] = real_max(max[map[i]], fabs(x->at[i].f));
	for (int k = 0; k < n_out; k++)
		if (max[k] > 0 && isfinite(max[k]))
			frexp(max[k], &scale[k]);
	for (int i = 0; i < n; i++) {
		double r = ldexp(x->at[i].f, -scale[map[i]]);

		square[map[i]] += r * r;
	}
	/* r/|r| first: r * dx could underflow although the quotient does not. */
	for (int i = 0; i < n; i++)
		if (square[map[i]] != 0)
			dot[map[i]] += multiply(dx->at[i].f, ldexp(x->at[i].f, -scale[map[i]]) / sqrt(square[map[i]]));
	for (int k = 0; k < n_out; k++)
		result->at[k].f = round_to(result->type.dtype, dot[k]);
}

static void tangent_matmul(const struct tangent_call *call, struct tensor *result)
{
	int n = shape_elements(&result->type.shape);
	double *sum = NEW(call->arena, double, n);

	if (call->tangent[0])
		matmul_accumulate(sum, call->tangent[0], call->arg[1], 0);
	if (call->tangent[1])
		matmul_accumulate(sum, call->arg[0], call->tangent[1], 1);
	for (int i = 0; i < n; i++)
		result->at[i].f = round_to(result->type.dtype, sum[i]);
}

/* ---- scatters that are not linear: one visit per write, in the order of the kernel ---- */

struct scatter_walk {
	const struct tangent_call *call;
	struct axis_view v;
	int o, k, n_index, n_update;
};

static struct scatter_walk scatter_begin(const struct tangent_call *call)
{
	return (struct scatter_walk){.call = call,
	    .v = axis_view(&call->out->type.shape, call->node->attrs.axis),
	    .k = -1,
	    .n_index = shape_elements(&call->arg[1]->type.shape),
	    .n_update = call->arg[2]->type.shape.extent[call->node->attrs.axis]};
}

/*
 * The next slice that is written: the position of its first element in the result and in the updates.  It has v.inner
 * elements.  False after the last one.
 */
static bool scatter_next(struct scatter_walk *s, int *to, int *from)
{
	while (s->o < s->v.outer) {
		int at;

		if (++s->k == s->n_index) {
			s->k = -1;
			s->o++;
			continue;
		}
		at = kernel_index(s->call->node->attrs.mode, s->call->arg[1]->at[s->k].i, s->v.n);
		if (at < 0)
			continue;
		*to = (s->o * s->v.n + at) * s->v.inner;
		*from = (s->o * s->n_update + s->k) * s->v.inner;
		return true;
	}
	return false;
}

static double tangent_at(const struct tangent_call *call, int operand, int i)
{
	return call->tangent[operand] ? call->tangent[operand]->at[i].f : 0;
}

static void tangent_scatter_mul(const struct tangent_call *call, struct tensor *result)
{
	int n = shape_elements(&result->type.shape), to, from;
	double *p = NEW(call->arena, double, n), *dp = NEW(call->arena, double, n);
	struct scatter_walk s = scatter_begin(call);

	for (int i = 0; i < n; i++) {
		p[i] = call->arg[0]->at[i].f;
		dp[i] = tangent_at(call, 0, i);
	}
	while (scatter_next(&s, &to, &from))
		for (int i = 0; i < s.v.inner; i++)
			product_step(
			    &p[to + i], &dp[to + i], call->arg[2]->at[from + i].f, tangent_at(call, 2, from + i));
	for (int i = 0; i < n; i++)
		result->at[i].f = round_to(result->type.dtype, dp[i]);
}

/* x and all updates that attain the extremum share evenly. */
static void tangent_scatter_extremum(const struct tangent_call *call, struct tensor *result)
{
	int n = shape_elements(&result->type.shape), to, from, *ties = NEW(call->arena, int, n);
	double *sum = NEW(call->arena, double, n);
	struct scatter_walk s = scatter_begin(call);

	for (int i = 0; i < n; i++)
		if (kernel_attains(call->arg[0]->at[i].f, call->out->at[i].f)) {
			sum[i] += tangent_at(call, 0, i);
			ties[i]++;
		}
	while (scatter_next(&s, &to, &from))
		for (int i = 0; i < s.v.inner; i++)
			if (kernel_attains(call->arg[2]->at[from + i].f, call->out->at[to + i].f)) {
				sum[to + i] += tangent_at(call, 2, from + i);
				ties[to + i]++;
			}
	for (int i = 0; i < n; i++)
		result->at[i].f = ties[i] ? round_to(result->type.dtype, sum[i] / ties[i]) : 0;
}

/* ---- the table ---- */

#define tangent_none tangent_zero

static const struct {
	tangent_fn *structure;
	const char *partial[RULE_PARTIALS];
} rows[OP_COUNT] = {
#define RULE(op, structure, a, b, c) [OP_##op] = {tangent_##structure, {a, b, c}},
#include "tangent_rules.def"
#undef RULE
};

static double applied_as_given(struct forward *self, const struct region *region, double had, double given)
{
	(void)self, (void)region, (void)had;
	return given;
}

void tangent_rules_init(struct tangent_rules *out)
{
	out->applied = applied_as_given;
	out->custom = custom_right;
	for (int op = 0; op < OP_COUNT; op++) {
		struct tangent_rule *row = &out->row[op];

		*row = (struct tangent_rule){
		    .structure = rows[op].structure, .scale = 1, .packing = packing_right, .primal = kernel_run};
		for (int k = 0; k < RULE_PARTIALS; k++) {
			bool compiled = expression_compile(&row->partial[k], rows[op].partial[k], NULL);

			assert(compiled);
			(void)compiled;
		}
	}
	out->row[OP_STOP_GRADIENT].packing.out_arity = no_output;
}

static void scale_result(const struct tangent_rule *rule, struct tensor *result)
{
	for (int i = 0, n = shape_elements(&result->type.shape); i < n; i++)
		result->at[i].f = round_to(result->type.dtype, result->at[i].f * rule->scale);
}

/* An operand's contribution is linear in its tangent, so the tangents are scaled. */
static void scale_operands(struct tangent_call *call)
{
	for (int k = 0; k < call->node->n_arg; k++) {
		struct tensor *scaled;

		if (!call->tangent[k] || call->rule->unscaled >> k & 1)
			continue;
		scaled = NEW(call->arena, struct tensor, 1);
		*scaled = tensor_copy(call->arena, call->tangent[k]);
		for (int i = 0, n = shape_elements(&scaled->type.shape); i < n; i++)
			scaled->at[i].f *= call->rule->scale;
		call->tangent[k] = scaled;
	}
}

void tangent_apply(const struct tangent_rule *rule, const struct node *node, const struct tensor *const arg[],
    const struct tensor *out, int n_traced, const int *argnums, const struct tensor *const packed[],
    struct tensor *result, struct arena *a)
{
	struct tangent_call call = {.rule = rule, .node = node, .arg = arg, .out = out, .arena = a};
	bool any = false;

	unpack(&call, n_traced, argnums, packed);
	for (int k = 0; k < node->n_arg; k++)
		any = any || call.tangent[k];
	if (!any || !dtype_is_float(result->type.dtype))
		return;
	if (rule->scale == 1) {
		rule->structure(&call, result);
	} else if (rule->unscaled) {
		scale_operands(&call);
		rule->structure(&call, result);
	} else {
		rule->structure(&call, result);
		scale_result(rule, result);
	}
}
