/* formula.c: recursive descent over a formula; every step appends its node. */
#include "formula.h"

#include <stdlib.h>
#include <string.h>

struct parser {
	struct edit *e;
	struct region *r;
	const char *at;
	const struct formula_name *names;
	int n_name;
	enum dtype dtype;
	bool failed;
};

static int fail(struct parser *p)
{
	p->failed = true;
	return 0;
}

static void skip_spaces(struct parser *p)
{
	p->at += strspn(p->at, " ");
}

static bool take(struct parser *p, const char *what)
{
	size_t n = strlen(what);

	skip_spaces(p);
	if (strncmp(p->at, what, n) != 0)
		return false;
	p->at += n;
	return true;
}

static int append(struct parser *p, enum op op, const int *arg, int n_arg, const struct attrs *attrs)
{
	struct node node = {.op = op, .n_arg = n_arg, .n_out = 1};
	struct type types[LIMIT_ARGS + 1];
	int n_type;

	if (p->failed)
		return 0;
	if (attrs)
		node.attrs = *attrs;
	node.arg = arena_copy(p->e->arena, arg, (size_t)n_arg, sizeof *arg);
	if (!node_infer(&p->e->c.program, &node, types, &n_type, NULL) || n_type != 1)
		return fail(p);
	node.out = edit_new_values(p->e, types, 1);
	edit_insert_node(p->e, p->r, p->r->n_node, &node);
	return node.out;
}

static int literal(struct parser *p, double x)
{
	const struct type scalar = {p->dtype, shape_scalar()};

	return p->failed ? 0 : edit_insert_fill(p->e, p->r, p->r->n_node, &scalar, x);
}

static int comparison(struct parser *p);

static int call(struct parser *p, const char *name, size_t len)
{
	char word[32] = "";
	int arg[LIMIT_ARGS], n = 0, op;

	if (len < sizeof word)
		memcpy(word, name, len);
	do {
		if (n == LIMIT_ARGS)
			return fail(p);
		arg[n++] = comparison(p);
	} while (!p->failed && take(p, ","));
	if (p->failed || !take(p, ")"))
		return fail(p);
	if (!strcmp(word, "where"))
		return append(p, OP_SELECT, arg, n, NULL);
	if (!strcmp(word, "sum")) {
		struct attrs all = {.n_axes = edit_type(p->e, arg[0])->shape.rank, .axes = {0, 1, 2, 3}};

		return append(p, OP_REDUCE_SUM, arg, n, &all);
	}
	op = op_find(word);
	if (op < 0 || op_table[op].n_region || op_table[op].attrs || op_table[op].n_arg != n)
		return fail(p);
	return append(p, (enum op)op, arg, n, NULL);
}

static int primary(struct parser *p)
{
	const char *start;
	char *end;
	double x;
	int value;

	skip_spaces(p);
	start = p->at;
	if (take(p, "(")) {
		value = comparison(p);
		return take(p, ")") ? value : fail(p);
	}
	if (*start >= '0' && *start <= '9') {
		x = strtod(start, &end);
		p->at = end;
		return literal(p, x);
	}
	p->at += strspn(p->at, "abcdefghijklmnopqrstuvwxyz0123456789_");
	if (p->at == start)
		return fail(p);
	for (int i = 0; i < p->n_name; i++)
		if (strlen(p->names[i].name) == (size_t)(p->at - start) && !strncmp(p->names[i].name, start, (size_t)(p->at - start)))
			return p->names[i].value;
	value = (int)(p->at - start);
	return take(p, "(") ? call(p, start, (size_t)value) : fail(p);
}

static int power(struct parser *p)
{
	int x = primary(p);

	return take(p, "^2") ? append(p, OP_MUL, (const int[]){x, x}, 2, NULL) : x;
}

static int unary(struct parser *p)
{
	int x;

	if (!take(p, "-"))
		return power(p);
	x = unary(p);
	return append(p, OP_NEG, &x, 1, NULL);
}

static int product(struct parser *p)
{
	int x = unary(p);

	while (!p->failed) {
		enum op op = take(p, "*") ? OP_MUL : take(p, "/") ? OP_DIV : OP_CONSTANT;
		int y;

		if (op == OP_CONSTANT)
			break;
		y = unary(p);
		x = append(p, op, (const int[]){x, y}, 2, NULL);
	}
	return x;
}

static int sum(struct parser *p)
{
	int x = product(p);

	while (!p->failed) {
		enum op op = take(p, "+") ? OP_ADD : take(p, "-") ? OP_SUB : OP_CONSTANT;
		int y;

		if (op == OP_CONSTANT)
			break;
		y = product(p);
		x = append(p, op, (const int[]){x, y}, 2, NULL);
	}
	return x;
}

static int comparison(struct parser *p)
{
	int x = sum(p), y;
	enum op op = take(p, ">=") ? OP_GE : take(p, "<=") ? OP_LE : take(p, ">") ? OP_GT : take(p, "<") ? OP_LT : OP_CONSTANT;

	if (op == OP_CONSTANT || p->failed)
		return x;
	y = sum(p);
	return append(p, op, (const int[]){x, y}, 2, NULL);
}

bool formula_build(struct edit *e, struct region *r, const char *text, const struct formula_name *names, int n, enum dtype d, int *out)
{
	struct parser p = {.e = e, .r = r, .at = text, .names = names, .n_name = n, .dtype = d};

	*out = comparison(&p);
	skip_spaces(&p);
	return !p.failed && !*p.at;
}
