/* measures.h: numbers that differentiated nodes have at the points of a case (measures.def). */
#ifndef FUZZ_CHARACTERIZE_MEASURES_H
#define FUZZ_CHARACTERIZE_MEASURES_H

#include "graph/program.h"

enum measure_id {
#define MEASURE(id, unit, some, more, none, most) MEASURE_##id,
#include "measures.def"
#undef MEASURE
	MEASURE_COUNT
};

enum measure_unit { MEASURE_UNIT_COUNT, MEASURE_UNIT_REAL, MEASURE_UNIT_BELOW };

/* A measure of all nodes of one op together: the largest. */
struct node_measure {
	enum measure_id id;
	enum op op;
	int operand; /* -1: of the node */
	double x;    /* what is compared with thresholds; of unit BELOW, minus the number */
};

/* What the float elements of a value were, over all its computations at all points. */
struct value_span {
	bool known;
	double low, high, near, far; /* near, far: the least and the largest magnitude */
	int fractions, integers, zeros, descents, ties;
};

/* How the first operand of a node compares with the next two, in some element at some point. */
struct operand_comparison {
	bool known, below, above, above_third;
};

struct facts;
/* Notes the elements of a computed value, or of a parameter of a region. */
void measures_watch(struct facts *f, int value, const struct tensor *x);
/* Notes how the operands of an elementwise node compare with each other. */
void measures_compare(struct facts *f, const struct node *n, const struct tensor *value);
/* Sets f->measure; after facts_find_live. */
void facts_of_measures(struct facts *f);

enum measure_unit measure_unit(enum measure_id id);
/*
 * A clause: the measure is above the threshold, or at most that.  operand: its name; not read if the measure is of the
 * node.  NULL: it has no such clause.  In the arena.
 */
const char *measure_text(
    enum measure_id id, bool above, double threshold, const char *op, const char *operand, struct arena *a);

#endif
