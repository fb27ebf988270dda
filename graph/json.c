/*
 * json.c: turns text into a tree, in one pass.  The text is copied into the arena once; strings are decoded and ended
 * in place there, which is possible because none grows.  Values are read from the original, so an end that is written
 * over the byte behind a number is not met again.
 */
#include "json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json_utf8.h"

enum { NODES = 64 }; /* allocated at a time */

struct scan {
	const char *text;
	size_t len, at;
	int depth, n_value;
	char *copy;        /* [len + 1] of the text; receives decoded strings and the ends of strings and numbers */
	struct json *node; /* [n_node] allocated and not yet used */
	int n_node;
	struct arena *arena;
	struct error *e;
};

static bool scan_fail(const struct scan *s, const char *what)
{
	char place[JSON_PLACE];
	size_t line = 1, start = 0;

	for (size_t k = 0; k < s->at && k < s->len; k++)
		if (s->text[k] == '\n') {
			line++;
			start = k + 1;
		}
	snprintf(place, sizeof place, "line %zu, column %zu", line, s->at - start + 1);
	return error_set(s->e, place, "%s", s->at >= s->len ? "the text ends too early" : what);
}

/* The next byte, or -1 at the end. */
static int scan_peek(const struct scan *s) { return s->at < s->len ? (unsigned char)s->text[s->at] : -1; }

static int scan_skip(struct scan *s)
{
	for (; s->at < s->len; s->at++) {
		char c = s->text[s->at];

		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			break;
	}
	return scan_peek(s);
}

static bool scan_digits(struct scan *s)
{
	size_t start = s->at;

	while (s->at < s->len && s->text[s->at] >= '0' && s->text[s->at] <= '9')
		s->at++;
	return s->at > start;
}

static bool scan_number(struct scan *s, struct json *v)
{
	size_t start = s->at;

	if (scan_peek(s) == '-')
		s->at++;
	if (scan_peek(s) == '0')
		s->at++;
	else if (!scan_digits(s))
		return scan_fail(s, "no JSON value (hex floats, nan and inf are written as strings)");
	if (scan_peek(s) == '.') {
		s->at++;
		if (!scan_digits(s))
			return scan_fail(s, "no JSON number: a digit must follow the point");
	}
	if (scan_peek(s) == 'e' || scan_peek(s) == 'E') {
		s->at++;
		if (scan_peek(s) == '+' || scan_peek(s) == '-')
			s->at++;
		if (!scan_digits(s))
			return scan_fail(s, "no JSON number: the exponent has no digit");
	}
	if (s->at - start > JSON_DIGITS) {
		s->at = start;
		return scan_fail(s, "a number of too many characters");
	}
	int c = scan_peek(s);
	if (c >= 0 && !strchr(" \t\r\n,]}", c))
		return scan_fail(s, "no JSON number (no leading zeros, no hex; hex floats are written as strings)");
	v->kind = JSON_NUMBER;
	v->text = s->copy + start;
	v->len = (int)(s->at - start);
	s->copy[s->at] = '\0';
	return true;
}

/* The code unit of \uXXXX at s->at (after the u), or -1. */
static int scan_hex4(struct scan *s)
{
	int code = 0;

	for (int k = 0; k < 4; k++) {
		int c = scan_peek(s);
		int digit = c >= '0' && c <= '9' ? c - '0'
		    : c >= 'a' && c <= 'f'       ? c - 'a' + 10
		    : c >= 'A' && c <= 'F'       ? c - 'A' + 10
		                                 : -1;
		if (digit < 0)
			return -1;
		code = code * 16 + digit;
		s->at++;
	}
	return code;
}

/* The code point of \uXXXX, or of a pair of them, at s->at (after the u); -1 with an error. */
static int scan_unicode(struct scan *s)
{
	int code = scan_hex4(s);

	if (code <= 0) {
		scan_fail(s, code ? "\\u needs four hexadecimal digits" : "\\u0000 is refused");
		return -1;
	}
	if (code < 0xD800 || code > 0xDFFF)
		return code;
	if (code <= 0xDBFF && s->len - s->at >= 2 && s->text[s->at] == '\\' && s->text[s->at + 1] == 'u') {
		s->at += 2;
		int low = scan_hex4(s);
		if (low >= 0xDC00 && low <= 0xDFFF)
			return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
	}
	scan_fail(s, "a lone surrogate");
	return -1;
}

