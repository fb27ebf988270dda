/* evaluate.c: the trace, and control flow. */
#include "internal.h"
#include "graph/heap.h"
#include "graph/loop.h"
#include "graph/random.h"
#include "scalar_ops.h"
#include "oracles/oracle_rules.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define R MPFR_RNDN

/* Work of a scalar's ball and of its class (alike.c), and of moving an element. */
enum { BALL_WORK = 400, ELEMENT_WORK = 10 };

/* ---- pools ---- */

/* Grows *array to hold n elements. */
static void grow(void *array, int *room, int n, size_t size)
{
	if (n <= *room)
		return;
	int next = *room ? *room : 256;
	while (next < n)
		next *= 2;
	*(void **)array = heap_resize(*(void **)array, (size_t)next, size);
	*room = next;
}

void evaluation_open(struct evaluation *ev, const struct oracle_rules *rules)
{
	memset(ev, 0, sizeof *ev);
	ev->precision = 128;
	ev->rules = rules;
	ev->dtype = dtype_table;
	grow(&ev->parent, &ev->parent_room, 1,
	    sizeof *ev->parent); /* a scalar without parents still has a place there */
}

void evaluation_close(struct evaluation *ev)
{
	for (int k = 0; k < ev->pool_ready; k++)
		mpfr_clear(ev->value[k]);
	for (int k = 0; k < ev->frozen_ready; k++)
		mpfr_clear(ev->frozen[k]);
	free(ev->scalar);
	free(ev->value);
	free(ev->parent);
	free(ev->frozen);
	free(ev->masked);
	memset(ev, 0, sizeof *ev);
}

/* Clears the values from `kept` on.  Returns how many are left. */
static int clear_surplus(mpfr_t *value, int ready, int kept)
{
	while (ready > kept)
		mpfr_clear(value[--ready]);
	return ready;
}

void evaluation_trim(struct evaluation *ev, int kept)
{
	if (ev->scalar_room > kept) {
		ev->pool_ready = clear_surplus(ev->value, ev->pool_ready, kept);
		ev->scalar_room = kept;
		ev->scalar = heap_resize(ev->scalar, (size_t)kept, sizeof *ev->scalar);
		ev->value = heap_resize(ev->value, (size_t)kept, sizeof *ev->value);
		ev->n_scalar = 0;
	}
	if (ev->parent_room > 4 * kept) {
		ev->parent_room = 4 * kept;
		ev->parent = heap_resize(ev->parent, (size_t)ev->parent_room, sizeof *ev->parent);
	}
	if (ev->frozen_room > EVALUATION_KEPT_RARE) {
		ev->frozen_ready = clear_surplus(ev->frozen, ev->frozen_ready, EVALUATION_KEPT_RARE);
		ev->frozen_room = EVALUATION_KEPT_RARE;
		ev->frozen = heap_resize(ev->frozen, EVALUATION_KEPT_RARE, sizeof *ev->frozen);
		ev->n_frozen = 0;
	}
}

static void reserve_scalars(struct evaluation *ev, int n)
{
	int room = ev->scalar_room;
	grow(&ev->scalar, &room, n, sizeof *ev->scalar);
	grow(&ev->value, &ev->scalar_room, n, sizeof *ev->value);
}

void evaluation_fill(struct evaluation *ev, int kept, mpfr_prec_t widest)
{
	reserve_scalars(ev, kept);
	for (; ev->pool_ready < kept; ev->pool_ready++)
		mpfr_init2(ev->value[ev->pool_ready], widest);
}

/* ---- the trace ---- */

/* A new scalar of n parents whose value is not set yet. */
static int new_scalar(struct evaluation *ev, enum op op, enum op kind, enum dtype d, int n)
{
	int k = ev->n_scalar;
	work_take(ev->work, work_of(op, ev->precision, n) + (ev->hooks.scalar ? BALL_WORK : 0), k + 1, ev->arena);
	if (k + 1 > ev->scalar_room)
		reserve_scalars(ev, k + 1);
	if (k >= ev->pool_ready) {
		mpfr_init2(ev->value[k], ev->precision);
		ev->pool_ready = k + 1;
	} else if (mpfr_get_prec(ev->value[k]) != ev->precision) {
		mpfr_set_prec(ev->value[k], ev->precision);
	}
	ev->n_scalar = k + 1;
	ev->scalar[k] = (struct scalar){.op = op,
	    .kind = kind,
	    .dtype = d,
	    .exact = true,
	    .part = ev->part,
	    .quiet = ev->quiet || !ev->hooks.scalar,
	    .derived = ev->part == TRACE_FLOW,
	    .parent = ev->n_parent};
	return k;
}

