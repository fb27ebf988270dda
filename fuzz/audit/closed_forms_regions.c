/* closed_forms_regions.c: checkpoints, derivatives inside the program, rules of their own. */
#include "closed_form.h"

static int derivative(struct form *f, enum derivative_kind kind, int x, int direction)
{
	return region_op(
	    f, OP_DERIVATIVE, (const int[]){x, direction}, 2, &(struct attrs){.primals = 1, .transform = kind});
}

static enum derivative_kind drawn_kind(struct form *f) { return form_coin(f) ? DERIVATIVE_JVP : DERIVATIVE_VJP; }

/* x^n by a loop, inside the region whose parameter is x. */
static int power_by_loop(struct form *f, int x, int n)
{
	int one = lit(f, 1), p = open_for(f, &one, 1), q = op2(f, OP_MUL, p + 1, x);

	close_with(f, &q, 1);
	return for_trip(f, &one, 1, n);
}

/* sin(e^x), recomputed. */
void form_checkpoint(struct form *f)
{
	int x = in_scalar(f, -1, 1);

	open_like(f, NULL, 0);
	int inner = op1(f, OP_EXP, x);
	close_with(f, (const int[]){op1(f, OP_SIN, inner)}, 1);
	form_result(f, region_op(f, OP_CHECKPOINT, NULL, 0, NULL));
	real e = r_fn(f, mpfr_exp, f->x[0]), s = r_fn(f, mpfr_sin, e), c = r_fn(f, mpfr_cos, e);
	derivatives(f, r_mul(f, e, c), r_sub(f, r_mul(f, e, c), r_mul(f, r_mul(f, e, e), s)));
}

/* A checkpoint in a loop around a loop: x^(n m). */
void form_checkpointed_loop(struct form *f)
{
	int n = form_between(f, 1, 3), m = form_between(f, 1, 3), x = in_scalar(f, 0.5, 1.25), one = lit(f, 1),
	    p = open_for(f, &one, 1);

	open_like(f, NULL, 0);
	close_with(f, (const int[]){op2(f, OP_MUL, p + 1, power_by_loop(f, x, m))}, 1);
	int step = region_op(f, OP_CHECKPOINT, NULL, 0, NULL);
	close_with(f, &step, 1);
	form_result(f, for_trip(f, &one, 1, n));
	int k = n * m;
	derivatives(f, r_times(f, k, r_pow(f, f->x[0], k - 1)), r_times(f, k * (k - 1), r_pow(f, f->x[0], k - 2)));
}

/* n x^(n-1) as d/dx of x^n. */
void form_derivative_of_power(struct form *f)
{
	int n = form_between(f, 1, 6), x = in_scalar(f, 0.5, 1.5), one = lit(f, 1), p = open_scalars(f, 1);

	close_with(f, (const int[]){power_by_loop(f, p, n)}, 1);
	form_result(f, derivative(f, drawn_kind(f), x, one));
	derivatives(f, r_times(f, n * (n - 1), r_pow(f, f->x[0], n - 2)),
	    r_times(f, n * (n - 1) * (n - 2), r_pow(f, f->x[0], n - 3)));
}

/* d/du of sin(a u) at u = x, a captured: a cos(a x). */
void form_derivative_that_captures(struct form *f)
{
	int a = in_scalar(f, 0.5, 2), x = in_scalar(f, 0.25, 1), one = lit(f, 1), p = open_scalars(f, 1);

	close_with(f, (const int[]){op1(f, OP_SIN, op2(f, OP_MUL, a, p))}, 1);
	form_result(f, derivative(f, drawn_kind(f), x, one));
	real u = r_mul(f, f->x[0], f->x[1]), s = r_fn(f, mpfr_sin, u), c = r_fn(f, mpfr_cos, u);
	first(f, 0, 0, r_sub(f, c, r_mul(f, u, s)));
	first(f, 0, 1, r_neg(f, r_mul(f, r_mul(f, f->x[0], f->x[0]), s)));
}

/* d2/dx2 of e^(a x) by a derivative of a derivative. */
void form_derivative_of_derivative(struct form *f)
{
	double a = form_draw(f, 0.5, 1.5);
	int x = in_scalar(f, -1, 1), one = lit(f, 1), scale = lit(f, a), p = open_scalars(f, 1), q = open_scalars(f, 1);

	close_with(f, (const int[]){op1(f, OP_EXP, op2(f, OP_MUL, scale, q))}, 1);
	int inner = derivative(f, drawn_kind(f), p, one);
	close_with(f, &inner, 1);
	form_result(f, derivative(f, drawn_kind(f), x, one));
	first(f, 0, 0, r_times(f, a * a, r_times(f, a, r_fn(f, mpfr_exp, r_times(f, a, f->x[0])))));
}

