/*
 * filing.c: which finding a named case belongs to.  Two findings of one engine are joined if they are most likely one
 * bug (same_bug.h).  The finding that explains the other one keeps its report.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/hash.h"
#include "graph/heap.h"
#include "reports/file.h"
#include "internal.h"

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = heap_text(text);
}

bool finding_has_form(const struct finding *f, uint64_t form)
{
	for (int k = 0; k < f->n_form; k++)
		if (f->form[k] == form)
			return true;
	return false;
}

static void finding_add_form(struct finding *f, uint64_t form)
{
	if (f->n_form == FINDING_FORMS || finding_has_form(f, form))
		return;
	f->form = heap_resize(f->form, (size_t)f->n_form + 1, sizeof *f->form);
	f->form[f->n_form++] = form;
}

int finding_relation(const struct finding *f, const char *engine, const struct symptom *s)
{
	if (f->engine != engine)
		return 0;
	for (int k = 1; k < f->n_symptom; k++)
		if (same_bug(&f->symptom[k], s) == -1)
			return -1;
	return same_bug(f->symptom, s);
}

static int compare_finding(const struct finding *f, const struct triaged *t)
{
	return finding_relation(f, t->engine, &t->symptom);
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

static void drop_report(struct triage *self, const char *file)
{
	self->dropped = heap_resize(self->dropped, (size_t)self->n_dropped + 1, sizeof *self->dropped);
	memcpy(self->dropped[self->n_dropped++], file, FINDING_NAME);
}

static bool has_report(const struct triage *self, const char *file)
{
	for (int i = 0; i < self->n_finding; i++)
		if (!strcmp(self->finding[i].file, file))
			return true;
	return false;
}

void triage_remove_dropped(struct triage *self)
{
	struct error e = {0};

	for (int k = 0; k < self->n_dropped; k++)
		if (!has_report(self, self->dropped[k]))
			file_remove(self->dir, self->dropped[k], &e);
	self->n_dropped = 0;
}

static void take_over(struct triage *self, struct finding *f, const struct triaged *t)
{
	struct finding old = *f;

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
		drop_report(self, old.file);
}

/* Whether f should learn the wiring of program p: the names of f are all ops with regions, and none of its wirings is
 * in p.  Crashes and hangs are left out, because their cases are not made simpler and can have any wiring. */
static bool lacks_wiring(const struct finding *f, const struct program *p)
{
	return verdict_answers(f->symptom->verdict) && pattern_is_bare(&f->symptom->pattern) && !finding_is_in(f, p);
}

/* c lives in triage.known. */
static void add_wiring(struct finding *f, const struct testcase *c)
{
	f->wiring = heap_resize(f->wiring, (size_t)f->n_wiring + 1, sizeof *f->wiring);
	f->wiring[f->n_wiring++] = c;
}

void finding_free(struct finding *f)
{
	for (int k = 0; k < f->n_face; k++)
		free(f->face[k]);
	free(f->face);
	free(f->wiring);
	free(f->form);
	free(f->signature);
}

void finding_join(struct triage *self, struct finding *to, struct finding *f)
{
	to->count += f->count;
	to->minimized += f->minimized;
	to->likely += f->likely;
	to->inside += f->inside;
	to->short_cuts += f->short_cuts;
	to->suspects += f->suspects;
	to->spent += f->spent;
	to->first_case = f->first_case < to->first_case ? f->first_case : to->first_case;
	for (int k = 0; k < f->n_face; k++)
		finding_add_face(to, f->face[k]);
	for (int k = 0; k < f->n_symptom; k++)
		add_symptom(self, to, &f->symptom[k]);
	for (int k = 0; k < f->n_form; k++)
		finding_add_form(to, f->form[k]);
	for (int k = 0; k < f->n_wiring; k++)
		if (lacks_wiring(to, &f->wiring[k]->program))
			add_wiring(to, f->wiring[k]);
	drop_report(self, f->file);
	finding_free(f);
}

/* Joins all findings that t explains into finding `kept`, to which t belongs. */
static void absorb(struct triage *self, int kept, const struct triaged *t)
{
	for (int i = 0; i < self->n_finding; i++) {
		assert(kept >= 0 && kept < self->n_finding);
		struct finding *f = &self->finding[i];

		if (i == kept || compare_finding(f, t) != 1)
			continue;
		finding_join(self, &self->finding[kept], f);
		memmove(f, f + 1, (size_t)(--self->n_finding - i) * sizeof *f);
		kept -= i < kept;
		i--;
	}
}

void finding_add_slip(struct triage *self, struct finding *f, const char *signature)
{
	if (f->n_slip < FINDING_SYMPTOMS)
		f->slip[f->n_slip++] = arena_printf(&self->known, "%s", signature);
}

/*
 * Whether a slip is most likely a known finding of the engine.  The slip is then noted there and not minimized again.
 */
static bool is_met_on_the_way(struct triage *self, const struct triaged *t, const char *signature)
{
	for (int i = 0; i < self->n_finding; i++) {
		struct finding *f = &self->finding[i];

		if (f->engine != t->engine || !symptom_resembles(f->symptom, &t->symptom))
			continue;
		finding_add_slip(self, f, signature);
		return true;
	}
	return false;
}

bool finding_has_slip(const struct finding *f, const char *signature)
{
	for (int k = 0; k < f->n_slip; k++)
		if (!strcmp(f->slip[k], signature))
			return true;
	return finding_has_face(f, signature);
}

void triage_file(struct triage *self, const struct shown *shown, const char *signature, const struct triaged *t,
    const struct trail *trail)
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
		self->finding[self->n_finding++] = (struct finding){.engine = t->engine, .first_case = shown->number};
		relation = 1;
	}
	f = &self->finding[i];
	f->count += !shown->slip; /* a slip is counted with the finding that it slipped from */
	f->minimized += !t->raw;
	if (relation == 1)
		take_over(self, f, t);
	finding_add_face(f, signature);
	add_symptom(self, f, &t->symptom);
	if (t->c && !t->symptom.flaky && lacks_wiring(f, &t->c->program)) {
		struct testcase *own = NEW(&self->known, struct testcase, 1);

		*own = testcase_copy(t->c, &self->known);
		add_wiring(f, own);
	}
	/* If the simplest case has fewer ops, these cases may show more bugs than that one. */
	for (int k = 0; k < trail->n && !t->symptom.flaky && !t->raw && trail->ops <= t->ops; k++)
		finding_add_form(f, trail->form[k]);
	assert(f->n_symptom > 0 && f->n_symptom <= FINDING_SYMPTOMS && *f->file && f->symptom->fine);
	absorb(self, i, t);
}
