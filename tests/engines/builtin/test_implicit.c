/* test_implicit.c: solutions with closed forms; what the engine does not do, unroll; faults and mutants of its seams.
 */
#include "engines/engine.h"
#include "tests/engines/fixed_points.h"

#include <math.h>

static struct engine *open_engine(const char *spec)
{
	struct error e = {.text = ""};
	struct engine *engine = engine_open(spec, &e);

	CHECK(engine, "%s: %s", spec, e.text);
	return engine;
}

/* The gradient of y by a, b, x0, in the mode the engine has; the value of y. */
static double gradient(
    struct engine *engine, struct arena *a, const char *body, const char *point, bool jvp, double got[3])
{
	struct answer out = {.status = ANSWER_FAILURE};

	for (int k = 0; k < 3; k++) {
		struct testcase c = fixed_point_case(a, body, point, jvp ? k : -1);

		engine_answer(engine, &c, a, &out);
		CHECK(out.status == ANSWER_OK && out.n_derivative == (jvp ? 1 : 3), "%s: %s", engine_spec(engine),
		    out.text);
		if (out.status != ANSWER_OK)
			return NAN;
		got[k] = out.derivative[jvp ? 0 : k].at->f;
	}
	return out.primal[0].at->f;
}

static void check_closed_forms(struct arena *a)
{
	for (int i = 0; engine_names[i]; i++) {
		struct engine *engine = open_engine(engine_names[i]);
		bool implicit = !strcmp(engine_names[i], "implicit");

		for (int n = 0; n < FIXED_POINTS; n++)
			if (row_wanted("closed forms: %s", fixed_points[n].name))
				for (int jvp = 0; jvp < 2; jvp++) {
					const struct fixed_point_row *row = &fixed_points[n];
					/* What is left of the iteration that ends at 2^-50: k L^k for engines that
					 * unroll. */
					double got[3], tolerance = implicit ? 1e-12 : 1e-9, y;

					if (!(jvp ? engine_kind(engine)->jvp : engine_kind(engine)->vjp))
						continue;
					y = gradient(engine, a, row->body, row->point, jvp, got);
					CHECK(fabs(y - row->y) <= 1e-13 * row->y, "%s, %s: %.17g", engine_names[i],
					    row->name, y);
					for (int k = 0; k < 3; k++)
						CHECK(fabs(got[k] - row->want[k]) <=
						        tolerance * fmax(1, fabs(row->want[k])),
						    "%s, %s, by input %d: %.17g, not %.17g", engine_names[i], row->name,
						    k, got[k], row->want[k]);
					arena_reset(a);
				}
		engine_close(engine);
	}
}

/* Two steps of x = x/2 + 1 from 0 are 3/2, half its solution's derivative by b forgotten; at 3/2 the theorem says d/da
 * = 3. */
static void check_two_steps(struct arena *a)
{
	static const struct {
		const char *spec, *meaning;
		double want[3];
	} rows[] = {{"implicit", "solution", {3, 2, 0}}, {"implicit", "steps", {1, 1.5, .25}},
	    {"tape", "solution", {1, 1.5, .25}}, {"tape", "steps", {1, 1.5, .25}},
	    {"functional", "solution", {1, 1.5, .25}}, {"aot", "solution", {1, 1.5, .25}}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("two steps: %s", rows[i].spec))
			continue;
		struct engine *engine = open_engine(rows[i].spec);
		const char *body = strcmp(rows[i].meaning, "steps") ? LINEAR("2", "solution", TIGHT)
		                                                    : LINEAR("2", "steps", TIGHT);
		double got[3], y = gradient(engine, a, body, "0.5,1,0", false, got);

		CHECK(y == 1.5, "%s, %s: %.17g", rows[i].spec, rows[i].meaning, y);
		for (int k = 0; k < 3; k++)
			CHECK(fabs(got[k] - rows[i].want[k]) < 1e-12, "%s, %s, by input %d: %.17g", rows[i].spec,
			    rows[i].meaning, k, got[k]);
		engine_close(engine);
	}
}

/* A body that stretches has a solution, but the adjoint iteration does not find it: it ends all the same. */
static void check_divergence(struct arena *a)
{
	struct engine *engine = open_engine("implicit");
	double got[3];

	for (int jvp = 0; jvp < 2; jvp++) {
		gradient(engine, a, LINEAR("3", "solution", TIGHT), "2,1,0", jvp, got);
		CHECK(fabs(got[1]) > 1e100 && got[2] == 0, "%g %g", got[1], got[2]);
	}
	engine_close(engine);
}

/* Each edit of a seam is seen in some row. */
static bool shows(struct engine *engine, struct arena *a)
{
	bool seen = false;

	for (int n = 0; n < FIXED_POINTS && !seen; n++) {
		const struct fixed_point_row *row = &fixed_points[n];
		double got[3];

		gradient(engine, a, row->body, row->point, false, got);
		for (int k = 0; k < 3; k++)
			seen |= !(fabs(got[k] - row->want[k]) < .01 * fmax(1, fabs(row->want[k])));
		arena_reset(a);
	}
	return seen;
}

static void check_faults(struct arena *a)
{
	static const char *const specs[] = {"implicit+casadi-implicit-adj", "implicit+casadi-implicit-aux"};
	char text[MUTANT_TEXT], spec[32];
	struct engine *engine;
	int n = 0;

	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		if (!row_wanted("faults: %s", specs[i]))
			continue;
		engine = open_engine(specs[i]);
		CHECK(shows(engine, a), "%s", specs[i]);
		engine_close(engine);
	}
	for (; mutant_row("implicit", n, text); n++) {
		snprintf(spec, sizeof spec, "implicit+mutant:%d", n);
		engine = open_engine(spec);
		CHECK(shows(engine, a), "%s: %s", spec, text);
		engine_close(engine);
	}
	engine = open_engine("implicit");
	if (all_wanted())
		CHECK(n > 0 && !shows(engine, a), "the right engine, %d mutants", n);
	engine_close(engine);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, (size_t)256 << 20);
	check_closed_forms(&a);
	check_two_steps(&a);
	CHECK_LAW(check_divergence(&a));
	check_faults(&a);
	arena_free(&a);
	return check_done();
}
