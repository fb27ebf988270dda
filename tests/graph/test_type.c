/* Dtypes, rounding, shapes, tensors, and the arena under them. */
#include "graph/type.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

static void test_dtypes(void)
{
	static const struct {
		enum dtype d;
		double unit, tiny, normal, max;
	} rows[] = {
	    {DTYPE_F64, 0x1p-53, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023},
	    {DTYPE_F32, 0x1p-24, 0x1p-149, 0x1p-126, 0x1.fffffep127},
	    {DTYPE_BF16, 0x1p-8, 0x1p-133, 0x1p-126, 0x1.fep127},
	    {DTYPE_F16, 0x1p-11, 0x1p-24, 0x1p-14, 65504},
	    {DTYPE_I64, 0, 0, 0, 0},
	    {DTYPE_BOOL, 0, 0, 0, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (!row_wanted("dtypes: row %d", (int)i))
			continue;
		const struct dtype_info *t = &dtype_table[rows[i].d];
		CHECK(t->unit == rows[i].unit, "%s %a", t->name, t->unit);
		CHECK(t->tiny == rows[i].tiny, "%s %a", t->name, t->tiny);
		CHECK(t->normal == rows[i].normal, "%s %a", t->name, t->normal);
		CHECK(t->max == rows[i].max, "%s %a", t->name, t->max);
		CHECK(dtype_find(t->name, strlen(t->name)) == (int)rows[i].d, "%s", t->name);
	}
	if (all_wanted())
		CHECK(dtype_find("f6", 2) < 0 && dtype_find("f64x", 4) < 0 && dtype_find("", 0) < 0, "names");
}

static void test_wrap(void)
{
	static const struct {
		enum dtype d;
		int64_t from, to;
	} rows[] = {
	    {DTYPE_I32, INT64_C(0x7fffffff), INT32_MAX},
	    {DTYPE_I32, INT64_C(0x80000000), INT32_MIN},
	    {DTYPE_I32, -1, -1},
	    {DTYPE_I32, INT64_C(-0x80000001), INT32_MAX},
	    {DTYPE_I32, INT64_MIN, 0},
	    {DTYPE_I32, INT64_MAX, -1},
	    {DTYPE_I64, INT64_MIN, INT64_MIN},
	    {DTYPE_BOOL, 2, 1},
	    {DTYPE_BOOL, 0, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (row_wanted("wrap: row %d", (int)i))
			CHECK(dtype_wrap(rows[i].d, rows[i].from) == rows[i].to, "row %zu", i);
}

static void test_type_text(void)
{
	static const char *const good[] = {"f64[]", "f16[0]", "bf16[1,2,3,4]", "bool[65536]", "i32[65536,1,0,1]"};
	static const char *const bad[] = {"", "f64", "f64[", "f64[1", "f64[1,]", "f64[,1]", "f64[01]", "f64[-1]",
	    "f64[1]x", "f64[1,1,1,1,1]", "f64[65537]", "f64[256,257]", "g64[]", "f64 []", "f64[1 ]", "f64[65536,0,2]"};

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		if (!row_wanted("type text: %s", good[i]))
			continue;
		struct type t;
		char text[TYPE_TEXT];
		CHECK(type_parse(good[i], &t), "%s", good[i]);
		CHECK(!strcmp(type_print(&t, text), good[i]), "%s as %s", good[i], text);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		if (!row_wanted("type text: %s", bad[i]))
			continue;
		struct type t;
		CHECK(!type_parse(bad[i], &t), "%s", bad[i]);
	}
}

/* ---- rounding against an enumeration of all values ---- */

/*
 * The value with this bit pattern (sign 0); the pattern after the largest finite one is 2^emax, where a next binade
 * would start.
 */
static double value_of(enum dtype d, int pattern)
{
	int bits = dtype_table[d].precision - 1, fraction = pattern & ((1 << bits) - 1), exponent = pattern >> bits;

	if (!exponent)
		return ldexp(fraction, dtype_table[d].emin);
	return ldexp(fraction + (1 << bits), dtype_table[d].emin + exponent - 1);
}

static void check_round(enum dtype d, double x, double want)
{
	double up = dtype_round(d, x), down = dtype_round(d, -x);

	CHECK(bits_of(up) == bits_of(want), "%s(%a) = %a, expected %a", dtype_table[d].name, x, up, want);
	CHECK(bits_of(down) == bits_of(-want), "%s(-%a) = %a, expected %a", dtype_table[d].name, x, down, -want);
}

static void test_round_small(enum dtype d)
{
	int bits = dtype_table[d].precision - 1;
	int last = ((1 << (15 - bits)) - 1) << bits; /* the pattern of infinity */

	for (int k = 0; k < last; k++) {
		double v = value_of(d, k), next = value_of(d, k + 1), middle = v / 2 + next / 2;
		double above = k + 1 == last ? INFINITY : next;
		check_round(d, v, v);
		check_round(d, nextafter(v, INFINITY), v);
		check_round(d, nextafter(middle, 0), v);
		check_round(d, middle, k % 2 ? above : v);
		check_round(d, nextafter(middle, INFINITY), above);
		check_round(d, nextafter(next, 0), above);
	}
	CHECK(value_of(d, last - 1) == dtype_table[d].max, "largest %a", value_of(d, last - 1));
	check_round(d, 0x1p1023, INFINITY);
	check_round(d, 0x1p-1074, 0);
	check_round(d, INFINITY, INFINITY);
	CHECK(isnan(dtype_round(d, NAN)), "NaN");
}

/* A small generator of test bits (Knuth's constants). */
static uint64_t next_bits(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state ^ *state >> 29;
}

static void test_round_f32(void)
{
	uint64_t state = 1;

	for (int i = 0; i < 2000000; i++) {
		union {
			uint64_t u;
			double f;
		} v = {.u = next_bits(&state) & ~(UINT64_C(1) << 63)};
		/* Half of them with an exponent near those of binary32, and a fraction that is often a tie. */
		if (i % 2)
			v.u = (v.u & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(1023 - 152 + i / 2 % 284) << 52;
		if (i % 8 == 1)
			v.u = (v.u >> 28 | 1) << 28;
		if (!isnan(v.f))
			check_round(DTYPE_F32, v.f, (double)(float)v.f);
	}
	check_round(DTYPE_F64, 0x1.fffffffffffffp-1040, 0x1.fffffffffffffp-1040);
}

/* ---- shapes: laws over all small ones ---- */

enum { MAX_SHAPES = 1 + 4 + 16 + 64 };

static int small_shapes(struct shape out[MAX_SHAPES])
{
	int n = 0;

	for (int rank = 0; rank <= 3; rank++)
		for (int code = 0; code < 1 << 2 * rank; code++) {
			out[n] = (struct shape){.rank = rank};
			for (int d = 0; d < rank; d++)
				out[n].extent[d] = code >> 2 * d & 3;
			n++;
		}
	return n;
}

/* The definition: pad with 1 on the left; every pair of extents equal or one of them 1. */
static bool slow_broadcast(const struct shape *a, const struct shape *b, struct shape *out)
{
	int left[3] = {1, 1, 1}, right[3] = {1, 1, 1};

	for (int d = 0; d < a->rank; d++)
		left[3 - a->rank + d] = a->extent[d];
	for (int d = 0; d < b->rank; d++)
		right[3 - b->rank + d] = b->extent[d];
	*out = (struct shape){.rank = a->rank > b->rank ? a->rank : b->rank};
	for (int d = 0; d < 3; d++) {
		if (left[d] != right[d] && left[d] != 1 && right[d] != 1)
			return false;
		if (d >= 3 - out->rank)
			out->extent[d - (3 - out->rank)] = left[d] == 1 ? right[d] : left[d];
	}
	return true;
}

/* Every element of `to` reads the element of `from` with the same index, 0 on stretched axes. */
static void check_offsets(const struct shape *from, const struct shape *to)
{
	int index[LIMIT_RANK] = {0}, stride[LIMIT_RANK], flat = 0, n = shape_elements(to);

	if (!n)
		return;
	shape_broadcast_strides(from, to, stride);
	do {
		int want = 0, by_stride = 0;
		for (int d = 0; d < from->rank; d++) {
			int k = index[to->rank - from->rank + d];
			want = want * from->extent[d] + (from->extent[d] == 1 ? 0 : k);
		}
		for (int d = 0; d < to->rank; d++)
			by_stride += index[d] * stride[d];
		CHECK(by_stride == want, "strides, element %d", flat);
		CHECK(shape_broadcast_offset(from, to, flat) == want, "offset, element %d", flat);
		flat++;
	} while (shape_next(to, index));
	CHECK(flat == n, "%d successors of %d", flat, n);
}

static void test_broadcast(void)
{
	struct shape all[MAX_SHAPES];
	int n = small_shapes(all);

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			struct shape want, got;
			bool fits = slow_broadcast(&all[i], &all[j], &want);
			CHECK(shape_broadcast(&all[i], &all[j], &got) == fits, "shapes %d and %d", i, j);
			if (!fits)
				continue;
			CHECK(shape_equal(&got, &want), "shapes %d and %d", i, j);
			check_offsets(&all[i], &got);
		}
}

static void test_elements(void)
{
	const struct shape huge = {4, {65536, 65536, 65536, 65536}}, none = {4, {65536, 65536, 65536, 0}};
	const struct shape scalar = shape_scalar();

	CHECK(shape_elements(&huge) == 0x7fffffff, "saturates");
	CHECK(shape_elements(&none) == 0, "a zero extent");
	CHECK(shape_elements(&scalar) == 1, "a scalar");
	CHECK(!shape_fits(&none) && shape_fits(&scalar), "limits");
}

static void test_tensors(struct arena *a)
{
	const struct type t = {DTYPE_F64, {1, {3}}};
	struct tensor x = tensor_new(a, &t), y;

	CHECK(x.at[2].i == 0, "zeroed");
	x.at[0].f = NAN;
	y = tensor_copy(a, &x);
	CHECK(tensor_same(&x, &y), "a copy is the same");
	y.at[0].f = -NAN;
	CHECK(tensor_same(&x, &y), "any NaN equals any NaN");
	y.at[1].f = -0.0;
	CHECK(!tensor_same(&x, &y), "-0 is not 0");
}

/* ---- arena ---- */

struct filling {
	struct arena arena;
	size_t count, size;
	int rounds;
};

static void fill(void *context)
{
	struct filling *x = context;

	for (;; x->rounds++)
		arena_alloc(&x->arena, x->count, x->size);
}

static void leave_both(void *context)
{
	struct filling *x = context;

	arena_try(&x[0].arena, fill, &x[1]);
	CHECK(false, "the other arena was full");
}

static void test_try(void)
{
	struct filling x[2] = {{.count = 1000, .size = 1}, {.count = 1000, .size = 1}};

	arena_init(&x[0].arena, 1 << 20);
	arena_init(&x[1].arena, 1 << 20);
	CHECK(!arena_try(&x[0].arena, fill, &x[0]) && x[0].rounds == (1 << 20) / 1008, "%d allocations of 1008 bytes",
	    x[0].rounds);
	CHECK(!x[0].arena.on_full, "no try is left");
	x[0].count = (size_t)-1 / 2;
	x[0].size = 4;
	x[0].rounds = 0;
	CHECK(!arena_try(&x[0].arena, fill, &x[0]) && !x[0].rounds, "an overflowing size");
	CHECK(!arena_try(&x[1].arena, leave_both, x) && x[1].rounds, "the outer try is left where its arena is full");
	CHECK(!arenas_try((struct arena *const[]){&x[0].arena, &x[1].arena}, 2, fill, &x[1]), "any of several");
	arena_free(&x[0].arena);
	arena_free(&x[1].arena);
}

static void test_arena(void)
{
	struct arena a;

	arena_init(&a, 1 << 20);
	char *first = arena_alloc(&a, 100, 1);
	memset(first, 1, 100);
	struct arena_mark mark = arena_mark(&a);
	for (int i = 0; i < 50; i++)
		memset(arena_alloc(&a, 1, 10000), 7, 10000);
	arena_rewind(&a, mark);
	const char *again = arena_alloc(&a, 1, 50000);
	int sum = 0;
	for (int i = 0; i < 50000; i++)
		sum += again[i];
	CHECK(!sum, "memory handed out again is zeroed");
	CHECK(first[99] == 1, "what was there before the mark stays");
	CHECK(!strcmp(arena_printf(&a, "%s-%d", "x", 12), "x-12"), "printf");
	CHECK(arena_alloc(&a, 0, 8) != arena_alloc(&a, 0, 8), "empty arrays");
	arena_reset(&a);
	CHECK(!a.used, "reset");
	arena_free(&a);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 1 << 20);
	test_dtypes();
	test_wrap();
	test_type_text();
	CHECK_LAW(test_round_small(DTYPE_F16));
	CHECK_LAW(test_round_small(DTYPE_BF16));
	CHECK_LAW(test_round_f32());
	CHECK_LAW(test_broadcast());
	CHECK_LAW(test_elements());
	CHECK_LAW(test_tensors(&a));
	CHECK_LAW(test_arena());
	CHECK_LAW(test_try());
	arena_free(&a);
	return check_done();
}
