/*
 * probe.c: measures what rounding explains.  Probes are built-in engines that answer as correct engines do, with errors
 * many times as large.  Each pair of draws has its own errors; the second draw of a pair has those of the first, with
 * the opposite sign.  If the values, derivatives and path of a program are the same in all correct engines, its answers
 * scatter by little more than these errors.
 *
 * Correct engines also differ where nothing is rounded: at exact ties they follow different conventions.  So the
 * operands of ops with kinks are moved apart (blurred), each by itself.  The answers then scatter over all sides of the
 * tie.
 */
#include <math.h>

#include "fuzz/generate/choice.h"
#include "internal.h"
#include "fuzz/edit/edit.h"

enum { BLUR_ELEMENTS = 1024, BLUR_UNITS = 8 * CROSS_TIMES, PAIRS = CROSS_DRAWS / 2 };

static const char *const probe_specs[CROSS_PROBES] = {"aot:rounding=1", "implicit:rounding=1"};

bool cross_probes_open(struct cross_probes *self)
{
	*self = (struct cross_probes){0};
	for (int k = 0; k < CROSS_PROBES; k++) {
		self->engine[k] = engine_open(probe_specs[k], NULL);
		if (!self->engine[k] || !engine_magnify_rounding(self->engine[k], CROSS_TIMES)) {
			cross_probes_close(self);
			return false;
		}
	}
	return true;
}

void cross_probes_close(struct cross_probes *self)
{
	for (int k = 0; k < CROSS_PROBES; k++)
		engine_close(self->engine[k]);
}

/* ---- blurring ---- */

/* A number in [-1, 1), or its negative in the other draw of a pair.  So each side of a tie wins once. */
static double offset(struct choice *c, int sign) { return sign * (ldexp((double)(choice_bits(c) >> 11), -52) - 1); }

/*
 * Replaces the operand by operand / a + b, with a near 1 and b near 0, different for each element.  This moves it by
 * several times the error that a probe adds, so the draw decides the side of a tie.  A 0 becomes a number far from both
 * ends of the range.
 */
static int insert_blur(struct edit *e, struct region *r, int index, int value, struct choice *c, int sign)
{
	const struct type type = *edit_type(e, value), scalar = {type.dtype, shape_scalar()};
	const struct dtype_info *info = &dtype_table[type.dtype];
	const struct type *own = shape_elements(&type.shape) <= BLUR_ELEMENTS ? &type : &scalar;
	struct tensor term = tensor_new(e->arena, own), divisor = tensor_new(e->arena, own);

	for (int i = 0, n = shape_elements(&own->shape); i < n; i++) {
		double by = offset(c, sign);

		divisor.at[i].f = dtype_round(type.dtype, 1 + offset(c, sign) * BLUR_UNITS * info->unit);
		term.at[i].f = dtype_round(type.dtype, ldexp(by + copysign(1, by), -(info->emax / 4 - 2)));
	}
	value = edit_insert_binary(e, r, index + 1, OP_DIV, value, edit_insert_constant(e, r, index, &divisor), &type);
	return edit_insert_binary(e, r, index + 3, OP_ADD, value, edit_insert_constant(e, r, index + 2, &term), &type);
}

static void blur_region(struct edit *e, struct region *r, struct choice *c, int sign)
{
	enum { INSERTED = 4 };

	for (int i = 0; i < r->n_node; i++) {
		for (int k = 0; k < r->node[i].n_region; k++)
			blur_region(e, &r->node[i].region[k], c, sign);
		if (op_table[r->node[i].op].regularity != REGULARITY_KINK)
			continue;
		for (int k = 0; k < r->node[i].n_arg; k++) {
			int blurred, arg = r->node[i].arg[k];

			if (!dtype_is_float(edit_type(e, arg)->dtype))
				continue;
			blurred = insert_blur(e, r, i, arg, c, sign);
			i += INSERTED;
			r->node[i].arg[k] = blurred;
		}
	}
}

const struct testcase *cross_blurred(struct arena *a, const struct testcase *c, int draw)
{
	struct edit e = {.c = testcase_copy(c, a), .arena = a};
	struct choice choice = choice_seeded((uint64_t)(draw % PAIRS));

	blur_region(&e, &e.c.program.top, &choice, draw < PAIRS ? 1 : -1);
	return edit_finish(&e, false) ? arena_copy(a, &e.c, 1, sizeof e.c) : NULL;
}

/* ---- scatter ---- */

static void widen(double *low, double *high, double x)
{
	if (!isfinite(x)) {
		*low = -INFINITY;
		*high = INFINITY;
	}
	*low = fmin(*low, x);
	*high = fmax(*high, x);
}

bool cross_scatter(const struct cross_probes *self, cross_fn *mode, const struct testcase *c, int n, struct arena *a,
    struct cross_scatter *out)
{
	double *low = NEW(a, double, n), *high = NEW(a, double, n);
	int draws = 0;

	*out = (struct cross_scatter){.n = n, .by = NEW(a, double, n)};
	for (int i = 0; i < n; i++) {
		low[i] = INFINITY;
		high[i] = -INFINITY;
	}
	for (int k = 0; k < CROSS_DRAWS + CROSS_PROBES; k++) {
		struct arena_mark mark = arena_mark(a);
		const int pair = k < CROSS_DRAWS ? k % PAIRS : k - CROSS_DRAWS, turn = pair / CROSS_PROBES;
		struct engine *probe = self->engine[pair % CROSS_PROBES];
		struct cross_ask q = {.arena = a,
		    .left = probe,
		    .right = probe,
		    .probe = true,
		    .draw = k < CROSS_DRAWS ? k : CROSS_SHARP,
		    .plain = turn % 2};

		engine_reseed_rounding(probe, (uint64_t)turn); /* probes take the usual formulas in turn */
		engine_magnify_rounding(probe, k < PAIRS || k >= CROSS_DRAWS ? CROSS_TIMES : -CROSS_TIMES);
		if (mode(&q, c) && q.n == n) {
			for (int i = 0; i < n; i++) {
				widen(&low[i], &high[i], q.pair[i].left);
				widen(&low[i], &high[i], q.pair[i].right);
			}
			out->edge = out->edge || q.seen.edge;
			out->steps = q.seen.steps > out->steps ? q.seen.steps : out->steps;
			out->largest = fmax(out->largest, q.seen.largest);
			draws++;
		}
		arena_rewind(a, mark);
	}
	for (int i = 0; i < n; i++)
		out->by[i] = (high[i] - low[i]) / 2;
	return draws >= CROSS_DRAWS / 2;
}
