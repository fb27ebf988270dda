/* rules.h: the rows of analytic_rules.def as data. */
#ifndef ORACLES_BALL_RULES_H
#define ORACLES_BALL_RULES_H

#include <mpfr.h>

#include "graph/program.h"

/* Where an operand may be in a correct engine: within r > 0 of a. y: the result at a. */
struct span {
	double a, y, r;
	double low, high;         /* a - r, a + r */
	double nearest, farthest; /* the least and the largest magnitude in between */
};

/* The operand is a double here, so the ends of its interval lie farther out by this part of its size. */
#define SPAN_BLUR 0x1p-51

struct span span_of(double a, double y, double r);

/* A row of analytic_rules.def, which explains the fields. a: the operand; y: the result; p: the magnitude of the
 * partial. */
struct unary_rule {
	double c;
	double (*moved)(const struct span *at);
	double (*bent)(const struct span *at);
	double (*scale)(double a, double y);
	void (*partial)(mpfr_ptr p, mpfr_srcptr a, mpfr_srcptr y);
	double (*tight)(double a, double y, double p);
	double (*loose)(double a, double y, double p);
	double (*inner)(double a, double y);
	double (*detour)(double a, double y);
};

/* The row of op, or NULL. */
const struct unary_rule *unary_rule_of(enum op op);

#endif
