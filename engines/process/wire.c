/* wire.c: answers as JSON Lines, both directions. */
#include "wire.h"

#include <stdlib.h>
#include <string.h>

/*
 * Most elements in one line.  With more, the line could pass the reader's limit on values, or the supervisor's limit on
 * its length (an element takes at most 26 bytes).
 */
enum { WIRE_ELEMENTS = 400000 };

/* ---- writing ---- */

static char *write_cases(long id, const char *key, const struct testcase *c, int n, bool brief, enum json_reals reals,
    struct arena *a, size_t *len)
{
	struct json_writer w = json_writer_new(a, false);

	w.reals = reals;
	json_begin_object(&w, JSON_FLOW);
	json_member_integer(&w, "id", id);
	json_member_array(&w, key, JSON_FLOW);
	for (int k = 0; k < n; k++) {
		struct testcase bare = c[k];

		bare.n_expect = 0;
		bare.provenance = (struct provenance){0};
		testcase_put(&w, &bare);
	}
	json_end(&w);
	if (brief)
		json_member_bool(&w, "brief", true);
	json_end(&w);
	return json_finish(&w, len);
}

char *wire_write_request(long id, const struct testcase *c, int n, enum json_reals reals, struct arena *a, size_t *len)
{
	return write_cases(id, "cases", c, n, false, reals, a, len);
}

char *wire_write_emission(
    long id, const struct testcase *c, int n, bool brief, enum json_reals reals, struct arena *a, size_t *len)
{
	return write_cases(id, "emit", c, n, brief, reals, a, len);
}

char *wire_write_sources(long id, const char *const *source, int n, struct arena *a, size_t *len)
{
	struct json_writer w = json_writer_new(a, false);

	json_begin_object(&w, JSON_FLOW);
	json_member_integer(&w, "id", id);
	json_member_array(&w, "sources", JSON_FLOW);
	for (int k = 0; k < n; k++)
		json_put_string(&w, source[k]);
	json_end(&w);
	json_end(&w);
	return json_finish(&w, len);
}

char *wire_write_error(long id, const char *text, struct arena *a, size_t *len)
{
	struct json_writer w = json_writer_new(a, false);

	json_begin_object(&w, JSON_FLOW);
	json_member_integer(&w, "id", id);
	json_member_string(&w, "error", text);
	json_end(&w);
	return json_finish(&w, len);
}

static void put_tensor(struct json_writer *w, const struct tensor *t)
{
	char type[TYPE_TEXT];

	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "type", type_print(&t->type, type));
	json_put_key(w, "data");
	tensor_put(w, t);
	json_end(w);
}

static void put_tensors(struct json_writer *w, const char *key, const struct tensor *t, int n)
{
	json_member_array(w, key, JSON_FLOW);
	for (int k = 0; k < n; k++)
		put_tensor(w, &t[k]);
	json_end(w);
}

static void put_answer(struct json_writer *w, const struct answer *answer, const char *refusal)
{
	json_begin_object(w, JSON_FLOW);
	json_put_key(w, "status");
	if (answer->status == ANSWER_OK && !refusal) {
		json_put_string(w, "ok");
		put_tensors(w, "primal", answer->primal, answer->n_primal);
		put_tensors(w, "derivative", answer->derivative, answer->n_derivative);
		json_member_bool(w, "input_modified", answer->input_modified);
	} else {
		json_put_string(w, answer->status == ANSWER_CRASH && !refusal ? "error" : "unsupported");
		json_member_string(w, "text", refusal ? refusal : answer->text ? answer->text : "");
	}
	json_end(w);
}

static int64_t count_elements(const struct tensor *t, int n)
{
	int64_t sum = 0;

	for (int k = 0; k < n; k++)
		sum += 3 + shape_elements(&t[k].type.shape);
	return sum;
}

char *wire_write_answers(
    long id, const struct testcase *c, struct answer *const *answers, int n, struct arena *a, size_t *len)
{
	struct json_writer w = json_writer_new(a, false);
	const char *refusal = NULL;
	int64_t elements = 0;

	for (int k = 0; k < n; k++)
		for (int i = 0; i < c[k].n_point; i++)
			if (answers[k][i].status == ANSWER_OK)
				elements += count_elements(answers[k][i].primal, answers[k][i].n_primal) +
				    count_elements(answers[k][i].derivative, answers[k][i].n_derivative);
	if (elements > WIRE_ELEMENTS)
		refusal = "the answer has more elements than one line to the supervisor may have";
	json_begin_object(&w, JSON_FLOW);
	json_member_integer(&w, "id", id);
	json_member_array(&w, "answers", JSON_FLOW);
	for (int k = 0; k < n; k++) {
		json_begin_array(&w, JSON_FLOW);
		for (int i = 0; i < c[k].n_point; i++)
			put_answer(&w, &answers[k][i], refusal);
		json_end(&w);
	}
	json_end(&w);
	json_end(&w);
	return json_finish(&w, len);
}

