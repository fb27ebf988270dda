/*
 * triage.c: which finding of a campaign a failing case belongs to.
 *
 * The minimizer keeps the coarse signature of a case that is not of a known finding (known.c).  It then looks for the
 * simplest case behind the minimal one (simplest.h).  The fine signature of that case names the finding; each finding
 * has one report.  Two findings of one engine are joined if they are most likely one bug (same_bug.h).  The finding
 * that explains the other one keeps its report.
 *
 * Sometimes a case that most likely shows a known bug is minimized all the same.  The minimizer must not turn it into
 * that known bug, so it rejects candidates with the names of a finding that had the coarse signature.
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
#include "fuzz/generate/generate.h"
#include "fuzz/minimize/finding.h"
#include "fuzz/minimize/simplest.h"
#include "fuzz/minimize/steady.h"
#include "fuzz/bench/stop.h"
#include "internal.h"

enum {
	REOPEN_TRIES = 3,
	LAST_FINDING_SECONDS = 5, /* time for the last finding when the time of the campaign is over */
	RECHECK_BUDGET = 500, /* candidates for a case that is most likely known; if they do not make it smaller, its
	                         names tell the finding */
	CRASH_BUDGET = 200    /* candidates for a crash: the engine is started again after each */
};

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = heap_text(text);
}

/* ---- one case, minimized ---- */

/*
 * What the minimizer of a case must not turn it into (is_more_of_it).  It rejects a candidate with exactly the names of
 * a finding that has the same face.  This holds only for names without regions: a region may fail in many ways.  It
 * also rejects a candidate with a known wiring that the original case does not have.
 */
struct known_names {
	const struct triage *triage;
	const char *spec, *signature;
	const struct program *from;
};

static bool has_new_wiring(void *context, const struct testcase *c)
{
	const struct known_names *known = context;

	for (int i = 0; i < known->triage->n_finding; i++) {
		const struct finding *f = &known->triage->finding[i];

		if (f->spec == known->spec && finding_is_in(f, &c->program) && !finding_is_in(f, known->from))
			return true;
	}
	return false;
}

static bool is_more_of_it(void *context, const struct testcase *c)
{
	const struct known_names *known = context;
	struct pattern p = pattern_of(c, NULL);

	for (int i = 0; i < known->triage->n_finding; i++) {
		const struct finding *f = &known->triage->finding[i];

		if (finding_has_face(f, known->signature) && pattern_is_leaf(&f->symptom->pattern) &&
		    !memcmp(&f->symptom->pattern, &p, sizeof p))
			return true;
	}
	return has_new_wiring(context, c);
}

/* A case after triage.  Texts and the report lie in the side arena. */
struct triaged {
	const char *spec;
	const char *signature; /* coarse signature of the simplest case */
	struct symptom symptom;
	struct program *program;
	int ops;
	char *text; /* the report; the case alone if there was no memory for a report */
	size_t len;
};

/* Whether the case has ops that the original case did not have.  It may then have become a case of another bug, because
 * some signatures fit any op. */
static bool has_new_ops(const struct known_names *known, const struct testcase *c)
{
	const struct testcase from = {.program = *known->from};
	const struct pattern before = pattern_of(&from, NULL), now = pattern_of(c, NULL);

	return !pattern_is_part(&now, &before);
}

/* Replaces *c, which shows *s, by the simplest case behind it.  *signature becomes that case's coarse signature, *r its
 * judgement. */
static void simplify(struct triage *self, int budget, const struct question *s, struct testcase *c,
    struct bench_result *r, const char **signature)
{
	const struct known_names *known = s->context;
	const struct question any = {
	    .bench = s->bench, .until = s->until, .refuse = has_new_wiring, .context = s->context};
	struct testcase simple = simplest_case(&any, c, budget, self->side);
	/* The search saw a finding here.  An engine whose answers differ will show it again in some run. */
	bool shows = case_shows(&simple,
	    &(struct question){.bench = s->bench, .judged = JUDGED_IN_FULL, .runs = BENCH_RUNS, .result = r},
	    self->side, NULL);
	struct question again = {.bench = s->bench, .judged = JUDGED_IN_FULL, .fresh = true, .result = r};

