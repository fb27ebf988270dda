/*
 * json.c: turns text into a tree.  Our own scan decides what is JSON and knows places, because cJSON is laxer than RFC
 * 8259.  It also counts.  So cJSON builds its tree in one piece of memory, which is copied into the arena and freed.
 */
#include "json.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_utf8.h"

struct scan {
	const char *text; /* [len], then a NUL */
	size_t len, at;
	int depth;
	int n_value, n_string, n_number; /* n_string: with the keys */
	uint32_t *number;                /* receives the offset of each number in order */
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

/* The next byte.  At the end it is the NUL, which nothing accepts. */
static int scan_peek(const struct scan *s) { return (unsigned char)s->text[s->at]; }

static int scan_skip(struct scan *s)
{
	int c = scan_peek(s);

	/* Most bytes are none of the four. */
	while (c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r')) {
		s->at++;
		c = scan_peek(s);
	}
	return c;
}

static bool scan_digits(struct scan *s)
{
	size_t start = s->at;

	while (s->text[s->at] >= '0' && s->text[s->at] <= '9')
		s->at++;
	return s->at > start;
}

/* A NUL is the end of the text, or refused later. */
static bool ends_number(char c)
{
	return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\t' || c == '\r' || !c;
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
	if (!ends_number(s->text[s->at]))
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
		if (!c || !strchr("\"\\/bfnrt", c))
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
	s->n_string++;
	s->at++;
	for (;;) {
		s->at += plain_length(s->text + s->at);
		int c = scan_peek(s);
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
	scan_skip(s);
	if (s->at < s->len)
		return scan_fail(s, "something follows the end of the value");
	return true;
}

/*
 * The memory of cJSON's tree: a piece that is freed as a whole.  The hooks of cJSON have no context, so the piece is
 * known to the file while cJSON runs.
 */
static _Thread_local struct {
	char *at;
	size_t left;
} piece;

static void *piece_take(size_t bytes)
{
	const size_t align = _Alignof(cJSON);
	char *taken = piece.at;

	bytes = (bytes + align - 1) & ~(align - 1);
	if (bytes > piece.left)
		return NULL;
	piece.at += bytes;
	piece.left -= bytes;
	return taken;
}

static void piece_leave(void *taken) { (void)taken; }

/*
 * The bytes that cJSON takes: an item for each value, and a string with a NUL in place of its quotes.  Versions from
 * 1.7.18 on copy a number, too.
 */
static size_t piece_size(const struct scan *s)
{
	size_t texts = (size_t)s->n_string + (size_t)s->n_number;

	return (size_t)s->n_value * sizeof(cJSON) + texts * _Alignof(cJSON) + s->len;
}

/* Everything that the copy of a cJSON tree needs, allocated before cJSON runs. */
struct fill {
	struct json *node; /* in document order */
	int n_node, room;
	char *pool; /* the decoded strings */
	size_t pool_left;
	char *text; /* numbers are ended there */
	const uint32_t *number;
	int n_number, number_room;
	bool failed; /* cJSON saw another document than the scan */
};

static const char *fill_string(struct fill *f, const char *from, int *len)
{
	size_t size = strlen(from) + 1;
	char *to = f->pool;

	*len = (int)size - 1;
	if (size > f->pool_left) {
		f->failed = true;
		return "";
	}
	memcpy(to, from, size);
	f->pool += size;
	f->pool_left -= size;
	return to;
}

/* The next number, as it is written. */
static const char *fill_number(struct fill *f, int *len)
{
	if (f->n_number >= f->number_room) {
		f->failed = true;
		return "";
	}
	char *text = f->text + f->number[f->n_number++], *end = text;
	while (!ends_number(*end))
		end++;
	*end = '\0';
	*len = (int)(end - text);
	return text;
}

static void fill_value(struct fill *f, const cJSON *item, struct json *v);

static void fill_children(struct fill *f, const cJSON *item, struct json *v)
{
	const struct json **link = &v->child;
	int n = 0, key_len;

	for (const cJSON *child = item->child; child; child = child->next) {
		if (f->n_node >= f->room) {
			f->failed = true;
			break;
		}
		struct json *to = &f->node[f->n_node++];
		*to = (struct json){.parent = v, .index = n++, .text = ""};
		if (v->kind == JSON_OBJECT)
			to->key = fill_string(f, child->string, &key_len);
		fill_value(f, child, to);
		*link = to;
		link = &to->next;
	}
	v->n_child = n;
}

static void fill_value(struct fill *f, const cJSON *item, struct json *v)
{
	switch (item->type) {
	case cJSON_String:
		v->kind = JSON_STRING;
		v->text = fill_string(f, item->valuestring, &v->len);
		break;
	case cJSON_Number:
		v->kind = JSON_NUMBER;
		v->text = fill_number(f, &v->len);
		break;
	case cJSON_Array:
	case cJSON_Object:
		v->kind = item->type == cJSON_Array ? JSON_ARRAY : JSON_OBJECT;
		fill_children(f, item, v);
		break;
	case cJSON_True:
	case cJSON_False:
		v->kind = JSON_BOOL;
		v->truth = item->type == cJSON_True;
		break;
	case cJSON_NULL:
		v->kind = JSON_NULL;
		break;
	default:
		f->failed = true;
	}
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

/* Lets cJSON read text[len], which ends in a NUL, and copies its tree.  NULL with an error. */
static const struct json *build(struct fill *f, const struct scan *s, struct error *e)
{
	cJSON_Hooks hooks = {piece_take, piece_leave};
	size_t size = piece_size(s);
	char *all = malloc(size);
	struct json *root = f->node;

	/* No arena_alloc before the free: a full arena longjmps. */
	piece.at = all;
	piece.left = all ? size : 0;
	cJSON_InitHooks(&hooks);
	/* Terminated input, so that cJSON never depends on its length checks. */
	const cJSON *tree = cJSON_ParseWithLengthOpts(s->text, s->len + 1, NULL, 1);
	f->n_node = 1;
	*root = (struct json){.text = ""};
	if (tree)
		fill_value(f, tree, root);
	free(all);
	if (!tree)
		error_set(e, "", "cJSON cannot parse the text, or memory is out");
	else if (f->failed || f->n_node != f->room || f->n_number != f->number_room)
		error_set(e, "", "cJSON reads the text differently");
	else
		return root;
	return NULL;
}

const struct json *json_read(const char *text, size_t len, struct arena *a, struct error *e)
{
	struct arena_mark mark = arena_mark(a);

	if (len > JSON_BYTES) {
		error_set(e, "", "a text of %zu bytes; the limit is %d", len, (int)JSON_BYTES);
		return NULL;
	}
	char *copy = NEW_RAW(a, char, len + 1);
	memcpy(copy, text, len);
	copy[len] = '\0';
	/* A number is a character at least, and another stands before the next one. */
	struct scan s = {.text = copy, .len = len, .number = NEW_RAW(a, uint32_t, len / 2 + 1), .e = e};
	if (!scan_text(&s)) {
		arena_rewind(a, mark);
		return NULL;
	}

	/* A decoded string is shorter than its source by the quotes. */
	struct fill f = {
	    .room = s.n_value, .pool_left = len + 1, .text = copy, .number = s.number, .number_room = s.n_number};
	f.node = NEW_RAW(a, struct json, f.room);
	f.pool = NEW_RAW(a, char, f.pool_left);
	const struct json *root = build(&f, &s, e);
	for (int k = 0; root && k < f.n_node; k++)
		if (f.node[k].kind == JSON_OBJECT && !check_duplicates(&f.node[k], e))
			return NULL;
	return root;
}
