/* run.c: runs lowered code: kernels on tensors, scatters in place, regions as often as needed. */
#include <string.h>

#include "parts.h"
#include "engines/kernels/parts.h"

static const struct type *type_of(const struct machine *m, int v) { return &m->c->p->type[v]; }

static const struct view *view_of(const struct machine *m, int v) { return &m->c->view[v]; }

/* ---- moves ---- */

static void copy_view(const struct machine *m, const struct shape *s, const struct view *from, const struct view *to)
{
	const union cell *x = m->base[from->buffer];
	union cell *y = m->base[to->buffer];
	int index[LIMIT_RANK] = {0}, n = shape_elements(s), i = from->offset, j = to->offset;

	if (from->buffer == to->buffer && from->offset == to->offset &&
	    !memcmp(from->stride, to->stride, sizeof from->stride))
		return;
	for (int k = 0; k < n; k++) {
		y[j] = x[i];
		for (int d = s->rank - 1; d >= 0; d--) {
			i += from->stride[d];
			j += to->stride[d];
			if (++index[d] < s->extent[d])
				break;
			i -= from->stride[d] * s->extent[d];
			j -= to->stride[d] * s->extent[d];
			index[d] = 0;
		}
	}
}

static void copy_value(const struct machine *m, int from, int to)
{
	copy_view(m, &type_of(m, to)->shape, view_of(m, from), view_of(m, to));
}

static union cell scalar(const struct machine *m, int v)
{
	return m->base[view_of(m, v)->buffer][view_of(m, v)->offset];
}

/* Value v as a tensor: its own cells if they are stored as in a tensor, else a copy. */
static struct tensor tensor_of(const struct machine *m, int v)
{
	const struct view *from = view_of(m, v);
	struct tensor t = {.type = *type_of(m, v)};
	union cell *to;
	int index[LIMIT_RANK] = {0}, n = shape_elements(&t.type.shape);

	t.at = m->base[from->buffer] + from->offset;
	if (view_dense(&t.type.shape, from))
		return t;
	to = NEW(m->arena, union cell, n);
	for (int i = 0; i < n; i++) {
		to[i] = m->base[from->buffer][view_at(from, index, t.type.shape.rank)];
		shape_next(&t.type.shape, index);
	}
	t.at = to;
	return t;
}

/* ---- kernels ---- */

static void run_kernel(const struct machine *m, const struct node *node)
{
	struct arena_mark mark = arena_mark(m->arena);
	struct tensor tensor[LIMIT_ARGS], out = {.type = *type_of(m, node->out)};
	const struct tensor *arg[LIMIT_ARGS];

	for (int k = 0; k < node->n_arg; k++) {
		tensor[k] = tensor_of(m, node->arg[k]);
		arg[k] = &tensor[k];
	}
	out.at = m->base[view_of(m, node->out)->buffer] + view_of(m, node->out)->offset;
	memset(out.at, 0, (size_t)shape_elements(&out.type.shape) * sizeof *out.at);
	kernel_run_into(node, arg, &out, m->arena);
	arena_rewind(m->arena, mark);
}

/* ---- scatters, onto the copies of their operands ---- */

static void scatter(const struct machine *m, const struct node *node, enum op combine)
{
	struct arena_mark mark = arena_mark(m->arena);
	const struct type *type = type_of(m, node->out);
	const struct view *to = view_of(m, node->out), *from = view_of(m, node->arg[2]);
	struct tensor indices = tensor_of(m, node->arg[1]);
	struct shape space = type_of(m, node->arg[2])->shape;
	union cell *y = m->base[to->buffer];
	const union cell *x = m->base[from->buffer];
	int axis = node->attrs.axis, index[LIMIT_RANK] = {0}, n;

	space.extent[axis] = shape_elements(&indices.type.shape);
	n = shape_elements(&space);
	for (int i = 0; i < n; i++, shape_next(&space, index)) {
		int at = kernel_index(node->attrs.mode, indices.at[index[axis]].i, type->shape.extent[axis]);
		union cell *there;

		if (at < 0)
			continue;
		there = y + (view_at(to, index, space.rank) + (at - index[axis]) * to->stride[axis]);
		*there = kernel_scatter_element(combine, type->dtype, *there, x[view_at(from, index, space.rank)]);
	}
	arena_rewind(m->arena, mark);
	/* Duplicates are accumulated in binary64 and rounded once at the end. */
	n = dtype_is_float(type->dtype) ? shape_elements(&type->shape) : 0;
	memset(index, 0, sizeof index);
	for (int i = 0; i < n; i++, shape_next(&type->shape, index)) {
		union cell *there = y + view_at(to, index, type->shape.rank);

		there->f = dtype_round(type->dtype, there->f);
	}
}

