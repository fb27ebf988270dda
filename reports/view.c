/* view.c: formats numbers, tensors, commands and sentences of a report for people. */
#include "view.h"

#include "oracles/verdict/verdict.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_SHOWN = 16, POINTS_SHOWN = 8 };

const char *render_member(const struct json *v, const char *key)
{
	const struct json *m = v && v->kind == JSON_OBJECT ? json_find(v, key) : NULL;

	return m && (m->kind == JSON_STRING || m->kind == JSON_NUMBER) ? m->text : "";
}

static const char *shortest(double x, struct arena *a)
{
	char digits[REAL_TEXT];

	return arena_printf(a, "%s", real_decimal(x, DTYPE_F64, 1, digits));
}

const char *view_number_value(const struct json *v, struct arena *a)
{
	char *end;
	double x;

	if (!v || (v->kind != JSON_NUMBER && v->kind != JSON_STRING))
		return "";
	if (v->kind == JSON_STRING && strncmp(v->text, "0x", 2) && strncmp(v->text, "-0x", 3))
		return v->text;
	x = strtod(v->text, &end);
	return *end || !isfinite(x) || !strpbrk(v->text, ".eExp") ? v->text : shortest(x, a);
}

const char *view_number(const struct json *object, const char *key, struct arena *a)
{
	return view_number_value(object && object->kind == JSON_OBJECT ? json_find(object, key) : NULL, a);
}

const char *view_numbers(const struct json *list, struct arena *a)
{
	const char *text = "[";

	if (!list || list->kind != JSON_ARRAY)
		return view_number_value(list, a);
	for (const struct json *v = list->child; v; v = v->next)
		text = arena_printf(a, "%s%s%s", text, v->index ? ", " : "", view_number_value(v, a));
	return arena_printf(a, "%s]", text);
}

bool view_is_first(const struct json *row)
{
	return !strcmp(render_member(row, "verdict"), verdict_names[VERDICT_NONDETERMINISTIC]) &&
	    *render_member(row, "expected");
}

const char *view_value(const struct json *row, const char *key, struct arena *a)
{
	const struct json *elements = json_find(row, "elements"), *sum = json_find(row, "sum");
	const char *text = elements ? view_numbers(json_find(elements, key), a)
	    : sum                   ? arena_printf(a, "sum %s", view_number(sum, key, a))
	                            : view_number(row, key, a);

	return view_is_first(row) && !strcmp(key, "expected") ? arena_printf(a, "first %s", text) : text;
}

const char *view_ratio(const struct json *row, struct arena *a)
{
	const char *text = render_member(row, "ratio");
	const double ratio = strtod(text, NULL), beside = ratio - 1;

	if (!*text)
		return "";
	return beside != 0 && fabs(beside) < 1e-5 ? arena_printf(a, "1%+.2g", beside) : arena_printf(a, "%.6g", ratio);
}

const char *view_side(const struct json *report, const char *side, struct arena *a)
{
	const struct json *x = json_find(report, side);
	const char *decimal = view_number(x, "decimal", a), *exact = view_number(x, "value", a);
	return *decimal ? decimal : *exact ? exact : render_member(x, "type");
}

const char *view_others(const struct json *report, struct arena *a)
{
	const struct json *x = json_find(report, "expected"),
	                  *others = x && x->kind == JSON_OBJECT ? json_find(x, "others") : NULL;
	const char *text = "";

	for (const struct json *v = others ? others->child : NULL; v; v = v->next)
		text = arena_printf(a, "%s%s%s", text,
		    !v->index     ? ""
		        : v->next ? ", "
		                  : " or ",
		    view_number_value(v, a));
	return text;
}

int view_common(const char *x, const char *y)
{
	size_t n = 0, whole = strcspn(x, ".e");

	if (whole != strcspn(y, ".e") || strcmp(x + strcspn(x, "e"), y + strcspn(y, "e")))
		return 0;
	while (x[n] && x[n] == y[n])
		n++;
	return n > whole ? (int)n : 0;
}

const struct json *view_first(const struct json *report)
{
	const struct json *typical = json_find(report, "typical");

	return typical && typical->kind == JSON_OBJECT ? typical : report;
}

const char *view_cause(const struct json *report)
{
	const struct json *x = json_find(report, "characterization");

	return x && x->kind == JSON_OBJECT ? render_member(x, "cause") : "";
}

const char *view_after_title(const struct json *report)
{
	const char *end = strstr(view_cause(report), ". ");

	return end ? end + 2 : "";
}

const char *view_title(const struct json *report, struct arena *a)
{
	const char *cause = view_cause(report), *end = strstr(cause, ". ");

	if (!*cause)
		return render_member(report, "summary");
	return arena_printf(a, "%s: %.*s", render_member(report, "engine"),
	    end ? (int)(end - cause) : (int)strlen(cause) - (cause[strlen(cause) - 1] == '.'), cause);
}

