/* requests.c: experiments that vary the request, the engine and the differentiated inputs. */
#include <string.h>

#include "graph/walk.h"
#include "lab_edit.h"

/* ---- inputs ---- */

enum { SUBSETS_OF = 4 };

static const char *list_text(struct lab *l, const int *x, int n)
{
	const char *text = "";

	for (int i = 0; i < n; i++)
		text = LAB_TEXT(l, "%s%s%d", text, i ? ", " : "", x[i]);
	return text;
}

static void try_inputs(struct lab *l, const int *wrt, int n, enum transform_kind kind)
{
	struct edit e = lab_edit(l);

	lab_wrt(&e, wrt, n);
	for (int t = 0; t < e.c.n_transform; t++)
		e.c.transform[t].kind = kind;
	lab_try(l, &e, (const char *const[]){list_text(l, wrt, n), transform_names[kind]});
}

/* Differentiates each input alone, and every subset if there are few inputs. */
void experiment_inputs(struct lab *l)
{
	const struct engine_kind *kind = engine_kind(l->bench->engine[0]);
	const int n = l->base->program.top.n_param;

	lab_columns(l, (const char *const[]){"differentiated", "request"}, 2);
	for (unsigned set = 1; set < 1u << n; set++) {
		int wrt[LIMIT_ARGS], n_wrt = 0;

		for (int i = 0; i < n; i++)
			if (set >> i & 1)
				wrt[n_wrt++] = i;
		if (n > SUBSETS_OF && n_wrt > 1)
			continue;
		if (kind->vjp)
			try_inputs(l, wrt, n_wrt, TRANSFORM_VJP);
		if (kind->jvp)
			try_inputs(l, wrt, n_wrt, TRANSFORM_JVP);
	}
}

/* ---- engines and requests ---- */

static const struct request_stack {
	const char *name;
	int n;
	enum transform_kind kind[2];
} stacks[] = {
    {"primal", 0, {TRANSFORM_JVP}},
    {"jvp", 1, {TRANSFORM_JVP}},
    {"vjp", 1, {TRANSFORM_VJP}},
    {"vjp, then jvp", 2, {TRANSFORM_VJP, TRANSFORM_JVP}},
    {"vjp, then vjp", 2, {TRANSFORM_VJP, TRANSFORM_VJP}},
    {"jvp, then vjp", 2, {TRANSFORM_JVP, TRANSFORM_VJP}},
    {"jvp, then jvp", 2, {TRANSFORM_JVP, TRANSFORM_JVP}},
};
enum { STACKS = sizeof stacks / sizeof *stacks, FIRST_ORDER = 3 };

/* Asks the case with that stack of transforms and the inputs of its outermost transform. */
static struct edit asked(struct lab *l, const struct testcase *c, const struct request_stack *stack)
{
	struct edit e = lab_edit_of(l, c);
	const struct transform *t = request_outermost(e.c.transform, e.c.n_transform);
	struct transform *list = NEW(e.arena, struct transform, 2);

	for (int k = 0; k < stack->n; k++)
		list[k] = (struct transform){
		    .kind = stack->kind[k], .n_wrt = t ? t->n_wrt : 0, .wrt = t ? t->wrt : NULL};
	e.c.transform = list;
	e.c.n_transform = stack->n;
	return e;
}

/* Asks engine `which` of the others, or the engine under test (-1), what the case asks, and simpler requests. */
static void try_requests(struct lab *l, int which)
{
	const char *name = engine_name(which < 0 ? l->bench->engine[0] : l->others.engine[which]);

	for (int k = -1; k < FIRST_ORDER + 1; k++) {
		struct edit e = k < 0 ? lab_edit(l) : asked(l, l->base, &stacks[k]);
		const char *const cell[] = {name, k < 0 ? LAB_AS_IT_IS : stacks[k].name};

		if (which < 0)
			lab_try(l, &e, cell);
		else
			lab_try_other(l, &e, which, cell);
	}
}

void experiment_engines(struct lab *l)
{
	lab_columns(l, (const char *const[]){"engine", "request"}, 2);
	try_requests(l, -1);
	for (int p = 0, n = lab_others(l); p < n; p++)
		try_requests(l, p);
}

/* ---- second order ---- */

void experiment_orders(struct lab *l)
{
	static const double points[] = {0.5, 2};

	const struct variant_table *bodies = lab_find(l, "bodies");
	int body = -1;

	lab_columns(l, (const char *const[]){"program", "request", "x"}, 3);
	for (int i = 0; bodies && i < bodies->n_row && body < 0; i++)
		if (row_fails(&bodies->row[i], NULL))
			body = i; /* also for the first loop body that fails */
	for (int which = 0; which < 1 + (body >= 0); which++)
		for (int p = -1; p < 2; p++)
			for (int k = FIRST_ORDER; k < STACKS; k++) {
				const struct variant_row *sibling = which ? &bodies->row[body] : NULL;
				struct edit e = asked(
				    l, which ? l->out->cases[sibling->case_number] : l->base, &stacks[k]);

				for (int i = 0; p >= 0 && i < e.c.program.top.n_param; i++)
					for (int q = 0; q < e.c.n_point; q++)
						if (lab_is_float_input(&e, i))
							edit_fill(&e.c.point[q][i], points[p]);
				lab_try(l, &e,
				    (const char *const[]){which
				            ? LAB_TEXT(l, "%s, %s times", sibling->cell[0], sibling->cell[1])
				            : LAB_AS_IT_IS,
				        stacks[k].name, p < 0 ? LAB_AS_IT_IS : lab_number(l, points[p])});
			}
}
