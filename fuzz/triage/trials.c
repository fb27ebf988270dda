/* trials.c: see trials.h. */
#include "trials.h"

#include <limits.h>
#include <string.h>

#include "fuzz/edit/edit.h"
#include "inlets.h"
#include "fuzz/minimize/passes.h"

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
	struct answer *answer = NEW(a, struct answer, c->n_point);

	if (!request_order(c->transform, c->n_transform))
		return true;
	bench_answer(q->bench, q->bench->engine[0], c, a, answer);
	return answer->status == ANSWER_OK && any_not_zero(answer, c->n_point);
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

static bool is_float(const struct edit *e, int value) { return dtype_is_float(edit_type(e, value)->dtype); }

/* Inserts a copy of the value before node `index` of r; returns it. */
static int insert_copy(struct edit *e, struct region *r, int index, int value)
{
	const int out = inlet_stop(e, r, index, value);

	r->node[index].op = OP_COPY;
	return out;
}

/* ---- the edits ---- */

/* Counts the uses of each value as an operand or a result. */
static void count_uses(const struct program *p, int *uses)
{
	const struct region *r;

	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		for (int k = 0; k < w.node->n_arg; k++)
			uses[w.node->arg[k]]++;
	for (struct walk w = walk_nodes(&p->top); (r = walk_region(&w));)
		for (int k = 0; k < r->n_result; k++)
			uses[r->result[k]]++;
}

static bool make_copies(struct edit *e)
{
	const int n_value = e->c.program.n_value;
	int *uses = NEW(e->arena, int, n_value ? n_value : 1);
	bool any = false;
	struct site s;

	count_uses(&e->c.program, uses);
	/* From the last node on: a copy is inserted before its node, so the sites that remain keep their numbers. */
	for (int k = 0; edit_site_last(e, k, &s); k++) {
		const int n_arg = s.node->n_arg;

		for (int i = 0, at = s.index; i < n_arg && s.node->op != OP_COPY; i++) {
			int *arg = s.region->node[at].arg, value = arg[i];

			if (value >= n_value || uses[value] < 2 || !is_float(e, value))
				continue;
			arg[i] = insert_copy(e, s.region, at++, value);
			any = true;
		}
	}
	return any;
}

static bool make_active(struct edit *e)
{
	struct region *top = &e->c.program.top;
	bool any = false;

	for (int i = top->n_node - 1; i >= 0; i--) {
		const struct node n = top->node[i];

		if (n.op != OP_CONSTANT || !is_float(e, n.out) || top->n_param == LIMIT_ARGS)
			continue;
		edit_replace(e, n.out, edit_add_input(e, &n.attrs.value, true));
		edit_remove_node(top, i);
		any = true;
	}
	return any;
}

static bool clear(int *list)
{
	bool any = false;

	for (int d = 0; d < LIMIT_RANK; d++) {
		any = any || list[d];
		list[d] = 0;
	}
	return any;
}

static bool make_first(struct edit *e)
{
	bool any = false;

	for (struct walk w = walk_nodes(&e->c.program.top); walk_next(&w);) {
		struct attrs *attrs = &w.node->attrs;

		if (w.node->op == OP_CONSTANT) {
			const struct tensor *v = &attrs->value;

			for (int i = 0; v->type.dtype == DTYPE_I64 && i < shape_elements(&v->type.shape); i++) {
				any = any || v->at[i].i;
				v->at[i].i = 0;
			}
			continue;
		}
		for (int d = 0; d < LIMIT_RANK; d++)
			attrs->high[d] += attrs->low[d];
		any = clear(attrs->start) || any;
		any = clear(attrs->low) || any;
	}
	return any;
}

/* Makes captured float k a constant to differentiation, for the one region that captures it.  False: there are fewer of
 * them. */
static bool make_passive(struct edit *e, int k)
{
	const int n_value = e->c.program.n_value;
	struct site s;

	for (int site = 0; edit_site(e, site, &s); site++)
		for (int i = 0; i < s.node->n_region && s.node->op != OP_DERIVATIVE && s.node->op != OP_CUSTOM; i++)
			for (int v = 0; v < n_value; v++) {
				struct region *inside = &s.node->region[i];

				if (!is_float(e, v) || !region_reads(inside, v) || region_defines(inside, v) || k-- > 0)
					continue;
				inlet_replace_inside(inside, v, inlet_stop(e, s.region, s.index, v));
				return true;
			}
	return false;
}

