/*
 * test_regroup.c: an engine that declares to regroup sums and products is right. The engine answers a program with some
 * of them regrouped; the truth is that of the program as it was.
 */
#include "engines/engine.h"
#include "fuzz/edit/edit.h"
#include "fuzz/generate/choice.h"
#include "oracles/truth.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <limits.h>
#include <math.h>

enum { RANDOM = 3000, INPUTS = 4, NODES = 8, REGROUPED = 24 };

/* An engine with other groups, and how far it is off. Each needs the declaration, or must not have it. */
static const struct row {
	const char *name, *inputs, *body, *point, *request;
	double returned;      /* the first derivative, or the primal where none is asked for */
	bool usual, declared; /* whether it is in the ball */
} rows[] = {
    {"a constant is multiplied last", "x: f64[], y: f64[]", "a = mul x, 3; s = mul a, y",
        "0x1p+0, 0x1.5555555555555p-2", "", 0x1.0000000000001p+0, false, true},
    {"one unit more is wrong", "x: f64[], y: f64[]", "a = mul x, 3; s = mul a, y", "0x1p+0, 0x1.5555555555555p-2", "",
        0x1.0000000000003p+0, false, false},
    {"constants are added first", "x: f64[]", "a = add x, 0x1p+52; s = sub a, 0x1p+52", "0.5", "", 0.5, true, true},
    {"what remains of a large constant", "x: f64[]", "a = sub x, 1; b = add a, 0x1p+53; s = sub b, 0x1p+53", "0.25", "",
        0, false, true},
    {"a sum is not multiplied out", "x: f64[], y: f64[]", "a = sub x, y; s = mul a, 3", "0x1.0000000000001p+0, 1", "",
        0, false, false},
    {"a product of large numbers overflows", "x: f32[], k: f32[], l: f32[]", "a = mul x, k; b = mul a, l; s = mul b, x",
        "0x1p+90, 0x1p-100, 0x1p-60", "", INFINITY, false, true},
    {"of small numbers underflows", "x: f32[], k: f32[], l: f32[]", "a = mul x, k; b = mul a, l; s = mul b, x",
        "0x1p-80, 0x1p+120, 0x1p-75", "", 0, false, true},
    {"a quotient by a constant is a product", "x: f64[]", "s = div x, 3", "5", "", 0x1.aaaaaaaaaaaaap+0, false, true},
    {"two units more are wrong", "x: f64[]", "s = div x, 3", "5", "", 0x1.aaaaaaaaaaaadp+0, false, false},
    {"a quotient by a power of two has one value", "x: f64[]", "s = div x, 4", "5", "", 0x1.4000000000001p+0, false,
        false},
    {"the inverse of a small number overflows", "x: f32[], y: f32[]", "s = div x, y", "0x1p-130, 0x1.8p-129", "",
        INFINITY, false, true},
    {"terms of an adjoint, over a sum", "x: f64[], w: f64[], c: f64[], e: f64[], d: f64[]",
        "z = add x, w; p = mul z, c; q = mul z, e; r = mul x, d; t = add p, q; s = add t, r",
        "0.5, 0.25, 0x1p+54, -0x1p+54, 0.25", "vjp x", 0, true, true},
    {"factors of a gradient", "x: f64[], y: f64[]", "a = mul x, y; b = mul a, 3; s = mul b, y",
        "0.5, 0x1.5555555555555p-2", "vjp x", 0x1.5555555555557p-2, false, true},
};

static void test_row(struct oracle *oracle, const struct row *row, struct arena *a)
{
	struct testcase c = test_case(a,
	    arena_printf(a, "inputs %s\n%s\nreturn s\npoint %s\n%s%s", row->inputs, row->body, row->point,
	        *row->request ? "request: " : "", row->request));

	for (int declared = 0; c.n_point && declared < 2; declared++) {
		struct truth truth;
		oracle_regroups(oracle, declared);
		oracle_truth(oracle, &c, a, &truth);
		oracle_regroups(oracle, false);
		const struct truth_point *p = &truth.point[0];
		const struct component *x = *row->request ? &p->derivative[0][0].at[0] : &p->primal[0].at[0];
		const bool inside = isfinite(row->returned) ? fabs(row->returned - x->value) <= fmax(x->loose, x->tight)
		                                            : x->escapes;

		CHECK(!x->reason, "%s, %d: undecided", row->name, declared);
		CHECK(inside == (declared ? row->declared : row->usual), "%s, declared %d: %a is %s, of %a +- %a",
		    row->name, declared, row->returned, inside ? "inside" : "outside", x->value, x->loose);
	}
}

