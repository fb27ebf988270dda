/*
 * blocks.c: bugs that show from a size on: the last lanes of a vector, blocks and the sums carried between them, narrow
 * indices, buffers that are full.
 */
#include <math.h>

#include "engines/builtin/adjoint.h"
#include "engines/builtin/tangent.h"
#include "engines/kernels/parts.h"
#include "faults.h"

/* Runs `structure` as if only those elements of the cotangent were there that `counts` says. */
static void pull_part(const struct adjoint_call *call, adjoint_fn *structure,
    bool (*counts)(const struct adjoint_call *call, int element), struct tensor *contribution)
{
	struct adjoint_call changed = *call;
	struct tensor cotangent = tensor_copy(call->arena, call->cotangent);

	for (int i = 0, n = shape_elements(&cotangent.type.shape); i < n; i++)
		if (!counts(call, i))
			cotangent.at[i].f = 0;
	changed.cotangent = &cotangent;
	structure(&changed, contribution);
}

/* ---- the last lanes of a vector ---- */

enum { LANES = 8, VECTOR_FROM = 64 };

static bool in_full_vector(int i, int n) { return n <= VECTOR_FROM || i < n / LANES * LANES; }

static bool full_vector(const struct adjoint_call *call, int element)
{
	return in_full_vector(element, shape_elements(&call->out->type.shape));
}

static void without_tail(const struct adjoint_call *call, struct tensor *contribution)
{
	pull_part(call, adjoint_elementwise, full_vector, contribution);
}

static void tangent_without_tail(const struct tangent_call *call, struct tensor *result)
{
	int n = shape_elements(&result->type.shape);

	tangent_elementwise(call, result);
	for (int i = 0; i < n; i++)
		if (!in_full_vector(i, n))
			result->at[i].f = 0;
}

const struct edits plant_vector_tail = {.edit = {
                                            EDIT(adjoint.row[OP_ADD].structure, without_tail),
                                            EDIT(adjoint.row[OP_MUL].structure, without_tail),
                                            EDIT(tangent.row[OP_ADD].structure, tangent_without_tail),
                                            EDIT(tangent.row[OP_MUL].structure, tangent_without_tail),
                                        }};

/* What is written is copied four columns at a time. */
static void columns_by_fours(const struct program *p, const struct node *node, struct strided_window *out)
{
	const struct shape *s = &p->type[node->arg[1]].shape;

	for (int d = 0; d < s->rank; d++) {
		bool columns = d == s->rank - 1 && s->extent[d] > VECTOR_FROM;

		out->start[d] = node->attrs.start[d];
		out->step[d] = node->attrs.stride[d];
		out->size[d] = columns ? s->extent[d] / 4 * 4 : s->extent[d];
	}
}

const struct edits plant_columns_by_fours = {.edit = {EDIT(compiled.row[OP_SLICE_SCATTER].window, columns_by_fours)}};

/* ---- sums in blocks ---- */

/* Of a group of more than four warps, the last one counts only if all its lanes are used. */
static void norm_of_full_warps(const struct adjoint_call *call, struct tensor *contribution)
{
	enum { WARP = 32, WARPS = 4 };
	const struct tensor *x = call->arg[0];
	int n = shape_elements(&x->type.shape), groups = shape_elements(&call->out->type.shape),
	    size = groups ? n / groups : 0, *map, *seen;
	double *sum;
	union cell *into;

	if (size <= WARP * WARPS || size % WARP == 0 || !call->wanted[0]) {
		adjoint_norm(call, contribution);
		return;
	}
	map = reduce_map(call->node, &x->type.shape, call->arena);
	seen = NEW(call->arena, int, groups);
	sum = NEW(call->arena, double, groups);
	into = adjoint_open(call, 0, contribution);
	for (int i = 0; i < n; i++)
		if (seen[map[i]]++ < size / WARP * WARP)
			sum[map[i]] += x->at[i].f * x->at[i].f;
	for (int i = 0; i < n; i++)
		into[i].f = call->rules->multiply(call->cotangent->at[map[i]].f, x->at[i].f / sqrt(sum[map[i]]));
	adjoint_round(&contribution[0]);
}

