/* batch.c: see batch.h. */
#include "batch.h"
#include "graph/answer.h"
#include "oracles/ball/ball.h"
#include "oracles/analytic/conventions.h"
#include "oracles/differences/finite_difference.h"

#include <math.h>

/* The limit of slices times the work of the program. */
static const int64_t slice_work = LIMIT_WORK;

/* The batch axes of a value, outermost first. Each is the number of its batch; the innermost batch of the request
 * is 0. */
struct axes {
	int n, batch[LIMIT_TRANSFORMS];
};

/* A request taken apart. */
struct batch_plan {
	int n_batch, size[LIMIT_TRANSFORMS]; /* of the batches */
	int n_input;
	struct axes input[LIMIT_ARGS], output[LIMIT_ARGS], primal; /* at the outermost level */
	struct axes seed[LIMIT_TRANSFORMS][LIMIT_ARGS];            /* of every transform */
	int slices;
	double unit; /* the coarsest of the program's float dtypes */
};

static void add_axis(struct axes *x, int batch)
{
	for (int k = x->n++; k > 0; k--)
		x->batch[k] = x->batch[k - 1];
	x->batch[0] = batch;
}

int batch_slices(const struct testcase *c)
{
	int slices = 0;
	for (int k = 0; k < c->n_transform; k++)
		if (c->transform[k].kind == TRANSFORM_BATCH)
			slices = (slices ? slices : 1) * c->transform[k].size;
	return slices;
}

static struct batch_plan plan_of(const struct testcase *c)
{
	struct batch_plan p = {.n_input = c->program.top.n_param, .slices = 1};
	int n_output = c->program.top.n_result;
	for (int v = 0; v < c->program.n_value; v++)
		p.unit = fmax(p.unit, dtype_table[c->program.type[v].dtype].unit);
	for (int k = 0; k < c->n_transform; k++) {
		const struct transform *t = &c->transform[k];
		switch (t->kind) {
		case TRANSFORM_BATCH:
			for (int i = 0; i < t->n_wrt; i++)
				add_axis(&p.input[t->wrt[i]], p.n_batch);
			for (int i = 0; i < n_output; i++)
				add_axis(&p.output[i], p.n_batch);
			add_axis(&p.primal, p.n_batch);
			p.slices *= t->size;
			p.size[p.n_batch++] = t->size;
			break;
		case TRANSFORM_VJP:
			for (int i = 0; i < n_output; i++)
				p.seed[k][i] = p.output[i];
			for (int i = 0; i < t->n_wrt; i++)
				p.output[i] = p.input[t->wrt[i]];
			n_output = t->n_wrt;
			break;
		default:
			for (int i = 0; i < t->n_wrt; i++)
				p.seed[k][i] = p.input[t->wrt[i]];
			break;
		}
	}
	return p;
}

/* The row of a value with these axes that slice number `slice` sees. Slices count with the innermost batch fastest. */
static int row_of(const struct batch_plan *p, const struct axes *x, int slice)
{
	int index[LIMIT_TRANSFORMS], row = 0;
	for (int k = 0; k < p->n_batch; k++) {
		index[k] = slice % p->size[k];
		slice /= p->size[k];
	}
	for (int k = 0; k < x->n; k++)
		row = row * p->size[x->batch[k]] + index[x->batch[k]];
	return row;
}

static struct type without_axes(const struct type *t, int n)
{
	struct type out = {.dtype = t->dtype, .shape.rank = t->shape.rank - n};
	for (int d = 0; d < out.shape.rank; d++)
		out.shape.extent[d] = t->shape.extent[d + n];
	return out;
}

static struct tensor slice_tensor(
    const struct batch_plan *p, const struct tensor *x, const struct axes *axes, int slice)
{
	struct tensor out = {.type = without_axes(&x->type, axes->n)};
	out.at = x->at + row_of(p, axes, slice) * shape_elements(&out.type.shape);
	return out;
}

/* The case of one slice: its one point and its seeds are parts of those of the whole case. */
static struct testcase slice_case(
    const struct batch_plan *p, const struct testcase *c, int which, int slice, struct arena *a)
{
	struct testcase out = *c;
	out.n_point = 1;
	out.point = NEW(a, struct tensor *, 1);
	out.point[0] = NEW(a, struct tensor, p->n_input);
	for (int i = 0; i < p->n_input; i++)
		out.point[0][i] = slice_tensor(p, &c->point[which][i], &p->input[i], slice);
	out.transform = NEW(a, struct transform, c->n_transform);
	out.n_transform = 0;
	for (int k = 0; k < c->n_transform; k++) {
		struct transform t = c->transform[k];
		if (t.kind == TRANSFORM_BATCH)
			continue;
		t.seed = NEW(a, struct tensor, t.n_seed);
		for (int i = 0; i < t.n_seed; i++)
			t.seed[i] = slice_tensor(p, &c->transform[k].seed[i], &p->seed[k][i], slice);
		out.transform[out.n_transform++] = t;
	}
	return out;
}

