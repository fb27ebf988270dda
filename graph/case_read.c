/* case_read.c: reads a case from JSON: points, request and expectations; from a text or a file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "case_format.h"

/* ---- tensors ---- */

static bool read_float(const struct json *v, enum dtype d, double *out, struct error *e)
{
	char shown[JSON_SHOWN], hex[REAL_TEXT];

	if (v->kind == JSON_NUMBER) {
		*out = real_nearest(v->text, d);
		return isfinite(*out) ||
		    json_error(v, e, "%s is too large for %s; an infinity is written \"%s\"",
		        json_quote(v->text, shown), dtype_table[d].name, real_print(*out, hex));
	}
	if (v->kind != JSON_STRING)
		return json_error(v, e, "needs a real of %s, not %s", dtype_table[d].name, json_kind_names[v->kind]);
	if (!real_parse(v->text, out))
		return json_error(v, e, "%s is no real: \"0x1.8p-1\", \"nan\", \"inf\", \"-inf\" or a number",
		    json_quote(v->text, shown));
	double near = dtype_round(d, *out);
	/* NaN is a value of every float dtype. */
	if (*out == *out && near != *out)
		return json_error(v, e, "%s is no value of %s; the nearest is \"%s\"", json_quote(v->text, shown),
		    dtype_table[d].name, real_print(near, hex));
	return true;
}

static bool read_element(const struct json *v, enum dtype d, union cell *out, struct error *e)
{
	switch (dtype_table[d].class) {
	case DTYPE_CLASS_FLOAT:
		return read_float(v, d, &out->f, e);
	case DTYPE_CLASS_INT:
		if (!json_int64(v, &out->i, e))
			return false;
		if (dtype_wrap(d, out->i) != out->i)
			return json_error(v, e, "%lld is no value of %s", (long long)out->i, dtype_table[d].name);
		return true;
	case DTYPE_CLASS_BOOL:
		if (!json_is(v, JSON_BOOL, e))
			return false;
		out->i = v->truth;
		return true;
	}
	return false;
}

bool tensor_read(const struct json *v, const struct type *t, struct arena *a, struct tensor *out, struct error *e)
{
	struct type type = *t; /* *t may be part of *out */
	char text[TYPE_TEXT];
	int n = shape_elements(&type.shape);

	/* The count is checked before memory is allocated: a short file cannot ask for much. */
	if (v->kind != JSON_ARRAY && type.shape.rank)
		return json_error(v, e, "needs an array of %d elements for %s, not %s", n, type_print(&type, text),
		    json_kind_names[v->kind]);
	if (v->kind == JSON_ARRAY && v->n_child != n)
		return json_error(v, e, "%d elements, but %s has %d", v->n_child, type_print(&type, text), n);
	*out = tensor_new(a, &type);
	if (v->kind != JSON_ARRAY)
		return read_element(v, type.dtype, out->at, e);
	for (const struct json *x = v->child; x; x = x->next)
		if (!read_element(x, type.dtype, &out->at[x->index], e))
			return false;
	return true;
}

/* ---- points and request ---- */

static bool read_points(
    const struct json *root, const struct signature *s, struct arena *a, struct testcase *c, struct error *e)
{
	const struct json *points;

	if (!json_required(root, "points", JSON_ARRAY, &points, e))
		return false;
	if (points->n_child < 1 || points->n_child > LIMIT_POINTS)
		return json_error(points, e, "%d points, 1 to %d are possible", points->n_child, LIMIT_POINTS);
	c->n_point = points->n_child;
	c->point = NEW(a, struct tensor *, c->n_point);
	for (const struct json *v = points->child; v; v = v->next) {
		if (!json_is(v, JSON_ARRAY, e))
			return false;
		if (v->n_child != s->n_input)
			return json_error(v, e, "%d tensors, but there are %d inputs", v->n_child, s->n_input);
		c->point[v->index] = NEW(a, struct tensor, s->n_input);
		for (const struct json *x = v->child; x; x = x->next)
			if (!tensor_read(x, &s->input[x->index], a, &c->point[v->index][x->index], e))
				return false;
	}
	return true;
}

