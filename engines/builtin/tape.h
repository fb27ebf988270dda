/*
 * tape.h: the tape, for the engines that record on it: `tape`, and `implicit`, which adds what it knows of solutions.
 *
 * A request of several levels is answered on one trace.  Its lowest level executes the program; every other one goes
 * over the records that those below it left, backwards with cotangents or forwards with tangents, by executing the
 * derivative of each recorded op, which is recorded in its turn.  Nothing is left of the outermost level: a jvp
 * executes without recording, and a vjp is a sweep of numbers, by the table of adjoint.h.
 */
#ifndef ENGINES_BUILTIN_TAPE_H
#define ENGINES_BUILTIN_TAPE_H

#include <setjmp.h>

#include "adjoint.h"

/* One dynamic instance of a value: a body's value has one per iteration. */
struct variable {
	struct tensor tensor;
	uint8_t active; /* bit k: float, and depends through floats on inputs that level k of the request differentiates
	                   by */
	bool saved;     /* a record reads the tensor's cells */
	bool shared;    /* they may be read under another name */
	int walk;       /* over the records, to which `dual` belongs */
	struct variable *dual; /* its cotangent so far, or its tangent, where that is recorded itself */
	union cell *adjoint; /* its cotangent so far as numbers, of the tensor's shape; NULL: no result depends on it */
	struct type given;   /* of an input: what its gradient is handed out as, the type of the last contribution */
};

struct tape;
struct record;

/* What the levels do at a record. */
struct record_kind {
	/* The adjoints of the results, numbers, go on to the operands. */
	void (*reverse)(struct tape *tape, const struct record *record);
	/* Cotangents (`dual`) go on to the operands, tangents to the results, by ops that are executed.  NULL: left by
	 * requests of one level alone. */
	void (*pull)(struct tape *tape, const struct record *record);
	void (*push)(struct tape *tape, const struct record *record);
};

/* Values that a region takes from outside, each once. */
struct capture_set {
	int n, *value;
	uint8_t *mark; /* [n_value] 1: defined inside, 2: captured */
};

/* What one executed op leaves.  Records form a list from the last to the first. */
struct record {
	struct record *previous;
	const struct record_kind *kind;
	struct tape *tape;       /* on which it was executed */
	const struct node *node; /* of an op */
	struct variable *out;    /* NULL: the kind itself finds out whether there is anything to do */
	int *number; /* of a checkpoint: the values captured; of a custom: the parameters of region 0; of a split or
	                put: the rows, NULL: 0, 1, ... */
	int n_arg;
	struct variable *arg[];
};

/* All that was recorded for one answer, and how far the levels have come. */
struct trace {
	struct record *last;
	uint8_t to_come;  /* the levels that will go over what is executed now: a bit each */
	uint8_t level;    /* that which goes over the records */
	bool walks;       /* there are levels that execute rules, which may read all that ops read and gave: any but an
	                     outermost vjp */
	int walk;         /* how often records were gone over: the number of the present walk */
	int above, below; /* as in struct aot, of the present walk */
	const struct aot_rules *aot;
	struct derived *sum, *operand; /* additions, and what rules of customs read, a program for each type */
	size_t start;                  /* bytes that the arena had handed out before */
	jmp_buf fail;                  /* taken, with *error set, when there are too many levels for too long a trace */
	struct error *error;
};

/* A program that is executed onto a trace. */
struct tape {
	struct trace *trace;
	const struct adjoint_rules *rules;
	const struct program *program;
	struct arena *arena;
	struct variable **variable; /* [n_value] the latest instance of each value */
	const struct region **home; /* [n_value] these two of buffers.h */
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
/* Puts it there. */
void tape_push(struct tape *tape, struct record *record);
/* Executes the nodes of a region, recording; its parameters have their variables. */
void tape_run(struct tape *tape, const struct region *region);
/* Walks the records backwards from the last one, with numbers. */
void tape_reverse(struct tape *tape);
/*
 * Executes what a checkpoint left as one record again, recording.  Gives the last record before; the results are the
 * latest instances of the region's.
 */
struct record *tape_rerun(struct tape *tape, const struct record *checkpoint);
/* What region 0 of the node takes from outside: found at its first execution. */
const struct capture_set *tape_captures(struct tape *tape, const struct node *node);

/* Execute a loop, which becomes a record per executed op (tape_loops.c). */
void tape_for(struct tape *tape, const struct node *node);
void tape_while(struct tape *tape, const struct node *node);
void tape_scan(struct tape *tape, const struct node *node);

/* Executes a fixed point of meaning `solution`, leaving one record (implicit.c). */
void implicit_record(struct tape *tape, const struct node *node);

/* ---- moves: rows taken from a value, and put into one, without an op (tape_moves.c) ---- */

/*
 * A value of which parts are going to be taken, at most `room`: its record, which stands before them; NULL when x is
 * not active.  A part of `size` elements is row `row` of x as a matrix of such rows.
 */
struct record *tape_split(struct tape *tape, struct variable *x, int room);
/* The next part, of that type; `split` is what tape_split gave for x. */
struct variable *tape_part(
    struct tape *tape, struct record *split, struct variable *x, const struct type *type, int row);
/* A value of that type: `base` (NULL: zeros) with n parts of one type put into it, part k at row[k] (NULL: k). */
struct variable *tape_put(
    struct tape *tape, const struct type *type, struct variable *base, int n, struct variable *const *part, int *row);

/* ---- derivatives of what was recorded (tape_rules.c) ---- */

/* v's cotangent or tangent of the present walk; NULL: absent. */
struct variable *tape_dual(const struct tape *tape, const struct variable *v);
void tape_set_dual(const struct tape *tape, struct variable *v, struct variable *dual);
/* Adds to v's cotangent, when the level that walks differentiates by what v depends on. */
void tape_give(struct tape *tape, struct variable *v, struct variable *contribution);
/* What the rule of a custom reads for an operand that is v (rule_reads of aot/table.h). */
struct variable *tape_rule_operand(struct tape *tape, struct variable *v);
/* Leaves by trace->fail when the trace has become too long. */
void tape_check_room(struct tape *tape);
struct variable *tape_zeros(struct tape *tape, const struct type *type);
/* Those of struct record_kind for an op without regions, by the rules of the engine's derivative programs
 * (aot/table.h). */
void tape_pull_op(struct tape *tape, const struct record *record);
void tape_push_op(struct tape *tape, const struct record *record);

/* ---- levels (tape_levels.c) ---- */

/* What a level gives, and the program's results with an axis for every batch. */
struct outcome {
	int n_output, n_primal;
	struct variable *output[LIMIT_ARGS], *primal[LIMIT_ARGS];
};

/*
 * The function of the last of the n levels t (graph/request.h) at these inputs, executed onto the trace.  Where it
 * cannot be, trace->fail is taken.
 */
void tape_levels(
    struct tape *tape, const struct transform *t, int n, struct variable *const *input, struct outcome *out);
/* Those of struct record_kind for a checkpoint, or a custom that is differentiated as the function that it is. */
void tape_reverse_region(struct tape *tape, const struct record *record);
void tape_pull_region(struct tape *tape, const struct record *record);
void tape_push_region(struct tape *tape, const struct record *record);

#endif
