/*
 * closed_form.h: a program whose derivatives are known by an independent formula.
 *
 * A family (closed_forms.def) is a function.  It draws parameters and a point, and builds the program.  It then writes
 * down the derivatives of the results as mathematics has them, in MPFR, without any rule of an oracle or engine.
 * Everything lives in the arena.
 */
#ifndef FUZZ_AUDIT_CLOSED_FORM_H
#define FUZZ_AUDIT_CLOSED_FORM_H

#include <mpfr.h>

#include "graph/testcase.h"
#include "fuzz/generate/choice.h"

/* Precision of the formulas, in bits. */
enum { FORM_PRECISION = 320 };

/* A number of a formula; users never free it. */
typedef mpfr_srcptr real;

enum { FORM_ELEMENTS = 24, FORM_ALTERNATIVES = 8 };

/* One member of a family while it is drawn. */
struct form {
	struct arena *arena;
	struct choice *choice;
	enum dtype dtype; /* dtype of every float in this draw, unless the family says otherwise */
	struct builder b;

	int n_input;
	struct tensor point[LIMIT_ARGS];
	int first[LIMIT_ARGS]; /* number of an input's first element among all float elements; -1: it has no floats */
	int n_x;               /* float elements of all inputs */
	real x[FORM_ELEMENTS];

	int result; /* the value that form_result named */
	struct type result_type;
	int n_y; /* its elements */
	/* The accepted alternatives at a tie; 1 if there is no tie. */
	int n_alternative;
	const char *undecided;             /* why nothing is decided (reasons.def), or NULL */
	real *jacobian[FORM_ALTERNATIVES]; /* [n_y][n_x]; NULL entries are 0 */
	real *hessian;                     /* [n_y][n_x][n_x], or NULL: second derivatives are not stated */
	real third;                        /* third derivative of the only y by the only x, or NULL */
	/* From this order on, correct engines may return NaN (TOLERANCE.md, "NaN at order 2 and above"); 0: never. */
	int nan_from;
};

typedef void form_fn(struct form *f);
#define FORM(function, name, kind, dtypes, meaning) form_fn form_##function;
#include "closed_forms.def"
#undef FORM

/* ---- drawing (closed_form.c) ---- */

int form_between(struct form *f, int low, int high);
bool form_coin(struct form *f);
/* A multiple of 1/64 (of 1/8 for 8-bit significands) in [low, high], a value of the dtype. */
double form_draw(struct form *f, double low, double high);
/* n of these numbers, at least a quarter of (high - low)/n apart, in random order.  In the arena. */
double *form_apart(struct form *f, int n, double low, double high);
/* A permutation of 0 ... n - 1. */
int *form_permutation(struct form *f, int n);

/* ---- building (closed_form.c): every function returns a value of the program; all inputs come before the first op
 * ---- */

struct type form_type(enum dtype d, int rank, int extent0, int extent1);
/* An input of drawn floats: a scalar, a vector, a matrix. */
int in_scalar(struct form *f, double low, double high);
int in_vector(struct form *f, int n, double low, double high);
int in_matrix(struct form *f, int rows, int columns, double low, double high);
/* A vector of given floats, an integer scalar or vector (i64). */
int in_values(struct form *f, int n, const double *x);
int in_integer(struct form *f, int64_t i);
int in_integers(struct form *f, int n, const int *i);

int lit(struct form *f, double x);
int lit_integer(struct form *f, int64_t i);
int lit_values(struct form *f, int n, const double *x);
int lit_matrix(struct form *f, int rows, int columns, const double *x);
int lit_integers(struct form *f, int n, const int *i);
/* A vector of bool: element k is true where i[k] is not 0. */
int lit_mask(struct form *f, int n, const int *i);

