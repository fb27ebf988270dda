/* The cases that a deep sweep lists: an op at special operands, and an operand used once more beside it. */
#include "fuzz/conform/deep.h"

#include <string.h>

#include "tests/check.h"
#include "tests/support/case_text.h"

enum { ARENA = 64 << 20 };

/* ---- special operands ---- */

static const struct conform_column second = {.n_stack = 2, .stack = {TRANSFORM_JVP, TRANSFORM_VJP}, .dtype = DTYPE_F64};

/* How many cases an op has, in how many forms; one of them as text, and its point. */
static const struct special_text {
	enum op op;
	int cases, forms, which;
	const char *program;
	double first;
	int n_wrt;
} specials[] = {
    {OP_SQUARE, 8, 2, 0, "inputs v0: f64[]\nv1: f64[] = square v0\nreturn v1\n", 0, 1},
    {OP_SQUARE, 8, 2, 4 + 2, "inputs v0: f64[9]\nv1: f64[9] = square v0\nreturn v1\n", 1, 1},
    {OP_POW, 155, 6, 5 * 3, "inputs v0: f64[], v1: f64[]\nv2: f64[] = pow v0, v1\nreturn v2\n", 0, 2},
    {OP_POW, 155, 6, 30 + 5 * 2, "inputs v0: f64[]\nv1: f64[] = constant 2\nv2: f64[] = pow v0, v1\nreturn v2\n", 0, 1},
    {OP_POW, 155, 6, 60 + 5 * 2 + 1, "inputs v0: f64[]\nv1: f64[] = constant 1\nv2: f64[] = pow v1, v0\nreturn v2\n", 2,
        1},
    {OP_POW, 155, 6, 120, "inputs v0: f64[], v1: f64[]\nv2: f64[] = pow v0, v1\nreturn v2\n", 0, 1},
    {OP_POW, 155, 6, 151, "inputs v0: f64[]\nv1: f64[] = pow v0, v0\nreturn v1\n", 1, 1},
    {OP_CLAMP, 140, 11, 160 + 1, "inputs v0: f64[], v1: f64[]\nv2: f64[] = clamp v0, v1, v1\nreturn v2\n", 1, 2},
    {OP_CLAMP, 140, 11, 0, "inputs v0: f64[], v1: f64[], v2: f64[]\nv3: f64[] = clamp v0, v1, v2\nreturn v3\n", 0, 3},
    {OP_REDUCE_PROD, 27, 1, 1, "inputs v0: f64[3]\nv1: f64[] = reduce_prod v0 axes=[0]\nreturn v1\n", 0.5, 1},
    {OP_CUMPROD, 27, 1, 1, "inputs v0: f64[3]\nv1: f64[3] = cumprod v0 axis=0\nreturn v1\n", 0.5, 1},
    {OP_SCATTER_MUL, 32, 2, 31,
        "inputs v0: f64[2], v1: f64[2]\nv2: i64[2] = constant [1, 1]\n"
        "v3: f64[2] = scatter_mul v0, v2, v1 axis=0 mode=clip\nreturn v3\n",
        0.5, 2},
    {OP_FOR, 0, 0, -1, NULL, 0, 0},
};

static void check_special(const struct special_text *row)
{
	int made = 0, forms = 0, form = 0;
	enum edit_result r = EDIT_SKIP;
	struct arena a;

	arena_init(&a, ARENA);
	for (int k = 0; r != EDIT_END; k++) {
		struct testcase c;
		struct error e = {0};

		r = special_case(row->op, &second, k, &a, &c, &form);
		if (r != EDIT_TRY)
			continue;
		made++;
		forms = form >= forms ? form + 1 : forms;
		CHECK(testcase_check(&c, &e), "%s %d: %s", op_table[row->op].name, k, e.text);
		CHECK(region_has_op(&c.program.top, row->op), "%s %d: without the op", op_table[row->op].name, k);
		if (k != row->which)
			continue;
		const char *text = program_print(&c.program, &a);

		CHECK(!strcmp(text, row->program), "%s %d:\n%s", op_table[row->op].name, k, text);
		CHECK(c.point[0][0].at[0].f == row->first, "%s %d: at %g", op_table[row->op].name, k,
		    c.point[0][0].at[0].f);
		CHECK(c.transform[0].n_wrt == row->n_wrt, "%s %d: by %d", op_table[row->op].name, k,
		    c.transform[0].n_wrt);
	}
	CHECK(made == row->cases && forms == row->forms, "%s: %d cases, %d forms", op_table[row->op].name, made, forms);
	arena_free(&a);
}

/* Each op on floats that are elements or lines of elements has a row, and no other. */
static void check_rows(void)
{
	for (int op = 0; op < OP_COUNT; op++) {
		const enum family f = op_table[op].family;
		const bool wanted = (op_table[op].dtypes & MASK_FLOAT) &&
		    op_table[op].regularity != REGULARITY_DISCRETE &&
		    (f == FAMILY_UNARY || f == FAMILY_BINARY || f == FAMILY_CLAMP || f == FAMILY_REDUCE ||
		        f == FAMILY_CUMULATIVE || f == FAMILY_SORT || f == FAMILY_MATMUL || f == FAMILY_SCATTER);

		CHECK(wanted == !!special_row((enum op)op), "%s: %s row of special.def", op_table[op].name,
		    wanted ? "no" : "a");
	}
}

