/* points.c: experiments that run the same program again, at other points, and with other dtypes, shapes and batches. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/walk.h"
#include "fuzz/generate/choice.h"
#include "fuzz/generate/generator.h"
#include "lab.h"
#include "lab_edit.h"

/* ---- runs ---- */

enum { RUNS = 10, FRESH_RUNS = 2 };

void experiment_runs(struct lab *l)
{
	const struct oracle_options o = {.seed = 1, .fd_one_in = INT32_MAX};

	lab_columns(l, (const char *const[]){"run", "engine"}, 2);
	for (int k = 0; k < RUNS; k++)
		lab_again(l, l->bench, (const char *const[]){LAB_TEXT(l, "%d", k + 1), "the same"});
	for (int k = 0; k < FRESH_RUNS; k++) {
		struct bench fresh;

		if (!bench_open(&fresh, &l->spec, 1, &o, NULL))
			return;
		lab_again(l, &fresh, (const char *const[]){LAB_TEXT(l, "%d", RUNS + k + 1), "started anew"});
		bench_close(&fresh);
	}
}

/* ---- single points ---- */

void experiment_single_points(struct lab *l)
{
	const struct oracle_options o = {.seed = 1, .fd_one_in = INT32_MAX};

	lab_columns(l, (const char *const[]){"point", "engine"}, 2);
	l->apart = true; /* an engine that was asked before may answer otherwise */
	for (int k = 0; l->base->n_point > 1 && k < l->base->n_point; k++) {
		struct bench fresh;
		struct edit e;

		if (!bench_open(&fresh, &l->spec, 1, &o, NULL))
			break;
		e = lab_edit(l);
		e.c.point[0] = e.c.point[k];
		e.c.n_point = 1;
		lab_try_with(l, &fresh, &e, (const char *const[]){LAB_TEXT(l, "%d", k), "started anew"});
		bench_close(&fresh);
	}
	l->apart = false;
}

/* ---- points ---- */

/* Sets element i to x + step * i. */
static void set_input(struct edit *e, int input, double x, double step)
{
	for (int p = 0; p < e->c.n_point; p++) {
		struct tensor *t = &e->c.point[p][input];

		for (int i = 0, n = shape_elements(&t->type.shape); i < n; i++)
			edit_round(t->type.dtype, x + step * i, &t->at[i]);
	}
}

/* Sets one input; -1: all differentiated inputs. */
static void try_point(struct lab *l, int input, double x)
{
	struct edit e = lab_edit(l);
	const struct transform *t = request_outermost(e.c.transform, e.c.n_transform);
	char name[24] = "all";

	if (input >= 0) {
		snprintf(name, sizeof name, "%d", input);
		set_input(&e, input, x, 0);
	}
	for (int i = 0; input < 0 && t && i < t->n_wrt; i++)
		if (lab_is_float_input(&e, t->wrt[i]))
			set_input(&e, t->wrt[i], x, 0);
	lab_try(l, &e, (const char *const[]){LAB_TEXT(l, "%s", name), lab_number(l, x)});
}

/* A geometric sweep towards 0 from both sides, and values that a person would try. */
static const double sweep[] = {
    0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 10, 0, -0.001, -0.01, -0.1, -0.5, -1, -2, -4};
enum { SWEEP = sizeof sweep / sizeof *sweep, TOWARDS = 3, ALONE = 4 };

void experiment_points(struct lab *l)
{
	const struct transform *t = request_outermost(l->base->transform, l->base->n_transform);
	struct edit e = lab_edit(l);
	double landmark[POINT_LANDMARKS];
	int n_landmark = program_landmarks(&l->base->program, landmark), floats = 0;

	lab_columns(l, (const char *const[]){"input", "x"}, 2);
	for (int i = 0; t && i < t->n_wrt; i++)
		floats += lab_is_float_input(&e, t->wrt[i]);
	if (!floats)
		return;
	for (int k = 0; k < SWEEP; k++)
		try_point(l, -1, sweep[k]);
	for (int k = 0; k < n_landmark; k++)
		for (int d = 0; d <= 2 * TOWARDS; d++)
			try_point(l, -1, landmark[k] + (d % 2 ? -1 : 1) * (d ? pow(10, -(d + 1) / 2) : 0));
	for (int i = 0; floats > 1 && i < t->n_wrt && i < ALONE; i++)
		for (int k = 0; k < SWEEP; k++)
			if (lab_is_float_input(&e, t->wrt[i]))
				try_point(l, t->wrt[i], sweep[k]);
}

/* ---- seeds ---- */