static void announce(struct evaluation *ev, int k)
{
	if (ev->hooks.scalar && !ev->quiet)
		ev->hooks.scalar(ev->hooks.self, ev, k);
}

/* Gives the last scalar its parents. */
static void take_parents(struct evaluation *ev, const int *parent, int n)
{
	grow(&ev->parent, &ev->parent_room, ev->n_parent + n, sizeof *ev->parent);
	for (int j = 0; j < n; j++)
		ev->parent[ev->n_parent + j] = parent[j];
	ev->n_parent += n;
	ev->scalar[ev->n_scalar - 1].n_parent = n;
}

int trace_scalar(struct evaluation *ev, enum op op, enum op kind, enum dtype d, const int *parent, int n)
{
	mpfr_srcptr few[8], *x = few;
	int k = new_scalar(ev, op, kind, d, n);
	for (int j = 0; j < n; j++)
		assert(parent[j] >= 0 && parent[j] < k); /* the trace is in order of execution */
	take_parents(ev, parent, n);
	if (n > 8)
		x = NEW(ev->arena, mpfr_srcptr, n);
	for (int j = 0; j < n; j++)
		x[j] = ev->value[parent[j]];
	for (int j = 0; j < n && ev->part == TRACE_FORMULA; j++)
		ev->scalar[k].derived |= ev->scalar[parent[j]].derived;
	ev->scalar[k].exact = ev->rules->value(ev, op, ev->value[k], x, n);
	announce(ev, k);
	return k;
}

int trace_leaf(struct evaluation *ev, enum dtype d, double x)
{
	int k = new_scalar(ev, OP_CONSTANT, OP_CONSTANT, d, 0);
	mpfr_set_d(ev->value[k], x, R);
	announce(ev, k);
	return k;
}

int trace_leaf_real(struct evaluation *ev, enum dtype d, void (*set)(mpfr_ptr x))
{
	int k = new_scalar(ev, OP_CONSTANT, OP_CONSTANT, d, 0);
	set(ev->value[k]);
	announce(ev, k);
	return k;
}

int trace_leaf_integer(struct evaluation *ev, enum dtype d, int64_t i)
{
	int k = new_scalar(ev, OP_CONSTANT, OP_CONSTANT, d, 0);
	mpfr_set_si(ev->value[k], (long)i, R);
	announce(ev, k);
	return k;
}

int trace_sorted(struct evaluation *ev, enum dtype d, const int *parent, int n, int rank)
{
	int k = new_scalar(ev, OP_SORT, OP_SORT, d, n);
	take_parents(ev, parent, n);
	mpfr_set(ev->value[k], ev->value[parent[rank]], R);
	ev->scalar[k].rank = rank;
	announce(ev, k);
	return k;
}

int trace_fixed_point(struct evaluation *ev, enum dtype d, int from, int parent, double radius)
{
	int k = new_scalar(ev, OP_FIXED_POINT, OP_FIXED_POINT, d, 1);
	take_parents(ev, &parent, parent >= 0);
	if (k != from)
		mpfr_set(ev->value[k], ev->value[from], R);
	ev->scalar[k].exact = false;
	announce(ev, k);
	if (ev->hooks.settled && !ev->quiet)
		ev->hooks.settled(ev->hooks.self, k, radius);
	return k;
}

double trace_radius(const struct evaluation *ev, int k)
{
	return ev->hooks.radius && !ev->quiet ? ev->hooks.radius(ev->hooks.self, k) : 0;
}

int trace_uncertain(struct evaluation *ev, enum dtype d, const int *parent, int n, int because)
{
	int k = trace_scalar(ev, OP_SELECT, OP_SELECT, d, parent, n);
	if (ev->hooks.uncertain && !ev->quiet)
		ev->hooks.uncertain(ev->hooks.self, ev, k, because);
	return k;
}

/*
 * A step of the running hash. It depends on order, value and number of decisions. Otherwise small decisions could lead
 * back to a state from which another sequence starts.
 */