/* ---- reuse ---- */

#define SINE "inputs x: f64[]\ny = sin x\nz = exp y\nreturn z\npoint 0.5\nrequest: vjp\n"
#define SUM  "inputs x: f64[2]\ny = reduce_sum x axes=[0]\nreturn y\npoint [0.5, 2]\nrequest: vjp\n"
#define CAPTURE \
	"inputs x: f64[], c: f64[]\ny = for (x) trip=2 {\n  params i, a\n  b = mul a, c\n  yield b\n}\nreturn y\n" \
	"point 0.5, 2\nrequest: vjp\n"

/* NULL: the form does not apply. */
static const struct reuse_text {
	const char *text;
	enum op op;
	int draw, form;
	const char *last; /* the end of the program */
} reuses[] = {
    {SINE, OP_SIN, 0, 0, "v1: f64[] = sin v0\nv2: f64[] = mul v1, v0\nreturn v2\n"},
    {SINE, OP_SIN, 0, 1, "v1: f64[] = sin v0\nv2: f64[] = add v1, v0\nreturn v2\n"},
    {SINE, OP_SIN, 0, 2, "v1: f64[] = mul v0, v0\nv2: f64[] = sin v0\nv3: f64[] = add v2, v1\nreturn v3\n"},
    {SINE, OP_SIN, 0, 3, "v1: f64[] = sin v0\nreturn v1, v0\n"},
    {SINE, OP_SIN, 0, REUSE_RESULTS, NULL},
    {SINE, OP_EXP, 0, 0, "v1: f64[] = sin v0\nv2: f64[] = exp v1\nv3: f64[] = mul v2, v1\nreturn v3\n"},
    {SINE, OP_COS, 0, 0, NULL},
    {SUM, OP_REDUCE_SUM, 0, 0, "v2: f64[2] = mul v1, v0\nreturn v2\n"},
    {CAPTURE, OP_FOR, 0, 0, "v6: f64[] = mul v5, v0\nreturn v6\n"},
    {CAPTURE, OP_FOR, 0, REUSE_RESULTS, "mul v5, v1\nreturn v6\n"},
    {CAPTURE, OP_MUL, 1, 1, "add v5, v0\nreturn v6\n"},
};

/* Every level is by all inputs that are floats, also those that were constants to it. */
static void check_wrt(void)
{
	static const char text[] =
	    "inputs x: f64[], n: i64[], c: f64[]\ny = mul x, c\nreturn y\npoint 0.5, 1, 2\n"
	    "request: jvp with respect to c; tangents 3\n    then vjp with respect to x; cotangents 2\n";
	struct testcase c, out;
	struct arena a;

	arena_init(&a, ARENA);
	c = test_case(&a, text);
	CHECK(reuse_case(&c, OP_MUL, 0, 0, &a, &out), "not made");
	for (int k = 0; k < 2; k++)
		CHECK(out.transform[k].n_wrt == 2 && out.transform[k].wrt[0] == 0 && out.transform[k].wrt[1] == 2,
		    "level %d: by %d inputs", k, out.transform[k].n_wrt);
	CHECK(out.transform[0].n_seed == 2 && out.transform[0].seed[0].at[0].f == 1 &&
	        out.transform[0].seed[1].at[0].f == 3,
	    "%d tangents", out.transform[0].n_seed);
	CHECK(out.transform[1].n_seed == 1 && out.transform[1].seed[0].at[0].f == 2, "%d cotangents",
	    out.transform[1].n_seed);
	arena_free(&a);
}

static void check_reuse(const struct reuse_text *row)
{
	struct testcase c, out;
	const char *text;
	struct arena a;
	bool made;

	arena_init(&a, ARENA);
	c = test_case(&a, row->text);
	made = reuse_case(&c, row->op, row->draw, row->form, &a, &out);
	CHECK(made == !!row->last, "%s form %d: made %d", op_table[row->op].name, row->form, made);
	if (made && row->last) {
		text = program_print(&out.program, &a);
		CHECK(strlen(text) >= strlen(row->last) && !strcmp(text + strlen(text) - strlen(row->last), row->last),
		    "%s form %d:\n%s", op_table[row->op].name, row->form, text);
	}
	arena_free(&a);
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	CHECK_LAW(check_rows());
	CHECK_LAW(check_wrt());
	for (size_t k = 0; k < sizeof specials / sizeof *specials; k++)
		if (row_wanted("%s %d", op_table[specials[k].op].name, specials[k].which))
			check_special(&specials[k]);
	for (size_t k = 0; k < sizeof reuses / sizeof *reuses; k++)
		if (row_wanted("reuse %d: %s form %d", (int)k, op_table[reuses[k].op].name, reuses[k].form))
			check_reuse(&reuses[k]);
	return check_done();
}
