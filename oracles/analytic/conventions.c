/* conventions.c: see conventions.h. */
#include "conventions.h"

#include <assert.h>
#include "oracles/oracle_rules.h"

/* The choices of a kind; the directional one exists for a jvp only. */
struct convention_choices {
	int n;
	enum convention at[5];
};

static const struct convention_choices extremum = {
    4, {CONVENTION_EVEN, CONVENTION_FIRST, CONVENTION_LAST, CONVENTION_DIRECTIONAL}};
/* A mask that is open at both bounds passes nothing at a tie. */
static const struct convention_choices clamp = {
    5, {CONVENTION_EVEN, CONVENTION_FIRST, CONVENTION_LAST, CONVENTION_STRICT, CONVENTION_DIRECTIONAL}};
static const struct convention_choices norm = {2, {CONVENTION_EVEN, CONVENTION_DIRECTIONAL}};
static const struct convention_choices pow_at_zero = {1, {CONVENTION_EVEN}};

static const struct convention_choices *choices_of(enum op kind)
{
	switch ((int)kind) {
	case OP_CLAMP:
		return &clamp;
	case OP_NORM:
		return &norm;
	case OP_POW:
		return &pow_at_zero;
	default:
		return &extremum;
	}
}

/* The first `most` choices, and the directional one. */
static int count_choices(const struct convention_choices *choices, int most, bool directional)
{
	bool offered = choices->at[choices->n - 1] == CONVENTION_DIRECTIONAL;
	int plain = choices->n - offered;
	return (plain < most ? plain : most) + (offered && directional);
}

bool convention_is_open(enum op op) { return op == OP_NORM || op == OP_POW; }

bool convention_tied(const struct note *note, int k) { return note[k].tie && !note[k].unsure && !note[k].reason; }

bool convention_unsure(const struct evaluation *ev, const struct note *note, int k)
{
	switch ((int)ev->scalar[k].op) {
	case OP_ABS:
	case OP_MAX:
	case OP_MIN:
	case OP_REDUCE_MAX:
	case OP_REDUCE_MIN:
	case OP_SORT:
	case OP_SELECT:
		return note[k].unsure && note[k].active && !note[k].reason;
	default:
		return false;
	}
}

void conventions_collect(
    struct conventions *self, const struct evaluation *ev, const struct note *note, bool directional)
{
	*self = (struct conventions){.directional = directional, .most = ev->rules->conventions, .n_assignment = 1};
	for (int k = 0; k < ev->n_scalar; k++) {
		int at = 0;
		if (!convention_tied(note, k))
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
		self->n_assignment *= count_choices(choices_of(ev->scalar[k].kind), self->most, directional);
	}
}

