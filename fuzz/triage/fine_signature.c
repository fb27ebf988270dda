/* fine_signature.c: the names of a simplest case as a text and as a set (struct pattern). */
#include "fine_signature.h"
#include "graph/loop.h"
#include "graph/walk.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_ELEMENTWISE = OP_COUNT, NAME_NONLINEAR, NAME_WRITE, NAME_INDEX, NAMES };
_Static_assert((int)NAMES == (int)PATTERN_SIZE, "a pattern has all names");

/* Ops that most engines treat by one rule; each group has the name of one of its ops. */
static const struct shared_name {
	enum op op, as;
} shared_names[] = {
    {OP_SCAN, OP_FOR}, /* counted loops */
    {OP_TAKE_ALONG_AXIS, OP_GATHER},
    {OP_MIN, OP_MAX},
    {OP_REDUCE_MIN, OP_REDUCE_MAX},
    {OP_SQUEEZE, OP_RESHAPE}, /* copies of all elements */
    {OP_CAST, OP_RESHAPE},
    {OP_GT, OP_LT}, /* a > b is b < a */
    {OP_GE, OP_LE},
    {OP_BITWISE_OR, OP_BITWISE_AND}, /* ops without a derivative */
    {OP_BITWISE_XOR, OP_BITWISE_AND},
    {OP_SHIFT_LEFT, OP_BITWISE_AND},
    {OP_SHIFT_RIGHT, OP_BITWISE_AND},
};

static int name_of(const struct node *n, const enum role *role)
{
	static const int roles[] = {[ROLE_ELEMENTWISE] = NAME_ELEMENTWISE,
	    [ROLE_NONLINEAR] = NAME_NONLINEAR,
	    [ROLE_WRITE] = NAME_WRITE,
	    [ROLE_INDEX] = NAME_INDEX,
	    [ROLE_TYPE] = NAME_ELEMENTWISE};

	if (role && *role != ROLE_OWN)
		return roles[*role];
	for (size_t i = 0; i < sizeof shared_names / sizeof *shared_names; i++)
		if (shared_names[i].op == n->op)
			return (int)shared_names[i].as;
	/* A loop whose trip count is known only at run time may end early, like a while. */
	return node_loop(n).counted ? OP_WHILE : (int)n->op;
}

static const char *name_text(int name)
{
	static const char *const roles[] = {
	    "elementwise", "nonlinear", "write", "index"}; /* from NAME_ELEMENTWISE on */

	return name < OP_COUNT ? op_table[name].name : roles[name - OP_COUNT];
}

/* Whether the node has a name.  Constants and op derivative have none.  Inside a region, an op has none if any
 * elementwise op would do in its place and it only changes a type. */
static bool has_name(const struct node *n, const enum role *role, bool inside)
{
	return n->op != OP_CONSTANT && n->op != OP_DERIVATIVE && !(role && *role == ROLE_NONE) &&
	    (!inside || !role || *role != ROLE_ELEMENTWISE || n->n_arg != 1 || op_table[n->op].family == FAMILY_UNARY);
}

/* ---- the text ---- */

static int compare_texts(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Sorts the parts and joins them with '+', each once.  Empty parts are left out. */
static char *join(const char **part, int n, struct arena *a)
{
	char *text = arena_printf(a, "%s", "");
	const char *last = "";

	qsort(part, (size_t)n, sizeof *part, compare_texts);
	for (int i = 0; i < n; i++) {
		if (strcmp(part[i], last))
			text = arena_printf(a, "%s%s%s", text, *text ? "+" : "", part[i]);
		last = part[i];
	}
	return text;
}

/*
 * *site: pre-order number of the next node.  An op derivative is written as its region; the order counts it as a level.
 */
static char *region_text(const struct region *r, bool inside, const enum role *role, int *site, struct arena *a)
{
	const char **part = NEW(a, const char *, r->n_node ? r->n_node : 1);

	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		const enum role *own = role ? &role[*site] : NULL;
		char *text = arena_printf(a, "%s", "");

		++*site;
		for (int k = 0; k < n->n_region; k++) {
			char *body = region_text(&n->region[k], n->op != OP_DERIVATIVE || inside, role, site, a);

			if (n->op != OP_WHILE || k || *body) /* a condition without named ops is left out */
				text = arena_printf(a, n->op == OP_DERIVATIVE ? "%s%s" : "%s{%s}", text, body);
		}
		part[i] = !has_name(n, own, inside) || (own && *own == ROLE_TYPE)
		    ? text
		    : arena_printf(a, "%s%s", name_text(name_of(n, own)), text);
	}
	return join(part, r->n_node, a);
}

