/* cells.c: the columns of a sweep, and the cases that are drawn for a cell. */
#include "cells.h"

#include <stdio.h>

#include "engines/process/hello.h"
#include "fuzz/bench/draw.h"
#include "graph/walk.h"

/* CONFORM_DRAWS: most programs drawn until one has the op.  DEEP_ORDER: the highest order of deep cases. */
enum { CONFORM_DRAWS = 400, CONFORM_OPS = 3, DEEP_ORDER = 2 };

const char *const point_class_names[POINTS_COUNT] = {"inside", "edge", "reused", "special"};

/* ---- columns ---- */

int stack_order(const enum transform_kind *stack, int n)
{
	int order = 0;

	for (int k = 0; k < n; k++)
		order += stack[k] != TRANSFORM_BATCH;
	return order;
}

static void add_columns(struct conform *m, const struct conform_options *o, const struct engine_scope *scope,
    const enum transform_kind *stack, int n)
{
	const int classes = o->deep && stack_order(stack, n) <= DEEP_ORDER ? POINTS_COUNT : POINTS_EDGE + 1;

	for (int d = 0; d < DTYPE_COUNT; d++)
		for (int p = 0; p < classes; p++) {
			struct conform_column *c = &m->column[m->n_column];
			size_t at = 0;

			if (!dtype_is_float((enum dtype)d) || !scope->dtype[d] || !o->dtype[d] ||
			    m->n_column == CONFORM_COLUMNS)
				continue;
			m->n_column++;
			*c = (struct conform_column){
			    .n_stack = n, .dtype = (enum dtype)d, .points = (enum point_class)p};
			c->number = p <= POINTS_EDGE ? m->n_drawn++ : m->n_drawn - 1 - POINTS_EDGE;
			snprintf(c->request, sizeof c->request, "primal");
			for (int k = 0; k < n; k++) {
				c->stack[k] = stack[k];
				at += (size_t)snprintf(c->request + at, sizeof c->request - at, "%s%s", k ? "," : "",
				    transform_names[stack[k]]);
			}
		}
}

/* Two levels of an engine that names no requests. */
static void add_second_order(struct conform *m, const struct conform_options *o, const struct engine_scope *scope,
    const struct engine_kind *kind)
{
	static const enum transform_kind both[] = {TRANSFORM_JVP, TRANSFORM_VJP};

	for (int below = 0; below < 2 && kind->order >= DEEP_ORDER; below++)
		for (int above = 0; above < 2; above++) {
			const enum transform_kind stack[] = {both[below], both[above]};
			const bool takes = both[above] == TRANSFORM_VJP
			    ? kind->vjp
			    : kind->jvp || (kind->jvp_over_vjp && both[below] == TRANSFORM_VJP);

			if (takes)
				add_columns(m, o, scope, stack, DEEP_ORDER);
		}
}

void conform_columns(struct conform *m, const struct conform_options *o, const struct engine *engine)
{
	static const enum transform_kind jvp = TRANSFORM_JVP, vjp = TRANSFORM_VJP;
	const struct engine_scope scope = engine_scope(engine);
	const struct engine_kind *kind = engine_kind(engine);
	const struct hello *h = engine_hello(engine);

	for (int k = 0; h && k < h->n_request; k++)
		if (h->request[k].n)
			add_columns(m, o, &scope, h->request[k].kind, h->request[k].n);
	if (h && h->n_request)
		return;
	if (kind->jvp)
		add_columns(m, o, &scope, &jvp, 1);
	if (kind->vjp)
		add_columns(m, o, &scope, &vjp, 1);
	if (o->deep)
		add_second_order(m, o, &scope, kind);
}

/* ---- cases ---- */

struct profile cell_profile(enum op op, const struct conform_column *column, const struct engine_scope *scope)
{
	static const enum op help[] = {OP_CONSTANT, OP_ADD, OP_MUL, OP_SIN, OP_RESHAPE, OP_BROADCAST_TO, OP_CAST,
	    OP_REDUCE_SUM, OP_ABS, OP_DYNAMIC_UPDATE_SLICE};
	/* Without these there is no body that converges, so no fixed point of meaning `solution`. */
	static const enum op converging[] = {OP_SUB, OP_DIV, OP_SQUARE, OP_TANH, OP_COS, OP_ATAN, OP_LOGISTIC};
	struct profile p = profile_default();

	p.ops_min = 1;
	p.ops_max = CONFORM_OPS;
	p.ops_low_precision = 100;
	p.body_ops_max = 2;
	p.dead_code = p.results_several = p.result_input = p.result_constant = p.result_integer = 0;
	p.points_several = p.point_equal = p.wrt_integer = 0;
	p.extent_empty = p.trip_medium = p.trip_large = 0;
	p.weight_large = p.weight_edge = p.unguarded = p.bare = 0;
	p.edge_point = column->points == POINTS_EDGE ? 100 : 0;
	p.f64 = column->dtype == DTYPE_F64;
	p.f32 = column->dtype == DTYPE_F32;
	p.bf16 = column->dtype == DTYPE_BF16;
	p.f16 = column->dtype == DTYPE_F16;
	if (scope->rank < 1)
		p.rank1 = 0;
	if (scope->rank < 2)
		p.rank2 = 0;
	p.rank3 = p.rank4 = 0;
	if (column->n_stack > 1) {
		p.elements = 6;
		p.work = 300;
	}
	for (int k = 0; k < OP_COUNT; k++)
		p.without[k] = k != (int)op && op_table[k].regularity != REGULARITY_DISCRETE;
	for (size_t k = 0; k < sizeof help / sizeof *help; k++)
		p.without[help[k]] = !scope->op[help[k]];
	for (size_t k = 0; op == OP_FIXED_POINT && k < sizeof converging / sizeof *converging; k++)
		p.without[converging[k]] = !scope->op[converging[k]];
	p.without[op] = false;
	if (op != OP_CAST)
		p.mix_dtype = p.weight_cast = 0;
	return p;
}

/* As draw, of cases that the engine knows or of any. */
static bool draw_from(const struct bench *b, enum op op, const struct conform_column *column, uint64_t seed, bool known,
    const struct profile *profile, struct arena *a, struct testcase *out)
{
	for (uint64_t k = 0; k < CONFORM_DRAWS; k++) {
		struct arena_mark mark = arena_mark(a);
		struct choice choice = choice_seeded(seed_mix(seed, k));

		*out = generate_stack(&choice, profile, column->stack, column->n_stack, a);
		if (region_has_op(&out->program.top, op) && out->n_transform == column->n_stack &&
		    (!known || bench_knows(b, out, a)))
			return true;
		arena_rewind(a, mark);
	}
	return false;
}

bool draw_case(const struct bench *b, const struct conform_options *o, enum op op, const struct conform_column *column,
    int number, const struct profile *profile, struct arena *a, struct testcase *out)
{
	const uint64_t seed = seed_mix(seed_mix(o->seed, (uint64_t)op), (uint64_t)(column->number * 1000 + number));

	return draw_from(b, op, column, seed, true, profile, a, out) ||
	    draw_from(b, op, column, seed, false, profile, a, out);
}

const char *conform_cell_name(const struct conform *m, enum op op, int column, struct arena *a)
{
	const struct conform_column *c = &m->column[column];

	return arena_printf(
	    a, "%s-%s-%s-%s", op_table[op].name, c->request, dtype_table[c->dtype].name, point_class_names[c->points]);
}

int conform_cell_cases(const struct conform_cell *cell)
{
	int sum = 0;

	for (int v = 0; v < VERDICT_COUNT; v++)
		sum += cell->cases[v];
	return sum;
}
