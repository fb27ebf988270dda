/* closed_form.c: draws and builds members of families. */
#include "closed_form.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- drawing ---- */

int form_between(struct form *f, int low, int high) { return choice_between(f->choice, low, high); }
bool form_coin(struct form *f) { return choice_percent(f->choice, 50); }

static int grid(const struct form *f) { return dtype_table[f->dtype].precision <= 8 ? 8 : 64; }

double form_draw(struct form *f, double low, double high)
{
	int n = grid(f);

	return dtype_round(f->dtype, choice_between(f->choice, (int)ceil(low * n), (int)floor(high * n)) / (double)n);
}

int *form_permutation(struct form *f, int n)
{
	int *p = NEW(f->arena, int, n);

	for (int k = 0; k < n; k++) {
		int j = choice_between(f->choice, 0, k);

		p[k] = p[j];
		p[j] = k;
	}
	return p;
}

double *form_apart(struct form *f, int n, double low, double high)
{
	const int *place = form_permutation(f, n);
	double *x = NEW(f->arena, double, n), width = (high - low) / n;

	for (int k = 0; k < n; k++)
		x[place[k]] = form_draw(f, low + width * k + width / 8, low + width * (k + 1) - width / 8);
	return x;
}

/* ---- inputs and constants ---- */

struct type form_type(enum dtype d, int rank, int extent0, int extent1)
{
	return (struct type){.dtype = d, .shape = {.rank = rank, .extent = {extent0, extent1}}};
}

/* A family built an invalid program.  This is a mistake in the family, not in its input. */
static int built(int value, const struct error *e)
{
	if (value < 0) {
		fprintf(stderr, "adjudge: a closed form: %s\n", e->text);
		abort();
	}
	return value;
}

static int add_input(struct form *f, struct tensor t)
{
	assert(f->n_input < LIMIT_ARGS);
	f->first[f->n_input] = dtype_is_float(t.type.dtype) ? f->n_x : -1;
	for (int e = 0; dtype_is_float(t.type.dtype) && e < shape_elements(&t.type.shape); e++) {
		assert(f->n_x < FORM_ELEMENTS);
		f->x[f->n_x++] = r_num(f, t.at[e].f);
	}
	f->point[f->n_input++] = t;
	return build_input(&f->b, &t.type);
}

static int drawn_input(struct form *f, struct type type, double low, double high)
{
	struct tensor t = tensor_new(f->arena, &type);

	for (int e = 0; e < shape_elements(&type.shape); e++)
		t.at[e].f = form_draw(f, low, high);
	return add_input(f, t);
}

static struct tensor of_floats(struct form *f, struct type type, const double *x)
{
	struct tensor t = tensor_new(f->arena, &type);

	for (int e = 0; e < shape_elements(&type.shape); e++)
		t.at[e].f = dtype_round(type.dtype, x[e]);
	return t;
}

static struct tensor of_integers(struct form *f, struct type type, const int *i)
{
	struct tensor t = tensor_new(f->arena, &type);

	for (int e = 0; e < shape_elements(&type.shape); e++)
		t.at[e].i = i[e];
	return t;
}

int in_scalar(struct form *f, double low, double high)
{
	return drawn_input(f, form_type(f->dtype, 0, 0, 0), low, high);
}
int in_vector(struct form *f, int n, double low, double high)
{
	return drawn_input(f, form_type(f->dtype, 1, n, 0), low, high);
}

int in_matrix(struct form *f, int rows, int columns, double low, double high)
{
	return drawn_input(f, form_type(f->dtype, 2, rows, columns), low, high);
}

int in_values(struct form *f, int n, const double *x)
{
	return add_input(f, of_floats(f, form_type(f->dtype, 1, n, 0), x));
}
int in_integer(struct form *f, int64_t i)
{
	return add_input(f, of_integers(f, form_type(DTYPE_I64, 0, 0, 0), (const int[]){(int)i}));
}
int in_integers(struct form *f, int n, const int *i)
{
	return add_input(f, of_integers(f, form_type(DTYPE_I64, 1, n, 0), i));
}

static int add_constant(struct form *f, struct tensor t) { return build_constant(&f->b, &t); }

int lit(struct form *f, double x) { return build_scalar(&f->b, f->dtype, x); }
int lit_integer(struct form *f, int64_t i) { return build_scalar(&f->b, DTYPE_I64, (double)i); }
int lit_values(struct form *f, int n, const double *x)
{
	return add_constant(f, of_floats(f, form_type(f->dtype, 1, n, 0), x));
}

int lit_matrix(struct form *f, int rows, int columns, const double *x)
{
	return add_constant(f, of_floats(f, form_type(f->dtype, 2, rows, columns), x));
}

int lit_integers(struct form *f, int n, const int *i)
{
	return add_constant(f, of_integers(f, form_type(DTYPE_I64, 1, n, 0), i));
}
int lit_mask(struct form *f, int n, const int *i)
{
	return add_constant(f, of_integers(f, form_type(DTYPE_BOOL, 1, n, 0), i));
}

/* ---- ops ---- */

static const struct shape *shape_of(const struct form *f, int value) { return &f->b.program.type[value].shape; }

