/* wire.c: answers as JSON Lines, both directions. */
#include "wire.h"

#include "../graph/json.h"

#include <string.h>

/*
 * Elements of one line: more would pass the reader's limit on values, or (26 bytes each at most) that of the supervisor on the length
 * of a line.
 */
enum { WIRE_ELEMENTS = 400000 };

/* ---- writing ---- */

char *wire_write_hello(const char *spec, struct arena *a, size_t *len)
{
	struct json_writer w = json_writer_new(a, false);

	json_begin_object(&w, JSON_FLOW);
	json_put_key(&w, "adjudge.worker");
	json_put_integer(&w, 1);
	json_put_key(&w, "engine");
	json_put_string(&w, spec);
	json_end(&w);
	return json_finish(&w, len);
}

char *wire_write_error(long id, const char *text, struct arena *a, size_t *len)
{
	struct json_writer w = json_writer_new(a, false);

	json_begin_object(&w, JSON_FLOW);
	json_put_key(&w, "id");
	json_put_integer(&w, id);
	json_put_key(&w, "error");
	json_put_string(&w, text);
	json_end(&w);
	return json_finish(&w, len);
}

static void put_tensor(struct json_writer *w, const struct tensor *t)
{
	char type[TYPE_TEXT];

	json_begin_object(w, JSON_FLOW);
	json_put_key(w, "type");
	json_put_string(w, type_print(&t->type, type));
	json_put_key(w, "data");
	tensor_put(w, t);
	json_end(w);
}

static void put_tensors(struct json_writer *w, const char *key, const struct tensor *t, int n)
{
	json_put_key(w, key);
	json_begin_array(w, JSON_FLOW);
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
		json_put_key(w, "input_modified");
		json_put_bool(w, answer->input_modified);
	} else {
		json_put_string(w, "unsupported");
		json_put_key(w, "text");
		json_put_string(w, refusal ? refusal : answer->text ? answer->text : "");
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

char *wire_write_answers(long id, const struct answer *answers, int n, struct arena *a, size_t *len)
{
	struct json_writer w = json_writer_new(a, false);
	const char *refusal = NULL;
	int64_t elements = 0;

	for (int k = 0; k < n; k++)
		if (answers[k].status == ANSWER_OK)
			elements += count_elements(answers[k].primal, answers[k].n_primal) +
			    count_elements(answers[k].derivative, answers[k].n_derivative);
	if (elements > WIRE_ELEMENTS)
		refusal = "the answer has more elements than one line to the supervisor may have";
	json_begin_object(&w, JSON_FLOW);
	json_put_key(&w, "id");
	json_put_integer(&w, id);
	json_put_key(&w, "answers");
	json_begin_array(&w, JSON_FLOW);
	for (int k = 0; k < n; k++)
		put_answer(&w, &answers[k], refusal);
	json_end(&w);
	json_end(&w);
	return json_finish(&w, len);
}

/* ---- reading ---- */

bool wire_read_hello(const char *line, size_t len, const char *spec, struct arena *a, struct error *e)
{
	static const char *const keys[] = {"adjudge.worker", "engine"};
	const struct json *root = json_read(line, len, a, e), *version, *engine, *text;
	int64_t number;

	if (!root || !json_is(root, JSON_OBJECT, e))
		return false;
	text = json_find(root, "error");
	if (text && text->kind == JSON_STRING)
		return error_set(e, NULL, "%s", text->text);
	if (!json_only_keys(root, keys, 2, e) || !json_required(root, keys[0], JSON_NUMBER, &version, e) ||
	    !json_integer(version, 1, 1, &number, e) || !json_required(root, keys[1], JSON_STRING, &engine, e))
		return false;
	if (spec && strcmp(engine->text, spec) != 0)
		return json_error(engine, e, "a worker of another engine");
	return true;
}

static bool read_tensor(const struct json *v, struct arena *a, struct tensor *out, struct error *e)
{
	static const char *const keys[] = {"type", "data"};
	const struct json *type, *data;
	struct type t;

	if (!json_is(v, JSON_OBJECT, e) || !json_only_keys(v, keys, 2, e) || !json_required(v, "type", JSON_STRING, &type, e))
		return false;
	data = json_find(v, "data");
	if (!data)
		return json_error(v, e, "no data");
	if (!type_parse(type->text, &t))
		return json_error(type, e, "not a type");
	return tensor_read(data, &t, a, out, e);
}

static bool read_tensors(const struct json *answer, const char *key, struct arena *a, struct tensor **out, int *n, struct error *e)
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
	if (!strcmp(status->text, "unsupported")) {
		if (!json_only_keys(v, unsupported_keys, 2, e) || !json_required(v, "text", JSON_STRING, &text, e))
			return false;
		out->status = ANSWER_UNSUPPORTED;
		out->text = text->text;
		return true;
	}
	if (strcmp(status->text, "ok") != 0)
		return json_error(status, e, "neither \"ok\" nor \"unsupported\"");
	if (!json_only_keys(v, ok_keys, 4, e) || !json_required(v, "input_modified", JSON_BOOL, &modified, e))
		return false;
	out->status = ANSWER_OK;
	out->input_modified = modified->truth;
	return read_tensors(v, "primal", a, &out->primal, &out->n_primal, e) &&
	    read_tensors(v, "derivative", a, &out->derivative, &out->n_derivative, e);
}

bool wire_read_answers(const char *line, size_t len, long id, struct answer *out, int n, struct arena *a, struct error *e)
{
	static const char *const keys[] = {"id", "answers"};
	const struct json *root = json_read(line, len, a, e), *number, *list, *text;
	int64_t got;

	if (!root || !json_is(root, JSON_OBJECT, e) || !json_required(root, "id", JSON_NUMBER, &number, e) ||
	    !json_integer(number, 0, (int64_t)1 << 53, &got, e))
		return false;
	if (got != id)
		return json_error(number, e, "answers request %lld, not %ld", (long long)got, id);
	text = json_find(root, "error");
	if (text && text->kind == JSON_STRING && root->n_child == 2) {
		const char *why = arena_printf(a, "%s", text->text);

		for (int k = 0; k < n; k++)
			out[k] = (struct answer){.status = ANSWER_FAILURE, .text = why};
		return true;
	}
	if (!json_only_keys(root, keys, 2, e) || !json_required(root, "answers", JSON_ARRAY, &list, e))
		return false;
	if (list->n_child != n)
		return json_error(list, e, "%d answers for %d points", list->n_child, n);
	for (const struct json *v = list->child; v; v = v->next)
		if (!read_answer(v, a, &out[v->index], e))
			return false;
	return true;
}
