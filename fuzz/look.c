/* look.c: see look.h. */
#include "look.h"

#include <math.h>

#include "../engines/engine.h"

enum {
	STEADY_RUNS = 32, /* that agree are of an engine that answers alike */
	UNSTEADY_RUNS = 32
};

/* Two orders of summation of the same wrong derivative differ by far less, two bugs by far more. */
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
	const struct tensor *p = x->n_derivative ? x->derivative : x->primal, *q = y->n_derivative ? y->derivative : y->primal;
	int n = x->n_derivative ? x->n_derivative : x->n_primal;

	if (x->status != y->status || (y->n_derivative ? y->n_derivative : y->n_primal) != n)
		return false;
	for (int d = 0; x->status == ANSWER_OK && d < n; d++)
		if (!same_tensor(&p[d], &q[d]))
			return false;
	return true;
}

static bool is_over(const struct look *look)
{
	return look->limit && same_signature_over(look->limit);
}

struct look look_at(struct bench *one, const struct same_signature *limit, const struct testcase *c, struct arena *a)
{
	struct look look = {one, 1, limit};
	struct answer *first = NEW(a, struct answer, c->n_point), *again = NEW(a, struct answer, c->n_point);

	if (is_over(&look))
		return look;
	engine_answer(one->engine[0], c, a, first);
	for (int run = 1; run < STEADY_RUNS && look.runs == 1 && first->status == ANSWER_OK && !is_over(&look); run++) {
		engine_answer(one->engine[0], c, a, again);
		for (int k = 0; k < c->n_point; k++)
			look.runs = same_answer(&first[k], &again[k]) ? look.runs : UNSTEADY_RUNS;
	}
	return look;
}

bool look_is_unsteady(const struct look *look)
{
	return look->runs > 1;
}

bool look_finds(const struct look *look, const struct testcase *c, struct arena *a, struct judgement *j)
{
	*j = (struct judgement){.verdict = VERDICT_UNDECIDED};
	return !is_over(look) && shows_finding_once(look->bench, c, look->runs, a, j);
}
