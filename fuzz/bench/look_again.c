/* look_again.c: see look_again.h. */
#include "look_again.h"

struct looking {
	struct bench *bench;
	const struct testcase *c;
	struct arena *arena;
	enum twin kind;
	enum dtype wide;
	struct twin_components *components;
	struct twin_tally *tally;
	struct judged_twins *out;
};

static void judge_twin(void *context)
{
	const struct looking *x = context;
	struct judged_twin *twin = &x->out->at[x->out->n];

	*twin = (struct judged_twin){.kind = x->kind, .r = NEW(x->arena, struct bench_result, 1)};
	if (!twin_make(x->c, x->kind, x->wide, x->arena, &twin->c))
		return;
	oracle_truth_at_edges(x->bench->oracle, &twin->c, x->arena, &twin->r->truth);
	if (!twin_note(x->kind, &twin->c, &twin->r->truth, x->components, x->tally))
		return;
	bench_conclude(x->bench, &twin->c, x->arena, twin->r);
	x->out->interrupted = x->out->interrupted || twin->r->interrupted;
	x->out->n++;
}

void look_again(struct bench *b, const struct testcase *c, const struct twin_components *own, int64_t work,
    enum dtype wide, struct arena *a, struct twin_tally *tally, struct judged_twins *out)
{
	struct twin_components components = {
	    .n = own->n, .at = arena_copy(a, own->at, (size_t)own->n, sizeof *own->at)};
	struct looking x = {
	    .bench = b, .c = c, .arena = a, .wide = wide, .components = &components, .tally = tally, .out = out};

	*out = (struct judged_twins){0};
	for (int k = 0; k < TWIN_COUNT && !out->interrupted; k++) {
		const struct twin_tally counted = *tally;
		struct twin_component *noted;
		struct arena_mark mark;

		x.kind = (enum twin)k;
		if (!twin_helps(x.kind, &components))
			continue;
		if (work >= 0 && !twin_affordable(c, x.kind, &components, work)) {
			tally->left_out = 1;
			continue;
		}
		noted = arena_copy(a, components.at, (size_t)components.n, sizeof *noted);
		mark = arena_mark(a);
		if (arena_try(a, judge_twin, &x))
			continue;
		arena_rewind(a, mark); /* a twin that was not judged counts for nothing */
		*tally = counted;
		components.at = noted;
	}
	twin_count(own, &components, tally);
}
