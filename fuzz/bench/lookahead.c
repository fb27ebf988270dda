/* lookahead.c: see lookahead.h. */
#include "lookahead.h"

#include <stdlib.h>

#include "graph/heap.h"
#include "case_work.h"

/* The cases of a request and its answers.  More than a case of a search needs. */
enum { LOOKAHEAD_BYTES = 256 << 20 };

struct lookahead {
	struct bench *bench;
	struct engine *engine;
	struct arena arena;
	int most, room, n;
	uint64_t *hash;      /* [most]; of the cases */
	struct testcase *c;  /* [most] */
	struct answer **out; /* [most]; in the arena */
	bool known, bad;     /* the answers have come; a request ended badly since the last success */
	double seconds;
};

struct lookahead *lookahead_open(struct bench *b, struct engine *engine)
{
	struct lookahead *self;

	if (engine_cases(engine) == 1)
		return NULL;
	self = heap_new(1, sizeof *self);
	self->bench = b;
	self->engine = engine;
	self->most = engine_cases(engine);
	self->room = 1;
	self->hash = heap_new((size_t)self->most, sizeof *self->hash);
	self->c = heap_new((size_t)self->most, sizeof *self->c);
	self->out = heap_new((size_t)self->most, sizeof *self->out);
	arena_init(&self->arena, LOOKAHEAD_BYTES);
	return self;
}

void lookahead_close(struct lookahead *self)
{
	if (!self)
		return;
	arena_free(&self->arena);
	free(self->hash);
	free(self->c);
	free(self->out);
	free(self);
}

int lookahead_room(struct lookahead *self)
{
	const int room = self->bad ? 1 : self->room;

	self->room = room * 2 < self->most ? room * 2 : self->most;
	return room;
}

void lookahead_succeeded(struct lookahead *self)
{
	self->room = 1;
	self->bad = false;
}

void lookahead_clear(struct lookahead *self)
{
	arena_reset(&self->arena);
	self->n = 0;
	self->known = false;
}

int lookahead_count(const struct lookahead *self) { return self->n; }

struct adding {
	struct lookahead *self;
	const struct testcase *c;
};

static void add(void *context)
{
	const struct adding *x = context;
	struct lookahead *self = x->self;

	self->c[self->n] = testcase_copy(x->c, &self->arena);
	self->out[self->n] = NEW(&self->arena, struct answer, x->c->n_point);
	self->hash[self->n++] = testcase_hash(x->c);
}

bool lookahead_add(struct lookahead *self, const struct testcase *c)
{
	return self->n < self->most && arena_try(&self->arena, add, &(struct adding){self, c});
}

static void exchange(void *context)
{
	struct lookahead *self = context;
	struct incident incident; /* if a case is to blame, it shows when it is asked alone */

	engine_send(self->engine, self->c, self->n, &self->arena, self->out);
	self->known = engine_receive(self->engine, &incident);
	if (incident.status != ANSWER_OK) /* the process that is started next is no work of the search */
		self->bench->work -= WORK_PROCESS;
}

void lookahead_ask(struct lookahead *self)
{
	const double start = bench_clock();

	if (!arena_try(&self->arena, exchange, self))
		self->known = false;
	self->seconds = bench_clock() - start;
	self->bad = self->bad || !self->known;
}

static int place_of(const struct lookahead *self, const struct testcase *c)
{
	const uint64_t h = testcase_hash(c);
	int k = 0;

	while (k < self->n && (self->hash[k] != h || !testcase_equal(&self->c[k], c)))
		k++;
	return k;
}

bool lookahead_has(const struct lookahead *self, const struct testcase *c) { return place_of(self, c) < self->n; }

const struct answer *lookahead_answers(const struct lookahead *self, const struct testcase *c)
{
	const int k = place_of(self, c);

	return self->known && k < self->n ? self->out[k] : NULL;
}

double lookahead_seconds(const struct lookahead *self) { return self->seconds; }
