/* external_lower.h: the state of an engine from outside, and a case as that engine wants it. */
#ifndef ENGINES_PROCESS_EXTERNAL_LOWER_H
#define ENGINES_PROCESS_EXTERNAL_LOWER_H

#include "engines/instance.h"
#include "hello.h"

/* A case that the engine is asked: as the engine gets it, and where its answers go. */
struct asked_case {
	const struct testcase *c;
	struct answer *out;     /* [c->n_point] */
	struct testcase *cases; /* several if the engine gets only what is executed at the points */
	int n;                  /* number of cases; 0: already answered */
};

/* Several cases in one request. */
struct ahead {
	bool sent;  /* sent, and the answers not taken yet */
	bool known; /* the answers to the last request have arrived */
	struct arena *arena;
	struct asked_case *asked;
	int n;
	struct testcase *cases; /* the cases of the whole request */
	struct answer **out;
	int n_case;
	struct incident incident;
};

struct external {
	const struct hello *hello; /* of the worker */
	struct engine_kind kind;
	char name[64];
	bool limited; /* our own worker reads the cases, within the limits of a case file */
	struct ahead ahead;
};

/*
 * Writes c as the engine wants it: cases[], each with its points, and their number to *n.  Returns NULL, or the reason
 * why the engine will not be asked: the request counts too.
 */
const char *external_prepare(const struct external *self, const struct aot_rules *rules, const struct testcase *c,
    struct arena *a, struct testcase **cases, int *n);
/* The way back: rounds tensors of dtype d to the float dtype that is expected. */
void external_narrow(struct tensor *t, int n, const struct type *want, int n_want, enum dtype d);

#endif
