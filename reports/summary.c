/* summary.c: writes a finding as one sentence. */
#include "summary.h"
#include "standing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum subject summary_subject(enum verdict v)
{
	switch (v) {
	case VERDICT_CONVENTION:
	case VERDICT_INACCURATE:
	case VERDICT_NAN_LEAK:
	case VERDICT_NONDETERMINISTIC:
	case VERDICT_WRONG:
	case VERDICT_WRONG_PRIMAL:
		return SUBJECT_ELEMENT;
	case VERDICT_BAD_DTYPE:
	case VERDICT_BAD_SHAPE:
		return SUBJECT_TENSOR;
	case VERDICT_UNSUPPORTED:
	case VERDICT_UNDECIDED:
	case VERDICT_AGREE:
	case VERDICT_INPUT_MODIFIED:
	case VERDICT_PROTOCOL:
	case VERDICT_HANG:
	case VERDICT_OOM:
	case VERDICT_CRASH:
	case VERDICT_COUNT:
		break;
	}
	return SUBJECT_CASE;
}

/* The judged point; 0 if the judgement is not about one point. */
static int judged_point(const struct report *r)
{
	int k = r->judgement->point;

	return k >= 0 && k < r->c->n_point ? k : 0;
}

const struct tensor *summary_returned(const struct report *r, enum subject subject)
{
	const struct answer *answer = &r->answers[judged_point(r)];
	const struct judgement *j = r->judgement;
	int n = j->in_primal ? answer->n_primal : answer->n_derivative;
	const struct tensor *t;

	if (answer->status != ANSWER_OK || j->which < 0 || j->which >= n)
		return NULL;
	t = j->in_primal ? &answer->primal[j->which] : &answer->derivative[j->which];
	if (subject == SUBJECT_ELEMENT && (j->element < 0 || j->element >= shape_elements(&t->type.shape)))
		return NULL;
	return t;
}

/* Whether the judged element has the expected value of the judgement under the assignment of t. */
static bool is_expected(const struct judgement *j, const struct truth_tensor *t)
{
	return j->element >= 0 && j->element < shape_elements(&t->type.shape) &&
	    t->at[j->element].reason == REASON_NONE && bits_of(t->at[j->element].value) == bits_of(j->expected);
}

int summary_assignment(const struct report *r)
{
	const struct judgement *j = r->judgement;
	const struct truth_point *p = &r->truth->point[judged_point(r)];

	/* an answer that follows no assignment was compared with the nearest one: search for it */
	for (int k = 0; k <= p->n_assignment; k++) {
		int s = k ? k - 1 : j->assignment;

		if (s >= 0 && s < p->n_assignment && j->which >= 0 && j->which < p->n_derivative &&
		    is_expected(j, &p->derivative[s][j->which]))
			return s;
	}
	return j->assignment >= 0 && j->assignment < p->n_assignment ? j->assignment : 0;
}

const struct truth_tensor *summary_expected(const struct report *r)
{
	const struct judgement *j = r->judgement;
	const struct truth_point *p = &r->truth->point[judged_point(r)];

	if (j->which < 0 || j->which >= (j->in_primal ? p->n_primal : p->n_derivative))
		return NULL;
	if (j->in_primal)
		return &p->primal[j->which];
	return p->n_assignment ? &p->derivative[summary_assignment(r)][j->which] : NULL;
}

int summary_others(const struct report *r, double out[SUMMARY_OTHERS])
{
	const struct judgement *j = r->judgement;
	const struct truth_point *p = &r->truth->point[judged_point(r)];
	const struct truth_tensor *expected = summary_expected(r);
	int n = 0;

	if (j->in_primal || !expected || summary_subject(j->verdict) != SUBJECT_ELEMENT || j->element < 0 ||
	    j->element >= shape_elements(&expected->type.shape) || expected->at[j->element].reason != REASON_NONE)
		return 0;
	for (int s = 0; s < p->n_assignment && n < SUMMARY_OTHERS; s++) {
		const struct component *c = &p->derivative[s][j->which].at[j->element];
		bool there = c->reason != REASON_NONE || c->value == expected->at[j->element].value;

		for (int k = 0; k < n; k++)
			there |= out[k] == c->value;
		if (!there)
			out[n++] = c->value;
	}
	return n;
}

