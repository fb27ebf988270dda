/* simplest.c: the simplest case behind a minimal one, by writing out what an engine may have written out, and which of its ops matter. */
#include "simplest.h"

#include <math.h>
#include <string.h>

#include "../engines/aot.h"
#include "../engines/aot_nested.h"
#include "../engines/engine.h"
#include "../engines/lower.h"
#include "../engines/stack.h"
#include "minimize.h"
#include "minimize_edit.h"
#include "same_signature.h"

/* Two orders of summation of the same wrong derivative differ by far less, two bugs by far more. */
static const double same_number = 1e-3;

/* ---- levels written out ---- */

/* c with its `n` innermost levels as its program, batches as an engine without rules for them does them (scans) or with; false: not a case. */
static bool write_levels(const struct testcase *c, int n, bool scans, struct arena *a, struct testcase *out)
{
	struct aot_rules rules = aot_rules_right;
	int above = request_order(c->transform + n, c->n_transform - n);
	struct program below = lower_fixed_points(&c->program, false, a);
	struct error e = {0};

	if (scans)
		rules.guard = NULL;
	*out = *c;
	if (program_has_derivative(&below) && !aot_lower(&below, request_order(c->transform, c->n_transform) + 1, &rules, a, &below, &e))
		return false;
	out->program = below;
	if (n && !aot_levels(&below, c->transform, n, above, &rules, a, &out->program, &e))
		return false;
	out->transform += n;
	out->n_transform -= n;
	return testcase_check(out, &e);
}

static bool same_tensor(const struct tensor *x, const struct tensor *y)
{
	if (!type_equal(&x->type, &y->type))
		return false;
	for (int i = 0; i < shape_elements(&x->type.shape) && dtype_is_float(x->type.dtype); i++) {
		double p = x->at[i].f, q = y->at[i].f;

		if (p == q || (isnan(p) && isnan(q)))
			continue;
		if (!(fabs(p - q) <= same_number * fmax(fabs(p), fabs(q))))
			return false;
	}
	return true;
}

/* Whether the derivatives of x, or its results where it has none, are those of y; of a request that is written out whole, the results. */
static bool same_answer(const struct answer *x, const struct answer *y)
{
	const struct tensor *p = x->n_derivative ? x->derivative : x->primal, *q = y->n_derivative ? y->derivative : y->primal;
	int n = x->n_derivative ? x->n_derivative : x->n_primal;

	if (x->status != y->status || (y->n_derivative ? y->n_derivative : y->n_primal) != n)
		return false;
	for (int d = 0; x->status == ANSWER_OK && d < n; d++)
		if (!same_tensor(&p[d], &q[d]))
			return false;
	return true;
}

/* Ops that are said in others before most engines see them. */
static bool has_derived_op(const struct program *p)
{
	return program_has_derivative(p) || region_has_op(&p->top, OP_FIXED_POINT);
}

static bool write_out(struct bench *one, const struct testcase *c, struct arena *a, struct testcase *out)
{
	int inner = stack_inner(c);
	struct answer *as_is, *written;
	struct judgement j;

	if (!inner && !has_derived_op(&c->program))
		return false;
	as_is = NEW(a, struct answer, c->n_point);
	written = NEW(a, struct answer, c->n_point);
	engine_answer(one->engine[0], c, a, as_is);
	for (int n = inner; n >= 0; n--) {
		for (int scans = 0; scans < 2; scans++) {
			int same = 0;

			if ((!n && !has_derived_op(&c->program)) || !write_levels(c, n, scans, a, out))
				continue;
			engine_answer(one->engine[0], out, a, written);
			while (same < c->n_point && same_answer(&as_is[same], &written[same]))
				same++;
			if (same == c->n_point && shows_finding(one, out, a, &j))
				return true;
		}
	}
	return false;
}

/* ---- any finding, no new op ---- */

struct any_finding {
	struct bench *bench;
	bool op[OP_COUNT]; /* of the case that it began with */
	bool loop;         /* one of which is a loop */
	refuse_case_fn *refuse;
	void *context;
	int hangs;
};

