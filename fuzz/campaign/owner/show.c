/* show.c: what a campaign tells its progress. */
#include "show.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "members.h"
#include "fuzz/bench/account.h"
#include "state.h"

enum { LONG_AGO = 3600 /* seconds: progress is due */ };

/* Whether the engine declares the finding, or the baseline lists it by one of its names.  A flaky one counts apart from
 * it. */
static bool is_known(const struct campaign *self, const struct finding *f)
{
	char path[PATH_TEXT + FINDING_NAME];

	if (!triage_counts(&self->triage, f))
		return true;
	if (!self->o->known || f->symptom->flaky)
		return false;
	snprintf(path, sizeof path, "%s/%s", self->findings_dir, f->file);
	for (int k = 0; k < f->n_symptom; k++)
		if (self->o->known(self->o->baseline, f->symptom[k].fine, path))
			return true;
	return false;
}

static int known_findings(const struct campaign *self)
{
	int n = 0;

	for (int k = 0; k < self->triage.n_finding; k++)
		n += is_known(self, &self->triage.finding[k]);
	return n;
}

/* Everything but the engines. */
static struct progress numbers(const struct campaign *self, double now)
{
	const int known = known_findings(self);

	return (struct progress){.doing = "judging",
	    .seconds = campaign_elapsed(self),
	    .seconds_limit = self->o->seconds,
	    .cases = self->counts.cases,
	    .cases_limit = self->o->cases,
	    .decided = self->counts.all.decided,
	    .corpus = self->mutates ? self->in_corpus.n : -1,
	    .features = self->counts.features,
	    .seconds_since_feature = self->feature_time > 0 ? now - self->feature_time : -1,
	    .findings_new = self->triage.n_finding - known,
	    .findings_known = known,
	    .jobs = self->o->jobs,
	    .jobs_restarted = self->judges_restarted,
	    .owner = {.pid = getpid(), .corpus_bytes = self->held},
	    .n_process = self->n_process,
	    .process = self->process,
	    .n_engine = self->n_engine};
}

static void fill_engines(const struct campaign *self, struct progress_engine e[BENCH_ENGINES])
{
	for (int k = 0; k < self->n_engine; k++) {
		const struct account *x = &self->counts.account[k];

		e[k] = (struct progress_engine){.name = self->name[k],
		    .asked = account_asked(x),
		    .answered = account_answered(x),
		    .decided = account_decided(x),
		    .unsupported = x->verdict[VERDICT_UNSUPPORTED],
		    .restarts = x->trouble.restarts,
		    .account = x};
	}
}

static void show(struct campaign *self, const char *doing)
{
	struct progress_engine engine[BENCH_ENGINES];
	const double now = bench_clock();
	struct progress p;

	if (!progress_due(&self->screen, now))
		return;
	fill_engines(self, engine);
	p = numbers(self, now);
	p.doing = doing;
	p.engine = engine;
	progress_show(&self->screen, &p, now);
}

static void show_minimizing(void *campaign) { show(campaign, "minimizing"); }

void campaign_open_progress(struct campaign *self)
{
	progress_open(&self->screen, self->o->progress, self->start - (self->o->resume ? LONG_AGO : 0));
	self->triage.minimizing = show_minimizing;
	self->triage.watcher = self;
	if (self->o->resume) /* it says at once where it stands */
		show(self, "judging");
}

void campaign_show_progress(struct campaign *self) { show(self, "judging"); }

void campaign_announce(struct campaign *self)
{
	for (int k = 0; k < self->triage.n_finding; k++) {
		struct finding *f = &self->triage.finding[k];
		char file[PATH_TEXT + FINDING_NAME], before[PATH_TEXT + FINDING_NAME];

		if (!strcmp(f->announced, f->file))
			continue;
		snprintf(file, sizeof file, "%s/%s", self->findings_dir, f->file);
		snprintf(before, sizeof before, "%s/%s", self->findings_dir, f->announced);
		progress_announce(&self->screen,
		    &(struct progress_finding){.signature = f->symptom->fine,
		        .case_number = f->first_case,
		        .file = file,
		        .flaky = f->symptom->flaky,
		        .known = is_known(self, f),
		        .replaces = *f->announced ? before : NULL});
		memcpy(f->announced, f->file, sizeof f->announced);
	}
}

void campaign_close_progress(struct campaign *self)
{
	struct progress_engine engine[BENCH_ENGINES];
	struct progress p = numbers(self, bench_clock());

	fill_engines(self, engine);
	p.engine = engine;
	progress_close(&self->screen, &p);
}
