/* simplest.c: the simplest case behind a minimal one, by writing out what an engine may have written out, and which of its ops matter. */
#include "simplest.h"

#include <math.h>
#include <string.h>

#include "../engines/aot.h"
#include "../engines/aot_nested.h"
#include "../engines/engine.h"
#include "../engines/lower.h"
#include "../engines/stack.h"
#include "fine_signature.h"
#include "minimize.h"
#include "minimize_edit.h"
#include "same_signature.h"

/* Two orders of summation of the same wrong derivative differ by far less, two bugs by far more. */
static const double same_number = 1e-3;

/* ---- the engine ---- */

enum {
	STEADY_RUNS = 32, /* that agree are of an engine that answers alike */
	UNSTEADY_RUNS = 32
};

/* How often one engine is asked before it counts as right. */
struct look {
	struct bench *bench;
	int runs;
};

static bool same_answer(const struct answer *x, const struct answer *y);

static struct look look_at(struct bench *one, const struct testcase *c, struct arena *a)
{
	struct look look = {one, 1};
	struct answer *first = NEW(a, struct answer, c->n_point), *again = NEW(a, struct answer, c->n_point);

	engine_answer(one->engine[0], c, a, first);
	for (int run = 1; run < STEADY_RUNS && look.runs == 1 && first->status == ANSWER_OK; run++) {
		engine_answer(one->engine[0], c, a, again);
		for (int k = 0; k < c->n_point; k++)
			look.runs = same_answer(&first[k], &again[k]) ? look.runs : UNSTEADY_RUNS;
	}
	return look;
}

static bool finds(const struct look *look, const struct testcase *c, struct arena *a, struct judgement *j)
{
	return shows_finding_once(look->bench, c, look->runs, a, j);
}

/* ---- levels written out ---- */

/* Ways to write a derivative as a program, of which an engine has one. */
struct formulation {
	bool scans;  /* batches as an engine without rules for them does them */
	int further; /* orders that op derivative is written for beyond what is asked: masks, so that these are right too */
};
static const struct formulation formulations[] = {{false, 0}, {true, 0}, {false, 1}, {true, 1}};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

