/*
 * generator.h: a program while it grows.  Generator, mutator and cross-over share it.
 *
 * A gen_* function that makes a value returns its number, or -1 if the budget or a limit forbids it.  Then it adds
 * nothing, except perhaps unused nodes.
 *
 * The same choices give the same case on every host.  No decision depends on libm.  No two calls that choose or append
 * stand in one expression, because C leaves their order open.
 */
#ifndef FUZZ_GENERATE_GENERATOR_H
#define FUZZ_GENERATE_GENERATOR_H

#include "generate.h"

enum {
	GEN_DEPTH = 6,        /* regions that may be open at once, below LIMIT_DEPTH */
	GEN_NODES = 900,      /* nodes of a program, below LIMIT_NODES: closing a region may still add some */
	GEN_ELEMENTS = 256,   /* most elements of a value, for any profile */
	GEN_LARGE = 4096,     /* elements of a value, or iterations of a loop, of a large program */
	GEN_MULTIPLIER = 256, /* product of the trip counts of the open loops */
	GEN_VARIED = 50,      /* percentage of cases with a variant, where there are spellings */
	GEN_VARIANTS = 255,   /* the largest variant drawn: enough for every combination of a few spellings */
	GEN_CLOSING = 110,    /* more nodes that closing regions and collecting results may add */
	GEN_BUDGET = 100000,  /* largest program_work that a profile may aim at */
	GEN_WORK = 300000     /* program_work beyond which nothing is added, well below LIMIT_WORK */
};

/* Where the elements of a value probably lie.  A rough guess that guides the generator; it proves nothing. */
struct range {
	double lo, hi;
};

/*
 * What is probably true of a value.  The sets hold inputs to which it passes derivatives, as bits.  Covered: every
 * element of the value depends on that input.  Whole: the value depends on every element of that input.  Curved: its
 * second derivative by that input is not 0.
 */
struct gen_trait {
	uint16_t covered, whole, curved;
	bool tied;   /* elements may be equal, so that rounding decides their order */
	double wear; /* relative error by rounding, along the longest chain */
};

struct gen_info {
	struct range range;
	uint32_t deps; /* bit i: depends on input i; bit 16 + d: on a parameter of the region open at depth d */
	int uses;
	int depth;     /* depth of the region in which it was made */
	int successor; /* the result of a store into it; -1: none */
	bool noisy;    /* some float op rounded on the way: near a tie, a comparison of it decides little */
};

/*
 * The operand for which an input was made; its points come from the whole domain.  OP_CONSTANT: no particular operand.
 */
struct gen_stand {
	enum op op;
	int operand;
};

struct gen {
	struct choice *c;
	const struct profile *p;
	struct arena *a;
	struct builder b;

	int n_pool, pool_room;
	int *pool; /* values in scope, oldest first */
	int info_room;
	struct gen_info *info; /* by value number */
	int flow_room;
	struct gen_trait *flow; /* by value number; none if the profile's `live` and `steady` are 0 */

	bool large;       /* values and loops up to GEN_LARGE */
	int trips;        /* of the next outermost loop; 0: draw them */
	int order;        /* levels of the request that differentiate */
	bool batch;       /* the request has a batch */
	enum dtype dtype; /* most floats have it */
	struct shape base;
	int n_input;
	struct range input_range[LIMIT_ARGS];
	struct gen_stand stand[LIMIT_ARGS]; /* by input, for bare programs */

	int nodes, ops; /* appended so far; ops: without constants */
	int ops_end;    /* no new op is begun when ops reaches this */
	int depth, multiplier;
	int64_t work;
};

/* ---- values.c: the pool of values, constants, conversions ---- */

void gen_begin(struct gen *g, struct choice *c, const struct profile *p, struct arena *a);
int gen_input(struct gen *g, const struct type *t, struct range r);
/* Records range and deps of a value, and makes it pickable. */
void gen_track(struct gen *g, int value, struct range r, uint32_t deps, bool noisy);
void gen_push(struct gen *g, int value);
/* Removes the newest value from the pool, so that nothing else uses it. */
void gen_hide(struct gen *g, int value);

/* The value, or its buffer after the latest store into it. */
int gen_latest(const struct gen *g, int value);
/* Ends the program.  A store whose buffer is used elsewhere becomes a plain update. */
struct program gen_end(struct gen *g, const int *result, int n);

