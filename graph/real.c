/*
 * real.c: reals as text.  Hex floats are exact and read by hand: strtod accepts spellings that we refuse, and rounds
 * where an inexact number must be an error.
 */
#include "testcase.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum {
	FRACTION_BITS = 52, /* of a binary64 */
	BIAS = 1023,
	MAX_DIGITS = 64,     /* of a significand as text */
	MAX_EXPONENT = 9999, /* as text: larger ones are no binary64 anyway */
	MAX_LITERAL = 40     /* characters of an expected value */
};

char *real_print(double x, char buf[REAL_TEXT])
{
	if (isnan(x) || isinf(x)) {
		snprintf(buf, REAL_TEXT, "%s", isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
		return buf;
	}

	uint64_t bits = bits_of(x), fraction = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
	int exponent = (int)(bits >> FRACTION_BITS & 0x7FF);
	bool normal = exponent > 0;

	/* Subnormals and zero as 0x0.…p-1022 and 0x0p+0, as C's %a and Python's float.hex have them.  By hand: a case
	 * has many reals, and printf is slow. */
	char *at = stpcpy(buf, bits >> 63 ? "-0x" : "0x");
	*at++ = normal ? '1' : '0';
	if (fraction)
		*at++ = '.';
	for (uint64_t rest = fraction << (64 - FRACTION_BITS); rest; rest <<= 4)
		*at++ = "0123456789abcdef"[rest >> 60];
	exponent = normal ? exponent - BIAS : fraction ? 1 - BIAS : 0;
	*at++ = 'p';
	if (exponent >= 0)
		*at++ = '+';
	decimal_print(exponent, at);
	return buf;
}

int real_digits(double x, enum dtype d, int least)
{
	char buf[REAL_TEXT];
	int n = least;

	for (; n < 17; n++) {
		snprintf(buf, sizeof buf, "%.*g", n, x);
		if (dtype_round(d, strtod(buf, NULL)) == x)
			break;
	}
	return n;
}

char *real_decimal(double x, enum dtype d, int least, char buf[REAL_TEXT])
{
	if (!isfinite(x))
		return real_print(x, buf);
	snprintf(buf, REAL_TEXT, "%.*g", real_digits(x, d, least), x);
	return buf;
}

/* significand * 2^exponent, or false when that is no finite binary64. */
static bool compose(bool negative, wide significand, int exponent, double *x)
{
	if (significand) {
		/* By eight, then by one: most literals end in a digit that is even. */
		for (; !(significand & 0xFF); significand >>= 8)
			exponent += 8;
		for (; !(significand & 1); significand >>= 1)
			exponent++;
		if (significand >> (FRACTION_BITS + 1))
			return false;
		int width = ilogb((double)(uint64_t)significand) + 1;
		if (width + exponent > BIAS + 1 || exponent < -BIAS + 1 - FRACTION_BITS)
			return false;
	}
	double magnitude = ldexp((double)(uint64_t)significand, significand ? exponent : 0);
	*x = negative ? -magnitude : magnitude;
	return true;
}

static int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* [+-]?[0-9]+ to the end of the text. */
static bool parse_exponent(const char *s, int *out)
{
	bool negative = *s == '-';
	int value = 0;

	if (*s == '-' || *s == '+')
		s++;
	if (!*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		value = value > MAX_EXPONENT ? value : value * 10 + (*s - '0');
	}
	*out = negative ? -value : value;
	return true;
}

static bool parse_special(const char *text, double *x)
{
	if (!strcmp(text, "nan"))
		*x = NAN;
	else if (!strcmp(text, "inf"))
		*x = INFINITY;
	else if (!strcmp(text, "-inf"))
		*x = -INFINITY;
	else
		return false;
	return true;
}

bool real_parse(const char *text, double *x)
{
	bool negative = *text == '-', point = false;
	const char *s = text + negative;
	wide significand = 0;
	int n = 0, scale = 0, exponent;

	if (s[0] != '0' || s[1] != 'x')
		return parse_special(text, x);
	for (s += 2; *s != 'p'; s++) {
		if (*s == '.' && !point && n) {
			point = true;
			continue;
		}
		int digit = hex_digit(*s);
		if (digit < 0 || n++ == MAX_DIGITS)
			return false;
		if (significand >> 64) {
			/* More than 64 bits: fine only when the rest is zeros. */
			if (digit)
				return false;
			scale += point ? 0 : 4;
		} else {
			significand = significand << 4 | (unsigned)digit;
			scale -= point ? 4 : 0;
		}
	}
	if (!n || (point && s[-1] == '.') || !parse_exponent(s + 1, &exponent))
		return false;
	return compose(negative, significand, exponent + scale, x);
}

/* text as a binary64, rounded in that direction. */
static double rounded(const char *text, int direction)
{
	int before = fegetround();

	fesetround(direction);
	double x = strtod(text, NULL);
	fesetround(before);
	return x;
}

double real_nearest(const char *text, enum dtype d)
{
	if (d == DTYPE_F64)
		return rounded(text, FE_TONEAREST);
	/* Of the two binary64 around an inexact number the odd one: rounding it again cannot meet a tie that the number
	 * itself misses. */
	double low = rounded(text, FE_DOWNWARD), high = rounded(text, FE_UPWARD);
	return dtype_round(d, low != high && !(bits_of(low) & 1) ? high : low);
}

/* The parts of a decimal literal. */
struct decimal_literal {
	bool negative, zero, scientific;
	int decimals; /* digits after the point */
	int exponent;
	const char *digits; /* from the first significant or last integer digit, or a leading point */
	int n_digits;       /* characters of the significand from there, without a trailing point */
};

static bool parse_literal(const char *text, struct decimal_literal *out)
{
	struct decimal_literal l = {.negative = *text == '-', .zero = true};
	const char *s = text + l.negative, *start = s;
	int whole = 0;

	if (strlen(text) > MAX_LITERAL)
		return false;
	/* Bug reports quote programs that print ".5" and "1." too. */
	for (; *s >= '0' && *s <= '9'; s++, whole++)
		l.zero = l.zero && *s == '0';
	l.digits = start;
	l.n_digits = whole;
	if (*s == '.') {
		for (s++; *s >= '0' && *s <= '9'; s++, l.decimals++)
			l.zero = l.zero && *s == '0';
		l.n_digits += l.decimals ? 1 + l.decimals : 0;
	}
	if (!whole && !l.decimals)
		return false;
	if (*s == 'e' || *s == 'E') {
		/* Significant digits are counted from the first one, so the form must be the normal one. */
		if (whole != 1 || (*start == '0' && !l.zero) || !parse_exponent(s + 1, &l.exponent))
			return false;
		l.scientific = true;
	} else if (*s) {
		return false;
	}
	for (; whole > 1 && *l.digits == '0'; whole--) {
		l.digits++;
		l.n_digits--;
	}
	*out = l;
	return true;
}

bool real_is_decimal(const char *text)
{
	struct decimal_literal l;
	double x;

	return parse_special(text, &x) || parse_literal(text, &l);
}

bool real_matches_decimal(double x, const char *text)
{
	/* The largest binary64 has 309 digits before the point. */
	char buf[MAX_LITERAL + 320];
	struct decimal_literal l, got;
	double special;

	if (parse_special(text, &special))
		return isnan(special) ? isnan(x) : x == special;
	if (!parse_literal(text, &l) || !isfinite(x))
		return false;
	/* glibc rounds correctly, ties of the exact binary value to even. */
	snprintf(buf, sizeof buf, l.scientific ? "%.*e" : "%.*f", l.decimals, x);
	got.negative = buf[0] == '-';
	got.digits = buf + got.negative;
	if (l.digits[0] == '.')
		got.digits += got.digits[0] == '0';
	got.n_digits = (int)strcspn(got.digits, "e");
	if (got.n_digits != l.n_digits || memcmp(got.digits, l.digits, (size_t)l.n_digits))
		return false;
	/* The sign and the exponent of a zero say nothing. */
	if (l.zero)
		return true;
	if (got.negative != l.negative)
		return false;
	return !l.scientific ||
	    (parse_exponent(got.digits + got.n_digits + 1, &got.exponent) && got.exponent == l.exponent);
}
