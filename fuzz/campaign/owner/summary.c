/* summary.c: the summary of a campaign.  Everything but "timing" depends on the seed and the options alone. */
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/heap.h"
#include "graph/json.h"
#include "reports/file.h"
#include "reports/report.h"
#include "reports/view.h"
#include "members.h"
#include "fuzz/campaign/books/sources.h"
#include "fuzz/bench/case_work.h"
#include "fuzz/bench/exit_code.h"
#include "fuzz/bench/stop.h"
#include "cross.h"
#include "state.h"

static const char *const stratum_names[STRATUM_COUNT] = {
    [LOOP] = "loop",
    [COND] = "cond",
    [SCATTER_OR_SLICE] = "scatter_or_slice",
    [EDGE_POINT] = "edge_point",
    [LOW_PRECISION] = "low_precision",
    [JVP] = "jvp",
    [VJP] = "vjp",
    [STRICT_SUBSET] = "strict_subset",
    [NESTED] = "nested",
    [SOLUTION] = "solution",
    [HIGHER_ORDER] = "higher_order",
    [BATCH] = "batch",
};

static double percent(int64_t part, int64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static void put_percent(struct json_writer *w, const char *key, int64_t part, int64_t whole)
{
	json_member_decimal(w, key, percent(part, whole));
}

static void put_tally(struct json_writer *w, const char *key, const struct tally *t)
{
	json_member_object(w, key, JSON_FLOW);
	json_member_integer(w, "cases", t->cases);
	json_member_integer(w, "decided", t->decided);
	json_member_integer(w, "undecided", t->undecided);
	json_member_integer(w, "with_teeth", t->with_teeth);
	json_member_integer(w, "twin", t->twin);
	json_member_integer(w, "wide", t->wide);
	json_end(w);
}

/* Of which components a grossly wrong number would be a finding: all, then by dtype. */
static void put_teeth(struct json_writer *w, const struct teeth *teeth)
{
	const struct teeth_tally sum = teeth_sum(teeth);

	json_member_object(w, "teeth", JSON_BLOCK);
	teeth_put(&sum, w);
	json_member_object(w, "by_dtype", JSON_BLOCK);
	for (int d = 0; d < DTYPE_COUNT; d++) {
		if (!teeth->of[d].components)
			continue;
		json_member_object(w, dtype_table[d].name, JSON_BLOCK);
		teeth_put(&teeth->of[d], w);
		json_end(w);
	}
	json_end(w);
	json_end(w);
}

/* Components looked at again, decided, and with teeth: by the reasons from `first` on. */
static void put_again(
    struct json_writer *w, const char *key, const struct twin_again again[TWIN_WHYS], int first, int n)
{
	json_member_object(w, key, JSON_BLOCK);
	for (int k = first; k < first + n; k++) {
		if (!again[k].components)
			continue;
		json_member_object(w, twin_why_name(k), JSON_FLOW);
		json_member_integer(w, "components", again[k].components);
		json_member_integer(w, "decided", again[k].decided);
		json_member_integer(w, "with_teeth", again[k].with_teeth);
		json_end(w);
	}
	json_end(w);
}

/* What twins add: to cases and components of each dtype, and by kind of twin. */
static void put_twins(struct json_writer *w, const struct campaign *self)
{
	const struct twin_tally *t = &self->counts.twins;

	if (self->o->no_twins || self->o->no_oracle)
		return;
	json_member_object(w, "twins", JSON_BLOCK);
	json_member_integer(w, "cases", t->cases);
	json_member_integer(w, "left_out", t->left_out);
	json_member_integer(w, "gained", t->gained);
	json_member_integer(w, "gained_wide", t->gained_wide);
	json_member_integer(w, "work", t->work);
	json_member_integer(w, "work_of_all", self->counts.work);
	json_member_object(w, "components", JSON_BLOCK);
	for (int d = 0; d < DTYPE_COUNT; d++) {
		if (!t->dtype[d].components)
			continue;
		json_member_object(w, dtype_table[d].name, JSON_FLOW);
		json_member_integer(w, "components", t->dtype[d].components);
		json_member_integer(w, "with_teeth", t->dtype[d].with_teeth);
		json_member_integer(w, "twin", t->dtype[d].gained);
		json_member_integer(w, "wide", t->dtype[d].wide);
		json_end(w);
	}
	json_end(w);
	json_member_object(w, "kinds", JSON_BLOCK);
	for (int k = 0; k < TWIN_COUNT; k++) {
		json_member_object(w, twin_names[k], JSON_BLOCK);
		json_member_integer(w, "made", t->made[k]);
		json_member_integer(w, "judged", t->judged[k]);
		json_member_integer(w, "findings", t->findings[k]);
		put_again(w, "undecided", t->again[k], 0, REASON_COUNT);
		put_again(w, "without_teeth", t->again[k], REASON_COUNT, BLIND_COUNT);
		json_end(w);
	}
	json_end(w);
	json_end(w);
}

static void put_reasons(struct json_writer *w, const char *key, const int64_t count[REASON_COUNT])
{
	json_member_object(w, key, JSON_FLOW);
	for (int k = 0; k < REASON_COUNT; k++)
		if (k != REASON_NONE && count[k])
			json_member_integer(w, reason_names[k], count[k]);
	json_end(w);
}

/* A finding, or what an engine declares (triage_counts). */
static void put_finding(struct json_writer *w, const struct finding *f)
{
	char file[ORACLE_NAME + 16];

	snprintf(file, sizeof file, "findings/%s", f->file);
	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "signature", f->signature);
	json_member_string(w, "fine", f->symptom->fine);
	json_member_integer(w, "count", f->count);
	json_member_integer(w, "first_case", f->first_case);
	json_member_string(w, "file", file);
	json_member_integer(w, "minimal_ops", f->ops);
	json_member_integer(w, "minimized", f->minimized);
	json_member_array(w, "faces", JSON_FLOW);
	for (int k = 0; k < f->n_face; k++)
		json_put_string(w, f->face[k]);
	json_end(w);
	if (f->n_symptom > 1) {
		json_member_array(w, "also", JSON_FLOW);
		for (int k = 1; k < f->n_symptom; k++)
			json_put_string(w, f->symptom[k].fine);
		json_end(w);
	}
	if (f->symptom->flaky)
		json_member_bool(w, "flaky", true);
	json_end(w);
}

