/* ask.c: makes cases related to a case, asks engines about them, and collects pairs of numbers. */
#include <math.h>
#include <string.h>

#include "engines/aot/lower.h"
#include "fuzz/generate/choice.h"
#include "internal.h"
#include "fuzz/edit/edit.h"

/* ---- asking ---- */

static const char *broken_by(enum answer_status s)
{
	return s == ANSWER_CRASH ? "crash" : s == ANSWER_OOM ? "oom" : s == ANSWER_PROTOCOL ? "protocol" : NULL;
}

/* Whether the answer has the types of the case.  For the base case, the bench checks this. */
static bool has_types(const struct testcase *c, const struct answer *answer)
{
	struct type primal[LIMIT_ARGS], derivative[LIMIT_ARGS];
	bool good = answer->n_primal == answer_primal_types(c, primal) &&
	    answer->n_derivative == answer_derivative_types(c, derivative);

	for (int k = 0; good && k < answer->n_primal; k++)
		good = type_equal(&answer->primal[k].type, &primal[k]);
	for (int k = 0; good && k < answer->n_derivative; k++)
		good = dtype_is_float(derivative[k].dtype)
		    ? type_equal(&answer->derivative[k].type, &derivative[k])
		    : shape_equal(&answer->derivative[k].type.shape, &derivative[k].shape);
	return good;
}

static const struct testcase *as_probe_sees(const struct cross_ask *q, const struct testcase *c)
{
	struct testcase *own;

	c = q->draw == CROSS_SHARP ? c : cross_blurred(q->arena, c, q->draw);
	if (!c || !q->plain)
		return c;
	own = arena_copy(q->arena, c, 1, sizeof *c);
	own->program = lower_customs(&c->program, DERIVATIVE_COUNT, q->arena);
	return own;
}

const struct answer *cross_ask(struct cross_ask *q, struct engine *engine, const struct testcase *c)
{
	struct answer *out;
	struct error e = {0};
	bool is_base = c == q->base && engine == q->left;

	if (is_base && q->base_answer)
		return q->base_answer;
	if (c != q->base && !testcase_check(c, &e)) {
		q->why = arena_printf(q->arena, "no such case: %s", e.text);
		return NULL;
	}
	out = NEW(q->arena, struct answer, c->n_point);
	if (q->probe && !(c = as_probe_sees(q, c))) {
		q->why = "too large with its operands moved";
		return NULL;
	}
	q->asked++;
	engine_answer(engine, c, q->arena, out);
	for (int p = 0; p < c->n_point; p++) {
		if (out[p].status != ANSWER_OK) {
			q->fell = broken_by(out[p].status);
			q->broken = q->base_answer ? q->fell : NULL;
			q->why = arena_printf(q->arena, "%s", out[p].text && *out[p].text ? out[p].text : "no answer");
			return NULL;
		}
		if (!has_types(c, &out[p])) {
			q->fell = "shape";
			q->broken = q->base_answer ? q->fell : NULL;
			q->why = "an answer of another type than was asked for";
			return NULL;
		}
	}
	if (q->probe) {
		struct rounding_seen seen = engine_rounding_seen(engine);

		q->seen.edge = q->seen.edge || seen.edge;
		q->seen.steps += seen.steps;
		q->seen.largest = fmax(q->seen.largest, seen.largest);
	}
	if (is_base)
		q->base_answer = out;
	return out;
}

/* ---- pairs ---- */

void cross_add(struct cross_ask *q, const struct cross_pair *pair)
{
	GROW(q->arena, q->pair, &q->room, q->n + 1);
	q->pair[q->n++] = *pair;
}

static void add_tensors(
    struct cross_ask *q, struct cross_pair pair, const struct tensor *left, const struct tensor *right, int n)
{
	for (pair.which = 0; pair.which < n; pair.which++)
		for (pair.element = 0; pair.element < shape_elements(&left[pair.which].type.shape); pair.element++) {
			pair.left = tensor_number(&left[pair.which], pair.element);
			pair.right = tensor_number(&right[pair.which], pair.element);
			cross_add(q, &pair);
		}
}

