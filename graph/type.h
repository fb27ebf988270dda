/* type.h: dtypes, shapes and types of values, and the tensors that hold them. */
#ifndef GRAPH_TYPE_H
#define GRAPH_TYPE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "bounds.h"

enum dtype {
#define DTYPE(id, name, class, precision, emin, emax, bits) DTYPE_##id,
#include "dtypes.def"
#undef DTYPE
	DTYPE_COUNT
};

enum dtype_class { DTYPE_CLASS_FLOAT, DTYPE_CLASS_INT, DTYPE_CLASS_BOOL };

struct dtype_info {
	const char *name;
	enum dtype_class class;
	int precision;  /* significand bits, hidden one included; 0 for integers */
	int emin, emax; /* smallest subnormal is 2^emin, largest finite is below 2^emax */
	int bits;       /* storage width; 1 for bool */
	double unit;    /* unit roundoff u = 2^-precision; 0 for integers */
	double tiny;    /* smallest subnormal */
	double normal;  /* smallest normal */
	double max;     /* largest finite */
};

extern const struct dtype_info dtype_table[DTYPE_COUNT];

static inline bool dtype_is_float(enum dtype d) { return dtype_table[d].class == DTYPE_CLASS_FLOAT; }
static inline bool dtype_is_int(enum dtype d) { return dtype_table[d].class == DTYPE_CLASS_INT; }

/* The dtype of that name, or -1. */
int dtype_find(const char *name, size_t len);

/*
 * Rounds x once to the nearest value of float dtype d: ties to even, overflow to infinity, subnormals kept.  Correct
 * for every d and x, also if the hardware flushes subnormals.
 */
double dtype_round(enum dtype d, double x);

/* Wraps i (two's complement) to the width of integer dtype d; for bool, returns i != 0. */
int64_t dtype_wrap(enum dtype d, int64_t i);

/* Row-major; rank 0 is a scalar with one element; an extent may be 0. */
struct shape {
	int rank;
	int extent[LIMIT_RANK];
};

struct type {
	enum dtype dtype;
	struct shape shape;
};

struct shape shape_scalar(void);
/* Product of the extents; 1 for rank 0.  Saturates at INT_MAX. */
static inline int shape_elements(const struct shape *s)
{
	int64_t n = 1;

	for (int d = 0; d < s->rank; d++) {
		if (s->extent[d] <= 0)
			return 0;
		n *= s->extent[d];
		n = n > INT_MAX ? INT_MAX : n;
	}
	return (int)n;
}
/* Whether rank, extents and elements are within limits.  Extents of 0 count as 1, so that strides cannot overflow. */
bool shape_fits(const struct shape *s);
/* Adds a leading axis of that extent.  False, without a change, if the result exceeds the limits. */
bool shape_stack(struct shape *s, int extent);
/* The type of a row of t: without the leading axis.  The rank must be at least 1. */
struct type type_row(const struct type *t);
bool shape_equal(const struct shape *a, const struct shape *b);
bool type_equal(const struct type *a, const struct type *b);
/* Broadcasts a and b as the array API says; false if they do not fit. */
bool shape_broadcast(const struct shape *a, const struct shape *b, struct shape *out);
/* Row-major strides in elements, of length rank. */
void shape_strides(const struct shape *s, int stride[LIMIT_RANK]);
/*
 * Strides that read an operand of shape `from` over the index space `to`: 0 along stretched and missing axes.  `from`
 * must broadcast to `to`.
 */
void shape_broadcast_strides(const struct shape *from, const struct shape *to, int stride[LIMIT_RANK]);
/* Moves `index` to its row-major successor in `s`; false after the last one. */
bool shape_next(const struct shape *s, int index[LIMIT_RANK]);
/* The element of an operand of shape `from` that belongs to element `flat` of `to`, to which it broadcasts. */
int shape_broadcast_offset(const struct shape *from, const struct shape *to, int flat);

/* "f64[2,3]", "i64[]"; buf holds at least TYPE_TEXT bytes.  Returns buf. */
enum { TYPE_TEXT = 64 };
char *type_print(const struct type *t, char *buf);
/* The same; returns the end of the text, where its NUL is. */
char *type_print_end(const struct type *t, char *buf);
/* Writes n in decimal, NUL-terminated, at most DECIMAL_TEXT bytes, and returns the end.  A case has many integers, and
 * printf is slow. */
enum { DECIMAL_TEXT = 24 };
char *decimal_print(int64_t n, char *at);
/* Reads the text of type_print; false if it is no type, or rank or extents exceed the limits. */
bool type_parse(const char *text, struct type *t);

/*
 * One element.  A float of any dtype is stored as the binary64 of the same value, which is exact.  Integers are stored
 * as int64, bool as 0 or 1.  A zero cell is zero in every dtype.
 */
union cell {
	double f;
	int64_t i;
};

struct tensor {
	struct type type;
	union cell *at; /* [shape_elements], row-major */
};

/* A zeroed tensor. */
struct tensor tensor_new(struct arena *a, const struct type *t);
/* The same without values: the caller sets each before it is read. */
struct tensor tensor_raw(struct arena *a, const struct type *t);
struct tensor tensor_copy(struct arena *a, const struct tensor *t);
/* Copies of n tensors. */
struct tensor *tensors_copy(struct arena *a, const struct tensor *from, int n);
/* Whether type and bits are the same.  All NaNs are equal. */
bool tensor_same(const struct tensor *a, const struct tensor *b);
/* The same for n tensors, pairwise. */
bool tensors_same(const struct tensor *a, const struct tensor *b, int n);
/* An element as a double; an integer beyond 2^53 is rounded. */
double tensor_number(const struct tensor *t, int element);

/* The bits of a double, for bitwise comparison. */
static inline uint64_t bits_of(double x)
{
	union {
		double f;
		uint64_t u;
	} v = {.f = x};
	return v.u;
}

static inline double of_bits(uint64_t u)
{
	union {
		double f;
		uint64_t u;
	} v = {.u = u};
	return v.f;
}

#endif