void trace_event(struct evaluation *ev, int64_t decision)
{
	ev->path = random_mix(
	    ev->path * RANDOM_STEP + (uint64_t)decision + 0xd1342543de82ef95u * (uint64_t)++ev->n_event);
}

bool trace_separated(const struct evaluation *ev, int a, int b, double bound)
{
	return !ev->hooks.separated || ev->quiet || ev->hooks.separated(ev->hooks.self, ev, a, b, bound);
}

int trace_extremum(struct evaluation *ev, enum op kind, enum dtype d, int sign, int a, int b)
{
	const int parent[2] = {a, b};
	if (a != b) {
		int order = mpfr_cmp(ev->value[a], ev->value[b]);
		trace_event(ev, order < 0 ? -1 : order > 0);
		ev->edge |= order == 0;
	}
	return trace_scalar(ev, sign > 0 ? OP_MAX : OP_MIN, kind, d, parent, 2);
}

int trace_extremum_of(struct evaluation *ev, enum op kind, enum dtype d, int sign, const int *parent, int n)
{
	int best = 0, ties = 0;
	if (n == 1 && !mpfr_nan_p(ev->value[*parent]))
		return *parent;
	for (int k = 1; k < n; k++) {
		int order = mpfr_cmp(ev->value[parent[k]], ev->value[parent[best]]) * sign;
		if (order > 0)
			best = k, ties = 0;
		else if (order == 0 && parent[k] != parent[best])
			ties++;
	}
	trace_event(ev, (int64_t)best * 65536 + ties);
	ev->edge |= ties > 0;
	return trace_scalar(ev, sign > 0 ? OP_REDUCE_MAX : OP_REDUCE_MIN, kind, d, parent, n);
}

void trace_masked(struct evaluation *ev, int from, int to)
{
	if (!ev->hooks.scalar || ev->quiet || from == to)
		return;
	if (ev->n_masked == ev->masked_room) {
		ev->masked_room = ev->masked_room ? 2 * ev->masked_room : 64;
		ev->masked = heap_resize(ev->masked, (size_t)ev->masked_room, sizeof *ev->masked);
	}
	ev->masked[ev->n_masked++] = (struct masked_path){from, to};
}

/* ---- values ---- */

struct elements elements_new(struct evaluation_run *r, int n, bool shaky)
{
	work_take(r->ev->work, ELEMENT_WORK * (1 + (int64_t)n), r->ev->n_scalar, r->arena);
	return (struct elements){
	    .at = NEW(r->arena, union element, n), .shaky = shaky ? NEW(r->arena, uint8_t, n) : NULL};
}

void element_set_shaky(struct evaluation_run *r, struct elements *to, int n, int k)
{
	if (!to->shaky)
		to->shaky = NEW(r->arena, uint8_t, n);
	to->shaky[k] = 1;
}

void element_copy(struct evaluation_run *r, struct elements *to, int n_to, int k, const struct elements *from, int j)
{
	to->at[k] = from->at[j];
	if (element_shaky(from, j))
		element_set_shaky(r, to, n_to, k);
}

void element_zero(struct evaluation_run *r, struct elements *to, enum dtype d, int k)
{
	if (dtype_is_float(d))
		to->at[k].scalar = trace_leaf(r->ev, d, 0);
	else
		to->at[k].i = 0;
}

struct axis_split evaluate_axis_view(const struct shape *s, int axis)
{
	struct axis_split v = {1, s->extent[axis], 1};
	for (int d = 0; d < axis; d++)
		v.outer *= s->extent[d];
	for (int d = axis + 1; d < s->rank; d++)
		v.inner *= s->extent[d];
	return v;
}

static void evaluate_constant(struct evaluation_run *r, const struct node *node)
{
	const struct tensor *value = &node->attrs.value;
	int n = shape_elements(&value->type.shape);
	struct elements out = elements_new(r, n, false);
	bool is_float = dtype_is_float(value->type.dtype);
	for (int k = 0; k < n; k++) {
		if (is_float)
			out.at[k].scalar = trace_leaf(r->ev, value->type.dtype, value->at[k].f);
		else
			out.at[k].i = value->at[k].i;
	}
	r->env[node->out] = out;
}

/* ---- control flow ---- */

/* The integer or bool scalar `value`, on which control flow depends. */
int64_t evaluate_decide(struct evaluation_run *r, const struct elements *value)
{
	if (element_shaky(value, 0))
		r->ev->status = EVALUATE_SHAKY;
	trace_event(r->ev, value->at[0].i);
	return value->at[0].i;
}

