/* Every mutant opens, and differs from the right tables in something; the numbering ends. */
#include <stdio.h>
#include <string.h>

#include "engines/faults/mutants.h"
#include "tests/check.h"

/* ---- a table of mutants: what edits look like ---- */

static const struct {
	const char *engine, *says;
} rows[] = {
    {"forward", "sin: no contribution by a"},
    {"forward", "cos, partial by a:  sin(a) for -sin(a)"},
    {"forward", "mul, partial by a: a for b"},
    {"forward", "div: the partials by a and b change places"},
    {"forward", "select: the tangents are read in reverse order"},
    {"tape", "exp, partial by a: expm1(a) for exp(a)"},
    {"tape", "mul: operands are read in their latest state"},
    {"tape", "gather: indices are one too large"},
    {"tape", "leaves: inputs of equal values are one"},
    {"tape", "unbroadcast: the last element stands for the sum"},
    {"functional", "scatter_add: indices outside the axis are treated in another mode"},
    {"functional", "loops: saved iterations are read in forward order"},
    {"functional", "accumulate: a contribution replaces the sum"},
    {"compiled", "slice_scatter: the result has the strides of operand a"},
    {"compiled", "scatter_add: assigns"},
    {"compiled", "float sub: the constant may be on the other side (0)"},
    {"compiled", "loops: carries are overwritten one by one"},
    {"implicit", "solutions: what is pulled back is subtracted"},
    {"aot", "exp, partial by a: stop_gradient(exp(a)) for exp(a)"},
    {"aot", "mul, partial by a: a for b"},
    {"aot", "logsumexp: the sign of what it contributes"},
    {"aot", "strong zero: a zero derivative is multiplied all the same"},
};

static void check_rows(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (!row_wanted("%s", rows[i].says))
			continue;
		char text[MUTANT_TEXT];
		int found = 0;

		for (int n = 0; mutant_row(rows[i].engine, n, text); n++)
			found += !strcmp(text, rows[i].says);
		CHECK(found == 1, "%s: %d times \"%s\"", rows[i].engine, found, rows[i].says);
	}
}

/* ---- edits that are no mutants ---- */

/* Each is an edit that the walk over some engine's tables comes by. */
static void check_equivalent(void)
{
	for (const struct equivalent *e = mutants_equivalent; e->text; e++) {
		bool met = false;

		for (int k = 0; engine_names[k] && !met; k++) {
			struct engine *right = engine_open(engine_names[k], NULL);

			met = mutant_meets(right, e->text);
			engine_close(right);
		}
		CHECK(met, "no rule to edit: %s", e->text);
	}
}

/* ---- laws ---- */

static bool same_partials(const struct expression *a, const struct expression *b)
{
	for (int k = 0; k < RULE_PARTIALS; k++)
		if (strcmp(a[k].text, b[k].text) || a[k].n != b[k].n)
			return false;
	return true;
}

static bool same_tangent_row(const struct tangent_rule *a, const struct tangent_rule *b)
{
	return same_partials(a->partial, b->partial) && a->structure == b->structure && a->scale == b->scale &&
	    a->unscaled == b->unscaled && a->packing.terms == b->packing.terms &&
	    a->packing.operand == b->packing.operand && a->packing.pick == b->packing.pick &&
	    a->packing.out_arity == b->packing.out_arity && a->primal == b->primal;
}

static bool same_adjoint_row(const struct adjoint_rule *a, const struct adjoint_rule *b)
{
	return same_partials(a->partial, b->partial) && a->structure == b->structure && a->scale == b->scale &&
	    a->unscaled == b->unscaled && a->join == b->join && a->saved == b->saved && a->pops == b->pops;
}

static int compiled_differences(const struct compiled_rules *a, const struct compiled_rules *b)
{
	int n = 0;

	for (int op = 0; op < OP_COUNT; op++)
		n += memcmp(&a->row[op], &b->row[op], sizeof a->row[op]) != 0;
	for (int k = 0; k < COMPILED_IDENTITIES; k++)
		n += memcmp(&a->identity[k], &b->identity[k], sizeof a->identity[k]) != 0;
	n += a->same != b->same;
	n += a->overwrites != b->overwrites;
	n += a->dies != b->dies;
	n += a->alive != b->alive;
	n += a->outlives != b->outlives;
	n += a->sets_aside != b->sets_aside;
	return n;
}

static bool same_aot_row(const struct aot_rule *a, const struct aot_rule *b)
{
	for (int k = 0; k < 3; k++)
		if ((a->partial[k] || b->partial[k]) && strcmp(a->partial[k], b->partial[k]) != 0)
			return false;
	return a->push == b->push && a->pull == b->pull && a->scale == b->scale && a->unscaled == b->unscaled;
}

static int custom_differences(const struct custom_rules *a, const struct custom_rules *b)
{
	return (a->operand != b->operand) + (a->applies != b->applies) + (a->direction != b->direction) +
	    (a->absent != b->absent) + (a->active != b->active) + (a->given != b->given);
}

