/* engine.c: engines by spec, and one case put to one of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aot_nested.h"
#include "external.h"
#include "instance.h"
#include "lower.h"
#include "stack.h"
#include "worker.h"

static const struct engine_kind *const kinds[] = {
#define ENGINE(name) &name##_kind,
#include "engines.def"
#undef ENGINE
};

const char *const engine_names[] = {
#define ENGINE(name) #name,
#include "engines.def"
#undef ENGINE
	NULL
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct engine_kind *kind_find(const char *name, size_t len)
{
	for (int i = 0; i < KINDS; i++)
		if (strlen(engine_names[i]) == len && !memcmp(engine_names[i], name, len))
			return kinds[i];
	return NULL;
}

const struct engine_kind *engine_kind_find(const char *name)
{
	return kind_find(name, strlen(name));
}

static bool unknown_engine(const char *name, size_t len, struct error *e)
{
	char known[128] = "";

	for (int i = 0; i < KINDS; i++) {
		size_t at = strlen(known);

		snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", engine_names[i]);
	}
	return error_set(e, NULL, "no engine '%.*s'; there are %s, proc:COMMAND and so:PATH", (int)(len < 40 ? len : 40), name, known);
}

/* "it has snapshots=INTEGER (1 to 64)", or that it takes none. */
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

/* "rounding=SEED" and "flushing=SEED", which every engine takes: false when it is neither. */
static bool apply_rounding(struct engine *self, const char *text, size_t len)
{
	static const char rounding[] = "rounding=", flushing[] = "flushing=";
	_Static_assert(sizeof rounding == sizeof flushing, "the digits begin at one place");
	const size_t begin = sizeof rounding - 1;
	uint64_t seed = 0;

	if (len <= begin || len > begin + 18 || (memcmp(text, rounding, begin) && memcmp(text, flushing, begin))) /* 18 digits fit */
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

/* One ARG, text[len]. */
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
	return error_set(e, NULL, "engine %s does not take '%.*s'; %s", self->kind->name, (int)(len < 60 ? len : 60), text, known);
}

/* NAME[:ARG,...][+FAULT]... */
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
		self->aot.guard = NULL; /* whose batches below a derivative are scans */
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

bool engine_spec_is_external(const char *spec)
{
	return external_spec(spec);
}

static struct engine *open_spec(const char *spec, bool may_spawn, struct error *e)
{
	size_t len = strlen(spec) + 1;
	struct engine *self = calloc(1, sizeof *self);

	if (!self || !(self->spec = malloc(len))) {
		error_set(e, NULL, "out of memory");
		free(self);
		return NULL;
	}
	memcpy(self->spec, spec, len);
	tangent_rules_init(&self->tangent);
	adjoint_rules_init(&self->adjoint);
	compiled_rules_init(&self->compiled);
	self->aot = aot_rules_right;
	if (engine_spec_is_external(spec)) {
		self->external = external_open(spec, e);
		if (!self->external)
			goto fail;
		self->kind = external_kind(self->external);
		self->isolated = true;
		return self;
	}
	if (!apply_spec(self, spec, e))
		goto fail;
	if (self->isolated && may_spawn) {
		self->worker = worker_open(spec, e);
		if (!self->worker)
			goto fail;
	}
	return self;
fail:
	engine_close(self);
	return NULL;
}

struct engine *engine_open(const char *spec, struct error *e)
{
	return open_spec(spec, true, e);
}

struct engine *engine_open_here(const char *spec, struct error *e)
{
	return open_spec(spec, false, e);
}

void engine_close(struct engine *self)
{
	if (!self)
		return;
	worker_close(self->worker);
	external_close(self->external);
	free(self->spec);
	free(self);
}

bool engine_spec_valid(const char *spec, struct error *e)
{
	struct engine *self;

	if (external_spec(spec))
		return true;
	self = engine_open_here(spec, e);
	engine_close(self);
	return self != NULL;
}

