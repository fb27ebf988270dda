/*
 * test_hull.c: at a tie, engines may mix conventions. They also have several formulas for a saturated tanh, whose
 * errors are small or leap. A random scalar program has both. Engines that choose or share at each tie apart, and
 * take a random formula at each use, are never wrong, forwards and backwards. A number between the small errors and the
 * leaps is.
 */
#include "oracles/truth.h"
#include "graph/random.h"
#include "graph/testcase.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 4, STEPS = 8, VALUES = INPUTS + STEPS, ENGINES = 12 };

static uint64_t state = 1;
static enum dtype dtype;

static double uniform(void) { return (double)(random_next(&state) >> 11) * 0x1p-53; }
static int below(int n) { return (int)(uniform() * n); }
static double r(double x) { return dtype_round(dtype, x); }

/* ---- a program ---- */

enum kind { ADD, MUL, SCALE, MAX, MIN, ABS, TANH, LOGISTIC, ATAN, KINDS };
static const char *const names[KINDS] = {"add", "mul", "mul", "max", "min", "abs", "tanh", "logistic", "atan"};

struct step {
	enum kind kind;
	int a, b;
	double by; /* SCALE */
};

struct program_drawn {
	struct step step[STEPS];
	double point[INPUTS], seed[INPUTS];
};

/* The first two inputs are equal, so a choice between them, or between what is computed from them, is a tie. */
static void draw(struct program_drawn *p)
{
	static const double scales[] = {4, 16, 0.5, -8, 0x1p30, 0.75};

	for (int i = 0; i < INPUTS; i++) {
		p->point[i] = r(4 * uniform() - 2);
		p->seed[i] = r(2 * uniform() - 1);
	}
	p->point[1] = p->point[0];
	for (int k = 0; k < STEPS; k++) {
		const enum kind kind = (enum kind)below(KINDS);
		const int n = INPUTS + k;

		p->step[k] = (struct step){kind, below(3) ? n - 1 - below(2) : below(n), below(n), scales[below(6)]};
	}
	/* Two ties, something large through a tanh, and both in the result. */
	p->step[0] = (struct step){(enum kind)(MAX + below(2)), 0, 1, 0};
	p->step[1] = (struct step){SCALE, below(2) ? 2 : below(INPUTS + 1), 0, below(2) ? 16 : 32};
	p->step[2] = (struct step){TANH, INPUTS + 1, 0, 0};
	p->step[3] = (struct step){(enum kind)(MAX + below(2)), below(2), below(2), 0};
	p->step[4] = (struct step){below(2) ? MUL : ADD, INPUTS, INPUTS + 3, 0};
	p->step[5] = (struct step){SCALE, INPUTS + 4, 0, below(2) ? 0x1p-70 : 0x1p-20};
	p->step[STEPS - 1] = (struct step){
	    ADD, INPUTS + (below(2) ? 2 : below(STEPS - 1)), INPUTS + (below(2) ? 5 : below(STEPS - 1)), 0};
}

static const char *text_of(const struct program_drawn *p, bool forwards, struct arena *a)
{
	const char *type = dtype_table[dtype].name, *text = "inputs ";

	for (int i = 0; i < INPUTS; i++)
		text = arena_printf(a, "%s%sv%d: %s[]", text, i ? ", " : "", i, type);
	for (int k = 0; k < STEPS; k++) {
		const struct step *s = &p->step[k];

		text = arena_printf(a, "%s\nv%d = %s v%d", text, INPUTS + k, names[s->kind], s->a);
		if (s->kind == SCALE)
			text = arena_printf(a, "%s, c%d", text, k);
		else if (s->kind == ADD || s->kind == MUL || s->kind == MAX || s->kind == MIN)
			text = arena_printf(a, "%s, v%d", text, s->b);
		if (s->kind == SCALE) { /* its constant stands before it */
			char *line = strrchr(text, '\n');

			text = arena_printf(
			    a, "%.*s\nc%d: %s[] = constant %a%s", (int)(line - text), text, k, type, s->by, line);
		}
	}
	text = arena_printf(a, "%s\nreturn v%d\npoint ", text, VALUES - 1);
	for (int i = 0; i < INPUTS; i++)
		text = arena_printf(a, "%s%s%a", text, i ? ", " : "", p->point[i]);
	if (!forwards)
		return arena_printf(a, "%s\nrequest: vjp; cotangents %a", text, p->seed[0]);
	text = arena_printf(a, "%s\nrequest: jvp; tangents ", text);
	for (int i = 0; i < INPUTS; i++)
		text = arena_printf(a, "%s%s%a", text, i ? ", " : "", p->seed[i]);
	return text;
}

