/* resweep.c: see resweep.h. */
#include "resweep.h"

#include <string.h>

/* Marks what adds to the flow of a tied scalar, forwards: it and what depends on it. */
static void mark_forwards(const struct analytic *self, uint8_t *inside)
{
	const struct evaluation *ev = &self->ev;

	for (int k = 0; k < ev->n_scalar; k++) {
		const int *parent = ev->parent + ev->scalar[k].parent;

		inside[k] = convention_tied(self->note, k);
		for (int j = 0; j < ev->scalar[k].n_parent; j++)
			inside[k] |= self->note[k].active && inside[parent[j]];
	}
}

/* Marks the operands of ties, and theirs. True: a scalar of a class of merged ones is new (merged.c). */
static bool mark_backwards(const struct analytic *self, uint8_t *inside, uint8_t *class)
{
	const struct evaluation *ev = &self->ev;
	bool more = false;

	for (int k = ev->n_scalar - 1; k >= 0; k--) {
		const struct note *n = &self->note[k];
		const int *parent = ev->parent + ev->scalar[k].parent;

		if (n->merged && class[n->alike])
			inside[k] = 1;
		if (n->merged && inside[k] && !class[n->alike])
			class[n->alike] = more = true;
		for (int j = 0; (inside[k] || convention_tied(self->note, k)) && j < ev->scalar[k].n_parent; j++)
			inside[parent[j]] |= self->note[parent[j]].active;
	}
	return more;
}

static void mark(const struct analytic *self, const struct transform *t, uint8_t *inside, struct arena *a)
{
	uint8_t *class = NEW(a, uint8_t, self->ev.n_scalar + 1);

	if (t->kind != TRANSFORM_VJP) {
		mark_forwards(self, inside);
		return;
	}
	while (mark_backwards(self, inside, class))
		continue;
}

struct resweep *resweep_plan(struct analytic *self, const struct transform *t, struct arena *a)
{
	const struct evaluation *ev = &self->ev;
	const bool adjoint = t->kind == TRANSFORM_VJP;
	struct resweep *out = NEW(a, struct resweep, 1);

	out->inside = NEW(a, uint8_t, ev->n_scalar + 1);
	out->at = NEW(a, int, ev->n_scalar + 1);
	mark(self, t, out->inside, a);
	for (int k = 0; k < ev->n_scalar; k++) {
		const struct scalar *s = &ev->scalar[k];
		bool visited = out->inside[k];

		for (int j = 0; j < s->n_parent && self->note[k].active; j++) {
			const int parent = ev->parent[s->parent + j];
			if (adjoint ? !self->note[parent].active || !self->flow[k].present
			            : !self->flow[parent].present)
				continue;
			if (out->inside[adjoint ? parent : k])
				visited = true;
			else
				out->work += analytic_known_work(self, k);
		}
		if (visited)
			out->at[out->n++] = k;
	}
	return out;
}
