/* cause_condition.c: the end of the paragraph on the cause: on which condition it fails. */
#include <string.h>

#include "graph/walk.h"
#include "lab.h"

/* The share of variants that a condition predicts, in percent. */
static int percent_right(const struct condition *c)
{
	const int n = c->failing + c->passing;

	return n ? 100 * (c->failing_with + c->passing_without) / n : 0;
}

static bool has_statement(const struct lab *l, const char *id)
{
	for (int i = 0; i < l->out->n_statement; i++)
		if (!strcmp(l->out->statement[i].id, id))
			return true;
	return false;
}

/* Whether the condition does no more than count iterations or ties, of which a sentence before it says how many there
 * must be. */
static bool repeats_counts(const struct lab *l, const struct condition *c)
{
	bool counts = false, stated = false;

	static const char *const repeated[][2] = {
	    {"a loop runs more than", "iterations of the loop"}, {"is at a tie", "elements that are the"}};

	for (size_t k = 0; k < sizeof repeated / sizeof *repeated; k++) {
		for (int i = 0; i < c->n_term && c->n_term == 1; i++)
			counts |= strstr(c->term[i].sentence, repeated[k][0]) != NULL;
		for (int i = 0; i < l->out->n_statement; i++)
			stated |= !strcmp(l->out->statement[i].id, "counts") &&
			    strstr(l->out->statement[i].text, repeated[k][1]);
		if (counts && stated)
			return true;
		counts = stated = false;
	}
	return false;
}

/* What the failure needs, by the pair of cases that says most; "": not known, or the condition says it. */
static const char *about_need(const struct lab *l)
{
	if (l->out->told)
		return "";
	for (int i = 0; i < l->out->n_statement; i++)
		if (!strcmp(l->out->statement[i].id, "needed"))
			return l->out->statement[i].text;
	return "";
}

/* Whether both say the same: "It fails only if X." and "It fails where X." */
static bool repeats_need(const char *need, const struct condition *c)
{
	static const char only[] = "It fails only if ", where[] = "It fails where ";

	return !strncmp(need, only, sizeof only - 1) && !strncmp(c->text, where, sizeof where - 1) &&
	    !strcmp(need + sizeof only - 1, c->text + sizeof where - 1);
}

/* A condition that is not always right is told if it tells most variants apart: by how much more of them must fail
 * where it holds than elsewhere.  Beside what small loops show, it must be stronger. */
static const double strong = 0.65, stronger = 0.8;

static bool is_strong(const struct condition *c, double apart)
{
	const int passing_with = c->passing - c->passing_without, with = c->failing_with + passing_with;

	return !strncmp(c->text, "It fails", 8) && with && c->failing + c->passing > with &&
	    (double)c->failing_with / with - (double)(c->failing - c->failing_with) / (c->failing + c->passing - with) >
	    apart;
}

/* The same condition, with how often it holds. */
static const char *about_strong(struct lab *l, const struct condition *c)
{
	const int with = c->failing_with + c->passing - c->passing_without;

	return LAB_TEXT(l, "It mostly%.*s: %d of %d such variants fail, and %d of %d others.", (int)strlen(c->text) - 3,
	    c->text + 2, c->failing_with, with, c->failing - c->failing_with, c->failing + c->passing - with);
}

/* Whether the rows with the op and the attribute of row i all pass, and i is the first of them. */
static bool is_right_attribute(const struct variant_table *t, int i)
{
	const struct variant_row *own = &t->row[i];

	if (!own->decided || !own->of || own->expected == 0)
		return false;
	for (int k = 0; k < t->n_row; k++) {
		const struct variant_row *r = &t->row[k];
		const bool alike = !strcmp(r->cell[0], own->cell[0]) && !strcmp(r->cell[1], own->cell[1]);

		if (alike && (r->fails || k < i))
			return false;
	}
	return true;
}

/* Attributes with which it is right, of which there may be few variants: "cumsum axis 1"; "": there are none. */
static const char *right_attributes(struct lab *l)
{
	enum { MOST = 3 };
	const struct variant_table *t = lab_find(l, "attributes");
	const char *text = "";
	int n = 0;

	for (int i = 0; t && i < t->n_row && n < MOST; i++)
		if (is_right_attribute(t, i)) {
			text = LAB_TEXT(l, "%s%s%s %s", text, n ? ", " : "", t->row[i].cell[0], t->row[i].cell[1]);
			n++;
		}
	return text;
}

