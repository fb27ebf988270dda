/* cause.c: the paragraph at the top of a report: which derivative is wrong, in words, how, and on which condition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "how.h"
#include "rows.h"

/* ---- which operands ---- */

enum { SHOWN = 4 };

struct blame {
	const struct variant_table *table;
	struct use use[LAB_USES];
	int n_use;
	bool wrong[LAB_USES]; /* by name: in some row */
	bool right[LAB_USES]; /* in all rows, and one shows it */
	/* right in the typical case; wrong in other programs, or in the typical case if other inputs are differentiated
	 */
	bool also[LAB_USES], together[LAB_USES];
	enum how how[LAB_USES];
	double factor[LAB_USES];
};

static int use_named(const struct blame *b, const char *name)
{
	for (int i = 0; i < b->n_use; i++)
		if (!strcmp(b->use[i].name, name))
			return i;
	return -1;
}

static bool all_zero(const struct variant_row *r)
{
	const double *expected, *returned;
	bool zero = true;

	for (int i = 0, n = how_numbers(r, &expected, &returned); i < n; i++)
		zero &= expected[i] == 0;
	return zero;
}

/* What is wrong inside a region says nothing new if an operand or a capture of the op with the region is wrong. */
static void leave_inner(struct blame *b)
{
	bool outer = false;

	for (int i = 0; i < b->n_use; i++)
		outer |= b->wrong[i] && b->use[i].top;
	for (int i = 0; i < b->n_use; i++)
		b->wrong[i] &= !outer || b->use[i].top;
}

/* Collects the operands of rows whose cell 1 is so; NULL: of all rows.  Whether any is wrong. */
static bool collect(struct blame *b, const struct variant_table *t, const char *only)
{
	bool any = false, passes[LAB_USES] = {false};

	memset(b->wrong, 0, sizeof b->wrong);
	for (int i = 0; t && i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];
		const int at = use_named(b, r->cell[0]);
		double factor;
		enum how how;

		if (at < 0 || !r->decided || (only && strcmp(r->cell[1], only) != 0))
			continue;
		if (!r->fails) {
			passes[at] |= !all_zero(r);
			continue;
		}
		how = how_wrong(r, &factor);
		b->how[at] = b->wrong[at] ? how_both(b->how[at], how) : how;
		if (b->wrong[at] && how == HOW_FACTOR && !(fabs(factor / b->factor[at] - 1) < 1e-3))
			b->how[at] = HOW_OTHER;
		b->factor[at] = factor;
		b->wrong[at] = any = true;
	}
	for (int i = 0; i < b->n_use; i++)
		b->right[i] = passes[i] && !b->wrong[i] && b->use[i].top;
	leave_inner(b);
	return any;
}

/* Whether the use has the name, or the group, of an earlier one. */
static bool named_before(const struct blame *b, const bool *set, int i, bool group)
{
	for (int k = 0; k < i; k++)
		if (set[k] &&
		    !strcmp(group ? b->use[k].group : b->use[k].name, group ? b->use[i].group : b->use[i].name))
			return true;
	return false;
}

/* Whether the set holds several operands of one group, and no operand of that group is outside of it. */
static bool whole_group(const struct blame *b, const bool *set, int i)
{
	int names = 0;

	for (int k = 0; k < b->n_use; k++) {
		if (strcmp(b->use[k].group, b->use[i].group) != 0)
			continue;
		if (!set[k])
			return false;
		names += !named_before(b, set, k, false);
	}
	return names > 1;
}

/* "the bounds of clamp and the initial carry of for"; *n: how many things that are. */
static const char *set_text(struct lab *l, const struct blame *b, const bool *set, int *n)
{
	const char *item[LAB_USES], *text = "";
	int items = 0;

	*n = 0;
	for (int i = 0; i < b->n_use; i++) {
		const bool group = set[i] && whole_group(b, set, i);

		if (!set[i] || named_before(b, set, i, group) || named_before(b, set, i, false))
			continue;
		item[items++] = group ? b->use[i].group : b->use[i].name;
		*n += 1 + group;
	}
	for (int i = 0; i < items && i < SHOWN; i++)
		text = LAB_TEXT(l, "%s%sthe %s", text, !i ? "" : i == items - 1 ? " and " : ", ", item[i]);
	return items > SHOWN ? LAB_TEXT(l, "%s and %d other operands", text, items - SHOWN) : text;
}

