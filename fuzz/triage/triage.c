/*
 * triage.c: takes the failing cases of a campaign, one by one.
 *
 * A case of a known finding is counted (known.c).  Any other is minimized and named (one_case.c), and filed (filing.c);
 * each finding has one report.  What the minimizer met on its way is taken as well.  If a case has the coarse signature
 * of a known finding, and there is no work left for it (allowance.h), it is deferred (deferred.h).
 */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/hash.h"
#include "graph/heap.h"
#include "graph/walk.h"
#include "reports/file.h"
#include "reports/report.h"
#include "fuzz/minimize/finding.h"
#include "fuzz/bench/case_work.h"
#include "fuzz/bench/stop.h"
#include "internal.h"

enum {
	LAST_FINDING_MS = 700, /* for minimizing the last finding when the time of the campaign is over */
	DEFERRED_ARENA = 256 << 20
};

bool triage_over(const struct triage *self)
{
	return stop_requested() || (self->deadline > 0 && bench_clock() >= self->deadline);
}

/* When the search for a smaller case that begins now must end; 0: never. */
static double search_deadline(const struct triage *self)
{
	const double extra = 1e-3 * LAST_FINDING_MS;

	return self->deadline > 0 ? fmin(fmax(self->deadline, bench_clock() + extra), self->deadline + extra) : 0;
}

/* Receives the slips of one case; records those that no finding knows. */
bool triage_counts(const struct triage *self, const struct finding *f)
{
	return self->strict || !signature_declared(f->signature);
}

int triage_counted(const struct triage *self)
{
	int n = 0;

	for (int k = 0; k < self->n_finding; k++)
		n += triage_counts(self, &self->finding[k]);
	return n;
}

bool triage_full(const struct triage *self) { return self->max_findings && triage_counted(self) >= self->max_findings; }

struct slip_taker {
	struct triage *triage;
	int which;
	int64_t number;
};

static void take_slip(void *context, const char *signature, const struct testcase *c)
{
	const struct slip_taker *t = context;
	struct triage *self = t->triage;

	for (int i = 0; i < self->n_finding; i++)
		if (finding_has_slip(&self->finding[i], signature))
			return;
	if (!triage_over(self) && !triage_full(self))
		triage_record(self, t->which, signature, 0, c, NULL, t->number);
}

struct recording {
	struct triage *triage;
	const struct question *same;
	const struct shown *shown;
	bool likely;
	struct triaged *out;
};

static void run_triage(void *context)
{
	const struct recording *x = context;

	triage_case(x->triage, x->same, x->shown, x->likely, x->out);
}

/* A case that is being minimized, as a file. */
struct pending {
	const struct triage *triage;
	const struct testcase *c;
	char *name; /* [FINDING_NAME]; stays "" if there is no file */
};

static void keep_pending(void *context)
{
	const struct pending *x = context;
	struct error e = {0};
	char name[FINDING_NAME];
	size_t len;
	char *text = testcase_write(x->c, x->triage->side, &len);

	snprintf(name, sizeof name, "%016llx.json", (unsigned long long)testcase_hash(x->c));
	if (file_write_unsynced(x->triage->pending, name, text, len, &e))
		memcpy(x->name, name, sizeof name);
}

/* Minimizes and names a case.  False if it was not done, because memory was full or the campaign ends. */
static bool triaged_in_time(struct triage *self, const struct bench *one, struct recording *x)
{
	arena_reset(self->side);
	return arena_try(self->side, run_triage, x) && !one->interrupted;
}

static void count_case(struct finding *f, const struct shown *shown)
{
	f->count += !shown->slip;
	f->minimized++;
}

static void defer(struct triage *self, const struct shown *s)
{
	char *signature = heap_text(s->signature);
	const struct deferred_case x = {
	    .which = s->which, .point = s->point, .number = s->number, .slip = s->slip, .signature = signature};

	if (!s->slip)
		finding_of_face(self, s->which, signature)->count++;
	arena_reset(self->side);
	if (!s->slip || !deferred_has_slip(&self->deferred, s->which, signature))
		deferred_add(&self->deferred, &x, s->c, self->side);
	free(signature);
}