/* Whether a condition speaks of an op of the smallest case. */
static bool names_an_op(const struct lab *l, const struct condition *c)
{
	for (struct walk w = walk_nodes(&l->base->program.top); walk_next(&w);) {
		const char *name = op_table[w.node->op].name, *at;
		const size_t n = strlen(name);

		for (int i = 0; i < c->n_term; i++)
			for (at = c->term[i].sentence; (at = strstr(at, name)) != NULL; at += n)
				if ((at == c->term[i].sentence || at[-1] == ' ') && (!at[n] || strchr(" ,", at[n])))
					return true;
	}
	return false;
}

/*
 * "It fails where ...": with the guesses if none of them predicts enough, after a need if there is one.  Without a
 * condition if the experiment of counts has told it better.
 */
static const char *about_condition(struct lab *l)
{
	enum { GUESS_PERCENT = 85 }; /* a worse guess misleads */
	const struct condition *c = l->told;
	const char *text, *need = about_need(l);

	if (!c)
		return *need ? LAB_TEXT(l, " %s", need) : "";
	if (c->always && c->passing && has_statement(l, "directions")) /* which tells what it needs */
		return "";
	if (c->always && c->passing && *(text = right_attributes(l)))
		return LAB_TEXT(
		    l, " %d of %d variants fail. It is right with %s.", c->failing, c->failing + c->passing, text);
	if (c->always)
		return c->passing ? LAB_TEXT(l, " It needs no further condition: %d of %d variants fail.", c->failing,
		                        c->failing + c->passing)
		                  : LAB_TEXT(l, " It needs no further condition: all %d variants fail.", c->failing);
	if (l->out->told && has_statement(l, "directions") && names_an_op(l, c))
		return "";
	if (l->out->told)
		return repeats_counts(l, c) ? "" : LAB_TEXT(l, " %s", c->text);
	if (has_statement(l, "counts") && (!is_strong(c, strong) || repeats_counts(l, c)))
		return *need ? LAB_TEXT(l, " %s", need) : "";
	if (repeats_need(need, c))
		need = "";
	if (has_statement(l, "directions")) /* no operation is to blame, so nothing about one is guessed */
		return *need ? LAB_TEXT(l, " %s", need) : "";
	if (has_statement(l, "small-loops") &&
	    !is_strong(c, stronger)) /* what is needed there tells more than a guess */
		return *need ? LAB_TEXT(l, " %s", need) : "";
	if (has_statement(l, "carries")) /* a program that computes the same and is right tells more than a guess */
		return *need ? LAB_TEXT(l, " %s", need) : "";
	if (is_strong(c, strong))
		return LAB_TEXT(l, "%s%s %s", *need ? " " : "", need, about_strong(l, c));
	text = LAB_TEXT(l, "%s%s On what%s it depends is not determined.", *need ? " " : "", need,
	    *need || has_statement(l, "mixed") || has_statement(l, "in-batch") ? " else" : "");
	if (percent_right(c) < GUESS_PERCENT)
		return text;
	text = LAB_TEXT(l, "%s  The best guess predicts %d %% of the variants: %s", text, percent_right(c), c->text);
	for (int i = 0; i < c->n_alternative; i++)
		text = LAB_TEXT(l, "%s Or: %s", text, c->alternative[i]);
	return text;
}

/* Which index modes fail, if the condition does not say it. */
static const char *about_modes(struct lab *l)
{
	if (l->out->told && strstr(l->out->told->text, "mode"))
		return "";
	for (int i = 0; i < l->out->n_statement; i++)
		if (!strcmp(l->out->statement[i].id, "index-modes") && strstr(l->out->statement[i].text, "right with"))
			return LAB_TEXT(l, " %s", l->out->statement[i].text);
	return "";
}

const char *lab_about_condition(struct lab *l) { return LAB_TEXT(l, "%s%s", about_condition(l), about_modes(l)); }
