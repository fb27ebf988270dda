/* c_text.c: pieces of C. */
#include "c_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const c_variable[LIMIT_RANK] = {"i", "j", "k", "l"};

void c_line(struct c_source *s, const char *format, ...)
{
	va_list list, again;
	char *line;
	int n;

	va_start(list, format);
	va_copy(again, list);
	n = vsnprintf(NULL, 0, format, list);
	va_end(list);
	line = NEW(s->arena, char, n + 1);
	vsnprintf(line, (size_t)n + 1, format, again);
	va_end(again);
	for (int i = 0; i < s->depth; i++)
		text_put(s->out, "\t");
	text_put(s->out, "%s\n", line);
}

const char *c_type(enum dtype d)
{
	switch (d) {
	case DTYPE_F64:
		return "double";
	case DTYPE_F32:
	case DTYPE_BF16:
	case DTYPE_F16:
		return "float";
	case DTYPE_I64:
		return "int64_t";
	case DTYPE_I32:
		return "int32_t";
	case DTYPE_BOOL:
		return "bool";
	case DTYPE_COUNT:
		break;
	}
	return "";
}

const char *c_literal(enum dtype d, union cell x, struct arena *a)
{
	if (d == DTYPE_BOOL)
		return x.i ? "true" : "false";
	if (!dtype_is_float(d)) /* the smallest integer cannot be written with a sign */
		return x.i == INT64_MIN                  ? "INT64_MIN"
		    : d == DTYPE_I32 && x.i == INT32_MIN ? "INT32_MIN"
		                                         : arena_printf(a, "%lld", (long long)x.i);
	if (isnan(x.f))
		return "NAN";
	if (isinf(x.f))
		return x.f > 0 ? "INFINITY" : "-INFINITY";
	return arena_printf(a, "%s%s", emit_decimal(x.f, a), d == DTYPE_F64 ? "" : "f");
}

const char *c_list(const struct tensor *t, struct arena *a)
{
	struct text list = {.arena = a};
	int n = shape_elements(&t->type.shape);

	text_put(&list, "{%s", n ? "" : "0");
	for (int i = 0; i < n; i++)
		text_put(&list, "%s%s", i ? ", " : "", c_literal(t->type.dtype, t->at[i], a));
	text_put(&list, "}");
	return list.at;
}

const char *c_declared(const struct c_source *s, int v)
{
	const struct type *t = &s->p->type[v];
	int n = shape_elements(&t->shape);

	if (!t->shape.rank)
		return arena_printf(s->arena, "%s v%d", c_type(t->dtype), v);
	return arena_printf(s->arena, "%s v%d[%d]", c_type(t->dtype), v, n ? n : 1);
}

const char *c_element(const struct c_source *s, int v, const struct element_place *at, const char *more)
{
	const char *index = more;

	if (!s->p->type[v].shape.rank)
		return arena_printf(s->arena, "v%d", v);
	for (int d = 0; d < LIMIT_RANK; d++) {
		int step = at->step[d] < 0 ? -at->step[d] : at->step[d];
		const char *term = step == 1 ? c_variable[d] : arena_printf(s->arena, "%d * %s", step, c_variable[d]);

		if (!step)
			continue;
		if (at->step[d] < 0)
			index = index ? arena_printf(s->arena, "%s - %s", index, term)
			              : arena_printf(s->arena, "-%s", term);
		else
			index = index ? arena_printf(s->arena, "%s + %s", index, term) : term;
	}
	if (!index)
		return arena_printf(s->arena, "v%d[%d]", v, at->offset);
	if (!at->offset)
		return arena_printf(s->arena, "v%d[%s]", v, index);
	return *index == '-' ? arena_printf(s->arena, "v%d[%d - %s]", v, at->offset, index + 1)
	                     : arena_printf(s->arena, "v%d[%s %c %d]", v, index, at->offset < 0 ? '-' : '+',
	                           at->offset < 0 ? -at->offset : at->offset);
}

