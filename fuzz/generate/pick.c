/* pick.c: how operands are picked from the pool of values in scope. */
#include "generator.h"

/* A float that passes no derivative to an input (live), or is so rounded that little could be decided after more ops
 * (steady). */
static bool is_dull(const struct gen *g, int value, bool live, bool steady)
{
	const struct gen_trait f = gen_flow(g, value);

	return gen_is_float(g, value) &&
	    ((live && !f.covered) || (steady && f.wear >= (g->order > 1 ? 0x1p-9 : 0x1p-8)));
}

int gen_pick_from(struct gen *g, int from, gen_fits_fn *fits, const void *arg)
{
	int n = g->n_pool - from, best = -1;
	bool live, steady;

	if (n <= 0)
		return -1;
	live = gen_live(g);
	steady = gen_steady(g);
	for (int i = 0; i < 5; i++) {
		int back = choice_percent(g->c, g->p->pick_old)
		    ? choice_below(g->c, n)
		    : choice_below(g->c, 1 + choice_below(g->c, n < 8 ? n : 8));
		int v = g->pool[g->n_pool - 1 - back];

		if (!fits(g, v, arg))
			continue;
		if (!g->info[v].uses && !is_dull(g, v, live, steady))
			return v;
		if (best < 0 || is_dull(g, best, live, steady))
			best = v;
	}
	for (int i = g->n_pool - 1; i >= from && (best < 0 || is_dull(g, best, live, steady)); i--)
		if (fits(g, g->pool[i], arg) && (best < 0 || !is_dull(g, g->pool[i], live, steady)))
			best = g->pool[i];
	return best;
}

int gen_pick(struct gen *g, gen_fits_fn *fits, const void *arg) { return gen_pick_from(g, 0, fits, arg); }

bool gen_fits_float(const struct gen *g, int value, const void *unused)
{
	(void)unused;
	return gen_is_float(g, value);
}

bool gen_fits_float_axes(const struct gen *g, int value, const void *unused)
{
	(void)unused;
	return gen_is_float(g, value) && gen_type(g, value)->shape.rank > 0 && gen_elements(g, value) > 0;
}

bool gen_fits_axes(const struct gen *g, int value, const void *unused)
{
	(void)unused;
	return gen_type(g, value)->shape.rank > 0 && gen_elements(g, value) > 0;
}

bool gen_fits_int(const struct gen *g, int value, const void *unused)
{
	(void)unused;
	return dtype_is_int(gen_type(g, value)->dtype);
}

bool gen_fits_bool(const struct gen *g, int value, const void *unused)
{
	(void)unused;
	return gen_type(g, value)->dtype == DTYPE_BOOL;
}

bool gen_fits_type(const struct gen *g, int value, const void *type) { return type_equal(gen_type(g, value), type); }

bool gen_fits_broadcast(const struct gen *g, int value, const void *type)
{
	const struct type *t = type;
	struct shape out;

	return gen_type(g, value)->dtype == t->dtype && shape_broadcast(&gen_type(g, value)->shape, &t->shape, &out) &&
	    gen_fits(g, shape_elements(&out));
}

int gen_pick_float(struct gen *g)
{
	int v = gen_pick(g, gen_fits_float, NULL);

	return v >= 0 ? v : gen_scalar(g, g->dtype, gen_real(g, g->dtype));
}
