/*
 * case_program.c: the program of a case as text.  It becomes a tree as the JSON reader makes one, so that names, scopes
 * and types are the business of case_read_program alone.
 */
#include "case_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tree ---- */

static void attach(struct placed *parent, struct placed *v)
{
	v->json.parent = &parent->json;
	v->json.index = parent->json.n_child++;
	if (parent->last)
		parent->last->json.next = &v->json;
	else
		parent->json.child = &v->json;
	parent->last = v;
}

struct placed *tree_put(struct reader *r, struct placed *parent, const char *key, enum json_kind kind,
    const struct token *at, const char *text)
{
	struct placed *v = NEW(r->arena, struct placed, 1);

	v->json = (struct json){.kind = kind, .key = key, .text = text, .len = text ? (int)strlen(text) : 0};
	v->line = at->line;
	v->column = at->column;
	if (parent)
		attach(parent, v);
	return v;
}

char *token_text(struct reader *r, const struct token *t) { return arena_printf(r->arena, "%.*s", t->len, t->at); }

bool reader_fail_at_path(struct reader *r, const struct error *inner)
{
	const struct json *v = &r->root->json, *child;
	const char *at = inner->place;
	char key[JSON_KEY];
	int index, n;

	for (; *at; at += n) {
		at += *at == '.';
		if (sscanf(at, "[%d]%n", &index, &n) == 1) {
			for (child = v->child; child && child->index != index;)
				child = child->next;
		} else {
			n = (int)strcspn(at, ".[");
			snprintf(key, sizeof key, "%.*s", n, at);
			child = json_find(v, key);
		}
		if (!child)
			break;
		v = child;
	}
	const struct placed *place = (const struct placed *)(const void *)v;
	const struct token token = {.line = place->line, .column = place->column};
	return reader_fail(r, &token, "%s", inner->text);
}

/* ---- literals ---- */

static bool read_cell(struct reader *r, const struct token *t, enum dtype d, union cell *out)
{
	const char *text = token_text(r, t);
	char *end;

	errno = 0;
	switch (dtype_table[d].class) {
	case DTYPE_CLASS_BOOL:
		out->i = token_is_word(t, "true");
		return out->i || token_is_word(t, "false") ||
		    reader_fail(r, t, "expected true or false, not \"%s\"", text);
	case DTYPE_CLASS_INT:
		out->i = strtoll(text, &end, 10);
		return (!*end && !errno && dtype_wrap(d, out->i) == out->i) ||
		    reader_fail(r, t, "\"%s\" is no value of %s", text, dtype_table[d].name);
	case DTYPE_CLASS_FLOAT:
		break;
	}
	out->f = strtod(text, &end);
	if (*end || (t->kind == TOKEN_WORD && !token_is_word(t, "nan") && !token_is_word(t, "inf")))
		return reader_fail(r, t, "\"%s\" is no number", text);
	if (strstr(text, "0x") && dtype_round(d, out->f) != out->f)
		return reader_fail(r, t, "\"%s\" is no value of %s", text, dtype_table[d].name);
	out->f = dtype_round(d, out->f);
	return true;
}

static bool read_element(struct reader *r, struct literal *x)
{
	if (token_is_cut(&r->token))
		return reader_fail(r, &r->token, "this literal was cut when it was printed");
	if (!reader_expect(r, r->token.kind == TOKEN_NUMBER || r->token.kind == TOKEN_WORD, "a number"))
		return false;
	if (x->n == x->room) {
		struct token *to = NEW(r->arena, struct token, x->room ? 2 * x->room : 4);

		if (x->n)
			memcpy(to, x->at, (size_t)x->n * sizeof *to);
		x->room = x->room ? 2 * x->room : 4;
		x->at = to;
	}
	x->at[x->n++] = r->token;
	reader_advance(r);
	return true;
}

bool reader_literal(struct reader *r, struct literal *x)
{
	*x = (struct literal){.place = r->token, .list = token_is(&r->token, '[')};
	if (!x->list)
		return read_element(r, x);
	reader_advance(r);
	while (!token_is(&r->token, ']'))
		if ((x->n && !reader_need(r, ',')) || !read_element(r, x))
			return false;
	return reader_need(r, ']');
}

bool literal_tensor(struct reader *r, const struct literal *x, const struct type *type, struct tensor *out)
{
	char text[TYPE_TEXT];
	int n = shape_elements(&type->shape);

	if (x->list != (type->shape.rank > 0) || x->n != n)
		return reader_fail(r, &x->place, "%s%d elements, but %s has %d", x->list ? "a list of " : "", x->n,
		    type_print(type, text), n);
	*out = tensor_new(r->arena, type);
	for (int k = 0; k < n; k++)
		if (!read_cell(r, &x->at[k], type->dtype, &out->at[k]))
			return false;
	return true;
}

