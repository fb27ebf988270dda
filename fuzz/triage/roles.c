/* roles.c: see roles.h. */
#include "roles.h"

#include <string.h>

#include "fuzz/bench/rehearse.h"
#include "fuzz/edit/edit.h"

/* ---- elementwise ops ---- */

static const enum op unary_siblings[] = {OP_SQUARE, OP_SIN, OP_EXP, OP_TANH}; /* all nonlinear */
static const enum op binary_siblings[] = {OP_MUL, OP_DIV, OP_POW, OP_ATAN2};
enum { SIBLINGS = 4 };

/* Counts the float operands, up to two, and puts them into out[]. */
static int float_operands(const struct program *p, const struct node *n, int out[2])
{
	int count = 0;

	for (int i = 0; i < n->n_arg; i++)
		if (dtype_is_float(p->type[n->arg[i]].dtype) && count++ < 2)
			out[count - 1] = n->arg[i];
	return count < 2 ? count : 2;
}

static bool is_elementwise(enum op op)
{
	return op_table[op].family == FAMILY_UNARY || op_table[op].family == FAMILY_BINARY;
}

/* Whether an elementwise op can replace the node.  It takes two of the node's float operands, or one and a number. */
static bool has_siblings(const struct program *p, const struct node *n)
{
	int operand[2], count = float_operands(p, n, operand);

	return !n->n_region && n->n_out == 1 && dtype_is_float(p->type[n->out].dtype) && count &&
	    (count == 2 || op_table[n->op].family != FAMILY_BINARY);
}

static bool broadcasts_to(const struct shape *from, const struct shape *to)
{
	for (int d = 1; d <= from->rank; d++)
		if (d > to->rank ||
		    (from->extent[from->rank - d] != 1 && from->extent[from->rank - d] != to->extent[to->rank - d]))
			return false;
	return true;
}

static bool edit_shows(const struct question *q, struct edit *e)
{
	return edit_finish(e, false) && case_shows(&e->c, q, e->arena, NULL);
}

/* Replaces the node by `op` of its float operands and asks q.  number: -1, or the operand to take alone; the other
 * operand is then the number 2 in the shape of the result. */
static bool form_shows(
    const struct question *q, const struct testcase *c, int site, enum op op, int number, struct arena *a)
{
	struct edit e = {.c = testcase_copy(c, a), .arena = a};
	int operand[2], count, *arg = NEW(a, int, 2);
	struct site s;
	struct node *n;

	edit_site(&e, site, &s);
	count = float_operands(&e.c.program, s.node, operand);
	if (number >= count || (number < 0 && op_table[op].family == FAMILY_BINARY && count < 2))
		return false;
	arg[0] = number < 0 ? operand[0] : operand[number];
	arg[1] = count < 2 ? operand[0] : operand[1];
	n = s.node;
	if (number >= 0) {
		if (!broadcasts_to(&edit_type(&e, arg[0])->shape, &edit_type(&e, n->out)->shape))
			return false;
		arg[1] = edit_insert_fill(&e, s.region, s.index, edit_type(&e, n->out), 2);
		n = &s.region->node[s.index + 1];
	}
	n->op = op;
	n->arg = arg;
	n->n_arg = op_table[op].family == FAMILY_BINARY ? 2 : 1;
	n->attrs = (struct attrs){0};
	return edit_shows(q, &e);
}

static bool sibling_shows(
    const struct question *q, const struct testcase *c, int site, const struct node *n, enum op op, struct arena *a)
{
	if (form_shows(q, c, site, op, -1, a))
		return true;
	return !is_elementwise(n->op) && (form_shows(q, c, site, op, 0, a) || form_shows(q, c, site, op, 1, a));
}

/* For a node for which has_siblings holds. */
static enum role role_among_siblings(
    const struct question *q, const struct testcase *c, int site, const struct node *n, struct arena *a)
{
	const bool twice = n->n_arg == 2 && n->arg[0] == n->arg[1]; /* x / x is a constant */
	const bool unary = twice || op_table[n->op].family == FAMILY_UNARY;
	const enum op *sibling = unary ? unary_siblings : binary_siblings, linear = unary ? OP_NEG : OP_ADD;
	int tried = 0, shown = 0;

	for (int i = 0; i < SIBLINGS; i++) {
		if (sibling[i] == n->op)
			continue;
		tried++;
		shown += sibling_shows(q, c, site, n, sibling[i], a);
	}
	if (2 * shown <= tried)
		return ROLE_OWN;
	return n->op == linear || n->op == OP_SUB || sibling_shows(q, c, site, n, linear, a) ? ROLE_ELEMENTWISE
	                                                                                     : ROLE_NONLINEAR;
}

/* Whether a finding still shows with an operand broadcast to the type of the result.  Then the op is there for that
 * type. */