/*
 * Whether the campaign ends before anybody looked whether a failure without an answer comes again, and there is no
 * judgement of it.  Somebody outside may have killed the engine's process.
 */
static bool is_left_open(struct triage *self, const struct shown *shown, bool done)
{
	return !done && !shown->seen && !verdict_answers(shown->verdict) && triage_over(self) &&
	    (shown->slip || finding_of_face(self, shown->which, shown->signature));
}

/* Minimizes a case and files it with a finding. */
static void record(struct triage *self, const struct shown *shown, struct finding *likely)
{
	const char *spec = self->spec[shown->which], *name = self->name[shown->which];
	const struct oracle_options oracle = {.seed = self->seed, .fd_one_in = INT_MAX};
	struct triaged t = {.engine = name};
	char *own = heap_text(shown->signature);
	struct trail trail = {0};
	struct finding *found = NULL, *of;
	const double end = search_deadline(self);
	struct limit limit = {.stop = stop_requested, .deadline = end};
	struct slips slips = {0};
	const int before = self->n_finding;
	int64_t work = 0;
	struct bench one;
	struct known_names names = {
	    self, name, own, &shown->c->program, &one, shown->n_quiet, shown->quiet, &trail, &found};
	const struct question same = {.bench = &one,
	    .signature = own,
	    .slips = &slips,
	    .until = &limit,
	    .spent = &limit,
	    .refuse = search_turns_known,
	    .ends = search_leads_to_known,
	    .context = &names};
	struct slip_taker taker = {self, shown->which, shown->number};
	struct recording recording = {self, &same, shown, likely != NULL, &t};
	char pending[FINDING_NAME] = "";
	struct error e = {0};
	bool opened = (end <= 0 || bench_clock() < end) &&
	    bench_open_again(&one, spec, self->right_on, &oracle, limit.deadline, &e);
	bool done;

	if (!opened && !triage_over(self)) {
		fail(self->failure, "%s", e.text);
		free(own);
		return;
	}
	arena_reset(self->side);
	if (self->pending)
		arena_try(self->side, keep_pending, &(struct pending){self, shown->found, pending});
	done = opened && triaged_in_time(self, &one, &recording);
	limit.deadline = end; /* that of the search may have been earlier */
	if (!done)
		triage_keep_raw(self, shown, own, &t);
	if (found)
		found->short_cuts++;
	if (is_left_open(self, shown, done))
		defer(self, shown);
	else if (found && limit.ended)
		count_case(found, shown);
	else if (!done && likely && triage_over(self))
		likely->count += !shown->slip;
	else
		triage_file(self, shown, own, &t, &trail);
	if (opened) {
		work = bench_work(&one);
		bench_close(&one);
	}
	*(self->n_finding > before ? &self->allowance.found : &self->allowance.spent) += work;
	of = finding_of_face(self, shown->which, own);
	if (of)
		of->spent += work;
	if (*pending)
		file_remove(self->pending, pending, &e);
	if (!shown->slip) { /* slips of a slip are dropped */
		work = slips_take(&slips, spec, self->right_on, &limit, take_slip, &taker);
		self->allowance.spent += work;
	}
	slips_free(&slips);
	free(own);
}

/* Whether *s, which is *whole or what is left of it, is to be deferred.  Then its coarse signature is known, and there
 * is no time or work left to find out why it fails.  The first cases of a finding need no work.  Of slips, the
 * signature may be new. */
static bool is_deferred(struct triage *self, const struct shown *s, const struct shown *whole)
{
	const struct finding *f = finding_of_face(self, s->which, s->signature);

	if (s->slip)
		return finding_any(self, s->which) && !triage_is_paid(self, s->which);
	return f && finding_of_face(self, whole->which, whole->signature) &&
	    (triage_over(self) || !triage_has_work(self, f, s->which));
}

