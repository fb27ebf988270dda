/*
 * refute.c: tries to refute what is told.  Other conditions may predict the variants so far nearly as well.  It looks
 * for cases about which these say something else, and for more cases in which the told condition holds.  The cases are
 * judged, and the condition is chosen again.
 */
#include "fuzz/bench/draw.h"
#include "fuzz/generate/generate.h"
#include "graph/walk.h"
#include "lab_edit.h"

enum {
	CANDIDATES = 1500,   /* of which facts are found, in a round */
	EACH = 5,            /* cases against the condition, for one rival that says that they fail, or pass */
	HOLDS = 12,          /* further cases in which the condition holds */
	DRAWN_FROM = 1 << 20 /* the numbers of draws that experiments do not use */
};

struct refuting {
	struct lab *lab;
	const struct blamed *blamed;
	int n_blamed, n_op;
	enum op op[LAB_USES];
	const struct explained *told;
	int number;             /* of the candidate */
	int against[RIVALS][2]; /* cases judged so far, by what the rival says */
	int holds, judged;
	bool wanted, alone; /* the candidate; it is of the op alone */
	struct testcase c;
};

/* Makes candidate number k in l->scratch: a draw, or a neighbour of a case that fails. */
static bool make_candidate(struct refuting *x, int k)
{
	struct lab *l = x->lab;
	const struct profile profile = profile_default();
	const struct testcase *of = l->n_shown ? l->shown[k % l->n_shown] : l->typical;
	struct choice choice;

	x->alone = x->n_op && lab_draw_alone(l, x->op[k % x->n_op], DRAWN_FROM + k, &x->c);
	if (x->alone || (x->n_op && lab_is_drawn_alone(l, x->op[k % x->n_op])))
		return x->alone;
	if (k % 2 && x->n_op)
		return lab_draw_of(l, x->op[k / 2 % x->n_op], DRAWN_FROM + k / 2, &x->c);
	arena_reset(&l->scratch);
	choice = choice_seeded(seed_mix(testcase_hash(of), (uint64_t)(DRAWN_FROM + k)));
	x->c = mutate(of, &choice, &profile, &l->scratch);
	return lab_same_request(l, &x->c);
}

/* Whether the candidate can show that the condition is wrong, or another one.  A larger program may be right by
 * accident, so it counts only where the condition says that it is right. */
static bool is_wanted(struct refuting *x)
{
	const struct lab *l = x->lab;
	const struct facts *f = facts_of(&x->c, &x->lab->scratch);
	const bool says = rival_holds(l->explain, &x->told->chosen, f);
	bool wanted = says && x->holds < HOLDS;

	if (!explanation_counts(l->explain, x->blamed, x->n_blamed, f) || (says && !x->alone))
		return false;
	x->holds += says;
	for (int i = 0; i < x->told->n_rival; i++) {
		const bool other = rival_holds(l->explain, &x->told->rival[i], f);

		if (other != says && x->against[i][other] < EACH) {
			x->against[i][other]++;
			wanted = true;
		}
	}
	return wanted;
}

static void try_candidate(void *context)
{
	struct refuting *x = context;

	x->wanted = make_candidate(x, x->number) && is_wanted(x);
}

int lab_refute(struct lab *l, const struct blamed *blamed, int n, const struct explained *told, int round)
{
	struct refuting x = {.lab = l, .blamed = blamed, .n_blamed = n, .told = told};

	x.n_op = lab_blamed_ops(l, x.op);
	explanation_aside(l->explain, true, false);
	l->strict = true;
	for (int k = 0; k < CANDIDATES && !lab_time_over(l); k++) {
		x.number = round * CANDIDATES + k;
		x.wanted = false;
		arena_reset(&l->scratch);
		arena_try(&l->scratch, try_candidate, &x);
		if (!x.wanted)
			continue;
		explanation_alone(l->explain, x.alone);
		lab_sample(l, &x.c);
		explanation_alone(l->explain, false);
		lab_settle(l); /* if it fails, the next candidates are made of it */
		x.judged++;
	}
	l->strict = false;
	explanation_aside(l->explain, false, true);
	return x.judged;
}
