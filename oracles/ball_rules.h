/* ball_rules.h: the rows of analytic_rules.def as data. */
#ifndef ORACLES_BALL_RULES_H
#define ORACLES_BALL_RULES_H

#include <mpfr.h>

#include "../graph/program.h"

/* See analytic_rules.def; a the operand, y the result, p the magnitude of the partial. */
struct unary_rule {
	double c;
	double (*slope)(double a, double y);
	double (*curvature)(double a, double y);
	double (*scale)(double a, double y);
	void (*partial)(mpfr_ptr p, mpfr_srcptr a, mpfr_srcptr y);
	double (*tight)(double a, double y, double p);
	double (*loose)(double a, double y, double p);
	double (*inner)(double a, double y);
	bool detours;
};

/* The row of op, or NULL. */
const struct unary_rule *unary_rule_of(enum op op);

#endif
