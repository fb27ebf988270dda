/* spread.c: see spread.h. */
#include "spread.h"

#include <math.h>

double spread_width(const struct spread *s) { return fmax(s->down, s->up); }

/* The least error of a sum whose term leaps. */
static double leap_beside(const struct spread *leaping, const struct spread *other)
{
	return fmax(0, leaping->leap - spread_width(other));
}

void spread_add(struct spread *to, const struct spread *term)
{
	bool together = to->leaps == 1 && term->leaps == 1 && to->source == term->source &&
	    to->against == term->against;

	if (together) { /* if an engine computes that partial twice, both errors of a leap have one sign */
		to->leap = fmin(leap_beside(to, term), leap_beside(term, to));
		to->twice = true;
	} else if (term->leaps) {
		to->leap = leap_beside(term, to);
		to->source = term->source;
		to->against = term->against;
		to->gross = term->gross;
	} else {
		to->leap = leap_beside(to, term);
	}
	to->leaps += together ? 0 : term->leaps;
	to->leaps = to->leaps > 2 ? 2 : to->leaps; /* two are as bad as more; sums of sums double the number */
	to->twice |= term->twice;
	to->down += term->down;
	to->up += term->up;
}

void spread_widen(struct spread *to, double near, double far)
{
	to->leap = fmax(0, to->leap - far);
	to->down += near;
	to->up += near;
}

struct spread spread_ball(double loose) { return (struct spread){.down = loose, .up = loose, .leaps = 2}; }

bool spread_is_narrow(const struct spread *s, double loose)
{
	return s->leaps < 2 && (s->down < loose || s->up < loose) && !(s->leaps && s->leap <= fmin(s->down, s->up));
}

struct spread spread_signed(const struct spread *s, bool negative)
{
	struct spread out = *s;

	if (negative) {
		out.down = s->up;
		out.up = s->down;
		out.against = !s->against;
	}
	return out;
}

/* The error of the product if those of the factors are these. */
static double error_of(double p, double ep, double g, double eg) { return p * eg + g * ep + ep * eg; }

/* The least error of a product if the factor that leaps does so. */
static double leap_of(const struct spread_factor *leaping, const struct spread_factor *other)
{
	return fmax(0, other->size - other->errors.down) * leaping->errors.leap -
	    leaping->size * spread_width(&other->errors);
}

struct spread spread_product(const struct spread_factor *p, const struct spread_factor *g)
{
	const struct spread *leaping = p->errors.leaps ? &p->errors : &g->errors;
	struct spread out = {.leaps = p->errors.leaps + g->errors.leaps,
	    .source = leaping->source,
	    .against = leaping->against,
	    .gross = leaping->gross * (p->errors.leaps ? g->size : p->size),
	    .twice = leaping->twice};

	for (int side = 0; side < 4; side++) {
		double e = error_of(p->size, side & 1 ? p->errors.up : -p->errors.down, g->size,
		    side & 2 ? g->errors.up : -g->errors.down);

		out.down = fmax(out.down, -e);
		out.up = fmax(out.up, e);
	}
	if (out.leaps == 1)
		out.leap = fmax(0, p->errors.leaps ? leap_of(p, g) : leap_of(g, p));
	return spread_signed(&out, p->negative != g->negative);
}