	again.signature = signature_coarse(known->spec, &simple, &r->judgement[0], self->side);
	shows = shows &&
	    !(signature_weak_zero(s->signature) && !signature_weak_zero(again.signature) &&
	        has_new_ops(known, &simple));
	if (shows && case_shows(&simple, &again, self->side, NULL)) {
		*signature = again.signature;
		*c = simple;
		return;
	}
	/* It is another bug, or it did not show again: keep the minimal case. */
	again.signature = s->signature;
	again.slips = s->slips;
	again.spent = s->spent;
	case_shows(c, &again, self->side, NULL);
}

/* Whether the engine must write parts of the request as other ops, which may be the reason for its crash. */
static bool is_written_in_others(const struct testcase *c)
{
	const struct request_summary asked = asked_of(c);

	return asked.order > 1 || asked.batch || region_has_op(&c->program.top, OP_FIXED_POINT);
}

/* Fills the symptom of case *c with judgement *j, except for its names. */
static void set_symptom(struct triaged *out, const struct testcase *c, const struct judgement *j, const enum role *role)
{
	out->symptom.pattern = pattern_of(c, role);
	out->symptom.asked = asked_of(c);
	out->symptom.verdict = j->verdict;
	out->symptom.deviation = j->deviation;
	out->symptom.factor = j->expected != 0 ? j->returned / j->expected : NAN;
	out->ops = strata_of(c).ops;
}

/* Minimizes and names one case.  same: asks for the case's coarse signature.  likely: the case is most likely known. */
static void triage_case(
    struct triage *self, const struct question *same, const struct shown *shown, bool likely, struct triaged *out)
{
	int budget = likely && self->minimize_budget > RECHECK_BUDGET ? RECHECK_BUDGET : self->minimize_budget;
	struct minimize_statistics stats = {0};
	struct symptom *symptom = &out->symptom;
	struct testcase c = *shown->c;
	struct bench_result r;
	struct report report;
	enum role *role;
	bool answers, dies;

	c.n_expect = 0;
	out->signature = same->signature;
	symptom->flaky = !case_shows(&c,
	    &(struct question){.bench = same->bench, .fresh = true, .signature = same->signature, .slips = same->slips},
	    self->side, NULL);
	arena_reset(self->side);
	if (symptom->flaky)
		bench_judge(same->bench, &c, self->side, &r);
	else
		symptom->flaky = !minimize_finding(same, shown->c, budget, self->side, &c, &r, &stats);
	answers = verdict_answers(r.judgement[0].verdict);
	dies = r.judgement[0].verdict == VERDICT_CRASH && is_written_in_others(&c);
	if (!symptom->flaky && (answers || dies))
		simplify(self, answers || budget < CRASH_BUDGET ? budget : CRASH_BUDGET, same, &c, &r, &out->signature);
	role = NEW(self->side, enum role, program_nodes(&c.program) + 1);
	symptom->weak_zero = !symptom->flaky && signature_weak_zero(out->signature);
	if (!symptom->flaky && answers && !symptom->weak_zero) {
		const struct question any = {
		    .bench = same->bench, .until = same->until, .runs = steady_runs(same, &c, self->side)};

		find_roles(&any, &c, r.judgement[0].verdict, self->side, role);
		symptom->unsteady = any.runs > 1;
	}
	symptom->fine = fine_signature(out->spec, &c, r.judgement[0].verdict, role, self->side);
	if (symptom->weak_zero) {
		symptom->program = symptom->fine;
		symptom->fine = arena_printf(self->side, "%s", out->signature);
	}
	report = (struct report){.engine = out->spec,
	    .engine_version = engine_version(same->bench->engine[0], self->side),
	    .c = &c,
	    .truth = &r.truth,
	    .answers = r.answer[0],
	    .judgement = &r.judgement[0],
	    .found = shown->found,
	    .seed = self->seed,
	    .case_number = (long)shown->number,
	    .minimize_tried = stats.tried,
	    .minimize_accepted = stats.accepted};
	if (symptom->flaky) {
		symptom->fine = arena_printf(
		    self->side, "%s|flaky", same->signature); /* that is all that is known of it */
		c = *shown->c;
		c.n_expect = 0;
	}
	if (symptom->flaky && shown->seen) {
		report.truth = &shown->seen->truth;
		report.answers = shown->seen->answer[shown->which];
		report.judgement = &shown->seen->judgement[shown->which];
	}
	report.signature = out->signature;
	report.fine = symptom->fine;
	set_symptom(out, &c, report.judgement, symptom->flaky ? NULL : role);
	out->program = NEW(self->side, struct program, 1);
	*out->program = c.program;
	out->text = report_write(&report, self->side, &out->len);
}