bool cross_add_answers(
    struct cross_ask *q, const char *sibling, const struct answer *left, const struct answer *right, int n_point)
{
	if (!left || !right)
		return false;
	for (int p = 0; p < n_point; p++) {
		add_tensors(q, (struct cross_pair){.sibling = sibling, .in_primal = true, .point = p}, left[p].primal,
		    right[p].primal, left[p].n_primal);
		add_tensors(q, (struct cross_pair){.sibling = sibling, .point = p}, left[p].derivative,
		    right[p].derivative, left[p].n_derivative);
	}
	return true;
}

/* ---- requests ---- */

struct signature cross_below(const struct testcase *c, int which)
{
	struct signature s = request_base(&c->program);

	for (int k = 0; k < which; k++)
		request_apply(&s, &c->transform[k], NULL);
	return s;
}

int cross_outermost(const struct testcase *c)
{
	const struct transform *t = request_outermost(c->transform, c->n_transform);

	return t ? (int)(t - c->transform) : -1;
}

int cross_slices(const struct testcase *c, int which)
{
	int n = 1;

	for (int k = which + 1; k < c->n_transform; k++)
		n *= c->transform[k].kind == TRANSFORM_BATCH ? c->transform[k].size : 1;
	return n;
}

struct testcase cross_copy(const struct cross_ask *q, const struct testcase *c)
{
	struct testcase out = *c;

	out.transform = NEW(q->arena, struct transform, LIMIT_TRANSFORMS + 1);
	if (c->n_transform)
		memcpy(out.transform, c->transform, (size_t)c->n_transform * sizeof *out.transform);
	out.n_expect = 0;
	return out;
}

struct tensor *cross_zeros(const struct cross_ask *q, const struct type *type, int n)
{
	struct tensor *out = NEW(q->arena, struct tensor, n);

	for (int k = 0; k < n; k++)
		out[k] = tensor_new(q->arena, &type[k]);
	return out;
}

/* ---- the same elsewhere ---- */

enum { BESIDE_ULPS = 4 };

const struct testcase *cross_beside(struct arena *a, const struct testcase *c, int k)
{
	struct testcase *out = NEW(a, struct testcase, 1);
	struct choice choice = choice_seeded(UINT64_C(0x6265736964650000) + (uint64_t)k);

	*out = testcase_copy(c, a);
	for (int p = 0; p < c->n_point; p++)
		for (int i = 0; i < c->program.top.n_param; i++) {
			struct tensor *t = &out->point[p][i];
			const struct dtype_info *info = &dtype_table[t->type.dtype];

			for (int m = 0, n = shape_elements(&t->type.shape); m < n && dtype_is_float(t->type.dtype);
			     m++) {
				double x = t->at[m].f,
				       ulp = fabs(x) > info->normal ? ldexp(1, ilogb(x) + 1 - info->precision)
				                                    : info->tiny;
				int steps = 1 + (int)choice_between(&choice, 0, BESIDE_ULPS - 1),
				    sign = choice_between(&choice, 0, 1) ? 1 : -1;

				if (isfinite(x) && x != 0) /* 0 stays: a special case at 0 that is no kink is one for
				                              all engines, and kinks are blurred */
					t->at[m].f = dtype_round(t->type.dtype, x + sign * steps * ulp);
			}
		}
	return out;
}

enum dtype cross_coarsest(const struct testcase *c)
{
	enum dtype d = DTYPE_COUNT;

	for (int v = 0; v < c->program.n_value; v++) {
		enum dtype of = c->program.type[v].dtype;

		if (dtype_is_float(of) && (d == DTYPE_COUNT || dtype_table[of].precision < dtype_table[d].precision))
			d = of;
	}
	return d;
}
