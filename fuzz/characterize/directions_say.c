/*
 * directions_say.c: what table `directions` shows.  A pattern says for which inputs and results all ops of a form fail.
 * It is told with what the engine returns there, if that is always alike.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "directions.h"
#include "graph/walk.h"
#include "rows.h"

/* A coordinate of a row: the input of a level, or the result. */
enum { RESULT = DIRECTION_LEVELS, COORDINATES };

struct row_direction {
	int at[COORDINATES]; /* -1: all inputs, or all results */
};

static struct row_direction direction_of(const struct variant_row *r)
{
	struct row_direction d = {{-1, -1, -1, -1}};
	const char *list = r->cell[DIRECTION_LIST];

	if (strcmp(list, DIRECTION_ALL) != 0)
		for (int t = 0; list && *list && t < DIRECTION_LEVELS; t++) {
			d.at[t] = atoi(list);
			list = strchr(list, ',') ? strchr(list, ',') + 2 : NULL;
		}
	if (strcmp(r->cell[DIRECTION_RESULT], DIRECTION_ALL) != 0)
		d.at[RESULT] = atoi(r->cell[DIRECTION_RESULT]);
	return d;
}

static bool is_single(const struct row_direction *d) { return d->at[0] >= 0; }

static bool is_of(const struct variant_row *r, const struct direction_form *f, const char *op)
{
	return !strcmp(r->cell[DIRECTION_FORM], f->name) && (!op || !strcmp(r->cell[DIRECTION_OP], op));
}

/* ---- patterns ---- */

enum relation { ANY, LATER, FIRST, NOT_LAST, LAST, SAME, OTHER, LESS, MORE, RELATIONS };

/* What is asked of one coordinate, or of one (left) against another (right). */
struct term {
	enum relation is;
	int left, right;
};

struct direction_pattern {
	int n;
	bool any; /* one of the terms is enough */
	struct term term[2];
};

static bool term_holds(const struct term *t, const struct row_direction *d, const struct direction_form *f)
{
	const int x = d->at[t->left], y = d->at[t->right], last = (t->left == RESULT ? f->results : f->inputs) - 1;

	switch (t->is) {
	case LATER:
		return x > 0;
	case FIRST:
		return x == 0;
	case NOT_LAST:
		return x < last;
	case LAST:
		return x == last;
	case SAME:
		return x == y;
	case OTHER:
		return x != y;
	case LESS:
		return x < y;
	case MORE:
		return x > y;
	case ANY:
	case RELATIONS:
		break;
	}
	return true;
}

static bool pattern_holds(
    const struct direction_pattern *p, const struct row_direction *d, const struct direction_form *f)
{
	bool any = false, all = true;

	for (int i = 0; i < p->n; i++) {
		const bool holds = term_holds(&p->term[i], d, f);

		any |= holds;
		all &= holds;
	}
	return p->any ? any : all;
}

/* A derivative that is 0 and found to be 0 shows nothing. */
static bool is_empty(const struct variant_row *r) { return r->decided && !r->fails && r->of && r->expected == 0; }

/* Whether just the rows of the pattern fail, of those of the form that have single directions; all are decided. */
static bool form_shows(const struct variant_table *t, const struct direction_form *f, const struct direction_pattern *p)
{
	int fails = 0;

	for (int i = 0; i < t->n_row; i++) {
		const struct row_direction d = direction_of(&t->row[i]);

		if (!is_of(&t->row[i], f, NULL) || !is_single(&d) || is_empty(&t->row[i]))
			continue;
		if (!t->row[i].decided || t->row[i].fails != pattern_holds(p, &d, f))
			return false;
		fails += t->row[i].fails;
	}
	return fails > 0;
}

