/* test_sizes.c: the minimizer finds the least size that a predicate needs, in a number of candidates that grows slowly.
 */
#include "fuzz/minimize/minimize.h"

#include "fuzz/minimize/passes.h"
#include "graph/text.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

/* ---- sizes alone ---- */

typedef bool needs_fn(int size, int at_least);

static bool from_on(int size, int at_least) { return size >= at_least; }
static bool beside_vectors(int size, int at_least) { return size >= at_least && size % 8; }
static bool beside_tiles(int size, int at_least) { return size >= at_least && size % 16; }
static bool odd(int size, int at_least) { return size >= at_least && size % 2; }

/* Takes the candidates as the minimizer does.  Returns the size where none helps, and counts the candidates. */
static int least(needs_fn *needs, int at_least, int from, int *tried)
{
	for (bool progress = true; progress;) {
		progress = false;
		for (int k = 0; k < EDIT_SIZES;) {
			const int to = edit_smaller(from, k);

			CHECK(to >= 0 && to < from, "%d for %d", to, from);
			*tried += to > 0;
			if (to && needs(to, at_least)) {
				from = to;
				progress = true;
			} else {
				k++;
			}
		}
	}
	return from;
}

static const struct {
	const char *name;
	needs_fn *needs;
	int at_least, least;
} limits[] = {
    {"anything", from_on, 1, 1},
    {"two", from_on, 2, 2},
    {"small", from_on, 11, 11},
    {"a limit between two powers", from_on, 100, 100},
    {"another", from_on, 1500, 1500},
    {"a power", from_on, 1024, 1024},
    {"one more", from_on, 1025, 1025},
    {"no full vector", beside_vectors, 64, 65},
    {"no full tile", beside_tiles, 33, 33},
    {"odd", odd, 257, 257},
};

static void test_limits(void)
{
	enum { TRIED_MOST = 90 };
	static const int starts[] = {1781, 2047, 2049, 3333, 4089};

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
			int tried = 0, got = least(limits[i].needs, limits[i].at_least, starts[s], &tried);

			CHECK(got == limits[i].least, "%s, from %d: %d, not %d", limits[i].name, starts[s], got,
			    limits[i].least);
			CHECK(tried <= TRIED_MOST, "%s, from %d: %d candidates", limits[i].name, starts[s], tried);
		}
}

/* Any limit is met exactly. */
static void test_all_limits(void)
{
	for (int limit = 1; limit <= 4096; limit += 1 + limit / 37) {
		int tried = 0, got = least(from_on, limit, 4096, &tried);

		CHECK(got == limit, "%d, not %d", got, limit);
		CHECK(tried <= 100, "%d: %d candidates", limit, tried);
	}
}

/* ---- cases ---- */

struct wanted {
	const char *text; /* without the point */
	struct {
		enum dtype dtype;
		int n;
	} input[2];
	int (*size)(const struct testcase *c); /* of the case; the predicate wants it to be so large */
	int at_least;
	int elements; /* of the largest value of what is left */
};

static int elements_of_sum(const struct testcase *c)
{
	const struct node *n = c->program.top.n_node ? &c->program.top.node[c->program.top.n_node - 1] : NULL;

	return n && n->op == OP_ADD ? shape_elements(&c->program.type[n->out].shape) : 0;
}

static int trips(const struct testcase *c)
{
	for (int i = 0; i < c->program.top.n_node; i++)
		if (c->program.top.node[i].op == OP_FOR)
			return node_max_trip(&c->program.top.node[i]);
	return 0;
}

static int masked(const struct testcase *c)
{
	int n = 0;

	for (int i = 0; i < c->program.top.n_param; i++)
		for (int k = 0; k < shape_elements(&c->point[0][i].type.shape); k++)
			n += c->point[0][i].type.dtype == DTYPE_BOOL && c->point[0][i].at[k].i;
	return n;
}

