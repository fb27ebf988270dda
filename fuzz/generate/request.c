/* request.c: draws the request of a program, level by level. */
#include "generator.h"

/* Draws no choice if the answer is no anyway.  So profiles with requests of one level draw the same cases as they
 * always did. */
static bool chance(struct choice *c, int percent) { return percent && choice_percent(c, percent); }

struct tensor gen_seed(struct choice *c, const struct profile *p, const struct type *t, struct arena *a)
{
	static const double usual[] = {1, -1.5, 0.75, 2, -0.5, 1.25, -0.25, -2, 3, 0.5, -1.25, 1.5};
	struct tensor seed = tensor_new(a, t);
	int n = shape_elements(&t->shape);
	bool full = choice_percent(c, 50), nonzero = false;

	if (!dtype_is_float(t->dtype))
		return seed;
	for (int i = 0; i < n; i++) {
		double x = usual[choice_below(c, (int)(sizeof(usual) / sizeof(*usual)))];

		if (choice_percent(c, p->seed_special))
			x = choice_below(c, 2);
		else if (full)
			x = dtype_round(
			    t->dtype, (x < 0 ? -0.25 : 0.25) * (1 + 7 * ((double)(choice_bits(c) >> 11) * 0x1p-53)));
		seed.at[i].f = x;
		nonzero |= x != 0;
	}
	if (n && !nonzero && chance(c, p->live))
		seed.at[choice_below(c, n)].f = usual[choice_below(c, (int)(sizeof(usual) / sizeof(*usual)))];
	return seed;
}

/* Picks the inputs to differentiate: all floats or a strict subset, sometimes integers too. */
static int pick_wrt(struct choice *c, const struct profile *p, const struct program *program, int wrt[LIMIT_ARGS])
{
	int n_input = program->top.n_param, floats = 0, keep = -1, n = 0;
	bool strict;

	for (int i = 0; i < n_input; i++)
		floats += dtype_is_float(program->type[i].dtype);
	strict = floats > 1 && choice_percent(c, p->wrt_strict);
	if (strict)
		keep = choice_below(c, floats);
	for (int i = 0, k = 0, left = floats; i < n_input; i++) {
		if (!dtype_is_float(program->type[i].dtype)) {
			if (choice_percent(c, p->wrt_integer) || !floats)
				wrt[n++] = i;
			continue;
		}
		/* Strict: `keep` is in, its successor is out, and chance decides the others. */
		left--;
		if (!strict || k == keep || (k != (keep + 1) % floats && choice_percent(c, 50)))
			wrt[n++] = i;
		k++;
	}
	return n;
}

/* ---- levels ---- */

struct request_plan gen_request_plan(struct choice *c, const struct profile *p)
{
	static const int places[] = {40, 40, 10, 10};
	struct request_plan plan = {.order = 1};

	if (chance(c, p->order_third))
		plan.order = 3;
	else if (chance(c, p->order_second))
		plan.order = 2;
	if (!chance(c, p->batch))
		return plan;
	switch (choice_weighted(c, places, 4)) {
	case 0:
		plan.inside = true;
		break;
	case 1:
		plan.outside = true;
		break;
	case 2:
		plan.inside = true;
		plan.outside = plan.order < LIMIT_TRANSFORMS - 1;
		break;
	default:
		plan.between = plan.order > 1;
		plan.inside = plan.order == 1;
	}
	return plan;
}

static int at_most(int x, int limit) { return x < limit ? x : limit; }

struct profile gen_request_profile(const struct profile *p, const struct request_plan *plan)
{
	struct profile out = *p;

	if (plan->order == 1 && !plan->inside && !plan->outside)
		return out;
	out.bare = p->stack_bare;
	if (plan->order > 1)
		out.bare_followed = p->stack_followed;
	out.ops_max = at_most(out.ops_max, plan->order > 2 ? p->stack_ops / 2 : p->stack_ops);
	out.ops_min = at_most(out.ops_min, (out.ops_max + 1) / 2);
	out.elements = at_most(out.elements, p->stack_elements);
	out.work = at_most(out.work, p->stack_work);
	out.trip_large = 0;
	out.rank4 = 0;
	if (plan->order > 2) {
		out.trip_medium = 0;
		out.rank1 = at_most(out.rank1, 5);
		out.rank2 = out.rank3 = 0;
	}
	return out;
}

/* Appends a level, unless it would exceed a limit. */
static void push(struct testcase *t, struct signature *s, const struct transform *level)
{
	struct signature next = *s;

	if (!request_apply(&next, level, NULL))
		return;
	*s = next;
	t->transform[t->n_transform++] = *level;
}

static void push_derivative(
    struct choice *c, const struct profile *p, int jvp, struct testcase *t, struct signature *s, struct arena *a)
{
	struct transform level = {.kind = choice_percent(c, jvp) ? TRANSFORM_JVP : TRANSFORM_VJP};
	struct type type[LIMIT_ARGS];
	int wrt[LIMIT_ARGS];

	level.n_wrt = pick_wrt(c, p, &t->program, wrt);
	level.wrt = arena_copy(a, wrt, (size_t)level.n_wrt, sizeof(*wrt));
	level.n_seed = request_seeds(s, &level, type);
	level.seed = NEW(a, struct tensor, level.n_seed);
	for (int i = 0; i < level.n_seed; i++)
		level.seed[i] = gen_seed(c, p, &type[i], a);
	push(t, s, &level);
}

struct transform gen_batch(struct choice *c, int n_input, struct arena *a)
{
	static const int sizes[] = {10, 45, 30, 15};
	struct transform level = {.kind = TRANSFORM_BATCH, .wrt = NEW(a, int, n_input)};
	int one = choice_below(c, n_input);

	level.size = 1 + choice_weighted(c, sizes, 4);
	for (int i = 0; i < n_input; i++)
		if (i == one || choice_percent(c, 60))
			level.wrt[level.n_wrt++] = i;
	return level;
}

void gen_request(
    struct choice *c, const struct profile *p, const struct request_plan *plan, struct testcase *t, struct arena *a)
{
	struct signature s = request_base(&t->program);

	t->n_transform = 0;
	t->transform = NEW(a, struct transform, LIMIT_TRANSFORMS);
	for (int k = 0; k < plan->order; k++) {
		bool outermost = k == plan->order - 1;

		if ((!k && plan->inside) || (k == 1 && plan->between)) {
			struct transform batch = gen_batch(c, s.n_input, a);

			push(t, &s, &batch);
		}
		push_derivative(c, p, outermost ? p->jvp : 50, t, &s, a);
	}
	if (plan->outside) {
		struct transform batch = gen_batch(c, s.n_input, a);

		push(t, &s, &batch);
	}
}

void gen_request_stack(struct choice *c, const struct profile *p, const enum transform_kind *stack, int n,
    struct testcase *t, struct arena *a)
{
	struct signature s = request_base(&t->program);

	t->n_transform = 0;
	t->transform = NEW(a, struct transform, LIMIT_TRANSFORMS);
	for (int k = 0; k < n; k++) {
		if (stack[k] == TRANSFORM_BATCH) {
			struct transform batch = gen_batch(c, s.n_input, a);

			push(t, &s, &batch);
		} else {
			push_derivative(c, p, stack[k] == TRANSFORM_JVP ? 100 : 0, t, &s, a);
		}
	}
}
