/* operand_name.c: see operand_name.h. */
#include "operand_name.h"
#include "graph/walk.h"

struct operand_words {
	const char *one, *group;
};

enum { NAMED = 3 }; /* operands with a name of their own */

static const struct operand_words of_op[OP_COUNT][NAMED] = {
#define OPERAND(op, k, one, group) [OP_##op][k] = {one, group},
#define OPERAND_OF(family, k, one, group)
#define CAPTURED(family, one, group)
#define CAPTURED_BRANCH(region, one, group)
#include "operand_names.def"
#undef OPERAND
#undef OPERAND_OF
#undef CAPTURED
#undef CAPTURED_BRANCH
};

static const struct family_words {
	enum family family;
	int k; /* -1: a captured value */
	struct operand_words name;
} of_family[] = {
#define OPERAND(op, k, one, group)
#define OPERAND_OF(family, k, one, group) {FAMILY_##family, k, {one, group}},
#define CAPTURED(family, one, group)      {FAMILY_##family, -1, {one, group}},
#define CAPTURED_BRANCH(region, one, group)
#include "operand_names.def"
#undef OPERAND
#undef OPERAND_OF
#undef CAPTURED
#undef CAPTURED_BRANCH
};

static const struct operand_words of_branch[2] = {
#define OPERAND(op, k, one, group)
#define OPERAND_OF(family, k, one, group)
#define CAPTURED(family, one, group)
#define CAPTURED_BRANCH(region, one, group) [region] = {one, group},
#include "operand_names.def"
#undef OPERAND
#undef OPERAND_OF
#undef CAPTURED
#undef CAPTURED_BRANCH
};

static struct operand_words family_name(enum family family, int k)
{
	for (size_t i = 0; i < sizeof of_family / sizeof *of_family; i++)
		if (of_family[i].family == family && of_family[i].k == k)
			return of_family[i].name;
	return (struct operand_words){0};
}

static struct operand_words name_of(const struct node *n, int k)
{
	const struct node_loop l = node_loop(n);

	if (l.is_loop && k < l.first_arg)
		return (struct operand_words){"trip count", "operands"};
	if (l.is_loop && k < l.first_arg + l.n_carry)
		return (struct operand_words){"initial carry", "initial carries"};
	if (l.is_loop)
		return (struct operand_words){"per-iteration input", "per-iteration inputs"};
	if (n->op == OP_DERIVATIVE)
		return k < n->attrs.primals ? (struct operand_words){"parameter", "parameters"}
		                            : (struct operand_words){"direction", "directions"};
	if (k < NAMED && of_op[n->op][k].one)
		return of_op[n->op][k];
	return family_name(op_table[n->op].family, k);
}

const char *operand_name(const struct node *n, int k, struct arena *a)
{
	static const char *const ordinal[] = {"first", "second", "third", "fourth"};
	enum { ORDINALS = sizeof ordinal / sizeof *ordinal };
	const char *one = name_of(n, k).one;
	const struct node_loop l = node_loop(n);
	int at = k, of = n->n_arg;

	/* carries and per-iteration inputs are counted apart */
	if (l.is_loop && k >= l.first_arg) {
		const bool carry = k < l.first_arg + l.n_carry;

		at = carry ? k - l.first_arg : k - l.first_arg - l.n_carry;
		of = carry ? l.n_carry : l.n_xs;
	}
	if (one && (!l.is_loop || of < 2 || k < l.first_arg))
		return one;
	/* the only operand of a concatenate is the first of any number */
	if (!one && of < 2 && op_table[n->op].family != FAMILY_CONCATENATE)
		return "operand";
	if (!one)
		one = "operand";
	return at < ORDINALS ? arena_printf(a, "%s %s", ordinal[at], one)
	                     : arena_printf(a, "%s number %d", one, at + 1);
}

const char *operand_group(const struct node *n, int k)
{
	const char *group = name_of(n, k).group;

	return group ? group : "operands";
}

const char *captured_name(enum op op) { return family_name(op_table[op].family, -1).one; }

const char *captured_group(enum op op) { return family_name(op_table[op].family, -1).group; }

const char *captured_words(const struct node *n, int value, bool several)
{
	const bool in_true = n->op == OP_COND && region_reads(&n->region[0], value),
	           in_false = n->op == OP_COND && region_reads(&n->region[1], value);
	const struct operand_words w = in_true != in_false ? of_branch[in_false]
	                                                   : family_name(op_table[n->op].family, -1);

	return several ? w.group : w.one;
}