static int last_index(const struct testcase *c)
{
	const struct region *top = &c->program.top;

	for (int i = 0; i < top->n_node; i++)
		if (top->node[i].op == OP_GATHER && c->n_point)
			for (int k = 0; k < top->n_param; k++)
				for (int j = 0; j < shape_elements(&c->point[0][k].type.shape); j++)
					if (c->point[0][k].type.dtype == DTYPE_I64 && c->point[0][k].at[j].i == 9)
						return 9;
	return 0;
}

static const struct wanted table[] = {
    {"inputs x: f64[37,48]\ny = add x, x\nreturn y\nrequest: vjp\n", {{DTYPE_F64, 37 * 48}}, elements_of_sum, 65, 65},
    {"inputs x: f64[1777]\ny = add x, x\nreturn y\nrequest: vjp\n", {{DTYPE_F64, 1777}}, elements_of_sum, 300, 300},
    {"inputs x: f64[]\ny = for (x) trip=1779 {\nparams i, a\nb = mul a, x\nyield b\n}\nreturn y\nrequest: vjp\n",
        {{DTYPE_F64, 1}}, trips, 513, 1},
    {"inputs x: f64[600], m: bool[600]\nz = select m, x, x\nreturn z\nrequest: vjp x\n",
        {{DTYPE_F64, 600}, {DTYPE_BOOL, 600}}, masked, 257, 257},
    {"inputs x: f64[10], i: i64[40]\nz = gather x, i axis=0 mode=clip\nreturn z\nrequest: vjp x\n",
        {{DTYPE_F64, 10}, {DTYPE_I64, 40}}, last_index, 9, 10},
};

static bool is_wanted(void *self, const struct testcase *c, struct arena *scratch)
{
	const struct wanted *w = self;
	struct error e = {0};

	(void)scratch;
	CHECK(testcase_check(c, &e), "candidate is not valid: %s %s", e.place, e.text);
	return w->size(c) >= w->at_least;
}

/* The text with a point: every second element of a mask is true, and only the last index is not 0. */
static const char *with_point(const struct wanted *w, struct arena *a)
{
	struct text t = {.arena = a};

	text_put(&t, "%spoint ", w->text);
	for (int i = 0; i < 2 && w->input[i].n; i++) {
		const int n = w->input[i].n;

		text_put(&t, "%s%s", i ? ", " : "", n > 1 ? "[" : "");
		for (int k = 0; k < n; k++)
			text_put(&t, "%s%s", k ? ", " : "",
			    w->input[i].dtype == DTYPE_F64        ? "0.5"
			        : w->input[i].dtype == DTYPE_BOOL ? k % 2 ? "true" : "false"
			        : k == n - 1                      ? "9"
			                                          : "0");
		text_put(&t, "%s", n > 1 ? "]" : "");
	}
	text_put(&t, "\n");
	return t.at;
}

static int largest(const struct testcase *c)
{
	int most = 0;

	for (int v = 0; v < c->program.n_value; v++)
		if (shape_elements(&c->program.type[v].shape) > most)
			most = shape_elements(&c->program.type[v].shape);
	return most;
}

static void test_cases(struct arena *a)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct wanted w = table[i];
		struct minimize_statistics stats;
		struct testcase c, small_case;
		struct error e = {0};

		CHECK(case_text_read(with_point(&w, a), a, &c, &e), "%s: %s", e.place, e.text);
		CHECK(w.size(&c) >= w.at_least, "%s: %d at first", w.text, w.size(&c));
		small_case = minimize(&c, is_wanted, &w, 2000, NULL, a, &stats);
		CHECK(w.size(&small_case) == w.at_least, "%d is left where %d is the least:\n%s", w.size(&small_case),
		    w.at_least, program_print(&small_case.program, a));
		CHECK(largest(&small_case) <= w.elements, "%d elements are left:\n%s", largest(&small_case),
		    program_print(&small_case.program, a));
		CHECK(stats.tried < 400, "%d candidates:\n%s", stats.tried, w.text);
		printf("%d tried, %d accepted\n", stats.tried, stats.accepted);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)256 << 20);
	CHECK_LAW(test_limits());
	CHECK_LAW(test_all_limits());
	CHECK_LAW(test_cases(&a));
	arena_free(&a);
	return check_done();
}
