/* answer.h: what an engine says of a case.  Lives in graph/ so that oracles can read it without seeing any engine. */
#ifndef GRAPH_ANSWER_H
#define GRAPH_ANSWER_H

#include "testcase.h"

enum answer_status {
	ANSWER_OK,
	ANSWER_UNSUPPORTED, /* the engine has no such op, request or dtype; text names it */
	ANSWER_CRASH,       /* an isolated engine died, or raised an error of its own; text has the signal, exit code or
	                       message */
	ANSWER_HANG,        /* no answer within the time limit */
	ANSWER_PROTOCOL,    /* an isolated engine answered garbage */
	ANSWER_FAILURE      /* our own or the machine's failure (cannot start a worker): never the engine's fault */
};

/* The answer at one point. */
struct answer {
	enum answer_status status;
	int n_primal;
	struct tensor *primal; /* [n_primal], program results; a batch stacks them */
	/* the outputs of the request's outermost level (request.h); a request that does not differentiate: none */
	int n_derivative;
	struct tensor *derivative;
	bool input_modified; /* the engine changed its copy of the point or of the seeds */
	const char *text;    /* "" or a reason, in the case's arena */
};

/*
 * Types that the derivatives of `c` must have: the outputs of the outermost level of its request; none for a request
 * that does not differentiate.  Returns their number.
 */
int answer_derivative_types(const struct testcase *c, struct type out[LIMIT_ARGS]);
/* The same of the primal: the program's results, with a leading axis per batch. */
int answer_primal_types(const struct testcase *c, struct type out[LIMIT_ARGS]);

#endif
