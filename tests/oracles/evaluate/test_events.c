/*
 * test_events.c: the path of an evaluation tells decisions apart, by their numbers and by their places.  It tells
 * integers apart to their last bit.
 */
#include "oracles/evaluate/evaluate.h"

#include "oracles/evaluate/scalar_ops.h"
#include "oracles/oracle_rules.h"
#include "tests/check.h"

/* The path of op(x) at x + 2^step. */
static uint64_t path_beside(struct evaluation *ev, enum op op, double x, int step, struct arena *a)
{
	const struct type f64 = {.dtype = DTYPE_F64};
	struct builder b = {0};
	struct tensor point = tensor_new(a, &f64), direction = tensor_new(a, &f64);
	build_begin(&b, a);
	const int in = build_input(&b, &f64), out = build_node(&b, op, &in, 1, NULL, NULL);
	const struct program p = build_end(&b, &out, 1);
	point.at[0].f = x;
	direction.at[0].f = 1;
	evaluate(ev, &p, &point, &direction, 1, step, a);
	return ev->path;
}

/* The path of op([x, z]), or op([x, z], b) for a binary op, at that point moved by the direction. */
static uint64_t path_of_two(struct evaluation *ev, enum op op, const double point[2], const double direction[2],
    const double b[2], struct arena *a)
{
	const struct type pair = {.dtype = DTYPE_F64, .shape = {.rank = 1, .extent = {2}}};
	struct builder build = {0};
	struct tensor at[] = {tensor_new(a, &pair), tensor_new(a, &pair)},
	              move[] = {tensor_new(a, &pair), tensor_new(a, &pair)};
	build_begin(&build, a);
	const int in[] = {build_input(&build, &pair), build_input(&build, &pair)},
	          out = build_node(&build, op, in, b ? 2 : 1, NULL, NULL);
	const struct program p = build_end(&build, &out, 1);
	for (int i = 0; i < 2; i++) {
		at[0].at[i].f = point[i];
		at[1].at[i].f = b ? b[i] : 0;
		move[0].at[i].f = direction[i];
	}
	evaluate(ev, &p, at, move, 1, 0, a);
	return ev->path;
}

/* Two paths with decisions of equal numbers at different elements. */
static void check_places(struct evaluation *ev, struct arena *a)
{
	static const struct {
		const char *name;
		enum op op;
		bool binary;
		double b[2][2], point[2][2], direction[2][2];
	} rows[] = {
	    {"a base of 0", OP_POW, true, {{0.5, 0.5}, {0.5, 0.5}}, {{0, 1}, {1, 0}}, {{0, 0}, {0, 0}}},
	    {"beside the cut", OP_ATAN2, true, {{-1, 5}, {5, -1}}, {{1, 1}, {1, 1}}, {{0, 0}, {0, 0}}},
	    {"the last part of an integer, or the first of the next", OP_FLOOR, false, {{0, 0}, {0, 0}},
	        {{0x1p115, 1}, {0x1p115, 0x1p60}}, {{0x1p60, 0}, {0, 1}}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t path[2];
		for (int k = 0; k < 2; k++)
			path[k] = path_of_two(ev, rows[i].op, rows[i].point[k], rows[i].direction[k],
			    rows[i].binary ? rows[i].b[k] : NULL, a);
		CHECK(path[0] != path[1], "%s: one path", rows[i].name);
	}
}

int main(int argc, char **argv)
{
	static const enum op ops[] = {OP_FLOOR, OP_CEIL, OP_TRUNC, OP_ROUND};
	static const double xs[] = {0, 1, 0x1p40, 0x1p60, -0x1p60, 0x1p110, 0x1.8p120};
	struct arena a;
	struct evaluation ev;
	check_begin(argc, argv);
	mp_setup();
	arena_init(&a, 1 << 24);
	evaluation_open(&ev, &oracle_rules_right);
	for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
		for (size_t j = 0; j < sizeof xs / sizeof *xs; j++) {
			const uint64_t one = path_beside(&ev, ops[i], xs[j], 0, &a);
			CHECK(one == path_beside(&ev, ops[i], xs[j], 0, &a), "%s of %g + 1: two paths",
			    op_table[ops[i]].name, xs[j]);
			CHECK(one != path_beside(&ev, ops[i], xs[j], 1, &a), "%s of %g + 1 and + 2: one path",
			    op_table[ops[i]].name, xs[j]);
		}
	check_places(&ev, &a);
	evaluation_close(&ev);
	arena_free(&a);
	return check_done();
}
