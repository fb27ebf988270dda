/*
 * case_text.c: from tokens to a case.  The program becomes a tree as the JSON reader makes one, so that names, scopes
 * and types are the business of case_read_program alone; points and seeds wait as tokens until the types of the
 * program are known.
 */
#include "case_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/case_format.h"
#include "tests/check.h"

enum token_kind { TOKEN_END, TOKEN_LINE, TOKEN_WORD, TOKEN_NUMBER, TOKEN_OTHER };

struct token {
	enum token_kind kind;
	const char *at;
	int len, line, column;
};

/* A value of the tree and where it was read; `json` comes first, so that one can be made of the other. */
struct placed {
	struct json json;
	int line, column;
	struct placed *last; /* child */
};

/* A tensor as tokens. */
struct literal {
	struct token place;
	bool list;
	int n, room;
	struct token *at; /* [n] */
};

enum { NO_INPUT = -1 };

/* A transform whose inputs and seeds are still names and tokens. */
struct level {
	struct token kind;
	int n_name, n_seed; /* NO_INPUT: "with respect to" nothing */
	struct token name[LIMIT_ARGS];
	struct literal seed[LIMIT_ARGS];
	bool seeds_stated;
	int size;
};

struct point {
	struct token place;
	int n;
	struct token name[LIMIT_ARGS]; /* len 0: none was given */
	struct literal value[LIMIT_ARGS];
};

struct reader {
	struct arena *arena;
	struct error *e;
	const char *next, *line_start;
	int line, brackets; /* inside brackets a line does not end a statement */
	struct token token;
	struct placed *root;
	int n_constant; /* operands that were numbers */
	struct testcase c;
	struct point *point[LIMIT_POINTS];
	int n_point;
	struct level *level[LIMIT_TRANSFORMS];
	int n_level;
};

/* ---- tokens ---- */

__attribute__((format(printf, 3, 4))) static bool fail(
    struct reader *r, const struct token *at, const char *format, ...)
{
	char place[64], text[sizeof r->e->text];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	snprintf(place, sizeof place, "line %d, column %d", at->line, at->column);
	return error_set(r->e, place, "%s", text);
}

static bool is_word(const struct token *t, const char *word)
{
	return t->kind == TOKEN_WORD && (size_t)t->len == strlen(word) && !memcmp(t->at, word, (size_t)t->len);
}

static bool is_other(const struct token *t, char c) { return t->kind == TOKEN_OTHER && *t->at == c; }

static bool is_cut(const struct token *t) { return t->kind == TOKEN_OTHER && t->len == 3; }

static const char *number_end(const char *s)
{
	bool hex = !strncmp(s + (*s == '-'), "0x", 2);

	for (s++;
	     isalnum((unsigned char)*s) || *s == '.' || ((*s == '+' || *s == '-') && strchr(hex ? "p" : "eE", s[-1]));)
		s++;
	return s;
}

static void skip_blank(struct reader *r)
{
	for (;; r->next++) {
		if (*r->next == '#')
			r->next += strcspn(r->next, "\n");
		if (*r->next == '\n' && r->brackets) {
			r->line++;
			r->line_start = r->next + 1;
		} else if (*r->next != ' ' && *r->next != '\t') {
			return;
		}
	}
}

static void advance(struct reader *r)
{
	struct token *t = &r->token;

	if (t->kind == TOKEN_LINE && *t->at == '\n') {
		r->line++;
		r->line_start = r->next;
	}
	skip_blank(r);
	*t = (struct token){TOKEN_OTHER, r->next, 1, r->line, (int)(r->next - r->line_start) + 1};
	if (!*t->at) {
		*t = (struct token){TOKEN_END, t->at, 0, t->line, t->column};
	} else if (*t->at == '\n' || *t->at == ';') {
		t->kind = TOKEN_LINE;
	} else if (isalpha((unsigned char)*t->at) || *t->at == '_') {
		t->kind = TOKEN_WORD;
		while (isalnum((unsigned char)t->at[t->len]) || t->at[t->len] == '_')
			t->len++;
	} else if (isdigit((unsigned char)*t->at) || *t->at == '-') {
		t->kind = TOKEN_NUMBER;
		t->len = (int)(number_end(t->at) - t->at);
	} else if (!strncmp(t->at, "...", 3)) {
		t->len = 3;
	}
	r->brackets += is_other(t, '[') || is_other(t, '(');
	r->brackets -= r->brackets && (is_other(t, ']') || is_other(t, ')'));
	r->next += t->len;
}

