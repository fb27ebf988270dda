/* external.c: see external.h. */
#include "external.h"
#include "graph/heap.h"
#include "graph/walk.h"

#include <string.h>

#include "external_lower.h"
#include "worker.h"

/* ---- opening ---- */

/* Writes the requests that the engine takes in the form that a campaign reads. */
static void sum_up(const struct hello *h, struct engine_kind *kind)
{
	kind->jvp = kind->vjp = kind->batch = !h->n_request;
	kind->order = h->n_request ? 1 : LIMIT_TRANSFORMS;
	for (int k = 0; k < h->n_request; k++) {
		int order = 0;

		for (int i = 0; i < h->request[k].n; i++) {
			enum transform_kind t = h->request[k].kind[i];

			kind->jvp = kind->jvp || t == TRANSFORM_JVP;
			kind->vjp = kind->vjp || t == TRANSFORM_VJP;
			kind->batch = kind->batch || t == TRANSFORM_BATCH;
			order += t != TRANSFORM_BATCH;
		}
		kind->order = order > kind->order ? order : kind->order;
	}
}

#define COMMAND_PREFIX "proc:"
#define LIBRARY_PREFIX "so:"

static bool starts_with(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }

bool external_spec(const char *spec) { return starts_with(spec, COMMAND_PREFIX) || starts_with(spec, LIBRARY_PREFIX); }

/* The system would search its own folders for a library name without a slash. */
static void *open_worker(const char *spec, struct error *e)
{
	const char *path = spec + strlen(LIBRARY_PREFIX);

	if (!starts_with(spec, LIBRARY_PREFIX))
		return worker_open_command(spec + strlen(COMMAND_PREFIX));
	if (strchr(path, '/'))
		return worker_open_library(path);
	error_set(e, NULL, "a path with a slash is needed, as in so:./%s", path);
	return NULL;
}

bool external_open(struct engine *engine, struct error *e)
{
	struct external *self = engine->external = heap_new(1, sizeof *self);

	engine->place = &place_external;
	engine->worker = open_worker(engine->spec, e);
	worker_interrupt(engine->worker, engine->until);
	self->limited = starts_with(engine->spec, LIBRARY_PREFIX);
	self->hello = engine->worker ? worker_hello(engine->worker, e) : NULL;
	if (!self->hello)
		return false;
	strncpy(self->name, self->hello->name,
	    sizeof self->name - 1); /* a later process's hello may overwrite the strings of this one */
	self->kind = (struct engine_kind){.name = self->name,
	    .summary = "an engine from outside",
	    .modelled_on = "",
	    .isolated = true,
	    .solves = true,
	    .stacks = true};
	sum_up(self->hello, &self->kind);
	engine->kind = &self->kind;
	engine->isolated = true;
	return true;
}

static const struct hello *hello(const struct engine *engine) { return engine->external->hello; }

static int cases_per_request(const struct engine *engine) { return engine->external->hello->cases_per_request; }

static struct engine_scope known_to(const struct engine *engine)
{
	/* Written in other ops if the engine does not know them (plain_program). */
	static const enum op plain[] = {OP_FIXED_POINT, OP_DERIVATIVE, OP_CUSTOM, OP_CHECKPOINT, OP_STORE};
	const struct hello *h = engine->external->hello;
	struct engine_scope scope;

	for (int d = 0; d < DTYPE_COUNT; d++)
		scope.dtype[d] = h->dtype[d] || (h->constants && !dtype_is_float((enum dtype)d)) ||
		    (h->one_dtype >= 0 && dtype_is_float((enum dtype)d));
	for (int op = 0; op < OP_COUNT; op++)
		scope.op[op] = h->op[op] || (h->unroll && op_table[op].regularity == REGULARITY_REGION) ||
		    (h->constants && op_table[op].regularity == REGULARITY_DISCRETE);
	for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
		scope.op[plain[k]] = true;
	scope.rank = h->rank;
	return scope;
}

/* ---- answering ---- */

static const char *refusal_of(const struct engine *engine, const struct testcase *c, struct arena *a)
{
	struct testcase *cases;
	int n;

	return external_prepare(engine->external, &engine->aot, c, a, &cases, &n);
}

static void asked_ops(const struct engine *engine, const struct testcase *c, struct arena *a, bool has[OP_COUNT])
{
	struct testcase *cases;
	int n;

	if (external_prepare(engine->external, &engine->aot, c, a, &cases, &n)) {
		region_ops(&c->program.top, has);
		return;
	}
	for (int k = 0; k < n; k++)
		region_ops(&cases[k].program.top, has);
}

/* Turns c into what the engine gets, or answers at once what the engine will not be asked. */
static struct asked_case ask(const struct external *self, const struct aot_rules *rules, const struct testcase *c,
    struct arena *a, struct answer *out)
{
	struct asked_case asked = {.c = c, .out = out};
	const char *why = external_prepare(self, rules, c, a, &asked.cases, &asked.n);

