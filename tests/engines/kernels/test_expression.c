/* test_expression.c: texts of partials: values, precedence, laziness of sel, errors. */
#include <math.h>
#include <string.h>

#include "engines/kernels/expression.h"
#include "tests/check.h"

/* At a = 2, b = 3, c = -1, y = 0.5. */
static const struct {
	const char *text;
	double want;
} values[] = {
    {"1", 1},
    {"a", 2},
    {"b", 3},
    {"c", -1},
    {"y", 0.5},
    {"1.5e-3", 1.5e-3},
    {".25", .25},
    {"2e2", 200},
    {"a+b*c", -1},
    {"(a+b)*c", -5},
    {"a-b-c", 0},
    {"a/b/c", 2. / 3 / -1},
    {"-a*b", -6},
    {"--a", 2},
    {"a*-b", -6},
    {" a + b ", 5},
    {"sq(a+b)", 25},
    {"-sq(a)", -4},
    {"hypot(b,a*a)", 5},
    {"pow(a,b)", 8},
    {"atan2(c,0)", -1.5707963267948966},
    {"exp(0)", 1},
    {"cosh(0)+sinh(0)", 1},
    {"log(1)", 0},
    {"sqrt(a*a)", 2},
    {"abs(c)", 1},
    {"floor(c/a)", -1},
    {"sign(c)", -1},
    {"sign(a)", 1},
    {"sign(0*c)", 0},
    {"erf(0)", 0},
    {"pi", 3.14159265358979323846},
    {"gt(a,b)", 0},
    {"ge(a,a)", 1},
    {"lt(a,b)", 1},
    {"le(b,a)", 0},
    {"eq(a,2)", 1},
    {"ne(a,2)", 0},
    {"max(a,b)", 3},
    {"min(a,b)", 2},
    {"gauss(a)", 0.018315638888734179},
    {"gauss(1e200)", 0},
    {"sel(gt(b,a),a,c)", 2},
    {"sel(lt(b,a),a,c)", -1},
    {"1+sel(0,1/0,sel(1,b,c))*a", 7},
    {"sel(sel(0,1,0),2,3)+1", 4},
    /* what is not taken would be NaN if it were a product with 0 */
    {"sel(1,a,0/0)", 2},
    {"sel(0,log(c),a)", 2},
};

static const struct {
	const char *text, *column;
} errors[] = {
    {"a+", "column 3"},
    {"(a", "column 3"},
    {"a)", "column 2"},
    {"foo(a)", "unknown name 'foo'"},
    {"sq(a,b)", "expected ')'"},
    {"hypot(a)", "expected ','"},
    {"sel(a,b)", "expected ','"},
    {"a b", "unexpected 'b'"},
    {"1.2.3", "not a number"},
    {"1e", "not a number"},
    {"d", "unknown name 'd'"},
    {"A", "unexpected 'A'"},
    {" ", "unexpected end"},
    {"0x10", "unexpected 'x'"},
    {"a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+a)))))))))))))))))", "too long"},
    {"a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a", "too long"},
};

int main(int argc, char **argv)
{
	struct expression x;

	check_begin(argc, argv);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		struct error e = {.text = ""};
		bool compiled = expression_compile(&x, values[i].text, &e);
		double got = expression_eval(&x, 2, 3, -1, 0.5);

		CHECK(compiled, "%s: %s", values[i].text, e.text);
		CHECK(fabs(got - values[i].want) <= 4e-16 * fabs(values[i].want), "%s: %.17g, not %.17g",
		    values[i].text, got, values[i].want);
		CHECK(!strcmp(x.text, values[i].text), "the text is kept: %s", x.text);
	}
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		if (!row_wanted("errors: %s, %s", errors[i].text, errors[i].column))
			continue;
		struct error e = {.text = ""};

		CHECK(!expression_compile(&x, errors[i].text, &e), "%s", errors[i].text);
		CHECK(strstr(e.text, errors[i].column), "%s: %s", errors[i].text, e.text);
		CHECK(x.n == 0, "%s leaves no code", errors[i].text);
	}
	CHECK(expression_compile(&x, "", NULL) && x.n == 0, "absent");
	CHECK(expression_compile(&x, NULL, NULL) && x.n == 0, "absent");
	/* exp(-x*x) by itself is off by x*x/2 ulp; exact value from 60 digits */
	expression_known(&x, "gauss(a)");
	CHECK(fabs(expression_eval(&x, 25.1, 0, 0, 0) / 2.4554633491644657e-274 - 1) < 1e-15, "%.17g",
	    expression_eval(&x, 25.1, 0, 0, 0));
	return check_done();
}
