/* brief.c: comparisons in a short source; see brief.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "brief_parts.h"
#include "emit_parts.h"

/* ---- numbers ---- */

enum brief_how {
	ANYTHING, /* no number would be wrong */
	NEAR,     /* at most `error` away from `value` */
	SAME,     /* an infinity */
	RANGE,    /* from low to high */
	INSIDE,   /* the same, or NaN */
	IS_NAN
};

struct brief_number {
	enum brief_how how;
	double value, error, low, high;
	double unit;      /* in the last place of 1 */
	const char *text; /* for people */
};

static const struct type *type_of(const struct emission *x, const struct brief_result *r)
{
	const struct truth_point *t = &x->truth->point[r->point];

	return r->derivative ? &t->derivative[0][r->output].type : &t->primal[r->output].type;
}

static void widen(struct brief_number *out, double low, double high)
{
	out->low = fmin(out->low, low);
	out->high = fmax(out->high, high);
}

static struct brief_number number_of(const struct emission *x, const struct brief_result *r, int i)
{
	const struct expected e = expected_number(x, r->point, r->derivative, r->output, i);
	struct brief_number out = {.how = RANGE, .low = INFINITY, .high = -INFINITY, .text = e.text};
	const enum dtype d = type_of(x, r)->dtype;
	bool open = false, lone = e.n_choice == 1 && !(e.least < e.most);

	out.unit = dtype_is_float(d) ? 2 * dtype_table[d].unit : 0;
	for (int k = 0; k < e.n_choice; k++) {
		out.value = e.choice[k].value + e.choice[k].low;
		out.error = fabs(e.choice[k].low) + e.choice[k].radius;
		open |= isnan(out.value) || out.error == INFINITY;
		if (isinf(out.value))
			widen(&out, out.value, out.value);
		else if (!open)
			widen(&out, nextafter(out.value - out.error, -INFINITY),
			    nextafter(out.value + out.error, INFINITY));
	}
	if (e.least < e.most)
		widen(&out, e.least, e.most);
	if (lone && isnan(e.choice[0].value))
		out.how = IS_NAN;
	else if (open || (out.low == -INFINITY && out.high == INFINITY))
		out.how = ANYTHING;
	else if (e.accepts_nan)
		out.how = INSIDE;
	else if (lone)
		out.how = isinf(out.value) ? SAME : NEAR;
	return out;
}

/* An error with two digits, rounded up. */
static const char *error_text(double error, struct arena *a)
{
	char text[40];

	if (error == 0)
		return "0.0";
	for (double more = 1;; more += 0.02) { /* one step, but for subnormal numbers */
		snprintf(text, sizeof text, "%.1e", error * more);
		if (strtod(text, NULL) >= error)
			return arena_printf(a, "%s", text);
	}
}

/* Errors are alike if none is less than a share of the largest, or if that is so few units in the last place. */
enum { LIKE = 16, UNITS = 64 };

static bool one_error(const struct brief_number *e, int n, double most)
{
	for (int i = 0; i < n; i++)
		if (most > LIKE * e[i].error && most > UNITS * e[i].unit * fabs(e[i].value))
			return false;
	return true;
}

static double most_error(const struct brief_number *e, int n)
{
	double most = 0;

	for (int i = 0; i < n; i++)
		most = fmax(most, e[i].error);
	return most;
}

static bool all_near(const struct brief_number *e, int n)
{
	for (int i = 0; i < n; i++)
		if (e[i].how != NEAR)
			return false;
	return true;
}

/* ---- expressions ---- */

struct brief_comparison {
	const struct emission *x;
	const struct brief_language *l;
	const struct brief_result *r;
	const struct brief_number *e;
	int n;
	bool list;
	const char *kind, *got, *right, *good;
	struct arena *arena;
};

static const char *word(const struct brief_comparison *c, double v) { return expected_word(v, &c->l->words, c->arena); }

static const char *values(const struct brief_comparison *c, bool errors)
{
	struct text out = {.arena = c->arena};

	text_put(&out, "%s", c->list ? c->l->open : "");
	for (int i = 0; i < c->n; i++)
		text_put(
		    &out, "%s%s", i ? ", " : "", errors ? error_text(c->e[i].error, c->arena) : word(c, c->e[i].value));
	text_put(&out, "%s", c->list ? c->l->close : "");
	return out.at;
}

