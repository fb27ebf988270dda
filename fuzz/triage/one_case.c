/*
 * one_case.c: minimizes a case and names it.
 *
 * The minimizer keeps the coarse signature of the case.  It then looks for the simplest case behind the minimal one
 * (simplest.h).  The fine signature of that case is the name.
 *
 * Sometimes a case that most likely shows a known bug is minimized all the same.  The minimizer must not turn it into
 * that known bug, so it rejects candidates with the names of a finding that had the coarse signature.
 */
#include <math.h>
#include <string.h>

#include "graph/walk.h"
#include "reports/report.h"
#include "fuzz/generate/generate.h"
#include "fuzz/minimize/finding.h"
#include "fuzz/minimize/simplest.h"
#include "fuzz/minimize/steady.h"
#include "internal.h"
#include "trials.h"

enum {
	RECHECK_BUDGET = 500, /* candidates for a case that is most likely known; if they do not make it smaller, its
	                         names tell the finding */
	ROUGH_BUDGET = 300,   /* candidates of a search that needs no truths */
	CRASH_BUDGET = 200    /* candidates for a crash: the engine is started again after each */
};

static bool has_new_wiring(void *context, const struct testcase *c)
{
	const struct known_names *known = context;

	if (known->triage->minimizing)
		known->triage->minimizing(known->triage->watcher);
	for (int k = 0; k < known->n_quiet; k++)
		if (quiet_broken(c, &known->quiet[k]))
			return true;
	for (int i = 0; i < known->triage->n_finding; i++) {
		const struct finding *f = &known->triage->finding[i];

		if (f->engine == known->engine && finding_is_in(f, &c->program) && !finding_is_in(f, known->from))
			return true;
	}
	return false;
}

bool search_turns_known(void *context, const struct testcase *c)
{
	const struct known_names *known = context;
	struct pattern p = pattern_of(c, NULL);
	const struct spelled spelled = engine_spelled(known->bench->engine[0], c, known->triage->side);

	for (int i = 0; i < known->triage->n_finding; i++) {
		const struct finding *f = &known->triage->finding[i];

		if (finding_has_face(f, known->signature) && pattern_is_leaf(&f->symptom->pattern) &&
		    !memcmp(&f->symptom->spelled, &spelled, sizeof spelled) &&
		    !memcmp(&f->symptom->pattern, &p, sizeof p))
			return true;
	}
	return has_new_wiring(context, c);
}

bool search_leads_to_known(void *context, const struct testcase *c, struct arena *a)
{
	const struct known_names *known = context;
	const uint64_t form = form_hash(c, known->signature, a);

	for (int i = 0; !*known->found && i < known->triage->n_finding; i++) {
		struct finding *f = &known->triage->finding[i];

		if (f->engine == known->engine && finding_has_form(f, form))
			*known->found = f;
	}
	trail_add(known->trail, strata_of(c).ops, form);
	return *known->found && ((*known->found)->short_cuts & ((*known->found)->short_cuts + 1));
}

/* Whether a search without truths leads to a known form.  Only for a coarse signature that is known.  If it does not, a
 * search with truths is needed. */
static bool leads_soon(struct triage *self, const struct question *same, const struct testcase *c)
{
	const struct known_names *known = same->context;
	bool any = false, soon;

	for (int i = 0; !any && i < self->n_finding; i++) {
		const struct finding *f = &self->finding[i];

		any = f->engine == known->engine && f->n_form && finding_has_face(f, known->signature);
	}
	soon = any && verdict_answers(signature_verdict(known->signature)) &&
	    finding_ends_soon(same, c, ROUGH_BUDGET, self->side);
	*known->trail = (struct trail){0};
	if (!soon)
		*known->found = NULL;
	same->spent->ended = soon;
	return soon;
}

/* Replaces *c, which shows *s, by the simplest case behind it.  *signature becomes that case's coarse signature, *r its
 * judgement. */
static void simplify(struct triage *self, int budget, const struct question *s, struct testcase *c,
    struct bench_result *r, const char **signature)
{
	const struct known_names *known = s->context;
	const struct question any = {.bench = s->bench,
	    .declared = signature_declared(s->signature),
	    .until = s->until,
	    .spent = s->spent,
	    .refuse = has_new_wiring,
	    .context = s->context};
	struct testcase simple = simplest_case(&any, c, budget, self->side);
	/* The search saw a finding here.  An engine whose answers differ will show it again in some run. */
	bool shows = case_shows(&simple,
	    &(struct question){.bench = s->bench, .judged = JUDGED_IN_FULL, .runs = BENCH_RUNS, .result = r},
	    self->side, NULL);
	struct question again = {.bench = s->bench, .judged = JUDGED_IN_FULL, .fresh = true, .result = r};