const char *engine_spec(const struct engine *self)
{
	return self->spec;
}

const struct engine_kind *engine_kind(const struct engine *self)
{
	return self->kind;
}

int64_t engine_recomputed(const struct engine *self)
{
	return self->recomputed;
}

bool engine_is_right(const struct engine *self)
{
	return self->n_fault == 0 && !self->external;
}

struct engine_scope engine_scope(const struct engine *self)
{
	struct engine_scope scope;

	if (self->external)
		return external_scope(self->external);
	memset(scope.dtype, true, sizeof scope.dtype);
	memset(scope.op, true, sizeof scope.op);
	scope.rank = LIMIT_RANK;
	return scope;
}

bool engine_emit(struct engine *self, const struct testcase *c, struct arena *a, const char ***text, int *n, struct error *e)
{
	if (!self->external)
		return error_set(e, NULL, "a built-in engine emits no source");
	return external_emit(self->external, &self->aot, c, a, text, n, e);
}

bool engine_restart(struct engine *self)
{
	if (self->external)
		external_restart(self->external);
	if (self->worker)
		worker_restart(self->worker);
	return self->external || self->worker;
}

const struct hello *engine_hello(const struct engine *self)
{
	return self->external ? external_hello(self->external) : NULL;
}

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

/* ---- what was edited ---- */

/* All of an engine but its rows and what no answer depends on.  Whatever a later table adds to the struct is compared too. */
static struct engine *beside_rows(const struct engine *self)
{
	struct engine *rest = malloc(sizeof *rest);

	if (!rest)
		return NULL;
	memcpy(rest, self, sizeof *rest);
	rest->spec = NULL;
	rest->worker = NULL;
	rest->external = NULL;
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
	struct engine *right = NULL;
	char *spec = malloc(len + 1);

	if (spec) {
		memcpy(spec, self->spec, len);
		spec[len] = '\0';
		right = engine_open_here(spec, NULL);
	}
	free(spec);
	return right;
}

bool engine_edited_rows(const struct engine *self, bool row[OP_COUNT])
{
	struct engine *right = open_without_faults(self), *a = beside_rows(self), *b = right ? beside_rows(right) : NULL;
	/* Bytes of padding may differ where nothing does: the engine is then asked more often than it need be. */
	bool rows_alone = a && b && !memcmp(a, b, sizeof *a);

	for (int op = 0; op < OP_COUNT; op++)
		row[op] = !right || memcmp(&self->tangent.row[op], &right->tangent.row[op], sizeof self->tangent.row[op]) ||
		          memcmp(&self->adjoint.row[op], &right->adjoint.row[op], sizeof self->adjoint.row[op]);
	free(a);
	free(b);
	engine_close(right);
	return rows_alone;
}

/* ---- answering ---- */

static bool has_vjp(const struct transform *t, int n)
{
	for (int k = 0; k < n; k++)
		if (t[k].kind == TRANSFORM_VJP)
			return true;
	return false;
}

const char *engine_refuses(const struct engine_kind *kind, const struct transform *t, int n, struct arena *a)
{
	const struct transform *outermost = request_outermost(t, n);
	int order = request_order(t, n), most = kind->order ? kind->order : 1;

	if (outermost && !(outermost->kind == TRANSFORM_JVP ? kind->jvp || (kind->jvp_over_vjp && has_vjp(t, n)) : kind->vjp))
		return arena_printf(a, "%s: no %s", kind->name, transform_names[outermost->kind]);
	if (order > most)
		return arena_printf(a, "%s: %d transforms differentiate, expected at most %d", kind->name, order, most);
	if (order < n && !kind->batch)
		return arena_printf(a, "%s: no batch", kind->name);
	return NULL;
}

