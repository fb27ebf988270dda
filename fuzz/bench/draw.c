/* draw.c: see draw.h. */
#include "draw.h"

bool bench_knows(const struct bench *b, const struct testcase *c, struct arena *a)
{
	const struct arena_mark mark = arena_mark(a);
	bool known = !b->n_engine;

	for (int k = 0; k < b->n_engine && !known; k++)
		known = !engine_refusal(b->engine[k], c, a);
	arena_rewind(a, mark);
	return known;
}

struct testcase draw_known(const struct bench *b, struct choice *choice, const struct profile *profile, struct arena *a)
{
	for (int k = 1;; k++) {
		const struct arena_mark mark = arena_mark(a);
		const struct testcase c = generate(choice, profile, a);

		if (k == DRAW_MOST || bench_knows(b, &c, a))
			return c;
		arena_rewind(a, mark);
	}
}
