/* report_numbers.c: the numbers of a report: expected and returned, where the finding is and at every point. */
#include "report_numbers.h"

#include "standing.h"
#include "summary.h"

/* Writes the value exactly: reals as hex, integers as integers. */
static void put_expected(struct json_writer *w, const char *key, const struct component *c, enum dtype d)
{
	json_put_key(w, key);
	if (dtype_is_float(d))
		json_put_real(w, c->value);
	else
		json_put_integer(w, summary_integer(c));
}

static void put_returned(struct json_writer *w, const char *key, const struct tensor *t, int i)
{
	json_put_key(w, key);
	if (dtype_is_float(t->type.dtype))
		json_put_real(w, t->at[i].f);
	else
		json_put_integer(w, t->at[i].i);
}

static void put_component(struct json_writer *w, const struct component *c, enum dtype d)
{
	if (c->reason != REASON_NONE) {
		json_member_string(w, "reason", reason_names[c->reason]);
		return;
	}
	put_expected(w, "expected", c, d);
	json_member_decimal(w, "decimal", c->value);
	json_member_decimal(w, "tight", c->tight);
	json_member_decimal(w, "loose", c->loose);
}

/*
 * {"element":0,"expected":"0x1p+1","decimal":2,"tight":...,"loose":...,
 *  "returned":"0x0p+0","returned_decimal":0,"verdict":"wrong"}
 */
static void put_element(struct json_writer *w, const struct truth_tensor *truth, const struct tensor *returned, int i)
{
	const struct component *c = &truth->at[i];

	json_begin_object(w, JSON_FLOW);
	json_member_integer(w, "element", i);
	put_component(w, c, truth->type.dtype);
	if (returned && i < shape_elements(&returned->type.shape)) {
		put_returned(w, "returned", returned, i);
		if (dtype_is_float(returned->type.dtype))
			json_member_decimal(w, "returned_decimal", returned->at[i].f);
		if (c->reason == REASON_NONE)
			json_member_string(w, "verdict", standing_names[standing_of(c, returned, i)]);
	}
	json_end(w);
}

/*
 * Lists the elements of a tensor with more than REPORT_ELEMENTS: the worst one (-1: none), then others that are wrong,
 * then those from the first on.  Returns how many.
 */
static int list_some(struct json_writer *w, const struct truth_tensor *truth, const struct tensor *returned, int worst)
{
	const int n = shape_elements(&truth->type.shape);
	const bool comparable = returned && type_equal(&returned->type, &truth->type);
	int shown = 0;

	if (worst >= 0 && worst < n) {
		put_element(w, truth, returned, worst);
		shown++;
	}
	for (int right = 0; right < 2; right++)
		for (int i = 0; i < n && shown < REPORT_ELEMENTS; i++) {
			const bool wrong = comparable && standing_wrong(truth, returned, i);

			if (i == worst || wrong == right)
				continue;
			put_element(w, truth, returned, i);
			shown++;
		}
	return shown;
}

static void put_tensor(
    struct json_writer *w, const char *name, const struct truth_tensor *truth, const struct tensor *returned, int worst)
{
	const int n = shape_elements(&truth->type.shape);
	int shown = n;
	char type[TYPE_TEXT];

	json_begin_object(w, JSON_BLOCK);
	json_member_string(w, "of", name);
	json_member_string(w, "type", type_print(&truth->type, type));
	if (returned && !type_equal(&returned->type, &truth->type))
		json_member_string(w, "returned_type", type_print(&returned->type, type));
	json_member_array(w, "elements", JSON_BLOCK);
	for (int i = 0; n <= REPORT_ELEMENTS && i < n; i++)
		put_element(w, truth, returned, i);
	if (n > REPORT_ELEMENTS)
		shown = list_some(w, truth, returned, worst);
	json_end(w);
	if (shown < n)
		json_member_integer(w, "elements_left_out", n - shown);
	json_end(w);
}

/*
 * The assignment that the answer at a point is compared with: at the judged point the judged one, elsewhere the one
 * that explains most components.
 */
static int point_assignment(const struct report *r, int k)
{
	const struct truth_point *p = &r->truth->point[k];
	const struct answer *answer = &r->answers[k];
	const struct judgement *j = r->judgement;
	int best = 0, best_wrong = -1;

	if (k == j->point && !j->in_primal && summary_subject(j->verdict) == SUBJECT_ELEMENT)
		return summary_assignment(r);
	for (int s = 0; s < p->n_assignment; s++) {
		int wrong = 0;

		for (int d = 0; d < p->n_derivative && d < answer->n_derivative; d++)
			wrong += standing_count_wrong(&p->derivative[s][d], &answer->derivative[d]);
		if (best_wrong < 0 || wrong < best_wrong) {
			best = s;
			best_wrong = wrong;
		}
	}
	return best;
}

