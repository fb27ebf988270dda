/* trace_derive.c: tangents and adjoints of a stretch, as scalars of the trace. */
#include "derivation.h"
#include "internal.h"

#include <string.h>

enum live { DEAD, LIVE, INPUT };

/* ---- one derivation ---- */

int trace_parameter(struct evaluation *ev, int a)
{
	return trace_scalar(ev, OP_CAST, OP_CAST, ev->scalar[a].dtype, &a, 1);
}

int trace_result(struct evaluation *ev, int a) { return trace_parameter(ev, a); }

static int *absent(struct arena *a, int n)
{
	int *list = NEW(a, int, n + 1);
	for (int k = 0; k < n; k++)
		list[k] = ABSENT;
	return list;
}

static struct derivation begin(struct evaluation *ev, const struct stretch *s)
{
	struct derivation d = {
	    .ev = ev, .s = s, .end = ev->n_scalar, .shared_k = ABSENT, .shared_largest = ABSENT, .shared_mean = ABSENT};
	int widest = 1;
	for (int k = s->first; k < d.end; k++)
		if (ev->scalar[k].n_parent > widest)
			widest = ev->scalar[k].n_parent;
	d.live = NEW(ev->arena, uint8_t, d.end - s->first + 1);
	d.term = NEW(ev->arena, int, 2 * widest);
	return d;
}

/* Ends the derivation: what follows in the trace belongs to the program again. */
static bool end(struct derivation *d, struct arena_mark mark, bool complete)
{
	d->ev->part = TRACE_PROGRAM;
	arena_rewind(d->ev->arena, mark);
	return complete;
}

/* ---- tangents ---- */

/* Marks as live the scalars on which a result depends. Others need no tangent. */
static void mark_needed(struct derivation *d)
{
	const struct evaluation *ev = d->ev;
	int first = d->s->first;
	for (int i = 0; i < d->s->n_result; i++)
		if (d->s->result[i] >= first)
			d->live[d->s->result[i] - first] = 1;
	for (int k = d->end - 1; k >= first; k--)
		for (int j = 0; d->live[k - first] && j < ev->scalar[k].n_parent; j++)
			if (ev->parent[ev->scalar[k].parent + j] >= first)
				d->live[ev->parent[ev->scalar[k].parent + j] - first] = 1;
}

static int tangent_of(const struct derivation *d, int k) { return k < d->s->first ? ABSENT : d->flow[k - d->s->first]; }

/* The tangent of a dot product is again a dot product. */
static int tangent_of_dot(struct derivation *d, int k, const int *parent, int n)
{
	int terms = 0;
	for (int j = 0; j < n; j++) {
		int g = tangent_of(d, parent[j]);
		if (g == ABSENT)
			continue;
		d->term[terms++] = g;
		d->term[terms++] = parent[j ^ 1];
	}
	return terms ? derived_flow(d, OP_MATMUL, d->ev->scalar[k].dtype, d->term, terms) : ABSENT;
}

/* The tangent of a mean of n is the sum of the tangents over n. */
static int tangent_of_mean(struct derivation *d, int k, const int *parent, int n)
{
	int terms = 0;
	for (int j = 0; j < n; j++)
		if (tangent_of(d, parent[j]) != ABSENT)
			d->term[terms++] = tangent_of(d, parent[j]);
	d->dtype = d->ev->scalar[k].dtype;
	return terms ? derived_over(d, derived_sum(d, d->dtype, d->term, terms), derived_constant(d, n)) : ABSENT;
}

static int tangent(struct derivation *d, int k)
{
	struct evaluation *ev = d->ev;
	const struct scalar s = ev->scalar[k];
	struct arena_mark mark = arena_mark(ev->arena);
	const int *parent = arena_copy(ev->arena, ev->parent + s.parent, (size_t)s.n_parent, sizeof *parent);
	int out, terms = 0;
	if (s.op == OP_MATMUL && !edge_uncertain(d, k)) {
		out = tangent_of_dot(d, k, parent, s.n_parent);
	} else if (s.op == OP_REDUCE_MEAN) {
		out = tangent_of_mean(d, k, parent, s.n_parent);
	} else {
		for (int j = 0; j < s.n_parent; j++) {
			int g = tangent_of(d, parent[j]);
			int term = g == ABSENT ? ABSENT : edge_cross(d, k, parent, j, g, s.dtype);
			if (term != ABSENT)
				d->term[terms++] = term;
		}
		out = derived_sum(d, s.dtype, d->term, terms);
	}
	arena_rewind(ev->arena, mark);
	return out;
}