static const char *shown(const struct reader *r, const struct token *t)
{
	if (t->kind == TOKEN_END || (t->kind == TOKEN_LINE && *t->at == '\n'))
		return t->kind == TOKEN_END ? "the end of the text" : "the end of the line";
	return arena_printf(r->arena, "\"%.*s\"", t->len, t->at);
}

static bool expect(struct reader *r, bool is, const char *what)
{
	return is || fail(r, &r->token, "expected %s, not %s", what, shown(r, &r->token));
}

/* Takes the word or the character if it is next. */
static bool take_word(struct reader *r, const char *word)
{
	bool is = is_word(&r->token, word);

	if (is)
		advance(r);
	return is;
}

static bool take(struct reader *r, char c)
{
	bool is = is_other(&r->token, c);

	if (is)
		advance(r);
	return is;
}

static bool need(struct reader *r, char c)
{
	const char what[] = {'"', c, '"', '\0'};

	return expect(r, is_other(&r->token, c), what) && (advance(r), true);
}

static bool need_word(struct reader *r, struct token *out, const char *what)
{
	*out = r->token;
	return expect(r, r->token.kind == TOKEN_WORD, what) && (advance(r), true);
}

static void skip_lines(struct reader *r)
{
	while (r->token.kind == TOKEN_LINE)
		advance(r);
}

/* A statement ends here; a closing brace may follow it on its line. */
static bool end_statement(struct reader *r)
{
	if (r->token.kind == TOKEN_END || is_other(&r->token, '}'))
		return true;
	return expect(r, r->token.kind == TOKEN_LINE, "the end of the line") && (advance(r), true);
}

/* The rest of the line as it stands. */
static char *take_rest(struct reader *r)
{
	size_t len = strcspn(r->next, "\n");
	char *rest = arena_printf(r->arena, "%.*s", (int)len, r->next);

	r->next += len;
	advance(r);
	return rest;
}

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

/* A new child of `parent`, which may be NULL; so may key and text. */
static struct placed *put(struct reader *r, struct placed *parent, const char *key, enum json_kind kind,
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

static char *text_of(struct reader *r, const struct token *t) { return arena_printf(r->arena, "%.*s", t->len, t->at); }

/* An error of case_read_program: its place is a path in the tree. */
static bool fail_at_path(struct reader *r, const struct error *inner)
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
	return fail(r, &token, "%s", inner->text);
}

/* ---- literals ---- */

static bool read_cell(struct reader *r, const struct token *t, enum dtype d, union cell *out)
{
	const char *text = text_of(r, t);
	char *end;

	errno = 0;
	switch (dtype_table[d].class) {
	case DTYPE_CLASS_BOOL:
		out->i = is_word(t, "true");
		return out->i || is_word(t, "false") || fail(r, t, "expected true or false, not \"%s\"", text);
	case DTYPE_CLASS_INT:
		out->i = strtoll(text, &end, 10);
		return (!*end && !errno && dtype_wrap(d, out->i) == out->i) ||
		    fail(r, t, "\"%s\" is no value of %s", text, dtype_table[d].name);
	case DTYPE_CLASS_FLOAT:
		break;
	}
	out->f = strtod(text, &end);
	if (*end || (t->kind == TOKEN_WORD && !is_word(t, "nan") && !is_word(t, "inf")))
		return fail(r, t, "\"%s\" is no number", text);
	if (strstr(text, "0x") && dtype_round(d, out->f) != out->f)
		return fail(r, t, "\"%s\" is no value of %s", text, dtype_table[d].name);
	out->f = dtype_round(d, out->f);
	return true;
}

static bool read_element(struct reader *r, struct literal *x)
{
	if (is_cut(&r->token))
		return fail(r, &r->token, "this literal was cut when it was printed");
	if (!expect(r, r->token.kind == TOKEN_NUMBER || r->token.kind == TOKEN_WORD, "a number"))
		return false;
	if (x->n == x->room) {
		struct token *to = NEW(r->arena, struct token, x->room ? 2 * x->room : 4);

		if (x->n)
			memcpy(to, x->at, (size_t)x->n * sizeof *to);
		x->room = x->room ? 2 * x->room : 4;
		x->at = to;
	}
	x->at[x->n++] = r->token;
	advance(r);
	return true;
}

