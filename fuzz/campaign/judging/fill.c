/* fill.c: from a judged case to its record. */
#include "fill.h"

#include "fuzz/campaign/owner/members.h"

#include <string.h>

/* The number in evidence of a case that comes from that draw: without the number of the process, and from 1. */
static int64_t case_number(int64_t draw) { return (draw & ((INT64_C(1) << JOB_NUMBER_BITS) - 1)) + 1; }

/* ---- features ---- */

/* The first counter from k on that is not 0. Few are, so eight are looked at together. */
static int next_counter(const uint8_t counters[FEATURE_BYTES], int k)
{
	static const uint8_t none[8] = {0};

	while (k < FEATURE_BYTES && !counters[k])
		k += k % 8 == 0 && !memcmp(counters + k, none, sizeof none) ? 8 : 1;
	return k;
}

struct feature *campaign_features(struct campaign *self, const uint8_t counters[FEATURE_BYTES], int *n, struct arena *a)
{
	struct feature *list = NEW(a, struct feature, FEATURE_BYTES);

	*n = 0;
	for (int k = next_counter(counters, 0); k < FEATURE_BYTES; k = next_counter(counters, k + 1)) {
		const uint8_t class = counter_class(counters[k]);

		if (!(class & ~self->seen[k]))
			continue;
		self->seen[k] = (uint8_t)(self->seen[k] | class);
		list[(*n)++] = (struct feature){(uint16_t)k, class};
	}
	return list;
}

/* ---- the case ---- */

/* The outcome of a case over all its engines. */
static enum outcome outcome_of(const struct judgement *j, int n, enum reason *reason)
{
	enum outcome outcome = OUTCOME_UNSUPPORTED;

	*reason = REASON_NONE;
	for (int k = 0; k < n; k++) {
		if (j[k].verdict == VERDICT_UNSUPPORTED)
			continue;
		if (judgement_decides(&j[k]))
			return OUTCOME_DECIDED;
		if (outcome == OUTCOME_UNSUPPORTED)
			*reason = j[k].reason;
		outcome = OUTCOME_UNDECIDED;
	}
	return outcome;
}

static unsigned strata_set(const struct strata *s)
{
	const bool in[STRATUM_COUNT] = {[LOOP] = s->loop,
	    [COND] = s->cond,
	    [SCATTER_OR_SLICE] = s->scatter_or_slice,
	    [EDGE_POINT] = s->edge_point,
	    [LOW_PRECISION] = s->low_precision,
	    [JVP] = s->jvp,
	    [VJP] = s->vjp,
	    [STRICT_SUBSET] = s->strict_subset,
	    [NESTED] = s->nested,
	    [SOLUTION] = s->solution,
	    [HIGHER_ORDER] = s->higher_order,
	    [BATCH] = s->batch};
	unsigned set = 0;

	for (int k = 0; k < STRATUM_COUNT; k++)
		set |= (unsigned)in[k] << k;
	return set;
}

static unsigned result_dtypes(const struct testcase *c)
{
	const struct region *top = &c->program.top;
	unsigned set = 0;

	for (int k = 0; k < top->n_result; k++)
		set |= 1u << c->program.type[top->result[k]].dtype;
	return set;
}

/* ---- the engines ---- */

static struct engine_trouble trouble_since(struct engine_trouble now, struct engine_trouble before)
{
	return (struct engine_trouble){now.restarts - before.restarts, now.crashes - before.crashes,
	    now.hangs - before.hangs, now.broken - before.broken, now.ooms - before.ooms, now.killed - before.killed};
}

static struct engine_record engine_record_of(
    struct campaign *self, int k, const struct testcase *c, const struct bench_result *r, struct arena *a)
{
	const struct engine *engine = self->bench.engine[k];
	struct judgement j = r->judgement[k];
	const struct engine_trouble now = engine_trouble(engine);
	if (!self->o->strict)
		judgement_forgive(&j);
	struct engine_record out = {.account = account_fact_of(engine, c, r->answer[k], &j, a),
	    .supported = j.verdict != VERDICT_UNSUPPORTED,
	    .decided = j.decided,
	    .trouble = trouble_since(now, self->trouble[k]),
	    .waited = self->bench.waited[k] - self->waited[k]};

	for (int q = 0; q < REASON_COUNT; q++)
		out.undecided[q] = j.undecided[q];
	self->trouble[k] = now;
	self->waited[k] = self->bench.waited[k];
	return out;
}

