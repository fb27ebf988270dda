#include "internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char *const verdict_names[VERDICT_COUNT] = {
#define VERDICT(id, name, finding, meaning) [VERDICT_##id] = name,
#include "verdicts.def"
#undef VERDICT
};

const bool verdict_is_finding[VERDICT_COUNT] = {
#define VERDICT(id, name, finding, meaning) [VERDICT_##id] = finding,
#include "verdicts.def"
#undef VERDICT
};

const char *const deviation_names[DEVIATION_COUNT] = {[DEVIATION_NONE] = "none",
    [DEVIATION_FINITE] = "finite",
    [DEVIATION_ZERO] = "zero",
    [DEVIATION_SIGN] = "sign",
    [DEVIATION_NAN] = "nan",
    [DEVIATION_INFINITE] = "infinite",
    [DEVIATION_SHAPE] = "shape",
    [DEVIATION_DTYPE] = "dtype"};

static const struct formula formulas[OP_COUNT] = {
#define FORMULA(id, better, instead) [OP_##id] = {better, instead},
#include "formulas.def"
#undef FORMULA
};

const struct formula *formula_of(enum op op) { return formulas[op].better ? &formulas[op] : NULL; }

const char *accuracy_cause(const struct accuracy *x) { return x->range ? "range" : "formula"; }

char *accuracy_text(const struct accuracy *x, struct arena *a)
{
	const struct formula *f = formula_of(x->op);
	char *text = isfinite(x->ulps) ? arena_printf(a, "off by %.3g ulp", x->ulps) : arena_printf(a, "far off");
	text = arena_printf(a, "%s; the best known formulas are off by at most %.3g ulp", text, x->good);
	if (x->range)
		text = arena_printf(a, "%s; a usual formula leaves the range", text);
	return f ? arena_printf(a, "%s; %s: %s instead of %s", text, op_table[x->op].name, f->better, f->instead)
	         : text;
}

int verdict_find(const char *name)
{
	for (int v = 0; v < VERDICT_COUNT; v++)
		if (!strcmp(verdict_names[v], name))
			return v;
	return -1;
}

bool verdict_of_numbers(enum verdict v) { return v < VERDICT_BAD_DTYPE; }

bool verdict_answers(enum verdict v)
{
	return v != VERDICT_HANG && v != VERDICT_OOM && v != VERDICT_CRASH && v != VERDICT_PROTOCOL;
}

bool judge_observe(
    struct judge *j, enum verdict v, enum deviation d, double ratio, double expected, double returned, double radius)
{
	struct judgement *out = j->out;
	if (j->any && (v < out->verdict || (v == out->verdict && !(ratio > j->worst))))
		return false;
	j->any = true;
	j->worst = ratio;
	out->verdict = v;
	out->deviation = d;
	out->point = j->point;
	out->which = j->which;
	out->element = j->element;
	out->in_primal = j->in_primal;
	out->expected = expected;
	out->returned = returned;
	out->radius = radius;
	out->accuracy = (struct accuracy){0};
	out->weak_zero = false;
	return true;
}

/* The unit in the last place of x in dtype d. */
static double ulp_of(double x, enum dtype d)
{
	const struct dtype_info *info = &dtype_table[d];
	return fabs(x) > info->normal ? ldexp(1, ilogb(x) + 1 - info->precision) : info->tiny;
}

static void observe_inaccurate(
    struct judge *j, const struct component *c, enum dtype d, enum deviation deviation, double got)
{
	double error = fabs(judge_error(c, got)), ulp = ulp_of(c->value, d);
	if (judge_observe(j, VERDICT_INACCURATE, deviation, isfinite(error) ? judge_ratio(error, c->tight) : INFINITY,
	        c->value, got, c->tight))
		j->out->accuracy = (struct accuracy){error / ulp, c->tight / ulp, c->share == INFINITY, c->culprit};
}

/* Notes an observation about a whole answer or tensor. */
static void observe_whole(struct judge *j, enum verdict v, enum deviation d) { judge_observe(j, v, d, 0, 0, 0, 0); }

/* The difference got - value is exact if they are within a factor of 2 (Sterbenz). */
double judge_error(const struct component *c, double got) { return (got - c->value) - c->low; }

