/* test_twin.c: which twins a case has, what they decide; laws over generated cases. */
#include "fuzz/bench/twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/bench/case_work.h"
#include "fuzz/generate/generate.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

enum { ARENA = 256 << 20, LAW_CASES = 400 };

#define BIT(kind) (1u << TWIN_##kind)
#define ELSEWHERE (BIT(ORDINARY) | BIT(INSIDE) | BIT(SMALL) | BIT(ABOVE))

/* One case: why its first component has no teeth, the kinds that may help, and those that give it teeth. */
static const struct row {
	const char *name, *inputs, *body, *point;
	const char *why; /* "": it has teeth */
	unsigned helps, gains;
	const char *request; /* NULL: vjp */
} rows[] = {
    {"decided", "x: f64[]", "y = mul x, x", "0.5", "", 0, 0},
    {"a jump", "x: f64[]", "p = eq x, 0; y = select p, 4, x", "0", "jump", BIT(MOVED), BIT(MOVED)},
    {"a point with a path of its own", "x: f64[]", "p = eq x, 1; s = mul x, x; y = select p, s, x", "1",
        "isolated-path", BIT(MOVED) | BIT(INSIDE), BIT(MOVED) | BIT(INSIDE)},
    {"a singular point", "x: f64[]", "y = sqrt x", "0", "non-finite", ELSEWHERE, ELSEWHERE},
    {"an input that is infinite", "x: f64[]", "e = sin x; y = mul e, x", "inf", "non-finite", ELSEWHERE, ELSEWHERE},
    {"a value beyond the range", "x: f16[]", "e = exp x; y = mul e, x", "12", "overflow",
        BIT(ORDINARY) | BIT(WIDE) | BIT(SMALL), BIT(ORDINARY) | BIT(WIDE) | BIT(SMALL)},
    {"digits lost in bf16", "x: bf16[], c: bf16[]", "a = add x, c; b = sub a, c; y = log b", "0.5, 1000",
        "ill-conditioned", BIT(ORDINARY) | BIT(WIDE), BIT(ORDINARY) | BIT(WIDE)},
    {"a program that is singular everywhere", "x: f64[]", "z = sub x, x; s = sqrt z; y = mul s, x", "0.5", "non-finite",
        ELSEWHERE, 0},
    {"a guard against negative numbers", "x: f64[]", "p = gt x, 0; l = sqrt x; y = select p, l, x", "-1", "domain",
        ELSEWHERE, BIT(INSIDE) | BIT(ABOVE), "vjp; then jvp"},
    {"a guard against small numbers", "x: f64[]", "p = gt x, 1; l = acosh x; y = select p, l, x", "-0.5", "domain",
        ELSEWHERE, BIT(ABOVE), "vjp; then jvp"},
    {"a function that saturates", "x: f64[]", "s = mul x, 100; y = tanh s", "1", "blind",
        BIT(ORDINARY) | BIT(WIDE) | BIT(SMALL), BIT(SMALL)},
};

static void check_row(const struct row *row, struct oracle *oracle, struct arena *a)
{
	const struct testcase c = test_function(
	    a, row->inputs, row->body, row->point, row->request ? row->request : "vjp");
	struct twin_components x;
	struct teeth teeth;
	struct truth truth;

	oracle_truth(oracle, &c, a, &truth);
	x = twin_components_of(&c, &truth, a, &teeth);
	CHECK(x.n > 0, "%s: no component", row->name);
	if (!x.n)
		return;
	CHECK(x.at[0].teeth == !*row->why && (x.at[0].teeth || !strcmp(twin_why_name(x.at[0].why), row->why)), "%s: %s",
	    row->name, x.at[0].teeth ? "it has teeth" : twin_why_name(x.at[0].why));
	for (int k = 0; k < TWIN_COUNT; k++) {
		const enum twin kind = (enum twin)k;
		struct twin_components after = x;
		struct twin_tally tally = {0};
		struct testcase twin;
		bool gained = false;

		CHECK(twin_helps(kind, &x) == (row->helps >> k & 1), "%s: %s", row->name, twin_names[k]);
		if (!(row->helps >> k & 1))
			continue;
		if (twin_make(&c, kind, DTYPE_F64, a, &twin)) {
			after.at = arena_copy(a, x.at, (size_t)x.n, sizeof *x.at);
			oracle_truth(oracle, &twin, a, &truth);
			gained = twin_note(kind, &twin, &truth, &after, &tally);
			CHECK(tally.made[k] == 1 && tally.judged[k] == gained, "%s: %s", row->name, twin_names[k]);
			CHECK((kind == TWIN_WIDE ? after.at->wide : after.at->teeth) == gained, "%s: %s", row->name,
			    twin_names[k]);
		}
		CHECK(gained == (row->gains >> k & 1), "%s: %s %s teeth", row->name, twin_names[k],
		    gained ? "gives" : "gives no");
	}
}