/* ---- which finding it is ---- */

/* As same_bug.  Findings of two engines are two bugs. */
static int compare_finding(const struct finding *f, const struct triaged *t)
{
	if (f->spec != t->spec)
		return 0;
	for (int k = 1; k < f->n_symptom; k++)
		if (same_bug(&f->symptom[k], &t->symptom) == -1)
			return -1;
	return same_bug(f->symptom, &t->symptom);
}

/*
 * Adds symptom s to f unless one of f's symptoms covers it.  A NaN that 0 * infinity can explain has a name that fits
 * all such NaNs of the engine.  If f already has a symptom, the name of the program is added: the next NaN may come
 * from other ops.
 */
static void add_symptom(struct triage *self, struct finding *f, const struct symptom *s)
{
	for (int k = 0; k < f->n_symptom; k++)
		if (symptom_covers(&f->symptom[k], s))
			return;
	if (f->n_symptom == FINDING_SYMPTOMS || (s->flaky && f->n_symptom))
		return;
	f->symptom[f->n_symptom] = *s;
	f->symptom[f->n_symptom].fine = f->n_symptom && s->program
	    ? arena_printf(&self->known, "%s|%s", s->fine, s->program)
	    : arena_printf(&self->known, "%s", s->fine);
	f->symptom[f->n_symptom].program = s->program ? arena_printf(&self->known, "%s", s->program) : NULL;
	f->n_symptom++;
}

static void take_over(struct triage *self, struct finding *f, const struct triaged *t)
{
	struct finding old = *f;
	struct error e = {0};

	set_text(&f->signature, t->signature);
	f->n_symptom = 0;
	add_symptom(self, f, &t->symptom);
	for (int k = 0; k < old.n_symptom; k++)
		add_symptom(self, f, &old.symptom[k]);
	f->n_wiring = pattern_is_bare(&t->symptom.pattern) ? f->n_wiring : 0;
	for (int k = 0; !t->symptom.weak_zero && k < f->n_face; k++)
		if (signature_weak_zero(f->face[k])) {
			free(f->face[k]);
			f->face[k--] = f->face[--f->n_face];
		}
	f->ops = t->ops;
	snprintf(f->file, sizeof f->file, "%016llx.json", (unsigned long long)hash_text(t->symptom.fine));
	if (write_or_fail(self->failure, self->dir, f->file, t->text, t->len) && *old.file &&
	    strcmp(old.file, f->file) != 0)
		file_remove(self->dir, old.file, &e);
}

/* Whether f should learn the wiring of program p: the names of f are all ops with regions, and none of its wirings is
 * in p.  Crashes and hangs are left out, because their cases are not made simpler and can have any wiring. */
static bool lacks_wiring(const struct finding *f, const struct program *p)
{
	return verdict_answers(f->symptom->verdict) && pattern_is_bare(&f->symptom->pattern) && !finding_is_in(f, p);
}

/* p lives in triage.known. */
static void add_wiring(struct finding *f, const struct program *p)
{
	f->wiring = heap_resize(f->wiring, (size_t)f->n_wiring + 1, sizeof *f->wiring);
	f->wiring[f->n_wiring++] = p;
}

