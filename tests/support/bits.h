/* bits.h: numbers of a dtype by their bits. */
#ifndef TESTS_SUPPORT_BITS_H
#define TESTS_SUPPORT_BITS_H

#include <math.h>
#include <string.h>

#include "graph/type.h"

/* The double of these bits; and the float, as a double. */
static inline double double_of_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static inline double float_of_bits(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof x);
	return (double)x;
}

/* The number of float dtype d whose bits are the lowest ones of `bits`. */
static inline double number_of_bits(enum dtype d, uint64_t bits)
{
	if (d == DTYPE_F64)
		return double_of_bits(bits);
	if (d == DTYPE_F32)
		return float_of_bits((uint32_t)bits);
	if (d == DTYPE_BF16)
		return float_of_bits((uint32_t)(bits & 0xffff) << 16);

	const int exponent = (int)(bits >> 10 & 31), mantissa = (int)(bits & 1023);
	const double x = exponent == 31 ? (mantissa ? (double)NAN : (double)INFINITY)
	    : exponent                  ? ldexp(1024 + mantissa, exponent - 25)
	                                : ldexp(mantissa, -24);

	return bits & 0x8000 ? -x : x;
}

/* Whether both are the same number to the last bit and sign, or both are NaN. */
static inline bool same_number(double x, double y)
{
	return isnan(x) ? isnan(y) : !isnan(y) && bits_of(x) == bits_of(y);
}

#endif