static bool read_seeds(
    const struct json *seeds, const struct type *type, int n, struct arena *a, struct transform *t, struct error *e)
{
	if (seeds->n_child != n)
		return json_error(seeds, e, "%d tensors, needed are %d", seeds->n_child, n);
	t->n_seed = n;
	t->seed = NEW(a, struct tensor, n);
	for (const struct json *v = seeds->child; v; v = v->next)
		if (!tensor_read(v, &type[v->index], a, &t->seed[v->index], e))
			return false;
	return true;
}

static bool read_kind(const struct json *v, enum transform_kind *kind, struct error *e)
{
	const struct json *name;
	char shown[JSON_SHOWN];

	if (!json_required(v, "transform", JSON_STRING, &name, e))
		return false;
	for (int k = 0; k < TRANSFORM_COUNT; k++)
		if (!strcmp(name->text, transform_names[k])) {
			*kind = (enum transform_kind)k;
			return true;
		}
	return json_error(name, e, "unknown transform %s; there are jvp, vjp and batch", json_quote(name->text, shown));
}

/* Reads a transform of level s, and turns s into the next level. */
static bool read_transform(
    const struct json *v, struct signature *s, struct arena *a, struct transform *t, struct error *e)
{
	static const char *const last[] = {
	    [TRANSFORM_JVP] = "tangents", [TRANSFORM_VJP] = "cotangents", [TRANSFORM_BATCH] = "size"};
	const struct json *wrt, *rest;
	struct type type[LIMIT_ARGS];
	struct error inner = {0};

	if (!read_kind(v, &t->kind, e))
		return false;
	bool batch = t->kind == TRANSFORM_BATCH;
	const char *const keys[] = {"transform", "wrt", last[t->kind]};
	if (!json_only_keys(v, keys, 3, e) || !json_required(v, "wrt", JSON_ARRAY, &wrt, e) ||
	    !json_required(v, keys[2], batch ? JSON_NUMBER : JSON_ARRAY, &rest, e))
		return false;
	if (wrt->n_child > s->n_input)
		return json_error(wrt, e, "%d inputs, but there are %d", wrt->n_child, s->n_input);
	t->n_wrt = wrt->n_child;
	t->wrt = NEW(a, int, t->n_wrt);
	for (const struct json *i = wrt->child; i; i = i->next) {
		int *input = &t->wrt[i->index];
		if (!json_int(i, 0, s->n_input - 1, input, e))
			return false;
		if (i->index && *input <= input[-1])
			return json_error(i, e, "%d after %d, expected ascending", *input, input[-1]);
	}
	if (batch ? !json_int(rest, 1, LIMIT_BATCH, &t->size, e)
	          : !read_seeds(rest, type, request_seeds(s, t, type), a, t, e))
		return false;
	return request_apply(s, t, &inner) || json_error(v, e, "%s", inner.text);
}

static bool read_request(
    const struct json *root, struct signature *s, struct arena *a, struct testcase *c, struct error *e)
{
	const struct json *request;

	if (!json_required(root, "request", JSON_ARRAY, &request, e))
		return false;
	if (request->n_child > LIMIT_TRANSFORMS)
		return json_error(
		    request, e, "%d transforms, at most %d are possible", request->n_child, LIMIT_TRANSFORMS);
	c->n_transform = request->n_child;
	c->transform = NEW(a, struct transform, c->n_transform);
	for (const struct json *v = request->child; v; v = v->next)
		if (!read_transform(v, s, a, &c->transform[v->index], e))
			return false;
	return true;
}

/* ---- provenance and expectations ---- */

static bool read_text(const struct json *object, const char *key, struct arena *a, const char **out, struct error *e)
{
	const struct json *v;

	if (!json_optional(object, key, JSON_STRING, &v, e))
		return false;
	*out = v ? arena_copy(a, v->text, (size_t)v->len + 1, 1) : NULL;
	return true;
}

static bool read_expectation(const struct json *v, struct arena *a, struct expectation *x, struct error *e)
{
	static const char *const keys[] = {"engine", "verdict", "returned"};
	const struct json *returned;

	if (!json_is(v, JSON_OBJECT, e) || !json_only_keys(v, keys, 3, e) ||
	    !read_text(v, "engine", a, &x->engine, e) || !read_text(v, "verdict", a, &x->verdict, e) ||
	    !json_optional(v, "returned", JSON_ARRAY, &returned, e))
		return false;
	if (!returned)
		return true;
	if (!returned->n_child)
		return json_error(returned, e, "an empty list states nothing");
	x->n = returned->n_child;
	x->returned = NEW(a, const char *, x->n);
	for (const struct json *s = returned->child; s; s = s->next) {
		if (!json_is(s, JSON_STRING, e))
			return false;
		x->returned[s->index] = arena_copy(a, s->text, (size_t)s->len + 1, 1);
	}
	return true;
}

