/*
 * mutants_edit.c: one edit of the walk: whether it counts, and whether it is the one to make; edits of a text's tokens.
 */
#include "mutants.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

bool mutant_here(struct mutant_walk *m, const char *format, ...)
{
	char text[MUTANT_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	m->met |= m->sought && !strcmp(text, m->sought);
	/* An edit that changes nothing that is judged is no mutant. */
	if (is_equivalent(text) || m->count++ != m->wanted)
		return false;
	memcpy(m->text, text, sizeof text);
	return true;
}

/* ---- texts ---- */

/* Names that are easily confused, either way. */
static const char *confused_name(const struct mutant_text *of, const char *name, int len)
{
	for (int i = 0; i < of->n_names; i++)
		for (int side = 0; side < 2; side++)
			if ((int)strlen(of->names[i][side]) == len && !memcmp(of->names[i][side], name, (size_t)len))
				return of->names[i][1 - side];
	return NULL;
}

/*
 * A variable that may be read for another one by mistake: an operand for an operand, the result for a single operand.
 */
static const char *confused_variable(char variable, int n_arg)
{
	if (n_arg == 1)
		return variable == 'a' ? "y" : "a";
	return variable == 'a' ? "b" : "a";
}

static bool is_operand_end(char c) { return c == ')' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

/* Replaces text[at .. at + len). */
static void replace(struct mutant_walk *m, const struct mutant_text *of, int at, int len, const char *replacement)
{
	char text[MUTANT_CODE];
	int n = snprintf(text, sizeof text, "%.*s%s%s", at, of->text, replacement, of->text + at + len);

	if (n > 0 && n < (int)sizeof text)
		of->attempt(m, of, text);
}

void mutant_tokens(struct mutant_walk *m, const struct mutant_text *of)
{
	const char *text = of->text;

	for (int at = 0, len; text[at]; at += len) {
		const char *replacement = NULL;
		char number[EXPRESSION_TEXT];

		len = (int)strspn(text + at, "abcdefghijklmnopqrstuvwxyz_");
		if (len) {
			len += (int)strspn(text + at + len, "0123456789");
			replacement = len == 1 ? confused_variable(text[at], op_table[of->op].n_arg)
			                       : confused_name(of, text + at, len);
		} else if ((len = (int)strspn(text + at, "0123456789."))) {
			if (text[at + len] == 'e')
				len += 1 + (int)strspn(text + at + len + 1, "-0123456789");
			snprintf(number, sizeof number, "(2*%.*s)", len, text + at);
			replacement = len == 1 && text[at] == '0' ? "1" : number;
		} else {
			bool binary = at > 0 && is_operand_end(text[at - 1]);

			len = 1;
			switch (text[at]) {
			case '+':
				replacement = "-";
				break;
			case '-':
				replacement = binary ? "+" : " ";
				break;
			case '*':
				replacement = "/";
				break;
			case '/':
				replacement = "*";
				break;
			default:
				break;
			}
		}
		if (replacement)
			replace(m, of, at, len, replacement);
		if (m->count > m->wanted && m->wanted >= 0)
			return;
	}
}
