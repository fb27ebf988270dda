/*
 * tape.h: the tape, for the engines that record on it: `tape`, and `implicit`, which adds rules for solutions.
 *
 * A request of several levels is answered on one trace.  Its lowest level executes the program.  Each other level walks
 * over the records of the levels below it: backwards with cotangents, or forwards with tangents.  It executes the
 * derivative of each recorded op, and these ops are recorded in their turn.  The outermost level leaves no records: a
 * jvp executes without recording, and a vjp is a sweep of numbers, by the table of adjoint.h.
 */
#ifndef ENGINES_BUILTIN_TAPE_H
#define ENGINES_BUILTIN_TAPE_H

#include <setjmp.h>

#include "adjoint.h"

/* One instance of a value.  A value of a loop body has one per iteration. */
struct variable {
	struct tensor tensor;
	uint8_t active;        /* bit k: float, and depends through floats on inputs by which level k of the request
	                          differentiates */
	bool saved;            /* a record reads the tensor's cells */
	bool shared;           /* the cells may be read under another name */
	int walk;              /* the number of the walk to which `dual` belongs */
	struct variable *dual; /* its cotangent so far, or its tangent, if these are recorded themselves */
	union cell *adjoint; /* its cotangent so far as numbers, of the tensor's shape; NULL: no result depends on it */
	struct type given;   /* of an input: the type of its gradient, which is that of the last contribution */
};

struct tape;
struct record;

/* What a level does at a record. */
struct record_kind {
	/* Hands the adjoints of the results, as numbers, on to the operands. */
	void (*reverse)(struct tape *tape, const struct record *record);
	/*
	 * pull hands cotangents (`dual`) on to the operands, and push hands tangents on to the results.  Both execute
	 * ops.  NULL: only requests of one level leave this record.
	 */
	void (*pull)(struct tape *tape, const struct record *record);
	void (*push)(struct tape *tape, const struct record *record);
};

/* The values that a region takes from outside, each once. */
struct capture_set {
	int n, *value;
	uint8_t *mark; /* [n_value] 1: defined inside, 2: captured */
};

/* The record of one executed op.  Records form a list from the last to the first. */
struct record {
	struct record *previous;
	const struct record_kind *kind;
	struct tape *tape;       /* the tape on which it was executed */
	const struct node *node; /* for an op */
	struct variable *out;    /* NULL: the kind itself finds out whether there is work */
	int *number; /* checkpoint: the captured values; custom: the parameters of region 0; split or put: the rows,
	                NULL: 0, 1, ... */
	int n_arg;
	struct variable *arg[];
};

/* Everything recorded for one answer, and the state of its levels. */
struct trace {
	struct record *last;
	uint8_t to_come; /* the levels that will walk over what is executed now: a bit each */
	uint8_t level;   /* the level that walks over the records */
	bool walks; /* some level executes rules, which may read all that ops read and gave: any but an outermost vjp */
	int walk;   /* the number of the present walk */
	int above, below; /* as in struct aot, for the present walk */
	const struct aot_rules *aot;
	struct op_programs *programs; /* derivatives of ops, for all points of a case */
	struct derived *sum,
	    *operand; /* programs for each type: additions, and operands as rules of customs read them */
	size_t start; /* bytes that the arena had handed out at the start */
	jmp_buf fail; /* the exit, with *error set, when the trace is too long for its levels */
	struct error *error;
};

/* A program that is executed onto a trace. */
struct tape {
	struct trace *trace;
	const struct adjoint_rules *rules;
	const struct program *program;
	struct arena *arena;
	struct variable **variable; /* [n_value] the latest instance of each value */
	const struct region **home; /* [n_value] this and last_use are of buffers.h */
	const struct node **last_use;
	struct capture_set *
	    *captures;            /* [n_value] by the first result of a checkpoint; NULL before its first execution */
	struct derived **derived; /* [n_value] by the result of a node: its derivatives so far (tape_rules.c) */
};

/* ---- execution (tape.c) ---- */

