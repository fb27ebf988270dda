/* loop.h: where the carries of a loop are among its operands, parameters and results, for every kind of loop. */
#ifndef GRAPH_LOOP_H
#define GRAPH_LOOP_H

#include "program.h"

/*
 * Carry k is operand first_arg + k of the node, value first_param + k inside the body, result k of the body, and value
 * out + k after the node.  The xs of a scan follow the carries among operands and parameters; its ys follow them among
 * results.
 */
struct node_loop {
	bool is_loop; /* for, while, scan or fixed_point; otherwise all other members but `node` are zero */
	bool counted; /* operand 0 is the trip count (for only) */
	bool until;   /* the last result of the body tells whether to stop */
	const struct node *node;
	struct region *body, *condition; /* condition: NULL except for a while */
	int n_carry, n_xs, n_ys;
	int first_arg;   /* the operand that is carry 0: counted or 0 */
	int n_index;     /* 1: parameter 0 of the body is the number of the iteration (for only) */
	int first_param; /* the value that is carry 0 in the body: body->param + n_index */
};

/* The node must be checked, or at least have its operands, results and regions. */
struct node_loop node_loop(const struct node *node);

#endif
