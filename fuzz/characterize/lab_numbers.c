/* lab_numbers.c: the numbers of a row: what was expected and returned, element by element. */
#include "lab_numbers.h"

#include <math.h>

#include "reports/summary.h"

/* Whether element i of a derivative is right, as far as it is decided. */
static bool element_right(const struct truth_tensor *want, const struct tensor *got, int i)
{
	const struct component *c = &want->at[i];

	return c->reason != REASON_NONE || got->at[i].f == c->value ||
	    fabs(got->at[i].f - c->value - c->low) <= c->loose;
}

void lab_take_numbers(struct lab *l, const struct report *r, struct variant_row *row)
{
	const struct judgement *j = r->judgement;
	const struct truth_tensor *want = summary_expected(r);
	const struct tensor *got = summary_returned(r, SUBJECT_TENSOR);
	int n;

	if (!judgement_has_numbers(j) || !want || !got || !type_equal(&got->type, &want->type))
		return;
	row->of = summary_name(r->c, j->in_primal, j->which, l->arena);
	row->expected = j->expected;
	row->returned = j->returned;
	row->radius = j->radius;
	n = shape_elements(&want->type.shape);
	if (n < 2)
		return;
	row->has_sum = true;
	if (n <= CHARACTERIZATION_ELEMENTS) {
		row->n_element = n;
		row->element_expected = NEW(l->arena, double, n);
		row->element_returned = NEW(l->arena, double, n);
	}
	for (int i = 0; i < n; i++) {
		/* an undecided element has no known value, except a leaked NaN, for which the value of the path is
		 * known */
		double x = want->at[i].reason == REASON_NONE ||
		        (j->verdict == VERDICT_NAN_LEAK && want->at[i].in_domain)
		    ? want->at[i].value
		    : NAN;

		row->some_right |= dtype_is_float(got->type.dtype) && x != 0 && !isnan(x) &&
		    element_right(want, got, i);
		row->sum_expected += x;
		row->sum_returned += tensor_number(got, i);
		if (row->n_element) {
			row->element_expected[i] = x;
			row->element_returned[i] = tensor_number(got, i);
		}
	}
}

/* The first element of a derivative that is wrong by these conventions; -1: none is. */
static int wrong_element(const struct truth_tensor *want, const struct tensor *got)
{
	for (int i = 0; i < shape_elements(&want->type.shape); i++)
		if (!element_right(want, got, i))
			return i;
	return -1;
}

void lab_take_focus(struct lab *l, struct report *r, struct judgement *j, struct variant_row *row)
{
	const struct truth_point *p = &r->truth->point[0];
	const int own = summary_assignment(r);
	const struct tensor *got = r->answers[0].derivative + l->focus;
	const struct component *c;
	int worst;

	if (!row->decided || r->answers[0].status != ANSWER_OK || l->focus >= r->answers[0].n_derivative ||
	    !p->n_assignment || l->focus >= p->n_derivative)
		return;
	worst = wrong_element(&p->derivative[own][l->focus], got);
	for (int s = 0; s < p->n_assignment && worst >= 0; s++)
		if (wrong_element(&p->derivative[s][l->focus], got) < 0)
			worst = -1;
	row->fails = worst >= 0;
	worst = worst >= 0 ? worst : 0;
	c = &p->derivative[own][l->focus].at[worst];
	j->in_primal = false;
	j->point = 0;
	j->which = l->focus;
	j->element = worst;
	j->verdict = row->verdict = row->fails ? VERDICT_WRONG : VERDICT_AGREE;
	j->expected = c->value;
	j->returned = got->at[worst].f;
	j->radius = c->loose;
}
