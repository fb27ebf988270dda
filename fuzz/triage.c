/*
 * triage.c: which finding of a campaign a case belongs to.
 *
 * A case is minimized under its coarse signature; what is behind the minimal case (simplest.h) has a fine signature, and that is one finding, with one report.  Two
 * fine signatures of one engine are one finding too where the pattern of one explains the other (fine_signature.h), at the same request or a higher order: the smaller
 * takes over.
 *
 * Minimizing costs as much as hundreds of cases.  So a case is only counted when its coarse signature is known and it contains the pattern of a finding
 * that had it.  A bug that hides behind a known pattern is found all the same, because such a case is minimized nevertheless when it has
 * an op that fewer than LOOKS_PER_OP minimized cases of the engine had, and once in LOOK_ONE_IN, within LOOK_BUDGET; and it is then not made into a case with the very names of a finding that had its
 * coarse signature, as long as there is another way to make it smaller.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../reports/file.h"
#include "../reports/report.h"
#include "campaign_internal.h"
#include "same_signature.h"
#include "simplest.h"

enum {
	LOOKS_PER_OP = 1,
	LOOK_ONE_IN = 64,
	REOPEN_TRIES = 3,
	LAST_FINDING_SECONDS = 5, /* that a finding may be minimized when the time of the campaign is over */
	LOOK_BUDGET = 500 /* candidates for a case that is most likely known: what is as large as before then is told by its names all the same */
};

/* What of one engine was minimized. */
struct triage_look {
	int of_op[OP_COUNT];
	int64_t counted; /* cases that were not, since the last one that was */
};

static uint64_t text_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */

	while (*text)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3;
	return h;
}

static char *text_copy(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		abort();
	return copy;
}

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = text_copy(text);
}

/* ---- known findings ---- */

static bool has_face(const struct finding *f, const char *signature)
{
	for (int k = 0; k < f->n_face; k++)
		if (!strcmp(f->face[k], signature))
			return true;
	return false;
}

static void add_face(struct finding *f, const char *signature)
{
	if (has_face(f, signature))
		return;
	f->face = realloc(f->face, (size_t)(f->n_face + 1) * sizeof *f->face);
	if (!f->face)
		abort();
	f->face[f->n_face++] = text_copy(signature);
}

/* The finding with that face whose pattern is in c, the largest one; NULL: none. */
static struct finding *find_contained(struct campaign *self, const char *signature, const struct testcase *c)
{
	struct finding *best = NULL;

	for (int i = 0; i < self->n_finding; i++) {
		struct finding *f = &self->finding[i];

		if (has_face(f, signature) && pattern_is_in(&f->pattern, c) && (!best || pattern_size(&f->pattern) > pattern_size(&best->pattern)))
			best = f;
	}
	return best;
}

static struct triage_look *look_of(struct campaign *self, const char *spec)
{
	int k = 0;

	if (!self->look)
		self->look = calloc(BENCH_ENGINES, sizeof *self->look);
	if (!self->look)
		abort();
	while (self->o->spec[k] != spec)
		k++;
	return &self->look[k];
}

static bool is_due(struct triage_look *look, const struct testcase *c)
{
	struct pattern p = pattern_of(c, NULL);

	if (++look->counted >= LOOK_ONE_IN)
		return true;
	for (int op = 0; op < OP_COUNT; op++)
		if (p.has[op] && look->of_op[op] < LOOKS_PER_OP)
			return true;
	return false;
}

static void looked(struct triage_look *look, const struct testcase *c)
{
	struct pattern p = pattern_of(c, NULL);

	look->counted = 0;
	for (int op = 0; op < OP_COUNT; op++)
		look->of_op[op] += p.has[op];
}

/* ---- one case, minimized ---- */

/* One more case of a finding with the same names: where it is about a region any op inside might do, and another one says nothing new. */
struct known_names {
	const struct campaign *campaign;
	const char *signature;
};

static bool is_more_of_it(void *context, const struct testcase *c)
{
	const struct known_names *known = context;
	struct pattern p = pattern_of(c, NULL);

	for (int i = 0; i < known->campaign->n_finding; i++) {
		const struct finding *f = &known->campaign->finding[i];

		if (has_face(f, known->signature) && pattern_is_leaf(&f->pattern) && !memcmp(&f->pattern, &p, sizeof p))
			return true;
	}
	return false;
}

/* What was made of a case; texts and the report's in the side arena. */
struct triaged {
	const char *spec;
	const char *signature, *fine; /* of the simplest case */
	struct pattern pattern;
	int ops;
	bool flaky;
	char *text; /* the report, or the bare case where there was no memory for one */
	size_t len;
};

