/* facts_batch.c: whether the slices of a batch take one path. */
#include "engines/aot/interpret.h"
#include "engines/aot/lower.h"
#include "facts.h"
#include "fuzz/edit/edit.h"

/* The place of the first batch of the request; -1: there is none. */
static int first_batch(const struct testcase *c)
{
	for (int t = 0; t < c->n_transform; t++)
		if (c->transform[t].kind == TRANSFORM_BATCH)
			return t;
	return -1;
}

/* The case of that slice of the first batch, and of the first slice of others. */
static struct testcase slice_of(const struct testcase *c, int which, struct arena *a)
{
	const int batch = first_batch(c);
	struct edit e = {.c = testcase_copy(c, a), .arena = a};

	for (int t = c->n_transform - 1; t >= 0; t--)
		if (c->transform[t].kind == TRANSFORM_BATCH)
			edit_keep_slice(&e, t, t == batch ? which : 0);
	return e.c;
}

struct path {
	const struct program *p;
	uint64_t hash;  /* of the regions that were entered */
	int iterations; /* of all loops together */
};

static void watch_path(void *self, const struct region *region, const struct node *n, const struct tensor *value)
{
	struct path *path = self;
	const struct region *r;
	uint64_t number = 0;

	(void)value;
	if (n)
		return;
	for (struct walk w = walk_nodes(&path->p->top); (r = walk_region(&w)) && r != region;)
		number++;
	for (struct walk w = walk_nodes(&path->p->top); walk_next(&w);)
		path->iterations += node_loop(w.node).body == region;
	path->hash = path->hash * 31 + number + 1;
}

static struct path path_of(const struct testcase *c, const struct program *lowered, int point, struct arena *a)
{
	struct path path = {.p = lowered, .hash = 1};
	const struct interpret_observer observer = {&path, watch_path};
	struct tensor input[LIMIT_ARGS], result[LIMIT_ARGS];

	for (int i = 0; i < lowered->top.n_param; i++)
		input[i] = (struct tensor){lowered->type[lowered->top.param + i], c->point[point][i].at};
	interpret_observed(lowered, input, &observer, a, result);
	return path;
}

void facts_of_batch(struct facts *f)
{
	const struct program *p = &f->c->program;
	const int batch = first_batch(f->c);
	struct program plain, lowered;

	if (batch < 0 || region_has_op(&p->top, OP_DERIVATIVE))
		return;
	plain = lower_customs(p, DERIVATIVE_COUNT, f->arena);
	lowered = lower_fixed_points(&plain, false, f->arena);
	for (int k = 0; k < f->c->n_point; k++) {
		struct path first = {.hash = 0};

		for (int s = 0; s < f->c->transform[batch].size; s++) {
			const struct arena_mark mark = arena_mark(f->arena);
			const struct testcase slice = slice_of(f->c, s, f->arena);
			const struct path path = path_of(&slice, &lowered, k, f->arena);

			arena_rewind(f->arena, mark);
			first = s ? first : path;
			f->at[FEATURE_SLICE_PATHS_DIFFER] |= path.hash != first.hash;
			f->at[FEATURE_SLICE_RUNS_LONGER] |= path.iterations > first.iterations;
		}
	}
}
