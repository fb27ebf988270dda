/* text.c: recursive descent over a text.  Each step appends its node. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

struct reader {
	const struct text_scope *scope;
	const char *at;
	struct text_name shared; /* the shared name; more text may follow it */
	size_t shared_len;       /* 0: the text has none */
	bool failed;
};

/* Operators, from the loosest to the tightest. */
static const struct operator
{
	int level;
	const char *sign;
	enum op op;
}
operators[] = {
    {0, ">=", OP_GE},
    {0, "<=", OP_LE},
    {0, ">", OP_GT},
    {0, "<", OP_LT},
    {1, "+", OP_ADD},
    {1, "-", OP_SUB},
    {2, "*", OP_MUL},
    {2, "/", OP_DIV},
};
enum { OPERATORS = sizeof operators / sizeof *operators, LEVELS = 3 };

static int fail(struct reader *r)
{
	r->failed = true;
	return -1;
}

/* After a failure the reader takes nothing more, so every loop ends. */
static bool take(struct reader *r, const char *what)
{
	size_t n = strlen(what);

	r->at += strspn(r->at, " ");
	if (r->failed || strncmp(r->at, what, n) != 0)
		return false;
	r->at += n;
	return true;
}

static void expect(struct reader *r, const char *what)
{
	if (!take(r, what))
		fail(r);
}

static int emit(struct reader *r, enum op op, const int *arg, int n)
{
	int value = r->failed ? -1 : r->scope->emit(r->scope->self, op, arg, n);

	return value < 0 ? fail(r) : value;
}

static int read_level(struct reader *r, int level);

static bool is_word(const char *name, const char *word, size_t len)
{
	return strlen(name) == len && !memcmp(name, word, len);
}

static int find_op(const char *word, size_t len)
{
	if (is_word("where", word, len))
		return OP_SELECT;
	if (is_word("sum", word, len))
		return OP_REDUCE_SUM;
	for (int op = 0; op < OP_COUNT; op++)
		if (is_word(op_table[op].name, word, len))
			return op_table[op].n_region || op_table[op].attrs ? -1 : op;
	return -1;
}

static int read_call(struct reader *r, const char *word, size_t len)
{
	int arg[LIMIT_ARGS], n = 0, op = find_op(word, len);

	expect(r, "(");
	do {
		if (n == LIMIT_ARGS)
			return fail(r);
		arg[n++] = read_level(r, 0);
	} while (take(r, ","));
	expect(r, ")");
	return op < 0 || op_table[op].n_arg != n ? fail(r) : emit(r, (enum op)op, arg, n);
}

/* The length of the name that begins here; 0: there is none. */
static size_t name_length(const char *at)
{
	return *at >= '0' && *at <= '9' ? 0 : strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
}

static int read_number(struct reader *r)
{
	char *end;
	double number = strtod(r->at, &end);
	int value = end == r->at || r->failed ? -1 : r->scope->literal(r->scope->self, number);

	r->at = end;
	return value < 0 ? fail(r) : value;
}

static int read_primary(struct reader *r)
{
	const char *word;
	size_t len;
	int value;

	if (take(r, "(")) {
		value = read_level(r, 0);
		expect(r, ")");
		return value;
	}
	word = r->at;
	len = name_length(word);
	if (!len)
		return read_number(r);
	r->at += len;
	if (len == r->shared_len && !memcmp(r->shared.name, word, len))
		return r->shared.value;
	for (int i = 0; i < r->scope->n_name; i++)
		if (is_word(r->scope->name[i].name, word, len))
			return r->scope->name[i].value;
	return read_call(r, word, len);
}

static int read_unary(struct reader *r)
{
	int x;

	if (take(r, "-")) {
		x = read_unary(r);
		return emit(r, OP_NEG, &x, 1);
	}
	x = read_primary(r);
	return take(r, "^2") ? emit(r, OP_MUL, (const int[]){x, x}, 2) : x;
}

static const struct operator* take_operator(struct reader *r, int level)
{
	for (int i = 0; i < OPERATORS; i++)
		if (operators[i].level == level && take(r, operators[i].sign))
			return &operators[i];
	return NULL;
}

static int read_level(struct reader *r, int level)
{
	const struct operator* o;
	int x;

	if (level == LEVELS)
		return read_unary(r);
	x = read_level(r, level + 1);
	while ((o = take_operator(r, level))) {
		int y = read_level(r, level + 1);

		x = emit(r, o->op, (const int[]){x, y}, 2);
	}
	return x;
}

int aot_read_text(const struct text_scope *scope, const char *text)
{
	struct reader r = {.scope = scope, .at = text};
	size_t len = name_length(text);
	int value;

	r.at += len;
	if (len && take(&r, "=")) {
		r.shared = (struct text_name){text, read_level(&r, 0)};
		r.shared_len = len;
		expect(&r, ";");
	} else {
		r.at = text;
	}
	value = read_level(&r, 0);
	r.at += strspn(r.at, " ");
	return r.failed || *r.at ? -1 : value;
}
