/* rules.c: historic bugs of single rules: a row gets another text or another structure. */
#include <math.h>

#include "engines/builtin/adjoint.h"
#include "faults.h"
#include "engines/kernels/parts.h"

/* ---- wrong cotangents ---- */

/* Runs the rule of `call` with another cotangent. */
static void pull_with(const struct adjoint_call *call, adjoint_fn *structure, double (*change)(double cotangent),
    struct tensor *contribution)
{
	struct adjoint_call changed = *call;
	struct tensor cotangent = tensor_copy(call->arena, call->cotangent);

	for (int i = 0, n = shape_elements(&cotangent.type.shape); i < n; i++)
		cotangent.at[i].f = dtype_round(cotangent.type.dtype, change(cotangent.at[i].f));
	changed.cotangent = &cotangent;
	structure(&changed, contribution);
}

static double square(double x) { return x * x; }
static double one(double x)
{
	(void)x;
	return 1;
}

static void clamp_squares(const struct adjoint_call *call, struct tensor *contribution)
{
	pull_with(call, adjoint_elementwise, square, contribution);
}

const struct edits plant_cotangent_twice = {.edit = {EDIT(adjoint.row[OP_CLAMP].structure, clamp_squares)}};

static void pad_ones(const struct adjoint_call *call, struct tensor *contribution)
{
	pull_with(call, adjoint_pad, one, contribution);
}

const struct edits plant_cotangent_ignored = {.edit = {EDIT(adjoint.row[OP_PAD].structure, pad_ones)}};

/* A zero cotangent divided by sqrt(0). */
static void sqrt_unguarded(const struct adjoint_call *call, struct tensor *contribution)
{
	union cell *into;

	if (!call->wanted[0])
		return;
	into = adjoint_open(call, 0, contribution);
	for (int i = 0, n = shape_elements(&call->out->type.shape); i < n; i++)
		into[i].f = call->cotangent->at[i].f / (2 * sqrt(call->arg[0]->at[i].f));
	adjoint_round(&contribution[0]);
}

const struct edits plant_sqrt_unguarded = {.edit = {EDIT(adjoint.row[OP_SQRT].structure, sqrt_unguarded)}};

/* ---- formulas that are right away from zeros ---- */

const struct edits plant_pow_unguarded = {.edit = {
                                              EDIT_TEXT(adjoint.row[OP_POW].partial[0], "b*pow(a,b-1)"),
                                              EDIT_TEXT(adjoint.row[OP_POW].partial[1], "pow(a,b)*log(a)"),
                                              EDIT_TEXT(tangent.row[OP_POW].partial[0], "b*pow(a,b-1)"),
                                              EDIT_TEXT(tangent.row[OP_POW].partial[1], "pow(a,b)*log(a)"),
                                          }};

/* ---- conventions, which are no faults ---- */

const struct edits plant_first_of_ties = {.edit = {
                                              EDIT_TEXT(adjoint.row[OP_MAX].partial[0], "ge(a,b)"),
                                              EDIT_TEXT(adjoint.row[OP_MAX].partial[1], "gt(b,a)"),
                                              EDIT_TEXT(adjoint.row[OP_MIN].partial[0], "le(a,b)"),
                                              EDIT_TEXT(adjoint.row[OP_MIN].partial[1], "lt(b,a)"),
                                          }};

/* The bound gets the derivative that the operand loses: 0 for both would be no convention. */
const struct edits plant_open_bounds = {.edit = {
                                            EDIT_TEXT(adjoint.row[OP_CLAMP].partial[0], "gt(a,b)*lt(a,c)"),
                                            EDIT_TEXT(adjoint.row[OP_CLAMP].partial[1], "le(a,b)*lt(b,c)"),
                                            EDIT_TEXT(adjoint.row[OP_CLAMP].partial[2], "ge(max(a,b),c)"),
                                        }};

/* ---- reductions ---- */

/* Gives each operand element of a reduction `weight` times the cotangent of its result. */
static void weigh(const struct adjoint_call *call, double (*weight)(double x, double out), struct tensor *contribution)
{
	const struct tensor *x = call->arg[0];
	int *map;
	union cell *into;

	if (!call->wanted[0])
		return;
	map = reduce_map(call->node, &x->type.shape, call->arena);
	into = adjoint_open(call, 0, contribution);
	for (int i = 0, n = shape_elements(&x->type.shape); i < n; i++)
		into[i].f = call->cotangent->at[map[i]].f * weight(x->at[i].f, call->out->at[map[i]].f);
	adjoint_round(&contribution[0]);
}

