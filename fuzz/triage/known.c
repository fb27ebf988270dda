/*
 * known.c: is a case one more of a known finding?
 *
 * It most likely is if it contains the pattern of a finding that has the case's coarse signature as a face.  So triage
 * takes the pattern out: the nodes that it hangs on become constants with their values at the point.  If nothing fails
 * any more, the case is counted.  If something still fails, that is another finding, and the case without the pattern
 * is a smaller case of it.  This costs one request; minimizing costs hundreds.  A built-in engine is first compared
 * with a right one, because that needs no truth.
 *
 * An engine may make the pattern itself.  It runs a batch or a fixed point as a loop, and differentiates one op by
 * others.  So the same is done with each slice of a batch, and with the case written out (simplest.h), if the engine
 * answers that one alike.
 *
 * Two bugs of loops often have the same pattern.  Taking the loops out would hide one behind the other.  So of a
 * finding with inlets (inlets.h) only these become constant.  If the case still fails, that is most likely another bug.
 *
 * This misses a bug that shows only together with a known pattern.  Therefore some cases of each finding are minimized
 * nevertheless: the first, second, fourth, and so on, then one in RECHECK_ONE_IN.
 *
 * All this needs an allowance (allowance.h).  Without one, only the comparison is made.  A case that nothing known
 * explains is minimized, until the search comes to a known form (case_form.h).  If its coarse signature is known, it
 * may be deferred (deferred.h).
 */
#include <stdlib.h>
#include <string.h>

#include "engines/engine.h"
#include "graph/heap.h"
#include "fuzz/bench/case_work.h"
#include "remainder.h"

/* FREE_SUSPECTS: cases of a finding that are looked at whatever work is left. */
enum { FREE_SUSPECTS = 4, RECHECK_ONE_IN = 64 };

bool finding_has_face(const struct finding *f, const char *signature)
{
	for (int k = 0; k < f->n_face; k++)
		if (!strcmp(f->face[k], signature))
			return true;
	return false;
}

struct finding *finding_of_face(struct triage *self, int which, const char *signature)
{
	for (int i = 0; i < self->n_finding; i++)
		if (self->finding[i].engine == self->name[which] && finding_has_face(&self->finding[i], signature))
			return &self->finding[i];
	return NULL;
}

bool finding_any(const struct triage *self, int which)
{
	for (int i = 0; i < self->n_finding; i++)
		if (self->finding[i].engine == self->name[which])
			return true;
	return false;
}

void finding_add_face(struct finding *f, const char *signature)
{
	if (finding_has_face(f, signature) || (signature_weak_zero(signature) && !f->symptom->weak_zero))
		return;
	f->face = heap_resize(f->face, (size_t)f->n_face + 1, sizeof *f->face);
	f->face[f->n_face++] = heap_text(signature);
}

bool finding_is_in(const struct finding *f, const struct program *p)
{
	for (int k = 0; k < f->n_wiring; k++)
		if (wiring_is_in(&f->wiring[k]->program, p))
			return true;
	return false;
}

/* A finding that most likely explains a case, by its symptom k.  f NULL: none. */
struct likely {
	struct finding *f;
	int k;
};

/* Whether the case most likely belongs to f by symptom k: the case contains the pattern or wiring of that symptom. */
static bool is_likely(struct triage *self, const struct finding *f, int k, const struct shown *s, bool weak_zero)
{
	const struct symptom *y = &f->symptom[k];
	const struct request_summary asked = asked_of(s->c);

	if (y->weak_zero != weak_zero)
		return false;
	if (weak_zero && !k) /* whatever the program */
		return finding_has_face(f, s->signature);
	if (k && pattern_is_bare(&y->pattern)) /* a region alone is too little, and only symptom 0 has wirings */
		return false;
	if (!k && f->n_wiring ? !finding_is_in(f, &s->c->program) : !pattern_is_in(&y->pattern, s->c))
		return false;
	if (weak_zero)
		return true;
	if (!remainder_spelled_alike(self, s->which, y, s->c))
		return false;
	/* If the engine does not answer, the same verdict, the pattern and at least as large a request are
	 * enough.  Otherwise f must have the face of the case. */
	return verdict_answers(s->verdict) ? finding_has_face(f, s->signature)
	                                   : y->verdict == s->verdict && !y->flaky && asked_is_in(&y->asked, &asked);
}

