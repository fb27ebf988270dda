/* trials.c: see trials.h. */
#include "trials.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "fuzz/bench/rehearse.h"
#include "fuzz/minimize/passes.h"
#include "trial_edits.h"

enum { MOST_CAPTURES = 8, MOST_EXCHANGES = 8, LEAST_TRIP = 3, LEAST_LOOP = 2, LEAST_EXTENT = 4 };

static bool any_not_zero(const struct answer *x, int n_point)
{
	for (int p = 0; p < n_point; p++)
		for (int d = 0; d < x[p].n_derivative; d++)
			for (int i = 0; i < shape_elements(&x[p].derivative[d].type.shape); i++)
				if (tensor_number(&x[p].derivative[d], i) != 0)
					return true;
	return false;
}

/* Whether the engine, which is right about c, gives a derivative other than 0, or any value if none is asked for.  A
 * derivative of zeros is right for many reasons. */
static bool says_something(const struct question *q, const struct testcase *c, struct arena *a)
{
	const struct answer *answer;

	if (!request_order(c->transform, c->n_transform))
		return true;
	answer = question_answers(q, c, a);
	return !answer || (answer->status == ANSWER_OK && any_not_zero(answer, c->n_point));
}

enum effect trial_effect(const struct question *q, struct edit *e, struct judgement *j)
{
	if (!edit_finish(e, false))
		return EFFECT_NONE;
	if (case_shows(&e->c, q, e->arena, j))
		return EFFECT_FAILS;
	return (j->verdict == VERDICT_AGREE || j->verdict == VERDICT_CONVENTION) && says_something(q, &e->c, e->arena)
	    ? EFFECT_RIGHT
	    : EFFECT_NONE;
}

/* ---- the trials ---- */

static enum effect try_edit(
    const struct question *q, const struct testcase *c, bool (*make)(struct edit *), struct arena *a)
{
	struct edit e = trial_begin(c, a);
	struct judgement j;

	return make(&e) ? trial_effect(q, &e, &j) : EFFECT_NONE;
}

/* The same of an edit after which the program computes the same.  Then derivatives of 0 that are right say something:
 * before the edit they were wrong. */
static enum effect try_same(
    const struct question *q, const struct testcase *c, bool (*make)(struct edit *), struct arena *a)
{
	struct edit e = trial_begin(c, a);
	struct judgement j = {.verdict = VERDICT_UNSUPPORTED};
	enum effect out;

	if (!make(&e))
		return EFFECT_NONE;
	out = trial_effect(q, &e, &j);
	return out == EFFECT_NONE && j.verdict == VERDICT_AGREE ? EFFECT_RIGHT : out;
}

/* Whether c fails at other numbers. */
static bool fails_varied(const struct question *q, const struct testcase *c, int variant, struct arena *a)
{
	struct edit e = trial_begin(c, a);
	struct judgement j;

	edit_vary(&e, variant);
	return trial_effect(q, &e, &j) == EFFECT_FAILS;
}

/*
 * With an input for each use, x - x still has derivative 0 if the tangents are equal.  So where nothing can be said at
 * the point and seeds of the case, other numbers are tried, at which the case itself fails too.
 */
static enum effect try_own_inputs(const struct question *q, const struct testcase *c, struct arena *a)
{
	enum effect out = try_edit(q, c, trial_make_own_inputs, a);

	for (int v = 0; v < edit_variants && out == EFFECT_NONE; v++) {
		if (edit_variant_adds(v)) /* then the derivative is not 0, whatever the case does */
			continue;
		const struct arena_mark mark = arena_mark(a);
		struct edit e = trial_begin(c, a);
		struct judgement j;

		if (!trial_make_own_inputs(&e) || !edit_finish(&e, false))
			return EFFECT_NONE;
		edit_vary(&e, v);
		out = trial_effect(q, &e, &j);
		if (out == EFFECT_RIGHT && !fails_varied(q, c, v, a))
			out = EFFECT_NONE;
		arena_rewind(a, mark);
	}
	return out;
}

/* Gives all loops n iterations.  False: there is none, or one cannot have n. */
static bool set_trips(struct edit *e, int n)
{
	bool any = false;
	struct site s;

	for (int k = 0; edit_site(e, k, &s); k++) {
		if (!node_loop(s.node).is_loop)
			continue;
		if (!edit_set_trip(e, &s, n))
			return false;
		any = true;
	}
	return any;
}