static void draw(struct tensor *t, struct choice *c)
{
	for (int i = 0, n = shape_elements(&t->type.shape); i < n; i++)
		if (dtype_is_float(t->type.dtype))
			edit_round(t->type.dtype, choice_between(c, -192, 192) / 64.0, &t->at[i]);
}

void experiment_seeds(struct lab *l)
{
	static const uint64_t seeds[] = {1, 2, 42, 3, 4, 5};

	lab_columns(l, (const char *const[]){"seed", "drawn"}, 2);
	for (int k = 0; k < 2 * (int)(sizeof seeds / sizeof *seeds); k++) {
		struct choice c = choice_seeded(seeds[k / 2]);
		struct edit e = lab_edit(l);
		const bool points = k % 2;

		for (int p = 0; points && p < e.c.n_point; p++)
			for (int i = 0; i < e.c.program.top.n_param; i++)
				draw(&e.c.point[p][i], &c);
		for (int t = 0; t < e.c.n_transform; t++)
			for (int i = 0; i < e.c.transform[t].n_seed; i++)
				draw(&e.c.transform[t].seed[i], &c);
		lab_try(l, &e,
		    (const char *const[]){
		        LAB_TEXT(l, "%d", (int)seeds[k / 2]), points ? "point and direction" : "direction"});
	}
}

/* ---- dtypes and shapes ---- */

static void map_dtypes(struct edit *e, enum dtype d)
{
	struct program *p = &e->c.program;
	struct site s;

	for (int i = 0; i < p->top.n_param; i++)
		if (dtype_is_float(p->type[p->top.param + i].dtype))
			p->type[p->top.param + i].dtype = d;
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);) {
		struct attrs *a = &s.node->attrs;

		if (s.node->op == OP_CONSTANT && dtype_is_float(a->value.type.dtype)) {
			a->value.type.dtype = d;
			for (int i = 0, n = shape_elements(&a->value.type.shape); i < n; i++)
				edit_round(d, a->value.at[i].f, &a->value.at[i]);
		}
		if ((op_table[s.node->op].attrs & ATTR_DTYPE) && dtype_is_float(a->dtype))
			a->dtype = d;
	}
}

void experiment_dtypes(struct lab *l)
{
	const struct engine_scope scope = engine_scope(l->bench->engine[0]);

	lab_columns(l, (const char *const[]){"dtype"}, 1);
	for (int d = 0; d < DTYPE_COUNT; d++) {
		struct edit e = lab_edit(l);

		if (!dtype_is_float((enum dtype)d) || !scope.dtype[d])
			continue;
		map_dtypes(&e, (enum dtype)d);
		lab_try(l, &e, (const char *const[]){dtype_table[d].name});
	}
}

static bool all_scalars(const struct program *p)
{
	for (int v = 0; v < p->n_value; v++)
		if (p->type[v].shape.rank)
			return false;
	return true;
}

/* Element i is the number of the case plus i steps, so that elements differ and the first one stays. */
static struct tensor spread(struct arena *a, const struct tensor *from, const struct shape *shape, double step)
{
	struct type type = {from->type.dtype, *shape};
	struct tensor t = tensor_new(a, &type);

	for (int i = 0, n = shape_elements(shape); i < n; i++)
		edit_round(type.dtype, from->at[0].f + step * i, &t.at[i]);
	return t;
}

static void lift(struct edit *e, const struct shape *shape)
{
	struct program *p = &e->c.program;
	struct site s;

	for (int i = 0; i < p->top.n_param; i++) {
		if (!dtype_is_float(p->type[p->top.param + i].dtype))
			continue;
		p->type[p->top.param + i].shape = *shape;
		for (int k = 0; k < e->c.n_point; k++)
			e->c.point[k][i] = spread(e->arena, &e->c.point[k][i], shape, 0.3125);
	}
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);)
		if (s.node->op == OP_CONSTANT && dtype_is_float(s.node->attrs.value.type.dtype))
			s.node->attrs.value = spread(e->arena, &s.node->attrs.value, shape, 0);
}

void experiment_shapes(struct lab *l)
{
	static const struct shape shapes[] = {{0, {0}}, {1, {1}}, {1, {4}}, {2, {2, 3}}, {3, {2, 1, 3}}, {1, {0}}};

	lab_columns(l, (const char *const[]){"shape"}, 1);
	if (!all_scalars(&l->base->program))
		return;
	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
		struct edit e = lab_edit(l);
		struct type t = {DTYPE_F64, shapes[k]};
		char text[TYPE_TEXT];

		if (shapes[k].rank)
			lift(&e, &shapes[k]);
		lab_try(l, &e, (const char *const[]){LAB_TEXT(l, "%s", type_print(&t, text) + 3)});
	}
}

