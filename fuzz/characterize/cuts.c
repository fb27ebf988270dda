/*
 * cuts.c: cuts the program after each node (forward mode, or a wrong value) or before each node (reverse mode).  The
 * shortest leading part that fails ends with the node whose values or tangents depart.  Cotangents flow backwards: in
 * reverse mode the shortest trailing part that fails begins with the node whose cotangents depart.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/walk.h"
#include "lab_edit.h"

enum { CUT_NODES = 24 };

static int float_outs(const struct edit *e, const struct node *n, int *out)
{
	int k = 0;

	for (int i = 0; i < n->n_out; i++)
		if (dtype_is_float(edit_type(e, n->out + i)->dtype))
			out[k++] = n->out + i;
	return k;
}

/* Drops the nodes after `last`; its float results become the results of the program. */
static bool cut_behind(struct edit *e, int last)
{
	struct region *top = &e->c.program.top;
	int out[LIMIT_ARGS], n = float_outs(e, &top->node[last], out);

	if (!n)
		return false;
	top->n_node = last + 1;
	top->result = arena_copy(e->arena, out, (size_t)n, sizeof *out);
	top->n_result = n;
	for (int t = 0; t < e->c.n_transform; t++)
		if (e->c.transform[t].kind == TRANSFORM_VJP)
			e->c.transform[t].n_seed = 0;
	return true;
}

/* The values of value[n] at the point, as a right engine computes them; NULL if it has no answer. */
static const struct tensor *values_of(struct edit *e, const int *value, int n)
{
	struct testcase c = e->c;
	struct answer *answer = NEW(e->arena, struct answer, c.n_point);

	c.program.top.result = arena_copy(e->arena, value, (size_t)n, sizeof *value);
	c.program.top.n_result = n;
	c.n_transform = 0;
	c.n_point = 1;
	if (!e->primal)
		return NULL;
	engine_answer(e->primal, &c, e->arena, answer);
	return answer[0].status == ANSWER_OK && answer[0].n_primal == n ? answer[0].primal : NULL;
}

/* Drops the nodes before `first`.  Their values that the rest needs become inputs, which are differentiated too. */
static bool cut_before(struct edit *e, int first)
{
	struct region *top = &e->c.program.top;
	struct region rest = *top;
	int value[LIMIT_ARGS], wrt[LIMIT_ARGS], n = 0, n_wrt = 0, old;
	const struct tensor *at;

	rest.node += first;
	rest.n_node -= first;
	for (int i = 0; i < first; i++)
		for (int k = 0; k < top->node[i].n_out; k++) {
			if (top->node[i].op == OP_CONSTANT || !region_reads(&rest, top->node[i].out + k))
				continue;
			if (n + top->n_param >= LIMIT_ARGS)
				return false;
			value[n++] = top->node[i].out + k;
		}
	if (!n)
		return true; /* the whole program */
	at = values_of(e, value, n);
	if (!at || e->c.n_point > 1)
		return false;
	old = top->n_param;
	for (int k = 0; k < n; k++) {
		int input = edit_add_input(e, &at[k], false);

		edit_replace(e, value[k], input);
	}
	for (int i = 0; i < top->n_param; i++)
		if (i >= old ||
		    region_reads(&(struct region){.n_node = top->n_node - first,
		                     .node = top->node + first,
		                     .n_result = top->n_result,
		                     .result = top->result},
		        top->param + i))
			wrt[n_wrt++] = i;
	lab_wrt(e, wrt, n_wrt);
	return true;
}

/* Whether the wrong numbers flow from the results to the inputs: cotangents do, values and tangents do not. */
static bool flows_back(const struct lab *l)
{
	return l->finding.verdict != VERDICT_WRONG_PRIMAL && lab_kind(l) == TRANSFORM_VJP;
}

