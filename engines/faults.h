/* faults.h: the plants of faults.def: each edits one row or seam of an engine's own copy of the tables. */
#ifndef ENGINES_FAULTS_H
#define ENGINES_FAULTS_H

#include "rules.h"

/* args: what follows "SLUG:", or "".  False with the reason when they mean nothing. */
typedef bool fault_plant_fn(struct engine *self, const char *args, struct error *e);

#define FAULT(engine, slug, args, isolated, plant, source, meaning) fault_plant_fn plant_##plant;
#define HISTORIC(engine, slug, isolated, plant, year, family, request, source, meaning) fault_plant_fn plant_##plant;
#include "faults.def"
#undef FAULT
#undef HISTORIC

/*
 * Wrong seams of aot, which a fault and a mutant share: a product that is no strong zero; one that a derivative of zero turns into a constant zero,
 * with nothing left of the partial for the next derivative; a reverse loop that does not ask whether its loop was entered.
 */
int fault_weak_product(struct aot *x, int derivative, int partial);
int fault_lost_at_zero(struct aot *x, int derivative, int partial);
int fault_once_at_least(struct aot *x, int count);
/* A seam of compiled likewise: done in place on any view, so that where elements share cells the updates of all rows meet in one. */
bool fault_overwrites_any(const struct shape *s, const struct view *operand);

/*
 * A number that differs from run to run: what a race leaves to chance.  Used by faults that are nondeterministic in earnest, and by
 * nothing else.
 */
uint64_t fault_chance(void);

#endif