static void update_slice(const struct machine *m, const struct node *node)
{
	struct arena_mark mark = arena_mark(m->arena);
	const struct shape *s = &type_of(m, node->out)->shape, *size = &type_of(m, node->arg[1])->shape;
	struct tensor starts = tensor_of(m, node->arg[2]);
	struct view to = *view_of(m, node->out);

	for (int d = 0; d < s->rank; d++) {
		int64_t start = starts.at[d].i, last = s->extent[d] - size->extent[d];

		to.offset += (int)(start < 0 ? 0 : start > last ? last : start) * to.stride[d];
	}
	copy_view(m, size, view_of(m, node->arg[1]), &to);
	arena_rewind(m->arena, mark);
}

static void run_scatter(const struct machine *m, const struct node *node)
{
	if (op_table[node->op].family == FAMILY_SCATTER)
		scatter(m, node, m->c->options->rules->row[node->op].combine);
	else
		update_slice(m, node);
}

/* ---- regions ---- */

static void run_block(const struct machine *m, const struct block *b);

static void run_cond(const struct machine *m, const struct step *step)
{
	const struct node *node = step->node;
	int taken = step->kind == STEP_CHECKPOINT || scalar(m, node->arg[0]).i ? 0 : 1;

	run_block(m, &step->block[taken]);
	for (int k = 0; k < node->n_out; k++)
		copy_value(m, node->region[taken].result[k], node->out + k);
}

static void run_scatter_apply(const struct machine *m, const struct step *step)
{
	const struct node *node = step->node;
	const struct region *region = &node->region[0];
	struct arena_mark mark = arena_mark(m->arena);
	struct tensor indices = tensor_of(m, node->arg[1]);
	union cell *y = m->base[view_of(m, node->out)->buffer] + view_of(m, node->out)->offset;
	union cell *x = m->base[view_of(m, region->param)->buffer] + view_of(m, region->param)->offset;
	int n, *at = kernel_positions(node, type_of(m, node->arg[0]), &indices, &n, m->arena);

	copy_value(m, node->arg[0], node->out);
	for (int k = 0; k < n; k++) {
		*x = y[at[k]];
		run_block(m, &step->block[0]);
		y[at[k]] = scalar(m, region->result[0]);
	}
	arena_rewind(m->arena, mark);
}

/*
 * Makes the values from[n_carry] the carries.  A value that would be overwritten before it is read goes through its
 * stage.
 */
static void take_carries(const struct machine *m, const struct step *step, const int *from, int param)
{
	for (int k = 0; k < step->n_carry; k++)
		if (step->stage[k].buffer >= 0)
			copy_view(m, &type_of(m, param + k)->shape, view_of(m, from[k]), &step->stage[k]);
	for (int k = 0; k < step->n_carry; k++)
		copy_view(m, &type_of(m, param + k)->shape,
		    step->stage[k].buffer >= 0 ? &step->stage[k] : view_of(m, from[k]), view_of(m, param + k));
}

static void give_operands(const struct machine *m, const struct step *step, int first_arg, int param)
{
	for (int k = 0; k < step->n_carry; k++)
		copy_value(m, step->node->arg[first_arg + k], param + k);
}

static bool says_stop(const struct machine *m, const struct node *node, const struct region *body)
{
	return node->attrs.until && scalar(m, body->result[body->n_result - 1]).i;
}