/* Whether the case is quiet about f already. */
static bool is_quiet(const struct shown *s, const struct finding *f)
{
	for (int k = 0; k < s->n_quiet; k++)
		if (s->quiet[k].inlets == (unsigned)f->symptom->inlets && s->quiet[k].trip == f->symptom->trip)
			return true;
	return false;
}

/* Of all likely findings, the one with the largest pattern. */
static struct likely find_likely(struct triage *self, const struct shown *s)
{
	const bool weak_zero = signature_weak_zero(s->signature);
	struct likely best = {NULL, 0};

	for (int i = 0; i < self->n_finding; i++) {
		struct finding *f = &self->finding[i];

		for (int k = 0; f->engine == self->name[s->which] && !is_quiet(s, f) && k < f->n_symptom; k++)
			if (is_likely(self, f, k, s, weak_zero) &&
			    (!best.f ||
			        pattern_size(&f->symptom[k].pattern) > pattern_size(&best.f->symptom[best.k].pattern)))
				best = (struct likely){f, k};
	}
	return best;
}

static bool has_op_of(const struct pattern *p, const struct node *n)
{
	bool has = pattern_hangs_on(p, n);

	for (struct walk w = walk_inside(n); !has && walk_next(&w);)
		has = pattern_hangs_on(p, w.node);
	return has;
}

bool finding_hangs_on(const struct finding *f, int k, const struct program *p, const struct node *n)
{
	if (k || !f->n_wiring)
		return has_op_of(&f->symptom[k].pattern, n);
	for (int w = 0; w < f->n_wiring; w++)
		if (wiring_hangs_on(&f->wiring[w]->program, p, n))
			return true;
	return false;
}

static bool hangs_on_likely(const void *likely, const struct program *p, const struct node *n)
{
	const struct likely *l = likely;

	return finding_hangs_on(l->f, l->k, p, n);
}

/* ---- less the pattern ---- */

/* As remainder_without, but the case becomes only quiet about the finding. */
static enum left left_quiet(struct remainder *rest, const char *engine, const struct likely *l, struct shown *s)
{
	const struct symptom *y = l->f->symptom;
	const struct quiet quiet = {(unsigned)y->inlets, y->trip};
	const bool granted = rest->granted;
	enum left left;

	if (l->k || (!quiet.inlets && !quiet.trip) || s->n_quiet == QUIET)
		return LEFT_AS_IT_WAS;
	rest->granted = granted || l->f->suspects < FREE_SUSPECTS;
	left = remainder_quiet(rest, engine, &quiet, s);
	rest->granted = granted;
	if (left == LEFT_FAILING)
		s->quiet[s->n_quiet++] = quiet;
	return left;
}

struct remains {
	struct triage *triage;
	struct remainder *rest;
	struct shown *shown;
	struct likely likely;
	enum left left;
	bool quietly; /* the case becomes quiet, if it can */
};

/* Takes out one known pattern after the other.  The loop ends, because no pattern that was taken out is left in the
 * case. */
static void leave_out_known(void *context)
{
	struct remains *x = context;
	const char *engine = x->triage->name[x->shown->which];

	while (x->likely.f && verdict_answers(x->shown->verdict)) {
		x->left = x->quietly ? left_quiet(x->rest, engine, &x->likely, x->shown) : LEFT_AS_IT_WAS;
		if (x->left == LEFT_AS_IT_WAS || x->left == LEFT_UNKNOWN)
			x->left = remainder_without(x->rest, engine, hangs_on_likely, &x->likely, x->shown);
		if (x->left != LEFT_FAILING)
			return;
		x->likely = find_likely(x->triage, x->shown);
	}
}

/*
 * Looks for a known pattern in what the engine makes of a case without one.  A slice that fails alone is a smaller case
 * of the finding, so *x->shown becomes that slice.  What is written out is larger: it is only looked at.
 */
static void look_inside(void *context)
{
	struct remains *x = context, y;
	struct shown written;

	while (remainder_fails_in_slice(x->rest, x->triage->name[x->shown->which], x->shown))
		;
	x->likely = find_likely(x->triage, x->shown);
	if (x->likely.f) {
		leave_out_known(x);
		return;
	}
	written = *x->shown;
	if (!remainder_write_out(x->rest, &written))
		return;
	y = *x;
	y.shown = &written;
	y.likely = find_likely(x->triage, &written);
	leave_out_known(&y);
	x->likely = y.likely;
	x->left = y.left;
}