static inline const struct type *gen_type(const struct gen *g, int value) { return &g->b.program.type[value]; }
static inline int gen_elements(const struct gen *g, int value) { return shape_elements(&gen_type(g, value)->shape); }
static inline bool gen_is_float(const struct gen *g, int value) { return dtype_is_float(gen_type(g, value)->dtype); }

/* Whether a value of that many elements may still be made at this place. */
bool gen_fits(const struct gen *g, int elements);
/* The program_work that the profile aims at. */
int gen_budget(const struct gen *g);
/* Whether a new op may be begun. */
bool gen_open(const struct gen *g);
/* Largest magnitude that values of d should have. */
double gen_limit(enum dtype d);
double range_magnitude(struct range r);

/* Appends a node and tracks its result. */
int gen_node(struct gen *g, enum op op, const int *arg, int n_arg, const struct attrs *attrs);
int gen_unary(struct gen *g, enum op op, int a);
int gen_binary(struct gen *g, enum op op, int a, int b);
/* op(a, x) with a constant x. */
int gen_with_scalar(struct gen *g, enum op op, int a, double x);
int gen_clamp(struct gen *g, int a, double lo, double hi);
/* Number of elements when both shapes are broadcast; -1 if they do not fit. */
int gen_broadcast_elements(const struct gen *g, int a, int b);

/* A moderate real of dtype d: constants, guards. */
double gen_real(struct gen *g, enum dtype d);
int gen_scalar(struct gen *g, enum dtype d, double x);
/* A literal, whose elements lie in r. */
int gen_constant(struct gen *g, const struct tensor *t, struct range r);
/* Whether a constant operand should be a gen_neutral: 0, -0, 1 or -1, the neutral or absorbing elements of many ops. */
bool gen_special(struct gen *g);
double gen_neutral(struct gen *g);
/* A literal of that type with moderate elements. */
int gen_literal(struct gen *g, const struct type *t);
/* An integer literal with elements in [low, high]. */
int gen_integers(struct gen *g, enum dtype d, const struct shape *s, int low, int high);
/* Converts `value` to `t` by casts, reductions, reshapes and broadcasts. */
int gen_as(struct gen *g, int value, const struct type *t);
/* A value of exactly that type: picked, converted or a literal. */
int gen_value_of(struct gen *g, const struct type *t);
struct shape gen_shape(struct gen *g);
enum dtype gen_float_dtype(struct gen *g);
/* Whether values of the dtype may be drawn: a float may have weight 0 in the profile. */
bool gen_may_have(const struct gen *g, enum dtype d);

/* ---- pick.c: picks from the pool ---- */

typedef bool gen_fits_fn(const struct gen *g, int value, const void *arg);
/* Picks a value in scope for which `fits` holds, preferably recent and unused; -1 if there is none. */
int gen_pick(struct gen *g, gen_fits_fn *fits, const void *arg);
/* The same among pool[from] and later ones. */
int gen_pick_from(struct gen *g, int from, gen_fits_fn *fits, const void *arg);
/* Whether a value is a float, an integer, a boolean, or of exactly that type. */
bool gen_fits_float(const struct gen *g, int value, const void *unused);
bool gen_fits_int(const struct gen *g, int value, const void *unused);
bool gen_fits_bool(const struct gen *g, int value, const void *unused);
bool gen_fits_type(const struct gen *g, int value, const void *type);
bool gen_fits_axes(const struct gen *g, int value, const void *unused);       /* rank >= 1, not empty, float mostly */
bool gen_fits_float_axes(const struct gen *g, int value, const void *unused); /* float, rank >= 1, not empty */
/* Whether it has the dtype of the type, and their broadcast shape is not too large. */
bool gen_fits_broadcast(const struct gen *g, int value, const void *type);
/* A float in scope, as gen_pick picks it, or else a new scalar. */
int gen_pick_float(struct gen *g);

/* ---- range.c ---- */

struct range range_make(double lo, double hi);
/* Range of the results of an op without regions; `fan`: elements that enter one result. */
struct range range_of(enum op op, const struct range *a, int n, double fan);

/* ---- flow.c: which inputs a value passes derivatives to ---- */

struct gen_trait gen_flow(const struct gen *g, int value);
void gen_flow_set(struct gen *g, int value, struct gen_trait f);
/* Computes it for the results of the node that was appended last. */
void gen_flow_of_last(struct gen *g);
/* Whether rounding may decide the order of its elements. */
bool gen_is_close(const struct gen *g, int value);
/* Whether a choice should prefer what passes derivatives on (live), or what rounding does not decide (steady).  They
 * draw nothing, and answer no, if the profile's member of that name is 0. */
