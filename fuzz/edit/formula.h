/* formula.h: formulas that experiments write into a program, given as texts (engines/aot/text.h). */
#ifndef FUZZ_EDIT_FORMULA_H
#define FUZZ_EDIT_FORMULA_H

#include "engines/aot/text.h"
#include "edit.h"

/*
 * Appends the nodes of `text` to region r; *out is the value of the formula.  Numbers are scalars of dtype d.  False:
 * the text cannot be read, a name is not among names[n], or a type does not fit.
 */
bool formula_build(
    struct edit *e, struct region *r, const char *text, const struct text_name *names, int n, enum dtype d, int *out);

#endif
