/* engine.h: engines as the rest of adjudge sees them. */
#ifndef ENGINES_ENGINE_H
#define ENGINES_ENGINE_H

#include "engines/interrupt.h"
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
 * One row of engines.def. adjudge calls `prepare` once per case, and `answer` once per point, in order.  So a trace or
 * tape that is reused across points shows its mistakes.  Everything is allocated from the case's arena, and nothing
 * outlives the case.
 */
struct engine_kind {
	const char *name, *summary, *modelled_on;
	bool jvp, vjp;     /* the transforms that may be outermost, batches aside */
	bool jvp_over_vjp; /* a jvp may be outermost above a vjp, whatever `jvp` says */
	int order;         /* most transforms of a request that may differentiate; 0: one, and no batch */
	bool batch;        /* a request may contain batches */
	bool stacks; /* prepare and answer take requests of several levels as they are; other engines see one level at a
	                time (stack.h) */
	bool composes; /* the same, but batches above all levels that differentiate are answered slice by slice
	                  (stack.h) */
	bool isolated; /* runs in a worker process */
	/*
	 * The engine gets fixed points of meaning `solution` as they are, unless it composes several levels.  All other
	 * fixed points are loops when an engine sees them.
	 */
	bool solves;
	const struct engine_option *option;  /* at most ENGINE_OPTIONS, then one without a name; NULL: takes none */
	void (*set_up)(struct engine *self); /* edits its rules before any fault does; NULL: nothing to edit */
	/*
	 * Prepares `c`.  *state is passed to answer.  Returns ANSWER_OK, or ANSWER_UNSUPPORTED with the reason in
	 * *text.
	 */
	enum answer_status (*prepare)(
	    struct engine *self, const struct testcase *c, struct arena *a, void **state, const char **text);
	/* Answers at c->point[which]; `point` is the engine's own copy of it.  Fills everything but input_modified. */
	void (*answer)(struct engine *self, void *state, const struct testcase *c, int which, struct tensor *point,
	    struct arena *a, struct answer *out);
};

/*
 * Opens an engine from the text [NAME=]SPEC (name.c).  SPEC is KIND[:ARG,...][+FAULT]..., or proc:COMMAND or so:PATH,
 * which is started (external.h).  Returns NULL with a message that names the unknown part and lists the known ones. The
 * caller owns the engine until engine_close.
 */
struct engine *engine_open(const char *text, struct error *e) MUST_CHECK;
/*
 * The same, for an engine that is waited for only until the interrupt comes.  This holds for its start and for every
 * request.  From then on each answer is ANSWER_INTERRUPTED.  An engine in this process is not interrupted.
 */
struct engine *engine_open_until(const char *text, struct interrupt until, struct error *e) MUST_CHECK;
void engine_close(struct engine *self);
/* Whether [NAME=]SPEC is an engine from outside.  Without starting that engine nothing more is known about it. */
bool engine_spec_is_external(const char *text);
/*
 * Whether [NAME=]SPEC has a good name, and an engine, arguments and faults that exist.  No process is started, so an
 * engine from outside is not checked.  False with the reason.
 */
bool engine_spec_valid(const char *text, struct error *e) MUST_CHECK;
/* The spec of the engine, without a name. */
const char *engine_spec(const struct engine *self);
/* What signatures, reports and tables call the engine: the NAME that the user gave to it, or its spec. */
const char *engine_name(const struct engine *self);

/* ---- names (name.c) ---- */

/*
 * A name is 1 to ENGINE_NAME letters, digits, '_', '.' and '-'.  The first is a letter, a digit or '_'.  The name of a
 * built-in kind stands for that kind alone.
 */
enum { ENGINE_NAME = 64 };
/* Whether it is a name that may stand for any engine. */
bool engine_name_free(const char *name);
/* The SPEC in the text [NAME=]SPEC; *name_length: the length of NAME, or 0. */
const char *engine_text_spec(const char *text, size_t *name_length);
/* What the engine of the text [NAME=]SPEC is called, as engine_name says it; in the arena. */
const char *engine_text_name(const char *text, struct arena *a);
/* Whether the engine of the text [NAME=]SPEC is called `name`. */
bool engine_text_is_called(const char *text, const char *name);
/* Whether the NAME in [NAME=]SPEC, if there is one, may stand for this SPEC.  False with the reason. */
bool engine_text_name_valid(const char *text, struct error *e) MUST_CHECK;
const struct engine_kind *engine_kind(const struct engine *self);
/*
 * The loop iterations that the last vjp ran again only to reach a later one.  This is the price of snapshots that are
 * not kept. 0 for engines that keep what they need, and for isolated ones.
 */