bool gen_live(struct gen *g);
bool gen_steady(struct gen *g);

/* ---- ops.c: elementwise float ops and their guards ---- */

typedef int gen_emit_fn(struct gen *g);
gen_emit_fn gen_emit_unary, gen_emit_binary, gen_emit_clamp, gen_emit_large, gen_emit_edge, gen_emit_cast, gen_emit_mod;
/* `weight`, or 0 if the profile does not draw op: one that is newer than the frozen profiles. */
int gen_weight(const struct gen *g, enum op op, int weight);
/* A unary op, with its guard, on that float value. */
int gen_unary_on(struct gen *g, int value);
/* A binary op on a and something; the result has the shape that broadcasting gives. */
int gen_binary_on(struct gen *g, int a);
/* Scales `value` down if its magnitude is large. */
int gen_tame(struct gen *g, int value);
/* f(value) kept away from the ends of the domain. */
int gen_guard(struct gen *g, int value, enum domain domain);

/* ---- logic.c: comparisons, selects, integers, bool ---- */

gen_emit_fn gen_emit_select, gen_emit_masked, gen_emit_integer, gen_emit_logical;
/* Integer arithmetic by that op (one of integer_rows), or by any if it is OP_CONSTANT; the result may be a float. */
int gen_integer(struct gen *g, enum op op);
/* A bool scalar. */
int gen_predicate_scalar(struct gen *g);
/* A comparison of that value with a constant or another value; bool, of its shape or broadcast. */
int gen_compare(struct gen *g, int value);

/* ---- tensor.c: shapes, reductions, indexing ---- */

gen_emit_fn gen_emit_shape, gen_emit_slice, gen_emit_join, gen_emit_gather, gen_emit_scatter, gen_emit_reduce,
    gen_emit_cumulative, gen_emit_matmul;
/* 257 to GEN_LARGE, mostly small; half of them within 1 of a power of 2. */
int gen_large_size(struct gen *g);
/* A value with an axis: mostly a float one. */
int gen_pick_axes(struct gen *g);
/* Whether the lines of v along an axis may be sorted, or summed up: the derivative has terms for each pair of elements.
 */
bool gen_lines_fit(const struct gen *g, int v, int axis);
enum index_mode gen_pick_mode(struct gen *g);
/* That op of the scatter family with updates, or masked_scatter. */
int gen_scatter(struct gen *g, enum op op);
/* Its sum over some of its axes. */
int gen_sum(struct gen *g, int value);
/* A window inside the shape: its positions; *size is its shape. */
struct attrs gen_window(struct gen *g, const struct shape *s, struct shape *size);
/* Starts of a dynamic slice: an integer vector of that length, sometimes out of range. */
int gen_starts(struct gen *g, int rank);
/* An integer value of that shape, as indices into an axis of that extent. */
int gen_indices(struct gen *g, const struct shape *s, int extent);

/* ---- order.c: order, copies and counting ---- */

gen_emit_fn gen_emit_order, gen_emit_copy;
/* sort, argsort or argmax, and mostly what uses the positions. */
int gen_order(struct gen *g, enum op op);

/* ---- rare.c: ops that the other emitters seldom draw ---- */

gen_emit_fn gen_emit_rare;

/* ---- buffers.c: values that are stored into ---- */

gen_emit_fn gen_emit_store;

/* ---- regions.c ---- */

gen_emit_fn gen_emit_checkpoint, gen_emit_scatter_apply, gen_emit_cond, gen_emit_for, gen_emit_while, gen_emit_scan;

/* ---- fixed_point.c ---- */

gen_emit_fn gen_emit_fixed_point;
/* ---- derivative.c ---- */

gen_emit_fn gen_emit_derivative;
/* ---- custom.c ---- */

gen_emit_fn gen_emit_custom;

/* ---- carries.c ---- */

/*
 * Opens a region; returns its first parameter.  Each parameter has a wider range than `init`, or `range` if init is -1.
 */
int gen_region_open(
    struct gen *g, const struct type *params, const int *init, const struct range *range, int n, int trips);
/* Appends a region op whose regions are closed.  Its results are not tracked yet.  -1 when it is refused. */
int gen_region_node(struct gen *g, enum op op, const int *arg, int n_arg, const struct attrs *attrs);
/* Closes the region: values inside go out of scope. pool_mark and trips are restored to their values at opening. */
void gen_region_close(struct gen *g, const int *result, int n, int pool_mark, int trips);

