/* json_write.c: tree-less writing of JSON into the arena. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "json_utf8.h"
#include "testcase.h"

struct json_writer json_writer_new(struct arena *a, bool pretty)
{
	return (struct json_writer){.text.arena = a, .pretty = pretty};
}

static void put_bytes(struct json_writer *w, const char *bytes, size_t n) { text_put_bytes(&w->text, bytes, n); }

static void put_char(struct json_writer *w, char c) { text_put_char(&w->text, c); }

static void put_line(struct json_writer *w)
{
	put_char(w, '\n');
	for (int k = 1; k <= w->depth; k++)
		if (w->level[k].block)
			put_bytes(w, "  ", 2);
}

/* Child k of a container in a text for people. */
static char *open_pretty(struct json_writer *w, int k, size_t more)
{
	if (k)
		put_char(w, ',');
	if (w->level[w->depth].block)
		put_line(w);
	else if (k)
		put_char(w, ' ');
	return text_room(&w->text, more);
}

/*
 * Writes what stands between the previous value or the bracket and the next child.  Returns where the child goes, with
 * room for `more` bytes.
 */
static char *open_child(struct json_writer *w, size_t more)
{
	if (w->after_key || !w->depth) {
		w->after_key = false;
		return text_room(&w->text, more);
	}
	int k = w->level[w->depth].count++;
	if (w->pretty)
		return open_pretty(w, k, more);
	char *to = text_room(&w->text, more + 1);
	if (k)
		*to++ = ',';
	return to;
}

/* The text ends at `end`, which is in the room that open_child made. */
static void close_child(struct json_writer *w, char *end)
{
	*end = '\0';
	w->text.len = (size_t)(end - w->text.at);
}

static void begin(struct json_writer *w, char open, char close, enum json_layout layout)
{
	char *to = open_child(w, 1);

	*to++ = open;
	close_child(w, to);
	assert(w->depth < JSON_DEPTH);
	w->depth++;
	w->level[w->depth].close = close;
	w->level[w->depth].block = layout == JSON_BLOCK;
	w->level[w->depth].count = 0;
}

void json_begin_object(struct json_writer *w, enum json_layout layout) { begin(w, '{', '}', layout); }

void json_begin_array(struct json_writer *w, enum json_layout layout) { begin(w, '[', ']', layout); }

void json_end(struct json_writer *w)
{
	assert(w->depth > 0 && !w->after_key);
	char close = w->level[w->depth].close;
	bool own_line = w->pretty && w->level[w->depth].block && w->level[w->depth].count;
	w->depth--;
	if (own_line)
		put_line(w);
	put_char(w, close);
}

/* The rest of a string. */
static void put_escaped(struct json_writer *w, const char *text)
{
	char buf[8];
	size_t plain = plain_length(text);

	put_bytes(w, text, plain);
	text += plain;
	while (*text) {
		size_t n = utf8_length(text, strnlen(text, 4));
		unsigned char c = (unsigned char)*text;
		if (!n) {
			put_bytes(w, "\xEF\xBF\xBD", 3);
			n = 1;
		} else if (c == '"' || c == '\\') {
			put_char(w, '\\');
			put_char(w, (char)c);
		} else if (c == '\n') {
			put_bytes(w, "\\n", 2);
		} else if (c == '\t') {
			put_bytes(w, "\\t", 2);
		} else if (c < 0x20) {
			snprintf(buf, sizeof buf, "\\u%04x", c);
			put_bytes(w, buf, 6);
		} else {
			put_bytes(w, text, n);
		}
		text += n;
		plain = plain_length(text);
		put_bytes(w, text, plain);
		text += plain;
	}
}

/* A child in quotes, and `after`, which has up to two bytes. */
static void put_quoted(struct json_writer *w, const char *text, const char *after)
{
	enum { SHORT = 64 };
	char *to = open_child(w, SHORT + 4);
	int n = 0;

	*to++ = '"';
	while (n < SHORT && is_plain(text[n]))
		*to++ = text[n++];
	if (text[n]) {
		close_child(w, to);
		put_escaped(w, text + n);
		to = text_room(&w->text, 3);
	}
	*to++ = '"';
	for (; *after; after++)
		*to++ = *after;
	close_child(w, to);
}

