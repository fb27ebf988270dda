/*
 * walk.h: visits the nodes of a region and of all regions inside it, in pre-order: a node before the nodes inside it.
 *
 *	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
 *		n += w.node->op == OP_ADD;
 *
 * The loop may edit operands and attributes, but not lists of nodes.
 */
#ifndef GRAPH_WALK_H
#define GRAPH_WALK_H

#include "bounds.h"
#include "program.h"

/* Programs that engines write may be nested deeper than a case: a loop for an op, at every level of a request. */
enum { WALK_DEPTH = 4 * LIMIT_DEPTH };

/* A node around the current one: its position in its region, and the number of the region that is being walked. */
struct walk_around {
	const struct node *node;
	int index, which;
};

struct walk {
	struct node *node; /* the current node: node `index` of `region` */
	const struct region *region;
	int index;
	int number;                            /* of the current node in visiting order, from 0 */
	int depth;                             /* number of nodes around it */
	struct walk_around around[WALK_DEPTH]; /* [depth] outermost first */
	/* the rest is private */
	const struct region *top;
	const struct node *enter; /* its regions come next; NULL: no regions */
	int n_given;              /* regions of the current node that walk_region has returned */
};

/* Starts a walk over a region. */
struct walk walk_nodes(const struct region *region);
/* Starts a walk over the regions of a node; the node counts as a node around. */
struct walk walk_inside(const struct node *node);
/* Goes to the next node; false if there is none. */
bool walk_next(struct walk *w);
/* Skips the regions of the current node. */
void walk_past(struct walk *w);
/*
 * Used instead of walk_next, to visit regions: first the region given to walk_nodes, then those of each node in turn.
 * The current node is the one that the region belongs to.  NULL at the end.
 */
const struct region *walk_region(struct walk *w);
/* The number of nodes of that op around the current one. */
int walk_around_of(const struct walk *w, enum op op);

/* ---- questions about a region, at any depth ---- */

/* Whether the region has a node of that op. */
bool region_has_op(const struct region *region, enum op op);
/* Sets has[op] for the ops of all nodes; leaves the others unchanged. */
void region_ops(const struct region *region, bool has[OP_COUNT]);
/* How deep nodes of that op, which must have regions, are nested in each other. */
int region_nesting(const struct region *region, enum op op);
/* The literal of the constant that defines value v; it belongs to the program.  NULL if v is no constant. */
const struct tensor *region_constant(const struct region *region, int v);
/* Whether v is an operand of a node or a result of a region. */
bool region_reads(const struct region *region, int v);
/* How often v is an operand of a node or a result of this region itself, its inner regions left out. */
int region_count_uses(const struct region *region, int v);
/* Whether v is a parameter of a region or a result of a node. */
bool region_defines(const struct region *region, int v);
/* Set the flags, of [n_value], of all values for which region_reads or region_defines holds. */
void region_mark_reads(const struct region *region, bool *reads);
void region_mark_defined(const struct region *region, bool *defined);

#endif
