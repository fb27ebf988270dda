/*
 * fixed_point.c: fixed points.  The bodies contract by construction: either a sum of a value from outside and a bounded
 * part of the carry, or Newton's iteration for a root.  A body that does not converge says nothing about an engine.
 */
#include <math.h> /* ldexp: exact */

#include "loop.h"

enum { SEARCHES = 2, SEARCH_ELEMENTS = 12, SOLUTION_CAP = 20 };

/* NEWTON: Newton's iteration for the square root.  SQUASHED: a bounded function of the carry.  STEERED: the same, with
 * a slope from outside.  LINEAR: a part of the carry. */
enum recurrence { NEWTON, SQUASHED, STEERED, LINEAR, RECURRENCES };

struct recurrence_draw {
	int n;
	enum recurrence kind[SEARCHES];
	int outer[SEARCHES]; /* from outside the body */
	double slope[SEARCHES];
	int init[SEARCHES + 1], param[SEARCHES + 1],
	    result[SEARCHES + 2]; /* the counter, if there is one, after the others */
	struct type type[SEARCHES + 1];
};

static int pick_outer(struct gen *g, bool positive)
{
	int v = gen_tame(g, gen_pick_float(g));
	struct type scalar = {.shape = shape_scalar()};

	if (v >= 0 && gen_elements(g, v) > SEARCH_ELEMENTS) {
		scalar.dtype = gen_type(g, v)->dtype;
		v = gen_as(g, v, &scalar);
	}
	if (v >= 0 && positive) {
		v = gen_unary(g, OP_SQUARE, v);
		v = v < 0 ? -1 : gen_with_scalar(g, OP_ADD, v, 0.5);
	}
	return v;
}

static bool add_search(struct gen *g, struct recurrence_draw *s)
{
	static const double slopes[] = {0.5, -0.5, 0.25, 0.375, -0.25, 0.625, 0.125, -0.7};
	static const int weights[] = {3, 5, 3, 3};
	int i = s->n, init = -1;

	s->kind[i] = (enum recurrence)choice_weighted(g->c, weights, RECURRENCES);
	s->slope[i] = slopes[choice_below(g->c, (int)(sizeof slopes / sizeof *slopes))];
	s->outer[i] = pick_outer(g, s->kind[i] == NEWTON);
	if (s->outer[i] < 0)
		return false;
	s->type[i] = *gen_type(g, s->outer[i]);
	/* Newton starts above 0. */
	if (s->kind[i] != NEWTON && choice_percent(g->c, 40))
		init = gen_as(g, gen_tame(g, gen_pick_float(g)), &s->type[i]);
	else if (s->kind[i] == NEWTON && choice_percent(g->c, 50))
		init = s->outer[i];
	if (init < 0)
		init = gen_as(g,
		    gen_scalar(g, s->type[i].dtype, s->kind[i] == NEWTON ? 1 : choice_below(g->c, 3) * 0.5),
		    &s->type[i]);
	s->init[i] = init;
	s->n += init >= 0;
	return init >= 0;
}

/* The next value of carry x; -1 if there is no room. */
static int recur(struct gen *g, const struct recurrence_draw *s, int i, int x)
{
	static const enum op squashes[] = {OP_TANH, OP_SIN, OP_COS, OP_ATAN, OP_LOGISTIC};
	int outer = s->outer[i], part, slope;

	if (s->kind[i] == NEWTON) {
		part = gen_binary(g, OP_DIV, outer, x);
		part = part < 0 ? -1 : gen_binary(g, OP_ADD, x, part);
		return part < 0 ? -1 : gen_with_scalar(g, OP_MUL, part, 0.5);
	}
	part = s->kind[i] == LINEAR ? x : gen_unary(g, squashes[choice_below(g->c, 5)], x);
	if (part < 0)
		return -1;
	if (s->kind[i] == STEERED) {
		slope = gen_unary(g, choice_percent(g->c, 50) ? OP_TANH : OP_SIN, outer);
		part = slope < 0 ? -1 : gen_binary(g, OP_MUL, part, slope);
	}
	part = part < 0 ? -1 : gen_with_scalar(g, OP_MUL, part, s->slope[i]);
	/* Sometimes the body applies an op to its captured value first. */
	if (part >= 0 && choice_percent(g->c, 30)) {
		int made = gen_unary_on(g, outer);

		outer = made >= 0 && type_equal(gen_type(g, made), &s->type[i]) ? made : outer;
	}
	return part < 0 ? -1 : gen_binary(g, OP_ADD, part, outer);
}

/* The step of a carry is compared with this number, which is well above the rounding of its dtype. */
static double tolerance_of(struct gen *g, enum dtype d)
{
	int bits = dtype_table[d].precision, most = bits * 3 / 4;

	return ldexp(1, -choice_between(g->c, most > 24 ? 20 : most / 2, most));
}