/* Those that count, or those that do not. */
static void put_findings(struct json_writer *w, const struct campaign *self, const char *key, bool counts)
{
	json_member_array(w, key, JSON_BLOCK);
	for (int i = 0; i < self->triage.n_finding; i++)
		if (triage_counts(&self->triage, &self->triage.finding[i]) == counts)
			put_finding(w, &self->triage.finding[i]);
	json_end(w);
}

/* The account of engine k, with the failures that did not come again. */
static struct account account_of(const struct campaign *self, int k)
{
	struct account out = self->counts.account[k];

	for (int i = 0; i < self->triage.n_finding; i++)
		if (self->triage.finding[i].symptom->flaky && self->triage.finding[i].engine == self->triage.name[k])
			out.flaky += self->triage.finding[i].count;
	return out;
}

static void put_engines(struct json_writer *w, const struct campaign *self)
{
	json_member_array(w, "engines", JSON_BLOCK);
	for (int k = 0; k < self->n_engine; k++) {
		const struct account account = account_of(self, k);

		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "engine", self->name[k]);
		if (strcmp(self->spec[k], self->name[k]) != 0)
			json_member_string(w, "engine_spec", self->spec[k]);
		json_member_string(w, "engine_version", self->version[k]);
		account_put(&account, w);
		json_end(w);
	}
	json_end(w);
}

/* The counted work: of judging, and of minimizing cases that led to new findings, and that led to none. */
static void put_work(struct json_writer *w, const struct campaign *self)
{
	const struct allowance *minimizing = &self->triage.allowance;
	int64_t judging = self->counts.work;

	for (int k = 0; k < self->n_engine; k++)
		judging += self->counts.cases * (engine_spec_is_external(self->spec[k]) ? WORK_EXTERNAL : WORK_DRAW);
	json_member_object(w, "work", JSON_FLOW);
	json_member_integer(w, "judging", judging);
	json_member_integer(w, "new_findings", minimizing->found);
	json_member_integer(w, "known_findings", minimizing->spent);
	put_percent(w, "known_findings_percent", minimizing->spent, judging + minimizing->found + minimizing->spent);
	json_end(w);
}

