/* test_look_again.c: a twin counts exactly if it was judged, however little memory there is. */
#include "fuzz/bench/look_again.h"

#include "tests/check.h"
#include "tests/support/case_text.h"

enum { STEP = 1 << 10, MOST = 1 << 20 };

struct looking {
	struct bench *bench;
	struct testcase c;
	struct twin_components own;
	struct arena *arena;
	struct twin_tally tally;
	struct judged_twins out;
};

static void look(void *context)
{
	struct looking *x = context;

	look_again(x->bench, &x->c, &x->own, -1, DTYPE_F64, x->arena, &x->tally, &x->out);
}

/* The same with an arena that is full after so many bytes. */
static struct looking look_within(const struct looking *x, size_t bytes)
{
	struct looking out = *x;
	struct arena a;

	arena_init(&a, bytes);
	out.arena = &a;
	if (!arena_try(&a, look, &out))
		out.tally = (struct twin_tally){.cases = -1};
	arena_free(&a);
	return out;
}

static int64_t judged(const struct twin_tally *t)
{
	int64_t sum = 0;

	for (int k = 0; k < TWIN_COUNT; k++)
		sum += t->judged[k];
	return sum;
}

int main(int argc, char **argv)
{
	const char *const spec = "functional";
	const struct oracle_options oracle = {0};
	struct error e = {0};
	struct looking x = {0};
	struct truth truth;
	struct teeth teeth;
	struct bench b;
	struct arena a;
	int without = 0, with = 0;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 26);
	CHECK(bench_open(&b, &spec, 1, &oracle, &e), "%s", e.text);
	x.bench = &b;
	x.c = test_function(&a, "x: bf16[], c: bf16[]", "a = add x, c; b = sub a, c; y = log b", "0.5, 1000", "vjp");
	oracle_truth(b.oracle, &x.c, &a, &truth);
	x.own = twin_components_of(&x.c, &truth, &a, &teeth);
	for (size_t bytes = STEP; bytes <= MOST; bytes += STEP) {
		const struct looking one = look_within(&x, bytes);

		if (one.tally.cases < 0)
			continue; /* not even the list of components fits */
		*(one.out.n ? &with : &without) += 1;
		CHECK(judged(&one.tally) == one.out.n, "%zu bytes: %d twins judged, %d counted", bytes, one.out.n,
		    (int)judged(&one.tally));
		CHECK((one.out.n == 0) == (one.tally.gained + one.tally.gained_wide == 0),
		    "%zu bytes: %d twins, gained %d", bytes, one.out.n, (int)one.tally.gained);
	}
	CHECK(without && with, "%d sizes without a judged twin, %d with one", without, with);
	bench_close(&b);
	arena_free(&a);
	return check_done();
}
