/* stack.h: requests of several levels over the samples (samples.h), put to every engine. */
#ifndef TESTS_ENGINES_STACK_H
#define TESTS_ENGINES_STACK_H

#include "tests/engines/samples.h"

static const char *const specs[] = {"forward", "tape", "functional", "checkpointed", "parallel", "implicit", "aot"};
enum { ENGINES = sizeof specs / sizeof *specs };
static struct engine *engines[ENGINES];

/* Whether an engine answers requests of such levels. */
static inline bool knows(const struct engine *engine, const struct testcase *c, struct arena *a)
{
	return !engine_refuses(engine_kind(engine), c->transform, c->n_transform, a);
}

static inline struct transform make_transform(
    struct arena *a, enum transform_kind kind, const struct signature *s, const int *wrt, int n_wrt)
{
	struct transform t = {.kind = kind, .n_wrt = n_wrt, .wrt = arena_copy(a, wrt, (size_t)n_wrt, sizeof *wrt)};
	struct type type[LIMIT_ARGS];

	t.n_seed = request_seeds(s, &t, type);
	t.seed = NEW(a, struct tensor, t.n_seed);
	for (int k = 0; k < t.n_seed; k++)
		t.seed[k] = tensor_new(a, &type[k]);
	return t;
}

/* The direction of input k, element i, that all tests use. */
static inline double direction(int k, int i) { return .5 + .25 * k - .375 * i + .125 * i * i; }

static inline void fill_directions(struct transform *t)
{
	for (int k = 0; k < t->n_seed; k++)
		for (int i = 0; i < shape_elements(&t->seed[k].type.shape); i++)
			if (dtype_is_float(t->seed[k].type.dtype))
				t->seed[k].at[i].f = direction(k, i);
}

/*
 * Appends a transform of all inputs to c; seeds of a vjp of results are those that sample_case gave, others are
 * directions.
 */
static inline void push_transform(
    struct arena *a, struct testcase *c, enum transform_kind kind, const struct transform *given)
{
	const struct signature s = testcase_signature(c);
	struct transform *t = NEW(a, struct transform, c->n_transform + 1);
	int wrt[LIMIT_ARGS];

	if (c->n_transform)
		memcpy(t, c->transform, sizeof *t * (size_t)c->n_transform);
	for (int k = 0; k < s.n_input; k++)
		wrt[k] = k;
	if (given) {
		t[c->n_transform] = *given;
	} else {
		t[c->n_transform] = make_transform(a, kind, &s, wrt, s.n_input);
		fill_directions(&t[c->n_transform]);
	}
	c->transform = t;
	c->n_transform++;
}

/* Its answer, which must be valid. */
static inline bool answer_of(
    struct engine *engine, const struct testcase *c, const char *name, struct arena *a, struct answer *out)
{
	struct type type[LIMIT_ARGS];
	struct error e = {.text = ""};
	int n;

	CHECK(testcase_check(c, &e), "%s: %s: %s", name, e.place, e.text);
	*out = (struct answer){.status = ANSWER_FAILURE};
	engine_answer(engine, c, a, out);
	if (out->status == ANSWER_UNSUPPORTED && strstr(out->text, "no rule for scatter_apply"))
		return false;
	CHECK(out->status == ANSWER_OK, "%s, %s: %s", name, engine_spec(engine), out->text);
	CHECK(!out->input_modified, "%s, %s", name, engine_spec(engine));
	n = answer_derivative_types(c, type);
	CHECK(out->status != ANSWER_OK || out->n_derivative == n, "%s, %s: %d derivatives", name, engine_spec(engine),
	    out->n_derivative);
	for (int k = 0; k < n && out->status == ANSWER_OK; k++)
		CHECK(type_equal(&type[k], &out->derivative[k].type), "%s, %s: derivative %d", name,
		    engine_spec(engine), k);
	n = answer_primal_types(c, type);
	CHECK(out->status != ANSWER_OK || out->n_primal == n, "%s, %s: %d results", name, engine_spec(engine),
	    out->n_primal);
	for (int k = 0; k < n && out->status == ANSWER_OK; k++)
		CHECK(type_equal(&type[k], &out->primal[k].type), "%s, %s: result %d", name, engine_spec(engine), k);
	return out->status == ANSWER_OK;
}

enum { GRADIENT = SAMPLE_INPUTS * SAMPLE_ELEMENTS };

/* The float elements of a list of tensors one after another, 0 for others. */
static inline int flatten(const struct tensor *t, int n, double *to)
{
	int at = 0;

	for (int k = 0; k < n; k++)
		for (int i = 0; i < shape_elements(&t[k].type.shape); i++)
			to[at++] = dtype_is_float(t[k].type.dtype) ? t[k].at[i].f : 0;
	return at;
}

static inline void open_engines(void)
{
	for (int e = 0; e < ENGINES; e++) {
		struct error error;

		engines[e] = engine_open(specs[e], &error);
		CHECK(engines[e], "%s", error.text);
	}
}

static inline void close_engines(void)
{
	for (int e = 0; e < ENGINES; e++)
		engine_close(engines[e]);
}

#endif
