/* item.h: an item of a sweep: a cell of the matrix, or a case of the corpus.  Items do not depend on each other, so
 * another process may judge them. */
#ifndef FUZZ_CONFORM_ITEM_H
#define FUZZ_CONFORM_ITEM_H

#include "conform.h"

struct conform_item {
	enum op op; /* of a cell */
	int column;
	const char *path; /* of a case of the corpus; NULL: the item is a cell */
};

struct conform_result {
	struct conform_cell cell;
	const char *name; /* of a case of the corpus; NULL: it was not asked, or the item is a cell */
	struct conform_leaks leaks;
	const char *failure; /* the machine prevented an answer; NULL: it did not */
};

/* Who judges items. */
struct conform_judge {
	struct bench *bench;
	const struct conform_options *o;
	const struct conform *m; /* its columns are read */
	struct arena scratch;
};

/* Judges the cases of the item until a signal asks to stop (stop.h).  The result lives in the arena. */
void conform_judge_item(
    struct conform_judge *judge, const struct conform_item *item, struct arena *a, struct conform_result *out);

/* The result as bytes, for another process of the same executable. */
void conform_result_put(struct text *t, const struct conform_result *x);
/* Reads them into the arena.  False: they are no result. */
bool conform_result_read(const char *bytes, size_t len, struct arena *a, struct conform_result *out);

#endif
