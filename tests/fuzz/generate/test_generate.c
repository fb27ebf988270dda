#include "fuzz/campaign/counting/coverage.h"
#include "fuzz/generate/generate.h"
#include "graph/loop.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

enum { VALID = 100000, BYTES = 20000, REACH = 50000 };

/* Of 2,000 cases, each mutated and crossed with itself; goes with the golden hashes below. */
#define DIGEST UINT64_C(0x23745240f370f545)

static struct arena arena;

static struct testcase case_of(uint64_t seed, const struct profile *p)
{
	struct choice c = choice_seeded(seed);

	arena_reset(&arena);
	return generate(&c, p, &arena);
}

static void check_valid(const struct testcase *t, const char *what, long number)
{
	struct error e = {"", ""};

	CHECK(testcase_check(t, &e), "%s %ld: %s: %s", what, number, e.place, e.text);
}

static void test_simplest(void)
{
	struct profile p = profile_default();
	struct choice c = choice_bytes(NULL, 0);
	struct testcase t;

	arena_reset(&arena);
	t = generate(&c, &p, &arena);
	check_valid(&t, "simplest", 0);
	CHECK(program_nodes(&t.program) == 0, "%d nodes", program_nodes(&t.program));
	CHECK(t.program.top.n_param == 1 && t.program.type[0].dtype == DTYPE_F64 && !t.program.type[0].shape.rank,
	    "input");
	CHECK(t.program.top.n_result == 1 && t.program.top.result[0] == 0, "result");
	CHECK(t.n_point == 1 && t.n_transform == 1 && t.transform[0].kind == TRANSFORM_VJP, "request");
	CHECK(t.transform[0].n_wrt == 1 && t.transform[0].seed[0].at[0].f == 1, "seed");
}

static void test_valid(void)
{
	struct profile p = profile_default();

	for (long i = 0; i < VALID; i++) {
		struct testcase t = case_of(seed_mix(10, (uint64_t)i), &p);

		check_valid(&t, "seed", i);
	}
}

/* Any bytes are a case, and so is every prefix of them. */
static void test_bytes(void)
{
	struct profile p = profile_default();
	uint8_t bytes[600];

	for (long i = 0; i < BYTES; i++) {
		struct choice random = choice_seeded(seed_mix(11, (uint64_t)i)), c;
		size_t len = (size_t)choice_below(&random, (int)sizeof(bytes));
		struct testcase t;

		for (size_t k = 0; k < len; k++)
			bytes[k] = (uint8_t)(i % 3 == 0 ? 255 : choice_below(&random, 256));
		arena_reset(&arena);
		c = choice_bytes(bytes, len);
		t = generate(&c, &p, &arena);
		check_valid(&t, "bytes", i);
	}
}

/* Every member at an extreme, one after the other. */
static void test_profiles(void)
{
	static const int values[] = {0, 100, 1000000};

	for (size_t k = 0; k < offsetof(struct profile, without) / sizeof(int); k++) {
		for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			struct profile p = profile_default();

			memcpy((char *)&p + k * sizeof(int), &values[v], sizeof(int));
			for (int i = 0; i < 20; i++) {
				struct testcase t = case_of(
				    seed_mix(12, (uint64_t)(k * 100 + v * 30) + (uint64_t)i), &p);

				check_valid(&t, "profile member", (long)k);
			}
		}
	}
}

/* Golden: the same seed gives the same case on every host and compiler.  Changes whenever the generator does. */
/* A float that the profile has not is in no value of a case. */
static void test_absent_dtypes(void)
{
	for (int d = DTYPE_F64; d <= DTYPE_F16; d++) {
		struct profile p = profile_default();
		int *const members[] = {
		    [DTYPE_F64] = &p.f64, [DTYPE_F32] = &p.f32, [DTYPE_BF16] = &p.bf16, [DTYPE_F16] = &p.f16};
		int found = 0;
		uint64_t first = 0;

		*members[d] = 0;
		for (uint64_t seed = 0; seed < 600; seed++) {
			arena_reset(&arena);
			struct testcase t = case_of(seed, &p);

			for (int v = 0; v < t.program.n_value; v++)
				found += t.program.type[v].dtype == (enum dtype)d;
			if (found && !first)
				first = seed + 1;
		}
		CHECK(!found, "%s: %d values, first in seed %lld", dtype_table[d].name, found, (long long)first - 1);
	}
}