static int median_ops(const struct campaign *self)
{
	int64_t below = 0;

	for (int k = 0; k <= LIMIT_NODES; k++) {
		below += self->counts.ops[k];
		if (2 * below >= self->counts.all.cases)
			return k;
	}
	return 0;
}

/* Number of cases on which the engine was judged. */
static int64_t judged(const struct campaign *self, int k)
{
	return account_asked(&self->counts.account[k]) - self->counts.account[k].verdict[VERDICT_UNSUPPORTED];
}

static double share(double seconds, double elapsed) { return elapsed > 0 ? seconds / elapsed : 0; }

/* The time of all processes that judge, and of the owner if it does not judge itself. */
static double judging_time(const struct campaign *self, double elapsed)
{
	return self->o->jobs > 1 ? self->o->jobs * elapsed : elapsed;
}

static double whole_time(const struct campaign *self, double elapsed)
{
	return self->o->jobs > 1 ? judging_time(self, elapsed) + elapsed : elapsed;
}

/* Writes how fast each engine was judged, and the share of time that judging processes waited for it.  Work that it
 * does meanwhile costs nothing. */
static void put_speed(struct json_writer *w, const struct campaign *self, double elapsed)
{
	json_member_array(w, "by_engine", JSON_BLOCK);
	for (int k = 0; k < self->n_engine; k++) {
		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "engine", self->name[k]);
		json_member_decimal(w, "judged_per_second", share((double)judged(self, k), elapsed));
		json_member_decimal(w, "waited", share(self->counts.waited[k], judging_time(self, elapsed)));
		json_end(w);
	}
	json_end(w);
}

static double waited(const struct campaign *self)
{
	double sum = 0;

	for (int k = 0; k < self->n_engine; k++)
		sum += self->counts.waited[k];
	return sum;
}

static void put_timing(struct json_writer *w, const struct campaign *self)
{
	const struct counts *n = &self->counts;
	double elapsed = campaign_elapsed(self);
	const struct {
		const char *key;
		double seconds;
	} shares[] = {{"generate", n->seconds.generate}, {"engines", waited(self)}, {"cross", n->seconds.cross},
	    {"analytic", n->seconds.analytic}, {"finite_difference", n->seconds.fd},
	    {"minimize", self->minimize_seconds + self->triage.seconds}};
	const double whole = whole_time(self, elapsed);
	double rest = whole;

	json_member_decimal(w, "cases_per_second", share((double)self->counts.cases, elapsed));
	json_member_object(w, "timing", JSON_BLOCK);
	json_member_decimal(w, "seconds", elapsed);
	for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
		rest -= shares[k].seconds;
		json_member_decimal(w, shares[k].key, share(shares[k].seconds, whole));
	}
	json_member_decimal(w, "other", share(rest, whole));
	put_speed(w, self, elapsed);
	json_member_integer(w, "jobs", self->o->jobs > 1 ? self->o->jobs : 1);
	json_member_integer(w, "jobs_restarted", self->judges_restarted);
	json_end(w);
}

