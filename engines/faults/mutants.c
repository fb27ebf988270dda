/* mutants.c: the walk over single edits, and edits of partials and of packed tangents. */
#include "mutants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"

/* ---- expressions ---- */

/* An edit that does not compile, or changes nothing, is no mutant. */
static void try_expression(struct mutant_walk *m, const struct mutant_text *of, const char *text)
{
	struct expression edited;

	if (strlen(text) >= EXPRESSION_TEXT || !strcmp(text, of->text) || !expression_compile(&edited, text, NULL))
		return;
	if (mutant_here(m, "%s, partial by %c: %s for %s", op_table[of->op].name, "abc"[of->k], text, of -> text))
		*of->expression = edited;
}

static void mutate_tokens(struct mutant_walk *m, enum op op, int k, struct expression *partial)
{
	static const char *const names[][2] = {{"sin", "cos"}, {"sinh", "cosh"}, {"exp", "expm1"}, {"log", "log1p"},
	    {"sqrt", "sq"}, {"abs", "sign"}, {"gt", "ge"}, {"lt", "le"}, {"eq", "ne"}, {"max", "min"},
	    {"floor", "trunc"}};
	const struct expression right = *partial;
	const struct mutant_text of = {.op = op,
	    .k = k,
	    .text = right.text,
	    .names = names,
	    .n_names = sizeof names / sizeof *names,
	    .attempt = try_expression,
	    .expression = partial};

	mutant_tokens(m, &of);
}

static void mutate_partials(struct mutant_walk *m, enum op op, struct expression partial[RULE_PARTIALS])
{
	for (int k = 0; k < RULE_PARTIALS; k++) {
		struct expression edited, *p = &partial[k];
		char text[MUTANT_CODE];

		if (!p->n)
			continue;
		if (mutant_here(m, "%s: no contribution by %c", op_table[op].name, "abc"[k]))
			expression_known(p, "0");
		snprintf(text, sizeof text, "-(%s)", p->text);
		if (strlen(text) < EXPRESSION_TEXT && expression_compile(&edited, text, NULL) &&
		    mutant_here(m, "%s: the sign of the partial by %c", op_table[op].name, "abc"[k]))
			*p = edited;
		mutate_tokens(m, op, k, p);
	}
	if (partial[0].n && partial[1].n && strcmp(partial[0].text, partial[1].text) &&
	    mutant_here(m, "%s: the partials by a and b change places", op_table[op].name)) {
		struct expression a = partial[0];

		partial[0] = partial[1];
		partial[1] = a;
	}
}

/* ---- packed tangents ---- */

static int all_but_last(int n_traced) { return n_traced - 1; }

static int in_reverse(const int *argnums, int n_traced, int i)
{
	(void)argnums;
	return n_traced - 1 - i;
}

static void mutate_tangent_row(struct mutant_walk *m, enum op op)
{
	struct tangent_rule *row = &m->self->tangent.row[op];
	const char *name = op_table[op].name;

	mutate_partials(m, op, row->partial);
	if (op_table[op].regularity == REGULARITY_STEP || op_table[op].regularity == REGULARITY_DISCRETE)
		return;
	if (!row->partial[0].n && mutant_here(m, "%s: the sign of the tangent", name))
		row->scale = -1;
	if (mutant_here(m, "%s: the tangent twice", name))
		row->scale = 2;
	if (mutant_here(m, "%s: the last tangent is not read", name))
		row->packing.terms = all_but_last;
	if (op_table[op].n_arg != 1 && mutant_here(m, "%s: the tangents are read in reverse order", name))
		row->packing.pick = in_reverse;
}

/* ---- the walk ---- */

static void mutate_adjoint_row(struct mutant_walk *m, enum op op)
{
	struct adjoint_rule *row = &m->self->adjoint.row[op];

	if (op_table[op].regularity == REGULARITY_STEP || op_table[op].regularity == REGULARITY_DISCRETE)
		return;
	mutate_partials(m, op, row->partial);
	mutate_adjoint_structure(m, op);
}

/* Walks up to edit m->wanted, or over all if that is -1. */
static void walk(struct mutant_walk *m)
{
	struct engine *self = m->self;
	int index = m->wanted;
	bool forward = self->kind == &forward_kind, compiled = self->kind == &compiled_kind,
	     implicit = self->kind == &implicit_kind;
	bool aot = self->kind == &aot_kind, rows = !compiled && !implicit && !aot;

	if (compiled)
		mutate_compiled(m);
	if (aot)
		mutate_aot(m);
	for (int op = 0; rows && op < OP_COUNT && (m->count <= index || index < 0); op++) {
		if (op_table[op].n_region)
			continue;
		if (forward && self->tangent.row[op].structure)
			mutate_tangent_row(m, (enum op)op);
		else if (!forward && self->adjoint.row[op].structure)
			mutate_adjoint_row(m, (enum op)op);
	}
	if (forward)
		mutate_custom_seams(m, &self->tangent.custom);
	if (implicit)
		mutate_implicit_seams(m);
	else if (rows && !forward)
		mutate_adjoint_seams(m);
}

bool mutant_meets(struct engine *self, const char *equivalent)
{
	struct mutant_walk m = {.self = self, .wanted = -1, .sought = equivalent};

	walk(&m);
	return m.met;
}

bool mutant_make(struct engine *self, int index, char text[MUTANT_TEXT])
{
	struct mutant_walk m = {.self = self, .wanted = index};

	walk(&m);
	memcpy(text, m.text, sizeof m.text);
	return index >= 0 && index < m.count;
}

static bool mutate(struct engine *self, const char *args, struct error *e)
{
	char text[MUTANT_TEXT], *end = NULL;
	long index = *args >= '0' && *args <= '9' ? strtol(args, &end, 10) : -1;

	if (!end || *end || index > INT32_MAX)
		return error_set(e, NULL, "fault mutant: expected mutant:N, not mutant:%.40s", args);
	if (!mutant_make(self, (int)index, text))
		return error_set(e, NULL, "engine %s has no mutant %ld ('adjudge faults --mutants' lists them)",
		    self->kind->name, index);
	return true;
}

const struct edits plant_mutant = {.compute = mutate};
