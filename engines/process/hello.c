/* hello.c: see hello.h. */
#include "hello.h"

#include <stdio.h>
#include <string.h>

#include "engines/aot/nested.h"

static const char *const reals_names[] =
    {[JSON_REALS_HEX] = "hex", [JSON_REALS_DECIMAL] = "decimal", [JSON_REALS_BITS] = "bits"};

struct hello hello_open_to_all(const char *name)
{
	struct hello h = {.name = name,
	    .version = "",
	    .emits = "",
	    .unknown = "",
	    .rank = LIMIT_RANK,
	    .nodes = INT32_MAX,
	    .one_dtype = -1,
	    .cases_per_request = 1};

	for (int d = 0; d < DTYPE_COUNT; d++)
		h.dtype[d] = true;
	for (int op = 0; op < OP_COUNT; op++)
		h.op[op] = true;
	return h;
}

bool hello_takes(const struct hello *h, const struct transform *t, int n)
{
	for (int k = 0; k < h->n_request; k++) {
		bool same = h->request[k].n == n;

		for (int i = 0; same && i < n; i++)
			same = h->request[k].kind[i] == t[i].kind;
		if (same)
			return true;
	}
	return !h->n_request;
}

const char *hello_spelled_name(int spelled) { return spelled == SPELLED_REQUEST ? "request" : op_table[spelled].name; }

int hello_spelled(const struct hello *h, int spelled, int variant)
{
	const struct spelling_list *list = h->spelling[spelled];

	return list ? testcase_spelling(variant, hello_spelled_name(spelled), list->n) : 0;
}

const char *hello_spelling(const struct hello *h, int spelled, int variant)
{
	const int k = hello_spelled(h, spelled, variant);

	return k ? h->spelling[spelled]->name[k] : NULL;
}

/* ---- writing ---- */

/* Left out if all dtypes are as in an absent member. */
static void put_dtypes(struct json_writer *w, const char *key, const bool *dtype, bool absent)
{
	bool same = true;

	for (int d = 0; d < DTYPE_COUNT; d++)
		same = same && dtype[d] == absent;
	if (same)
		return;
	json_member_array(w, key, JSON_FLOW);
	for (int d = 0; d < DTYPE_COUNT; d++)
		if (dtype[d])
			json_put_string(w, dtype_table[d].name);
	json_end(w);
}

static void put_ops(struct json_writer *w, const struct hello *h)
{
	bool all = true;

	for (int op = 0; op < OP_COUNT; op++)
		all = all && h->op[op];
	if (all)
		return;
	json_member_array(w, "ops", JSON_FLOW);
	for (int op = 0; op < OP_COUNT; op++)
		if (h->op[op])
			json_put_string(w, op_table[op].name);
	json_end(w);
}

/* Leaves out the primal alone, which read_requests adds. */
static void put_requests(struct json_writer *w, const struct hello *h)
{
	if (!h->n_request)
		return;
	json_member_array(w, "requests", JSON_FLOW);
	for (int k = 0; k < h->n_request; k++) {
		if (!h->request[k].n)
			continue;
		json_begin_array(w, JSON_FLOW);
		for (int i = 0; i < h->request[k].n; i++)
			json_put_string(w, transform_names[h->request[k].kind[i]]);
		json_end(w);
	}
	json_end(w);
}

static void put_spellings(struct json_writer *w, const struct hello *h)
{
	if (!h->variants)
		return;
	json_put_key(w, "spellings");
	json_begin_object(w, JSON_FLOW);
	for (int k = 0; k < SPELLED_COUNT; k++) {
		const struct spelling_list *list = h->spelling[k];

		if (list)
			json_member_array(w, hello_spelled_name(k), JSON_FLOW);
		for (int i = 0; list && i < list->n; i++)
			json_put_string(w, list->name[i]);
		if (list)
			json_end(w);
	}
	json_end(w);
}