static struct truth_tensor tensor_of(const struct type *type, struct arena *a)
{
	return (struct truth_tensor){*type, NEW(a, struct component, shape_elements(&type->shape))};
}

/* ---- sums over slices ---- */

/* What the sum needs besides the component. */
struct slice_sum {
	int n;          /* slices so far */
	double flushed; /* what flushing every flow of a slice once would add, summed over the slices */
	double
	    depth; /* the most roundings on a path: the largest radius of a slice over its magnitude, in units of u */
};

/* sum += x. Both values are accurate to 100 bits, and so is the sum. */
static void add_component(struct component *sum, const struct component *x, struct slice_sum *so_far, double unit)
{
	if (x->magnitude > 0)
		so_far->depth = fmax(so_far->depth, x->tight / (x->magnitude * unit));
	so_far->flushed += x->flushed;
	if (so_far->n++ == 0) {
		*sum = *x;
		return;
	}
	double high = sum->value + x->value, back = high - sum->value;
	sum->low += x->low + (sum->value - (high - back)) + (x->value - back);
	sum->value = high;
	sum->tight += x->tight;
	sum->loose += x->loose;
	sum->narrow = false;
	sum->vanishes &= x->vanishes;
	sum->undivided = 0; /* not known */
	if (x->share > sum->share) {
		sum->share = x->share;
		sum->culprit = x->culprit;
	}
	sum->magnitude += x->magnitude;
	sum->in_domain &= x->in_domain;
	sum->weak_zero |= x->weak_zero;
	sum->escapes |= x->escapes;
	if (sum->reason == REASON_NONE)
		sum->reason = x->reason;
}

/*
 * The radius of the sum of n slices in any order.
 *
 * The sum itself costs n - 1 roundings at the size of the whole. An engine may also add the contributions of all
 * slices to one accumulator, anywhere on the path from the shared input on. The errors of a slice are then at the size
 * of the whole: for one slice in tight, for every slice in loose.
 *
 * An engine may compute once a part that does not depend on the slice. The n terms then meet there, in a dtype on the
 * path; `unit` is that of the coarsest.
 */
static void finish_component(struct component *sum, const struct slice_sum *s, enum dtype d, double unit)
{
	const struct dtype_info *info = &dtype_table[d];
	if (s->n < 2 || sum->reason != REASON_NONE || !dtype_is_float(d))
		return;
	double size = info->unit * (sum->magnitude + sum->tight), high = sum->value + sum->low;
	/* |low| may have grown beyond half a unit of value. The subtraction is exact by Sterbenz, or low is tiny. */
	sum->low -= high - sum->value;
	sum->value = high;
	double meeting = (s->n - 1) * (unit - info->unit) * (sum->magnitude + sum->tight);
	sum->tight += (s->n - 1 + s->depth) * size + meeting + s->flushed;
	sum->loose += s->n * (1 + s->depth) * size + meeting + s->flushed;
	if (sum->magnitude + sum->tight > info->max)
		sum->reason = REASON_OVERFLOW;
	else if (!ball_decided(sum->tight, sum->magnitude, d))
		sum->reason = REASON_ILL_CONDITIONED;
}

/* ---- putting together ---- */

static void stack_primal(const struct batch_plan *p, const struct testcase *c, const struct truth_point *slice,
    struct arena *a, struct truth_point *out)
{
	struct type type[LIMIT_ARGS];
	out->n_primal = answer_primal_types(c, type);
	out->primal = NEW(a, struct truth_tensor, out->n_primal);
	for (int i = 0; i < out->n_primal; i++) {
		out->primal[i] = tensor_of(&type[i], a);
		for (int s = 0; s < p->slices; s++) {
			int n = shape_elements(&slice[s].primal[i].type.shape), row = row_of(p, &p->primal, s);
			for (int e = 0; e < n; e++)
				out->primal[i].at[row * n + e] = slice[s].primal[i].at[e];
		}
	}
}

/* The outputs for one choice: slice s follows its assignment number choice[s]. */
static void combine(const struct batch_plan *p, const struct truth_point *slice, const int *choice,
    const struct type *type, int n, struct arena *a, struct truth_tensor *out)
{
	for (int i = 0; i < n; i++) {
		int total = shape_elements(&type[i].shape);
		struct arena_mark mark;
		out[i] = tensor_of(&type[i], a);
		mark = arena_mark(a);
		struct slice_sum *sum = NEW(a, struct slice_sum, total);
		double unit = dtype_is_float(type[i].dtype) ? dtype_table[type[i].dtype].unit : 1;
		for (int s = 0; s < p->slices; s++) {
			const struct truth_tensor *x = &slice[s].derivative[choice[s]][i];
			int m = shape_elements(&x->type.shape), row = row_of(p, &p->output[i], s);
			for (int e = 0; e < m; e++)
				add_component(&out[i].at[row * m + e], &x->at[e], &sum[row * m + e], unit);
		}
		for (int e = 0; e < total; e++)
			finish_component(&out[i].at[e], &sum[e], type[i].dtype, p->unit);
		arena_rewind(a, mark);
	}
}