static void add_finding(struct campaign *self, int k, const struct testcase *c, const struct bench_result *r,
    struct arena *a, struct case_record *io)
{
	const char *signature = signature_coarse(self->name[k], c, &r->judgement[k], a);

	self->finding_record[io->n_finding++] = (struct case_finding){.which = k,
	    .point = r->judgement[k].point,
	    .signature = signature,
	    .evidence = triage_evidence(self->name[k], self->spec[k], self->version[k],
	        engine_spellings(self->bench.engine[k], c, a), signature, c, r, k, self->o->seed, case_number(io->draw),
	        a)};
}

/* The answers of an incident: every point ended so. */
static struct answer *incident_answers(const struct incident *x, int n_point, struct arena *a)
{
	struct answer *out = NEW(a, struct answer, n_point);

	for (int k = 0; k < n_point; k++) {
		out[k] = (struct answer){.status = x->status, .text = x->text};
		if (x->n_case > 1)
			out[k].text = arena_printf(
			    a, "%s; in a request with %d cases, none of which shows it alone", x->text, x->n_case);
	}
	return out;
}

void campaign_fill_incidents(struct campaign *self, const struct testcase *c, const struct bench_result *r, int n,
    struct arena *a, struct case_record *io)
{
	int at;

	for (int k = 0; k < self->bench.n_engine; k++) {
		enum verdict verdict;
		struct bench_result *bad;
		const char *signature;

		if (!bench_unexplained(r, n, k, &at))
			continue;
		verdict = bench_verdict_of(r[at].incident[k].status);
		signature = arena_printf(a, "%s|*|%s|none", self->name[k], verdict_names[verdict]);
		bad = arena_copy(a, &r[at], 1, sizeof *bad);
		bad->judgement[k] = (struct judgement){.verdict = verdict};
		bad->answer[k] = incident_answers(&r[at].incident[k], c[at].n_point, a);
		self->finding_record[io->n_finding++] = (struct case_finding){.which = k,
		    .signature = signature,
		    .incident = true,
		    .evidence = triage_evidence(self->name[k], self->spec[k], self->version[k],
		        engine_spellings(self->bench.engine[k], &c[at], a), signature, &c[at], bad, k, self->o->seed,
		        case_number(io->draw), a)};
	}
}

static void note_failures(struct campaign *self, int k, const struct testcase *c, const struct bench_result *r)
{
	for (int p = 0; r->answer[k] && p < c->n_point; p++)
		if (r->answer[k][p].status == ANSWER_FAILURE)
			fail(&self->failure, "%s: %s", self->name[k], r->answer[k][p].text);
}

void campaign_fill(
    struct campaign *self, const struct testcase *c, struct bench_result *r, struct arena *a, struct case_record *io)
{
	const struct strata strata = strata_of(c);
	const int n = self->bench.n_engine;

	io->drawn = true;
	io->disagreement = r->oracle_disagreement;
	io->outcome = outcome_of(r->judgement, n, &io->reason);
	io->strata = strata_set(&strata);
	io->dtypes = result_dtypes(c);
	io->ops = strata.ops;
	io->seconds = self->seconds;
	io->engine = self->engine_record;
	io->finding = self->finding_record;
	io->n_engine = n;
	for (int k = 0; k < n; k++) {
		io->engine[k] = engine_record_of(self, k, c, r, a);
		note_failures(self, k, c, r);
		if (verdict_is_finding[r->judgement[k].verdict])
			add_finding(self, k, c, r, a, io);
	}
	self->seconds = (struct spent_seconds){0};
}

void campaign_fill_twins(
    struct campaign *self, const struct judged_twins *twins, struct arena *a, struct case_record *io)
{
	for (int t = 0; t < twins->n; t++) {
		const struct judged_twin *twin = &twins->at[t];
		const int first = io->n_finding;

		for (int k = 0; k < self->bench.n_engine; k++) {
			note_failures(self, k, &twin->c, twin->r);
			if (!verdict_is_finding[twin->r->judgement[k].verdict])
				continue;
			io->twins.findings[twin->kind]++;
			add_finding(self, k, &twin->c, twin->r, a, io);
		}
		if (!twin->r->interrupted)
			campaign_fill_incidents(self, &twin->c, twin->r, 1, a, io);
		for (int k = first; k < io->n_finding; k++) {
			io->finding[k].of_twin = true;
			io->finding[k].twin = twin->kind;
		}
		io->twin_disagreements |= (unsigned)twin->r->oracle_disagreement << twin->kind;
	}
}
