/* type.c: the dtype table, rounding, shapes, tensors. */
#include "type.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "rounding once needs double arithmetic without excess precision");

/* 2^k, |k| < 2048, as a constant expression: a product of the powers at the bits of |k|, each product exact. */
#define BIT(k, bit, power) (((k) & (bit)) ? (power) : 1.0)
#define POW2_UP(k) \
	(BIT(k, 1, 0x1p1) * BIT(k, 2, 0x1p2) * BIT(k, 4, 0x1p4) * BIT(k, 8, 0x1p8) * BIT(k, 16, 0x1p16) * \
	    BIT(k, 32, 0x1p32) * BIT(k, 64, 0x1p64) * BIT(k, 128, 0x1p128) * BIT(k, 256, 0x1p256) * \
	    BIT(k, 512, 0x1p512))
#define POW2_DOWN(k) \
	(BIT(k, 1, 0x1p-1) * BIT(k, 2, 0x1p-2) * BIT(k, 4, 0x1p-4) * BIT(k, 8, 0x1p-8) * BIT(k, 16, 0x1p-16) * \
	    BIT(k, 32, 0x1p-32) * BIT(k, 64, 0x1p-64) * BIT(k, 128, 0x1p-128) * BIT(k, 256, 0x1p-256) * \
	    BIT(k, 512, 0x1p-512) * BIT(k, 1024, 0x1p-1024))
#define POW2(k) ((k) < 0 ? POW2_DOWN(-(k)) : POW2_UP(k))

#define IF_FLOAT(class, x) (DTYPE_CLASS_##class == DTYPE_CLASS_FLOAT ? (x) : 0.0)

const struct dtype_info dtype_table[DTYPE_COUNT] = {
#define DTYPE(id, name, class, precision, emin, emax, bits) \
	[DTYPE_##id] = {name, DTYPE_CLASS_##class, precision, emin, emax, bits, IF_FLOAT(class, POW2(-(precision))), \
	    IF_FLOAT(class, POW2(emin)), IF_FLOAT(class, POW2((emin) + (precision)-1)), \
	    IF_FLOAT(class, (2 - POW2(1 - (precision))) * POW2((emax)-1))},
#include "dtypes.def"
#undef DTYPE
};

int dtype_find(const char *name, size_t len)
{
	for (int d = 0; d < DTYPE_COUNT; d++) {
		const char *own = dtype_table[d].name;
		size_t n = 0;

		/* Names are short: a call would cost more than the comparison. */
		while (n < len && own[n] == name[n])
			n++;
		if (len && n == len && !own[n])
			return d;
	}
	return -1;
}

/*
 * Constants of dtype_round.  A double has 53 - precision bits too many: `keep` masks the rest.  half: one less than
 * half a unit of the last bit kept.  Magnitudes from `overflow` on, 2^emax - 2^(emax - precision - 1), a tie whose even
 * neighbour is 2^emax, become infinite.  magic: adding 2^(emin + 52) makes the last bit of a double worth 2^emin.
 */
struct dtype_rounding {
	double magic, normal, overflow;
	uint64_t half, keep;
	int shift;
};

static const struct dtype_rounding rounding_table[DTYPE_COUNT] = {
#define DTYPE(id, name, class, precision, emin, emax, bits) \
	[DTYPE_##id] = {IF_FLOAT(class, POW2((emin) + 52)), IF_FLOAT(class, POW2((emin) + (precision)-1)), \
	    IF_FLOAT(class, (2 - POW2(-(precision))) * POW2((emax)-1)), \
	    ((UINT64_C(1) << (53 - (precision))) >> 1) - 1, ~((UINT64_C(1) << (53 - (precision))) - 1), \
	    53 - (precision)},
#include "dtypes.def"
#undef DTYPE
};

static double double_of(uint64_t bits)
{
	union {
		uint64_t u;
		double f;
	} v = {.u = bits};
	return v.f;
}

double dtype_round(enum dtype d, double x)
{
	if (d == DTYPE_F64 || !dtype_is_float(d))
		return x;

	const struct dtype_rounding *r = &rounding_table[d];
	double a = fabs(x);
	if (a >= r->normal && a < r->overflow) {
		/* A carry out of the significand moves on into the exponent, as it should. */
		uint64_t u = bits_of(x);
		return double_of((u + r->half + ((u >> r->shift) & 1)) & r->keep);
	}
	/*
	 * Below the normals the last bit is always worth 2^emin, and one addition rounds there.  2^emin of these dtypes
	 * is a normal double, so hardware that flushes subnormals does no harm.
	 */
	if (a < r->normal)
		return copysign((a + r->magic) - r->magic, x);
	return isnan(x) ? x : copysign(INFINITY, x);
}