/* ---- the request ---- */

/* The first op derivative in pre-order; NULL: none. */
static const struct node *first_derivative(const struct region *r)
{
	for (struct walk w = walk_nodes(r); walk_next(&w);)
		if (w.node->op == OP_DERIVATIVE)
			return w.node;
	return NULL;
}

/* If the request itself differentiates nothing, an op derivative in the program gives the kind. */
struct request_summary asked_of(const struct testcase *c)
{
	const struct transform *outermost = request_outermost(c->transform, c->n_transform);
	struct request_summary x = {
	    .order = request_order(c->transform, c->n_transform) + region_nesting(&c->program.top, OP_DERIVATIVE)};

	if (outermost)
		x.kind = outermost->kind == TRANSFORM_JVP ? "jvp" : "vjp";
	else if (x.order)
		x.kind = first_derivative(&c->program.top)->attrs.transform == DERIVATIVE_JVP ? "jvp" : "vjp";
	else
		x.kind = "primal";
	for (int k = 0; k < c->n_transform; k++)
		x.batch = x.batch || c->transform[k].kind == TRANSFORM_BATCH;
	return x;
}

static bool asked_same(const struct request_summary *x, const struct request_summary *y)
{
	return x->order == y->order && (x->order > 1 || (x->batch && y->batch) || !strcmp(x->kind, y->kind));
}

bool asked_explains(const struct request_summary *x, const struct request_summary *y)
{
	return (x->order < y->order && y->order > 1) || (asked_same(x, y) && x->batch == y->batch);
}

bool asked_is_in(const struct request_summary *x, const struct request_summary *y)
{
	return x->batch <= y->batch && (!x->order || asked_same(x, y) || (x->order == 1 && y->order > 1));
}

char *fine_signature(
    const char *engine, const struct testcase *c, enum verdict v, const enum role *role, struct arena *a)
{
	const char *kind = verdict_of_numbers(v) ? "" : arena_printf(a, "%s:", verdict_names[v]);
	const struct request_summary x = asked_of(c);
	const char *request = x.order > 1 ? arena_printf(a, "order %d", x.order) : x.kind;
	int site = 0;

	return arena_printf(a, "%s|%s%s|%s%s", engine, request, x.batch ? ",batch" : "", kind,
	    region_text(&c->program.top, false, role, &site, a));
}

char *fine_spelled(const char *fine, const char *spellings, struct arena *a)
{
	char *text = arena_printf(a, "%s%s%s", fine, spellings ? "|" : "", spellings ? spellings : "");

	for (char *bar = text + strlen(fine) + 1; spellings && (bar = strchr(bar, '|'));)
		*bar = '/'; /* parts of a signature end with it */
	return text;
}

/* ---- the set ---- */

struct pattern pattern_of(const struct testcase *c, const enum role *role)
{
	struct pattern p = {{false}};

	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);) {
		const enum role *own = role ? &role[w.number] : NULL;

		if (has_name(w.node, own, w.depth > walk_around_of(&w, OP_DERIVATIVE)))
			p.has[name_of(w.node, own)] = true;
	}
	return p;
}

int pattern_size(const struct pattern *p)
{
	int n = 0;

	for (int i = 0; i < PATTERN_SIZE; i++)
		n += p->has[i];
	return n;
}

