/* loop.h: operands, parameters and results of a loop node in terms of carries, the same for every kind of loop. */
#ifndef GRAPH_LOOP_H
#define GRAPH_LOOP_H

#include "program.h"

/*
 * Carry k is operand first_arg + k, parameter first_param + k of the body, result k of the body and result out + k of
 * the node. The xs of a scan follow its carries among operands and parameters, and its ys among results.
 */
struct node_loop {
	bool is_loop; /* for, while, scan or fixed_point; otherwise all other members but `node` are zero */
	bool counted; /* operand 0 is the trip count (for only) */
	bool until;   /* the last result of the body says whether to stop */
	const struct node *node;
	struct region *body, *condition; /* condition: of a while; otherwise NULL */
	int n_carry, n_xs, n_ys;
	int first_arg;   /* the operand that is carry 0: counted or 0 */
	int n_index;     /* 1: parameter 0 of the body is the iteration's number (for only) */
	int first_param; /* the value that is carry 0 in the body: body->param + n_index */
};

/* The node is checked, or has at least its operands, results and regions. */
struct node_loop node_loop(const struct node *node);

#endif