/* c with its `n` innermost levels as its program; false: not a case. */
static bool write_levels(const struct testcase *c, int n, const struct formulation *f, struct arena *a, struct testcase *out)
{
	struct aot_rules rules = aot_rules_right;
	int above = request_order(c->transform + n, c->n_transform - n);
	struct program below = lower_fixed_points(&c->program, false, a);
	struct error e = {0};

	if (f->scans)
		rules.guard = NULL;
	*out = *c;
	if (program_has_derivative(&below) && !aot_lower(&below, request_order(c->transform, c->n_transform) + f->further, &rules, a, &below, &e))
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

/* c with some inner levels written out: as many as possible, of those with which the engine gives the answers as_is, or any of the same verdict where that is NULL. */
static bool write_out(const struct look *look, const struct testcase *c, const struct answer *as_is, enum verdict verdict, struct arena *a, struct testcase *out)
{
	struct answer *written = NEW(a, struct answer, c->n_point);
	struct judgement j;

	for (int n = stack_inner(c); n >= 0; n--) {
		for (int f = 0; f < FORMULATIONS; f++) {
			int same = 0;

			if ((!n && !has_derived_op(&c->program)) || !write_levels(c, n, &formulations[f], a, out))
				continue;
			if (as_is)
				engine_answer(look->bench->engine[0], out, a, written);
			while (as_is && same < c->n_point && same_answer(&as_is[same], &written[same]))
				same++;
			if ((!as_is || same == c->n_point) && finds(look, out, a, &j) && (as_is || j.verdict == verdict || look->runs > 1))
				return true;
		}
	}
	return false;
}

/*
 * The same wrong numbers say that it is the same bug.  Others do so too where what is wrong hangs on the order of contributions, which the engine has in its own way: a bug of a
 * lower order is there in any case, and is to be mended before more can be said.
 */
static bool write_levels_out(const struct look *look, const struct testcase *c, struct arena *a, struct testcase *out)
{
	struct answer *as_is = NEW(a, struct answer, c->n_point);
	struct judgement j;

	if ((!stack_inner(c) && !has_derived_op(&c->program)) || !finds(look, c, a, &j))
		return false;
	engine_answer(look->bench->engine[0], c, a, as_is);
	return write_out(look, c, as_is, j.verdict, a, out) || write_out(look, c, NULL, j.verdict, a, out);
}

/* ---- any finding, no new op ---- */

struct any_finding {
	struct look look;
	bool op[OP_COUNT]; /* of the case that it began with */
	bool loop;         /* one of which is a loop */
	struct judgement of; /* that case */
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

static bool is_weak_zero(const struct judgement *j)
{
	return j->verdict == VERDICT_NAN_LEAK && j->weak_zero;
}

/* What 0 times infinity may have made is never another finding, nor one about numbers one that has none, nor the reverse. */
static bool same_kind(const struct judgement *x, const struct judgement *y)
{
	return is_weak_zero(x) == is_weak_zero(y) && (x->verdict == y->verdict || (verdict_of_numbers(x->verdict) && verdict_of_numbers(y->verdict)));
}

static bool shows(struct any_finding *any, const struct testcase *c, struct arena *a)
{
	struct judgement j;
	bool shows = finds(&any->look, c, a, &j) && same_kind(&j, &any->of);

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

/* The smallest case of any finding, with the ops of `from`; of those that `refuse` does not want, unless that is `from` itself, as it was written out. */
static struct testcase smallest(const struct look *look, const struct testcase *from, int budget, refuse_case_fn *refuse, void *context, struct arena *a)
{
	struct any_finding any = {.look = *look, .refuse = refuse && refuse(context, from) ? NULL : refuse, .context = context};
	struct minimize_statistics stats;

	finds(look, from, a, &any.of);
	ops_of(&from->program.top, any.op);
	for (int i = 0; i < OP_COUNT; i++)
		any.loop = any.loop || (any.op[i] && is_loop((enum op)i));
	return minimize(from, shows_any, &any, budget, a, &stats);
}

/* Levels that cannot be written out at once, for the program is too large, can be when a smaller case is left of it: each round leaves fewer. */
struct testcase simplest_case(struct bench *one, const struct testcase *minimal, int budget, refuse_case_fn *refuse, void *context, struct arena *a)
{
	const struct look look = look_at(one, minimal, a);
	struct testcase c = *minimal, from;
	bool written = write_levels_out(&look, &c, a, &from);

	if (!written)
		return smallest(&look, &c, budget, refuse, context, a);
	for (; written; written = write_levels_out(&look, &c, a, &from))
		c = smallest(&look, &from, budget, refuse, context, a);
	return c;
}

/* ---- roles ---- */

static const enum op unary_siblings[] = {OP_SQUARE, OP_SIN, OP_EXP, OP_TANH}; /* none linear */
static const enum op binary_siblings[] = {OP_MUL, OP_DIV, OP_POW, OP_ATAN2};
enum { SIBLINGS = 4 };

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

static bool edit_shows(const struct look *look, struct edit *e)
{
	struct judgement j;

	return edit_finish(e, false) && finds(look, &e->c, e->arena, &j);
}

/* `op` of the node's float operands in its place; number: of operand `number`, and 2 in the shape of the result, as a number is broadcast to it (-1: no number). */
static bool form_shows(const struct look *look, const struct testcase *c, int site, enum op op, int number, struct arena *a)
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
	return edit_shows(look, &e);
}

static bool sibling_shows(const struct look *look, const struct testcase *c, int site, const struct node *n, enum op op, struct arena *a)
{
	if (form_shows(look, c, site, op, -1, a))
		return true;
	return !is_elementwise(n->op) && (form_shows(look, c, site, op, 0, a) || form_shows(look, c, site, op, 1, a));
}

/* Of a node that has some. */
static enum role role_among_siblings(const struct look *look, const struct testcase *c, int site, const struct node *n, struct arena *a)
{
	const bool twice = n->n_arg == 2 && n->arg[0] == n->arg[1]; /* x / x is a constant */
	const bool unary = twice || op_table[n->op].family == FAMILY_UNARY;
	const enum op *sibling = unary ? unary_siblings : binary_siblings, linear = unary ? OP_NEG : OP_ADD;
	int tried = 0, shown = 0;

	for (int i = 0; i < SIBLINGS; i++) {
		if (sibling[i] == n->op)
			continue;
		tried++;
		shown += sibling_shows(look, c, site, n, sibling[i], a);
	}
	if (2 * shown <= tried)
		return ROLE_OWN;
	return n->op == linear || n->op == OP_SUB || sibling_shows(look, c, site, n, linear, a) ? ROLE_ELEMENTWISE : ROLE_NONLINEAR;
}

/* ---- writes ---- */

bool op_writes(enum op op)
{
	const enum family family = op_table[op].family;

	return family == FAMILY_SCATTER || family == FAMILY_SLICE_SCATTER || family == FAMILY_DYNAMIC_UPDATE_SLICE;
}

/* Scatter `op` in the place of a write: of the same operands, or of an update of as many rows as its first ones. */
static bool write_shows(const struct look *look, const struct testcase *c, int site, enum op op, struct arena *a)
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
		return edit_shows(look, &e);
	}
	to = edit_type(&e, n->arg[0]);
	from = edit_type(&e, n->arg[1]);
	if (!to->shape.rank || memcmp(to->shape.extent + 1, from->shape.extent + 1, (size_t)(to->shape.rank - 1) * sizeof *to->shape.extent))
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
	return edit_shows(look, &e);
}

static enum role role_of_write(const struct look *look, const struct testcase *c, int site, const struct node *n, struct arena *a)
{
	static const enum op sibling[] = {OP_SCATTER_SET, OP_SCATTER_ADD, OP_SCATTER_MUL};
	int tried = 0, shown = 0;

	for (size_t i = 0; i < sizeof sibling / sizeof *sibling; i++) {
		tried += sibling[i] != n->op;
		shown += sibling[i] != n->op && write_shows(look, c, site, sibling[i], a);
	}
	return 2 * shown > tried ? ROLE_WRITE : ROLE_OWN;
}

void simplest_roles(struct bench *one, const struct testcase *c, struct arena *a, enum role *role)
{
	struct edit sites = {.c = *c};
	const struct look look = look_at(one, c, a);
	struct site s;

	for (int k = 0; edit_site(&sites, k, &s); k++) {
		role[k] = has_siblings(&c->program, s.node) ? role_among_siblings(&look, c, k, s.node, a) : ROLE_OWN;
		if (role[k] == ROLE_OWN && op_writes(s.node->op))
			role[k] = role_of_write(&look, c, k, s.node, a);
	}
}
