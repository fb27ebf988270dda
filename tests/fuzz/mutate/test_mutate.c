#include "fuzz/generate/generate.h"

#include "tests/check.h"
#include "tests/support/case_text.h"

enum { CHAINS = 6000, LINKS = 5, CROSSES = 10000 };

static struct arena arena;

static void check_valid(const struct testcase *t, const char *what, int number)
{
	struct error e = {"", ""};

	CHECK(testcase_check(t, &e), "%s %d: %s: %s", what, number, e.place, e.text);
}

static int nodes(const struct testcase *t) { return program_nodes(&t->program); }

/* Every link of a chain of mutations is valid and nearly always something else. */
static void test_mutate(void)
{
	struct profile p = profile_default();
	int same = 0, grown = 0, shrunk = 0, near = 0;

	for (int i = 0; i < CHAINS; i++) {
		struct choice c = choice_seeded(seed_mix(20, (uint64_t)i));
		struct testcase t;

		arena_reset(&arena);
		t = generate(&c, &p, &arena);
		for (int k = 0; k < LINKS; k++) {
			uint64_t before = testcase_hash(&t);
			struct testcase next = mutate(&t, &c, &p, &arena);

			check_valid(&next, "mutant", i * LINKS + k);
			CHECK(testcase_hash(&t) == before, "mutant %d: the original changed", i * LINKS + k);
			same += testcase_equal(&t, &next);
			grown += nodes(&next) > nodes(&t);
			shrunk += nodes(&next) < nodes(&t);
			near += nodes(&next) - nodes(&t) < 12 && nodes(&t) - nodes(&next) < 12;
			t = next;
		}
	}
	CHECK(same < CHAINS * LINKS / 100, "%d unchanged", same);
	CHECK(grown > CHAINS * LINKS / 10, "%d grew", grown);
	CHECK(shrunk > CHAINS * LINKS / 20, "%d shrank", shrunk);
	CHECK(near > CHAINS * LINKS * 6 / 10, "%d near", near);
}

static void test_cross_over(void)
{
	struct profile p = profile_default();
	int larger = 0;

	for (int i = 0; i < CROSSES; i++) {
		struct choice c = choice_seeded(seed_mix(21, (uint64_t)i));
		struct testcase a, b, both;

		arena_reset(&arena);
		a = generate(&c, &p, &arena);
		b = generate(&c, &p, &arena);
		both = cross_over(&a, &b, &c, &p, &arena);
		check_valid(&both, "cross", i);
		larger += nodes(&both) >= nodes(&a) && nodes(&both) >= nodes(&b);
	}
	CHECK(larger > CROSSES * 7 / 10, "%d", larger);
}

/* From the simplest case and from no choices at all. */
static void test_degenerate(void)
{
	struct profile p = profile_default();

	for (int i = 0; i < 2000; i++) {
		struct choice none = choice_bytes(NULL, 0), c = choice_seeded(seed_mix(22, (uint64_t)i));
		struct testcase simplest, other, t;

		arena_reset(&arena);
		simplest = generate(&none, &p, &arena);
		other = generate(&c, &p, &arena);
		t = mutate(&simplest, &c, &p, &arena);
		check_valid(&t, "of the simplest", i);
		t = mutate(&other, &none, &p, &arena);
		check_valid(&t, "without choices", i);
		t = cross_over(&simplest, &other, &c, &p, &arena);
		check_valid(&t, "simplest left", i);
		t = cross_over(&other, &simplest, &none, &p, &arena);
		check_valid(&t, "simplest right", i);
		simplest.n_transform = 0;
		t = mutate(&simplest, &c, &p, &arena);
		check_valid(&t, "without a request", i);
	}
}

/* Integers at the ends of i64, which a nudge must not leave. */
static void test_ends(void)
{
	static const char *const ends[] = {"9223372036854775807", "-9223372036854775808"};
	struct profile p = profile_default();
	int moved = 0;

	for (int i = 0; i < 1000; i++) {
		struct choice c = choice_seeded(seed_mix(23, (uint64_t)i));
		struct testcase from, t;

		arena_reset(&arena);
		from = test_function(&arena, "n: i64[], x: f64[]", "m = cast n dtype=f64; y = mul m, x",
		    arena_printf(&arena, "%s, 0.5", ends[i % 2]), "vjp");
		t = mutate(&from, &c, &p, &arena);
		check_valid(&t, "at an end", i);
		moved += program_equal(&t.program, &from.program) && t.point[0][0].at->i != from.point[0][0].at->i;
	}
	CHECK(moved > 20, "%d moved from an end", moved);
}

/* Nothing is defined outside of the region whose nodes are edited. */
static void test_nothing_outside(void)
{
	struct profile p = profile_default();

	for (int i = 0; i < 3000; i++) {
		struct choice c = choice_seeded(seed_mix(24, (uint64_t)i));
		struct testcase t;

		arena_reset(&arena);
		t = test_case(&arena,
		    "s = checkpoint {\n"
		    "  a = constant 1\n"
		    "  b = add a, a\n"
		    "  yield b\n"
		    "}\n"
		    "return s\n"
		    "point 0: ");
		t = mutate(&t, &c, &p, &arena);
		check_valid(&t, "of a program without inputs", i);
	}
}

static void test_determinism(void)
{
	struct profile p = profile_default();

	for (uint64_t i = 0; i < 300; i++) {
		uint64_t hash[2];

		for (int k = 0; k < 2; k++) {
			struct choice c = choice_seeded(seed_mix(23, i));
			struct testcase a, b, t;

			arena_reset(&arena);
			a = generate(&c, &p, &arena);
			b = mutate(&a, &c, &p, &arena);
			t = cross_over(&a, &b, &c, &p, &arena);
			hash[k] = testcase_hash(&t);
		}
		CHECK(hash[0] == hash[1], "seed %d", (int)i);
	}
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	arena_init(&arena, (size_t)256 << 20);
	CHECK_LAW(test_mutate());
	CHECK_LAW(test_cross_over());
	CHECK_LAW(test_degenerate());
	CHECK_LAW(test_ends());
	CHECK_LAW(test_nothing_outside());
	CHECK_LAW(test_determinism());
	arena_free(&arena);
	return check_done();
}
