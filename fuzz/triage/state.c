/* state.c: the findings of a campaign as JSON, so that a campaign that was killed can go on. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/heap.h"
#include "internal.h"

/* ---- names of enums ---- */

static int index_of(const char *text, const char *const *name, int n)
{
	for (int k = 0; k < n; k++)
		if (name[k] && !strcmp(text, name[k]))
			return k;
	return -1;
}

static bool read_name(
    const struct json *object, const char *key, const char *const *name, int n, int *out, struct error *e)
{
	const struct json *v;

	if (!json_required(object, key, JSON_STRING, &v, e))
		return false;
	*out = index_of(v->text, name, n);
	return *out >= 0 || json_error(v, e, "not known");
}

static const char *const request_kinds[] = {"primal", "jvp", "vjp"};
enum { REQUEST_KINDS = sizeof request_kinds / sizeof *request_kinds };

/* ---- symptoms ---- */

static void put_pattern(struct json_writer *w, const struct pattern *p)
{
	json_member_array(w, "pattern", JSON_FLOW);
	for (int k = 0; k < PATTERN_SIZE; k++)
		if (p->has[k])
			json_put_integer(w, k);
	json_end(w);
}

static bool read_pattern(const struct json *object, struct pattern *out, struct error *e)
{
	const struct json *list;

	if (!json_required(object, "pattern", JSON_ARRAY, &list, e))
		return false;
	for (const struct json *v = list->child; v; v = v->next) {
		int k;

		if (!json_int(v, 0, PATTERN_SIZE - 1, &k, e))
			return false;
		out->has[k] = true;
	}
	return true;
}

/* A list of pairs: the number of an op, and that of its spelling.  Left out if all are 0. */
static void put_spelled(struct json_writer *w, const struct spelled *s)
{
	bool any = false;

	for (int k = 0; k < SPELLED_COUNT; k++) {
		if (!s->at[k])
			continue;
		if (!any)
			json_member_array(w, "spelled", JSON_FLOW);
		any = true;
		json_begin_array(w, JSON_FLOW);
		json_put_integer(w, k);
		json_put_integer(w, s->at[k]);
		json_end(w);
	}
	if (any)
		json_end(w);
}

static bool read_spelled(const struct json *object, struct spelled *out, struct error *e)
{
	const struct json *list;

	if (!json_optional(object, "spelled", JSON_ARRAY, &list, e))
		return false;
	for (const struct json *v = list ? list->child : NULL; v; v = v->next) {
		int k, n;

		if (!json_is(v, JSON_ARRAY, e))
			return false;
		if (v->n_child != 2)
			return json_error(v, e, "%d numbers, expected 2", v->n_child);
		if (!json_int(v->child, 0, SPELLED_COUNT - 1, &k, e) ||
		    !json_int(v->child->next, 1, LIMIT_SPELLINGS - 1, &n, e))
			return false;
		out->at[k] = (unsigned char)n;
	}
	return true;
}

static void put_symptom(struct json_writer *w, const struct symptom *s)
{
	char factor[REAL_TEXT];

	json_begin_object(w, JSON_FLOW);
	json_member_string(w, "fine", s->fine);
	if (s->program)
		json_member_string(w, "program", s->program);
	put_pattern(w, &s->pattern);
	json_member_integer(w, "order", s->asked.order);
	json_member_string(w, "kind", s->asked.kind);
	json_member_bool(w, "batch", s->asked.batch);
	json_member_string(w, "verdict", verdict_names[s->verdict]);
	json_member_string(w, "deviation", deviation_names[s->deviation]);
	json_member_string(w, "factor", real_print(s->factor, factor));
	json_member_bool(w, "weak_zero", s->weak_zero);
	put_spelled(w, &s->spelled);
	json_member_bool(w, "flaky", s->flaky);
	json_member_bool(w, "unsteady", s->unsteady);
	if (s->raised)
		json_member_bool(w, "raised", true);
	json_member_integer(w, "inlets", s->inlets);
	json_member_integer(w, "trip", s->trip);
	json_member_integer(w, "most", s->most);
	json_end(w);
}

