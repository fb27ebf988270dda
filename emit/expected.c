/* expected.c: see expected.h. */
#include "expected.h"

#include <math.h>
#include <string.h>

#include "emit_parts.h"

const char *const compare_python =
#include "emit/compare_python.h"
    ;
const char *const compare_elixir =
#include "emit/compare_elixir.h"
    ;

/* ---- a number ---- */

/* The radius that counts: a finding of inaccuracy is judged by the tight one. */
static double radius_of(const struct emission *x, const struct component *c)
{
	if (c->reason != REASON_NONE || (c->escapes && !x->tight))
		return INFINITY;
	return x->tight ? c->tight : c->loose;
}

/* Whether a NaN for a component of the primal is right. */
static bool primal_accepts_nan(const struct component *c, double radius)
{
	return isnan(c->value) || radius == INFINITY;
}

/* The same for a derivative: whether the NaN is right, or leaves the judgement open (verdict.c: judge_nan). */
static bool derivative_accepts_nan(const struct emission *x, const struct component *c)
{
	bool leaks = c->in_domain && !(x->weak_zero && c->weak_zero);

	if (c->reason == REASON_NONE && !isfinite(c->value))
		return isnan(c->value);
	if (c->escapes || c->loose == INFINITY)
		return !(x->tight && c->reason == REASON_NONE);
	if (c->reason == REASON_NONE)
		return !leaks;
	return !leaks || c->reason == REASON_OVERFLOW || c->reason == REASON_NON_FINITE ||
	    c->reason == REASON_UNSTABLE_PATH;
}

static const char *radius_text(double radius, struct arena *a)
{
	return radius == INFINITY ? "anything" : radius == 0 ? "0" : arena_printf(a, "%.3g", radius);
}

/* Adds " or TEXT" unless the list has the text. */
static const char *with_text(const char *list, const char *text, struct arena *a)
{
	size_t len = strlen(text);

	if (!*list)
		return text;
	for (const char *at = list; at; at = strstr(at, " or "), at = at ? at + 4 : NULL)
		if (!strncmp(at, text, len) && (!at[len] || !strncmp(at + len, " or ", 4)))
			return list;
	return arena_printf(a, "%s or %s", list, text);
}

static void add_choice(const struct emission *x, struct expected *e, const struct component *c, enum dtype d)
{
	bool decided = c->reason == REASON_NONE;
	struct expected_choice *choice = &e->choice[e->n_choice++];

	*choice = (struct expected_choice){decided ? c->value : 0, decided ? c->low : 0, radius_of(x, c)};
	e->text = with_text(e->text, emit_expected_value(c, d, x->arena), x->arena);
	e->allowed = with_text(e->allowed, radius_text(choice->radius, x->arena), x->arena);
}

static bool choices_alike(const struct expected *e)
{
	for (int k = 1; k < e->n_choice; k++)
		if (memcmp(&e->choice[0], &e->choice[k], sizeof e->choice[0]))
			return false;
	return true;
}

/* The allowed error of a corner's own numbers, as in oracles/verdict/kinks.c. */
static const double CORNER_ERROR = 0x1p-40;

/* The interval of all mixtures of conventions, widened by rounding (kinks.c: judge_box). */
static void find_interval(const struct truth_point *t, struct expected *e, int at, double slack)
{
	double size = 0;

	e->least = t->hull ? t->hull->low[at] : INFINITY;
	e->most = t->hull ? t->hull->high[at] : -INFINITY;
	if (e->n_choice == 1 && !(e->least < e->most)) {
		e->least = INFINITY;
		e->most = -INFINITY;
		return;
	}
	for (int k = 0; k < e->n_choice; k++) {
		e->least = fmin(e->least, e->choice[k].value);
		e->most = fmax(e->most, e->choice[k].value);
	}
	slack += t->hull ? t->hull->slack[at] : 0;
	size = fmax(isfinite(e->least) ? fabs(e->least) : 0, isfinite(e->most) ? fabs(e->most) : 0);
	slack += CORNER_ERROR * size;
	e->slack = isfinite(slack) ? slack : INFINITY;
	e->least -= isfinite(slack) ? slack : INFINITY;
	e->most += isfinite(slack) ? slack : INFINITY;
}

static struct expected expected_derivative(
    const struct emission *x, const struct truth_point *t, int output, int i, enum dtype d)
{
	struct expected e = {.text = "",
	    .allowed = "",
	    .choice = NEW(x->arena, struct expected_choice, t->n_assignment + 1),
	    .least = INFINITY,
	    .most = -INFINITY};
	double slack = 0;
	int at = i;

	for (int k = 0; k < output; k++)
		at += shape_elements(&t->derivative[0][k].type.shape);
	for (int k = 0; k < t->n_assignment; k++) {
		const struct component *c = &t->derivative[k][output].at[i];

		add_choice(x, &e, c, d);
		e.accepts_nan |= derivative_accepts_nan(x, c);
		slack += c->reason == REASON_NONE ? c->loose : INFINITY;
	}
	if (choices_alike(&e))
		e.n_choice = 1;
	if (t->n_assignment > 1 || t->hull)
		find_interval(t, &e, at, slack);
	return e;
}

struct expected expected_number(const struct emission *x, int point, bool derivative, int output, int i)
{
	const struct truth_point *t = &x->truth->point[point];
	const struct truth_tensor *tensor = derivative ? &t->derivative[0][output] : &t->primal[output];
	const struct component *c = &tensor->at[i];
	struct expected e = {.text = "", .allowed = "", .least = INFINITY, .most = -INFINITY};

