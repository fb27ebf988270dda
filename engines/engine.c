/* engine.c: opens engines by their specs, and asks them through the functions of their place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/process/external.h"
#include "graph/heap.h"
#include "instance.h"
#include "engines/process/worker.h"

static const struct engine_kind *const kinds[] = {
#define ENGINE(name) &name##_kind,
#include "engines.def"
#undef ENGINE
};

const char *const engine_names[] = {
#define ENGINE(name) #name,
#include "engines.def"
#undef ENGINE
    NULL};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct engine_kind *kind_find(const char *name, size_t len)
{
	for (int i = 0; i < KINDS; i++)
		if (strlen(engine_names[i]) == len && !memcmp(engine_names[i], name, len))
			return kinds[i];
	return NULL;
}

const struct engine_kind *engine_kind_find(const char *name) { return kind_find(name, strlen(name)); }

static bool unknown_engine(const char *name, size_t len, struct error *e)
{
	char known[128] = "";

	for (int i = 0; i < KINDS; i++) {
		size_t at = strlen(known);

		snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", engine_names[i]);
	}
	if (memchr(name, ' ', len) || memchr(name, '/', len)) /* a command or a path */
		return error_set(e, NULL, "no engine '%.*s'; did you mean proc:COMMAND or so:PATH?",
		    (int)(len < 40 ? len : 40), name);
	return error_set(e, NULL,
	    "no engine '%.*s'; there are %s, proc:COMMAND, so:PATH and the names of --engines FILE",
	    (int)(len < 40 ? len : 40), name, known);
}

/* Writes "it has snapshots=INTEGER (1 to 64)", or that the engine takes no arguments. */
static void list_options(const struct engine_kind *kind, char *text, size_t room)
{
	size_t len = (size_t)snprintf(text, room, "%s", kind->option ? "it has " : "it takes no arguments");

	for (const struct engine_option *o = kind->option; o && o->name && len < room; o++) {
		const char *comma = o == kind->option ? "" : ", ";

		if (o->flag)
			len += (size_t)snprintf(text + len, room - len, "%s%s", comma, o->name);
		else
			len += (size_t)snprintf(
			    text + len, room - len, "%s%s=INTEGER (%d to %d)", comma, o->name, o->low, o->high);
	}
}

/* Applies "rounding=SEED" or "flushing=SEED", which every engine takes.  False when the text is neither. */
static bool apply_rounding(struct engine *self, const char *text, size_t len)
{
	static const char rounding[] = "rounding=", flushing[] = "flushing=";
	_Static_assert(sizeof rounding == sizeof flushing, "the digits begin at one place");
	const size_t begin = sizeof rounding - 1;
	uint64_t seed = 0;

	if (len <= begin || len > begin + 18 ||
	    (memcmp(text, rounding, begin) && memcmp(text, flushing, begin))) /* 18 digits fit */
		return false;
	for (size_t i = begin; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		seed = 10 * seed + (uint64_t)(text[i] - '0');
	}
	rules_round(&self->tangent, &self->adjoint);
	self->rounding = (struct rounding){.seeded = true, .seed = seed, .flushes = *text == *flushing};
	return true;
}

/* Applies one ARG, text[len]. */
static bool apply_option(struct engine *self, const char *text, size_t len, struct error *e)
{
	size_t name = strcspn(text, "=,+");
	char known[160];

	if (apply_rounding(self, text, len))
		return true;
	for (const struct engine_option *o = self->kind->option; o && o->name; o++) {
		const char *digits = text + name + 1;
		char *end;
		long value;

		if (strlen(o->name) != name || memcmp(o->name, text, name))
			continue;
		if (o->flag) {
			if (name != len)
				break;
			self->option[o - self->kind->option] = 1;
			return true;
		}
		if (text[name] != '=' || *digits < '0' || *digits > '9')
			break;
		value = strtol(digits, &end, 10);
		if (end != text + len || value < o->low || value > o->high)
			break;
		self->option[o - self->kind->option] = (int)value;
		return true;
	}
	list_options(self->kind, known, sizeof known);
	return error_set(
	    e, NULL, "engine %s does not take '%.*s'; %s", self->kind->name, (int)(len < 60 ? len : 60), text, known);
}