int64_t triage_judged(const struct triage *self, int which)
{
	const int64_t each = engine_spec_is_external(self->spec[which]) ? WORK_EXTERNAL : WORK_DRAW;

	return self->truth_work + self->cases * each;
}

bool finding_is_young(const struct finding *f) { return f->minimized < FIRST_CASES && f->spent < FIRST_WORK; }

bool triage_is_paid(const struct triage *self, int which)
{
	return allowance_grants(&self->allowance, triage_judged(self, which));
}

bool triage_has_work(const struct triage *self, const struct finding *f, int which)
{
	return finding_is_young(f) || triage_is_paid(self, which);
}

/* Whether a case that is most likely of f may be minimized as a check (allowance.h). */
static bool may_minimize(struct triage *self, const struct finding *f, const struct shown *s)
{
	return finding_is_young(f) || allowance_grants_check(&self->allowance, triage_judged(self, s->which));
}

/* Whether the n-th case of one kind is minimized nevertheless, as a check. */
static bool is_check(int64_t n) { return !(n & (n - 1)) || !(n % RECHECK_ONE_IN); }

/* Runs a search of this file for a case that shows a face of f, and counts its work.  False: memory was full. */
static bool leave_out(struct remains *x, void (*search)(void *), const struct finding *f)
{
	struct remainder *rest = x->rest;
	const int64_t before = bench_work(&rest->bench);
	bool done;

	rest->granted = triage_has_work(x->triage, f, x->shown->which);
	arena_reset(&rest->arena);
	done = arena_try(&rest->arena, search, x);
	x->triage->allowance.spent += bench_work(&rest->bench) - before;
	return done;
}

/* triage_known of a case that no finding explains as it stands. */
static struct finding *known_inside(struct triage *self, struct shown *s, struct finding **likely)
{
	const struct shown whole = *s;
	struct remains x = {.triage = self, .shown = s};
	struct finding *f = finding_of_face(self, s->which, s->signature);

	if (!verdict_answers(s->verdict) || triage_over(self) || !f || !(x.rest = remainder_of(self, s->which)))
		return NULL;
	if (!leave_out(&x, look_inside, f)) {
		*s = whole;
		return NULL;
	}
	f = x.likely.f;
	if (!f || x.left != LEFT_RIGHT || !finding_has_face(f, whole.signature))
		return NULL;
	f->inside++;
	if (!is_check(f->inside) || !may_minimize(self, f, s))
		return f;
	*s = whole;
	*likely = f;
	return NULL;
}

struct finding *triage_known(struct triage *self, struct shown *s, struct finding **likely)
{
	const struct shown whole = *s;
	struct remains x = {.triage = self, .shown = s, .likely = find_likely(self, s)};
	struct finding *first = x.likely.f;
	const int likely_symptom = x.likely.k;

	*likely = NULL;
	if (!first) {
		struct finding *other = triage_other_face(self, s);

		return other ? other : known_inside(self, s, likely);
	}
	if ((first->symptom->weak_zero && !x.likely.k) || !verdict_answers(s->verdict))
		return first;
	first->likely++;
	if (triage_over(self))
		return first;
	if (is_check(first->likely) && may_minimize(self, first, s)) {
		*likely = first;
		return NULL;
	}
	x.rest = remainder_of(self, s->which);
	x.quietly = true;
	if (!x.rest || !leave_out(&x, leave_out_known, first))
		return first;
	if (s->n_quiet && !x.likely.f) {
		if (is_check(++first->suspects) && (first->suspects <= FREE_SUSPECTS || may_minimize(self, first, s))) {
			*likely = first;
			return NULL;
		}
		/* Not now: the whole pattern is taken out. */
		*s = whole;
		x = (struct remains){.triage = self, .rest = x.rest, .shown = s, .likely = {first, likely_symptom}};
		if (!leave_out(&x, leave_out_known, first))
			return first;
	}
	if (x.left == LEFT_UNKNOWN) {
		*s = whole;
		return NULL;
	}
	return s->n_quiet ? x.likely.f : x.likely.f ? first : NULL;
}