/* ---- generate.c ---- */

/* Appends a random op or idiom by the profile's weights.  Returns a value or -1. */
int gen_emit(struct gen *g);

/* ---- bare.c ---- */

/* Makes a bare program with its inputs: an op or a few, each on its own inputs.  Returns its number of results, at
 * least 1. */
int gen_bare(struct gen *g, int result[LIMIT_ARGS]);
/* A program that moves elements: an op or a few, each on its own inputs, and mostly a sum of each result. */
int gen_moved(struct gen *g, int result[LIMIT_ARGS]);

/* ---- bare_points.c ---- */

/* A range inside the domain of a float operand, where rules are well-behaved. */
struct range gen_bare_range(const struct gen_stand *s);
/* Gives each float input that was made for an operand values from its whole domain. */
void gen_bare_point(
    struct choice *c, const struct profile *p, const struct gen_stand *stand, int n_input, struct tensor *point);

/* ---- results.c ---- */

/* Picks the results of the program.  Returns their number. */
int gen_results(struct gen *g, int result[LIMIT_ARGS]);
/* For a request of order 2 and above: applies a function with a second derivative to float results without one. */
void gen_curve(struct gen *g, int *result, int n);

/* ---- large.c ---- */

/* Makes a program with large tensors or a long loop, with its inputs.  Returns its number of results, at least 1. */
int gen_large(struct gen *g, int result[LIMIT_ARGS]);

/* ---- request.c ---- */

/* The request, planned before the program: requests of several levels get smaller programs. */
struct request_plan {
	int order;                     /* levels that differentiate, at least 1 */
	bool inside, between, outside; /* batches: innermost, above the first derivative, outermost */
};
struct request_plan gen_request_plan(struct choice *c, const struct profile *p);
/* The profile from which the program of such a request is drawn. */
struct profile gen_request_profile(const struct profile *p, const struct request_plan *plan);
/* Gives t, which has a program, its request.  Batches that exceed a limit are left out. */
void gen_request(
    struct choice *c, const struct profile *p, const struct request_plan *plan, struct testcase *t, struct arena *a);
/* The same for a given stack, innermost first. */
void gen_request_stack(struct choice *c, const struct profile *p, const enum transform_kind *stack, int n,
    struct testcase *t, struct arena *a);
/* A batch of some of n_input inputs (at least 1). */
struct transform gen_batch(struct choice *c, int n_input, struct arena *a);
/* One seed. */
struct tensor gen_seed(struct choice *c, const struct profile *p, const struct type *t, struct arena *a);

/* ---- points.c ---- */

enum { POINT_LANDMARKS = 16 };

/* Values for all inputs of the outermost level. range[] (may be NULL): the ranges that the program assumes. */
struct tensor *gen_point(
    struct choice *c, const struct profile *p, const struct signature *s, const struct range *range, struct arena *a);
/* One tensor of a point; range may be NULL. */
struct tensor gen_point_tensor(
    struct choice *c, const struct profile *p, const struct type *t, const struct range *range, struct arena *a);
double gen_point_real(struct choice *c, const struct profile *p, enum dtype d, struct range r);
/* A special value for one element of an input of the point: 0, -0, 1, -1, a tie, a landmark, an integer, or a tiny
 * number. */
double gen_point_special(struct choice *c, enum dtype d, const struct program *program, const struct tensor *point,
    const double *landmark, int n_landmark);
/* Gives one input the values of another of its type, or all inputs of a type the same values.  False if there is no
 * other. */
bool gen_point_equal(struct choice *c, const struct program *program, struct tensor *point, struct arena *a);
/* Puts 1 to 3 special values into float inputs in t->wrt.  With `steady`, most of them lie in the range of their input,
 * in range[] by input. */
void gen_point_edge(struct choice *c, const struct profile *p, const struct range *range, const struct program *program,
    const struct transform *t, struct tensor *point);

/* ---- generate.c ---- */

/* A variant for a case; 0 if no engine under test lists spellings. */
int gen_variant(struct choice *c, const struct profile *profile);

/* ---- strata.c ---- */

/* Lists the scalar float constants that a comparison, clamp, max or min of the program uses, at most POINT_LANDMARKS.
 * Returns their number. */
int program_landmarks(const struct program *p, double out[POINT_LANDMARKS]);

#endif