int64_t summary_integer(const struct component *c)
{
	if (c->value >= 0x1p63) /* rounded up from just below */
		return c->low <= -1 ? INT64_MAX + (int64_t)(c->low + 1) : INT64_MAX;
	return (int64_t)c->value + (int64_t)c->low;
}

char *summary_request(const struct testcase *c, struct arena *a)
{
	char *text = arena_printf(a, "%s", c->n_transform ? "" : "primal");

	for (int k = 0; k < c->n_transform; k++) {
		const struct transform *t = &c->transform[k];

		text = arena_printf(a, "%s%s%s", text, k ? ", then " : "", transform_names[t->kind]);
		if (t->kind == TRANSFORM_BATCH)
			text = arena_printf(a, "%s of %d,", text, t->size);
		for (int i = 0; i < t->n_wrt; i++)
			text = arena_printf(a, "%s%s%d", text, i ? ", " : " wrt [", t->wrt[i]);
		text = arena_printf(a, "%s%s", text, t->n_wrt ? "]" : " wrt []");
	}
	return text;
}

/* The name of output `which` of the function of the n innermost levels. */
static char *output_name(const struct testcase *c, int n, int which, struct arena *a)
{
	const struct transform *t = request_outermost(c->transform, n);

	if (!t)
		return arena_printf(a, "result %d", which);
	if (t->kind == TRANSFORM_JVP)
		return arena_printf(a, "tangent of %s", output_name(c, (int)(t - c->transform), which, a));
	if (which < 0 || which >= t->n_wrt)
		return arena_printf(a, "derivative %d", which);
	return arena_printf(a, "cotangent of input %d", t->wrt[which]);
}

char *summary_name(const struct testcase *c, bool in_primal, int which, struct arena *a)
{
	return in_primal ? arena_printf(a, "result %d", which) : output_name(c, c->n_transform, which, a);
}

/* Prints both numbers with as many digits (6 to 17) as tell them apart. */
static void print_apart(double x, double y, char x_text[REAL_TEXT], char y_text[REAL_TEXT])
{
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(x_text, REAL_TEXT, "%.*g", digits, x);
		snprintf(y_text, REAL_TEXT, "%.*g", digits, y);
		if (strcmp(x_text, y_text) != 0)
			break;
	}
	/* the sign of a NaN differs between machines and means nothing */
	if (isnan(x))
		snprintf(x_text, REAL_TEXT, "nan");
	if (isnan(y))
		snprintf(y_text, REAL_TEXT, "nan");
}

/* "element [1, 2] of the cotangent of input 0"; for a scalar "the cotangent of input 0". */
static char *element_text(const struct report *r, struct arena *a)
{
	const struct judgement *j = r->judgement;
	const struct truth_tensor *t = summary_expected(r);
	char *name = summary_name(r->c, j->in_primal, j->which, a), *index;
	int rest = j->element, stride[LIMIT_RANK];

	if (!t || !t->type.shape.rank || j->element < 0 || j->element >= shape_elements(&t->type.shape))
		return arena_printf(a, "the %s", name);
	shape_strides(&t->type.shape, stride);
	index = arena_printf(a, "%s", "");
	for (int d = 0; d < t->type.shape.rank; d++) {
		index = arena_printf(a, "%s%s%d", index, d ? ", " : "", rest / stride[d]);
		rest %= stride[d];
	}
	return arena_printf(a, "element [%s] of the %s", index, name);
}

