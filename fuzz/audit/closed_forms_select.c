/* closed_forms_select.c: functions by pieces: the derivative is that of the piece at the point. */
#include "closed_form.h"

#include <math.h>

static void of_line(struct form *f, double slope) { derivatives(f, r_num(f, slope), r_num(f, 0)); }

static double point_of(const struct form *f) { return f->point[0].at[0].f; }

/* ---- away from the edges ---- */

/* max(x, y) min(x, y) = x y, by extrema. */
void form_extrema_product(struct form *f)
{
	double low = form_draw(f, 0.25, 1), high = form_draw(f, 1.25, 2);
	bool swapped = form_coin(f);
	int x = in_values(f, 2, swapped ? (const double[]){high, low} : (const double[]){low, high}),
	    a = element(f, x, 0), b = element(f, x, 1);

	form_result(f, op2(f, OP_MUL, op2(f, OP_MAX, a, b), op2(f, OP_MIN, a, b)));
	first(f, 0, 0, f->x[1]);
	first(f, 0, 1, f->x[0]);
	second(f, 0, 0, 1, r_num(f, 1));
}

void form_clamp(struct form *f)
{
	static const double slope[] = {0, 1, 0};
	int piece = form_between(f, 0, 2), x = in_scalar(f, -1.75 + piece * 1.25, -1.25 + piece * 1.25 + 0.5);

	form_result(f, op3(f, OP_CLAMP, x, lit(f, -0.625), lit(f, 0.5625)));
	double value = point_of(f);
	of_line(f, slope[value < -0.625 ? 0 : value < 0.5625 ? 1 : 2]);
}

/* |||x| - a| - b|: the product of the signs; a and b are off the grid of x. */
void form_absolute_chain(struct form *f)
{
	double shift[] = {form_draw(f, 0.75, 1.25) + 1.0 / 128, form_draw(f, 0.25, 0.5) + 1.0 / 256}, slope = 1;
	bool negative = form_coin(f);
	int y = in_scalar(f, negative ? -3 : 0.25, negative ? -0.25 : 3);
	double value = point_of(f);

	for (int k = 0; k < 3; k++) {
		y = op1(f, OP_ABS, y);
		slope = value < 0 ? -slope : slope;
		value = fabs(value);
		if (k < 2) {
			y = op2(f, OP_SUB, y, lit(f, shift[k]));
			value -= shift[k];
		}
	}
	form_result(f, y);
	of_line(f, slope);
}

/* Pieces 1/2 wide, each of its own power, by nested selects. */
void form_select_ladder(struct form *f)
{
	int x = in_scalar(f, -1, 1), power = x, y = x, taken = 1;

	for (int k = 1; k < 5; k++) {
		double edge = -0.75 + 0.375 * k + 1.0 / 128;

		power = op2(f, OP_MUL, power, x);
		y = op3(f, OP_SELECT, op2(f, OP_GT, x, lit(f, edge)), power, y);
		taken = point_of(f) > edge ? k + 1 : taken;
	}
	form_result(f, y);
	derivatives(f, r_times(f, taken, r_pow(f, f->x[0], taken - 1)),
	    r_times(f, taken * (taken - 1), taken > 1 ? r_pow(f, f->x[0], taken - 2) : r_num(f, 0)));
}

/* Lazy branches that capture x: sin or x^3. */
void form_cond(struct form *f)
{
	int x = in_scalar(f, -1.5, 1.5), p = op2(f, OP_LT, x, lit(f, 1.0 / 128));

	open_like(f, NULL, 0);
	close_with(f, (const int[]){op1(f, OP_SIN, x)}, 1);
	open_like(f, NULL, 0);
	close_with(f, (const int[]){op2(f, OP_MUL, x, op1(f, OP_SQUARE, x))}, 1);
	form_result(f, region_op(f, OP_COND, &p, 1, NULL));
	if (point_of(f) <= 0)
		derivatives(f, r_fn(f, mpfr_cos, f->x[0]), r_neg(f, r_fn(f, mpfr_sin, f->x[0])));
	else
		derivatives(f, r_times(f, 3, r_pow(f, f->x[0], 2)), r_times(f, 6, f->x[0]));
}

