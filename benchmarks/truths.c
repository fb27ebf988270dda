/*
 * truths.c: the truths of random cases as bytes, to see whether an edit of the oracles changes one
 * (scripts/source_edits).
 *
 * Usage: truths CASES SEED FILE [REFERENCE].  Writes FILE.  With REFERENCE, which another build wrote, prints the first
 * component that differs: in its value, its reason, or by a factor of 2 or more in a radius.  Exit status: 1 if one
 * differs.  The cases are those of `fuzz --driver generate`.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/generate/generate.h"
#include "oracles/truth.h"

enum { FD_ONE_IN = 10, CASE_BYTES = 512 << 20 };

/* All that is compared of a component. */
struct row {
	double value, low, tight, loose, down, up, leap;
	uint8_t reason, escapes, in_domain, narrow;
	int number; /* of the case */
};

struct writer {
	struct oracle *oracle;
	struct profile profile;
	uint64_t seed, number;
	struct arena arena;
	FILE *out, *reference;
	bool differs;
};

static bool same_radius(double x, double y)
{
	return x == y || (isnan(x) && isnan(y)) || (x > 0 && y > 0 && x < 2 * y && y < 2 * x);
}

static bool same_number(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

static bool same(const struct row *x, const struct row *y)
{
	return same_number(x->value, y->value) && same_number(x->low, y->low) && x->reason == y->reason &&
	    x->escapes == y->escapes && x->in_domain == y->in_domain && x->narrow == y->narrow &&
	    x->number == y->number && same_radius(x->tight, y->tight) && same_radius(x->loose, y->loose) &&
	    same_radius(x->down, y->down) && same_radius(x->up, y->up) && same_radius(x->leap, y->leap);
}

static void compare(struct writer *w, const struct row *got)
{
	struct row want = {0};
	const bool any = fread(&want, sizeof want, 1, w->reference) == 1;

	if (w->differs || (any && same(got, &want)))
		return;
	w->differs = true;
	printf("case %d: value %.17g, tight %g, loose %g, reason %d; before: %.17g, %g, %g, %d\n", got->number,
	    got->value, got->tight, got->loose, got->reason, want.value, want.tight, want.loose, want.reason);
}

static void write_tensors(struct writer *w, const struct truth_tensor *t, int n)
{
	for (int k = 0; k < n; k++) {
		for (int e = 0; e < shape_elements(&t[k].type.shape); e++) {
			const struct component *c = &t[k].at[e];
			struct row row;

			memset(&row, 0, sizeof row);
			row = (struct row){c->value, c->low, c->tight, c->loose, c->narrow ? c->down : 0,
			    c->narrow ? c->up : 0, c->narrow ? c->leap : 0, (uint8_t)c->reason, c->escapes,
			    c->in_domain, c->narrow, (int)w->number};
			fwrite(&row, sizeof row, 1, w->out);
			if (w->reference)
				compare(w, &row);
		}
	}
}

static void one_case(void *context)
{
	struct writer *w = context;
	struct choice choice = choice_seeded(seed_mix(w->seed, w->number));
	const struct testcase c = generate(&choice, &w->profile, &w->arena);
	struct truth truth;

	oracle_truth(w->oracle, &c, &w->arena, &truth);
	for (int k = 0; k < truth.n_point; k++) {
		const struct truth_point *p = &truth.point[k];

		write_tensors(w, p->primal, p->n_primal);
		for (int s = 0; p->n_derivative && s < p->n_assignment; s++)
			write_tensors(w, p->derivative[s], p->n_derivative);
	}
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "Usage: truths CASES SEED FILE [REFERENCE]\n");
		return 2;
	}
	struct writer w = {.profile = profile_default(), .seed = (uint64_t)atoll(argv[2]), .out = fopen(argv[3], "wb")};

	w.reference = argc > 4 ? fopen(argv[4], "rb") : NULL;
	if (!w.out || (argc > 4 && !w.reference)) {
		fprintf(stderr, "%s: cannot be opened\n", w.out ? argv[4] : argv[3]);
		return 2;
	}
	w.oracle = oracle_open(&(struct oracle_options){.seed = w.seed, .fd_one_in = FD_ONE_IN});
	arena_init(&w.arena, CASE_BYTES);
	for (; w.number < (uint64_t)atoll(argv[1]) && !w.differs; w.number++) {
		arena_reset(&w.arena);
		if (!arena_try(&w.arena, one_case, &w))
			fprintf(stderr, "case %d is too large\n", (int)w.number);
	}
	arena_free(&w.arena);
	oracle_close(w.oracle);
	return w.differs || fclose(w.out) ? 1 : 0;
}