/* ---- random programs ---- */

/* One of the values so far, the last ones most often. */
static int recent(struct choice *choice, int n)
{
	const int back = choice_below(choice, 3) ? 3 : n;

	return n - 1 - choice_below(choice, back < n ? back : n);
}

static const char *const requests[] = {
    "", "request: vjp", "request: jvp", "request: vjp\nthen jvp", "request: jvp\nthen jvp"};

/* A number of [1/2, 1) with so many random bits.  Few bits leave sums and products exact, in one grouping. */
static double fraction(struct choice *choice, int bits)
{
	const int low = bits > 26 ? bits - 26 : 0;

	return 0.5 + ldexp(choice_below(choice, 1 << (bits - low - 1)), low - bits) +
	    ldexp(low ? choice_below(choice, 1 << low) : 0, -bits);
}

/* Mostly sums and products of each other, of numbers of both signs. One in four has numbers of all sizes. */
static const char *random_case(struct choice *choice, struct arena *a)
{
	static const struct {
		const char *name;
		int bits, far; /* of a significand; the largest exponent */
	} dtypes[] = {{"f64", 53, 200}, {"f64", 53, 200}, {"f32", 24, 60}, {"f16", 11, 8}, {"bf16", 8, 60}}, *d;
	static const char *const ops[] = {
	    "add", "add", "add", "mul", "mul", "mul", "mul", "sub", "neg", "sin", "square", "div", "div"};
	const char *text = "inputs", *point = "\npoint";
	d = &dtypes[choice_below(choice, sizeof dtypes / sizeof *dtypes)];
	const int far = choice_below(choice, 2) ? 2 : d->far;

	for (int k = 0; k < INPUTS; k++) {
		const double x = ldexp(
		    fraction(choice, choice_below(choice, 2) ? d->bits : 2), choice_below(choice, 2 * far + 1) - far);

		text = arena_printf(a, "%s%s v%d: %s[]", text, k ? "," : "", k, d->name);
		point = arena_printf(a, "%s%s %a", point, k ? "," : "", choice_below(choice, 2) ? x : -x);
	}
	for (int k = INPUTS; k < INPUTS + NODES; k++) {
		const char *op = ops[choice_below(choice, sizeof ops / sizeof *ops)];
		const bool one = op[0] == 'n' || (op[0] == 's' && op[1] != 'u');

		text = one ? arena_printf(a, "%s\nv%d = %s v%d", text, k, op, recent(choice, k))
		           : arena_printf(a, "%s\nv%d = %s v%d, v%d", text, k, op, recent(choice, k),
		                 choice_below(choice, 3) ? choice_below(choice, INPUTS) : recent(choice, k));
	}
	return arena_printf(a, "%s\nreturn v%d%s\n%s", text, INPUTS + NODES - 1, point,
	    requests[choice_below(choice, sizeof requests / sizeof *requests)]);
}

/* The node that computes value v. */
static const struct node *maker(const struct edit *e, int v)
{
	for (struct walk w = walk_nodes(&e->c.program.top); walk_next(&w);)
		if (w.node->out == v)
			return w.node;
	return NULL;
}

/* Writes (a + b) + c as a + (b + c), or a difference or a product likewise, at a random node. */
static bool regroup(struct edit *e, struct choice *choice)
{
	struct site s;

	if (!edit_site(e, choice_below(choice, program_nodes(&e->c.program)), &s) || s.node->n_arg != 2)
		return false;
	const int j = s.node->op == OP_SUB ? 0 : choice_below(choice, 2), other = s.node->arg[1 - j];
	const struct node *inner = maker(e, s.node->arg[j]);
	const enum op op = s.node->op == OP_SUB ? OP_ADD : s.node->op;

	if (!inner || inner->op != op || (op != OP_ADD && op != OP_MUL))
		return false;
	const int which = choice_below(choice, 2), kept = inner->arg[which], joined = inner->arg[1 - which];
	const struct type type = *edit_type(e, s.node->out);
	const enum op outer = s.node->op;
	const int value = j ? edit_insert_binary(e, s.region, s.index, outer, other, joined, &type)
	                    : edit_insert_binary(e, s.region, s.index, outer, joined, other, &type);
	struct node *node = &s.region->node[s.index + 1];

	node->op = op;
	node->arg = arena_copy(e->arena, (int[]){kept, value}, 2, sizeof(int));
	return true;
}