/* *c, which shows *s, becomes the simplest case behind it, and *signature what that shows; r is its judgement. */
static void simplify(struct campaign *self, int budget, struct same_signature *s, struct testcase *c, struct bench_result *r, const char **signature)
{
	struct testcase simple = simplest_case(s->bench, c, budget, &self->side);
	struct same_signature own = {.bench = s->bench, .spec = s->spec};

	bench_judge(s->bench, &simple, &self->side, r);
	own.signature = signature_coarse(s->spec, &simple, &r->judgement[0], &self->side);
	if (verdict_is_finding[r->judgement[0].verdict] && comes_again(&own, &simple, &self->side, r)) {
		*signature = own.signature;
		*c = simple;
	} else { /* a chance that did not come */
		comes_again(s, c, &self->side, r);
	}
	same_signature_close(&own);
}

/* A case of engine `which` that showed a finding, as judged in *seen (NULL of a slip). */
struct shown {
	int which;
	const struct testcase *c;
	const struct bench_result *seen;
	int64_t number;
};

/* What does not answer has no numbers to compare, and each candidate may cost a start. */
static bool answers(enum verdict v)
{
	return v != VERDICT_HANG && v != VERDICT_CRASH && v != VERDICT_PROTOCOL;
}

/* same: of the case's coarse signature.  known: a finding that it may be is. */
static void triage_case(struct campaign *self, struct same_signature *same, const struct shown *shown, bool known, struct triaged *out)
{
	int budget = known && self->o->minimize_budget > LOOK_BUDGET ? LOOK_BUDGET : self->o->minimize_budget;
	struct minimize_statistics stats = {0};
	struct testcase c = *shown->c;
	struct bench_result r;
	struct report report;
	enum role *role;
	bool simple;

	c.n_expect = 0;
	out->signature = same->signature;
	out->flaky = !same_again(same, &c, &self->side);
	arena_reset(&self->side);
	if (out->flaky)
		bench_judge(same->bench, &c, &self->side, &r);
	else
		out->flaky = !minimize_same(same, shown->c, budget, &self->side, &c, &r, &stats);
	simple = !out->flaky && answers(r.judgement[0].verdict);
	if (simple)
		simplify(self, budget, same, &c, &r, &out->signature);
	role = NEW(&self->side, enum role, program_nodes(&c.program) + 1);
	if (simple)
		simplest_roles(same->bench, &c, &self->side, role);
	out->fine = fine_signature(same->spec, &c, role, &self->side);
	report = (struct report){.engine = same->spec, .c = &c, .truth = &r.truth, .answers = r.answer[0], .judgement = &r.judgement[0], .found = shown->c,
	    .seed = self->o->seed, .case_number = (long)shown->number, .minimize_tried = stats.tried, .minimize_accepted = stats.accepted};
	if (out->flaky) {
		out->fine = arena_printf(&self->side, "%s|flaky", same->signature); /* nothing is known of it but that */
		c = *shown->c;
		c.n_expect = 0;
	}
	if (out->flaky && shown->seen) {
		report.truth = &shown->seen->truth;
		report.answers = shown->seen->answer[shown->which];
		report.judgement = &shown->seen->judgement[shown->which];
	}
	report.signature = out->signature;
	report.fine = out->fine;
	out->pattern = pattern_of(&c, out->flaky ? NULL : role);
	out->ops = strata_of(&c).ops;
	out->text = report_write(&report, &self->side, &out->len);
}

/* ---- which finding it is ---- */

/*
 * Whether the request of x, in words, may be behind that of y: it is the same, or of order 1 where that is of order 2 and more.  Both are of one engine.
 */
static bool request_explains(const char *x, const char *y)
{
	size_t n = (size_t)(strchr(x, '|') - x), m = (size_t)(strchr(y, '|') - y);

	return (n == m && !strncmp(x, y, n)) || (strncmp(x, "order", 5) && !strncmp(y, "order", 5));
}

/* -1: f explains it, or is the same; 1: it explains f; 0: another bug. */
static int compare_finding(const struct finding *f, const struct triaged *t)
{
	const char *of_f, *of_t;

	if (!strcmp(f->fine, t->fine))
		return -1;
	if (f->flaky || t->flaky || f->spec != t->spec)
		return 0;
	of_f = f->fine + strlen(f->spec) + 1;
	of_t = t->fine + strlen(t->spec) + 1;
	if (pattern_explains(&f->pattern, &t->pattern) && request_explains(of_f, of_t))
		return -1;
	return pattern_explains(&t->pattern, &f->pattern) && request_explains(of_t, of_f);
}

static void take_over(struct campaign *self, struct finding *f, const struct triaged *t)
{
	struct error e = {0};

	if (*f->file)
		file_remove(self->findings_dir, f->file, &e);
	set_text(&f->signature, t->signature);
	set_text(&f->fine, t->fine);
	f->pattern = t->pattern;
	f->ops = t->ops;
	f->flaky = t->flaky;
	snprintf(f->file, sizeof f->file, "%016llx.json", (unsigned long long)text_hash(t->fine));
	campaign_write_file(self, self->findings_dir, f->file, t->text, t->len);
}

static void free_finding(struct finding *f)
{
	for (int k = 0; k < f->n_face; k++)
		free(f->face[k]);
	free(f->face);
	free(f->signature);
	free(f->fine);
}

