/* instance.h: an engine that is open.  Private to engines/: all others use engine.h. */
#ifndef ENGINES_INSTANCE_H
#define ENGINES_INSTANCE_H

#include "engines/aot/table.h"
#include "engines/compiled/rules.h"
#include "engine.h"
#include "engines/kernels/rounding.h"
#include "engines/builtin/rules.h"

/* What depends on where the answers of an engine come from.  As the functions of engine.h that are named alike. */
struct engine_place {
	bool ours; /* built in: right unless a fault is planted */
	struct engine_scope (*scope)(const struct engine *self);
	const struct hello *(*hello)(const struct engine *self);
	bool (*emit)(struct engine *self, const struct testcase *c, struct arena *a, const char ***text, int *n,
	    struct error *e);
	/* out[c->n_point] are ANSWER_OK and empty on entry. */
	void (*answer)(struct engine *self, const struct testcase *c, struct arena *a, struct answer *out);
	int (*cases)(const struct engine *self);
	/* NULL: takes one case at a time. */
	void (*send)(struct engine *self, const struct testcase *c, int n, struct arena *a, struct answer *const *out);
	bool (*receive)(struct engine *self);
};
/* This process, and a worker process (builtin.c); an engine that is not ours (external.c). */
extern const struct engine_place place_here, place_worker, place_external;

struct engine {
	const struct engine_place *place;
	const struct engine_kind *kind;
	char *spec;                 /* as given */
	int n_fault;                /* faults planted */
	bool isolated;              /* answers come from a worker process */
	void *worker;               /* of worker.h: the process that answers; NULL: this one */
	struct external *external;  /* of external.c: not ours, and no table below means anything; NULL: built in */
	int option[ENGINE_OPTIONS]; /* in the order of kind->option */
	struct rounding rounding;
	int64_t recomputed; /* loop iterations that the last vjp ran again only to reach a later one */
	struct tangent_rules tangent;
	struct adjoint_rules adjoint;
	struct aot_rules aot; /* of programs that are derived before they are run: levels of a request, op derivative,
	                         engine `aot` */
	struct compiled_rules compiled;
};

/* Rows of engines.def. */
extern const struct engine_kind forward_kind, tape_kind, functional_kind, checkpointed_kind, parallel_kind, aot_kind,
    compiled_kind, implicit_kind;

/* As engine_open, but answers in this process whatever is planted: the worker's own side. */
struct engine *engine_open_here(const char *spec, struct error *e) MUST_CHECK;

/* ---- faults (faults.def, faults.c) ---- */

/*
 * Plants "SLUG[:ARG...]" (text[len], not NUL-terminated) into the copies of self's tables; sets isolated when the fault
 * asks for it.  False with what there is when the fault is unknown or not of this engine.
 */
bool fault_plant(struct engine *self, const char *text, size_t len, struct error *e) MUST_CHECK;

#endif