/* The boolean members, and where each is in struct hello. */
static const struct flag {
	const char *key;
	size_t offset;
} flags[] = {
    {"unroll", offsetof(struct hello, unroll)},
    {"constants", offsetof(struct hello, constants)},
    {"broadcast", offsetof(struct hello, broadcast)},
    {"weak_zero", offsetof(struct hello, weak_zero)},
    {"finite_math", offsetof(struct hello, finite_math)},
    {"reassociates", offsetof(struct hello, reassociates)},
    {"nondeterministic", offsetof(struct hello, nondeterministic)},
};
enum { FLAGS = sizeof flags / sizeof *flags };

char *hello_write(const struct hello *h, struct arena *a, size_t *len)
{
	struct json_writer w = json_writer_new(a, false);

	json_begin_object(&w, JSON_FLOW);
	json_member_integer(&w, "adjudge.engine", HELLO_PROTOCOL);
	json_member_string(&w, "name", h->name);
	if (*h->version)
		json_member_string(&w, "version", h->version);
	put_requests(&w, h);
	put_dtypes(&w, "dtypes", h->dtype, true);
	put_ops(&w, h);
	put_spellings(&w, h);
	if (h->rank != LIMIT_RANK)
		json_member_integer(&w, "rank", h->rank);
	if (h->nodes != INT32_MAX)
		json_member_integer(&w, "nodes", h->nodes);
	for (int k = 0; k < FLAGS; k++)
		if (*(const bool *)((const char *)h + flags[k].offset))
			json_member_bool(&w, flags[k].key, true);
	put_dtypes(&w, "flushes", h->flushes, false);
	if (h->one_dtype >= 0)
		json_member_string(&w, "one_dtype", dtype_table[h->one_dtype].name);
	if (h->reals != JSON_REALS_HEX)
		json_member_string(&w, "reals", reals_names[h->reals]);
	if (*h->emits)
		json_member_string(&w, "emits", h->emits);
	if (h->timeout_ms)
		json_member_integer(&w, "timeout_ms", h->timeout_ms);
	if (h->cases_per_request != 1)
		json_member_integer(&w, "cases_per_request", h->cases_per_request);
	json_end(&w);
	return json_finish(&w, len);
}

/* ---- reading ---- */

static const char SUFFIX[] = "abcdefghijklmnopqrstuvwxyz0123456789";

static bool read_dtype(const struct json *v, int *out, struct error *e)
{
	char shown[JSON_SHOWN];

	if (!json_is(v, JSON_STRING, e))
		return false;
	*out = dtype_find(v->text, (size_t)v->len);
	return *out >= 0 || json_error(v, e, "%s is no dtype", json_quote(v->text, shown));
}

static bool read_dtypes(const struct json *list, bool *dtype, bool floats, struct error *e)
{
	int d;

	memset(dtype, 0, DTYPE_COUNT * sizeof *dtype);
	for (const struct json *v = list->child; v; v = v->next) {
		if (!read_dtype(v, &d, e))
			return false;
		if (floats && !dtype_is_float((enum dtype)d))
			return json_error(v, e, "no float");
		dtype[d] = true;
	}
	return true;
}

static const char *const members[] = {"adjudge.engine", "name", "version", "requests", "dtypes", "ops", "rank", "nodes",
    "unroll", "constants", "broadcast", "one_dtype", "reals", "weak_zero", "finite_math", "reassociates",
    "nondeterministic", "flushes", "accuracy", "spellings", "emits", "timeout_ms", "cases_per_request"};
enum { MEMBERS = sizeof members / sizeof *members };

/* Adds the name to h->unknown. */
static void note_unknown(
    struct hello *h, const char *what, const char *name, const char *const *known, int n, struct arena *a)
{
	const char *near = json_nearest(name, known, n);
	char shown[JSON_SHOWN];