const struct edits plant_norm_of_full_warps = {.edit = {EDIT(adjoint.row[OP_NORM].structure, norm_of_full_warps)}};

/* Whether term t of n takes part if the second half is added to the first, again and again, and an odd one is left. */
static bool survives_halving(int t, int n)
{
	for (; n > 1; n /= 2) {
		if (t == n / 2 * 2)
			return false;
		t %= n / 2;
	}
	return true;
}

static void summed_by_halving(const struct tensor *full, struct tensor *operand)
{
	enum { HALVED_FROM = 256 };
	const struct shape *to = &operand->type.shape;
	struct cell_walk w = {.shape = full->type.shape}; /* its offset counts the terms of an element of the operand */
	int n = shape_elements(&w.shape), terms = 1;

	for (int d = w.shape.rank - 1; d >= 0; d--) {
		int axis = d - (w.shape.rank - to->rank);

		if (axis >= 0 && to->extent[axis] == w.shape.extent[d])
			continue;
		w.step[d] = terms;
		terms *= w.shape.extent[d];
	}
	for (int i = 0; terms > HALVED_FROM && i < n; i++, cell_walk_next(&w))
		if (!survives_halving(w.offset, terms))
			full->at[i].f = 0;
	adjoint_unbroadcast(full, operand);
}

const struct edits plant_summed_by_halving = {.edit = {EDIT(adjoint.unbroadcast, summed_by_halving)}};

/* Each block begins anew. */
static void running_without_carry(enum dtype d, double *x, int n)
{
	enum { BLOCK = 256 };

	(void)d;
	for (int i = 1; i < n; i++)
		x[i] += i % BLOCK ? x[i - 1] : 0;
}

const struct edits plant_running_without_carry = {.edit = {EDIT(adjoint.running_sum, running_without_carry)}};

/*
 * Blocks are sorted, then merged two by two.  If their number is no power of 2, the last merge is missing: the elements
 * of the blocks before it, in order, and then the others.
 */
static void sort_without_last_merge(const struct adjoint_call *call, struct tensor *contribution)
{
	enum { BLOCK = 256 };
	const struct tensor *x = call->arg[0];
	struct axis_view v = axis_view(&x->type.shape, call->node->attrs.axis);
	int *perm = NEW(call->arena, int, v.n), *spare = NEW(call->arena, int, v.n), merged = BLOCK;
	union cell *into;

	if (!call->wanted[0])
		return;
	while (2 * merged <= (v.n + BLOCK - 1) / BLOCK * BLOCK)
		merged *= 2;
	into = adjoint_open(call, 0, contribution);
	for (int line = 0; line < v.outer * v.inner; line++) {
		int first = line / v.inner * v.n * v.inner + line % v.inner, place = 0;

		order_line(x, &v, line / v.inner, line % v.inner, perm, spare);
		for (int late = 0; late < 2; late++)
			for (int k = 0; k < v.n; k++)
				if ((perm[k] >= merged) == late)
					into[first + perm[k] * v.inner] = call->cotangent
					                                      ->at[first + place++ * v.inner];
	}
}

const struct edits plant_sort_without_last_merge = {
    .edit = {EDIT(adjoint.row[OP_SORT].structure, sort_without_last_merge)}};

/* ---- tiles and grids ---- */

/* Of more than 32 rows, those beyond the last full tile of 16 are not computed. */
static bool in_full_tile(const struct adjoint_call *call, int element)
{
	enum { TILE = 16 };
	const struct shape *left = &call->arg[0]->type.shape, *right = &call->arg[1]->type.shape;
	int rows = left->rank > 1 ? left->extent[left->rank - 2] : 1;
	int columns = right->rank > 1 ? right->extent[right->rank - 1] : 1;

	return rows <= 2 * TILE || element / columns % rows < rows / TILE * TILE;
}

static void matmul_of_full_tiles(const struct adjoint_call *call, struct tensor *contribution)
{
	pull_part(call, adjoint_matmul, in_full_tile, contribution);
}

