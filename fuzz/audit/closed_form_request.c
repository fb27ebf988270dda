/* closed_form_request.c: the requests of a form, and the answers of its formulas. */
#include "closed_form.h"

#include <string.h>

enum { SLICES = 2 };

/* ---- the request ---- */

static struct tensor drawn_seed(struct form *f, const struct type *type)
{
	struct tensor t = tensor_new(f->arena, type);

	for (int e = 0; dtype_is_float(type->dtype) && e < shape_elements(&type->shape); e++)
		t.at[e].f = form_between(f, 1, 12) / (form_coin(f) ? 8.0 : -8.0);
	return t;
}

static struct transform drawn_transform(struct form *f, enum transform_kind kind, const struct signature *s)
{
	struct transform t = {.kind = kind,
	    .n_wrt = kind == TRANSFORM_BATCH ? 1 : f->n_input,
	    .size = kind == TRANSFORM_BATCH ? SLICES : 0};
	struct type type[LIMIT_ARGS];

	t.wrt = NEW(f->arena, int, t.n_wrt);
	for (int i = 0; i < t.n_wrt; i++)
		t.wrt[i] = i;
	t.n_seed = request_seeds(s, &t, type);
	t.seed = NEW(f->arena, struct tensor, t.n_seed);
	for (int i = 0; i < t.n_seed; i++)
		t.seed[i] = drawn_seed(f, &type[i]);
	return t;
}

/* The point with every slice of the first input the same. */
static struct tensor *batched_point(struct form *f)
{
	struct tensor *point = NEW(f->arena, struct tensor, f->n_input);

	memcpy(point, f->point, (size_t)f->n_input * sizeof *point);
	struct type type = point[0].type;
	int n = shape_elements(&type.shape);
	(void)shape_stack(&type.shape, SLICES); /* forms are small */
	point[0] = tensor_new(f->arena, &type);
	for (int e = 0; e < SLICES * n; e++)
		point[0].at[e] = f->point[0].at[e % n];
	return point;
}

struct testcase form_case(struct form *f, const struct program *p, const enum transform_kind *kind, int n)
{
	struct testcase c = {.program = *p, .n_point = 1, .n_transform = n};
	struct signature level = request_base(p);
	struct error e = {0};

	c.transform = NEW(f->arena, struct transform, n);
	c.point = NEW(f->arena, struct tensor *, 1);
	c.point[0] = kind[0] == TRANSFORM_BATCH ? batched_point(f) : f->point;
	for (int k = 0; k < n; k++) {
		c.transform[k] = drawn_transform(f, kind[k], &level);
		(void)request_apply(&level, &c.transform[k], &e);
	}
	return c;
}

/* ---- what the formula says of a request ---- */

static real at(real number, struct form *f) { return number ? number : r_num(f, 0); }

/* Seeds of a transform as numbers, by float element; slices come first if there are any. */
static const real *seeds_of(struct form *f, const struct transform *t)
{
	int n = 0, room = 0;

	for (int i = 0; i < t->n_seed; i++)
		room += shape_elements(&t->seed[i].type.shape);
	real *out = NEW(f->arena, real, room + 1);
	for (int i = 0; i < t->n_seed; i++)
		for (int e = 0; dtype_is_float(t->seed[i].type.dtype) && e < shape_elements(&t->seed[i].type.shape);
		     e++)
			out[n++] = r_num(f, t->seed[i].at[e].f);
	return out;
}

/* sum over k of w_k dy_k/dx_i */
static real pulled(struct form *f, const real *jacobian, const real *w, int i)
{
	real sum = r_num(f, 0);

	for (int k = 0; k < f->n_y; k++)
		sum = r_add(f, sum, r_mul(f, w[k], at(jacobian[k * f->n_x + i], f)));
	return sum;
}

static real pushed(struct form *f, const real *jacobian, const real *v, int k)
{
	real sum = r_num(f, 0);

	for (int i = 0; i < f->n_x; i++)
		sum = r_add(f, sum, r_mul(f, v[i], at(jacobian[k * f->n_x + i], f)));
	return sum;
}

/* The Jacobian of x -> (directional derivatives of y along v): sum over j of v_j d2 y_k/dx_i dx_j. */
static real *moved_jacobian(struct form *f, const real *v)
{
	real *out = NEW(f->arena, real, f->n_y * f->n_x);

	for (int k = 0; k < f->n_y * f->n_x; k++)
		out[k] = pushed(f, f->hessian, v, k);
	return out;
}

/* Order 2: the Jacobian along v, contracted with the remaining seeds. */
static void want_second(struct form *f, const struct testcase *c, const real *a, const real *b, real *want)
{
	enum transform_kind inner = c->transform[0].kind, outer = c->transform[1].kind;
	/* In vjp over vjp, the second contracts the cotangents of the first. */
	bool along_b = inner == TRANSFORM_VJP;
	const real *jacobian = moved_jacobian(f, along_b ? b : a);

	if (inner == TRANSFORM_JVP && outer == TRANSFORM_JVP)
		for (int k = 0; k < f->n_y; k++)
			want[k] = pushed(f, jacobian, b, k);
	else
		for (int i = 0; i < f->n_x; i++)
			want[i] = pulled(f, jacobian, along_b ? a : b, i);
}

/* For one x and one y: the third derivative times all seeds. */
static real want_third(struct form *f, const real *const seed[])
{
	return r_mul(f, f->third, r_mul(f, r_mul(f, seed[0][0], seed[1][0]), seed[2][0]));
}

/* A batch over the first input.  Each slice has its own cotangents; the other inputs get the sum over the slices. */
static void want_batch(struct form *f, const real *w, real *want)
{
	int own = shape_elements(&f->point[0].type.shape), n = 0;

	for (int slice_ = 0; slice_ < SLICES; slice_++)
		for (int i = 0; i < own; i++)
			want[n++] = pulled(f, f->jacobian[0], w + slice_ * f->n_y, i);
	for (int i = own; i < f->n_x; i++) {
		want[n] = r_num(f, 0);
		for (int slice_ = 0; slice_ < SLICES; slice_++)
			want[n] = r_add(f, want[n], pulled(f, f->jacobian[0], w + slice_ * f->n_y, i));
		n++;
	}
}

const real *form_wanted(struct form *f, const struct testcase *c, int alternative)
{
	real *want = NEW(f->arena, real, SLICES * (f->n_x + f->n_y));
	const real *seed[3];

	for (int k = 0; k < c->n_transform; k++)
		seed[k] = seeds_of(f, &c->transform[k]);
	if (c->transform[0].kind == TRANSFORM_BATCH)
		want_batch(f, seed[1], want);
	else if (c->n_transform == 3)
		want[0] = want_third(f, seed);
	else if (c->n_transform == 2)
		want_second(f, c, seed[0], seed[1], want);
	else if (c->transform[0].kind == TRANSFORM_VJP)
		for (int i = 0; i < f->n_x; i++)
			want[i] = pulled(f, f->jacobian[alternative], seed[0], i);
	else
		for (int k = 0; k < f->n_y; k++)
			want[k] = pushed(f, f->jacobian[alternative], seed[0], k);
	return want;
}