static bool read_flag(const struct json *object, const char *key, bool *out, struct error *e)
{
	const struct json *v;

	if (!json_required(object, key, JSON_BOOL, &v, e))
		return false;
	*out = v->truth;
	return true;
}

static bool read_symptom(struct triage *self, const struct json *v, struct symptom *out, struct error *e)
{
	const struct json *fine, *program, *raised, *order, *factor, *inlets, *trip, *most;
	int kind, verdict, deviation;

	if (!json_is(v, JSON_OBJECT, e) || !json_required(v, "fine", JSON_STRING, &fine, e) ||
	    !json_optional(v, "program", JSON_STRING, &program, e) ||
	    !json_optional(v, "raised", JSON_BOOL, &raised, e) || !json_required(v, "order", JSON_NUMBER, &order, e) ||
	    !json_int(order, 0, 99, &out->asked.order, e) || !json_required(v, "factor", JSON_STRING, &factor, e) ||
	    !read_pattern(v, &out->pattern, e) || !read_name(v, "kind", request_kinds, REQUEST_KINDS, &kind, e) ||
	    !read_name(v, "verdict", verdict_names, VERDICT_COUNT, &verdict, e) ||
	    !read_name(v, "deviation", deviation_names, DEVIATION_COUNT, &deviation, e) ||
	    !read_flag(v, "batch", &out->asked.batch, e) || !read_flag(v, "weak_zero", &out->weak_zero, e) ||
	    !read_flag(v, "flaky", &out->flaky, e) || !read_flag(v, "unsteady", &out->unsteady, e) ||
	    !read_spelled(v, &out->spelled, e) || !json_required(v, "inlets", JSON_NUMBER, &inlets, e) ||
	    !json_int(inlets, 0, (1 << INLETS) - 1, &out->inlets, e) ||
	    !json_required(v, "trip", JSON_NUMBER, &trip, e) || !json_int(trip, 0, INT_MAX, &out->trip, e) ||
	    !json_required(v, "most", JSON_NUMBER, &most, e) || !json_int(most, 0, INT_MAX, &out->most, e))
		return false;
	if (!real_parse(factor->text, &out->factor))
		return json_error(factor, e, "not a number");
	out->raised = raised && raised->truth;
	out->asked.kind = request_kinds[kind];
	out->verdict = (enum verdict)verdict;
	out->deviation = (enum deviation)deviation;
	out->fine = arena_printf(&self->known, "%s", fine->text);
	out->program = program ? arena_printf(&self->known, "%s", program->text) : NULL;
	return true;
}

/* ---- findings ---- */

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {{"count", offsetof(struct finding, count)}, {"first_case", offsetof(struct finding, first_case)},
    {"minimized", offsetof(struct finding, minimized)}, {"likely", offsetof(struct finding, likely)},
    {"inside", offsetof(struct finding, inside)}, {"short_cuts", offsetof(struct finding, short_cuts)},
    {"suspects", offsetof(struct finding, suspects)}, {"spent", offsetof(struct finding, spent)}};

enum { NUMBERS = sizeof numbers / sizeof *numbers };
enum { FORM_TEXT = 16 + 1 }; /* characters of a form, with the zero at the end */

static const struct {
	const char *name;
	size_t offset;
} allowances[] = {{"spent", offsetof(struct allowance, spent)}, {"found", offsetof(struct allowance, found)},
    {"refused", offsetof(struct allowance, refused)}};

enum { ALLOWANCES = sizeof allowances / sizeof *allowances };

static bool read_integer(const struct json *object, const char *key, void *to, struct error *e)
{
	int64_t n;

	if (!json_count(object, key, &n, e))
		return false;
	memcpy(to, &n, sizeof n);
	return true;
}