/* The double where: the branch not taken is NaN or infinite, and has no say. */
void form_dead_branch(struct form *f)
{
	static const enum op op[] = {OP_SQRT, OP_LOG, OP_RSQRT, OP_ACOSH};
	int x = in_scalar(f, -2, -0.25),
	    dead = op1(f, op[form_between(f, 0, 3)], form_coin(f) ? x : op2(f, OP_SUB, x, x));

	form_result(f, op3(f, OP_SELECT, op2(f, OP_GT, x, lit(f, 0)), dead, op2(f, OP_MUL, x, x)));
	derivatives(f, r_times(f, 2, f->x[0]), r_num(f, 2));
	f->nan_from = 2;
}

/* A singular op beside the function: no second derivative of the function meets it. */
void form_beside_singular(struct form *f)
{
	int x = in_scalar(f, 0.25, 2), y = op2(f, OP_MUL, x, op2(f, OP_MUL, x, x)),
	    dead = op1(f, form_coin(f) ? OP_LOG : OP_RSQRT, lit(f, 0));

	form_result(
	    f, op2(f, OP_ADD, y, op3(f, OP_SELECT, op2(f, OP_GT, x, lit(f, 0)), lit(f, form_draw(f, 1, 2)), dead)));
	derivatives(f, r_times(f, 3, r_pow(f, f->x[0], 2)), r_times(f, 6, f->x[0]));
}

/* A mask by multiplication with a cast comparison. */
void form_mask(struct form *f)
{
	int x = in_scalar(f, -2, 2), on = cast(f, op2(f, OP_GT, x, lit(f, 1.0 / 128)), f->dtype);

	form_result(f, op2(f, OP_MUL, on, op2(f, OP_MUL, x, x)));
	bool counts = point_of(f) > 0;
	derivatives(f, r_times(f, counts ? 2 : 0, f->x[0]), r_num(f, counts ? 2 : 0));
}

/* x^2/2 inside, |x| - 1/2 outside. */
void form_huber(struct form *f)
{
	double width = 1 + 1.0 / 128;
	bool negative = form_coin(f);
	int x = in_scalar(f, negative ? -3 : 0.25, negative ? -0.25 : 3),
	    size = op2(f, OP_SUB, op1(f, OP_ABS, x), lit(f, width / 2)), half = lit(f, 0.5);
	int inside = op2(f, OP_LT, op2(f, OP_MUL, x, x), lit(f, width));

	form_result(f,
	    op3(f, OP_SELECT, inside, op2(f, OP_MUL, half, op2(f, OP_MUL, x, x)), op2(f, OP_MUL, lit(f, width), size)));
	double value = point_of(f);
	if (value * value < width)
		derivatives(f, f->x[0], r_num(f, 1));
	else
		of_line(f, value < 0 ? -width : width);
}

/* ---- steps ---- */

/* x - floor x, x - trunc x ...: slope 1 between the steps. */
void form_sawtooth(struct form *f)
{
	static const enum op op[] = {OP_FLOOR, OP_CEIL, OP_TRUNC, OP_ROUND};
	int x = in_scalar(f, 0.0625, 0.375),
	    wide = op2(f, OP_ADD, op2(f, OP_MUL, x, lit(f, 1)), lit(f, form_between(f, -2, 2)));

	form_result(f, op2(f, OP_SUB, wide, op1(f, op[form_between(f, 0, 3)], wide)));
	of_line(f, 1);
}

/* An input with the elements b (n + part) and b: mod by b is b part. */
static int near_multiple(struct form *f, int n, double part, bool positive)
{
	double b = form_draw(f, 0.75, 2) * (positive || form_coin(f) ? 1 : -1);

	return in_values(f, 2, (const double[]){b * (n + part), b});
}

