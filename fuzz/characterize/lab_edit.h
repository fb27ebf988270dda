/* lab_edit.h: edits that several experiments make. */
#ifndef FUZZ_CHARACTERIZE_LAB_EDIT_H
#define FUZZ_CHARACTERIZE_LAB_EDIT_H

#include "lab.h"

bool lab_is_float_input(const struct edit *e, int input);
/* Every transform that differentiates has these inputs in wrt, and unit seeds; batches go. */
void lab_wrt(struct edit *e, const int *wrt, int n);
/* The loop at s runs n times, whatever it did; false where it cannot. */
bool lab_set_trip(struct edit *e, const struct site *s, int n);
/* The first loop of the program itself that has a float carry, and that carry; false: there is none. */
bool lab_find_loop(struct edit *e, struct site *s, struct node_loop *loop, int *carry);
/* Names of the ops but constants, in order, kept: "for(mul), sin". */
const char *lab_ops(struct lab *l, struct edit *e);
/* The kind of the outermost transform that differentiates; vjp where there is none. */
enum transform_kind lab_kind(const struct lab *l);
/* The dtype of the first float input, else f64. */
enum dtype lab_dtype(const struct lab *l);
/* Whether a node of the base, at any depth, is of that family. */
bool lab_has_family(struct lab *l, enum family f);
/* A scalar, and a vector. */
struct tensor lab_scalar(struct lab *l, enum dtype d, double x);
struct tensor lab_vector(struct lab *l, enum dtype d, const double *x, int n);

#endif
