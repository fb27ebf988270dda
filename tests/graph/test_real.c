/* test_real.c: reals as text: exact both ways, and decimal literals with rounding. */
#include "tests/check.h"
#include "graph/testcase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	double x;
	const char *text;
} prints[] = {
	{0.0, "0x0p+0"}, {-0.0, "-0x0p+0"}, {1.0, "0x1p+0"}, {0.75, "0x1.8p-1"}, {-3, "-0x1.8p+1"},
	{0.1, "0x1.999999999999ap-4"}, {0x1p-1074, "0x0.0000000000001p-1022"}, {0x1p-1022, "0x1p-1022"},
	{0x1.fffffffffffffp+1023, "0x1.fffffffffffffp+1023"}, {-0x1.8p-1023, "-0x0.cp-1022"},
	{INFINITY, "inf"}, {-INFINITY, "-inf"}, {NAN, "nan"},
};

static const struct {
	const char *text;
	bool ok;
	double x;
} parses[] = {
	{"0x1.80p-1", true, 0.75}, {"0x3p-2", true, 0.75}, {"0xcp-4", true, 0.75}, {"0x0p0", true, 0},
	{"0x1.0000000000000000000000p0", true, 1}, {"0x1000000000000000000000p-84", true, 1}, {"0x00001p+1", true, 2},
	{"0x1p+1023", true, 0x1p1023}, {"0x1p1024", false, 0}, {"0x1p-1074", true, 0x1p-1074}, {"0x1p-1075", false, 0},
	{"0x1.8p-1074", false, 0}, {"0x1.00000000000008p0", false, 0}, {"0x1p99999999999999999999", false, 0},
	{"0x0p99999999999999999999", true, 0}, {"-nan", false, 0}, {"NaN", false, 0}, {"nan(1)", false, 0}, {"Inf", false, 0},
	{"+inf", false, 0}, {"infinity", false, 0}, {"0X1p0", false, 0}, {"0x1P0", false, 0}, {"0x1.Ap0", false, 0}, {"0x1", false, 0},
	{"0x1p", false, 0}, {"0x1p+", false, 0}, {"0xp1", false, 0}, {"0x.8p0", false, 0}, {"0x1.p0", false, 0}, {"0x1.8.0p0", false, 0},
	{" 0x1p0", false, 0}, {"0x1p0 ", false, 0}, {"1.5", false, 0}, {"", false, 0}, {"-", false, 0}, {"+0x1p0", false, 0},
};

static const struct {
	const char *text;
	bool exact;
	double x;
} decimals[] = {
	{"0", true, 0}, {"-0", true, -0.0}, {"0.5", true, 0.5}, {"-3", true, -3}, {"1e3", true, 1000}, {"1000.000", true, 1000},
	{"0.1", false, 0}, {"0.30000000000000004", false, 0}, {"9007199254740993", false, 0}, {"9007199254740992", true, 0x1p53},
	{"18014398509481984", true, 0x1p54}, {"1e22", true, 1e22}, {"1e23", false, 0}, {"2.5e-1", true, 0.25}, {"25E-2", true, 0.25},
	{"9.31322574615478515625e-10", true, 0x1p-30}, {"0e99999", true, 0}, {"1e999", false, 0}, {"1e-999", false, 0}, {"5e-324", false, 0},
	{"0.0000", true, 0}, {"123456789012345678901234567890123456789012", false, 0}, {"01", false, 0}, {"1.", false, 0}, {".5", false, 0},
	{"1e", false, 0}, {"-", false, 0}, {"0x1p0", false, 0}, {"nan", false, 0},
};

static const struct {
	double x;
	const char *text;
	bool match;
} matches[] = {
	{1.3125, "1.3125", true}, {1.3125000001, "1.3125", true}, {1.3126, "1.3125", false}, {1.334, "1.33", true}, {-48, "-48", true},
	{-48.4, "-48", true}, {-47, "-48", false}, {48, "-48", false}, {3.1e-6, "3e-06", true}, {2.6e-6, "3e-6", true}, {3.6e-6, "3e-06", false},
	{3e-5, "3e-06", false}, {1e300, "1e+300", true}, {1e300, "1e300", true}, {NAN, "nan", true}, {1, "nan", false}, {NAN, "1", false},
	{INFINITY, "inf", true}, {-INFINITY, "inf", false}, {-INFINITY, "-inf", true}, {INFINITY, "1e308", false}, {0, "0", true}, {-0.0, "0", true},
	{0, "-0.00", true}, {-0.001, "0.00", true}, {0.006, "0.00", false}, {0.5, "0", true}, {1.5, "2", true}, {9.96e-6, "1e-05", true},
	{12.25, "0012.25", true}, {1.7976931348623157e308, "2", false}, {1.25, "1.2", true}, {0.0, "0e+00", true}, {1e-9, "0e+00", false},
	{0.5, ".5", true}, {-0.25, "-.25", true}, {0.25, ".5", false}, {1.5, ".5", false}, {1, "1.", true}, {1.6, "1.", false}, {-1.6, "-2.", true},
	{0, ".0", true}, {10.5, ".5", false}, {3e10, "3.e10", true},
	/* no literals */
	{1, "", false}, {1, ".", false}, {1, "-", false}, {1, ".e5", false}, {1, "1 ", false}, {1, "+1", false}, {1000, "10e2", false}, {1, "0x1p0", false},
	{1, "1e", false}, {1, "NaN", false},
};

/* xorshift64, for bit patterns. */
static uint64_t next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static bool same(double a, double b)
{
	return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

/* Any double goes out and comes back, and C's own reader agrees. */
static void law_round_trip(void)
{
	uint64_t s = 88172645463325252u;
	char buf[REAL_TEXT], shown[64];

	for (int k = 0; k < 200000; k++) {
		union {
			uint64_t u;
			double f;
		} v = {.u = next(&s)};
		if (k % 8 == 0)
			v.u &= ~(UINT64_C(0x7FF) << 52); /* subnormal */
		double back = 0;
		CHECK(real_parse(real_print(v.f, buf), &back) && same(back, v.f), "%a as %s comes back as %a", v.f, buf, back);
		CHECK(same(strtod(buf, NULL), v.f), "%a as %s", v.f, buf);
		/* Exact decimal expansions are exact, as long as they are short enough to be written. */
		double x = ldexp((double)(int32_t)v.u, -(int)(k % 12));
		snprintf(shown, sizeof shown, "%.12f", x);
		CHECK(real_parse_decimal(shown, &back) && same(back, x), "%a as %s comes back as %a", x, shown, back);
		if (isfinite(v.f)) {
			snprintf(shown, sizeof shown, "%.16e", v.f);
			CHECK(real_matches_decimal(v.f, shown), "%a is %s", v.f, shown);
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
	for (size_t k = 0; k < sizeof decimals / sizeof decimals[0]; k++) {
		if (!row_wanted("decimals: %s", decimals[k].text))
			continue;
		x = 0;
		bool ok = real_parse_decimal(decimals[k].text, &x);
		CHECK(ok == decimals[k].exact && (!ok || same(x, decimals[k].x)), "%s gives %d, %a", decimals[k].text, ok, x);
	}
	for (size_t k = 0; k < sizeof matches / sizeof matches[0]; k++)
		if (row_wanted("matches: %s", matches[k].text))
			CHECK(real_matches_decimal(matches[k].x, matches[k].text) == matches[k].match, "%a against %s", matches[k].x,
			    matches[k].text);
	CHECK_LAW(law_round_trip());
	return check_done();
}