int64_t dtype_wrap(enum dtype d, int64_t i)
{
	if (d == DTYPE_BOOL)
		return i != 0;
	/* Arithmetic on unsigned values: conversion of a large one to int32_t would be implementation-defined. */
	if (d == DTYPE_I32) {
		uint64_t low = (uint64_t)i & UINT32_MAX;
		return low > INT32_MAX ? (int64_t)low - (INT64_C(1) << 32) : (int64_t)low;
	}
	return i;
}

struct shape shape_scalar(void) { return (struct shape){0}; }

bool shape_fits(const struct shape *s)
{
	int64_t n = 1;

	if (s->rank < 0 || s->rank > LIMIT_RANK)
		return false;
	for (int d = 0; d < s->rank; d++) {
		if (s->extent[d] < 0 || s->extent[d] > LIMIT_ELEMENTS)
			return false;
		n *= s->extent[d] ? s->extent[d] : 1;
		if (n > LIMIT_ELEMENTS)
			return false;
	}
	return true;
}

bool shape_stack(struct shape *s, int extent)
{
	struct shape grown = {.rank = s->rank + 1, .extent = {extent}};

	if (s->rank == LIMIT_RANK)
		return false;
	memcpy(grown.extent + 1, s->extent, (size_t)s->rank * sizeof *s->extent);
	if (!shape_fits(&grown))
		return false;
	*s = grown;
	return true;
}

struct type type_row(const struct type *t)
{
	struct type row = {t->dtype, {.rank = t->shape.rank - 1}};

	memcpy(row.shape.extent, t->shape.extent + 1, (size_t)row.shape.rank * sizeof *row.shape.extent);
	return row;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
	if (a->rank != b->rank)
		return false;
	for (int d = 0; d < a->rank; d++)
		if (a->extent[d] != b->extent[d])
			return false;
	return true;
}

bool type_equal(const struct type *a, const struct type *b)
{
	return a->dtype == b->dtype && shape_equal(&a->shape, &b->shape);
}

bool shape_broadcast(const struct shape *a, const struct shape *b, struct shape *out)
{
	struct shape s = {.rank = a->rank > b->rank ? a->rank : b->rank};

	for (int d = 0; d < s.rank; d++) {
		int i = d - (s.rank - a->rank), j = d - (s.rank - b->rank);
		int m = i < 0 ? 1 : a->extent[i], n = j < 0 ? 1 : b->extent[j];
		if (m != n && m != 1 && n != 1)
			return false;
		s.extent[d] = m == 1 ? n : m;
	}
	*out = s;
	return true;
}

void shape_strides(const struct shape *s, int stride[LIMIT_RANK])
{
	int step = 1;

	for (int d = s->rank - 1; d >= 0; d--) {
		stride[d] = step;
		step *= s->extent[d];
	}
}

void shape_broadcast_strides(const struct shape *from, const struct shape *to, int stride[LIMIT_RANK])
{
	int own[LIMIT_RANK], lead = to->rank - from->rank;

	shape_strides(from, own);
	for (int d = 0; d < to->rank; d++)
		stride[d] = d < lead || from->extent[d - lead] == 1 ? 0 : own[d - lead];
}

bool shape_next(const struct shape *s, int index[LIMIT_RANK])
{
	for (int d = s->rank - 1; d >= 0; d--) {
		if (++index[d] < s->extent[d])
			return true;
		index[d] = 0;
	}
	return false;
}

int shape_broadcast_offset(const struct shape *from, const struct shape *to, int flat)
{
	int stride[LIMIT_RANK], offset = 0;

	shape_broadcast_strides(from, to, stride);
	for (int d = to->rank - 1; d >= 0; d--) {
		offset += flat % to->extent[d] * stride[d];
		flat /= to->extent[d];
	}
	return offset;
}