enum deviation judge_deviation(double expected, double got)
{
	if (isnan(got))
		return DEVIATION_NAN;
	if (isinf(got))
		return DEVIATION_INFINITE;
	if (got == 0 && expected != 0)
		return DEVIATION_ZERO;
	/* A "wrong sign" has about the right size: -1e-9 for 1 is none. */
	bool opposite = (got < 0 && expected > 0) || (got > 0 && expected < 0);
	if (opposite && fabs(got) <= 4 * fabs(expected) && fabs(expected) <= 4 * fabs(got))
		return DEVIATION_SIGN;
	return DEVIATION_FINITE;
}

double component_radius(const struct component *c, double got)
{
	const double error = judge_error(c, got), inner = error < 0 ? c->down : c->up;

	if (!c->narrow || !(fabs(error) <= c->loose) || fabs(error) >= c->leap)
		return c->loose;
	return fmin(c->loose, fmax(inner, c->tight));
}

bool judge_accepts(const struct component *c, double got)
{
	return fabs(judge_error(c, got)) <= component_radius(c, got) || (c->escapes && !isfinite(got));
}

bool component_is_blind(const struct component *c, enum dtype d)
{
	return c->reason == REASON_NONE && dtype_round(d, c->value) != 0 && judge_accepts(c, 0);
}

double judge_ratio(double error, double radius)
{
	if (error == 0)
		return 0;
	return radius > 0 ? error / radius : INFINITY;
}

/* ---- types ---- */

/* Whether t has the wanted type. If not, notes the mistake. */
static bool judge_type(struct judge *j, const struct tensor *t, const struct type *want, bool any_dtype)
{
	if (!shape_equal(&t->type.shape, &want->shape)) {
		observe_whole(j, VERDICT_BAD_SHAPE, DEVIATION_SHAPE);
		return false;
	}
	if (t->type.dtype != want->dtype && !any_dtype) {
		observe_whole(j, VERDICT_BAD_DTYPE, DEVIATION_DTYPE);
		return false;
	}
	return true;
}

/* Compares number, shapes and dtypes of `n` tensors with those of the truth. */
static bool judge_types(
    struct judge *j, bool in_primal, const struct tensor *t, int n, const struct truth_tensor *want, int n_want)
{
	bool good = true;
	j->in_primal = in_primal;
	j->which = j->element = -1;
	if (n != n_want) {
		observe_whole(j, VERDICT_BAD_SHAPE, DEVIATION_SHAPE);
		return false;
	}
	for (int k = 0; k < n; k++) {
		j->which = k;
		/* Systems differ in the dtype of an integer's tangent or cotangent (float0, int, float). All of
		 * them return zeros. */
		good &= judge_type(j, &t[k], &want[k].type, !in_primal && !dtype_is_float(want[k].type.dtype));
	}
	return good;
}

/* ---- primal ---- */

bool judge_count(struct judge *j, const struct component *c, enum dtype d)
{
	const enum reason reason = component_is_blind(c, d) ? REASON_BLIND : c->reason;

	j->out->decided += reason == REASON_NONE;
	j->out->undecided[reason] += reason != REASON_NONE;
	return reason == REASON_NONE;
}

/* Whether value + low, an integer of at most 64 bits, is `got`. */
static bool same_integer(const struct component *c, int64_t got)
{
	if (c->value >= 0x1p63) /* rounded up from just below */
		return c->low <= -1 && got == INT64_MAX + (int64_t)(c->low + 1);
	return got == (int64_t)c->value + (int64_t)c->low;
}

/* Whether 0 in the place of a number would even agree. */
static bool tight_has_zero(const struct component *c, enum dtype d)
{
	return component_is_blind(c, d) && fabs(judge_error(c, 0)) <= c->tight;
}

bool judge_float(struct judge *j, const struct component *c, enum dtype d, double got, enum verdict outside)
{
	double error = fabs(judge_error(c, got));
	/* Infinities and NaN must be equal to the truth's. */
	if (!isfinite(c->value) && (got == c->value || (isnan(got) && isnan(c->value))))
		error = 0;
	if (error <= c->tight) {
		if (j->counts && !tight_has_zero(c, d))
			judge_observe(
			    j, VERDICT_AGREE, DEVIATION_NONE, judge_ratio(error, c->tight), c->value, got, c->tight);
		return true;
	}
	if (judge_accepts(c, got)) {
		observe_inaccurate(j, c, d, DEVIATION_FINITE, got);
		return true;
	}
	double radius = component_radius(c, got), ratio = isfinite(error) ? judge_ratio(error, radius) : INFINITY;
	judge_observe(j, outside, judge_deviation(c->value, got), ratio, c->value, got, radius);
	return false;
}