void json_put_key(struct json_writer *w, const char *key)
{
	assert(w->depth > 0 && w->level[w->depth].close == '}' && !w->after_key);
	put_quoted(w, key, w->pretty ? ": " : ":");
	w->after_key = true;
}

void json_put_token(struct json_writer *w, const char *text, size_t n)
{
	char *to = open_child(w, n);

	memcpy(to, text, n);
	close_child(w, to + n);
}

void json_put_string(struct json_writer *w, const char *text)
{
	if (!text) {
		json_put_null(w);
		return;
	}
	put_quoted(w, text, "");
}

void json_put_integer(struct json_writer *w, int64_t i)
{
	char buf[DECIMAL_TEXT];

	const char *end = decimal_print(i, buf);
	if (i <= JSON_EXACT && i >= -JSON_EXACT)
		json_put_token(w, buf, (size_t)(end - buf));
	else
		json_put_string(w, buf);
}

void json_put_bool(struct json_writer *w, bool b) { json_put_token(w, b ? "true" : "false", b ? 4 : 5); }

void json_put_null(struct json_writer *w) { json_put_token(w, "null", 4); }

void json_put_real(struct json_writer *w, double x)
{
	char buf[REAL_TEXT];
	uint64_t bits = bits_of(x);
	int n = 0;

	if (w->reals == JSON_REALS_DECIMAL) {
		json_put_decimal(w, x);
		return;
	}
	if (w->reals == JSON_REALS_BITS) {
		for (int shift = 60; shift >= 0; shift -= 4)
			buf[n++] = "0123456789abcdef"[bits >> shift & 15];
		buf[n] = '\0';
	} else {
		real_print(x, buf);
	}
	json_put_string(w, buf);
}

void json_put_decimal(struct json_writer *w, double x)
{
	char buf[REAL_TEXT];

	if (!isfinite(x)) {
		json_put_string(w, real_print(x, buf));
		return;
	}
	json_put_token(w, buf, (size_t)snprintf(buf, sizeof buf, "%.17g", x));
}

void json_member_string(struct json_writer *w, const char *key, const char *text)
{
	json_put_key(w, key);
	json_put_string(w, text);
}

void json_member_integer(struct json_writer *w, const char *key, int64_t i)
{
	json_put_key(w, key);
	json_put_integer(w, i);
}

void json_member_bool(struct json_writer *w, const char *key, bool b)
{
	json_put_key(w, key);
	json_put_bool(w, b);
}

void json_member_real(struct json_writer *w, const char *key, double x)
{
	json_put_key(w, key);
	json_put_real(w, x);
}

void json_member_decimal(struct json_writer *w, const char *key, double x)
{
	json_put_key(w, key);
	json_put_decimal(w, x);
}

void json_member_object(struct json_writer *w, const char *key, enum json_layout layout)
{
	json_put_key(w, key);
	json_begin_object(w, layout);
}

void json_member_array(struct json_writer *w, const char *key, enum json_layout layout)
{
	json_put_key(w, key);
	json_begin_array(w, layout);
}

void json_member_strings(
    struct json_writer *w, const char *key, const char *const *text, int n, enum json_layout layout)
{
	json_member_array(w, key, layout);
	for (int k = 0; k < n; k++)
		json_put_string(w, text[k]);
	json_end(w);
}

void json_member_integer_if(struct json_writer *w, const char *key, bool known, int64_t i)
{
	json_put_key(w, key);
	if (known)
		json_put_integer(w, i);
	else
		json_put_null(w);
}

void json_member_decimal_if(struct json_writer *w, const char *key, bool known, double x)
{
	json_put_key(w, key);
	if (known)
		json_put_decimal(w, x);
	else
		json_put_null(w);
}

struct json_writer json_document(struct arena *a, const char *schema)
{
	struct json_writer w = json_writer_new(a, true);

	json_begin_object(&w, JSON_BLOCK);
	json_member_string(&w, "schema", schema);
	return w;
}

char *json_finish(struct json_writer *w, size_t *len)
{
	assert(!w->depth && !w->after_key);
	if (w->pretty)
		put_char(w, '\n');
	*len = w->text.len;
	return w->text.at;
}