	if (derivative)
		return expected_derivative(x, t, output, i, tensor->type.dtype);
	e.choice = NEW(x->arena, struct expected_choice, 1);
	add_choice(x, &e, c, tensor->type.dtype);
	e.accepts_nan = primal_accepts_nan(c, e.choice[0].radius);
	return e;
}

const char *expected_dtype(enum dtype d)
{
	static const char *const words[DTYPE_COUNT] = {[DTYPE_F64] = "float64",
	    [DTYPE_F32] = "float32",
	    [DTYPE_BF16] = "bfloat16",
	    [DTYPE_F16] = "float16",
	    [DTYPE_I64] = "int64",
	    [DTYPE_I32] = "int32",
	    [DTYPE_BOOL] = "bool"};

	return words[d];
}

const char *expected_extents(const struct shape *s, const char *comma, struct arena *a)
{
	struct text out = {.arena = a};

	text_put(&out, "%s", "");
	for (int k = 0; k < s->rank; k++)
		text_put(&out, "%s%d", k ? comma : "", s->extent[k]);
	return out.at;
}

const char *expected_type(const struct type *type, struct arena *a)
{
	return arena_printf(a, "%s[%s]", expected_dtype(type->dtype), expected_extents(&type->shape, ",", a));
}

const char *expected_name(const struct emission *x, int point, bool derivative, int output)
{
	const struct truth_point *t = &x->truth->point[point];
	const struct type *type = derivative ? &t->derivative[0][output].type : &t->primal[output].type;
	const char *name = arena_printf(
	    x->arena, "%s %d, %s", derivative ? "derivative" : "primal", output, expected_type(type, x->arena));

	return x->truth->n_point > 1 ? arena_printf(x->arena, "point %d, %s", point, name) : name;
}

/* Adds a component to the sums over the corners of the hull. */
static void add_to_sums(const struct hull *h, int at, double slack, double *sum, double *slacks, double *size)
{
	double most = 0;

	for (int s = 0; s < h->n_corner; s++) {
		sum[s] += h->corner[s][at];
		most = fmax(most, fabs(h->corner[s][at]));
	}
	*slacks += slack;
	*size += most;
}

void expected_sum(const struct emission *x, int point, double *least, double *most)
{
	const struct truth_point *t = &x->truth->point[point];
	double *sum, slack = 0, size = 0;
	int at = 0;

	*least = -INFINITY;
	*most = INFINITY;
	if (!t->hull || !t->hull->n_corner || t->hull->open)
		return;
	sum = NEW(x->arena, double, t->hull->n_corner);
	for (int k = 0; k < t->n_derivative; k++)
		for (int i = 0; i < shape_elements(&t->derivative[0][k].type.shape); i++, at++) {
			struct expected e = expected_number(x, point, true, k, i);

			if (dtype_is_float(t->derivative[0][k].type.dtype) && e.least <= e.most)
				add_to_sums(t->hull, at, e.slack, sum, &slack, &size);
		}
	slack += CORNER_ERROR * size;
	if (!isfinite(slack))
		return;
	for (int s = 0; s < t->hull->n_corner; s++) {
		*least = s ? fmin(*least, sum[s] - slack) : sum[s] - slack;
		*most = s ? fmax(*most, sum[s] + slack) : sum[s] + slack;
	}
}

const char *expected_word(double v, const struct expected_words *w, struct arena *a)
{
	return isnan(v) ? w->nan : isinf(v) ? v > 0 ? w->inf : w->minus_inf : emit_decimal(v, a);
}

const char *expected_asked(const struct emission *x)
{
	return request_order(x->c->transform, x->c->n_transform) ? "derivative" : "primal";
}

/* ---- rows ---- */

static void put_row(struct text *out, const struct expected *e, enum dtype d, const struct expected_words *w)
{
	struct arena *a = out->arena;

	text_put(out, "[\"%s\", \"%s\", %s, [", e->text, e->allowed, e->accepts_nan ? w->yes : w->no);
	for (int k = 0; k < e->n_choice; k++) {
		const struct expected_choice *c = &e->choice[k];

		if (!dtype_is_float(d) && c->radius == 0) /* exact in languages with large integers */
			text_put(out, "%s[%s, 0, 0]", k ? ", " : "", e->text);
		else
			text_put(out, "%s[%s, %s, %s]", k ? ", " : "", expected_word(c->value, w, a),
			    expected_word(c->low, w, a), expected_word(c->radius, w, a));
	}
	text_put(out, "]");
	if (e->least <= e->most)
		text_put(out, ", %s, %s", expected_word(e->least, w, a), expected_word(e->most, w, a));
	text_put(out, "]");
}

const char *expected_rows(
    const struct emission *x, int point, bool derivative, int output, const struct expected_words *words)
{
	const struct truth_point *t = &x->truth->point[point];
	const struct truth_tensor *tensor = derivative ? &t->derivative[0][output] : &t->primal[output];
	int n = shape_elements(&tensor->type.shape);
	struct text out = {.arena = x->arena};

	text_put(&out, "[");
	for (int i = 0; i < n; i++) {
		struct expected e = expected_number(x, point, derivative, output, i);

		text_put(&out, "%s", n > 1 ? i ? ",\n    " : "\n    " : "");
		put_row(&out, &e, tensor->type.dtype, words);
	}
	text_put(&out, "]");
	return out.at;
}
