/* Fixed points: closed forms of solutions by both oracles, what the ball holds, and what is left undecided. */
#include "engines/engine.h"
#include "fuzz/generate/generate.h"
#include "oracles/verdict/verdict.h"
#include "tests/engines/fixed_points.h"

#include <math.h>
#include <stdlib.h>

enum { RANDOM = 600 };

static struct truth truth_of(struct oracle *oracle, const struct testcase *c, struct arena *a)
{
	struct truth t;
	oracle_truth(oracle, c, a, &t);
	return t;
}

/* Truths are the closed forms, whatever the iteration has reached when an engine stops; finite differences agree. */
static void test_closed_forms(struct oracle *oracle, struct arena *a)
{
	for (int n = 0; n < FIXED_POINTS; n++)
		if (row_wanted("closed forms: %s", fixed_points[n].name))
			for (int along = -1; along < 3; along++) {
				arena_reset(a);
				const struct fixed_point_row *row = &fixed_points[n];
				struct testcase c = fixed_point_case(a, row->body, row->point, along);
				struct truth t = truth_of(oracle, &c, a);
				const struct component *y = &t.point[0].primal[0].at[0];
				CHECK(!y->reason && fabs(y->value - row->y) <= 1e-15 * row->y &&
				        y->tight < 1e-11 * row->y,
				    "%s: %.17g +- %g, %s", row->name, y->value, y->tight, reason_names[y->reason]);
				for (int k = 0; k < (along < 0 ? 3 : 1); k++) {
					const struct component *d = &t.point[0].derivative[0][k].at[0];
					double want = row->want[along < 0 ? k : along];
					CHECK(!d->reason, "%s by %d: %s", row->name, k, reason_names[d->reason]);
					CHECK(fabs(d->value - want) <= 2e-15 * fabs(want), "%s by %d: %.17g, not %.17g",
					    row->name, k, d->value, want);
					CHECK(d->tight < 1e-9 * fmax(1, fabs(want)), "%s by %d: radius %g", row->name,
					    k, d->tight);
				}
				CHECK(t.point[0].fd.outcome == FD_AGREES, "%s along %d: finite differences: %d, %s",
				    row->name, along, t.point[0].fd.outcome, reason_names[t.point[0].fd.reason]);
			}
}

/* x = a*x + b and the like, where too little is known: the gradient by b. */
static void test_undecided(struct oracle *oracle, struct arena *a)
{
	static const struct {
		const char *name, *body, *point;
		enum reason primal, derivative;
	} rows[] = {
	    {"a contraction of 0.95", LINEAR("3000", "solution", TIGHT), "0.953125,1,0", REASON_CONVERGENCE,
	        REASON_CONVERGENCE},
	    {"of 0.95, from the solution", LINEAR("3000", "solution", TIGHT), "0.9375,1,16", REASON_CONVERGENCE,
	        REASON_CONVERGENCE},
	    {"of 0.875", LINEAR("3000", "solution", TIGHT), "0.875,1,0", REASON_NONE, REASON_NONE},
	    {"a body that stretches", LINEAR("30", "solution", TIGHT), "2,1,0", REASON_CONVERGENCE, REASON_CONVERGENCE},
	    {"a body that turns", LINEAR("30", "solution", TIGHT), "-1,1,0", REASON_CONVERGENCE, REASON_CONVERGENCE},
	    {"an engine that stops early", LINEAR("3", "solution", TIGHT), "0.5,1,0", REASON_NONE, REASON_CONVERGENCE},
	    {"a coarse tolerance", LINEAR("300", "solution", "0.25"), "0.5,1,0", REASON_NONE, REASON_CONVERGENCE},
	    {"from the solution: one step is all there is", LINEAR("300", "solution", TIGHT), "0.5,1,2", REASON_NONE,
	        REASON_CONVERGENCE},
	    {"the same in the executed steps", LINEAR("3", "steps", TIGHT), "0.5,1,0", REASON_NONE, REASON_NONE},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("undecided: %s", rows[i].name))
			continue;
		arena_reset(a);
		struct testcase c = fixed_point_case(a, rows[i].body, rows[i].point, -1);
		struct truth t = truth_of(oracle, &c, a);
		const struct component *y = &t.point[0].primal[0].at[0], *d = &t.point[0].derivative[0][1].at[0];
		CHECK(y->reason == rows[i].primal, "%s: %s", rows[i].name, reason_names[y->reason]);
		CHECK(d->reason == rows[i].derivative, "%s: %s, %.17g +- %g", rows[i].name, reason_names[d->reason],
		    d->value, d->tight);
		/* The truth is x*, however short of it an engine stops; the ball says by how much. */
		if (!y->reason && strstr(rows[i].body, "solution")) {
			double x = strtod(rows[i].point, NULL);
			CHECK(fabs(y->value - 1 / (1 - x)) < 1e-14, "%s: %.17g", rows[i].name, y->value);
		}
	}
}

