/* steady.c: see steady.h. */
#include "steady.h"

#include <math.h>

#include "engines/engine.h"

enum {
	STEADY_RUNS = 32, /* as many equal answers prove an engine steady */
	UNSTEADY_RUNS = 32
};

/* Two orders of summation of one wrong derivative differ by far less.  Two bugs differ by far more. */
static const double same_number = 1e-3;

static bool same_tensor(const struct tensor *x, const struct tensor *y)
{
	if (!type_equal(&x->type, &y->type))
		return false;
	for (int i = 0; i < shape_elements(&x->type.shape) && dtype_is_float(x->type.dtype); i++) {
		double p = x->at[i].f, q = y->at[i].f;

		if (p == q || (isnan(p) && isnan(q)))
			continue;
		if (!(fabs(p - q) <= same_number * fmax(fabs(p), fabs(q))))
			return false;
	}
	return true;
}

bool same_answer(const struct answer *x, const struct answer *y)
{
	const struct tensor *p = x->n_derivative ? x->derivative : x->primal,
	                    *q = y->n_derivative ? y->derivative : y->primal;
	int n = x->n_derivative ? x->n_derivative : x->n_primal;

	if (x->status != y->status || (y->n_derivative ? y->n_derivative : y->n_primal) != n)
		return false;
	for (int d = 0; x->status == ANSWER_OK && d < n; d++)
		if (!same_tensor(&p[d], &q[d]))
			return false;
	return true;
}

int steady_runs(const struct question *q, const struct testcase *c, struct arena *a)
{
	struct bench *bench = q->bench;
	struct engine *engine = bench->engine[0];
	struct answer *first = NEW(a, struct answer, c->n_point), *again = NEW(a, struct answer, c->n_point);
	struct engine_share share = {0};
	int runs = 1;

	if (limit_over(q->until, engine))
		return runs;
	bench_answer_shared(bench, engine, c, &share, a, first);
	for (int run = 1; run < STEADY_RUNS && runs == 1 && first->status == ANSWER_OK && !limit_over(q->until, engine);
	     run++) {
		const struct arena_mark mark = arena_mark(a);

		bench_answer_shared(bench, engine, c, &share, a, again);
		for (int k = 0; k < c->n_point; k++)
			runs = same_answer(&first[k], &again[k]) ? runs : UNSTEADY_RUNS;
		arena_rewind(a, mark);
	}
	return runs;
}