static bool type_shows(const struct question *q, const struct testcase *c, int site, struct arena *a)
{
	struct edit sites = {.c = *c};
	struct site s;
	int operand[2], count;

	edit_site(&sites, site, &s);
	count = float_operands(&c->program, s.node, operand);
	for (int k = 0; k < count; k++) {
		struct edit e = {.c = testcase_copy(c, a), .arena = a};
		const struct type *type = edit_type(&e, s.node->out);
		struct site own;

		if (edit_type(&e, operand[k])->dtype != type->dtype ||
		    !broadcasts_to(&edit_type(&e, operand[k])->shape, &type->shape))
			continue;
		edit_site(&e, site, &own);
		own.node->op = OP_BROADCAST_TO;
		own.node->n_arg = 1;
		own.node->arg[0] = operand[k];
		own.node->attrs = (struct attrs){.shape = type->shape};
		if (edit_shows(q, &e))
			return true;
	}
	return false;
}

/* ---- writes ---- */

bool op_writes(enum op op)
{
	const enum family family = op_table[op].family;

	return family == FAMILY_SCATTER || family == FAMILY_SLICE_SCATTER || family == FAMILY_DYNAMIC_UPDATE_SLICE;
}

bool op_indexes(enum op op)
{
	switch (op_table[op].family) {
	case FAMILY_GATHER:
	case FAMILY_TAKE_ALONG_AXIS:
	case FAMILY_SCATTER:
	case FAMILY_MASKED_SCATTER:
	case FAMILY_DYNAMIC_SLICE:
	case FAMILY_DYNAMIC_UPDATE_SLICE:
	case FAMILY_SELECT:
	case FAMILY_CAST:
	case FAMILY_COND:
		return true;
	default:
		return false;
	}
}

/* Replaces a write by scatter `op`.  A scatter keeps its operands.  Another write becomes a scatter of its update into
 * the first rows. */
static bool write_shows(const struct question *q, const struct testcase *c, int site, enum op op, struct arena *a)
{
	struct edit e = {.c = testcase_copy(c, a), .arena = a};
	const struct type *to, *from;
	struct type index = {.dtype = DTYPE_I64, .shape = {.rank = 1}};
	struct node *n;
	struct site s;
	int *arg;

	edit_site(&e, site, &s);
	n = s.node;
	if (op_table[n->op].family == FAMILY_SCATTER) {
		n->op = op;
		return edit_shows(q, &e);
	}
	to = edit_type(&e, n->arg[0]);
	from = edit_type(&e, n->arg[1]);
	if (!to->shape.rank ||
	    memcmp(
	        to->shape.extent + 1, from->shape.extent + 1, (size_t)(to->shape.rank - 1) * sizeof *to->shape.extent))
		return false;
	arg = NEW(a, int, 3);
	arg[0] = n->arg[0];
	arg[2] = n->arg[1];
	index.shape.extent[0] = from->shape.extent[0];
	arg[1] = edit_insert_fill(&e, s.region, s.index, &index, 0);
	n = &s.region->node[s.index + 1];
	n->op = op;
	n->arg = arg;
	n->n_arg = 3;
	n->attrs = (struct attrs){.mode = MODE_CLIP};
	return edit_shows(q, &e);
}

/* v: the verdict of c. */
static enum role role_of_write(
    const struct question *q, const struct testcase *c, int site, const struct node *n, enum verdict v, struct arena *a)
{
	static const enum op sibling[] = {OP_SCATTER_SET, OP_SCATTER_ADD, OP_SCATTER_MUL};
	int tried = 0, shown = 0;

	for (size_t i = 0; i < sizeof sibling / sizeof *sibling; i++) {
		tried += sibling[i] != n->op;
		shown += sibling[i] != n->op && write_shows(q, c, site, sibling[i], a);
	}
	return shown && (2 * shown > tried || !verdict_of_numbers(v)) ? ROLE_WRITE : ROLE_OWN;
}

/* ---- reads and writes at the index of a loop ---- */

/* Fills counter[value] with the loop index that the value is computed from by integer ops, where the value is inside
 * that loop; -1: none. */
static void find_counters(const struct program *p, int *counter)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);) {
		const struct node *n = w.node;

		if (n->op == OP_FOR)
			counter[n->region[0].param] = n->region[0].param;
		for (int k = 0; k < n->n_arg && !n->n_region && !dtype_is_float(p->type[n->out].dtype); k++)
			if (counter[n->arg[k]] >= 0)
				counter[n->out] = counter[n->arg[k]];
	}
}

/* The operand that is computed from a loop's index and is no float; -1: there is none. */
static int indexed_operand(const struct program *p, const struct node *n, const int *counter)
{
	if (n->n_out != 1 || !dtype_is_float(p->type[n->out].dtype) || !op_indexes(n->op))
		return -1;
	for (int k = 0; k < n->n_arg; k++)
		if (counter[n->arg[k]] >= 0)
			return k;
	return -1;
}

