/* escape.c: the characters and sequences with a meaning in each format, and their replacements. */
#include "escape.h"

#include <assert.h>
#include <string.h>

#include "graph/errors.h"

/* A character with a meaning, and its replacement. */
struct replacement {
	char c;
	const char *by;
};

static const struct replacement html[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}, {0, NULL}};
/* Entities, because a backslash is not enough everywhere: @ notifies a person, # makes a link, and | ends a cell. */
static const struct replacement markdown[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'|', "&#124;"},
    {'@', "&#64;"}, {'#', "&#35;"}, {'`', "&#96;"}, {'*', "\\*"}, {'_', "\\_"}, {'[', "\\["}, {']', "\\]"},
    {'!', "\\!"}, {'~', "\\~"}, {'\\', "\\\\"}, {'$', "&#36;"}, {0, NULL}};
static const struct replacement code[] = {{0, NULL}};
static const struct replacement dot[] = {{'"', "\\\""}, {'\\', "\\\\"}, {0, NULL}};

static const struct replacement *const replacements[] = {[ESCAPE_HTML] = html,
    [ESCAPE_MARKDOWN] = markdown,
    [ESCAPE_MARKDOWN_CODE] = code,
    [ESCAPE_DOT] = dot,
    [ESCAPE_COMMENT] = code};

/* Sequences that have a meaning for readers of the finished text, in some formats.  One of their characters is
 * replaced. */
static const struct sequence {
	const char *text;
	bool first;        /* only at the start of a text */
	const char *by[5]; /* by format; unchanged if it has no meaning there */
} sequences[] = {
    {"::", true, {"&#58;:", "&#58;:", ": :", ": :", ": :"}},
    {"##[", false, {"##&#91;", "&#35;&#35;\\[", "## [", "## [", "## ["}},
    {"://", false, {"://", "&#58;//", "://", "://", "://"}}, /* Markdown makes a link of it */
    {"www.", false, {"www.", "www&#46;", "www.", "www.", "www."}},
    {"*/", false,
        {"*/", "\\*/", "*/", "*/", "* / "}}, /* ends a C comment; the blank after it keeps another from starting */
    {"/*", false, {"/*", "/\\*", "/*", "/*", "/ * "}},
};

static const struct sequence *sequence_at(const char *at, bool first)
{
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
		if (*at == *sequences[i].text && (first || !sequences[i].first) &&
		    !strncmp(at, sequences[i].text, strlen(sequences[i].text)))
			return &sequences[i];
	return NULL;
}

static const char *replaced(enum escape e, char c)
{
	for (const struct replacement *r = replacements[e]; r->by; r++)
		if (r->c == c)
			return r->by;
	return NULL;
}

void text_put_escaped(struct text *t, enum escape e, const char *text)
{
	const size_t start = t->len;
	bool first = true;

	text_put_bytes(t, "", 0);
	for (const char *c = text ? text : ""; *c; c++) {
		const struct sequence *s = sequence_at(c, first);
		const char *by = replaced(e, *c);

		first = first && strchr(" \t\r\n", *c);
		if (s) {
			text_put(t, "%s", s->by[e]);
			c += strlen(s->text) - 1;
		} else if (by) {
			text_put(t, "%s", by);
		} else {
			text_put_bytes(t, c, 1);
		}
	}
	text_disarm(t->at + start, false);
}

void text_put_template(struct text *t, enum escape e, const char *format, va_list texts)
{
	for (const char *next; (next = strchr(format, '%')); format = next + 2) {
		assert(next[1] == 's');
		text_put_bytes(t, format, (size_t)(next - format));
		text_put_escaped(t, e, va_arg(texts, const char *));
	}
	text_put_bytes(t, format, strlen(format));
}

const char *fence_of(const char *const *texts, int n, struct arena *a)
{
	size_t most = 2;
	char *fence;

	for (int i = 0; i < n; i++)
		for (const char *c = texts[i]; c && *c; c++) {
			size_t run = strspn(c, "`");

			most = run > most ? run : most;
		}
	fence = NEW(a, char, most + 2);
	memset(fence, '`', most + 1);
	return fence;
}
