/* spellings.c: see spellings.h. */
#include "spellings.h"

#include "graph/walk.h"

/* The smallest variant by which the ops of c, and its request, have these spellings; 0: there is none. */
static int variant_of(const struct hello *h, const struct testcase *c, const struct spelled *want)
{
	bool has[SPELLED_COUNT] = {[SPELLED_REQUEST] = true};

	region_ops(&c->program.top, has);
	for (int v = 1; v <= LIMIT_VARIANT; v++) {
		int k = 0;

		while (k < SPELLED_COUNT && (!has[k] || hello_spelled(h, k, v) == want->at[k]))
			k++;
		if (k == SPELLED_COUNT)
			return v;
	}
	return 0;
}

struct testcase fewest_spellings(const struct question *q, const struct testcase *c, struct arena *a)
{
	const struct engine *engine = q->bench->engine[0];
	const struct hello *hello = engine_hello(engine);
	struct spelled want = engine_spelled(engine, c);
	struct question shows = *q;
	struct testcase best = *c;

	if (!c->variant || !hello || !hello->variants)
		return best;
	shows.refuse = NULL; /* a spelling that does not matter hides no known finding */
	for (int k = 0; k < SPELLED_COUNT; k++) {
		struct spelled fewer = want;
		struct testcase candidate = best;

		fewer.at[k] = 0;
		if (!want.at[k] || !(candidate.variant = variant_of(hello, c, &fewer)))
			continue;
		if (!case_shows(&candidate, &shows, a, NULL))
			continue;
		want = fewer;
		best = candidate;
	}
	best.variant = variant_of(hello, c, &want);
	return best;
}
