/*
 * What an engine declares of its functions: radii grow by what is declared, where that is, and not beyond; an engine
 * that is off by that much is inaccurate, and one that is off by more is wrong.
 */
#include "engines/engine.h"
#include "fuzz/bench/bench.h"
#include "graph/testcase.h"
#include "oracles/truth.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <string.h>

static const double ulp_of_one = 0x1p-52, far = 0x1p40;

#define NORM      "b = broadcast_to x shape=[2]; y = norm b axes=[0]"
#define LOGSUMEXP "b = broadcast_to x shape=[2]; y = logsumexp b axes=[0]"

static const struct row {
	const char *name, *node, *point, *request;
	enum op op;
	struct op_accuracy declared;
	double least, most; /* of what `loose` grows by: of the derivative, of the primal where there is none */
} rows[] = {
    {"sinh by exponentials near 0", "y = sinh x", "0x1p-70", "", OP_SINH, {0, 2}, 2, 2},
    {"sinh elsewhere", "y = sinh x", "3", "", OP_SINH, {0, 2}, 2, 2},
    {"by so many of its own units: nothing near 0", "y = sinh x", "0x1p-70", "", OP_SINH, {0x1p40, 0}, 0, 0x1p-27},
    {"but anything elsewhere", "y = sinh x", "3", "", OP_SINH, {0x1p40, 0}, far, INFINITY},
    {"both", "y = sinh x", "0x1p-70", "", OP_SINH, {4096, 2}, 2, 2.001},
    {"less than usual", "y = sinh x", "3", "", OP_SINH, {1, 0}, 0, 0},
    {"where an exact operand has an exact result", "y = sinh x", "0", "", OP_SINH, {0, 2}, 2, 2.001},
    {"another function", "y = sinh x", "3", "", OP_COSH, {0, 2}, 0, 0},
    {"arithmetic", "y = mul x, x", "1.25", "", OP_MUL, {9, 9}, 0, 0},
    {"a root", "y = sqrt x", "1.25", "", OP_SQRT, {9, 9}, 0, 0},
    {"two operands", "y = pow x, x", "1.25", "", OP_POW, {0, 5}, 5, 5},
    {"a norm by its own units", NORM, "1", "", OP_NORM, {0x1p40, 0}, far, INFINITY},
    {"and by units of 1", NORM, "1", "", OP_NORM, {0, 5}, 5, 5},
    {"its derivative", NORM, "1", "vjp", OP_NORM, {0, 5}, 10, 40},
    {"a norm has no other function", NORM, "1", "", OP_SQRT, {9, 9}, 0, 0},
    {"a logsumexp by its own units of 1", LOGSUMEXP, "1", "", OP_LOGSUMEXP, {0, 5}, 5, 5},
    {"by those of log", LOGSUMEXP, "1", "", OP_LOG, {0, 5}, 5, 5},
    {"by those of exp, of which two are added", LOGSUMEXP, "1", "", OP_EXP, {0, 5}, 10, 10.001},
    {"below 0 a sum without the shift is smaller", LOGSUMEXP, "-3", "", OP_EXP, {0, 5}, 95, 110},
    {"by the units of exp", LOGSUMEXP, "1", "", OP_EXP, {0x1p40, 0}, far, INFINITY},
    {"its derivative by those of log", LOGSUMEXP, "1", "vjp", OP_LOG, {0, 5}, 10, 40},
    {"and of exp", LOGSUMEXP, "1", "jvp", OP_EXP, {0, 5}, 10, 60},
    {"sinh as a derivative, reverse", "y = cosh x", "0x1p-70", "vjp", OP_COSH, {0, 2}, 2, 2.001},
    {"and forward", "y = cosh x", "0x1p-70", "jvp", OP_COSH, {0, 2}, 2, 2.001},
    /* its formula's operations lose as much as its value */
    {"sinh as a second derivative", "y = sinh x", "0x1p-70", "vjp; then jvp", OP_SINH, {0, 2}, 2, 40},
    {"and tanh", "y = tanh x", "0x1p-70", "jvp; then jvp", OP_TANH, {0, 1}, 2, 200},
};

static struct component component_of(
    struct oracle *oracle, const struct row *row, const struct testcase *c, struct arena *a)
{
	struct truth truth;
	oracle_truth(oracle, c, a, &truth);
	const struct truth_point *p = &truth.point[0];
	return *row->request ? p->derivative[0]->at[0] : p->primal->at[0];
}

static void test_row(struct oracle *oracle, const struct row *row, struct arena *a)
{
	struct op_accuracy of[OP_COUNT] = {0};
	struct testcase c = test_function(a, "x: f64[]", row->node, row->point, row->request);
	if (!c.n_point)
		return;
	struct component usual = component_of(oracle, row, &c, a);
	of[row->op] = row->declared;
	oracle_accuracy(oracle, of);
	struct component wide = component_of(oracle, row, &c, a);
	oracle_accuracy(oracle, NULL);
	double grown = (wide.loose - usual.loose) / ulp_of_one;
	CHECK(grown >= row->least * (1 - 1e-9) && grown <= row->most * (1 + 1e-9), "%s: %g ulps of 1, not %g to %g",
	    row->name, grown, row->least, row->most);
	CHECK((wide.tight - usual.tight) / ulp_of_one >= row->least * (1 - 1e-9), "%s: tight", row->name);
}

