/* most.c: the largest numbers that an engine's formulas may meet on the way to a derivative. TOLERANCE.md, "Higher
 * derivatives". */
#include "ball.h"
#include "internal.h"

#include <math.h>

/* The size of a factor of a formula. A derived factor may be as large as another formula makes it; a value of the
 * program is itself. */
static double factor(const struct evaluation *ev, const struct note *note, int k)
{
	return ev->scalar[k].part == TRACE_FORMULA ? note[k].most : fmax(1, note[k].magnitude);
}

/*
 * How many levels of derivation by the same divisor lead to quotient k: 1 for g/b, 2 for (a/b)/b.  A tangent or adjoint
 * g/b of a quotient a/b counts as two, because (a' b - a b')/b^2 has that divisor.
 */
static int levels_of_quotient(const struct evaluation *ev, int k)
{
	const int divisor = ev->parent[ev->scalar[k].parent + 1];
	int levels = 0;
	bool program = false;

	while (ev->scalar[k].op == OP_DIV && ev->parent[ev->scalar[k].parent + 1] == divisor && !program) {
		const int over = ev->parent[ev->scalar[k].parent];
		const bool last = ev->scalar[over].op != OP_DIV || ev->parent[ev->scalar[over].parent + 1] != divisor;

		levels += 1 + (last && ev->scalar[k].in_quotient_rule);
		program = ev->scalar[k].part == TRACE_PROGRAM;
		k = over;
	}
	return levels;
}

double ball_most_of_quotient(const struct evaluation *ev, const struct note *note, int k)
{
	const int *parent = ev->parent + ev->scalar[k].parent;
	const double over = ev->scalar[parent[0]].derived ? note[parent[0]].path : note[parent[0]].magnitude;
	const int levels = levels_of_quotient(ev, k);
	double divisor = note[parent[1]].magnitude;

	if (levels < 3)
		return 0;
	for (int i = 2; i < levels; i++)
		divisor *= divisor;
	const double square = divisor * divisor;
	return fmax(fmax(over * divisor, over / divisor), fmax(square, 1 / square));
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