/* ---- the paragraph ---- */

/* "gradient", "derivative"; of an order above 1 or a batch, what it is. */
static const char *derivative_word(struct lab *l)
{
	static const char *const orders[] = {"second", "third"};
	const struct testcase *c = l->base;
	const struct transform *t = request_outermost(c->transform, c->n_transform);
	const int order = request_order(c->transform, c->n_transform);
	const bool batched = order < c->n_transform;

	if (order > 3)
		return batched ? "batched higher derivative" : "higher derivative";
	if (order > 1)
		return LAB_TEXT(l, "%s%s derivative", batched ? "batched " : "", orders[order - 2]);
	if (t && t->kind == TRANSFORM_JVP)
		return batched ? "batched derivative" : "derivative";
	return batched ? "batched gradient" : "gradient";
}

/*
 * Whether the op of the smallest case may be nearly any other one of its family.  Then another op of the case is to
 * blame, and this one only makes its operand.
 */
static bool is_carrier(const struct lab *l, enum op op)
{
	enum { SUBSTITUTES = 4 };
	const struct variant_table *t = lab_find(l, "ops");
	int fail = 0, pass = 0;

	for (int i = 0; t && i < t->n_row; i++)
		if (!strcmp(t->row[i].cell[1], op_table[op].name) &&
		    strcmp(t->row[i].cell[2], op_table[op].name) != 0) {
			fail += row_fails(&t->row[i], NULL);
			pass += row_passes(&t->row[i], NULL) && t->row[i].of && t->row[i].expected != 0;
		}
	return fail >= SUBSTITUTES && fail > 2 * pass;
}

/* Some other op of the smallest case that is no carrier; OP_CONSTANT: there is none. */
static enum op other_cause(struct lab *l, enum op than)
{
	for (struct walk w = walk_nodes(&l->base->program.top); walk_next(&w);)
		if (w.node->op != OP_CONSTANT && w.node->op != than && !is_carrier(l, w.node->op))
			return w.node->op;
	return OP_CONSTANT;
}

/* Whether another comparison in place of this one fails too.  Then it only makes a truth value for an op to blame. */
static bool is_any_comparison(const struct lab *l, enum op op)
{
	const struct variant_table *t = lab_find(l, "ops");

	for (int i = 0; t && i < t->n_row && op_table[op].family == FAMILY_COMPARE; i++)
		if (!strcmp(t->row[i].cell[1], op_table[op].name) &&
		    strcmp(t->row[i].cell[2], op_table[op].name) != 0 && row_fails(&t->row[i], NULL))
			return true;
	return false;
}

/* Whether the ops of the smallest case that no other op may replace are enough to name. */
static bool names_causes(struct lab *l)
{
	for (struct walk w = walk_nodes(&l->base->program.top); walk_next(&w);)
		if (w.node->op != OP_CONSTANT && !is_carrier(l, w.node->op) && !is_any_comparison(l, w.node->op))
			return true;
	return false;
}

/* What is asked about where the smallest case has no ops: its results, and those of the typical case if it has none. */
static const char *plain_results(const struct lab *l)
{
	const struct program *const p[] = {&l->base->program, &l->typical->program};
	bool input = false, constant = false;

	for (int k = 0; k < 2; k++) {
		bool has[OP_COUNT] = {false};

		region_ops(&p[k]->top, has);
		has[OP_CONSTANT] = false;
		if (memchr(has, true, sizeof has))
			continue;
		for (int i = 0; i < p[k]->top.n_result; i++) {
			const int of = p[k]->top.result[i] - p[k]->top.param;

			input |= of >= 0 && of < p[k]->top.n_param;
			constant |= of < 0 || of >= p[k]->top.n_param;
		}
	}
	return input && constant ? "an input or a constant that is a result"
	    : constant           ? "a constant that is a result"
	                         : "an input that is a result";
}

