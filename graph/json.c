/*
 * json.c: turns text into a tree.  Our own scan decides what is JSON and knows places, because cJSON is laxer than RFC
 * 8259.  cJSON then builds its tree, which is copied into the arena at once: a full arena longjmps and would leak it.
 */
#include "json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json_utf8.h"

struct scan {
	const char *text;
	size_t len, at;
	int depth;
	int n_value, n_number;
	uint32_t *number; /* receives the offset of each number in order */
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

static bool scan_number(struct scan *s)
{
	size_t start = s->at;

	s->number[s->n_number++] = (uint32_t)start;
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

static bool scan_escape(struct scan *s)
{
	int c = scan_peek(s);

	if (c != 'u') {
		if (c <= 0 || !strchr("\"\\/bfnrt", c))
			return scan_fail(s, "no JSON escape");
		s->at++;
		return true;
	}
	s->at++;
	int code = scan_hex4(s);
	if (code < 0)
		return scan_fail(s, "\\u needs four hexadecimal digits");
	if (code == 0)
		return scan_fail(s, "\\u0000 is refused");
	if (code < 0xD800 || code > 0xDFFF)
		return true;
	if (code <= 0xDBFF && s->len - s->at >= 2 && s->text[s->at] == '\\' && s->text[s->at + 1] == 'u') {
		s->at += 2;
		int low = scan_hex4(s);
		if (low >= 0xDC00 && low <= 0xDFFF)
			return true;
	}
	return scan_fail(s, "a lone surrogate");
}

static bool scan_string(struct scan *s)
{
	s->at++;
	for (;;) {
		int c = scan_peek(s);
		if (c < 0)
			return scan_fail(s, "a string without end");
		if (c == '"') {
			s->at++;
			return true;
		}
		if (c < 0x20)
			return scan_fail(s, "a control character inside a string");
		if (c == '\\') {
			s->at++;
			if (!scan_escape(s))
				return false;
		} else if (c < 0x80) {
			s->at++;
		} else {
			size_t n = utf8_length(s->text + s->at, s->len - s->at);
			if (!n)
				return scan_fail(s, "invalid UTF-8");
			s->at += n;
		}
	}
}

static bool scan_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if (s->len - s->at < n || memcmp(s->text + s->at, word, n))
		return scan_fail(s, "no JSON value (hex floats, nan and inf are written as strings)");
	s->at += n;
	return true;
}

static bool scan_value(struct scan *s);

static bool scan_key(struct scan *s)
{
	if (scan_skip(s) != '"')
		return scan_fail(s, "a key in quotes is needed");
	size_t start = s->at;
	if (!scan_string(s))
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

static bool scan_container(struct scan *s, bool object)
{
	int close = object ? '}' : ']';

	if (++s->depth > JSON_DEPTH)
		return scan_fail(s, "nested too deeply");
	s->at++;
	if (scan_skip(s) != close) {
		for (int n = 1;; n++) {
			if (object && n > JSON_MEMBERS)
				return scan_fail(s, "too many members in one object");
			if (object && !scan_key(s))
				return false;
			if (!scan_value(s))
				return false;
			if (scan_skip(s) != ',')
				break;
			s->at++;
		}
		if (scan_peek(s) != close)
			return scan_fail(s, object ? "a comma or } is needed" : "a comma or ] is needed");
	}
	s->at++;
	s->depth--;
	return true;
}

static bool scan_value(struct scan *s)
{
	int c = scan_skip(s);

	if (++s->n_value > JSON_VALUES)
		return scan_fail(s, "too many values");
	switch (c) {
	case '{':
	case '[':
		return scan_container(s, c == '{');
	case '"':
		return scan_string(s);
	case 't':
		return scan_word(s, "true");
	case 'f':
		return scan_word(s, "false");
	case 'n':
		return scan_word(s, "null");
	default:
		return scan_number(s);
	}
}

static bool scan_text(struct scan *s)
{
	if (s->len >= 3 && !memcmp(s->text, "\xEF\xBB\xBF", 3))
		return scan_fail(s, "a byte order mark is refused");
	if (!scan_value(s))
		return false;
	if (scan_skip(s) >= 0)
		return scan_fail(s, "something follows the end of the value");
	return true;
}

/* Everything that the copy of a cJSON tree needs, allocated before cJSON runs. */
struct fill {
	struct json *node; /* in document order */
	int n_node, room;
	char *pool; /* the decoded strings, and the text of numbers */
	size_t pool_used, pool_room;
	const char *text;
	const uint32_t *number;
	int n_number, number_room;
	bool failed; /* cJSON saw another document than the scan */
};

static const char *fill_string(struct fill *f, const char *from, size_t len)
{
	char *to = f->pool + f->pool_used;

	if (f->pool_room - f->pool_used <= len) {
		f->failed = true;
		return "";
	}
	memcpy(to, from, len);
	to[len] = '\0';
	f->pool_used += len + 1;
	return to;
}

static const struct json *fill_node(struct fill *f, const cJSON *item, const struct json *parent, int index)
{
	if (f->n_node >= f->room) {
		f->failed = true;
		return NULL;
	}
	struct json *v = &f->node[f->n_node++];
	v->parent = parent;
	v->index = index;
	v->text = "";
	if (parent && parent->kind == JSON_OBJECT)
		v->key = fill_string(f, item->string, strlen(item->string));

	if (cJSON_IsArray(item) || cJSON_IsObject(item)) {
		v->kind = cJSON_IsArray(item) ? JSON_ARRAY : JSON_OBJECT;
		const cJSON *child;
		const struct json **link = &v->child;
		cJSON_ArrayForEach(child, item)
		{
			struct json *at = &f->node[f->n_node];
			if (!(*link = fill_node(f, child, v, v->n_child)))
				return v;
			v->n_child++;
			link = &at->next;
		}
	} else if (cJSON_IsString(item)) {
		size_t n = strlen(item->valuestring);
		v->kind = JSON_STRING;
		v->text = fill_string(f, item->valuestring, n);
		v->len = (int)n;
	} else if (cJSON_IsNumber(item)) {
		v->kind = JSON_NUMBER;
		if (f->n_number >= f->number_room) {
			f->failed = true;
			return v;
		}
		const char *text = f->text + f->number[f->n_number++];
		size_t n = 0;
		while ((text[n] >= '0' && text[n] <= '9') || text[n] == '-' || text[n] == '.' || text[n] == '+' ||
		    text[n] == 'e' || text[n] == 'E')
			n++;
		v->text = fill_string(f, text, n);
		v->len = (int)n;
	} else if (cJSON_IsBool(item)) {
		v->kind = JSON_BOOL;
		v->truth = cJSON_IsTrue(item);
	} else {
		v->kind = JSON_NULL;
	}
	return v;
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

const struct json *json_read(const char *text, size_t len, struct arena *a, struct error *e)
{
	struct scan s = {.text = text, .len = len, .e = e};
	struct arena_mark mark = arena_mark(a);

	if (len > JSON_BYTES) {
		error_set(e, "", "a text of %zu bytes; the limit is %d", len, (int)JSON_BYTES);
		return NULL;
	}
	/* A number is a character at least, and another stands before the next one. */
	s.number = NEW_RAW(a, uint32_t, len / 2 + 1);
	if (!scan_text(&s)) {
		arena_rewind(a, mark);
		return NULL;
	}

	/* A decoded string is shorter than its source by the quotes; a number is followed by a byte that is no part of
	 * it. */
	struct fill f = {.room = s.n_value, .pool_room = len + 1, .number = s.number, .number_room = s.n_number};
	f.node = NEW(a, struct json, f.room);
	f.pool = NEW_RAW(a, char, f.pool_room);
	char *copy = NEW_RAW(a, char, len + 1);
	memcpy(copy, text, len);
	copy[len] = '\0';
	f.text = copy;

	/* Terminated input, so that cJSON never depends on its length checks; no arena_alloc before cJSON_Delete. */
	cJSON *tree = cJSON_ParseWithLengthOpts(copy, len + 1, NULL, 1);
	if (!tree) {
		error_set(e, "", "cJSON cannot parse the text, or memory is out");
		return NULL;
	}
	const struct json *root = fill_node(&f, tree, NULL, 0);
	cJSON_Delete(tree);
	if (f.failed || f.n_node != f.room || f.n_number != s.n_number) {
		error_set(e, "", "cJSON reads the text differently");
		return NULL;
	}
	for (int k = 0; k < f.n_node; k++)
		if (f.node[k].kind == JSON_OBJECT && !check_duplicates(&f.node[k], e))
			return NULL;
	return root;
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