/* An engine that answers every case with one number, whatever it says of its accuracy; in its JSON ' stands for ". */
static char *engine_of(const char *declared, const char *answer, const char *derivative, struct arena *a)
{
	char *hello = arena_printf(a, "{'adjudge.engine':1,'name':'x','ops':['sinh','add','sub']%s}", declared);
	char *answers = arena_printf(
	    a, "[[{'status':'ok','primal':[{'type':'f64[]','data':[%s]}],'derivative':[%s]}]]", answer, derivative);

	return arena_printf(a,
	    "proc:echo '%s'; while read -r line; do id=${line#*:}; echo '%s'${id%%%%,*}',%s%s}'; done",
	    json_text(a, hello), json_text(a, "{'id':"), json_text(a, "'answers':"), json_text(a, answers));
}

/* -3/4, and 0 if the large numbers meet x one by one. */
#define SUMS "a = sub x, 1; b = add a, 0x1p53; y = sub b, 0x1p53"

static const struct verdict_row {
	const char *declared, *point, *answer;
	enum verdict verdict;
	const char *request, *derivative; /* NULL: the primal alone */
	const char *body;                 /* NULL: y = sinh x */
} verdicts[] = {
    {"", "0x1p-70", "'0x1p-70'", VERDICT_AGREE},
    {"", "0x1p-70", "0", VERDICT_WRONG_PRIMAL},
    {",'accuracy':{'sinh':{'absolute':2}}", "0x1p-70", "0", VERDICT_INACCURATE},
    {",'accuracy':{'sinh':{'absolute':2}}", "0x1p-70", "'0x1p-50'", VERDICT_WRONG_PRIMAL},
    {",'accuracy':{'sinh':{'absolute':2}}", "3", "10", VERDICT_WRONG_PRIMAL},
    {",'accuracy':{'sinh':{'absolute':2}}", "0x1p-70", "0", VERDICT_INACCURATE, "vjp", "{'type':'f64[]','data':[1]}"},
    {",'accuracy':{'sinh':{'absolute':2}}", "0x1p-70", "0", VERDICT_WRONG, "vjp",
        "{'type':'f64[]','data':[5]}"}, /* what is declared explains the primal, which hid it */
    {",'accuracy':{'sinh':4096}", "0x1p-70", "0", VERDICT_WRONG_PRIMAL},
    {",'accuracy':{'cosh':{'absolute':2}}", "0x1p-70", "0", VERDICT_WRONG_PRIMAL},
    {"", "0.25", "0", VERDICT_WRONG_PRIMAL, .body = SUMS},
    {",'reassociates':true", "0.25", "0", VERDICT_INACCURATE, .body = SUMS},
    {",'reassociates':true", "0.25", "9", VERDICT_WRONG_PRIMAL, .body = SUMS},
    {",'reassociates':true", "0x1p-70", "0", VERDICT_WRONG_PRIMAL},
};

static void test_verdict(const struct verdict_row *row, struct arena *a)
{
	struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct bench_result r;
	struct testcase c = test_function(
	    a, "x: f64[]", row->body ? row->body : "y = sinh x", row->point, row->request ? row->request : "");
	struct error e = {0};
	struct bench b;
	const char *spec = engine_of(row->declared, row->answer, row->derivative ? row->derivative : "", a);
	if (!c.n_point)
		return;
	CHECK(bench_open(&b, &spec, 1, &options, &e), "%s: %s", spec, e.text);
	if (!b.n_engine)
		return;
	bench_judge(&b, &c, a, &r);
	CHECK(r.judgement[0].verdict == row->verdict, "%s at %s, answered %s: %s", row->declared, row->point,
	    row->answer, verdict_names[r.judgement[0].verdict]);
	bench_close(&b);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "worker")) /* the supervisor of a process of others is this executable */
		return engine_worker_exec(argv[3]);
	check_begin(argc, argv);
	struct oracle *oracle = oracle_open(&(struct oracle_options){.seed = 1, .fd_one_in = 1});
	struct arena a;

	arena_init(&a, 1 << 24);
	for (size_t k = 0; oracle && k < sizeof rows / sizeof *rows; k++) {
		if (!row_wanted("%s", rows[k].name))
			continue;
		test_row(oracle, &rows[k], &a);
		arena_reset(&a);
	}
	for (size_t k = 0; k < sizeof verdicts / sizeof *verdicts; k++) {
		if (!row_wanted("verdicts: %s at %s", verdicts[k].declared, verdicts[k].point))
			continue;
		test_verdict(&verdicts[k], &a);
		arena_reset(&a);
	}
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}
