/* kernels.h: the primal meaning of every op that has no region, in binary64 rounded once to the dtype.  Used by every
 * built-in engine. */
#ifndef ENGINES_KERNELS_KERNELS_H
#define ENGINES_KERNELS_KERNELS_H

#include "graph/program.h"

/*
 * Runs `node` (no regions) on operands arg[node->n_arg]; writes out[node->n_out] with memory from the arena.
 * types[]: the result types, &program->type[node->out].  Operands are never written to and may alias each other.
 */
void kernel_run(const struct node *node, const struct tensor *const arg[], const struct type *types, struct tensor *out,
    struct arena *a);

/*
 * Does a store in place: the block of `buffer` at the clamped starts becomes `update`.  The update must not share cells
 * with the buffer.
 */
void kernel_store(struct tensor *buffer, const struct tensor *update, const struct tensor *starts);

/* kernel_run with operands and results in value[], the values of p by number. */
void kernel_step(const struct program *p, const struct node *node, struct tensor *value, struct arena *a);

/* kernel_run into out[1], which is zeroed, has the result's type, and overlaps no operand. */
void kernel_run_into(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a);

/* Whether kernel_run knows the op. */
bool kernel_has(enum op op);

/* Whether element i of the result is a function of the elements i of the (broadcast) operands alone. */
bool kernel_is_elementwise(enum op op);

/*
 * Computes n elements of an elementwise op as its kernel does, rounding included. x: consecutive elements of the
 * operands. from: dtype of the last operand. to: dtype of the result.  `out` may be any of x.
 */
void kernel_elements(enum op op, enum dtype from, enum dtype to, const union cell *const x[3], union cell *out, int n);

/* The scalar function of an elementwise float op, not rounded to a dtype.  Ops with fewer operands ignore b and c. */
double kernel_scalar(enum op op, double a, double b, double c);

/* The position that `index` means under `mode` on an axis of extent n, or -1 when the element is dropped. */
int kernel_index(enum index_mode mode, int64_t index, int n);

/* Iterations a `for` node runs, from its attributes and (trip absent) its count operand. */
int kernel_trip(const struct node *node, const struct tensor *count);

/*
 * The elements that a scatter_apply node writes, in order: *n flat positions in its operand.  `x` is the type of
 * operand 0.
 */
int *kernel_positions(
    const struct node *node, const struct type *x, const struct tensor *indices, int *n, struct arena *a);

/* kernel_row: a copy of slice t along the leading axis. kernel_set_row: writes x into row t of `stacked`. */
struct tensor kernel_row(const struct tensor *xs, int t, struct arena *a);
void kernel_set_row(struct tensor *stacked, int t, const struct tensor *x);

#endif
