/* lab_numbers.h: the numbers of a row, from a judged variant. */
#ifndef FUZZ_CHARACTERIZE_LAB_NUMBERS_H
#define FUZZ_CHARACTERIZE_LAB_NUMBERS_H

#include "lab.h"
#include "reports/report.h"

/* Fills the number that the verdict is about, and the tensor that it is in. */
void lab_take_numbers(struct lab *l, const struct report *r, struct variant_row *row);
/*
 * Lets the row be about derivative number l->focus of a vjp at point 0, whatever is wrong elsewhere.  It is right if it
 * is so by any conventions: where another derivative is wrong, nobody knows which ones the engine has chosen.
 */
void lab_take_focus(struct lab *l, struct report *r, struct judgement *j, struct variant_row *row);

#endif