/* Decodes the escape at s->at (after the backslash) to *to.  What it writes is shorter than what it reads. */
static bool scan_escape(struct scan *s, char **to)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	int c = scan_peek(s);

	if (c != 'u') {
		const char *letter = c > 0 ? strchr(letters, c) : NULL;
		if (!letter)
			return scan_fail(s, "no JSON escape");
		s->at++;
		*(*to)++ = meant[letter - letters];
		return true;
	}
	s->at++;
	int code = scan_unicode(s);
	if (code < 0)
		return false;
	*to += utf8_put((uint32_t)code, *to);
	return true;
}

/* Reads the string in quotes at s->at; *text is its decoded text, which ends in a NUL. */
static bool scan_string(struct scan *s, const char **text, int *len)
{
	char *start = s->copy + ++s->at, *to = start;

	for (;;) {
		const char *from = s->copy + s->at;
		int c;

		while ((c = scan_peek(s)) >= 0x20 && c < 0x80 && c != '"' && c != '\\')
			s->at++;
		if (c >= 0x80) {
			size_t n = utf8_length(s->text + s->at, s->len - s->at);
			if (!n)
				return scan_fail(s, "invalid UTF-8");
			s->at += n;
		}
		/* Before the first escape every byte is in its place. */
		size_t n = (size_t)(s->copy + s->at - from);
		if (to != from)
			memmove(to, from, n);
		to += n;
		if (c < 0)
			return scan_fail(s, "a string without end");
		if (c == '"')
			break;
		if (c < 0x20)
			return scan_fail(s, "a control character inside a string");
		if (c == '\\') {
			s->at++;
			if (!scan_escape(s, &to))
				return false;
		}
	}
	s->at++;
	*to = '\0';
	*text = start;
	*len = (int)(to - start);
	return true;
}

static bool scan_word(struct scan *s, const char *word, struct json *v, enum json_kind kind)
{
	size_t n = strlen(word);

	if (s->len - s->at < n || memcmp(s->text + s->at, word, n))
		return scan_fail(s, "no JSON value (hex floats, nan and inf are written as strings)");
	s->at += n;
	v->kind = kind;
	v->truth = *word == 't';
	return true;
}

static bool scan_key(struct scan *s, const char **key)
{
	int len;

	if (scan_skip(s) != '"')
		return scan_fail(s, "a key in quotes is needed");
	size_t start = s->at;
	if (!scan_string(s, key, &len))
		return false;
	if (s->at - start > JSON_KEY) {
		s->at = start;
		return scan_fail(s, "a key that is too long");
	}
	if (scan_skip(s) != ':')
		return scan_fail(s, "a colon is needed");
	s->at++;
	return true;
}

static bool check_duplicates(const struct json *object, struct error *e)
{
	char shown[JSON_SHOWN];

	for (const struct json *v = object->child; v; v = v->next)
		for (const struct json *w = object->child; w != v; w = w->next)
			if (*v->key == *w->key && !strcmp(v->key, w->key))
				return json_error(object, e, "duplicate key %s", json_quote(v->key, shown));
	return true;
}

static struct json *new_node(struct scan *s)
{
	if (!s->n_node) {
		s->n_node = NODES;
		s->node = NEW(s->arena, struct json, NODES);
	}
	s->n_node--;
	return s->node++;
}

static bool scan_value(struct scan *s, struct json *v);

static bool scan_children(struct scan *s, struct json *v)
{
	const struct json **link = &v->child;

	do {
		struct json *child = new_node(s);

		s->at++; /* the bracket or the comma */
		child->parent = v;
		child->index = v->n_child++;
		if (v->kind == JSON_OBJECT && v->n_child > JSON_MEMBERS)
			return scan_fail(s, "too many members in one object");
		if (v->kind == JSON_OBJECT && !scan_key(s, &child->key))
			return false;
		if (!scan_value(s, child))
			return false;
		*link = child;
		link = &child->next;
	} while (scan_skip(s) == ',');
	return true;
}

static bool scan_container(struct scan *s, struct json *v, enum json_kind kind)
{
	const bool object = kind == JSON_OBJECT;
	const int close = object ? '}' : ']';
	size_t open = s->at;

	if (++s->depth > JSON_DEPTH)
		return scan_fail(s, "nested too deeply");
	v->kind = kind;
	s->at++;
	if (scan_skip(s) != close) {
		s->at = open;
		if (!scan_children(s, v))
			return false;
		if (scan_peek(s) != close)
			return scan_fail(s, object ? "a comma or } is needed" : "a comma or ] is needed");
	}
	s->at++;
	s->depth--;
	return !object || check_duplicates(v, s->e);
}

