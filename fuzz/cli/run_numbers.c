/* run_numbers.c: see run_numbers.h. */
#include "run_numbers.h"

#include "reports/report.h"

enum { COMPONENTS_SHOWN = 4096 };

void run_put_components(struct json_writer *w, const struct testcase *c, const struct truth *t,
    const struct answer *answers, const struct judgement *j)
{
	int shown = 0;

	json_member_array(w, "components", JSON_BLOCK);
	for (int p = 0; p < c->n_point; p++) {
		const struct truth_point *tp = &t->point[p];
		const struct answer *a = &answers[p];
		bool primal = !request_outermost(c->transform, c->n_transform);
		int n = primal ? tp->n_primal : tp->n_derivative, have = primal ? a->n_primal : a->n_derivative;
		const struct truth_tensor *want = primal ? tp->primal
		    : n ? tp->derivative[j->assignment < tp->n_assignment ? j->assignment : 0]
		        : NULL;
		const struct tensor *got = primal ? a->primal : a->derivative;

		for (int k = 0; k < n; k++) {
			bool same = a->status == ANSWER_OK && k < have && type_equal(&got[k].type, &want[k].type);

			for (int i = 0, size = shape_elements(&want[k].type.shape);
			     i < size && shown < COMPONENTS_SHOWN; i++, shown++) {
				const struct component *x = &want[k].at[i];

				json_begin_object(w, JSON_FLOW);
				json_member_integer(w, "point", p);
				json_member_integer(w, "which", k);
				json_member_integer(w, "element", i);
				json_member_decimal_if(w, "expected", x->reason == REASON_NONE, x->value);
				json_member_decimal_if(w, "returned", same, same ? tensor_number(&got[k], i) : 0);
				json_member_decimal_if(w, "radius", x->reason == REASON_NONE, x->loose);
				json_member_string(w, "reason", reason_names[x->reason]);
				json_end(w);
			}
		}
	}
	json_end(w);
}

void run_put_value(struct json_writer *w, const struct answer *a)
{
	json_member_array(w, "value", JSON_FLOW);
	for (int k = 0, shown = 0; a->status == ANSWER_OK && k < a->n_primal; k++)
		for (int i = 0, n = shape_elements(&a->primal[k].type.shape); i < n && shown < COMPONENTS_SHOWN;
		     i++, shown++)
			json_put_decimal(w, tensor_number(&a->primal[k], i));
	json_end(w);
}

void run_put_accuracy(struct json_writer *w, const struct judgement *j)
{
	json_put_key(w, "accuracy");
	if (j->verdict == VERDICT_INACCURATE)
		accuracy_put(w, &j->accuracy);
	else
		json_put_null(w);
}