/* a mod(a, b) = a (a - n b) between two multiples of b. */
void form_modulus(struct form *f)
{
	int n = form_between(f, -4, 4), x = near_multiple(f, n, form_draw(f, 0.25, 0.75), false), a = element(f, x, 0);

	form_result(f, op2(f, OP_MUL, a, op2(f, OP_MOD, a, element(f, x, 1))));
	first(f, 0, 0, r_sub(f, r_times(f, 2, f->x[0]), r_times(f, n, f->x[1])));
	first(f, 0, 1, r_times(f, -n, f->x[0]));
	second(f, 0, 0, 0, r_num(f, 2));
	second(f, 0, 0, 1, r_num(f, -n));
}

/* a b floor_divide(a, b) = n a b between two multiples of b. */
void form_floor_quotient(struct form *f)
{
	int n = form_between(f, -4, 4), x = near_multiple(f, n, form_draw(f, 0.25, 0.75), false), a = element(f, x, 0),
	    b = element(f, x, 1);

	form_result(f, op2(f, OP_MUL, op2(f, OP_MUL, a, b), op2(f, OP_FLOOR_DIVIDE, a, b)));
	first(f, 0, 0, r_times(f, n, f->x[1]));
	first(f, 0, 1, r_times(f, n, f->x[0]));
	second(f, 0, 0, 1, r_num(f, n));
}

/* Rounded forwards, the identity backwards: x + stop(round x - x). */
void form_straight_through(struct form *f)
{
	int x = in_scalar(f, -2.25, 2.25), off = op2(f, OP_ADD, x, lit(f, 1.0 / 128)),
	    residue = op2(f, OP_SUB, op1(f, OP_ROUND, off), x);

	form_result(f, op2(f, OP_ADD, x, op1(f, OP_STOP_GRADIENT, residue)));
	of_line(f, 1);
}

/* x stop(x): as if one factor were a constant. */
void form_stopped_factor(struct form *f)
{
	int x = in_scalar(f, 0.25, 2);

	form_result(f, op2(f, OP_MUL, op1(f, OP_STOP_GRADIENT, op1(f, OP_EXP, x)), x));
	derivatives(f, r_fn(f, mpfr_exp, f->x[0]), r_num(f, 0));
}

/* sign x times x is |x|. */
void form_signed_size(struct form *f)
{
	bool negative = form_coin(f);
	int x = in_scalar(f, negative ? -2 : 0.25, negative ? -0.25 : 2);

	form_result(f, op2(f, OP_MUL, op1(f, OP_SIGN, x), x));
	of_line(f, negative ? -1 : 1);
}

/* ---- on an edge that one side shares ---- */

/* x >= c at c: the point is of the right piece, and so is its right side. */
void form_threshold(struct form *f)
{
	double c = form_draw(f, 0.25, 2);
	bool upper = form_coin(f);
	int x = in_values(f, 1, &c), at = element(f, x, 0), bound = lit(f, c);
	int right = op2(f, OP_MUL, at, at), left = op2(f, OP_SUB, op2(f, OP_MUL, lit(f, 8), at), lit(f, 8 * c - c * c));

	form_result(f, op3(f, OP_SELECT, op2(f, upper ? OP_GE : OP_GT, at, bound), right, left));
	derivatives(f, upper ? r_times(f, 2, f->x[0]) : r_num(f, 8), r_num(f, upper ? 2 : 0));
}

/* x floor(x) at an integer: the right side has the same floor. */
void form_floor_at_integer(struct form *f)
{
	int n = form_between(f, 1, 5);
	int x = in_values(f, 1, (const double[]){n}), at = element(f, x, 0);

	form_result(f, op2(f, OP_MUL, at, op1(f, OP_FLOOR, at)));
	of_line(f, n);
}

/* a mod(a, b) at a = n b, b > 0: a above n b, and b below a/n, have the same floor. */
void form_mod_at_multiple(struct form *f)
{
	int n = form_between(f, 1, 4), x = near_multiple(f, n, 0, true), a = element(f, x, 0);

	form_result(f, op2(f, OP_MUL, a, op2(f, OP_MOD, a, element(f, x, 1))));
	first(f, 0, 0, f->x[0]);
	first(f, 0, 1, r_times(f, -n, f->x[0]));
}

/* ---- where no side shares the path ---- */

