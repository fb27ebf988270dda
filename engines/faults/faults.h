/* faults.h: faults as data: the members of an engine's own tables that a fault replaces, and their replacements. */
#ifndef ENGINES_FAULTS_FAULTS_H
#define ENGINES_FAULTS_FAULTS_H

#include <stddef.h>

#include "engines/instance.h"

/* One member of struct engine, and its replacement. */
struct rule_edit {
	size_t at, size;         /* place and size of the member; size 0: no edit */
	const void *replacement; /* [size] bytes; NULL: see text */
	const char *text;        /* the text that is compiled into the member, an expression */
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

/* What a row of faults.def does to an engine: its edits in order, or a function that computes them. */
struct edits {
	struct rule_edit edit[EDITS_MOST];
	/*
	 * args: the text behind "SLUG:", or "".  False with the reason if it means nothing.  NULL: there are only
	 * edits.
	 */
	bool (*compute)(struct engine *self, const char *args, struct error *e);
};

#define FAULT(engine, slug, args, isolated, plant, source, meaning) extern const struct edits plant_##plant;
#define HISTORIC(engine, slug, isolated, plant, year, family, request, source, meaning) \
	extern const struct edits plant_##plant;
#include "faults.def"
#undef FAULT
#undef HISTORIC

/*
 * Wrong seams of aot, which faults and mutants share:
 *
 * - fault_weak_product: a product without a strong zero.
 * - fault_lost_at_zero: a product that a derivative of zero turns into a constant zero. The next derivative then finds
 *   nothing of the partial.
 * - fault_once_at_least: a reverse loop that does not check whether its loop was entered.
 */
int fault_weak_product(struct aot *x, int derivative, int partial);
int fault_lost_at_zero(struct aot *x, int derivative, int partial);
int fault_once_at_least(struct aot *x, int count);
/*
 * A wrong seam of compiled: it works in place on any view.  If elements share cells, the updates of all rows meet in
 * one cell.
 */
bool fault_overwrites_any(const struct shape *s, const struct view *operand);

#endif