/* Whether each op of the form is tried, and so completely. */
static bool is_complete(const struct lab *l, const struct variant_table *t, const struct direction_form *f)
{
	int choices = f->results;
	enum op op[DIRECTION_OPS];
	const int n = direction_ops(l, f, op);

	for (int i = 0; i < l->base->n_transform; i++)
		choices *= f->inputs;
	for (int i = 0; i < n; i++) {
		int rows = 0;

		for (int k = 0; k < t->n_row; k++) {
			const struct row_direction d = direction_of(&t->row[k]);

			rows += is_of(&t->row[k], f, op_table[op[i]].name) && is_single(&d);
		}
		if (rows != choices)
			return false;
	}
	return n > 1;
}

static bool form_passes(const struct variant_table *t, const struct direction_form *f)
{
	int n = 0;

	for (int i = 0; i < t->n_row; i++) {
		if (!is_of(&t->row[i], f, NULL))
			continue;
		if (!t->row[i].decided || t->row[i].fails)
			return false;
		n++;
	}
	return n > 0;
}

/* Only the rows in which all directions are there at once fail. */
static bool only_together(const struct variant_table *t, const struct direction_form *f)
{
	int fails = 0, passes = 0;

	for (int i = 0; i < t->n_row; i++) {
		const struct row_direction d = direction_of(&t->row[i]);

		if (!is_of(&t->row[i], f, NULL))
			continue;
		if (!t->row[i].decided || t->row[i].fails == is_single(&d))
			return false;
		fails += t->row[i].fails;
		passes += !t->row[i].fails;
	}
	return fails > 1 && passes > fails;
}

/* The terms about one coordinate, then about two levels. */
static int list_terms(const struct lab *l, const struct direction_form *f, struct term out[64])
{
	const int levels = l->base->n_transform;
	int n = 0;

	out[n++] = (struct term){.is = ANY};
	for (int c = 0; c < COORDINATES; c++)
		if (c < levels || (c == RESULT && f->results > 1))
			for (enum relation r = LATER; r <= LAST; r++)
				out[n++] = (struct term){r, c, c};
	for (int x = 0; x < levels; x++)
		for (int y = x + 1; y < levels; y++)
			for (enum relation r = SAME; r <= MORE; r++)
				out[n++] = (struct term){r, x, y};
	return n;
}

/* The simplest pattern that the form shows; false: there is none. */
static bool find_pattern(
    const struct lab *l, const struct variant_table *t, const struct direction_form *f, struct direction_pattern *out)
{
	struct term term[64];
	const int n = list_terms(l, f, term);

	for (int i = 0; i < n; i++) {
		*out = (struct direction_pattern){.n = 1, .term = {term[i]}};
		if (form_shows(t, f, out))
			return true;
	}
	for (int i = 1; i < n; i++)
		for (int k = i + 1; k < n; k++)
			for (int any = 0; any < 2; any++) {
				*out = (struct direction_pattern){.n = 2, .any = any, .term = {term[i], term[k]}};
				if (form_shows(t, f, out))
					return true;
			}
	return false;
}

/* ---- words ---- */

static const char *level_name(const struct lab *l, int level)
{
	return level == l->base->n_transform - 1 ? "outer" : level ? "middle" : "inner";
}

/* "an input after the first"; other: the level that it is compared with. */
static const char *input_text(
    struct lab *l, const struct direction_form *f, enum relation is, const char *noun, const char *other)
{
	switch (is) {
	case LATER:
		return f->inputs == 2 ? LAB_TEXT(l, "the second %s", noun) : LAB_TEXT(l, "%s after the first", noun);
	case FIRST:
		return LAB_TEXT(l, "the first %s", noun);
	case NOT_LAST:
		return LAB_TEXT(l, "%s before the last", noun);
	case LAST:
		return LAB_TEXT(l, "the last %s", noun);
	case SAME:
		return LAB_TEXT(l, "the same %s as the %s one", noun, other);
	case OTHER:
		return LAB_TEXT(l, "another %s than the %s one", noun, other);
	case LESS:
		return LAB_TEXT(l, "an earlier %s than the %s one", noun, other);
	case MORE:
		return LAB_TEXT(l, "a later %s than the %s one", noun, other);
	case ANY:
	case RELATIONS:
		break;
	}
	return "";
}

