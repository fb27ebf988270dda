/*
 * other_faces.c: is a case with a new coarse signature one more of known findings?
 *
 * One bug has many coarse signatures: each stack of levels and each deviation is one.  The first case of each would be
 * minimized.  If judging does not pay for that yet, the patterns of all known findings that the case may be one more of
 * are taken out together.  If the engine then answers like a right one, the signature becomes a face of the finding
 * with the largest pattern.  Its later cases are known ones, and some of them are minimized as a check.
 */
#include "graph/walk.h"
#include "fuzz/bench/question.h"
#include "remainder.h"

enum { OTHER_FACES = 8 };

/*
 * Whether a case with a new coarse signature may be one more of f: it has the pattern, and asks for as much at least.
 * The deviation, a further level and a wrong primal change the signature, but they need not be another bug.
 */
static bool may_be_another_face(struct triage *self, const struct finding *f, const struct shown *s)
{
	const struct symptom *y = f->symptom;
	const struct request_summary asked = asked_of(s->c);

	return !y->flaky && !y->unsteady && !y->weak_zero &&
	    (verdict_of_numbers(y->verdict) || !verdict_answers(y->verdict)) && asked_is_in(&y->asked, &asked) &&
	    (f->n_wiring ? finding_is_in(f, &s->c->program) : pattern_is_in(&y->pattern, s->c)) &&
	    remainder_spelled_alike(self, s->which, y, s->c);
}

/* A case, and the findings of which it may be one more; `best` has the largest pattern of them. */
struct other_faces {
	struct triage *triage;
	struct remainder *rest;
	const struct shown *shown;
	int n;
	struct finding *of[OTHER_FACES];
	struct finding *best;
	enum left left;
};

static void find_other_faces(struct other_faces *x, const struct shown *s)
{
	x->n = 0;
	x->best = NULL;
	for (int i = 0; i < x->triage->n_finding && x->n < OTHER_FACES; i++) {
		struct finding *f = &x->triage->finding[i];

		if (f->engine != x->triage->name[s->which] || !may_be_another_face(x->triage, f, s))
			continue;
		x->of[x->n++] = f;
		if (!x->best || pattern_size(&f->symptom->pattern) > pattern_size(&x->best->symptom->pattern))
			x->best = f;
	}
}

static bool hangs_on_any(const void *other_faces, const struct program *p, const struct node *n)
{
	const struct other_faces *x = other_faces;

	for (int k = 0; k < x->n; k++)
		if (finding_hangs_on(x->of[k], 0, p, n))
			return true;
	return false;
}

/* Whether the engine is right about s without the patterns of all findings that s may be one more of. */
static bool right_without_all(struct other_faces *x, struct shown s)
{
	find_other_faces(x, &s);
	return x->best && remainder_without(x->rest, x->triage->name[s.which], hangs_on_any, x, &s) == LEFT_RIGHT;
}

static void look_for_other_faces(void *context)
{
	struct other_faces *x = context;
	struct shown written = *x->shown;

	/* No truth is computed.  If the engine does not answer like a right one, the case is minimized. */
	x->rest->granted = false;
	x->left = right_without_all(x, *x->shown) ||
	        (remainder_write_out(x->rest, &written) && right_without_all(x, written))
	    ? LEFT_RIGHT
	    : LEFT_UNKNOWN;
}

struct finding *triage_other_face(struct triage *self, const struct shown *s)
{
	struct other_faces x = {.triage = self, .shown = s};
	int64_t before;

	if (!verdict_of_numbers(s->verdict) || s->verdict == VERDICT_NONDETERMINISTIC ||
	    signature_weak_zero(s->signature) || finding_of_face(self, s->which, s->signature) || triage_over(self) ||
	    !finding_any(self, s->which) || (!s->slip && triage_is_paid(self, s->which)) ||
	    !(x.rest = remainder_of(self, s->which)))
		return NULL;
	before = bench_work(&x.rest->bench);
	arena_reset(&x.rest->arena);
	if (!arena_try(&x.rest->arena, look_for_other_faces, &x))
		x.left = LEFT_UNKNOWN;
	self->allowance.spent += bench_work(&x.rest->bench) - before;
	if (x.left != LEFT_RIGHT)
		return NULL;
	if (s->slip)
		finding_add_slip(self, x.best, s->signature);
	else
		finding_add_face(x.best, s->signature);
	return x.best;
}