	h->unknown = arena_printf(a, "%s%s%s %s", h->unknown, *h->unknown ? ", " : "", what, json_quote(name, shown));
	if (near)
		h->unknown = arena_printf(a, "%s (did you mean \"%s\"?)", h->unknown, near);
}

static void note_unknown_members(const struct json *root, struct hello *h, struct arena *a)
{
	for (const struct json *v = root->child; v; v = v->next) {
		bool known = false;

		for (int k = 0; k < MEMBERS; k++)
			known = known || !strcmp(v->key, members[k]);
		if (!known)
			note_unknown(h, "member", v->key, members, MEMBERS, a);
	}
}

/* An op that this adjudge does not know may belong to another version.  It will never be asked for. */
static bool read_ops(const struct json *list, struct hello *h, struct arena *a, struct error *e)
{
	const char *name[OP_COUNT];

	for (int op = 0; op < OP_COUNT; op++)
		name[op] = op_table[op].name;
	memset(h->op, 0, sizeof h->op);
	for (const struct json *v = list->child; v; v = v->next) {
		int op;

		if (!json_is(v, JSON_STRING, e))
			return false;
		op = op_find(v->text);
		if (op >= 0)
			h->op[op] = true;
		else
			note_unknown(h, "op", v->text, name, OP_COUNT, a);
	}
	h->op[OP_CONSTANT] = true;
	return true;
}

static bool read_spelling_list(const struct json *v, struct spelling_list *out, struct error *e)
{
	char shown[JSON_SHOWN];

	if (!json_is(v, JSON_ARRAY, e))
		return false;
	if (v->n_child < 1 || v->n_child > LIMIT_SPELLINGS)
		return json_error(v, e, "%d spellings, 1 to %d are possible", v->n_child, LIMIT_SPELLINGS);
	for (const struct json *s = v->child; s; s = s->next) {
		if (!json_is(s, JSON_STRING, e))
			return false;
		if (!s->len || s->len > HELLO_SPELLING)
			return json_error(s, e, "a name of %d bytes, 1 to %d are possible", s->len, HELLO_SPELLING);
		for (int k = 0; k < out->n; k++)
			if (!strcmp(out->name[k], s->text))
				return json_error(s, e, "%s is listed twice", json_quote(s->text, shown));
		out->name[out->n++] = s->text;
	}
	return true;
}

/* Lists for ops that this adjudge does not know are read and left out. */
static bool read_spellings(const struct json *object, struct hello *h, struct arena *a, struct error *e)
{
	const char *name[SPELLED_COUNT];

	for (int k = 0; k < SPELLED_COUNT; k++)
		name[k] = hello_spelled_name(k);
	for (const struct json *v = object->child; v; v = v->next) {
		struct spelling_list *list = NEW(a, struct spelling_list, 1);
		int k = strcmp(v->key, "request") ? op_find(v->key) : SPELLED_REQUEST;

		if (!read_spelling_list(v, list, e))
			return false;
		if (k < 0)
			note_unknown(h, "op", v->key, name, SPELLED_COUNT, a);
		else
			h->spelling[k] = list;
		h->variants = h->variants || (k >= 0 && list->n > 1);
	}
	return true;
}

static bool read_stack(const struct json *v, struct hello_request *out, struct error *e)
{
	char shown[JSON_SHOWN];

	if (!json_is(v, JSON_ARRAY, e))
		return false;
	if (v->n_child > LIMIT_TRANSFORMS)
		return json_error(v, e, "%d transforms; the limit is %d", v->n_child, LIMIT_TRANSFORMS);
	for (const struct json *t = v->child; t; t = t->next) {
		int kind = 0;

		if (!json_is(t, JSON_STRING, e))
			return false;
		while (kind < TRANSFORM_COUNT && strcmp(transform_names[kind], t->text))
			kind++;
		if (kind == TRANSFORM_COUNT)
			return json_error(t, e, "%s is no transform", json_quote(t->text, shown));
		out->kind[out->n++] = (enum transform_kind)kind;
	}
	return true;
}