/* Whether the program has the same values with loops that run no iteration: then no loop of it is entered. */
static bool enters_no_loop(const struct question *q, const struct testcase *c, struct arena *a)
{
	struct edit own = trial_begin(c, a), none = trial_begin(c, a);
	struct truth x, y;

	own.c.n_transform = none.c.n_transform = 0;
	if (!set_trips(&none, 0) || !edit_finish(&own, false) || !edit_finish(&none, false))
		return false;
	oracle_truth(q->bench->oracle, &own.c, a, &x);
	oracle_truth(q->bench->oracle, &none.c, a, &y);
	for (int p = 0; p < x.n_point; p++)
		for (int k = 0; k < x.point[p].n_primal; k++) {
			const struct truth_tensor *s = &x.point[p].primal[k], *t = &y.point[p].primal[k];

			for (int i = 0; dtype_is_float(s->type.dtype) && i < shape_elements(&s->type.shape); i++)
				if (s->at[i].reason || t->at[i].reason || s->at[i].value != t->at[i].value)
					return false;
		}
	return true;
}

static enum effect try_carries(const struct question *q, const struct testcase *c, struct arena *a)
{
	enum effect out = EFFECT_NONE;
	enum edit_result result = EDIT_SKIP;

	for (int k = 0, tried = 0; result != EDIT_END && out != EFFECT_RIGHT && tried < MOST_EXCHANGES; k++) {
		struct edit e = trial_begin(c, a);
		struct judgement j;

		result = pass_order_carries(&e, k);
		if (result != EDIT_TRY)
			continue;
		out = trial_effect(q, &e, &j);
		tried++;
	}
	return out;
}

static enum effect try_entered(const struct question *q, const struct testcase *c, struct arena *a)
{
	struct edit e = trial_begin(c, a);
	struct judgement j;

	return set_trips(&e, 1) && enters_no_loop(q, c, a) ? trial_effect(q, &e, &j) : EFFECT_NONE;
}

static enum effect try_shorter(
    const struct question *q, const struct testcase *c, int least, struct arena *a, int *trip)
{
	struct edit sites = {.c = *c};
	enum effect out = EFFECT_NONE;
	struct site s;

	for (int k = 0; out != EFFECT_RIGHT && edit_site(&sites, k, &s); k++) {
		struct edit e = trial_begin(c, a);
		struct judgement j;

		if (!node_loop(s.node).is_loop || node_max_trip(s.node) < least)
			continue;
		if (pass_trip(&e, k * TRIP_HOWS + TRIP_ONE_LESS) == EDIT_TRY)
			out = trial_effect(q, &e, &j);
		*trip = out == EFFECT_RIGHT ? node_max_trip(s.node) : *trip;
	}
	return out;
}

static enum effect try_passive(const struct question *q, const struct testcase *c, struct arena *a)
{
	enum effect out = EFFECT_NONE;

	for (int k = 0; k < MOST_CAPTURES && out != EFFECT_RIGHT; k++) {
		struct edit e = trial_begin(c, a);
		struct judgement j;

		if (!trial_make_passive(&e, k))
			break;
		out = trial_effect(q, &e, &j);
	}
	return out;
}

/* Right means that every point is right alone. */
static enum effect try_points(const struct question *q, const struct testcase *c, struct arena *a)
{
	enum effect out = c->n_point > 1 ? EFFECT_RIGHT : EFFECT_NONE;

	for (int k = 0; k < c->n_point && out == EFFECT_RIGHT; k++) {
		struct edit e = trial_begin(c, a);
		struct judgement j;

		e.c.point[0] = e.c.point[k];
		e.c.n_point = 1;
		out = trial_effect(q, &e, &j);
	}
	return out;
}

/* Makes all axes of one extent shorter by one; and of paddings that give such an axis, the last element. */
static void shorten(struct edit *e, int extent)
{
	for (struct walk w = walk_nodes(&e->c.program.top); walk_next(&w);)
		for (int d = 0; w.node->op == OP_PAD && d < edit_type(e, w.node->out)->shape.rank; d++)
			if (edit_type(e, w.node->out)->shape.extent[d] == extent &&
			    edit_type(e, w.node->arg[0])->shape.extent[d] != extent)
				--*(w.node->attrs.high[d] > 0 ? &w.node->attrs.high[d] : &w.node->attrs.low[d]);
	edit_change_extent(e, extent, extent - 1);
}