/*
 * x = x/2 + stop_gradient(x)/4 + b is 4 b; its derivative, by b alone, 2: the frozen value is that at the solution,
 * in finite differences too.
 */
static void test_stop_gradient(struct oracle *oracle, struct arena *a)
{
	static const char body[] = "half = constant 0.5\n"
	                           "quarter = constant 0.25\n" FIXED_POINT("y", "x0", "400", "solution",
	                               "params x\n"
	                               "s = stop_gradient x\n"
	                               "p = mul x, half\n"
	                               "q = mul s, quarter\n"
	                               "r = add p, q\n"
	                               "n = add r, b\n" REST("n", "x", TIGHT) "yield n, done\n");
	arena_reset(a);
	struct testcase c = fixed_point_case(a, body, "0,1,0", -1);
	struct truth t = truth_of(oracle, &c, a);
	const struct component *d = &t.point[0].derivative[0][1].at[0];
	CHECK(!d->reason && fabs(d->value - 2) < 1e-15, "%.17g, %s", d->value, reason_names[d->reason]);
	CHECK(t.point[0].fd.outcome == FD_AGREES, "finite differences: %d", t.point[0].fd.outcome);
}

struct judged {
	struct oracle *oracle;
	const struct testcase *c;
	struct arena small;
};

static void judge_small(void *context)
{
	struct judged *x = context;
	truth_of(x->oracle, x->c, &x->small);
}

/* Whatever the memory of a case ran out in the middle of, the next case is judged as ever. */
static bool runs_out(struct oracle *oracle, const struct testcase *c, size_t limit)
{
	struct judged x = {.oracle = oracle, .c = c};
	arena_init(&x.small, limit);
	bool out = !arena_try(&x.small, judge_small, &x);
	arena_free(&x.small);
	return out;
}

static void test_full_arena(struct oracle *oracle, struct arena *a)
{
	const struct fixed_point_row *row = &fixed_points[0];
	arena_reset(a);
	struct testcase c = fixed_point_case(a, row->body, row->point, -1),
	                other = fixed_point_case(a, COUPLED, "1,2,0", -1);
	bool out = true;
	int n_out = 0;
	for (size_t limit = 100; out; limit += n_out < 400 ? 49 : limit / 8) {
		out = runs_out(oracle, &other, limit);
		struct truth t = truth_of(oracle, &c, a);
		const struct component *d = &t.point[0].derivative[0][0].at[0];
		n_out += out;
		CHECK(!d->reason && fabs(d->value - row->want[0]) < 1e-14, "after %zu bytes: %.17g, %s", limit,
		    d->value, reason_names[d->reason]);
	}
	CHECK(n_out > 100, "%d times out of memory", n_out);
}

