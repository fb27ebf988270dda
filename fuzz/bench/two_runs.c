/* two_runs.c: see two_runs.h. */
#include "two_runs.h"

static void compare_tensors(
    const struct tensor *first, int n_first, const struct tensor *second, int n_second, struct difference *d)
{
	if (n_first != n_second) {
		d->any = true;
		return;
	}
	for (int k = 0; k < n_first && !d->any; k++) {
		if (tensor_same(&first[k], &second[k]))
			continue;
		d->any = true;
		d->which = k;
		if (!type_equal(&first[k].type, &second[k].type))
			return;
		for (int i = 0; i < shape_elements(&first[k].type.shape); i++) {
			struct type scalar = {first[k].type.dtype, shape_scalar()};
			struct tensor x = {scalar, &first[k].at[i]}, y = {scalar, &second[k].at[i]};

			if (tensor_same(&x, &y))
				continue;
			d->element = i;
			d->first = tensor_number(&x, 0);
			d->second = tensor_number(&y, 0);
			return;
		}
	}
}

struct difference compare_runs(const struct answer *first, const struct answer *second, int n_point)
{
	struct difference d = {0};

	for (int k = 0; k < n_point && !d.any; k++) {
		d.point = k;
		d.element = -1;
		if (first[k].status != second[k].status) {
			d.any = true;
			break;
		}
		if (first[k].status != ANSWER_OK)
			continue;
		d.in_primal = true;
		compare_tensors(first[k].primal, first[k].n_primal, second[k].primal, second[k].n_primal, &d);
		if (d.any)
			break;
		d.in_primal = false;
		compare_tensors(
		    first[k].derivative, first[k].n_derivative, second[k].derivative, second[k].n_derivative, &d);
	}
	return d;
}

void judge_nondeterministic(const struct difference *d, struct judgement *j)
{
	j->verdict = VERDICT_NONDETERMINISTIC;
	j->reason = REASON_NONE;
	j->deviation = DEVIATION_NONE;
	j->point = d->point;
	j->which = d->which;
	j->element = d->element < 0 ? 0 : d->element;
	j->in_primal = d->in_primal;
	j->expected = d->first;
	j->returned = d->second;
	j->radius = 0;
	j->assignment = 0;
}