/* Judges the primal values. False if one is wrong. */
static bool judge_primal(struct judge *j, const struct truth_point *truth, const struct answer *answer)
{
	bool good = true;
	j->in_primal = true;
	for (int k = 0; k < truth->n_primal; k++) {
		const struct truth_tensor *want = &truth->primal[k];
		const struct tensor *got = &answer->primal[k];
		bool is_float = dtype_is_float(want->type.dtype);
		for (int e = 0; e < shape_elements(&want->type.shape); e++) {
			const struct component *c = &want->at[e];
			j->which = k;
			j->element = e;
			if (j->counts)
				j->certain += is_float ? judge_count(j, c, want->type.dtype) : c->reason == REASON_NONE;
			if (c->reason != REASON_NONE)
				continue;
			if (is_float) {
				good &= judge_float(j, c, want->type.dtype, got->at[e].f, VERDICT_WRONG_PRIMAL);
			} else if (!same_integer(c, got->at[e].i)) {
				double returned = (double)got->at[e].i;
				judge_observe(j, VERDICT_WRONG_PRIMAL, judge_deviation(c->value, returned), INFINITY,
				    c->value, returned, 0);
				good = false;
			}
		}
	}
	return good;
}

/* ---- derivative ---- */

/* Judges the tangent or cotangent of an integer or bool: it must be all zeros, of any dtype. */
static void judge_zeros(struct judge *j, const struct tensor *got)
{
	for (int e = 0; e < shape_elements(&got->type.shape); e++) {
		double x = tensor_number(got, e);
		j->element = e;
		j->certain++;
		if (x != 0)
			judge_observe(j, VERDICT_WRONG, judge_deviation(0, x), INFINITY, 0, x, 0);
	}
}

bool judge_nan_leaks(const struct component *c)
{
	if (c->reason == REASON_NONE)
		return c->in_domain;
	if (c->escapes || c->loose == INFINITY) /* a usual formula leaves the range, whether decided or not */
		return false;
	return c->in_domain && c->reason != REASON_OVERFLOW && c->reason != REASON_NON_FINITE &&
	    c->reason != REASON_UNSTABLE_PATH;
}

bool judge_nan(struct judge *j, const struct component *c, enum dtype d, double got)
{
	if (!isnan(got) || (c->reason == REASON_NONE && !isfinite(c->value)))
		return false;
	if (c->reason == REASON_NONE && c->escapes)
		observe_inaccurate(j, c, d, DEVIATION_NAN, got);
	else if (judge_nan_leaks(c) && /* a NaN without any excuse comes first */
	    judge_observe(j, VERDICT_NAN_LEAK, DEVIATION_NAN, c->weak_zero ? 1 : INFINITY,
	        c->reason == REASON_NONE ? c->value : 0, got, 0))
		j->out->weak_zero = c->weak_zero;
	return true;
}

void judge_component(struct judge *j, const struct component *c, enum dtype d, double got)
{
	if (judge_alternatives(j, c, d, got))
		return;
	if (c->reason == REASON_NONE && isnan(got) && !c->in_domain) {
		j->out->undecided[REASON_NON_FINITE]++;
		return;
	}
	j->certain += judge_count(j, c, d);
	if (!judge_nan(j, c, d, got) && c->reason == REASON_NONE)
		judge_float(j, c, d, got, VERDICT_WRONG);
}

/* ---- the answer ---- */

static void judge_derivative(struct judge *j, const struct truth_point *t, const struct answer *answer)
{
	bool has_conventions = truth_has_conventions(t);
	j->in_primal = false;
	j->alternative = alternative_followed(t, answer);
	for (int k = 0; k < t->n_derivative; k++) {
		const struct truth_tensor *want = &t->derivative[0][k];
		j->which = k;
		if (!dtype_is_float(want->type.dtype)) {
			judge_zeros(j, &answer->derivative[k]);
			continue;
		}
		if (has_conventions)
			continue;
		for (int e = 0; e < shape_elements(&want->type.shape); e++) {
			j->element = e;
			judge_component(j, &want->at[e], want->type.dtype, answer->derivative[k].at[e].f);
		}
	}
	if (has_conventions)
		judge_conventions(j, t, answer);
}

/* The verdict for a status other than ANSWER_OK. ANSWER_FAILURE is a failure of adjudge, and ANSWER_INTERRUPTED is no
 * answer: nothing is decided, and the caller sees the status. */
