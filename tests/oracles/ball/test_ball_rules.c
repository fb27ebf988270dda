/*
 * The rows of analytic_rules.def against MPFR: over an interval of operands f and f' move by no more than the row says,
 * and over a short one the bound is no idle one.
 */
#include "oracles/ball/rules.h"
#include "oracles/evaluate/scalar_ops.h"
#include "graph/random.h"
#include "tests/check.h"

#include <math.h>

#define R    MPFR_RNDN
#define TINY 0x1p-1074

/* atan is within 2^-500 of pi/2. */
enum { PRECISION = 1200, PLACES = 200, STEPS = 8 };

static uint64_t state = RANDOM_STEP;

/* A number in [0, 1). */
static double uniform(void) { return ldexp((double)(random_next(&state) >> 11), -53); }

/* An operand in the domain of op: of all sizes, the borders of the domain included. */
static double operand(enum op op)
{
	bool far = uniform() < 0.3 && op != OP_SIN && op != OP_COS && op != OP_TAN && op != OP_ERF;
	double size = ldexp(1 + uniform(), far ? (int)(uniform() * 1000) - 500 : (int)(uniform() * 16) - 10),
	       either = uniform() < 0.5 ? -size : size;
	switch (op_table[op].domain) {
	case DOMAIN_POSITIVE:
		return size;
	case DOMAIN_ABOVE_MINUS_ONE:
		return size - 1;
	case DOMAIN_ABOVE_ONE:
		return size + 1;
	case DOMAIN_INSIDE_ONE:
		return 2 * uniform() - 1;
	default:
		return either;
	}
}

struct place {
	mpfr_t x, y, p;
};

static void value_at(enum op op, const struct unary_rule *rule, struct place *at)
{
	mpfr_srcptr x = at->x;
	scalar_value(op, at->y, &x, 1);
	rule->partial(at->p, at->x, at->y);
}

static double gap(mpfr_srcptr a, mpfr_srcptr b)
{
	mpfr_t d;
	mpfr_init2(d, 53);
	mpfr_sub(d, a, b, R);
	double out = fabs(mpfr_get_d(d, R));
	mpfr_clear(d);
	return out;
}

/* Whether the bounds are met over a - r ... a + r, and (r small) hardly ever by far. */
static void look(
    enum op op, const struct unary_rule *rule, double a, double r, struct place *centre, struct place *beside)
{
	const char *name = op_table[op].name;
	mpfr_set_d(centre->x, a, R);
	value_at(op, rule, centre);
	double y = mpfr_get_d(centre->y, R);
	struct span at = span_of(a, y, r);
	double value = rule->moved(&at), partial = rule->bent(&at);
	for (int k = -STEPS; k <= STEPS; k++) {
		mpfr_set_d(beside->x, r, R);
		mpfr_mul_si(beside->x, beside->x, k, R);
		mpfr_div_si(beside->x, beside->x, STEPS, R);
		mpfr_add(beside->x, beside->x, centre->x, R);
		value_at(op, rule, beside);
		double moved = gap(beside->y, centre->y), bent = gap(beside->p, centre->p);
		CHECK(!(moved > value * (1 + 1e-9) + TINY), "%s at %g +- %g: the value moves by %g, not %g", name, a, r,
		    moved, value);
		CHECK(!(bent > partial * (1 + 1e-9) + TINY), "%s at %g +- %g: the partial moves by %g, not %g", name, a,
		    r, bent, partial);
	}
	double p = fabs(mpfr_get_d(centre->p, R));
	if (r < 1e-6 * fmin(rule->scale(a, y), 1) && fabs(a) < 1e3 && r > 1e-12 * fabs(a))
		CHECK(value <= (1.01 * p + 4 * r) * r + TINY, "%s at %g +- %g: %g is too much beside a slope of %g",
		    name, a, r, value, p);
}

int main(int argc, char **argv)
{
	struct place centre, beside;
	check_begin(argc, argv);
	mp_setup();
	mpfr_inits2(PRECISION, centre.x, centre.y, centre.p, beside.x, beside.y, beside.p, (mpfr_ptr)0);
	for (int op = 0; op < OP_COUNT; op++) {
		const struct unary_rule *rule = unary_rule_of((enum op)op);
		for (int i = 0; rule && i < PLACES; i++) {
			double a = operand((enum op)op);
			mpfr_set_d(centre.x, a, R);
			value_at((enum op)op, rule, &centre);
			double scale = rule->scale(a, mpfr_get_d(centre.y, R)),
			       most = fmin(scale / 2 - SPAN_BLUR * fabs(a), fmax(8, fabs(a)));
			if (most > 0)
				look((enum op)op, rule, a, ldexp(most, i % 2 ? -(int)(uniform() * 30) : 0), &centre,
				    &beside);
		}
	}
	mpfr_clears(centre.x, centre.y, centre.p, beside.x, beside.y, beside.p, (mpfr_ptr)0);
	return check_done();
}