void experiment_cuts(struct lab *l)
{
	const int n = l->base->program.top.n_node;

	lab_columns(l, (const char *const[]){"part", "node", "op"}, 3);
	if (request_slices(l->base->transform, l->base->n_transform) > 1)
		return;
	for (int way = 0; way < 2; way++)
		for (int i = 0; i < n && i < CUT_NODES; i++) {
			struct edit e = lab_edit(l);
			const bool backwards = flows_back(l) ^ (way > 0);
			const int at = backwards ? n - 1 - i : i; /* as wrong numbers flow */
			const enum op op = e.c.program.top.node[at].op;

			if (op == OP_CONSTANT || !(backwards ? cut_before(&e, at) : cut_behind(&e, at)))
				continue;
			lab_try(l, &e,
			    (const char *const[]){backwards ? "from the node to the end" : "from the start to the node",
			        LAB_TEXT(l, "%d", at), op_table[op].name});
		}
}

/* ---- which node ---- */

/* The line of the printed program where node `index` of the top region begins, and its text; -1: none. */
static int line_of(struct lab *l, int index, const char **text)
{
	const struct program *p = &l->base->program;
	char *printed = program_print(p, l->arena), *at = printed;
	const struct node *node = &p->top.node[index];
	const char *name = LAB_TEXT(l, "v%d", node->out);
	int line = 0;

	for (; *at; line++) {
		size_t len = strcspn(at, "\n"), lead = strspn(at, " ");

		if (!strncmp(at + lead, name, strlen(name)) &&
		    (at[lead + strlen(name)] == ':' || at[lead + strlen(name)] == ' ' ||
		        at[lead + strlen(name)] == ',')) {
			*text = LAB_TEXT(l, "%.*s", (int)(len - lead), at + lead);
			return line;
		}
		at += len + (at[len] == '\n');
	}
	*text = "";
	return -1;
}

void lab_depart(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "cuts");
	const bool value = l->finding.verdict == VERDICT_WRONG_PRIMAL, reverse = flows_back(l);
	struct departure *d;
	int found = -1, before = 0, *row;

	if (!t)
		return;
	/* the parts in the order in which wrong numbers flow */
	for (int way = 0; way < 2 && found < 0; way++)
		for (int i = 0; i < t->n_row && found < 0; i++) {
			bool backwards = strstr(t->row[i].cell[0], "to the end") != NULL;

			if (backwards == (reverse ^ (way > 0)) && row_fails(&t->row[i], NULL))
				found = i;
		}
	if (found < 0)
		return;
	d = NEW(l->arena, struct departure, 1);
	row = NEW(l->arena, int, t->n_row);
	for (int i = 0; i <= found; i++)
		if (i == found || (!strcmp(t->row[i].cell[0], t->row[found].cell[0]) && row_passes(&t->row[i], NULL))) {
			row[d->support.n_row++] = i;
			before += i != found;
		}
	d->support.table = (int)(t - l->out->table);
	d->support.row = row;
	d->op = t->row[found].cell[2];
	d->line = line_of(l, atoi(t->row[found].cell[1]), &d->text);
	if (value && strstr(t->row[found].cell[0], "to the node"))
		d->sentence = LAB_TEXT(l,
		    "Walking forward from the inputs, %s is the first node whose results are wrong%s.", d->op,
		    before ? "; the nodes before it are right on their own" : "");
	else if (value)
		d->sentence = LAB_TEXT(
		    l, "Of the parts that end with the results, the shortest that fails begins with %s.", d->op);
	else if (strstr(t->row[found].cell[0], "to the end"))
		d->sentence = LAB_TEXT(l,
		    "Walking back from the results, %s is the first node whose operands get a wrong derivative%s.",
		    d->op, before ? "; the nodes after it are right on their own" : "");
	else
		d->sentence = LAB_TEXT(l,
		    "Walking forward from the inputs, %s is the first node whose results have a wrong derivative%s.",
		    d->op, before ? "; the nodes before it are right on their own" : "");
	l->out->departure = d;
}