/* A case of f64 has no wide twin; a case without float inputs has no moved one. */
static void check_none(struct arena *a)
{
	const struct testcase f64 = test_function(a, "x: f64[]", "y = mul x, x", "0.5", "vjp"),
	                      f16 = test_function(a, "x: f16[]", "y = mul x, x", "0.5", "vjp"),
	                      whole = test_function(a, "n: i64[]", "y = mul n, n", "3", "");
	struct testcase twin;

	CHECK(!twin_make(&f64, TWIN_WIDE, DTYPE_F64, a, &twin), "f64");
	CHECK(!twin_make(&f64, TWIN_WIDE, DTYPE_F32, a, &twin), "f64 in f32");
	CHECK(!twin_make(&f16, TWIN_WIDE, DTYPE_COUNT, a, &twin), "no dtype");
	CHECK(
	    twin_make(&f16, TWIN_WIDE, DTYPE_F32, a, &twin) && twin.point[0][0].type.dtype == DTYPE_F32, "f16 in f32");
	CHECK(!twin_make(&whole, TWIN_MOVED, DTYPE_F64, a, &twin), "integers");
}

/* Some kinds are only for cases without teeth. */
static void check_bare(void)
{
	struct twin_component at[2] = {{.why = REASON_COUNT + BLIND_DOMAIN}, {.why = REASON_COUNT + BLIND_DOMAIN}};
	const struct twin_components x = {.n = 2, .at = at};

	CHECK(twin_helps(TWIN_INSIDE, &x) && twin_helps(TWIN_ORDINARY, &x), "no teeth");
	at[1].wide = true;
	CHECK(!twin_helps(TWIN_INSIDE, &x) && twin_helps(TWIN_ORDINARY, &x), "teeth in a wide twin");
	at[1] = (struct twin_component){.teeth = true};
	CHECK(!twin_helps(TWIN_INSIDE, &x) && twin_helps(TWIN_ORDINARY, &x), "teeth");
}

/* ---- laws ---- */

/* By kind, the sizes of the inputs, and whether they keep their sign. */
static const struct {
	double from, to;
	bool signs;
} inputs[TWIN_COUNT] = {[TWIN_ORDINARY] = {0.3, 1.3, true},
    [TWIN_INSIDE] = {0.35, 0.95, false},
    [TWIN_SMALL] = {0.004, 0.06, true},
    [TWIN_ABOVE] = {1.05, 2.5, false}};

static void check_points(const struct testcase *c, const struct testcase *twin, enum twin kind, int number)
{
	for (int p = 0; p < c->n_point; p++)
		for (int i = 0; i < c->program.top.n_param; i++) {
			const struct tensor *x = &c->point[p][i], *y = &twin->point[p][i];
			const bool is_float = dtype_is_float(x->type.dtype);

			CHECK(shape_equal(&x->type.shape, &y->type.shape), "case %d: another shape", number);
			if (!is_float)
				CHECK(tensor_same(x, y), "case %d: an integer input moved", number);
			for (int k = 0; is_float && inputs[kind].to > 0 && k < shape_elements(&x->type.shape); k++) {
				const double from = x->at[k].f, to = y->at[k].f;
				const double unit = ldexp(1, -dtype_table[x->type.dtype].precision);

				CHECK(fabs(to) >= inputs[kind].from * (1 - unit) &&
				        fabs(to) <= inputs[kind].to * (1 + unit),
				    "case %d, %s: %g", number, twin_names[kind], to);
				CHECK(inputs[kind].signs ? from == 0 || isnan(from) || (to < 0) == (from < 0) : to > 0,
				    "case %d, %s: %g to %g", number, twin_names[kind], from, to);
			}
			for (int k = 0; is_float && kind == TWIN_MOVED && k < shape_elements(&x->type.shape); k++) {
				const double from = x->at[k].f, to = y->at[k].f;
				const double half = ldexp(fabs(from), -dtype_table[x->type.dtype].precision);

				CHECK(isfinite(to), "case %d: %g to %g", number, from, to);
				if (fabs(from) > dtype_table[x->type.dtype].normal && isfinite(from))
					CHECK(fabs(fabs(to - from) - 0.04 * fabs(from)) <=
					        0.02 * fabs(from) * 1.001 + half,
					    "case %d: %g to %g", number, from, to);
			}
		}
}

