/* test_teeth.c: which plants are no finding, over truths made by hand; and that the whole verdict says the same. */
#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "fuzz/generate/generate.h"
#include "oracles/verdict/teeth.h"
#include "tests/support/case_text.h"

enum { SLOTS = 3, ARENA = 256 << 20, LAW_CASES = 150 };

#define BALL(v, t, l) \
	{ \
		.value = (v), .tight = (t), .loose = (l), .magnitude = 1, .in_domain = true \
	}
#define BIT(plant) (1u << PLANT_##plant)

/* One derivative; what is said of its first component. */
static const struct row {
	const char *name;
	enum dtype dtype;
	int n, n_assignment;
	struct component want[SLOTS][SLOTS]; /* [assignment][component] */
	unsigned tried, blind, agrees;       /* sets of plants */
	enum blind_cause cause;
	bool zero, corners; /* corners: the hull of the assignments is known */
} rows[] = {
    {"a number", DTYPE_F64, 1, 1, {{BALL(3, 1e-15, 1e-14)}},
        BIT(ZERO) | BIT(NEGATED) | BIT(NAN) | BIT(PERCENT) | BIT(NANO), 0, 0, BLIND_NONE, false},
    {"a number beside another", DTYPE_F64, 2, 1, {{BALL(3, 1e-15, 1e-14), BALL(4, 0, 0)}},
        BIT(ZERO) | BIT(NEGATED) | BIT(OTHER) | BIT(NAN) | BIT(PERCENT) | BIT(NANO), 0, 0, BLIND_NONE, false},
    {"another that is nearly the same", DTYPE_F64, 2, 1, {{BALL(3, 1e-15, 1e-14), BALL(3.3, 0, 0)}},
        BIT(ZERO) | BIT(NEGATED) | BIT(NAN) | BIT(PERCENT) | BIT(NANO), 0, 0, BLIND_NONE, false},
    {"1e-9 agrees, 1 % is inaccurate", DTYPE_F32, 1, 1, {{BALL(3, 1e-6, 0.5)}},
        BIT(ZERO) | BIT(NEGATED) | BIT(NAN) | BIT(PERCENT) | BIT(NANO), BIT(PERCENT) | BIT(NANO), BIT(NANO), BLIND_NONE,
        false},
    {"a loose radius over 0", DTYPE_F64, 2, 1, {{BALL(3, 1e-15, 3.5), BALL(9, 0, 0)}},
        BIT(ZERO) | BIT(NEGATED) | BIT(OTHER) | BIT(NAN) | BIT(PERCENT) | BIT(NANO),
        BIT(ZERO) | BIT(PERCENT) | BIT(NANO), 0, BLIND_FORMULA, false},
    {"a tight radius over 0", DTYPE_F64, 1, 1, {{BALL(0.001, 0.01, 0.02)}},
        BIT(ZERO) | BIT(NEGATED) | BIT(NAN) | BIT(PERCENT) | BIT(NANO),
        BIT(ZERO) | BIT(NEGATED) | BIT(PERCENT) | BIT(NANO), BIT(ZERO) | BIT(NEGATED) | BIT(PERCENT) | BIT(NANO),
        BLIND_CANCELLATION, false},
    {"out of range, a NaN", DTYPE_F64, 1, 1,
        {{{.value = 3,
            .tight = 1e-15,
            .loose = 1e-14,
            .magnitude = 3,
            .in_domain = true,
            .escapes = true,
            .share = INFINITY}}},
        BIT(ZERO) | BIT(NEGATED) | BIT(NAN) | BIT(PERCENT) | BIT(NANO), BIT(NAN), 0, BLIND_RANGE, false},
    {"an end of a domain", DTYPE_F64, 1, 1, {{{.value = 3, .magnitude = 3}}},
        BIT(ZERO) | BIT(NEGATED) | BIT(NAN) | BIT(PERCENT) | BIT(NANO), BIT(NAN), 0, BLIND_DOMAIN, false},
    {"a zero", DTYPE_F64, 2, 1, {{BALL(0, 0, 0), BALL(1e-30, 0, 0)}}, BIT(ONE) | BIT(OTHER) | BIT(NAN), 0, 0,
        BLIND_NONE, true},
    {"a zero with a wide radius", DTYPE_F64, 1, 1, {{BALL(0, 1e-9, 1)}}, BIT(ONE) | BIT(NAN), BIT(ONE), 0,
        BLIND_FORMULA, true},
    {"a number that the dtype rounds to 0", DTYPE_F16, 1, 1, {{BALL(1e-9, 0x1p-24, 0x1p-24)}}, BIT(ONE) | BIT(NAN), 0,
        0, BLIND_NONE, true},
    {"an undecided other does not count", DTYPE_F64, 2, 1, {{BALL(3, 0, 0), {.value = 7, .reason = REASON_JUMP}}},
        BIT(ZERO) | BIT(NEGATED) | BIT(NAN) | BIT(PERCENT) | BIT(NANO), 0, 0, BLIND_NONE, false},
    {"a tie between 1 and -1", DTYPE_F64, 1, 2, {{BALL(1, 0, 0)}, {BALL(-1, 0, 0)}},
        BIT(ZERO) | BIT(NEGATED) | BIT(NAN) | BIT(PERCENT) | BIT(NANO), BIT(ZERO) | BIT(NEGATED), BIT(NEGATED),
        BLIND_TIE, false},
    {"two that a tie shares, alone", DTYPE_F64, 2, 2, {{BALL(1, 0, 0), BALL(0, 0, 0)}, {BALL(0, 0, 0), BALL(1, 0, 0)}},
        BIT(ZERO) | BIT(NEGATED) | BIT(OTHER) | BIT(NAN) | BIT(PERCENT) | BIT(NANO), BIT(ZERO) | BIT(OTHER),
        BIT(ZERO) | BIT(OTHER), BLIND_TIE, false},
    {"two that a tie shares, jointly", DTYPE_F64, 2, 2,
        {{BALL(1, 0, 0), BALL(0, 0, 0)}, {BALL(0, 0, 0), BALL(1, 0, 0)}},
        BIT(ZERO) | BIT(NEGATED) | BIT(OTHER) | BIT(NAN) | BIT(PERCENT) | BIT(NANO), 0, 0, BLIND_NONE, false, true},
    {"beside a tie", DTYPE_F64, 2, 2, {{BALL(2, 0, 0), BALL(1, 0, 0)}, {BALL(2, 0, 0), BALL(0, 0, 0)}},
        BIT(ZERO) | BIT(NEGATED) | BIT(OTHER) | BIT(NAN) | BIT(PERCENT) | BIT(NANO), 0, 0, BLIND_NONE, false},
};

