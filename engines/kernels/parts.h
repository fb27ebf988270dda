/* parts.h: what the kernel files share among themselves and with the structural derivative rules. */
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

/* One node's work: `out` is zeroed and of the result's type. */
typedef void kernel_fn(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a);

/* index.c, by family. */
kernel_fn kernel_broadcast_to, kernel_reshape, kernel_transpose, kernel_reverse, kernel_slice, kernel_slice_scatter,
    kernel_dynamic_slice, kernel_dynamic_update_slice, kernel_pad, kernel_concatenate, kernel_gather,
    kernel_take_along_axis, kernel_scatter, kernel_masked_scatter;
/* reduce.c, by family. */
kernel_fn kernel_reduce, kernel_cumulative, kernel_matmul;

/* order.c, by family. */
kernel_fn kernel_iota, kernel_sort, kernel_argsort, kernel_argmax;

/*
 * Up to three operands read element by element over a broadcast result: after broadcast_begin, at[k] is the offset of
 * operand k for element 0; broadcast_next steps to the next one in row-major order.
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
 * perm[v->n]: the positions of the elements of line (o, i) of x in the order of sort (ops.def).  spare[v->n] is working
 * memory.
 */
void order_line(const struct tensor *x, const struct axis_view *v, int o, int i, int *perm, int *spare);

/*
 * A reduction that is one fold over its elements in row-major order: what kernel_reduce starts with, what n further
 * elements make of the sum so far, and the result of n elements in all.
 */
bool kernel_is_fold(enum op op);
union cell kernel_fold_start(enum op op, enum dtype d);
union cell kernel_fold(enum op op, enum dtype d, union cell sum, const union cell *x, int n);
union cell kernel_fold_end(enum op op, enum dtype d, union cell sum, int n);

/* What a scatter makes of the element that is there and an update; floats are rounded to d when all updates are in. */
union cell kernel_scatter_element(enum op op, enum dtype d, union cell there, union cell update);

/* map[i]: the result element that element i of the operand is reduced into. */
int *reduce_map(const struct node *node, const struct shape *from, struct arena *a);

/*
 * Adds the matrix product of two float tensors into sum, row-major as the result.  Terms whose factor from operand
 * `strong` (0, 1, or -1: neither) is 0 are left out: 0 times infinity is then nothing.
 */
void matmul_accumulate(double *sum, const struct tensor *left, const struct tensor *right, int strong);

/* Whether an operand's element gave the extremum, which is a copy of one: == finds it, and a NaN comes from the NaNs.
 */
bool kernel_attains(double x, double extremum);

#endif