const struct edits plant_matmul_of_full_tiles = {
    .edit = {EDIT(adjoint.row[OP_MATMUL].structure, matmul_of_full_tiles)}};

/* One thread per index, in one block. */
static bool has_thread(const struct adjoint_call *call, int element)
{
	enum { THREADS = 1024 };
	struct axis_view v = axis_view(&call->arg[0]->type.shape, call->node->attrs.axis);
	int n_index = shape_elements(&call->arg[1]->type.shape);

	return element / v.inner % n_index < THREADS;
}

static void gather_of_one_block(const struct adjoint_call *call, struct tensor *contribution)
{
	pull_part(call, adjoint_gather, has_thread, contribution);
}

const struct edits plant_gather_of_one_block = {.edit = {EDIT(adjoint.row[OP_GATHER].structure, gather_of_one_block)}};

/* ---- narrow integers ---- */

enum { NARROW = 256 };

/* An index times its stride has 8 bits. */
static void gather_with_narrow_offsets(const struct adjoint_call *call, struct tensor *contribution)
{
	struct axis_view v = axis_view(&call->arg[0]->type.shape, call->node->attrs.axis);
	bool along = call->node->op == OP_TAKE_ALONG_AXIS;
	int n = shape_elements(&call->out->type.shape), *target,
	    n_index = along ? call->out->type.shape.extent[call->node->attrs.axis]
	                    : shape_elements(&call->arg[1]->type.shape);

	if (!call->wanted[0])
		return;
	target = NEW(call->arena, int, n);
	for (int k = 0; k < n; k++) {
		int i = k % v.inner, line = k / v.inner;
		int at = kernel_index(call->node->attrs.mode, call->arg[1]->at[along ? k : line % n_index].i, v.n);

		target[k] = at < 0 ? -1 : line / n_index * v.n * v.inner + at * v.inner % NARROW + i;
	}
	adjoint_open(call, 0, contribution);
	adjoint_scatter(call->rules->sum, &contribution[0], target, call->cotangent->at, n, call->arena);
}

const struct edits plant_gather_with_narrow_offsets = {
    .edit = {
        EDIT(adjoint.row[OP_GATHER].structure, gather_with_narrow_offsets),
        EDIT(adjoint.row[OP_TAKE_ALONG_AXIS].structure, gather_with_narrow_offsets),
    }};

/* The number of elements taken so far has 8 bits. */
static void masked_scatter_with_narrow_count(const struct adjoint_call *call, struct tensor *contribution)
{
	const struct tensor *source = call->arg[2];
	int n = shape_elements(&call->arg[0]->type.shape), n_source = shape_elements(&source->type.shape), used = 0;
	union cell *into;

	adjoint_masked_scatter(call, contribution);
	if (!call->wanted[2])
		return;
	into = adjoint_open(call, 2, contribution);
	for (int i = 0; i < n && used < n_source; i++)
		if (call->arg[1]->at[i].i)
			into[used++ % NARROW].f += call->cotangent->at[i].f;
	adjoint_round(&contribution[2]);
}

const struct edits plant_masked_scatter_with_narrow_count = {
    .edit = {
        EDIT(adjoint.row[OP_MASKED_SCATTER].structure, masked_scatter_with_narrow_count),
    }};

/* ---- states of long loops ---- */

/* The states are in a ring: a state is found where a later one has been written. */
static int in_ring(int saved, int n)
{
	enum { RING = 512 };

	return saved + (n - 1 - saved) / RING * RING;
}

const struct edits plant_states_in_ring = {.edit = {EDIT(adjoint.loop.residual_carry, in_ring)}};

/* Half of the slots are there.  Two neighbours share one. */
static int shared_slot(int slot, int n, int snapshots)
{
	enum { CHUNK = 128 };

	(void)snapshots;
	return n > CHUNK ? slot / 2 * 2 : slot;
}

const struct edits plant_slots_shared = {.edit = {EDIT(adjoint.loop.snapshot, shared_slot)}};
