/*
 * cross.c: comparisons without an oracle in a campaign.  They run where the oracles leave a part of a case undecided,
 * or for every case if there is no oracle.  A difference is a lead: it is counted, and written as a case.  The first
 * few of each signature are minimized.
 */
#include "cross.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "graph/json.h"
#include "reports/file.h"
#include "reports/view.h"
#include "members.h"
#include "fuzz/campaign/books/sources.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/bench/stop.h"

enum {
	LEAD_BUDGET = 400, /* candidates of the minimizer; each takes several requests */
	LEAD_FILES = 8,    /* leads of one signature that are minimized; further ones are counted */
	REQUESTS = 2 /* requests to an engine for each case of the campaign, with oracles; if they are used up, a case
	                is not compared */
};

struct lead {
	char *signature, file[ORACLE_NAME];
	int64_t count, first_case;
};

struct campaign_cross {
	struct engine *against; /* owned; NULL: there is none */
	struct cross *cross[BENCH_ENGINES];
	char directory[PATH_TEXT];
	int64_t requests[BENCH_ENGINES]; /* not counting those of the minimizer */
	int64_t cases, compared, tally[BENCH_ENGINES][CROSS_MODES][CROSS_VERDICTS];
	int n_lead, room;
	struct lead *lead;
};

bool campaign_cross_open(struct campaign *self, struct error *e)
{
	struct campaign_cross *x = self->cross = heap_new(1, sizeof *x);

	snprintf(x->directory, sizeof x->directory, "%s/leads", self->o->out);
	if (!file_make_directory(x->directory, e))
		return false;
	if (self->o->against && !(x->against = engine_open_until(self->o->against, stop_interrupt(self->deadline), e)))
		return false;
	for (int k = 0; k < self->bench.n_engine; k++)
		if (!(x->cross[k] = cross_open(self->bench.engine[k], x->against)))
			return error_set(e, NULL, "out of memory");
	return true;
}

void campaign_cross_close(struct campaign *self)
{
	struct campaign_cross *x = self->cross;

	if (!x)
		return;
	for (int k = 0; k < BENCH_ENGINES; k++)
		cross_close(x->cross[k]);
	engine_close(x->against);
	for (int i = 0; i < x->n_lead; i++)
		free(x->lead[i].signature);
	free(x->lead);
	free(x);
	self->cross = NULL;
}

/* ---- leads ---- */

struct same_lead {
	struct cross *cross;
	enum cross_mode mode;
	const char *kind;
};

static bool still_leads(void *self, const struct testcase *c, struct arena *scratch)
{
	const struct same_lead *s = self;
	struct cross_result r;

	cross_check(s->cross, s->mode, c, scratch, &r);
	return r.verdict == CROSS_DIFFERS && !strcmp(r.kind, s->kind);
}

/* The lead with that signature and file (NULL: the first with the signature), or NULL.  *n_file: how many leads have
 * the signature. */
static struct lead *find_lead(struct campaign_cross *x, const char *signature, const char *file, int *n_file)
{
	struct lead *found = NULL;

	*n_file = 0;
	for (int i = 0; i < x->n_lead; i++) {
		if (strcmp(x->lead[i].signature, signature))
			continue;
		++*n_file;
		if (!found && (!file || !strcmp(x->lead[i].file, file)))
			found = &x->lead[i];
	}
	return found;
}

static struct lead *add_lead(struct campaign_cross *x, const char *signature, const char *file, int64_t number)
{
	struct lead *lead;

	if (x->n_lead == x->room) {
		x->room = x->room ? 2 * x->room : 16;
		x->lead = heap_resize(x->lead, (size_t)x->room, sizeof *x->lead);
	}
	lead = &x->lead[x->n_lead++];
	*lead = (struct lead){.signature = heap_text(signature), .count = 1, .first_case = number};
	snprintf(lead->file, sizeof lead->file, "%s", file);
	return lead;
}

static void write_lead(struct campaign *self, int which, enum cross_mode mode, const struct testcase *small,
    const char *signature, const char *name)
{
	struct testcase out = *small;
	const char *against = mode == CROSS_MODE_engine
	    ? arena_printf(&self->side, " --against %s", view_shell_word(self->o->against, &self->side))
	    : "";
	size_t len;
	char *text;

	out.n_expect = 0;
	out.provenance.title = signature;
	out.provenance.comment = arena_printf(&self->side, "adjudge run --cross --engine %s%s",
	    view_shell_word(self->o->spec[which], &self->side), against);
	text = testcase_write(&out, &self->side, &len);
	write_or_fail(&self->failure, self->cross->directory, name, text, len);
}

struct new_lead {
	struct campaign *campaign;
	int which;
	enum cross_mode mode;
	const struct testcase *c;
	int64_t number;
	const char *signature, *kind;
};