/*
 * Gives the node the operand `fixed` instead of one computed from the loop's index, and multiplies its result by that
 * index + 1.  Returns whether a finding still shows.  A cast of the index is replaced by that factor.
 */
static bool factor_shows(
    const struct question *q, const struct testcase *c, int site, const int *counter, int fixed, struct arena *a)
{
	struct edit e = {.c = testcase_copy(c, a), .arena = a};
	struct type type, scalar = {.dtype = DTYPE_F64};
	int operand, made, index, place, *cast = NEW(a, int, 1), *sum = NEW(a, int, 2), *product = NEW(a, int, 2), out;
	struct region *r;
	struct node *n;
	struct site s;

	edit_site(&e, site, &s);
	operand = indexed_operand(&e.c.program, s.node, counter);
	index = counter[s.node->arg[operand]];
	type = *edit_type(&e, s.node->arg[operand]);
	r = s.region;
	place = s.index;
	out = edit_insert_fill(&e, r, place, &type, fixed);
	n = &r->node[++place];
	n->arg[operand] = out;
	made = n->out;
	type = *edit_type(&e, made);
	scalar.dtype = type.dtype;
	product[0] = n->op == OP_CAST ? edit_insert_fill(&e, r, ++place, &type, 1) : made;
	sum[1] = edit_insert_fill(&e, r, ++place, &scalar, 1);
	cast[0] = index;
	sum[0] = edit_new_values(&e, &scalar, 1);
	product[1] = edit_new_values(&e, &scalar, 1);
	out = edit_new_values(&e, &type, 1);
	edit_replace(&e, made, out);
	edit_insert_node(&e, r, ++place,
	    &(struct node){
	        .op = OP_CAST, .n_arg = 1, .arg = cast, .n_out = 1, .out = sum[0], .attrs.dtype = type.dtype});
	edit_insert_node(
	    &e, r, ++place, &(struct node){.op = OP_ADD, .n_arg = 2, .arg = sum, .n_out = 1, .out = product[1]});
	edit_insert_node(
	    &e, r, ++place, &(struct node){.op = OP_MUL, .n_arg = 2, .arg = product, .n_out = 1, .out = out});
	return edit_shows(q, &e);
}

/* Finds ops that are about the index of a loop.  The integers computed from that index then get ROLE_NONE. */
static void find_indexed(const struct question *q, const struct testcase *c, struct arena *a, enum role *role)
{
	struct edit sites = {.c = *c};
	const int n_value = c->program.n_value;
	int *counter = NEW(a, int, n_value ? n_value : 1);
	bool *indexes = NEW(a, bool, n_value ? n_value : 1); /* [value]: an op is about this loop index */
	struct site s;

	for (int v = 0; v < n_value; v++)
		counter[v] = -1;
	find_counters(&c->program, counter);
	for (struct walk w = walk_nodes(&sites.c.program.top); edit_next(&sites, &w, &s);) {
		int operand = indexed_operand(&c->program, s.node, counter);

		if (operand < 0 ||
		    (!factor_shows(q, c, w.number, counter, 0, a) && !factor_shows(q, c, w.number, counter, 1, a)))
			continue;
		role[w.number] = ROLE_INDEX;
		indexes[counter[s.node->arg[operand]]] = true;
	}
	for (struct walk w = walk_nodes(&sites.c.program.top); edit_next(&sites, &w, &s);)
		if (s.node->n_out && counter[s.node->out] >= 0 && indexes[counter[s.node->out]])
			role[w.number] = ROLE_NONE;
}

/* ---- all of them ---- */

struct finding_roles {
	const struct testcase *c;
	enum verdict verdict;
	enum role *role;
};

static void find(void *context, const struct question *q, struct arena *a)
{
	const struct finding_roles *x = context;
	const struct testcase *c = x->c;
	enum role *role = x->role;
	struct edit sites = {.c = *c};
	struct site s;

	for (struct walk w = walk_nodes(&sites.c.program.top); edit_next(&sites, &w, &s);) {
		role[w.number] = has_siblings(&c->program, s.node) ? role_among_siblings(q, c, w.number, s.node, a)
		                                                   : ROLE_OWN;
		if (role[w.number] == ROLE_ELEMENTWISE && !s.top && type_shows(q, c, w.number, a))
			role[w.number] = ROLE_TYPE;
		if (role[w.number] == ROLE_OWN && op_writes(s.node->op))
			role[w.number] = role_of_write(q, c, w.number, s.node, x->verdict, a);
	}
	find_indexed(q, c, a, role);
}

void find_roles(const struct question *q, const struct testcase *c, enum verdict v, struct arena *a, enum role *role)
{
	rehearse(q, find, &(struct finding_roles){c, v, role}, a);
}