static const char *term_text(struct lab *l, const struct direction_form *f, const struct term *t)
{
	if (t->is == ANY)
		return LAB_TEXT(l, "whichever %ss the levels differentiate", f->noun);
	if (t->left == RESULT)
		return LAB_TEXT(l, "where %s is differentiated",
		    input_text(l, f, t->is, t->is == LATER || t->is == NOT_LAST ? "a result" : "result", ""));
	return LAB_TEXT(l, "where the %s level differentiates %s", level_name(l, t->left),
	    input_text(l, f, t->is,
	        (t->is == LATER && f->inputs > 2) || t->is == NOT_LAST ? LAB_TEXT(l, "an %s", f->noun) : f->noun,
	        level_name(l, t->right)));
}

/* ---- what is returned instead ---- */

/* What an engine may compute instead of a derivative. */
struct mistake {
	int own[DIRECTION_LEVELS]; /* the level whose direction each level has */
	int unseeded;              /* the level whose seed counts as 1; -1: none */
};

static const struct mistake no_mistake = {{0, 1, 2}, -1};

/* The known part of the derivative. */
static double known_part(const struct lab *l, const struct row_direction *d, const struct mistake *m)
{
	double x = direction_scale[d->at[RESULT]];

	for (int t = 0; t < l->base->n_transform; t++) {
		const int own = m->own[t];
		const bool whole = l->base->transform[t].kind == TRANSFORM_JVP &&
		    l->base->transform[own].kind == TRANSFORM_JVP;

		x *= direction_weight[d->at[own]] * (t == m->unseeded ? 1 : direction_seed[whole ? own : t]);
	}
	return x;
}

/* Whether some row fails, and every one that does returns what this mistake gives. */
static bool returns(
    const struct lab *l, const struct variant_table *t, const struct direction_form *f, const struct mistake *m)
{
	const double near = 1.0 / 64; /* bf16 has 8 bits */
	int n = 0;

	for (int i = 0; i < t->n_row; i++) {
		const struct variant_row *r = &t->row[i];
		const struct row_direction d = direction_of(r);
		double due;

		if (!is_of(r, f, NULL) || !is_single(&d) || !row_fails(r, NULL))
			continue;
		due = known_part(l, &d, m) / known_part(l, &d, &no_mistake);
		if (!row_has_numbers(r) || r->expected == 0 || fabs(r->returned / r->expected / due - 1) > near)
			return false;
		n++;
	}
	return n > 0;
}

static bool returns_nothing(const struct variant_table *t, const struct direction_form *f)
{
	for (int i = 0; i < t->n_row; i++) {
		const struct row_direction d = direction_of(&t->row[i]);

		if (is_of(&t->row[i], f, NULL) && is_single(&d) && t->row[i].fails &&
		    (!row_has_numbers(&t->row[i]) || t->row[i].returned != 0))
			return false;
	}
	return true;
}

/* "; the outer level takes the direction of the inner one"; "": what is returned is not always alike. */
static const char *about_returned(struct lab *l, const struct variant_table *t, const struct direction_form *f)
{
	const int levels = l->base->n_transform;

	if (returns_nothing(t, f))
		return "; it returns 0 there";
	for (int x = 0; x < levels && !f->binary; x++)
		for (int y = 0; y < levels; y++) {
			struct mistake m = no_mistake;

			m.own[x] = y;
			if (x != y && returns(l, t, f, &m))
				return LAB_TEXT(l, "; the %s level takes the direction of the %s one", level_name(l, x),
				    level_name(l, y));
		}
	for (int x = 0; x < levels && !f->binary; x++) {
		struct mistake m = no_mistake;

		m.unseeded = x;
		if (returns(l, t, f, &m))
			return LAB_TEXT(l, "; the seed of the %s level is taken to be 1", level_name(l, x));
	}
	return "";
}

