/* summary.c: the summary of a campaign.  Everything but "timing" depends on the seed and the options alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/heap.h"
#include "graph/json.h"
#include "reports/file.h"
#include "reports/report.h"
#include "internal.h"
#include "fuzz/bench/exit_code.h"
#include "fuzz/bench/stop.h"

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

static void put_findings(struct json_writer *w, const struct campaign *self)
{
	json_member_array(w, "findings", JSON_BLOCK);
	for (int i = 0; i < self->triage.n_finding; i++) {
		const struct finding *f = &self->triage.finding[i];
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
	json_end(w);
}

static void put_engines(struct json_writer *w, const struct campaign *self)
{
	json_member_array(w, "engines", JSON_BLOCK);
	for (int k = 0; k < self->bench.n_engine; k++) {
		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "engine", self->o->spec[k]);
		json_member_string(w, "engine_version", engine_version(self->bench.engine[k], w->text.arena));
		account_put(&self->account[k], self->bench.engine[k], w);
		json_end(w);
	}
	json_end(w);
}

static int median_ops(const struct campaign *self)
{
	int64_t below = 0;

	for (int k = 0; k <= LIMIT_NODES; k++) {
		below += self->ops[k];
		if (2 * below >= self->all.cases)
			return k;
	}
	return 0;
}

/* Number of cases on which the engine was judged. */
static int64_t judged(const struct campaign *self, int k)
{
	return account_asked(&self->account[k]) - self->account[k].verdict[VERDICT_UNSUPPORTED];
}

static double share(double seconds, double elapsed) { return elapsed > 0 ? seconds / elapsed : 0; }

/* Writes how fast each engine was judged, and the share of time spent waiting for it.  Work that it does meanwhile
 * costs nothing. */
static void put_speed(struct json_writer *w, const struct campaign *self, double elapsed)
{
	json_member_array(w, "by_engine", JSON_BLOCK);
	for (int k = 0; k < self->bench.n_engine; k++) {
		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "engine", self->o->spec[k]);
		json_member_decimal(w, "judged_per_second", share((double)judged(self, k), elapsed));
		json_member_decimal(w, "waited", share(self->bench.waited[k], elapsed));
		json_end(w);
	}
	json_end(w);
}

static void put_timing(struct json_writer *w, const struct campaign *self)
{
	struct oracle_statistics o = oracle_statistics(self->bench.oracle);
	double elapsed = bench_clock() - self->start;
	const struct {
		const char *key;
		double seconds;
	} shares[] = {{"generate", self->generate_seconds}, {"engines", bench_waited(&self->bench)},
	    {"cross", self->cross_seconds}, {"analytic", o.analytic_seconds}, {"finite_difference", o.fd_seconds},
	    {"minimize", self->minimize_seconds + self->triage.seconds}};
	double rest = elapsed;

	json_member_decimal(w, "cases_per_second", share((double)self->cases, elapsed));
	json_member_object(w, "timing", JSON_BLOCK);
	json_member_decimal(w, "seconds", elapsed);
	for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
		rest -= shares[k].seconds;
		json_member_decimal(w, shares[k].key, share(shares[k].seconds, elapsed));
	}
	json_member_decimal(w, "other", share(rest, elapsed));
	put_speed(w, self, elapsed);
	json_end(w);
}

static char *summary_write(const struct campaign *self, struct arena *a, size_t *len)
{
	struct json_writer w = json_document(a, "adjudge.summary/1");
	struct oracle_statistics o = oracle_statistics(self->bench.oracle);
	char seed[32];

	snprintf(seed, sizeof seed, "0x%016llx", (unsigned long long)self->o->seed);
	json_member_string(&w, "seed", seed);
	json_member_string(&w, "driver", self->o->driver);
	json_member_string(&w, "profile", self->o->profile_name);
	json_member_integer(&w, "fd_one_in", self->o->fd_one_in);
	put_engines(&w, self);
	if (self->o->right_on) {
		json_member_string(&w, "right_on", self->o->right_on);
		json_member_string(&w, "right_on_version", engine_version(self->bench.reference, a));
	}
	json_member_integer(&w, "cases", self->cases);
	json_member_integer(&w, "skipped", self->skipped);
	json_member_integer(&w, "decided", self->all.decided);
	put_percent(&w, "decided_percent", self->all.decided, self->all.cases);
	json_member_integer(&w, "undecided_cases", self->all.undecided);
	put_reasons(&w, "undecided", self->undecided);
	json_member_integer(&w, "unsupported", self->all.cases - self->all.decided - self->all.undecided);
	json_member_object(&w, "components", JSON_BLOCK);
	json_member_integer(&w, "decided", self->components_decided);
	put_reasons(&w, "undecided", self->components_undecided);
	json_end(&w);
	json_member_integer(&w, "distinct_findings", self->triage.n_finding);
	put_findings(&w, self);
	campaign_put_cross(self, &w, a);
	json_member_integer(&w, "oracle_disagreements", self->oracle_disagreements);
	json_member_array(&w, "oracle_files", JSON_FLOW);
	for (int k = 0; k < self->n_oracle_file; k++)
		json_put_string(&w, self->oracle_file[k]);
	json_end(&w);
	json_member_object(&w, "oracle", JSON_FLOW);
	json_member_integer(&w, "truths", o.truths);
	json_member_integer(&w, "fd_runs", o.fd_runs);
	json_member_integer(&w, "fd_escalations", o.fd_escalations);
	json_member_integer(&w, "fd_disagreements", o.fd_disagreements);
	json_end(&w);
	json_member_object(&w, "strata", JSON_BLOCK);
	for (int k = 0; k < STRATUM_COUNT; k++)
		put_tally(&w, stratum_names[k], &self->stratum[k]);
	json_end(&w);
	json_member_object(&w, "result_dtypes", JSON_BLOCK);
	for (int k = 0; k < DTYPE_COUNT; k++)
		put_tally(&w, dtype_table[k].name, &self->dtype[k]);
	json_end(&w);
	json_member_integer(&w, "median_ops", median_ops(self));
	json_member_integer(&w, "features", self->features);
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
	for (int k = 0; k < self->bench.n_engine; k++)
		if (account_too_few(&self->account[k], self->o->min_decided, self->o->named))
			return false;
	return self->all.decided;
}

