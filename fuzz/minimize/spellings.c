/* spellings.c: see spellings.h. */
#include "spellings.h"

/* The smallest variant by which the ops that the engine gets, and the request, have these spellings; -1: there is none.
 */
static int variant_of(const struct hello *h, const bool has[SPELLED_COUNT], const struct spelled *want)
{
	for (int v = 0; v <= LIMIT_VARIANT; v++) {
		int k = 0;

		while (k < SPELLED_COUNT && (!has[k] || hello_spelled(h, k, v) == want->at[k]))
			k++;
		if (k == SPELLED_COUNT)
			return v;
	}
	return -1;
}

struct testcase fewest_spellings(const struct question *q, const struct testcase *c, struct arena *a)
{
	const struct engine *engine = q->bench->engine[0];
	const struct hello *hello = engine_hello(engine);
	struct spelled want = engine_spelled(engine, c, a);
	struct question shows = *q;
	struct testcase best = *c;
	bool has[SPELLED_COUNT] = {[SPELLED_REQUEST] = true};

	if (!c->variant || !hello || !hello->variants)
		return best;
	engine_asked_ops(engine, c, a, has);
	shows.refuse = NULL; /* a spelling that does not matter hides no known finding */
	for (int k = 0; k < SPELLED_COUNT; k++) {
		struct spelled fewer = want;
		struct testcase candidate = best;

		fewer.at[k] = 0;
		if (!want.at[k] || (candidate.variant = variant_of(hello, has, &fewer)) < 0 ||
		    !case_shows(&candidate, &shows, a, NULL))
			continue;
		want = fewer;
		best = candidate;
	}
	best.variant = variant_of(hello, has, &want); /* the engine gets the same as with another variant */
	return best;
}
