/*
 * plan.c: how long buffers live, and where they are placed.
 *
 * Steps are numbered in the order in which they first run; a step with regions has a number at both ends.  A buffer is
 * alive between the first and the last position that touches it.  A buffer from outside that a loop reads must outlive
 * all iterations.
 */
#include <limits.h>

#include "parts.h"

struct code_plan {
	struct code *c;
	int n_position;
};

static void touch(struct code_plan *x, int buffer, int position)
{
	struct buffer *b = &x->c->buffer[buffer];

	if (b->first > b->last)
		b->first = b->last = position;
	if (position < b->first)
		b->first = position;
	if (position > b->last)
		b->last = position;
	if (b->kind == BUFFER_ROW)
		touch(x, b->index, position);
}

static void touch_value(struct code_plan *x, int v, int position) { touch(x, x->c->view[v].buffer, position); }

static void touch_values(struct code_plan *x, int first, int n, int position)
{
	for (int k = 0; k < n; k++)
		touch_value(x, first + k, position);
}

static void touch_loop(struct code_plan *x, const struct loop_nest *loop, int position)
{
	for (int k = 0; k < loop->n_instr; k++)
		if (loop->instr[k].kind == INSTR_LOAD || loop->instr[k].kind == INSTR_WINDOW)
			touch(x, loop->instr[k].view.buffer, position);
	touch(x, loop->to.buffer, position);
}

static void visit_block(struct code_plan *x, struct block *b);

static void visit_regions(struct code_plan *x, struct step *step)
{
	const struct node *node = step->node;
	bool again = step->kind != STEP_COND && step->kind != STEP_CHECKPOINT;

	for (int r = 0; r < node->n_region; r++)
		touch_values(x, node->region[r].param, node->region[r].n_param, step->begin);
	for (int r = 0; r < node->n_region; r++) {
		visit_block(x, &step->block[r]);
		for (int k = 0; k < node->region[r].n_result; k++)
			touch_value(x, node->region[r].result[k], x->n_position);
		x->n_position++;
	}
	step->end = x->n_position++;
	for (int r = 0; r < node->n_region; r++)
		touch_values(x, node->region[r].param, node->region[r].n_param, step->end);
	for (int k = 0; k < step->n_carry; k++)
		if (step->stage[k].buffer >= 0) {
			touch(x, step->stage[k].buffer, step->begin);
			touch(x, step->stage[k].buffer, step->end);
		}
	touch_values(x, node->out, node->n_out, step->end);
	for (int k = 0; again && k < x->c->n_buffer; k++) {
		struct buffer *buffer = &x->c->buffer[k];

		if (buffer->first <= step->begin && buffer->last > step->begin)
			buffer->last = x->c->options->rules->outlives(buffer->last, step->end);
	}
}

static void visit_block(struct code_plan *x, struct block *b)
{
	for (int i = 0; i < b->n_step; i++) {
		struct step *step = &b->step[i];

		step->begin = step->end = x->n_position++;
		if (step->kind == STEP_LOOP) {
			touch_loop(x, step->loop, step->begin);
			continue;
		}
		/* The buffer that a scatter writes to has been copied already. */
		for (int k = step->kind == STEP_SCATTER; k < step->node->n_arg; k++)
			touch_value(x, step->node->arg[k], step->begin);
		touch_values(x, step->node->out, step->node->n_out, step->begin);
		/* A kernel may read any element after it wrote any other.  So its operands outlive its first write. */
		if (step->kind == STEP_KERNEL) {
			step->end = x->n_position++;
			for (int k = 0; k < step->node->n_arg; k++)
				touch_value(x, step->node->arg[k], step->end);
		}
		if (step->block)
			visit_regions(x, step);
	}
}

/* ---- in place ---- */

static int resolved(const struct code *c, int buffer)
{
	while (c->buffer[buffer].alias >= 0)
		buffer = c->buffer[buffer].alias;
	return buffer;
}

static bool same_cells(const struct loop_nest *loop, const struct view *a, const struct view *b)
{
	if (a->offset != b->offset)
		return false;
	for (int d = 0; d < loop->rank; d++)
		if (loop->extent[d] > 1 && a->stride[d] != b->stride[d])
			return false;
	return true;
}

/* Whether every read of the buffer is of the element that is about to be written. */
static bool reads_only_in_step(const struct code *c, const struct loop_nest *loop, int buffer)
{
	for (int k = 0; k < loop->n_instr; k++) {
		const struct instr *instr = &loop->instr[k];

		if (instr->kind != INSTR_LOAD && instr->kind != INSTR_WINDOW)
			continue;
		if (resolved(c, instr->view.buffer) == buffer &&
		    (instr->kind == INSTR_WINDOW || !same_cells(loop, &instr->view, &loop->to)))
			return false;
	}
	return true;
}

static bool is_idle(const struct code *c, const struct loop_nest *loop)
{
	const struct instr *instr = &loop->instr[0];

	return loop->n_instr == 1 && !loop->folds && instr->kind == INSTR_LOAD &&
	    resolved(c, instr->view.buffer) == resolved(c, loop->to.buffer) &&
	    same_cells(loop, &instr->view, &loop->to);
}

