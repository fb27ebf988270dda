/* gate_wire.c: see gate_wire.h. */
#include "gate_wire.h"

#include "fuzz/bench/packed.h"

enum { TEXTS = 6 };

void gate_wire_put(struct text *t, const struct gate_case *x)
{
	pack_bytes(t, x, sizeof *x);
	for (int i = 0; i < x->n_fact; i++)
		pack_bytes(t, &x->fact[i], sizeof x->fact[i]);
	for (int i = 0; i < x->n; i++) {
		const struct ci_outcome *o = &x->at[i];
		const char *const texts[TEXTS] = {o->path, o->engine, o->signature, o->verdict, o->message, o->link};

		pack_bytes(t, &o->state, sizeof o->state);
		for (int k = 0; k < TEXTS; k++)
			pack_text(t, texts[k]);
	}
}

bool gate_wire_read(const char *bytes, size_t len, struct arena *a, struct gate_case *out)
{
	struct packed r = {bytes, bytes + len, a, true};

	unpack_bytes(&r, out, sizeof *out);
	out->fact = NEW(a, struct gate_fact, out->n_fact + 1);
	out->at = NEW(a, struct ci_outcome, out->n + 1);
	for (int i = 0; i < out->n_fact; i++)
		unpack_bytes(&r, &out->fact[i], sizeof out->fact[i]);
	for (int i = 0; i < out->n; i++) {
		struct ci_outcome *o = &out->at[i];
		const char **const texts[TEXTS] = {
		    &o->path, &o->engine, &o->signature, &o->verdict, &o->message, &o->link};

		unpack_bytes(&r, &o->state, sizeof o->state);
		for (int k = 0; k < TEXTS; k++)
			*texts[k] = unpack_text(&r);
	}
	return r.good && r.at == r.end;
}
