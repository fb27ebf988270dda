/* brief_adapted.c: short sources of adapters: comparisons in the place of the lines that tell results. */
#include "brief_parts.h"

#include <string.h>

static const char *const kinds[] = {"@primal\t", "@derivative\t"};

const char *brief_line(const struct brief_result *r, struct arena *a)
{
	return arena_printf(a, "%s%s\t%s\t%s\t%s", kinds[r->derivative], r->numbers, r->dtype ? r->dtype : "",
	    r->right_dtype ? r->right_dtype : "", r->shape ? r->shape : "");
}

/* Whether a line, without its indentation, tells a result of this kind. */
static bool tells(const char *line, bool derivative)
{
	return !strncmp(line, kinds[derivative], strlen(kinds[derivative]));
}

static int count_told(const char *const *text, int n, bool derivative)
{
	int count = 0;

	for (int k = 0; k < n; k++)
		for (const char *line = text[k]; line; line = strchr(line, '\n'), line += line != NULL)
			count += tells(line + strspn(line, " \t"), derivative);
	return count;
}

bool brief_has_results(const char *const *text, int n)
{
	return count_told(text, n, false) + count_told(text, n, true) > 0;
}

/* The outputs that are told, [LIMIT_ARGS]: all, or the floats.  Returns their number. */
static int outputs_told(const struct emission *x, int per_point, bool derivative, int *output)
{
	const struct truth_point *t = &x->truth->point[0];
	const int all = derivative ? t->n_derivative : t->n_primal;
	int n = 0;

	for (int k = 0; k < all && n < LIMIT_ARGS; k++)
		if (per_point == all || dtype_is_float((derivative ? t->derivative[0] : t->primal)[k].type.dtype))
			output[n++] = k;
	return n;
}

struct teller {
	const struct emission *x;
	const struct brief_language *l;
	int output[2][LIMIT_ARGS], n_output[2]; /* by whether they are derivatives */
	int told[2], left, groups;
	struct brief_result group[LIMIT_ARGS];
	int n;
	const char *indent;
	struct text *out;
};

/* The next part of a line, which ends at a tab. */
static const char *part(const char **line, struct arena *a)
{
	const size_t len = strcspn(*line, "\t\n");
	const char *out = arena_printf(a, "%.*s", (int)len, *line);

	*line += len + ((*line)[len] == '\t');
	return *out ? out : NULL;
}

static void end_group(struct teller *s, bool last_text)
{
	if (s->n)
		brief_compare(
		    s->x, s->l, s->indent, s->group, s->n, s->groups, !s->left && (last_text || s->l->flat), s->out);
	s->groups += s->n;
	s->n = 0;
}

static void tell(struct teller *s, const char *line, const char *first, bool last_text)
{
	const bool derivative = tells(first, true);
	const int n = s->n_output[derivative], at = s->told[derivative]++;
	struct brief_result r = {
	    .point = n ? at / n : 0, .derivative = derivative, .output = n ? s->output[derivative][at % n] : 0};

	if (s->n && (s->n == LIMIT_ARGS || s->group[0].derivative != derivative || s->group[0].point != r.point))
		end_group(s, last_text);
	s->indent = arena_printf(s->x->arena, "%.*s", (int)(first - line), line);
	first = strchr(first, '\t') + 1;
	r.numbers = part(&first, s->x->arena);
	r.numbers = r.numbers ? r.numbers : "";
	r.dtype = part(&first, s->x->arena);
	r.right_dtype = part(&first, s->x->arena);
	r.shape = part(&first, s->x->arena);
	s->left--;
	if (n)
		s->group[s->n++] = r;
}

static void write_text(struct teller *s, const char *text, bool last_text)
{
	s->left = count_told(&text, 1, false) + count_told(&text, 1, true);
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *first = line + strspn(line, " \t");

		end = line + strcspn(line, "\n");
		if (tells(first, false) || tells(first, true)) {
			tell(s, line, first, last_text);
			continue;
		}
		end_group(s, last_text);
		text_put(s->out, "%.*s\n", (int)(end - line), line);
	}
	end_group(s, last_text);
}

/* Whether it needs <cmath>, as far as it does not come from the engine. */
static bool uses_math(const char *text)
{
	static const char *const names[] = {"std::fabs", "std::isnan", "std::nan", "NAN", "INFINITY", "HUGE_VAL"};

	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (strstr(text, names[k]))
			return true;
	return false;
}

void brief_write(const struct emission *x, const struct brief_language *l, const char *const *text, int n)
{
	struct text out = {.arena = x->arena};
	struct teller s = {.x = x, .l = l, .out = &out};
	/* how a source is built stands first */
	const size_t comment = strncmp(text[0], "/*", 2) ? 0 : strcspn(text[0], "\n") + 1;

	text_put(&out, "%s", "");
	for (int derivative = 0; derivative < 2; derivative++)
		s.n_output[derivative] = outputs_told(
		    x, count_told(text, n, derivative) / x->truth->n_point, derivative, s.output[derivative]);
	for (int k = 0; k < n; k++) {
		if (n > 1 && l->renames)
			text_put(&out, "{\n");
		if (n > 1 && l->flat)
			text_put(&out, "#define main ask_%d\n", k);
		write_text(&s, text[k] + (k ? 0 : comment), k + 1 == n);
		if (n > 1 && l->renames)
			text_put(&out, "}\n");
	}
	if (n > 1 && l->flat) {
		text_put(&out, "#undef main\nint main() { return ");
		for (int k = 0; k < n; k++)
			text_put(&out, "%sask_%d()", k ? " | " : "", k);
		text_put(&out, "; }\n");
	}
	text_put(x->out, "%s",
	    brief_folded(arena_printf(x->arena, "%.*s%s%s%s", (int)comment, text[0],
	                     l->flat && uses_math(out.at) ? "#include <cmath>\n" : "", l->head, out.at),
	        x->arena));
}
