/* baseline.c: see baseline.h. */
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

#include "graph/json.h"
#include "oracles/verdict/verdict.h"

/* ---- reading ---- */

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

static bool read_text(const struct json *object, const char *key, bool may_be_empty, const char **out, struct error *e)
{
	const struct json *v;

	if (!json_required(object, key, JSON_STRING, &v, e))
		return false;
	*out = v->text;
	return may_be_empty || *v->text || json_error(v, e, "must not be empty");
}

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

/* The entry becomes known[n], unless an earlier one is about the same. */
static bool read_known(const struct json *v, struct known_finding *known, int n, struct error *e)
{
	static const char *const keys[] = {"signature", "case", "link", "reason", "expires"};
	struct known_finding *k = &known[n];
	const struct json *path;

	if (!json_is(v, JSON_OBJECT, e) || !json_only_keys(v, keys, 5, e) ||
	    !read_text(v, "signature", false, &k->signature, e) || !read_text(v, "link", true, &k->link, e) ||
	    !read_text(v, "reason", true, &k->reason, e) || !read_text(v, "expires", false, &k->expires, e) ||
	    !json_optional(v, "case", JSON_STRING, &path, e))
		return false;
	k->path = path ? path->text : NULL;
	if (!k->reason[strspn(k->reason, " \t\r\n")])
		k->reason = ""; /* blanks are none */
	if (!strcmp(k->signature, "*"))
		return json_error(json_find(v, "signature"), e, "an entry is about one signature, not every one");
	if (!signature_may_be(k->signature))
		return json_error(json_find(v, "signature"), e,
		    "no finding has it; that of a case is engine|request|verdict|deviation");
	for (int i = 0; i < n; i++)
		if (!strcmp(known[i].signature, k->signature) && same_text(known[i].path, k->path))
			return json_error(json_find(v, "signature"), e, "the same finding as known[%d]", i);
	return is_date(k->expires) || json_error(json_find(v, "expires"), e, "not a date YYYY-MM-DD");
}

static bool read_root(const struct json *root, struct arena *a, struct baseline *out, struct error *e)
{
	static const char *const keys[] = {"schema", "known"};
	const struct json *known;

	/* The schema is checked first, because another kind of file has other keys too. */
	if (!json_schema(root, "adjudge.baseline/1", e) || !json_only_keys(root, keys, 2, e) ||
	    !json_required(root, "known", JSON_ARRAY, &known, e))
		return false;
	GROW(a, out->known, &out->room, known->n_child + 1);
	for (const struct json *v = known->child; v; v = v->next, out->n++)
		if (!read_known(v, out->known, out->n, e))
			return false;
	out->n_read = out->n;
	return true;
}

/* Notes at which line each entry begins: only entries are objects inside an array, as the text has been checked. */
static void note_lines(struct baseline *b, const char *text, size_t len)
{
	int line = 1, depth = 0, n = 0;
	bool quoted = false;

	for (size_t i = 0; i < len && n < b->n; i++) {
		const char c = text[i];

		line += c == '\n';
		if (quoted) {
			quoted = c != '"';
			i += c == '\\';
		} else if (c == '"') {
			quoted = true;
		} else if (c == '{' || c == '[') {
			if (c == '{' && depth == 2)
				b->known[n++].line = line;
			depth++;
		} else if (c == '}' || c == ']') {
			depth--;
		}
	}
}

bool baseline_read_file(const char *path, struct arena *a, struct baseline *out, struct error *e)
{
	const struct json *root;
	size_t len;
	char *text;

	*out = (struct baseline){0};
	text = json_read_bytes(path, LIMIT_CASE_BYTES, a, &len, e);
	if (!text)
		return false;
	root = json_read(text, len, a, e);
	if (root && read_root(root, a, out, e)) {
		note_lines(out, text, len);
		return true;
	}
	return json_error_in(path, e);
}

/* ---- writing ---- */

static void put_known(struct json_writer *w, const struct known_finding *k)
{
	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "signature", k->signature);
	if (k->path)
		json_member_string(w, "case", k->path);
	json_member_string(w, "link", k->link);
	json_member_string(w, "reason", k->reason);
	json_member_string(w, "expires", k->expires);
	json_end(w);
}

char *baseline_text(const struct baseline *b, struct arena *a, size_t *len)
{
	struct json_writer w = json_document(a, "adjudge.baseline/1");

	json_member_array(&w, "known", JSON_BLOCK);
	for (int i = 0; i < b->n; i++)
		if (!b->known[i].gone)
			put_known(&w, &b->known[i]);
	json_end(&w);
	json_end(&w);
	return json_finish(&w, len);
}

/* ---- matching ---- */

static bool path_ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n >= m && !strcmp(path + n - m, end) && (n == m || path[n - m - 1] == '/' || *end == '/');
}

/* Whether the entry is about the case with that path. */
static bool known_is_of(const struct known_finding *k, const char *path)
{
	return !k->path || path_ends_with(path, k->path);
}

