/*
 * test_memory.c: how the memory of a derivative grows with the trip count, as each strategy promises: flat for
 * `forward`, linear for what keeps every iterate, flat for a fixed number of snapshots.  Prints the table that
 * docs/built-in-engines.md shows.
 */
#include "tests/engines/samples.h"

enum { LENGTH = 32, SHORT = 64, DOUBLINGS = 6 };
static int trip;

/* h = tanh(h w), a vector carry, `trip` times, w captured. */
static int build_chain(struct builder *b, const int *in, int *result)
{
	const struct attrs attrs = {.trip = trip};
	const struct type h = F64V(LENGTH);
	int init = build_node(b, OP_BROADCAST_TO, in, 1, &(struct attrs){.shape = h.shape}, NULL);
	int c = build_open(b, (struct type[]){sample_i64, h}, 2);
	int next = op1(b, OP_TANH, op2(b, OP_MUL, c + 1, in[0]));

	build_close(b, &next, 1);
	result[0] = reduce(b, OP_REDUCE_SUM, build_region_node(b, OP_FOR, &init, 1, &attrs, NULL));
	return 1;
}

static const struct sample chain = {.name = "chain", .build = build_chain, .n_in = 1, .type = {F64}, .at = {{.9}}};

/* Bytes that an answer takes beyond its case, most at any time. */
static size_t peak(struct engine *engine, struct arena *a, int n)
{
	struct answer out = {.status = ANSWER_FAILURE};

	arena_reset(a);
	trip = n;
	struct testcase c = sample_case(a, &chain, chain.at, true);
	if (engine_kind(engine)->jvp) /* of a scalar by a scalar: the seed fits both */
		c.transform[0].kind = TRANSFORM_JVP;
	size_t before = a->used;
	engine_answer(engine, &c, a, &out);
	CHECK(out.status == ANSWER_OK, "%s, %d iterations: %s", engine_spec(engine), n, out.text);
	return arena_peak(a) - before;
}

static void check_growth(const char *spec, bool linear, struct arena *a)
{
	struct engine *engine = sample_engine(spec);
	size_t bytes[DOUBLINGS];

	printf("| `%s` |", spec);
	for (int k = 0; k < DOUBLINGS; k++) {
		bytes[k] = peak(engine, a, SHORT << k);
		printf(" %zu |", (bytes[k] + 512) / 1024);
	}
	printf("\n");
	for (int k = 2; k < DOUBLINGS; k++) {
		/* Linear: each further iteration takes the same, to one part in 100. */
		double last = (double)bytes[k] - (double)bytes[k - 1],
		       before = (double)bytes[k - 1] - (double)bytes[k - 2];

		if (linear)
			CHECK(before > (SHORT << (k - 2)) * LENGTH * 8. && last > 1.98 * before && last < 2.02 * before,
			    "%s: %g bytes for %d iterations more, then %g", spec, before, SHORT << (k - 2), last);
		else
			CHECK(bytes[k] == bytes[0], "%s: %zu bytes for %d iterations, %zu for %d", spec, bytes[k],
			    SHORT << k, bytes[0], SHORT);
	}
	engine_close(engine);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 28);
	printf("KiB, trip count |");
	for (int k = 0; k < DOUBLINGS; k++)
		printf(" %d |", SHORT << k);
	printf("\n");
	CHECK_LAW(check_growth("forward", false, &a));
	CHECK_LAW(check_growth("tape", true, &a));
	CHECK_LAW(check_growth("functional", true, &a));
	CHECK_LAW(check_growth("checkpointed:snapshots=3", false, &a));
	arena_free(&a);
	return check_done();
}
