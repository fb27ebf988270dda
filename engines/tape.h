/*
 * tape.h: the tape, for the engines that record on it: `tape`, and `implicit`, which adds what it knows of solutions.
 */
#ifndef ENGINES_TAPE_H
#define ENGINES_TAPE_H

#include "adjoint.h"

/* One dynamic instance of a value: a body's value has one per iteration. */
struct variable {
	struct tensor tensor;
	bool active;         /* float, and depends on a wrt input through floats */
	bool saved;          /* a record reads the tensor's cells */
	bool shared;         /* they may be read under another name */
	union cell *adjoint; /* of the tensor's shape; NULL: no result depends on it */
	struct type given;   /* of an input: what its gradient is handed out as, the type of the last contribution */
};

struct tape;

/* Values that a region takes from outside, each once. */
struct capture_set {
	int n, *value;
	uint8_t *mark; /* [n_value] 1: defined inside, 2: captured */
};

/* What one executed op leaves.  Records form a list from the last to the first. */
struct record {
	struct record *previous;
	void (*reverse)(struct tape *tape, const struct record *record);
	const struct node *node; /* of an op */
	struct variable *out; /* NULL: `reverse` itself finds out whether there is anything to do */
	const int *number;    /* of a checkpoint: the values captured; of a scatter_apply: the elements written */
	int row; /* of a slice along the leading axis */
	int n_arg;
	struct variable *arg[];
};

struct tape {
	const struct adjoint_rules *rules;
	const struct program *program;
	struct arena *arena;
	struct variable **variable; /* [n_value] the latest instance of each value */
	const struct region **home; /* [n_value] these two of buffers.h */
	const struct node **last_use;
	struct record *last;
	struct capture_set **captures; /* [n_value] by the first result of a checkpoint; NULL before its first execution */
};

/* An inactive variable with that tensor. */
struct variable *tape_variable(struct tape *tape, struct tensor tensor);
/* A record with room for n_arg arguments, the tape's last; `out` becomes active. */
struct record *tape_push(
    struct tape *tape, void (*reverse)(struct tape *, const struct record *), struct variable *out, int n_arg);
/* Executes the nodes of a region, recording; its parameters have their variables. */
void tape_run(struct tape *tape, const struct region *region);
/* Walks the records backwards from the last one. */
void tape_reverse(struct tape *tape);
/* What region 0 of the node takes from outside: found at its first execution. */
const struct capture_set *tape_captures(struct tape *tape, const struct node *node);

/* Execute a loop, which becomes a record per executed op (tape_loops.c). */
void tape_for(struct tape *tape, const struct node *node);
void tape_while(struct tape *tape, const struct node *node);
void tape_scan(struct tape *tape, const struct node *node);

/* Executes a fixed point of meaning `solution`, leaving one record (implicit.c). */
void implicit_record(struct tape *tape, const struct node *node);

#endif