bool view_case(const struct json *report, struct arena *a, struct testcase *out)
{
	const struct json *value = report->kind == JSON_OBJECT ? json_find(report, "case") : NULL;
	struct error e = {0};

	return value && testcase_read_value(value, a, out, &e);
}

const char *view_tensor(const struct tensor *t, struct arena *a)
{
	int n = shape_elements(&t->type.shape);
	const char *text = t->type.shape.rank ? "[" : "";

	for (int i = 0; i < n && i < ELEMENTS_SHOWN; i++) {
		const char *cell = dtype_is_float(t->type.dtype) ? shortest(t->at[i].f, a)
		    : t->type.dtype == DTYPE_BOOL                ? t->at[i].i ? "true" : "false"
		                                                 : arena_printf(a, "%lld", (long long)t->at[i].i);

		text = arena_printf(a, "%s%s%s", text, i ? ", " : "",
		    isnan(t->at[i].f) && dtype_is_float(t->type.dtype) ? "nan" : cell);
	}
	if (n > ELEMENTS_SHOWN)
		text = arena_printf(a, "%s, ... %d elements", text, n);
	return t->type.shape.rank ? arena_printf(a, "%s]", text) : text;
}

/* The inputs at a point. */
static const char *point_text(const struct testcase *c, int point, struct arena *a)
{
	const char *text = "";

	for (int i = 0; i < c->program.top.n_param; i++)
		text = arena_printf(a, "%s%sv%d = %s", text, i ? ", " : "", c->program.top.param + i,
		    view_tensor(&c->point[point][i], a));
	return text;
}

const char *const *view_points(const struct testcase *c, int judged, struct arena *a)
{
	const char **line = NEW(a, const char *, POINTS_SHOWN + 2);
	int n = 0;

	if (!c->program.top.n_param)
		return line;
	if (c->n_point == 1)
		line[n++] = point_text(c, 0, a);
	for (int k = 0; c->n_point > 1 && k < c->n_point; k++)
		if (k == judged || n + (judged > k) < POINTS_SHOWN)
			line[n++] = arena_printf(a, "point %d: %s", k, point_text(c, k, a));
	if (c->n_point > POINTS_SHOWN)
		line[n++] = arena_printf(a, "and %d other points", c->n_point - POINTS_SHOWN);
	return line;
}

const char *view_request(const struct json *object, struct arena *a)
{
	struct testcase c;

	return view_case(object, a, &c) ? testcase_print_request(&c, ELEMENTS_SHOWN, a)
	                                : render_member(object, "request");
}

const char *view_shell_word(const char *text, struct arena *a)
{
	struct text word = {.arena = a};
	bool plain = *text != 0;

	for (const char *c = text; *c; c++)
		plain = plain && (isalnum((unsigned char)*c) || strchr("+-_.,:/=@%", *c));
	if (plain)
		return text;
	text_put(&word, "'");
	for (const char *c = text; *c; c++)
		text_put_bytes(&word, *c == '\'' ? "'\\''" : c, *c == '\'' ? 4 : 1);
	text_put(&word, "'");
	return word.at;
}

const char *view_engine(const struct json *report, struct arena *a)
{
	const char *engine = render_member(report, "engine"), *version = render_member(report, "engine_version"),
	           *spellings = render_member(report, "spellings");

	if (*version)
		engine = arena_printf(a, "%s (%s)", engine, version);
	return *spellings ? arena_printf(a, "%s, %s", engine, spellings) : engine;
}

const char *view_engine_option(const struct json *report, struct arena *a)
{
	const char *engine = render_member(report, "engine"), *spec = render_member(report, "engine_spec");

	if (*spec)
		engine = arena_printf(a, "%s=%s", engine, spec);
	return arena_printf(a, "--engine %s", view_shell_word(engine, a));
}

const char *view_command(const struct json *report, const char *file, struct arena *a)
{
	return arena_printf(a, "adjudge run %s %s", file, view_engine_option(report, a));
}

const char *view_report_command(const struct json *report, const char *file, struct arena *a)
{
	if (*view_cause(report))
		return "";
	return arena_printf(a, "adjudge report %s %s  # experiments, to find the cause", view_shell_word(file, a),
	    view_engine_option(report, a));
}

const char *view_emit_command(const char *file, struct arena *a)
{
	return arena_printf(a,
	    "adjudge emit --format FORMAT %s  # a program for one engine alone; adjudge emit --formats lists them",
	    view_shell_word(file, a));
}

static double member_double(const struct json *object, const char *key)
{
	const char *text = render_member(object, key);

	return *text ? strtod(text, NULL) : NAN;
}