void conventions_assign(struct conventions *self, int number)
{
	self->corner = NULL;
	assert(number >= 0 && (number == 0 || number < self->n_assignment));
	for (int i = 0; i < self->n_kind; i++) {
		const struct convention_choices *choices = choices_of(self->kind[i]);
		int n = count_choices(choices, self->most, self->directional), chosen = number % n;
		bool last = self->directional && chosen == n - 1 &&
		    choices->at[choices->n - 1] == CONVENTION_DIRECTIONAL;
		self->choice[i] = last ? CONVENTION_DIRECTIONAL : choices->at[chosen];
		number /= n;
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
	return !self->corner && choice_of(self, ev->scalar[k].kind) == CONVENTION_DIRECTIONAL;
}

int convention_weight(
    const struct conventions *self, const struct evaluation *ev, const struct shared *shared, int k, int j, int *ties)
{
	const struct scalar *s = &ev->scalar[k];
	enum convention choice = choice_of(self, s->kind);
	*ties = 1;
	if (convention_is_open(s->op))
		return 0;
	if (self->corner) {
		int chosen = self->corner->chosen[k];
		return s->op == OP_ABS ? (chosen ? -1 : 1) : chosen == j;
	}
	if (s->op == OP_ABS)
		return choice == CONVENTION_FIRST ? 1 : choice == CONVENTION_LAST ? -1 : 0;
	if (s->op == OP_SORT) {
		if (choice == CONVENTION_EVEN)
			*ties = s->n_parent;
		return choice == CONVENTION_EVEN ||
		    j == (choice == CONVENTION_FIRST ? s->rank : s->n_parent - 1 - s->rank);
	}
	if (!mpfr_equal_p(ev->value[ev->parent[s->parent + j]], ev->value[k]))
		return 0;
	switch (choice) {
	case CONVENTION_FIRST:
		return j == shared->first;
	case CONVENTION_LAST:
		return j == shared->last;
	case CONVENTION_EVEN:
		*ties = shared->winners;
		return 1;
	case CONVENTION_DIRECTIONAL:
	case CONVENTION_STRICT:
		break;
	}
	return 0;
}

/* ---- corners ---- */

/* Whether parent j may be the extremum k in some correct engine. */
static bool may_win(const struct evaluation *ev, const struct note *note, int k, int j)
{
	const int *parent = ev->parent + ev->scalar[k].parent;
	int best = 0;

	while (!mpfr_equal_p(ev->value[parent[best]], ev->value[k]))
		best++;
	return mpfr_equal_p(ev->value[parent[j]], ev->value[k]) || note[parent[j]].alike == note[parent[best]].alike ||
	    !ball_separated(ev, note, parent[j], parent[best], 0);
}

/* Fills option[] of tied or unsure scalar k; returns the number of options. */
static int list_options(const struct evaluation *ev, const struct note *note, int k, int *option)
{
	const struct scalar *s = &ev->scalar[k];
	int n = 0;
	if (s->op == OP_ABS) {
		option[n++] = 0;
		option[n++] = 1;
	}
	for (int j = 0; j < s->n_parent; j++)
		if (s->op == OP_ABS)
			continue;
		else if (!note[k].unsure ? mpfr_equal_p(ev->value[ev->parent[s->parent + j]], ev->value[k]) != 0
		                         : s->op == OP_SORT || s->op == OP_SELECT || may_win(ev, note, k, j))
			option[n++] = j;
	if (s->kind == OP_CLAMP)
		option[n++] = CORNER_STRICT;
	return note[k].unsure && n > ev->rules->ways ? ev->rules->ways : n;
}

/* The scalar of tie[] that chooses for scalar k of a group; -1: none does. */
static int chooser(const struct corners *self, const struct evaluation *ev, int n_tie, int k)
{
	for (int i = 0; ev->scalar[k].group && i < n_tie; i++)
		if (ev->scalar[self->tie[i]].group == ev->scalar[k].group)
			return self->tie[i];
	return -1;
}

/* Fills tie[] and alike[] from member[]. False if there are more ties than CORNER_TIES. */
static bool list_ties(struct corners *self, const struct evaluation *ev, struct arena *a)
{
	int n = 0;

	self->tie = NEW(a, int, CORNER_TIES);
	for (int k = 0; k < ev->n_scalar; k++)
		n += self->member[k] && ev->scalar[k].group;
	self->alike = (int(*)[2])NEW(a, int, 2 * n);
	for (int k = 0; k < ev->n_scalar; k++) {
		if (!self->member[k])
			continue;
		const int by = chooser(self, ev, self->n_tie, k);

		if (by >= 0) {
			self->alike[self->n_alike][0] = k;
			self->alike[self->n_alike++][1] = by;
		} else if (self->n_tie < CORNER_TIES) {
			self->tie[self->n_tie++] = k;
		} else {
			return false;
		}
	}
	return true;
}

struct corners *corners_collect(const struct evaluation *ev, const struct note *note, bool unsure, struct arena *a)
{
	struct corners *self = NEW(a, struct corners, 1);
	self->member = NEW(a, bool, ev->n_scalar + 1);
	for (int k = 0; k < ev->n_scalar; k++)
		self->member[k] = convention_tied(note, k) || (unsure && convention_unsure(ev, note, k));
	/* Every tie has at least two options. */
	if (!list_ties(self, ev, a))
		return NULL;
	self->n_option = NEW(a, int, self->n_tie);
	self->option = NEW(a, int *, self->n_tie);
	self->chosen = NEW(a, int, ev->n_scalar);
	self->n_corner = 1;
	for (int i = 0; i < self->n_tie; i++) {
		const int k = self->tie[i];

		if (convention_is_open(ev->scalar[k].op))
			return NULL;
		self->option[i] = NEW(a, int, ev->scalar[k].n_parent + 2);
		self->n_option[i] = list_options(ev, note, k, self->option[i]);
		if (self->n_option[i] > CONVENTION_ASSIGNMENTS / self->n_corner)
			return NULL;
		self->n_corner *= self->n_option[i];
	}
	return self;
}

void corners_choose(struct corners *self, int number)
{
	for (int i = 0; i < self->n_tie; i++) {
		self->chosen[self->tie[i]] = self->option[i][number % self->n_option[i]];
		number /= self->n_option[i];
	}
	for (int i = 0; i < self->n_alike; i++)
		self->chosen[self->alike[i][0]] = self->chosen[self->alike[i][1]];
}