/* Applies the arguments and faults of NAME[:ARG,...][+FAULT]... */
static bool apply_spec(struct engine *self, const char *spec, struct error *e)
{
	size_t len = strcspn(spec, ":+");
	const char *at = spec + len;

	self->kind = kind_find(spec, len);
	if (!self->kind)
		return unknown_engine(spec, len, e);
	for (int i = 0; self->kind->option && self->kind->option[i].name; i++)
		self->option[i] = self->kind->option[i].preset;
	if (!self->kind->stacks)
		self->aot.guard = NULL; /* its batches below a derivative are scans */
	if (self->kind->set_up)
		self->kind->set_up(self);
	self->isolated = self->kind->isolated;
	while (*at == ':' || *at == ',') {
		size_t arg = strcspn(++at, ",+");

		if (!apply_option(self, at, arg, e))
			return false;
		at += arg;
	}
	while (*at == '+') {
		len = strcspn(++at, "+");
		if (!fault_plant(self, at, len, e))
			return false;
		at += len;
	}
	return true;
}

bool engine_spec_is_external(const char *text)
{
	size_t len;

	return external_spec(engine_text_spec(text, &len));
}

bool engine_crosses_wire(const struct engine *self, struct error *e)
{
	return !self->rounding.seeded ||
	    error_set(e, NULL,
	        "'%s' runs in the process of adjudge only: its numbers may have one bit more than their dtype",
	        self->spec);
}

static bool open_built_in(struct engine *self, bool may_spawn, struct error *e)
{
	self->place = &place_here;
	if (!apply_spec(self, self->spec, e))
		return false;
	if (!self->isolated || !may_spawn)
		return true;
	if (!engine_crosses_wire(self, e))
		return false;
	self->place = &place_worker;
	self->worker = worker_open(self->spec);
	worker_interrupt(self->worker, self->until);
	return true;
}

/* An error names the engine, because several may be given. */
static bool open_outside(struct engine *self, struct error *e)
{
	enum { SHOWN = 60 }; /* of a long command; there must be room for the reason */
	struct error why = {.text = ""};
	const char *name = engine_name(self);

	if (external_open(self, &why))
		return true;
	return error_set(e, NULL, "%.*s%s: %s%s%s", SHOWN, name, strlen(name) > SHOWN ? "..." : "", why.place,
	    *why.place ? ": " : "", why.text);
}

static struct engine *open_text(const char *text, bool may_spawn, struct interrupt until, struct error *e)
{
	struct engine *self;
	const char *spec;
	size_t len;

	if (!engine_text_name_valid(text, e))
		return NULL;
	self = heap_new(1, sizeof *self);
	spec = engine_text_spec(text, &len);
	self->spec = heap_text(spec);
	self->until = until;
	if (spec != text) {
		self->name = heap_text(text);
		self->name[len] = '\0';
	}
	tangent_rules_init(&self->tangent);
	adjoint_rules_init(&self->adjoint);
	compiled_rules_init(&self->compiled);
	self->aot = aot_rules_right;
	if (!(external_spec(spec) ? open_outside(self, e) : open_built_in(self, may_spawn, e))) {
		engine_close(self);
		return NULL;
	}
	return self;
}

struct engine *engine_open(const char *text, struct error *e)
{
	return engine_open_until(text, (struct interrupt){0}, e);
}

struct engine *engine_open_until(const char *text, struct interrupt until, struct error *e)
{
	return open_text(text, true, until, e);
}

struct engine *engine_open_here(const char *text, struct error *e)
{
	return open_text(text, false, (struct interrupt){0}, e);
}

void engine_close(struct engine *self)
{
	if (!self)
		return;
	worker_close(self->worker);
	free(self->external);
	free(self->spec);
	free(self->name);
	free(self);
}

bool engine_spec_valid(const char *text, struct error *e)
{
	struct engine *self;

	if (engine_spec_is_external(text))
		return engine_text_name_valid(text, e);
	self = engine_open_here(text, e);
	engine_close(self);
	return self != NULL;
}

const char *engine_spec(const struct engine *self) { return self->spec; }

const char *engine_name(const struct engine *self) { return self->name ? self->name : self->spec; }

const struct engine_kind *engine_kind(const struct engine *self) { return self->kind; }

int64_t engine_recomputed(const struct engine *self) { return self->recomputed; }

bool engine_is_right(const struct engine *self) { return self->n_fault == 0 && self->place->ours; }

struct engine_scope engine_scope(const struct engine *self) { return self->place->scope(self); }

const char *engine_refusal(const struct engine *self, const struct testcase *c, struct arena *a)
{
	return self->place->refusal(self, c, a);
}

