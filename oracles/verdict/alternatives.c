/*
 * alternatives.c: answers to undecided components that have alternatives (truth.h). An answer that is that of one
 * choice in all of them is judged by it. Any other number is undecided, unless it is outside. While alternatives are
 * only counted, they change no verdict.
 */
#include <math.h>

#include "internal.h"

/* The alternative that is nearest to a number. */
static const struct component *nearest(const struct alternatives *x, double got)
{
	const struct component *best = &x->at[0];

	for (int s = 1; s < x->n; s++)
		if (fabs(judge_error(&x->at[s], got)) < fabs(judge_error(best, got)))
			best = &x->at[s];
	return best;
}

/* Whether no correct engine gives this number. */
static bool is_outside(const struct alternatives *x, double got)
{
	if (x->escapes && !isfinite(got))
		return false;
	if (isnan(got))
		return x->in_domain;
	return !(got >= x->low - x->margin && got <= x->high + x->margin);
}

/* How many choices the components of a point have; 0: none has alternatives. */
static int choices_of(const struct truth_point *t)
{
	for (int k = 0; k < t->n_derivative; k++)
		for (int e = 0; e < shape_elements(&t->derivative[0][k].type.shape); e++) {
			const struct alternatives *x = component_alternatives(&t->derivative[0][k].at[e]);

			if (x)
				return x->n;
		}
	return 0;
}

/* Whether the answer may be that of choice s in every component that has alternatives. */
static bool follows(const struct truth_point *t, const struct answer *answer, int s)
{
	for (int k = 0; k < t->n_derivative; k++) {
		const struct truth_tensor *want = &t->derivative[0][k];

		for (int e = 0; dtype_is_float(want->type.dtype) && e < shape_elements(&want->type.shape); e++) {
			const struct alternatives *x = component_alternatives(&want->at[e]);

			if (x && !judge_accepts(&x->at[s], answer->derivative[k].at[e].f))
				return false;
		}
	}
	return true;
}

int alternative_followed(const struct truth_point *t, const struct answer *answer)
{
	const int n = choices_of(t);

	for (int s = 0; s < n; s++)
		if (follows(t, answer, s))
			return s;
	return -1;
}

bool judge_alternatives(struct judge *j, const struct component *c, enum dtype d, double got)
{
	const struct alternatives *x = component_alternatives(c);
	const bool outside = x && is_outside(x, got);

	if (!x)
		return false;
	const struct component *of = j->alternative < 0 ? nearest(x, got) : &x->at[j->alternative];

	j->out->beyond += outside;
	if (x->counted)
		return false;
	if (!outside && (j->alternative < 0 || !judge_accepts(of, got))) {
		j->out->undecided[c->reason]++;
		return true;
	}

	j->out->decided++;
	j->certain++;
	if (!judge_nan(j, of, d, got))
		judge_float(j, of, d, got, VERDICT_WRONG);
	return true;
}