/* The sentence for a wrong integer, with exact numbers; NULL for a float. */
static char *integer_sentence(const struct report *r, const char *what, struct arena *a)
{
	const struct tensor *returned = summary_returned(r, SUBJECT_ELEMENT);
	const struct truth_tensor *truth = summary_expected(r);
	int64_t is, right;

	if (!returned || !truth || dtype_is_float(returned->type.dtype) || dtype_is_float(truth->type.dtype))
		return NULL;
	is = returned->at[r->judgement->element].i;
	right = summary_integer(&truth->at[r->judgement->element]);
	return arena_printf(a, "%s gives %" PRId64 " for %s where %" PRId64 " is right: off by %" PRIu64, r->engine, is,
	    what, right, is > right ? (uint64_t)is - (uint64_t)right : (uint64_t)right - (uint64_t)is);
}

/* "; 1 of 65 elements is wrong", if there are more than a report lists. */
static const char *share_text(const struct report *r, struct arena *a)
{
	const struct truth_tensor *truth = summary_expected(r);
	const struct tensor *returned = summary_returned(r, SUBJECT_ELEMENT);
	const int n = truth ? shape_elements(&truth->type.shape) : 0;
	int wrong;

	if (n <= REPORT_ELEMENTS || !returned || !type_equal(&returned->type, &truth->type))
		return "";
	wrong = standing_count_wrong(truth, returned);
	return wrong ? arena_printf(a, "; %d of %d elements %s wrong", wrong, n, wrong > 1 ? "are" : "is") : "";
}

/* ", by other conventions at the tie 0 or 1"; "": there are none. */
static const char *others_text(const struct report *r, struct arena *a)
{
	double other[SUMMARY_OTHERS];
	const int n = summary_others(r, other);
	const char *text = n ? ", by other conventions at the tie" : "";
	char digits[REAL_TEXT];

	for (int i = 0; i < n; i++)
		text = arena_printf(a, "%s%s %s", text,
		    !i               ? ""
		        : i == n - 1 ? " or"
		                     : ",",
		    real_decimal(other[i], DTYPE_F64, 1, digits));
	return text;
}

static char *element_sentence(const struct report *r, struct arena *a)
{
	const struct judgement *j = r->judgement;
	char expected[REAL_TEXT], returned[REAL_TEXT];
	char *what = element_text(r, a);
	const struct truth_tensor *truth = summary_expected(r);
	const char *more = "";
	char *exact = j->verdict == VERDICT_WRONG || j->verdict == VERDICT_WRONG_PRIMAL ? integer_sentence(r, what, a)
	                                                                                : NULL;

	if (exact)
		return exact;
	print_apart(j->expected, j->returned, expected, returned);
	if (j->verdict == VERDICT_NONDETERMINISTIC)
		return arena_printf(a, "%s gave %s for %s and, asked again, %s", r->engine, expected, what, returned);
	if (j->verdict == VERDICT_CONVENTION)
		return arena_printf(
		    a, "%s gives %s for %s, one of the accepted conventions at a kink", r->engine, returned, what);
	/* the truth of a leaked NaN may be undecided, for a reason that does not explain a NaN */
	if (j->verdict == VERDICT_NAN_LEAK && truth && truth->at[j->element].reason != REASON_NONE)
		return arena_printf(a, "%s gives %s for %s, though every operation on the path is inside its domain",
		    r->engine, returned, what);
	if (j->verdict == VERDICT_NAN_LEAK)
		more = ", though every operation on the path is inside its domain";
	else if (j->verdict == VERDICT_INACCURATE)
		more = arena_printf(a, ": %s", accuracy_text(&j->accuracy, a));
	else if (isfinite(j->returned))
		more = arena_printf(
		    a, ": off by %.3g where %.3g is allowed", fabs(j->returned - j->expected), j->radius);
	return arena_printf(a, "%s gives %s for %s where %s is right%s%s%s", r->engine, returned, what, expected,
	    others_text(r, a), more, j->verdict == VERDICT_INACCURATE ? "" : share_text(r, a));
}

