/* oracle_rules.c: the right rules. */
#include "oracle_rules.h"

#include <limits.h>

#include "oracles/analytic/analytic.h"
#include "oracles/ball/ball.h"
#include "oracles/evaluate/scalar_ops.h"

static bool right_value(const struct evaluation *ev, enum op op, mpfr_ptr out, mpfr_srcptr const *x, int n)
{
	(void)ev;
	return scalar_value(op, out, x, n);
}

static bool right_path(const struct evaluation *ev, uint64_t path) { return ev->path == path; }

const struct oracle_rules oracle_rules_right = {
    .value = right_value,
    .partial = ball_partial,
    .edge = trace_edge_rules,
    .inside = trace_edge_rules,
    .captures = true,
    .custom = CUSTOM_FIRST | CUSTOM_LINEAR | CUSTOM_GUARDS | CUSTOM_SECOND | CUSTOM_ERRORS | CUSTOM_TIES,
    .same_path = right_path,
    .freeze = true,
    .ways = INT_MAX,
    .margin = 1,
    .conventions = 4, /* those of a clamp */
    .values = dtype_table,
    .dtype = dtype_table,
    .sums = dtype_table,
    .flushes = true,
    .reach = true,
    .truth = analytic_truth,
    .neumann = 1,
    .edited = OP_COUNT,
};
