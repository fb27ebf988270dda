/*
 * test_resweep.c: a sweep that repeats only what ties change leaves the flows of a whole sweep, bit for bit, and counts
 * as much work.
 */
#include "oracles/analytic/resweep.h"

#include <math.h>
#include <stdio.h>

#include "fuzz/generate/generate.h"
#include "oracles/evaluate/memo.h"
#include "oracles/evaluate/scalar_ops.h"
#include "oracles/oracle_rules.h"
#include "tests/check.h"

enum { CASES = 4000, ENOUGH = 1 << 30 };

/* What a sweep leaves: the numbers of all flows that are present. */
struct swept {
	int64_t work;
	struct flow *flow;
	mpfr_t *value;
	int n;
};

static struct swept sweep(struct analytic *self, const struct conventions *conventions, const struct transform *t,
    const struct resweep *again, struct arena *a)
{
	struct swept out = {.work = self->ev.work->left, .n = self->ev.n_scalar};

	analytic_sweep(self, conventions, t, again);
	out.work -= self->ev.work->left;
	out.flow = arena_copy(a, self->flow, (size_t)out.n, sizeof *out.flow);
	out.value = NEW(a, mpfr_t, out.n);
	for (int k = 0; k < out.n; k++) {
		mpfr_init2(out.value[k], mpfr_get_prec(self->value[k]));
		mpfr_set(out.value[k], self->value[k], MPFR_RNDN);
	}
	return out;
}

static void forget(struct swept *s)
{
	for (int k = 0; k < s->n; k++)
		mpfr_clear(s->value[k]);
}

static bool same(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

static bool same_flow(const struct flow *x, const struct flow *y)
{
	return x->present == y->present && x->reason == y->reason && x->singular == y->singular &&
	    x->escapes == y->escapes && x->mixed == y->mixed && x->grouped == y->grouped && x->terms.n == y->terms.n &&
	    x->joined == y->joined && x->culprit == y->culprit && same(x->tight, y->tight) &&
	    same(x->loose, y->loose) && same(x->spread.down, y->spread.down) && same(x->spread.up, y->spread.up) &&
	    same(x->spread.leap, y->spread.leap) && same(x->vanishing, y->vanishing) &&
	    same(x->magnitude, y->magnitude) && same(x->terms.positive, y->terms.positive) &&
	    same(x->terms.negative, y->terms.negative) && same(x->reach, y->reach) && same(x->most, y->most) &&
	    same(x->group, y->group) && same(x->flushed, y->flushed) && same(x->share, y->share) &&
	    same(x->merged.positive, y->merged.positive) && same(x->merged.negative, y->merged.negative);
}

/* The first scalar whose flows differ, -1: none. */
static int difference(const struct swept *x, const struct swept *y)
{
	for (int k = 0; k < x->n; k++)
		if (!same_flow(&x->flow[k], &y->flow[k]) ||
		    (x->flow[k].present && !x->flow[k].reason && !mpfr_equal_p(x->value[k], y->value[k])))
			return k;
	return -1;
}

/* Compares all assignments of the case. How many sweeps left out something. */
static int check_case(struct analytic *self, const struct testcase *c, const char *name, struct arena *a)
{
	const struct transform *t = &c->transform[0];
	struct conventions conventions;
	int shorter = 0;

	work_begin(self->ev.work, ENOUGH, ENOUGH, a);
	analytic_trace(self, c, 0, a);
	conventions_collect(&conventions, &self->ev, self->note, t->kind == TRANSFORM_JVP);
	if (!conventions.n_kind || conventions.n_assignment > CONVENTION_ASSIGNMENTS)
		return 0;
	if (t->kind == TRANSFORM_VJP)
		analytic_find_merged(self);
	for (int k = 1; k < conventions.n_assignment; k++) {
		conventions_assign(&conventions, k); /* twice, because the first sweep keeps partials of copies */
		struct swept first = sweep(self, &conventions, t, NULL, a),
		             whole = sweep(self, &conventions, t, NULL, a);
		conventions_assign(&conventions, 0);
		analytic_sweep(self, &conventions, t, NULL);
		const struct resweep *again = resweep_plan(self, t, a);
		conventions_assign(&conventions, k);
		struct swept part = sweep(self, &conventions, t, again, a);
		const int other = difference(&part, &whole);
		CHECK(other < 0, "%s: assignment %d: the flow of scalar %d differs", name, k, other);
		CHECK(part.work == whole.work, "%s: assignment %d: work %d, not %d", name, k, (int)part.work,
		    (int)whole.work);
		shorter += again->n < self->ev.n_scalar / 2;
		forget(&first);
		forget(&part);
		forget(&whole);
	}
	return shorter;
}

int main(int argc, char **argv)
{
	struct analytic *self = analytic_open(&oracle_rules_right);
	const struct profile profile = profile_default();
	struct budget work;
	struct arena a;
	int shorter = 0;

	check_begin(argc, argv);
	mp_setup();
	memo_begin();
	arena_init(&a, (size_t)512 << 20);
	analytic_limit(self, &work);
	for (uint64_t number = 0; number < CASES; number++) {
		struct choice choice = choice_seeded(seed_mix(7, number));
		char name[32];
		snprintf(name, sizeof name, "case %d", (int)number);
		arena_reset(&a);
		const struct testcase c = generate(&choice, &profile, &a);
		if (c.n_transform == 1 && c.transform[0].kind != TRANSFORM_BATCH)
			shorter += check_case(self, &c, name, &a);
	}
	CHECK(!all_wanted() || shorter > 50, "%d sweeps left out a half", shorter);
	analytic_close(self);
	arena_free(&a);
	mpfr_free_cache();
	return check_done();
}
