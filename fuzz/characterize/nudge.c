/* nudge.c: see nudge.h. */
#include "nudge.h"

#include <math.h>

#include "fuzz/edit/edit.h"

bool nudge_keeps_integers(const struct blamed *blamed, int n)
{
	for (int i = 0; i < n; i++) {
		const struct op_info *op = &op_table[blamed[i].op];

		if (op->regularity == REGULARITY_SMOOTH && op->family != FAMILY_UNARY && op->family != FAMILY_BINARY)
			return false;
	}
	return true;
}

static void nudge_tensor(struct tensor *t, bool keep_integers, double unit, int *number)
{
	for (int i = 0, n = shape_elements(&t->type.shape); i < n && dtype_is_float(t->type.dtype); i++, ++*number) {
		const double x = t->at[i].f, step = fmax(1, fabs(x)) * unit * (5 + 2 * (*number % 5));

		if (!isfinite(x))
			continue;
		if (!keep_integers || x == 0 || x != trunc(x))
			edit_round(t->type.dtype, x + step, &t->at[i]);
		else if (fabs(x) == 1) /* a factor of 1 hides much */
			edit_round(t->type.dtype, 2 * x, &t->at[i]);
	}
}

void nudge(struct testcase *c, enum nudge how, bool keep_integers)
{
	const double unit = how == NUDGE_FAR ? 0.03125 : 0.001;
	int number = 0;

	for (int p = 0; p < c->n_point && how != NUDGE_SEEDS; p++)
		for (int i = 0; i < c->program.top.n_param; i++)
			nudge_tensor(&c->point[p][i], how != NUDGE_FAR && keep_integers, unit, &number);
	for (int t = 0; t < c->n_transform; t++)
		for (int i = 0; i < c->transform[t].n_seed; i++)
			if (shape_elements(&c->transform[t].seed[i].type.shape))
				nudge_tensor(&c->transform[t].seed[i], false, unit, &number);
}