/* "[0 or 1, 2]" */
static const char *expected_text(const struct brief_comparison *c)
{
	struct text out = {.arena = c->arena};

	text_put(&out, "%s", c->list ? "[" : "");
	for (int i = 0; i < c->n; i++)
		text_put(&out, "%s%s", i ? ", " : "", c->e[i].text);
	text_put(&out, "%s", c->list ? "]" : "");
	return out.at;
}

/* A condition on one number; NULL: there is none. */
static const char *condition_of(const struct brief_comparison *c, int i)
{
	const struct brief_number *e = &c->e[i];
	const char *x = c->list
	    ? TEMPLATE_WITH(c->arena, c->l->element, "got", c->got, "i", arena_printf(c->arena, "%d", i))
	    : c->got;
	const char *form = e->how == RANGE || (e->how == NEAR && c->list) ? c->l->range
	    : e->how == NEAR                                              ? c->l->near
	    : e->how == SAME                                              ? c->l->same
	    : e->how == INSIDE                                            ? c->l->inside
	    : e->how == IS_NAN                                            ? c->l->is_nan
	                                                                  : NULL;

	if (form == c->l->near && e->error == 0 && c->l->equal)
		form = c->l->equal;
	return form
	    ? TEMPLATE_WITH(c->arena, form, "x", x, "got", c->got, "right", c->right, "value", word(c, e->value),
	          "error", error_text(e->error, c->arena), "low", word(c, e->low), "high", word(c, e->high))
	    : NULL;
}

static const char *both(const struct brief_comparison *c, const char *first, const char *second)
{
	return !*first ? second : !*second ? first : arena_printf(c->arena, "%s%s%s", first, c->l->and, second);
}

/* The condition on all numbers, "" if there is none. */
static const char *numbers_condition(const struct brief_comparison *c)
{
	const double most = most_error(c->e, c->n);
	const char *out = "";

	if (c->list && all_near(c->e, c->n) && c->l->list)
		return TEMPLATE_WITH(c->arena,
		    most == 0 && c->l->equal_list     ? c->l->equal_list
		        : one_error(c->e, c->n, most) ? c->l->list
		                                      : c->l->each,
		    "got", c->got, "right", c->right, "error",
		    one_error(c->e, c->n, most) ? error_text(most, c->arena) : values(c, true));
	for (int i = 0; i < c->n; i++) {
		const char *one = condition_of(c, i);

		out = both(c, out, one ? one : "");
	}
	return out;
}

static const char *extents(const struct brief_comparison *c)
{
	const struct shape *s = &type_of(c->x, c->r)->shape;

	return arena_printf(c->arena, "%s%s%s", c->l->open_shape, expected_extents(s, c->l->comma_shape, c->arena),
	    s->rank == 1 ? c->l->lone_shape : c->l->close_shape);
}

/* Whether the lists are compared as a whole, so that another length is wrong already. */
static bool compares_lists(const struct brief_comparison *c)
{
	return c->l->equal_list && all_near(c->e, c->n) && most_error(c->e, c->n) == 0;
}

static const char *type_condition(const struct brief_comparison *c)
{
	const char *dtype = c->r->right_dtype
	    ? TEMPLATE_WITH(c->arena, c->l->dtype, "dtype", c->r->dtype, "want", c->r->right_dtype)
	    : "",
	           *shape = "";

	if (c->r->shape)
		shape = TEMPLATE_WITH(c->arena, c->l->shape, "shape", c->r->shape, "extents", extents(c));
	else if (c->list && c->l->length && !compares_lists(c))
		shape = TEMPLATE_WITH(
		    c->arena, c->l->length, "got", c->got, "count", arena_printf(c->arena, "%d", c->n));
	return both(c, dtype, shape);
}

/* ---- statements ---- */

static const char *name(const struct brief_comparison *c, const char *text, int k)
{
	return c->l->renames && k ? arena_printf(c->arena, "%s%d", text, k + 1) : text;
}

