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

/* What stands between the previous value or the bracket and the next child. */
static void put_separator(struct json_writer *w)
{
	if (w->after_key) {
		w->after_key = false;
		return;
	}
	if (!w->depth)
		return;
	bool first = w->level[w->depth].count++ == 0;
	if (!first)
		put_char(w, ',');
	if (w->pretty && w->level[w->depth].block)
		put_line(w);
	else if (w->pretty && !first)
		put_char(w, ' ');
}

static void begin(struct json_writer *w, char open, char close, enum json_layout layout)
{
	put_separator(w);
	put_char(w, open);
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

/* How many bytes of text stand for themselves in a string. */
static size_t plain_length(const char *text)
{
	size_t n = 0;

	while (text[n] >= ' ' && text[n] < 0x7f && text[n] != '"' && text[n] != '\\')
		n++;
	return n;
}

static void put_quoted(struct json_writer *w, const char *text)
{
	char buf[8];

	put_char(w, '"');
	for (;;) {
		size_t plain = plain_length(text);

		put_bytes(w, text, plain);
		text += plain;
		if (!*text)
			break;
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
	}
	put_char(w, '"');
}

void json_put_key(struct json_writer *w, const char *key)
{
	assert(w->depth > 0 && w->level[w->depth].close == '}' && !w->after_key);
	put_separator(w);
	put_quoted(w, key);
	put_bytes(w, ": ", w->pretty ? 2 : 1);
	w->after_key = true;
}

static void put_plain(struct json_writer *w, const char *text)
{
	put_separator(w);
	put_bytes(w, text, strlen(text));
}

void json_put_string(struct json_writer *w, const char *text)
{
	if (!text) {
		json_put_null(w);
		return;
	}
	put_separator(w);
	put_quoted(w, text);
}

void json_put_integer(struct json_writer *w, int64_t i)
{
	char buf[DECIMAL_TEXT];

	decimal_print(i, buf);
	if (i <= JSON_EXACT && i >= -JSON_EXACT)
		put_plain(w, buf);
	else
		json_put_string(w, buf);
}

void json_put_bool(struct json_writer *w, bool b) { put_plain(w, b ? "true" : "false"); }

void json_put_null(struct json_writer *w) { put_plain(w, "null"); }

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
	snprintf(buf, sizeof buf, "%.17g", x);
	put_plain(w, buf);
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
