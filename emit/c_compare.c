/* c_compare.c: the statements of a C source that judge returned numbers. */
#include <math.h>
#include <string.h>

#include "c_parts.h"
#include "expected.h"

static const char *const state =
#include "emit/compare_state.h"
    ;
static const char *const reals =
#include "emit/compare_reals.h"
    ;
static const char *const integers =
#include "emit/compare_integers.h"
    ;

static const char *const brief =
    "static int wrong;\n\n"
    "static void judge(const char *name, double returned, double low, double high)\n{\n"
    "\tint bad = !(low <= returned && returned <= high);\n\n"
    "\tprintf(\"%s: %.17g; right: %.17g to %.17g%s\\n\", name, returned, low, high, bad ? \"  WRONG\" : \"\");\n"
    "\twrong |= bad;\n}\n\n";

static const char *number(double v, struct arena *a) { return c_literal(DTYPE_F64, (union cell){.f = v}, a); }

static void put_real(struct c_source *s, const struct expected *e)
{
	struct text line = {.arena = s->arena};

	text_put(&line, "{\"%s\", \"%s\", %s, %s, %s, %d, {", e->text, e->allowed, e->accepts_nan ? "true" : "false",
	    number(e->least, s->arena), number(e->most, s->arena), e->n_choice);
	for (int k = 0; k < e->n_choice; k++)
		text_put(&line, "%s{%s, %s, %s}", k ? ", " : "", number(e->choice[k].value, s->arena),
		    number(e->choice[k].low, s->arena), number(e->choice[k].radius, s->arena));
	c_line(s, "%s}},", line.at);
}

static void put_integer(struct c_source *s, const struct component *m, enum dtype d)
{
	const char *text = emit_expected_value(m, d, s->arena);
	bool decided = m->reason == REASON_NONE, least = !strcmp(text, "-9223372036854775808");

	c_line(s, "{\"%s\", %s, %s},", text, decided ? "true" : "false", !decided ? "0" : least ? "INT64_MIN" : text);
}

/* The table of an output, e<output> of the primal or g<output> of a derivative. */
static void put_table(struct c_source *s, const struct emission *x, int point, bool derivative, int output,
    const struct truth_tensor *tensor)
{
	enum dtype d = tensor->type.dtype;
	int n = shape_elements(&tensor->type.shape);

	c_line(s, "static const struct expected%s %c%d[] = {", dtype_is_float(d) ? "" : "_integer",
	    derivative ? 'g' : 'e', output);
	s->depth++;
	for (int i = 0; i < n; i++)
		if (dtype_is_float(d)) {
			struct expected e = expected_number(x, point, derivative, output, i);

			put_real(s, &e);
		} else {
			put_integer(s, &tensor->at[i], d);
		}
	s->depth--;
	c_line(s, "};");
}

/* The range of numbers that are right in a brief source: from the least to the most of all conventions. */
static void put_brief(struct c_source *s, const char *name, const char *returned, const struct expected *e)
{
	double low = INFINITY, high = -INFINITY;

	for (int k = 0; k < e->n_choice; k++) {
		low = fmin(low, e->choice[k].value + e->choice[k].low - e->choice[k].radius);
		high = fmax(high, e->choice[k].value + e->choice[k].low + e->choice[k].radius);
	}
	if (isnan(low) || isnan(high) || e->accepts_nan)
		return;
	c_line(s, "judge(\"%s\", %s, %s, %s);", name, returned, number(low, s->arena), number(high, s->arena));
}

static void compare_briefly(
    struct c_source *s, const struct emission *x, int point, bool derivative, int output, const struct type *type)
{
	const char *name = expected_name(x, point, derivative, output);
	int n = shape_elements(&type->shape);

	for (int i = 0; i < n && dtype_is_float(type->dtype); i++) {
		struct expected e = expected_number(x, point, derivative, output, i);
		bool plain = !derivative && !type->shape.rank;

		put_brief(s, arena_printf(s->arena, "%s[%d]", name, i),
		    arena_printf(s->arena,
		        plain            ? "y%d"
		            : derivative ? "d%d[%d]"
		                         : "y%d[%d]",
		        output, i),
		    &e);
	}
}

void c_compare(
    struct c_source *s, const struct emission *x, int point, bool derivative, int output, const struct type *type)
{
	const struct truth_point *t = &x->truth->point[point];
	const struct truth_tensor *tensor = derivative ? &t->derivative[0][output] : &t->primal[output];
	const char *name = expected_name(x, point, derivative, output),
	           *call = dtype_is_float(type->dtype) ? "compare" : "compare_integer";
	char table = derivative ? 'g' : 'e', values = derivative ? 'd' : 'y';
	int n = shape_elements(&tensor->type.shape);

	if (!n)
		return;
	if (x->brief) {
		compare_briefly(s, x, point, derivative, output, type);
		return;
	}
	put_table(s, x, point, derivative, output, tensor);
	if (!derivative && !type->shape.rank) {
		c_line(s, "%s(\"%s\", 0, %c%d, &%c%d[0]);", call, name, values, output, table, output);
		return;
	}
	c_line(s, "for (int i = 0; i < %d; i++)", n);
	c_line(s, "\t%s(\"%s\", i, %c%d[i], &%c%d[i]);", call, name, values, output, table, output);
}

void c_conclude(struct c_source *s, const struct emission *x, int point)
{
	double least, most;

	if (x->brief)
		return;
	expected_sum(x, point, &least, &most);
	c_line(s, "conclude(%s, %s);", number(least, s->arena), number(most, s->arena));
}

/* The most conventions of a number: every row has room for so many. */
static int most_choices(const struct emission *x)
{
	int most = 1;

	for (int k = 0; k < x->truth->n_point; k++)
		if (x->truth->point[k].n_assignment > most)
			most = x->truth->point[k].n_assignment;
	return most;
}

void c_compare_functions(const struct emission *x, const char *body)
{
	if (x->brief) {
		text_put(x->out, "%s", brief);
		return;
	}
	text_put(x->out, "#define ASKED \"%s\" /* what must agree */\n\n%s", expected_asked(x), state);
	if (strstr(body, " compare(") || strstr(body, "\tcompare("))
		text_put(x->out, "enum { CHOICES = %d };\n%s", most_choices(x), reals);
	if (strstr(body, "compare_integer("))
		text_put(x->out, "%s", integers);
}