/* Writes a / b as a times 1 / b, at a random node. */
static bool invert(struct edit *e, struct choice *choice)
{
	struct site s;

	if (!edit_site(e, choice_below(choice, program_nodes(&e->c.program)), &s) || s.node->op != OP_DIV)
		return false;
	const struct type type = *edit_type(e, s.node->out);
	const int a = s.node->arg[0], b = s.node->arg[1], one = edit_insert_fill(e, s.region, s.index, &type, 1);
	const int inverse = edit_insert_binary(e, s.region, s.index + 1, OP_DIV, one, b, &type);
	struct node *node = &s.region->node[s.index + 2];

	node->op = OP_MUL;
	node->arg = arena_copy(e->arena, (int[]){a, inverse}, 2, sizeof(int));
	return true;
}

/* What became of the answers of one engine. */
struct tally {
	int asked, agree, undecided, needed;
};

static void judge_regrouped(
    struct oracle *oracle, struct engine *engine, uint64_t number, struct arena *a, struct tally *t)
{
	struct choice choice = choice_seeded(seed_mix(29, number));
	const char *text = random_case(&choice, a);
	struct testcase c;
	struct error error = {"", ""};
	struct truth usual, wide;
	struct judgement got;
	int written = 0;

	if (!case_text_read(text, a, &c, &error)) {
		CHECK(false, "%s: %s\n%s", error.place, error.text, text);
		return;
	}
	struct edit e = {.c = testcase_copy(&c, a), .arena = a};
	for (int k = 0; k < REGROUPED; k++)
		written += k % 4 == 0 ? invert(&e, &choice) : regroup(&e, &choice);
	if (!written || !edit_finish(&e, false))
		return;
	struct answer *answer = NEW(a, struct answer, c.n_point);
	engine_answer(engine, &e.c, a, answer);
	oracle_regroups(oracle, true);
	oracle_truth(oracle, &c, a, &wide);
	oracle_regroups(oracle, false);
	judge(&c, &wide, answer, &got);
	CHECK(!verdict_is_finding[got.verdict], "case %llu of %s: %s\n%s", (unsigned long long)number,
	    engine_spec(engine), verdict_names[got.verdict], text);
	t->agree += got.verdict == VERDICT_AGREE;
	t->undecided += got.verdict == VERDICT_UNDECIDED;
	t->asked++;
	oracle_truth(oracle, &c, a, &usual);
	judge(&c, &usual, answer, &got);
	t->needed += verdict_is_finding[got.verdict];
}

static void test_random(struct oracle *oracle, const char *spec, struct arena *a)
{
	struct error e = {"", ""};
	struct engine *engine = engine_open(spec, &e);
	struct tally t = {0};

	CHECK(engine, "%s: %s", spec, e.text);
	for (int number = 0; engine && number < RANDOM; number++) {
		arena_reset(a);
		judge_regrouped(oracle, engine, (uint64_t)number, a, &t);
	}
	/* The law would hold of any radius that is too large, and of programs in which nothing is regrouped. */
	CHECK(3 * t.agree > t.asked, "%s: only %d of %d cases agree", spec, t.agree, t.asked);
	CHECK(t.needed > 2, "%s: only %d cases need the declaration", spec, t.needed);
	printf("%s: of %d cases %d agree, %d are undecided, %d would be findings\n", spec, t.asked, t.agree,
	    t.undecided, t.needed);
	engine_close(engine);
}

int main(int argc, char **argv)
{
	static const char *const engines[] = {"tape", "forward", "functional:rounding=3"};
	const struct oracle_options options = {.seed = 1, .fd_one_in = INT_MAX};
	struct oracle *oracle = oracle_open(&options);
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 512 << 20);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		arena_reset(&a);
		if (row_wanted("%s", rows[k].name))
			test_row(oracle, &rows[k], &a);
	}
	for (size_t k = 0; k < sizeof engines / sizeof *engines; k++)
		if (row_wanted("random: %s", engines[k]))
			test_random(oracle, engines[k], &a);
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}
