/*
 * walk.h: the nodes of a region and of all regions inside it, in pre-order: a node before the nodes of its regions.
 *
 *	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
 *		n += w.node->op == OP_ADD;
 *
 * Operands and attributes may be edited on the way, lists of nodes not.
 */
#ifndef GRAPH_WALK_H
#define GRAPH_WALK_H

#include "bounds.h"
#include "program.h"

/* What engines write may be nested deeper than a case: a loop for an op, at every level of a request. */
enum { WALK_DEPTH = 4 * LIMIT_DEPTH };

/* A node around the current one, its place in its own region, and which of its regions is walked. */
struct walk_around {
	const struct node *node;
	int index, which;
};

struct walk {
	struct node *node; /* the current node: node `index` of `region` */
	const struct region *region;
	int index;
	int number;                            /* of the current node in this order, from 0 */
	int depth;                             /* nodes around it */
	struct walk_around around[WALK_DEPTH]; /* [depth] outermost first */
	/* the rest is the walker's own */
	const struct region *top;
	const struct node *enter; /* its regions come next; NULL: no regions */
	int n_given;              /* by walk_region, of the regions of the current node */
};

/* Over a region. */
struct walk walk_nodes(const struct region *region);
/* Over what is inside a node: it counts as being around. */
struct walk walk_inside(const struct node *node);
/* Goes to the next node; false when there is none. */
bool walk_next(struct walk *w);
/* The regions of the current node will not be walked. */
void walk_past(struct walk *w);
/*
 * Instead of walk_next: the region that walk_nodes was given, then those of each node in turn.  The current node is the
 * one that the region belongs to.  NULL when there is none.
 */
const struct region *walk_region(struct walk *w);
/* How many nodes of that op are around the current one. */
int walk_around_of(const struct walk *w, enum op op);

/* ---- what is asked of a region, at any depth ---- */

/* Whether a node of the region is of that op. */
bool region_has_op(const struct region *region, enum op op);
/* has[op] is set for the ops of all nodes; nothing else is written. */
void region_ops(const struct region *region, bool has[OP_COUNT]);
/* How many nodes of that op, which has regions, are inside each other at most. */
int region_nesting(const struct region *region, enum op op);
/* The constant that defines value v: its literal, which is the program's.  NULL: it is none. */
const struct tensor *region_constant(const struct region *region, int v);
/* Whether an operand of a node, or a result of a region, is value v. */
bool region_reads(const struct region *region, int v);
/* Whether v is a parameter of a region, or a result of a node. */
bool region_defines(const struct region *region, int v);
/* Sets those of [n_value] flags that belong to values which region_reads or region_defines holds for. */
void region_mark_reads(const struct region *region, bool *reads);
void region_mark_defined(const struct region *region, bool *defined);

#endif