/* A bool scalar: whether carry i has converged. */
static int at_rest(struct gen *g, const struct recurrence_draw *s, int i)
{
	struct attrs all = {0};
	int v = gen_binary(g, OP_SUB, s->result[i], s->param[i]);

	v = v < 0 ? -1 : gen_unary(g, OP_ABS, v);
	all.n_axes = s->type[i].shape.rank;
	for (int d = 0; d < all.n_axes; d++)
		all.axes[d] = d;
	if (v >= 0 && all.n_axes)
		v = gen_node(g, OP_REDUCE_MAX, &v, 1, &all);
	return v < 0 ? -1 : gen_with_scalar(g, OP_LE, v, tolerance_of(g, s->type[i].dtype));
}

static struct range range_after(const struct gen *g, const struct recurrence_draw *s, int i)
{
	double outer = range_magnitude(g->info[s->outer[i]].range),
	       slope = s->slope[i] < 0 ? -s->slope[i] : s->slope[i], m;

	if (s->kind[i] == NEWTON)
		return range_make(0.5, 1 + outer);
	m = s->kind[i] == LINEAR ? outer / (1 - slope) : outer + 2 * slope;
	return range_make(-m, m);
}

/* Fills the open body: updates the carries, and returns the value that ends the iteration; -1 if there is no room. */
static int fill_body(struct gen *g, struct recurrence_draw *s, bool counter)
{
	int done = -1;

	for (int i = 0; i < s->n; i++) {
		int other = s->n - 1 - i, x = s->param[i], v;

		/* A carry may be updated from another one of its type. */
		if (s->kind[i] != NEWTON && type_equal(&s->type[other], &s->type[i]) && choice_percent(g->c, 40))
			x = s->param[other];
		v = recur(g, s, i, x);
		v = v < 0 ? -1 : gen_as(g, v, &s->type[i]);
		s->result[i] = v >= 0 ? v : s->param[i];
	}
	if (counter) {
		int v = gen_with_scalar(g, OP_ADD, s->param[s->n], 1);

		s->result[s->n] = v >= 0 ? v : s->param[s->n];
		done = gen_with_scalar(g, OP_GE, s->result[s->n], choice_below(g->c, 6));
	}
	for (int i = 0; i < s->n && !counter; i++) {
		int still = at_rest(g, s, i);

		done = done < 0 ? still : still < 0 ? done : gen_binary(g, OP_LOGICAL_AND, done, still);
	}
	return done;
}

int gen_emit_fixed_point(struct gen *g)
{
	struct recurrence_draw s = {0};
	struct attrs attrs = {.meaning = choice_percent(g->c, 60) ? MEANING_SOLUTION : MEANING_STEPS};
	int wanted = choice_percent(g->c, 70) ? 1 : 2, elements = 0, room, mark, first, n, never, done, v;
	bool counter;
	uint32_t deps;

	if (!loop_may_open(g))
		return -1;
	while (s.n < wanted && add_search(g, &s))
		;
	never = gen_scalar(g, DTYPE_BOOL, 0);
	if (!s.n || never < 0)
		return -1;
	for (int i = 0; i < s.n; i++)
		elements += gen_elements(g, s.init[i]);
	room = (int)((gen_budget(g) - g->work) / ((int64_t)g->multiplier * (24 + 16 * elements)));
	room = room > GEN_MULTIPLIER / g->multiplier ? GEN_MULTIPLIER / g->multiplier : room;
	attrs.cap = choice_between(g->c, SOLUTION_CAP, 4 * SOLUTION_CAP);
	if (attrs.cap > room && room < SOLUTION_CAP)
		attrs.meaning = MEANING_STEPS;
	attrs.cap = attrs.cap > room ? room : attrs.cap;
	if (attrs.meaning == MEANING_STEPS && choice_percent(g->c, 50) && attrs.cap > 6)
		attrs.cap = choice_below(g->c, 7);
	if (attrs.cap < 0)
		return -1;
	n = s.n;
	counter = attrs.meaning == MEANING_STEPS && (choice_percent(g->c, 40) || gen_steady(g));
	if (counter) {
		s.init[n] = gen_scalar(g, DTYPE_I64, 0);
		s.type[n] = (struct type){.dtype = DTYPE_I64};
		if (s.init[n] < 0)
			return -1;
	}
	mark = g->n_pool;
	first = gen_region_open(g, s.type, s.init, NULL, n + counter, attrs.cap);
	for (int i = 0; i < n + counter; i++)
		s.param[i] = first + i;
	done = fill_body(g, &s, counter);
	if (done < 0) {
		done = never;
		attrs.meaning = MEANING_STEPS;
	}
	s.result[n + counter] = done;
	loop_count_uses(g, s.result, n + counter + 1);
	gen_region_close(g, s.result, n + counter + 1, mark, attrs.cap);
	deps = loop_deps(g, s.result, n + counter + 1);
	v = gen_region_node(g, OP_FIXED_POINT, s.init, n + counter, &attrs);
	for (int i = 0; v >= 0 && i < n; i++)
		gen_track(g, v + i, range_after(g, &s, i), deps | g->info[s.init[i]].deps, true);
	if (v >= 0 && counter)
		gen_track(g, v + n, range_make(0, attrs.cap), deps, false);
	return v;
}
