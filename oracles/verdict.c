#include "verdict.h"

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

const char *const deviation_names[DEVIATION_COUNT] = {
    [DEVIATION_NONE] = "none", [DEVIATION_FINITE] = "finite", [DEVIATION_ZERO] = "zero", [DEVIATION_SIGN] = "sign",
    [DEVIATION_NAN] = "nan", [DEVIATION_INFINITE] = "infinite", [DEVIATION_SHAPE] = "shape", [DEVIATION_DTYPE] = "dtype"};

int verdict_find(const char *name)
{
	for (int v = 0; v < VERDICT_COUNT; v++)
		if (!strcmp(verdict_names[v], name))
			return v;
	return -1;
}

/* The place being looked at and what is known so far. */
struct judge {
	struct judgement *out;
	bool any;     /* out->verdict is set */
	double worst; /* error over radius of what out shows */
	int point, which, element;
	bool in_primal;
	bool counts; /* what is compared is what the request asks for */
	int certain; /* such components of this point that were compared, exact zeros of integers included */
};

/* An observation at the current place: a later row of verdicts.def wins, within a row the larger ratio. */
static void observe(struct judge *j, enum verdict v, enum deviation d, double ratio, double expected, double returned, double radius)
{
	struct judgement *out = j->out;
	if (j->any && (v < out->verdict || (v == out->verdict && !(ratio > j->worst))))
		return;
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
}

/* An observation about a whole answer or tensor. */
static void observe_whole(struct judge *j, enum verdict v, enum deviation d)
{
	observe(j, v, d, 0, 0, 0, 0);
}

/* got - (value + low), to double rounding: got - value is exact when they are within a factor of 2 (Sterbenz). */
static double error_of(const struct component *c, double got)
{
	return (got - c->value) - c->low;
}

static enum deviation deviation_of(double expected, double got)
{
	if (isnan(got))
		return DEVIATION_NAN;
	if (isinf(got))
		return DEVIATION_INFINITE;
	if (got == 0 && expected != 0)
		return DEVIATION_ZERO;
	/* "The wrong sign" is about the same size, not -1e-9 for 1. */
	bool opposite = (got < 0 && expected > 0) || (got > 0 && expected < 0);
	if (opposite && fabs(got) <= 4 * fabs(expected) && fabs(expected) <= 4 * fabs(got))
		return DEVIATION_SIGN;
	return DEVIATION_FINITE;
}

/* error / radius; radius 0 must be met exactly, which -0 for +0 does. */
static double ratio_of(double error, double radius)
{
	if (error == 0)
		return 0;
	return radius > 0 ? error / radius : INFINITY;
}

/* ---- types ---- */

/* Whether t has the wanted type; else notes what is wrong. */
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

/* Number, shapes and dtypes of `n` tensors against the truth's. */
static bool judge_types(struct judge *j, bool in_primal, const struct tensor *t, int n, const struct truth_tensor *want, int n_want)
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
		/* Systems differ in the dtype of an integer's tangent or cotangent (float0, int, float): zeros all the same. */
		good &= judge_type(j, &t[k], &want[k].type, !in_primal && !dtype_is_float(want[k].type.dtype));
	}
	return good;
}

/* ---- primal ---- */

/* Whether value + low, an integer of at most 64 bits, is `got`. */
static bool same_integer(const struct component *c, int64_t got)
{
	if (c->value >= 0x1p63) /* rounded up from just below */
		return c->low <= -1 && got == INT64_MAX + (int64_t)(c->low + 1);
	return got == (int64_t)c->value + (int64_t)c->low;
}

