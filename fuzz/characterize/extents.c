/*
 * extents.c: the experiment with extents of large tensors, and what the sizes say: from which one on it fails, and
 * whether multiples of a number are right.
 */
#include <stdlib.h>
#include <string.h>

#include "lab_edit.h"

enum { LARGE = 17, EXTENTS = 3 };

int lab_sizes_near(int x, int size[LAB_SIZES])
{
	static const int above[] = {1, 2, 3, 4, 5, 6, 7, 8, 15, 31};
	int n = 0, power = 1;

	for (; power < x - 2; power *= 2)
		size[n++] = power;
	for (int k = x - 2; k <= x; k++)
		size[n++] = k;
	for (size_t k = 0; k < sizeof above / sizeof *above; k++)
		size[n++] = x + above[k];
	while (power <= x + above[sizeof above / sizeof *above - 1])
		power *= 2;
	size[n++] = power;
	return n;
}

/* ---- extents ---- */

/* The n-th distinct extent of LARGE or more, in order of first appearance; 0: there are no more. */
static int large_extent(const struct program *p, int n)
{
	int seen[EXTENTS], n_seen = 0;

	for (int v = 0; v < p->n_value; v++)
		for (int d = 0; d < p->type[v].shape.rank; d++) {
			int x = p->type[v].shape.extent[d], i = 0;

			while (i < n_seen && seen[i] != x)
				i++;
			if (x < LARGE || i < n_seen || n_seen == EXTENTS)
				continue;
			if (n_seen == n)
				return x;
			seen[n_seen++] = x;
		}
	return 0;
}

void experiment_extents(struct lab *l)
{
	lab_columns(l, (const char *const[]){"axes", "elements"}, 2);
	for (int i = 0, from; i < EXTENTS && (from = large_extent(&l->base->program, i)); i++) {
		int size[LAB_SIZES], n = lab_sizes_near(from, size);

		for (int k = 0; k < n; k++) {
			struct edit e = lab_edit(l);

			if (size[k] != from)
				edit_change_extent(&e, from, size[k]);
			lab_try(l, &e, (const char *const[]){LAB_TEXT(l, "of %d", from), LAB_TEXT(l, "%d", size[k])});
		}
	}
}

/* ---- what they say ---- */

/* The largest power of 2 that all sizes from `from` on that pass are multiples of, and none that fails; 0: none. */
static int passing_multiple(const struct variant_table *t, const struct support *s, int from)
{
	for (int m = 64; m > 1; m /= 2) {
		bool tells = true;

		for (int i = 0; i < s->n_row && tells; i++) {
			const struct variant_row *r = &t->row[s->row[i]];
			const int size = atoi(r->cell[1]);

			tells = size < from || (size % m == 0) == !r->fails;
		}
		if (tells)
			return m;
	}
	return 0;
}

/* "80, 96": the sizes from `from` on that pass; *n: how many. */
static const char *passing_from(struct lab *l, const struct variant_table *t, const struct support *s, int from, int *n)
{
	const char *list = "";

	*n = 0;
	for (int i = 0; i < s->n_row; i++) {
		const struct variant_row *r = &t->row[s->row[i]];

		if (!r->fails && atoi(r->cell[1]) > from)
			list = LAB_TEXT(l, "%s%s%s", list, (*n)++ ? ", " : "", r->cell[1]);
	}
	return list;
}

/* Whether loops of other programs fail with fewer iterations. */
static bool fails_earlier(const struct lab *l, const char *what, int from)
{
	const int feature = FEATURE_TRIPS_OVER_ONE + from - 2;

	return !strcmp(what, LAB_ITERATIONS) && feature <= FEATURE_TRIPS_OVER_SEVEN &&
	    !explanation_needs(l->explain, feature);
}

bool lab_state_sizes(struct lab *l, const struct variant_table *t, const char *text, const char *what)
{
	struct support s = {.table = (int)(t - l->out->table), .row = NEW(l->arena, int, t->n_row)};
	int from = 0, passed = 0, failed = 0, above, multiple;
	const char *sizes;

	for (int i = 0; i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];

		if (strcmp(r->cell[0], text) != 0 || !r->decided)
			continue;
		s.row[s.n_row++] = i;
		failed += r->fails;
		from = r->fails && !from ? atoi(r->cell[1]) : from;
		passed += !r->fails && !from;
	}
	sizes = passing_from(l, t, &s, from, &above);
	/* of a few, each number may matter for another reason */
	if (from < 2 || !passed || (above && from < LARGE))
		return false;
	if (fails_earlier(l, what, from)) {
		if (above)
			return false;
		lab_say(l, "counts", STATEMENT_SHOWN, &s, 1,
		    "The smallest case is right with fewer than %d %s, and wrong from %d on.", from, what, from);
		return true;
	}
	multiple = above > 1 ? passing_multiple(t, &s, from) : 0;
	if (!above)
		lab_say(l, "counts", STATEMENT_SHOWN, &s, 1, "It is right with fewer than %d %s, and wrong from %d on.",
		    from, what, from);
	else if (multiple)
		lab_say(l, "counts", STATEMENT_SHOWN, &s, 1,
		    "It is right with fewer than %d %s, and wrong from %d on, unless their number is a multiple of %d.",
		    from, what, from, multiple);
	else if (above < failed)
		lab_say(l, "counts", STATEMENT_SHOWN, &s, 1,
		    "It is right with fewer than %d %s, and wrong from %d on, but right with %s.", from, what, from,
		    sizes);
	else
		return false;
	return true;
}
