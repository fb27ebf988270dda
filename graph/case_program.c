/*
 * case_program.c: reads the program of a case from JSON.  Names become value numbers in order of definition; the values
 * of a region come before the results of its op.  Types are inferred on the way, so that an error can name its node.
 */
#include <stdio.h>
#include <string.h>

#include "case_format.h"
#include "hash.h"

/* Attributes are small integers; node_infer checks whether they fit the op. */
enum { ATTR_MAX = 1 << 30 };

/* Lists of ops by the first letter of their names. */
enum { LETTERS = 32 };
_Static_assert(OP_COUNT < 256, "1 + op is a byte");

struct name {
	const char *text; /* [len] inside the JSON, or NULL: a free place */
	int len, value;
};

struct case_reader {
	struct arena *arena;
	struct error *e, inner; /* inner: of the type rules.  The first one ends the reading. */
	struct program *p;      /* type[] grows with n_value */
	int type_room, closed_room;
	bool *closed; /* [closed_room]: the value belongs to a region that has ended */
	struct name *names;
	unsigned name_room; /* a power of two, more than twice n_value */
	int n_node;
	unsigned char op_first[LETTERS], op_next[OP_COUNT]; /* ops whose names begin alike, as 1 + op; 0 ends a list */
};

/* ---- names and bindings ---- */

static bool is_named(const struct name *n, const char *text, int len)
{
	return n->len == len && !memcmp(n->text, text, (size_t)len);
}

/* The place of that name, or the free one where it belongs. */
static struct name *name_find(const struct case_reader *r, const char *text, int len)
{
	uint64_t hash = HASH_BEGIN;

	for (int k = 0; k < len; k++)
		hash = hash_step(hash, (unsigned char)text[k]);
	/* The middle bits alone would not tell v1 from v2. */
	unsigned k = (unsigned)(hash ^ hash >> 32) & (r->name_room - 1);
	while (r->names[k].text && !is_named(&r->names[k], text, len))
		k = (k + 1) & (r->name_room - 1);
	return &r->names[k];
}

static void grow(struct case_reader *r)
{
	struct name *old = r->names;
	unsigned n_old = r->name_room;
	int n = r->p->n_value + 1;

	GROW(r->arena, r->p->type, &r->type_room, n);
	GROW(r->arena, r->closed, &r->closed_room, n);
	r->name_room = 4 * (unsigned)r->type_room;
	r->names = NEW(r->arena, struct name, r->name_room);
	for (unsigned k = 0; k < n_old; k++)
		if (old[k].text)
			*name_find(r, old[k].text, old[k].len) = old[k];
}

static bool is_name(const char *text, int len)
{
	for (int k = 0; k < len; k++) {
		char c = text[k];
		bool digit = c >= '0' && c <= '9',
		     letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';

		if (!letter && (!digit || !k))
			return false;
	}
	return len >= 1 && len <= CASE_NAME;
}

/*
 * "NAME: TYPE", or, where the type is known, "NAME".  The name is v->text[*name_len].  Sets *stated when there is a
 * type.
 */
static bool parse_binding(struct case_reader *r, const struct json *v, int *name_len, struct type *type, bool *stated)
{
	char shown[JSON_SHOWN];

	if (!json_is(v, JSON_STRING, r->e))
		return false;
	const char *colon = memchr(v->text, ':', (size_t)v->len);
	int len = colon ? (int)(colon - v->text) : v->len;
	if (!is_name(v->text, len))
		return json_error(v, r->e, "%s is no \"NAME: TYPE\"; a name has 1 to %d letters, digits and _",
		    json_quote(v->text, shown), (int)CASE_NAME);
	*name_len = len;
	*stated = colon != NULL;
	if (*stated && (v->text[len + 1] != ' ' || !type_parse(v->text + len + 2, type)))
		return json_error(v, r->e, "%s: no type as in \"x: f64[2,3]\" (up to %d axes and %d elements)",
		    json_quote(v->text, shown), (int)LIMIT_RANK, (int)LIMIT_ELEMENTS);
	return true;
}

