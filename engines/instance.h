/* instance.h: an open engine.  Private to engines/; everybody else uses engine.h. */
#ifndef ENGINES_INSTANCE_H
#define ENGINES_INSTANCE_H

#include "engines/aot/table.h"
#include "engines/compiled/rules.h"
#include "engine.h"
#include "engines/kernels/rounding.h"
#include "engines/builtin/rules.h"

/*
 * The functions that depend on where an engine's answers come from.  Each does what the function of the same name in
 * engine.h says.
 */
struct engine_place {
	bool ours; /* built in: correct unless a fault is planted */
	struct engine_scope (*scope)(const struct engine *self);
	const struct hello *(*hello)(const struct engine *self);
	const char *(*refusal)(const struct engine *self, const struct testcase *c, struct arena *a);
	void (*asked_ops)(const struct engine *self, const struct testcase *c, struct arena *a, bool has[OP_COUNT]);
	bool (*emit)(struct engine *self, const struct testcase *c, bool brief, struct arena *a, const char ***text,
	    int *n, struct error *e);
	/* out[c->n_point] are ANSWER_OK and empty on entry. */
	void (*answer)(struct engine *self, const struct testcase *c, struct arena *a, struct answer *out);
	int (*cases)(const struct engine *self);
	/* NULL: takes one case at a time. */
	void (*send)(struct engine *self, const struct testcase *c, int n, struct arena *a, struct answer *const *out);
	bool (*receive)(struct engine *self, struct incident *incident);
};
/* An engine in this process and one in a worker process (builtin.c); an engine from outside (external.c). */
extern const struct engine_place place_here, place_worker, place_external;

struct engine {
	const struct engine_place *place;
	const struct engine_kind *kind;
	char *spec;             /* without a name */
	char *name;             /* that the user gave; NULL: the engine is called by its spec */
	int n_fault;            /* faults planted */
	bool isolated;          /* answers come from a worker process */
	struct interrupt until; /* of that process */
	void *worker;           /* the supervisor of worker.h; NULL: this process answers */
	struct external *
	    external; /* an engine from outside (external.c), for which the tables below mean nothing; NULL: built in */
	int option[ENGINE_OPTIONS]; /* in the order of kind->option */
	struct rounding rounding;
	struct engine_share *share; /* of the case that it answers; NULL: it is asked alone */
	int64_t recomputed;         /* loop iterations that the last vjp ran again only to reach a later one */
	struct tangent_rules tangent;
	struct adjoint_rules adjoint;
	struct aot_rules aot; /* for programs that are differentiated before they run: levels of a request, op
	                         derivative, engine `aot` */
	struct compiled_rules compiled;
};

/* Rows of engines.def. */
extern const struct engine_kind forward_kind, tape_kind, functional_kind, checkpointed_kind, parallel_kind, aot_kind,
    compiled_kind, implicit_kind;

/* As engine_open, but the engine answers in this process, whatever faults it has.  The worker uses this. */
struct engine *engine_open_here(const char *text, struct error *e) MUST_CHECK;

/* ---- faults (faults.def, faults.c) ---- */

/*
 * Plants the fault "SLUG[:ARG...]" (text[len], not NUL-terminated) into self's copies of the tables.  Sets isolated if
 * the fault needs it.  When the fault is unknown or belongs to other engines, returns false with a list of the known
 * ones.
 */
bool fault_plant(struct engine *self, const char *text, size_t len, struct error *e) MUST_CHECK;

#endif
