/*
 * directions.h: the table of experiment `directions`, between the file that makes it and the file that reads it.  Each
 * row asks for one derivative of a small program: by one input at each level, of one result.  The derivative is a
 * product of known numbers and of one that does not depend on them.  So a wrong one often shows whose number was taken.
 */
#ifndef FUZZ_CHARACTERIZE_DIRECTIONS_H
#define FUZZ_CHARACTERIZE_DIRECTIONS_H

#include "lab.h"

enum {
	DIRECTION_INPUTS = 3,
	DIRECTION_LEVELS = 3,  /* at most */
	DIRECTION_RESULTS = 3, /* at most */
	DIRECTION_OPS = 3      /* of one form, at most */
};

enum direction_column { DIRECTION_FORM, DIRECTION_OP, DIRECTION_LIST, DIRECTION_RESULT, DIRECTION_COLUMNS };
/* In place of the number of an input: all inputs at once. */
#define DIRECTION_ALL "all"

/* The programs, the simplest first. */
extern const struct direction_form {
	const char *name;
	const char *noun; /* what the levels differentiate: "input", or "operand" */
	int inputs, results;
	bool chain, binary;
} direction_forms[];
enum { DIRECTION_FORMS = 5 };

/* The factor by which input i, and result k, come into a program; and the seed of a level. */
extern const double direction_weight[DIRECTION_INPUTS], direction_scale[DIRECTION_RESULTS],
    direction_seed[DIRECTION_LEVELS];

/* The ops of programs of that form; returns how many. */
int direction_ops(const struct lab *l, const struct direction_form *f, enum op out[DIRECTION_OPS]);

#endif