/* A tape for the program, with nothing executed. */
struct tape tape_open(struct trace *trace, const struct adjoint_rules *rules, const struct program *p, struct arena *a);
/* An inactive variable with that tensor. */
struct variable *tape_variable(struct tape *tape, struct tensor tensor);
/* A record with room for n_arg arguments, not on the trace yet. */
struct record *tape_record(struct tape *tape, const struct record_kind *kind, int n_arg);
/* Puts it on the trace. */
void tape_push(struct tape *tape, struct record *record);
/* Executes the nodes of a region, recording; its parameters have their variables. */
void tape_run(struct tape *tape, const struct region *region);
/* Walks the records backwards from the last one, with numbers. */
void tape_reverse(struct tape *tape);
/*
 * Executes again, and records, a checkpoint that left one record.  Returns the record that was last before.  The
 * results are the latest instances of the region's results.
 */
struct record *tape_rerun(struct tape *tape, const struct record *checkpoint);
/* The values that region 0 of the node takes from outside.  They are found at its first execution. */
const struct capture_set *tape_captures(struct tape *tape, const struct node *node);

/* Execute a loop.  It leaves a record per executed op (tape_loops.c). */
void tape_for(struct tape *tape, const struct node *node);
void tape_while(struct tape *tape, const struct node *node);
void tape_scan(struct tape *tape, const struct node *node);

/* Executes a fixed point of meaning `solution`, leaving one record (implicit.c). */
void implicit_record(struct tape *tape, const struct node *node);

/* ---- moves: take rows from a value, and put rows into one, without an op (tape_moves.c) ---- */

/*
 * Prepares x for taking at most `room` parts.  Returns a record that stands before them, or NULL if x is not active.  A
 * part of `size` elements is row `row` of x, seen as a matrix of such rows.
 */
struct record *tape_split(struct tape *tape, struct variable *x, int room);
/* The next part, of that type.  `split` is the record that tape_split returned for x. */
struct variable *tape_part(
    struct tape *tape, struct record *split, struct variable *x, const struct type *type, int row);
/* A value of that type: `base` (NULL: zeros) with n parts of one type in it.  Part k is at row[k] (NULL: at k). */
struct variable *tape_put(
    struct tape *tape, const struct type *type, struct variable *base, int n, struct variable *const *part, int *row);

/* ---- derivatives of recorded ops (tape_rules.c) ---- */

/* An empty table of derivatives of ops, in the arena, for the trace of each point of a case. */
struct op_programs *tape_op_programs(struct arena *a);
/* v's cotangent or tangent in the present walk; NULL: absent. */
struct variable *tape_dual(const struct tape *tape, const struct variable *v);
void tape_set_dual(const struct tape *tape, struct variable *v, struct variable *dual);
/* Adds to v's cotangent, if v depends on an input of the level that walks. */
void tape_give(struct tape *tape, struct variable *v, struct variable *contribution);
/* What the rule of a custom reads for operand v (rule_reads of aot/table.h). */
struct variable *tape_rule_operand(struct tape *tape, struct variable *v);
/* Leaves by trace->fail if the trace has become too long. */
void tape_check_room(struct tape *tape);
struct variable *tape_zeros(struct tape *tape, const struct type *type);
/*
 * The functions of struct record_kind for an op without regions, by the engine's rules for derivative programs
 * (aot/table.h).
 */
void tape_pull_op(struct tape *tape, const struct record *record);
void tape_push_op(struct tape *tape, const struct record *record);

/* ---- levels (tape_levels.c) ---- */

/* The outputs of a level, and the program's results with an axis for every batch. */
struct outcome {
	int n_output, n_primal;
	struct variable *output[LIMIT_ARGS], *primal[LIMIT_ARGS];
};

/*
 * Executes the function of the last of the n levels t (graph/request.h) at these inputs, onto the trace.  Leaves by
 * trace->fail if that is impossible.
 */
void tape_levels(
    struct tape *tape, const struct transform *t, int n, struct variable *const *input, struct outcome *out);
/* The functions of struct record_kind for a checkpoint, or for a custom that is differentiated like its function. */
void tape_reverse_region(struct tape *tape, const struct record *record);
void tape_pull_region(struct tape *tape, const struct record *record);
void tape_push_region(struct tape *tape, const struct record *record);

#endif
