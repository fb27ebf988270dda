/*
 * custom_check.c: whether the rule of op custom, region 1, is correct at the point.
 *
 * Function and rule are executed outside the trace, at the parameters of the point, in a direction that the oracle
 * chooses. The result of the rule is compared with the derivative that trace_derive makes of the function. Requests of
 * order n use the derivatives of both up to order n - 1, so these are compared too.
 *
 * Its rounding errors are compared, too: a rule that loses more digits than the derivative widens the radii, and one
 * that loses far more is not trusted.
 *
 * Where the function is at a tie, the rule may follow any convention: it is compared with each.
 *
 * A rule that makes decisions by its direction is not trusted. The one exception is a rule that keeps an exact 0 at 0
 * (custom_choices.h); it is tested.
 */
#include "custom_choices.h"
#include "custom_internal.h"
#include "oracles/oracle_rules.h"
#include "trace_derive.h"
#include "double_of.h"

#include <math.h>

#define R MPFR_RNDN

enum {
	AGREE_BITS = 48, /* agreement of rule and derivative; constants of a rule are f64 numbers */
	CANCEL_BITS = 90 /* allowed remainder of a cancellation, relative to the largest scalar involved */
};

/* Selects the random parts of the direction (evaluate_part). */
static const uint32_t stream = 0x7f4a7c15u;

void list_floats(const struct evaluation_run *r, struct list *to, const int *value, int n)
{
	for (int k = 0; k < n; k++) {
		const struct type *type = &r->p->type[value[k]];
		for (int i = 0, size = shape_elements(&type->shape); dtype_is_float(type->dtype) && i < size; i++)
			to->at[to->n++] = r->env[value[k]].at[i].scalar;
	}
}

static const int *numbers(struct evaluation_run *r, int first, int n)
{
	int *list = NEW(r->arena, int, n);
	for (int k = 0; k < n; k++)
		list[k] = first + k;
	return list;
}

int custom_direction(struct evaluation *ev, enum dtype d)
{
	const int k = ev->n_scalar, bits = dtype_table[d].precision;
	const double part = evaluate_part(k, stream);

	const int leaf = trace_leaf(ev, d, ldexp(floor(ldexp(part, bits - 1)) * 2 + 1, -bits - k % 4));
	ev->scalar[leaf].derived = true;
	return leaf;
}

/* Binds n values from v on to scalars of their own: copies of given[n], or directions if given is NULL. */
static void bind_leaves(struct evaluation_run *r, int v, const int *given, int n)
{
	for (int k = 0; k < n; k++) {
		const struct type *type = &r->p->type[v + k];
		int size = shape_elements(&type->shape);
		struct elements own = elements_new(r, size, false);
		for (int i = 0; i < size; i++) {
			if (given)
				element_copy(r, &own, size, i, &r->env[given[k]], i);
			if (dtype_is_float(type->dtype))
				own.at[i].scalar = given ? trace_parameter(r->ev, own.at[i].scalar)
				                         : custom_direction(r->ev, type->dtype);
		}
		r->env[v + k] = own;
	}
}

/* The magnitude of the scalar as a double; 0 if it is absent (-1). */
static double size_of(const struct evaluation *ev, int scalar)
{
	return scalar >= 0 ? fabs(double_of(ev->value[scalar])) : 0;
}

/* Whether both scalars are there and have one value. */
static bool are_equal(const struct evaluation *ev, int a, int b)
{
	return a >= 0 && b >= 0 && mpfr_equal_p(ev->value[a], ev->value[b]);
}

/*
 * Whether both lists hold the same numbers; absent (-1) counts as 0. A cancellation leaves a remainder relative to the
 * largest scalar involved, which is allowed for. But it never allows more than the error of the largest number in the
 * lists. An infinite or NaN number agrees only with an equal one.
 */
