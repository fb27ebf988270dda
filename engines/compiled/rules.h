/*
 * rules.h: the seams of `compiled`: how it lays out results, what it takes for a view, what it takes for equal.
 * An engine owns a copy, which faults edit.
 */
#ifndef ENGINES_COMPILED_RULES_H
#define ENGINES_COMPILED_RULES_H

#include "graph/program.h"

/* Where the elements of a value lie: element index[] is cell offset + sum of index[d] * stride[d] of a buffer. */
struct view {
	int buffer; /* -1: none, the value exists only inside a loop */
	int offset;
	int stride[LIMIT_RANK];
	bool zeros; /* literal zeros: cleared memory, dense by its type though it takes one cell, and no expanded tensor
	             */
};

/* A node whose result is given new memory, or none of its own. */
struct layout_call {
	const struct program *p;
	const struct node *node;
	/* [node->n_arg] strides of the operands over the axes of the result, as they broadcast; only where the op
	 * broadcasts or keeps the shape */
	int (*operand)[LIMIT_RANK];
	const bool *zeros; /* [node->n_arg] operands that are literal zeros */
};

/*
 * Chooses along which axes the result varies: varies[d] false gives stride 0, one cell for the whole axis, and loops do
 * not iterate over it: its coordinate is 0.
 */
typedef void layout_fn(const struct layout_call *call, bool varies[LIMIT_RANK]);

/* The view of a node's result onto operand 0; false: there is none, the elements must be moved. */
typedef bool view_fn(const struct program *p, const struct node *node, const struct view *operand, struct view *out);

/* Where a window of an operand lies in the result: position k of axis d is start[d] + k * step[d], k < size[d]. */
struct strided_window {
	int start[LIMIT_RANK], step[LIMIT_RANK], size[LIMIT_RANK];
};
typedef void window_fn(const struct program *p, const struct node *node, struct strided_window *out);

struct compiled_rule {
	layout_fn *layout; /* right: dense where elements of the result may differ along an axis */
	view_fn *view;     /* NULL: the op makes new values */
	window_fn *window; /* of slice_scatter and pad: where the one operand overwrites the other */
	/* Whether the op may be lowered to an expression inside a loop. */
	bool loops;
	/* What a scatter does with the element that is there and the update: as this op.  Right: the op itself. */
	enum op combine;
	/* Whether op(x, x) is x, bit for bit: of max, min, and, or. */
	bool idempotent;
};

/* An operand that changes nothing: op(x, value) is x when `operand` is 1, op(value, x) when it is 0. */
struct identity {
	enum op op;
	int operand;
	bool is_float;
	double f; /* compared bit by bit: -0 is not 0 */
	int64_t i;
};
enum { COMPILED_IDENTITIES = 40 };

struct compiled_rules {
	struct compiled_rule row[OP_COUNT];
	/* Right: x + (-0), x - 0, x * 1, x / 1 and their like, bit for bit. */
	struct identity identity[COMPILED_IDENTITIES];
	int n_identity;
	/* Whether two nodes without regions, with equal operands, compute the same.  Right: the same op and attributes.
	 */
	bool (*same)(const struct program *p, const struct node *a, const struct node *b);
	/*
	 * Whether a scatter may be done in the layout of its operand: in its place where nothing reads the operand
	 * later, else in a clone.  Right: only if the elements lie in cells of their own.
	 */
	bool (*overwrites)(const struct shape *s, const struct view *operand);
	/* Whether a buffer that is last read at position `last` may be written over by a loop at `position` that reads
	 * it.  Right: only if that is all. */
	bool (*dies)(int last, int position);
	/* Whether a buffer read last at `last` is alive when another is first written at `first`.  Right: also if both
	 * are one position. */
	bool (*alive)(int last, int first);
	/* How long a buffer of the outside lives that a loop reads, inside last at `last`.  Right: until the loop ends,
	 * at `end`. */
	int (*outlives)(int last, int end);
	/* Whether a carry whose next value is, or is a view of, some carry must be set aside before the carries change.
	 * Right: true. */
	bool (*sets_aside)(int carry, int n);
};

/* The right rules. */
void compiled_rules_init(struct compiled_rules *out);

#endif