static struct transform vjp = {.kind = TRANSFORM_VJP};
static const struct testcase one_vjp = {.n_point = 1, .n_transform = 1, .transform = &vjp};

static void keep_first(void *context, const struct plants *p)
{
	if (!p->which && !p->element)
		*(struct plants *)context = *p;
}

static unsigned set_of(const bool in[PLANT_COUNT])
{
	unsigned set = 0;

	for (int k = 0; k < PLANT_COUNT; k++)
		set |= (unsigned)in[k] << k;
	return set;
}

/* The hull whose corners are the assignments. */
static struct hull *hull_of(const struct row *r, struct arena *a)
{
	struct hull *h = NEW(a, struct hull, 1);

	*h = (struct hull){.n_component = r->n,
	    .low = NEW(a, double, r->n),
	    .high = NEW(a, double, r->n),
	    .slack = NEW(a, double, r->n),
	    .n_corner = r->n_assignment,
	    .corner = NEW(a, double *, r->n_assignment)};
	for (int s = 0; s < r->n_assignment; s++) {
		h->corner[s] = NEW(a, double, r->n);
		for (int e = 0; e < r->n; e++) {
			const double x = h->corner[s][e] = r->want[s][e].value;

			h->low[e] = s ? fmin(h->low[e], x) : x;
			h->high[e] = s ? fmax(h->high[e], x) : x;
		}
	}
	return h;
}