/* ---- an engine ---- */

/* g times the partial of a saturating op by a random formula. a: the operand, y: the value. */
static double over(enum kind kind, double a, double y, double g)
{
	const double c = r(cosh(a)), e = r(exp(-2 * fabs(a)));

	switch (kind == TANH ? below(5) : kind == LOGISTIC ? 5 + below(3) : 8 + below(2)) {
	case 0:
		return r(g * r(1 - r(y * y)));
	case 1:
		return r(r(g * r(1 - y)) * r(1 + y));
	case 2:
		return r(g - r(g * r(y * y)));
	case 3:
		return r(r(g / c) / c);
	case 4:
		return r(g * r(r(4 * e) / r(r(1 + e) * r(1 + e))));
	case 5:
		return r(g * r(y * r(1 - y)));
	case 6:
		return r(r(g * y) * r(1 - y));
	case 7:
		return r(g * r(y - r(y * y)));
	case 8:
		return r(g / r(1 + r(a * a)));
	default:
		return r(g * r(1 / r(1 + r(a * a))));
	}
}

/* Values, and the shares of the first operand at ties: all, none or half. abs at 0 has 2 share - 1. */
static void forward(const struct program_drawn *p, double *v, double *share)
{
	const double u = dtype_table[dtype].unit;

	memcpy(v, p->point, INPUTS * sizeof *v);
	for (int k = 0; k < STEPS; k++) {
		const struct step *s = &p->step[k];
		const double a = v[s->a], b = v[s->b], ulps = 1 + 4 * u * (2 * uniform() - 1);
		const double y[KINDS] = {a + b, a * b, a * s->by, fmax(a, b), fmin(a, b), fabs(a),
		    fabs(a) < 0x1p-4 ? tanh(a) : tanh(a) * ulps, ulps / (1 + exp(-a)), atan(a)};
		const double tied = 0.5 * below(3);

		v[INPUTS + k] = r(y[s->kind]);
		share[k] = s->kind == ABS ? (a > 0) + (a == 0) * tied
		    : s->kind == MAX      ? (a > b) + (a == b) * tied
		                          : (a < b) + (a == b) * tied;
		if (s->kind == MAX || s->kind == MIN) /* both operands are one value: the shares add up to 1 */
			share[k] = s->a == s->b ? 1 : share[k];
	}
}

/* What step k passes from a flow of its result to its operand `which`, or from there to the result. */
static double pass(const struct step *s, const double *v, double y, double share, bool second, double g)
{
	switch (s->kind) {
	case ADD:
		return g;
	case MUL:
		return r(g * v[second ? s->a : s->b]);
	case SCALE:
		return r(g * s->by);
	case MAX:
	case MIN:
		return r(g * (second ? s->a == s->b ? 0 : r(1 - share) : r(share)));
	case ABS:
		return r(g * r(2 * share - 1));
	default:
		return over(s->kind, v[s->a], y, g);
	}
}

static bool has_second(enum kind kind) { return kind == ADD || kind == MUL || kind == MAX || kind == MIN; }

/* The derivatives: one tangent, or a cotangent of each input. */
static void differentiate(const struct program_drawn *p, bool forwards, double *out)
{
	double v[VALUES], share[STEPS], g[VALUES] = {0};

	forward(p, v, share);
	if (forwards)
		memcpy(g, p->seed, INPUTS * sizeof *g);
	else
		g[VALUES - 1] = p->seed[0];
	for (int i = 0; i < STEPS; i++) {
		const int k = forwards ? i : STEPS - 1 - i, at = INPUTS + k;
		const struct step *s = &p->step[k];

		for (int j = 0; j < 1 + has_second(s->kind); j++) {
			const int operand = j ? s->b : s->a, from = forwards ? operand : at,
			          to = forwards ? at : operand;

			g[to] = r(g[to] + pass(s, v, v[at], share[k], j, g[from]));
		}
	}
	memcpy(out, forwards ? &g[VALUES - 1] : g, (forwards ? 1 : INPUTS) * sizeof *out);
}

/* ---- the verdict ---- */

