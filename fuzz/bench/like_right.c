/* like_right.c: see like_right.h. */
#include "like_right.h"

#include <math.h>

/* Runs every request, and sums in the order of the program like most engines. */
static const char *const right_spec = "aot";

/* How many roundings of the dtype two right answers may be apart.  More are no finding either; the truth then decides.
 */
static const double few_roundings = 16;

static bool same_number(double x, double y, enum dtype d)
{
	if (x == y || (isnan(x) && isnan(y)))
		return true;
	return fabs(x - y) <= few_roundings * dtype_table[d].unit * fmin(fabs(x), fabs(y));
}

static bool same_tensors(const struct tensor *x, int n_x, const struct tensor *y, int n_y)
{
	if (n_x != n_y)
		return false;
	for (int k = 0; k < n_x; k++) {
		if (!type_equal(&x[k].type, &y[k].type))
			return false;
		for (int i = 0; i < shape_elements(&x[k].type.shape); i++)
			if (!same_number(tensor_number(&x[k], i), tensor_number(&y[k], i), x[k].type.dtype))
				return false;
	}
	return true;
}

static bool same_answers(const struct answer *x, const struct answer *y, int n_point)
{
	for (int k = 0; k < n_point; k++)
		if (x[k].status != ANSWER_OK || y[k].status != ANSWER_OK || x[k].input_modified ||
		    !same_tensors(x[k].primal, x[k].n_primal, y[k].primal, y[k].n_primal) ||
		    !same_tensors(x[k].derivative, x[k].n_derivative, y[k].derivative, y[k].n_derivative))
			return false;
	return true;
}

bool answers_like_right(
    struct bench *b, struct engine *engine, const struct testcase *c, struct arena *a, enum answer_status *broken)
{
	const struct arena_mark mark = arena_mark(a);
	struct answer *own, *right;
	struct error e = {0};
	bool same;

	*broken = ANSWER_OK;
	if (engine_hello(engine))
		return false;
	if (!b->right && !(b->right = engine_open(right_spec, &e)))
		return false;
	own = NEW(a, struct answer, c->n_point);
	right = NEW(a, struct answer, c->n_point);
	bench_answer(b, engine, c, a, own);
	for (int k = 0; k < c->n_point; k++)
		if (own[k].status == ANSWER_CRASH || own[k].status == ANSWER_PROTOCOL)
			*broken = own[k].status;
	if (*broken == ANSWER_OK)
		bench_answer(b, b->right, c, a, right);
	same = *broken == ANSWER_OK && same_answers(own, right, c->n_point);
	arena_rewind(a, mark);
	return same;
}