/* The gradient of the sum of x^3 is 3 x^2, vector by vector. */
void form_gradient_inside(struct form *f)
{
	int n = form_between(f, 1, 4), x = in_vector(f, n, 0.25, 2), one = lit(f, 1), p = open_like(f, &x, 1);

	close_with(f, (const int[]){reduce(f, OP_REDUCE_SUM, op2(f, OP_MUL, p, op1(f, OP_SQUARE, p)))}, 1);
	form_result(f, derivative(f, DERIVATIVE_VJP, x, one));
	for (int i = 0; i < n; i++) {
		first(f, i, i, r_times(f, 6, f->x[i]));
		second(f, i, i, i, r_num(f, 6));
	}
}

/* The derivative along a direction that is itself differentiated: v 2 x. */
void form_derivative_by_direction(struct form *f)
{
	int x = in_scalar(f, 0.25, 2), v = in_scalar(f, 0.25, 2), p = open_scalars(f, 1);

	close_with(f, (const int[]){op2(f, OP_MUL, p, p)}, 1);
	form_result(f, derivative(f, drawn_kind(f), x, v));
	first(f, 0, 0, r_times(f, 2, f->x[1]));
	first(f, 0, 1, r_times(f, 2, f->x[0]));
	second(f, 0, 0, 1, r_num(f, 2));
}

/* A step of Newton's iteration for log a, e^s = a, with the slope by a derivative: s - 1 + a e^-s. */
void form_newton_step(struct form *f)
{
	int a = in_scalar(f, 0.5, 3), s = in_scalar(f, -1, 1), one = lit(f, 1), p = open_scalars(f, 1);

	close_with(f, (const int[]){op2(f, OP_SUB, op1(f, OP_EXP, p), a)}, 1);
	int slope = derivative(f, drawn_kind(f), s, one), value = op2(f, OP_SUB, op1(f, OP_EXP, s), a);
	form_result(f, op2(f, OP_SUB, s, op2(f, OP_DIV, value, slope)));
	real down = r_fn(f, mpfr_exp, r_neg(f, f->x[1]));
	first(f, 0, 0, down);
	first(f, 0, 1, r_sub(f, r_num(f, 1), r_mul(f, f->x[0], down)));
	second(f, 0, 0, 1, r_neg(f, down));
	second(f, 0, 1, 1, r_mul(f, f->x[0], down));
}

/* x^3 with the rule 3 x^2 t. */
void form_custom_cube(struct form *f)
{
	enum derivative_kind kind = drawn_kind(f);
	int x = in_scalar(f, 0.5, 2), p = open_scalars(f, 1);

	close_with(f, (const int[]){op2(f, OP_MUL, p, op1(f, OP_SQUARE, p))}, 1);
	p = open_scalars(f, 2);
	close_with(f, (const int[]){op2(f, OP_MUL, p + 1, op2(f, OP_MUL, lit(f, 3), op2(f, OP_MUL, p, p)))}, 1);
	form_result(f, region_op(f, OP_CUSTOM, &x, 1, &(struct attrs){.transform = kind}));
	derivatives(f, r_times(f, 3, r_pow(f, f->x[0], 2)), r_times(f, 6, f->x[0]));
}

/* log(1 + e^x) with the rule of the logistic function. */
void form_custom_softplus(struct form *f)
{
	enum derivative_kind kind = drawn_kind(f);
	int x = in_scalar(f, -2, 2), p = open_scalars(f, 1);

	close_with(f, (const int[]){op1(f, OP_LOG1P, op1(f, OP_EXP, p))}, 1);
	p = open_scalars(f, 2);
	close_with(f, (const int[]){op2(f, OP_MUL, p + 1, op1(f, OP_LOGISTIC, p))}, 1);
	form_result(f, region_op(f, OP_CUSTOM, &x, 1, &(struct attrs){.transform = kind}));
	real s = r_pow(f, r_plus(f, r_fn(f, mpfr_exp, r_neg(f, f->x[0])), 1), -1);
	derivatives(f, s, r_mul(f, s, r_sub(f, r_num(f, 1), s)));
}