void c_only_long(struct element_place *at, const struct shape *over)
{
	for (int d = 0; d < LIMIT_RANK; d++)
		if (d >= over->rank || over->extent[d] <= 1)
			at->step[d] = 0;
}

struct element_place c_rows(const struct shape *shape)
{
	struct element_place at = {0};

	shape_strides(shape, at.step);
	c_only_long(&at, shape);
	return at;
}

const char *c_broadcast_element(const struct c_source *s, int v, const struct shape *over)
{
	struct element_place at = {0};

	shape_broadcast_strides(&s->p->type[v].shape, over, at.step);
	c_only_long(&at, over);
	return c_element(s, v, &at, NULL);
}

void c_open(struct c_source *s, const struct shape *over)
{
	for (int d = 0; d < over->rank; d++)
		if (over->extent[d] != 1) {
			c_line(s, "for (int %s = 0; %s < %d; %s++)", c_variable[d], c_variable[d], over->extent[d],
			    c_variable[d]);
			s->depth++;
		}
}

void c_close(struct c_source *s, const struct shape *over)
{
	for (int d = 0; d < over->rank; d++)
		s->depth -= over->extent[d] != 1;
}

void c_loops(struct c_source *s, const struct shape *over, const char *statement)
{
	if (!shape_elements(over))
		return;
	c_open(s, over);
	c_line(s, "%s;", statement);
	c_close(s, over);
}

static struct shape flat_of(const struct shape *s) { return s->rank ? (struct shape){1, {shape_elements(s)}} : *s; }

void c_copy(struct c_source *s, int to, int from)
{
	const struct shape flat = flat_of(&s->p->type[to].shape);
	const struct element_place at = c_rows(&flat);

	c_loops(
	    s, &flat, arena_printf(s->arena, "%s = %s", c_element(s, to, &at, NULL), c_element(s, from, &at, NULL)));
}

void c_fill(struct c_source *s, int to, const char *expression)
{
	const struct shape flat = flat_of(&s->p->type[to].shape);
	const struct element_place at = c_rows(&flat);

	c_loops(s, &flat, arena_printf(s->arena, "%s = %s", c_element(s, to, &at, NULL), expression));
}

/* ---- expressions ---- */

static const struct {
	const char *floats, *integers;
} expressions[OP_COUNT] = {
#define C(id, floats, integers) [OP_##id] = {floats, integers},
#include "c.def"
#undef C
};

/* A cast.  Saturation is done by a helper function. */
static const char *cast(const struct c_source *s, enum dtype from, enum dtype to, const char *x)
{
	if (to == DTYPE_BOOL)
		return arena_printf(s->arena, "%s != 0", x);
	if (dtype_is_float(from) && dtype_is_int(to))
		return arena_printf(s->arena, "to_%s(%s)", to == DTYPE_I64 ? "int64" : "int32", x);
	return arena_printf(s->arena, "(%s)%s", c_type(to), x);
}

const char *c_expression(
    const struct c_source *s, enum op op, enum dtype dtype, enum dtype result, const char *const operand[3])
{
	const char *from = dtype_is_float(dtype) ? expressions[op].floats : expressions[op].integers;
	struct text out = {.arena = s->arena};

	if (op == OP_CAST)
		return cast(s, dtype, result, operand[0]);
	if (!from)
		return NULL;
	for (; *from; from++) {
		if (*from != '{') {
			text_put_bytes(&out, from, 1);
			continue;
		}
		switch (from[1]) {
		case '0':
		case '1':
		case '2':
			text_put(&out, "%s", operand[from[1] - '0']);
			break;
		case 't':
			text_put(&out, "%s", c_type(result));
			break;
		case 'u':
			text_put(&out, "u%s", c_type(result));
			break;
		case 'f':
			text_put(&out, "%s", dtype == DTYPE_F64 ? "" : "f");
			break;
		default:
			text_put(&out, "%d", dtype_table[result].bits);
		}
		from = strchr(from, '}');
	}
	return out.at;
}
