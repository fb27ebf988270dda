/* conventions.c: see conventions.h. */
#include "conventions.h"
#include "oracle_rules.h"

void conventions_collect(struct conventions *self, const struct evaluation *ev, const struct note *note, bool directional)
{
	*self = (struct conventions){.n_choice = ev->rules->conventions + directional, .n_assignment = 1};
	for (int k = 0; k < ev->n_scalar; k++) {
		int at = 0;
		if (!note[k].tie || note[k].unsure || note[k].reason)
			continue;
		while (at < self->n_kind && self->kind[at] != ev->scalar[k].kind)
			at++;
		if (at < self->n_kind)
			continue;
		if (at == CONVENTION_KINDS) {
			self->n_assignment = CONVENTION_ASSIGNMENTS + 1;
			return;
		}
		self->kind[self->n_kind++] = ev->scalar[k].kind;
		self->n_assignment *= self->n_choice;
	}
}

void conventions_assign(struct conventions *self, int number)
{
	for (int i = 0; i < self->n_kind; i++) {
		self->choice[i] = (enum convention)(number % self->n_choice);
		number /= self->n_choice;
	}
}

static enum convention choice_of(const struct conventions *self, enum op kind)
{
	for (int i = 0; i < self->n_kind; i++)
		if (self->kind[i] == kind)
			return self->choice[i];
	return CONVENTION_EVEN;
}

bool convention_is_directional(const struct conventions *self, const struct evaluation *ev, int k)
{
	return choice_of(self, ev->scalar[k].kind) == CONVENTION_DIRECTIONAL;
}

int convention_weight(const struct conventions *self, const struct evaluation *ev, const struct shared *shared, int k, int j, int *ties)
{
	const struct scalar *s = &ev->scalar[k];
	enum convention choice = choice_of(self, s->kind);
	*ties = 1;
	if (s->op == OP_ABS)
		return choice == CONVENTION_FIRST ? 1 : choice == CONVENTION_LAST ? -1 : 0;
	if (s->op == OP_SORT) {
		if (choice == CONVENTION_EVEN)
			*ties = s->n_parent;
		return choice == CONVENTION_EVEN || j == (choice == CONVENTION_FIRST ? s->rank : s->n_parent - 1 - s->rank);
	}
	if (!mpfr_equal_p(ev->value[ev->parent[s->parent + j]], ev->value[k]))
		return 0;
	switch (choice) {
	case CONVENTION_FIRST: return j == shared->first;
	case CONVENTION_LAST: return j == shared->last;
	case CONVENTION_EVEN: *ties = shared->winners; return 1;
	case CONVENTION_DIRECTIONAL: break;
	}
	return 0;
}
