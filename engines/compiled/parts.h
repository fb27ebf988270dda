/* parts.h: shared by the files of `compiled`: lowered code, and the rewriting of programs. */
#ifndef ENGINES_COMPILED_PARTS_H
#define ENGINES_COMPILED_PARTS_H

#include "compiled.h"

/* ---- code ---- */

enum buffer_kind {
	BUFFER_OWN,      /* memory given by the planner */
	BUFFER_CONSTANT, /* a literal of the program */
	BUFFER_INPUT,    /* input number `index` */
	BUFFER_ROW       /* a row of another buffer, the next one in each iteration */
};

struct buffer {
	enum buffer_kind kind;
	int size;            /* cells, of BUFFER_OWN */
	union cell *literal; /* of BUFFER_CONSTANT, only read */
	int index;           /* of the input; or of the buffer whose rows these are */
	int first, last;     /* first and last position at which it is alive; first > last: never used */
	int alias;           /* the buffer that it shares all cells with, -1: none */
	int64_t at;          /* first cell in the memory of the code */
};

/* One register of a loop's expression. */
enum instr_kind {
	INSTR_LOAD,   /* an element of `view` */
	INSTR_APPLY,  /* an elementwise op of registers */
	INSTR_WINDOW, /* an element of `view` inside the window, register arg[0] outside */
	INSTR_INDEX   /* the coordinate along `axis` */
};

struct instr {
	enum instr_kind kind;
	enum op op;
	enum dtype from, to;
	int arg[3];
	struct view
	    view; /* strides over the axes of the loop's space; of a window, over the axes of the operand in it */
	struct strided_window window;
	bool varies[LIMIT_RANK]; /* of a window; false: the coordinate is 0 */
	int axis;
};

/*
 * A loop nest over an index space.  It evaluates an expression for each element, and stores it or folds it along some
 * axes.
 */
struct loop_nest {
	int rank;
	int extent[LIMIT_RANK]; /* 1 along axes where the result does not vary */
	int n_instr;
	struct instr *instr; /* the last one is the result */
	struct view to;      /* 0 along reduced axes */
	bool folds;
	enum op fold;
	bool reduced[LIMIT_RANK];
	enum dtype dtype; /* of the result */
	int n_fold;       /* elements folded into one */
	bool idle;        /* copies cells onto themselves */
};

enum step_kind {
	STEP_LOOP,
	STEP_KERNEL,
	STEP_SCATTER,
	STEP_COND,
	STEP_CHECKPOINT,
	STEP_FOR,
	STEP_WHILE,
	STEP_SCAN,
	STEP_SCATTER_APPLY
};

struct block {
	int n_step, room;
	struct step *step;
};

struct step {
	enum step_kind kind;
	const struct node *node;
	struct loop_nest *loop;
	struct block *block; /* [node->n_region] */
	int n_carry;
	struct view *stage; /* [n_carry] where a carry waits until all are computed; buffer -1: it need not wait */
	int begin, end;     /* positions */
};

struct code {
	const struct compiled_options *options;
	struct arena *arena;
	const struct program *p;
	struct view *view;  /* [p->n_value] */
	int *node_of, *reg; /* [p->n_value] for the loop that is being lowered: the node that defines a value, and the
	                       value's register; else -1 */
	int n_buffer, buffer_room;
	struct buffer *buffer;
	struct block top;
	struct compiled_counts counts;
	int64_t n_cell;
	union cell *cell;  /* [n_cell] the memory */
	union cell **base; /* [n_buffer] */
	int n_register;
	union cell *spare; /* [n_register][STRIP] */
	const char *text;  /* the reason why there is no code */
};

/* A run of the code. */
struct machine {
	struct code *c;
	union cell **base;   /* of c: the start of each buffer */
	struct arena *arena; /* for kernels; rewound after each */
};

enum { STRIP = 64 }; /* elements on which an expression is evaluated at once */

/* ---- layouts (layout.c) ---- */

/* Row-major strides over the axes that vary, 0 over the others.  Returns the number of cells needed. */
int view_fresh(const struct shape *s, const bool varies[LIMIT_RANK], struct view *out);
/* Whether the elements are stored as in a tensor. */
bool view_dense(const struct shape *s, const struct view *v);
/* Strides of a view of shape `from` over the axes of `to`, to which it broadcasts. */
void view_broadcast(const struct shape *from, const struct view *v, const struct shape *to, int stride[LIMIT_RANK]);

/* The cell of the element at index[rank]. */
static inline int view_at(const struct view *v, const int *index, int rank)
{
	int at = v->offset;

	for (int d = 0; d < rank; d++)
		at += index[d] * v->stride[d];
	return at;
}

/* ---- lowering (lower.c, fuse.c, plan.c) ---- */

/*
 * Groups the nodes of a region into loops. group[i] is the node whose loop computes node i; it is i if the node has its
 * own loop. size[i] is the number of nodes in the loop of node i.  Both are [region->n_node]; sizes are zero on entry.
 */
void compiled_group(const struct code *c, const struct region *region, int *group, int *size);
/* Whether a node is evaluated in a loop, its own or another's. */
bool compiled_is_looped(const struct code *c, const struct node *node);
/* The loop of node `root` with its group of `size` nodes. */
struct loop_nest *compiled_loop(struct code *c, const struct region *region, const int *group, int size, int root);
/* A loop that copies. */
struct loop_nest *compiled_copy_loop(
    struct code *c, const struct shape *s, const struct view *from, const struct view *to);
/* Sets positions and lifetimes, lets loops write in place, and places each buffer in memory. */
void compiled_plan(struct code *c);

/* ---- running (loop.c, run.c) ---- */

void compiled_run_loop(const struct machine *m, const struct loop_nest *loop);

/* ---- rewriting (rewrite.c), and the passes that use it ---- */

pass_fn compiled_simplify, compiled_fold, compiled_cse, compiled_dce;

enum rewritten { REWRITE_KEEP, REWRITE_CHANGED, REWRITE_GONE, REWRITE_INLINE };

struct rewrite {
	const struct compiled_rules *rules;
	struct arena *arena;
	const struct program *p;
	int *alias;              /* [n_value] the value that replaces it */
	const struct node **def; /* [n_value] the rewritten node that defines it; NULL: it is a parameter, or a result
	                            of a node with regions */
	int count;
	void *state;
	struct node *copy; /* of the node that visit looks at, if copied; by rewrite_edit */
	bool copied;
	/*
	 * Looks at a node.  Its operands are already rewritten, its regions are not.  To change op, attributes or
	 * operands, it edits a copy and returns REWRITE_CHANGED.  It may set x->alias of the results and return
	 * REWRITE_GONE.  For a cond, it may return REWRITE_INLINE: then region *taken replaces the node.
	 */
	enum rewritten (*visit)(struct rewrite *x, const struct node *node, int *taken);
	void (*enter)(struct rewrite *x), (*leave)(struct rewrite *x); /* around every region; NULL: nothing */
};

/*
 * Runs x->visit over p.  Values keep their numbers, so the result may have gaps, or another order.  It shares what has
 * not changed with p.
 */
struct program rewrite_program(struct rewrite *x, const struct program *p);
/* The copy that replaces the node that visit looks at.  Its arrays are still those of the program. */
struct node *rewrite_edit(struct rewrite *x, const struct node *node);
/* The node that defines v if it has that op, else NULL. */
const struct node *rewrite_def(const struct rewrite *x, int v, enum op op);

#endif
