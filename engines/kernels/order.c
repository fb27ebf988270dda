/* order.c: counting and order along an axis: iota, sort, argsort, argmax. */
#include "parts.h"

#include <string.h>

void kernel_iota(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct axis_view v = axis_view(&out->type.shape, node->attrs.axis);
	enum dtype d = out->type.dtype;

	(void)arg, (void)a;
	for (int i = 0; i < v.outer * v.n * v.inner; i++) {
		int k = i / v.inner % v.n;

		if (dtype_is_float(d))
			out->at[i].f = dtype_round(d, k);
		else
			out->at[i].i = k;
	}
}

/* Whether x comes strictly before y: NaN after everything else, -0 beside +0. */
static bool before(bool is_float, union cell x, union cell y)
{
	if (!is_float)
		return x.i < y.i;
	return x.f == x.f && (y.f != y.f || x.f < y.f);
}

/* Merges from the bottom up: stable, and n log n for any input. */
void order_line(const struct tensor *x, const struct axis_view *v, int o, int i, int *perm, int *spare)
{
	const union cell *line = x->at + o * v->n * v->inner + i;
	bool is_float = dtype_is_float(x->type.dtype);

	for (int k = 0; k < v->n; k++)
		perm[k] = k;
	for (int width = 1; width < v->n; width *= 2) {
		for (int low = 0; low < v->n; low += 2 * width) {
			int middle = low + width < v->n ? low + width : v->n,
			    high = middle + width < v->n ? middle + width : v->n;
			int left = low, right = middle;

			for (int k = low; k < high; k++) {
				bool take_right = right < high &&
				    (left == middle ||
				        before(is_float, line[perm[right] * v->inner], line[perm[left] * v->inner]));

				spare[k] = take_right ? perm[right++] : perm[left++];
			}
		}
		memcpy(perm, spare, (size_t)v->n * sizeof *perm);
	}
}

/* The elements of every line, or their positions, in order. */
static void order(const struct node *node, const struct tensor *x, struct tensor *out, bool positions, struct arena *a)
{
	struct axis_view v = axis_view(&x->type.shape, node->attrs.axis);
	int *perm = NEW(a, int, v.n), *spare = NEW(a, int, v.n);

	for (int o = 0; o < v.outer; o++)
		for (int i = 0; i < v.inner; i++) {
			order_line(x, &v, o, i, perm, spare);
			for (int k = 0; k < v.n; k++) {
				union cell *to = &out->at[(o * v.n + k) * v.inner + i];

				if (positions)
					to->i = perm[k];
				else
					*to = x->at[(o * v.n + perm[k]) * v.inner + i];
			}
		}
}

void kernel_sort(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	order(node, arg[0], out, false, a);
}

void kernel_argsort(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	order(node, arg[0], out, true, a);
}

void kernel_argmax(const struct node *node, const struct tensor *const arg[], struct tensor *out, struct arena *a)
{
	struct axis_view v = axis_view(&arg[0]->type.shape, node->attrs.axis);
	bool is_float = dtype_is_float(arg[0]->type.dtype);

	(void)a;
	for (int o = 0; o < v.outer; o++)
		for (int i = 0; i < v.inner; i++) {
			const union cell *line = arg[0]->at + o * v.n * v.inner + i;
			int best = 0;

			for (int k = 1; k < v.n; k++)
				if (before(is_float, line[best * v.inner], line[k * v.inner]))
					best = k;
			out->at[o * v.inner + i].i = best;
		}
}