void engine_asked_ops(const struct engine *self, const struct testcase *c, struct arena *a, bool has[OP_COUNT])
{
	self->place->asked_ops(self, c, a, has);
}

const struct hello *engine_hello(const struct engine *self) { return self->place->hello(self); }

bool engine_flushes(const struct engine *self) { return self->rounding.flushes; }

bool engine_emit(struct engine *self, const struct testcase *c, bool brief, struct arena *a, const char ***text, int *n,
    struct error *e)
{
	return self->place->emit(self, c, brief, a, text, n, e);
}

void engine_answer_shared(
    struct engine *self, const struct testcase *c, struct engine_share *share, struct arena *a, struct answer *out)
{
	for (int i = 0; i < c->n_point; i++)
		out[i] = (struct answer){.status = ANSWER_OK, .text = ""};
	self->share = self->n_fault ? NULL : share; /* a fault may write into what it reads */
	self->place->answer(self, c, a, out);
}

void engine_answer(struct engine *self, const struct testcase *c, struct arena *a, struct answer *out)
{
	engine_answer_shared(self, c, NULL, a, out);
}

int engine_cases(const struct engine *self) { return self->place->cases(self); }

void engine_send(struct engine *self, const struct testcase *c, int n, struct arena *a, struct answer *const *out)
{
	self->place->send(self, c, n, a, out);
}

bool engine_receive(struct engine *self, struct incident *incident)
{
	*incident = (struct incident){.status = ANSWER_OK};
	return self->place->receive(self, incident);
}

struct incident engine_incident(const struct engine *self) { return worker_incident(self->worker); }

bool engine_restart(struct engine *self) { return worker_restart(self->worker); }

struct engine_trouble engine_trouble(const struct engine *self) { return worker_trouble(self->worker); }

int engine_timeout(const struct engine *self) { return worker_timeout(self->worker); }

void engine_set_timeout(struct engine *self, int timeout_ms) { worker_set_timeout(self->worker, timeout_ms); }

bool engine_reseed_rounding(struct engine *self, uint64_t seed)
{
	if (self->rounding.seeded)
		self->rounding.seed = seed;
	return self->rounding.seeded;
}

bool engine_magnify_rounding(struct engine *self, double times)
{
	if (self->rounding.seeded)
		self->rounding.times = times;
	return self->rounding.seeded;
}

struct rounding_seen engine_rounding_seen(const struct engine *self)
{
	return self->rounding.times != 0 ? rounding_seen() : (struct rounding_seen){0};
}

/* ---- what the faults edited ---- */

/*
 * A copy of the engine without its rows and without fields that no answer depends on.  A table that is added to the
 * struct later is compared too.
 */
static struct engine *beside_rows(const struct engine *self)
{
	struct engine *rest = heap_new(1, sizeof *rest);

	memcpy(rest, self, sizeof *rest);
	rest->place = NULL;
	rest->spec = NULL;
	rest->name = NULL;
	rest->worker = NULL;
	rest->external = NULL;
	rest->until = (struct interrupt){0};
	rest->n_fault = 0;
	rest->isolated = false;
	rest->recomputed = 0;
	memset(rest->tangent.row, 0, sizeof rest->tangent.row);
	memset(rest->adjoint.row, 0, sizeof rest->adjoint.row);
	return rest;
}

static struct engine *open_without_faults(const struct engine *self)
{
	size_t len = strcspn(self->spec, "+");
	struct engine *right;
	char *spec = heap_new(len + 1, 1);

	memcpy(spec, self->spec, len);
	right = engine_open_here(spec, NULL);
	free(spec);
	return right;
}

bool engine_edited_rows(const struct engine *self, bool row[OP_COUNT])
{
	struct engine *right = open_without_faults(self), *a = beside_rows(self),
	              *b = right ? beside_rows(right) : NULL;
	/* Bytes of padding may differ although nothing else does.  The engine is then asked more often than needed. */
	bool rows_alone = a && b && !memcmp(a, b, sizeof *a);

	for (int op = 0; op < OP_COUNT; op++)
		row[op] = !right ||
		    memcmp(&self->tangent.row[op], &right->tangent.row[op], sizeof self->tangent.row[op]) ||
		    memcmp(&self->adjoint.row[op], &right->adjoint.row[op], sizeof self->adjoint.row[op]);
	free(a);
	free(b);
	engine_close(right);
	return rows_alone;
}
