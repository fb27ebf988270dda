/* deferred.c: see deferred.h. */
#include "deferred.h"

#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"

/* Whether x is taken before y. */
static bool is_before(const struct deferred_case *x, const struct deferred_case *y)
{
	return x->len != y->len      ? x->len < y->len
	    : x->number != y->number ? x->number < y->number
	                             : x->which < y->which;
}

void deferred_free_case(struct deferred_case *x)
{
	free(x->signature);
	free(x->text);
}

/* Keeps x, which it owns from now on, in order. */
static void keep(struct deferred *self, struct deferred_case x)
{
	int k = self->n;

	while (k > 0 && is_before(&x, &self->at[k - 1]))
		k--;
	if (k == DEFERRED_CASES) {
		deferred_free_case(&x);
		return;
	}
	if (self->n == DEFERRED_CASES)
		deferred_free_case(&self->at[--self->n]);
	memmove(&self->at[k + 1], &self->at[k], (size_t)(self->n - k) * sizeof x);
	self->at[k] = x;
	self->n++;
}

void deferred_add(struct deferred *self, const struct deferred_case *x, const struct testcase *c, struct arena *a)
{
	const struct arena_mark mark = arena_mark(a);
	struct deferred_case own = *x;
	const char *text = testcase_write_compact(c, a, &own.len);

	if (own.len <= DEFERRED_BYTES) {
		own.signature = heap_text(x->signature);
		own.text = heap_text(text);
		keep(self, own);
	}
	arena_rewind(a, mark);
}

bool deferred_has_slip(const struct deferred *self, int which, const char *signature)
{
	for (int k = 0; k < self->n; k++)
		if (self->at[k].slip && self->at[k].which == which && !strcmp(self->at[k].signature, signature))
			return true;
	return false;
}

struct deferred_case deferred_take(struct deferred *self)
{
	struct deferred_case first = *self->at;

	memmove(self->at, self->at + 1, (size_t)--self->n * sizeof first);
	return first;
}

void deferred_join(struct deferred *self, struct deferred *from)
{
	for (int k = 0; k < from->n; k++)
		keep(self, from->at[k]);
	from->n = 0;
}

void deferred_free(struct deferred *self)
{
	for (int k = 0; k < self->n; k++)
		deferred_free_case(&self->at[k]);
	self->n = 0;
}

/* ---- state ---- */

void deferred_put(const struct deferred *self, struct json_writer *w)
{
	json_member_array(w, "deferred", JSON_BLOCK);
	for (int k = 0; k < self->n; k++) {
		const struct deferred_case *x = &self->at[k];

		json_begin_object(w, JSON_FLOW);
		json_member_integer(w, "engine", x->which);
		json_member_integer(w, "point", x->point);
		json_member_integer(w, "number", x->number);
		json_member_bool(w, "slip", x->slip);
		json_member_string(w, "signature", x->signature);
		json_member_string(w, "case", x->text);
		json_end(w);
	}
	json_end(w);
}

static bool read_case(const struct json *v, int n_engine, struct arena *a, struct deferred_case *out, struct error *e)
{
	const struct json *engine, *point, *number, *slip, *signature, *text;
	struct testcase c;

	if (!json_is(v, JSON_OBJECT, e) || !json_required(v, "engine", JSON_NUMBER, &engine, e) ||
	    !json_int(engine, 0, n_engine - 1, &out->which, e) ||
	    !json_required(v, "number", JSON_NUMBER, &number, e) || !json_int64(number, &out->number, e) ||
	    !json_optional(v, "slip", JSON_BOOL, &slip, e) ||
	    !json_required(v, "signature", JSON_STRING, &signature, e) ||
	    !json_required(v, "case", JSON_STRING, &text, e))
		return false;
	if (!testcase_read(text->text, (size_t)text->len, a, &c, e))
		return json_error(text, e, "not a case");
	if (!json_required(v, "point", JSON_NUMBER, &point, e) || !json_int(point, 0, c.n_point - 1, &out->point, e))
		return false;
	out->slip = slip && slip->truth;
	out->signature = heap_text(signature->text);
	out->text = heap_text(text->text);
	out->len = (size_t)text->len;
	return true;
}

bool deferred_read(struct deferred *self, int n_engine, const struct json *object, struct arena *a, struct error *e)
{
	const struct arena_mark mark = arena_mark(a);
	const struct json *list;
	bool ok = true;

	if (!json_required(object, "deferred", JSON_ARRAY, &list, e))
		return false;
	for (const struct json *v = list->child; ok && v; v = v->next) {
		struct deferred_case x = {0};

		ok = read_case(v, n_engine, a, &x, e);
		if (ok)
			keep(self, x);
		arena_rewind(a, mark);
	}
	return ok;
}
