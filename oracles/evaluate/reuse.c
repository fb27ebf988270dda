/* reuse.c: see reuse.h. */
#include "reuse.h"
#include "graph/heap.h"

void reuse_reserve(struct evaluation *ev, int n)
{
	if (ev->hooks.scalar || n <= ev->computed_room)
		return;
	ev->computed_room = n > 2 * ev->computed_room ? n : 2 * ev->computed_room;
	ev->computed = heap_resize(ev->computed, (size_t)ev->computed_room, sizeof *ev->computed);
}

/* The record of place k. Places are filled in order. */
static struct computed *place(struct evaluation *ev, int k)
{
	reuse_reserve(ev, k + 1);
	ev->n_computed = k < ev->n_computed ? ev->n_computed : k + 1;
	return &ev->computed[k];
}

void reuse_changed(struct evaluation *ev, int k)
{
	if (!ev->hooks.scalar)
		*place(ev, k) = (struct computed){.changed = ++ev->n_change, .n_parent = -1};
}

bool reuse_value(const struct evaluation *ev, int k, enum op op, const int *parent, int n, bool *exact)
{
	if (ev->hooks.scalar || k >= ev->n_computed)
		return false;
	const struct computed *c = &ev->computed[k];
	if (c->n_parent != n || c->op != op)
		return false;
	for (int j = 0; j < n; j++)
		if (c->parent[j] != parent[j] || ev->computed[parent[j]].changed > c->changed)
			return false;
	*exact = c->exact;
	return true;
}

void reuse_note(struct evaluation *ev, int k, enum op op, const int *parent, int n, bool exact)
{
	if (ev->hooks.scalar)
		return;
	if (n > 2) {
		reuse_changed(ev, k);
		return;
	}
	struct computed *c = place(ev, k);
	*c = (struct computed){.changed = ++ev->n_change, .op = op, .n_parent = n, .exact = exact};
	for (int j = 0; j < n; j++)
		c->parent[j] = parent[j];
}
