/* test_convergence.c: how far the balls of a solution widen, and from where on they are too wide. */
#include "oracles/analytic/convergence.h"

#include "graph/testcase.h"
#include "tests/check.h"

/* A component of the solution, the same one unrolled, and what widening makes of them. */
struct row {
	const char *name;
	struct component solution, unrolled;
	double seed, stray;
	enum reason reason;
	double tight, loose; /* if decided */
};

static const struct row rows[] = {
    {"nothing differs", {.value = 1, .magnitude = 1, .tight = 0x1p-20, .loose = 0x1p-19},
        {.value = 1, .magnitude = 1, .tight = 0x1p-20, .loose = 0x1p-19}, 1, 0, REASON_NONE, 0x1p-20, 0x1p-19},
    {"the larger radius counts", {.value = 1, .magnitude = 1, .tight = 0x1p-20, .loose = 0x1p-19},
        {.value = 1, .magnitude = 1, .tight = 0x1p-18, .loose = 0x1p-17}, 1, 0, REASON_NONE, 0x1p-18, 0x1p-17},
    {"twice the gap", {.value = 1, .magnitude = 1}, {.value = 1 + 0x1p-10, .magnitude = 1}, 1, 0, REASON_NONE, 0x1p-9,
        0x1p-9},
    {"the gap has both parts", {.value = 1, .low = 0x1p-60, .magnitude = 1}, {.value = 1, .magnitude = 1}, 1, 0,
        REASON_NONE, 0x1p-59, 0x1p-59},
    {"the second order", {.value = 1, .magnitude = 0.5}, {.value = 1}, 1, 0x1p-8, REASON_NONE, 0x1p-13, 0x1p-13},
    {"as wide as may be", {.value = 1, .magnitude = 0.5, .tight = 0x1p-7}, {.value = 1}, 1, 0, REASON_NONE, 0x1p-7, 0},
    {"too wide for its magnitude", {.value = 1, .magnitude = 0.5, .tight = 0x1p-6}, {.value = 1}, 4, 0,
        REASON_ILL_CONDITIONED, 0, 0},
    {"too wide by the iterations", {.value = 1, .magnitude = 0.5}, {.value = 1 + 0x1p-7}, 4, 0, REASON_CONVERGENCE, 0,
        0},
    {"of a large magnitude", {.value = 1, .magnitude = 8, .tight = 0x1p-3}, {.value = 1}, 1, 0, REASON_NONE, 0x1p-3, 0},
    {"the seed where no path is", {.tight = 0x1p-4}, {.tight = 0}, -4, 0, REASON_NONE, 0x1p-4, 0},
    {"too wide for the seed", {.tight = 0x1p-3}, {.tight = 0}, -4, 0, REASON_ILL_CONDITIONED, 0, 0},
    {"undecided already", {.reason = REASON_JUMP}, {.reason = REASON_OVERFLOW}, 1, 0, REASON_JUMP, 0, 0},
    {"the reason of the iterations", {.value = 1, .magnitude = 1}, {.reason = REASON_OVERFLOW}, 1, 0, REASON_OVERFLOW,
        0, 0},
    {"iterations that are ill-conditioned", {.value = 1, .magnitude = 1}, {.reason = REASON_ILL_CONDITIONED}, 1, 0,
        REASON_CONVERGENCE, 0, 0},
};

static struct component widened(const struct row *r, int assignments)
{
	const struct type type = {.dtype = DTYPE_F64, .shape = shape_scalar()};
	struct component to = r->solution, from = r->unrolled;
	struct truth_tensor solution = {type, &to}, unrolled = {type, &from};
	struct truth_point x = {
	    .n_derivative = 1, .n_assignment = 1, .derivative = (struct truth_tensor *[]){&solution}};
	const struct truth_point y = {.n_derivative = 1,
	    .n_assignment = assignments,
	    .derivative = (struct truth_tensor *[]){&unrolled, &unrolled}};
	union cell cell = {.f = r->seed};
	struct tensor seed = {.type = type, .at = &cell};

	convergence_widen(&x, &y, &(struct transform){.n_seed = 1, .seed = &seed}, r->stray);
	return to;
}

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct row *r = &rows[k];
		const struct component c = widened(r, 1);

		CHECK(c.reason == r->reason, "%s: reason %d, not %d", r->name, c.reason, r->reason);
		CHECK(c.reason || (c.tight == r->tight && c.loose == r->loose), "%s: tight %g, loose %g", r->name,
		    c.tight, c.loose);
	}
	CHECK(widened(&rows[0], 2).reason == REASON_CONVERGENCE, "assignments that do not correspond");
	return check_done();
}
