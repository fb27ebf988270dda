/*
 * case_text.c: a case as text, but for its program (case_program.c): points, the request, expectations and provenance.
 * Points and seeds wait as tokens until the types of the program are known.
 */
#include "case_reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

/* ---- what follows the program ---- */

static bool read_point(struct reader *r)
{
	struct point *p = NEW(r->arena, struct point, 1);

	if (r->n_point == LIMIT_POINTS)
		return reader_fail(r, &r->token, "more than %d points", (int)LIMIT_POINTS);
	r->point[r->n_point++] = p;
	p->place = r->token;
	/* `point 3:` has a number, `point 3` has a value. */
	if (r->token.kind == TOKEN_NUMBER && r->next[strspn(r->next, " \t")] == ':')
		reader_advance(r);
	reader_take(r, ':');
	if (r->token.kind == TOKEN_LINE || r->token.kind == TOKEN_END)
		return reader_end_statement(r);
	do {
		if (p->n == LIMIT_ARGS)
			return reader_fail(r, &r->token, "more than %d values", (int)LIMIT_ARGS);
		if (r->token.kind == TOKEN_WORD && r->next[strspn(r->next, " \t")] == '=') {
			p->name[p->n] = r->token;
			reader_advance(r);
			reader_advance(r);
		}
		if (!reader_literal(r, &p->value[p->n++]))
			return false;
	} while (reader_take(r, ','));
	return reader_end_statement(r);
}

static bool read_seeds(struct reader *r, struct level *l)
{
	l->seeds_stated = true;
	if (r->token.kind == TOKEN_LINE || r->token.kind == TOKEN_END)
		return true;
	do {
		if (l->n_seed == LIMIT_ARGS)
			return reader_fail(r, &r->token, "more than %d tensors", (int)LIMIT_ARGS);
		if (!reader_literal(r, &l->seed[l->n_seed++]))
			return false;
	} while (reader_take(r, ','));
	return true;
}

/* What follows the `;` of a transform: seeds, or the slices of a batch. */
static bool read_rest(struct reader *r, struct level *l)
{
	if (token_is_word(&l->kind, "batch")) {
		struct token size = r->token;

		if (!reader_expect(r, size.kind == TOKEN_NUMBER, "a number of slices"))
			return false;
		l->size = atoi(token_text(r, &size));
		reader_advance(r);
		return reader_expect(r, reader_take_word(r, "slices"), "\"slices\"");
	}
	const char *what = token_is_word(&l->kind, "vjp") ? "cotangents" : "tangents";
	return reader_expect(r, reader_take_word(r, what), what) && read_seeds(r, l);
}

/* "with respect to" or "over", either of which may be left out, and names of inputs. */
static bool read_wrt(struct reader *r, struct level *l)
{
	bool named = reader_take_word(r, "over");

	if (!named && reader_take_word(r, "with")) {
		if (!reader_expect(r, reader_take_word(r, "respect") && reader_take_word(r, "to"), "\"respect to\""))
			return false;
		named = true;
	}
	if (r->token.kind != TOKEN_WORD) {
		l->n_name = named ? NO_INPUT : 0;
		return true;
	}
	do {
		if (l->n_name == LIMIT_ARGS)
			return reader_fail(r, &r->token, "more than %d inputs", (int)LIMIT_ARGS);
		if (!reader_need_word(r, &l->name[l->n_name++], "an input"))
			return false;
	} while (reader_take(r, ','));
	return true;
}

static bool read_level(struct reader *r)
{
	struct level *l = NEW(r->arena, struct level, 1);

	if (r->n_level == LIMIT_TRANSFORMS)
		return reader_fail(r, &r->token, "more than %d transforms", (int)LIMIT_TRANSFORMS);
	r->level[r->n_level++] = l;
	l->kind = r->token;
	if (!reader_take_word(r, "vjp") && !reader_take_word(r, "jvp") && !reader_take_word(r, "batch"))
		return reader_expect(r, false, "vjp, jvp, batch or \"the primal alone\"");
	if (!read_wrt(r, l))
		return false;
	const char *after = r->next + strspn(r->next, " \t");
	bool more = !strncmp(after, "cotangents", 10) || !strncmp(after, "tangents", 8) ||
	    isdigit((unsigned char)*after);
	if (r->token.kind == TOKEN_LINE && *r->token.at == ';' && more) {
		reader_advance(r);
		if (!read_rest(r, l))
			return false;
	}
	return reader_end_statement(r);
}

