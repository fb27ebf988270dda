/* result.c: the result of an item as bytes. */
#include "item.h"

#include "fuzz/bench/packed.h"

static void put_cell(struct text *t, const struct conform_cell *cell)
{
	int n = 0, shows = -1;

	for (const struct conform_shown *s = cell->found; s; s = s->next, n++)
		if (s == cell->shows)
			shows = n;
	pack_bytes(t, cell, sizeof *cell);
	pack_bytes(t, &n, sizeof n);
	pack_bytes(t, &shows, sizeof shows);
	for (const struct conform_shown *s = cell->found; s; s = s->next) {
		pack_bytes(t, s, sizeof *s);
		pack_case(t, &s->c);
	}
	pack_text(t, cell->text);
	pack_text(t, cell->signature);
	pack_text(t, cell->numbers);
	pack_text(t, cell->gone_text);
}

void conform_result_put(struct text *t, const struct conform_result *x)
{
	pack_bytes(t, x, sizeof *x);
	put_cell(t, &x->cell);
	pack_text(t, x->name);
	pack_text(t, x->failure);
	if (!x->leaks.cases)
		return;
	pack_text(t, x->leaks.first);
	pack_text(t, x->leaks.signature);
	pack_case(t, x->leaks.smallest);
}

/* A text that was there; NULL: there was none. */
static const char *read_text(struct packed *r, const char *was)
{
	const char *text = unpack_text(r);

	return was ? text : NULL;
}

static void read_cell(struct packed *r, struct conform_cell *cell)
{
	struct conform_shown **at = &cell->found;
	int n, shows;

	unpack_bytes(r, cell, sizeof *cell);
	unpack_bytes(r, &n, sizeof n);
	unpack_bytes(r, &shows, sizeof shows);
	cell->found = cell->shows = NULL;
	for (int k = 0; k < n && r->good; k++, at = &(*at)->next) {
		*at = NEW(r->arena, struct conform_shown, 1);
		unpack_bytes(r, *at, sizeof **at);
		unpack_case(r, &(*at)->c);
		(*at)->next = NULL;
		if (k == shows)
			cell->shows = *at;
	}
	cell->text = read_text(r, cell->text);
	cell->signature = read_text(r, cell->signature);
	cell->numbers = read_text(r, cell->numbers);
	cell->gone_text = read_text(r, cell->gone_text);
}

bool conform_result_read(const char *bytes, size_t len, struct arena *a, struct conform_result *out)
{
	struct packed r = {bytes, bytes + len, a, true};

	unpack_bytes(&r, out, sizeof *out);
	read_cell(&r, &out->cell);
	out->name = read_text(&r, out->name);
	out->failure = read_text(&r, out->failure);
	if (out->leaks.cases) {
		out->leaks.first = unpack_text(&r);
		out->leaks.signature = unpack_text(&r);
		out->leaks.smallest = NEW(a, struct testcase, 1);
		unpack_case(&r, out->leaks.smallest);
	}
	return r.good && r.at == r.end;
}