/* ---- batches ---- */

enum { BATCH = 3 };

/* Adds a batch as innermost or outermost level.  The differentiated inputs gain an axis along which they differ. */
static void try_batch(struct lab *l, bool inside)
{
	struct edit e = lab_edit(l);
	struct testcase *c = &e.c;
	const struct transform *outermost = request_outermost(c->transform, c->n_transform);
	struct transform *list = NEW(e.arena, struct transform, c->n_transform + 1);
	struct transform batch = {.kind = TRANSFORM_BATCH, .size = BATCH};

	if (!outermost || c->n_transform == LIMIT_TRANSFORMS)
		return;
	batch.wrt = outermost->wrt;
	batch.n_wrt = outermost->n_wrt;
	memcpy(list + inside, c->transform, (size_t)c->n_transform * sizeof *list);
	list[inside ? 0 : c->n_transform] = batch;
	for (int i = 0; i < batch.n_wrt; i++)
		for (int p = 0; p < c->n_point; p++) {
			struct tensor *x = &c->point[p][batch.wrt[i]];
			struct type type = x->type;
			int n = shape_elements(&x->type.shape);
			struct tensor t;

			if (!shape_stack(&type.shape, BATCH))
				return;
			t = tensor_new(e.arena, &type);
			for (int k = 0; k < BATCH * n; k++)
				if (dtype_is_float(type.dtype))
					edit_round(type.dtype, x->at[k % n].f + 0.3125 * (k / n), &t.at[k]);
				else
					t.at[k] = x->at[k % n];
			*x = t;
		}
	c->transform = list;
	c->n_transform++;
	lab_try(l, &e, (const char *const[]){inside ? "the gradient of a batch" : "a batch of gradients"});
}

/* Each slice of each batch of the request alone, without that batch. */
static void try_slices(struct lab *l)
{
	for (int t = 0; t < l->base->n_transform; t++)
		for (int k = 0; k < l->base->transform[t].size; k++) {
			struct edit e = lab_edit(l);

			edit_keep_slice(&e, t, k);
			lab_try(
			    l, &e, (const char *const[]){LAB_TEXT(l, "slice %d alone, without batch level %d", k, t)});
		}
}

void experiment_batches(struct lab *l)
{
	lab_columns(l, (const char *const[]){"request"}, 1);
	if (lab_batched(l)) {
		try_slices(l);
		return;
	}
	try_batch(l, false);
	try_batch(l, true);
}

/* ---- neighbours ---- */

enum {
	NEIGHBOURS = 500, /* in the table */
	SAMPLES = 1000,   /* further ones, which only count for the condition */
	TYPICAL = 500     /* further ones of the typical case */
};

/* Makes variant number k of a case in l->scratch; false if its request differs from that of the base. */
static bool neighbour(struct lab *l, const struct testcase *of, int k, struct testcase *t)
{
	const struct profile profile = profile_default();
	struct choice c = choice_seeded(seed_mix(testcase_hash(of), (uint64_t)k + 1));

	arena_reset(&l->scratch);
	*t = mutate(of, &c, &profile, &l->scratch);
	return lab_same_request(l, t);
}

void experiment_neighbours(struct lab *l)
{
	const bool kills = lab_kills(l);
	struct testcase t;

	lab_columns(l, (const char *const[]){"draw", "ops"}, 2);
	l->until += (int64_t)(LAB_WORK_NEIGHBOURS - 1) * LAB_WORK;
	l->bounded = true;
	for (int k = 0; k < NEIGHBOURS && !lab_over(l); k++)
		if (neighbour(l, l->base, k, &t)) {
			struct edit e = lab_edit_of(l, &t);

			lab_try(l, &e, (const char *const[]){LAB_TEXT(l, "%d", k + 1), lab_ops(l, &e)});
		}
	for (int k = NEIGHBOURS; k < NEIGHBOURS + SAMPLES && !lab_over(l) && !kills; k++)
		if (neighbour(l, l->base, k, &t))
			lab_sample(l, &t);
	explanation_aside(l->explain, true, true);
	for (int k = 0; k < TYPICAL && l->typical != l->base && !lab_over(l) && !kills; k++)
		if (neighbour(l, l->typical, k, &t))
			lab_sample(l, &t);
	explanation_aside(l->explain, false, true);
	l->bounded = false;
}
