/*
 * custom.h: runs the rule of a custom, in the engines that differentiate a program as it is.  They run region 1 if its
 * mode is theirs.  Otherwise lower_customs has replaced the op by region 0 before they see it.
 */
#ifndef ENGINES_BUILTIN_CUSTOM_H
#define ENGINES_BUILTIN_CUSTOM_H

#include "rules.h"

struct tape;
struct forward;

/*
 * Computes the values of a region of a custom, which captures nothing: value[n_param] to result[n_result].  Afterwards
 * neither engine nor caller may write to these cells, because a result may be a parameter.
 */
typedef void custom_run_fn(
    void *engine, const struct region *region, const struct tensor *value, struct tensor *result);

/* One execution of a custom. */
struct custom_call {
	const struct custom_rules *rules;
	const struct program *program;
	const struct node *node;
	const struct tensor *arg; /* [node->n_arg] primal operands */
	custom_run_fn *run;
	void *engine; /* the first argument of run */
	struct arena *arena;
};

/*
 * Runs the rule.  A jvp rule turns direction[n_arg], the tangents of the operands, into given[n_out], those of the
 * results.  A vjp rule turns direction[n_out], the cotangents of the results, into given[n_arg], those of the
 * operands.  A tensor without cells is absent, as for every value that is no float. wanted[]: the requested ones of
 * given[].  The caller owns their cells.
 */
void custom_rule(
    const struct custom_call *call, const struct tensor *direction, const bool *wanted, struct tensor *given);

/* Executes a custom with a vjp rule, and leaves one record. */
void custom_record(struct tape *tape, const struct node *node);
/* Executes a custom with a jvp rule, on tangents too. */
void custom_push(struct forward *self, const struct node *node);

#endif
