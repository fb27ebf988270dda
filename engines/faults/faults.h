/* faults.h: faults as data: which members of an engine's own copy of the tables a fault replaces, and by what. */
#ifndef ENGINES_FAULTS_FAULTS_H
#define ENGINES_FAULTS_FAULTS_H

#include <stddef.h>

#include "engines/instance.h"

/* One member of struct engine, and its replacement. */
struct rule_edit {
	size_t at, size;         /* of the member; size 0: no edit */
	const void *replacement; /* [size] bytes; or, where NULL, */
	const char *text;        /* what the member, an expression, is compiled from */
};
/* The compiler checks that the replacement has the type of the member. */
#define EDIT(member, value) \
	{ \
		.at = offsetof(struct engine, member), .size = sizeof((struct engine *)0)->member, \
		.replacement = &(const __typeof__(((struct engine *)0)->member)) \
		{ \
			value \
		} \
	}
#define EDIT_TEXT(member, source) \
	{ \
		.at = offsetof(struct engine, member), .size = sizeof(struct expression), .text = source \
	}

enum { EDITS_MOST = 6 };

/* What a row of faults.def does to an engine: its edits in order, or what only a function can work out. */
struct edits {
	struct rule_edit edit[EDITS_MOST];
	/* args: what follows "SLUG:", or "".  False with the reason when they mean nothing.  NULL: the edits say it
	 * all. */
	bool (*compute)(struct engine *self, const char *args, struct error *e);
};

#define FAULT(engine, slug, args, isolated, plant, source, meaning) extern const struct edits plant_##plant;
#define HISTORIC(engine, slug, isolated, plant, year, family, request, source, meaning) \
	extern const struct edits plant_##plant;
#include "faults.def"
#undef FAULT
#undef HISTORIC

/*
 * Wrong seams of aot, which a fault and a mutant share: a product that is no strong zero; one that a derivative of zero
 * turns into a constant zero, with nothing left of the partial for the next derivative; a reverse loop that does not
 * ask whether its loop was entered.
 */
int fault_weak_product(struct aot *x, int derivative, int partial);
int fault_lost_at_zero(struct aot *x, int derivative, int partial);
int fault_once_at_least(struct aot *x, int count);
/* A seam of compiled likewise: done in place on any view, so that where elements share cells the updates of all rows
 * meet in one. */
bool fault_overwrites_any(const struct shape *s, const struct view *operand);

/*
 * A number that differs from run to run: what a race leaves to chance.  Used by faults that are nondeterministic in
 * earnest, and by nothing else.
 */
uint64_t fault_chance(void);

#endif