/* Rows and seams in which two engines differ. */
static int differences(const struct engine *a, const struct engine *b)
{
	const struct adjoint_rules *x = &a->adjoint, *y = &b->adjoint;
	int n = 0;

	for (int op = 0; op < OP_COUNT; op++)
		n += !same_tangent_row(&a->tangent.row[op], &b->tangent.row[op]) +
		    !same_adjoint_row(&x->row[op], &y->row[op]);
	for (int op = 0; op < OP_COUNT; op++)
		n += !same_aot_row(&a->aot.row[op], &b->aot.row[op]);
	n += a->aot.product != b->aot.product;
	n += a->aot.running_term != b->aot.running_term;
	n += a->aot.reversed != b->aot.reversed;
	n += a->aot.capture != b->aot.capture;
	n += a->aot.rule_reads != b->aot.rule_reads;
	n += a->aot.slots != b->aot.slots;
	n += x->multiply != y->multiply;
	n += x->accumulate != y->accumulate;
	n += x->unbroadcast != y->unbroadcast;
	n += x->carry_active != y->carry_active;
	n += x->residual_index != y->residual_index;
	n += x->loop.passes != y->loop.passes;
	n += x->loop.residual_carry != y->loop.residual_carry;
	n += x->loop.xs_row != y->loop.xs_row;
	n += x->loop.xs_cotangent_row != y->loop.xs_cotangent_row;
	n += x->loop.carry_flows != y->loop.carry_flows;
	n += x->loop.slot != y->loop.slot;
	n += x->loop.accumulator != y->loop.accumulator;
	n += x->loop.result != y->loop.result;
	n += x->implicit.iterate != y->implicit.iterate;
	n += x->implicit.ends != y->implicit.ends;
	n += x->implicit.enters != y->implicit.enters;
	n += x->implicit.join != y->implicit.join;
	n += custom_differences(&x->custom, &y->custom) + custom_differences(&a->tangent.custom, &b->tangent.custom);
	n += x->same_leaf != y->same_leaf;
	n += x->overwrites != y->overwrites;
	n += x->finish != y->finish;
	return n + compiled_differences(&a->compiled, &b->compiled);
}

/* An edit is of the row of the op that its text begins with, or of a seam. */
static void check_edited(const struct engine *mutant, const char *text)
{
	bool row[OP_COUNT], rows_alone = engine_edited_rows(mutant, row);
	int edited = 0;

	for (int op = 0; op < OP_COUNT; op++) {
		size_t len = strlen(op_table[op].name);

		edited += row[op];
		CHECK(!row[op] || (!strncmp(text, op_table[op].name, len) && strchr(",:", text[len])), "%s: row of %s",
		    text, op_table[op].name);
	}
	CHECK(edited == rows_alone, "%s: %d rows edited", text, edited);
}

static void check_engine(const char *name)
{
	struct engine *right = engine_open(name, NULL);
	struct error e = {.text = ""};
	char text[MUTANT_TEXT], spec[64];
	bool row[OP_COUNT];
	int n = 0;

	CHECK(right && differences(right, right) == 0 && engine_edited_rows(right, row), "%s", name);
	for (; mutant_row(name, n, text); n++) {
		struct engine *mutant;

		snprintf(spec, sizeof spec, "%s+mutant:%d", name, n);
		mutant = engine_open(spec, &e);
		CHECK(mutant, "%s: %s", spec, e.text);
		if (!mutant)
			continue;
		CHECK(!engine_is_right(mutant) && differences(right, mutant) == 1, "%s (%s): %d edits", spec, text,
		    differences(right, mutant));
		check_edited(mutant, text);
		for (const struct equivalent *q = mutants_equivalent; q->text; q++)
			CHECK(strcmp(text, q->text) != 0, "%s is listed: %s", spec, text);
		CHECK(strlen(text) > 5 && strlen(text) + 1 < MUTANT_TEXT && !strchr(text, '\n'), "%s: \"%s\"", spec,
		    text);
		engine_close(mutant);
	}
	CHECK(n > (strcmp(name, "implicit") ? 100 : 8), "%s: %d mutants", name, n); /* only its own seams */
	snprintf(spec, sizeof spec, "%s+mutant:%d", name, n);
	CHECK(!engine_open(spec, &e) && strstr(e.text, "has no mutant"), "%s: %s", spec, e.text);
	CHECK(!mutant_row(name, -1, text), "%s", name);
	engine_close(right);
}

static void check_bad_specs(void)
{
	static const char *const specs[] = {"tape+mutant", "tape+mutant:", "tape+mutant:x", "tape+mutant:-1",
	    "tape+mutant:1x", "tape+mutant:99999999999"};

	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		if (!row_wanted("bad specs: %s", specs[i]))
			continue;
		struct error e = {.text = ""};

		CHECK(!engine_open(specs[i], &e) && strstr(e.text, "mutant:N"), "%s: %s", specs[i], e.text);
	}
}

int main(int argc, char **argv)
{
	char text[MUTANT_TEXT];

	check_begin(argc, argv);
	check_rows();
	CHECK_LAW(check_equivalent());
	for (int i = 0; engine_names[i]; i++)
		check_engine(engine_names[i]);
	check_bad_specs();
	CHECK(!mutant_row("no such engine", 0, text), "an unknown engine");
	return check_done();
}
