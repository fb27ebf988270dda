/*
 * render_issue.c: a report as its engine's maintainers want it.  They need no word of ours: a title, a script in their
 * own API, what is expected and what comes, the versions, an analysis, and what is ruled out.
 */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "view.h"

enum { SENTENCES = 3, RULED_OUT = 8 };

static void put(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *out, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	text_put_template(out, ESCAPE_MARKDOWN, format, list);
	va_end(list);
}

static void put_block(struct text *out, const char *language, const char *text)
{
	const char *fence = fence_of(&text, 1, out->arena);

	text_put(out, "%s%s\n", fence, language);
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		for (; *line == '\t'; line++) /* the escape would make each a single space */
			text_put(out, "    ");
		text_put_escaped(out, ESCAPE_MARKDOWN_CODE, arena_printf(out->arena, "%.*s", (int)(end - line), line));
		text_put(out, "\n");
	}
	text_put(out, "%s\n", fence);
}

/* The text after its first n sentences. */
static const char *after(const char *text, int n)
{
	for (; n && *text; n--) {
		const char *next = strstr(text, ". ");

		text = next ? next + 2 : text + strlen(text);
	}
	return text;
}

/* The first n sentences of the text. */
static const char *sentences(const char *text, int n, struct arena *a)
{
	return arena_printf(a, "%.*s", (int)(after(text, n) - text), text);
}

/* The sentences on the cause, and if these are few where the derivative departs from the right one. */
static const char *analysis(const char *cause, const struct json *x, struct arena *a)
{
	const char *departure = render_member(json_find(x, "first_departure"), "sentence"),
	           *rest = after(cause, 1), /* the title has the first */
	               *text = sentences(*rest || *departure ? rest : cause, SENTENCES, a);

	if (!*text)
		return departure;
	if (!*departure || *after(text, SENTENCES - 1))
		return text;
	return arena_printf(a, "%s%s%s", text, text[strlen(text) - 1] == ' ' ? "" : " ", departure);
}

/* The version alone where it stands after the engine's name for itself, else both. */
static const char *versions(const struct json *report, struct arena *a)
{
	const char *version = render_member(report, "engine_version");

	return *version ? version : arena_printf(a, "%s", render_member(report, "engine"));
}

static const char *language_of(const char *suffix)
{
	static const char *const table[][2] = {{"py", "python"}, {"cjs", "js"}, {"exs", "elixir"}, {"cpp", "cpp"}};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(suffix, table[i][0]))
			return table[i][1];
	for (const char *c = suffix; *c; c++)
		if (*c < 'a' || *c > 'z')
			return "";
	return suffix;
}

/* The script, or without one the program as text, with its points and its request. */
static void put_script(struct text *out, const struct json *report)
{
	const struct json *script = json_find(report, "script"), *first = view_first(report),
	                  *lines = json_find(first, "program");
	const int point = atoi(render_member(json_find(first, "where"), "point"));
	struct text program = {.arena = out->arena};
	struct testcase c;

	if (*render_member(script, "text")) {
		text_put(out, "\n### To reproduce\n\n");
		put_block(out, language_of(render_member(script, "language")), render_member(script, "text"));
		return;
	}
	text_put(out, "\n### Program\n\n");
	text_put_bytes(&program, "", 0);
	for (const struct json *v = lines ? lines->child : NULL; v; v = v->next)
		text_put(&program, "%s\n", v->kind == JSON_STRING ? v->text : "");
	if (view_case(first, out->arena, &c))
		for (const char *const *at = view_points(&c, point, out->arena); *at; at++)
			text_put(&program, "%s%s\n", c.n_point == 1 ? "at " : "", *at);
	text_put(&program, "request: %s\n", view_request(first, out->arena));
	put_block(out, "", program.at);
}