static bool is_name(const char *text) { return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789")]; }

static const char *told(const struct brief_comparison *c, const char *of)
{
	return of ? TEMPLATE_WITH(c->arena, c->l->told, "of", of) : "";
}

/* Prints one result.  Returns the condition that it is right. */
static const char *show_result(const struct brief_comparison *c, const char *indent, struct text *out)
{
	const bool near = all_near(c->e, c->n);
	const char *types = arena_printf(c->arena, "%s%s", told(c, c->r->dtype), told(c, c->r->shape));

	if (near || strcmp(c->got, c->r->numbers) != 0)
		text_put(out, "%s%s\n", indent,
		    TEMPLATE_WITH(c->arena,
		        !near                               ? c->l->alone
		            : strcmp(c->got, c->r->numbers) ? c->l->both
		                                            : c->l->known,
		        "got", c->got, "right", c->right, "numbers", c->r->numbers, "value", values(c, false)));
	text_put(out, "%s%s\n", indent,
	    TEMPLATE_WITH(c->arena, c->l->print, "kind", c->kind, "told", types, "got", c->got, "expected",
	        near ? "%.17g" : expected_text(c), "right",
	        near ? c->right : TEMPLATE_WITH(c->arena, c->l->said, "text", expected_text(c))));
	return both(c, type_condition(c), numbers_condition(c));
}

static void put_good(
    const struct brief_comparison *c, const char *indent, const char *good, bool first, bool only, struct text *out)
{
	const char *form = only && c->l->only ? c->l->only : first ? c->l->first : c->l->next;

	if (*good || first)
		text_put(out, "%s%s\n", indent,
		    TEMPLATE_WITH(c->arena, form, "name", c->good, "good", *good ? good : c->l->words.yes));
}

/* All numbers of the results as one list, in C and C++.  Returns how many. */
static int gather(
    const struct emission *x, const struct brief_result *r, int n, struct brief_number *e, struct text *numbers)
{
	int count = 0;

	text_put(numbers, "%s", "");
	for (int k = 0; k < n; k++) {
		text_put(numbers, "%s%s", count && *r[k].numbers ? ", " : "", r[k].numbers);
		for (int i = 0; i < shape_elements(&type_of(x, &r[k])->shape); i++)
			e[count++] = number_of(x, &r[k], i);
	}
	return count;
}

static int count_elements(const struct emission *x, const struct brief_result *r, int n)
{
	int count = 0;

	for (int k = 0; k < n; k++)
		count += shape_elements(&type_of(x, &r[k])->shape);
	return count;
}

/* ---- results as one list ---- */

/* The types of the results, with a count where some in a row are alike: "float64[3] and 2 float64[]". */
static const char *types_of(const struct emission *x, const struct brief_result *r, int n)
{
	const char *text = "", *type;

	for (int k = 0, alike; k < n; k += alike) {
		type = expected_type(type_of(x, &r[k]), x->arena);
		for (alike = 1; k + alike < n && !strcmp(type, expected_type(type_of(x, &r[k + alike]), x->arena));)
			alike++;
		text = arena_printf(x->arena, "%s%s", text, k ? " and " : "");
		text = alike > 1 ? arena_printf(x->arena, "%s%d %s", text, alike, type)
		                 : arena_printf(x->arena, "%s%s", text, type);
	}
	return text;
}

/* What is printed of a number: "derivative 1, float64[]".  number: of all results; count: how many there are. */
static const char *flat_kind(
    const struct emission *x, const struct brief_result *r, int n, int count, const char *number)
{
	const char *word = r->derivative ? "derivative" : "primal", *types = types_of(x, r, n);

	if (count == 1 && n == 1)
		return arena_printf(x->arena, "%s, %s", word, types);
	if (n == count && types[0] >= '0' && types[0] <= '9' && !strstr(types, " and "))
		return arena_printf(x->arena, "%s %s, %s", word, number, strchr(types, ' ') + 1);
	return arena_printf(x->arena, n > 1 ? "%s, %s, number %s" : "%s, %s, element %s", word, types, number);
}

/* Prints each number of a list in C or C++, and returns the condition that all are right. */
static const char *show_flat_list(
    const struct brief_comparison *c, const struct brief_result *r, int n, const char *indent, struct text *out)
{
	const double most = most_error(c->e, c->n);
	const bool near = all_near(c->e, c->n), one = one_error(c->e, c->n, most);
	const char *const element[] = {"x", "got[i]", "got", "got[i]", "right", "right[i]", "error",
	    one ? error_text(most, c->arena) : "error[i]", NULL};

	text_put(out, "%sconst double got[] = {%s}", indent, c->r->numbers);
	if (near)
		text_put(out, ", right[] = %s", values(c, false));
	if (near && !one)
		text_put(out, ", error[] = %s", values(c, true));
	text_put(out, ";\n");
	for (int i = 0; i < c->n && !near; i++)
		text_put(out, "%s%s\n", indent,
		    TEMPLATE_WITH(c->arena, c->l->print, "kind",
		        flat_kind(c->x, r, n, c->n, arena_printf(c->arena, "%d", i)), "expected", c->e[i].text, "told",
		        "", "got", arena_printf(c->arena, "got[%d]", i)));
	if (!near)
		return numbers_condition(c);
	text_put(out, "%sbool good = true;\n%sfor (int i = 0; i < %d; i++) {\n", indent, indent, c->n);
	text_put(out, "%s\t%s\n%s\tgood &= %s;\n%s}\n", indent,
	    TEMPLATE_WITH(c->arena, c->l->print, "kind", flat_kind(c->x, r, n, c->n, "%d"), "expected", "%.17g", "told",
	        "i, right[i], ", "got", "got[i]"),
	    indent, template_with(one && most == 0 ? c->l->equal : c->l->near, element, c->arena), indent);
	return "good";
}

static void compare_flat(const struct emission *x, const struct brief_language *l, const char *indent,
    const struct brief_result *r, int n, bool last, struct text *out)
{
	struct brief_number *e = NEW(x->arena, struct brief_number, count_elements(x, r, n));
	struct text numbers = {.arena = x->arena};
	struct brief_result whole = {.derivative = r->derivative};
	struct brief_comparison c = {
	    x, l, &whole, e, gather(x, r, n, e, &numbers), false, NULL, "got", "right", "good", x->arena};
	const char *good = l->words.yes;

	whole.numbers = numbers.at;
	c.list = c.n > 1;
	if (c.list)
		good = show_flat_list(&c, r, n, indent, out);
	if (c.n == 1) {
		const bool near = all_near(e, 1);

		text_put(out, "%s%s\n%s%s\n", indent,
		    TEMPLATE_WITH(c.arena, near ? l->both : l->alone, "got", c.got, "right", c.right, "numbers",
		        whole.numbers, "value", values(&c, false)),
		    indent,
		    TEMPLATE_WITH(c.arena, l->print, "kind", flat_kind(x, r, n, 1, "0"), "expected",
		        near ? "%.17g" : expected_text(&c), "told", near ? "right, " : "", "got", c.got));
		good = numbers_condition(&c);
	}
	good = *good ? good : l->words.yes;
	if (last && strstr(good, " "))
		good = arena_printf(c.arena, strstr(good, l->and) ? "(%s)" : "%s", good);
	text_put(out, "%s%s\n", indent, TEMPLATE_WITH(c.arena, last ? l->end : l->next, "good", good));
}

void brief_compare(const struct emission *x, const struct brief_language *l, const char *indent,
    const struct brief_result *result, int n, int group, bool last, struct text *out)
{
	const char *good = "";

	if (l->flat) {
		compare_flat(x, l, indent, result, n, last, out);
		return;
	}
	for (int k = 0; k < n; k++) {
		const struct type *type = type_of(x, &result[k]);
		const int size = shape_elements(&type->shape);
		const char *word = result[k].derivative ? "derivative" : "primal",
		           *number = n > 1 ? arena_printf(x->arena, "%s %d", word, k) : word,
		           *kind = result[k].dtype && result[k].shape
		    ? number
		    : arena_printf(x->arena, "%s, %s", number, expected_type(type, x->arena));
		struct brief_number *e = NEW(x->arena, struct brief_number, size);
		struct brief_comparison c = {x, l, &result[k], e, size, l->lists || type->shape.rank > 0, kind, "got",
		    "right", "good", x->arena};

		c.got = is_name(result[k].numbers) ? result[k].numbers : name(&c, c.got, group + k);
		c.right = name(&c, c.right, group + k);
		c.good = name(&c, c.good, group);
		for (int i = 0; i < size; i++)
			e[i] = number_of(x, &result[k], i);
		put_good(&c, indent, show_result(&c, indent, out), !k && (!group || l->renames),
		    n == 1 && (l->renames || (!group && last)), out);
		good = c.good;
	}
	if (l->end_more && (!last || group))
		text_put(out, "%s%s\n", indent, TEMPLATE_WITH(x->arena, l->end_more, "name", good));
	else if (last)
		text_put(out, "%s%s\n", indent, TEMPLATE_WITH(x->arena, l->end, "name", good));
}
