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
	int most, room, n, asked; /* the first `asked` of the n cases were asked */
	uint64_t *hash;           /* [most]; of the cases */
	struct testcase *c;       /* [most] */
	struct answer **out;      /* [most]; in the arena */
	bool *known;              /* [most]; the answers have come */
	bool bad;                 /* a request ended badly since the last success */
	double seconds;
};

struct lookahead *lookahead_open(struct bench *b, struct engine *engine, int requests)
{
	struct lookahead *self;

	if (engine_cases(engine) == 1)
		return NULL;
	self = heap_new(1, sizeof *self);
	self->bench = b;
	self->engine = engine;
	self->most = requests * engine_cases(engine);
	self->room = 1;
	self->hash = heap_new((size_t)self->most, sizeof *self->hash);
	self->c = heap_new((size_t)self->most, sizeof *self->c);
	self->out = heap_new((size_t)self->most, sizeof *self->out);
	self->known = heap_new((size_t)self->most, sizeof *self->known);
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
	free(self->known);
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
	self->n = self->asked = 0;
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
	self->known[self->n] = false;
	self->hash[self->n++] = testcase_hash(x->c);
}

bool lookahead_add(struct lookahead *self, const struct testcase *c)
{
	return self->n < self->most && arena_try(&self->arena, add, &(struct adding){self, c});
}

struct exchange {
	struct lookahead *self;
	int first, n;
	bool known;
};

static void exchange(void *context)
{
	struct exchange *x = context;
	struct lookahead *self = x->self;
	struct incident incident; /* if a case is to blame, it shows when it is asked alone */

	engine_send(self->engine, self->c + x->first, x->n, &self->arena, self->out + x->first);
	x->known = engine_receive(self->engine, &incident);
	if (incident.status != ANSWER_OK) /* the process that is started next is no work of the search */
		self->bench->work -= WORK_PROCESS;
}

void lookahead_ask(struct lookahead *self)
{
	const double start = bench_clock();
	const int at_once = engine_cases(self->engine);

	while (self->asked + 1 < self->n) {
		const int left = self->n - self->asked;
		struct exchange x = {self, self->asked, left < at_once ? left : at_once, false};

		if (!arena_try(&self->arena, exchange, &x))
			x.known = false;
		for (int k = 0; k < x.n; k++)
			self->known[self->asked++] = x.known;
		self->bad = self->bad || !x.known;
	}
	self->seconds = bench_clock() - start;
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

	return k < self->n && self->known[k] ? self->out[k] : NULL;
}

double lookahead_seconds(const struct lookahead *self) { return self->seconds; }