static bool read_request(struct reader *r)
{
	if (!reader_need(r, ':'))
		return false;
	if (reader_take_word(r, "the"))
		return reader_expect(
		           r, reader_take_word(r, "primal") && reader_take_word(r, "alone"), "\"the primal alone\"") &&
		    reader_end_statement(r);
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
	char *line = reader_take_rest(r), *end = line + strlen(line), *colon = end;
	struct expectation *x, *all = NEW(r->arena, struct expectation, r->c.n_expect + 1);

	while (colon > line && !(*colon == ':' && (!colon[1] || colon[1] == ' ')))
		colon--;
	if (strncmp(line, " of ", 4) || colon <= line)
		return reader_fail(r, &start, "no \"expected of ENGINE: VERDICT%sLITERAL, ...\"", between);
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
	return reader_end_statement(r);
}

static bool read_text(struct reader *r, const char **out)
{
	if (!reader_expect(r, token_is(&r->token, ':'), "\":\""))
		return false;
	r->next += *r->next == ' ';
	*out = reader_take_rest(r);
	return reader_end_statement(r);
}

static bool read_provenance(struct reader *r)
{
	struct provenance *from = &r->c.provenance;

	for (reader_skip_lines(r);; reader_skip_lines(r)) {
		const char **out = token_is_word(&r->token, "title") ? &from->title
		    : token_is_word(&r->token, "source")             ? &from->source
		    : token_is_word(&r->token, "comment")            ? &from->comment
		                                                     : NULL;

		if (!out || *r->next != ':')
			return true;
		reader_advance(r);
		if (!read_text(r, out))
			return false;
	}
}

static bool read_variant(struct reader *r)
{
	struct token start = r->token;
	char *end, *line = reader_take_rest(r);
	long variant = strtol(line, &end, 10);

	if (*line != ' ' || *end || variant < 0 || variant > 65535)
		return reader_fail(r, &start, "no \"variant N\"");
	r->c.variant = (int)variant;
	return reader_end_statement(r);
}

static bool read_tail(struct reader *r)
{
	for (reader_skip_lines(r); r->token.kind != TOKEN_END; reader_skip_lines(r)) {
		bool ok = token_is_word(&r->token, "expected") ? read_expectation(r)
		    : token_is_word(&r->token, "variant")      ? read_variant(r)
		    : reader_take_word(r, "point")             ? read_point(r)
		    : reader_take_word(r, "request")           ? read_request(r)
		    : reader_take_word(r, "then")
		    ? read_level(r)
		    : reader_expect(r, false, "point, request, then, variant or expected");

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
	return reader_fail(r, name, "there is no input %s", token_shown(r, name));
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

	t->kind = token_is_word(&l->kind, "vjp") ? TRANSFORM_VJP
	    : token_is_word(&l->kind, "jvp")     ? TRANSFORM_JVP
	                                         : TRANSFORM_BATCH;
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
		return reader_fail(r, &l->kind, "%d seeds, needed are %d", l->n_seed, t->n_seed);
	t->seed = NEW(r->arena, struct tensor, t->n_seed);
	for (int k = 0; k < t->n_seed; k++)
		if (!l->seeds_stated)
			t->seed[k] = plain_seed(r->arena, &type[k]);
		else if (!literal_tensor(r, &l->seed[k], &type[k], &t->seed[k]))
			return false;
	return request_apply(s, t, &inner) || reader_fail(r, &l->kind, "%s", inner.text);
}

static bool resolve_point(struct reader *r, const struct point *p, const struct signature *s, struct tensor *out)
{
	if (p->n != s->n_input)
		return reader_fail(r, &p->place, "%d values, but there are %d inputs", p->n, s->n_input);
	for (int k = 0; k < p->n; k++) {
		int input = k;

		if (p->name[k].len && !find_input(r, &p->name[k], &input))
			return false;
		if (out[input].at)
			return reader_fail(r, &p->value[k].place, "input %d has a value already", input);
		if (!literal_tensor(r, &p->value[k], &s->input[input], &out[input]))
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
	return testcase_check(&r->c, &inner) || reader_fail_at_path(r, &inner);
}

bool case_text_read(const char *text, struct arena *a, struct testcase *out, struct error *e)
{
	struct reader *r = NEW(a, struct reader, 1);

	*r = (struct reader){
	    .arena = a, .e = e, .next = text, .line_start = text, .line = 1, .token.kind = TOKEN_OTHER};
	r->root = tree_put(r, NULL, NULL, JSON_OBJECT, &(struct token){.line = 1, .column = 1}, NULL);
	reader_advance(r);
	if (!read_provenance(r) || !reader_program(r) || !read_tail(r) || !resolve(r))
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