bool pattern_same_ops(const struct pattern *x, const struct pattern *y)
{
	bool any = false;

	for (int i = 0; i < OP_COUNT; i++) {
		if (x->has[i] != y->has[i])
			return false;
		any = any || x->has[i];
	}
	return any || !memcmp(x, y, sizeof *x);
}

bool pattern_same_regions(const struct pattern *x, const struct pattern *y)
{
	bool any = false;

	for (int i = 0; i < OP_COUNT; i++) {
		const enum family family = op_table[i].family;

		if (family == FAMILY_UNARY || family == FAMILY_BINARY || family == FAMILY_COMPARE)
			continue;
		if (x->has[i] != y->has[i])
			return false;
		any = any || (x->has[i] && op_table[i].n_region);
	}
	return any;
}

bool pattern_is_roles(const struct pattern *p)
{
	for (int i = 0; i < OP_COUNT; i++)
		if (p->has[i])
			return false;
	return pattern_size(p) > 0;
}

bool pattern_is_elementwise_op(const struct pattern *p)
{
	for (int i = 0; i < PATTERN_SIZE; i++)
		if (p->has[i] &&
		    (i >= OP_COUNT || (op_table[i].family != FAMILY_UNARY && op_table[i].family != FAMILY_BINARY)))
			return false;
	return pattern_size(p) == 1;
}

/* Whether the derivative of the op depends on the point.  Elementwise ops count as nonlinear, except for neg, add and
 * sub. */
static bool is_nonlinear(enum op op)
{
	const enum family family = op_table[op].family;
	const bool elementwise = family == FAMILY_UNARY || family == FAMILY_BINARY;

	return op_table[op].regularity == REGULARITY_SMOOTH || op_table[op].regularity == REGULARITY_KINK ||
	    (elementwise && op != OP_NEG && op != OP_ADD && op != OP_SUB);
}

bool pattern_is_part(const struct pattern *smaller, const struct pattern *larger)
{
	bool nonlinear = larger->has[NAME_NONLINEAR], elementwise = nonlinear || larger->has[NAME_ELEMENTWISE],
	     write = larger->has[NAME_WRITE], index = larger->has[NAME_INDEX];

	for (int i = 0; i < OP_COUNT; i++) {
		const enum family family = op_table[i].family;

		if (smaller->has[i] && !larger->has[i])
			return false;
		if (!larger->has[i])
			continue;
		elementwise = elementwise || family == FAMILY_UNARY || family == FAMILY_BINARY;
		nonlinear = nonlinear || is_nonlinear((enum op)i);
		write = write || op_writes((enum op)i);
		index = index || op_indexes((enum op)i) || i == OP_RESHAPE; /* reshape stands for a cast here */
	}
	return (!smaller->has[NAME_ELEMENTWISE] || elementwise) && (!smaller->has[NAME_NONLINEAR] || nonlinear) &&
	    (!smaller->has[NAME_WRITE] || write) && (!smaller->has[NAME_INDEX] || index);
}

bool pattern_is_in(const struct pattern *p, const struct testcase *c)
{
	struct pattern own = pattern_of(c, NULL);

	own.has[OP_FOR] = own.has[OP_FOR] || own.has[OP_WHILE]; /* The minimizer turns other loops into a plain for. */
	return pattern_is_part(p, &own);
}

bool pattern_is_leaf(const struct pattern *p)
{
	for (int i = 0; i < OP_COUNT; i++)
		if (p->has[i] && op_table[i].n_region)
			return false;
	return true;
}

bool pattern_hangs_on(const struct pattern *p, const struct node *n)
{
	return p->has[name_of(n, NULL)] && (n->n_region || pattern_is_leaf(p));
}

bool pattern_explains(const struct pattern *smaller, const struct pattern *larger)
{
	bool leaf = false;

	for (int i = 0; i < PATTERN_SIZE; i++)
		leaf = leaf || (smaller->has[i] && (i >= OP_COUNT || !op_table[i].n_region));
	return leaf && pattern_is_part(smaller, larger);
}
