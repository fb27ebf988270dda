/* evaluate.c: the op of a node, and the inputs of a run. */
#include "internal.h"
#include "reuse.h"

#include <limits.h>
#include <string.h>

#define R MPFR_RNDN

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
	reuse_changed(ev, k);
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
	for (int k = 0; k < ev->n_input_scalar; k++)
		ev->scalar[k].moves = !still[k];
}

void evaluate_moved(struct evaluation *ev, const struct program *p, const struct tensor *point, const struct move *move,
    int n_move, struct arena *a)
{
	struct evaluation_run r = {.ev = ev, .p = p, .arena = a, .env = NEW(a, struct elements, p->n_value)};
	int n_input = p->top.n_param;
	ev->arena = a;
	ev->same = ev->again;
	ev->known = ev->again ? ev->n_scalar : 0;
	ev->next_ending = 0;
	if (!ev->again)
		ev->n_ending = 0;
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
	ev->n_solution = 0;
	ev->residual_exponent = INT_MIN;
	ev->quiet = false;
	ev->excess = 0;
	ev->at_ties = NULL;
	ev->n_broken = 0;
	ev->unlisted = false;
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