/* Variants are drawn last: the rest of a case is the same with them and without. */
static void test_variants(void)
{
	struct profile plain = profile_default(), varied = plain;
	int n[2] = {0};

	varied.variants = true;
	CHECK(!profile_equal(&plain, &varied), "the profiles are equal");
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct choice c = choice_seeded(seed), same = c;
		struct testcase x, y;

		arena_reset(&arena);
		x = generate(&c, &plain, &arena);
		y = generate(&same, &varied, &arena);
		n[y.variant != 0]++;
		CHECK(!x.variant && testcase_check(&y, NULL), "seed %d", (int)seed);
		y.variant = 0;
		CHECK(testcase_equal(&x, &y), "seed %d: another case", (int)seed);
		for (int k = 0; k < 4; k++) {
			x = mutate(&x, &c, &plain, &arena);
			CHECK(!x.variant, "seed %d: a mutation drew a variant", (int)seed);
		}
	}
	CHECK(n[0] > 30 && n[1] > 30, "%d without a variant, %d with one", n[0], n[1]);
}

static void test_determinism(void)
{
	static const struct {
		uint64_t seed, hash;
	} rows[] = {
	    {1, UINT64_C(0x8185655e35b02c00)},
	    {2, UINT64_C(0x8287a3f6bfe11ae7)},
	    {3, UINT64_C(0xeb37406a96662c73)},
	    {4, UINT64_C(0x25c106a8f8f7a82c)},
	    {5, UINT64_C(0x4bfa2e76a880004b)},
	};
	struct profile p = profile_default();
	uint64_t digest = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!row_wanted("determinism: seed %d", (int)rows[i].seed))
			continue;
		struct testcase t = case_of(rows[i].seed, &p);
		uint64_t hash = testcase_hash(&t);

		CHECK(hash == rows[i].hash, "seed %d: 0x%016llx, expected 0x%016llx", (int)rows[i].seed,
		    (unsigned long long)hash, (unsigned long long)rows[i].hash);
	}
	for (uint64_t i = 0; i < 2000; i++) {
		struct choice c = choice_seeded(i);
		struct testcase t = case_of(i, &p), mutant;
		uint64_t first = testcase_hash(&t);

		t = case_of(i, &p);
		CHECK(testcase_hash(&t) == first, "seed %d", (int)i);
		mutant = mutate(&t, &c, &p, &arena);
		mutant = cross_over(&mutant, &t, &c, &p, &arena);
		digest = seed_mix(digest, testcase_hash(&mutant));
	}
	if (all_wanted())
		CHECK(digest == DIGEST, "digest 0x%016llx, expected 0x%016llx", (unsigned long long)digest,
		    (unsigned long long)DIGEST);
}

/* A case survives the file format bit for bit. */
static void test_round_trip(void)
{
	struct profile p = profile_default();

	for (uint64_t i = 0; i < 1000; i++) {
		struct testcase t = case_of(seed_mix(13, i), &p), back;
		struct error e = {"", ""};
		size_t len;
		char *text = testcase_write_compact(&t, &arena, &len);

		CHECK(testcase_read(text, len, &arena, &back, &e), "seed %d: %s: %s", (int)i, e.place, e.text);
		CHECK(testcase_equal(&t, &back), "seed %d", (int)i);
	}
}

struct reach {
	int op[OP_COUNT], until, nested, int_wrt, strict, jvp, points, count_trip;
	int mix[4], third, inside, outside,
	    between; /* order 2: bit 0 the inner one is a jvp, bit 1 the outer; batches */
};

static void reach_request(const struct testcase *c, struct reach *out)
{
	int order = 0, kinds = 0;

	for (int k = 0; k < c->n_transform; k++) {
		const struct transform *t = &c->transform[k];

		if (t->kind == TRANSFORM_BATCH) {
			out->inside += k == 0;
			out->outside += k == c->n_transform - 1;
			out->between += k && k < c->n_transform - 1;
		} else {
			kinds |= (t->kind == TRANSFORM_JVP) << order++;
		}
	}
	out->third += order == 3;
	if (order == 2)
		out->mix[kinds]++;
}

static void reach_region(const struct region *r, int depth, struct reach *out)
{
	for (int k = 0; k < r->n_node; k++) {
		const struct node *n = &r->node[k];

		out->op[n->op]++;
		out->until += n->attrs.until;
		out->nested += n->n_region && depth;
		out->count_trip += node_loop(n).counted;
		for (int i = 0; i < n->n_region; i++)
			reach_region(&n->region[i], depth + 1, out);
	}
}