/* x == c at c, elsewhere another slope: the limit exists and is not the derivative of the path. */
void form_equality(struct form *f)
{
	double c = form_draw(f, 0.25, 2);
	int x = in_values(f, 1, &c), at = element(f, x, 0),
	    other = op2(f, OP_SUB, op2(f, OP_MUL, lit(f, 3), at), lit(f, 2 * c));

	form_result(f, op3(f, OP_SELECT, op2(f, OP_EQ, at, lit(f, c)), at, other));
	form_undecided(f, "isolated-path");
}

/* The same with a jump. */
void form_equality_jump(struct form *f)
{
	double c = form_draw(f, 0.25, 2);
	int x = in_values(f, 1, &c), at = element(f, x, 0);

	form_result(f, op3(f, OP_SELECT, op2(f, OP_EQ, at, lit(f, c)), at, op2(f, OP_MUL, lit(f, 3), at)));
	form_undecided(f, "jump");
}

/* ---- ties: each convention is an alternative ---- */

/* max(x, y) at x = y: even share, first, last. */
void form_maximum_tie(struct form *f)
{
	double c = form_draw(f, -2, 2);
	bool largest = form_coin(f);
	int x = in_values(f, 2, (const double[]){c, c});

	form_result(f, op2(f, largest ? OP_MAX : OP_MIN, element(f, x, 0), element(f, x, 1)));
	first(f, 0, 0, r_num(f, 0.5));
	first(f, 0, 1, r_num(f, 0.5));
	form_alternative(f);
	first(f, 0, 0, r_num(f, 1));
	form_alternative(f);
	first(f, 0, 1, r_num(f, 1));
}

/* The maximum of n, of which m are the largest. */
void form_reduction_tie(struct form *f)
{
	int n = form_between(f, 2, 6), m = form_between(f, 2, n), *p = form_permutation(f, n), low = n, high = 0;
	double *x = NEW(f->arena, double, n);

	for (int k = 0; k < n; k++)
		x[p[k]] = k < m ? 2 : form_draw(f, -1, 1);
	for (int k = 0; k < m; k++) {
		low = p[k] < low ? p[k] : low;
		high = p[k] > high ? p[k] : high;
	}
	form_result(f, reduce(f, OP_REDUCE_MAX, in_values(f, n, x)));
	for (int k = 0; k < m; k++)
		first(f, 0, p[k], r_pow(f, r_num(f, m), -1));
	form_alternative(f);
	first(f, 0, low, r_num(f, 1));
	form_alternative(f);
	first(f, 0, high, r_num(f, 1));
}

/* |x| at 0: 0, 1, -1. */
void form_absolute_tie(struct form *f)
{
	double slope = form_draw(f, 0.5, 2);
	int x = in_values(f, 1, (const double[]){0});

	form_result(f, op1(f, OP_ABS, op2(f, OP_MUL, lit(f, slope), element(f, x, 0))));
	form_alternative(f);
	first(f, 0, 0, r_num(f, slope));
	form_alternative(f);
	first(f, 0, 0, r_num(f, -slope));
}

/* clamp at its lower bound: half, the bound, the operand. */
void form_clamp_tie(struct form *f)
{
	double c = form_draw(f, -1, 1);
	int x = in_values(f, 1, &c), bound = lit(f, c);

	form_result(f, op3(f, OP_CLAMP, element(f, x, 0), bound, lit(f, 2)));
	first(f, 0, 0, r_num(f, 0.5));
	form_alternative(f);
	first(f, 0, 0, r_num(f, 1));
	form_alternative(f);
}

/* Two equal elements in a sort: in order, in reverse, shared. */
void form_sort_tie(struct form *f)
{
	double c = form_draw(f, -2, 2);

	form_result(f, op_axis(f, OP_SORT, in_values(f, 2, (const double[]){c, c}), 0));
	for (int k = 0; k < 2; k++)
		first(f, k, k, r_num(f, 1));
	form_alternative(f);
	for (int k = 0; k < 2; k++)
		first(f, k, 1 - k, r_num(f, 1));
	form_alternative(f);
	for (int k = 0; k < 4; k++)
		first(f, k / 2, k % 2, r_num(f, 0.5));
}