static void ops_of(const struct region *r, bool op[OP_COUNT])
{
	for (int i = 0; i < r->n_node; i++) {
		op[r->node[i].op] = true;
		for (int k = 0; k < r->node[i].n_region; k++)
			ops_of(&r->node[i].region[k], op);
	}
}

static bool is_loop(enum op op)
{
	enum family family = op_table[op].family;

	return family == FAMILY_FOR || family == FAMILY_WHILE || family == FAMILY_SCAN || family == FAMILY_FIXED_POINT;
}

static bool shows(struct any_finding *any, const struct testcase *c, struct arena *a)
{
	struct judgement j;
	bool shows = shows_finding(any->bench, c, a, &j);

	any->hangs += j.verdict == VERDICT_HANG;
	return shows;
}

/* Whether c, which shows a finding, shows none with one iteration in place of every loop: what is inside is right on its own. */
static bool loop_is_to_blame(struct any_finding *any, const struct testcase *c, struct arena *a)
{
	struct edit e = {.c = testcase_copy(c, a), .arena = a};
	struct site s;

	for (int k = 0; edit_site(&e, k, &s);)
		if (!edit_loop(s.node).is_loop || !edit_hoist(&e, &s, 0))
			k++;
	return edit_finish(&e, false) && !shows(any, &e.c, a);
}

/* What the plainest loop is made of (minimize_loops.c). */
static bool is_of_plain_loop(enum op op)
{
	return op == OP_FOR || op == OP_MUL || op == OP_ADD;
}

static bool shows_any(void *self, const struct testcase *c, struct arena *scratch)
{
	struct any_finding *any = self;
	bool op[OP_COUNT] = {false}, is_new = false;

	if (any->refuse && any->refuse(any->context, c))
		return false;
	ops_of(&c->program.top, op);
	for (int i = 0; i < OP_COUNT; i++) {
		if (!op[i] || any->op[i] || i == OP_CONSTANT)
			continue;
		if (!any->loop || !is_of_plain_loop((enum op)i))
			return false;
		is_new = true;
	}
	return any->hangs < SAME_HANGS && shows(any, c, scratch) && (!is_new || loop_is_to_blame(any, c, scratch));
}

struct testcase simplest_case(struct bench *one, const struct testcase *minimal, int budget, refuse_case_fn *refuse, void *context, struct arena *a)
{
	struct any_finding any = {.bench = one, .refuse = refuse, .context = context};
	struct minimize_statistics stats;
	struct testcase from;

	if (!write_out(one, minimal, a, &from))
		from = *minimal;
	if (refuse && refuse(context, &from)) /* as it was written out */
		any.refuse = NULL;
	ops_of(&from.program.top, any.op);
	for (int i = 0; i < OP_COUNT; i++)
		any.loop = any.loop || (any.op[i] && is_loop((enum op)i));
	return minimize(&from, shows_any, &any, budget, a, &stats);
}

/* ---- roles ---- */

static const enum op unary_siblings[] = {OP_SQUARE, OP_SIN, OP_EXP, OP_TANH}; /* none linear */
static const enum op binary_siblings[] = {OP_MUL, OP_DIV, OP_POW, OP_ATAN2};
static const enum op singular_siblings[] = {OP_SQRT, OP_LOG, OP_RSQRT}; /* at 0 */
enum { SIBLINGS = 4, SINGULAR_SIBLINGS = 3 };

/* The operands that a derivative may pass; at most two, the first ones, go to out[]. */
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

/* Whether an elementwise op can take the place of the node: of its operands, of two of them, or of one and a number. */
static bool has_siblings(const struct program *p, const struct node *n)
{
	int operand[2], count = float_operands(p, n, operand);

	return !n->n_region && n->n_out == 1 && dtype_is_float(p->type[n->out].dtype) && count &&
	    (count == 2 || op_table[n->op].family != FAMILY_BINARY);
}

