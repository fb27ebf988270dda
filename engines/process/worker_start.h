/* worker_start.h: the state of a worker, and the starts of its process. */
#ifndef ENGINES_PROCESS_WORKER_START_H
#define ENGINES_PROCESS_WORKER_START_H

#include "cage.h"
#include "graph/json.h"
#include "process.h"
#include "quota.h"
#include "worker.h"

struct worker {
	char *spec;         /* the spec of a built-in engine, or the command or path of another one */
	const char *option; /* the option of `worker` that stands before it */
	bool foreign;
	int timeout_ms;                   /* 0: as the hello says */
	long id;                          /* requests sent */
	int crashes, hangs, broken, ooms; /* requests that ended so */
	int killed;               /* crashes by a signal that came from outside, or that the engine sent to itself */
	struct incident incident; /* of the last request */
	int failures;             /* to start, in a row */
	struct error why;         /* the last of these failures */
	struct error trouble;     /* why the last request was not sent; no text: it was */
	struct process process;
	struct quota quota;
	struct cage cage; /* around an engine from outside */
	bool greeted;     /* a process has sent a hello; all later ones must send the same */
	struct hello hello;
	struct arena said; /* holds the hello's strings */
};

/*
 * Starts the process unless it runs; false with the reason.  A worker that died since its last answer is started anew:
 * its death is not the fault of the next case.  Some starts may fail, so a process that is killed as it starts does not
 * end a campaign.
 */
bool worker_ready(struct worker *w, struct arena *a, struct error *e) MUST_CHECK;
/* Whether a signal ended a process that a person, a script or the system sends.  It may also have sent it to itself. */
bool worker_signal_is_sent(int status);
/* Quotes the first line that has arrived.  Only the next exchange may read the buffer again. */
void worker_quote_line(struct worker *w, char shown[JSON_SHOWN]);

#endif
