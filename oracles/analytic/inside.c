/* inside.c: see inside.h. TOLERANCE.md, "Derivatives inside the program", has the count. */
#include "inside.h"
#include "graph/walk.h"

#include <limits.h>
#include <math.h>

/*
 * For one op of the program, a derivative may compute its value once more, and an operand may occur three times in the
 * formula of a partial. So an engine may differentiate five ops in place of one, at each level.
 */
enum { OPS_IN_PLACE_OF_ONE = 5 };

void inside_begin(struct analytic *self, const struct testcase *c)
{
	int terms = 1;
	for (int level = region_nesting(&c->program.top, OP_DERIVATIVE); level > 0 && terms < TERMS_LIMIT / 8; level--)
		terms *= OPS_IN_PLACE_OF_ONE;
	self->more_terms = terms - 1;
	if (!self->ev.again) /* else the trace begins as the last one did */
		self->first_inside = INT_MAX;
}

void inside_note(struct analytic *self, int k)
{
	if (self->ev.part != TRACE_PROGRAM && k < self->first_inside)
		self->first_inside = k;
}

bool flow_is_derivative(const struct analytic *self, int k)
{
	enum trace_part part = self->ev.scalar[k].part;
	return part == TRACE_FORMULA || part == TRACE_FLOW;
}

void inside_split(struct analytic *self, int to, int from, double size, double magnitude)
{
	const double beside = fmax(0, magnitude - size) / 2;
	struct flow *f = &self->flow[to];
	if (!flow_is_derivative(self, from) && !(self->flow[from].derived && from >= self->first_inside))
		return;
	f->derived = true;
	terms_count(&f->joined, self->more_terms);
	terms_count(&f->terms.n, self->more_terms);
	f->terms.positive += beside;
	f->terms.negative += beside;
}