static int largest_extent(const struct program *p, int below)
{
	int most = 0;

	for (int v = 0; v < p->n_value; v++)
		for (int d = 0; d < p->type[v].shape.rank; d++)
			if (p->type[v].shape.extent[d] < below && p->type[v].shape.extent[d] > most)
				most = p->type[v].shape.extent[d];
	return most;
}

/* The largest extent that is right with one element less; 0: there is none above 1. */
static int try_extents(const struct question *q, const struct testcase *c, struct arena *a)
{
	for (int extent = INT_MAX; (extent = largest_extent(&c->program, extent)) > 1;) {
		struct edit e = trial_begin(c, a);
		struct judgement j;

		shorten(&e, extent);
		if (trial_effect(q, &e, &j) == EFFECT_RIGHT)
			return extent;
	}
	return 0;
}

static void try_dtypes(const struct question *q, const struct testcase *c, struct arena *a, struct trials *out)
{
	for (int d = 0; d < DTYPE_COUNT; d++) {
		const struct testcase *other = dtype_is_float((enum dtype)d) ? edit_in_dtype(a, c, (enum dtype)d)
		                                                             : NULL;
		struct edit e;
		struct judgement j;
		enum effect effect;

		if (!other)
			continue;
		e = trial_begin(other, a);
		effect = trial_effect(q, &e, &j);
		out->wrong |= (effect == EFFECT_FAILS ? 1u : 0) << d;
		out->right |= (effect == EFFECT_RIGHT ? 1u : 0) << d;
	}
}

unsigned trial_coarse(double expected, double returned)
{
	int found = DTYPE_COUNT;

	for (int d = 0; d < DTYPE_COUNT; d++) {
		const double unit = dtype_is_float((enum dtype)d) ? ldexp(1, -dtype_table[d].precision) : 0;

		if (isfinite(expected) && dtype_round((enum dtype)d, returned) == returned &&
		    dtype_round((enum dtype)d, expected) != expected &&
		    fabs(returned - expected) <= 2 * unit * fabs(expected) &&
		    (found == DTYPE_COUNT || dtype_table[d].precision < dtype_table[found].precision))
			found = d;
	}
	return found == DTYPE_COUNT ? 0 : 1u << found;
}

struct trying {
	const struct testcase *c;
	struct trials *out;
	int trip;
};

static void make(void *context, const struct question *q, struct arena *a)
{
	const struct trying *x = context;
	const struct testcase *c = x->c;
	struct trials *out = x->out;
	struct judgement j;

	*out = (struct trials){.trip = 0};
	out->effect[TRIAL_COPIES] = try_edit(q, c, trial_make_copies, a);
	out->effect[TRIAL_ACTIVE] = try_edit(q, c, trial_make_active, a);
	out->effect[TRIAL_OFFSETS] = try_edit(q, c, trial_make_first, a);
	out->effect[TRIAL_SHORTER] = try_shorter(q, c, LEAST_TRIP, a, &out->trip);
	out->effect[TRIAL_CAPTURE] = try_passive(q, c, a);
	out->effect[TRIAL_ENTERED] = try_entered(q, c, a);
	out->effect[TRIAL_POINTS] = try_points(q, c, a);
	out->effect[TRIAL_INPUTS] = try_own_inputs(q, c, a);
	out->effect[TRIAL_CARRIES] = try_carries(q, c, a);
	out->effect[TRIAL_WHOLE] = try_edit(q, c, trial_make_whole, a);
	out->effect[TRIAL_FLOATS] = try_same(q, c, trial_make_float_carries, a);
	out->effect[TRIAL_COUNTER] = try_same(q, c, trial_make_counters, a);
	out->effect[TRIAL_RUN_OUT] = try_edit(q, c, trial_make_run_out, a);
	out->effect[TRIAL_YIELDS] = try_same(q, c, trial_make_yields, a);
	out->effect[TRIAL_KNOWN] = try_edit(q, c, trial_make_known, a);
	out->effect[TRIAL_UNIFORM] = try_same(q, c, trial_make_uniform, a);
	out->extent = try_extents(q, c, a);
	try_dtypes(q, c, a, out);
	if (case_shows(c, q, a, &j))
		out->coarse = trial_coarse(j.expected, j.returned);
}

