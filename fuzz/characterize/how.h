/* how.h: in which way a derivative of a row is wrong, in words. */
#ifndef FUZZ_CHARACTERIZE_HOW_H
#define FUZZ_CHARACTERIZE_HOW_H

#include "lab.h"

enum how {
	HOW_DROPPED,
	HOW_PARTLY_DROPPED,
	HOW_NOT_ZERO,
	HOW_PARTLY_NOT_ZERO,
	HOW_NAN,
	HOW_SIGN,
	HOW_PARTLY_SIGN,
	HOW_FACTOR,
	HOW_MOVED,
	HOW_OTHER
};

/* All numbers of a row: those of its elements, or the one that its verdict is about.  Returns how many. */
int how_numbers(const struct variant_row *r, const double **expected, const double **returned);
/* *factor: returned / expected, if it is the same for all numbers that are wrong. */
enum how how_wrong(const struct variant_row *r, double *factor);
/* How two derivatives by one operand are wrong together. */
enum how how_both(enum how a, enum how b);
/* "is dropped: it is 0"; of several derivatives, in the plural. */
const char *how_text(struct lab *l, enum how how, double factor, bool several);

#endif
