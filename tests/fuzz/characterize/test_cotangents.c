/* What is due by an operand, element by element; variants that may be right by accident. */
#include <math.h>

#include "fuzz/characterize/lab.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

static bool open_lab(struct lab *l, const struct testcase *c, struct arena *a)
{
	struct error e = {0};

	*l = (struct lab){.base = c, .typical = c, .arena = a};
	l->primal = engine_open("aot", &e);
	l->forward = engine_open("aot", &e);
	CHECK(l->primal && l->forward, "%s", e.text);
	arena_init(&l->scratch, 64 << 20);
	return l->primal && l->forward;
}

static void close_lab(struct lab *l)
{
	engine_close(l->primal);
	engine_close(l->forward);
	arena_free(&l->scratch);
}

/* Where nothing is due, an operand that gets 0 shows nothing. */
static void test_due(struct arena *a)
{
	static const struct {
		const char *body, *role;
		enum op op;
		bool drops, known, flows[2];
	} rows[] = {
	    {"y = pow x, z", "exponent of pow", OP_POW, true, true, {false, true}},
	    {"y = pow x, z", "base of pow", OP_POW, true, true, {true, true}},
	    {"y = pow x, z", "exponent of pow", OP_POW, false, false, {false, false}},
	    {"y = max x, z", "first operand of max", OP_MAX, true, true, {false, false}},
	    {"y = max x, z", "second operand of max", OP_MAX, true, true, {true, true}},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct testcase c = test_function(
		    a, "x: f64[2], z: f64[2]", rows[i].body, "[1, 2], [3, 4]", "vjp");
		const struct known_cotangents *known;
		struct lab l;

		if (!row_wanted("%s: %s, %d", rows[i].body, rows[i].role, rows[i].drops) || !open_lab(&l, &c, a))
			continue;
		l.n_blamed = 1;
		l.blamed[0] = (struct blamed){rows[i].op, rows[i].role, false};
		l.drops = rows[i].drops;
		known = lab_cotangents(&l, &c);
		CHECK(known && known->n == 1 && (known->of[0].due != NULL) == rows[i].known, "known");
		for (int k = 0; known && known->of[0].due && k < 2; k++)
			CHECK((fabs(known->of[0].due->at[k].f) > 1e-6) == rows[i].flows[k], "%g",
			    known->of[0].due->at[k].f);
		close_lab(&l);
	}
}

/* Operands that depend on one input may be right by accident, if several are to blame. */
static void test_shared(struct arena *a)
{
	static const struct {
		const char *body;
		int n_blamed;
		bool shares;
	} rows[] = {
	    {"y = concatenate x, x axis=0", 2, true},
	    {"w = reverse x axes=[0]\ny = concatenate x, w axis=0", 2, true},
	    {"y = concatenate x, z axis=0", 2, false},
	    {"y = concatenate x, x axis=0", 1, false},
	    {"w = mul x, x\ny = concatenate w, z axis=0", 2, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct testcase c = test_function(
		    a, "x: f64[2], z: f64[2]", rows[i].body, "[1, 2], [3, 4]", "vjp");
		struct lab l;

		if (!row_wanted("%s, %d", rows[i].body, rows[i].n_blamed) || !open_lab(&l, &c, a))
			continue;
		l.n_blamed = rows[i].n_blamed;
		l.blamed[0] = (struct blamed){OP_CONCATENATE, "first operand of concatenate", false};
		l.blamed[1] = (struct blamed){OP_CONCATENATE, "second operand of concatenate", false};
		CHECK(lab_shares_operands(&l, &c) == rows[i].shares, "shares");
		close_lab(&l);
	}
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 64 << 20);
	test_due(&a);
	test_shared(&a);
	arena_free(&a);
	return check_done();
}