/* Gives the engine a point and seeds of its own, and looks at them afterwards. */
static void answer_point(struct engine *self, bool stacked, void *state, const struct testcase *c, int which, struct arena *a,
    struct answer *out)
{
	int n_input = c->program.top.n_param;
	struct testcase own = *c;
	struct tensor *point = tensors_copy(a, c->point[which], n_input);

	own.transform = arena_copy(a, c->transform, (size_t)c->n_transform, sizeof *c->transform);
	for (int i = 0; i < c->n_transform; i++)
		own.transform[i].seed = tensors_copy(a, c->transform[i].seed, c->transform[i].n_seed);
	(stacked ? stack_answer : self->kind->answer)(self, state, &own, which, point, a, out);
	out->input_modified = !tensors_same(point, c->point[which], n_input);
	for (int i = 0; i < c->n_transform; i++)
		if (!tensors_same(own.transform[i].seed, c->transform[i].seed, c->transform[i].n_seed))
			out->input_modified = true;
}

/*
 * c with its program in a form that engines know: without op derivative, without fixed points but those that the engine solves, and without customs
 * whose rules nobody can use: neither the engine's own level nor a derivative program (all_customs).  NULL with the reason in *text.
 */
static const struct testcase *known_form(
    const struct engine *self, const struct testcase *c, bool all_customs, struct arena *a, const char **text)
{
	struct testcase *known = NEW(a, struct testcase, 1);
	struct error e = {.text = ""};

	bool several = self->kind->composes && stack_inner(c) > 1;

	*known = *c;
	known->program = lower_fixed_points(&c->program, self->kind->solves && !several, a);
	if (program_has_derivative(&c->program) &&
	    !aot_lower(&c->program, request_order(c->transform, c->n_transform), &self->aot, a, &known->program, &e)) {
		*text = arena_printf(a, "%s: %s", self->kind->name, e.text);
		return NULL;
	}
	if (!all_customs)
		known->program = lower_customs(&known->program, lower_keeps(c->n_transform ? c->transform : NULL), a);
	return known;
}

static void *worker_of(const struct engine *self)
{
	return self->external ? external_worker(self->external) : self->worker;
}

int engine_timeout(const struct engine *self)
{
	const void *worker = worker_of(self);

	return worker ? worker_timeout(worker) : 0;
}

void engine_set_timeout(struct engine *self, int timeout_ms)
{
	void *worker = worker_of(self);

	if (worker)
		worker_set_timeout(worker, timeout_ms);
}

int engine_cases(const struct engine *self)
{
	return self->external ? external_hello(self->external)->cases_per_request : 1;
}

void engine_send(struct engine *self, const struct testcase *c, int n, struct arena *a, struct answer *const *out)
{
	external_send(self->external, &self->aot, c, n, a, out);
}

bool engine_receive(struct engine *self)
{
	return external_receive(self->external);
}

void engine_answer(struct engine *self, const struct testcase *c, struct arena *a, struct answer *out)
{
	const char *text = engine_refuses(self->kind, c->transform, c->n_transform, a);
	bool stacked = !self->kind->stacks && stack_needed(c);
	void *state = NULL;
	enum answer_status status = ANSWER_UNSUPPORTED;
	int n_point = c->n_point;

	for (int i = 0; i < n_point; i++)
		out[i] = (struct answer){.status = ANSWER_OK, .text = ""};
	if (self->external) {
		external_answer(self->external, &self->aot, c, a, out);
		return;
	}
	if (self->worker) {
		worker_answer(self->worker, c, 1, a, &out);
		return;
	}
	rounding_begin(&self->rounding);
	if (!text)
		c = known_form(self, c, stacked || self->kind->stacks, a, &text);
	if (!text)
		status = (stacked ? stack_prepare : self->kind->prepare)(self, c, a, &state, &text);
	for (int i = 0; i < n_point; i++) {
		if (status == ANSWER_OK) {
			answer_point(self, stacked, state, c, i, a, &out[i]);
		} else {
			out[i].status = status;
			out[i].text = text;
		}
	}
	rounding_end();
}