	again.signature = signature_coarse(known->engine, &simple, &r->judgement[0], self->side);
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

struct evidence triage_evidence(const char *name, const char *spec, const char *version, const char *spellings,
    const char *signature, const struct testcase *c, const struct bench_result *r, int which, uint64_t seed,
    int64_t number, struct arena *a)
{
	const struct incident *x = &r->incident[which];
	const struct report report = {.raw_request = x->status == ANSWER_OK ? NULL : x->request,
	    .raw_len = x->len,
	    .raw_cases = x->n_case,
	    .signature = signature,
	    .engine = name,
	    .engine_spec = spec,
	    .engine_version = version,
	    .spellings = spellings,
	    .c = c,
	    .truth = &r->truth,
	    .answers = r->answer[which],
	    .judgement = &r->judgement[which],
	    .found = c,
	    .seed = seed,
	    .case_number = (long)number};
	struct evidence out = {.by_chance = r->unsteady[which] || x->killed};

	out.report = report_write(&report, a, &out.len);
	return out;
}

void triage_set_symptom(struct triaged *out, const struct testcase *c, const struct judgement *j, const enum role *role)
{
	out->symptom.pattern = pattern_of(c, role);
	out->symptom.asked = asked_of(c);
	out->symptom.verdict = j->verdict;
	out->symptom.deviation = j->deviation;
	out->symptom.factor = j->expected != 0 ? j->returned / j->expected : NAN;
	out->ops = strata_of(c).ops;
}

void triage_take_evidence(struct triage *self, const struct shown *shown, struct triaged *out)
{
	out->len = shown->seen->len;
	out->text = memcpy(NEW(self->side, char, out->len + 1), shown->seen->report, out->len);
}

/* Whether somebody else may have caused the failure, or it is a matter of chance.  killed: deaths by signals before. */
static bool is_by_chance(const struct bench_result *r, const struct bench *b, int killed)
{
	return r->judgement[0].verdict == VERDICT_NONDETERMINISTIC ||
	    (r->judgement[0].verdict == VERDICT_CRASH && engine_trouble(b->engine[0]).killed > killed);
}

/* Whether the case that a report's text holds shows the finding of `same` again.  It does if it is the case, bit for
 * bit. */
static bool file_shows(const struct question *same, const char *signature, const struct triaged *t, struct arena *a)
{
	const struct question again = {.bench = same->bench, .fresh = true, .signature = signature};
	struct testcase c;
	struct error e = {0};

	return testcase_read(t->text, t->len, a, &c, &e) &&
	    (testcase_equal(&c, t->c) || case_shows(&c, &again, a, NULL));
}

/* Whether the symptom has these names, and inlets behind them. */
static bool is_named_after(const struct symptom *s, const char *names)
{
	const size_t n = strlen(names);

	return !strncmp(s->fine, names, n) && s->fine[n] == '|';
}

/* Finds from how many iterations on c fails, and if its names are loops and branches alone, through which inlets.  A
 * finding may have these names, and other inlets.
 * Then the inlets are added to the name, or those of another such finding with an inlet in common. */
static void tell_apart(struct triage *self, const struct question *same, const struct testcase *c,
    const enum role *role, struct triaged *out)
{
	const struct question any = {.bench = same->bench, .until = same->until};
	const struct node *loop = inlets_loop(&c->program);
	struct symptom *s = &out->symptom;
	const char *names;

	s->pattern = pattern_of(c, role);
	if (!loop)
		return;
	s->trip = trial_trip(&any, c, self->side);
	s->most = node_max_trip(loop);
	if (pattern_is_bare(&s->pattern))
		s->inlets = (int)inlets_find(&any, c, self->side);
	names = s->fine;
	for (int i = 0; i < self->n_finding; i++) {
		const struct finding *f = &self->finding[i];

		if (f->engine == out->engine && !strcmp(f->symptom->fine, names) && symptoms_apart(f->symptom, s))
			s->fine = arena_printf(self->side, "%s|%s", names,
			    s->inlets ? inlets_text((unsigned)s->inlets, self->side) : "iterations");
	}
	for (int i = 0; s->fine != names && i < self->n_finding; i++) {
		const struct finding *f = &self->finding[i];

		if (f->engine == out->engine && is_named_after(f->symptom, names) && (f->symptom->inlets & s->inlets))
			s->fine = f->symptom->fine;
	}
}

/*
 * When the searches for a smaller case must end.  An engine from outside may take seconds for each candidate.  So one
 * finding gets a part of the time that a campaign has left, and then keeps the smallest case so far.
 */
static double searches_end(const struct triage *self, const struct question *same)
{
	static const double least = 60, share = 0.125; /* seconds; of the time left */
	const double now = bench_clock(), left = self->deadline - now, end = same->until->deadline;

	if (self->deadline <= 0 || !engine_hello(same->bench->engine[0]))
		return end;
	return fmin(end, now + fmax(least, left * share));
}

void triage_case(
    struct triage *self, const struct question *same, const struct shown *shown, bool likely, struct triaged *out)
{
	const double end = same->spent->deadline;
	int budget = likely && self->minimize_budget > RECHECK_BUDGET ? RECHECK_BUDGET : self->minimize_budget;
	struct minimize_statistics stats = {0};
	struct symptom *symptom = &out->symptom;
	struct testcase c = *shown->c;
	struct bench_result r;
	struct report report;
	enum role *role;
	bool answers, dies;

