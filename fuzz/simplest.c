/* simplest.c: the simplest case behind a minimal one, by writing out what an engine may have written out, and which of its ops matter. */
#include "simplest.h"

#include <math.h>
#include <string.h>

#include "../engines/aot.h"
#include "../engines/aot_nested.h"
#include "../engines/lower.h"
#include "../engines/stack.h"
#include "campaign.h"
#include "minimize.h"
#include "minimize_edit.h"

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
	struct bench_result as_is, written;

	if (!inner && !has_derived_op(&c->program))
		return false;
	bench_judge(one, c, a, &as_is);
	for (int n = inner; n >= 0; n--) {
		for (int scans = 0; scans < 2; scans++) {
			int same = 0;

			if ((!n && !has_derived_op(&c->program)) || !write_levels(c, n, scans, a, out))
				continue;
			bench_judge(one, out, a, &written);
			while (same < c->n_point && same_answer(&as_is.answer[0][same], &written.answer[0][same]))
				same++;
			if (verdict_is_finding[written.judgement[0].verdict] && same == c->n_point)
				return true;
		}
	}
	return false;
}

/* ---- any finding, no new op ---- */

struct any_finding {
	struct bench *bench;
	bool op[OP_COUNT]; /* of the case that it began with */
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

static bool shows_any(void *self, const struct testcase *c, struct arena *scratch)
{
	struct any_finding *any = self;
	bool op[OP_COUNT] = {false};
	struct bench_result r;

	ops_of(&c->program.top, op);
	for (int i = 0; i < OP_COUNT; i++)
		if (op[i] && !any->op[i] && i != OP_CONSTANT)
			return false;
	if (any->hangs >= SAME_HANGS)
		return false;
	bench_judge(any->bench, c, scratch, &r);
	any->hangs += r.judgement[0].verdict == VERDICT_HANG;
	return verdict_is_finding[r.judgement[0].verdict];
}

struct testcase simplest_case(struct bench *one, const struct testcase *minimal, int budget, struct arena *a)
{
	struct any_finding any = {.bench = one};
	struct minimize_statistics stats;
	struct testcase from;

	if (!write_out(one, minimal, a, &from))
		from = *minimal;
	ops_of(&from.program.top, any.op);
	return minimize(&from, shows_any, &any, budget, a, &stats);
}

/* ---- roles ---- */

static const enum op unary_siblings[] = {OP_NEG, OP_SQUARE, OP_SIN, OP_EXP};
static const enum op binary_siblings[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV};
static const enum op singular_siblings[] = {OP_SQRT, OP_LOG, OP_RSQRT}; /* at 0 */
enum { SIBLINGS = 4, SINGULAR_SIBLINGS = 3 };

static bool is_float(const struct program *p, const struct node *n)
{
	return n->n_arg && dtype_is_float(p->type[n->arg[0]].dtype) && dtype_is_float(p->type[n->out].dtype);
}

static bool edit_shows(struct bench *one, struct edit *e)
{
	struct bench_result r;

	if (!edit_finish(e, false))
		return false;
	bench_judge(one, &e->c, e->arena, &r);
	return verdict_is_finding[r.judgement[0].verdict];
}

static bool sibling_shows(struct bench *one, const struct testcase *c, int site, enum op op, struct arena *a)
{
	struct edit e = {.c = testcase_copy(c, a), .arena = a};
	struct site s;

	edit_site(&e, site, &s);
	s.node->op = op;
	return edit_shows(one, &e);
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

static bool is_incidental(struct bench *one, const struct testcase *c, int site, const struct node *n, struct arena *a)
{
	const enum op *sibling = n->n_arg == 1 ? unary_siblings : binary_siblings;
	int tried = 0, shown = 0;

	for (int i = 0; i < SIBLINGS; i++) {
		if (sibling[i] == n->op)
			continue;
		tried++;
		shown += sibling_shows(one, c, site, sibling[i], a);
	}
	return 2 * shown > tried;
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
	struct bench_result r;
	struct site s;
	bool leak;

	bench_judge(one, c, a, &r);
	leak = r.judgement[0].verdict == VERDICT_NAN_LEAK;
	for (int k = 0; edit_site(&look, k, &s); k++) {
		enum family family = op_table[s.node->op].family;
		bool elementwise = (family == FAMILY_UNARY || family == FAMILY_BINARY) && is_float(&c->program, s.node);

		role[k] = ROLE_OWN;
		if (elementwise && is_incidental(one, c, k, s.node, a))
			role[k] = ROLE_ELEMENTWISE;
		else if (elementwise && leak && op_table[s.node->op].domain != DOMAIN_ALL && is_singular(one, c, k, s.node, a))
			role[k] = ROLE_SINGULAR;
	}
}
