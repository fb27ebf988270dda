/*
 * What an engine declares of its functions: radii grow by what is declared, where that is, and not beyond; an engine that is off by that much is inaccurate,
 * and one that is off by more is wrong.
 */
#include "../../engines/engine.h"
#include "../../fuzz/bench.h"
#include "../../graph/testcase.h"
#include "../../oracles/truth.h"
#include "../check.h"

#include <math.h>
#include <string.h>

#define N(op, args) "{\"out\":[\"y\"],\"op\":\"" op "\",\"args\":[" args "]}"
#define VJP "{\"transform\":\"vjp\",\"wrt\":[0],\"cotangents\":[1]}"
#define D(value) "{\"type\":\"f64[]\",\"data\":[" value "]}"
#define JVP "{\"transform\":\"jvp\",\"wrt\":[0],\"tangents\":[1]}"

static const double ulp_of_one = 0x1p-52, far = 0x1p40;

static const struct row {
	const char *name, *node, *point, *request;
	enum op op;
	struct op_accuracy declared;
	double least, most; /* of what `loose` grows by: of the derivative, of the primal where there is none */
} rows[] = {
    {"sinh by exponentials near 0", N("sinh", "\"x\""), "\"0x1p-70\"", "", OP_SINH, {0, 2}, 2, 2},
    {"sinh elsewhere", N("sinh", "\"x\""), "3", "", OP_SINH, {0, 2}, 2, 2},
    {"by so many of its own units: nothing near 0", N("sinh", "\"x\""), "\"0x1p-70\"", "", OP_SINH, {0x1p40, 0}, 0, 0x1p-27},
    {"but anything elsewhere", N("sinh", "\"x\""), "3", "", OP_SINH, {0x1p40, 0}, far, INFINITY},
    {"both", N("sinh", "\"x\""), "\"0x1p-70\"", "", OP_SINH, {4096, 2}, 2, 2.001},
    {"less than usual", N("sinh", "\"x\""), "3", "", OP_SINH, {1, 0}, 0, 0},
    {"where an exact operand has an exact result", N("sinh", "\"x\""), "0", "", OP_SINH, {0, 2}, 2, 2.001},
    {"another function", N("sinh", "\"x\""), "3", "", OP_COSH, {0, 2}, 0, 0},
    {"arithmetic", N("mul", "\"x\",\"x\""), "1.25", "", OP_MUL, {9, 9}, 0, 0},
    {"a root", N("sqrt", "\"x\""), "1.25", "", OP_SQRT, {9, 9}, 0, 0},
    {"two operands", N("pow", "\"x\",\"x\""), "1.25", "", OP_POW, {0, 5}, 5, 5},
    {"sinh as a derivative, reverse", N("cosh", "\"x\""), "\"0x1p-70\"", VJP, OP_COSH, {0, 2}, 2, 2.001},
    {"and forward", N("cosh", "\"x\""), "\"0x1p-70\"", JVP, OP_COSH, {0, 2}, 2, 2.001},
    /* its formula's operations lose as much as its value */
    {"sinh as a second derivative", N("sinh", "\"x\""), "\"0x1p-70\"", VJP "," JVP, OP_SINH, {0, 2}, 2, 40},
    {"and tanh", N("tanh", "\"x\""), "\"0x1p-70\"", JVP "," JVP, OP_TANH, {0, 1}, 2, 200},
};

static bool read_case(const struct row *row, struct arena *a, struct testcase *c)
{
	struct error e = {0};
	char *text = arena_printf(a, "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"x: f64[]\"],\"body\":[%s],\"results\":[\"y\"],\"points\":[[%s]],\"request\":[%s]}",
	    row->node, row->point, row->request);
	bool good = testcase_read(text, strlen(text), a, c, &e);
	CHECK(good, "%s: %s: %s\n%s", row->name, e.place, e.text, text);
	return good;
}

static struct component component_of(struct oracle *oracle, const struct row *row, const struct testcase *c, struct arena *a)
{
	struct truth truth;
	oracle_truth(oracle, c, a, &truth);
	const struct truth_point *p = &truth.point[0];
	return *row->request ? p->derivative[0]->at[0] : p->primal->at[0];
}