static int engine_index(const struct triage *self, const char *name)
{
	int k = 0;

	while (self->name[k] != name)
		k++;
	return k;
}

static void put_finding(struct json_writer *w, const struct triage *self, const struct finding *f)
{
	json_begin_object(w, JSON_BLOCK);
	json_member_integer(w, "engine", engine_index(self, f->engine));
	json_member_string(w, "signature", f->signature);
	json_member_string(w, "file", f->file);
	json_member_integer(w, "ops", f->ops);
	for (int k = 0; k < NUMBERS; k++) {
		int64_t n;

		memcpy(&n, (const char *)f + numbers[k].offset, sizeof n);
		json_member_integer(w, numbers[k].name, n);
	}
	json_member_array(w, "symptoms", JSON_BLOCK);
	for (int k = 0; k < f->n_symptom; k++)
		put_symptom(w, &f->symptom[k]);
	json_end(w);
	json_member_strings(w, "faces", (const char *const *)f->face, f->n_face, JSON_FLOW);
	json_member_strings(w, "slips", f->slip, f->n_slip, JSON_FLOW);
	json_member_array(w, "forms", JSON_FLOW);
	for (int k = 0; k < f->n_form; k++) {
		char text[FORM_TEXT];

		snprintf(text, sizeof text, "%016llx", (unsigned long long)f->form[k]);
		json_put_string(w, text);
	}
	json_end(w);
	json_member_array(w, "wirings", JSON_BLOCK);
	for (int k = 0; k < f->n_wiring; k++)
		testcase_put(w, f->wiring[k]);
	json_end(w);
	json_end(w);
}

void triage_put(const struct triage *self, struct json_writer *w)
{
	json_member_array(w, "findings", JSON_BLOCK);
	for (int i = 0; i < self->n_finding; i++)
		put_finding(w, self, &self->finding[i]);
	json_end(w);
	json_member_object(w, "allowance", JSON_FLOW);
	for (int k = 0; k < ALLOWANCES; k++) {
		int64_t n;

		memcpy(&n, (const char *)&self->allowance + allowances[k].offset, sizeof n);
		json_member_integer(w, allowances[k].name, n);
	}
	json_end(w);
	deferred_put(&self->deferred, w);
}

static bool read_symptoms(struct triage *self, const struct json *object, struct finding *f, struct error *e)
{
	const struct json *list;

	if (!json_required(object, "symptoms", JSON_ARRAY, &list, e))
		return false;
	if (!list->n_child || list->n_child > FINDING_SYMPTOMS)
		return json_error(list, e, "%d symptoms", list->n_child);
	for (const struct json *v = list->child; v; v = v->next)
		if (!read_symptom(self, v, &f->symptom[f->n_symptom++], e))
			return false;
	return true;
}

static bool read_names(struct triage *self, const struct json *object, struct finding *f, struct error *e)
{
	const struct json *faces, *slips;

	if (!json_required(object, "faces", JSON_ARRAY, &faces, e) ||
	    !json_required(object, "slips", JSON_ARRAY, &slips, e))
		return false;
	if (slips->n_child > FINDING_SYMPTOMS)
		return json_error(slips, e, "%d slips", slips->n_child);
	f->face = heap_new((size_t)faces->n_child + 1, sizeof *f->face);
	for (const struct json *v = faces->child; v; v = v->next) {
		if (!json_is(v, JSON_STRING, e))
			return false;
		f->face[f->n_face++] = heap_text(v->text);
	}
	for (const struct json *v = slips->child; v; v = v->next) {
		if (!json_is(v, JSON_STRING, e))
			return false;
		f->slip[f->n_slip++] = arena_printf(&self->known, "%s", v->text);
	}
	return true;
}

