/* case_write.c: writes a case as canonical JSON.  Values are named v0, v1 ... by number; defaults are left out. */
#include <stdio.h>
#include <string.h>

#include "case_format.h"
#include "json.h"
#include "testcase.h"

static void put_element(struct json_writer *w, enum dtype d, union cell x)
{
	switch (dtype_table[d].class) {
	case DTYPE_CLASS_FLOAT:
		json_put_real(w, x.f);
		break;
	case DTYPE_CLASS_INT:
		json_put_integer(w, x.i);
		break;
	case DTYPE_CLASS_BOOL:
		json_put_bool(w, x.i != 0);
		break;
	}
}

void tensor_put(struct json_writer *w, const struct tensor *t)
{
	int n = shape_elements(&t->type.shape);

	if (t->type.shape.rank == 0) {
		put_element(w, t->type.dtype, t->at[0]);
		return;
	}
	json_begin_array(w, JSON_FLOW);
	for (int k = 0; k < n; k++)
		put_element(w, t->type.dtype, t->at[k]);
	json_end(w);
}

static void put_tensors(struct json_writer *w, const struct tensor *t, int n)
{
	json_begin_array(w, JSON_FLOW);
	for (int k = 0; k < n; k++)
		tensor_put(w, &t[k]);
	json_end(w);
}

static void put_name(struct json_writer *w, int value)
{
	char buf[16] = "\"v";

	char *end = decimal_print(value, buf + 2);
	*end++ = '"';
	json_put_token(w, buf, (size_t)(end - buf));
}

static void put_names(struct json_writer *w, const int *value, int n)
{
	json_begin_array(w, JSON_FLOW);
	for (int k = 0; k < n; k++)
		put_name(w, value[k]);
	json_end(w);
}

static void put_bindings(struct json_writer *w, const struct program *p, int first, int n)
{
	char buf[TYPE_TEXT + 16] = "\"v";

	json_begin_array(w, JSON_FLOW);
	for (int k = first; k < first + n; k++) {
		char *end = decimal_print(k, buf + 2);

		*end++ = ':';
		*end++ = ' ';
		end = type_print_end(&p->type[k], end);
		*end++ = '"';
		json_put_token(w, buf, (size_t)(end - buf));
	}
	json_end(w);
}

static void put_integers(struct json_writer *w, const int *i, int n)
{
	json_begin_array(w, JSON_FLOW);
	for (int k = 0; k < n; k++)
		json_put_integer(w, i[k]);
	json_end(w);
}

/* Whether the attribute has the value that its absence means. */
static bool attr_is_default(const struct program *p, const struct node *node, enum attr_index k)
{
	struct attr_value v = node_attr(p, node, k);

	if (attr_fields[k].kind == ATTR_KIND_BOOL)
		return !v.at[0];
	if (k == ATTR_INDEX_TRIP)
		return v.at[0] < 0;
	if (k == ATTR_INDEX_CAP)
		return node_has_trip(node) && !v.at[0];
	for (int d = 0; d < v.n; d++)
		if (k != ATTR_INDEX_STRIDE || v.at[d] != 1)
			return false;
	return k == ATTR_INDEX_STRIDE;
}

static void put_attr(struct json_writer *w, const struct program *p, const struct node *node, enum attr_index k)
{
	struct attr_value v = node_attr(p, node, k);

	json_put_key(w, attr_fields[k].key);
	if (attr_fields[k].kind == ATTR_KIND_TENSOR)
		tensor_put(w, &node->attrs.value);
	else if (attr_fields[k].kind == ATTR_KIND_BOOL)
		json_put_bool(w, v.at[0]);
	else if (v.list)
		put_integers(w, v.at, v.n);
	else if (v.name)
		json_put_string(w, v.name);
	else
		json_put_integer(w, v.at[0]);
}

static void put_body(struct json_writer *w, const struct program *p, const struct region *region);