static void run_for(const struct machine *m, const struct step *step)
{
	const struct node *node = step->node;
	const struct region *body = &node->region[0];
	const struct view *index = view_of(m, body->param);
	int trip = node->attrs.trip;
	bool stop = false;

	if (trip < 0) {
		struct arena_mark mark = arena_mark(m->arena);
		struct tensor n = tensor_of(m, node->arg[0]);

		trip = kernel_trip(node, &n);
		arena_rewind(m->arena, mark);
	}
	give_operands(m, step, node->n_arg - step->n_carry, body->param + 1);
	for (int t = 0; t < trip && !stop; t++) {
		m->base[index->buffer][index->offset].i = t;
		run_block(m, &step->block[0]);
		stop = says_stop(m, node, body);
		take_carries(m, step, body->result, body->param + 1);
	}
}

static void run_while(const struct machine *m, const struct step *step)
{
	const struct region *condition = &step->node->region[0], *body = &step->node->region[1];

	give_operands(m, step, 0, body->param);
	for (int t = 0; t < step->node->attrs.cap; t++) {
		run_block(m, &step->block[0]);
		if (!scalar(m, condition->result[0]).i)
			break;
		run_block(m, &step->block[1]);
		take_carries(m, step, body->result, body->param);
	}
}

/* Sets the per-iteration inputs to row t. */
static void show_rows(const struct machine *m, const struct node *node, int t)
{
	for (int k = node->attrs.carries; k < node->n_arg; k++) {
		const struct view *xs = view_of(m, node->arg[k]);

		m->base[view_of(m, node->region[0].param + k)->buffer] = m->base[xs->buffer] + t * xs->stride[0];
	}
}

static void run_scan(const struct machine *m, const struct step *step)
{
	const struct node *node = step->node;
	const struct region *body = &node->region[0];
	bool stop = false;

	give_operands(m, step, 0, body->param);
	for (int k = step->n_carry; k < node->n_out; k++) {
		const struct view *ys = view_of(m, node->out + k);

		memset(m->base[ys->buffer] + ys->offset, 0,
		    (size_t)shape_elements(&type_of(m, node->out + k)->shape) * sizeof(union cell));
	}
	for (int t = 0; t < node->attrs.trip && !stop; t++) {
		show_rows(m, node, t);
		run_block(m, &step->block[0]);
		stop = says_stop(m, node, body);
		for (int k = step->n_carry; k < node->n_out; k++) {
			struct view row = *view_of(m, node->out + k);

			row.offset += t * row.stride[0];
			memmove(row.stride, row.stride + 1, sizeof row.stride - sizeof *row.stride);
			copy_view(m, &type_of(m, body->result[k])->shape, view_of(m, body->result[k]), &row);
		}
		take_carries(m, step, body->result, body->param);
	}
}

static void run_block(const struct machine *m, const struct block *b)
{
	for (int i = 0; i < b->n_step; i++) {
		const struct step *step = &b->step[i];

		switch (step->kind) {
		case STEP_LOOP:
			compiled_run_loop(m, step->loop);
			break;
		case STEP_SCATTER:
			run_scatter(m, step->node);
			break;
		case STEP_KERNEL:
			run_kernel(m, step->node);
			break;
		case STEP_COND:
		case STEP_CHECKPOINT:
			run_cond(m, step);
			break;
		case STEP_FOR:
			run_for(m, step);
			break;
		case STEP_WHILE:
			run_while(m, step);
			break;
		case STEP_SCAN:
			run_scan(m, step);
			break;
		case STEP_SCATTER_APPLY:
			run_scatter_apply(m, step);
			break;
		}
	}
}

void compiled_run(struct code *code, const struct tensor *input, struct arena *a, struct tensor *result)
{
	const struct machine m = {.c = code, .base = code->base, .arena = a};
	const struct region *top = &code->p->top;

	for (int k = 0; k < code->n_buffer; k++) {
		const struct buffer *b = &code->buffer[k];

		switch (b->kind) {
		case BUFFER_OWN:
			code->base[k] = code->cell + b->at;
			break;
		case BUFFER_CONSTANT:
			code->base[k] = b->literal;
			break;
		case BUFFER_INPUT:
			code->base[k] = input[b->index].at;
			break;
		case BUFFER_ROW:
			break;
		}
	}
	run_block(&m, &code->top);
	for (int k = 0; k < top->n_result; k++) {
		struct tensor t = tensor_of(&m, top->result[k]);

		result[k] = tensor_copy(a, &t);
	}
}
