/* parts.h: functions that the kernel files share among themselves and with the structural derivative rules. */
#ifndef ENGINES_KERNELS_PARTS_H
#define ENGINES_KERNELS_PARTS_H

#include "kernels.h"

/* ---- scalars that several kernels need ---- */

static inline double real_add(double x, double y) { return x + y; }
static inline double real_mul(double x, double y) { return x * y; }
/* NaN if either is. */
static inline double real_max(double x, double y) { return x >= y || x != x ? x : y; }
static inline double real_min(double x, double y) { return x <= y || x != x ? x : y; }

/* Two's complement, without a conversion that the language leaves open. */
static inline int64_t int_from(uint64_t u) { return u > INT64_MAX ? -(int64_t)(UINT64_MAX - u) - 1 : (int64_t)u; }
static inline int64_t int_add(int64_t x, int64_t y) { return int_from((uint64_t)x + (uint64_t)y); }
static inline int64_t int_sub(int64_t x, int64_t y) { return int_from((uint64_t)x - (uint64_t)y); }
static inline int64_t int_mul(int64_t x, int64_t y) { return int_from((uint64_t)x * (uint64_t)y); }
static inline int64_t int_max(int64_t x, int64_t y) { return x >= y ? x : y; }
static inline int64_t int_min(int64_t x, int64_t y) { return x <= y ? x : y; }

/* ---- kernels ---- */

/* Computes one node.  `out` is zeroed and has the result's type. */
typedef void kernel_fn(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a);

/* elementwise.c, by family. */
kernel_fn kernel_unary, kernel_binary, kernel_compare, kernel_clamp, kernel_select, kernel_cast;
/* index.c, by family. */
kernel_fn kernel_broadcast_to, kernel_reshape, kernel_transpose, kernel_reverse, kernel_slice, kernel_slice_scatter,
    kernel_dynamic_slice, kernel_dynamic_update_slice, kernel_pad, kernel_concatenate, kernel_gather,
    kernel_take_along_axis, kernel_scatter, kernel_masked_scatter;
/* reduce.c, by family. */
kernel_fn kernel_reduce, kernel_cumulative, kernel_matmul;

/* order.c, by family. */
kernel_fn kernel_iota, kernel_sort, kernel_argsort, kernel_argmax;

/*
 * Reads up to three operands element by element over a broadcast result.  After broadcast_begin, at[k] is the offset of
 * operand k for element 0. broadcast_next steps to the next element in row-major order.
 */
struct broadcast {
	int n_arg, at[3];
	int step[3]; /* flat: offsets advance by 0 or 1 and no index is kept */
	bool flat;
	int index[LIMIT_RANK], stride[3][LIMIT_RANK];
	struct shape shape;
};

void broadcast_begin(struct broadcast *w, const struct shape *out, const struct tensor *const arg[], int n_arg);
void broadcast_carry(struct broadcast *w);

static inline void broadcast_next(struct broadcast *w)
{
	if (w->flat) {
		for (int k = 0; k < w->n_arg; k++)
			w->at[k] += w->step[k];
	} else {
		broadcast_carry(w);
	}
}

/* A tensor seen as [outer][n][inner] around one axis. */
struct axis_view {
	int outer, n, inner;
};
struct axis_view axis_view(const struct shape *s, int axis);

/*
 * Sorts line (o, i) of x (see sort in ops.def): perm[v->n] gets the positions of its elements in order. spare[v->n] is
 * working memory.
 */
void order_line(const struct tensor *x, const struct axis_view *v, int o, int i, int *perm, int *spare);

/*
 * Reductions that are one fold over their elements in row-major order. kernel_fold_start is the value that
 * kernel_reduce starts from. kernel_fold adds n elements to the sum so far. kernel_fold_end gives the result of n
 * elements in all.
 */
bool kernel_is_fold(enum op op);
union cell kernel_fold_start(enum op op, enum dtype d);
union cell kernel_fold(enum op op, enum dtype d, union cell sum, const union cell *x, int n);
union cell kernel_fold_end(enum op op, enum dtype d, union cell sum, int n);

/* The element after a scatter puts `update` onto `there`.  Floats are rounded to d after all updates. */
union cell kernel_scatter_element(enum op op, enum dtype d, union cell there, union cell update);

/* map[i]: the result element that element i of the operand is reduced into. */
int *reduce_map(const struct node *node, const struct shape *from, struct arena *a);

/*
 * Adds the matrix product of two float tensors to sum, row-major as the result.  A term is left out if its factor from
 * operand `strong` (0, 1, or -1: neither) is 0.  So 0 times infinity adds nothing there.
 */
void matmul_accumulate(double *sum, const struct tensor *left, const struct tensor *right, int strong);

/*
 * Whether an operand's element gave the extremum.  The extremum is a copy of an element, so == finds it; a NaN comes
 * from the NaNs.
 */
bool kernel_attains(double x, double extremum);

#endif
