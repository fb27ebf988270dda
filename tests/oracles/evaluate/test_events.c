/* test_events.c: the path of an evaluation tells integers apart to their last bit. */
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
	evaluation_close(&ev);
	arena_free(&a);
	return check_done();
}