static void put_node(struct json_writer *w, const struct program *p, const struct node *node)
{
	json_begin_object(w, JSON_FLOW);
	json_put_key(w, "out");
	put_bindings(w, p, node->out, node->n_out);
	json_member_string(w, "op", op_table[node->op].name);
	if (node->n_arg) {
		json_put_key(w, "args");
		put_names(w, node->arg, node->n_arg);
	}
	for (int k = 0; op_table[node->op].attrs >> k; k++)
		if (op_table[node->op].attrs & 1u << k && !attr_is_default(p, node, (enum attr_index)k))
			put_attr(w, p, node, (enum attr_index)k);
	if (node->n_region) {
		json_member_array(w, "regions", JSON_BLOCK);
		for (int k = 0; k < node->n_region; k++) {
			const struct region *region = &node->region[k];
			json_begin_object(w, JSON_FLOW);
			json_put_key(w, "params");
			put_bindings(w, p, region->param, region->n_param);
			put_body(w, p, region);
			json_end(w);
		}
		json_end(w);
	}
	json_end(w);
}

static void put_body(struct json_writer *w, const struct program *p, const struct region *region)
{
	json_member_array(w, "body", JSON_BLOCK);
	for (int k = 0; k < region->n_node; k++)
		put_node(w, p, &region->node[k]);
	json_end(w);
	json_put_key(w, "results");
	put_names(w, region->result, region->n_result);
}

static void put_optional(struct json_writer *w, const char *key, const char *text)
{
	if (!text)
		return;
	json_member_string(w, key, text);
}

static void put_transform(struct json_writer *w, const struct transform *t)
{
	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "transform", transform_names[t->kind]);
	json_put_key(w, "wrt");
	put_integers(w, t->wrt, t->n_wrt);
	if (t->kind == TRANSFORM_BATCH) {
		json_member_integer(w, "size", t->size);
	} else {
		json_put_key(w, t->kind == TRANSFORM_VJP ? "cotangents" : "tangents");
		put_tensors(w, t->seed, t->n_seed);
	}
	json_end(w);
}

static void put_expectation(struct json_writer *w, const struct expectation *x)
{
	json_begin_object(w, JSON_FLOW);
	put_optional(w, "engine", x->engine);
	put_optional(w, "verdict", x->verdict);
	if (x->n)
		json_member_strings(w, "returned", x->returned, x->n, JSON_FLOW);
	json_end(w);
}

void testcase_put(struct json_writer *w, const struct testcase *c)
{
	const struct program *p = &c->program;

	json_begin_object(w, JSON_BLOCK);
	json_member_string(w, "schema", CASE_SCHEMA);
	put_optional(w, "title", c->provenance.title);
	put_optional(w, "source", c->provenance.source);
	put_optional(w, "comment", c->provenance.comment);
	json_put_key(w, "inputs");
	put_bindings(w, p, p->top.param, p->top.n_param);
	put_body(w, p, &p->top);

	json_member_array(w, "points", JSON_BLOCK);
	for (int k = 0; k < c->n_point; k++)
		put_tensors(w, c->point[k], p->top.n_param);
	json_end(w);

	json_member_array(w, "request", JSON_BLOCK);
	for (int k = 0; k < c->n_transform; k++)
		put_transform(w, &c->transform[k]);
	json_end(w);

	if (c->variant)
		json_member_integer(w, "variant", c->variant);
	if (c->n_expect) {
		json_member_array(w, "expect", JSON_BLOCK);
		for (int k = 0; k < c->n_expect; k++)
			put_expectation(w, &c->expect[k]);
		json_end(w);
	}
	json_end(w);
}

static char *write_case(const struct testcase *c, bool pretty, struct arena *a, size_t *len)
{
	struct json_writer w = json_writer_new(a, pretty);

	testcase_put(&w, c);
	return json_finish(&w, len);
}

char *testcase_write(const struct testcase *c, struct arena *a, size_t *len) { return write_case(c, true, a, len); }

char *testcase_write_compact(const struct testcase *c, struct arena *a, size_t *len)
{
	return write_case(c, false, a, len);
}