static bool read_wirings(struct triage *self, const struct json *object, struct finding *f, struct error *e)
{
	const struct json *list;

	if (!json_required(object, "wirings", JSON_ARRAY, &list, e))
		return false;
	f->wiring = heap_new((size_t)list->n_child + 1, sizeof *f->wiring);
	for (const struct json *v = list->child; v; v = v->next) {
		struct testcase *c = NEW(&self->known, struct testcase, 1);

		if (!testcase_read_value(v, &self->known, c, e))
			return false;
		f->wiring[f->n_wiring++] = c;
	}
	return true;
}

static bool read_forms(const struct json *object, struct finding *f, struct error *e)
{
	const struct json *list;

	if (!json_required(object, "forms", JSON_ARRAY, &list, e))
		return false;
	if (list->n_child > FINDING_FORMS)
		return json_error(list, e, "%d forms", list->n_child);
	f->form = heap_new((size_t)list->n_child + 1, sizeof *f->form);
	for (const struct json *v = list->child; v; v = v->next) {
		if (!json_is(v, JSON_STRING, e))
			return false;
		if (strlen(v->text) != FORM_TEXT - 1 || strspn(v->text, "0123456789abcdef") != FORM_TEXT - 1)
			return json_error(v, e, "not a form");
		f->form[f->n_form++] = strtoull(v->text, NULL, 16);
	}
	return true;
}

/* A file name that triage could have made. */
static bool is_report_name(const char *text)
{
	return strlen(text) < FINDING_NAME && strspn(text, "0123456789abcdef") == 16 && !strcmp(text + 16, ".json");
}

static bool read_finding(struct triage *self, int n_spec, const struct json *v, struct finding *f, struct error *e)
{
	const struct json *engine, *signature, *file, *ops;
	int which;

	if (!json_is(v, JSON_OBJECT, e) || !json_required(v, "engine", JSON_NUMBER, &engine, e) ||
	    !json_int(engine, 0, n_spec - 1, &which, e) || !json_required(v, "signature", JSON_STRING, &signature, e) ||
	    !json_required(v, "file", JSON_STRING, &file, e) || !json_required(v, "ops", JSON_NUMBER, &ops, e) ||
	    !json_int(ops, 0, INT32_MAX, &f->ops, e))
		return false;
	for (int k = 0; k < NUMBERS; k++)
		if (!read_integer(v, numbers[k].name, (char *)f + numbers[k].offset, e))
			return false;
	if (!is_report_name(file->text))
		return json_error(file, e, "not the name of a report");
	f->engine = self->name[which];
	f->signature = heap_text(signature->text);
	memcpy(f->file, file->text, (size_t)file->len + 1);
	memcpy(f->announced, f->file, sizeof f->announced);
	return read_symptoms(self, v, f, e) && read_names(self, v, f, e) && read_wirings(self, v, f, e) &&
	    read_forms(v, f, e);
}

/* Adds up: the findings of several campaigns may be read into one. */
static bool read_allowance(struct allowance *self, const struct json *object, struct error *e)
{
	for (int k = 0; k < ALLOWANCES; k++) {
		char *to = (char *)self + allowances[k].offset;
		int64_t sum, n;

		memcpy(&sum, to, sizeof sum);
		if (!read_integer(object, allowances[k].name, &n, e))
			return false;
		if (n > INT64_MAX - sum)
			return json_error(object, e, "too much work");
		sum += n;
		memcpy(to, &sum, sizeof sum);
	}
	return true;
}

bool triage_read(struct triage *self, int n_spec, const struct json *object, struct error *e)
{
	const struct json *list, *allowance;

	if (!json_required(object, "findings", JSON_ARRAY, &list, e) ||
	    !json_required(object, "allowance", JSON_OBJECT, &allowance, e))
		return false;
	if (!read_allowance(&self->allowance, allowance, e) ||
	    !deferred_read(&self->deferred, n_spec, object, &self->known, e))
		return false;
	self->finding = heap_new((size_t)list->n_child + 1, sizeof *self->finding);
	for (const struct json *v = list->child; v; v = v->next)
		if (!read_finding(self, n_spec, v, &self->finding[self->n_finding++], e))
			return false;
	return true;
}