/* Gives *value an input of its own if it is a float input that is differentiated and was read before. */
static bool read_own_input(struct edit *e, int *value, bool *read)
{
	const int input = *value - e->c.program.top.param;

	if (input < 0 || input >= e->c.program.top.n_param || !is_float(e, *value) ||
	    e->c.program.top.n_param == LIMIT_ARGS)
		return false;
	if (!read[input]) {
		read[input] = true;
		return false;
	}
	*value = edit_add_input(e, &e->c.point[0][input], true);
	return true;
}

static bool read_own_inputs(struct edit *e, int *value, int n, bool *read)
{
	bool any = false;

	for (int k = 0; k < n; k++)
		any = read_own_input(e, &value[k], read) || any;
	return any;
}

static bool make_own_inputs(struct edit *e)
{
	bool read[LIMIT_ARGS] = {false}, any = false;

	for (struct walk w = walk_nodes(&e->c.program.top); walk_next(&w);) {
		any = read_own_inputs(e, w.node->arg, w.node->n_arg, read) || any;
		for (int k = 0; k < w.node->n_region; k++)
			any = read_own_inputs(e, w.node->region[k].result, w.node->region[k].n_result, read) || any;
	}
	return read_own_inputs(e, e->c.program.top.result, e->c.program.top.n_result, read) || any;
}

/* Makes an edit at each loop.  The edit may insert nodes before and after the loop, so it begins with the last one. */
static bool at_loops(struct edit *e, bool (*make)(struct edit *e, const struct site *s))
{
	bool any = false;
	struct site s;

	for (int k = program_nodes(&e->c.program) - 1; k >= 0; k--)
		if (edit_site(e, k, &s) && node_loop(s.node).is_loop)
			any = make(e, &s) || any;
	return any;
}

static bool make_float_carries(struct edit *e) { return at_loops(e, edit_carry_floats); }

static bool make_counters(struct edit *e) { return at_loops(e, edit_count_by_carry); }

/* Lets a region yield copies of parameters, of captured values, and of what it yields twice. */
static bool yield_copies(struct edit *e, struct region *r)
{
	bool any = false;

	for (int k = 0; k < r->n_result; k++) {
		const int value = r->result[k];
		bool made = false, again = false;

		for (int i = 0; i < r->n_node; i++)
			made |= value >= r->node[i].out && value < r->node[i].out + r->node[i].n_out;
		for (int i = 0; i < k; i++)
			again |= r->result[i] == value;
		if (!is_float(e, value) || (made && !again))
			continue;
		r->result[k] = insert_copy(e, r, r->n_node, value);
		any = true;
	}
	return any;
}

static bool make_yields(struct edit *e)
{
	bool any = false;
	struct site s;

	/* A region inside of another comes later in the list of sites, and is changed first. */
	for (int k = program_nodes(&e->c.program) - 1; k >= 0; k--)
		for (int i = 0; edit_site(e, k, &s) && i < s.node->n_region && s.node->op != OP_CUSTOM; i++)
			any = yield_copies(e, &s.node->region[i]) || any;
	return any;
}

static bool make_run_out(struct edit *e) { return at_loops(e, edit_run_out); }

/* ---- the trials ---- */

static struct edit begin(const struct testcase *c, struct arena *a)
{
	return (struct edit){.c = testcase_copy(c, a), .arena = a};
}

static enum effect try_edit(
    const struct question *q, const struct testcase *c, bool (*make)(struct edit *), struct arena *a)
{
	struct edit e = begin(c, a);
	struct judgement j;

	return make(&e) ? trial_effect(q, &e, &j) : EFFECT_NONE;
}

/* The same of an edit after which the program computes the same.  Then derivatives of 0 that are right say something:
 * before the edit they were wrong. */