	const int killed = engine_trouble(same->bench->engine[0]).killed;

	c.n_expect = 0;
	same->spent->deadline = searches_end(self, same);
	out->signature = same->signature;
	symptom->flaky = !case_comes_again(&c, same, self->side);
	arena_reset(self->side);
	if (symptom->flaky)
		bench_judge(same->bench, &c, self->side, &r);
	else if (leads_soon(self, same, &c))
		return;
	else if (!minimize_finding(same, shown->c, budget, self->side, &c, &r, &stats))
		symptom->flaky = true;
	else if (same->spent->ended)
		return;
	else
		symptom->flaky = is_by_chance(&r, same->bench, killed) && !case_comes_again(&c, same, self->side);
	answers = verdict_answers(r.judgement[0].verdict);
	dies = r.judgement[0].verdict == VERDICT_CRASH && is_written_in_others(&c);
	if (!symptom->flaky && (answers || dies) && !signature_weak_zero(out->signature))
		simplify(self, answers || budget < CRASH_BUDGET ? budget : CRASH_BUDGET, same, &c, &r, &out->signature);
	same->spent->deadline = end;
	role = NEW(self->side, enum role, program_nodes(&c.program) + 1);
	symptom->weak_zero = !symptom->flaky && signature_weak_zero(out->signature);
	if (!symptom->flaky && answers && !symptom->weak_zero) {
		const struct question any = {
		    .bench = same->bench, .until = same->until, .runs = steady_runs(same, &c, self->side)};

		find_roles(&any, &c, r.judgement[0].verdict, self->side, role);
		symptom->unsteady = any.runs > 1;
	}
	symptom->fine = fine_spelled(fine_signature(out->engine, &c, r.judgement[0].verdict, role, self->side),
	    engine_spellings(same->bench->engine[0], &c, self->side), self->side);
	symptom->spelled = engine_spelled(same->bench->engine[0], &c, self->side);
	symptom->raised = !symptom->flaky && !answers && r.answer[0][r.judgement[0].point].raised;
	if (!symptom->flaky && answers && !symptom->weak_zero)
		tell_apart(self, same, &c, role, out);
	if (symptom->weak_zero) {
		symptom->program = symptom->fine;
		symptom->fine = arena_printf(self->side, "%s", out->signature);
	}
	report = (struct report){.engine = out->engine,
	    .engine_spec = engine_spec(same->bench->engine[0]),
	    .engine_version = engine_version(same->bench->engine[0], self->side),
	    .spellings = engine_spellings(same->bench->engine[0], &c, self->side),
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
		symptom->fine = arena_printf(self->side, "%s|flaky", same->signature);
		c = *shown->c;
		c.n_expect = 0;
	}
	report.signature = out->signature;
	report.fine = symptom->fine;
	triage_set_symptom(out, &c, symptom->flaky ? &(struct judgement){.verdict = shown->verdict} : report.judgement,
	    symptom->flaky ? NULL : role);
	out->c = memcpy(NEW(self->side, struct testcase, 1), &c, sizeof c);
	out->text = report_write(&report, self->side, &out->len);
	if (!symptom->flaky && !file_shows(same, out->signature, out, self->side)) {
		symptom->flaky = true;
		symptom->fine = arena_printf(self->side, "%s|flaky", same->signature);
	}
	if (symptom->flaky && shown->seen)
		triage_take_evidence(self, shown, out);
}

void triage_keep_raw(struct triage *self, const struct shown *shown, const char *signature, struct triaged *out)
{
	const char *name = self->name[shown->which];

	arena_reset(self->side);
	*out = (struct triaged){.engine = name,
	    .signature = signature,
	    .raw = true,
	    .symptom.flaky = shown->seen && shown->seen->by_chance}; /* nobody looked whether it comes again */
	out->symptom.fine = out->symptom.flaky ? arena_printf(self->side, "%s|flaky", signature)
	                                       : fine_signature(name, shown->c, shown->verdict, NULL, self->side);
	triage_set_symptom(out, shown->c, &(struct judgement){.verdict = shown->verdict}, NULL);
	if (shown->seen)
		triage_take_evidence(self, shown, out);
	else
		out->text = testcase_write(shown->c, self->side, &out->len);
}
