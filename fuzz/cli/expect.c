/* expect.c: see expect.h.  Numbers are listed per derivative and element, over one point or all of them. */
#include "expect.h"

#include <string.h>

#include "commands.h"

/* The numbers of an expectation, flattened. */
struct numbers {
	int n, n_first; /* numbers at all points; at the first point alone */
	double *at;
};

/* Whether the numbers belong to derivatives, not to results. */
static bool derivatives(const struct testcase *c) { return request_outermost(c->transform, c->n_transform) != NULL; }

static int answer_count(const struct testcase *c, const struct answer *a)
{
	int n = derivatives(c) ? a->n_derivative : a->n_primal, sum = 0;
	const struct tensor *t = derivatives(c) ? a->derivative : a->primal;

	for (int k = 0; a->status == ANSWER_OK && k < n; k++)
		sum += shape_elements(&t[k].type.shape);
	return sum;
}

static struct numbers answer_numbers(const struct testcase *c, const struct answer *answers, struct arena *a)
{
	struct numbers out = {0};
	int room = 0;

	for (int p = 0; p < c->n_point; p++)
		room += answer_count(c, &answers[p]);
	out.at = NEW(a, double, room + 1);
	for (int p = 0; p < c->n_point; p++) {
		int n = derivatives(c) ? answers[p].n_derivative : answers[p].n_primal;
		const struct tensor *t = derivatives(c) ? answers[p].derivative : answers[p].primal;

		for (int k = 0; answers[p].status == ANSWER_OK && k < n; k++)
			for (int i = 0, size = shape_elements(&t[k].type.shape); i < size; i++)
				out.at[out.n++] = dtype_is_float(t[k].type.dtype) ? t[k].at[i].f : (double)t[k].at[i].i;
		if (!p)
			out.n_first = out.n;
	}
	return out;
}

static const struct truth_tensor *truth_tensors(const struct testcase *c, const struct truth_point *t, int *n)
{
	*n = derivatives(c) ? t->n_derivative : t->n_primal;
	if (!derivatives(c))
		return t->primal;
	return *n ? t->derivative[0] : NULL;
}

/* An undecided component has no number: it gets NaN, and *undecided counts it. */
static struct numbers truth_numbers(const struct testcase *c, const struct truth *t, int *undecided, struct arena *a)
{
	struct numbers out = {0};
	int room = 0, n;

	*undecided = 0;
	for (int p = 0; p < t->n_point; p++) {
		const struct truth_tensor *x = truth_tensors(c, &t->point[p], &n);

		for (int k = 0; k < n; k++)
			room += shape_elements(&x[k].type.shape);
	}
	out.at = NEW(a, double, room + 1);
	for (int p = 0; p < t->n_point; p++) {
		const struct truth_tensor *x = truth_tensors(c, &t->point[p], &n);

		for (int k = 0; k < n; k++)
			for (int i = 0, size = shape_elements(&x[k].type.shape); i < size; i++) {
				*undecided += x[k].at[i].reason != REASON_NONE;
				out.at[out.n++] = x[k].at[i].value;
			}
		if (!p)
			out.n_first = out.n;
	}
	return out;
}

static const char *compare(const struct expectation *x, struct numbers got, const char *who, struct arena *a)
{
	if (!x->n)
		return NULL;
	if (x->n != got.n && x->n != got.n_first)
		return arena_printf(a, "%s: expected %d numbers, got %d", who, x->n, got.n);
	for (int i = 0; i < x->n; i++)
		if (!real_matches_decimal(got.at[i], x->returned[i]))
			return arena_printf(a, "%s: expected %s, got %s (element %d)", who, x->returned[i],
			    decimal_text(got.at[i], a), i);
	return NULL;
}

/* Whether a verdict is as good as the expected one. */
static bool verdict_meets(enum verdict got, int want, bool strict)
{
	if ((int)got == want)
		return true;
	return want == VERDICT_AGREE && got == VERDICT_INACCURATE && !strict;
}

bool expect_is_about(const struct expectation *x, const struct engine *engine)
{
	if (!x->engine)
		return false;
	return strcmp(x->engine, "*") ? !strcmp(x->engine, engine_name(engine)) : engine_is_right(engine);
}

const char *expect_engine(const struct testcase *c, const struct expectation *x, const struct answer *answers,
    const struct judgement *j, bool strict, struct arena *a)
{
	bool every = x->engine && !strcmp(x->engine, "*");

	/* "*" means all engines that can answer.  An engine without the transform or op is not checked. */
	if (every && j->verdict == VERDICT_UNSUPPORTED)
		return NULL;
	if (x->verdict) {
		int want = verdict_find(x->verdict);

		if (want < 0)
			return arena_printf(a, "no verdict \"%s\"", x->verdict);
		if (!verdict_meets(j->verdict, want, strict))
			return arena_printf(a, "expected verdict %s, got %s%s%s", x->verdict, verdict_names[j->verdict],
			    j->reason == REASON_NONE ? "" : " ", reason_names[j->reason]);
	}
	return compare(x, answer_numbers(c, answers, a), "returned", a);
}

const char *expect_truth(const struct testcase *c, const struct expectation *x, const struct truth *t, struct arena *a)
{
	int undecided;
	struct numbers got = truth_numbers(c, t, &undecided, a);

	if (x->verdict) {
		bool want = strcmp(x->verdict, verdict_names[VERDICT_UNDECIDED]);

		if (want != (undecided < got.n))
			return arena_printf(
			    a, "truth: expected %s, but %d of %d numbers are undecided", x->verdict, undecided, got.n);
	}
	if (x->n && undecided)
		return arena_printf(a, "truth: %d of %d numbers are undecided", undecided, got.n);
	return compare(x, got, "truth", a);
}