/* ---- reading ---- */

/* The root of an answer to request `id`.  NULL with the reason. */
static const struct json *read_reply(const char *line, size_t len, long id, struct arena *a, struct error *e)
{
	const struct json *root = json_read(line, len, a, e), *number;
	int64_t got;

	if (!root || !json_is(root, JSON_OBJECT, e) || !json_required(root, "id", JSON_NUMBER, &number, e) ||
	    !json_integer(number, 0, (int64_t)1 << 53, &got, e))
		return NULL;
	if (got == id)
		return root;
	json_error(number, e, "answers request %lld, not %ld", (long long)got, id);
	return NULL;
}

bool wire_read_sources(
    const char *line, size_t len, long id, int n, struct arena *a, const char **source, struct error *e)
{
	static const char *const keys[] = {"id", "sources"};
	const struct json *root = read_reply(line, len, id, a, e), *list, *text;

	if (!root)
		return false;
	text = json_find(root, "error");
	if (text && text->kind == JSON_STRING)
		return error_set(e, NULL, "%s", text->text);
	if (!json_only_keys(root, keys, 2, e) || !json_required(root, "sources", JSON_ARRAY, &list, e))
		return false;
	if (list->n_child != n)
		return json_error(list, e, "%d sources for %d cases", list->n_child, n);
	for (const struct json *v = list->child; v; v = v->next) {
		if (!json_is(v, JSON_STRING, e))
			return false;
		source[v->index] = v->text;
	}
	return true;
}

/* brief: NULL where a request has no such member. */
static bool read_cases(const char *line, size_t len, const char *key, struct arena *a, long *id, struct testcase **c,
    int *n, bool *brief, struct error *e)
{
	const char *const keys[] = {"id", key, "brief"};
	const struct json *root = json_read(line, len, a, e), *number, *list, *flag = NULL;
	int64_t got;

	*id = 0;
	*n = 0;
	if (!root || !json_is(root, JSON_OBJECT, e) || !json_required(root, "id", JSON_NUMBER, &number, e) ||
	    !json_integer(number, 0, (int64_t)1 << 53, &got, e))
		return false;
	*id = (long)got;
	if (!json_only_keys(root, keys, brief ? 3 : 2, e) || !json_required(root, key, JSON_ARRAY, &list, e) ||
	    (brief && !json_optional(root, "brief", JSON_BOOL, &flag, e)))
		return false;
	if (brief)
		*brief = flag && flag->truth;
	*c = NEW(a, struct testcase, list->n_child);
	for (const struct json *v = list->child; v; v = v->next)
		if (!testcase_read_value(v, a, &(*c)[v->index], e))
			return false;
	*n = list->n_child;
	return true;
}

bool wire_read_request(
    const char *line, size_t len, struct arena *a, long *id, struct testcase **c, int *n, struct error *e)
{
	return read_cases(line, len, "cases", a, id, c, n, NULL, e);
}

bool wire_read_emission(
    const char *line, size_t len, struct arena *a, long *id, struct testcase **c, int *n, bool *brief, struct error *e)
{
	return read_cases(line, len, "emit", a, id, c, n, brief, e);
}

/*
 * Reads a float as another program writes it: in a form that cases use, or as a decimal number, rounded to the nearest
 * binary64.  It must be a value of its dtype: the engine reports what it computed, not a number nearby.
 */
static bool read_float(const struct json *v, enum dtype d, double *out, struct error *e)
{
	char shown[JSON_SHOWN];
	char *end;

	if (v->kind == JSON_NUMBER) {
		*out = strtod(v->text, NULL);
	} else if (v->kind != JSON_STRING) {
		return json_error(v, e, "needs a real of %s, not %s", dtype_table[d].name, json_kind_names[v->kind]);
	} else if (v->len == 16 && strspn(v->text, "0123456789abcdefABCDEF") == 16) {
		*out = of_bits(strtoull(v->text, NULL, 16));
	} else {
		*out = strtod(v->text, &end);
		if (end == v->text || *end)
			return json_error(v, e, "%s is no real", json_quote(v->text, shown));
	}
	if (*out == *out && dtype_round(d, *out) != *out)
		return json_error(v, e, "%s is no value of %s", json_quote(v->text, shown), dtype_table[d].name);
	return true;
}

