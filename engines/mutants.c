/* mutants.c: the walk over single edits, and those that are edits of the text of a partial. */
#include "mutants.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults.h"

const struct equivalent mutants_equivalent[] = {
#define EQUIVALENT(text, why) {text, why},
#include "mutants_equivalent.def"
#undef EQUIVALENT
    {NULL, NULL}};

static bool is_equivalent(const char *text)
{
	for (const struct equivalent *e = mutants_equivalent; e->text; e++)
		if (!strcmp(e->text, text))
			return true;
	return false;
}

bool mutant_here(struct mutator *m, const char *format, ...)
{
	char text[MUTANT_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	m->met |= m->sought && !strcmp(text, m->sought);
	/* What changes nothing that is judged is no mutant. */
	if (is_equivalent(text) || m->count++ != m->wanted)
		return false;
	memcpy(m->text, text, sizeof text);
	return true;
}

/* ---- texts ---- */

enum { MUTANT_CODE = 2 * EXPRESSION_TEXT };

/* Names that are easily confused, either way. */
static const char *confused_name(const struct mutant_text *of, const char *name, int len)
{
	for (int i = 0; i < of->n_names; i++)
		for (int side = 0; side < 2; side++)
			if ((int)strlen(of->names[i][side]) == len && !memcmp(of->names[i][side], name, (size_t)len))
				return of->names[i][1 - side];
	return NULL;
}

/* The variables that may be read for another by mistake: an operand for an operand, the result for the only one. */
static const char *confused_variable(char variable, int n_arg)
{
	if (n_arg == 1)
		return variable == 'a' ? "y" : "a";
	return variable == 'a' ? "b" : "a";
}

static bool is_operand_end(char c)
{
	return c == ')' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

/* text[at .. at + len) replaced. */
static void replace(struct mutator *m, const struct mutant_text *of, int at, int len, const char *replacement)
{
	char text[MUTANT_CODE];
	int n = snprintf(text, sizeof text, "%.*s%s%s", at, of->text, replacement, of->text + at + len);

	if (n > 0 && n < (int)sizeof text)
		of->attempt(m, of, text);
}

void mutant_tokens(struct mutator *m, const struct mutant_text *of)
{
	const char *text = of->text;

	for (int at = 0, len; text[at]; at += len) {
		const char *replacement = NULL;
		char number[EXPRESSION_TEXT];

		len = (int)strspn(text + at, "abcdefghijklmnopqrstuvwxyz_");
		if (len) {
			len += (int)strspn(text + at + len, "0123456789");
			replacement = len == 1 ? confused_variable(text[at], op_table[of->op].n_arg) : confused_name(of, text + at, len);
		} else if ((len = (int)strspn(text + at, "0123456789."))) {
			if (text[at + len] == 'e')
				len += 1 + (int)strspn(text + at + len + 1, "-0123456789");
			snprintf(number, sizeof number, "(2*%.*s)", len, text + at);
			replacement = len == 1 && text[at] == '0' ? "1" : number;
		} else {
			bool binary = at > 0 && is_operand_end(text[at - 1]);

			len = 1;
			switch (text[at]) {
			case '+': replacement = "-"; break;
			case '-': replacement = binary ? "+" : " "; break;
			case '*': replacement = "/"; break;
			case '/': replacement = "*"; break;
			default: break;
			}
		}
		if (replacement)
			replace(m, of, at, len, replacement);
		if (m->count > m->wanted && m->wanted >= 0)
			return;
	}
}

/* ---- expressions ---- */

/* What does not compile, or changes nothing, is no mutant. */
static void try_expression(struct mutator *m, const struct mutant_text *of, const char *text)
{
	struct expression edited;

	if (strlen(text) >= EXPRESSION_TEXT || !strcmp(text, of->text) || !expression_compile(&edited, text, NULL))
		return;
	if (mutant_here(m, "%s, partial by %c: %s for %s", op_table[of->op].name, "abc"[of->k], text, of->text))
		*of->expression = edited;
}

static void mutate_tokens(struct mutator *m, enum op op, int k, struct expression *partial)
{
	static const char *const names[][2] = {
	    {"sin", "cos"}, {"sinh", "cosh"}, {"exp", "expm1"}, {"log", "log1p"}, {"sqrt", "sq"}, {"abs", "sign"}, {"gt", "ge"},
	    {"lt", "le"}, {"eq", "ne"}, {"max", "min"}};
	const struct expression right = *partial;
	const struct mutant_text of = {.op = op, .k = k, .text = right.text, .names = names, .n_names = sizeof names / sizeof *names,
	    .attempt = try_expression, .expression = partial};

	mutant_tokens(m, &of);
}

void mutate_partials(struct mutator *m, enum op op, struct expression partial[RULE_PARTIALS])
{
	for (int k = 0; k < RULE_PARTIALS; k++) {
		struct expression edited, *p = &partial[k];
		char text[MUTANT_CODE];

		if (!p->n)
			continue;
		if (mutant_here(m, "%s: no contribution by %c", op_table[op].name, "abc"[k]))
			expression_compile(p, "0", NULL);
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

static int all_but_last(int n_traced)
{
	return n_traced - 1;
}

static int in_reverse(const int *argnums, int n_traced, int i)
{
	(void)argnums;
	return n_traced - 1 - i;
}

static void mutate_tangent_row(struct mutator *m, enum op op)
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

static void mutate_adjoint_row(struct mutator *m, enum op op)
{
	struct adjoint_rule *row = &m->self->adjoint.row[op];

	if (op_table[op].regularity == REGULARITY_STEP || op_table[op].regularity == REGULARITY_DISCRETE)
		return;
	mutate_partials(m, op, row->partial);
	mutate_adjoint_structure(m, op);
}

/* Up to edit m->wanted, or over all when that is -1. */
static void walk(struct mutator *m)
{
	struct engine *self = m->self;
	int index = m->wanted;
	bool forward = self->kind == &forward_kind, compiled = self->kind == &compiled_kind, implicit = self->kind == &implicit_kind;
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
	struct mutator m = {.self = self, .wanted = -1, .sought = equivalent};

	walk(&m);
	return m.met;
}

bool mutant_make(struct engine *self, int index, char text[MUTANT_TEXT])
{
	struct mutator m = {.self = self, .wanted = index};

	walk(&m);
	memcpy(text, m.text, sizeof m.text);
	return index >= 0 && index < m.count;
}

/* Engines whose rules are not the tables edited here have no row "mutant" in faults.def. */
static bool has_mutants(const char *engine)
{
	const struct fault_info *row;
	size_t len = strlen(engine);

	for (int k = 0; (row = fault_row(k)) != NULL; k++)
		if (!strncmp(row->spec, engine, len) && row->spec[len] == '+' && !strcmp(row->slug, "mutant"))
			return true;
	return false;
}

bool mutant_row(const char *engine, int index, char text[MUTANT_TEXT])
{
	if (!has_mutants(engine))
		return false;
	struct engine *self = engine_open_here(engine, NULL);
	bool made = self && mutant_make(self, index, text);

	engine_close(self);
	return made;
}

static bool mutate(struct engine *self, const char *args, struct error *e)
{
	char text[MUTANT_TEXT], *end = NULL;
	long index = *args >= '0' && *args <= '9' ? strtol(args, &end, 10) : -1;

	if (!end || *end || index > INT32_MAX)
		return error_set(e, NULL, "fault mutant: expected mutant:N, not mutant:%.40s", args);
	if (!mutant_make(self, (int)index, text))
		return error_set(e, NULL, "engine %s has no mutant %ld ('adjudge faults --mutants' lists them)", self->kind->name, index);
	return true;
}

const struct edits plant_mutant = {.compute = mutate};
