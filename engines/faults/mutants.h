/* mutants.h: systematic single edits of an engine's tables, numbered in the order of ops.def and then of the seams. */
#ifndef ENGINES_FAULTS_MUTANTS_H
#define ENGINES_FAULTS_MUTANTS_H

#include "engines/instance.h"

/* The walk over all single edits of an engine's tables.  It counts them, and makes the wanted one. */
struct mutant_walk {
	struct engine *self;
	int wanted; /* -1: none, only count */
	int count;
	const char *sought;     /* an equivalent edit, or NULL; */
	bool met;               /* whether the walk met it */
	char text[MUTANT_TEXT]; /* describes the edit that was made */
	struct arena *arena;    /* scratch, of mutate_aot */
};

enum { MUTANT_CODE = 2 * EXPRESSION_TEXT }; /* room for an edited text */

/* The text of the partial of op by operand k. */
struct mutant_text {
	enum op op;
	int k;
	const char *text;
	const char *const (*names)[2]; /* [n_names] functions that are easily confused */
	int n_names;
	/* Counts the edit unless `edited` cannot be read, and makes it if it is wanted. */
	void (*attempt)(struct mutant_walk *m, const struct mutant_text *of, const char *edited);
	struct expression *expression; /* the expression that the text belongs to, in tables of expressions */
};
/* Tries one edit for every token that has one. */
void mutant_tokens(struct mutant_walk *m, const struct mutant_text *of);

/* Counts an edit.  True if it is the one to make; `format` then describes it. */
bool mutant_here(struct mutant_walk *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Rows of mutants_equivalent.def, up to one without text. */
struct equivalent {
	const char *text, *why;
};
extern const struct equivalent mutants_equivalent[];
/* Whether that edit is one of self's.  A row that no engine meets is out of date. */
bool mutant_meets(struct engine *self, const char *equivalent);

/* The parts of the walk after the texts of partials: structures and seams. */
void mutate_adjoint_structure(struct mutant_walk *m, enum op op);
void mutate_adjoint_seams(struct mutant_walk *m);
/* Edits the seams of custom rules in that engine's table. */
void mutate_custom_seams(struct mutant_walk *m, struct custom_rules *rules);
/* The whole walk for `compiled`. */
void mutate_compiled(struct mutant_walk *m);
/* Edits only the seams of `implicit`: the rest of it is `tape` and `forward`. */
void mutate_implicit_seams(struct mutant_walk *m);
/* All edits of the table of derivative programs. */
void mutate_aot(struct mutant_walk *m);

/* Makes edit `index` in self's tables, and describes it in one line.  False past the end. */
bool mutant_make(struct engine *self, int index, char text[MUTANT_TEXT]);

/* An edit of a seam of `rules`, in the walk `m`. */
#define SEAM(text, seam, function) \
	do { \
		if (mutant_here(m, "%s", text)) \
			rules->seam = function; \
	} while (0)

#endif
