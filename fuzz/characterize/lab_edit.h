/* lab_edit.h: edits that several experiments make. */
#ifndef FUZZ_CHARACTERIZE_LAB_EDIT_H
#define FUZZ_CHARACTERIZE_LAB_EDIT_H

#include "lab.h"

bool lab_is_float_input(const struct edit *e, int input);
/* Gives every transform that differentiates these inputs in wrt.  Tangents, and seeds of outer levels, become 1.
 * Removes batches. */
void lab_wrt(struct edit *e, const int *wrt, int n);
/* Gives a single jvp tangents of both signs, in another order for each `turns`: a rule may be wrong for one sign. */
void lab_mix_tangents(struct edit *e, int turns);
/* Gives a program the request of the base, without seeds, with respect to these inputs.  Removes batches. */
void lab_take_request(struct lab *l, struct edit *e, const int *wrt, int n);
/* Gives every float or bool tensor that is no scalar one more axis of extent 2: in front, or behind.  False: not
 * possible. */
bool lab_add_axis(struct edit *e, bool behind);
/* Replaces uses of a value in the regions of a node. */
void lab_replace_inside(struct node *n, int from, int to);
/* Finds the first loop of the top region with a float carry, and that carry; false if there is none. */
bool lab_find_loop(struct edit *e, struct site *s, struct node_loop *loop, int *carry);
/* Names of all ops except constants, in order: "for(mul), sin".  In l->arena. */
const char *lab_ops(struct lab *l, struct edit *e);
/* The kind of the outermost transform that differentiates; vjp if there is none. */
enum transform_kind lab_kind(const struct lab *l);
/* Whether the request of the case has a batch. */
bool lab_batched(const struct lab *l);
/* The dtype of the first float input; f64 if there is none. */
enum dtype lab_dtype(const struct lab *l);
/*
 * Sizes to try in place of x, the smallest that is known to fail, in ascending order: powers of 2 below, x and its
 * neighbours, some above, and the next power of 2.
 */
enum { LAB_SIZES = 48 };
int lab_sizes_near(int x, int size[LAB_SIZES]);
/* Whether the base has a node of that family, at any depth. */
bool lab_has_family(struct lab *l, enum family f);
/* Tensors of rank 0 and 1. */
struct tensor lab_scalar(struct lab *l, enum dtype d, double x);
struct tensor lab_vector(struct lab *l, enum dtype d, const double *x, int n);

#endif