static bool agree(struct evaluation *ev, int first, const struct list *x, const struct list *y)
{
	double largest = 0, whole = 0, rest;
	int gap = trace_leaf(ev, DTYPE_F64, 0), begin = 0;
	while (begin < x->n && are_equal(ev, x->at[begin], y->at[begin]))
		begin++;
	if (begin == x->n) /* as nearly always */
		return true;
	for (int k = first; k < gap; k++)
		if (mpfr_number_p(ev->value[k]))
			largest = fmax(largest, size_of(ev, k));
	for (int i = 0; i < x->n; i++)
		whole = fmax(whole, fmax(size_of(ev, x->at[i]), size_of(ev, y->at[i])));
	rest = fmin(ldexp(largest, -CANCEL_BITS), ldexp(whole, -AGREE_BITS));
	for (int i = begin; i < x->n; i++) {
		double most = ldexp(fmax(size_of(ev, x->at[i]), size_of(ev, y->at[i])), -AGREE_BITS) + rest;
		if (are_equal(ev, x->at[i], y->at[i]))
			continue;
		mpfr_set_zero(ev->value[gap], 1);
		if (x->at[i] >= 0)
			mpfr_set(ev->value[gap], ev->value[x->at[i]], R);
		if (y->at[i] >= 0)
			mpfr_sub(ev->value[gap], ev->value[gap], ev->value[y->at[i]], R);
		if (!isfinite(most) || !(size_of(ev, gap) <= most))
			return false;
	}
	return true;
}

/* The derivatives of from[n] along `direction` of the inputs. Absent scalars have absent derivatives. */
static bool derive(struct evaluation_run *r, int first, const struct list *input, const struct list *direction,
    const struct list *from, struct list *to)
{
	struct list present = list_new(r, from->n), out = list_new(r, from->n);
	for (int i = 0; i < from->n; i++)
		if (from->at[i] >= 0)
			present.at[present.n++] = from->at[i];
	const struct stretch s = {first, input->n, input->at, present.n, present.at, CUSTOM_TRACE, false};
	if (!trace_tangents(r->ev, &s, direction->at, out.at))
		return false;
	*to = list_new(r, from->n);
	for (int i = 0; i < from->n; i++)
		to->at[to->n++] = from->at[i] >= 0 ? out.at[out.n++] : -1;
	return true;
}

/* The derivative of the function, by the convention that ev->at_ties says. */
static bool derive_function(
    struct evaluation_run *r, const struct node *node, const struct stretch *s, const int *direction, int *out)
{
	return (node->attrs.transform == DERIVATIVE_JVP ? trace_tangents : trace_adjoints)(r->ev, s, direction, out);
}

/* Factors for the directions of a rule. The results must scale alike; a choice by sign or size of a direction would
 * change. */
static const struct scale {
	int sign, exponent;
} scales[] = {{-1, 0}, {1, 300}, {-1, -300}};

/* A scalar of its own for x times the scale. */
static int scaled_leaf(struct evaluation_run *r, int x, const struct scale *s)
{
	struct evaluation *ev = r->ev;
	int leaf = trace_leaf(ev, ev->scalar[x].dtype, 0);
	mpfr_mul_2si(ev->value[leaf], ev->value[x], s->exponent, R);
	mpfr_mul_si(ev->value[leaf], ev->value[leaf], s->sign, R);
	return leaf;
}

/* Whether the rule is linear in its directions, as far as the scales show. Its results for the scalars direction[]
 * are given[]. */
static bool rule_linear(
    struct evaluation_run *r, const struct node *node, int first, const int *direction, const struct list *given)
{
	const struct region *rule = &node->region[1];

	for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
		struct list scaled = list_new(r, given->n), expected = list_new(r, given->n);
		int next = 0;
		r->ev->part = TRACE_PARAMETER;
		for (int v = rule->param + node->n_arg; v < rule->param + rule->n_param; v++)
			for (int i = 0, size = shape_elements(&r->p->type[v].shape);
			     dtype_is_float(r->p->type[v].dtype) && i < size; i++)
				r->env[v].at[i].scalar = scaled_leaf(r, direction[next++], &scales[k]);
		r->ev->part = TRACE_PROGRAM;
		evaluate_region(r, rule);
		list_floats(r, &scaled, rule->result, rule->n_result);
		for (int i = 0; i < given->n; i++)
			expected.at[expected.n++] = given->at[i] >= 0 ? scaled_leaf(r, given->at[i], &scales[k]) : -1;
		if (!agree(r->ev, first, &scaled, &expected))
			return false;
	}
	return true;
}

/* Sets the directions of the rule to every second scalar of direction[n], beginning with number `from`, and to
 * zeros elsewhere. from < 0: all zeros. */