/* The primal alone is always allowed. */
static bool read_requests(const struct json *list, struct hello *h, struct error *e)
{
	if (list->n_child >= HELLO_REQUESTS)
		return json_error(list, e, "%d requests; the limit is %d", list->n_child, HELLO_REQUESTS - 1);
	h->n_request = 1;
	for (const struct json *v = list->child; v; v = v->next)
		if (!read_stack(v, &h->request[h->n_request++], e))
			return false;
	return true;
}

static bool read_reals(const struct json *v, enum json_reals *out, struct error *e)
{
	char shown[JSON_SHOWN];

	for (int k = 0; k < (int)(sizeof reals_names / sizeof *reals_names); k++)
		if (!strcmp(v->text, reals_names[k])) {
			*out = (enum json_reals)k;
			return true;
		}
	return json_error(v, e, "%s is none of \"hex\", \"decimal\", \"bits\"", json_quote(v->text, shown));
}

static bool read_ulps(const struct json *v, double *out, struct error *e)
{
	int64_t n;

	if (!v)
		return true;
	if (!json_is(v, JSON_NUMBER, e) || !json_integer(v, 0, (int64_t)1 << 40, &n, e))
		return false;
	*out = (double)n;
	return true;
}

/* Reads a number, which means relative, or an object with one or both kinds. */
static bool read_op_accuracy(const struct json *v, struct op_accuracy *out, struct error *e)
{
	static const char *const kinds[] = {"relative", "absolute"};

	*out = (struct op_accuracy){0, 0};
	if (v->kind != JSON_OBJECT)
		return read_ulps(v, &out->relative, e);
	return json_only_keys(v, kinds, 2, e) && read_ulps(json_find(v, "relative"), &out->relative, e) &&
	    read_ulps(json_find(v, "absolute"), &out->absolute, e);
}

/* Reads one number for all functions, or numbers by the op's name.  "default" covers all other ops. */
static bool read_accuracy(const struct json *v, struct arena *a, struct hello *h, struct error *e)
{
	const struct json *other = v->kind == JSON_OBJECT ? json_find(v, "default") : v;
	struct op_accuracy *of = NEW(a, struct op_accuracy, OP_COUNT), all = {0, 0}, one;
	const char *name[OP_COUNT];

	if (other && !read_op_accuracy(other, &all, e))
		return false;
	for (int op = 0; op < OP_COUNT; op++) {
		of[op] = all;
		name[op] = op_table[op].name;
	}
	for (const struct json *member = v->kind == JSON_OBJECT ? v->child : NULL; member; member = member->next) {
		int op = op_find(member->key);

		if (!read_op_accuracy(member, &one, e))
			return false;
		if (op >= 0)
			of[op] = one;
		else if (strcmp(member->key, "default"))
			note_unknown(h, "op", member->key, name, OP_COUNT, a);
	}
	h->accuracy = of;
	return true;
}

static bool read_flags(const struct json *root, struct hello *h, struct error *e)
{
	for (int k = 0; k < FLAGS; k++) {
		const struct json *v;

		if (!json_optional(root, flags[k].key, JSON_BOOL, &v, e))
			return false;
		if (v)
			*(bool *)((char *)h + flags[k].offset) = v->truth;
	}
	return true;
}

