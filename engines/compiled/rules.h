/*
 * rules.h: the seams of `compiled`: the layout of results, which results are views, which nodes are equal.  Each engine
 * owns a copy, which faults edit.  "Correct:" says what a seam does in an engine without a fault.
 */
#ifndef ENGINES_COMPILED_RULES_H
#define ENGINES_COMPILED_RULES_H

#include "graph/program.h"

/* Where the elements of a value are: element index[] is in cell offset + sum of index[d] * stride[d] of a buffer. */
struct view {
	int buffer; /* -1: none; the value exists only inside a loop */
	int offset;
	int stride[LIMIT_RANK];
	bool zeros; /* literal zeros: cleared memory, dense by its type although it takes one cell; not an expanded
	               tensor */
};

/* A node for whose result a layout is chosen. */
struct layout_call {
	const struct program *p;
	const struct node *node;
	/*
	 * [node->n_arg] strides of the operands over the axes of the result, as they broadcast.  Only set if the op
	 * broadcasts or keeps the shape.
	 */
	int (*operand)[LIMIT_RANK];
	const bool *zeros; /* [node->n_arg] operands that are literal zeros */
};

/*
 * Chooses along which axes the result varies. varies[d] false gives stride 0: one cell for the whole axis.  Loops do
 * not iterate over that axis, and its coordinate is 0.
 */
typedef void layout_fn(const struct layout_call *call, bool varies[LIMIT_RANK]);

/* Makes the node's result a view of operand 0.  False: there is no view, and the elements must be moved. */
typedef bool view_fn(const struct program *p, const struct node *node, const struct view *operand, struct view *out);

/* The place of a window in an operand's result: position k of axis d is start[d] + k * step[d], k < size[d]. */
struct strided_window {
	int start[LIMIT_RANK], step[LIMIT_RANK], size[LIMIT_RANK];
};
typedef void window_fn(const struct program *p, const struct node *node, struct strided_window *out);

struct compiled_rule {
	layout_fn *layout; /* correct: dense where elements of the result may differ along an axis */
	view_fn *view;     /* NULL: the op makes new values */
	window_fn *window; /* of slice_scatter and pad: where one operand overwrites the other */
	/* Whether the op may be lowered to an expression inside a loop. */
	bool loops;
	/* The op by which a scatter combines an element and an update.  Correct: the op itself. */
	enum op combine;
	/* Whether op(x, x) is x, bit for bit.  True of max, min, and, or. */
	bool idempotent;
};

/* An operand that changes nothing. op(x, value) is x if `operand` is 1; op(value, x) is x if it is 0. */
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
	/* Correct: x + (-0), x - 0, x * 1, x / 1 and similar ones, bit for bit. */
	struct identity identity[COMPILED_IDENTITIES];
	int n_identity;
	/*
	 * Whether two nodes without regions, with equal operands, compute the same.  Correct: the same op and
	 * attributes.
	 */
	bool (*same)(const struct program *p, const struct node *a, const struct node *b);
	/*
	 * Whether a scatter may keep the layout of its operand.  It then works in place if nothing reads the operand
	 * later, else in a clone.  Correct: only if each element has its own cell.
	 */
	bool (*overwrites)(const struct shape *s, const struct view *operand);
	/*
	 * Whether a loop at `position` may write over a buffer that it reads, and whose last read is at `last`.
	 * Correct: only if these are equal.
	 */
	bool (*dies)(int last, int position);
	/*
	 * Whether a buffer whose last read is at `last` is alive when another one is first written at `first`.
	 * Correct: also if the two positions are equal.  If it holds for one `last`, it holds for all later ones.
	 */
	bool (*alive)(int last, int first);
	/*
	 * The last position of an outside buffer that a loop reads.  Inside, its last read is at `last`.  Correct:
	 * until the loop ends, at `end`.
	 */
	int (*outlives)(int last, int end);
	/*
	 * Whether a carry must be set aside before the carries change, if its next value is some carry or a view of
	 * one.  Correct: true.
	 */
	bool (*sets_aside)(int carry, int n);
};

/* The correct rules. */
void compiled_rules_init(struct compiled_rules *out);

#endif