static void thin(struct evaluation_run *r, const struct node *node, const int *direction, int from, int *out)
{
	const struct region *rule = &node->region[1];
	int next = 0;

	r->ev->part = TRACE_PARAMETER;
	for (int v = rule->param + node->n_arg; v < rule->param + rule->n_param; v++)
		for (int i = 0, size = shape_elements(&r->p->type[v].shape);
		     dtype_is_float(r->p->type[v].dtype) && i < size; i++, next++) {
			int leaf = trace_leaf(r->ev, r->p->type[v].dtype, 0);

			if (from >= 0 && next % 2 == from)
				mpfr_set(r->ev->value[leaf], r->ev->value[direction[next]], R);
			r->env[v].at[i].scalar = out[next] = leaf;
		}
	r->ev->part = TRACE_PROGRAM;
}

/* Whether both lists hold the same numbers, where the derivative of the function, out, is no NaN. */
static bool agree_beside_nan(struct evaluation *ev, int first, struct list *out, const struct list *given)
{
	for (int i = 0; i < out->n; i++)
		if (out->at[i] >= 0 && mpfr_nan_p(ev->value[out->at[i]]))
			out->at[i] = given->at[i];
	return agree(ev, first, out, given);
}

/* Whether the derivatives by input[] that the request takes of both lists agree, beside NaN.  Leaves no scalars. */
static bool derivatives_right(struct evaluation_run *r, int first, const struct list *input,
    const struct list *of_function, const struct list *of_rule)
{
	struct evaluation *ev = r->ev;
	const int n_scalar = ev->n_scalar, n_parent = ev->n_parent;
	struct list out = *of_function, given = *of_rule, along = list_new(r, input->n);
	bool right = true;

	for (int order = 2; order <= ev->order && right; order++) {
		const struct list before[2] = {out, given};

		for (along.n = 0; along.n < input->n; along.n++)
			along.at[along.n] = custom_direction(ev, ev->scalar[input->at[along.n]].dtype);
		right = derive(r, first, input, &along, &before[0], &out) &&
		    derive(r, first, input, &along, &before[1], &given) && agree_beside_nan(ev, first, &out, &given);
	}
	ev->n_scalar = n_scalar;
	ev->n_parent = n_parent;
	return right;
}

/*
 * For a rule that tests parts of its directions for 0: whether it is correct when some are 0, and so are its
 * derivatives that the request takes. A rule that makes 0 of a direction 0 has no derivative by it there. Where 0 times
 * an infinite partial is NaN, any result passes.
 */
static bool guards_right(struct evaluation_run *r, const struct node *node, const struct stretch *s,
    const int *direction, int n_direction, const struct list *given)
{
	const struct region *rule = &node->region[1];

	for (int from = -1; from < 2; from++) {
		int *own = NEW(r->arena, int, n_direction);
		struct list out = {given->n, NEW(r->arena, int, given->n)}, result = list_new(r, given->n),
		            input = list_new(r, s->n_input + n_direction);

		thin(r, node, direction, from, own);
		for (int i = 0; i < s->n_input + n_direction; i++)
			input.at[input.n++] = i < s->n_input ? s->input[i] : own[i - s->n_input];
		if (!derive_function(r, node, s, own, out.at))
			return false;
		evaluate_region(r, rule);
		list_floats(r, &result, rule->result, rule->n_result);
		if (!agree_beside_nan(r->ev, s->first, &out, &result) ||
		    !derivatives_right(r, s->first, &input, &out, &result))
			return false;
	}
	return true;
}

/* ---- ties of the function ---- */

enum { TIE_KINDS = 4, TIE_KINDS_AND_ONE };

/* Whether scalar k is an abs of 0, or an extremum of several scalars with its value. */
static bool is_tied(const struct evaluation *ev, int k)
{
	const struct scalar *s = &ev->scalar[k];
	int first = -1;

	if (s->op == OP_ABS)
		return mpfr_zero_p(ev->value[ev->parent[s->parent]]) != 0;
	if (s->op != OP_MAX && s->op != OP_MIN && s->op != OP_REDUCE_MAX && s->op != OP_REDUCE_MIN)
		return false;
	for (int j = 0; j < s->n_parent; j++) {
		const int parent = ev->parent[s->parent + j];

		if (!mpfr_equal_p(ev->value[parent], ev->value[k]))
			continue;
		if (first >= 0 && parent != first)
			return true;
		first = parent;
	}
	return false;
}

