/* json_get.c: asking a tree for what must be in it, with errors that name the place. */
#include "json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
const char *const json_kind_names[] = {
	[JSON_NULL] = "null", [JSON_BOOL] = "a boolean", [JSON_NUMBER] = "a number", [JSON_STRING] = "a string",
	[JSON_ARRAY] = "an array", [JSON_OBJECT] = "an object",
};
/* clang-format on */

/* One printable ASCII character for each byte. */
static char printable(char c) { return c >= 0x20 && c < 0x7F ? c : '?'; }

char *json_place(const struct json *v, char buf[JSON_PLACE])
{
	enum { CUT = 3 };
	const struct json *path[JSON_DEPTH + 1];
	int n = 0;
	size_t used = 0;
	char piece[JSON_KEY + 2];

	for (; v->parent && n <= JSON_DEPTH; v = v->parent)
		path[n++] = v;
	buf[0] = '\0';
	while (n-- > 0) {
		const struct json *at = path[n];
		if (at->key) {
			snprintf(piece, sizeof piece, "%s%s", used ? "." : "", at->key);
			for (char *c = piece; *c; c++)
				*c = printable(*c);
		} else {
			snprintf(piece, sizeof piece, "[%d]", at->index);
		}
		size_t len = strlen(piece);
		if (used + len >= JSON_PLACE) {
			/* The end of a path says more than its beginning. */
			size_t keep = JSON_PLACE - 1 - CUT - len < used ? JSON_PLACE - 1 - CUT - len : used;
			memmove(buf + CUT, buf + used - keep, keep);
			memcpy(buf, "...", CUT);
			used = CUT + keep;
		}
		memcpy(buf + used, piece, len + 1);
		used += len;
	}
	return buf;
}

bool json_error(const struct json *at, struct error *e, const char *format, ...)
{
	char place[JSON_PLACE], text[sizeof e->text];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	return error_set(e, json_place(at, place), "%s", text);
}

bool json_error_in(const char *path, struct error *e)
{
	enum { TAIL = sizeof e->place - JSON_PLACE - 8 };
	const struct error inner = *e;
	char place[sizeof e->place];
	size_t n = strlen(path);

	/* Of a long path keep the end, which tells more, and leave room for the place. */
	snprintf(place, sizeof place, "%s%s%s%.*s", n > TAIL ? "..." : "", n > TAIL ? path + n - TAIL : path,
	    inner.place[0] ? ": " : "", (int)JSON_PLACE, inner.place);
	*e = (struct error){0};
	return error_set(e, text_disarm(place, false), "%s", inner.text);
}

char *json_quote(const char *text, char buf[JSON_SHOWN])
{
	const size_t room = JSON_SHOWN - 1 - 2;
	size_t len = strlen(text), shown = len <= room ? len : room - 3;
	char *to = buf;

	*to++ = '"';
	for (size_t k = 0; k < shown; k++)
		*to++ = printable(text[k]);
	memcpy(to, len <= room ? "\"" : "...\"", len <= room ? 2 : 5);
	return buf;
}

/* How many characters to change, insert, drop, or exchange with their neighbour, for words shorter than `ROOM` (else
 * ROOM). */
static int distance(const char *a, const char *b)
{
	enum { ROOM = 40 };
	/* [i % 3]: from the first i characters of a to each beginning of b; exchanges look back two rows. */
	int row[3][ROOM];
	int n = (int)strlen(b);

	if (n >= ROOM || strlen(a) >= ROOM)
		return ROOM;
	for (int j = 0; j <= n; j++)
		row[0][j] = j;
	for (int i = 1; a[i - 1]; i++) {
		int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
		now[0] = i;
		for (int j = 1; j <= n; j++) {
			now[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
			if (now[j] > now[j - 1] + 1)
				now[j] = now[j - 1] + 1;
			if (now[j] > last[j] + 1)
				now[j] = last[j] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    now[j] > before[j - 2] + 1)
				now[j] = before[j - 2] + 1;
		}
	}
	return row[strlen(a) % 3][n];
}

const char *json_nearest(const char *word, const char *const *name, int n)
{
	const char *best = NULL;
	int most = strlen(word) < 4 ? 1 : 2, longest = 0;

	for (int k = 0; k < n; k++) {
		int d = distance(word, name[k]), prefix = 0;
		while (word[prefix] && word[prefix] == name[k][prefix])
			prefix++;
		/* A distance of more than half the name is no likeness; of equally near names the longest common prefix
		 * wins. */
		if (d > most || 2 * (size_t)d > strlen(name[k]) || (size_t)d >= strlen(name[k]) ||
		    (best && d == most && prefix <= longest))
			continue;
		most = d;
		longest = prefix;
		best = name[k];
	}
	return best;
}