/* A float against one ball; true when it is not outside the loose one. */
static bool judge_float(struct judge *j, const struct component *c, double got, enum verdict outside)
{
	double error = fabs(error_of(c, got));
	/* Infinities and NaN compare as such. */
	if (!isfinite(c->value) && (got == c->value || (isnan(got) && isnan(c->value))))
		error = 0;
	if (error <= c->tight) {
		if (j->counts)
			observe(j, VERDICT_AGREE, DEVIATION_NONE, ratio_of(error, c->tight), c->value, got, c->tight);
		return true;
	}
	/* A usual formula that leaves the range there returns anything, a NaN (infinity - infinity) included. */
	if (error <= c->loose || c->loose == INFINITY) {
		observe(j, VERDICT_INACCURATE, DEVIATION_FINITE, ratio_of(error, c->tight), c->value, got, c->tight);
		return true;
	}
	double ratio = isfinite(error) ? ratio_of(error, c->loose) : INFINITY;
	observe(j, outside, deviation_of(c->value, got), ratio, c->value, got, c->loose);
	return false;
}

/* False when a primal value is wrong. */
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
			if (is_float && j->counts) {
				j->out->decided += c->reason == REASON_NONE;
				j->out->undecided[c->reason] += c->reason != REASON_NONE;
			}
			if (c->reason != REASON_NONE)
				continue;
			j->certain += j->counts;
			if (is_float) {
				good &= judge_float(j, c, got->at[e].f, VERDICT_WRONG_PRIMAL);
			} else if (!same_integer(c, got->at[e].i)) {
				double returned = (double)got->at[e].i;
				observe(j, VERDICT_WRONG_PRIMAL, deviation_of(c->value, returned), INFINITY, c->value, returned, 0);
				good = false;
			}
		}
	}
	return good;
}

/* ---- derivative ---- */

/* The tangent or cotangent of an integer or bool: all zeros, whatever their dtype. */
static void judge_zeros(struct judge *j, const struct tensor *got)
{
	for (int e = 0; e < shape_elements(&got->type.shape); e++) {
		double x = tensor_number(got, e);
		j->element = e;
		j->certain++;
		if (x != 0)
			observe(j, VERDICT_WRONG, deviation_of(0, x), INFINITY, 0, x, 0);
	}
}

/*
 * Whether a NaN for this component is a leak: its truth is a number, or is undecided for a reason that does not let a right engine leave
 * the domain or the range.
 */
static bool nan_leaks(const struct component *c)
{
	if (c->reason == REASON_NONE)
		return c->in_domain;
	if (c->loose == INFINITY) /* a usual formula leaves the range, decided or not */
		return false;
	return c->in_domain && c->reason != REASON_OVERFLOW && c->reason != REASON_NON_FINITE && c->reason != REASON_UNSTABLE_PATH;
}

/* Handles a NaN; true when `got` is one and need not be looked at further. */
static bool judge_nan(struct judge *j, const struct component *c, double got)
{
	if (!isnan(got) || (c->reason == REASON_NONE && !isfinite(c->value)))
		return false;
	if (c->reason == REASON_NONE && c->loose == INFINITY)
		observe(j, VERDICT_INACCURATE, DEVIATION_NAN, INFINITY, c->value, got, c->tight);
	else if (nan_leaks(c))
		observe(j, VERDICT_NAN_LEAK, DEVIATION_NAN, INFINITY, c->reason == REASON_NONE ? c->value : 0, got, 0);
	return true;
}

static void judge_component(struct judge *j, const struct component *c, double got)
{
	if (c->reason == REASON_NONE && isnan(got) && !c->in_domain) {
		j->out->undecided[REASON_NON_FINITE]++;
		return;
	}
	if (c->reason == REASON_NONE) {
		j->out->decided++;
		j->certain++;
	} else {
		j->out->undecided[c->reason]++;
	}
	if (!judge_nan(j, c, got) && c->reason == REASON_NONE)
		judge_float(j, c, got, VERDICT_WRONG);
}

/* ---- conventions ---- */

/* The components of one place under each assignment of conventions. */
static const struct component *assigned(const struct truth_point *t, int assignment, int k, int e)
{
	return &t->derivative[assignment][k].at[e];
}

static bool same_ball(const struct component *a, const struct component *b)
{
	return a->reason == b->reason &&
	       (a->reason != REASON_NONE ||
	           (a->value == b->value && a->low == b->low && a->tight == b->tight && a->loose == b->loose));
}