/* clang-format off */
static const enum verdict status_verdict[] = {
    [ANSWER_UNSUPPORTED] = VERDICT_UNSUPPORTED, [ANSWER_TOO_LARGE] = VERDICT_UNSUPPORTED,
    [ANSWER_CRASH] = VERDICT_CRASH, [ANSWER_HANG] = VERDICT_HANG, [ANSWER_OOM] = VERDICT_OOM,
    [ANSWER_PROTOCOL] = VERDICT_PROTOCOL, [ANSWER_FAILURE] = VERDICT_UNDECIDED,
    [ANSWER_INTERRUPTED] = VERDICT_UNDECIDED};
/* clang-format on */

static void judge_point(
    struct judge *j, const struct testcase *c, const struct truth_point *t, const struct answer *answer)
{
	j->which = j->element = -1;
	j->in_primal = false;
	j->certain = 0;
	if (answer->status != ANSWER_OK) {
		observe_whole(j, status_verdict[answer->status], DEVIATION_NONE);
		return;
	}
	if (answer->input_modified)
		observe_whole(j, VERDICT_INPUT_MODIFIED, DEVIATION_NONE);
	bool primal_only = !request_order(c->transform, c->n_transform);
	bool good = judge_types(j, true, answer->primal, answer->n_primal, t->primal, t->n_primal);
	good &= judge_types(j, false, answer->derivative, answer->n_derivative,
	    t->n_derivative ? t->derivative[0] : NULL, t->n_derivative);
	if (!good)
		return;
	/* Only requested values count: a correct primal does not make a derivative agree. */
	j->counts = primal_only;
	if (!judge_primal(j, t, answer))
		return;
	j->counts = true;
	if (!primal_only)
		judge_derivative(j, t, answer);
	j->which = j->element = -1;
	assert(j->certain >= 0);
	j->any_certain |= j->certain > 0;
	observe_whole(j, j->certain ? VERDICT_AGREE : VERDICT_UNDECIDED, DEVIATION_NONE);
}

void judge(const struct testcase *c, const struct truth *t, const struct answer *answers, struct judgement *out)
{
	memset(out, 0, sizeof *out);
	struct judge j = {.out = out};
	for (j.point = 0; j.point < t->n_point; j.point++)
		judge_point(&j, c, &t->point[j.point], &answers[j.point]);
	if (!j.any)
		out->verdict = VERDICT_UNDECIDED;
	const bool compared = out->verdict == VERDICT_AGREE || out->verdict == VERDICT_CONVENTION ||
	    out->verdict == VERDICT_INACCURATE;
	if (out->verdict != VERDICT_UNDECIDED && (!compared || j.any_certain))
		return;
	for (int r = 0; r < REASON_COUNT; r++)
		if (out->undecided[r] > out->undecided[out->reason])
			out->reason = (enum reason)r;
	if (out->reason == REASON_NONE && answers[0].status == ANSWER_OK)
		out->reason = REASON_EMPTY;
}

static struct truth_tensor *undecided_tensors(const struct truth_tensor *t, int n, struct arena *a)
{
	struct truth_tensor *out = arena_copy(a, t, (size_t)n, sizeof *t);

	for (int k = 0; k < n; k++) {
		int elements = shape_elements(&t[k].type.shape);

		out[k].at = arena_copy(a, t[k].at, (size_t)elements, sizeof *t[k].at);
		for (int i = 0; i < elements; i++) {
			out[k].at[i].reason = REASON_CONVENTION;
			out[k].at[i].in_domain = false;
		}
	}
	return out;
}

struct truth truth_of_finite_points(const struct truth *t, struct arena *a)
{
	struct truth out = {t->n_point, arena_copy(a, t->point, (size_t)t->n_point, sizeof *t->point)};

	for (int k = 0; k < t->n_point; k++) {
		struct truth_point *p = &out.point[k];

		if (!p->nonfinite)
			continue;
		p->primal = undecided_tensors(p->primal, p->n_primal, a);
		p->derivative = arena_copy(a, p->derivative, (size_t)p->n_assignment, sizeof *p->derivative);
		for (int s = 0; s < p->n_assignment; s++)
			p->derivative[s] = undecided_tensors(p->derivative[s], p->n_derivative, a);
		p->hull = NULL;
	}
	return out;
}

void judgement_excuse(const struct truth *t, enum reason why, struct judgement *j)
{
	const struct truth_point *p = &t->point[j->point];
	const struct truth_tensor *tensor = j->in_primal ? &p->primal[j->which] : &p->derivative[0][j->which];
	const struct component *c = &tensor->at[j->element];
	double ulp = ulp_of(c->value, tensor->type.dtype);
	j->reason = why;
	j->verdict = VERDICT_INACCURATE;
	j->accuracy = (struct accuracy){fabs(judge_error(c, j->returned)) / ulp, c->tight / ulp, false, OP_CONSTANT};
}