/* The kinds of ops with a tie among scalars first ... end - 1. Their number, TIE_KINDS_AND_ONE if there are more. */
static int list_ties(const struct evaluation *ev, int first, int end, enum op kind[TIE_KINDS])
{
	int n = 0;

	for (int k = first; k < end; k++) {
		int at = 0;

		while (at < n && kind[at] != ev->scalar[k].kind)
			at++;
		if (at < n || !is_tied(ev, k))
			continue;
		if (n == TIE_KINDS)
			return TIE_KINDS_AND_ONE;
		kind[n++] = ev->scalar[k].kind;
	}
	return n;
}

/*
 * For a rule that differs from the derivative in *out: whether it agrees if each kind of op makes another choice at its
 * ties before scalar `end`. If so, *out is the derivative with these choices, and ev->at_ties keeps them. Any of them
 * is a mixture of the conventions that the oracle tries at a tie.
 */
static bool agrees_at_ties(struct evaluation_run *r, const struct node *node, const struct stretch *s, int end,
    const int *direction, const struct list *given, struct list *out)
{
	struct evaluation *ev = r->ev;
	enum op kind[TIE_KINDS];
	const int n = list_ties(ev, s->first, end, kind), n_scalar = ev->n_scalar, n_parent = ev->n_parent;
	uint8_t *choice = NEW(r->arena, uint8_t, OP_COUNT);
	int total = 1;

	if (n && !(ev->rules->custom & CUSTOM_TIES)) {
		*out = *given;
		return true;
	}
	for (int i = 0; i < n; i++)
		total *= TIE_CHOICES;
	for (int number = 1; n <= TIE_KINDS && number < total; number++) {
		for (int i = 0, rest = number; i < n; i++, rest /= TIE_CHOICES)
			choice[kind[i]] = (uint8_t)(rest % TIE_CHOICES);
		ev->at_ties = choice;
		ev->n_scalar = n_scalar;
		ev->n_parent = n_parent;
		if (!derive_function(r, node, s, direction, out->at))
			return false;
		if (agree(ev, s->first, out, given))
			return true;
	}
	return false;
}

/*
 * Whether the errors of an engine that uses the rule are small enough; *excess is what they have beyond the radii of
 * the derivative. A rule may be right in real numbers and lose more digits, as 2^30 + x - 2^30, or leave the range.
 * Where the exact results differ, by a constant that is rounded for example, the difference counts too.
 */
static bool errors_fit(struct evaluation *ev, struct rule_check *check, const struct list *out,
    const struct list *given, int order, double *excess)
{
	check->exact = out->at;
	check->given = given->at;
	check->n = out->n;
	check->order = order;
	if (!(ev->rules->custom & CUSTOM_ERRORS) || !ev->hooks.excess || order > fmax(1, ev->order))
		return true;
	*excess = fmax(*excess, ev->hooks.excess(ev->hooks.self, check));
	return *excess < INFINITY;
}

