/* baseline.c: see baseline.h. */
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

#include "graph/json.h"

/* A day of the Gregorian calendar. */
static bool is_date(const char *text)
{
	static const char pattern[] = "dddd-dd-dd";
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int year, month, day;

	for (int i = 0; i < 10; i++)
		if (pattern[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != '-')
			return false;
	year = atoi(text);
	month = atoi(text + 5);
	day = atoi(text + 8);
	if (text[10] || month < 1 || month > 12 || day < 1)
		return false;
	return day <= days[month - 1] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

static bool read_text(const struct json *object, const char *key, const char **out, struct error *e)
{
	const struct json *v;

	if (!json_required(object, key, JSON_STRING, &v, e))
		return false;
	*out = v->text;
	return *v->text || json_error(v, e, "must not be empty");
}

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

/* The entry becomes known[n], unless an earlier one is about the same. */
static bool read_known(const struct json *v, struct known_finding *known, int n, struct error *e)
{
	static const char *const keys[] = {"signature", "case", "link", "reason", "expires"};
	struct known_finding *k = &known[n];
	const struct json *path;

	if (!json_is(v, JSON_OBJECT, e) || !json_only_keys(v, keys, 5, e) ||
	    !read_text(v, "signature", &k->signature, e) || !read_text(v, "link", &k->link, e) ||
	    !read_text(v, "reason", &k->reason, e) || !read_text(v, "expires", &k->expires, e) ||
	    !json_optional(v, "case", JSON_STRING, &path, e))
		return false;
	k->path = path ? path->text : NULL;
	if (!strcmp(k->signature, "*"))
		return json_error(json_find(v, "signature"), e, "an entry is about one signature, not every one");
	for (int i = 0; i < n; i++)
		if (!strcmp(known[i].signature, k->signature) && same_text(known[i].path, k->path))
			return json_error(json_find(v, "signature"), e, "the same finding as known[%d]", i);
	return is_date(k->expires) || json_error(json_find(v, "expires"), e, "not a date YYYY-MM-DD");
}

static bool read_root(const struct json *root, struct arena *a, struct baseline *out, struct error *e)
{
	static const char *const keys[] = {"schema", "known"};
	const struct json *schema, *known;
	char shown[JSON_SHOWN];

	if (!json_is(root, JSON_OBJECT, e) || !json_required(root, "schema", JSON_STRING, &schema, e))
		return false;
	/* The schema is checked first, because another kind of file has other keys too. */
	if (strcmp(schema->text, "adjudge.baseline/1"))
		return json_error(schema, e, "%s is not \"adjudge.baseline/1\"", json_quote(schema->text, shown));
	if (!json_only_keys(root, keys, 2, e) || !json_required(root, "known", JSON_ARRAY, &known, e))
		return false;
	out->known = NEW(a, struct known_finding, known->n_child + 1);
	for (const struct json *v = known->child; v; v = v->next, out->n++)
		if (!read_known(v, out->known, out->n, e))
			return false;
	return true;
}

bool baseline_read_file(const char *path, struct arena *a, struct baseline *out, struct error *e)
{
	struct error inner = {0};
	const struct json *root;
	size_t len;
	char *text;

	*out = (struct baseline){0};
	text = json_read_bytes(path, LIMIT_CASE_BYTES, a, &len, e);
	if (!text)
		return false;
	root = json_read(text, len, a, &inner);
	if (root && read_root(root, a, out, &inner))
		return true;
	return error_set(e, path, "%s%s%s", inner.place, *inner.place ? ": " : "", inner.text);
}

static bool path_ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n >= m && !strcmp(path + n - m, end) && (n == m || path[n - m - 1] == '/' || *end == '/');
}

bool known_is_of(const struct known_finding *k, const char *path) { return !k->path || path_ends_with(path, k->path); }

struct known_finding *baseline_match(struct baseline *b, const char *signature, const char *path)
{
	for (int i = 0; i < b->n; i++) {
		struct known_finding *k = &b->known[i];

		if (strcmp(k->signature, signature) || !known_is_of(k, path))
			continue;
		k->matched++;
		return k;
	}
	return NULL;
}

bool known_expired(const struct known_finding *k, const char *today) { return strcmp(k->expires, today) < 0; }