static void evaluate_cond(struct evaluation_run *r, const struct node *node)
{
	const struct region *region = &node->region[evaluate_decide(r, &r->env[node->arg[0]]) ? 0 : 1];
	evaluate_region(r, region);
	for (int k = 0; k < node->n_out; k++)
		r->env[node->out + k] = r->env[region->result[k]];
}

/* Carries of a loop: [n], copied between parameters and results because parameters are overwritten each iteration. */
static struct elements *carries_new(struct evaluation_run *r, const int *arg, int n)
{
	struct elements *carry = NEW(r->arena, struct elements, n + 1);
	for (int k = 0; k < n; k++)
		carry[k] = r->env[arg[k]];
	return carry;
}

static void take_results(struct evaluation_run *r, const struct region *region, struct elements *carry, int n)
{
	for (int k = 0; k < n; k++)
		carry[k] = r->env[region->result[k]];
}

static void evaluate_checkpoint(struct evaluation_run *r, const struct node *node)
{
	evaluate_region(r, &node->region[0]);
	for (int k = 0; k < node->n_out; k++)
		r->env[node->out + k] = r->env[node->region[0].result[k]];
}

static void evaluate_scatter_apply(struct evaluation_run *r, const struct node *node)
{
	const struct region *region = &node->region[0];
	const struct shape *shape = &r->p->type[node->arg[0]].shape;
	const struct elements *x = &r->env[node->arg[0]], *indices = &r->env[node->arg[1]];
	struct axis_split v = evaluate_axis_view(shape, node->attrs.axis);
	int total = shape_elements(shape), n = shape_elements(&r->p->type[node->arg[1]].shape);
	struct elements out = elements_new(r, total, false);
	for (int k = 0; k < total; k++)
		element_copy(r, &out, total, k, x, k);
	for (int k = 0; k < n; k++) {
		int slice = evaluate_index(r, indices, k, node->attrs.mode, v.n);
		for (int e = 0; slice >= 0 && e < v.outer * v.inner; e++) {
			int at = (e / v.inner * v.n + slice) * v.inner + e % v.inner;
			struct elements element = elements_new(r, 1, false);
			element_copy(r, &element, 1, 0, &out, at);
			r->env[region->param] = element;
			evaluate_region(r, region);
			const struct elements *result = &r->env[region->result[0]];
			if (out.shaky)
				out.shaky[at] = 0;
			element_copy(r, &out, total, at, result, 0);
		}
	}
	r->env[node->out] = out;
}

static void evaluate_for(struct evaluation_run *r, const struct node *node)
{
	const struct node_loop l = node_loop(node);
	const struct region *body = l.body;
	const int n = l.n_carry;
	int64_t trip = node->attrs.trip;
	if (l.counted) {
		trip = evaluate_decide(r, &r->env[node->arg[0]]);
		trip = trip < 0 ? 0 : trip > node->attrs.cap ? node->attrs.cap : trip;
	}
	struct elements *carry = carries_new(r, node->arg + l.first_arg, n);
	for (int64_t t = 0; t < trip; t++) {
		struct elements index = elements_new(r, 1, false);
		index.at[0].i = t;
		r->env[body->param] = index;
		for (int k = 0; k < n; k++)
			r->env[l.first_param + k] = carry[k];
		evaluate_region(r, body);
		take_results(r, body, carry, n);
		if (node->attrs.until && evaluate_decide(r, &r->env[body->result[n]]))
			break;
	}
	for (int k = 0; k < n; k++)
		r->env[node->out + k] = carry[k];
}

static void evaluate_while(struct evaluation_run *r, const struct node *node)
{
	const struct region *condition = &node->region[0], *body = &node->region[1];
	struct elements *carry = carries_new(r, node->arg, node->n_arg);
	for (int t = 0; t < node->attrs.cap; t++) {
		for (int k = 0; k < node->n_arg; k++)
			r->env[condition->param + k] = carry[k];
		evaluate_region(r, condition);
		if (!evaluate_decide(r, &r->env[condition->result[0]]))
			break;
		for (int k = 0; k < node->n_arg; k++)
			r->env[body->param + k] = carry[k];
		evaluate_region(r, body);
		take_results(r, body, carry, node->n_arg);
	}
	for (int k = 0; k < node->n_arg; k++)
		r->env[node->out + k] = carry[k];
}