static char *summary_write(const struct campaign *self, struct arena *a, size_t *len)
{
	struct json_writer w = json_document(a, "adjudge.summary/1");
	char seed[32];

	snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)self->o->seed);
	json_member_string(&w, "seed", self->sources && !sources_share_seed(self->sources) ? "several" : seed);
	json_member_string(&w, "driver", self->o->driver);
	json_member_string(&w, "profile", self->o->profile_name);
	json_member_integer(&w, "fd_one_in", self->o->fd_one_in);
	put_engines(&w, self);
	if (self->o->right_on) {
		json_member_string(&w, "right_on", self->right_on);
		json_member_string(&w, "right_on_version", self->right_on_version);
	}
	json_member_integer(&w, "cases", self->counts.cases);
	json_member_integer(&w, "skipped", self->counts.skipped);
	json_member_integer(&w, "decided", self->counts.all.decided);
	put_percent(&w, "decided_percent", self->counts.all.decided, self->counts.all.cases);
	json_member_integer(&w, "with_teeth", self->counts.all.with_teeth);
	put_percent(&w, "with_teeth_percent", self->counts.all.with_teeth, self->counts.all.cases);
	json_member_integer(&w, "undecided_cases", self->counts.all.undecided);
	put_reasons(&w, "undecided", self->counts.undecided);
	json_member_integer(
	    &w, "unsupported", self->counts.all.cases - self->counts.all.decided - self->counts.all.undecided);
	json_member_object(&w, "components", JSON_BLOCK);
	json_member_integer(&w, "decided", self->counts.components_decided);
	put_reasons(&w, "undecided", self->counts.components_undecided);
	json_end(&w);
	put_teeth(&w, &self->counts.teeth);
	put_twins(&w, self);
	json_member_integer(&w, "distinct_findings", triage_counted(&self->triage));
	put_findings(&w, self, "findings", true);
	put_findings(&w, self, "declared", false);
	json_member_integer(&w, "deferred", self->triage.deferred.n);
	put_work(&w, self);
	campaign_put_cross(self, &w, a);
	json_member_integer(&w, "oracle_disagreements", self->counts.oracle_disagreements);
	json_member_array(&w, "oracle_files", JSON_FLOW);
	for (int k = 0; k < self->n_oracle_file; k++)
		json_put_string(&w, self->oracle_file[k]);
	json_end(&w);
	json_member_object(&w, "oracle", JSON_FLOW);
	json_member_integer(&w, "truths", self->counts.truths);
	json_member_integer(&w, "fd_runs", self->counts.fd_runs);
	json_member_integer(&w, "fd_escalations", self->counts.fd_escalations);
	json_member_integer(&w, "fd_disagreements", self->counts.fd_disagreements);
	json_end(&w);
	json_member_object(&w, "strata", JSON_BLOCK);
	for (int k = 0; k < STRATUM_COUNT; k++)
		put_tally(&w, stratum_names[k], &self->counts.stratum[k]);
	json_end(&w);
	json_member_object(&w, "result_dtypes", JSON_BLOCK);
	for (int k = 0; k < DTYPE_COUNT; k++)
		put_tally(&w, dtype_table[k].name, &self->counts.dtype[k]);
	json_end(&w);
	json_member_integer(&w, "median_ops", median_ops(self));
	json_member_integer(&w, "features", self->counts.features);
	if (self->sources)
		sources_put(self->sources, &w);
	json_member_string(&w, "stopped", self->stopped ? self->stopped : "");
	put_timing(&w, self);
	json_end(&w);
	return json_finish(&w, len);
}

/* Whether something was decided, about every engine as much as it was to be. */
static bool judged_enough(const struct campaign *self)
{
	if (self->o->no_oracle)
		return campaign_compared(self);
	for (int k = 0; k < self->n_engine; k++)
		if (account_too_few(&self->counts.account[k], self->o->min_decided, self->o->named))
			return false;
	return self->counts.all.decided;
}

/* The signal that stopped the campaign before its budget was used up, or 0. */
static int ended_by(const struct campaign *self)
{
	return stop_requested() && self->stopped && !strcmp(self->stopped, stop_signal_name()) ? stop_signal() : 0;
}

/* Whether one of our own engines did not answer what its kind can answer. */
static bool any_broken(const struct campaign *self)
{
	for (int k = 0; k < self->n_engine; k++)
		if (self->counts.account[k].broken)
			return true;
	return false;
}

static int exit_code(const struct campaign *self)
{
	struct exit_facts x = {.trouble = self->failure.any || any_broken(self) ? EXIT_OURS : 0,
	    .finding = self->o->cross_strict && campaign_leads(self),
	    .signal = ended_by(self),
	    .too_little = !judged_enough(self)};

	for (int i = 0; i < self->triage.n_finding; i++)
		if (triage_counts(&self->triage, &self->triage.finding[i]))
			*(self->triage.finding[i].symptom->flaky ? &x.flaky : &x.finding) = true;
	return exit_code_of(&x);
}

/* The option that `adjudge run` needs for a report about that engine: none if the report is enough to open it. */
static const char *engine_option(const struct campaign *self, const char *name, struct arena *a)
{
	for (int k = 0; k < self->n_engine; k++)
		if (!strcmp(self->name[k], name) && !setup_may_open(self->o->spec[k]))
			return text_harmless(arena_printf(a, " --engine %s", view_shell_word(self->o->spec[k], a)), a);
	return "";
}

