/* c_compare.c: the statements of a C source that judge returned numbers. */
#include <math.h>
#include <string.h>

#include "brief.h"
#include "c_parts.h"

static const char *const state =
#include "emit/compare_state.h"
    ;
static const char *const reals =
#include "emit/compare_reals.h"
    ;
static const char *const integers =
#include "emit/compare_integers.h"
    ;

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

void c_compare_briefly(struct c_source *s, const struct emission *x, int point, bool derivative, const int *output,
    const struct type *const *type, int n)
{
	struct brief_result *r = NEW(s->arena, struct brief_result, n);
	const char *indent = arena_printf(s->arena, "%.*s", s->depth, "\t\t\t\t");
	int count = 0;

	for (int k = 0; k < n; k++) {
		struct text numbers = {.arena = s->arena};
		const char letter = derivative ? 'd' : 'y';

		if (!dtype_is_float(type[k]->dtype))
			continue;
		text_put(&numbers, "%s", "");
		for (int i = 0; i < shape_elements(&type[k]->shape); i++)
			if (!derivative && !type[k]->shape.rank)
				text_put(&numbers, "%c%d", letter, output[k]);
			else
				text_put(&numbers, "%s%c%d[%d]", i ? ", " : "", letter, output[k], i);
		r[count++] = (struct brief_result){
		    .point = point, .derivative = derivative, .output = output[k], .numbers = numbers.at};
	}
	brief_compare(x, brief_language_of("c"), indent, r, count, 0, point + 1 == x->c->n_point, s->out);
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
	put_table(s, x, point, derivative, output, tensor);
	if (n == 1) {
		const char *of = derivative || type->shape.rank ? "[0]" : "";

		c_line(s, "%s(\"%s\", -1, %c%d%s, &%c%d[0]);", call, name, values, output, of, table, output);
		return;
	}
	c_line(s, "for (int i = 0; i < %d; i++)", n);
	c_line(s, "\t%s(\"%s\", i, %c%d[i], &%c%d[i]);", call, name, values, output, table, output);
}

void c_conclude(struct c_source *s, const struct emission *x, int point)
{
	double least, most;

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
	text_put(x->out, "#define ASKED \"%s\" /* what must agree */\n\n%s", expected_asked(x), state);
	if (strstr(body, " compare(") || strstr(body, "\tcompare("))
		text_put(x->out, "enum { CHOICES = %d };\n%s", most_choices(x), reals);
	if (strstr(body, "compare_integer("))
		text_put(x->out, "%s", integers);
}