static bool read_data(const struct json *v, const struct type *t, struct arena *a, struct tensor *out, struct error *e)
{
	char text[TYPE_TEXT];
	int n = shape_elements(&t->shape);

	if (!dtype_is_float(t->dtype))
		return tensor_read(v, t, a, out, e);
	/* The count is checked before memory is taken: a short line cannot ask for much. */
	if (v->kind == JSON_ARRAY && v->n_child != n)
		return json_error(v, e, "%d elements, but %s has %d", v->n_child, type_print(t, text), n);
	if (v->kind != JSON_ARRAY && t->shape.rank)
		return json_error(v, e, "needs an array of %d elements for %s", n, type_print(t, text));
	*out = tensor_new(a, t);
	if (v->kind != JSON_ARRAY)
		return read_float(v, t->dtype, &out->at[0].f, e);
	for (const struct json *x = v->child; x; x = x->next)
		if (!read_float(x, t->dtype, &out->at[x->index].f, e))
			return false;
	return true;
}

static bool read_tensor(const struct json *v, struct arena *a, struct tensor *out, struct error *e)
{
	static const char *const keys[] = {"type", "data"};
	const struct json *type, *data;
	struct type t;

	if (!json_is(v, JSON_OBJECT, e) || !json_only_keys(v, keys, 2, e) ||
	    !json_required(v, "type", JSON_STRING, &type, e))
		return false;
	data = json_find(v, "data");
	if (!data)
		return json_error(v, e, "no data");
	if (!type_parse(type->text, &t))
		return json_error(type, e, "not a type");
	return read_data(data, &t, a, out, e);
}

static bool read_tensors(
    const struct json *answer, const char *key, struct arena *a, struct tensor **out, int *n, struct error *e)
{
	const struct json *list;

	if (!json_required(answer, key, JSON_ARRAY, &list, e))
		return false;
	*n = list->n_child;
	*out = NEW(a, struct tensor, list->n_child);
	for (const struct json *v = list->child; v; v = v->next)
		if (!read_tensor(v, a, &(*out)[v->index], e))
			return false;
	return true;
}

static bool read_answer(const struct json *v, struct arena *a, struct answer *out, struct error *e)
{
	static const char *const ok_keys[] = {"status", "primal", "derivative", "input_modified"};
	static const char *const unsupported_keys[] = {"status", "text"};
	const struct json *status, *modified, *text;

	*out = (struct answer){.text = ""};
	if (!json_is(v, JSON_OBJECT, e) || !json_required(v, "status", JSON_STRING, &status, e))
		return false;
	if (!strcmp(status->text, "unsupported") || !strcmp(status->text, "error")) {
		if (!json_only_keys(v, unsupported_keys, 2, e) || !json_required(v, "text", JSON_STRING, &text, e))
			return false;
		out->status = *status->text == 'u' ? ANSWER_UNSUPPORTED : ANSWER_CRASH;
		out->raised = out->status == ANSWER_CRASH;
		out->text = text->text;
		return true;
	}
	if (strcmp(status->text, "ok") != 0)
		return json_error(status, e, "none of \"ok\", \"unsupported\", \"error\"");
	if (!json_only_keys(v, ok_keys, 4, e) || !json_optional(v, "input_modified", JSON_BOOL, &modified, e))
		return false;
	out->status = ANSWER_OK;
	out->input_modified = modified && modified->truth;
	return read_tensors(v, "primal", a, &out->primal, &out->n_primal, e) &&
	    read_tensors(v, "derivative", a, &out->derivative, &out->n_derivative, e);
}

static bool read_points(const struct json *list, struct answer *out, int n, struct arena *a, struct error *e)
{
	if (!json_is(list, JSON_ARRAY, e))
		return false;
	if (list->n_child != n)
		return json_error(list, e, "%d answers for %d points", list->n_child, n);
	for (const struct json *v = list->child; v; v = v->next)
		if (!read_answer(v, a, &out[v->index], e))
			return false;
	return true;
}

bool wire_read_answers(const char *line, size_t len, long id, const struct testcase *c, struct answer *const *out,
    int n, struct arena *a, struct error *e)
{
	static const char *const keys[] = {"id", "answers"};
	const struct json *root = read_reply(line, len, id, a, e), *list, *text;

	if (!root)
		return false;
	text = json_find(root, "error");
	if (text && text->kind == JSON_STRING && root->n_child == 2) {
		const char *why = arena_printf(a, "%s", text->text);

		for (int k = 0; k < n; k++)
			for (int i = 0; i < c[k].n_point; i++)
				out[k][i] = (struct answer){.status = ANSWER_FAILURE, .text = why};
		return true;
	}
	if (!json_only_keys(root, keys, 2, e) || !json_required(root, "answers", JSON_ARRAY, &list, e))
		return false;
	if (list->n_child != n)
		return json_error(list, e, "%d answers for %d cases", list->n_child, n);
	for (const struct json *v = list->child; v; v = v->next)
		if (!read_points(v, out[v->index], c[v->index].n_point, a, e))
			return false;
	return true;
}