int64_t engine_recomputed(const struct engine *self);
/*
 * Whether the protocol can carry the answers.  Those of rounding=SEED and flushing=SEED may have one bit more than
 * their dtype (kernels/rounding.h), so such an engine runs in this process only.
 */
bool engine_crosses_wire(const struct engine *self, struct error *e) MUST_CHECK;
/*
 * Gives an engine that was opened with rounding=SEED another seed.  Its next answers equal those of an engine opened
 * with that seed.  For any other engine it returns false and changes nothing.
 */
bool engine_reseed_rounding(struct engine *self, uint64_t seed);
/* What an engine with magnified errors met in its last answer. */
struct rounding_seen {
	int64_t steps;  /* results that were not exact */
	double largest; /* among results of arithmetic and the usual intermediate values of functions */
	bool edge; /* a value near an end of its dtype's range, or NaN; or an operand at the end of its op's domain */
};
/*
 * Turns an engine opened with rounding=SEED into a probe.  From now on a result that is not exact is off by up to
 * `times` half units, by another amount each time.  A probe is not a correct engine.  Its answers scatter as those of
 * correct engines do, but `times` as far.  With -times every error has the opposite sign: if rounding decides a
 * comparison, one of the two signs takes either side.  Returns false for any other engine.
 */
bool engine_magnify_rounding(struct engine *self, double times);
struct rounding_seen engine_rounding_seen(const struct engine *self);
/* Whether it is a built-in engine without a fault.  Its answers must then be right. */
bool engine_is_right(const struct engine *self);
/*
 * Which rules the faults of an engine edited.  Sets row[op] where a rule of op differs from that of the engine without
 * faults.  Returns true when nothing else differs: then the engine answers like the correct one wherever no such op is
 * differentiated.
 */
bool engine_edited_rows(const struct engine *self, bool row[OP_COUNT]);

/* What a program may contain if the engine is to be asked at all.  A built-in engine allows everything. */
struct engine_scope {
	bool dtype[DTYPE_COUNT], op[OP_COUNT];
	int rank; /* the largest rank of a value */
};
struct engine_scope engine_scope(const struct engine *self);
/*
 * Why an engine from outside will not be asked about c: by its hello, it does not know what is executed there.  NULL:
 * it will be asked, or it is built in.
 */
const char *engine_refusal(const struct engine *self, const struct testcase *c, struct arena *a);
/*
 * Sets has[op] for each op of the programs that the engine gets for c, which may be written in other ops.  Memory is
 * taken from the arena.
 */
void engine_asked_ops(const struct engine *self, const struct testcase *c, struct arena *a, bool has[OP_COUNT]);
/* The hello of an engine from outside; NULL for a built-in one. */
struct hello;
const struct hello *engine_hello(const struct engine *self);
/* Whether a built-in engine takes subnormal numbers of every dtype for 0 (`flushing=SEED`). */
bool engine_flushes(const struct engine *self);

/* The time limit of a request in milliseconds; 0 for an engine that is not isolated, whose requests always end. */
int engine_timeout(const struct engine *self);
/* Sets another limit until the next call; 0: the usual one. */
void engine_set_timeout(struct engine *self, int timeout_ms);
/*
 * Makes a fresh process answer the next case, if the engine is isolated.  Nothing that it was asked before can then
 * affect the answer.  Returns false for other engines: they keep nothing from case to case.
 */
bool engine_restart(struct engine *self);

/* How often the engine's process ended, so that the next request needs a new one.  How many requests ended badly,
 * whether or not that came again. */
struct engine_trouble {
	int restarts, crashes, hangs, broken; /* broken: an answer that cannot be read */
	int ooms;                             /* it held more memory than it may */
	int killed; /* of the crashes: by a signal from outside, or one that the engine sent to itself */
};
/* All 0 for an engine that is not isolated. */
struct engine_trouble engine_trouble(const struct engine *self);

/* A request that the engine's process ended badly.  It stays valid as long as the answers. */
struct incident {
	enum answer_status status; /* ANSWER_OK: there is none */
	const char *text;          /* as in the answers */
	const char *request;       /* [len] the line that was sent, without its newline */
	size_t len;
	int n_case;  /* cases in the request */
	bool killed; /* a crash by a signal from outside, or one that the engine sent to itself */
};
/* The incident of the last engine_answer. */
struct incident engine_incident(const struct engine *self);