bool json_is(const struct json *v, enum json_kind kind, struct error *e)
{
	if (v->kind == kind)
		return true;
	return json_error(v, e, "needs %s, not %s", json_kind_names[kind], json_kind_names[v->kind]);
}

const struct json *json_find(const struct json *object, const char *key)
{
	if (object->kind != JSON_OBJECT)
		return NULL;
	for (const struct json *v = object->child; v; v = v->next)
		if (json_same_key(v->key, key))
			return v;
	return NULL;
}

bool json_optional(
    const struct json *object, const char *key, enum json_kind kind, const struct json **out, struct error *e)
{
	*out = json_find(object, key);
	return !*out || json_is(*out, kind, e);
}

bool json_required(
    const struct json *object, const char *key, enum json_kind kind, const struct json **out, struct error *e)
{
	if (!json_is(object, JSON_OBJECT, e) || !json_optional(object, key, kind, out, e))
		return false;
	if (!*out)
		return json_error(object, e, "lacks the key \"%s\"", key);
	return true;
}

bool json_schema(const struct json *root, const char *schema, struct error *e)
{
	const struct json *own;
	char shown[JSON_SHOWN];

	if (!json_required(root, "schema", JSON_STRING, &own, e))
		return false;
	return !strcmp(own->text, schema) ||
	    json_error(own, e, "%s is not \"%s\"", json_quote(own->text, shown), schema);
}

bool json_members(const struct json *object, const char *const *key, int n, const struct json **at, struct error *e)
{
	char shown[JSON_SHOWN];
	int k = 0;

	for (int i = 0; at && i < n; i++)
		at[i] = NULL;
	for (const struct json *v = object->child; v; v = v->next) {
		int tried = 0;
		/* Members are mostly in the order of the keys: the search goes on behind the last one. */
		while (tried < n && !json_same_key(key[k], v->key)) {
			tried++;
			k = k + 1 < n ? k + 1 : 0;
		}
		if (tried == n) {
			const char *near = json_nearest(v->key, key, n);
			return json_error(object, e, "unknown key %s%s%s%s", json_quote(v->key, shown),
			    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
		}
		if (at)
			at[k] = v;
		k = k + 1 < n ? k + 1 : 0;
	}
	return true;
}

bool json_only_keys(const struct json *object, const char *const *key, int n, struct error *e)
{
	return json_members(object, key, n, NULL, e);
}

/* A decimal integer: -?(0|[1-9][0-9]*), within 64 bits. */
static bool parse_integer(const char *text, int64_t *out)
{
	bool negative = *text == '-';
	const char *s = text + negative;
	/* Accumulated below zero, where there is one more. */
	int64_t i = 0;

	if (!*s || (*s == '0' && s[1]))
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		int digit = *s - '0';
		if (i < (INT64_MIN + digit) / 10)
			return false;
		i = i * 10 - digit;
	}
	if (!negative && i == INT64_MIN)
		return false;
	*out = negative ? i : -i;
	return true;
}

static bool in_range(const struct json *v, int64_t i, int64_t low, int64_t high, struct error *e)
{
	if (i >= low && i <= high)
		return true;
	return json_error(v, e, "%lld is not in [%lld, %lld]", (long long)i, (long long)low, (long long)high);
}

bool json_integer(const struct json *v, int64_t low, int64_t high, int64_t *out, struct error *e)
{
	char shown[JSON_SHOWN];

	if (!json_is(v, JSON_NUMBER, e))
		return false;
	if (!parse_integer(v->text, out))
		return json_error(v, e, "needs an integer in [%lld, %lld], not %s", (long long)low, (long long)high,
		    json_quote(v->text, shown));
	return in_range(v, *out, low, high, e);
}

bool json_int(const struct json *v, int low, int high, int *out, struct error *e)
{
	int64_t i;

	if (!json_integer(v, low, high, &i, e))
		return false;
	*out = (int)i;
	return true;
}

bool json_int64(const struct json *v, int64_t *out, struct error *e)
{
	char shown[JSON_SHOWN];

	if (v->kind != JSON_NUMBER && v->kind != JSON_STRING)
		return json_error(v, e, "needs an integer, not %s", json_kind_names[v->kind]);
	if (!parse_integer(v->text, out))
		return json_error(v, e, "needs an integer of 64 bits, not %s", json_quote(v->text, shown));
	if (v->kind == JSON_NUMBER && (*out > JSON_EXACT || *out < -JSON_EXACT))
		return json_error(
		    v, e, "an integer beyond 2^53 must be written as a string, \"%lld\"", (long long)*out);
	return true;
}

bool json_count(const struct json *object, const char *key, int64_t *out, struct error *e)
{
	const struct json *v;

	return json_required(object, key, JSON_NUMBER, &v, e) && json_integer(v, 0, JSON_EXACT, out, e);
}