static void put_numbers(struct text *out, const struct json *report)
{
	const char *right = view_side(report, "expected", out->arena), *got = view_side(report, "returned", out->arena);
	const struct json *where = json_find(report, "where"), *index = where ? json_find(where, "index") : NULL,
	                  *points = json_find(report, "points");
	const char *of = render_member(where, "of"), *text = render_member(points ? points->child : NULL, "text"),
	           *others = view_others(report, out->arena),
	           *again = view_number(json_find(report, "returned"), "again", out->arena);

	text_put(out, "\n### Expected and actual\n\n");
	if (*right || *got) {
		if (points && points->n_child > 1)
			put(out, "point %s, ", render_member(where, "point"));
		if (index && index->n_child)
			put(out, "element %s of the ", view_numbers(index, out->arena));
		put(out, "%s: expected ", *of ? of : "result");
		put(out, "%s, ", *right ? right : "a number");
		if (*others)
			put(out, "or by another published convention at the tie %s, ", others);
		put(out, "actual **%s**", *got ? got : "nothing");
		if (*again)
			put(out, ", asked again **%s**", again);
		text_put(out, ".");
		if (*view_allowed(report, out->arena) && strcmp(view_allowed(report, out->arena), "0") != 0)
			put(out, " A right result is at most %s off.", view_allowed(report, out->arena));
		text_put(out, "\n");
	}
	if (*text) {
		text_put(out, *right || *got ? "\n" : "A result is expected. Instead:\n\n");
		put_block(out, "", text);
	}
}

static void put_ruled_out(struct text *out, const struct json *list)
{
	const struct json *const *s = view_statements(list, out->arena);

	for (int k = 0, n = 0; s[k] && n < RULED_OUT; k++) {
		if (strcmp(render_member(s[k], "kind"), "ruled-out") != 0)
			continue;
		if (!n++)
			text_put(out, "\n### Ruled out\n\n");
		put(out, "- %s\n", render_member(s[k], "text"));
	}
}

/* Whether what stands before `at` says that an op follows: another word may only be called like one. */
static bool names_op(const char *text, const char *at)
{
	static const char *const before[] = {"of ", "on ", "and ", ", "};

	for (size_t k = 0; k < sizeof before / sizeof *before; k++)
		if ((size_t)(at - text) >= strlen(before[k]) &&
		    !strncmp(at - strlen(before[k]), before[k], strlen(before[k])))
			return true;
	return false;
}

/* The text with the engine's own names of ops, as its script has them. */
static const char *in_api(const char *text, const struct json *script, struct arena *a)
{
	const struct json *calls = script && script->kind == JSON_OBJECT ? json_find(script, "calls") : NULL;
	struct text out = {.arena = a};

	text_put(&out, "%s", "");
	for (const char *at = text; *at;) {
		const size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
		const char *name = calls && len && names_op(text, at)
		    ? render_member(calls, arena_printf(a, "%.*s", (int)len, at))
		    : "";

		if (*name)
			text_put(&out, "%s", name);
		else
			text_put_bytes(&out, at, len ? len : 1);
		at += len ? len : 1;
	}
	return out.at;
}

/* The first sentence without its full stop, and without our name of the engine: the readers know theirs. */
static const char *title(const struct json *report, struct arena *a)
{
	const char *text = *view_cause(report) ? sentences(view_cause(report), 1, a) : render_member(report, "summary");
	size_t len = strlen(text);

	while (len && (text[len - 1] == ' ' || text[len - 1] == '.'))
		len--;
	return arena_printf(a, "%.*s", (int)len, text);
}

void render_issue(struct text *out, const struct json *report, const char *source)
{
	const struct json *x = json_find(report, "characterization"), *found = json_find(report, "versions"),
	                  *script = json_find(report, "script");
	const char *cause = view_cause(report);

	(void)source;
	put(out, "# %s\n\n", in_api(title(report, out->arena), script, out->arena));
	put(out, "%s\n",
	    *cause ? in_api(analysis(cause, x, out->arena), script, out->arena) : render_member(report, "summary"));
	put_script(out, report);
	put_numbers(out, script && json_find(script, "smallest") ? report : view_first(report));
	put(out, "\n### Versions\n\n%s.", versions(report, out->arena));
	if (*render_member(report, "spellings"))
		put(out, " Called with %s.", render_member(report, "spellings"));
	put(out, " Found by adjudge %s, which computed the expected number in high precision.\n",
	    render_member(found, "adjudge"));
	if (x && json_find(x, "statements"))
		put_ruled_out(out, json_find(x, "statements"));
}