static double out_over_x(double x, double out) { return out / x; }
static double x_over_out(double x, double out) { return x / out; }
static double exp_of_difference(double x, double out) { return exp(x - out); }

static void prod_by_division(const struct adjoint_call *call, struct tensor *contribution)
{
	weigh(call, out_over_x, contribution);
}

const struct edits plant_prod_by_division = {.edit = {EDIT(adjoint.row[OP_REDUCE_PROD].structure, prod_by_division)}};

static void norm_by_division(const struct adjoint_call *call, struct tensor *contribution)
{
	weigh(call, x_over_out, contribution);
}

const struct edits plant_norm_by_division = {.edit = {EDIT(adjoint.row[OP_NORM].structure, norm_by_division)}};

static void logsumexp_unshifted(const struct adjoint_call *call, struct tensor *contribution)
{
	weigh(call, exp_of_difference, contribution);
}

const struct edits plant_logsumexp_unshifted = {.edit = {
                                                    EDIT(adjoint.row[OP_LOGSUMEXP].structure, logsumexp_unshifted),
                                                }};

/* The running sum, from the end, of cotangent times result, over x. */
static void cumprod_by_division(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct tensor *x = call->arg[0];
	struct axis_view v = axis_view(&x->type.shape, call->node->attrs.axis);
	union cell *into;

	if (!call->wanted[0])
		return;
	into = adjoint_open(call, 0, contribution);
	for (int line = 0; line < v.outer * v.inner; line++) {
		double sum = 0;

		for (int k = v.n - 1; k >= 0; k--) {
			int at = (line / v.inner * v.n + k) * v.inner + line % v.inner;

			sum += call->cotangent->at[at].f * call->out->at[at].f;
			into[at].f = sum / x->at[at].f;
		}
	}
	adjoint_round(&contribution[0]);
}

const struct edits plant_cumprod_by_division = {.edit = {EDIT(adjoint.row[OP_CUMPROD].structure, cumprod_by_division)}};

/* The mask x == extremum is empty when the extremum is NaN, and a count of 0 is made 1. */
static void extremum_by_equality(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct tensor *x = call->arg[0];
	int n = shape_elements(&x->type.shape), *map, *count;
	union cell *into;

	if (!call->wanted[0])
		return;
	map = reduce_map(call->node, &x->type.shape, call->arena);
	count = NEW(call->arena, int, shape_elements(&call->out->type.shape));
	into = adjoint_open(call, 0, contribution);
	for (int i = 0; i < n; i++)
		count[map[i]] += x->at[i].f == call->out->at[map[i]].f;
	for (int i = 0; i < n; i++)
		if (x->at[i].f == call->out->at[map[i]].f)
			into[i].f = call->cotangent->at[map[i]].f / count[map[i]];
	adjoint_round(&contribution[0]);
}

const struct edits plant_extremum_by_equality = {.edit = {
                                                     EDIT(adjoint.row[OP_REDUCE_MAX].structure, extremum_by_equality),
                                                     EDIT(adjoint.row[OP_REDUCE_MIN].structure, extremum_by_equality),
                                                 }};

/* ---- indexing ---- */

/* Overwrites where it should add: the last of several equal indices wins. */
static void gather_overwrites(const struct adjoint_call *call, struct tensor *contribution)
{
	struct axis_view v = axis_view(&call->arg[0]->type.shape, call->node->attrs.axis);
	bool along = call->node->op == OP_TAKE_ALONG_AXIS;
	int n_index = along ? call->out->type.shape.extent[call->node->attrs.axis]
	                    : shape_elements(&call->arg[1]->type.shape);
	union cell *into;

	if (!call->wanted[0])
		return;
	into = adjoint_open(call, 0, contribution);
	for (int o = 0; o < v.outer; o++)
		for (int k = 0; k < n_index; k++)
			for (int i = 0; i < v.inner; i++) {
				int from = (o * n_index + k) * v.inner + i;
				int at = kernel_index(
				    call->node->attrs.mode, call->arg[1]->at[along ? from : k].i, v.n);

				if (at >= 0)
					into[(o * v.n + at) * v.inner + i] = call->cotangent->at[from];
			}
}

const struct edits plant_gather_overwrites = {.edit = {
                                                  EDIT(adjoint.row[OP_GATHER].structure, gather_overwrites),
                                                  EDIT(adjoint.row[OP_TAKE_ALONG_AXIS].structure, gather_overwrites),
                                              }};