static void free_finding(struct finding *f)
{
	for (int k = 0; k < f->n_face; k++)
		free(f->face[k]);
	free(f->face);
	free(f->wiring);
	free(f->signature);
}

/* Joins all findings that t explains into finding `kept`, to which t belongs. */
static void absorb(struct triage *self, int kept, const struct triaged *t)
{
	struct error e = {0};

	for (int i = 0; i < self->n_finding; i++) {
		assert(kept >= 0 && kept < self->n_finding);
		struct finding *f = &self->finding[i], *to = &self->finding[kept];

		if (i == kept || compare_finding(f, t) != 1)
			continue;
		to->count += f->count;
		to->minimized += f->minimized;
		to->likely += f->likely;
		to->first_case = f->first_case < to->first_case ? f->first_case : to->first_case;
		for (int k = 0; k < f->n_face; k++)
			finding_add_face(to, f->face[k]);
		for (int k = 0; k < f->n_symptom; k++)
			add_symptom(self, to, &f->symptom[k]);
		for (int k = 0; k < f->n_wiring; k++)
			if (lacks_wiring(to, f->wiring[k]))
				add_wiring(to, f->wiring[k]);
		file_remove(self->dir, f->file, &e);
		free_finding(f);
		memmove(f, f + 1, (size_t)(--self->n_finding - i) * sizeof *f);
		kept -= i < kept;
		i--;
	}
}

/*
 * Whether a slip is most likely a known finding of the engine.  The slip is then noted there and not minimized again.
 */
static bool is_met_on_the_way(struct triage *self, const struct triaged *t, const char *signature)
{
	for (int i = 0; i < self->n_finding; i++) {
		struct finding *f = &self->finding[i];

		if (f->spec != t->spec || !symptom_resembles(f->symptom, &t->symptom))
			continue;
		if (f->n_slip < FINDING_SYMPTOMS)
			f->slip[f->n_slip++] = arena_printf(&self->known, "%s", signature);
		return true;
	}
	return false;
}

static bool is_known_slip(const struct finding *f, const char *signature)
{
	for (int k = 0; k < f->n_slip; k++)
		if (!strcmp(f->slip[k], signature))
			return true;
	return finding_has_face(f, signature);
}

static void file_case(struct triage *self, const struct shown *shown, const char *signature, const struct triaged *t)
{
	struct finding *f = NULL;
	int i = self->n_finding, relation = 0;

	/* A finding that t is a duplicate of comes before one that t takes over, wherever they stand in the list. */
	for (int k = 0; k < self->n_finding && relation != -1; k++) {
		int own = compare_finding(&self->finding[k], t);

		if (own == -1 || (own && !relation)) {
			relation = own;
			i = k;
		}
	}
	if (i == self->n_finding) {
		if (shown->slip && is_met_on_the_way(self, t, signature))
			return;
		self->finding = heap_resize(self->finding, (size_t)self->n_finding + 1, sizeof *self->finding);
		self->finding[self->n_finding++] = (struct finding){.spec = t->spec, .first_case = shown->number};
		relation = 1;
	}
	f = &self->finding[i];
	f->count += !shown->slip; /* a slip is counted with the finding that it slipped from */
	f->minimized++;
	if (relation == 1)
		take_over(self, f, t);
	finding_add_face(f, signature);
	add_symptom(self, f, &t->symptom);
	if (t->program && !t->symptom.flaky && lacks_wiring(f, t->program)) {
		struct program *own = NEW(&self->known, struct program, 1);

		*own = program_copy(t->program, &self->known);
		add_wiring(f, own);
	}
	assert(f->n_symptom > 0 && f->n_symptom <= FINDING_SYMPTOMS && *f->file && f->symptom->fine);
	absorb(self, i, t);
}