static void check_row(const struct row *r, struct arena *a)
{
	struct truth_point point = {
	    .n_derivative = 1, .n_assignment = r->n_assignment, .derivative = NEW(a, struct truth_tensor *, SLOTS)};
	const struct truth truth = {1, &point};
	struct plants p = {.which = -1};

	for (int s = 0; s < r->n_assignment; s++) {
		point.derivative[s] = NEW(a, struct truth_tensor, 1);
		*point.derivative[s] = (struct truth_tensor){
		    {r->dtype, {1, {r->n}}}, arena_copy(a, r->want[s], (size_t)r->n, sizeof *r->want[s])};
	}
	if (r->corners)
		point.hull = hull_of(r, a);
	teeth_each(&one_vjp, &truth, keep_first, &p);
	CHECK(p.which == 0 && p.zero == r->zero, "%s", r->name);
	CHECK(set_of(p.tried) == r->tried, "%s: %x", r->name, set_of(p.tried));
	CHECK(set_of(p.blind) == r->blind, "%s: %x", r->name, set_of(p.blind));
	CHECK(set_of(p.agrees) == r->agrees, "%s: %x", r->name, set_of(p.agrees));
	CHECK(p.cause == r->cause, "%s: %s", r->name, blind_names[p.cause]);
}

/* Derivatives that a usual formula of the op returns as 0, or not. */
static const struct vanishing {
	const char *op, *point;
	bool vanishes;
} vanishing[] = {
    {"atan", "1e160", true},
    {"atan", "1e10", false},
    {"tanh", "40", true},
    {"tanh", "2", false},
    {"logistic", "50", true},
    {"logistic", "-50", false},
    {"expm1", "-50", true},
    {"asinh", "-1e200", true},
    {"exp", "-50", false},
    {"sin", "1", false},
};

static void check_vanishing(struct arena *a)
{
	struct oracle *oracle = oracle_open(&(struct oracle_options){.seed = 1, .fd_one_in = 1 << 20});

	for (size_t k = 0; k < sizeof vanishing / sizeof *vanishing; k++) {
		const struct testcase c = test_case(a,
		    arena_printf(a,
		        "inputs x: f64[]\ny = %s x\nz = sub y, x\nreturn y, z\npoint %s\nrequest: vjp; cotangents 3, 0",
		        vanishing[k].op, vanishing[k].point));
		struct truth truth;

		oracle_truth(oracle, &c, a, &truth);
		CHECK(truth.point->derivative[0]->at->vanishes == vanishing[k].vanishes, "%s at %s", vanishing[k].op,
		    vanishing[k].point);
	}
	oracle_close(oracle);
}

/* Which plants only engines that divide a product by a factor excuse. */
static void check_divided(struct arena *a)
{
	struct component *c = NEW(a, struct component, 1);
	struct truth_tensor *t = NEW(a, struct truth_tensor, 1);
	struct truth_point point = {.n_derivative = 1, .n_assignment = 1, .derivative = &t};
	const struct truth truth = {1, &point};
	struct plants p = {.which = -1};

	*c = (struct component)BALL(3, 1e-15, 4);
	*t = (struct truth_tensor){{DTYPE_F64, {0, {0}}}, c};
	c->undivided = 0.5;
	teeth_each(&one_vjp, &truth, keep_first, &p);
	CHECK(set_of(p.divided) == BIT(ZERO), "divided: %x", set_of(p.divided));
	c->undivided = 0;
	teeth_each(&one_vjp, &truth, keep_first, &p);
	CHECK(set_of(p.divided) == 0, "not divided: %x", set_of(p.divided));
}

/* ---- the whole verdict ---- */

struct whole {
	const struct testcase *c;
	const struct truth *truth;
	struct answer *answer; /* the truth itself */
	int64_t compared, blind, with_teeth;
};

/* The truth as an answer: an undecided number is 0. */
static struct tensor as_answer(const struct truth_tensor *t, struct arena *a)
{
	struct tensor out = tensor_new(a, &t->type);

