/* external.c: see external.h. */
#include "external.h"
#include "graph/heap.h"
#include "graph/walk.h"

#include <stdlib.h>
#include <string.h>

#include "engines/aot/nested.h"
#include "engines/aot/aot.h"
#include "engines/instance.h"
#include "engines/aot/lower.h"
#include "straight.h"
#include "worker.h"

/* A case that the engine is asked: as the engine gets it, and where its answers go. */
struct asked_case {
	const struct testcase *c;
	struct answer *out;     /* [c->n_point] */
	struct testcase *cases; /* several if the engine gets only what is executed at the points */
	int n;                  /* number of cases; 0: already answered */
};

/* Several cases in one request. */
struct ahead {
	bool sent;  /* sent, and the answers not taken yet */
	bool known; /* the answers to the last request have arrived */
	struct arena *arena;
	struct asked_case *asked;
	int n;
	struct testcase *cases; /* the cases of the whole request */
	struct answer **out;
	int n_case;
	struct incident incident;
};

struct external {
	const struct hello *hello; /* of the worker */
	struct engine_kind kind;
	char name[64];
	bool limited; /* our own worker reads the cases, within the limits of a case file */
	struct ahead ahead;
};

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

/* ---- what a program needs ---- */

/* The first op of the region, at any depth, that the engine does not know; -1: it knows all. */
static int unknown_op(const struct hello *h, const struct region *region)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (!h->op[w.node->op])
			return (int)w.node->op;
	return -1;
}

/* Whether the region contains control flow, at any depth, that the engine must not see. */
static bool unrolls(const struct hello *h, const struct region *region)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (w.node->n_region && !h->op[w.node->op])
			return true;
	return false;
}

/* Whether the region has more than n nodes, at any depth. */
static bool has_more_nodes(const struct region *region, int n)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (--n < 0)
			return true;
	return false;
}

/* The reason why the engine will not be asked, or NULL. */
static const char *refusal(const struct external *self, const struct program *p, struct arena *a)
{
	const struct hello *h = self->hello;
	int op = unknown_op(h, &p->top);

	if (op >= 0)
		return arena_printf(a, "%s: no op %s", self->name, op_table[op].name);
	if (has_more_nodes(&p->top, h->nodes))
		return arena_printf(a, "%s: more than %d nodes", self->name, h->nodes);
	for (int v = 0; v < p->n_value; v++) {
		if (!h->dtype[p->type[v].dtype])
			return arena_printf(a, "%s: no %s", self->name, dtype_table[p->type[v].dtype].name);
		if (p->type[v].shape.rank > h->rank)
			return arena_printf(a, "%s: no rank %d", self->name, p->type[v].shape.rank);
	}
	return NULL;
}

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

/* ---- lowering ---- */

/* Replaces ops that the engine does not know and that other ops can express. */
static bool plain_program(const struct external *self, const struct aot_rules *rules, int order, struct program *p,
    struct arena *a, struct error *e)
{
	const struct hello *h = self->hello;

	if (!h->op[OP_FIXED_POINT] && region_has_op(&p->top, OP_FIXED_POINT))
		*p = lower_fixed_points(p, false, a);
	if (hello_has_derivatives_written(h, p) && !aot_lower(p, order, rules, a, p, e))
		return false;
	if (!h->op[OP_CUSTOM])
		*p = lower_customs(p, DERIVATIVE_COUNT, a);
	if (!h->op[OP_CHECKPOINT] && region_has_op(&p->top, OP_CHECKPOINT))
		*p = aot_inline(p, a);
	if (!h->op[OP_STORE])
		*p = lower_stores(p, a);
	return true;
}

/* Gives every float of the region dtype d. */
static void widen_region(struct region *region, enum dtype d)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);) {
		struct attrs *attrs = &w.node->attrs;

		if (op_table[w.node->op].attrs & ATTR_DTYPE && dtype_is_float(attrs->dtype))
			attrs->dtype = d;
		if (w.node->op == OP_CONSTANT && dtype_is_float(attrs->value.type.dtype))
			attrs->value.type.dtype = d;
	}
}

static struct tensor *retyped(const struct tensor *t, int n, enum dtype d, struct arena *a)
{
	struct tensor *out = arena_copy(a, t, (size_t)n, sizeof *t);

	for (int k = 0; k < n; k++)
		if (dtype_is_float(out[k].type.dtype))
			out[k].type.dtype = d;
	return out;
}

/*
 * Gives all floats of the case one dtype.  The truth is in real arithmetic in any case.  An engine that rounds less
 * than it may stays within the radius of one that rounds to the dtypes of the case.
 */