static void test_reach(void)
{
	static uint8_t counters[FEATURE_BYTES];
	struct profile p = profile_default();
	struct reach seen = {0};
	int features = 0;

	for (int i = 0; i < REACH; i++) {
		struct testcase t = case_of(seed_mix(14, (uint64_t)i), &p);
		struct strata s = strata_of(&t);

		reach_region(&t.program.top, 0, &seen);
		reach_request(&t, &seen);
		for (int k = 0; k < t.transform[0].n_wrt; k++)
			seen.int_wrt += !dtype_is_float(t.program.type[t.transform[0].wrt[k]].dtype);
		seen.strict += s.strict_subset;
		seen.jvp += s.jvp;
		seen.points += t.n_point > 1;
		if (i < 2000)
			features_of(&t, NULL, counters);
	}
	for (int op = 0; op < OP_COUNT; op++)
		CHECK(seen.op[op] >= 50, "%s occurs %d times", op_table[op].name, seen.op[op]);
	CHECK(seen.until > 500, "%d", seen.until);
	CHECK(seen.nested > 2000, "%d", seen.nested);
	CHECK(seen.count_trip > 500, "%d", seen.count_trip);
	CHECK(seen.int_wrt > 1000, "%d", seen.int_wrt);
	CHECK(seen.strict > REACH / 5, "%d", seen.strict);
	CHECK(seen.jvp > REACH * 2 / 5 && seen.jvp < REACH * 3 / 5, "%d", seen.jvp);
	CHECK(seen.points > REACH / 10, "%d", seen.points);
	for (int mix = 0; mix < 4; mix++)
		CHECK(seen.mix[mix] > REACH / 100, "%d of mix %d", seen.mix[mix], mix);
	CHECK(seen.third > REACH / 100, "%d", seen.third);
	CHECK(seen.inside > REACH / 50 && seen.outside > REACH / 50 && seen.between > 0, "%d, %d, %d", seen.inside,
	    seen.outside, seen.between);
	for (int i = 0; i < FEATURE_BYTES; i++)
		features += counters[i] != 0;
	CHECK(features > 500 && features < FEATURE_BYTES, "%d features", features);
}

/* ---- inputs that are the same, unused, or handed through ---- */

enum { CASES_OF_ALIASES = 20000 };

/* How often a value is an operand, at any depth. */
static int uses(const struct region *r, int value)
{
	int n = 0;

	for (int i = 0; i < r->n_node; i++) {
		for (int k = 0; k < r->node[i].n_arg; k++)
			n += r->node[i].arg[k] == value;
		for (int k = 0; k < r->node[i].n_region; k++)
			n += uses(&r->node[i].region[k], value);
	}
	for (int k = 0; k < r->n_result; k++)
		n += r->result[k] == value;
	return n;
}

static bool equal_inputs(const struct testcase *t)
{
	for (int p = 0; p < t->n_point; p++)
		for (int i = 0; i < t->program.top.n_param; i++)
			for (int k = 0; k < i; k++)
				if (dtype_is_float(t->program.type[i].dtype) &&
				    shape_elements(&t->program.type[i].shape) &&
				    tensor_same(&t->point[p][i], &t->point[p][k]))
					return true;
	return false;
}

static void test_aliases(void)
{
	struct profile p = profile_default();
	int equal = 0, unused = 0, twice = 0, input_twice = 0, as_is = 0, input_stored = 0;

	for (int i = 0; i < CASES_OF_ALIASES; i++) {
		struct testcase t = case_of(seed_mix(16, (uint64_t)i), &p);
		const struct region *top = &t.program.top;
		bool seen[5] = {false};

		equal += equal_inputs(&t);
		for (int k = 0; k < t.transform[0].n_wrt; k++)
			seen[0] |= !uses(top, top->param + t.transform[0].wrt[k]);
		for (int k = 0; k < top->n_result; k++) {
			bool is_input = top->result[k] < top->n_param;
			int same = 0;

			for (int j = 0; j < top->n_result; j++)
				same += top->result[j] == top->result[k];
			seen[1] |= same > 1;
			seen[2] |= same > 1 && is_input;
			seen[3] |= is_input && uses(top, top->result[k]) > same;
		}
		for (int k = 0; k < top->n_node; k++)
			seen[4] |= top->node[k].op == OP_STORE && top->node[k].arg[0] < top->n_param;
		unused += seen[0];
		twice += seen[1];
		input_twice += seen[2];
		as_is += seen[3];
		input_stored += seen[4];
	}
	printf("of %d cases: %d with equal float inputs, %d with an unused input differentiated, %d with a result "
	       "twice, %d with an input "
	       "twice, %d with an input returned and used, %d with an input stored into\n",
	    CASES_OF_ALIASES, equal, unused, twice, input_twice, as_is, input_stored);
	CHECK(equal > CASES_OF_ALIASES / 100, "%d", equal);
	CHECK(unused > CASES_OF_ALIASES / 20, "%d", unused);
	CHECK(twice > CASES_OF_ALIASES / 50, "%d", twice);
	CHECK(input_twice > CASES_OF_ALIASES / 1000, "%d", input_twice);
	CHECK(as_is > CASES_OF_ALIASES / 100, "%d", as_is);
	CHECK(input_stored > CASES_OF_ALIASES / 1000, "%d", input_stored);
}

/* ---- sums for results ---- */

enum { CASES_OF_SUMS = 2000 };

