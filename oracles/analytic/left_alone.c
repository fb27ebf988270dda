/*
 * left_alone.c: elements that scatter_mul leaves alone. The trace only moves them. But an engine may multiply the flow
 * by y and divide it by x there, where y = x (PyTorch's index_reduce). TOLERANCE.md derives the bounds.
 */
#include "contribution.h"
#include "internal.h"
#include "oracles/evaluate/double_of.h"

#include <math.h>

double analytic_least_divisor(const struct analytic *self, int k)
{
	double tiny = dtype_table[self->ev.scalar[k].dtype].tiny;
	if (self->note[k].reason)
		return tiny;
	return fmax(fabs(double_of(self->ev.value[k])) - self->note[k].radius, tiny);
}

/*
 * How many of the passes change the flow. A tangent goes through all of them as one number, and only the first changes
 * it. A cotangent may be changed again after each term that joins it.
 */
static int passes_of(const struct analytic *self, int k, bool adjoint)
{
	int terms = self->flow[k].terms.n * (self->by_paths ? 2 : 1), passes = self->ev.scalar[k].left_alone;
	if (!adjoint || terms < 1)
		terms = 1;
	return passes < terms ? passes : terms;
}

/* What one underflow may add to the flow: of g y before it is divided by x, or of g/x before it is multiplied by y. */
static double underflow_of(const struct analytic *self, int k, const struct dtype_info *info)
{
	double size = fabs(double_of(self->ev.value[k])) + self->note[k].radius;
	if (self->note[k].reason)
		return INFINITY;
	if (size == 0) /* 0 is no divisor: an engine has another case for it */
		return 0;
	return 0.5 * fmax(info->tiny / analytic_least_divisor(self, k), info->tiny * size);
}

void analytic_left_alone(struct analytic *self, int k, bool adjoint)
{
	struct flow *f = &self->flow[k];
	const struct dtype_info *info = &self->contributions[self->ev.scalar[k].dtype];
	int passes = passes_of(self, k, adjoint);
	double paths = f->magnitude + fmax(f->loose, f->tight);
	if (passes == 0 || !f->present || f->reason || !(paths > 0))
		return;
	/* An underflow changes a product by at most its size. */
	double lost = passes * fmin(underflow_of(self, k, info), passes > 1 ? 2 * paths : paths);
	double rounded = expm1(2 * passes * info->unit) * (paths + lost);
	double more = (rounded + lost) * (1 + f->terms.n * info->unit);
	flow_widen(f, fmax(0, f->tight - f->loose) + more);
	if (rounding_flushes(info)) {
		f->loose = rounding_flushed(info, fabs(double_of(self->value[k])), f->loose);
		f->spread = spread_ball(f->loose);
	}
	analytic_share(f, more, OP_SCATTER_MUL);
}