/* Every right engine agrees, and each planted slip is called wrong somewhere. */
static void test_verdicts(struct oracle *oracle, struct arena *a)
{
	static const struct {
		const char *spec;
		bool right;
	} rows[] = {{"forward", true}, {"tape", true}, {"functional", true}, {"checkpointed", true}, {"parallel", true},
	    {"aot", true}, {"implicit", true}, {"implicit+casadi-implicit-adj", false},
	    {"implicit+casadi-implicit-aux", false}, {"tape+scale:mul:1.01", false}, {"forward+scale:mul:1.01", false}};
	enum { ROWS = sizeof rows / sizeof *rows };
	struct engine *engine[ROWS];
	int wrong[ROWS] = {0}, agree[ROWS] = {0};
	for (int i = 0; i < ROWS; i++) {
		engine[i] = engine_open(rows[i].spec, NULL);
		CHECK(engine[i], "%s", rows[i].spec);
		if (!engine[i])
			return;
	}
	for (int n = 0; n < FIXED_POINTS; n++)
		for (int along = -1; along < 3; along++) {
			arena_reset(a);
			struct testcase c = fixed_point_case(a, fixed_points[n].body, fixed_points[n].point, along);
			struct truth t = truth_of(oracle, &c, a);
			for (int i = 0; i < ROWS; i++) {
				struct answer out;
				struct judgement j;
				engine_answer(engine[i], &c, a, &out);
				judge(&c, &t, &out, &j);
				wrong[i] += j.verdict == VERDICT_WRONG;
				agree[i] += j.verdict == VERDICT_AGREE;
				CHECK(j.verdict == VERDICT_AGREE || j.verdict == VERDICT_UNSUPPORTED || !rows[i].right,
				    "%s, %s along %d: %s", rows[i].spec, fixed_points[n].name, along,
				    verdict_names[j.verdict]);
			}
		}
	for (int i = 0; i < ROWS; i++) {
		CHECK((wrong[i] > 0) == !rows[i].right && (agree[i] > 0) >= rows[i].right, "%s: %d wrong, %d agree",
		    rows[i].spec, wrong[i], agree[i]);
		engine_close(engine[i]);
	}
}

/* A decided derivative tells 0 from its paths, or from itself, also where iterations widen its radius. */
static void test_radii(struct oracle *oracle, struct arena *a)
{
	struct profile profile = profile_default();
	int decided = 0, widened = 0;
	profile.weight_fixed_point = 60;
	profile.order_second = profile.order_third = profile.large = 0;
	for (uint64_t number = 0; number < RANDOM; number++) {
		struct choice choice = choice_seeded(seed_mix(17, number));
		arena_reset(a);
		struct testcase c = generate(&choice, &profile, a);
		struct truth truth = truth_of(oracle, &c, a);
		const struct truth_point *t = &truth.point[0];
		for (int i = 0; i < t->n_derivative; i++)
			for (int e = 0; e < shape_elements(&t->derivative[0][i].type.shape); e++) {
				const struct component *d = &t->derivative[0][i].at[e];
				if (d->reason || !(d->magnitude > 0))
					continue;
				decided++;
				widened += d->tight > 1e-9 * d->magnitude;
				CHECK(d->tight <= fmax(d->magnitude / 64, fabs(d->value) / 2),
				    "case %d: radius %g of paths of %g", (int)number, d->tight, d->magnitude);
			}
	}
	CHECK(decided > RANDOM && widened > RANDOM / 50, "%d decided, %d widened", decided, widened);
}

int main(int argc, char **argv)
{
	struct arena a;
	struct oracle *oracle = oracle_open(&(struct oracle_options){.seed = 1, .fd_one_in = 1});
	check_begin(argc, argv);
	arena_init(&a, (size_t)1 << 30);
	test_closed_forms(oracle, &a);
	test_undecided(oracle, &a);
	CHECK_LAW(test_stop_gradient(oracle, &a));
	CHECK_LAW(test_full_arena(oracle, &a));
	CHECK_LAW(test_verdicts(oracle, &a));
	CHECK_LAW(test_radii(oracle, &a));
	oracle_close(oracle);
	arena_free(&a);
	return check_done();
}