bool custom_rule_right(struct evaluation_run *r, const struct node *node, double *excess)
{
	struct evaluation *ev = r->ev;
	const struct region *f = &node->region[0], *rule = &node->region[1];
	const enum rule_choice choice = custom_choices(r->p, node, r->arena);
	bool jvp = node->attrs.transform == DERIVATIVE_JVP;
	int first = ev->n_scalar, n_float = evaluate_count_floats(r, node->arg, node->n_arg),
	    n_result = evaluate_count_floats(r, f->result, f->n_result);
	int n_direction = jvp ? n_float : n_result, n_out = jvp ? n_result : n_float;
	struct list input = list_new(r, n_float + n_direction), result = list_new(r, n_result),
	            given = list_new(r, n_out);
	struct list out = {n_out, NEW(r->arena, int, n_out)}, along = list_new(r, n_float + n_direction);

	if (choice == RULE_CHOOSES)
		return false;
	ev->part = TRACE_PARAMETER;
	bind_leaves(r, f->param, node->arg, node->n_arg);
	bind_leaves(r, rule->param + node->n_arg, NULL, rule->n_param - node->n_arg);
	ev->part = TRACE_PROGRAM;
	for (int k = 0; k < node->n_arg; k++)
		r->env[rule->param + k] = r->env[f->param + k];
	list_floats(r, &input, numbers(r, rule->param, rule->n_param), rule->n_param);
	const int begin = ev->n_scalar;
	evaluate_region(r, f);
	list_floats(r, &result, f->result, f->n_result);
	const int end = ev->n_scalar;
	evaluate_region(r, rule);
	list_floats(r, &given, rule->result, rule->n_result);
	const int rule_end = ev->n_scalar;
	const struct stretch s = {first, n_float, input.at, n_result, result.at, CUSTOM_TRACE, false};
	if (!derive_function(r, node, &s, input.at + n_float, out.at))
		return false;
	if (ev->rules->custom & CUSTOM_FIRST && !agree(ev, first, &out, &given) &&
	    !agrees_at_ties(r, node, &s, end, input.at + n_float, &given, &out))
		return false;
	struct rule_check check = {.first = first,
	    .begin = begin,
	    .end = end,
	    .rule = rule_end,
	    .n_input = n_float,
	    .n_result = n_result,
	    .input = input.at,
	    .result = result.at,
	    .direction = input.at + n_float,
	    .adjoint = !jvp};
	if (!errors_fit(ev, &check, &out, &given, 1, excess))
		return false;
	if (ev->rules->custom & CUSTOM_LINEAR && !rule_linear(r, node, first, input.at + n_float, &given))
		return false;
	if (ev->rules->custom & CUSTOM_GUARDS && choice == RULE_GUARDS &&
	    !guards_right(r, node, &s, input.at + n_float, n_direction, &given))
		return false;
	const struct list of[2] = {out, given};
	/* By everything, then by the parameters alone: beside a large derivative by the direction, theirs is lost. */
	for (int moved = input.n; moved >= n_float; moved -= n_direction) {
		out = of[0];
		given = of[1];
		for (int order = 2; order == 2 || order <= ev->order; order++) {
			const struct list before[2] = {out, given};

			for (along.n = 0; along.n < moved; along.n++)
				along.at[along.n] = custom_direction(ev, ev->scalar[input.at[along.n]].dtype);
			for (; along.n < input.n; along.n++)
				along.at[along.n] = -1;
			if (!derive(r, first, &input, &along, &before[0], &out) ||
			    !derive(r, first, &input, &along, &before[1], &given))
				return false;
			if (ev->rules->custom & CUSTOM_SECOND &&
			    !(agree(ev, first, &out, &given) && errors_fit(ev, &check, &out, &given, order, excess)))
				return false;
		}
		if (!n_direction)
			break;
	}
	return true;
}

/* Evaluates the rule in a random direction, at parameters that are bound. */
static void apply_rule(struct evaluation_run *r, const struct node *node, struct list *direction, struct list *result)
{
	const struct region *rule = &node->region[1];
	const int n = rule->n_param - node->n_arg, *own = numbers(r, rule->param + node->n_arg, n);

	r->ev->part = TRACE_PARAMETER;
	bind_leaves(r, rule->param + node->n_arg, NULL, n);
	r->ev->part = TRACE_PROGRAM;
	*direction = list_new(r, evaluate_count_floats(r, own, n));
	*result = list_new(r, evaluate_count_floats(r, rule->result, rule->n_result));
	list_floats(r, direction, own, n);
	evaluate_region(r, rule);
	list_floats(r, result, rule->result, rule->n_result);
}

bool custom_rule_is_linear(struct evaluation_run *r, const struct node *node)
{
	struct evaluation *ev = r->ev;
	const int first = ev->n_scalar;
	struct list at, there, along, expected, out;

	if (custom_choices(r->p, node, r->arena) != RULE_LINEAR)
		return false;
	ev->part = TRACE_PARAMETER;
	bind_leaves(r, node->region[1].param, node->arg, node->n_arg);
	ev->part = TRACE_PROGRAM;
	apply_rule(r, node, &at, &there);
	apply_rule(r, node, &along, &expected);
	return derive(r, first, &at, &along, &there, &out) && agree(ev, first, &out, &expected) &&
	    rule_linear(r, node, first, along.at, &expected);
}
