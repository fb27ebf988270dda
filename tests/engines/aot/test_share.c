/*
 * test_share.c: engines that share derivative programs (engine_share) answer as they do alone, bit by bit; with a
 * planted fault they share nothing.
 */
#include "engines/engine.h"
#include "fuzz/generate/generate.h"
#include "tests/check.h"

enum { CASES = 1500 };

static const char *const specs[] = {"tape", "functional", "checkpointed", "parallel", "aot", "compiled", "implicit",
    "forward", "aot+scale:sin:1.5", "compiled+inductor-slice-scatter"};
enum { ENGINES = sizeof specs / sizeof *specs, RIGHT = ENGINES - 2 };
static struct engine *engines[ENGINES];

static bool same_tensors(const struct tensor *x, int n_x, const struct tensor *y, int n_y)
{
	for (int k = 0; n_x == n_y && k < n_x; k++)
		if (!tensor_same(&x[k], &y[k]))
			return false;
	return n_x == n_y;
}

static bool same_answer(const struct answer *x, const struct answer *y)
{
	return x->status == y->status && same_tensors(x->primal, x->n_primal, y->primal, y->n_primal) &&
	    same_tensors(x->derivative, x->n_derivative, y->derivative, y->n_derivative);
}

static void check_case(const struct testcase *c, int number, struct arena *a, int filled[SHARED_PROGRAMS])
{
	struct engine_share share = {0}, faulty = {0};

	for (int k = 0; k < ENGINES; k++) {
		struct answer *alone = NEW(a, struct answer, c->n_point), *shared = NEW(a, struct answer, c->n_point);

		engine_answer(engines[k], c, a, alone);
		engine_answer_shared(engines[k], c, k < RIGHT ? &share : &faulty, a, shared);
		for (int i = 0; i < c->n_point; i++)
			CHECK(same_answer(&alone[i], &shared[i]), "case %d, %s, point %d: another answer", number,
			    specs[k], i);
	}
	for (int k = 0; k < SHARED_PROGRAMS; k++) {
		filled[k] += share.of[k].rules != NULL;
		CHECK(!faulty.of[k].rules, "case %d: an engine with a fault shares program %d", number, k);
	}
}

static void check_generated(void)
{
	const struct profile profile = profile_default();
	int filled[SHARED_PROGRAMS] = {0};
	struct arena a;

	arena_init(&a, (size_t)1 << 30);
	for (int number = 0; number < CASES; number++) {
		struct choice choice = choice_seeded(seed_mix(103, (uint64_t)number));
		struct testcase c;

		arena_reset(&a);
		c = generate(&choice, &profile, &a);
		check_case(&c, number, &a, filled);
	}
	arena_free(&a);
	for (int k = 0; k < SHARED_PROGRAMS; k++)
		CHECK(filled[k] > CASES / 50, "program %d was shared in %d cases", k, filled[k]);
}

int main(int argc, char **argv)
{
	struct error e = {.text = ""};

	check_begin(argc, argv);
	for (int k = 0; k < ENGINES; k++) {
		engines[k] = engine_open(specs[k], &e);
		CHECK(engines[k], "%s: %s", specs[k], e.text);
	}
	CHECK_LAW(check_generated());
	for (int k = 0; k < ENGINES; k++)
		engine_close(engines[k]);
	return check_done();
}