/* carriers: also the ops that may be nearly any other one. */
static const char *ops_of_base(struct lab *l, bool carriers)
{
	const char *text = "";

	for (struct walk w = walk_nodes(&l->base->program.top); walk_next(&w);)
		if (w.node->op != OP_CONSTANT &&
		    (carriers || (!is_carrier(l, w.node->op) && !is_any_comparison(l, w.node->op))) &&
		    !strstr(text, op_table[w.node->op].name))
			text = LAB_TEXT(l, "%s%s%s", text, *text ? " and " : "", op_table[w.node->op].name);
	return *text ? text : plain_results(l);
}

/* What is wrong with answers that are no numbers, or whose values are wrong. */
static const char *about_answers(struct lab *l)
{
	const char *ops = ops_of_base(l, l->finding.verdict != VERDICT_WRONG_PRIMAL || !names_causes(l));

	switch (l->finding.verdict) {
	case VERDICT_WRONG_PRIMAL:
		return LAB_TEXT(l, "The value of %s is wrong, before any derivative.", ops);
	case VERDICT_CRASH:
		return LAB_TEXT(
		    l, "The %s on %s.", l->raised ? "engine answers an error" : "engine's process dies", ops);
	case VERDICT_HANG:
		return LAB_TEXT(l, "The engine does not come to an end on %s.", ops);
	case VERDICT_OOM:
		return LAB_TEXT(l, "The engine takes more memory than it may on %s.", ops);
	case VERDICT_PROTOCOL:
		return LAB_TEXT(l, "The engine's answer about %s breaks the protocol.", ops);
	case VERDICT_NONDETERMINISTIC:
		return LAB_TEXT(l, "The engine's answers about %s differ from run to run.", ops);
	case VERDICT_INPUT_MODIFIED:
		return LAB_TEXT(l, "The engine writes into its inputs on %s.", ops);
	case VERDICT_BAD_SHAPE:
		return LAB_TEXT(l, "The engine's answer about %s has the wrong shape.", ops);
	case VERDICT_BAD_DTYPE:
		return LAB_TEXT(l, "The engine's answer about %s has the wrong dtype.", ops);
	default:
		return NULL;
	}
}

/* The operands that are wrong in that way: "with respect to X it is 0".  Takes them out of b->wrong. */
static const char *about_one_way(struct lab *l, struct blame *b, bool first)
{
	bool set[LAB_USES] = {false};
	const char *word = derivative_word(l), *text;
	int at = 0, n;

	while (!b->wrong[at])
		at++;
	for (int i = at; i < b->n_use; i++) {
		set[i] = b->wrong[i] && b->how[i] == b->how[at] &&
		    (b->how[i] != HOW_FACTOR || fabs(b->factor[i] / b->factor[at] - 1) < 1e-3);
		b->wrong[i] &= !set[i];
	}
	text = set_text(l, b, set, &n);
	if (first)
		return LAB_TEXT(l, "The %s%s with respect to %s %s", word, n > 1 ? "s" : "", text,
		    how_text(l, b->how[at], b->factor[at], n > 1));
	return LAB_TEXT(l, "%s with respect to %s %s", n > 1 ? "those" : "that", text,
	    how_text(l, b->how[at], b->factor[at], n > 1));
}

static bool any_wrong(const struct blame *b)
{
	for (int i = 0; i < b->n_use; i++)
		if (b->wrong[i])
			return true;
	return false;
}

/* Looks for rows that refute that the derivative with respect to the other operands is right.  The first use stands for
 * those of its name. */
static void refute_right(const struct lab *l, struct blame *b, bool alone)
{
	for (int i = 0; i < b->n_use; i++) {
		const struct use *u = &b->use[i];

		if (b->wrong[i] || !u->top || use_named(b, u->name) != i)
			continue;
		b->also[i] = lab_fails_alone(l, u) || (b->right[i] && lab_fails_in_small_loop(l, u));
		for (int k = 0; alone && b->table && !b->also[i] && k < b->table->n_row; k++)
			b->together[i] |= row_fails(&b->table->row[k], NULL) &&
			    !strcmp(b->table->row[k].cell[0], u->name);
		b->right[i] &= !b->also[i] && !b->together[i];
	}
}