/* ---- the statement ---- */

struct shown_pattern {
	const struct direction_form *form;
	struct direction_pattern pattern;
	bool together;
};

/*
 * Whether a product in the smallest case may be to blame for what the form shows.  Every rule multiplies by cotangents.
 * In these forms alone both factors depend on what a further level differentiates.
 */
static bool is_of_products(const struct lab *l, const struct direction_form *f)
{
	return (f->chain || (f->binary && l->base->n_transform > 2)) && region_has_op(&l->base->program.top, OP_MUL);
}

/* The simplest form of program that fails and has several inputs; all simpler such ones are right. */
static bool find_shown(const struct lab *l, const struct variant_table *t, struct shown_pattern *out)
{
	if (!t || !is_complete(l, t, &direction_forms[0]))
		return false;
	for (int i = 1; i < DIRECTION_FORMS; i++) {
		const struct direction_form *f = out->form = &direction_forms[i];

		if (!is_complete(l, t, f))
			return false;
		if (form_passes(t, f))
			continue;
		if (is_of_products(l, f))
			return false;
		out->together = only_together(t, f);
		return out->together || find_pattern(l, t, f, &out->pattern);
	}
	return false;
}

bool lab_fails_for_any_op(const struct lab *l)
{
	struct shown_pattern x;

	return find_shown(l, lab_find(l, "directions"), &x);
}

/* "sin and exp", "sin of sin and exp of exp", "div, atan2 and pow". */
static const char *ops_text(struct lab *l, const struct direction_form *f)
{
	const char *text = "";
	enum op op[DIRECTION_OPS];
	const int n = direction_ops(l, f, op);

	for (int i = 0; i < n; i++)
		text = LAB_TEXT(l, "%s%s%s%s%s", text,
		    !i               ? ""
		        : i == n - 1 ? " and "
		                     : ", ",
		    op_table[op[i]].name, f->chain ? " of " : "", f->chain ? op_table[op[i]].name : "");
	return text;
}

/* What is right, and what fails, in front of the ops. */
static const char *about_form(struct lab *l, const struct direction_form *f, bool alone_passes)
{
	const char *simple = ops_text(l, &direction_forms[0]);

	if (f == &direction_forms[1] && !alone_passes)
		return "The operation does not matter: ";
	if (f == &direction_forms[1])
		return LAB_TEXT(l, "Alone, %s are right. On a sum of inputs, the operation does not matter: ", simple);
	if (f->results > 1)
		return LAB_TEXT(
		    l, "With one result, %s are right. With several, the operation does not matter: ", simple);
	if (f->chain)
		return LAB_TEXT(l, "Alone, %s are right. An operation on another one fails, whichever it is: ", simple);
	return LAB_TEXT(l,
	    "Operations of one operand are right, such as %s. Of two operands, the operation does not matter: ",
	    simple);
}

void lab_state_directions(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "directions");
	struct support s;
	struct shown_pattern x;
	const char *where = "";

	if (!find_shown(l, t, &x))
		return;
	s = lab_support(l, t, row_fails, NULL);
	for (int i = 0; i < x.pattern.n && !x.together; i++)
		where = LAB_TEXT(l, "%s%s%s", where,
		    !i                  ? ""
		        : x.pattern.any ? ", or "
		                        : ", and ",
		    term_text(l, x.form, &x.pattern.term[i]));
	if (x.together)
		where = LAB_TEXT(
		    l, "where several %ss are differentiated at once, and are right by each alone", x.form->noun);
	lab_say(l, "directions", STATEMENT_SHOWN, &s, 1, "%s%s fail alike, %s%s.",
	    about_form(l, x.form, form_passes(t, &direction_forms[0])), ops_text(l, x.form), where,
	    x.together ? "" : about_returned(l, t, x.form));
}