/* Opens a fresh engine.  It did open before, so one failed start is not the end. */
static bool open_again(
    struct bench *b, const char *spec, const char *right_on, const struct oracle_options *o, struct error *e)
{
	for (int k = 0; k < REOPEN_TRIES; k++) {
		*e = (struct error){.text = ""};
		if (bench_open_against(b, &spec, 1, right_on, o, e))
			return true;
	}
	return false;
}

/* Receives the slips of one case; records those that no finding knows. */
struct slip_taker {
	struct triage *triage;
	int which;
	int64_t number;
};

static void take_slip(void *context, const char *signature, const struct testcase *c)
{
	const struct slip_taker *t = context;
	struct triage *self = t->triage;
	const bool late = self->deadline > 0 && bench_clock() >= self->deadline;

	for (int i = 0; i < self->n_finding; i++)
		if (is_known_slip(&self->finding[i], signature))
			return;
	if (!late && !stop_requested() && !(self->max_findings && self->n_finding >= self->max_findings))
		triage_record(self, t->which, signature, c, NULL, t->number);
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

/* Minimizes a case and files it with a finding. */
static void record(struct triage *self, const struct shown *shown, bool likely)
{
	const char *spec = self->spec[shown->which];
	const struct oracle_options oracle = {.seed = self->seed, .fd_one_in = INT_MAX};
	struct triaged t = {.spec = spec};
	char *own = heap_text(shown->signature);
	struct known_names names = {self, spec, own, &shown->c->program};
	const double start = bench_clock();
	struct limit limit = {.stop = stop_requested,
	    .deadline = self->deadline > 0 ? fmax(self->deadline, start + LAST_FINDING_SECONDS) : 0};
	struct slips slips = {0};
	struct bench one;
	const struct question same = {.bench = &one,
	    .signature = own,
	    .slips = &slips,
	    .until = &limit,
	    .spent = &limit,
	    .refuse = is_more_of_it,
	    .context = &names};
	struct slip_taker taker = {self, shown->which, shown->number};
	struct error e = {0};

	if (!open_again(&one, spec, self->right_on, &oracle, &e)) {
		fail(self->failure, "%s", e.text);
		free(own);
		return;
	}
	arena_reset(self->side);
	if (!arena_try(self->side, run_triage, &(struct recording){self, &same, shown, likely, &t})) {
		/* The minimizer ran out of memory.  The original case is still a reproducer. */
		arena_reset(self->side);
		t = (struct triaged){.spec = spec,
		    .signature = own,
		    .symptom.fine = fine_signature(spec, shown->c, shown->verdict, NULL, self->side)};
		set_symptom(&t, shown->c, &(struct judgement){.verdict = shown->verdict}, NULL);
		t.text = testcase_write(shown->c, self->side, &t.len);
	}
	file_case(self, shown, own, &t);
	bench_close(&one);
	if (!shown->slip) /* slips of a slip are dropped */
		slips_take(&slips, spec, self->right_on, take_slip, &taker);
	slips_free(&slips);
	free(own);
}

void triage_record(struct triage *self, int which, const char *signature, const struct testcase *c,
    const struct bench_result *seen, int64_t number)
{
	struct shown shown = {.which = which,
	    .signature = signature,
	    .verdict = signature_verdict(signature),
	    .point = seen ? seen->judgement[which].point : 0,
	    .c = c,
	    .found = c,
	    .seen = seen,
	    .slip = !seen,
	    .number = number};
	const double start = bench_clock();
	struct finding *known;
	bool likely;

	assert(which >= 0 && which < BENCH_ENGINES && (!seen || verdict_is_finding[seen->judgement[which].verdict]));
	known = triage_known(self, &shown, &likely);
	if (known)
		known->count++;
	else
		record(self, &shown, likely);
	if (seen)
		self->seconds += bench_clock() - start;
}

void triage_close(struct triage *self)
{
	for (int i = 0; i < self->n_finding; i++)
		free_finding(&self->finding[i]);
	free(self->finding);
	triage_close_remainders(self);
	arena_free(&self->known);
}