int op_n(struct form *f, enum op op, const int *arg, int n, const struct attrs *attrs);
int op1(struct form *f, enum op op, int a);
int op2(struct form *f, enum op op, int a, int b);
int op3(struct form *f, enum op op, int a, int b, int c);
/* An op along one axis, or along all axes of a value. */
int op_axis(struct form *f, enum op op, int a, int axis);
int reduce(struct form *f, enum op op, int a);
int cast(struct form *f, int a, enum dtype d);
int reshape(struct form *f, int a, int rank, int extent0, int extent1);
/* Elements first, first + stride and so on of a vector. */
int slice(struct form *f, int a, int first, int count, int stride);
/* One element of a vector, as a scalar. */
int element(struct form *f, int a, int k);
/* A vector of n scalars. */
int stack(struct form *f, const int *scalar, int n);
/* gather(x, indices) or scatter_*(x, indices, updates) along axis 0. */
int gather(struct form *f, int x, int indices, enum index_mode mode);
int scatter(struct form *f, enum op op, int x, int indices, int updates, enum index_mode mode);

/* Opens a region whose parameters have the types of these values.  Returns its first parameter. */
int open_like(struct form *f, const int *value, int n);
/* The same with an i64 scalar before them (the index of a for). */
int open_for(struct form *f, const int *carry, int n);
/* The same with n float scalars. */
int open_scalars(struct form *f, int n);
/* Closes the innermost region. */
void close_with(struct form *f, const int *result, int n);
/* An op on the regions that were closed last. */
int region_op(struct form *f, enum op op, const int *arg, int n, const struct attrs *attrs);
/* A for with a fixed trip count, on the region that was closed last. */
int for_trip(struct form *f, const int *carry, int n, int trip);

/* ---- the derivatives ---- */

/* Ends the program, with `value` as its only result.  Call it before setting derivatives.  Those that are not set are
 * 0. */
void form_result(struct form *f, int value);
/* d y_k / d x_i, counted among the float elements of all inputs. */
void first(struct form *f, int k, int i, real value);
/* Sets the second derivatives by x_i x_j and by x_j x_i.  form_flat: all second derivatives are 0. */
void second(struct form *f, int k, int i, int j, real value);
void form_flat(struct form *f);
/* The third derivative of the only y, if there is only one x. */
void third(struct form *f, real value);
/* First and second derivative of a scalar function of one x. */
void derivatives(struct form *f, real first_, real second_);
/* Declares that nothing is decided, for the reason with that name. */
void form_undecided(struct form *f, const char *reason);
/* Begins the next alternative of a tie: derivatives set from now on belong to it. */
void form_alternative(struct form *f);

/* ---- requests (closed_form_request.c) ---- */

/*
 * The case of a form with program p and a request of n transforms of these kinds.  Every input is in wrt; seeds are
 * drawn.  A batch over the first input can only be the first transform; every slice has the same point.
 */
struct testcase form_case(struct form *f, const struct program *p, const enum transform_kind *kind, int n);
/* The derivative that this case asks for, from the formulas: float elements in order. */
const real *form_wanted(struct form *f, const struct testcase *c, int alternative);

/* ---- formulas (closed_form_real.c) ---- */

real r_num(struct form *f, double x);
real r_add(struct form *f, real a, real b);
real r_sub(struct form *f, real a, real b);
real r_mul(struct form *f, real a, real b);
real r_div(struct form *f, real a, real b);
real r_neg(struct form *f, real a);
/* x * a. */
real r_times(struct form *f, double x, real a);
/* a + x. */
real r_plus(struct form *f, real a, double x);
/* a^n; a^0 is 1. */
real r_pow(struct form *f, real a, int n);
real r_sqrt(struct form *f, real a);
real r_pi(struct form *f);
/* As in r_fn(f, mpfr_sin, a). */
real r_fn(struct form *f, int (*fn)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), real a);
/* The root in [low, high] of an increasing function g, by bisection. */
real r_root(struct form *f, real (*g)(struct form *f, real x, const real *parameter), const real *parameter, double low,
    double high);

#endif
