/* graph_route.c: see graph_route.h. */
#include "graph_route.h"

#include <limits.h>
#include <stdlib.h>

/* CLEAR: pixels between a box and a curve beside it.  STEPS: points of a curve that are looked at. */
enum { CLEAR = 9, STEPS = 32 };

/* Whether box `at` is the box `outer`, or inside it. */
static bool is_inside(const struct drawing *d, int at, int outer)
{
	while (at >= 0 && at != outer)
		at = d->box[at].parent;
	return at == outer;
}

bool graph_in_the_way(const struct drawing *d, const struct curve *c, int box)
{
	const int parent = d->box[box].parent;

	if (is_inside(d, c->from, box) || is_inside(d, c->to, box))
		return false;
	return parent < 0 || is_inside(d, c->from, parent) || is_inside(d, c->to, parent);
}

/* Whether the curve, drawn straight to its end as a page draws it, meets the box. */
static bool meets(const struct curve *c, const struct box *b)
{
	const double bend = curve_bend(c->y0, c->y1);

	for (int k = 1; k < STEPS; k++) {
		const double t = (double)k / STEPS, u = 1 - t, start = u * u * (u + 3 * t), end = t * t * (t + 3 * u);
		const double x = start * c->x0 + end * c->x1,
		             y = start * c->y0 + end * c->y1 + 3 * u * t * bend * (u - t);

		if (x > b->x && x < b->x + b->w && y > b->y && y < b->y + b->h)
			return true;
	}
	return false;
}

/* Whether a line straight down at x has room from top to bottom. */
static bool has_room(const struct drawing *d, const struct curve *c, int x, int top, int bottom)
{
	for (int k = 0; k < d->n_box; k++) {
		const struct box *b = &d->box[k];

		if (b->y < bottom && b->y + b->h > top && x > b->x - CLEAR && x < b->x + b->w + CLEAR &&
		    graph_in_the_way(d, c, k))
			return false;
	}
	return true;
}

/* The place for that line which is nearest to the ends of the curve: beside some box. */
static int find_side(const struct drawing *d, const struct curve *c, int top, int bottom)
{
	int best = 0, least = INT_MAX;

	for (int k = 0; k < 2 * d->n_box; k++) {
		const struct box *b = &d->box[k / 2];
		const int x = k % 2 ? b->x + b->w + CLEAR : b->x - CLEAR, far = abs(2 * x - c->x0 - c->x1);

		if (far < least && graph_in_the_way(d, c, k / 2) && has_room(d, c, x, top, bottom)) {
			best = x;
			least = far;
		}
	}
	return best;
}

void graph_route(struct drawing *d)
{
	for (int n = 0; n < d->n_curve; n++) {
		struct curve *c = &d->curve[n];
		int top = INT_MAX, bottom = INT_MIN;

		for (int k = 0; k < d->n_box; k++) {
			const struct box *b = &d->box[k];

			if (!graph_in_the_way(d, c, k) || !meets(c, b))
				continue;
			top = b->y < top ? b->y : top;
			bottom = b->y + b->h > bottom ? b->y + b->h : bottom;
		}
		top = top > c->y0 ? top : c->y0;
		bottom = bottom < c->y1 - 2 * CLEAR ? bottom : c->y1 - 2 * CLEAR;
		c->around = top < bottom;
		c->top = top;
		c->bottom = bottom;
		c->side = c->around ? find_side(d, c, top, bottom) : 0;
	}
}
