/*
 * deferred.h: failing cases that are minimized later, when the campaign may put work into them (allowance.h).  Such a
 * case has the coarse signature of a known finding, and no known pattern explains it.  It may show a second bug with
 * that signature, so it must be minimized; but there may be thousands.  It counts as a case of that finding while it is
 * deferred.
 */
#ifndef FUZZ_TRIAGE_DEFERRED_H
#define FUZZ_TRIAGE_DEFERRED_H

#include <stdint.h>

#include "graph/json.h"
#include "graph/testcase.h"

enum { DEFERRED_CASES = 32, DEFERRED_BYTES = 1 << 16 };

struct deferred_case {
	int which, point; /* the engine under test, and the point that fails */
	int64_t number;
	bool slip;              /* it is of no finding yet, and does not count */
	char *signature, *text; /* coarse; the case as compact JSON; both owned */
	size_t len;
};

/* All zero: there is none.  In the order in which they are taken: the smallest first, of equally small ones the
 * earliest.
 */
struct deferred {
	int n;
	struct deferred_case at[DEFERRED_CASES];
};

/*
 * Keeps a case.  Uses `a` and leaves it as it was.  If there is no room, the largest case is dropped.  The small ones
 * are kept because they take the least work, and more bugs are found by many searches.
 */
void deferred_add(struct deferred *self, const struct deferred_case *x, const struct testcase *c, struct arena *a);
/* Whether a slip of that engine and signature waits. */
bool deferred_has_slip(const struct deferred *self, int which, const char *signature);
/* Takes the first case, which the caller frees.  There must be one. */
struct deferred_case deferred_take(struct deferred *self);
/* Moves the cases of `from`, as far as there is room. */
void deferred_join(struct deferred *self, struct deferred *from);
void deferred_free_case(struct deferred_case *x);
void deferred_free(struct deferred *self);

/* Writes the cases as member "deferred" of the open JSON object. */
void deferred_put(const struct deferred *self, struct json_writer *w);
/* Reads them and adds them to those that are there already.  The number of an engine must be below n_engine.  False
 * with an error that names the place. */
bool deferred_read(
    struct deferred *self, int n_engine, const struct json *object, struct arena *a, struct error *e) MUST_CHECK;

#endif