/* Makes undecided the components on which the assignments of a slice differ. For use where all slices together have
 * too many. */
static void undecide_kinks(struct truth_point *slice)
{
	for (int k = 0; k < slice->n_derivative; k++)
		for (int e = 0; e < shape_elements(&slice->derivative[0][k].type.shape); e++)
			for (int s = 1; s < slice->n_assignment; s++) {
				struct component *first = &slice->derivative[0][k].at[e];
				const struct component *other = &slice->derivative[s][k].at[e];
				if (first->reason == REASON_NONE &&
				    (other->reason != REASON_NONE || other->value != first->value ||
				        other->low != first->low))
					first->reason = REASON_CONVENTION;
			}
	slice->n_assignment = 1;
}

/* Makes undecided the components that an open tie reaches (struct hull): no assignments span its answers. Nobody
 * computes what a whole request may make of them. */
static void undecide_open(struct truth_point *slice)
{
	if (!slice->hull || !slice->hull->open)
		return;
	for (int s = 0; s < slice->n_assignment; s++)
		for (int k = 0, at = 0; k < slice->n_derivative; k++)
			for (int e = 0; e < shape_elements(&slice->derivative[s][k].type.shape); e++, at++)
				if (slice->hull->low[at] < slice->hull->high[at])
					slice->derivative[s][k].at[e] = (struct component){.reason = REASON_CONVENTION};
}

static struct fd_evidence worst_evidence(const struct truth_point *slice, int n)
{
	struct fd_evidence worst = slice[0].fd;
	for (int s = 1; s < n; s++)
		if (fd_outcome_rank(slice[s].fd.outcome) > fd_outcome_rank(worst.outcome))
			worst = slice[s].fd;
	return worst;
}

/* The number of combinations of the slices' assignments. If there are too many, makes the components concerned
 * undecided and gives 1. */
static int count_assignments(const struct batch_plan *p, struct truth_point *slice)
{
	int n = 1;
	for (int s = 0; s < p->slices && n <= CONVENTION_ASSIGNMENTS; s++)
		n *= slice[s].n_assignment;
	if (n <= CONVENTION_ASSIGNMENTS)
		return n;
	for (int s = 0; s < p->slices; s++)
		undecide_kinks(&slice[s]);
	return 1;
}

void batch_unknown(const struct testcase *c, enum reason reason, struct arena *a, struct truth_point *out)
{
	struct type type[LIMIT_ARGS];
	*out = (struct truth_point){
	    .n_primal = answer_primal_types(c, type), .n_assignment = 1, .fd = {.component = -1}};
	out->primal = NEW(a, struct truth_tensor, out->n_primal);
	for (int k = 0; k < out->n_primal; k++)
		out->primal[k] = tensor_of(&type[k], a);
	out->n_derivative = answer_derivative_types(c, type);
	out->derivative = NEW(a, struct truth_tensor *, 1);
	out->derivative[0] = NEW(a, struct truth_tensor, out->n_derivative);
	for (int k = 0; k < out->n_derivative; k++)
		out->derivative[0][k] = tensor_of(&type[k], a);
	for (int k = 0; k < out->n_primal + out->n_derivative; k++) {
		struct truth_tensor *t = k < out->n_primal ? &out->primal[k] : &out->derivative[0][k - out->n_primal];
		for (int e = 0; e < shape_elements(&t->type.shape); e++)
			t->at[e].reason = reason;
	}
}

void batch_truth(
    const struct testcase *c, int which, slice_truth_fn *truth, void *self, struct arena *a, struct truth_point *out)
{
	const struct batch_plan p = plan_of(c);
	struct type type[LIMIT_ARGS];
	if (p.slices * (program_work(&c->program) + 1) > slice_work) {
		batch_unknown(c, REASON_ORDER, a, out);
		return;
	}
	struct truth_point *slice = NEW(a, struct truth_point, p.slices);
	*out = (struct truth_point){.n_derivative = answer_derivative_types(c, type)};
	for (int s = 0; s < p.slices; s++) {
		struct testcase one = slice_case(&p, c, which, s, a);
		truth(self, &one, a, &slice[s]);
		undecide_open(&slice[s]);
		out->kink |= slice[s].kink;
		out->edge |= slice[s].edge;
		out->nonfinite |= slice[s].nonfinite;
	}
	stack_primal(&p, c, slice, a, out);
	out->fd = worst_evidence(slice, p.slices);
	out->n_assignment = count_assignments(&p, slice);
	out->derivative = NEW(a, struct truth_tensor *, out->n_assignment);
	int *choice = NEW(a, int, p.slices);
	for (int k = 0; k < out->n_assignment; k++) {
		for (int s = 0, rest = k; s < p.slices; s++) {
			choice[s] = rest % slice[s].n_assignment;
			rest /= slice[s].n_assignment;
		}
		out->derivative[k] = NEW(a, struct truth_tensor, out->n_derivative);
		combine(&p, slice, choice, type, out->n_derivative, a, out->derivative[k]);
	}
}
