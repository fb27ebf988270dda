/*
 * One large case holds no memory afterwards: arenas and pools of numbers give back what is beyond their usual size, and
 * the heap gives it back to the system.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/campaign/drivers/case_mutator.h"
#include "graph/heap.h"
#include "graph/text.h"
#include "oracles/evaluate/evaluate.h"
#include "oracles/evaluate/elementary.h"
#include "oracles/evaluate/scalar_ops.h"
#include "oracles/oracle_rules.h"
#include "oracles/truth.h"
#include "tests/check.h"
#include "tests/support/case_text.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Requests of ever other sizes, each larger than the last: the blocks must not add up. */
static void test_arena(size_t kept)
{
	struct arena a;

	arena_init(&a, (size_t)256 << 20);
	CHECK(a.kept == ARENA_KEPT, "%zu bytes are kept", a.kept);
	a.kept = kept;
	for (size_t k = 1; k < 40; k++) {
		memset(NEW(&a, char, k << 20), 1, k << 20);
		CHECK(arena_held(&a) >= k << 20, "%zu bytes", arena_held(&a));
		arena_reset(&a);
		CHECK(arena_held(&a) <= kept, "%zu bytes are kept", arena_held(&a));
	}
	arena_free(&a);
	arena_touch(&a);
	const size_t most = arena_held(&a);

	CHECK(most > kept / 2 && most <= kept, "%zu of %zu bytes are taken", most, kept);
	memset(NEW(&a, char, 1000), 1, 1000);
	arena_reset(&a);
	CHECK(arena_held(&a) == most, "%zu of %zu bytes are kept", arena_held(&a), most);
	arena_free(&a);
	/* What fits is kept, so an ordinary case allocates nothing. */
	memset(NEW(&a, char, 1000), 1, 1000);
	const size_t usual = arena_held(&a);

	arena_reset(&a);
	CHECK(arena_held(&a) == usual, "%zu of %zu bytes are kept", arena_held(&a), usual);
	arena_free(&a);
}

/* Bytes of the heap that only shrink where nothing stands behind what is free; 0 where nobody counts them. */
static size_t heap_bytes(void)
{
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
	return mallinfo2().arena;
#else
	return 0;
#endif
}

/* Small blocks that outlive large ones must not hold their memory. */
static void test_holes(void)
{
	enum { ROUNDS = 20, LARGE = 1 << 20 };
	void *behind[ROUNDS], *inside[ROUNDS];
	size_t before;

	before = heap_bytes();
	for (int k = 0; k < ROUNDS; k++) {
		void *large = heap_new(LARGE, 1);

		behind[k] = heap_new(1, 100);
		free(large);
		inside[k] = heap_new(1, 100); /* in the hole, if there is one: the next large block does not fit it */
	}
	CHECK(heap_bytes() <= before + LARGE, "%zu bytes of heap became %zu", before, heap_bytes());
	for (int k = 0; k < ROUNDS; k++) {
		free(behind[k]);
		free(inside[k]);
	}
}

