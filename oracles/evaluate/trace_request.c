/* trace_request.c: see trace_request.h. */
#include "trace_request.h"
#include "internal.h"
#include "trace_derive.h"

#include <math.h>

enum { ABSENT = -1 };

/* The outputs of a level, element by element. */
struct traced_level {
	struct signature types;
	int n_element, *scalar; /* ABSENT: zero, or an integer */
};

/* The present inputs or results of one derivation, with their seeds. */
struct ends {
	int n, *scalar, *seed, *element; /* [n]; element: the number in the outputs below, or in wrt */
};

static int elements_of(const struct type *t, int n)
{
	int total = 0;
	for (int k = 0; k < n; k++)
		total += shape_elements(&t[k].shape);
	return total;
}

static struct ends ends_new(struct arena *a, int room)
{
	return (struct ends){0, NEW(a, int, room + 1), NEW(a, int, room + 1), NEW(a, int, room + 1)};
}

static void add_end(struct ends *e, int scalar, int seed, int element)
{
	e->scalar[e->n] = scalar;
	e->seed[e->n] = seed;
	e->element[e->n++] = element;
}

/* The scalar of a seed. A zero seed makes no path: it is absent. */
static int seed_scalar(struct evaluation *ev, enum dtype d, double x)
{
	if (x == 0)
		return ABSENT;
	ev->part = TRACE_FLOW;
	int k = trace_leaf(ev, d, x);
	ev->part = TRACE_PROGRAM;
	return k;
}

/* The float elements of the inputs in wrt, each with a seed for a jvp. */
static struct ends inputs_of(struct evaluation *ev, const struct traced_level *below, const struct transform *t)
{
	struct type type[LIMIT_ARGS];
	for (int i = 0; i < t->n_wrt; i++)
		type[i] = below->types.input[t->wrt[i]];
	struct ends e = ends_new(ev->arena, elements_of(type, t->n_wrt));
	int element = 0;
	for (int i = 0; i < t->n_wrt; i++) {
		int n = shape_elements(&type[i].shape), first = ev->input_scalar[t->wrt[i]];
		for (int k = 0; k < n; k++, element++) {
			if (first < 0)
				continue;
			int seed = t->kind == TRANSFORM_JVP ? seed_scalar(ev, type[i].dtype, t->seed[i].at[k].f)
			                                    : ABSENT;
			if (t->kind == TRANSFORM_VJP || seed != ABSENT)
				add_end(&e, first + k, seed, element);
		}
	}
	return e;
}

/* The present outputs of the level below, each with a seed for a vjp. */
static struct ends results_of(struct evaluation *ev, const struct traced_level *below, const struct transform *t)
{
	struct ends e = ends_new(ev->arena, below->n_element);
	int element = 0;
	for (int i = 0; i < below->types.n_output; i++) {
		const struct type *type = &below->types.output[i];
		for (int k = 0; k < shape_elements(&type->shape); k++, element++) {
			if (below->scalar[element] == ABSENT)
				continue;
			int seed = t->kind == TRANSFORM_VJP ? seed_scalar(ev, type->dtype, t->seed[i].at[k].f) : ABSENT;
			if (t->kind == TRANSFORM_JVP || seed != ABSENT)
				add_end(&e, below->scalar[element], seed, element);
		}
	}
	return e;
}

static struct traced_level base_level(struct evaluation *ev, const struct program *p)
{
	struct traced_level out = {.types = request_base(p)};
	out.scalar = NEW(ev->arena, int, elements_of(out.types.output, out.types.n_output) + 1);
	for (int i = 0; i < out.types.n_output; i++)
		for (int k = 0; k < shape_elements(&out.types.output[i].shape); k++)
			out.scalar[out.n_element++] = dtype_is_float(out.types.output[i].dtype)
			    ? ev->result[i].at[k].scalar
			    : ABSENT;
	return out;
}

/* The tangent beside a value. If the value is unknown (NaN, for example), the tangent may be anything. */
static int beside(struct evaluation *ev, int value, int tangent)
{
	if (!isinf(trace_radius(ev, value)))
		return tangent;
	ev->part = TRACE_FLOW;
	if (tangent == ABSENT)
		tangent = trace_leaf(ev, ev->scalar[value].dtype, 0);
	int k = trace_uncertain(ev, ev->scalar[value].dtype, (const int[2]){tangent, value}, 2, value);
	ev->part = TRACE_PROGRAM;
	return k;
}

/* Builds the level above `below`. False if the limit is reached. */
static bool apply(struct evaluation *ev, const struct traced_level *below, const struct transform *t, int limit,
    struct traced_level *above)
{
	struct error unused;
	struct ends in = inputs_of(ev, below, t), results = results_of(ev, below, t);
	const struct stretch s = {
	    .n_input = in.n, .input = in.scalar, .n_result = results.n, .result = results.scalar, .limit = limit};
	bool vjp = t->kind == TRANSFORM_VJP;
	const struct ends *made = vjp ? &in : &results;
	int *out = NEW(ev->arena, int, made->n + 1);

	above->types = below->types;
	request_apply(&above->types, t, &unused);
	above->n_element = elements_of(above->types.output, above->types.n_output);
	above->scalar = NEW(ev->arena, int, above->n_element + 1);
	for (int k = 0; k < above->n_element; k++)
		above->scalar[k] = ABSENT;
	if (!(vjp ? trace_adjoints(ev, &s, results.seed, out) : trace_tangents(ev, &s, in.seed, out)))
		return false;
	for (int k = 0; k < made->n; k++)
		above->scalar[made->element[k]] = vjp ? out[k] : beside(ev, results.scalar[k], out[k]);
	return true;
}

int *trace_request(struct evaluation *ev, const struct testcase *c, int limit)
{
	struct traced_level level = base_level(ev, &c->program);
	for (int k = 0; k < c->n_transform; k++) {
		struct traced_level above;
		if (!apply(ev, &level, &c->transform[k], limit, &above))
			return NULL;
		level = above;
	}
	return level.scalar;
}
