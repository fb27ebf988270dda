/* alike.c: see alike.h. */
#include "alike.h"

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
	*self = (struct alike){.room = KEPT, .at = table(KEPT), .round = 1};
}

void alike_reset(struct alike *self)
{
	self->used = 0;
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
		double x = mpfr_get_d(ev->value[k], MPFR_RNDN);
		uint64_t bits;
		memcpy(&bits, &x, sizeof bits);
		return mix(h, bits);
	}
	for (int j = 0; j < s->n_parent; j++)
		h = mix(h, (uint64_t)parent_class(ev, note, k, j));
	return h;
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

static void grow(struct alike *self, const struct evaluation *ev, const struct note *note)
{
	struct alike bigger = {.room = 2 * self->room, .round = self->round};
	bigger.at = table(bigger.room);
	for (int i = 0; i < self->room; i++) {
		if (self->at[i].round != self->round || self->at[i].scalar >= ev->n_scalar)
			continue;
		uint64_t h = hash(ev, note, self->at[i].scalar);
		while (bigger.at[h & (uint64_t)(bigger.room - 1)].round == bigger.round)
			h++;
		bigger.at[h & (uint64_t)(bigger.room - 1)] = self->at[i];
		bigger.used++;
	}
	free(self->at);
	*self = bigger;
}

int alike_class(struct alike *self, const struct evaluation *ev, const struct note *note, int k)
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
	/* Entries for scalars that were taken back are no longer used. A new scalar with the same number is
	 * compared like any other. */
	uint64_t h = hash(ev, note, k);
	for (;; h++) {
		struct entry *e = &self->at[h & (uint64_t)(self->room - 1)];
		if (e->round != self->round) {
			*e = (struct entry){k, self->round};
			self->used++;
			return k;
		}
		if (e->scalar < k && note[e->scalar].alike == e->scalar && same(ev, note, e->scalar, k))
			return e->scalar;
		if (e->scalar == k)
			return k;
	}
}