static void minimize_lead(void *context)
{
	const struct new_lead *l = context;
	struct campaign *self = l->campaign;
	struct campaign_cross *x = self->cross;
	struct same_lead same = {x->cross[l->which], l->mode, l->kind};
	const struct limit until = campaign_limit(self);
	struct minimize_statistics stats;
	int n_file, budget = self->o->minimize_budget < LEAD_BUDGET ? self->o->minimize_budget : LEAD_BUDGET;
	struct testcase small = minimize(l->c, still_leads, &same, budget, &until, &self->side, &stats);
	char name[ORACLE_NAME];
	struct lead *known;

	snprintf(name, sizeof name, "%016llx.json", (unsigned long long)testcase_hash(&small));
	known = find_lead(x, l->signature, name, &n_file);
	if (known) {
		known->count++;
	} else {
		add_lead(x, l->signature, name, l->number);
		write_lead(self, l->which, l->mode, &small, l->signature, name);
	}
}

static void record_lead(struct campaign *self, int which, enum cross_mode mode, const struct testcase *c,
    int64_t number, const char *signature, const char *kind)
{
	struct new_lead new = {self, which, mode, c, number, signature, kind};
	struct lead *known;
	int n_file;
	double start = bench_clock();

	known = find_lead(self->cross, signature, NULL, &n_file);
	if (n_file >= LEAD_FILES) {
		known->count++;
		return;
	}
	arena_reset(&self->side);
	arena_try(&self->side, minimize_lead, &new);
	self->minimize_seconds += bench_clock() - start;
}

/* ---- a case ---- */

/* Whether something in the judgement is undecided and it is no finding. */
static bool leaves_open(const struct judgement *j)
{
	if (j->verdict == VERDICT_UNDECIDED)
		return true;
	for (int r = 0; r < REASON_COUNT && !verdict_is_finding[j->verdict] && j->verdict != VERDICT_UNSUPPORTED; r++)
		if (r != REASON_NONE && j->undecided[r])
			return true;
	return false;
}

void campaign_cross(
    struct campaign *self, const struct testcase *c, int64_t number, const struct bench_result *r, struct arena *a)
{
	struct campaign_cross *x = self->cross;
	double start = bench_clock(), minimizing = self->minimize_seconds;
	bool any = false;

	for (int k = 0; x && k < self->bench.n_engine && !self->failure.any; k++) {
		if (!self->o->no_oracle && (!leaves_open(&r->judgement[k]) || x->requests[k] > REQUESTS * number))
			continue;
		any = true;
		for (int m = 0; m < CROSS_MODES; m++) {
			struct arena_mark mark = arena_mark(a);
			struct cross_result result;
			int64_t asked = cross_asked(x->cross[k]);

			cross_check(x->cross[k], (enum cross_mode)m, c, a, &result);
			x->requests[k] += cross_asked(x->cross[k]) - asked;
			x->tally[k][m][result.verdict]++;
			x->compared += result.verdict != CROSS_UNSUPPORTED;
			if (result.verdict == CROSS_DIFFERS)
				record_lead(self, k, (enum cross_mode)m, c, number,
				    cross_signature(x->cross[k], (enum cross_mode)m, &result, a), result.kind);
			arena_rewind(a, mark);
		}
	}
	if (x)
		x->cases += any;
	self->seconds.cross += bench_clock() - start - (self->minimize_seconds - minimizing);
}

int campaign_leads(const struct campaign *self) { return self->cross ? self->cross->n_lead : 0; }
bool campaign_compared(const struct campaign *self) { return self->cross && self->cross->compared; }

/* ---- joining ---- */

/* The index of a text in list[n]; -1: it is not there. */
static int index_of(const char *text, const char *const *list, int n)
{
	for (int k = 0; k < n; k++)
		if (!strcmp(text, list[k]))
			return k;
	return -1;
}

static bool join_tally(struct campaign *self, const struct json *row, struct error *e)
{
	struct campaign_cross *x = self->cross;
	const struct json *engine, *mode;
	int k, m;

	if (!json_is(row, JSON_OBJECT, e) || !json_required(row, "engine", JSON_STRING, &engine, e) ||
	    !json_required(row, "mode", JSON_STRING, &mode, e))
		return false;
	k = index_of(engine->text, (const char *const *)self->name, self->n_engine);
	m = index_of(mode->text, cross_mode_names, CROSS_MODES);
	if (k < 0 || m < 0)
		return json_error(k < 0 ? engine : mode, e, "not known");
	for (int v = 0; v < CROSS_VERDICTS; v++) {
		int64_t n;

		if (!json_find(row, cross_verdict_names[v]))
			continue;
		if (!json_count(row, cross_verdict_names[v], &n, e))
			return false;
		x->tally[k][m][v] += n;
		x->compared += v != CROSS_UNSUPPORTED ? n : 0;
	}
	return true;
}

