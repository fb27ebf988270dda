/* engine.h: what an engine is to the rest of adjudge. */
#ifndef ENGINES_ENGINE_H
#define ENGINES_ENGINE_H

#include "graph/answer.h"
#include "graph/program.h"

struct engine;

enum { ENGINE_OPTIONS = 8 };

/* An argument of an engine's spec: NAME=INTEGER, or NAME alone. */
struct engine_option {
	const char *name;
	int low, high, preset;
	bool flag; /* NAME alone, which gives 1; 0 without it */
};

/*
 * One row of engines.def.  `prepare` is called once per case, `answer` once per point in order, so that a trace or tape
 * reused across points is seen.  Everything is allocated from the case's arena; nothing outlives the case.
 */
struct engine_kind {
	const char *name, *summary, *modelled_on;
	bool jvp, vjp;     /* the outermost transform that it supports, batches apart */
	bool jvp_over_vjp; /* a jvp may be outermost where a level below it is a vjp, whatever `jvp` says */
	int order;   /* how many transforms of a request may differentiate; 0: it knows neither stacks nor batches, as 1
	                without `batch` */
	bool batch;  /* whether there may be batches */
	bool stacks; /* prepare and answer take requests of several levels as they are; else they see one level at a
	                time (stack.h) */
	bool composes; /* the same, but batches above all that differentiates are answered slice by slice (stack.h) */
	bool isolated; /* runs in a worker process */
	/* Is given fixed points of meaning `solution` as they are, unless it composes several levels; all others are
	 * loops when an engine sees them. */
	bool solves;
	const struct engine_option *option; /* at most ENGINE_OPTIONS, and then one without a name; NULL: takes none */
	void (*set_up)(
	    struct engine *self); /* edits its copy of the rules before any fault does; NULL: nothing to edit */
	/* Prepares `c`; *state is passed to answer.  ANSWER_OK or ANSWER_UNSUPPORTED with the reason in *text. */
	enum answer_status (*prepare)(
	    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text);
	/* Answers for c->point[which], of which `point` is the engine's own copy; fills everything but input_modified.
	 */
	void (*answer)(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
	    struct arena *a, struct answer *out);
};

/*
 * Opens an engine from its spec: NAME[:ARG,...][+FAULT]..., or proc:COMMAND or so:PATH, which is started (external.h).
 * NULL with a message that names the unknown part and lists what there is.  Owned by the caller until engine_close.
 */
struct engine *engine_open(const char *spec, struct error *e) MUST_CHECK;
void engine_close(struct engine *self);
/* Whether the spec is one of an engine that is not ours: nothing more can be said of it without starting it. */
bool engine_spec_is_external(const char *spec);
/*
 * Whether the spec names an engine, arguments and faults that there are; no process is started.  Of an engine that is
 * not ours nothing is checked. False with the reason.
 */
bool engine_spec_valid(const char *spec, struct error *e) MUST_CHECK;
/* The spec as given to engine_open. */
const char *engine_spec(const struct engine *self);
const struct engine_kind *engine_kind(const struct engine *self);
/*
 * Loop iterations that the last vjp ran again only to reach a later one: what snapshots that are not kept cost.  0 of
 * engines that keep what they need, and of isolated ones.
 */
int64_t engine_recomputed(const struct engine *self);
/*
 * Of an engine opened with rounding=SEED: another seed, for the answers to come, which are those of the engine opened
 * with it.  False, and nothing is changed, of any other engine.
 */
bool engine_reseed_rounding(struct engine *self, uint64_t seed);
/* What an engine whose errors are magnified met in its last answer. */
struct rounding_seen {
	int64_t steps;  /* results that were not exact */
	double largest; /* magnitude of a result of arithmetic, and of what functions are usually made of */
	bool
	    edge; /* a value near an end of its dtype's range, or no number; an operand at the end of its op's domain */
};
/*
 * Of an engine opened with rounding=SEED: what is not exact is off by up to `times` half units from now on, each time
 * anew.  It is no right engine then, but a probe: its answers scatter as those of right engines do, so many times as
 * much.  With -times every error has the other sign: of a decision that rounding takes, one of the two takes either
 * side.  False of any other engine.
 */