static enum verdict verdict_on(
    const struct testcase *c, const struct truth *t, const double *got, struct judgement *j, struct arena *a)
{
	const struct truth_point *p = t->point;
	struct answer answer = {.n_primal = 1,
	    .primal = NEW(a, struct tensor, 1),
	    .n_derivative = p->n_derivative,
	    .derivative = NEW(a, struct tensor, p->n_derivative)};

	answer.primal[0] = tensor_new(a, &p->primal[0].type);
	answer.primal[0].at[0].f = p->primal[0].at[0].value;
	for (int k = 0; k < p->n_derivative; k++) {
		answer.derivative[k] = tensor_new(a, &p->derivative[0][k].type);
		answer.derivative[k].at[0].f = got[k];
	}
	judge(c, t, &answer, j);
	return j->verdict;
}

struct seen {
	int answers, mixed, leaps, plants, found;
};

/* Plants a number halfway between small errors and leaps beside each end of the hull. */
static void plant(const struct testcase *c, const struct truth *t, struct seen *seen, struct arena *a)
{
	const struct truth_point *p = t->point;
	const struct hull *h = p->hull;

	for (int k = 0; k < p->n_derivative; k++) {
		struct judgement j;
		double got[INPUTS], inner = h->inner[k], leap = h->leap[k];

		for (int s = 0; s < p->n_assignment; s++)
			inner += p->derivative[s][k].at[0].loose;
		inner = fmin(inner, h->inner[k] * (1 + p->n_assignment));
		for (int i = 0; i < p->n_derivative; i++)
			got[i] = p->derivative[0][i].at[0].value;
		got[k] = h->high[k] + sqrt(2 * inner) * sqrt(fmin(leap, h->slack[k]) / 2);
		if (p->derivative[0][k].at[0].reason || !(leap < h->slack[k]) || !(h->low[k] < h->high[k]) ||
		    !(got[k] - h->high[k] > 4 * inner && got[k] < h->low[k] + leap / 2))
			continue;
		seen->plants++;
		seen->found += verdict_on(c, t, got, &j, a) == VERDICT_WRONG;
	}
}

static void test_program(struct oracle *oracle, struct seen *seen, struct arena *a)
{
	struct program_drawn p;
	const bool forwards = below(2);

	draw(&p);
	const struct testcase c = test_case(a, text_of(&p, forwards, a));
	struct truth truth;

	if (!c.n_point)
		return;
	oracle_truth(oracle, &c, a, &truth);
	const struct hull *h = truth.point->hull;
	if (!h || truth.point->primal[0].at[0].reason)
		return;
	for (int k = 0; k < ENGINES; k++) {
		double got[INPUTS];
		struct judgement j;

		differentiate(&p, forwards, got);
		const enum verdict v = verdict_on(&c, &truth, got, &j, a);
		CHECK(v != VERDICT_WRONG, "%s: %.17g is wrong, [%g, %g], slack %g, inner %g, leap %g\n%s",
		    dtype_table[dtype].name, got[j.which], h->low[j.which], h->high[j.which], h->slack[j.which],
		    h->inner ? h->inner[j.which] : 0, h->inner ? h->leap[j.which] : 0, text_of(&p, forwards, a));
		seen->answers++;
		seen->mixed += v == VERDICT_UNDECIDED;
	}
	for (int k = 0; h->inner && k < h->n_component; k++)
		seen->leaps += isfinite(h->inner[k]) && isfinite(h->leap[k]) && h->low[k] < h->high[k];
	if (h->inner)
		plant(&c, &truth, seen, a);
}

int main(int argc, char **argv)
{
	static const enum dtype dtypes[] = {DTYPE_F64, DTYPE_F32};
	const int programs = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 4000;
	struct oracle *oracle = oracle_open(&(struct oracle_options){.seed = 1, .fd_one_in = 1 << 20});
	struct seen seen = {0};
	struct arena arena;

	if (argc > 2)
		state = strtoull(argv[2], NULL, 10);
	arena_init(&arena, (size_t)1 << 28);
	for (int k = 0; k < programs; k++) {
		dtype = dtypes[k % 2];
		arena_reset(&arena);
		test_program(oracle, &seen, &arena);
	}
	CHECK(seen.answers > programs && seen.mixed > programs / 10 && seen.leaps > programs / 100 &&
	        seen.plants > programs / 400,
	    "%d answers, %d mixed, %d leaps, %d plants", seen.answers, seen.mixed, seen.leaps, seen.plants);
	CHECK(seen.found == seen.plants, "%d of %d plants are wrong", seen.found, seen.plants);
	if (getenv("VERBOSE"))
		printf("%d answers, %d mixed, %d leaps, %d plants, %d found\n", seen.answers, seen.mixed, seen.leaps,
		    seen.plants, seen.found);
	arena_free(&arena);
	oracle_close(oracle);
	return check_done();
}