void triage_record(struct triage *self, int which, const char *signature, int point, const struct testcase *c,
    const struct evidence *seen, int64_t number)
{
	struct shown shown = {.which = which,
	    .signature = signature,
	    .verdict = signature_verdict(signature),
	    .point = point,
	    .c = c,
	    .found = c,
	    .seen = seen,
	    .slip = !seen,
	    .number = number};
	const struct shown whole = shown;
	const double start = bench_clock();
	struct finding *known, *likely;

	assert(which >= 0 && which < BENCH_ENGINES);
	known = triage_known(self, &shown, &likely);
	if (known)
		known->count += !shown.slip;
	else if (!likely && is_deferred(self, &shown, &whole))
		defer(self, &whole);
	else
		record(self, &shown, likely);
	self->cut = self->cut || stop_requested();
	if (seen)
		self->seconds += bench_clock() - start;
}

/* ---- deferred cases ---- */

/* Takes a deferred case as if it came now.  It is no longer counted, and will be again. */
static void record_deferred(struct triage *self, const struct deferred_case *x, const struct testcase *c)
{
	struct shown shown = {.which = x->which,
	    .signature = x->signature,
	    .verdict = signature_verdict(x->signature),
	    .point = x->point,
	    .c = c,
	    .found = c,
	    .slip = x->slip,
	    .number = x->number};
	struct finding *f = finding_of_face(self, x->which, x->signature), *known, *likely;

	if (f)
		f->count -= !x->slip;
	known = triage_known(self, &shown, &likely);
	if (known)
		known->count += !x->slip;
	else
		record(self, &shown, likely);
}

void triage_go_on(struct triage *self)
{
	const double start = bench_clock();

	while (self->deferred.n && !triage_over(self) && !triage_full(self) &&
	    allowance_grants(&self->allowance, triage_judged(self, self->deferred.at->which))) {
		struct deferred_case x = deferred_take(&self->deferred);
		struct arena a;
		struct testcase c;
		struct error e = {0};

		arena_init(&a, DEFERRED_ARENA);
		if (testcase_read(x.text, x.len, &a, &c, &e))
			record_deferred(self, &x, &c);
		arena_free(&a);
		deferred_free_case(&x);
		self->cut = self->cut || stop_requested();
	}
	self->seconds += bench_clock() - start;
}

void triage_end(struct triage *self)
{
	if (self->deferred.n)
		allowance_grant_end(&self->allowance, triage_judged(self, self->deferred.at->which));
	triage_go_on(self);
	self->allowance.extra = 0;
	for (int k = 0; k < self->n_spec; k++)
		triage_join_late(self, k);
}

void triage_record_incident(struct triage *self, int which, const char *signature, const struct testcase *c,
    const struct evidence *seen, int64_t number)
{
	struct testcase own = *c;
	const struct shown shown = {.which = which,
	    .signature = signature,
	    .verdict = signature_verdict(signature),
	    .c = &own,
	    .found = &own,
	    .seen = seen,
	    .number = number};
	struct triaged t = {.engine = self->name[which], .signature = signature, .symptom.flaky = true};

	for (int i = 0; i < self->n_finding; i++)
		if (self->finding[i].symptom->flaky && !strcmp(self->finding[i].signature, signature)) {
			self->finding[i].count++;
			return;
		}
	own.n_expect = 0;
	arena_reset(self->side);
	t.symptom.fine = arena_printf(self->side, "%s|flaky", signature);
	t.c = &own;
	triage_set_symptom(&t, &own, &(struct judgement){.verdict = shown.verdict}, NULL);
	triage_take_evidence(self, &shown, &t);
	triage_file(self, &shown, signature, &t, &(struct trail){0});
}

void triage_close(struct triage *self)
{
	for (int i = 0; i < self->n_finding; i++)
		finding_free(&self->finding[i]);
	free(self->finding);
	free(self->dropped);
	deferred_free(&self->deferred);
	triage_close_remainders(self);
	arena_free(&self->known);
}
