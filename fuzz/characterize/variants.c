/* variants.c: keeps the variants of a case, with the features, measures and roles of each. */
#include "explain_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "graph/walk.h"
#include "fuzz/edit/operand_name.h"

struct explanation *explanation_open(void)
{
	static const char *const names[] =
	    {
#define FEATURE(id, sentence) #id,
#include "features_explain.def"
#undef FEATURE
	    },
	                         *const sentences[] = {
#define FEATURE(id, sentence) sentence,
#include "features_explain.def"
#undef FEATURE
	                         };
	struct explanation *x = heap_new(1, sizeof *x);

	for (int i = 0; i < FEATURE_COUNT; i++) {
		x->name[i] = heap_text(names[i]);
		x->sentence[i] = heap_text(sentences[i]);
		for (char *c = x->name[i]; *c; c++)
			*c = *c == '_' ? '-' : *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : *c;
	}
	x->n_feature = FEATURE_COUNT;
	x->adding.thin = true;
	return x;
}

void explanation_close(struct explanation *x)
{
	for (int i = 0; x && i < x->n_feature; i++) {
		free(x->name[i]);
		free(x->sentence[i]);
	}
	for (int i = 0; x && i < x->n_role; i++)
		free(x->role[i]);
	for (int i = 0; x && i < x->n_measured; i++) {
		free(x->measured[i].name);
		free(x->measured[i].x);
	}
	free(x);
}

/* The number of a feature that is named after an op; -1: it is new, and there is no room or no sentence for it. */
static int named_feature(struct explanation *x, const char *name, const char *sentence)
{
	for (int i = FEATURE_COUNT; i < x->n_feature; i++)
		if (!strcmp(x->name[i], name))
			return i;
	if (!sentence || x->n_feature == FEATURES)
		return -1;
	x->name[x->n_feature] = heap_text(name);
	x->sentence[x->n_feature] = heap_text(sentence);
	return x->n_feature++;
}

void explanation_about(struct explanation *x, const struct testcase *c)
{
	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);)
		x->own_op[w.node->op] = true;
	if (program_nodes(&c->program) > x->nodes)
		x->nodes = program_nodes(&c->program);
}

void explanation_aside(struct explanation *x, bool aside, bool thin)
{
	x->adding.aside = aside;
	x->adding.thin = thin;
}

void explanation_alone(struct explanation *x, bool alone) { x->adding.alone = alone; }

void explanation_fresh(struct explanation *x, bool fresh) { x->adding.fresh = fresh; }

struct added_as explanation_adding(const struct explanation *x) { return x->adding; }

void explanation_add_so(struct explanation *x, struct added_as adding) { x->adding = adding; }

void explanation_certain(struct explanation *x, bool certain) { x->adding.certain = certain; }

/* The name of operand k of the first node with that op. */
static const char *operand_words(const struct program *p, enum op op, int k, struct arena *a)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (w.node->op == op && k < w.node->n_arg)
			return operand_name(w.node, k, a);
	return "operand";
}

/* The measure of that op and operand; NULL: there is no room for it. */
static struct measured *measured_as(
    struct explanation *x, const struct node_measure *m, const struct program *p, struct arena *scratch)
{
	struct measured *new = &x->measured[x->n_measured];

	for (int i = 0; i < x->n_measured; i++)
		if (x->measured[i].id == m->id && x->measured[i].op == m->op && x->measured[i].operand == m->operand)
			return &x->measured[i];
	if (x->n_measured == MEASURED)
		return NULL;
	x->n_measured++;
	*new = (struct measured){.id = m->id, .op = m->op, .operand = m->operand};
	new->x = heap_new(VARIANTS, sizeof *new->x);
	for (int v = 0; v < VARIANTS; v++)
		new->x[v] = NAN;
	if (m->operand >= 0)
		new->name = heap_text(operand_words(p, m->op, m->operand, scratch));
	return new;
}

static void put_role(struct explanation *x, const char *role, int v)
{
	int k = 0;

	while (k < x->n_role && strcmp(x->role[k], role) != 0)
		k++;
	if (k == ROLES)
		return;
	if (k == x->n_role)
		x->role[x->n_role++] = heap_text(role);
	variant_put(&x->in_role[k], v);
}

static void put_measures(struct explanation *x, const struct facts *f, int v, struct arena *scratch)
{
	for (int i = 0; i < f->n_measure; i++) {
		struct measured *m = x->own_op[f->measure[i].op]
		    ? measured_as(x, &f->measure[i], &f->c->program, scratch)
		    : NULL;

		if (m)
			m->x[v] = (float)f->measure[i].x;
	}
}

void explanation_measure(struct explanation *x, const struct testcase *c, const struct known_cotangents *known,
    int number, struct arena *scratch)
{
	for (int v = 0; v < x->n_variant; v++) {
		if (x->number[v] != number)
			continue;
		for (int i = 0; i < x->n_measured; i++)
			x->measured[i].x[v] = NAN;
		put_measures(x, facts_with(c, known, scratch), v, scratch);
	}
}

void explanation_add(struct explanation *x, const struct testcase *c, const struct known_cotangents *known, bool fails,
    bool silent, enum variant_outcome o, int number, struct arena *scratch)
{
	const struct facts *f;
	int v;

	for (int i = 0; i < x->n_variant; i++)
		if (x->number[i] == number)
			return;
	if (x->n_variant == VARIANTS)
		return;
	f = facts_with(c, known, scratch);
	v = x->n_variant++;
	x->number[v] = number;
	if (fails)
		variant_put(&x->fails, v);
	if (o == OUTCOME_FAILS)
		variant_put(&x->fails_plainly, v);
	if (o == OUTCOME_ZERO ||
	    (x->adding.thin && (o == OUTCOME_TIE || program_nodes(&c->program) > x->nodes + TOLD_MORE_NODES)))
		variant_put(&x->mute, v);
	if (x->adding.aside || silent)
		variant_put(&x->aside, v);
	if (x->adding.thin)
		variant_put(&x->thin, v);
	if (x->adding.alone)
		variant_put(&x->alone, v);
	if (x->adding.fresh)
		variant_put(&x->fresh, v);
	if (x->adding.certain && o == OUTCOME_FAILS)
		variant_put(&x->certain, v);
	for (int i = 0; i < f->n_role; i++)
		put_role(x, f->role[i], v);
	for (int i = 0; i < FEATURE_COUNT; i++)
		if (f->at[i])
			variant_put(&x->has[i], v);
	for (int i = 0; i < f->n_named; i++) {
		int k = named_feature(x, f->named[i], f->sentence[i]);

		if (k >= 0)
			variant_put(&x->has[k], v);
	}
	put_measures(x, f, v, scratch);
}