static bool broadcasts_to(const struct shape *from, const struct shape *to)
{
	for (int d = 1; d <= from->rank; d++)
		if (d > to->rank || (from->extent[from->rank - d] != 1 && from->extent[from->rank - d] != to->extent[to->rank - d]))
			return false;
	return true;
}

static bool edit_shows(struct bench *one, struct edit *e)
{
	struct judgement j;

	return edit_finish(e, false) && shows_finding(one, &e->c, e->arena, &j);
}

/* `op` of the node's float operands in its place; number: of operand `number`, and 2 in the shape of the result, as a number is broadcast to it (-1: no number). */
static bool form_shows(struct bench *one, const struct testcase *c, int site, enum op op, int number, struct arena *a)
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
	return edit_shows(one, &e);
}

static bool sibling_shows(struct bench *one, const struct testcase *c, int site, const struct node *n, enum op op, struct arena *a)
{
	if (form_shows(one, c, site, op, -1, a))
		return true;
	return !is_elementwise(n->op) && (form_shows(one, c, site, op, 0, a) || form_shows(one, c, site, op, 1, a));
}

/* `op` of 0 in place of the node, 0 being operand k minus itself. */
static bool singular_shows(struct bench *one, const struct testcase *c, int site, enum op op, int k, struct arena *a)
{
	struct edit e = {.c = testcase_copy(c, a), .arena = a};
	struct node zero = {.op = OP_SUB, .n_arg = 2, .n_out = 1};
	struct node *n;
	struct site s;

	edit_site(&e, site, &s);
	zero.arg = NEW(a, int, 2);
	zero.arg[0] = zero.arg[1] = s.node->arg[k];
	zero.out = edit_new_values(&e, edit_type(&e, zero.arg[0]), 1);
	edit_insert_node(&e, s.region, s.index, &zero);
	n = &s.region->node[s.index + 1];
	n->op = op;
	n->n_arg = 1;
	n->arg[0] = zero.out;
	return edit_shows(one, &e);
}

/* Of a node that has some. */
static enum role role_among_siblings(struct bench *one, const struct testcase *c, int site, const struct node *n, struct arena *a)
{
	const bool unary = op_table[n->op].family == FAMILY_UNARY;
	const enum op *sibling = unary ? unary_siblings : binary_siblings, linear = unary ? OP_NEG : OP_ADD;
	int tried = 0, shown = 0;

	for (int i = 0; i < SIBLINGS; i++) {
		if (sibling[i] == n->op)
			continue;
		tried++;
		shown += sibling_shows(one, c, site, n, sibling[i], a);
	}
	if (2 * shown <= tried)
		return ROLE_OWN;
	return n->op == linear || n->op == OP_SUB || sibling_shows(one, c, site, n, linear, a) ? ROLE_ELEMENTWISE : ROLE_NONLINEAR;
}

static bool is_singular(struct bench *one, const struct testcase *c, int site, const struct node *n, struct arena *a)
{
	int shown = 0;

	for (int i = 0; i < SINGULAR_SIBLINGS; i++)
		for (int k = 0, shows = 0; k < n->n_arg && !shows; k++)
			shown += shows = singular_shows(one, c, site, singular_siblings[i], k, a);
	return 2 * shown > SINGULAR_SIBLINGS;
}

void simplest_roles(struct bench *one, const struct testcase *c, struct arena *a, enum role *role)
{
	struct edit look = {.c = *c};
	struct judgement j;
	struct site s;
	const bool leak = shows_finding(one, c, a, &j) && j.verdict == VERDICT_NAN_LEAK;

	for (int k = 0; edit_site(&look, k, &s); k++) {
		const bool elementwise = is_elementwise(s.node->op) && has_siblings(&c->program, s.node);

		role[k] = has_siblings(&c->program, s.node) ? role_among_siblings(one, c, k, s.node, a) : ROLE_OWN;
		if (elementwise && role[k] == ROLE_OWN && leak && op_table[s.node->op].domain != DOMAIN_ALL && is_singular(one, c, k, s.node, a))
			role[k] = ROLE_SINGULAR;
	}
}
