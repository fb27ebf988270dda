/* starts.c: see starts.h. */
#include "starts.h"
#include "graph/heap.h"

#include <stdlib.h>

#define R MPFR_RNDN

struct start {
	uint64_t path;
	int first, total; /* its numbers are value[first ... first + total - 1] */
	double largest;
};

void starts_free(struct starts *self)
{
	for (int k = 0; k < self->value_ready; k++)
		mpfr_clear(self->value[k]);
	free(self->value);
	free(self->at);
	*self = (struct starts){0};
}

void starts_clear(struct starts *self) { self->n = self->n_value = 0; }

/* Makes room for one more solution of `total` numbers. */
static void reserve(struct starts *self, int total)
{
	if (self->n == self->room) {
		self->room = self->room ? 2 * self->room : 8;
		self->at = heap_resize(self->at, (size_t)self->room, sizeof *self->at);
	}
	if (self->n_value + total > self->value_room) {
		self->value_room = 2 * (self->n_value + total);
		self->value = heap_resize(self->value, (size_t)self->value_room, sizeof *self->value);
	}
}

void starts_keep(struct starts *self, uint64_t path, const mpfr_t *x, int total, double largest)
{
	reserve(self, total);
	self->at[self->n++] = (struct start){.path = path, .first = self->n_value, .total = total, .largest = largest};
	for (int i = 0; i < total; i++, self->n_value++) {
		if (self->n_value < self->value_ready)
			mpfr_set_prec(self->value[self->n_value], mpfr_get_prec(x[i]));
		else
			mpfr_init2(self->value[self->value_ready++], mpfr_get_prec(x[i]));
		mpfr_set(self->value[self->n_value], x[i], R);
	}
}

/* Solution number k if it has that path and size, else NULL. */
static const struct start *find(const struct starts *self, int k, uint64_t path, int total)
{
	const bool has = k < self->n && self->at[k].path == path && self->at[k].total == total;
	return has ? &self->at[k] : NULL;
}

bool starts_take(
    const struct starts *self, const struct starts *across, int k, uint64_t path, mpfr_t *x, int total, double *largest)
{
	const struct start *start = find(self, k, path, total);
	const struct start *other = start && across ? find(across, k, path, total) : NULL;
	if (!start)
		return false;
	for (int i = 0; i < total; i++) {
		mpfr_set(x[i], self->value[start->first + i], R);
		if (other && mpfr_number_p(across->value[other->first + i])) {
			mpfr_mul_2ui(x[i], x[i], 1, R);
			mpfr_sub(x[i], x[i], across->value[other->first + i], R);
		}
	}
	*largest = start->largest;
	return true;
}