static void test_row(struct oracle *oracle, const struct row *row, struct arena *a)
{
	struct op_accuracy of[OP_COUNT] = {0};
	struct testcase c = {0};
	if (!read_case(row, a, &c))
		return;
	struct component usual = component_of(oracle, row, &c, a);
	of[row->op] = row->declared;
	oracle_accuracy(oracle, of);
	struct component wide = component_of(oracle, row, &c, a);
	oracle_accuracy(oracle, NULL);
	double grown = (wide.loose - usual.loose) / ulp_of_one;
	CHECK(grown >= row->least * (1 - 1e-9) && grown <= row->most * (1 + 1e-9), "%s: %g ulps of 1, not %g to %g", row->name, grown, row->least, row->most);
	CHECK((wide.tight - usual.tight) / ulp_of_one >= row->least * (1 - 1e-9), "%s: tight", row->name);
}

/* An engine that answers every case with one number, whatever it says of its accuracy. */
static const char engine[] = "proc:echo '{\"adjudge.engine\":1,\"name\":\"x\",\"ops\":[\"sinh\"]%s}'; while read -r line; do id=${line#*:}; "
			     "echo '{\"id\":'${id%%%%,*}',\"answers\":[[{\"status\":\"ok\",\"primal\":[{\"type\":\"f64[]\",\"data\":[%s]}],\"derivative\":[%s]}]]}'; done";

static const struct verdict_row {
	const char *declared, *point, *answer;
	enum verdict verdict;
	const char *request, *derivative; /* NULL: the primal alone */
} verdicts[] = {
    {"", "\"0x1p-70\"", "\"0x1p-70\"", VERDICT_AGREE},
    {"", "\"0x1p-70\"", "0", VERDICT_WRONG_PRIMAL},
    {",\"accuracy\":{\"sinh\":{\"absolute\":2}}", "\"0x1p-70\"", "0", VERDICT_INACCURATE},
    {",\"accuracy\":{\"sinh\":{\"absolute\":2}}", "\"0x1p-70\"", "\"0x1p-50\"", VERDICT_WRONG_PRIMAL},
    {",\"accuracy\":{\"sinh\":{\"absolute\":2}}", "3", "10", VERDICT_WRONG_PRIMAL},
    {",\"accuracy\":{\"sinh\":{\"absolute\":2}}", "\"0x1p-70\"", "0", VERDICT_INACCURATE, VJP, D("1")},
    {",\"accuracy\":{\"sinh\":{\"absolute\":2}}", "\"0x1p-70\"", "0", VERDICT_WRONG, VJP, D("5")}, /* what is declared explains the primal, which hid it */
    {",\"accuracy\":{\"sinh\":4096}", "\"0x1p-70\"", "0", VERDICT_WRONG_PRIMAL},
    {",\"accuracy\":{\"cosh\":{\"absolute\":2}}", "\"0x1p-70\"", "0", VERDICT_WRONG_PRIMAL},
};

static void test_verdict(const struct verdict_row *row, struct arena *a)
{
	struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	const struct row program = {row->declared, N("sinh", "\"x\""), row->point, row->request ? row->request : "", OP_SINH, {0, 0}, 0, 0};
	struct bench_result r;
	struct testcase c = {0};
	struct error e = {0};
	struct bench b;
	const char *spec = arena_printf(a, engine, row->declared, row->answer, row->derivative ? row->derivative : "");
	if (!read_case(&program, a, &c))
		return;
	CHECK(bench_open(&b, &spec, 1, &options, &e), "%s: %s", spec, e.text);
	if (!b.n_engine)
		return;
	bench_judge(&b, &c, a, &r);
	CHECK(r.judgement[0].verdict == row->verdict, "%s at %s, answered %s: %s", row->declared, row->point, row->answer, verdict_names[r.judgement[0].verdict]);
	bench_close(&b);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "worker")) /* the supervisor of a process of others is this executable */
		return engine_worker_exec(argv[3]);
	struct oracle *oracle = oracle_open(&(struct oracle_options){.seed = 1, .fd_one_in = 1});
	struct arena a;

	arena_init(&a, 1 << 24);
	for (size_t k = 0; oracle && k < sizeof rows / sizeof *rows; k++) {
		test_row(oracle, &rows[k], &a);
		arena_reset(&a);
	}
	for (size_t k = 0; k < sizeof verdicts / sizeof *verdicts; k++) {
		test_verdict(&verdicts[k], &a);
		arena_reset(&a);
	}
	arena_free(&a);
	oracle_close(oracle);
	return check_done();
}