/* Whether all assignments say the same about a component. */
static bool same_in_all(const struct truth_point *t, int k, int e)
{
	for (int s = 1; s < t->n_assignment; s++)
		if (!same_ball(assigned(t, 0, k, e), assigned(t, s, k, e)))
			return false;
	return true;
}

/* The first assignment under which a component is undecided, or one in which it is decided. */
static const struct component *weakest(const struct truth_point *t, int k, int e)
{
	for (int s = 0; s < t->n_assignment; s++)
		if (assigned(t, s, k, e)->reason != REASON_NONE)
			return assigned(t, s, k, e);
	return assigned(t, 0, k, e);
}

/* How well an answer follows one assignment. */
enum fit { FIT_NONE, FIT_LOOSE, FIT_TIGHT };

static enum fit fit_of(const struct truth_point *t, int assignment, const struct answer *answer)
{
	enum fit fit = FIT_TIGHT;
	for (int k = 0; k < t->n_derivative; k++) {
		const struct truth_tensor *want = &t->derivative[assignment][k];
		if (!dtype_is_float(want->type.dtype))
			continue;
		for (int e = 0; e < shape_elements(&want->type.shape); e++) {
			double got = answer->derivative[k].at[e].f, error = fabs(error_of(&want->at[e], got));
			if (want->at[e].reason != REASON_NONE || isnan(got))
				continue; /* NaN is judged apart */
			if (!(error <= want->at[e].loose))
				return FIT_NONE;
			if (error > want->at[e].tight)
				fit = FIT_LOOSE;
		}
	}
	return fit;
}

/*
 * A component against the hull of all assignments; true when it is inside, or undecided under one of them.  Else notes how far it is
 * outside, beside the nearest.
 */
static bool judge_hull(struct judge *j, const struct truth_point *t, int k, int e, double got)
{
	bool above = false, below = false;
	double nearest = INFINITY;
	const struct component *best = NULL;
	for (int s = 0; s < t->n_assignment; s++) {
		const struct component *c = assigned(t, s, k, e);
		if (c->reason != REASON_NONE)
			return true;
		double error = error_of(c, got);
		above |= error >= -c->loose; /* not below this ball */
		below |= error <= c->loose;
		if (!best || fabs(error) < nearest) {
			nearest = fabs(error);
			best = c;
		}
	}
	if (above && below)
		return true;
	double ratio = isfinite(nearest) ? ratio_of(nearest, best->loose) : INFINITY;
	observe(j, VERDICT_WRONG, deviation_of(best->value, got), ratio, best->value, got, best->loose);
	return false;
}

/* Notes the worst component of an answer that follows one assignment. */
static void judge_followed(struct judge *j, const struct truth_point *t, int assignment, const struct answer *answer)
{
	bool plain = true;
	for (int k = 0; k < t->n_derivative; k++) {
		const struct truth_tensor *want = &t->derivative[assignment][k];
		if (!dtype_is_float(want->type.dtype))
			continue;
		for (int e = 0; e < shape_elements(&want->type.shape); e++) {
			j->which = k;
			j->element = e;
			double got = answer->derivative[k].at[e].f;
			if (want->at[e].reason != REASON_NONE) {
				j->out->undecided[want->at[e].reason]++;
				continue;
			}
			j->out->decided++;
			j->certain++;
			if (isnan(got))
				continue;
			judge_float(j, &want->at[e], got, VERDICT_WRONG);
			if (same_in_all(t, k, e))
				continue;
			plain = false;
			double error = fabs(error_of(&want->at[e], got));
			observe(j, VERDICT_CONVENTION, DEVIATION_NONE, ratio_of(error, want->at[e].tight), want->at[e].value, got,
			    want->at[e].tight);
		}
	}
	if (!plain)
		j->out->assignment = assignment;
}

