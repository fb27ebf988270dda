/* case_mutator.c: see case_mutator.h. */
#include "case_mutator.h"

#include <string.h>

#include "fuzz/campaign/books/corpus_room.h"

enum { MUTATOR_ARENA = 256 << 20, FRESH_PERCENT = 33, POOL_PERCENT = 40 /* of the fresh ones */, CHANGES = 8 };

struct testcase change_known(const struct bench *bench, const struct testcase *left, const struct testcase *right,
    struct choice *choice, const struct profile *profile, struct arena *a)
{
	for (int k = 0; k < CHANGES; k++) {
		const struct arena_mark mark = arena_mark(a);
		const struct testcase c = right ? cross_over(left, right, choice, profile, a)
		                                : mutate(left, choice, profile, a);

		if (!bench || bench_knows(bench, &c, a))
			return c;
		arena_rewind(a, mark);
	}
	return draw_known(bench, choice, profile, a);
}

void case_mutator_open(struct case_mutator *m, uint64_t seed, const struct profile *profile, const struct bench *bench)
{
	*m = (struct case_mutator){.seed = seed, .profile = *profile, .bench = bench};
	arena_init(&m->arena, MUTATOR_ARENA);
	m->arena.kept = ARENA_KEPT_SMALL;
	arena_touch(&m->arena);
}

static bool read_case(struct case_mutator *m, const uint8_t *data, size_t size, struct testcase *out)
{
	struct error e = {0};

	return testcase_read((const char *)data, size, &m->arena, out, &e);
}

static struct testcase draw(struct case_mutator *m, struct choice *choice)
{
	return m->bench ? draw_known(m->bench, choice, &m->profile, &m->arena)
	                : generate(choice, &m->profile, &m->arena);
}

static struct testcase fresh_case(struct case_mutator *m, struct choice *choice)
{
	struct testcase c;
	const char *text;
	size_t len;

	if (!m->n_pool || !choice_percent(choice, POOL_PERCENT))
		return draw(m, choice);
	text = m->pool_text(m->pool, choice_below(choice, m->n_pool), &len);
	return read_case(m, (const uint8_t *)text, len, &c) ? c : draw(m, choice);
}

/* Writes the case as text, or a smaller case, or nothing.  Returns the length. */
static size_t write_case(
    struct case_mutator *m, const struct testcase *c, struct choice *choice, uint8_t *out, size_t max_size)
{
	enum { FALLBACKS = 4 };
	struct choice none = choice_bytes(NULL, 0);
	struct testcase other;
	size_t len;
	char *text = testcase_write_compact(c, &m->arena, &len);

	for (int k = 0; len > max_size && k < FALLBACKS; k++) {
		other = generate(k == FALLBACKS - 1 ? &none : choice, &m->profile, &m->arena);
		text = testcase_write_compact(&other, &m->arena, &len);
	}
	if (len > max_size)
		return 0;
	memcpy(out, text, len);
	return len;
}

/* One step of libFuzzer.  `right` is set only if two cases are crossed. */
struct mutation_step {
	struct case_mutator *m;
	bool crosses;
	const uint8_t *left, *right;
	size_t left_size, right_size;
	uint8_t *out;
	size_t max_size, written;
	struct choice choice;
};

static void run_step(void *context)
{
	struct mutation_step *x = context;
	struct case_mutator *m = x->m;
	struct choice *choice = &x->choice;
	struct testcase a, b, c;

	arena_reset(&m->arena);
	if ((!x->crosses && choice_percent(choice, FRESH_PERCENT)) || !read_case(m, x->left, x->left_size, &a) ||
	    (x->crosses && !read_case(m, x->right, x->right_size, &b)))
		c = fresh_case(m, choice);
	else
		c = change_known(m->bench, &a, x->crosses ? &b : NULL, choice, &m->profile, &m->arena);
	if (!case_is_parent(&c))
		c = draw(m, choice);
	x->written = write_case(m, &c, choice, x->out, x->max_size);
}

size_t case_mutate(struct case_mutator *m, uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	struct mutation_step x = {.m = m,
	    .left = data,
	    .left_size = size,
	    .out = data,
	    .max_size = max_size,
	    .choice = choice_seeded(seed_mix(m->seed, seed))};

	return arena_try(&m->arena, run_step, &x) ? x.written : size < max_size ? size : max_size;
}

size_t case_cross_over(struct case_mutator *m, const uint8_t *left, size_t left_size, const uint8_t *right,
    size_t right_size, uint8_t *out, size_t max_size, unsigned seed)
{
	struct mutation_step x = {.m = m,
	    .crosses = true,
	    .left = left,
	    .right = right,
	    .left_size = left_size,
	    .right_size = right_size,
	    .out = out,
	    .max_size = max_size,
	    .choice = choice_seeded(seed_mix(m->seed, ~(uint64_t)seed))};

	return arena_try(&m->arena, run_step, &x) ? x.written : 0;
}
