/*
 * loop.c: runs a loop nest.  It evaluates the expression on strips along the innermost axis, and stores or folds them.
 */
#include "parts.h"
#include "engines/kernels/parts.h"

/* ---- strips ---- */

/* A strip of a loop: n elements along axis `axis` from `index`. */
struct strip {
	const int *index;
	int axis, n;
};

/* The position inside the window of coordinate x along axis d; -1 outside. */
static int window_position(const struct strided_window *w, int d, int x)
{
	int from = x - w->start[d], k = from / w->step[d];

	return from % w->step[d] || k < 0 || k >= w->size[d] ? -1 : k;
}

/* Elements of the window where the strip is inside it; elsewhere those of register `outside`. */
static void show_window(const struct machine *m, const struct loop_nest *loop, const struct instr *instr,
    const struct strip *s, const union cell *outside, union cell *out)
{
	const union cell *from = m->base[instr->view.buffer];
	bool inside = true, moves = loop->rank && instr->varies[s->axis];
	int at = instr->view.offset, step = moves ? instr->view.stride[s->axis] : 0;

	for (int d = 0; d < loop->rank; d++) {
		int k;

		if (d == s->axis && moves)
			continue;
		k = window_position(&instr->window, d, instr->varies[d] ? s->index[d] : 0);
		inside = inside && k >= 0;
		at += k * instr->view.stride[d];
	}
	for (int i = 0; i < s->n; i++) {
		int k = moves ? window_position(&instr->window, s->axis, s->index[s->axis] + i) : 0;

		out[i] = inside && k >= 0 ? from[at + k * step] : outside[i];
	}
}

static void load(
    const struct machine *m, const struct loop_nest *loop, const struct view *v, const struct strip *s, union cell *out)
{
	const union cell *from = m->base[v->buffer] + view_at(v, s->index, loop->rank);
	int step = loop->rank ? v->stride[s->axis] : 0;

	for (int i = 0; i < s->n; i++)
		out[i] = from[i * step];
}

static void count(const struct instr *instr, const struct strip *s, union cell *out)
{
	for (int i = 0; i < s->n; i++) {
		int x = s->index[instr->axis] + (instr->axis == s->axis ? i : 0);

		if (dtype_is_float(instr->to))
			out[i].f = dtype_round(instr->to, x);
		else
			out[i].i = x;
	}
}

/* Evaluates the loop's expression on a strip. */
static const union cell *evaluate(const struct machine *m, const struct loop_nest *loop, const struct strip *s)
{
	union cell *reg = m->c->spare;

	for (int k = 0; k < loop->n_instr; k++) {
		const struct instr *instr = &loop->instr[k];
		union cell *out = reg + k * STRIP;

		switch (instr->kind) {
		case INSTR_LOAD:
			load(m, loop, &instr->view, s, out);
			break;
		case INSTR_APPLY: {
			const union cell *x[3];

			for (int i = 0; i < 3; i++)
				x[i] = reg + instr->arg[i] * STRIP;
			kernel_elements(instr->op, instr->from, instr->to, x, out, s->n);
			break;
		}
		case INSTR_WINDOW:
			show_window(m, loop, instr, s, reg + instr->arg[0] * STRIP, out);
			break;
		case INSTR_INDEX:
			count(instr, s, out);
			break;
		}
	}
	return reg + (loop->n_instr - 1) * STRIP;
}

static void store(const struct machine *m, const struct loop_nest *loop, const struct strip *s, const union cell *from)
{
	union cell *to = m->base[loop->to.buffer] + view_at(&loop->to, s->index, loop->rank);
	int step = loop->rank ? loop->to.stride[s->axis] : 0;

	for (int i = 0; i < s->n; i++)
		to[i * step] = from[i];
}

/*
 * Orders the axes from the outermost loop to the innermost.  Reduced axes are inside, so that a fold meets its elements
 * in row-major order.
 */
static void order_axes(const struct loop_nest *loop, int order[LIMIT_RANK])
{
	int n = 0;

	for (int d = 0; d < loop->rank; d++)
		if (!loop->reduced[d])
			order[n++] = d;
	for (int d = 0; d < loop->rank; d++)
		if (loop->reduced[d])
			order[n++] = d;
}

/* The next line along the innermost axis; false after the last one. */
static bool next_line(const struct loop_nest *loop, const int *order, int *index)
{
	for (int k = loop->rank - 2; k >= 0; k--) {
		int d = order[k];

		if (++index[d] < loop->extent[d])
			return true;
		index[d] = 0;
	}
	return false;
}

/* Whether the line is the first, or the last, of those folded into one element. */
static bool is_end_of_fold(const struct loop_nest *loop, const int *index, int inner, bool last)
{
	for (int d = 0; d < loop->rank; d++)
		if (loop->reduced[d] && d != inner && index[d] != (last ? loop->extent[d] - 1 : 0))
			return false;
	return true;
}

void compiled_run_loop(const struct machine *m, const struct loop_nest *loop)
{
	int order[LIMIT_RANK] = {0}, index[LIMIT_RANK] = {0}, inner, line;
	union cell sum = {0};

	for (int d = 0; d < loop->rank; d++)
		if (loop->extent[d] == 0)
			return;
	if (loop->idle)
		return;
	order_axes(loop, order);
	inner = loop->rank ? order[loop->rank - 1] : 0;
	line = loop->rank ? loop->extent[inner] : 1;
	do {
		if (loop->folds && is_end_of_fold(loop, index, inner, false))
			sum = kernel_fold_start(loop->fold, loop->dtype);
		for (int k = 0; k < line; k += STRIP) {
			struct strip s = {.index = index, .axis = inner, .n = line - k < STRIP ? line - k : STRIP};
			const union cell *x;

			index[inner] = k;
			x = evaluate(m, loop, &s);
			if (loop->folds)
				sum = kernel_fold(loop->fold, loop->dtype, sum, x, s.n);
			else
				store(m, loop, &s, x);
		}
		index[inner] = 0;
		if (loop->folds && is_end_of_fold(loop, index, inner, true))
			m->base[loop->to.buffer][view_at(&loop->to, index, loop->rank)] = kernel_fold_end(
			    loop->fold, loop->dtype, sum, loop->n_fold);
	} while (next_line(loop, order, index));
}