bool judgement_decides(const struct judgement *j)
{
	return j->verdict != VERDICT_UNSUPPORTED && j->verdict != VERDICT_UNDECIDED && j->reason == REASON_NONE;
}

void judgement_forgive(struct judgement *j)
{
	if (j->verdict == VERDICT_NAN_LEAK && j->declared)
		j->verdict = VERDICT_CONVENTION;
}

char *signature_coarse(const char *engine, const struct testcase *c, const struct judgement *j, struct arena *a)
{
	if (j->verdict == VERDICT_NAN_LEAK && j->weak_zero)
		return arena_printf(
		    a, "%s|*|%s|%s", engine, verdict_names[j->verdict], j->declared ? "declared" : "weak-zero");
	const char *request = request_order(c->transform, c->n_transform) ? "" : "primal";
	for (int k = 0; k < c->n_transform; k++)
		if (c->transform[k].kind != TRANSFORM_BATCH)
			request = arena_printf(
			    a, "%s%s%s", request, *request ? "," : "", transform_names[c->transform[k].kind]);
	return arena_printf(
	    a, "%s|%s|%s|%s", engine, request, verdict_names[j->verdict], deviation_names[j->deviation]);
}

/* The verdict stands between the last two bars. */
enum verdict signature_verdict(const char *signature)
{
	const char *end = strrchr(signature, '|'), *from = end;
	char name[32] = "";
	int v;

	while (from && from > signature && from[-1] != '|')
		from--;
	if (end && end - from < (ptrdiff_t)sizeof name)
		memcpy(name, from, (size_t)(end - from));
	v = verdict_find(name);
	return v < 0 ? VERDICT_UNSUPPORTED : (enum verdict)v;
}

/* Copies part `from_end` of the signature (0: the last one) into part[SIGNATURE_PART].  False: there is none, or it is
 * too long for a verdict, a deviation or a request. */
enum { SIGNATURE_PART = 64 };
static bool part_of(const char *signature, int from_end, char part[SIGNATURE_PART])
{
	const char *end = signature + strlen(signature), *from = end;

	for (int k = 0; k <= from_end; k++) {
		end = k ? from - 1 : end;
		for (from = end; from > signature && from[-1] != '|'; from--)
			;
		if (from == signature)
			return false;
	}
	if (end - from >= SIGNATURE_PART)
		return false;
	memcpy(part, from, (size_t)(end - from));
	part[end - from] = '\0';
	return true;
}

static bool is_deviation(const char *text)
{
	for (int k = 0; k < DEVIATION_COUNT; k++)
		if (!strcmp(text, deviation_names[k]))
			return true;
	return !strcmp(text, "weak-zero") || !strcmp(text, "declared");
}

static bool is_request(char *text)
{
	if (!strcmp(text, "primal") || !strcmp(text, "*"))
		return true;
	for (char *rest = NULL, *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		if (strcmp(word, transform_names[TRANSFORM_JVP]) && strcmp(word, transform_names[TRANSFORM_VJP]))
			return false;
	return *text;
}

bool signature_is_coarse(const char *text)
{
	char deviation[SIGNATURE_PART], verdict[SIGNATURE_PART], request[SIGNATURE_PART];

	return part_of(text, 0, deviation) && part_of(text, 1, verdict) && part_of(text, 2, request) &&
	    is_deviation(deviation) && verdict_find(verdict) >= 0 && is_request(request);
}

bool signature_may_be(const char *text)
{
	char part[SIGNATURE_PART];
	const char *bar = strchr(text, '|');

	if (signature_is_coarse(text))
		return true;
	for (int k = 0; k < 2; k++)
		if (part_of(text, k, part) && verdict_find(part) >= 0)
			return false;
	return bar && strchr(bar + 1, '|');
}

static bool ends_with(const char *signature, const char *end)
{
	const size_t len = strlen(signature), of_end = strlen(end);

	return len >= of_end && !strcmp(signature + len - of_end, end);
}

bool signature_declared(const char *signature) { return ends_with(signature, "|*|nan-leak|declared"); }

bool signature_weak_zero(const char *signature)
{
	return ends_with(signature, "|*|nan-leak|weak-zero") || signature_declared(signature);
}