/* Fills b; whether an operand is wrong.  *alone: it is so where it alone is differentiated. */
static bool find_blame(struct lab *l, struct blame *b, bool *alone)
{
	bool any;

	*b = (struct blame){.table = lab_find(l, "contributions")};
	b->n_use = lab_uses(l, b->use);
	*alone = collect(b, b->table, "alone");
	any = *alone || collect(b, b->table, "with the others");
	/* the typical case may be undecided by each operand alone */
	if (!any && (any = collect(b, lab_find(l, "alone"), NULL)))
		*alone = true;
	if (any)
		refute_right(l, b, *alone);
	for (int i = 0; i < b->n_use; i++)
		if (b->wrong[i] && is_carrier(l, b->use[i].op) && other_cause(l, b->use[i].op) != OP_CONSTANT)
			return false;
	return any;
}

int lab_blamed(struct lab *l, struct blamed out[LAB_USES])
{
	const bool value = l->finding.verdict == VERDICT_WRONG_PRIMAL || !l->base->n_transform;
	struct blame b;
	bool alone;
	int n = 0;

	/* a value that is wrong is so whatever is differentiated */
	if (!value && find_blame(l, &b, &alone))
		for (int i = 0; i < b.n_use; i++)
			if (b.wrong[i] || b.also[i] || b.together[i])
				out[n++] = (struct blamed){b.use[i].op, b.use[i].role, false};
	if (n)
		return n;
	for (struct walk w = walk_nodes(&l->base->program.top); walk_next(&w) && n < LAB_USES;)
		if (w.node->op != OP_CONSTANT && !is_carrier(l, w.node->op) && !is_any_comparison(l, w.node->op))
			out[n++] = (struct blamed){w.node->op, NULL, value};
	return n;
}

bool lab_drops(struct lab *l)
{
	struct blame b;
	bool alone, drops = find_blame(l, &b, &alone);

	for (int i = 0; i < b.n_use; i++)
		drops &= !b.wrong[i] || b.how[i] == HOW_DROPPED || b.how[i] == HOW_PARTLY_DROPPED;
	return drops;
}

int lab_blamed_ops(struct lab *l, enum op out[LAB_USES])
{
	struct blamed blamed[LAB_USES];
	int n = 0;

	for (int i = 0, all = lab_blamed(l, blamed); i < all; i++) {
		bool before = false;

		for (int k = 0; k < n; k++)
			before |= out[k] == blamed[i].op;
		if (!before)
			out[n++] = blamed[i].op;
	}
	return n;
}

/* Whether a row is wrong by the factor of an operand to blame. */
static bool has_factor(const struct blame *b, const struct variant_row *r)
{
	double factor;

	if (how_wrong(r, &factor) != HOW_FACTOR)
		return false;
	for (int i = 0; i < b->n_use; i++)
		if (b->wrong[i] && b->how[i] == HOW_FACTOR && fabs(factor / b->factor[i] - 1) < 1e-3)
			return true;
	return false;
}

/* Whether the rows of a table are enough to say that the factor of an operand to blame is an accident. */
static bool shows_other_factors(const struct blame *b, const struct variant_table *t)
{
	enum { FEW = 4 };
	int fails = 0, alike = 0;

	for (int i = 0; t && i < t->n_row; i++)
		if (row_fails(&t->row[i], NULL) && t->row[i].of) {
			fails++;
			alike += has_factor(b, &t->row[i]);
		}
	return fails >= FEW && 3 * alike < 2 * fails;
}