static enum effect try_same(
    const struct question *q, const struct testcase *c, bool (*make)(struct edit *), struct arena *a)
{
	struct edit e = begin(c, a);
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
	struct edit e = begin(c, a);
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
	enum effect out = try_edit(q, c, make_own_inputs, a);

	for (int v = 0; v < edit_variants && out == EFFECT_NONE; v++) {
		if (edit_variant_adds(v)) /* then the derivative is not 0, whatever the case does */
			continue;
		const struct arena_mark mark = arena_mark(a);
		struct edit e = begin(c, a);
		struct judgement j;

		if (!make_own_inputs(&e) || !edit_finish(&e, false))
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
	struct edit own = begin(c, a), none = begin(c, a);
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
		struct edit e = begin(c, a);
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
	struct edit e = begin(c, a);
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
		struct edit e = begin(c, a);
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
		struct edit e = begin(c, a);
		struct judgement j;

		if (!make_passive(&e, k))
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
		struct edit e = begin(c, a);
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
		struct edit e = begin(c, a);
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
		e = begin(other, a);
		effect = trial_effect(q, &e, &j);
		out->wrong |= (effect == EFFECT_FAILS ? 1u : 0) << d;
		out->right |= (effect == EFFECT_RIGHT ? 1u : 0) << d;
	}
}

void trials_make(const struct question *q, const struct testcase *c, struct arena *a, struct trials *out)
{
	*out = (struct trials){.trip = 0};
	out->effect[TRIAL_COPIES] = try_edit(q, c, make_copies, a);
	out->effect[TRIAL_ACTIVE] = try_edit(q, c, make_active, a);
	out->effect[TRIAL_OFFSETS] = try_edit(q, c, make_first, a);
	out->effect[TRIAL_SHORTER] = try_shorter(q, c, LEAST_TRIP, a, &out->trip);
	out->effect[TRIAL_CAPTURE] = try_passive(q, c, a);
	out->effect[TRIAL_ENTERED] = try_entered(q, c, a);
	out->effect[TRIAL_POINTS] = try_points(q, c, a);
	out->effect[TRIAL_INPUTS] = try_own_inputs(q, c, a);
	out->effect[TRIAL_CARRIES] = try_carries(q, c, a);
	out->effect[TRIAL_WHOLE] = try_edit(q, c, trial_make_whole, a);
	out->effect[TRIAL_FLOATS] = try_same(q, c, make_float_carries, a);
	out->effect[TRIAL_COUNTER] = try_same(q, c, make_counters, a);
	out->effect[TRIAL_RUN_OUT] = try_edit(q, c, make_run_out, a);
	out->effect[TRIAL_YIELDS] = try_same(q, c, make_yields, a);
	out->extent = try_extents(q, c, a);
	try_dtypes(q, c, a, out);
}

int trial_trip(const struct question *q, const struct testcase *c, struct arena *a)
{
	int trip = 0;

	try_shorter(q, c, LEAST_LOOP, a, &trip);
	return trip;
}

static bool both_right(const struct trials *x, const struct trials *y, enum trial_kind k)
{
	return x->effect[k] == EFFECT_RIGHT && y->effect[k] == EFFECT_RIGHT;
}

/* A program that computes the same with other carries, and is right, says more than a number of iterations. */
enum likeness trials_alike(const struct trials *x, const struct trials *y)
{
	enum likeness out = LIKENESS_NONE;

	for (int k = 0; k < TRIALS; k++) {
		if (x->effect[k] == EFFECT_NONE || y->effect[k] == EFFECT_NONE)
			continue;
		if (x->effect[k] != y->effect[k])
			return LIKENESS_NONE;
		if (x->effect[k] == EFFECT_RIGHT && (k != TRIAL_POINTS || out == LIKENESS_NONE))
			out = k == TRIAL_POINTS ? LIKENESS_POINTS : LIKENESS_FULL;
	}
	return x->trip == y->trip || both_right(x, y, TRIAL_FLOATS) || both_right(x, y, TRIAL_COUNTER) ||
	        both_right(x, y, TRIAL_YIELDS)
	    ? out
	    : LIKENESS_NONE;
}

bool trials_same_size(const struct trials *x, const struct trials *y)
{
	if (!x->extent || !y->extent || x->wrong != y->wrong)
		return false;
	return (x->right && y->right) || (x->extent == y->extent && x->extent >= LEAST_EXTENT);
}