/* The number of its entry, or -1. */
static int find_entry(const struct baseline *b, const char *signature, const char *path)
{
	for (int i = 0; i < b->n_read; i++)
		if (!strcmp(b->known[i].signature, signature) && known_is_of(&b->known[i], path))
			return i;
	return -1;
}

struct known_finding *baseline_match(struct baseline *b, const char *signature, const char *path)
{
	const int i = find_entry(b, signature, path);

	if (i < 0)
		return NULL;
	b->known[i].matched++;
	return &b->known[i];
}

bool baseline_knows(const struct baseline *b, const char *signature, const char *path)
{
	return find_entry(b, signature, path) >= 0;
}

/* Whether the signature begins with that engine. */
static bool is_about(const struct known_finding *k, const char *engine)
{
	const size_t n = strlen(engine);

	return !strncmp(k->signature, engine, n) && k->signature[n] == '|';
}

void baseline_note_judged(struct baseline *b, const char *engine, const char *path)
{
	for (int i = 0; i < b->n_read; i++)
		b->known[i].judged += is_about(&b->known[i], engine) && known_is_of(&b->known[i], path);
}

static bool any_of(const struct known_finding *k, const char *const *path, int n)
{
	for (int i = 0; i < n; i++)
		if (known_is_of(k, path[i]))
			return true;
	return false;
}

/* The entry as it stands in a file, so that a person can find its line. */
static const char *entry_text(const struct known_finding *k, struct arena *a)
{
	struct json_writer w = json_writer_new(a, true);
	size_t len;
	char *text;

	put_known(&w, k);
	text = json_finish(&w, &len);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* The state of an entry at the end of a run; CI_PASSED: there is nothing to say about it. */
static enum ci_state state_of(const struct known_finding *k, const struct baseline_review *x)
{
	if (x->all && !x->partial && !any_of(k, (const char *const *)x->all->at, x->all->n))
		return CI_NO_CASE;
	/* In a shard, an entry may be about cases of other shards. */
	if (x->sharded && !k->matched && (!k->path || !any_of(k, x->judged, x->n_judged)))
		return CI_PASSED;
	if (x->all && !k->matched && k->judged)
		return x->allow_fixed ? CI_FIXED_ALLOWED : CI_FIXED;
	if (!*k->reason)
		return CI_NO_REASON;
	if (strcmp(k->expires, x->today) < 0)
		return CI_EXPIRED;
	return x->all && !k->matched ? CI_NOT_CHECKED : CI_PASSED;
}

static const char *message_of(const struct known_finding *k, enum ci_state state, struct arena *a)
{
	if (state == CI_FIXED || state == CI_FIXED_ALLOWED)
		return arena_printf(
		    a, "known finding no longer fails; remove this line from the baseline: %s", entry_text(k, a));
	if (state == CI_NO_CASE)
		return arena_printf(a, "known finding of a case that is not here: %s", k->path);
	if (state == CI_EXPIRED)
		return arena_printf(a, "known finding expired on %s%s%s", k->expires, *k->link ? ": " : "", k->link);
	if (state == CI_NO_REASON)
		return "known finding without a reason; write one into the baseline, or fix the bug";
	return "known finding of an engine that decided nothing about the case here";
}

void baseline_check(struct baseline *b, const struct baseline_review *x, struct ci_report *r)
{
	for (int i = 0; i < b->n_read; i++) {
		struct known_finding *k = &b->known[i];
		const enum ci_state state = state_of(k, x);

		k->gone = state == CI_FIXED || state == CI_FIXED_ALLOWED;
		if (state != CI_PASSED)
			ci_add(r,
			    (struct ci_outcome){.state = state,
			        .path = x->file,
			        .line = k->line,
			        .signature = k->signature,
			        .message = message_of(k, state, r->arena),
			        .link = k->link});
	}
}

/* The shortest end of a path that names no other file. */
static const char *end_of(const char *path, const struct paths *all)
{
	const char *end = path + strlen(path);

	while (end > path) {
		int n = 0;

		for (end--; end > path && end[-1] != '/'; end--)
			;
		for (int i = 0; i < all->n; i++)
			n += path_ends_with(all->at[i], end);
		if (n <= 1)
			break;
	}
	return end;
}

void baseline_add(struct baseline *b, const char *signature, const char *path, const struct paths *all,
    const char *expires, struct arena *a)
{
	const char *end = all ? end_of(path, all) : NULL;

	for (int i = b->n_read; i < b->n; i++)
		if (!strcmp(b->known[i].signature, signature) && same_text(b->known[i].path, end))
			return;
	GROW(a, b->known, &b->room, b->n + 1);
	b->known[b->n++] = (struct known_finding){.signature = arena_printf(a, "%s", signature),
	    .link = "",
	    .reason = "",
	    .path = end ? arena_printf(a, "%s", end) : NULL,
	    .expires = arena_printf(a, "%s", expires)};
}
