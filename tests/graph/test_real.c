/* test_real.c: reals as text: exact both ways, numbers as the nearest value, and decimal literals with rounding. */
#include "tests/check.h"
#include "graph/testcase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	double x;
	const char *text;
} prints[] = {
    {0.0, "0x0p+0"},
    {-0.0, "-0x0p+0"},
    {1.0, "0x1p+0"},
    {0.75, "0x1.8p-1"},
    {-3, "-0x1.8p+1"},
    {0.1, "0x1.999999999999ap-4"},
    {0x1p-1074, "0x0.0000000000001p-1022"},
    {0x1p-1022, "0x1p-1022"},
    {0x1.fffffffffffffp+1023, "0x1.fffffffffffffp+1023"},
    {-0x1.8p-1023, "-0x0.cp-1022"},
    {INFINITY, "inf"},
    {-INFINITY, "-inf"},
    {NAN, "nan"},
};

static const struct {
	const char *text;
	bool ok;
	double x;
} parses[] = {
    {"0x1.80p-1", true, 0.75},
    {"0x3p-2", true, 0.75},
    {"0xcp-4", true, 0.75},
    {"0x0p0", true, 0},
    {"0x1.0000000000000000000000p0", true, 1},
    {"0x1000000000000000000000p-84", true, 1},
    {"0x00001p+1", true, 2},
    {"0x1p+1023", true, 0x1p1023},
    {"0x1p1024", false, 0},
    {"0x1p-1074", true, 0x1p-1074},
    {"0x1p-1075", false, 0},
    {"0x1.8p-1074", false, 0},
    {"0x1.00000000000008p0", false, 0},
    {"0x1p99999999999999999999", false, 0},
    {"0x0p99999999999999999999", true, 0},
    {"-nan", false, 0},
    {"NaN", false, 0},
    {"nan(1)", false, 0},
    {"Inf", false, 0},
    {"+inf", false, 0},
    {"infinity", false, 0},
    {"0X1p0", false, 0},
    {"0x1P0", false, 0},
    {"0x1.Ap0", false, 0},
    {"0x1", false, 0},
    {"0x1p", false, 0},
    {"0x1p+", false, 0},
    {"0xp1", false, 0},
    {"0x.8p0", false, 0},
    {"0x1.p0", false, 0},
    {"0x1.8.0p0", false, 0},
    {" 0x1p0", false, 0},
    {"0x1p0 ", false, 0},
    {"1.5", false, 0},
    {"", false, 0},
    {"-", false, 0},
    {"+0x1p0", false, 0},
};

static const struct {
	const char *text;
	enum dtype dtype;
	double x;
} nearest[] = {
    {"0", DTYPE_F64, 0},
    {"-0", DTYPE_F64, -0.0},
    {"0.5", DTYPE_F64, 0.5},
    {"-3", DTYPE_F16, -3},
    {"1e3", DTYPE_BF16, 1000},
    {"25E-2", DTYPE_F32, 0.25},
    {"0.1", DTYPE_F64, 0x1.999999999999ap-4},
    {"0.1", DTYPE_F32, 0x1.99999ap-4},
    {"0.1", DTYPE_BF16, 0x1.9ap-4},
    {"0.1", DTYPE_F16, 0x1.998p-4},
    {"-0.1", DTYPE_F32, -0x1.99999ap-4},
    {"9007199254740993", DTYPE_F64, 0x1p53},
    {"9007199254740993.0000000001", DTYPE_F64, 0x1.0000000000001p53},
    /* ties to even, and what only just is none: too near for a binary64 to tell */
    {"1.000000059604644775390625", DTYPE_F32, 1},
    {"1.00000005960464477539062500000000001", DTYPE_F32, 0x1.000002p0},
    {"1.00048828125", DTYPE_F16, 1},
    {"1.00048828125000000000000000001", DTYPE_F16, 0x1.004p0},
    {"-1.00048828125000000000000000001", DTYPE_F16, -0x1.004p0},
    {"1.00146484375", DTYPE_F16, 0x1.008p0},
    {"1.00146484374999999999999999999", DTYPE_F16, 0x1.004p0},
    {"-1.00146484374999999999999999999", DTYPE_F16, -0x1.004p0},
    {"1.00390625", DTYPE_BF16, 1},
    {"1.00390625000000000000000000001", DTYPE_BF16, 0x1.02p0},
    {"2.98023223876953125e-8", DTYPE_F16, 0},
    {"2.980232238769531250000001e-8", DTYPE_F16, 0x1p-24},
    {"5e-324", DTYPE_F64, 0x1p-1074},
    {"1e-999", DTYPE_F64, 0},
    {"-1e-999", DTYPE_F32, -0.0},
    /* the end of the range */
    {"65519.99999999999999999999", DTYPE_F16, 65504},
    {"65520", DTYPE_F16, INFINITY},
    {"-65520", DTYPE_F16, -INFINITY},
    {"1e39", DTYPE_F32, INFINITY},
    {"1.7976931348623157e308", DTYPE_F64, 0x1.fffffffffffffp1023},
    {"1.7976931348623159e308", DTYPE_F64, INFINITY},
    {"-1e999", DTYPE_BF16, -INFINITY},
};