/* Several assignments of conventions: the whole answer must follow ONE of them. */
static void judge_conventions(struct judge *j, const struct truth_point *t, const struct answer *answer)
{
	enum fit best = FIT_NONE;
	int followed = 0;
	for (int s = 0; s < t->n_assignment; s++) {
		enum fit fit = fit_of(t, s, answer);
		if (fit > best) {
			best = fit;
			followed = s;
		}
	}
	for (int k = 0; k < t->n_derivative; k++) {
		const struct truth_tensor *want = &t->derivative[0][k];
		if (!dtype_is_float(want->type.dtype))
			continue;
		for (int e = 0; e < shape_elements(&want->type.shape); e++) {
			j->which = k;
			j->element = e;
			double got = answer->derivative[k].at[e].f;
			if (judge_nan(j, weakest(t, k, e), got) || best != FIT_NONE)
				continue;
			bool inside = judge_hull(j, t, k, e, got);
			const struct component *c = weakest(t, k, e);
			if (c->reason != REASON_NONE) {
				j->out->undecided[c->reason]++;
			} else if (inside && !same_in_all(t, k, e)) {
				/* Between the conventions: a mixture that is nobody's, or one that is not known here. */
				j->out->undecided[REASON_CONVENTION]++;
			} else {
				j->out->decided++;
			}
		}
	}
	if (best != FIT_NONE)
		judge_followed(j, t, followed, answer);
}

/* ---- the answer ---- */

static void judge_derivative(struct judge *j, const struct truth_point *t, const struct answer *answer)
{
	j->in_primal = false;
	for (int k = 0; k < t->n_derivative; k++) {
		const struct truth_tensor *want = &t->derivative[0][k];
		j->which = k;
		if (!dtype_is_float(want->type.dtype)) {
			judge_zeros(j, &answer->derivative[k]);
			continue;
		}
		if (t->n_assignment > 1)
			continue;
		for (int e = 0; e < shape_elements(&want->type.shape); e++) {
			j->element = e;
			judge_component(j, &want->at[e], answer->derivative[k].at[e].f);
		}
	}
	if (t->n_assignment > 1)
		judge_conventions(j, t, answer);
}

/* What a status other than ANSWER_OK means.  ANSWER_FAILURE is ours: nothing is decided, the caller sees the status. */
static const enum verdict status_verdict[] = {
    [ANSWER_UNSUPPORTED] = VERDICT_UNSUPPORTED, [ANSWER_CRASH] = VERDICT_CRASH, [ANSWER_HANG] = VERDICT_HANG,
    [ANSWER_PROTOCOL] = VERDICT_PROTOCOL,       [ANSWER_FAILURE] = VERDICT_UNDECIDED};

static void judge_point(struct judge *j, const struct testcase *c, const struct truth_point *t, const struct answer *answer)
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
	good &= judge_types(j, false, answer->derivative, answer->n_derivative, t->n_derivative ? t->derivative[0] : NULL,
	    t->n_derivative);
	if (!good)
		return;
	/* Agreement is about what was asked: a right primal alone is no right derivative. */
	j->counts = primal_only;
	if (!judge_primal(j, t, answer))
		return;
	j->counts = true;
	if (!primal_only)
		judge_derivative(j, t, answer);
	j->which = j->element = -1;
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
	if (out->verdict != VERDICT_UNDECIDED)
		return;
	for (int r = 0; r < REASON_COUNT; r++)
		if (out->undecided[r] > out->undecided[out->reason])
			out->reason = (enum reason)r;
	if (out->reason == REASON_NONE && answers[0].status == ANSWER_OK)
		out->reason = REASON_EMPTY;
}

char *signature_coarse(const char *spec, const struct testcase *c, const struct judgement *j, struct arena *a)
{
	const char *request = request_order(c->transform, c->n_transform) ? "" : "primal";
	for (int k = 0; k < c->n_transform; k++)
		if (c->transform[k].kind != TRANSFORM_BATCH)
			request = arena_printf(a, "%s%s%s", request, *request ? "," : "", transform_names[c->transform[k].kind]);
	return arena_printf(a, "%s|%s|%s|%s", spec, request, verdict_names[j->verdict], deviation_names[j->deviation]);
}
