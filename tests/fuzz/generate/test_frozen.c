/* test_frozen.c: the cases of the frozen profiles are always the same, and reach what those promise. */
#include "fuzz/generate/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/walk.h"
#include "tests/check.h"

enum { SHARES = 20000, SECOND = 10000 };

/* Of the cases of the frozen profile in test_shares.  New ops come with members that are 0 there: it never changes. */
#define FROZEN_DIGEST UINT64_C(0x513c26af84668657)

/* Of the first cases of benchmarks/frozen-2.json, seed 15.  It never changes either. */
#define SECOND_DIGEST UINT64_C(0xad33aeac0cb5d240)

/* The same of benchmarks/frozen-3.json. */
#define THIRD_DIGEST UINT64_C(0xc0a557da8639d1ed)

/* The same of benchmarks/frozen-4.json. */
#define FOURTH_DIGEST UINT64_C(0xa337c71489d039c7)

static struct arena arena;

static int at_least(int x, int y) { return x > y ? x : y; }

static struct testcase case_of(uint64_t seed, const struct profile *p)
{
	struct choice c = choice_seeded(seed);

	arena_reset(&arena);
	return generate(&c, p, &arena);
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* What benchmarks/frozen.json promises, clearly above the bars of 40, 20, 15 and 25 percent and 12 ops. */
static void test_shares(void)
{
	static int ops[SHARES];
	int loop = 0, scatter = 0, edge = 0, points = 0, low = 0, differ = 0;
	struct profile p, def = profile_default();
	struct error e = {"", ""};
	uint64_t digest = 0;

	CHECK(profile_read_file("benchmarks/frozen.json", &p, &e), "%s: %s", e.place, e.text);
#define PROFILE(member, value, meaning) differ += p.member != def.member;
#include "fuzz/generate/profile.def"
#undef PROFILE
	for (int i = 0; i < SHARES; i++) {
		struct testcase t = case_of(seed_mix(15, (uint64_t)i), &p);
		struct strata s = strata_of(&t);

		digest = seed_mix(digest, testcase_hash(&t));
		loop += s.loop;
		scatter += s.scatter_or_slice;
		edge += s.edge_points;
		points += s.points;
		low += s.low_precision;
		ops[i] = s.ops;
	}
	CHECK(digest == FROZEN_DIGEST,
	    "digest 0x%016llx, expected 0x%016llx: the frozen cases are not the same any more",
	    (unsigned long long)digest, (unsigned long long)FROZEN_DIGEST);
	qsort(ops, SHARES, sizeof(ops[0]), by_value);
	printf("frozen profile (%d members differ from the defaults): %.1f%% loops, %.1f%% scatter or slice, %.1f%% of "
	       "points on an edge, "
	       "%.1f%% low precision, median %d ops\n",
	    differ, 100.0 * loop / SHARES, 100.0 * scatter / SHARES, 100.0 * edge / points, 100.0 * low / SHARES,
	    ops[SHARES / 2]);
	CHECK(loop >= 0.45 * SHARES, "%d", loop);
	CHECK(scatter >= 0.30 * SHARES, "%d", scatter);
	CHECK(edge >= 0.20 * points, "%d of %d", edge, points);
	CHECK(low >= 0.28 * SHARES, "%d", low);
	CHECK(ops[SHARES / 2] >= 14, "%d", ops[SHARES / 2]);
}

/*
 * The cases of benchmarks/frozen-2.json to frozen-4.json are the same on every host and with every compiler, whatever
 * is added to the generator.  So the files name every member: a default that changes must not change them.
 */
static struct profile test_named_profile(const char *file, uint64_t expected)
{
	static char text[1 << 16];
	struct profile p;
	struct error e = {"", ""};
	FILE *f = fopen(file, "r");
	size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
	uint64_t digest = 0;

