/*
 * remainder.h: what is left of a case without known patterns.  The nodes that a pattern hangs on become constants with
 * their values at the point; then the engine is asked again.
 */
#ifndef FUZZ_TRIAGE_REMAINDER_H
#define FUZZ_TRIAGE_REMAINDER_H

#include "fuzz/minimize/passes.h"
#include "internal.h"

/* Asks one engine about cases without their known patterns; opened when first needed. */
struct remainder {
	struct bench bench;
	struct engine *primal;
	struct arena arena; /* holds the case without known patterns */
	bool open;
	bool granted; /* there is work left for the case at hand */
};

/* That of engine `which`, opened if necessary; NULL: it cannot be opened. */
struct remainder *remainder_of(struct triage *self, int which);

/* Whether symptom s and case c of engine `which` have the same spellings of every op in the symptom's pattern, and of
 * the request.  If not, the case most likely shows another bug. */
bool remainder_spelled_alike(struct triage *self, int which, const struct symptom *s, const struct testcase *c);

enum left {
	LEFT_AS_IT_WAS, /* the pattern cannot be taken out */
	LEFT_RIGHT,     /* without the pattern nothing fails */
	LEFT_FAILING,   /* something still fails */
	LEFT_UNKNOWN    /* the engine does not answer like a right one, and there is no work left for a truth */
};

/* What is left of the failing point of *s without the nodes that is_cut names.  If something still fails, *s becomes
 * that smaller case; it lives in the arena of the remainder.  engine: its name. */
enum left remainder_without(
    struct remainder *rest, const char *engine, cut_node_fn *is_cut, const void *context, struct shown *s);
/* The same of *s made quiet (inlets.h). */
enum left remainder_quiet(struct remainder *rest, const char *engine, const struct quiet *quiet, struct shown *s);
/* Whether one slice of a batch of *s fails alone.  *s then becomes that case. */
bool remainder_fails_in_slice(struct remainder *rest, const char *engine, struct shown *s);
/* *s as ops that the engine may run in its place.  False: no other program gives the engine's wrong numbers. */
bool remainder_write_out(struct remainder *rest, struct shown *s);

#endif