bool engine_magnify_rounding(struct engine *self, double times);
struct rounding_seen engine_rounding_seen(const struct engine *self);
/* True of a built-in engine without a fault: it must agree. */
bool engine_is_right(const struct engine *self);
/*
 * What the faults of an engine edited: row[op] is set where a rule of op differs from that of the engine without
 * faults.  True when nothing else differs, so that the engine answers as the right one wherever no such op is derived.
 */
bool engine_edited_rows(const struct engine *self, bool row[OP_COUNT]);

/* What a program may have for the engine to be asked at all; everything, of a built-in one. */
struct engine_scope {
	bool dtype[DTYPE_COUNT], op[OP_COUNT];
	int rank; /* the largest of a value */
};
struct engine_scope engine_scope(const struct engine *self);
/* What an engine that is not built in says of itself; NULL of a built-in one. */
struct hello;
const struct hello *engine_hello(const struct engine *self);

/* The milliseconds that a request to an isolated engine may take; 0 of one that is not isolated, whose requests end. */
int engine_timeout(const struct engine *self);
/* Another limit, until the next one; 0: as usual. */
void engine_set_timeout(struct engine *self, int timeout_ms);
/*
 * The next case is answered by a fresh process, where the engine is isolated: nothing that it was asked before has a
 * part in the answer.  False where it is not: such engines keep nothing from case to case.
 */
bool engine_restart(struct engine *self);

/* Answers all points of c: out[c->n_point], in the arena.  Isolated engines are run in their worker. */
void engine_answer(struct engine *self, const struct testcase *c, struct arena *a, struct answer *out);

/* How many cases the engine takes in one request; 1 of a built-in one. */
int engine_cases(const struct engine *self);
/*
 * Asks an engine that takes several for n cases at once, without waiting for the answers: out[k][c[k].n_point] are
 * known, and in the arena, when engine_receive was true.  False: it did not answer, which is nobody's fault yet; ask
 * the cases one by one.  Until then c, out and the arena stay. Whatever else the engine is asked meanwhile waits for
 * this.
 */
void engine_send(struct engine *self, const struct testcase *c, int n, struct arena *a, struct answer *const *out);
bool engine_receive(struct engine *self);

/*
 * c as source text in the terms of engine `self`, which was opened with a command that emits: text[*n], in the arena,
 * one each point where it is written for one.  False with the reason: it is built in, or the case has what it does not
 * know.
 */
bool engine_emit(struct engine *self, const struct testcase *c, struct arena *a, const char ***text, int *n,
    struct error *e) MUST_CHECK;

/* Why an engine of this kind does not answer such requests, in the arena; NULL when it may. */
const char *engine_refuses(const struct engine_kind *kind, const struct transform *t, int n, struct arena *a);

/* The built-in engines in table order; NULL-terminated names. */
extern const char *const engine_names[];
const struct engine_kind *engine_kind_find(const char *name);

/* One row of faults.def, for `adjudge faults`. */
struct fault_info {
	const char *spec; /* as given on the command line, e.g. "functional+residual-fifo" or "tape+scale:OP:FACTOR" */
	const char *slug; /* name after the + */
	const char *source;  /* public report it re-creates, or "" */
	const char *meaning; /* one line */
	bool isolated;       /* dies for real: runs in a worker */
	int year;            /* of the report (the latest, of several); 0: no historic bug */
	const char *family;  /* L loops, S select and kinks, C scatter, gather, views, T transforms and rules, N
	                        nondeterminism; "" */
	const char *request; /* in which it shows: jvp or vjp; "" */
};
/* Row `index`, or NULL past the end. */
const struct fault_info *fault_row(int index);

enum { MUTANT_TEXT = 400 };
/*
 * Describes mutant `index` of a built-in engine, ENGINE+mutant:INDEX, in one line: a systematic single edit of its rule
 * tables or seams, numbered from 0 in table order.  False past the last one, and for an unknown engine.
 */
bool mutant_row(const char *engine, int index, char text[MUTANT_TEXT]);

/*
 * The worker side: says its hello, reads requests (wire.h) from standard input and writes answers, one JSON line each,
 * until end of file. Returns the exit code of the process.  `adjudge worker --engine SPEC` is this.
 */
int engine_worker(const char *spec);
/* The same for an engine that is a shared object (adjudge_engine.h): `adjudge worker --library PATH`. */
int engine_worker_library(const char *path);
/* Becomes the shell command of an engine that is not built in, tied to its parent.  Returns the exit code if it cannot.
 */
int engine_worker_exec(const char *command);

#endif