char *type_print_end(const struct type *t, char *buf)
{
	bool known = (unsigned)t->dtype < DTYPE_COUNT;
	int rank = t->shape.rank < 0 ? 0 : t->shape.rank > LIMIT_RANK ? LIMIT_RANK : t->shape.rank;
	char *at = stpcpy(buf, known ? dtype_table[t->dtype].name : "?");

	*at++ = '[';
	for (int d = 0; d < rank; d++) {
		if (d)
			*at++ = ',';
		at = decimal_print(t->shape.extent[d], at);
	}
	*at++ = ']';
	*at = '\0';
	return at;
}

char *type_print(const struct type *t, char *buf)
{
	type_print_end(t, buf);
	return buf;
}

char *decimal_print(int64_t n, char *at)
{
	uint64_t rest = n < 0 ? -(uint64_t)n : (uint64_t)n;

	/* Most numbers of a case have one digit or two. */
	if (n >= 0 && n < 100) {
		if (n >= 10)
			*at++ = (char)('0' + n / 10);
		*at++ = (char)('0' + n % 10);
		*at = '\0';
		return at;
	}
	char digits[DECIMAL_TEXT];
	size_t k = sizeof digits;

	do
		digits[--k] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0)
		digits[--k] = '-';
	memcpy(at, digits + k, sizeof digits - k);
	at += sizeof digits - k;
	*at = '\0';
	return at;
}

/* A decimal without sign or needless zeros, at most LIMIT_ELEMENTS; -1 else. */
static int extent_parse(const char **text)
{
	const char *s = *text;
	int n = 0;

	if (*s == '0' && s[1] >= '0' && s[1] <= '9')
		return -1;
	for (; *s >= '0' && *s <= '9'; s++) {
		n = n * 10 + (*s - '0');
		if (n > LIMIT_ELEMENTS)
			return -1;
	}
	if (s == *text)
		return -1;
	*text = s;
	return n;
}

bool type_parse(const char *text, struct type *t)
{
	struct type out = {0};
	size_t len = 0;

	while (text[len] && text[len] != '[')
		len++;
	int d = dtype_find(text, len);

	if (d < 0 || text[len] != '[')
		return false;
	out.dtype = (enum dtype)d;
	text += len + 1;
	if (*text != ']') {
		for (;;) {
			int n = extent_parse(&text);
			if (n < 0 || out.shape.rank == LIMIT_RANK)
				return false;
			out.shape.extent[out.shape.rank++] = n;
			if (*text != ',')
				break;
			text++;
		}
	}
	if (*text != ']' || text[1] || !shape_fits(&out.shape))
		return false;
	*t = out;
	return true;
}

struct tensor tensor_new(struct arena *a, const struct type *t)
{
	return (struct tensor){*t, NEW(a, union cell, shape_elements(&t->shape))};
}

struct tensor tensor_raw(struct arena *a, const struct type *t)
{
	return (struct tensor){*t, NEW_RAW(a, union cell, shape_elements(&t->shape))};
}

struct tensor tensor_copy(struct arena *a, const struct tensor *t)
{
	size_t n = (size_t)shape_elements(&t->type.shape);

	return (struct tensor){t->type, arena_copy(a, t->at, n, sizeof *t->at)};
}

struct tensor *tensors_copy(struct arena *a, const struct tensor *from, int n)
{
	struct tensor *to = NEW(a, struct tensor, n);

	for (int k = 0; k < n; k++)
		to[k] = tensor_copy(a, &from[k]);
	return to;
}

bool tensor_same(const struct tensor *a, const struct tensor *b)
{
	if (!type_equal(&a->type, &b->type))
		return false;

	int n = shape_elements(&a->type.shape);
	if (!dtype_is_float(a->type.dtype)) {
		for (int k = 0; k < n; k++)
			if (a->at[k].i != b->at[k].i)
				return false;
		return true;
	}
	for (int k = 0; k < n; k++) {
		double x = a->at[k].f, y = b->at[k].f;
		if (bits_of(x) != bits_of(y) && !(isnan(x) && isnan(y)))
			return false;
	}
	return true;
}

bool tensors_same(const struct tensor *a, const struct tensor *b, int n)
{
	for (int k = 0; k < n; k++)
		if (!tensor_same(&a[k], &b[k]))
			return false;
	return true;
}

double tensor_number(const struct tensor *t, int element)
{
	return dtype_is_float(t->type.dtype) ? t->at[element].f : (double)t->at[element].i;
}