static void put_tensors(struct json_writer *w, const struct report *r, int k, bool in_primal)
{
	const struct truth_point *p = &r->truth->point[k];
	const struct answer *answer = &r->answers[k];
	const struct judgement *j = r->judgement;
	bool judged = k == j->point && in_primal == j->in_primal && summary_subject(j->verdict) == SUBJECT_ELEMENT;
	int n = in_primal ? p->n_primal : p->n_derivative;
	int n_returned = answer->status != ANSWER_OK ? 0 : in_primal ? answer->n_primal : answer->n_derivative;
	const struct truth_tensor *truth = in_primal ? p->primal
	    : p->n_assignment                        ? p->derivative[point_assignment(r, k)]
	                                             : NULL;

	json_member_array(w, in_primal ? "primal" : "derivative", JSON_BLOCK);
	for (int d = 0; truth && d < n; d++) {
		const struct tensor *returned = in_primal ? answer->primal : answer->derivative;

		put_tensor(w, summary_name(r->c, in_primal, d, w->text.arena), &truth[d],
		    d < n_returned ? &returned[d] : NULL, judged && d == j->which ? j->element : -1);
	}
	json_end(w);
}

void report_put_points(struct json_writer *w, const struct report *r)
{
	bool derivative = request_outermost(r->c->transform, r->c->n_transform) != NULL,
	     primal = r->judgement->in_primal || !derivative;

	json_member_array(w, "points", JSON_BLOCK);
	for (int k = 0; k < r->c->n_point; k++) {
		json_begin_object(w, JSON_BLOCK);
		if (r->answers[k].text && *r->answers[k].text)
			json_member_string(w, "text", r->answers[k].text);
		if (primal)
			put_tensors(w, r, k, true);
		if (derivative)
			put_tensors(w, r, k, false);
		json_end(w);
	}
	json_end(w);
}

static void put_index(struct json_writer *w, const struct type *type, int element)
{
	int stride[LIMIT_RANK], rest = element;

	shape_strides(&type->shape, stride);
	json_member_array(w, "index", JSON_FLOW);
	for (int d = 0; d < type->shape.rank; d++) {
		json_put_integer(w, rest / stride[d]);
		rest %= stride[d];
	}
	json_end(w);
}

static void put_others(struct json_writer *w, const struct report *r)
{
	double other[SUMMARY_OTHERS];
	const int n = summary_others(r, other);

	if (!n)
		return;
	json_member_array(w, "others", JSON_FLOW);
	for (int i = 0; i < n; i++)
		json_put_decimal(w, other[i]);
	json_end(w);
}

void report_put_where(struct json_writer *w, const struct report *r)
{
	const struct judgement *j = r->judgement;
	enum subject subject = summary_subject(j->verdict);
	const struct truth_tensor *expected = subject == SUBJECT_CASE ? NULL : summary_expected(r);
	const struct tensor *returned = subject == SUBJECT_CASE ? NULL : summary_returned(r, subject);
	bool element = subject == SUBJECT_ELEMENT && expected && j->element >= 0 &&
	    j->element < shape_elements(&expected->type.shape);
	char type[TYPE_TEXT];

	json_member_object(w, "where", JSON_FLOW);
	json_member_integer(w, "point", j->point);
	if (subject != SUBJECT_CASE && j->which >= 0) {
		json_member_integer(w, j->in_primal ? "primal" : "derivative", j->which);
		json_member_string(w, "of", summary_name(r->c, j->in_primal, j->which, w->text.arena));
	}
	if (element) {
		json_member_integer(w, "element", j->element);
		put_index(w, &expected->type, j->element);
	}
	json_end(w);

	if (expected) {
		json_member_object(w, "expected", JSON_FLOW);
		json_member_string(w, "type", type_print(&expected->type, type));
		if (element && expected->at[j->element].reason == REASON_NONE) {
			const struct component *c = &expected->at[j->element];

			put_expected(w, "value", c, expected->type.dtype);
			if (dtype_is_float(expected->type.dtype))
				json_member_real(w, "low", c->low);
			json_member_decimal(w, "decimal", c->value);
			json_member_decimal(w, "tight", c->tight);
			json_member_decimal(w, "loose", c->loose);
			json_member_decimal(w, "magnitude", c->magnitude);
			put_others(w, r);
		}
		json_end(w);
	}
	if (returned) {
		json_member_object(w, "returned", JSON_FLOW);
		json_member_string(w, "type", type_print(&returned->type, type));
		if (element) {
			put_returned(w, "value", returned, j->element);
			if (dtype_is_float(returned->type.dtype))
				json_member_decimal(w, "decimal", returned->at[j->element].f);
		}
		/* `answers` holds the first run; the second differed from it */
		if (element && j->verdict == VERDICT_NONDETERMINISTIC)
			json_member_real(w, "again", j->returned);
		json_end(w);
	}
}
