/* points.c: points: moderate values that the program expects, and deliberate special values. */
#include "generator.h"

#include <math.h> /* ldexp, floor */

static bool is_low(enum dtype d) { return d == DTYPE_BF16 || d == DTYPE_F16; }

/* In [0, 1). */
static double uniform(struct choice *c) { return (double)(choice_bits(c) >> 11) * 0x1p-53; }

double gen_point_real(struct choice *c, const struct profile *p, enum dtype d, struct range r)
{
	double most = range_magnitude(r), least = r.lo > 0 ? r.lo : most / 32, x;

	if (!choice_percent(c, is_low(d) ? 30 : 100 - p->point_dyadic)) {
		int per_unit = d == DTYPE_BF16 ? 16 : d == DTYPE_F16 ? 32 : 64;
		double low = least > 0.5 ? least : most > 1 ? 0.5 : most / 8;

		x = low + floor((most - low) * per_unit * (choice_below(c, 4096) / 4096.0)) / per_unit;
	} else {
		/* Magnitudes are spread evenly over the binades between least and most. */
		double mantissa = 1 + uniform(c);

		x = ldexp(mantissa, choice_between(c, -4, 1)) * most / 4;
		x = x < least ? least + (most - least) * uniform(c) : x;
	}
	x = dtype_round(d, x);
	return r.lo < 0 && choice_percent(c, 45) ? -x : x;
}

struct tensor gen_point_tensor(
    struct choice *c, const struct profile *p, const struct type *t, const struct range *range, struct arena *a)
{
	struct tensor x = tensor_new(a, t);
	struct range r = range ? *range : dtype_is_float(t->dtype) ? range_make(-3, 3) : range_make(0, 4);
	int n = shape_elements(&t->shape);

	for (int i = 0; i < n; i++) {
		if (dtype_is_float(t->dtype))
			x.at[i].f = gen_point_real(c, p, t->dtype, r);
		else if (t->dtype == DTYPE_BOOL)
			x.at[i].i = choice_percent(c, 50);
		else
			x.at[i].i = choice_percent(c, p->index_wild) ? choice_between(c, -2, 6)
			                                             : choice_between(c, (int)r.lo, (int)r.hi);
	}
	return x;
}

struct tensor *gen_point(
    struct choice *c, const struct profile *p, const struct signature *s, const struct range *range, struct arena *a)
{
	struct tensor *point = NEW(a, struct tensor, s->n_input);

	for (int i = 0; i < s->n_input; i++)
		point[i] = gen_point_tensor(c, p, &s->input[i], range ? &range[i] : NULL, a);
	return point;
}

/* Some element of some float input of dtype d, or 0.5. */
static double some_element(struct choice *c, enum dtype d, const struct program *program, const struct tensor *point)
{
	int first = choice_below(c, program->top.n_param);

	for (int k = 0; k < program->top.n_param; k++) {
		const struct tensor *t = &point[(first + k) % program->top.n_param];
		int n = shape_elements(&t->type.shape);

		if (dtype_is_float(t->type.dtype) && n)
			return dtype_round(d, t->at[choice_below(c, n)].f);
	}
	return 0.5;
}

double gen_point_special(struct choice *c, enum dtype d, const struct program *program, const struct tensor *point,
    const double *landmark, int n_landmark)
{
	static const int weights[] = {6, 2, 4, 3, 7, 6, 2, 1, 1};

	switch (choice_weighted(c, weights, 9)) {
	case 0:
		return 0;
	case 1:
		return -0.0;
	case 2:
		return 1;
	case 3:
		return -1;
	case 4:
		return some_element(c, d, program, point);
	case 5:
		return n_landmark ? dtype_round(d, landmark[choice_below(c, n_landmark)]) : 0;
	case 6:
		return choice_between(c, -3, 4);
	case 7:
		return choice_between(c, -5, 5) + 0.5;
	default:
		return ldexp(1, d == DTYPE_F16 ? -8 : -20);
	}
}

void gen_point_edge(struct choice *c, const struct profile *p, const struct range *range, const struct program *program,
    const struct transform *t, struct tensor *point)
{
	double landmark[POINT_LANDMARKS];
	int n_landmark = program_landmarks(program, landmark), times = choice_between(c, 1, 3);

	for (int i = 0; i < times; i++) {
		int input = choice_below(c, t->n_wrt);
		struct tensor *x = &point[t->wrt[input]];
		int n = shape_elements(&x->type.shape);

		int k = choice_below(c, n);
		double special;

		if (!dtype_is_float(x->type.dtype) || !n)
			continue;
		special = gen_point_special(c, x->type.dtype, program, point, landmark, n_landmark);
		/* A program reckons with the range: beyond it lies the end of some domain. */
		if (p->steady && special < range[t->wrt[input]].lo && choice_percent(c, p->steady))
			continue;
		x->at[k].f = special;
	}
}

bool gen_point_equal(struct choice *c, const struct program *program, struct tensor *point, struct arena *a)
{
	int n = program->top.n_param, from = choice_below(c, n);
	bool all = choice_percent(c, 30), any = false;

	for (int k = 1; k < n && (all || !any); k++) {
		int to = (from + k) % n;

		if (!type_equal(&point[to].type, &point[from].type))
			continue;
		point[to] = tensor_copy(a, &point[from]);
		any = true;
	}
	return any;
}
