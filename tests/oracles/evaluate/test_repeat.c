/*
 * test_repeat.c: a trace of which parts were copied or known before is the trace that is computed from the start: the
 * bodies in the chain of a solution, and the iterations of an engine with more and more steps.
 */
#include "oracles/evaluate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/generate/generate.h"
#include "oracles/evaluate/scalar_ops.h"
#include "oracles/oracle_rules.h"
#include "tests/check.h"
#include "tests/engines/fixed_points.h"

enum { SCALARS = 1 << 19, CASES = 800, MOST_LATE = 4 };

/* The notes of a small oracle: how many edges lead to a scalar from a leaf above 0, at most, up to 1000. */
struct listener {
	int *edges; /* [SCALARS] */
	bool copies;
	int64_t copied;
};

static void on_scalar(void *context, struct evaluation *ev, int k)
{
	struct listener *self = context;
	const struct scalar *s = &ev->scalar[k];
	int most = !s->n_parent && mpfr_cmp_si(ev->value[k], 0) > 0;

	for (int j = 0; j < s->n_parent; j++) {
		const int of = self->edges[ev->parent[s->parent + j]];
		most = of && of < 1000 && of + 1 > most ? of + 1 : of > most ? of : most;
	}
	self->edges[k] = s->op == OP_FIXED_POINT && most > 3 ? 3 : most; /* so that bodies become equal */
}

/* As if an engine were off by up to 2^-44, so that it may stop after one of several iterations. */
static bool on_separated(void *context, const struct evaluation *ev, int a, int b, double bound)
{
	const double x = mpfr_get_d(ev->value[a], MPFR_RNDN), y = b < 0 ? bound : mpfr_get_d(ev->value[b], MPFR_RNDN);
	(void)context;
	return a == b || fabs(x - y) > 0x1p-44;
}

static void on_settled(void *context, int k, double radius)
{
	(void)context;
	(void)k;
	(void)radius;
}

static bool on_equal(void *context, int a, int b, int n)
{
	const struct listener *self = context;
	return self->copies && !memcmp(self->edges + a, self->edges + b, (size_t)n * sizeof *self->edges);
}

static void on_copied(void *context, int k, int from)
{
	struct listener *self = context;
	self->edges[k] = self->edges[from];
	self->copied++;
}

/* Says what differs between two traces with their notes; NULL: nothing. */
static const char *difference(const struct evaluation *x, const struct evaluation *y)
{
	if (x->n_scalar != y->n_scalar || x->n_parent != y->n_parent)
		return "length";
	if (x->path != y->path || x->n_event != y->n_event || x->edge != y->edge || x->status != y->status)
		return "path";
	if (memcmp(x->parent, y->parent, (size_t)x->n_parent * sizeof *x->parent))
		return "parents";
	for (int k = 0; k < x->n_scalar; k++) {
		const struct scalar *s = &x->scalar[k], *t = &y->scalar[k];
		if (s->op != t->op || s->kind != t->kind || s->dtype != t->dtype || s->exact != t->exact ||
		    s->part != t->part || s->quiet != t->quiet || s->derived != t->derived || s->rank != t->rank ||
		    s->left_alone != t->left_alone || s->divided != t->divided || s->n_parent != t->n_parent ||
		    s->parent != t->parent)
			return "a scalar";
		const bool nan = mpfr_nan_p(x->value[k]) && mpfr_nan_p(y->value[k]);
		if (!nan &&
		    (!mpfr_equal_p(x->value[k], y->value[k]) || mpfr_signbit(x->value[k]) != mpfr_signbit(y->value[k])))
			return "a value";
		if (((struct listener *)x->hooks.self)->edges[k] != ((struct listener *)y->hooks.self)->edges[k])
			return "a note";
	}
	if (x->unrolled) /* what only ends an iteration is executed again on one side alone */
		return NULL;
	if (x->n_masked != y->n_masked)
		return "the number of masked paths";
	for (int k = 0; k < x->n_masked; k++)
		if (x->masked[k].from != y->masked[k].from || x->masked[k].to != y->masked[k].to)
			return "a masked path";
	return NULL;
}

