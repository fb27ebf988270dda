/* infer_rule.h: what the shape rules of infer.c and infer_region.c share.  Private to them. */
#ifndef GRAPH_INFER_RULE_H
#define GRAPH_INFER_RULE_H

#include "program.h"

/* One question: what does this node give? */
struct rule {
	const struct program *p;
	const struct node *node;
	const struct op_info *info;
	const struct type *arg[LIMIT_ARGS];
	struct type *out; /* [LIMIT_ARGS] */
	int *n_out;
	struct error *e;
};

/*
 * Says which rule is broken, prefixed by the op; returns false.  `where` is the place relative to the node: "", "axis",
 * "args[1]" ...
 */
bool rule_refuse(const struct rule *r, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A type as text, for the arguments of one rule_refuse. */
#define TYPE_OF(type) type_print((type), (char[TYPE_TEXT]){""})

/* Types of the parameters of region `which`: rule->out, rule->n_out. */
bool rule_region_params(const struct rule *r, int which);

/* The region families. */
bool rule_cond(const struct rule *r);
bool rule_for(const struct rule *r);
bool rule_while(const struct rule *r);
bool rule_scan(const struct rule *r);

#endif