/*
 * A twin is a valid case; the same case has the same twin; it has the program and the request of the case, and each
 * component of it stands for one of the case.
 */
static void check_laws(struct oracle *oracle, struct arena *a)
{
	struct choice choice = choice_seeded(18);
	const struct profile profile = profile_default();
	int made[TWIN_COUNT] = {0};

	for (int n = 0; n < LAW_CASES; n++) {
		struct testcase c;
		struct twin_components own;
		struct teeth teeth;
		struct truth truth;

		arena_reset(a);
		c = generate(&choice, &profile, a);
		oracle_truth(oracle, &c, a, &truth);
		own = twin_components_of(&c, &truth, a, &teeth);
		for (int k = 0; k < TWIN_COUNT; k++) {
			struct testcase twin, again;
			struct error e = {0};

			if (!twin_make(&c, (enum twin)k, DTYPE_F64, a, &twin))
				continue;
			made[k]++;
			CHECK(testcase_check(&twin, &e), "case %d, %s: %s %s", n, twin_names[k], e.place, e.text);
			CHECK(twin_make(&c, (enum twin)k, DTYPE_F64, a, &again) && testcase_equal(&twin, &again),
			    "case %d, %s: another twin", n, twin_names[k]);
			CHECK(
			    k == TWIN_WIDE || program_equal(&c.program, &twin.program), "case %d: another program", n);
			CHECK(c.n_transform == twin.n_transform, "case %d: another request", n);
			check_points(&c, &twin, (enum twin)k, n);
			oracle_truth(oracle, &twin, a, &truth);
			CHECK(twin_components_of(&twin, &truth, a, &teeth).n == own.n, "case %d, %s", n, twin_names[k]);
		}
	}
	for (int k = 0; k < TWIN_COUNT; k++)
		CHECK(made[k] > LAW_CASES / 10, "%s: %d", twin_names[k], made[k]);
}

static const double work_of_kind[TWIN_COUNT] = {
#define TWIN(id, name, work, bare, meaning) [TWIN_##id] = work,
#include "fuzz/bench/twins.def"
#undef TWIN
};

/*
 * A cheap case may always have twins.  Of dear ones, a share that falls with their work and grows with what is open,
 * both to the fourth power; one without teeth may cost more.
 */
static void check_affordable(struct arena *a)
{
	enum { CASES = 2000, COMPONENTS = 4, WHY = REASON_ILL_CONDITIONED };
	const double chance = twin_chance(TWIN_WIDE, WHY);
	static const struct {
		int open;
		double times, share; /* how dear the cases are, and how many of them may have a twin */
	} lines[] = {{4, TWIN_BARE, 1}, {4, 1.25 * TWIN_BARE, 0.4096}, {4, 4 * TWIN_BARE, 0x1p-8}, {2, 0.5, 1},
	    {2, 1, 0x1p-4}, {1, 0.25, 1}, {1, 0.3125, 0.4096}, {0, 1, 0}};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct twin_component at[COMPONENTS] = {0};
		const struct twin_components x = {.n = COMPONENTS, .at = at};
		const double work = work_of_kind[TWIN_WIDE] * chance * lines[i].times, share = lines[i].share;
		struct choice choice = choice_seeded(3);
		const struct profile profile = profile_default();
		int n = 0, tried = 0;

		for (int k = 0; k < COMPONENTS; k++)
			at[k] = (struct twin_component){.why = WHY, .teeth = k >= lines[i].open};
		for (int k = 0; k < CASES; k++) {
			struct testcase c;
			double engines;

			arena_reset(a);
			c = generate(&choice, &profile, a);
			engines = TWIN_ENGINES * (double)case_work(&c);
			if (engines > work)
				continue;
			tried++;
			n += twin_affordable(&c, TWIN_WIDE, &x, (int64_t)(work - engines));
		}
		CHECK(tried > CASES / 2, "%d open: %d cases are cheap enough", lines[i].open, tried);
		CHECK(fabs(n - share * tried) <= 5 * sqrt(share * (1 - share) * tried), "%d open, %g times: %d of %d",
		    lines[i].open, lines[i].times, n, tried);
	}
}

int main(int argc, char **argv)
{
	struct oracle *oracle = oracle_open(&(struct oracle_options){.seed = 1, .fd_one_in = 10});
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, ARENA);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		if (row_wanted("%s", rows[k].name))
			check_row(&rows[k], oracle, &a);
	CHECK_LAW(check_none(&a));
	CHECK_LAW(check_bare());
	CHECK_LAW(check_laws(oracle, &a));
	CHECK_LAW(check_affordable(&a));
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}
