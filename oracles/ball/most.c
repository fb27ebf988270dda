/* most.c: the largest numbers that an engine's formulas may meet on the way to a derivative. TOLERANCE.md, "Higher
 * derivatives". */
#include "ball.h"
#include "internal.h"
#include "range.h"

#include <math.h>

/* The size of a factor of a formula. A derived factor may be as large as another formula makes it; a value of the
 * program is itself. */
static double factor(const struct evaluation *ev, const struct note *note, int k)
{
	return ev->scalar[k].part == TRACE_FORMULA ? note[k].most : fmax(1, note[k].magnitude);
}

double ball_most_of_quotient(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	const struct note *over = &note[ev->parent[s->parent]];
	const double above = fmax(over->magnitude, ev->scalar[ev->parent[s->parent]].derived ? over->path : 0),
	             value = fmax(note[k].magnitude, s->derived ? note[k].path : 0);
	const double square = range_divisor(ev, note, k), divisor = sqrt(square);

	if (s->derivations < 2)
		return 0;
	return fmax(fmax(above * divisor, above / divisor), fmax(value * square, fmax(square, 1 / square)));
}

double ball_most(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	double most = fmax(1, note[k].magnitude);
	if (!s->n_parent)
		return most;
	const int *parent = ev->parent + s->parent;
	switch ((int)s->op) {
	case OP_MUL:
	case OP_SQUARE:
		return fmax(most, factor(ev, note, parent[0]) * factor(ev, note, parent[s->n_parent - 1]));
	case OP_DIV: {
		const struct scalar *over = &ev->scalar[parent[0]];
		bool twice = over->op == OP_DIV && ev->parent[over->parent + 1] == parent[1]; /* (a/b)/b */
		/* y/a of y = rsqrt(a). Computed as 1/(a sqrt(a)), it meets the square of that on the way to the
		 * next derivative. */
		if (over->op == OP_RSQRT && ev->parent[over->parent] == parent[1])
			most = fmax(most, fmax(pow(note[parent[0]].magnitude, 6), pow(note[parent[0]].magnitude, -6)));
		most = fmax(most, ball_most_of_quotient(ev, note, k));
		double a = twice ? note[parent[0]].most : factor(ev, note, parent[0]), b = note[parent[1]].magnitude;
		return fmax(most, a * fmax(factor(ev, note, parent[1]), 1 / b));
	}
	case OP_ADD:
	case OP_SUB:
		return fmax(most, fmax(factor(ev, note, parent[0]), factor(ev, note, parent[1])));
	case OP_RSQRT: /* its cube */
		return most * most * most;
	default:
		return most;
	}
}
