/* fit.c: see fit.h. */
#include "fit.h"

#include "edit.h"

struct tensor fit_tensor(struct arena *a, const struct tensor *from, const struct type *to)
{
	struct tensor t = tensor_new(a, to);
	const struct shape *f = &from->type.shape;
	bool was_float = dtype_is_float(from->type.dtype);
	int index[LIMIT_RANK] = {0}, stride[LIMIT_RANK], n = shape_elements(&to->shape);

	if (!shape_elements(f)) {
		edit_fill(&t, 1);
		return t;
	}
	shape_strides(f, stride);
	for (int i = 0; i < n; i++) {
		int at = 0;

		for (int d = 0; d < f->rank; d++) { /* axes are matched from the right */
			int o = d + to->shape.rank - f->rank;
			int k = o < 0 ? 0 : index[o];

			at += (k < f->extent[d] ? k : f->extent[d] - 1) * stride[d];
		}
		if (to->dtype == from->type.dtype)
			t.at[i] = from->at[at];
		else
			edit_round(to->dtype, was_float ? from->at[at].f : (double)from->at[at].i, &t.at[i]);
		shape_next(&to->shape, index);
	}
	return t;
}

static struct tensor fit_seed(const struct tensor *seed, const struct type *t, struct arena *a)
{
	struct tensor out = type_equal(&seed->type, t) ? *seed : fit_tensor(a, seed, t);

	if (!dtype_is_float(t->dtype))
		edit_fill(&out, 0);
	return out;
}

bool fit_case(struct testcase *c, fit_seed_fn *make, void *context, struct arena *a)
{
	struct signature s = request_base(&c->program);

	for (int k = 0; k < c->n_transform; k++) {
		struct transform *t = &c->transform[k];
		struct type want[LIMIT_ARGS];
		struct tensor *seed = NEW(a, struct tensor, LIMIT_ARGS);
		int n;

		for (int i = 0; i < t->n_wrt; i++)
			if (t->wrt[i] < 0 || t->wrt[i] >= s.n_input)
				return false;
		n = request_seeds(&s, t, want);
		for (int i = 0; i < n; i++)
			seed[i] = i < t->n_seed ? fit_seed(&t->seed[i], &want[i], a) : make(context, &want[i]);
		t->seed = seed;
		t->n_seed = n;
		if (!request_apply(&s, t, NULL))
			return false;
	}
	for (int k = 0; k < c->n_point; k++)
		for (int i = 0; i < s.n_input; i++)
			if (!type_equal(&c->point[k][i].type, &s.input[i]))
				c->point[k][i] = fit_tensor(a, &c->point[k][i], &s.input[i]);
	return true;
}