static bool read_expect(const struct json *root, struct arena *a, struct testcase *c, struct error *e)
{
	const struct json *expect;

	if (!json_optional(root, "expect", JSON_ARRAY, &expect, e))
		return false;
	c->n_expect = expect ? expect->n_child : 0;
	c->expect = NEW(a, struct expectation, c->n_expect);
	for (const struct json *v = expect ? expect->child : NULL; v; v = v->next)
		if (!read_expectation(v, a, &c->expect[v->index], e))
			return false;
	return true;
}

/* ---- the two ways in ---- */

/* The case itself, or the case inside a report. */
static const struct json *find_case(const struct json *root, struct error *e)
{
	const struct json *schema;

	if (!json_required(root, "schema", JSON_STRING, &schema, e))
		return NULL;
	if (!strncmp(schema->text, REPORT_SCHEMA_PREFIX, strlen(REPORT_SCHEMA_PREFIX)) &&
	    !json_required(root, "case", JSON_OBJECT, &root, e))
		return NULL;
	return json_schema(root, CASE_SCHEMA, e) ? root : NULL;
}

static bool check_read(const struct json *root, const struct testcase *c, struct error *e)
{
	char at[JSON_PLACE], place[2 * JSON_PLACE + 8];
	struct error inner = {0};

	if (testcase_check_inferred(c, &inner))
		return true;
	json_place(root, at);
	snprintf(place, sizeof place, "%s%s%.*s", at, at[0] && inner.place[0] ? "." : "", (int)JSON_PLACE, inner.place);
	return error_set(e, place, "%s", inner.text);
}

bool testcase_read_value(const struct json *root, struct arena *a, struct testcase *out, struct error *e)
{
	static const char *const keys[] = {"schema", "title", "source", "comment", "inputs", "body", "results",
	    "points", "request", "variant", "expect"};
	const struct json *variant;
	struct testcase c = {0};

	if (!(root = find_case(root, e)) || !json_only_keys(root, keys, (int)(sizeof keys / sizeof keys[0]), e))
		return false;
	if (!read_text(root, "title", a, &c.provenance.title, e) ||
	    !read_text(root, "source", a, &c.provenance.source, e) ||
	    !read_text(root, "comment", a, &c.provenance.comment, e))
		return false;
	if (!case_read_program(root, a, &c.program, e) || !json_optional(root, "variant", JSON_NUMBER, &variant, e) ||
	    (variant && !json_int(variant, 0, LIMIT_VARIANT, &c.variant, e)))
		return false;
	/* The request decides which axes the points have, so it is read first. */
	struct signature s = request_base(&c.program);
	if (!read_request(root, &s, a, &c, e) || !read_points(root, &s, a, &c, e) || !read_expect(root, a, &c, e) ||
	    !check_read(root, &c, e))
		return false;
	*out = c;
	return true;
}

bool testcase_read(const char *text, size_t len, struct arena *a, struct testcase *out, struct error *e)
{
	const struct json *root;

	if (len > LIMIT_CASE_BYTES)
		return error_set(e, "", "a text of %zu bytes; the limit is %d", len, (int)LIMIT_CASE_BYTES);
	root = json_read(text, len, a, e);
	return root && testcase_read_value(root, a, out, e);
}

bool testcase_read_named(
    const char *path, const char *text, size_t len, struct arena *a, struct testcase *out, struct error *e)
{
	*e = (struct error){0};
	return testcase_read(text, len, a, out, e) || json_error_in(path, e);
}

bool testcase_read_file(const char *path, struct arena *a, struct testcase *out, struct error *e)
{
	size_t len;
	const char *text = json_read_bytes(path, LIMIT_CASE_BYTES, a, &len, e);

	return text && testcase_read_named(path, text, len, a, out, e);
}
