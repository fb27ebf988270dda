/* case_tokens.c: the tokens of a case as text, and errors with their place. */
#include "case_reader.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool reader_fail(struct reader *r, const struct token *at, const char *format, ...)
{
	char place[64], text[sizeof r->e->text];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	snprintf(place, sizeof place, "line %d, column %d", at->line, at->column);
	return error_set(r->e, place, "%s", text);
}

bool token_is_word(const struct token *t, const char *word)
{
	return t->kind == TOKEN_WORD && (size_t)t->len == strlen(word) && !memcmp(t->at, word, (size_t)t->len);
}

bool token_is(const struct token *t, char c) { return t->kind == TOKEN_OTHER && *t->at == c; }

bool token_is_cut(const struct token *t) { return t->kind == TOKEN_OTHER && t->len == 3; }

static const char *number_end(const char *s)
{
	bool hex = !strncmp(s + (*s == '-'), "0x", 2);

	for (s++;
	     isalnum((unsigned char)*s) || *s == '.' || ((*s == '+' || *s == '-') && strchr(hex ? "p" : "eE", s[-1]));)
		s++;
	return s;
}

static void skip_blank(struct reader *r)
{
	for (;; r->next++) {
		if (*r->next == '#')
			r->next += strcspn(r->next, "\n");
		if (*r->next == '\n' && r->brackets) {
			r->line++;
			r->line_start = r->next + 1;
		} else if (*r->next != ' ' && *r->next != '\t') {
			return;
		}
	}
}

void reader_advance(struct reader *r)
{
	struct token *t = &r->token;

	if (t->kind == TOKEN_LINE && *t->at == '\n') {
		r->line++;
		r->line_start = r->next;
	}
	skip_blank(r);
	*t = (struct token){TOKEN_OTHER, r->next, 1, r->line, (int)(r->next - r->line_start) + 1};
	if (!*t->at) {
		*t = (struct token){TOKEN_END, t->at, 0, t->line, t->column};
	} else if (*t->at == '\n' || *t->at == ';') {
		t->kind = TOKEN_LINE;
	} else if (isalpha((unsigned char)*t->at) || *t->at == '_') {
		t->kind = TOKEN_WORD;
		while (isalnum((unsigned char)t->at[t->len]) || t->at[t->len] == '_')
			t->len++;
	} else if (isdigit((unsigned char)*t->at) || *t->at == '-') {
		t->kind = TOKEN_NUMBER;
		t->len = (int)(number_end(t->at) - t->at);
	} else if (!strncmp(t->at, "...", 3)) {
		t->len = 3;
	}
	r->brackets += token_is(t, '[') || token_is(t, '(');
	r->brackets -= r->brackets && (token_is(t, ']') || token_is(t, ')'));
	r->next += t->len;
}

const char *token_shown(const struct reader *r, const struct token *t)
{
	if (t->kind == TOKEN_END || (t->kind == TOKEN_LINE && *t->at == '\n'))
		return t->kind == TOKEN_END ? "the end of the text" : "the end of the line";
	return arena_printf(r->arena, "\"%.*s\"", t->len, t->at);
}

bool reader_expect(struct reader *r, bool is, const char *what)
{
	return is || reader_fail(r, &r->token, "expected %s, not %s", what, token_shown(r, &r->token));
}

bool reader_take_word(struct reader *r, const char *word)
{
	bool is = token_is_word(&r->token, word);

	if (is)
		reader_advance(r);
	return is;
}

bool reader_take(struct reader *r, char c)
{
	bool is = token_is(&r->token, c);

	if (is)
		reader_advance(r);
	return is;
}

bool reader_need(struct reader *r, char c)
{
	const char what[] = {'"', c, '"', '\0'};

	return reader_expect(r, token_is(&r->token, c), what) && (reader_advance(r), true);
}

bool reader_need_word(struct reader *r, struct token *out, const char *what)
{
	*out = r->token;
	return reader_expect(r, r->token.kind == TOKEN_WORD, what) && (reader_advance(r), true);
}

void reader_skip_lines(struct reader *r)
{
	while (r->token.kind == TOKEN_LINE)
		reader_advance(r);
}

bool reader_end_statement(struct reader *r)
{
	if (r->token.kind == TOKEN_END || token_is(&r->token, '}'))
		return true;
	return reader_expect(r, r->token.kind == TOKEN_LINE, "the end of the line") && (reader_advance(r), true);
}

char *reader_take_rest(struct reader *r)
{
	size_t len = strcspn(r->next, "\n");
	char *rest = arena_printf(r->arena, "%.*s", (int)len, r->next);

	r->next += len;
	reader_advance(r);
	return rest;
}