const char *view_difference(const struct json *report, struct arena *a)
{
	double off = fabs(member_double(json_find(report, "returned"), "decimal") -
	    member_double(json_find(report, "expected"), "decimal"));

	return isfinite(off) ? arena_printf(a, "%.3g", off) : "";
}

const char *view_allowed(const struct json *report, struct arena *a)
{
	double loose = member_double(json_find(report, "expected"), "loose");

	return isfinite(loose) ? arena_printf(a, "%.3g", loose) : "";
}

/* Statements that say more about the cause come first; those without a place here come last. */
static const char *const telling[] = {"condition", "counts", "single-points", "positions", "family", "needed", "trips",
    "per-variable", "reduced", "slices", "closed-form", "points", "indices", "index-modes", "operands", "bodies",
    "engines", "forward", "dtypes", "loops", "near-zero", "ops", "inputs", "mode", "branches", "shapes", "orders",
    "derivative-program", "runs", "batches", "seeds", "ratio", "sign"};

static size_t telling_place(const struct json *statement)
{
	const char *id = render_member(statement, "id");
	size_t i = 0;

	while (i < sizeof telling / sizeof *telling && strcmp(telling[i], id) != 0)
		i++;
	return i;
}

/* Statements like it that stand before it. */
static int said_before(const struct json *list, const struct json *statement)
{
	int n = 0;

	for (const struct json *s = list->child; s != statement; s = s->next)
		n += !strcmp(render_member(s, "id"), render_member(statement, "id"));
	return n;
}

const struct json *const *view_statements(const struct json *list, struct arena *a)
{
	enum { ALIKE = 2 }; /* so many of one kind are among the first */
	const bool is_list = list && list->kind == JSON_ARRAY;
	const struct json **sorted = NEW(a, const struct json *, (is_list ? list->n_child : 0) + 1);
	int n = 0;

	for (int further = 0; further < 2; further++)
		for (size_t place = 0; is_list && place <= sizeof telling / sizeof *telling; place++)
			for (const struct json *s = list->child; s; s = s->next)
				if (telling_place(s) == place && (said_before(list, s) >= ALIKE) == further)
					sorted[n++] = s;
	return sorted;
}

/* How many of a kind of variants the condition predicts, as a share; 1 if there are none. */
static double share_predicted(const struct json *count, const char *which)
{
	const double of = atof(render_member(count, "of"));

	return of > 0 ? atof(render_member(count, which)) / of : 1;
}

const struct json *view_shown_condition(const struct json *characterization)
{
	const double enough = 1.9; /* of the two shares together */
	const struct json *told = json_find(characterization, "told"), *c = json_find(characterization, "condition");

	if (told || !c)
		return told;
	return share_predicted(json_find(c, "failing"), "with") + share_predicted(json_find(c, "passing"), "without") >=
	        enough
	    ? c
	    : NULL;
}

const char *view_condition(const struct json *report, const struct json *condition, struct arena *a)
{
	const char *text = render_member(condition, "text");

	if (!*text || strstr(view_cause(report), text))
		return view_counts(condition, a);
	return arena_printf(a, "%s %s", text, view_counts(condition, a));
}

const char *view_counts(const struct json *condition, struct arena *a)
{
	const struct json *failing = json_find(condition, "failing"), *passing = json_find(condition, "passing");
	int of = atoi(render_member(passing, "of")), with = of - atoi(render_member(passing, "without"));

	if (!of) /* then it is no condition */
		return arena_printf(a, "%s variants count for this.", render_member(failing, "of"));
	return arena_printf(a, "The condition holds for %s of %s variants that fail and for %d of %d that pass.",
	    render_member(failing, "with"), render_member(failing, "of"), with, of);
}

const char *view_evidence(const struct json *report, struct arena *a)
{
	const struct json *oracles = json_find(report, "oracles"),
	                  *fd = oracles ? json_find(oracles, "finite_difference") : NULL;
	const struct json *analytic = oracles ? json_find(oracles, "analytic") : NULL,
	                  *kink = analytic ? json_find(analytic, "kink") : NULL;
	const char *outcome = render_member(fd, "outcome"), *bits = render_member(fd, "precision"), *text;

	if (!strcmp(outcome, "agrees"))
		text = arena_printf(a,
		    "Two oracles agree on the expected value: exact derivatives, and finite "
		    "differences of the program at %s bits.",
		    bits);
	else if (!strcmp(outcome, "disagrees"))
		text = "The analytic oracle and finite differences contradict each other here.";
	else if (!strcmp(outcome, "abstains"))
		text = arena_printf(a,
		    "The expected value comes from the analytic oracle; finite differences abstain (%s).",
		    render_member(fd, "reason"));
	else
		text = "The expected value comes from the analytic oracle.";
	return kink && kink->kind == JSON_BOOL && kink->truth
	    ? arena_printf(
	          a, "%s The program has a kink at this point; the answer fits none of the accepted conventions.", text)
	    : text;
}