/* The signal that stopped the campaign before its budget was used up, or 0. */
static int ended_by(const struct campaign *self)
{
	return stop_requested() && self->stopped && !strcmp(self->stopped, stop_signal_name()) ? stop_signal() : 0;
}

/* Whether one of our own engines did not answer what its kind can answer. */
static bool any_broken(const struct campaign *self)
{
	for (int k = 0; k < self->bench.n_engine; k++)
		if (self->account[k].broken)
			return true;
	return false;
}

static int exit_code(const struct campaign *self)
{
	bool solid = false;

	if (self->failure.any || any_broken(self))
		return EXIT_OURS;
	for (int i = 0; i < self->triage.n_finding; i++)
		solid = solid || !self->triage.finding[i].symptom->flaky;
	if (solid || (self->o->cross_strict && campaign_leads(self)))
		return EXIT_FINDING;
	if (ended_by(self))
		return EXIT_SIGNAL + ended_by(self);
	if (!judged_enough(self))
		return EXIT_NOTHING;
	return self->triage.n_finding ? EXIT_FLAKY : EXIT_NO_FINDING;
}

static char *text_write(const struct campaign *self, struct arena *a)
{
	double elapsed = bench_clock() - self->start;
	char *text = arena_printf(a,
	    "%lld cases, %.1f %% decided, %d distinct findings, %lld disagreements of the oracles: %s/summary.json\n",
	    (long long)self->cases, percent(self->all.decided, self->all.cases), self->triage.n_finding,
	    (long long)self->oracle_disagreements, text_harmless(self->o->out, a));

	if (ended_by(self))
		text = arena_printf(a, "%sstopped by %s before the end\n", text, self->stopped);
	for (int k = 0; k < self->bench.n_engine; k++)
		text = arena_printf(a, "%s%s", text, account_text(&self->account[k], self->bench.engine[k], a));
	for (int k = 0; k < self->bench.n_engine; k++)
		if (engine_spec_is_external(self->o->spec[k]))
			text = arena_printf(a, "%s%s: %.0f judged cases a second, waited for %.0f %% of the time\n",
			    text, text_harmless(self->o->spec[k], a), share((double)judged(self, k), elapsed),
			    100 * share(self->bench.waited[k], elapsed));
	for (int i = 0; i < self->triage.n_finding; i++) {
		const struct finding *f = &self->triage.finding[i];

		text = arena_printf(a, "%s%s", text, text_harmless(f->symptom->fine, a));
		for (int k = 1; k < f->n_symptom; k++)
			text = arena_printf(
			    a, "%s, also %s", text, text_harmless(f->symptom[k].fine + strlen(f->spec) + 1, a));
		text = arena_printf(a, "%s: %lld times, first in case %lld, %d ops%s: adjudge run %s/%s\n", text,
		    (long long)f->count, (long long)f->first_case, f->ops,
		    f->symptom->flaky ? ", did not come again" : "", text_harmless(self->findings_dir, a), f->file);
	}
	return campaign_cross_text(self, text, a);
}

int campaign_close(struct campaign *self, struct campaign_end *end)
{
	struct error e = {0};
	size_t len;
	char *text;
	int code;

	arena_reset(&self->side);
	if (self->terminal)
		fputs("\r\033[K", stderr);
	text = summary_write(self, &self->side, &len);
	if (!file_write_atomic(self->o->out, "summary.json", text, len, &e))
		fail(&self->failure, "%s", e.text);
	code = exit_code(self);
	end->summary = heap_text(text);
	end->text = heap_text(text_write(self, &self->side));
	memcpy(end->failure, self->failure.text, sizeof end->failure);
	window_close(self);
	campaign_cross_close(self);
	bench_close(&self->bench);
	arena_free(&self->side);
	triage_close(&self->triage);
	for (int i = 0; i < self->n_corpus; i++)
		free(self->corpus[i].text);
	free(self->corpus);
	close(self->lock);
	free(self);
	return code;
}