/* Whether c fails if its loops run n iterations and all their floats are returned. */
static bool fails_returning_all(const struct question *q, const struct testcase *c, int n, struct arena *a)
{
	struct edit e = trial_begin(c, a);
	struct region *top = &e.c.program.top;
	int *result = NEW(a, int, LIMIT_ARGS);
	struct judgement j;

	memcpy(result, top->result, sizeof *result * (size_t)top->n_result);
	top->result = result;
	for (int i = 0; i < top->n_node; i++)
		for (int k = 0; op_is_loop(top->node[i].op) && k < top->node[i].n_out; k++)
			if (trial_is_float(&e, top->node[i].out + k) && top->n_result < LIMIT_ARGS)
				result[top->n_result++] = top->node[i].out + k;
	for (int t = 0; t < e.c.n_transform; t++)
		if (e.c.transform[t].kind == TRANSFORM_VJP)
			e.c.transform[t].n_seed = 0; /* edit_finish makes them */
	return set_trips(&e, n) && trial_effect(q, &e, &j) == EFFECT_FAILS;
}

void trials_make(const struct question *q, const struct testcase *c, struct arena *a, struct trials *out)
{
	rehearse(q, make, &(struct trying){.c = c, .out = out}, a);
}

static void find_trip(void *context, const struct question *q, struct arena *a)
{
	struct trying *x = context;

	x->trip = 0;
	try_shorter(q, x->c, LEAST_LOOP, a, &x->trip);
	if (x->trip && fails_returning_all(q, x->c, x->trip - 1, a))
		x->trip = 0;
}

int trial_trip(const struct question *q, const struct testcase *c, struct arena *a)
{
	struct trying x = {.c = c};

	rehearse(q, find_trip, &x, a);
	return x.trip;
}

static bool both_right(const struct trials *x, const struct trials *y, enum trial_kind k)
{
	return x->effect[k] == EFFECT_RIGHT && y->effect[k] == EFFECT_RIGHT;
}

/*
 * Whether a trial that makes both right says enough alone.  A wrong rule of a compiler for one constant needs a known
 * constant, and so does a wrong rule for another op.  A wrong test whether all elements of a constant are equal is one
 * bug for all ops: it needs a known constant, and elements that differ.
 */
static bool says_enough(const struct trials *x, const struct trials *y, enum trial_kind k)
{
	if (k == TRIAL_UNIFORM)
		return false;
	return k != TRIAL_KNOWN || both_right(x, y, TRIAL_UNIFORM);
}

/* A program that computes the same with other carries, and is right, says more than a number of iterations. */
enum likeness trials_alike(const struct trials *x, const struct trials *y)
{
	enum likeness out = LIKENESS_NONE;

	for (enum trial_kind k = 0; k < TRIALS; k++) {
		if (x->effect[k] == EFFECT_NONE || y->effect[k] == EFFECT_NONE)
			continue;
		if (x->effect[k] != y->effect[k])
			return LIKENESS_NONE;
		if (x->effect[k] == EFFECT_RIGHT && says_enough(x, y, k) && (k != TRIAL_POINTS || out == LIKENESS_NONE))
			out = k == TRIAL_POINTS ? LIKENESS_POINTS : LIKENESS_FULL;
	}
	return x->trip == y->trip || both_right(x, y, TRIAL_FLOATS) || both_right(x, y, TRIAL_COUNTER) ||
	        both_right(x, y, TRIAL_YIELDS)
	    ? out
	    : LIKENESS_NONE;
}

bool trials_agree(const struct trials *x, const struct trials *y)
{
	for (int k = 0; k < TRIALS; k++)
		if (x->effect[k] != EFFECT_NONE && y->effect[k] != EFFECT_NONE && x->effect[k] != y->effect[k])
			return false;
	return x->trip == y->trip;
}

bool trials_same_size(const struct trials *x, const struct trials *y)
{
	if (!x->extent || !y->extent || x->wrong != y->wrong)
		return false;
	return (x->right && y->right) || (x->extent == y->extent && x->extent >= LEAST_EXTENT);
}

bool trials_same_rounding(const struct trials *x, const struct trials *y)
{
	const bool meet = !x->wrong || !y->wrong || (x->wrong & y->wrong);

	return x->coarse && x->coarse == y->coarse && meet;
}

bool trials_equal(const struct trials *x, const struct trials *y)
{
	for (int k = 0; k < TRIALS; k++)
		if ((x->effect[k] == EFFECT_RIGHT) != (y->effect[k] == EFFECT_RIGHT))
			return false;
	return x->trip == y->trip;
}