static void evaluate_scan(struct evaluation_run *r, const struct node *node)
{
	const struct region *body = &node->region[0];
	int n = node->attrs.carries, n_slice = node->n_arg - n, n_stack = node->n_out - n;
	struct elements *carry = carries_new(r, node->arg, n);
	for (int k = 0; k < n_stack; k++)
		r->env[node->out + n + k] = elements_new(
		    r, shape_elements(&r->p->type[node->out + n + k].shape), false);
	int done = 0;
	for (int t = 0; t < node->attrs.trip; t++) {
		for (int k = 0; k < n; k++)
			r->env[body->param + k] = carry[k];
		for (int k = 0; k < n_slice; k++) {
			int size = shape_elements(&r->p->type[body->param + n + k].shape);
			const struct elements *xs = &r->env[node->arg[n + k]];
			r->env[body->param + n + k] = (struct elements){
			    .at = xs->at + t * size, .shaky = xs->shaky ? xs->shaky + t * size : NULL};
		}
		evaluate_region(r, body);
		take_results(r, body, carry, n);
		for (int k = 0; k < n_stack; k++) {
			const struct type *type = &r->p->type[node->out + n + k];
			const struct elements *row = &r->env[body->result[n + k]];
			int total = shape_elements(&type->shape),
			    size = node->attrs.trip ? total / node->attrs.trip : 0;
			for (int j = 0; j < size; j++)
				element_copy(r, &r->env[node->out + n + k], total, t * size + j, row, j);
		}
		done = t + 1;
		if (node->attrs.until && evaluate_decide(r, &r->env[body->result[n + n_stack]]))
			break;
	}
	for (int k = 0; k < n_stack; k++) { /* the rows after an early exit */
		const struct type *type = &r->p->type[node->out + n + k];
		int total = shape_elements(&type->shape), size = node->attrs.trip ? total / node->attrs.trip : 0;
		for (int j = done * size; j < total; j++)
			element_zero(r, &r->env[node->out + n + k], type->dtype, j);
	}
	for (int k = 0; k < n; k++)
		r->env[node->out + k] = carry[k];
}

typedef void family_fn(struct evaluation_run *r, const struct node *node);
static family_fn *const families[] = {
    [FAMILY_CONSTANT] = evaluate_constant,
    [FAMILY_UNARY] = evaluate_elementwise,
    [FAMILY_BINARY] = evaluate_elementwise,
    [FAMILY_COMPARE] = evaluate_elementwise,
    [FAMILY_CLAMP] = evaluate_elementwise,
    [FAMILY_SELECT] = evaluate_elementwise,
    [FAMILY_CAST] = evaluate_elementwise,
    [FAMILY_BROADCAST_TO] = evaluate_move,
    [FAMILY_RESHAPE] = evaluate_move,
    [FAMILY_TRANSPOSE] = evaluate_move,
    [FAMILY_REVERSE] = evaluate_move,
    [FAMILY_SQUEEZE] = evaluate_move,
    [FAMILY_SLICE] = evaluate_move,
    [FAMILY_SLICE_SCATTER] = evaluate_move,
    [FAMILY_DYNAMIC_SLICE] = evaluate_move,
    [FAMILY_DYNAMIC_UPDATE_SLICE] = evaluate_move,
    [FAMILY_PAD] = evaluate_move,
    [FAMILY_CONCATENATE] = evaluate_move,
    [FAMILY_GATHER] = evaluate_move,
    [FAMILY_TAKE_ALONG_AXIS] = evaluate_move,
    [FAMILY_SCATTER] = evaluate_move,
    [FAMILY_MASKED_SCATTER] = evaluate_move,
    [FAMILY_REDUCE] = evaluate_reduce,
    [FAMILY_CUMULATIVE] = evaluate_reduce,
    [FAMILY_MATMUL] = evaluate_reduce,
    [FAMILY_COND] = evaluate_cond,
    [FAMILY_FOR] = evaluate_for,
    [FAMILY_IOTA] = evaluate_order,
    [FAMILY_SORT] = evaluate_order,
    [FAMILY_ARGSORT] = evaluate_order,
    [FAMILY_ARGMAX] = evaluate_order,
    [FAMILY_CHECKPOINT] = evaluate_checkpoint,
    [FAMILY_SCATTER_APPLY] = evaluate_scatter_apply,
    [FAMILY_WHILE] = evaluate_while,
    [FAMILY_SCAN] = evaluate_scan,
    [FAMILY_FIXED_POINT] = evaluate_fixed_point,
    [FAMILY_DERIVATIVE] = evaluate_derivative,
    [FAMILY_CUSTOM] = evaluate_custom,
};

