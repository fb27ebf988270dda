/*
 * json.c: turns text into a tree.  Our own scan decides what is JSON and knows places, because cJSON is laxer than RFC
 * 8259.  It also counts, and notes where strings and numbers are.  So cJSON builds its tree in one piece of memory,
 * which is copied into the arena and freed.  Texts stay where they are in the arena's copy, unless they have escapes.
 */
#include "json.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_utf8.h"

/* A string, key or number in the text.  What a string stands for is its bytes, unless it has an escape. */
struct token {
	uint32_t at;       /* of the first byte, without the quote */
	uint32_t len : 31; /* without quotes */
	uint32_t escaped : 1;
};

struct scan {
	const char *text; /* [len], then a NUL */
	size_t len, at;
	int depth;
	int n_value, n_token;
	size_t escaped;      /* bytes of all strings with an escape, and a NUL for each */
	struct token *token; /* receives all, in order */
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
	s->token[s->n_token++] = (struct token){.at = (uint32_t)start, .len = (uint32_t)(s->at - start) & INT32_MAX};
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
	size_t start = ++s->at;
	bool escaped = false;

	for (;;) {
		s->at += plain_length(s->text + s->at);
		int c = scan_peek(s);
		if (c == '"') {
			uint32_t len = (uint32_t)(s->at++ - start);
			s->token[s->n_token++] = (struct token){(uint32_t)start, len & INT32_MAX, escaped};
			s->escaped += escaped ? len + 1 : 0;
			return true;
		}
		if (c < 0x20)
			return scan_fail(s, "a control character inside a string");
		if (c == '\\') {
			escaped = true;
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
	return (size_t)s->n_value * sizeof(cJSON) + (size_t)s->n_token * _Alignof(cJSON) + s->len;
}

/* Everything that the copy of a cJSON tree needs, allocated before cJSON runs. */
struct fill {
	struct json *node; /* in document order */
	int n_node, room;
	char *text; /* strings and numbers are ended there */
	const struct token *token;
	int n_token, token_room;
	char *pool;  /* the decoded strings with escapes */
	bool failed; /* cJSON saw another document than the scan */
};

/* The next token.  decoded: what cJSON made of it; NULL: cJSON sees a number there. */
static const char *fill_text(struct fill *f, const char *decoded, int *len)
{
	if (f->n_token >= f->token_room || (!decoded && f->token[f->n_token].escaped)) {
		f->failed = true;
		return "";
	}
	const struct token *t = &f->token[f->n_token++];
	char *text = f->text + t->at;
	if (t->escaped) {
		/* A decoded string is never longer than its source. */
		*len = (int)strnlen(decoded, t->len);
		text = memcpy(f->pool, decoded, (size_t)*len);
		f->pool += t->len + 1;
	} else {
		*len = (int)t->len;
	}
	text[*len] = '\0';
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
			to->key = fill_text(f, child->string, &key_len);
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
		v->text = fill_text(f, item->valuestring, &v->len);
		break;
	case cJSON_Number:
		v->kind = JSON_NUMBER;
		v->text = fill_text(f, NULL, &v->len);
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
	else if (f->failed || f->n_node != f->room || f->n_token != f->token_room)
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
	/* A token is a character at least, and another stands before the next one. */
	struct scan s = {.text = copy, .len = len, .token = NEW_RAW(a, struct token, len / 2 + 1), .e = e};
	if (!scan_text(&s)) {
		arena_rewind(a, mark);
		return NULL;
	}

	struct fill f = {.room = s.n_value, .text = copy, .token = s.token, .token_room = s.n_token};
	f.node = NEW_RAW(a, struct json, f.room);
	f.pool = NEW_RAW(a, char, s.escaped);
	const struct json *root = build(&f, &s, e);
	for (int k = 0; root && k < f.n_node; k++)
		if (f.node[k].kind == JSON_OBJECT && !check_duplicates(&f.node[k], e))
			return NULL;
	return root;
}