/* Findings after `kept` that it explains now are the same bug. */
static void absorb(struct campaign *self, int kept, const struct triaged *t)
{
	struct error e = {0};

	for (int i = kept + 1; i < self->n_finding; i++) {
		struct finding *f = &self->finding[i], *to = &self->finding[kept];

		if (compare_finding(f, t) != 1)
			continue;
		to->count += f->count;
		to->looks += f->looks;
		for (int k = 0; k < f->n_face; k++)
			add_face(to, f->face[k]);
		file_remove(self->findings_dir, f->file, &e);
		free_finding(f);
		memmove(f, f + 1, (size_t)(--self->n_finding - i--) * sizeof *f);
	}
}

static void file_case(struct campaign *self, const char *spec, const char *signature, int64_t number, const struct triaged *t)
{
	struct finding *f = NULL;
	int i = 0, relation = 0;

	while (i < self->n_finding && !(relation = compare_finding(&self->finding[i], t)))
		i++;
	if (i == self->n_finding) {
		self->finding = realloc(self->finding, (size_t)(self->n_finding + 1) * sizeof *self->finding);
		if (!self->finding)
			abort();
		self->finding[self->n_finding++] = (struct finding){.spec = spec, .first_case = number};
		relation = 1;
	}
	f = &self->finding[i];
	f->count++;
	f->looks++;
	add_face(f, signature);
	if (relation == 1) {
		take_over(self, f, t);
		absorb(self, i, t);
	}
}

/* A fresh engine.  It was opened before, so that one bad start is not the end. */
static bool open_again(struct bench *b, const char *spec, const struct oracle_options *o, struct error *e)
{
	for (int k = 0; k < REOPEN_TRIES; k++) {
		*e = (struct error){.text = ""};
		if (bench_open(b, &spec, 1, o, e))
			return true;
	}
	return false;
}

/* What minimizing a case slipped to, if nothing of it is known. */
struct slip_taker {
	struct campaign *campaign;
	int which;
	int64_t number;
};

static void take_slip(void *context, const char *signature, const struct testcase *c)
{
	const struct slip_taker *t = context;
	struct campaign *self = t->campaign;
	const bool late = self->o->seconds > 0 && bench_clock() - self->start >= self->o->seconds;

	for (int i = 0; i < self->n_finding; i++)
		if (has_face(&self->finding[i], signature))
			return;
	if (!late && !campaign_stop_requested() && !(self->o->max_findings && self->n_finding >= self->o->max_findings))
		triage_record(self, t->which, signature, c, NULL, t->number);
}

void triage_record(struct campaign *self, int which, const char *signature, const struct testcase *c, const struct bench_result *seen, int64_t number)
{
	const char *spec = self->o->spec[which];
	struct oracle_options oracle = {.seed = self->o->seed, .fd_one_in = INT_MAX};
	struct finding *known = find_contained(self, signature, c);
	struct triage_look *look = look_of(self, spec);
	struct triaged t = {.spec = spec};
	char *own = text_copy(signature);
	struct known_names names = {self, own};
	const double start = bench_clock(), end = self->start + self->o->seconds;
	struct same_signature same = {.spec = spec, .signature = own, .stop = campaign_stop_requested, .refuse = is_more_of_it, .context = &names,
	    .deadline = self->o->seconds > 0 ? fmax(end, start + LAST_FINDING_SECONDS) : 0};
	struct slip_taker taker = {self, which, number};
	struct error e = {0};
	struct bench one;
	jmp_buf full;
	const bool is_known = known != NULL;

	if (known && !is_due(look, c)) {
		known->count++;
		free(own);
		return;
	}
	if (!open_again(&one, spec, &oracle, &e)) {
		self->failed = true;
		snprintf(self->failure, sizeof self->failure, "%s", e.text);
		free(own);
		return;
	}
	same.bench = &one;
	arena_reset(&self->side);
	self->side.on_full = &full;
	if (!setjmp(full)) {
		triage_case(self, &same, &(struct shown){which, c, seen, number}, is_known, &t);
	} else { /* minimized where memory allows; the bare case, else, is still a reproducer */
		self->side.on_full = NULL;
		arena_reset(&self->side);
		t = (struct triaged){.spec = spec, .signature = same.signature, .fine = fine_signature(spec, c, NULL, &self->side), .pattern = pattern_of(c, NULL),
		    .ops = strata_of(c).ops};
		t.text = testcase_write(c, &self->side, &t.len);
	}
	self->side.on_full = NULL;
	looked(look, c);
	file_case(self, spec, same.signature, number, &t);
	bench_close(&one);
	if (seen) /* a slip's own ones are left */
		same_signature_slips(&same, take_slip, &taker);
	same_signature_close(&same);
	free(own);
	if (seen)
		self->minimize_seconds += bench_clock() - start;
}

void triage_close(struct campaign *self)
{
	for (int i = 0; i < self->n_finding; i++)
		free_finding(&self->finding[i]);
	free(self->finding);
	free(self->look);
}