/* A factor that other sizes, numbers or iterations do not have says nothing about the mistake. */
static void leave_accidental_factors(struct lab *l, struct blame *b)
{
	static const char *const varied[] = {"sizes", "attributes", "values", "trips", "iterations"};
	bool accident = false;

	for (size_t k = 0; k < sizeof varied / sizeof *varied; k++)
		accident = accident || shows_other_factors(b, lab_find(l, varied[k]));
	for (int i = 0; i < b->n_use; i++)
		if (b->how[i] == HOW_FACTOR && accident)
			b->how[i] = HOW_OTHER;
}

/* Whether table `contributions` shows several operands, and none of them wrong. */
static bool right_by_each(const struct blame *b)
{
	int names = 0;

	for (int i = 0; i < b->n_use; i++) {
		if (b->wrong[i])
			return false;
		names += b->right[i] && !named_before(b, b->right, i, false);
	}
	return names > 1;
}

/* Whether the smallest case has several ops, and nearly any others may take the place of each. */
static bool several_carriers(struct lab *l)
{
	return other_cause(l, OP_CONSTANT) == OP_CONSTANT && strstr(ops_of_base(l, true), " and ");
}

/* " In other programs the gradients with respect to X are wrong too."; "": the set is empty. */
static const char *about_others(struct lab *l, const struct blame *b, const bool *set, const char *where)
{
	int n;
	const char *text = set_text(l, b, set, &n);

	return !n ? ""
	          : LAB_TEXT(l, " %s the %s%s with respect to %s %s wrong too.", where, derivative_word(l),
	                n > 1 ? "s" : "", text, n > 1 ? "are" : "is");
}

/* Which operands are wrong, and which are right. */
static const char *about_operands(struct lab *l)
{
	struct blame b;
	const char *text = "", *right;
	bool alone;
	int n;

	if (!find_blame(l, &b, &alone) || lab_fails_for_any_op(l))
		return LAB_TEXT(l, "The %s of %s%s is wrong%s.", derivative_word(l),
		    lab_fails_for_any_op(l) || several_carriers(l) ? "operations such as " : "",
		    ops_of_base(l, other_cause(l, OP_CONSTANT) == OP_CONSTANT),
		    right_by_each(&b) ? ", though it is right with respect to each single operand" : "");
	leave_accidental_factors(l, &b);
	right = set_text(l, &b, b.right, &n);
	for (bool first = true; any_wrong(&b); first = false)
		text = LAB_TEXT(l, "%s%s%s", text, first ? "" : "; ", about_one_way(l, &b, first));
	text = LAB_TEXT(l, "%s%s.", text, alone ? "" : ", if other inputs are differentiated too");
	text = LAB_TEXT(l, "%s%s%s", text, about_others(l, &b, b.also, "In other programs"),
	    about_others(l, &b, b.together, "Where other inputs are differentiated too,"));
	return n ? LAB_TEXT(l, "%s With respect to %s it is right.", text, right) : text;
}

/* Whether the cause repeats the statement.  If no operation is to blame, it says nothing about one. */
static bool is_in_cause(struct lab *l, const char *id)
{
	static const char *const always[] = {"counts", "carries", "positions", "directions", "small-loops",
	    "single-seeds", "single-points", "kinds-of-loops", "in-batch", "stacks"};
	static const char *const of_an_op[] = {"family", "mixed"};
	bool is = !strcmp(id, "dtypes") && lab_dtype_decides(l);

	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		is |= !strcmp(id, always[i]);
	for (size_t i = 0; i < sizeof of_an_op / sizeof *of_an_op; i++)
		is |= !strcmp(id, of_an_op[i]) && !lab_fails_for_any_op(l);
	return is;
}

void lab_tell_cause(struct lab *l)
{
	const struct transform *t = request_outermost(l->base->transform, l->base->n_transform);
	const char *text = about_answers(l);

	if (!text)
		text = t ? about_operands(l) : LAB_TEXT(l, "The value of %s is wrong.", ops_of_base(l, true));
	for (int i = 0; i < l->out->n_statement; i++)
		if (is_in_cause(l, l->out->statement[i].id))
			text = LAB_TEXT(l, "%s %s", text, l->out->statement[i].text);
	l->out->cause = LAB_TEXT(l, "%s%s", text, lab_about_condition(l));
}
