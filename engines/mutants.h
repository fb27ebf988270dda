/* mutants.h: systematic single edits of the tables of an engine, numbered in the order of ops.def and then of the seams. */
#ifndef ENGINES_MUTANTS_H
#define ENGINES_MUTANTS_H

#include "rules.h"

/* The walk over all single edits of an engine's tables: it counts them, and makes the one that is wanted. */
struct mutator {
	struct engine *self;
	int wanted; /* -1: none, only count */
	int count;
	char text[MUTANT_TEXT]; /* of the one made */
};

/* Counts an edit; true when it is the one to make, which `format` then describes. */
bool mutant_here(struct mutator *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Rows of mutants_equivalent.def, up to one without text. */
struct equivalent {
	const char *text, *why;
};
extern const struct equivalent mutants_equivalent[];

/* The parts of the walk: edits of the texts of partials; of structures and seams. */
void mutate_partials(struct mutator *m, enum op op, struct expression partial[RULE_PARTIALS]);
void mutate_adjoint_structure(struct mutator *m, enum op op);
void mutate_adjoint_seams(struct mutator *m);
/* The whole walk for `compiled`. */
void mutate_compiled(struct mutator *m);
/* Those of `implicit` alone: the rest of it is `tape` and `forward`. */
void mutate_implicit_seams(struct mutator *m);

/* Makes edit `index` in self's tables, and describes it in one line.  False past the end. */
bool mutant_make(struct engine *self, int index, char text[MUTANT_TEXT]);

#endif
