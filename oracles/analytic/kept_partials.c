/* kept_partials.c: see kept_partials.h. */
#include "kept_partials.h"
#include "graph/heap.h"

#include <stdlib.h>

enum { PLACES = 1024, NONE = -1 };

struct partial_place {
	int edge; /* NONE: the place is empty */
	bool connected;
	struct partial p;
	mpfr_t value;
};

struct kept_partials {
	bool any;
	struct partial_place at[PLACES];
};

struct kept_partials *kept_partials_open(mpfr_prec_t precision)
{
	struct kept_partials *self = heap_new(1, sizeof *self);
	self->any = true;
	kept_partials_forget(self);
	for (int k = 0; k < PLACES; k++)
		mpfr_init2(self->at[k].value, precision);
	return self;
}

void kept_partials_close(struct kept_partials *self)
{
	for (int k = 0; k < PLACES; k++)
		mpfr_clear(self->at[k].value);
	free(self);
}

void kept_partials_forget(struct kept_partials *self)
{
	for (int k = 0; self->any && k < PLACES; k++)
		self->at[k].edge = NONE;
	self->any = false;
}

void keep_partial(struct kept_partials *self, int edge, const struct partial *p, bool connected)
{
	struct partial_place *to = &self->at[edge % PLACES];
	to->edge = edge;
	to->connected = connected;
	to->p = *p;
	to->p.value = to->value;
	mpfr_set(to->value, p->value, MPFR_RNDN);
	self->any = true;
}

bool kept_partial(const struct kept_partials *self, int edge, struct partial *p, bool *connected)
{
	const struct partial_place *from = &self->at[edge % PLACES];
	if (from->edge != edge)
		return false;
	*p = from->p;
	*connected = from->connected;
	return true;
}
