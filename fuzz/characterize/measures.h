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

enum { SPAN_OPERANDS = 4 };

/* What the elements of a tensor were, over all its computations at all points. */
struct element_span {
	bool known;
	double low, high, near, far; /* near, far: the least and the largest magnitude */
	double first;                /* the largest first element */
	int fractions, integers, odds, evens, zeros, descents, cycles, apart, ties;
	int below_one, above_minus_one; /* elements between 0 and 1; between -1 and 0 */
	int late;                       /* elements other than 0 after one that is 0 */
	int ends; /* of indices: 1 + how many are that of the last element of the axis; 0: not known */
};

/* How the first operand of a node compares with the next two, in some element at some point. */
struct operand_comparison {
	bool known, below, above, above_third, crossed, nearer, farther, opposite, alike;
	bool larger_nearer, both_negative, both_positive, first_negative, second_negative, equal, negatives;
	bool negative_even, negative_odd; /* a negative first operand with an even or odd integer as the second */
	bool fraction, whole, negative_fraction;   /* the quotient */
	bool taken_negative[3], taken_positive[3]; /* the result is that operand, of that sign */
	bool crossed_over, crossed_under;          /* of a clamp whose bounds cross: where its operand lies */
	bool between, below_both, above_both, crossed_between; /* of a clamp: its operand and both bounds */
	bool below_in_order, above_in_order;                   /* the same, and the bounds do not cross */
	/* the least difference of the first operand from that one, unless they are equal; where it is above, below */
	double close[3], close_above[3], close_below[3];
	double above_by[3], below_by[3];    /* the largest such difference */
	double apart_least;                 /* the same, as a share of the larger magnitude, of the first two */
	double quotient_far, quotient_near; /* the largest and the least magnitude of the quotient of the first two */
};

/* Where indices lie along their axis, and in which order. */
struct index_places {
	bool just_beyond; /* an index equals the extent */
	bool known, counts_back, dropped_back, twice_beyond, far_negative, moved, descends, meet, differ;
	bool lines_apart; /* two lines of take_along_axis have different indices */
	bool by_columns;  /* a matrix of indices finds other elements if it is read by columns */
	int most;         /* indices that find one element, of a line */
	int reach;        /* 1 + the place of the last index that finds an element */
};

/* How updates of a scatter compare with the elements that they meet. */
struct meeting {
	bool known, above, below, equal;
	bool wins;                              /* of a scatter of extrema: the element becomes that of an update */
	bool beaten;                            /* of the same: an update would win, were it alone */
	double close, close_above, close_below; /* the least difference that is not 0; 0: there is none */
	bool ascend, descend;                   /* of updates that meet in one element, a later one is above; below */
};

/* Whether the tangents of operand 0 have another order than its elements. */
struct tangent_order {
	bool known, lines_apart, largest_apart, smallest_apart;
	bool cotangents_known, cotangents_descend, cotangents_apart; /* of a sort: along its axis */
};

/* What the elements of a node were. */
struct node_elements {
	struct element_span operand[SPAN_OPERANDS], tangent[SPAN_OPERANDS], result, cotangent;
	struct operand_comparison comparison;
	struct index_places indices;
	struct meeting meeting;
	struct tangent_order order;
	struct ends {
		bool known, largest_first, largest_last, smallest_first, smallest_last;
		/* a zero or a negative element comes before another one, or behind one */
		bool zero_before, zero_behind, negative_before, negative_behind;
	} ends;          /* of a reduction or running op: where in its group or line such elements are */
	int candidates;  /* of a scatter of extrema: the most that equal one element, at least 1; 0: not known */
	int update_ties; /* of the same: 1 + how many updates win together with the element that they meet; 0: not known
	                  */
	int start;       /* of a dynamic slice: 1 + the largest clamped start; 0: not known */
	bool start_beyond, start_negative, window_whole; /* of a dynamic slice */
	bool from_end; /* of a dynamic slice: a negative start would lie inside, were it counted from the end */
};

/* The cotangent of the result of a node of a case without dead nodes, and the tangents of its operands. */
struct known_cotangent {
	int value;
	const struct tensor *at; /* [n_point] */
	/* [n_point] per element of an elementwise node: what is due by operands to blame, summed; NULL: not known */
	const struct tensor *due;
	const struct tensor *tangent[SPAN_OPERANDS]; /* [n_point] NULL: not known */
};

enum { KNOWN_COTANGENTS = 6 };

struct known_cotangents {
	int n;
	bool seeded; /* they come from the seeds of the case, not from ones */
	struct known_cotangent of[KNOWN_COTANGENTS];
};

struct facts;
/* Notes the elements of operands and result of an executed node (elements.c).  Of an elementwise node, only elements
 * count whose cotangent is not known to be 0. */
void measures_watch(struct facts *f, const struct node *n, const struct tensor *value, int point);
/* Sets f->measure; after facts_find_live. */
void facts_of_measures(struct facts *f);
/* Keeps the number, unless a larger one is known for nodes of that op.  operand: -1: of the node. */
void measures_put(struct facts *f, enum measure_id id, const struct node *n, int operand, double x);
/* Measures about how sizes, axes, operands and results of a differentiated node compare (relations.c). */
void measures_of_relations(struct facts *f, const struct node *n);
/* Measures about the values that the regions of node `at` of a region share with what is around it
 * (relations_regions.c). */
void measures_of_regions(struct facts *f, const struct region *r, int at);
/* How operand k is broadcast to the shape of the result, and along which axes. */
void measures_of_spread(struct facts *f, const struct node *n, int k);
/* Starts, strides and ends of a slice; margins of a pad (windows.c). */
void measures_of_windows(struct facts *f, const struct node *n);
/* The nodes that make the values; NULL: a value is a parameter (origins.c). */
const struct node **measures_makers(const struct program *p, struct arena *a);
/* Measures about what makes the operands of a node, and the next carries of a loop. */
void measures_of_origins(struct facts *f, const struct node *n, const struct node *const *maker);

enum measure_unit measure_unit(enum measure_id id);
/*
 * A clause: the measure is above the threshold, or at most that.  operand: its name; not read if the measure is of the
 * node.  NULL: it has no such clause.  In the arena.
 */
const char *measure_text(
    enum measure_id id, bool above, double threshold, const char *op, const char *operand, struct arena *a);

#endif
