/* join.c: joins the findings of several campaigns, as one campaign would have done. */
#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "internal.h"

/* By the first case; ties by name. */
static int by_first_case(const void *x, const void *y)
{
	const struct finding *left = x, *right = y;
	int order;

	if (left->first_case != right->first_case)
		return left->first_case < right->first_case ? -1 : 1;
	order = strcmp(left->symptom->fine, right->symptom->fine);
	if (order)
		return order;
	return left->ops != right->ops ? (left->ops < right->ops ? -1 : 1) : strcmp(left->signature, right->signature);
}

/* As finding_relation, also by what was joined to y before: -1: y is a duplicate of x, 1: x is a duplicate of y. */
static int relation_of(const struct finding *x, const struct finding *y)
{
	int relation = finding_relation(x, y->engine, y->symptom);

	return !relation && finding_relation(y, x->engine, x->symptom) == -1 ? 1 : relation;
}

/* Joins findings that finding `kept` explains to it. */
static void absorb_others(struct triage *self, int kept)
{
	for (int i = 0; i < self->n_finding; i++) {
		struct finding *f = &self->finding[i];

		if (i == kept || relation_of(f, &self->finding[kept]) != 1)
			continue;
		finding_join(self, &self->finding[kept], f);
		memmove(f, f + 1, (size_t)(--self->n_finding - i) * sizeof *f);
		kept -= i < kept;
		i--;
	}
}

/* Takes over a finding, which either stays one of its own or is joined. */
static void take(struct triage *self, struct finding *new)
{
	int i = self->n_finding, relation = 0;

	for (int k = 0; k < self->n_finding && relation != -1; k++) {
		int own = relation_of(&self->finding[k], new);

		if (own == -1 || (own && !relation)) {
			relation = own;
			i = k;
		}
	}
	if (relation == -1) {
		finding_join(self, &self->finding[i], new);
	} else if (relation == 1) {
		finding_join(self, new, &self->finding[i]);
		self->finding[i] = *new;
	} else {
		self->finding[self->n_finding++] = *new;
	}
	absorb_others(self, i);
}

void triage_join(struct triage *self)
{
	struct finding *all = self->finding;
	const int n = self->n_finding;

	self->finding = heap_new((size_t)n + 1, sizeof *self->finding);
	self->n_finding = 0;
	if (n)
		qsort(all, (size_t)n, sizeof *all, by_first_case);
	for (int k = 0; k < n; k++)
		take(self, &all[k]);
	free(all);
}

void triage_keep_only(struct triage *self, bool flaky)
{
	int n = 0;

	for (int k = 0; k < self->n_finding; k++)
		if (self->finding[k].symptom->flaky == flaky)
			self->finding[n++] = self->finding[k];
		else
			finding_free(&self->finding[k]);
	self->n_finding = n;
	if (flaky)
		deferred_free(&self->deferred);
}