	if (f)
		fclose(f);
	text[len] = 0;
	CHECK(len && profile_read_file(file, &p, &e), "%s: %s", e.place, e.text);
#define PROFILE(member, value, meaning) CHECK(strstr(text, "\"" #member "\": "), "%s: %s is not in it", file, #member);
#include "fuzz/generate/profile.def"
#undef PROFILE
	for (int i = 0; i < SECOND; i++) {
		struct testcase t = case_of(seed_mix(15, (uint64_t)i), &p);

		digest = seed_mix(digest, testcase_hash(&t));
	}
	CHECK(digest == expected, "digest 0x%016llx, expected 0x%016llx: the cases of %s have changed",
	    (unsigned long long)digest, (unsigned long long)expected, file);
	return p;
}

/* What frozen-3 has that frozen-2 has not: every op at 0.1 % of the nodes or about, large programs, wide inputs. */
static void test_third_profile(void)
{
	const struct profile p = test_named_profile("benchmarks/frozen-3.json", THIRD_DIGEST);
	int seen[OP_COUNT] = {0}, nodes = 0, tensors = 0, loops = 0, wide = 0, longest = 0, largest = 0;

	for (int i = 0; i < SHARES; i++) {
		struct testcase t = case_of(seed_mix(19, (uint64_t)i), &p);
		struct error e = {"", ""};
		int elements = 0, trips = 0;

		CHECK(testcase_check(&t, &e), "frozen-3 %d: %s: %s", i, e.place, e.text);
		for (int v = 0; v < t.program.n_value; v++)
			elements = at_least(elements, shape_elements(&t.program.type[v].shape));
		for (struct walk w = walk_nodes(&t.program.top); walk_next(&w);) {
			seen[w.node->op]++;
			if (op_is_loop(w.node->op))
				trips = at_least(trips, at_least(w.node->attrs.trip, w.node->attrs.cap));
		}
		tensors += elements > 256;
		loops += trips > 256;
		largest = at_least(largest, elements);
		longest = at_least(longest, trips);
		for (int k = 0; k < t.program.top.n_param; k++) {
			const struct tensor *x = &t.point[0][k];

			wide += dtype_is_float(x->type.dtype) && shape_elements(&x->type.shape) &&
			    fabs(x->at[0].f) > 0 && (fabs(x->at[0].f) < 1e-5 || fabs(x->at[0].f) > 1e4);
		}
	}
	for (int op = 0; op < OP_COUNT; op++)
		nodes += seen[op];
	printf("frozen-3, %d cases: %d with tensors of more than 256 elements (up to %d), %d with more than 256 "
	       "iterations (up to %d), %d inputs with extreme magnitudes\n",
	    SHARES, tensors, largest, loops, longest, wide);
	for (int op = 0; op < OP_COUNT; op++)
		CHECK(seen[op] >= 0.0009 * nodes, "%s: %d of %d nodes", op_table[op].name, seen[op], nodes);
	CHECK(tensors > SHARES / 400 && largest == 4096, "%d, up to %d", tensors, largest);
	CHECK(loops > SHARES / 1000 && longest == 4096, "%d, up to %d", loops, longest);
	CHECK(wide > SHARES / 20, "%d", wide);
}

/* In these profiles, ops along axes have large tensors, many indices, and matrices of several tiles. */
static void test_large_lines(const char *file, uint64_t first, int cases)
{
	static const enum op ops[] = {OP_REDUCE_SUM, OP_NORM, OP_CUMSUM, OP_CUMPROD, OP_SORT, OP_GATHER,
	    OP_TAKE_ALONG_AXIS, OP_SCATTER_ADD, OP_MASKED_SCATTER, OP_MATMUL, OP_SLICE};
	int large[OP_COUNT] = {0}, indices = 0, columns = 0, sources = 0;
	struct profile p;
	struct error e = {"", ""};

	CHECK(profile_read_file(file, &p, &e), "%s: %s", e.place, e.text);
	for (int i = 0; i < cases; i++) {
		struct testcase t = case_of(seed_mix(first, (uint64_t)i), &p);

		CHECK(testcase_check(&t, &e), "%s %d: %s: %s", file, i, e.place, e.text);
		for (struct walk w = walk_nodes(&t.program.top); walk_next(&w);) {
			const int n = w.node->n_arg;
			const struct shape *x = &t.program.type[n ? w.node->arg[0] : 0].shape,
			                   *y = &t.program.type[n > 1 ? w.node->arg[1] : 0].shape,
			                   *z = &t.program.type[n > 2 ? w.node->arg[2] : 0].shape;

			large[w.node->op] += n && shape_elements(x) > 256;
			indices += w.node->op == OP_GATHER && shape_elements(y) > 256;
			columns += w.node->op == OP_MATMUL && y->rank == 2 && y->extent[1] > 16;
			sources += w.node->op == OP_MASKED_SCATTER && shape_elements(z) > 256;
		}
	}
	printf("%s, %d cases: %d gathers of more than 256 indices, %d products of more than 16 columns, %d masked "
	       "scatters of more than 256 elements\n",
	    file, cases, indices, columns, sources);
	for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
		CHECK(large[ops[k]], "%s: no %s of more than 256 elements", file, op_table[ops[k]].name);
	CHECK(indices && columns && sources, "%s: %d, %d, %d", file, indices, columns, sources);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	arena_init(&arena, (size_t)256 << 20);
	CHECK_LAW(test_shares());
	CHECK_LAW(test_named_profile("benchmarks/frozen-2.json", SECOND_DIGEST));
	CHECK_LAW(test_third_profile());
	CHECK_LAW(test_named_profile("benchmarks/frozen-4.json", FOURTH_DIGEST));
	CHECK_LAW(test_large_lines("benchmarks/large.json", 23, 3000));
	CHECK_LAW(test_large_lines("benchmarks/frozen-4.json", 27, 20000));
	arena_free(&arena);
	return check_done();
}