static bool read_literal(struct reader *r, struct literal *x)
{
	*x = (struct literal){.place = r->token, .list = is_other(&r->token, '[')};
	if (!x->list)
		return read_element(r, x);
	advance(r);
	while (!is_other(&r->token, ']'))
		if ((x->n && !need(r, ',')) || !read_element(r, x))
			return false;
	return need(r, ']');
}

static bool tensor_of(struct reader *r, const struct literal *x, const struct type *type, struct tensor *out)
{
	char text[TYPE_TEXT];
	int n = shape_elements(&type->shape);

	if (x->list != (type->shape.rank > 0) || x->n != n)
		return fail(r, &x->place, "%s%d elements, but %s has %d", x->list ? "a list of " : "", x->n,
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
		put(r, parent, key, JSON_BOOL, t, NULL)->json.truth = cell.i;
	else
		put(r, parent, key, JSON_STRING, t,
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

	if (!read_literal(r, &x))
		return false;
	const char *colon = strchr(out->json.text, ':');
	if (colon) {
		int found = dtype_find(colon + 2, strcspn(colon + 2, "["));

		d = found < 0 ? DTYPE_F64 : (enum dtype)found; /* a type that is none is refused with the binding */
	} else {
		d = x.n && (is_word(&x.at[0], "true") || is_word(&x.at[0], "false")) ? DTYPE_BOOL : DTYPE_F64;
		out->json.text = arena_printf(
		    r->arena, x.list ? "%s: %s[%d]" : "%s: %s[]", out->json.text, dtype_table[d].name, x.n);
	}
	if (!x.list)
		return put_cell(r, node, "value", d, &x.at[0]);
	list = put(r, node, "value", JSON_ARRAY, &x.place, NULL);
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
		if (!need_word(r, &name, "a name"))
			return false;
		char *text = text_of(r, &name);
		if (take(r, ':')) {
			const char *from = r->token.at;
			struct token type;

			if (!need_word(r, &type, "a type") || !need(r, '['))
				return false;
			while (!is_other(&r->token, ']') && r->token.kind != TOKEN_END)
				advance(r);
			text = arena_printf(r->arena, "%s: %.*s]", text, (int)(r->token.at - from), from);
			if (!need(r, ']'))
				return false;
		}
		put(r, list, NULL, JSON_STRING, &name, text);
	} while (take(r, ','));
	return true;
}

static bool read_names(struct reader *r, struct placed *list)
{
	struct token name;

	if (r->token.kind != TOKEN_WORD)
		return true;
	do {
		if (!need_word(r, &name, "a name"))
			return false;
		put(r, list, NULL, JSON_STRING, &name, text_of(r, &name));
	} while (take(r, ','));
	return true;
}

/* An operand that is a number: a constant of its own, before the node. */
static bool read_number(struct reader *r, struct placed *body, struct placed *args)
{
	struct token at = r->token;
	struct placed *node = put(r, body, NULL, JSON_OBJECT, &at, NULL);
	struct placed *out = put(r, node, "out", JSON_ARRAY, &at, NULL);
	char *name = arena_printf(r->arena, "_%d", r->n_constant++);

	out = put(r, out, NULL, JSON_STRING, &at, name);
	put(r, node, "op", JSON_STRING, &at, "constant");
	put(r, args, NULL, JSON_STRING, &at, name);
	return read_constant(r, node, out);
}

static bool at_operand(const struct reader *r)
{
	const char *after = r->next + strspn(r->next, " \t");

	return r->token.kind == TOKEN_NUMBER || (r->token.kind == TOKEN_WORD && *after != '=');
}

static bool read_operands(struct reader *r, struct placed *body, struct placed *args)
{
	bool closed = take(r, '(');

	if (!closed && !at_operand(r))
		return true;
	do {
		if (r->token.kind == TOKEN_NUMBER) {
			if (!read_number(r, body, args))
				return false;
		} else {
			struct token name;

			if (!need_word(r, &name, "a value"))
				return false;
			put(r, args, NULL, JSON_STRING, &name, text_of(r, &name));
		}
	} while (take(r, ','));
	return !closed || need(r, ')');
}

/* KEY=INTEGER, KEY=[INTEGER, ...], KEY=WORD, or a flag, which is KEY alone. */
static bool read_attribute(struct reader *r, struct placed *node)
{
	struct token key, value;
	char *name;

	if (!need_word(r, &key, "an attribute"))
		return false;
	name = text_of(r, &key);
	if (!take(r, '=')) {
		put(r, node, name, JSON_BOOL, &key, NULL)->json.truth = true;
		return true;
	}
	value = r->token;
	if (take(r, '[')) {
		struct placed *list = put(r, node, name, JSON_ARRAY, &value, NULL);

		while (!is_other(&r->token, ']')) {
			if ((list->last && !need(r, ',')) || !expect(r, r->token.kind == TOKEN_NUMBER, "an integer"))
				return false;
			put(r, list, NULL, JSON_NUMBER, &r->token, text_of(r, &r->token));
			advance(r);
		}
		return need(r, ']');
	}
	if (!expect(r, value.kind == TOKEN_NUMBER || value.kind == TOKEN_WORD, "a value"))
		return false;
	put(r, node, name, value.kind == TOKEN_NUMBER ? JSON_NUMBER : JSON_STRING, &value, text_of(r, &value));
	advance(r);
	return true;
}

static bool read_body(struct reader *r, struct placed *region, const char *last);

static bool read_regions(struct reader *r, struct placed *node)
{
	struct placed *list = put(r, node, "regions", JSON_ARRAY, &r->token, NULL);

	do {
		struct placed *region = put(r, list, NULL, JSON_OBJECT, &r->token, NULL);

		if (!need(r, '{'))
			return false;
		skip_lines(r);
		if (is_word(&r->token, "params")) {
			struct placed *params = put(r, region, "params", JSON_ARRAY, &r->token, NULL);

			advance(r);
			if (!read_bindings(r, params) || !end_statement(r))
				return false;
		}
		if (!read_body(r, region, "yield"))
			return false;
		skip_lines(r);
		if (!need(r, '}'))
			return false;
	} while (take_word(r, "else") || take_word(r, "do"));
	return true;
}

static bool read_node(struct reader *r, struct placed *body)
{
	struct token op;
	/* Attached after the constants that its operands are. */
	struct placed *node = put(r, NULL, NULL, JSON_OBJECT, &r->token, NULL);
	struct placed *out = put(r, node, "out", JSON_ARRAY, &r->token, NULL);

	if (!read_bindings(r, out) || !need(r, '=') || !need_word(r, &op, "an op"))
		return false;
	put(r, node, "op", JSON_STRING, &op, text_of(r, &op));
	if (is_word(&op, "constant")) {
		if (!read_constant(r, node, out->last))
			return false;
	} else {
		struct placed *args = put(r, node, "args", JSON_ARRAY, &r->token, NULL);

		if (!read_operands(r, body, args))
			return false;
		while (r->token.kind == TOKEN_WORD)
			if (!read_attribute(r, node))
				return false;
		if (is_other(&r->token, '{') && !read_regions(r, node))
			return false;
	}
	attach(body, node);
	return end_statement(r);
}

/* Nodes, then `last` and the results. */
static bool read_body(struct reader *r, struct placed *region, const char *last)
{
	struct placed *body = put(r, region, "body", JSON_ARRAY, &r->token, NULL);
	struct placed *results;

	for (skip_lines(r); !is_word(&r->token, last); skip_lines(r))
		if (!expect(r, r->token.kind == TOKEN_WORD, last) || !read_node(r, body))
			return false;
	results = put(r, region, "results", JSON_ARRAY, &r->token, NULL);
	advance(r);
	return read_names(r, results) && end_statement(r);
}

static bool read_program(struct reader *r)
{
	struct placed *inputs = put(r, r->root, "inputs", JSON_ARRAY, &r->token, NULL);
	struct error inner = {0};

	if (take_word(r, "inputs") && (!read_bindings(r, inputs) || !end_statement(r)))
		return false;
	if (!read_body(r, r->root, "return"))
		return false;
	return case_read_program(&r->root->json, r->arena, &r->c.program, &inner) || fail_at_path(r, &inner);
}

/* ---- what follows the program ---- */

static bool read_point(struct reader *r)
{
	struct point *p = NEW(r->arena, struct point, 1);

	if (r->n_point == LIMIT_POINTS)
		return fail(r, &r->token, "more than %d points", (int)LIMIT_POINTS);
	r->point[r->n_point++] = p;
	p->place = r->token;
	/* `point 3:` has a number, `point 3` has a value. */
	if (r->token.kind == TOKEN_NUMBER && r->next[strspn(r->next, " \t")] == ':')
		advance(r);
	take(r, ':');
	if (r->token.kind == TOKEN_LINE || r->token.kind == TOKEN_END)
		return end_statement(r);
	do {
		if (p->n == LIMIT_ARGS)
			return fail(r, &r->token, "more than %d values", (int)LIMIT_ARGS);
		if (r->token.kind == TOKEN_WORD && r->next[strspn(r->next, " \t")] == '=') {
			p->name[p->n] = r->token;
			advance(r);
			advance(r);
		}
		if (!read_literal(r, &p->value[p->n++]))
			return false;
	} while (take(r, ','));
	return end_statement(r);
}

static bool read_seeds(struct reader *r, struct level *l)
{
	l->seeds_stated = true;
	if (r->token.kind == TOKEN_LINE || r->token.kind == TOKEN_END)
		return true;
	do {
		if (l->n_seed == LIMIT_ARGS)
			return fail(r, &r->token, "more than %d tensors", (int)LIMIT_ARGS);
		if (!read_literal(r, &l->seed[l->n_seed++]))
			return false;
	} while (take(r, ','));
	return true;
}

/* What follows the `;` of a transform: seeds, or the slices of a batch. */
static bool read_rest(struct reader *r, struct level *l)
{
	if (is_word(&l->kind, "batch")) {
		struct token size = r->token;

		if (!expect(r, size.kind == TOKEN_NUMBER, "a number of slices"))
			return false;
		l->size = atoi(text_of(r, &size));
		advance(r);
		return expect(r, take_word(r, "slices"), "\"slices\"");
	}
	const char *what = is_word(&l->kind, "vjp") ? "cotangents" : "tangents";
	return expect(r, take_word(r, what), what) && read_seeds(r, l);
}

/* "with respect to" or "over", either of which may be left out, and names of inputs. */
static bool read_wrt(struct reader *r, struct level *l)
{
	bool named = take_word(r, "over");

	if (!named && take_word(r, "with")) {
		if (!expect(r, take_word(r, "respect") && take_word(r, "to"), "\"respect to\""))
			return false;
		named = true;
	}
	if (r->token.kind != TOKEN_WORD) {
		l->n_name = named ? NO_INPUT : 0;
		return true;
	}
	do {
		if (l->n_name == LIMIT_ARGS)
			return fail(r, &r->token, "more than %d inputs", (int)LIMIT_ARGS);
		if (!need_word(r, &l->name[l->n_name++], "an input"))
			return false;
	} while (take(r, ','));
	return true;
}

static bool read_level(struct reader *r)
{
	struct level *l = NEW(r->arena, struct level, 1);

	if (r->n_level == LIMIT_TRANSFORMS)
		return fail(r, &r->token, "more than %d transforms", (int)LIMIT_TRANSFORMS);
	r->level[r->n_level++] = l;
	l->kind = r->token;
	if (!take_word(r, "vjp") && !take_word(r, "jvp") && !take_word(r, "batch"))
		return expect(r, false, "vjp, jvp, batch or \"the primal alone\"");
	if (!read_wrt(r, l))
		return false;
	const char *after = r->next + strspn(r->next, " \t");
	bool more = !strncmp(after, "cotangents", 10) || !strncmp(after, "tangents", 8) ||
	    isdigit((unsigned char)*after);
	if (r->token.kind == TOKEN_LINE && *r->token.at == ';' && more) {
		advance(r);
		if (!read_rest(r, l))
			return false;
	}
	return end_statement(r);
}

static bool read_request(struct reader *r)
{
	if (!need(r, ':'))
		return false;
	if (take_word(r, "the"))
		return expect(r, take_word(r, "primal") && take_word(r, "alone"), "\"the primal alone\"") &&
		    end_statement(r);
	return read_level(r);
}

/* "1, 2" */
static void split_returned(struct reader *r, char *list, struct expectation *x)
{
	x->returned = NEW(r->arena, const char *, strlen(list) / 2 + 1);
	for (char *next; list; list = next) {
		next = strstr(list, ", ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		x->returned[x->n++] = list;
	}
}

/* "expected of ENGINE: VERDICT, returned LITERAL, ..."; either of verdict and literals may be missing. */
static bool read_expectation(struct reader *r)
{
	static const char between[] = ", returned ";
	struct token start = r->token;
	char *line = take_rest(r), *end = line + strlen(line), *colon = end;
	struct expectation *x, *all = NEW(r->arena, struct expectation, r->c.n_expect + 1);

	while (colon > line && !(*colon == ':' && (!colon[1] || colon[1] == ' ')))
		colon--;
	if (strncmp(line, " of ", 4) || colon <= line)
		return fail(r, &start, "no \"expected of ENGINE: VERDICT%sLITERAL, ...\"", between);
	if (r->c.n_expect)
		memcpy(all, r->c.expect, (size_t)r->c.n_expect * sizeof *all);
	x = &all[r->c.n_expect++];
	r->c.expect = all;
	*colon = '\0';
	x->engine = strcmp(line + 4, "the truth") ? line + 4 : NULL;
	char *rest = colon + 1 + (colon + 1 < end), *returned = strstr(rest, between);
	if (returned) {
		x->verdict = rest;
		*returned = '\0';
		split_returned(r, returned + strlen(between), x);
	} else if (*rest && (real_is_decimal(rest) || strstr(rest, ", "))) {
		split_returned(r, rest, x);
	} else if (*rest) {
		x->verdict = rest;
	}
	return end_statement(r);
}

static bool read_text(struct reader *r, const char **out)
{
	if (!expect(r, is_other(&r->token, ':'), "\":\""))
		return false;
	r->next += *r->next == ' ';
	*out = take_rest(r);
	return end_statement(r);
}

static bool read_provenance(struct reader *r)
{
	struct provenance *from = &r->c.provenance;

	for (skip_lines(r);; skip_lines(r)) {
		const char **out = is_word(&r->token, "title") ? &from->title
		    : is_word(&r->token, "source")             ? &from->source
		    : is_word(&r->token, "comment")            ? &from->comment
		                                               : NULL;

		if (!out || *r->next != ':')
			return true;
		advance(r);
		if (!read_text(r, out))
			return false;
	}
}

static bool read_tail(struct reader *r)
{
	for (skip_lines(r); r->token.kind != TOKEN_END; skip_lines(r)) {
		bool ok = is_word(&r->token, "expected") ? read_expectation(r)
		    : take_word(r, "point")              ? read_point(r)
		    : take_word(r, "request")            ? read_request(r)
		    : take_word(r, "then")               ? read_level(r)
		                                         : expect(r, false, "point, request, then or expected");

		if (!ok)
			return false;
	}
	return true;
}

/* ---- names and seeds, once the program has types ---- */

/* The input of that name. */
static bool find_input(struct reader *r, const struct token *name, int *input)
{
	const struct json *inputs = json_find(&r->root->json, "inputs");

	for (const struct json *v = inputs->child; v; v = v->next)
		if (strcspn(v->text, ":") == (size_t)name->len && !memcmp(v->text, name->at, (size_t)name->len)) {
			*input = v->index;
			return true;
		}
	return fail(r, name, "there is no input %s", shown(r, name));
}

/* 1 in each float element, 0 in the others. */
static struct tensor plain_seed(struct arena *a, const struct type *type)
{
	struct tensor seed = tensor_new(a, type);

	for (int k = 0; k < shape_elements(&type->shape) && dtype_is_float(type->dtype); k++)
		seed.at[k].f = 1;
	return seed;
}

static bool resolve_level(struct reader *r, const struct level *l, struct signature *s, struct transform *t)
{
	struct type type[LIMIT_ARGS];
	struct error inner = {0};

	t->kind = is_word(&l->kind, "vjp") ? TRANSFORM_VJP : is_word(&l->kind, "jvp") ? TRANSFORM_JVP : TRANSFORM_BATCH;
	t->n_wrt = l->n_name == NO_INPUT ? 0 : l->n_name ? l->n_name : s->n_input;
	t->wrt = NEW(r->arena, int, t->n_wrt);
	for (int k = 0; k < t->n_wrt; k++) {
		t->wrt[k] = k;
		if (l->n_name && !find_input(r, &l->name[k], &t->wrt[k]))
			return false;
	}
	t->size = l->size;
	t->n_seed = request_seeds(s, t, type);
	if (l->seeds_stated && l->n_seed != t->n_seed)
		return fail(r, &l->kind, "%d seeds, needed are %d", l->n_seed, t->n_seed);
	t->seed = NEW(r->arena, struct tensor, t->n_seed);
	for (int k = 0; k < t->n_seed; k++)
		if (!l->seeds_stated)
			t->seed[k] = plain_seed(r->arena, &type[k]);
		else if (!tensor_of(r, &l->seed[k], &type[k], &t->seed[k]))
			return false;
	return request_apply(s, t, &inner) || fail(r, &l->kind, "%s", inner.text);
}

static bool resolve_point(struct reader *r, const struct point *p, const struct signature *s, struct tensor *out)
{
	if (p->n != s->n_input)
		return fail(r, &p->place, "%d values, but there are %d inputs", p->n, s->n_input);
	for (int k = 0; k < p->n; k++) {
		int input = k;

		if (p->name[k].len && !find_input(r, &p->name[k], &input))
			return false;
		if (out[input].at)
			return fail(r, &p->value[k].place, "input %d has a value already", input);
		if (!tensor_of(r, &p->value[k], &s->input[input], &out[input]))
			return false;
	}
	return true;
}

static bool resolve(struct reader *r)
{
	struct signature s = request_base(&r->c.program);
	struct error inner = {0};

	r->c.n_transform = r->n_level;
	r->c.transform = NEW(r->arena, struct transform, r->n_level);
	for (int k = 0; k < r->n_level; k++)
		if (!resolve_level(r, r->level[k], &s, &r->c.transform[k]))
			return false;
	r->c.n_point = r->n_point;
	r->c.point = NEW(r->arena, struct tensor *, r->n_point);
	for (int k = 0; k < r->n_point; k++) {
		r->c.point[k] = NEW(r->arena, struct tensor, s.n_input);
		if (!resolve_point(r, r->point[k], &s, r->c.point[k]))
			return false;
	}
	return testcase_check(&r->c, &inner) || fail_at_path(r, &inner);
}

bool case_text_read(const char *text, struct arena *a, struct testcase *out, struct error *e)
{
	struct reader *r = NEW(a, struct reader, 1);

	*r = (struct reader){
	    .arena = a, .e = e, .next = text, .line_start = text, .line = 1, .token.kind = TOKEN_OTHER};
	r->root = put(r, NULL, NULL, JSON_OBJECT, &(struct token){.line = 1, .column = 1}, NULL);
	advance(r);
	if (!read_provenance(r) || !read_program(r) || !read_tail(r) || !resolve(r))
		return false;
	*out = r->c;
	return true;
}

/* ---- for tests ---- */

struct testcase test_case(struct arena *a, const char *text)
{
	struct testcase c = {.n_point = 0};
	struct error e = {.text = ""};

	CHECK(case_text_read(text, a, &c, &e), "%s: %s\n%s", e.place, e.text, text);
	return c;
}

struct testcase test_function(
    struct arena *a, const char *inputs, const char *body, const char *point, const char *request)
{
	return test_case(a,
	    arena_printf(a, "inputs %s\n%s\nreturn y\npoint %s\n%s%s", inputs, body, point, *request ? "request: " : "",
	        request));
}

char *json_bytes(struct arena *a, const char *text, size_t len)
{
	char *copy = NEW(a, char, len + 1);

	for (size_t k = 0; k < len; k++)
		copy[k] = text[k] == '\'' ? '"' : text[k];
	return copy;
}

char *json_text(struct arena *a, const char *text) { return json_bytes(a, text, strlen(text)); }

struct testcase test_case_json(struct arena *a, const char *text)
{
	struct testcase c = {.n_point = 0};
	struct error e = {.text = ""};
	const char *json = json_text(a, text);

	CHECK(testcase_read(json, strlen(json), a, &c, &e), "%s: %s\n%s", e.place, e.text, json);
	return c;
}