/* Answers all points of c: out[c->n_point], in the arena.  Isolated engines run in their worker. */
void engine_answer(struct engine *self, const struct testcase *c, struct arena *a, struct answer *out);

/* Programs that several engines need: a whole request, the levels below the engine's own one, batches of the primal. */
enum shared_program { SHARED_REQUEST, SHARED_LEVELS, SHARED_BATCHES, SHARED_PROGRAMS };
/*
 * Such programs, which engines without planted faults share.  They are asked about one case, one after the other, with
 * one arena.  The first that needs such a program writes it, for all others with equal rules.  Zero it for each case.
 */
struct engine_share {
	struct shared_derivation {
		const struct aot_rules *rules; /* that wrote the program; NULL: there is none yet */
		struct program from, derived;
	} of[SHARED_PROGRAMS];
};
void engine_answer_shared(
    struct engine *self, const struct testcase *c, struct engine_share *share, struct arena *a, struct answer *out);

/* How many cases the engine takes in one request; 1 for a built-in one. */
int engine_cases(const struct engine *self);
/*
 * Asks for n cases in one request, without waiting for the answers.  The engine must take several cases.  The function
 * engine_receive waits; when it returns true, out[k][c[k].n_point] are filled, in the arena.  When it returns false,
 * the engine did not answer: ask the cases one by one.  *incident says what happened; it may be that nothing did,
 * because memory was out.  Until then c, out and the arena must stay, and other requests to the engine wait.
 */
void engine_send(struct engine *self, const struct testcase *c, int n, struct arena *a, struct answer *const *out);
bool engine_receive(struct engine *self, struct incident *incident);

/*
 * The case c as source text for the engine alone.  The engine must have been opened with a command that emits.  Gives
 * text[*n] in the arena: one text, or one per point if the case is written per point.  False with the reason: the
 * engine is built in, or does not know something in the case.  brief: a short one, if the engine knows how.
 */
bool engine_emit(struct engine *self, const struct testcase *c, bool brief, struct arena *a, const char ***text, int *n,
    struct error *e) MUST_CHECK;

/*
 * The reason why an engine of this kind does not answer these requests, in the arena; NULL if it may.  Then an engine
 * without faults that answers ANSWER_UNSUPPORTED is a defect of ours; ANSWER_TOO_LARGE is none.
 */
const char *engine_refuses(const struct engine_kind *kind, const struct transform *t, int n, struct arena *a);

/* The built-in engines in table order; NULL-terminated names. */
extern const char *const engine_names[];
const struct engine_kind *engine_kind_find(const char *name);

/* One row of faults.def, for `adjudge faults`. */
struct fault_info {
	const char *spec; /* as given on the command line, e.g. "functional+residual-fifo" or "tape+scale:OP:FACTOR" */
	const char *slug; /* name after the + */
	const char *source;  /* the public report that it re-creates, or "" */
	const char *meaning; /* one line */
	bool isolated;       /* really crashes or hangs: runs in a worker */
	int year;            /* of the report (the latest of several); 0: no historic bug */
	const char *family;  /* L loops, S select and kinks, C scatter, gather, views, T transforms and rules, N
	                        nondeterminism, B blocks and sizes; "" */
	const char *request; /* the request that shows it: jvp or vjp; "" */
};
/* Row `index`, or NULL past the end. */
const struct fault_info *fault_row(int index);

enum { MUTANT_TEXT = 400 };
/*
 * Describes mutant `index` of a built-in engine in one line.  Its spec is ENGINE+mutant:INDEX. A mutant is a systematic
 * single edit of a rule table or a seam; mutants are numbered from 0 in table order.  False past the last one, and for
 * an unknown engine.
 */
bool mutant_row(const char *engine, int index, char text[MUTANT_TEXT]);

/*
 * The worker's side: writes its hello, reads requests (wire.h) from standard input, and writes each answer as one JSON
 * line, until end of file.  Returns the exit code of the process.  `adjudge worker --engine SPEC` runs this.
 */
int engine_worker(const char *spec);
/* The same for an engine that is a shared object (adjudge_engine.h): `adjudge worker --library PATH`. */
int engine_worker_library(const char *path);
/* Becomes the shell command of an engine from outside, tied to its parent.  Returns the exit code if it cannot. */
int engine_worker_exec(const char *command);

#endif