static bool put_cell(struct reader *r, struct placed *parent, const char *key, enum dtype d, const struct token *t)
{
	char hex[REAL_TEXT];
	union cell cell;

	if (!read_cell(r, t, d, &cell))
		return false;
	if (d == DTYPE_BOOL)
		tree_put(r, parent, key, JSON_BOOL, t, NULL)->json.truth = cell.i;
	else
		tree_put(r, parent, key, JSON_STRING, t,
		    dtype_is_float(d) ? arena_printf(r->arena, "%s", real_print(cell.f, hex))
		                      : arena_printf(r->arena, "%lld", (long long)cell.i));
	return true;
}

/* The literal of a constant, of the type that its result `out` states or now gets. */
static bool read_constant(struct reader *r, struct placed *node, struct placed *out)
{
	struct literal x;
	struct placed *list;
	enum dtype d;

	if (!reader_literal(r, &x))
		return false;
	const char *colon = strchr(out->json.text, ':');
	if (colon) {
		int found = dtype_find(colon + 2, strcspn(colon + 2, "["));

		d = found < 0 ? DTYPE_F64 : (enum dtype)found; /* a type that is none is refused with the binding */
	} else {
		d = x.n && (token_is_word(&x.at[0], "true") || token_is_word(&x.at[0], "false")) ? DTYPE_BOOL
		                                                                                 : DTYPE_F64;
		out->json.text = arena_printf(
		    r->arena, x.list ? "%s: %s[%d]" : "%s: %s[]", out->json.text, dtype_table[d].name, x.n);
		out->json.len = (int)strlen(out->json.text);
	}
	if (!x.list)
		return put_cell(r, node, "value", d, &x.at[0]);
	list = tree_put(r, node, "value", JSON_ARRAY, &x.place, NULL);
	for (int k = 0; k < x.n; k++)
		if (!put_cell(r, list, NULL, d, &x.at[k]))
			return false;
	return true;
}

/* ---- the program ---- */

/* NAME or NAME: TYPE, with commas between them. */
static bool read_bindings(struct reader *r, struct placed *list)
{
	struct token name;

	do {
		if (!reader_need_word(r, &name, "a name"))
			return false;
		char *text = token_text(r, &name);
		if (reader_take(r, ':')) {
			const char *from = r->token.at;
			struct token type;

			if (!reader_need_word(r, &type, "a type") || !reader_need(r, '['))
				return false;
			while (!token_is(&r->token, ']') && r->token.kind != TOKEN_END)
				reader_advance(r);
			text = arena_printf(r->arena, "%s: %.*s]", text, (int)(r->token.at - from), from);
			if (!reader_need(r, ']'))
				return false;
		}
		tree_put(r, list, NULL, JSON_STRING, &name, text);
	} while (reader_take(r, ','));
	return true;
}

static bool read_names(struct reader *r, struct placed *list)
{
	struct token name;

	if (r->token.kind != TOKEN_WORD)
		return true;
	do {
		if (!reader_need_word(r, &name, "a name"))
			return false;
		tree_put(r, list, NULL, JSON_STRING, &name, token_text(r, &name));
	} while (reader_take(r, ','));
	return true;
}

/* An operand that is a number: a constant of its own, before the node. */
static bool read_number(struct reader *r, struct placed *body, struct placed *args)
{
	struct token at = r->token;
	struct placed *node = tree_put(r, body, NULL, JSON_OBJECT, &at, NULL);
	struct placed *out = tree_put(r, node, "out", JSON_ARRAY, &at, NULL);
	char *name = arena_printf(r->arena, "_%d", r->n_constant++);

	out = tree_put(r, out, NULL, JSON_STRING, &at, name);
	tree_put(r, node, "op", JSON_STRING, &at, "constant");
	tree_put(r, args, NULL, JSON_STRING, &at, name);
	return read_constant(r, node, out);
}

static bool at_operand(const struct reader *r)
{
	const char *after = r->next + strspn(r->next, " \t");

	return r->token.kind == TOKEN_NUMBER || (r->token.kind == TOKEN_WORD && *after != '=');
}

static bool read_operands(struct reader *r, struct placed *body, struct placed *args)
{
	bool closed = reader_take(r, '(');

	if (!closed && !at_operand(r))
		return true;
	do {
		if (r->token.kind == TOKEN_NUMBER) {
			if (!read_number(r, body, args))
				return false;
		} else {
			struct token name;

			if (!reader_need_word(r, &name, "a value"))
				return false;
			tree_put(r, args, NULL, JSON_STRING, &name, token_text(r, &name));
		}
	} while (reader_take(r, ','));
	return !closed || reader_need(r, ')');
}