/* Float results that are sums, and those with axes that are none: what the budget has no room for stays as it is. */
static void count_sums(const struct testcase *t, int *sums, int *others)
{
	const struct region *top = &t->program.top;

	for (int k = 0; k < top->n_result; k++) {
		const struct type *type = &t->program.type[top->result[k]];
		bool sum = false;

		for (int i = 0; i < top->n_node; i++)
			sum |= top->node[i].out == top->result[k] && top->node[i].op == OP_REDUCE_SUM;
		*sums += sum;
		*others += !sum && dtype_is_float(type->dtype) && type->shape.rank;
	}
}

static void test_result_sum(void)
{
	int share[2];

	for (int on = 0; on < 2; on++) {
		struct profile p = profile_default();
		int sums = 0, others = 0;

		p.bare = p.result_input = p.result_constant = 0;
		p.result_sum = on ? 100 : 0;
		for (int i = 0; i < CASES_OF_SUMS; i++) {
			struct testcase t = case_of(seed_mix(18, (uint64_t)i), &p);

			check_valid(&t, "summed", i);
			count_sums(&t, &sums, &others);
		}
		share[on] = 100 * sums / (sums + others);
	}
	CHECK(share[0] < 20 && share[1] > 80, "%d %% and %d %% of the results with axes are sums", share[0], share[1]);
}

/* ---- special points of ops that stand on inputs, in stacked requests as well ---- */

/* Whether an element of input `value`, which need not be one, is in [low, high] at some point. */
static bool input_within(const struct testcase *t, int value, double low, double high)
{
	if (value >= t->program.top.n_param)
		return false;
	for (int p = 0; p < t->n_point; p++) {
		const struct tensor *x = &t->point[p][value];
		int n = shape_elements(&x->type.shape);

		for (int k = 0; k < n; k++)
			if (tensor_number(x, k) >= low && tensor_number(x, k) <= high)
				return true;
	}
	return false;
}

static void test_special_points(void)
{
	struct profile p = profile_default();
	int exponent = 0, factor = 0, index = 0, near_one = 0, far = 0;

	for (int i = 0; i < CASES_OF_ALIASES; i++) {
		struct testcase t = case_of(seed_mix(17, (uint64_t)i), &p);
		bool higher = request_order(t.transform, t.n_transform) > 1,
		     batched = request_order(t.transform, t.n_transform) < t.n_transform;

		for (int k = 0; k < t.program.top.n_node; k++) {
			const struct node *n = &t.program.top.node[k];
			enum family f = op_table[n->op].family;
			bool indexed = f == FAMILY_GATHER || f == FAMILY_TAKE_ALONG_AXIS || f == FAMILY_SCATTER;

			exponent += higher && n->op == OP_POW && input_within(&t, n->arg[1], 0, 0);
			factor += higher && n->op == OP_CUMPROD && input_within(&t, n->arg[0], 0, 0);
			index += batched && indexed && input_within(&t, n->arg[1], -9, -1);
			near_one += op_table[n->op].domain == DOMAIN_INSIDE_ONE &&
			    (input_within(&t, n->arg[0], 1 - 0x1p-16, 1 - 0x1p-53) ||
			        input_within(&t, n->arg[0], -1 + 0x1p-53, -1 + 0x1p-16));
			far += n->op == OP_TANH && input_within(&t, n->arg[0], 350, 372);
		}
	}
	printf("of %d cases: at order 2 or 3 %d with a pow of exponent 0 and %d with a cumprod of 0, in batches %d "
	       "with a negative index; %d with an asin, "
	       "acos or atanh beside 1 or -1, %d with a tanh about 360\n",
	    CASES_OF_ALIASES, exponent, factor, index, near_one, far);
	CHECK(exponent > 15, "%d", exponent);
	CHECK(factor > 15, "%d", factor);
	CHECK(index > 5, "%d", index);
	CHECK(near_one > 3, "%d", near_one);
	CHECK(far > 3, "%d", far);
}

static void test_profile_errors(void)
{
	struct profile p;
	struct error e = {"", ""};

	CHECK(!profile_read_file("benchmarks/no-such-file.json", &p, &e) && e.text[0], "missing file");
	e = (struct error){"", ""};
	CHECK(!profile_read_file("tests/check.h", &p, &e) && e.text[0], "no JSON");
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	arena_init(&arena, (size_t)256 << 20);
	CHECK_LAW(test_simplest());
	test_determinism();
	test_variants();
	CHECK_LAW(test_round_trip());
	CHECK_LAW(test_valid());
	CHECK_LAW(test_bytes());
	CHECK_LAW(test_profiles());
	CHECK_LAW(test_absent_dtypes());
	CHECK_LAW(test_reach());
	CHECK_LAW(test_aliases());
	CHECK_LAW(test_result_sum());
	CHECK_LAW(test_special_points());
	CHECK_LAW(test_profile_errors());
	arena_free(&arena);
	return check_done();
}