static bool join_lead(struct campaign *self, const struct source *s, const struct json *row, struct error *e)
{
	const struct json *signature, *file;
	int64_t count, first;
	struct lead *known;
	int n_file;

	if (!json_is(row, JSON_OBJECT, e) || !json_required(row, "signature", JSON_STRING, &signature, e) ||
	    !json_required(row, "file", JSON_STRING, &file, e) || !json_count(row, "count", &count, e) ||
	    !json_count(row, "first_case", &first, e))
		return false;
	if (strncmp(file->text, "leads/", strlen("leads/")) != 0)
		return json_error(file, e, "not below leads/");
	first = source_number(s, first);
	known = find_lead(self->cross, signature->text, file->text + strlen("leads/"), &n_file);
	if (!known) {
		known = add_lead(self->cross, signature->text, file->text + strlen("leads/"), first);
		known->count = 0;
	}
	known->count += count;
	known->first_case = first < known->first_case ? first : known->first_case;
	return true;
}

static int by_first_case(const void *x, const void *y)
{
	const struct lead *left = x, *right = y;
	int order;

	if (left->first_case != right->first_case)
		return left->first_case < right->first_case ? -1 : 1;
	order = strcmp(left->signature, right->signature);
	return order ? order : strcmp(left->file, right->file);
}

bool campaign_cross_join(struct campaign *self, const struct source *s, struct error *e)
{
	const struct json *engines, *leads;
	struct campaign_cross *x = self->cross;
	int64_t cases;

	if (!s->cross)
		return true;
	if (!x) {
		x = self->cross = heap_new(1, sizeof *x);
		snprintf(x->directory, sizeof x->directory, "%s/leads", self->o->out);
	}
	if (!json_count(s->cross, "cases", &cases, e) || !json_required(s->cross, "engines", JSON_ARRAY, &engines, e) ||
	    !json_required(s->cross, "leads", JSON_ARRAY, &leads, e))
		return false;
	x->cases += cases;
	for (const struct json *v = engines->child; v; v = v->next)
		if (!join_tally(self, v, e))
			return false;
	for (const struct json *v = leads->child; v; v = v->next)
		if (!join_lead(self, s, v, e))
			return false;
	if (x->n_lead)
		qsort(x->lead, (size_t)x->n_lead, sizeof *x->lead, by_first_case);
	return true;
}

/* ---- the summary ---- */

void campaign_put_cross(const struct campaign *self, struct json_writer *w, struct arena *a)
{
	const struct campaign_cross *x = self->cross;

	if (!x)
		return;
	json_member_object(w, "cross", JSON_BLOCK);
	json_member_integer(w, "cases", x->cases);
	json_member_string(w, "against", self->o->against ? engine_text_name(self->o->against, w->text.arena) : "");
	json_member_array(w, "engines", JSON_BLOCK);
	for (int k = 0; k < self->n_engine; k++)
		for (int m = 0; m < CROSS_MODES; m++) {
			json_begin_object(w, JSON_FLOW);
			json_member_string(w, "engine", self->name[k]);
			json_member_string(w, "mode", cross_mode_names[m]);
			for (int v = 0; v < CROSS_VERDICTS; v++)
				if (x->tally[k][m][v])
					json_member_integer(w, cross_verdict_names[v], x->tally[k][m][v]);
			json_end(w);
		}
	json_end(w);
	json_member_integer(w, "distinct_leads", x->n_lead);
	json_member_array(w, "leads", JSON_BLOCK);
	for (int i = 0; i < x->n_lead; i++) {
		json_begin_object(w, JSON_FLOW);
		json_member_string(w, "signature", x->lead[i].signature);
		json_member_integer(w, "count", x->lead[i].count);
		json_member_integer(w, "first_case", x->lead[i].first_case);
		json_member_string(w, "file", arena_printf(a, "leads/%s", x->lead[i].file));
		json_end(w);
	}
	json_end(w);
	json_end(w);
}

char *campaign_cross_text(const struct campaign *self, char *text, struct arena *a)
{
	const struct campaign_cross *x = self->cross;

	if (!x)
		return text;
	text = arena_printf(
	    a, "%s%s without an oracle: %s\n", text, text_count(x->cases, "case", a), text_count(x->n_lead, "lead", a));
	for (int i = 0; i < x->n_lead; i++)
		text = arena_printf(a, "%slead %s: %s, the first is case %lld: adjudge run --cross %s/%s\n", text,
		    text_harmless(x->lead[i].signature, a), text_count(x->lead[i].count, "case", a),
		    (long long)x->lead[i].first_case, text_harmless(x->directory, a), x->lead[i].file);
	return text;
}