/* As if every place met at most one update: x times the last one. */
static void scatter_mul_unique(const struct adjoint_call *call, struct tensor *contribution)
{
	int axis = call->node->attrs.axis, n_index = shape_elements(&call->arg[1]->type.shape);
	struct axis_view v = axis_view(&call->arg[0]->type.shape, axis);
	const union cell *x = call->arg[0]->at, *factor = call->arg[2]->at, *cotangent = call->cotangent->at;
	union cell *into = call->wanted[0] ? adjoint_open(call, 0, contribution) : NULL;
	union cell *update = call->wanted[2] ? adjoint_open(call, 2, contribution) : NULL;

	for (int i = 0, n = shape_elements(&call->arg[0]->type.shape); into && i < n; i++)
		into[i] = cotangent[i];
	for (int o = 0; o < v.outer; o++)
		for (int k = 0; k < n_index; k++) {
			int slice = kernel_index(call->node->attrs.mode, call->arg[1]->at[k].i, v.n);

			for (int i = 0; slice >= 0 && i < v.inner; i++) {
				int at = (o * v.n + slice) * v.inner + i,
				    f = (o * call->arg[2]->type.shape.extent[axis] + k) * v.inner + i;

				if (into)
					into[at].f = call->rules->multiply(cotangent[at].f, factor[f].f);
				if (update)
					update[f].f = call->rules->multiply(cotangent[at].f, x[at].f);
			}
		}
	for (int k = 0; k <= 2; k += 2)
		if (contribution[k].at)
			adjoint_round(&contribution[k]);
}

const struct edits plant_scatter_mul_unique = {.edit = {
                                                   EDIT(adjoint.row[OP_SCATTER_MUL].structure, scatter_mul_unique),
                                               }};

/* The transpose, a gather, clips what the scatter dropped. */
static void scatter_add_clips(const struct adjoint_call *call, struct tensor *contribution)
{
	struct adjoint_call changed = *call;
	struct node node = *call->node;

	node.attrs.mode = MODE_CLIP;
	changed.node = &node;
	adjoint_scatter_add(&changed, contribution);
}

const struct edits plant_scatter_add_clips = {.edit = {EDIT(adjoint.row[OP_SCATTER_ADD].structure, scatter_add_clips)}};

/*
 * Cuts the gradient of the updates to the extent of the indices.  The elements that no index reaches are missing, not
 * 0.
 */
static void cut_updates(const struct adjoint_call *call, struct tensor *contribution)
{
	if (contribution[2].at)
		contribution[2].type.shape.extent[call->node->attrs.axis] = shape_elements(&call->arg[1]->type.shape);
}

static void scatter_add_cut(const struct adjoint_call *call, struct tensor *contribution)
{
	adjoint_scatter_add(call, contribution);
	cut_updates(call, contribution);
}

static void scatter_set_cut(const struct adjoint_call *call, struct tensor *contribution)
{
	adjoint_scatter_set(call, contribution);
	cut_updates(call, contribution);
}

const struct edits plant_updates_cut = {.edit = {
                                            EDIT(adjoint.row[OP_SCATTER_ADD].structure, scatter_add_cut),
                                            EDIT(adjoint.row[OP_SCATTER_SET].structure, scatter_set_cut),
                                        }};

/*
 * A strided slice of one element gets stride 1 and keeps its stop.  So its adjoint fills the span; with a negative
 * stride the span is empty.
 */
static void slice_fills_span(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct attrs *attrs = &call->node->attrs;
	const struct shape *whole = &call->arg[0]->type.shape;
	struct shape span = call->out->type.shape;
	int stride[LIMIT_RANK] = {0};
	bool empty = false;
	union cell *into;

	if (!call->wanted[0])
		return;
	into = adjoint_open(call, 0, contribution);
	for (int d = 0; d < span.rank; d++) {
		int room = whole->extent[d] - attrs->start[d];

		stride[d] = attrs->stride[d];
		if (span.extent[d] != 1 || (stride[d] > -2 && stride[d] < 2))
			continue;
		empty = empty || stride[d] < 0;
		span.extent[d] = stride[d] < room ? stride[d] : room;
		stride[d] = 1;
	}
	if (!empty)
		cell_walk_put(into, cell_walk_window(whole, &span, attrs->start, stride),
		    adjoint_expand(call->cotangent, &span, call->arena));
}

const struct edits plant_slice_fills_span = {.edit = {EDIT(adjoint.row[OP_SLICE].structure, slice_fills_span)}};

/* ---- scatter_apply ---- */

static double nothing(double cotangent)
{
	(void)cotangent;
	return 0;
}

const struct edits plant_apply_gives_nothing = {.edit = {EDIT(adjoint.applied, nothing)}};