	if (why) {
		asked.n = 0;
		for (int i = 0; i < c->n_point; i++)
			out[i] = (struct answer){.status = ANSWER_UNSUPPORTED, .text = why};
	}
	return asked;
}

/* Turns the engine's answers into answers to the case that adjudge asked. */
static void take(const struct external *self, const struct asked_case *asked)
{
	const struct hello *h = self->hello;
	struct type primal[LIMIT_ARGS], derivative[LIMIT_ARGS];
	int n_primal = answer_primal_types(asked->c, primal),
	    n_derivative = answer_derivative_types(asked->c, derivative);

	for (int i = 0; h->one_dtype >= 0 && i < asked->c->n_point; i++) {
		struct answer *out = &asked->out[i];

		external_narrow(out->primal, out->n_primal, primal, n_primal, (enum dtype)h->one_dtype);
		external_narrow(out->derivative, out->n_derivative, derivative, n_derivative, (enum dtype)h->one_dtype);
	}
}

/* Where the answers to asked->cases go. */
static void places(const struct asked_case *asked, struct answer **out)
{
	for (int k = 0, point = 0; k < asked->n; point += asked->cases[k++].n_point)
		out[k] = &asked->out[point];
}

/*
 * Sets `known` if the engine answered all cases.  If the adapter could not read one of them, all answers are
 * discarded.  The cases are then asked one by one, which shows the one at fault.
 */
static void take_sent(void *context)
{
	struct engine *engine = context;
	struct ahead *ahead = &engine->external->ahead;

	if (ahead->n_case) {
		const bool answered = worker_receive(
		    engine->worker, ahead->cases, ahead->n_case, ahead->arena, ahead->out);

		ahead->incident = worker_incident(engine->worker);
		if (!answered || ahead->out[0]->status == ANSWER_FAILURE)
			return;
		for (int k = 0; k < ahead->n; k++)
			take(engine->external, &ahead->asked[k]);
	}
	ahead->known = true;
}

/* Waits for the answers to the open request, if there is one. */
static void settle(struct engine *engine)
{
	struct ahead *ahead = &engine->external->ahead;

	if (!ahead->sent)
		return;
	ahead->sent = ahead->known = false;
	/* The arena belongs to cases to come.  When it is full, the case that is judged now goes on. */
	arena_try(ahead->arena, take_sent, engine);
}

static bool receive(struct engine *engine, struct incident *incident)
{
	settle(engine);
	*incident = engine->external->ahead.incident;
	return engine->external->ahead.known;
}

static void answer(struct engine *engine, const struct testcase *c, struct arena *a, struct answer *out)
{
	const struct external *self = engine->external;
	struct answer **answers;
	struct asked_case asked;

	settle(engine); /* one request at a time */
	asked = ask(self, &engine->aot, c, a, out);
	if (!asked.n)
		return;
	answers = NEW(a, struct answer *, asked.n);
	places(&asked, answers);
	worker_answer(engine->worker, asked.cases, asked.n, a, answers);
	take(self, &asked);
}

static void send(struct engine *engine, const struct testcase *c, int n, struct arena *a, struct answer *const *out)
{
	struct external *self = engine->external;
	struct ahead ahead = {.sent = true, .arena = a, .asked = NEW(a, struct asked_case, n), .n = n};

	settle(engine);
	for (int k = 0; k < n; k++) {
		ahead.asked[k] = ask(self, &engine->aot, &c[k], a, out[k]);
		ahead.n_case += ahead.asked[k].n;
	}
	ahead.cases = NEW(a, struct testcase, ahead.n_case);
	ahead.out = NEW(a, struct answer *, ahead.n_case);
	for (int k = 0, at = 0; k < n; at += ahead.asked[k++].n) {
		for (int i = 0; i < ahead.asked[k].n; i++)
			ahead.cases[at + i] = ahead.asked[k].cases[i];
		places(&ahead.asked[k], &ahead.out[at]);
	}
	if (ahead.n_case)
		worker_send(engine->worker, ahead.cases, ahead.n_case, a);
	self->ahead = ahead;
}

static bool emit(struct engine *engine, const struct testcase *c, bool brief, struct arena *a, const char ***sources,
    int *n, struct error *e)
{
	const struct external *self = engine->external;
	struct testcase *cases = NULL;
	const char *why = external_prepare(self, &engine->aot, c, a, &cases, n);

	if (why)
		return error_set(e, NULL, "%s", why);
	*sources = NEW(a, const char *, *n);
	return worker_emit(engine->worker, cases, *n, brief, a, *sources, e);
}

const struct engine_place place_external = {.scope = known_to,
    .hello = hello,
    .refusal = refusal_of,
    .asked_ops = asked_ops,
    .emit = emit,
    .answer = answer,
    .cases = cases_per_request,
    .send = send,
    .receive = receive};
