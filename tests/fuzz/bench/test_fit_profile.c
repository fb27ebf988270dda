/* Which engines make the default profile one of gradients, and that no other profile becomes one. */
#include "fuzz/bench/fit_profile.h"

#include "graph/walk.h"
#include "tests/check.h"
#include "tests/support/several_cases.h"

enum { ARENA = 256 << 20, PROGRAMS = 4000 };

static struct profile fitted(const char *const *spec, int n, struct profile p)
{
	const struct oracle_options o = {.seed = 1, .fd_one_in = 1 << 20};
	struct error e = {0};
	struct bench b;

	if (!bench_open(&b, spec, n, &o, &e)) {
		CHECK(false, "%s", e.text);
		return p;
	}
	fit_profile(&b, &p);
	bench_close(&b);
	return p;
}

static void check_engines(struct arena *a)
{
	const char *outside = several_spec("tape", "1", "right", a);
	const char *const both[] = {outside, "forward"}, *const tape = "tape";
	struct profile frozen, one;
	struct error e = {0};

	CHECK(profile_read_file("benchmarks/frozen-4.json", &frozen, &e), "%s", e.text);
	one = fitted(&outside, 1, profile_default());
	CHECK(one.moved > 0 && !one.jvp, "an engine of vjps alone: %d %% move, %d %% jvps", one.moved, one.jvp);
	CHECK(!fitted(&outside, 1, frozen).moved, "a profile that was given changes");
	CHECK(!fitted(both, 2, profile_default()).moved, "an engine that answers jvps too");
	CHECK(!fitted(&tape, 1, profile_default()).moved, "a built-in engine");
}

/* Whether the vjp hands an expanded number to an input, in which part was written over. */
static bool sums_an_update(const struct testcase *c)
{
	const struct region *top = &c->program.top;

	for (int i = 0; i + 1 < top->n_node; i++)
		for (int k = i + 1; k < top->n_node && top->node[i].op == OP_SLICE_SCATTER; k++)
			if (top->node[k].op == OP_REDUCE_SUM && top->node[k].arg[0] == top->node[i].out &&
			    top->node[i].arg[0] < top->n_param)
				return true;
	return false;
}

static void check_moved(void)
{
	struct profile p = profile_default();
	int sums = 0, updates = 0;
	struct arena a;

	p.moved = 100;
	arena_init(&a, ARENA);
	for (int i = 0; i < PROGRAMS; i++) {
		struct choice c = choice_seeded(seed_mix(23, (uint64_t)i));
		struct testcase t;
		struct error e = {0};

		arena_reset(&a);
		t = generate(&c, &p, &a);
		CHECK(testcase_check(&t, &e), "program %d: %s", i, e.text);
		sums += region_has_op(&t.program.top, OP_REDUCE_SUM);
		updates += sums_an_update(&t);
	}
	printf("%d programs: %d with a sum, %d with one of an updated input\n", PROGRAMS, sums, updates);
	CHECK(2 * sums > PROGRAMS, "%d sums", sums);
	CHECK(50 * updates > PROGRAMS, "%d sums of an updated input", updates);
	arena_free(&a);
}

int main(int argc, char **argv)
{
	struct arena a;
	int code;

	if (several_serves(argc, argv, &code))
		return code;
	check_begin(argc, argv);
	if (!several_begin())
		return 1;
	arena_init(&a, ARENA);
	if (row_wanted("engines"))
		check_engines(&a);
	if (row_wanted("programs that move elements"))
		check_moved();
	arena_free(&a);
	several_end();
	return check_done();
}