bool trace_tangents(struct evaluation *ev, const struct stretch *s, const int *direction, int *out)
{
	struct arena_mark mark = arena_mark(ev->arena);
	struct derivation d = begin(ev, s);
	bool complete = true;
	d.flow = absent(ev->arena, d.end - s->first);
	mark_needed(&d);
	for (int i = 0; i < s->n_input; i++)
		d.flow[s->input[i] - s->first] = direction[i];
	for (int k = s->first; k < d.end && complete; k++) {
		if (d.live[k - s->first] && d.flow[k - s->first] == ABSENT && ev->scalar[k].n_parent > 0)
			d.flow[k - s->first] = tangent(&d, k);
		complete = ev->n_scalar <= s->limit;
	}
	for (int i = 0; i < s->n_result; i++)
		out[i] = tangent_of(&d, s->result[i]);
	return end(&d, mark, complete);
}

/* ---- adjoints ---- */

/* Marks as live the scalars that depend on an input. */
static void mark_active(struct derivation *d)
{
	const struct evaluation *ev = d->ev;
	int first = d->s->first;
	for (int i = 0; i < d->s->n_input; i++)
		d->live[d->s->input[i] - first] = INPUT;
	for (int k = first; k < d->end; k++) {
		const struct scalar *s = &ev->scalar[k];
		for (int j = 0; j < s->n_parent && !d->live[k - first]; j++) {
			int parent = ev->parent[s->parent + j];
			d->live[k - first] = parent >= first && d->live[parent - first] ? LIVE : DEAD;
		}
	}
}

static void contribute(struct derivation *d, int k, int flow)
{
	if (flow == ABSENT || k < d->s->first || !d->live[k - d->s->first])
		return;
	GROW(d->ev->arena, d->contribution, &d->contribution_room, d->n_contribution + 1);
	d->contribution[d->n_contribution] = (struct contribution){flow, d->head[k - d->s->first]};
	d->head[k - d->s->first] = d->n_contribution++;
}

/* The sum of all contributions to scalar k. */
static int adjoint_of(struct derivation *d, int k)
{
	int first = d->head[k - d->s->first], n = 0, at = 0;
	for (int c = first; c != ABSENT; c = d->contribution[c].next)
		n++;
	if (n < 2)
		return n ? d->contribution[first].flow : ABSENT;
	struct arena_mark mark = arena_mark(d->ev->arena);
	int *term = NEW(d->ev->arena, int, n);
	for (int c = first; c != ABSENT; c = d->contribution[c].next)
		term[at++] = d->contribution[c].flow;
	int out = derived_sum(d, d->ev->scalar[k].dtype, term, n);
	arena_rewind(d->ev->arena, mark);
	return out;
}

static void spread(struct derivation *d, int k)
{
	struct evaluation *ev = d->ev;
	const struct scalar s = ev->scalar[k];
	int g = adjoint_of(d, k);
	if (g == ABSENT)
		return;
	memcpy(d->term, ev->parent + s.parent, (size_t)s.n_parent * sizeof *d->term);
	for (int j = 0; j < s.n_parent; j++) {
		int parent = d->term[j];
		if (parent >= d->s->first && d->live[parent - d->s->first])
			contribute(d, parent, edge_cross(d, k, d->term, j, g, ev->scalar[parent].dtype));
	}
}

bool trace_adjoints(struct evaluation *ev, const struct stretch *s, const int *cotangent, int *out)
{
	struct arena_mark mark = arena_mark(ev->arena);
	struct derivation d = begin(ev, s);
	bool complete = true;
	d.head = absent(ev->arena, d.end - s->first);
	mark_active(&d);
	for (int i = 0; i < s->n_result; i++)
		contribute(&d, s->result[i], cotangent[i]);
	for (int i = 0; i < s->n_input; i++)
		out[i] = ABSENT;
	for (int k = d.end - 1; k >= s->first && complete; k--) {
		if (d.head[k - s->first] != ABSENT && d.live[k - s->first] == LIVE)
			spread(&d, k);
		complete = ev->n_scalar <= s->limit;
	}
	for (int i = 0; i < s->n_input && complete; i++)
		out[i] = adjoint_of(&d, s->input[i]);
	return end(&d, mark, complete);
}