static const struct {
	double x;
	const char *text;
	bool match;
} matches[] = {
    {1.3125, "1.3125", true},
    {1.3125000001, "1.3125", true},
    {1.3126, "1.3125", false},
    {1.334, "1.33", true},
    {-48, "-48", true},
    {-48.4, "-48", true},
    {-47, "-48", false},
    {48, "-48", false},
    {3.1e-6, "3e-06", true},
    {2.6e-6, "3e-6", true},
    {3.6e-6, "3e-06", false},
    {3e-5, "3e-06", false},
    {1e300, "1e+300", true},
    {1e300, "1e300", true},
    {NAN, "nan", true},
    {1, "nan", false},
    {NAN, "1", false},
    {INFINITY, "inf", true},
    {-INFINITY, "inf", false},
    {-INFINITY, "-inf", true},
    {INFINITY, "1e308", false},
    {0, "0", true},
    {-0.0, "0", true},
    {0, "-0.00", true},
    {-0.001, "0.00", true},
    {0.006, "0.00", false},
    {0.5, "0", true},
    {1.5, "2", true},
    {9.96e-6, "1e-05", true},
    {12.25, "0012.25", true},
    {1.7976931348623157e308, "2", false},
    {1.25, "1.2", true},
    {0.0, "0e+00", true},
    {1e-9, "0e+00", false},
    {0.5, ".5", true},
    {-0.25, "-.25", true},
    {0.25, ".5", false},
    {1.5, ".5", false},
    {1, "1.", true},
    {1.6, "1.", false},
    {-1.6, "-2.", true},
    {0, ".0", true},
    {10.5, ".5", false},
    {3e10, "3.e10", true},
    /* no literals */
    {1, "", false},
    {1, ".", false},
    {1, "-", false},
    {1, ".e5", false},
    {1, "1 ", false},
    {1, "+1", false},
    {1000, "10e2", false},
    {1, "0x1p0", false},
    {1, "1e", false},
    {1, "NaN", false},
};

/* xorshift64, for bit patterns. */
static uint64_t next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static bool same(double a, double b) { return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b)); }

/* Any double goes out and comes back, and C's own reader agrees.  REAL_PATTERNS: how many are tried. */
static void law_round_trip(void)
{
	const char *text = getenv("REAL_PATTERNS");
	const long patterns = text ? atol(text) : 200000;
	uint64_t s = 88172645463325252u;
	char buf[REAL_TEXT], shown[64];

	for (long k = 0; k < patterns; k++) {
		union {
			uint64_t u;
			double f;
		} v = {.u = next(&s)};
		if (k % 8 == 0)
			v.u &= ~(UINT64_C(0x7FF) << 52); /* subnormal */
		double back = 0;
		CHECK(real_parse(real_print(v.f, buf), &back) && same(back, v.f), "%a as %s comes back as %a", v.f, buf,
		    back);
		CHECK(same(strtod(buf, NULL), v.f), "%a as %s", v.f, buf);
		if (isfinite(v.f)) {
			snprintf(shown, sizeof shown, "%.16e", v.f);
			CHECK(real_matches_decimal(v.f, shown), "%a is %s", v.f, shown);
			CHECK(same(real_nearest(shown, DTYPE_F64), v.f), "%s is nearest to %a", shown, v.f);
			/* Near the ties of f32, where C's own reader rounds once too. */
			snprintf(shown, sizeof shown, "%.*e", (int)(12 + k % 20),
			    dtype_round(DTYPE_F32, ldexp(v.f, -(int)(k % 900))) * (1 + 0x1p-24));
			CHECK(same(real_nearest(shown, DTYPE_F32), (double)strtof(shown, NULL)), "%s in f32", shown);
		}
	}
}

int main(int argc, char **argv)
{
	char buf[REAL_TEXT];
	double x;

	check_begin(argc, argv);
	for (size_t k = 0; k < sizeof prints / sizeof prints[0]; k++) {
		if (!row_wanted("prints: %s", prints[k].text))
			continue;
		CHECK(!strcmp(real_print(prints[k].x, buf), prints[k].text), "got %s, want %s", buf, prints[k].text);
		CHECK(real_parse(prints[k].text, &x) && same(x, prints[k].x), "%s", prints[k].text);
	}
	for (size_t k = 0; k < sizeof parses / sizeof parses[0]; k++) {
		if (!row_wanted("parses: %s", parses[k].text))
			continue;
		x = 0;
		bool ok = real_parse(parses[k].text, &x);
		CHECK(ok == parses[k].ok && (!ok || same(x, parses[k].x)), "%s gives %d, %a", parses[k].text, ok, x);
	}
	for (size_t k = 0; k < sizeof nearest / sizeof nearest[0]; k++) {
		if (!row_wanted("nearest: %s", nearest[k].text))
			continue;
		x = real_nearest(nearest[k].text, nearest[k].dtype);
		CHECK(
		    same(x, nearest[k].x), "%s in %s gives %a", nearest[k].text, dtype_table[nearest[k].dtype].name, x);
	}
	for (size_t k = 0; k < sizeof matches / sizeof matches[0]; k++)
		if (row_wanted("matches: %s", matches[k].text))
			CHECK(real_matches_decimal(matches[k].x, matches[k].text) == matches[k].match, "%a against %s",
			    matches[k].x, matches[k].text);
	CHECK_LAW(law_round_trip());
	return check_done();
}
