/* loops.c: historic bugs of loops and of sums of contributions: edits of seams. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "graph/loop.h"
#include "graph/random.h"
#include "engines/builtin/adjoint.h"
#include "faults.h"
#include "wrong_seams.h"

/*
 * A number that differs from run to run, as the outcome of a race does.  Only faults that are really nondeterministic
 * use it.
 */
static uint64_t fault_chance(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	/* The low bits of a clock follow a pattern, so they are mixed. */
	return random_mix((uint64_t)now.tv_nsec * RANDOM_STEP);
}

/* ---- residuals ---- */

const struct edits plant_residual_fifo = {.edit = {EDIT(adjoint.residual_index, forwards)}};

/* The carry was updated in place before it was saved. */
const struct edits plant_residual_after_update = {.edit = {EDIT(adjoint.loop.residual_carry, set_after)}};

const struct edits plant_residual_last = {.edit = {EDIT(adjoint.loop.residual_carry, always_last)}};

/* Sometimes an iteration overtakes its neighbour. */
static int racing(int step, int n)
{
	int right = n - 1 - step;

	return right > 0 ? right - (int)(fault_chance() & 1) : right;
}

const struct edits plant_residual_race = {.edit = {EDIT(adjoint.residual_index, racing)}};

/* ---- checkpoints ---- */

static int within_segment(int iteration, int segment) { return iteration - segment; }

const struct edits plant_induction_of_segment = {.edit = {EDIT(adjoint.loop.induction, within_segment)}};

/*
 * In the report the store is indexed at -1 for these snapshots c and iterations n: c = 2: n = 4 ... 8; c = 3: n = 1, 2;
 * c = 4: n = 2, 3.
 */
static int missing_slot(int slot, int n, int snapshots)
{
	if (snapshots == 2 ? n >= 4 && n <= 8 : n < snapshots && n >= snapshots - 2)
		abort();
	return slot;
}

const struct edits plant_schedule_of_short_loops = {.edit = {EDIT(adjoint.loop.snapshot, missing_slot)}};

/* A carry that the body hands on unchanged has no edge in the reverse loop. */
const struct edits plant_through_disconnected = {.edit = {EDIT(adjoint.loop.carry_flows, if_changed)}};

/*
 * A carry that the loop hands on unchanged gets an accumulator as wide as the loop, which means as its widest carry.
 * Its contributions have its own width, and the engine dies of the difference.
 */
static const struct type *as_wide_as_the_loop(const struct program *p, const struct node *node, int k)
{
	const struct node_loop l = node_loop(node);
	const struct type *own = &p->type[node->out + k], *widest = own;

	for (int i = 0; i < l.n_carry; i++)
		if (shape_elements(&p->type[node->out + i].shape) > shape_elements(&widest->shape))
			widest = &p->type[node->out + i];
	if (l.body->result[k] != l.first_param + k)
		return own;
	if (widest != own)
		abort();
	return widest;
}

const struct edits plant_accumulator_of_loop = {.edit = {EDIT(adjoint.loop.accumulator, as_wide_as_the_loop)}};

/* A buffer that nobody has written yet. */
static void newest_unwritten(struct tensor *newest, struct arena *a) { *newest = tensor_new(a, &newest->type); }

const struct edits plant_rerun_stops_early = {.edit = {EDIT(adjoint.rerun, newest_unwritten)}};

/* ---- carries ---- */

const struct edits plant_activity_of_initial = {.edit = {EDIT(adjoint.carry_active, initial_alone)}};

/* If a carry is also a result of the block, its slot is cleared after the block's gradient has been read from it. */
const struct edits plant_carry_cleared = {.edit = {EDIT(adjoint.loop.carry_flows, if_not_seeded)}};

/*
 * The cotangents of the body's results are set by value, not added.  A captured value counts as one more result, after
 * the others.
 */
static bool last_place_counts(const struct region *body, int k)
{
	const int v = body->result[k];
	bool inside = v >= body->param && v < body->param + body->n_param;

	for (int i = 0; i < body->n_node; i++)
		inside = inside || (v >= body->node[i].out && v < body->node[i].out + body->node[i].n_out);
	for (int j = k + 1; j < body->n_result; j++)
		if (body->result[j] == v)
			return false;
	return inside;
}

const struct edits plant_last_place = {.edit = {EDIT(adjoint.loop.result_counts, last_place_counts)}};

/* Gradients that are not requested leave no gap, but they are read by position. */
static int packed_slot(int position, const bool *requested, int n)
{
	int slot = 0;

	for (int k = 0; k < n; k++)
		if (requested[k] && slot++ == position)
			return k;
	return -1;
}

const struct edits plant_packed_slots = {.edit = {EDIT(adjoint.loop.slot, packed_slot)}};

/* ---- inputs of each iteration ---- */

