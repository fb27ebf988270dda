/* answer.h: the answer of an engine to a case.  It lives in graph/, so that oracles can read it without any engine. */
#ifndef GRAPH_ANSWER_H
#define GRAPH_ANSWER_H

#include "testcase.h"

enum answer_status {
	ANSWER_OK,
	ANSWER_UNSUPPORTED, /* the engine has no such op, request or dtype; text names it */
	ANSWER_TOO_LARGE,   /* unsupported because of a limit, such as the size of a derivative program; text has it */
	ANSWER_CRASH,       /* the process of an engine died, or the engine raised an error; text has the signal, exit
	                       code or message */
	ANSWER_HANG,        /* no answer within the time limit */
	ANSWER_OOM,         /* the process of an engine held more memory than it may */
	ANSWER_PROTOCOL,    /* the process of an engine broke the protocol */
	ANSWER_FAILURE, /* our own or the machine's failure, such as a worker that cannot start; not the engine's fault
	                 */
	ANSWER_INTERRUPTED /* adjudge stopped waiting: a signal came, or the time of the campaign was over */
};

/* The answer at one point. */
struct answer {
	enum answer_status status;
	int n_primal;
	struct tensor *primal; /* [n_primal], program results; a batch stacks them */
	/* outputs of the request's outermost level (request.h); none if the request does not differentiate */
	int n_derivative;
	struct tensor *derivative;
	bool raised;         /* ANSWER_CRASH: the engine answered an error, and its process lives */
	bool input_modified; /* the engine changed its copy of the point or of the seeds */
	const char *text;    /* "" or a reason, in the case's arena */
};

/*
 * Writes the types that the derivatives of `c` must have, and returns their number.  They are the outputs of the
 * outermost level of its request; there are none if the request does not differentiate.
 */
int answer_derivative_types(const struct testcase *c, struct type out[LIMIT_ARGS]);
/* The same for the primal: the results of the program, with a leading axis per batch. */
int answer_primal_types(const struct testcase *c, struct type out[LIMIT_ARGS]);

/* The status of an engine that cannot answer because of this error. */
enum answer_status answer_refusal(const struct error *e);

#endif
