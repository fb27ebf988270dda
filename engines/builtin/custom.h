/*
 * custom.h: the rule of a custom, for the engines that differentiate a program as it is.  They run region 1 where it is
 * of the mode that they are in; where it is not, lower_customs has put region 0 in the place of the op before they see
 * it.
 */
#ifndef ENGINES_BUILTIN_CUSTOM_H
#define ENGINES_BUILTIN_CUSTOM_H

#include "rules.h"

struct tape;
struct forward;

/*
 * Executes a region of a custom, which captures nothing, for its values alone: value[n_param] to result[n_result].  The
 * cells of neither are written to afterwards, by the engine or by its caller: a result may be a parameter.
 */
typedef void custom_run_fn(
    void *engine, const struct region *region, const struct tensor *value, struct tensor *result);

/* A custom at one moment. */
struct custom_call {
	const struct custom_rules *rules;
	const struct program *program;
	const struct node *node;
	const struct tensor *arg; /* [node->n_arg] primal operands */
	custom_run_fn *run;
	void *engine; /* of run */
	struct arena *arena;
};

/*
 * Runs the rule.  A jvp rule is given direction[n_arg], the tangents of the operands, and gives those of the results,
 * given[n_out]; a vjp rule is given direction[n_out], the cotangents of the results, and gives those of the operands,
 * given[n_arg].  What has no cells is absent, as is all that is not float.  wanted[]: of what is given, what is asked
 * for; the cells are the caller's.
 */
void custom_rule(
    const struct custom_call *call, const struct tensor *direction, const bool *wanted, struct tensor *given);

/* Executes a custom with a vjp rule, leaving one record. */
void custom_record(struct tape *tape, const struct node *node);
/* Executes a custom with a jvp rule, on tangents too. */
void custom_push(struct forward *self, const struct node *node);

#endif