static bool scan_value(struct scan *s, struct json *v)
{
	int c = scan_skip(s);

	v->text = "";
	if (++s->n_value > JSON_VALUES)
		return scan_fail(s, "too many values");
	switch (c) {
	case '{':
		return scan_container(s, v, JSON_OBJECT);
	case '[':
		return scan_container(s, v, JSON_ARRAY);
	case '"':
		v->kind = JSON_STRING;
		return scan_string(s, &v->text, &v->len);
	case 't':
		return scan_word(s, "true", v, JSON_BOOL);
	case 'f':
		return scan_word(s, "false", v, JSON_BOOL);
	case 'n':
		return scan_word(s, "null", v, JSON_NULL);
	default:
		return scan_number(s, v);
	}
}

static bool scan_text(struct scan *s, struct json *root)
{
	if (s->len >= 3 && !memcmp(s->text, "\xEF\xBB\xBF", 3))
		return scan_fail(s, "a byte order mark is refused");
	if (!scan_value(s, root))
		return false;
	if (scan_skip(s) >= 0)
		return scan_fail(s, "something follows the end of the value");
	return true;
}

const struct json *json_read(const char *text, size_t len, struct arena *a, struct error *e)
{
	struct scan s = {.text = text, .len = len, .arena = a, .e = e};
	struct arena_mark mark = arena_mark(a);

	if (len > JSON_BYTES) {
		error_set(e, "", "a text of %zu bytes; the limit is %d", len, (int)JSON_BYTES);
		return NULL;
	}
	s.copy = NEW(a, char, len + 1);
	memcpy(s.copy, text, len);
	struct json *root = new_node(&s);
	if (scan_text(&s, root))
		return root;
	arena_rewind(a, mark);
	return NULL;
}

static char *bytes_fail(const char *path, struct error *e, const char *what)
{
	char place[sizeof e->place];

	snprintf(place, sizeof place, "%s", *path ? path : "''");
	error_set(e, text_disarm(place, false), "%s", what);
	return NULL;
}

static char *bytes_too_many(const char *path, struct error *e, size_t limit)
{
	char what[64];

	snprintf(what, sizeof what, "the file is larger than %zu bytes", limit);
	return bytes_fail(path, e, what);
}

static char *read_all(
    int fd, const char *path, size_t limit, size_t room, struct arena *a, size_t *len, struct error *e)
{
	char *text = NEW(a, char, room + 1);
	size_t used = 0;

	for (;;) {
		if (used > limit)
			return bytes_too_many(path, e, limit);
		if (used == room) {
			char *more = NEW(a, char, 2 * room + 1);
			memcpy(more, text, used);
			text = more;
			room *= 2;
		}
		ssize_t n = read(fd, text + used, room - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bytes_fail(path, e, strerror(errno));
		if (n == 0)
			break;
		used += (size_t)n;
	}
	text[used] = '\0';
	*len = used;
	return text;
}

char *json_read_bytes(const char *path, size_t limit, struct arena *a, size_t *len, struct error *e)
{
	struct stat before, now;

	if (!strcmp(path, "-"))
		return read_all(STDIN_FILENO, path, limit, 1 << 16, a, len, e);
	if (stat(path, &before))
		return bytes_fail(path, e, strerror(errno));
	if (!S_ISREG(before.st_mode))
		return bytes_fail(path, e,
		    S_ISDIR(before.st_mode)
		        ? "is a directory"
		        : "not a regular file; what comes from a pipe is given as standard input, -");
	if (before.st_size < 0 || (uintmax_t)before.st_size > limit)
		return bytes_too_many(path, e, limit);

	/* The memory comes first: an arena that is full must not leak a descriptor. */
	size_t size = (size_t)before.st_size, used = 0;
	char *text = NEW(a, char, size + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return bytes_fail(path, e, strerror(errno));
	const char *wrong = NULL;
	if (fstat(fd, &now) || !S_ISREG(now.st_mode) || now.st_size != before.st_size)
		wrong = "the file changed while it was read";
	while (!wrong && used < size) {
		ssize_t n = read(fd, text + used, size - used);
		if (n > 0)
			used += (size_t)n;
		else if (n == 0)
			wrong = "the file changed while it was read";
		else if (errno != EINTR)
			wrong = strerror(errno);
	}
	close(fd);
	if (wrong)
		return bytes_fail(path, e, wrong);
	*len = size;
	return text;
}
