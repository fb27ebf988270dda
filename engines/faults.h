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
 * A number that differs from run to run: what a race leaves to chance.  Used by faults that are nondeterministic in earnest, and by
 * nothing else.
 */
uint64_t fault_chance(void);

#endif