static char *text_write(const struct campaign *self, struct arena *a)
{
	double elapsed = campaign_elapsed(self);
	const struct tally *all = &self->counts.all;
	const char *twins = self->o->no_twins || self->o->no_oracle
	    ? ""
	    : arena_printf(a, ", %.1f %% with twins", percent(all->with_teeth + all->twin, all->cases));
	char *text = arena_printf(a,
	    "%s, %.1f %% decided, %.1f %% with teeth%s, %s, %s of the oracles: %s/" SUMMARY_FILE "\n",
	    text_count(self->counts.cases, "case", a), percent(all->decided, all->cases),
	    percent(all->with_teeth, all->cases), twins,
	    text_count(triage_counted(&self->triage), "distinct finding", a),
	    text_count(self->counts.oracle_disagreements, "disagreement", a), text_harmless(self->o->out, a));

	if (ended_by(self))
		text = arena_printf(a, "%sstopped by %s before the end\n", text, self->stopped);
	if (ended_by(self) && !self->o->cross && !self->sources)
		text = arena_printf(
		    a, "%sto go on, type: %s\n", text, text_harmless(setup_resume_command(self->o, a), a));
	if (self->sources)
		text = arena_printf(a, "%s%s", text, sources_text(self->sources, a));
	for (int k = 0; k < self->n_engine; k++) {
		const struct account account = account_of(self, k);

		const char *engine = engine_spec_is_external(self->o->spec[k])
		    ? arena_printf(a, "%s (%s)", self->name[k], self->version[k])
		    : self->name[k];

		text = arena_printf(a, "%s%s", text, account_text(&account, engine, a));
		if (!self->o->no_oracle && account_too_few(&account, self->o->min_decided, self->o->named))
			text = arena_printf(a, "%s%s: %s\n", text, text_harmless(self->name[k], a),
			    too_few_text(account_decided(&account), account_asked(&account), self->o->min_decided, a));
	}
	for (int k = 0; k < self->n_engine; k++)
		if (engine_spec_is_external(self->o->spec[k]))
			text = arena_printf(a, "%s%s: %s judged cases a second, waited for %.0f %% of the time\n", text,
			    text_harmless(self->name[k], a), text_rate(share((double)judged(self, k), elapsed), a),
			    100 * share(self->counts.waited[k], judging_time(self, elapsed)));
	for (int i = 0; i < self->triage.n_finding; i++) {
		const struct finding *f = &self->triage.finding[i];

		text = arena_printf(a, "%s%s", text,
		    triage_counts(&self->triage, f) ? text_harmless(f->symptom->fine, a)
		                                    : arena_printf(a, "%s: nan-leak by weak zeros, which it declares",
		                                          text_harmless(f->engine, a)));
		for (int k = 1; k < f->n_symptom; k++)
			text = arena_printf(
			    a, "%s, also %s", text, text_harmless(f->symptom[k].fine + strlen(f->engine) + 1, a));
		text = arena_printf(a, "%s: %s, %s case of %s%s: adjudge run %s/%s%s\n", text,
		    text_seen(f->count, f->first_case, a),
		    f->minimized || f->symptom->flaky ? "minimal" : "not minimized,", text_count(f->ops, "op", a),
		    f->symptom->flaky ? ", did not come again" : "", text_harmless(self->findings_dir, a), f->file,
		    engine_option(self, f->engine, a));
	}
	return campaign_cross_text(self, text, a);
}

int campaign_conclude(struct campaign *self, struct campaign_end *end)
{
	struct error e = {0};
	size_t len;
	char *text;
	int code;

	arena_reset(&self->side);
	text = summary_write(self, &self->side, &len);
	if (!file_write_atomic(self->o->out, SUMMARY_FILE, text, len, &e))
		fail(&self->failure, "%s", e.text);
	code = exit_code(self);
	end->summary = heap_text(text);
	end->text = heap_text(text_write(self, &self->side));
	memcpy(end->failure, self->failure.text, sizeof end->failure);
	return code;
}