char *summary_type(const struct report *r, struct arena *a)
{
	const struct judgement *j = r->judgement;
	const struct answer *answer = &r->answers[judged_point(r)];
	const struct truth_point *p = &r->truth->point[judged_point(r)];
	const struct tensor *returned = summary_returned(r, SUBJECT_TENSOR);
	const struct truth_tensor *expected = summary_expected(r);
	const char *kind = j->in_primal ? "results" : "derivatives";
	char got[TYPE_TEXT], due[TYPE_TEXT];

	if (returned && expected)
		return arena_printf(a, "gives %s for the %s, which is %s", type_print(&returned->type, got),
		    summary_name(r->c, j->in_primal, j->which, a), type_print(&expected->type, due));
	return arena_printf(a, "gives %d %s where %d are due", j->in_primal ? answer->n_primal : answer->n_derivative,
	    kind, j->in_primal ? p->n_primal : p->n_derivative);
}

static char *case_sentence(const struct report *r, struct arena *a)
{
	const char *text = r->answers[judged_point(r)].text;

	text = text && *text ? text : "no reason given";
	if (r->answers[judged_point(r)].status == ANSWER_FAILURE)
		return arena_printf(a, "%s could not be asked: %s", r->engine, text);
	switch (r->judgement->verdict) {
	case VERDICT_UNSUPPORTED:
		return arena_printf(a, "%s does not answer this case: %s", r->engine, text);
	case VERDICT_UNDECIDED:
		return arena_printf(
		    a, "nothing could be decided about %s: %s", r->engine, reason_names[r->judgement->reason]);
	case VERDICT_AGREE:
		if (r->judgement->reason == REASON_BLIND)
			return arena_printf(
			    a, "%s agrees, but 0 in place of each number would be accepted too", r->engine);
		return arena_printf(
		    a, "%s agrees with the truth in all %d decided components", r->engine, r->judgement->decided);
	case VERDICT_INPUT_MODIFIED:
		return arena_printf(a, "%s wrote into its inputs", r->engine);
	case VERDICT_PROTOCOL:
		return arena_printf(a, "the answer of %s could not be understood: %s", r->engine, text);
	case VERDICT_HANG:
		return arena_printf(a, "%s did not end: %s", r->engine, text);
	case VERDICT_OOM:
		return arena_printf(a, "the process of %s was ended: %s", r->engine, text);
	case VERDICT_CRASH:
		if (r->answers[judged_point(r)].raised)
			return arena_printf(a, "%s answered an error: %s", r->engine, text);
		return arena_printf(a, "the process of %s died: %s", r->engine, text);
	case VERDICT_CONVENTION:
	case VERDICT_INACCURATE:
	case VERDICT_NAN_LEAK:
	case VERDICT_NONDETERMINISTIC:
	case VERDICT_WRONG:
	case VERDICT_WRONG_PRIMAL:
	case VERDICT_BAD_DTYPE:
	case VERDICT_BAD_SHAPE:
	case VERDICT_COUNT:
		break;
	}
	return arena_printf(a, "%s: %s", r->engine, text);
}

char *summary_sentence(const struct report *r, struct arena *a)
{
	char *request = summary_request(r->c, a), *text = NULL;

	switch (summary_subject(r->judgement->verdict)) {
	case SUBJECT_ELEMENT:
		text = element_sentence(r, a);
		break;
	case SUBJECT_TENSOR:
		text = arena_printf(a, "%s %s", r->engine, summary_type(r, a));
		break;
	case SUBJECT_CASE:
		text = case_sentence(r, a);
		break;
	}
	if (r->spellings)
		request = arena_printf(a, "%s, %s", request, r->spellings);
	if (r->c->n_point > 1)
		return arena_printf(a, "%s (%s, point %d).", text, request, judged_point(r));
	return arena_printf(a, "%s (%s).", text, request);
}