	for (int e = 0; e < shape_elements(&t->type.shape); e++) {
		if (dtype_is_float(t->type.dtype))
			out.at[e].f = t->at[e].reason == REASON_NONE ? t->at[e].value : 0;
		else
			out.at[e].i = (int64_t)t->at[e].value;
	}
	return out;
}

static struct answer *answers(const struct truth *t, struct arena *a)
{
	struct answer *out = NEW(a, struct answer, t->n_point);

	for (int k = 0; k < t->n_point; k++) {
		const struct truth_point *p = &t->point[k];

		out[k] = (struct answer){.n_primal = p->n_primal, .n_derivative = p->n_derivative, .text = ""};
		out[k].primal = NEW(a, struct tensor, p->n_primal + 1);
		out[k].derivative = NEW(a, struct tensor, p->n_derivative + 1);
		for (int i = 0; i < p->n_primal; i++)
			out[k].primal[i] = as_answer(&p->primal[i], a);
		for (int i = 0; i < p->n_derivative; i++)
			out[k].derivative[i] = as_answer(&p->derivative[0][i], a);
	}
	return out;
}

static bool is_finding(const struct whole *w)
{
	struct judgement j;

	judge(w->c, w->truth, w->answer, &j);
	return verdict_is_finding[j.verdict];
}

/* Every plant in the whole answer. */
static void compare(void *context, const struct plants *p)
{
	struct whole *w = context;
	double *at = &w->answer[p->point].derivative[p->which].at[p->element].f;
	const double x = *at;
	const double number[PLANT_COUNT] = {[PLANT_ZERO] = 0,
	    [PLANT_NEGATED] = -x,
	    [PLANT_ONE] = 1,
	    [PLANT_NAN] = NAN,
	    [PLANT_PERCENT] = 1.01 * x,
	    [PLANT_NANO] = (1 + 1e-9) * x};

	w->with_teeth += p->cause == BLIND_NONE;
	for (int k = 0; k < PLANT_COUNT; k++) {
		bool found;

		if (!p->tried[k] || k == PLANT_OTHER)
			continue;
		*at = number[k];
		found = is_finding(w);
		w->compared++;
		w->blind += p->blind[k];
		CHECK(found == !p->blind[k], "%s for %.17g: %s", plant_names[k], x, found ? "a finding" : "no finding");
	}
	*at = x;
}

static void check_law(void)
{
	struct oracle *oracle = oracle_open(&(struct oracle_options){.seed = 3, .fd_one_in = 1 << 20});
	const struct profile profile = profile_default();
	struct whole w = {0};
	struct arena a;

	arena_init(&a, ARENA);
	for (uint64_t k = 0; k < LAW_CASES; k++) {
		struct choice choice = choice_seeded(seed_mix(3, k));
		struct testcase c;
		struct truth truth;
		struct teeth teeth;

		arena_reset(&a);
		c = generate(&choice, &profile, &a);
		oracle_truth(oracle, &c, &a, &truth);
		w.c = &c;
		w.truth = &truth;
		w.answer = answers(&truth, &a);
		if (is_finding(&w) || !request_order(c.transform, c.n_transform))
			continue; /* values of f64 may be outside a radius of 0 */
		w.with_teeth = 0;
		teeth_each(&c, &truth, compare, &w);
		teeth = teeth_of(&c, &truth);
		CHECK(teeth_sum(&teeth).with_teeth == w.with_teeth, "case %d", (int)k);
		CHECK(teeth_any(&teeth) == (w.with_teeth > 0), "case %d", (int)k);
	}
	CHECK(w.compared > 1000 && w.blind > 100, "%lld compared, %lld blind: too few", (long long)w.compared,
	    (long long)w.blind);
	arena_free(&a);
	oracle_close(oracle);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, ARENA);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (row_wanted("%s", rows[k].name))
			check_row(&rows[k], &a);
	check_divided(&a);
	check_vanishing(&a);
	arena_free(&a);
	CHECK_LAW(check_law());
	return check_done();
}