/* Defines the next value with the name in `v`.  known: its inferred type; if NULL, `v` must state the type. */
static bool define(struct case_reader *r, const struct json *v, const struct type *known)
{
	char text[2][TYPE_TEXT];
	struct type type;
	int len;
	bool stated;

	if (!parse_binding(r, v, &len, &type, &stated))
		return false;
	if (!stated && !known)
		return json_error(v, r->e, "\"%s\" needs a type, as in \"%s: f64[]\"", v->text, v->text);
	if (stated && known && !type_equal(&type, known))
		return json_error(v, r->e, "stated as %s, but its type is %s", type_print(&type, text[0]),
		    type_print(known, text[1]));
	if (r->p->n_value == r->type_room)
		grow(r);
	struct name *entry = name_find(r, v->text, len);
	if (entry->text)
		return json_error(v, r->e, "the name \"%.*s\" is taken", len, v->text);
	*entry = (struct name){v->text, len, r->p->n_value};
	r->p->type[r->p->n_value++] = known ? *known : type;
	return true;
}

/* Names of values in scope, into value[n_child]. */
static bool read_uses(struct case_reader *r, const struct json *array, int *value)
{
	char shown[JSON_SHOWN];

	for (const struct json *v = array ? array->child : NULL; v; v = v->next) {
		if (!json_is(v, JSON_STRING, r->e))
			return false;
		const struct name *entry = r->name_room ? name_find(r, v->text, v->len) : NULL;
		if (!entry || !entry->text)
			return json_error(v, r->e, "no value %s is defined before this", json_quote(v->text, shown));
		if (r->closed[entry->value])
			return json_error(
			    v, r->e, "the value %s belongs to a region that has ended", json_quote(v->text, shown));
		value[v->index] = entry->value;
	}
	return true;
}

/* Reports an error of the type rules; its place is relative to the node. */
static bool fail_inside(struct case_reader *r, const struct json *node)
{
	const struct error *inner = &r->inner;
	char at[JSON_PLACE], place[2 * JSON_PLACE + 2];

	json_place(node, at);
	snprintf(place, sizeof place, "%s%s%.*s", at, inner->place[0] ? "." : "", (int)JSON_PLACE, inner->place);
	return error_set(r->e, place, "%s", inner->text);
}

/* ---- members of a node ---- */

/* Keys of a node: these, then those of the attributes of its op. */
enum { KEY_OUT, KEY_OP, KEY_ARGS, KEY_REGIONS, KEY_ATTRS };

/* The members of a node, which has no others. */
struct members {
	const struct json *at[KEY_ATTRS + ATTR_COUNT]; /* by number of the key; NULL: missing */
};

/* ---- attributes ---- */

static bool read_ints(struct case_reader *r, const struct json *v, int low, int room, int *out, int *n)
{
	if (!json_is(v, JSON_ARRAY, r->e))
		return false;
	if (v->n_child > room)
		return json_error(v, r->e, "%d integers, at most %d are possible", v->n_child, room);
	*n = v->n_child;
	for (const struct json *i = v->child; i; i = i->next)
		if (!json_int(i, low, ATTR_MAX, &out[i->index], r->e))
			return false;
	return true;
}

