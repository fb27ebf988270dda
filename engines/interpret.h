/* interpret.h: runs a program op by op: primal values, no derivative.  Derived programs are run by it. */
#ifndef ENGINES_INTERPRET_H
#define ENGINES_INTERPRET_H

#include "../graph/program.h"

/*
 * Runs the valid program `p` on input[p->top.n_param]; result[p->top.n_result] are copies with memory from the arena.  Inputs are
 * never written to.  Memory does not grow with trip counts.
 */
void interpret_program(const struct program *p, const struct tensor *input, struct arena *a, struct tensor *result);

#endif
