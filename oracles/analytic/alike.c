/* alike.c: see alike.h. */
#include "alike.h"
#include "oracles/evaluate/double_of.h"

#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "graph/random.h"

/* Open addressing with powers of two, at most half full. An entry counts only if its round is the table's. */
struct entry {
	int scalar;
	uint32_t round;
};

struct alike {
	struct entry *at;
	int room, used;
	uint32_t round;
	int classed; /* scalars below have their class, but for quiet ones */
};

enum { KEPT = 1 << 14 }; /* entries */

static void *table(int room) { return heap_new((size_t)room, sizeof(struct entry)); }

struct alike *alike_open(void)
{
	struct alike *self = heap_new(1, sizeof *self);
	self->room = 1024;
	self->at = table(self->room);
	self->round = 1;
	return self;
}

void alike_close(struct alike *self)
{
	free(self->at);
	free(self);
}

void alike_trim(struct alike *self)
{
	if (self->room <= KEPT)
		return;
	free(self->at);
	*self = (struct alike){.at = table(KEPT), .room = KEPT, .round = 1};
}

void alike_reset(struct alike *self)
{
	self->used = self->classed = 0;
	if (++self->round == 0) {
		memset(self->at, 0, (size_t)self->room * sizeof *self->at);
		self->round = 1;
	}
}

static bool commutes(enum op op) { return op == OP_ADD || op == OP_MUL || op == OP_MAX || op == OP_MIN; }

/* The class of parent j. For a commutative op the classes are in ascending order. */
static int parent_class(const struct evaluation *ev, const struct note *note, int k, int j)
{
	const struct scalar *s = &ev->scalar[k];
	const int *parent = ev->parent + s->parent;
	if (commutes(s->op) && (note[parent[0]].alike > note[parent[1]].alike))
		j = 1 - j;
	return note[parent[j]].alike;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * RANDOM_STEP;
	return h ^ h >> 29;
}

static uint64_t hash(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	uint64_t h = mix((uint64_t)s->op << 8 | (uint64_t)s->dtype, (uint64_t)s->rank);
	if (!s->n_parent) {
		double x = double_of(ev->value[k]);
		uint64_t bits;
		memcpy(&bits, &x, sizeof bits);
		return random_mix(mix(h, bits)); /* small integers differ in high bits alone */
	}
	for (int j = 0; j < s->n_parent; j++)
		h = mix(h, (uint64_t)parent_class(ev, note, k, j));
	return random_mix(h);
}

/* Whether scalars a and b are the same computation. For constants the sign of 0 counts, because 1/0 depends on it. */
static bool same(const struct evaluation *ev, const struct note *note, int a, int b)
{
	const struct scalar *s = &ev->scalar[a], *t = &ev->scalar[b];
	if (s->op != t->op || s->dtype != t->dtype || s->rank != t->rank || s->n_parent != t->n_parent ||
	    note[a].active != note[b].active)
		return false;
	if (!s->n_parent)
		return mpfr_equal_p(ev->value[a], ev->value[b]) &&
		    mpfr_signbit(ev->value[a]) == mpfr_signbit(ev->value[b]);
	for (int j = 0; j < s->n_parent; j++)
		if (parent_class(ev, note, a, j) != parent_class(ev, note, b, j))
			return false;
	return true;
}

/* The class of a maximum that is certainly one of its parents, or one of several that are alike: it is the class of
 * that parent. */
static int class_of_winner(const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	if (note[k].tie || note[k].unsure || note[k].reason)
		return -1;
	for (int j = 0; j < s->n_parent; j++)
		if (mpfr_equal_p(ev->value[ev->parent[s->parent + j]], ev->value[k]))
			return note[ev->parent[s->parent + j]].alike;
	return -1;
}

/* Whether scalar k, which has a class, is the first of it. */
static bool is_class(const struct evaluation *ev, const struct note *note, int k)
{
	return !ev->scalar[k].quiet && note[k].alike == k;
}

/* Entries of scalars that were taken back, or stand for no class any more, are left out. */
static void grow(struct alike *self, const struct evaluation *ev, const struct note *note)
{
	struct entry *old = self->at;
	const int n = self->room;
	self->room *= 2;
	self->used = 0;
	self->at = table(self->room);
	for (int i = 0; i < n; i++) {
		const int k = old[i].scalar;
		if (old[i].round != self->round || k >= self->classed || !is_class(ev, note, k))
			continue;
		uint64_t h = hash(ev, note, k);
		while (self->at[h & (uint64_t)(self->room - 1)].round == self->round)
			h++;
		self->at[h & (uint64_t)(self->room - 1)] = old[i];
		self->used++;
	}
	free(old);
}

/* The class of scalar k: the number of the first scalar like it. */
static int class_of(struct alike *self, const struct evaluation *ev, const struct note *note, int k)
{
	const struct scalar *s = &ev->scalar[k];
	switch ((int)s->op) {
	case OP_SELECT:
	case OP_FIXED_POINT:
		return k; /* it is unknown which one, or by which way */
	case OP_SORT:
		if (note[k].shared) /* whichever it is */
			return note[ev->parent[s->parent]].alike;
		break;
	case OP_MAX:
	case OP_MIN:
	case OP_REDUCE_MAX:
	case OP_REDUCE_MIN: {
		int winner = class_of_winner(ev, note, k);
		if (winner >= 0)
			return winner;
		break;
	}
	default:
		break;
	}
	if ((!s->n_parent && note[k].active) || s->part == TRACE_PARAMETER ||
	    s->part == TRACE_FLOW) /* variables; and flows, which are never compared */
		return k;
	if (2 * self->used >= self->room)
		grow(self, ev, note);
	/* Entries of scalars that were taken back stay. What now has their number is compared like any other. */
	bool listed = false;
	for (uint64_t h = hash(ev, note, k);; h++) {
		struct entry *e = &self->at[h & (uint64_t)(self->room - 1)];
		if (e->round != self->round) {
			if (!listed) {
				*e = (struct entry){k, self->round};
				self->used++;
			}
			return k;
		}
		if (e->scalar < k && is_class(ev, note, e->scalar) && same(ev, note, e->scalar, k))
			return e->scalar;
		listed |= e->scalar == k;
	}
}

void alike_appended(struct alike *self, int k)
{
	if (self->classed > k)
		self->classed = k;
}

void alike_classes(struct alike *self, const struct evaluation *ev, struct note *note, int n)
{
	for (; self->classed < n; self->classed++)
		if (!ev->scalar[self->classed].quiet)
			note[self->classed].alike = class_of(self, ev, note, self->classed);
}
