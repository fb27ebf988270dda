/*
 * tape_moves.c: takes parts from a value, and puts parts into one: slices of a scan, elements of scatter_apply, slices
 * of a batch.  The adjoint of taking is a put, and the adjoint of a put is taking.  So these two are enough at any
 * order.
 */
#include <string.h>

#include "tape.h"

static void reverse_split(struct tape *tape, const struct record *r);
static void pull_split(struct tape *tape, const struct record *r);
static void push_split(struct tape *tape, const struct record *r);
static void reverse_put(struct tape *tape, const struct record *r);
static void pull_put(struct tape *tape, const struct record *r);
static void push_put(struct tape *tape, const struct record *r);

/* Arguments: the value, then the parts.  More parts may be added while the trace grows. */
static const struct record_kind split_kind = {reverse_split, pull_split, push_split};
/* Arguments: the base or NULL, then the parts. */
static const struct record_kind put_kind = {reverse_put, pull_put, push_put};

static int elements(const struct variable *v) { return shape_elements(&v->tensor.type.shape); }

/* The cells of part k of a value, by the record r. */
static union cell *row_of(const struct record *r, int k, union cell *whole)
{
	return whole + (r->number ? r->number[k] : k) * elements(r->arg[1 + k]);
}

static void copy_cells(union cell *to, const union cell *from, int n) { memcpy(to, from, (size_t)n * sizeof *to); }

/* ---- split ---- */

struct record *tape_split(struct tape *tape, struct variable *x, int room)
{
	struct record *r;

	if (!(x->active & tape->trace->to_come))
		return NULL;
	r = tape_record(tape, &split_kind, 1 + room);
	r->n_arg = 1;
	r->arg[0] = x;
	r->number = NEW(tape->arena, int, room);
	tape_push(tape, r);
	return r;
}

struct variable *tape_part(
    struct tape *tape, struct record *split, struct variable *x, const struct type *type, int row)
{
	struct variable *out = tape_variable(tape, tensor_new(tape->arena, type));
	int n = elements(out);

	copy_cells(out->tensor.at, x->tensor.at + row * n, n);
	if (split) {
		out->active = x->active & tape->trace->to_come;
		split->number[split->n_arg - 1] = row;
		split->arg[split->n_arg++] = out;
	}
	return out;
}

static void reverse_split(struct tape *tape, const struct record *r)
{
	struct variable *x = r->arg[0];

	for (int k = r->n_arg - 2; k >= 0; k--) {
		const struct variable *part = r->arg[1 + k];
		int n = elements(part);
		struct type rows = {x->tensor.type.dtype, {2, {n ? elements(x) / n : 0, n}}};

		if (part->adjoint)
			adjoint_add_row(tape->rules, &rows, &x->adjoint, r->number[k], part->adjoint, tape->arena);
	}
}

static void pull_split(struct tape *tape, const struct record *r)
{
	struct variable **dual = NEW(tape->arena, struct variable *, r->n_arg);
	int *row = NEW(tape->arena, int, r->n_arg), n = 0;

	for (int k = 0; k < r->n_arg - 1; k++) {
		dual[n] = tape_dual(tape, r->arg[1 + k]);
		row[n] = r->number[k];
		n += dual[n] != NULL;
	}
	if (n)
		tape_give(tape, r->arg[0], tape_put(tape, &r->arg[0]->tensor.type, NULL, n, dual, row));
}

static void push_split(struct tape *tape, const struct record *r)
{
	struct variable *dual = tape_dual(tape, r->arg[0]);
	struct record *split;

	if (!dual)
		return;
	split = tape_split(tape, dual, r->n_arg - 1);
	for (int k = 0; k < r->n_arg - 1; k++)
		tape_set_dual(
		    tape, r->arg[1 + k], tape_part(tape, split, dual, &r->arg[1 + k]->tensor.type, r->number[k]));
}

/* ---- put ---- */

struct variable *tape_put(
    struct tape *tape, const struct type *type, struct variable *base, int n, struct variable *const *part, int *row)
{
	struct tensor whole = base ? tensor_copy(tape->arena, &base->tensor) : tensor_new(tape->arena, type);
	struct variable *out = tape_variable(tape, whole);
	unsigned active = base ? base->active : 0;
	struct record *r;

	for (int k = 0; k < n; k++) {
		int size = elements(part[k]);

		copy_cells(whole.at + (row ? row[k] : k) * size, part[k]->tensor.at, size);
		active |= part[k]->active;
	}
	out->active = (uint8_t)(active & tape->trace->to_come);
	if (!out->active)
		return out;
	r = tape_record(tape, &put_kind, 1 + n);
	r->out = out;
	r->number = row;
	r->arg[0] = base;
	for (int k = 0; k < n; k++)
		r->arg[1 + k] = part[k];
	tape_push(tape, r);
	return out;
}

/* The base no longer owns overwritten elements. */
static void reverse_put(struct tape *tape, const struct record *r)
{
	const struct type *type = &r->out->tensor.type;
	uint8_t level = tape->trace->level;
	union cell *rest = r->out->adjoint;

	for (int k = 0; k < r->n_arg - 1; k++) {
		struct variable *part = r->arg[1 + k];

		if (part->active & level)
			adjoint_add(tape->rules, &part->tensor.type, &part->adjoint,
			    arena_copy(tape->arena, row_of(r, k, rest), (size_t)elements(part), sizeof *rest));
	}
	if (!r->arg[0] || !(r->arg[0]->active & level))
		return;
	rest = tensor_copy(tape->arena, &(struct tensor){*type, rest}).at;
	for (int k = 0; k < r->n_arg - 1; k++)
		memset(row_of(r, k, rest), 0, (size_t)elements(r->arg[1 + k]) * sizeof *rest);
	adjoint_add(tape->rules, type, &r->arg[0]->adjoint, rest);
}

static void pull_put(struct tape *tape, const struct record *r)
{
	struct variable *dual = tape_dual(tape, r->out), **zero;
	struct record *split = tape_split(tape, dual, r->n_arg - 1);
	uint8_t level = tape->trace->level;
	int n = r->n_arg - 1;

	for (int k = 0; k < n; k++) {
		struct variable *part = r->arg[1 + k];

		if (part->active & level)
			tape_give(
			    tape, part, tape_part(tape, split, dual, &part->tensor.type, r->number ? r->number[k] : k));
	}
	if (!r->arg[0] || !(r->arg[0]->active & level))
		return;
	zero = NEW(tape->arena, struct variable *, n);
	for (int k = 0; k < n; k++)
		zero[k] = k ? zero[0] : tape_zeros(tape, &r->arg[1]->tensor.type);
	tape_give(tape, r->arg[0], tape_put(tape, &r->out->tensor.type, dual, n, zero, r->number));
}

static void push_put(struct tape *tape, const struct record *r)
{
	struct variable **dual = NEW(tape->arena, struct variable *, r->n_arg),
	                *base = r->arg[0] ? tape_dual(tape, r->arg[0]) : NULL;
	bool any = base != NULL;

	for (int k = 0; k < r->n_arg - 1; k++) {
		dual[k] = tape_dual(tape, r->arg[1 + k]);
		any |= dual[k] != NULL;
		if (!dual[k])
			dual[k] = tape_zeros(tape, &r->arg[1 + k]->tensor.type);
	}
	if (any)
		tape_set_dual(tape, r->out, tape_put(tape, &r->out->tensor.type, base, r->n_arg - 1, dual, r->number));
}