/* One of the names, as its index. */
static bool read_choice(struct case_reader *r, const struct json *v, const char *const *name, int n, int *out)
{
	char shown[JSON_SHOWN], list[128] = "";
	size_t used = 0;

	if (!json_is(v, JSON_STRING, r->e))
		return false;
	for (*out = 0; *out < n; ++*out)
		if (!strcmp(name[*out], v->text))
			return true;
	for (int k = 0; k < n; k++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", name[k]);
	return json_error(v, r->e, "%s is none of %s", json_quote(v->text, shown), list);
}

/* The length that lists of one integer per axis must have. */
static int rank_of(const struct case_reader *r, const struct node *node)
{
	return node->n_arg ? r->p->type[node->arg[0]].shape.rank : 0;
}

static bool read_attr(struct case_reader *r, const struct json *v, const struct attr_field *field, struct node *node)
{
	char *at = (char *)&node->attrs + field->offset;
	int n;

	switch (field->kind) {
	case ATTR_KIND_INT:
		return json_int(v, 0, ATTR_MAX, (int *)(void *)at, r->e);
	case ATTR_KIND_INTS:
		if (!read_ints(r, v, -ATTR_MAX, LIMIT_RANK, (int *)(void *)at, &n))
			return false;
		if (n != rank_of(r, node))
			return json_error(v, r->e, "%d integers, but operand 0 has rank %d", n, rank_of(r, node));
		return true;
	case ATTR_KIND_AXES:
		return read_ints(r, v, 0, LIMIT_RANK, (int *)(void *)at, &node->attrs.n_axes);
	case ATTR_KIND_BOOL:
		if (!json_is(v, JSON_BOOL, r->e))
			return false;
		*(bool *)at = v->truth;
		return true;
	case ATTR_KIND_DTYPE:
	case ATTR_KIND_MODE:
	case ATTR_KIND_MEANING:
	case ATTR_KIND_TRANSFORM:
		if (!read_choice(r, v, attr_names[field->kind].name, attr_names[field->kind].n, &n))
			return false;
		memcpy(at, &n, sizeof n);
		return true;
	case ATTR_KIND_SHAPE:
		return read_ints(r, v, 0, LIMIT_RANK, node->attrs.shape.extent, &node->attrs.shape.rank);
	case ATTR_KIND_TENSOR:
		/* The only attribute that needs the result type: set by read_literal. */
		return tensor_read(v, &node->attrs.value.type, r->arena, &node->attrs.value, r->e);
	case ATTR_KIND_COUNT:
		break;
	}
	return false;
}

/* The attributes that may be missing, with a meaning. */
static bool attr_default(const struct json *v, struct node *node, enum attr_index k, int rank, struct error *e)
{
	if (k == ATTR_INDEX_TRIP && node->op == OP_FOR) {
		node->attrs.trip = -1;
		return true;
	}
	if (k == ATTR_INDEX_STRIDE) {
		for (int d = 0; d < rank; d++)
			node->attrs.stride[d] = 1;
		return true;
	}
	if (attr_fields[k].kind == ATTR_KIND_BOOL ||
	    (k == ATTR_INDEX_CAP && node->op == OP_FOR && json_find(v, "trip")))
		return true;
	return json_error(v, e, "%s lacks its attribute \"%s\"", op_table[node->op].name, attr_fields[k].key);
}

static bool read_attrs(struct case_reader *r, const struct json *v, const struct members *m, struct node *node)
{
	int n = KEY_ATTRS;

	for (int k = 0; op_table[node->op].attrs >> k; k++) {
		if (!(op_table[node->op].attrs & 1u << k))
			continue;
		const struct json *at = m->at[n++];
		if (at ? !read_attr(r, at, &attr_fields[k], node)
		       : !attr_default(v, node, (enum attr_index)k, rank_of(r, node), r->e))
			return false;
	}
	return true;
}

/* The stated result type of a constant, from which its literal is read. */
static bool read_literal_type(struct case_reader *r, const struct json *v, const struct json *out, struct node *node)
{
	int len;
	bool stated;

	if (out->n_child != 1)
		return json_error(out, r->e, "a constant has 1 result, not %d", out->n_child);
	if (!parse_binding(r, out->child, &len, &node->attrs.value.type, &stated))
		return false;
	if (!stated)
		return json_error(
		    out->child, r->e, "\"%s\" needs a type, as in \"%s: f64[]\"", out->child->text, out->child->text);
	if (!shape_fits(&node->attrs.value.type.shape))
		return json_error(v, r->e, "a literal of more than %d elements", LIMIT_ELEMENTS);
	return true;
}

/* ---- nodes and regions ---- */

static void index_ops(struct case_reader *r)
{
	for (int op = OP_COUNT - 1; op >= 0; op--) {
		unsigned char *first = &r->op_first[(unsigned char)op_table[op].name[0] % LETTERS];
		r->op_next[op] = *first;
		*first = (unsigned char)(op + 1);
	}
}

static int find_op(const struct case_reader *r, const char *name)
{
	int op = r->op_first[(unsigned char)name[0] % LETTERS] - 1;

	while (op >= 0 && !json_same_key(op_table[op].name, name))
		op = r->op_next[op] - 1;
	return op;
}

static bool read_op(struct case_reader *r, const struct json *v, enum op *op)
{
	const struct json *name;
	char shown[JSON_SHOWN];

	if (!json_required(v, "op", JSON_STRING, &name, r->e))
		return false;
	int k = find_op(r, name->text);
	if (k >= 0) {
		*op = (enum op)k;
		return true;
	}
	const char *names[OP_COUNT];
	for (k = 0; k < OP_COUNT; k++)
		names[k] = op_table[k].name;
	const char *near = json_nearest(name->text, names, OP_COUNT);
	return json_error(name, r->e, "unknown op %s%s%s%s", json_quote(name->text, shown),
	    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static bool find_members(struct case_reader *r, const struct json *v, enum op op, struct members *m)
{
	const char *keys[KEY_ATTRS + ATTR_COUNT] = {
	    [KEY_OUT] = "out", [KEY_OP] = "op", [KEY_ARGS] = "args", [KEY_REGIONS] = "regions"};
	int n = KEY_ATTRS;

	for (int k = 0; op_table[op].attrs >> k; k++)
		if (op_table[op].attrs & 1u << k)
			keys[n++] = attr_fields[k].key;
	if (json_members(v, keys, n, m->at, NULL))
		return true;
	for (int k = 0; k < ATTR_COUNT; k++)
		if (!(op_table[op].attrs & 1u << k) && json_find(v, attr_fields[k].key))
			return json_error(v, r->e, "%s has no attribute \"%s\"", op_table[op].name, attr_fields[k].key);
	return json_only_keys(v, keys, n, r->e);
}

static bool read_body(struct case_reader *r, const struct json *v, struct region *out);

/* Reads one region of a node: parameters, whose types the op gives, nodes and results. */
static bool read_region(
    struct case_reader *r, const struct json *v, const struct json *node_at, struct node *node, int which)
{
	static const char *const keys[] = {"params", "body", "results"};
	struct region *region = &node->region[which];
	struct type want[LIMIT_ARGS];
	const struct json *params;
	int n;

	if (!json_is(v, JSON_OBJECT, r->e) || !json_only_keys(v, keys, 3, r->e))
		return false;
	if (!node_region_params(r->p, node, which, want, &n, &r->inner))
		return fail_inside(r, node_at);
	if (!json_optional(v, "params", JSON_ARRAY, &params, r->e))
		return false;
	int got = params ? params->n_child : 0;
	if (got != n)
		return json_error(params ? params : v, r->e, "%d parameters; %s gives this region %d", got,
		    op_table[node->op].name, n);
	int first = r->p->n_value;
	region->n_param = n;
	region->param = n ? first : 0;
	for (const struct json *param = params ? params->child : NULL; param; param = param->next)
		if (!define(r, param, &want[param->index]))
			return false;
	if (!read_body(r, v, region))
		return false;
	for (int k = first; k < r->p->n_value; k++)
		r->closed[k] = true;
	return true;
}

static bool read_regions(struct case_reader *r, const struct json *v, const struct json *regions, struct node *node)
{
	if (regions && !json_is(regions, JSON_ARRAY, r->e))
		return false;
	int got = regions ? regions->n_child : 0, want = op_table[node->op].n_region;
	if (got != want)
		return json_error(
		    regions ? regions : v, r->e, "%s has %d regions, not %d", op_table[node->op].name, want, got);
	node->n_region = want;
	node->region = NEW(r->arena, struct region, want);
	for (const struct json *region = regions ? regions->child : NULL; region; region = region->next)
		if (!read_region(r, region, v, node, region->index))
			return false;
	return true;
}

static bool read_args(struct case_reader *r, const struct json *v, const struct json *args, struct node *node)
{
	if (args && !json_is(args, JSON_ARRAY, r->e))
		return false;
	int got = args ? args->n_child : 0, want = op_table[node->op].n_arg;
	if (want < 0 ? got < 1 || got > LIMIT_ARGS : got != want) {
		const struct json *at = args ? args : v;
		if (want < 0)
			return json_error(
			    at, r->e, "%s takes 1 to %d operands, not %d", op_table[node->op].name, LIMIT_ARGS, got);
		return json_error(at, r->e, "%s takes %d operands, not %d", op_table[node->op].name, want, got);
	}
	node->n_arg = got;
	node->arg = NEW(r->arena, int, got);
	return read_uses(r, args, node->arg);
}

static bool read_node(struct case_reader *r, const struct json *v, struct node *node)
{
	struct type type[LIMIT_ARGS];
	struct members m;
	int n;

	if (++r->n_node > LIMIT_NODES)
		return json_error(v, r->e, "more than %d nodes", LIMIT_NODES);
	if (!json_is(v, JSON_OBJECT, r->e) || !read_op(r, v, &node->op) || !find_members(r, v, node->op, &m))
		return false;
	const struct json *out = m.at[KEY_OUT];
	if (!out)
		return json_error(v, r->e, "lacks the key \"out\"");
	if (!json_is(out, JSON_ARRAY, r->e) || !read_args(r, v, m.at[KEY_ARGS], node))
		return false;
	if (node->op == OP_CONSTANT && !read_literal_type(r, v, out, node))
		return false;
	if (!read_attrs(r, v, &m, node) || !read_regions(r, v, m.at[KEY_REGIONS], node))
		return false;
	if (!node_infer(r->p, node, type, &n, &r->inner))
		return fail_inside(r, v);
	if (out->n_child != n)
		return json_error(
		    out, r->e, "%s gives %d results here, not %d", op_table[node->op].name, n, out->n_child);
	node->n_out = n;
	node->out = r->p->n_value;
	for (const struct json *binding = out->child; binding; binding = binding->next)
		if (!define(r, binding, &type[binding->index]))
			return false;
	return true;
}

/* Reads members body and results of a region or of the case. */
static bool read_body(struct case_reader *r, const struct json *v, struct region *out)
{
	const struct json *body, *results;

	if (!json_optional(v, "body", JSON_ARRAY, &body, r->e) ||
	    !json_required(v, "results", JSON_ARRAY, &results, r->e))
		return false;
	if (body && body->n_child > LIMIT_NODES)
		return json_error(body, r->e, "more than %d nodes", LIMIT_NODES);
	out->n_node = body ? body->n_child : 0;
	out->node = NEW(r->arena, struct node, out->n_node);
	for (const struct json *node = body ? body->child : NULL; node; node = node->next)
		if (!read_node(r, node, &out->node[node->index]))
			return false;
	if (results->n_child > LIMIT_ARGS)
		return json_error(results, r->e, "%d results, at most %d are possible", results->n_child, LIMIT_ARGS);
	out->n_result = results->n_child;
	out->result = NEW(r->arena, int, out->n_result);
	return read_uses(r, results, out->result);
}

bool case_read_program(const struct json *root, struct arena *a, struct program *out, struct error *e)
{
	struct case_reader r = {.arena = a, .e = e, .p = out};
	const struct json *inputs, *body;

	index_ops(&r);
	*out = (struct program){0};
	if (!json_required(root, "inputs", JSON_ARRAY, &inputs, e) ||
	    !json_required(root, "body", JSON_ARRAY, &body, e))
		return false;
	if (inputs->n_child > LIMIT_ARGS)
		return json_error(inputs, e, "%d inputs, at most %d are possible", inputs->n_child, LIMIT_ARGS);
	out->top.n_param = inputs->n_child;
	for (const struct json *v = inputs->child; v; v = v->next) {
		if (!define(&r, v, NULL))
			return false;
		if (!shape_fits(&out->type[v->index].shape))
			return json_error(v, e, "an input of more than %d elements", LIMIT_ELEMENTS);
	}
	return read_body(&r, root, &out->top);
}