/* Bytes of the process that are in memory; 0 where nobody counts them. */
static size_t resident_bytes(void)
{
	FILE *f = heap_bytes() ? fopen("/proc/self/statm", "r") : NULL;
	unsigned long all, resident = 0;

	if (f && fscanf(f, "%lu %lu", &all, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* What is free between blocks in use goes back as well. */
static void test_rest(void)
{
	enum { BLOCKS = 100, MIDDLE = 200 << 10, BEHIND = 20 << 10 };
	void *middle[BLOCKS], *behind[BLOCKS];
	size_t before, after;

	for (int k = 0; k < BLOCKS; k++) {
		middle[k] = memset(heap_new(MIDDLE, 1), 1, MIDDLE);
		behind[k] = heap_new(1, BEHIND);
	}
	before = resident_bytes();
	for (int k = 0; k < BLOCKS; k++)
		free(middle[k]);
	heap_rest();
	after = resident_bytes();
	CHECK(!before || after + BLOCKS / 2 * MIDDLE < before, "%zu bytes in memory became %zu", before, after);
	for (int k = 0; k < BLOCKS; k++)
		free(behind[k]);
}

static double value_after(struct evaluation *ev, int trips, struct arena *a)
{
	const struct testcase c = test_function(a, "x: f64[]",
	    arena_printf(
	        a, "y = for (x) trip=%d {\n params i, b\n c = sin b\n d = stop_gradient c\n yield d\n}", trips),
	    "1.5", "");

	evaluate(ev, &c.program, c.point[0], NULL, 0, 0, a);
	return mpfr_get_d(ev->value[ev->result[0].at[0].scalar], MPFR_RNDN);
}

static void test_pools(int kept)
{
	struct evaluation ev;
	struct arena a;
	double before, after;

	mp_setup();
	arena_init(&a, (size_t)256 << 20);
	evaluation_open(&ev, &oracle_rules_right);
	before = value_after(&ev, 5, &a);
	value_after(&ev, 40000, &a);
	CHECK(ev.pool_ready > EVALUATION_KEPT && ev.frozen_ready > EVALUATION_KEPT, "the case is not large");
	evaluation_trim(&ev, kept);
	CHECK(ev.pool_ready <= kept && ev.scalar_room <= kept && ev.frozen_ready <= EVALUATION_KEPT_RARE,
	    "%d values, room for %d, %d frozen", ev.pool_ready, ev.scalar_room, ev.frozen_ready);
	after = value_after(&ev, 5, &a);
	CHECK(before == after, "%a, before %a", after, before);
	value_after(&ev, 40000, &a);
	evaluation_close(&ev);
	arena_free(&a);
}

/* Bytes that the program has taken and not given back; 0 where nobody counts them. */
static size_t bytes_in_use(void)
{
#if defined __GLIBC__ && __GLIBC_PREREQ(2, 33)
	return mallinfo2().uordblks + mallinfo2().hblkhd;
#else
	return 0;
#endif
}

/* A point of one vector. */
static char *many_values(int n, struct arena *a)
{
	struct text text = {.arena = a};

	for (int k = 0; k < n; k++)
		text_put(&text, "%s%.10g", k ? "," : "[", 0.5 + k);
	text_put(&text, "]");
	return text.at;
}

/*
 * Truths of large cases that are compared with differences at each coordinate.  Afterwards the oracle holds little more
 * than at its begin: all numbers that it keeps are made there, and it keeps no others.
 */
static void test_oracle(void)
{
	enum { LATER = 1 << 19 };
	static const struct {
		const char *body, *request;
	} rows[] = {
	    {"a = erf x; y = erf a", "vjp"},
	    {"y = sin x", "jvp"},
	    {"y = sin x", "vjp; then jvp"},
	    {"a = mul x, x; b = div x, a; y = atan b", "jvp; then jvp"},
	    {"y = abs x", "vjp"},
	    {"a = mul x, 1e6; b = sin a; y = mul b, 1e-30", "vjp"},
	    {"a = mul x, x; b = mul x, x; y = sub a, b", "vjp; then jvp"},
	};
	const struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	const size_t before = bytes_in_use();
	struct oracle *oracle = oracle_open(&options);
	const size_t begun = bytes_in_use() - before;
	struct arena a;

	arena_init(&a, (size_t)256 << 20);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct testcase c = test_function(
		    &a, "x: f64[8000]", rows[k].body, many_values(8000, &a), rows[k].request);
		struct truth truth;
		size_t held;

		oracle_truth(oracle, &c, &a, &truth);
		oracle_confirm(oracle, &c, &a, &truth);
		arena_free(&a);
		held = bytes_in_use() - before;
		CHECK(held <= begun + LATER, "%s: %zu bytes are held, %zu before", rows[k].body, held, begun);
	}
	oracle_close(oracle);
}

/* A campaign makes small cases from small cases. */
static void test_mutator(void)
{
	const struct profile profile = profile_default();
	struct case_mutator m;

	case_mutator_open(&m, 1, &profile, NULL);
	memset(NEW(&m.arena, char, 2 * ARENA_KEPT_SMALL), 1, 2 * ARENA_KEPT_SMALL);
	arena_reset(&m.arena);
	CHECK(arena_held(&m.arena) <= ARENA_KEPT_SMALL, "%zu bytes are kept", arena_held(&m.arena));
	arena_free(&m.arena);
}

int main(int argc, char **argv)
{
	heap_begin();
	check_begin(argc, argv);
	CHECK_LAW(test_rest()); /* first: in a heap without holes */
	CHECK_LAW(test_oracle());
	CHECK_LAW(test_holes());
	CHECK_LAW(test_arena(ARENA_KEPT));
	CHECK_LAW(test_arena(ARENA_KEPT_SMALL));
	CHECK_LAW(test_pools(EVALUATION_KEPT));
	CHECK_LAW(test_pools(EVALUATION_KEPT_RARE));
	CHECK_LAW(test_mutator());
	elementary_free_cache();
	return check_done();
}