/* KEY=INTEGER, KEY=[INTEGER, ...], KEY=WORD, or a flag, which is KEY alone. */
static bool read_attribute(struct reader *r, struct placed *node)
{
	struct token key, value;
	char *name;

	if (!reader_need_word(r, &key, "an attribute"))
		return false;
	name = token_text(r, &key);
	if (!reader_take(r, '=')) {
		tree_put(r, node, name, JSON_BOOL, &key, NULL)->json.truth = true;
		return true;
	}
	value = r->token;
	if (reader_take(r, '[')) {
		struct placed *list = tree_put(r, node, name, JSON_ARRAY, &value, NULL);

		while (!token_is(&r->token, ']')) {
			if ((list->last && !reader_need(r, ',')) ||
			    !reader_expect(r, r->token.kind == TOKEN_NUMBER, "an integer"))
				return false;
			tree_put(r, list, NULL, JSON_NUMBER, &r->token, token_text(r, &r->token));
			reader_advance(r);
		}
		return reader_need(r, ']');
	}
	if (!reader_expect(r, value.kind == TOKEN_NUMBER || value.kind == TOKEN_WORD, "a value"))
		return false;
	tree_put(r, node, name, value.kind == TOKEN_NUMBER ? JSON_NUMBER : JSON_STRING, &value, token_text(r, &value));
	reader_advance(r);
	return true;
}

static bool read_body(struct reader *r, struct placed *region, const char *last);

static bool read_regions(struct reader *r, struct placed *node)
{
	struct placed *list = tree_put(r, node, "regions", JSON_ARRAY, &r->token, NULL);

	do {
		struct placed *region = tree_put(r, list, NULL, JSON_OBJECT, &r->token, NULL);

		if (!reader_need(r, '{'))
			return false;
		reader_skip_lines(r);
		if (token_is_word(&r->token, "params")) {
			struct placed *params = tree_put(r, region, "params", JSON_ARRAY, &r->token, NULL);

			reader_advance(r);
			if (!read_bindings(r, params) || !reader_end_statement(r))
				return false;
		}
		if (!read_body(r, region, "yield"))
			return false;
		reader_skip_lines(r);
		if (!reader_need(r, '}'))
			return false;
	} while (reader_take_word(r, "else") || reader_take_word(r, "do"));
	return true;
}

static bool read_node(struct reader *r, struct placed *body)
{
	struct token op;
	/* Attached after the constants that its operands are. */
	struct placed *node = tree_put(r, NULL, NULL, JSON_OBJECT, &r->token, NULL);
	struct placed *out = tree_put(r, node, "out", JSON_ARRAY, &r->token, NULL);

	if (!read_bindings(r, out) || !reader_need(r, '=') || !reader_need_word(r, &op, "an op"))
		return false;
	tree_put(r, node, "op", JSON_STRING, &op, token_text(r, &op));
	if (token_is_word(&op, "constant")) {
		if (!read_constant(r, node, out->last))
			return false;
	} else {
		struct placed *args = tree_put(r, node, "args", JSON_ARRAY, &r->token, NULL);

		if (!read_operands(r, body, args))
			return false;
		while (r->token.kind == TOKEN_WORD)
			if (!read_attribute(r, node))
				return false;
		if (token_is(&r->token, '{') && !read_regions(r, node))
			return false;
	}
	attach(body, node);
	return reader_end_statement(r);
}

/* Nodes, then `last` and the results. */
static bool read_body(struct reader *r, struct placed *region, const char *last)
{
	struct placed *body = tree_put(r, region, "body", JSON_ARRAY, &r->token, NULL);
	struct placed *results;

	for (reader_skip_lines(r); !token_is_word(&r->token, last); reader_skip_lines(r))
		if (!reader_expect(r, r->token.kind == TOKEN_WORD, last) || !read_node(r, body))
			return false;
	results = tree_put(r, region, "results", JSON_ARRAY, &r->token, NULL);
	reader_advance(r);
	return read_names(r, results) && reader_end_statement(r);
}

bool reader_program(struct reader *r)
{
	struct placed *inputs = tree_put(r, r->root, "inputs", JSON_ARRAY, &r->token, NULL);
	struct error inner = {0};

	if (reader_take_word(r, "inputs") && (!read_bindings(r, inputs) || !reader_end_statement(r)))
		return false;
	if (!read_body(r, r->root, "return"))
		return false;
	return case_read_program(&r->root->json, r->arena, &r->c.program, &inner) || reader_fail_at_path(r, &inner);
}
