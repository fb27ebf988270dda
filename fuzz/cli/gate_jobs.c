/* gate_jobs.c: see gate_jobs.h. */
#include "gate_jobs.h"

#include <stdlib.h>

#include "commands.h"
#include "fuzz/bench/packed.h"
#include "fuzz/bench/pool.h"
#include "fuzz/bench/stop.h"
#include "gate_wire.h"
#include "graph/heap.h"

struct gate_work {
	const struct gate_jobs *o;
	gate_case_fn *each;
	void *self;
	struct gate_judge judge;
	struct arena arena; /* of the result that is handed on */
};

/* ---- where files are judged ---- */

static bool open_judge(void *self)
{
	struct gate_work *w = self;

	return gate_judge_open(&w->judge, w->o->specs, w->o->strict, w->o->twins);
}

static void judge_file(void *self, int k, struct text *result)
{
	struct gate_work *w = self;
	struct gate_case x;

	gate_judge_case(&w->judge, w->o->path[k], result->arena, &x);
	gate_wire_put(result, &x);
}

/* What happened to the processes of each engine, and what it calls itself. */
static void close_judge(void *self, struct text *last)
{
	struct gate_work *w = self;

	for (int i = 0; i < w->o->specs->n && i < w->judge.n_engine; i++) {
		const struct engine *engine = w->judge.engine[i];
		const struct engine_trouble t = account_trouble(engine, (struct engine_trouble){0});

		pack_bytes(last, &t, sizeof t);
		pack_text(last, engine_hello(engine) ? engine_version(engine, last->arena) : "");
	}
	gate_judge_close(&w->judge);
}

/* ---- where results come together ---- */

static bool take_result(void *self, int k, const char *bytes, size_t len, const char *lost)
{
	struct gate_work *w = self;
	struct ci_outcome error = {
	    .state = CI_ERROR, .path = w->o->path[k], .message = lost ? lost : "its result came back unreadable"};
	struct gate_case x;

	arena_reset(&w->arena);
	if (lost || !gate_wire_read(bytes, len, &w->arena, &x)) {
		complain("%s: %s", error.path, error.message);
		x = (struct gate_case){.code = EXIT_OURS, .n = 1, .at = &error};
	}
	w->each(w->self, k, &x);
	return true;
}

static void take_troubles(void *self, const char *bytes, size_t len)
{
	struct gate_work *w = self;
	struct packed r = {bytes, bytes + len, &w->arena, true};

	for (int i = 0; i < w->o->specs->n; i++) {
		struct engine_trouble t;
		const char *version;

		unpack_bytes(&r, &t, sizeof t);
		w->o->trouble[i] = account_trouble_sum(w->o->trouble[i], t);
		version = unpack_text(&r);
		if (*version)
			w->o->version[i] = arena_printf(w->o->arena, "%s", version);
	}
}

int gate_judge_all(const struct gate_jobs *o, gate_case_fn *each, void *self)
{
	struct gate_work *w = heap_new(1, sizeof *w);
	bool good;

	*w = (struct gate_work){.o = o, .each = each, .self = self};
	arena_init(&w->arena, COMMAND_ARENA);
	good = pool_run(&(struct pool_work){.n = o->n,
	    .jobs = o->jobs,
	    .self = w,
	    .open = open_judge,
	    .item = judge_file,
	    .close = close_judge,
	    .take = take_result,
	    .take_last = take_troubles});
	arena_free(&w->arena);
	free(w);
	return good ? -1 : stop_requested() ? complain_about_stop("gate") : EXIT_OURS;
}