void evaluate_node(struct evaluation_run *r, const struct node *node) { families[op_table[node->op].family](r, node); }

void evaluate_region(struct evaluation_run *r, const struct region *region)
{
	for (int k = 0; k < region->n_node; k++)
		evaluate_node(r, &region->node[k]);
}

/* ---- inputs ---- */

/* value + sign * 2^step * direction in scalar k. */
static void shift(struct evaluation *ev, int k, double direction, int sign, int step)
{
	mpfr_t move;
	if (direction == 0)
		return;
	mpfr_init2(move, 53);
	mpfr_set_d(move, sign < 0 ? -direction : direction, R);
	mpfr_mul_2si(move, move, step, R);
	mpfr_add(ev->value[k], ev->value[k], move, R);
	mpfr_clear(move);
}

/* Sets ev->still: the elements of the inputs that no level of the request has in wrt. */
static void mark_still(struct evaluation *ev, int n_input, const struct tensor *point)
{
	uint8_t *still = NEW(ev->arena, uint8_t, ev->n_input_scalar + 1);

	for (int i = 0; ev->of && i < n_input; i++) {
		bool moves = false;

		for (int k = 0; k < ev->of->n_transform; k++)
			for (int j = 0; j < ev->of->transform[k].n_wrt; j++)
				moves |= ev->of->transform[k].wrt[j] == i;
		if (!moves && ev->input_scalar[i] >= 0)
			memset(still + ev->input_scalar[i], 1, (size_t)shape_elements(&point[i].type.shape));
	}
	ev->still = still;
}

void evaluate_moved(struct evaluation *ev, const struct program *p, const struct tensor *point, const struct move *move,
    int n_move, struct arena *a)
{
	struct evaluation_run r = {.ev = ev, .p = p, .arena = a, .env = NEW(a, struct elements, p->n_value)};
	int n_input = p->top.n_param;
	ev->arena = a;
	ev->n_scalar = ev->n_parent = 0;
	ev->part = TRACE_PROGRAM;
	ev->path = 0x243f6a8885a308d3u; /* the fraction of pi: a constant that nobody chose */
	ev->n_event = 0;
	ev->n_masked = 0;
	ev->edge = false;
	ev->next_frozen = 0;
	if (!ev->freeze)
		ev->n_frozen = 0;
	ev->status = EVALUATE_OK;
	ev->patience = EVALUATE_PATIENCE;
	ev->latest = 0;
	ev->residual_exponent = INT_MIN;
	ev->quiet = false;
	ev->at_ties = NULL;
	ev->rule_broken = false;
	ev->input_scalar = NEW(a, int, n_input);
	for (int i = 0; i < n_input; i++) {
		int n = shape_elements(&point[i].type.shape);
		enum dtype d = point[i].type.dtype;
		struct elements in = elements_new(&r, n, false);
		ev->input_scalar[i] = dtype_is_float(d) ? ev->n_scalar : -1;
		for (int k = 0; k < n; k++) {
			if (!dtype_is_float(d)) {
				in.at[k].i = point[i].at[k].i;
				continue;
			}
			in.at[k].scalar = trace_leaf(ev, d, point[i].at[k].f);
			for (int m = 0; m < n_move; m++)
				shift(ev, in.at[k].scalar, move[m].direction[i].at[k].f, move[m].sign, move[m].step);
		}
		r.env[p->top.param + i] = in;
	}
	ev->n_input_scalar = ev->n_scalar;
	mark_still(ev, n_input, point);
	evaluate_region(&r, &p->top);
	ev->n_result = p->top.n_result;
	ev->result = NEW(a, struct elements, ev->n_result);
	for (int k = 0; k < ev->n_result; k++)
		ev->result[k] = r.env[p->top.result[k]];
}

void evaluate(struct evaluation *ev, const struct program *p, const struct tensor *point,
    const struct tensor *direction, int sign, int step, struct arena *a)
{
	const struct move move = {direction, sign, step};
	evaluate_moved(ev, p, point, &move, direction != NULL, a);
}