/* Lets the result take over the cells of an operand that dies here. */
static void write_in_place(struct code *c, struct step *step)
{
	struct loop_nest *loop = step->loop;
	struct buffer *to = &c->buffer[loop->to.buffer];

	if (loop->folds || to->kind != BUFFER_OWN || to->first != step->begin)
		return;
	for (int k = 0; k < loop->n_instr; k++) {
		int from;
		struct buffer *b;

		if (loop->instr[k].kind != INSTR_LOAD)
			continue;
		from = resolved(c, loop->instr[k].view.buffer);
		b = &c->buffer[from];
		if (b->kind != BUFFER_OWN || b->size < to->size || !c->options->rules->dies(b->last, step->begin) ||
		    from == loop->to.buffer || !reads_only_in_step(c, loop, from))
			continue;
		to->alias = from;
		if (b->last < to->last)
			b->last = to->last;
		c->counts.rewrites[PASS_INPLACE]++;
		return;
	}
}

static void place_in_place(struct code *c, struct block *b)
{
	for (int i = 0; i < b->n_step; i++) {
		struct step *step = &b->step[i];

		if (step->kind == STEP_LOOP) {
			write_in_place(c, step);
			step->loop->idle = is_idle(c, step->loop);
		}
		for (int r = 0; step->block && r < step->node->n_region; r++)
			place_in_place(c, &step->block[r]);
	}
}

/* ---- places ---- */

/* First fit: buffers go in order of their first position.  Each gets the lowest place that is free while it lives. */
static int64_t first_fit(const struct code *c, const int *alive, int n_alive, int size)
{
	int64_t at = 0;

	for (int k = 0; k < n_alive; k++) { /* in order of place */
		const struct buffer *other = &c->buffer[alive[k]];

		if (other->at - at >= size)
			break;
		if (other->at + other->size > at)
			at = other->at + other->size;
	}
	return at;
}

static int enter_alive(const struct code *c, int *alive, int n_alive, int buffer)
{
	int k = n_alive;

	while (k > 0 && c->buffer[alive[k - 1]].at > c->buffer[buffer].at) {
		alive[k] = alive[k - 1];
		k--;
	}
	alive[k] = buffer;
	return n_alive + 1;
}

/* Sorts buffers by their first position, with a counting sort. */
static int *by_first(const struct code *c, int n_position, int *n)
{
	int *start = NEW(c->arena, int, n_position + 2), *order = NEW(c->arena, int, c->n_buffer);

	*n = 0;
	for (int k = 0; k < c->n_buffer; k++) {
		const struct buffer *b = &c->buffer[k];

		if (b->kind == BUFFER_OWN && b->alias < 0 && b->first <= b->last) {
			start[b->first + 1]++;
			++*n;
		}
	}
	for (int t = 0; t <= n_position; t++)
		start[t + 1] += start[t];
	for (int k = 0; k < c->n_buffer; k++) {
		const struct buffer *b = &c->buffer[k];

		if (b->kind == BUFFER_OWN && b->alias < 0 && b->first <= b->last)
			order[start[b->first]++] = k;
	}
	return order;
}

static void place(struct code *c, int n_position)
{
	struct arena_mark mark = arena_mark(c->arena);
	int n, *order = by_first(c, n_position, &n), *alive = NEW(c->arena, int, n), n_alive = 0;
	int soonest = INT_MAX; /* the least last position of a living buffer */

	for (int k = 0; k < n; k++) {
		struct buffer *b = &c->buffer[order[k]];
		int kept = 0;

		if (c->options->off[PASS_REUSE]) {
			b->at = c->n_cell;
		} else {
			if (!c->options->rules->alive(soonest, b->first)) {
				soonest = INT_MAX;
				for (int i = 0; i < n_alive; i++) {
					int last = c->buffer[alive[i]].last;

					if (!c->options->rules->alive(last, b->first))
						continue;
					alive[kept++] = alive[i];
					soonest = last < soonest ? last : soonest;
				}
				n_alive = kept;
			}
			b->at = first_fit(c, alive, n_alive, b->size);
			c->counts.rewrites[PASS_REUSE] += b->at < c->n_cell && b->size > 0;
			n_alive = enter_alive(c, alive, n_alive, order[k]);
			soonest = b->last < soonest ? b->last : soonest;
		}
		if (b->at + b->size > c->n_cell)
			c->n_cell = b->at + b->size;
	}
	c->counts.cells_shared = c->n_cell;
	arena_rewind(c->arena, mark);
	for (int k = 0; k < c->n_buffer; k++)
		c->buffer[k].at = c->buffer[resolved(c, k)].at;
}

void compiled_plan(struct code *c)
{
	struct code_plan x = {.c = c};

	visit_block(&x, &c->top);
	for (int k = 0; k < c->n_buffer; k++)
		if (c->buffer[k].kind == BUFFER_OWN) {
			c->counts.buffers++;
			c->counts.cells += c->buffer[k].size;
		}
	for (int k = 0; k < c->p->top.n_result; k++)
		touch_value(&x, c->p->top.result[k], x.n_position);
	if (!c->options->off[PASS_INPLACE])
		place_in_place(c, &c->top);
	place(c, x.n_position + 1);
}