static bool read_hello(const struct json *root, struct arena *a, struct hello *out, struct error *e)
{
	const struct json *v, *name;
	int64_t number;

	if (!json_is(root, JSON_OBJECT, e))
		return false;
	if (!json_required(root, "adjudge.engine", JSON_NUMBER, &v, e) || !json_integer(v, 0, INT32_MAX, &number, e))
		return false;
	if (number != HELLO_PROTOCOL)
		return json_error(
		    v, e, "protocol %lld; this adjudge speaks %d", (long long)number, (int)HELLO_PROTOCOL);
	if (!json_required(root, "name", JSON_STRING, &name, e))
		return false;
	*out = hello_open_to_all(name->text);
	if (!json_optional(root, "version", JSON_STRING, &v, e))
		return false;
	out->version = v ? v->text : "";
	v = json_find(root, "accuracy");
	if (v && !read_accuracy(v, a, out, e))
		return false;
	if (!json_optional(root, "emits", JSON_STRING, &v, e))
		return false;
	if (v && (!v->len || v->len > 8 || strspn(v->text, SUFFIX) != (size_t)v->len))
		return json_error(v, e, "not a file suffix: expected at most 8 lower-case letters and digits");
	out->emits = v ? v->text : "";
	if (!json_optional(root, "requests", JSON_ARRAY, &v, e) || (v && !read_requests(v, out, e)) ||
	    !json_optional(root, "dtypes", JSON_ARRAY, &v, e) || (v && !read_dtypes(v, out->dtype, false, e)) ||
	    !json_optional(root, "flushes", JSON_ARRAY, &v, e) || (v && !read_dtypes(v, out->flushes, true, e)) ||
	    !json_optional(root, "ops", JSON_ARRAY, &v, e) || (v && !read_ops(v, out, a, e)) ||
	    !json_optional(root, "spellings", JSON_OBJECT, &v, e) || (v && !read_spellings(v, out, a, e)) ||
	    !json_optional(root, "rank", JSON_NUMBER, &v, e) || (v && !json_int(v, 0, LIMIT_RANK, &out->rank, e)) ||
	    !json_optional(root, "nodes", JSON_NUMBER, &v, e) || (v && !json_int(v, 1, INT32_MAX, &out->nodes, e)) ||
	    !json_optional(root, "reals", JSON_STRING, &v, e) || (v && !read_reals(v, &out->reals, e)) ||
	    !json_optional(root, "one_dtype", JSON_STRING, &v, e) || (v && !read_dtype(v, &out->one_dtype, e)) ||
	    !json_optional(root, "timeout_ms", JSON_NUMBER, &v, e) ||
	    (v && !json_int(v, 1, HELLO_TIMEOUT_MS, &out->timeout_ms, e)) ||
	    !json_optional(root, "cases_per_request", JSON_NUMBER, &v, e) ||
	    (v && !json_int(v, 1, INT32_MAX, &out->cases_per_request, e)))
		return false;
	if (out->one_dtype >= 0 && !dtype_is_float((enum dtype)out->one_dtype))
		return json_error(json_find(root, "one_dtype"), e, "no float");
	if (out->cases_per_request > HELLO_CASES)
		out->cases_per_request = HELLO_CASES;
	if (!read_flags(root, out, e))
		return false;
	note_unknown_members(root, out, a);
	for (int op = 0; op < OP_COUNT && out->unroll && !json_find(root, "ops"); op++)
		out->op[op] = op_table[op].regularity != REGULARITY_REGION;
	return true;
}

/* Every error has a place, except for one in the engine's own words. */
bool hello_read(const char *line, size_t len, struct arena *a, struct hello *out, struct error *e)
{
	const struct json *root, *says;

	if (len > HELLO_BYTES)
		return error_set(e, "line 1", "a hello of %zu bytes; the limit is %d", len, (int)HELLO_BYTES);
	root = json_read(line, len, a, e);
	if (!root)
		return false;
	says = json_find(root, "error");
	if (says && says->kind == JSON_STRING)
		return error_set(e, NULL, "%s", says->text);
	if (read_hello(root, a, out, e))
		return true;
	if (!*e->place)
		snprintf(e->place, sizeof e->place, "line 1");
	return false;
}

bool hello_has_derivatives_written(const struct hello *h, const struct program *p)
{
	return (!h->op[OP_DERIVATIVE] || h->unroll) && program_has_derivative(p);
}
