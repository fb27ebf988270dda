/* remainder.c: see remainder.h. */
#include "remainder.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "engines/engine.h"
#include "fuzz/bench/question.h"
#include "fuzz/minimize/simplest.h"
#include "graph/heap.h"
#include "graph/walk.h"

enum { MOST_SLICES = 16, REMAINDER_ARENA = 256 << 20 };

struct remainder *remainder_of(struct triage *self, int which)
{
	const struct oracle_options oracle = {.seed = self->seed, .fd_one_in = INT_MAX};
	struct remainder *rest;
	struct error e = {0};

	if (!self->remainder)
		self->remainder = heap_new(BENCH_ENGINES, sizeof *self->remainder);
	rest = &self->remainder[which];
	if (rest->open)
		return rest;
	rest->primal = engine_open("tape", &e);
	if (!rest->primal)
		return NULL;
	if (!bench_open_again(&rest->bench, self->spec[which], self->right_on, &oracle, self->deadline, &e)) {
		engine_close(rest->primal);
		return NULL;
	}
	arena_init(&rest->arena, REMAINDER_ARENA);
	rest->open = true;
	return rest;
}

bool remainder_spelled_alike(struct triage *self, int which, const struct symptom *s, const struct testcase *c)
{
	static const struct spelled first = {{0}};
	struct remainder *rest;
	struct spelled own;

	if (!c->variant && !memcmp(&s->spelled, &first, sizeof first))
		return true;
	rest = remainder_of(self, which);
	own = rest ? engine_spelled(rest->bench.engine[0], c, &rest->arena) : first;
	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);)
		if (pattern_hangs_on(&s->pattern, w.node) && own.at[w.node->op] != s->spelled.at[w.node->op])
			return false;
	return own.at[SPELLED_REQUEST] == s->spelled.at[SPELLED_REQUEST];
}

/* Makes *s the smaller case c, which shows judgement *j. */
static void becomes(
    struct shown *s, struct remainder *rest, const char *engine, const struct testcase *c, const struct judgement *j)
{
	struct testcase *left = NEW(&rest->arena, struct testcase, 1);

	*left = *c;
	s->c = left;
	s->seen = NULL;
	s->point = j->point;
	s->verdict = j->verdict;
	s->signature = signature_coarse(engine, left, j, &rest->arena);
}

/* The point of *s that fails, alone. */
static struct testcase failing_point(struct remainder *rest, const struct shown *s)
{
	struct testcase c = *s->c;

	c.point += s->point;
	c.n_point = 1;
	c = testcase_copy(&c, &rest->arena);
	c.n_expect = 0;
	return c;
}

/* Whether the engine fails on c, as *j says.  An engine from outside is judged whatever work is left: comparing it
 * would cost as much. */
static enum left judge_left(struct remainder *rest, const struct testcase *c, struct judgement *j)
{
	const struct question rough = {.bench = &rest->bench, .rough = true}, full = {.bench = &rest->bench};

	if (!engine_hello(rest->bench.engine[0])) {
		if (!case_shows(c, &rough, &rest->arena, NULL))
			return LEFT_RIGHT;
		if (!rest->granted)
			return LEFT_UNKNOWN;
	}
	return case_shows(c, &full, &rest->arena, j) ? LEFT_FAILING : LEFT_RIGHT;
}

enum left remainder_without(
    struct remainder *rest, const char *engine, cut_node_fn *is_cut, const void *context, struct shown *s)
{
	struct edit e = {.c = failing_point(rest, s), .arena = &rest->arena, .primal = rest->primal};
	struct judgement j;
	enum left left;

	if (!cut_nodes(&e, is_cut, context) || !edit_finish(&e, true))
		return LEFT_AS_IT_WAS;
	left = judge_left(rest, &e.c, &j);
	if (left == LEFT_FAILING)
		becomes(s, rest, engine, &e.c, &j);
	return left;
}

enum left remainder_quiet(struct remainder *rest, const char *engine, const struct quiet *quiet, struct shown *s)
{
	struct edit e = {.c = failing_point(rest, s), .arena = &rest->arena};
	struct judgement j;
	enum left left;

	if (!quiet_make(&e, quiet) || !edit_finish(&e, false))
		return LEFT_AS_IT_WAS;
	left = judge_left(rest, &e.c, &j);
	if (left == LEFT_FAILING)
		becomes(s, rest, engine, &e.c, &j);
	return left;
}

bool remainder_fails_in_slice(struct remainder *rest, const char *engine, struct shown *s)
{
	for (int k = 0; k < MOST_SLICES; k++) {
		struct edit e = {.c = failing_point(rest, s), .arena = &rest->arena, .primal = rest->primal};
		struct judgement j;

		if (pass_keep_slice(&e, k) != EDIT_TRY)
			return false;
		if (!edit_finish(&e, false) || judge_left(rest, &e.c, &j) != LEFT_FAILING)
			continue;
		becomes(s, rest, engine, &e.c, &j);
		return true;
	}
	return false;
}

bool remainder_write_out(struct remainder *rest, struct shown *s)
{
	const struct question any = {.bench = &rest->bench};
	struct testcase *one = NEW(&rest->arena, struct testcase, 1), *out = NEW(&rest->arena, struct testcase, 1);

	*one = failing_point(rest, s);
	if (!written_alike(&any, one, &rest->arena, out))
		return false;
	s->c = out;
	s->point = 0;
	return true;
}

void triage_close_remainders(struct triage *self)
{
	for (int k = 0; self->remainder && k < BENCH_ENGINES; k++) {
		struct remainder *rest = &self->remainder[k];

		if (!rest->open)
			continue;
		bench_close(&rest->bench);
		engine_close(rest->primal);
		arena_free(&rest->arena);
	}
	free(self->remainder);
}