const struct edits plant_xs_dropped = {.edit = {EDIT(adjoint.loop.xs_cotangent_row, row_none)}};

/* The whole sequence is reversed, and its first entries are used, one per iteration that ran. */
static int row_of_the_tail(int iteration, int n, int trip) { return iteration + trip - n; }

const struct edits plant_xs_tail = {.edit = {
                                        EDIT(adjoint.loop.xs_row, row_of_the_tail),
                                        EDIT(adjoint.loop.xs_cotangent_row, row_of_the_tail),
                                    }};

/* ---- loops of a trip count known only at run time ---- */

static bool is_dynamic(const struct node *node) { return node->op == OP_WHILE || node_loop(node).counted; }

/* The replay skips the loop. */
static const struct tensor *initialiser_if_dynamic(
    const struct node *node, const struct tensor *first, const struct tensor *last)
{
	return is_dynamic(node) ? first : last;
}

const struct edits plant_replay_skips_loop = {.edit = {EDIT(adjoint.loop.result, initialiser_if_dynamic)}};

static int twice_if_inside(const struct node *node, int depth) { return is_dynamic(node) && depth > 0 ? 2 : 1; }

const struct edits plant_nested_twice = {.edit = {EDIT(adjoint.loop.passes, twice_if_inside)}};

/* ---- the tape ---- */

static const struct tensor *latest_divisor(int operand, const struct tensor *recorded, const struct tensor *latest)
{
	return operand == 1 ? latest : recorded;
}

const struct edits plant_stale_divisor = {.edit = {EDIT(adjoint.row[OP_DIV].saved, latest_divisor)}};

/* The index is on the tape once, but is taken off at each of its three uses.  In the end nothing is left to take. */
const struct edits plant_tape_imbalance = {.edit = {EDIT(adjoint.row[OP_SCATTER_ADD].pops, 3)}};

const struct edits plant_equal_leaves = {.edit = {EDIT(adjoint.same_leaf, tensor_same)}};

/* ---- buffers that are stored into ---- */

/* The saved values do not mark the buffer.  So the check before a store finds no reason to leave it alone. */
const struct edits plant_version_lost = {.edit = {EDIT(adjoint.overwrites, over_saved)}};

/* The cotangent of overwritten elements goes on to the old contents of the buffer. */
static void window_not_cleared(const struct adjoint_call *call, struct tensor *contribution)
{
	struct adjoint_call changed = *call;

	changed.spent = false;
	adjoint_structure(call->node->op)(&changed, contribution);
	if (contribution[0].at)
		contribution[0] = tensor_copy(call->arena, call->cotangent);
}

const struct edits plant_write_not_consumed = {.edit = {EDIT(adjoint.row[OP_STORE].structure, window_not_cleared)}};

/* ---- sums of contributions ---- */

const struct edits plant_weak_zero = {.edit = {EDIT(adjoint.multiply, cotangent_times_partial)}};

static double merged_if_equal(double sum, double term) { return sum == term ? sum : sum + term; }

const struct edits plant_equal_merged = {.edit = {EDIT(adjoint.accumulate, merged_if_equal)}};

const struct edits plant_copy_assigns = {.edit = {
                                             EDIT(adjoint.row[OP_CAST].join, last_term),
                                             EDIT(adjoint.row[OP_RESHAPE].join, last_term),
                                             EDIT(adjoint.row[OP_SQUEEZE].join, last_term),
                                         }};

const struct edits plant_matmul_assigns = {.edit = {EDIT(adjoint.row[OP_MATMUL].join, last_term)}};

/* The contribution stays in the broadcast shape.  If that has fewer elements (none), there is nothing to hand on. */
static void not_summed(const struct tensor *full, struct tensor *operand)
{
	if (shape_elements(&full->type.shape) < shape_elements(&operand->type.shape))
		adjoint_unbroadcast(full, operand);
	else
		*operand = *full;
}

const struct edits plant_not_unbroadcast = {.edit = {EDIT(adjoint.unbroadcast, not_summed)}};

/* Threads read, add and write one shared cell.  If two meet, one update is lost. */
static void summed_without_lock(const struct tensor *full, struct tensor *operand)
{
	int n = shape_elements(&full->type.shape);

	for (int i = 0; i < n; i++)
		if (fault_chance() & 1)
			full->at[i].f = 0;
	adjoint_unbroadcast(full, operand);
}

const struct edits plant_shared_adjoint_race = {.edit = {EDIT(adjoint.unbroadcast, summed_without_lock)}};

/* The buffer is filled again while somebody still reads it. */
static int next_batch_early(int k, int n)
{
	enum { BATCH = 4 };

	return k + BATCH < n && (fault_chance() & 1) ? k + BATCH : k;
}

const struct edits plant_index_batches_race = {.edit = {EDIT(adjoint.index, next_batch_early)}};