static void widen(struct testcase *c, enum dtype d, struct arena *a)
{
	int n = c->program.top.n_param;

	c->program = program_copy(&c->program, a);
	for (int v = 0; v < c->program.n_value; v++)
		if (dtype_is_float(c->program.type[v].dtype))
			c->program.type[v].dtype = d;
	widen_region(&c->program.top, d);
	c->point = arena_copy(a, c->point, (size_t)c->n_point, sizeof *c->point);
	for (int k = 0; k < c->n_point; k++)
		c->point[k] = retyped(c->point[k], n, d, a);
	c->transform = arena_copy(a, c->transform, (size_t)c->n_transform, sizeof *c->transform);
	for (int k = 0; k < c->n_transform; k++)
		c->transform[k].seed = retyped(c->transform[k].seed, c->transform[k].n_seed, d, a);
}

/* The way back: rounds tensors of dtype d to the float dtype that is expected. */
static void narrow(struct tensor *t, int n, const struct type *want, int n_want, enum dtype d)
{
	for (int k = 0; k < n && k < n_want; k++) {
		int elements = shape_elements(&t[k].type.shape);

		if (t[k].type.dtype != d || !dtype_is_float(want[k].dtype))
			continue;
		t[k].type.dtype = want[k].dtype;
		for (int i = 0; i < elements; i++)
			t[k].at[i].f = dtype_round(want[k].dtype, t[k].at[i].f);
	}
}

/* Whether the engine gets a case for each point, with only what is executed there. */
static bool is_specialised(const struct hello *h, const struct program *p)
{
	return h->constants || (h->unroll && unrolls(h, &p->top));
}

/*
 * Writes what c executes at its points into cases[c->n_point], and their number to *n.  Neighbouring points that
 * execute the same share a case.
 */
static bool specialise(const struct external *self, const struct testcase *c, struct arena *a, struct testcase *cases,
    int *n, struct error *e)
{
	*n = 0;
	for (int k = 0; k < c->n_point; k++) {
		struct testcase x = *c;

		if (!straight_program(
		        &c->program, c->point[k], self->hello->constants, self->hello->op, a, &x.program, e))
			return false;
		if (*n && program_equal(&cases[*n - 1].program, &x.program)) {
			cases[*n - 1].n_point++;
			continue;
		}
		x.n_point = 1;
		x.point = &c->point[k];
		cases[(*n)++] = x;
	}
	return true;
}

/*
 * Writes c as the engine wants it: cases[], each with its points, and their number to *n.  Returns NULL, or the reason
 * why the engine will not be asked.
 */
static const char *lower(const struct external *self, const struct aot_rules *rules, const struct testcase *c,
    struct arena *a, struct testcase **cases, int *n)
{
	const struct hello *h = self->hello;
	struct error e = {.text = ""};
	struct testcase one = *c;
	int order = request_order(c->transform, c->n_transform);

	one.variant = h->variants ? c->variant : 0;
	if (!plain_program(self, rules, order, &one.program, a, &e))
		return arena_printf(a, "%s: %s", self->name, e.text);
	if (is_specialised(h, &one.program) && order < c->n_transform)
		return arena_printf(a, "%s: no batch of what is unrolled at one point", self->name);
	if (is_specialised(h, &one.program)) {
		*cases = NEW(a, struct testcase, c->n_point);
		if (!specialise(self, &one, a, *cases, n, &e))
			return arena_printf(a, "%s: %s", self->name, e.text);
	} else {
		*cases = arena_copy(a, &one, 1, sizeof one);
		*n = 1;
	}
	for (int k = 0; k < *n; k++) {
		struct testcase *x = &(*cases)[k];
		const char *why;

		if (h->broadcast)
			x->program = straight_broadcasts(&x->program, a);
		if (h->one_dtype >= 0)
			widen(x, (enum dtype)h->one_dtype, a);
		if ((why = refusal(self, &x->program, a)))
			return why;
		/* What was unrolled may have left the limits. */
		if (self->limited && !testcase_check(x, &e))
			return arena_printf(a, "%s: %s", self->name, e.text);
	}
	return NULL;
}

/* ---- answering ---- */

/* As lower, of the whole request. */
static const char *prepare(const struct external *self, const struct aot_rules *rules, const struct testcase *c,
    struct arena *a, struct testcase **cases, int *n)
{
	return hello_takes(self->hello, c->transform, c->n_transform)
	    ? lower(self, rules, c, a, cases, n)
	    : arena_printf(a, "%s: no such request", self->name);
}

static const char *refusal_of(const struct engine *engine, const struct testcase *c, struct arena *a)
{
	struct testcase *cases;
	int n;

	return prepare(engine->external, &engine->aot, c, a, &cases, &n);
}

static void asked_ops(const struct engine *engine, const struct testcase *c, struct arena *a, bool has[OP_COUNT])
{
	struct testcase *cases;
	int n;

	if (prepare(engine->external, &engine->aot, c, a, &cases, &n)) {
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
	const char *why = prepare(self, rules, c, a, &asked.cases, &asked.n);

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

		narrow(out->primal, out->n_primal, primal, n_primal, (enum dtype)h->one_dtype);
		narrow(out->derivative, out->n_derivative, derivative, n_derivative, (enum dtype)h->one_dtype);
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
	const char *why = prepare(self, &engine->aot, c, a, &cases, n);

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