static void open_evaluation(struct evaluation *ev, struct listener *listener, bool copies)
{
	evaluation_open(ev, &oracle_rules_right);
	*listener = (struct listener){.edges = calloc(SCALARS, sizeof *listener->edges), .copies = copies};
	ev->hooks = (struct evaluate_hooks){.self = listener,
	    .scalar = on_scalar,
	    .separated = on_separated,
	    .settled = on_settled,
	    .equal = on_equal,
	    .copied = on_copied};
}

static void close_evaluation(struct evaluation *ev, struct listener *listener)
{
	evaluation_close(ev);
	free(listener->edges);
}

struct pair {
	struct evaluation fast, slow;
	struct listener fast_notes, slow_notes;
	int more; /* evaluations that went on from the last one */
};

/* Compares the chains, and then the iterations of engines that stop later and later. */
static void check_case(struct pair *p, const struct testcase *c, struct arena *a, const char *name)
{
	struct evaluation *both[] = {&p->fast, &p->slow};

	for (int late = -1; late <= MOST_LATE; late++) {
		for (int k = 0; k < 2; k++) {
			both[k]->unrolled = late >= 0;
			both[k]->late = late < MOST_LATE ? late : LIMIT_TRIP;
			both[k]->again = k == 0 && late >= 0;
			evaluate(both[k], &c->program, c->point[0], NULL, 0, 0, a);
		}
		const char *what = difference(&p->fast, &p->slow);
		CHECK(!what, "%s: late %d: %s differs", name, late, what);
		CHECK(late < 0 || p->fast.latest == p->slow.latest, "%s: late %d: latest %d, not %d", name, late,
		    p->fast.latest, p->slow.latest);
		p->more += late > 0;
		if (late >= 0 && p->slow.latest <= late)
			break;
	}
}

/* y = a y + b by a choice whose other branch holds more of the body. */
#define CHOICE \
	"far = constant 100\n" FIXED_POINT("y", "x0", "100", "solution", \
	    "params x\n" \
	    "p = mul a, x\n" \
	    "s = add p, b\n" \
	    "t = sin s\n" \
	    "c = lt p, far\n" \
	    "n = select c, s, t\n" REST("n", "x", TIGHT) "yield n, done\n")

static void test_rows(struct pair *p, struct arena *a)
{
	const struct testcase choice = fixed_point_case(a, CHOICE, "0.5,1,0", -1);
	check_case(p, &choice, a, "choice");
	for (int n = 0; n < FIXED_POINTS; n++) {
		arena_reset(a);
		const struct testcase c = fixed_point_case(a, fixed_points[n].body, fixed_points[n].point, -1);
		check_case(p, &c, a, fixed_points[n].name);
	}
}

static void test_generated(struct pair *p, struct arena *a)
{
	struct profile profile = profile_default();
	int solutions = 0;

	profile.weight_fixed_point = 40;
	for (uint64_t number = 0; number < CASES; number++) {
		char name[32];
		struct choice choice = choice_seeded(seed_mix(5, number));

		arena_reset(a);
		const struct testcase c = generate(&choice, &profile, a);
		if (!strata_of(&c).solution)
			continue;
		snprintf(name, sizeof name, "case %d", (int)number);
		check_case(p, &c, a, name);
		solutions++;
	}
	CHECK(solutions > CASES / 8, "%d of %d cases have solutions", solutions, CASES);
}

int main(int argc, char **argv)
{
	struct pair p = {0};
	struct arena a;

	check_begin(argc, argv);
	mp_setup();
	arena_init(&a, (size_t)1 << 30);
	open_evaluation(&p.fast, &p.fast_notes, true);
	open_evaluation(&p.slow, &p.slow_notes, false);
	CHECK_LAW(test_rows(&p, &a));
	CHECK_LAW(test_generated(&p, &a));
	CHECK(!all_wanted() || (p.more > 10 && p.fast_notes.copied > 1000 && !p.slow_notes.copied),
	    "%d went on, %d copied", p.more, (int)p.fast_notes.copied);
	close_evaluation(&p.fast, &p.fast_notes);
	close_evaluation(&p.slow, &p.slow_notes);
	arena_free(&a);
	mpfr_free_cache();
	return check_done();
}