int op_n(struct form *f, enum op op, const int *arg, int n, const struct attrs *attrs)
{
	struct error e = {0};

	return built(build_node(&f->b, op, arg, n, attrs, &e), &e);
}

int op1(struct form *f, enum op op, int a) { return op_n(f, op, &a, 1, NULL); }
int op2(struct form *f, enum op op, int a, int b) { return op_n(f, op, (const int[]){a, b}, 2, NULL); }
int op3(struct form *f, enum op op, int a, int b, int c) { return op_n(f, op, (const int[]){a, b, c}, 3, NULL); }

int op_axis(struct form *f, enum op op, int a, int axis) { return op_n(f, op, &a, 1, &(struct attrs){.axis = axis}); }

int reduce(struct form *f, enum op op, int a)
{
	struct attrs attrs = {.n_axes = shape_of(f, a)->rank};

	for (int k = 0; k < attrs.n_axes; k++)
		attrs.axes[k] = k;
	return op_n(f, op, &a, 1, &attrs);
}

int cast(struct form *f, int a, enum dtype d) { return op_n(f, OP_CAST, &a, 1, &(struct attrs){.dtype = d}); }

int reshape(struct form *f, int a, int rank, int extent0, int extent1)
{
	return op_n(f, OP_RESHAPE, &a, 1, &(struct attrs){.shape = form_type(f->dtype, rank, extent0, extent1).shape});
}

int slice(struct form *f, int a, int first_, int count, int stride)
{
	return op_n(f, OP_SLICE, &a, 1, &(struct attrs){.start = {first_}, .size = {count}, .stride = {stride}});
}

int element(struct form *f, int a, int k) { return reshape(f, slice(f, a, k, 1, 1), 0, 0, 0); }

int stack(struct form *f, const int *scalar, int n)
{
	int *row = NEW(f->arena, int, n);

	for (int k = 0; k < n; k++)
		row[k] = reshape(f, scalar[k], 1, 1, 0);
	return op_n(f, OP_CONCATENATE, row, n, &(struct attrs){.axis = 0});
}

int gather(struct form *f, int x, int indices, enum index_mode mode)
{
	return op_n(f, OP_GATHER, (const int[]){x, indices}, 2, &(struct attrs){.mode = mode});
}

int scatter(struct form *f, enum op op, int x, int indices, int updates, enum index_mode mode)
{
	return op_n(f, op, (const int[]){x, indices, updates}, 3, &(struct attrs){.mode = mode});
}

/* ---- regions ---- */

int open_like(struct form *f, const int *value, int n)
{
	struct type type[LIMIT_ARGS];

	for (int k = 0; k < n; k++)
		type[k] = f->b.program.type[value[k]];
	return build_open(&f->b, type, n);
}

int open_for(struct form *f, const int *carry, int n)
{
	struct type type[LIMIT_ARGS] = {form_type(DTYPE_I64, 0, 0, 0)};

	for (int k = 0; k < n; k++)
		type[k + 1] = f->b.program.type[carry[k]];
	return build_open(&f->b, type, n + 1);
}

int open_scalars(struct form *f, int n)
{
	struct type type[LIMIT_ARGS];

	for (int k = 0; k < n; k++)
		type[k] = form_type(f->dtype, 0, 0, 0);
	return build_open(&f->b, type, n);
}

void close_with(struct form *f, const int *result, int n) { build_close(&f->b, result, n); }

int region_op(struct form *f, enum op op, const int *arg, int n, const struct attrs *attrs)
{
	struct error e = {0};

	return built(build_region_node(&f->b, op, arg, n, attrs, &e), &e);
}

int for_trip(struct form *f, const int *carry, int n, int trip)
{
	return region_op(f, OP_FOR, carry, n, &(struct attrs){.trip = trip, .cap = trip});
}

/* ---- derivatives ---- */

void form_result(struct form *f, int value)
{
	f->result = value;
	f->result_type = f->b.program.type[value];
	f->n_y = shape_elements(shape_of(f, value));
	f->n_alternative = 1;
	f->jacobian[0] = NEW(f->arena, real, f->n_y * f->n_x);
}

void form_undecided(struct form *f, const char *reason) { f->undecided = reason; }

void form_alternative(struct form *f)
{
	assert(f->n_alternative < FORM_ALTERNATIVES);
	f->jacobian[f->n_alternative++] = NEW(f->arena, real, f->n_y * f->n_x);
}

void first(struct form *f, int k, int i, real value) { f->jacobian[f->n_alternative - 1][k * f->n_x + i] = value; }

void form_flat(struct form *f)
{
	if (!f->hessian)
		f->hessian = NEW(f->arena, real, f->n_y * f->n_x * f->n_x);
}

void second(struct form *f, int k, int i, int j, real value)
{
	form_flat(f);
	f->hessian[(k * f->n_x + i) * f->n_x + j] = f->hessian[(k * f->n_x + j) * f->n_x + i] = value;
}

void third(struct form *f, real value) { f->third = value; }

void derivatives(struct form *f, real first_, real second_)
{
	first(f, 0, 0, first_);
	second(f, 0, 0, 0, second_);
}
