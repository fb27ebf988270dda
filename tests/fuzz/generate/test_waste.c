/*
 * What random cases of benchmarks/frozen-3.json waste: cases of which nothing is decided or whose derivatives are all
 * 0, and components that are 0.  scripts/space measures it more closely.
 */
#include "fuzz/generate/generate.h"
#include "oracles/truth.h"

#include "tests/check.h"

enum { CASES = 4000 };

static struct arena arena;

struct waste {
	int cases, undecided, zero; /* cases; of which no component is decided, and of which all decided ones are 0 */
	int components, zeros;      /* decided ones */
};

/* Counts the float components of the derivatives at all points. */
static void count(const struct truth *t, struct waste *to)
{
	int all = 0, decided = 0, zeros = 0;

	for (int p = 0; p < t->n_point; p++)
		for (int i = 0; i < t->point[p].n_derivative; i++) {
			const struct truth_tensor *x = &t->point[p].derivative[0][i];
			const int n = dtype_is_float(x->type.dtype) ? shape_elements(&x->type.shape) : 0;

			for (int k = 0; k < n; k++) {
				const bool is_decided = x->at[k].reason == REASON_NONE;

				all++;
				decided += is_decided;
				zeros += is_decided && dtype_round(x->type.dtype, x->at[k].value) == 0;
			}
		}
	to->cases++;
	to->undecided += all && !decided;
	to->zero += decided && zeros == decided;
	to->components += decided;
	to->zeros += zeros;
}

static struct waste waste_of(const char *file)
{
	struct oracle *o = oracle_open(&(struct oracle_options){.seed = 1, .fd_one_in = 1000000});
	struct waste w = {0};
	struct profile p;
	struct error e = {"", ""};

	CHECK(profile_read_file(file, &p, &e), "%s: %s", e.place, e.text);
	for (int i = 0; i < CASES; i++) {
		struct choice c = choice_seeded(seed_mix(1, (uint64_t)i));
		struct testcase t;
		struct truth truth;

		arena_reset(&arena);
		t = generate(&c, &p, &arena);
		oracle_truth(o, &t, &arena, &truth);
		count(&truth, &w);
	}
	oracle_close(o);
	printf("%s: of %d cases %.2f %% undecided, %.2f %% with zeros only; %.2f %% of %d components are 0\n", file,
	    w.cases, 100.0 * w.undecided / w.cases, 100.0 * w.zero / w.cases, 100.0 * w.zeros / w.components,
	    w.components);
	return w;
}

int main(int argc, char **argv)
{
	struct waste w;

	check_begin(argc, argv);
	arena_init(&arena, (size_t)512 << 20);
	w = waste_of("benchmarks/frozen-3.json");
	CHECK(w.undecided < 0.04 * w.cases, "%d", w.undecided);
	CHECK(w.zero < 0.10 * w.cases && w.zero > 0.01 * w.cases, "%d", w.zero);
	CHECK(w.zeros < 0.22 * w.components && w.zeros > 0.05 * w.components, "%d of %d", w.zeros, w.components);
	arena_free(&arena);
	return check_done();
}
