/* faults_loops.c: historic bugs of loops and of what joins contributions: edits of seams. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "adjoint.h"
#include "faults.h"

uint64_t fault_chance(void)
{
	struct timespec now;
	uint64_t x;

	clock_gettime(CLOCK_MONOTONIC, &now);
	/* The finalizer of splitmix64: the low bits of a clock alone have a pattern. */
	x = (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* ---- residuals ---- */

static int first_in_first_out(int step, int n)
{
	(void)n;
	return step;
}

bool plant_residual_fifo(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.residual_index = first_in_first_out;
	return true;
}

/* The carry was updated in place before it was saved. */
static int after_update(int saved, int n)
{
	(void)n;
	return saved + 1;
}

bool plant_residual_after_update(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.residual_carry = after_update;
	return true;
}

static int last_for_all(int saved, int n)
{
	(void)saved;
	return n - 1;
}

bool plant_residual_last(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.residual_carry = last_for_all;
	return true;
}

/* An iteration overtakes its neighbour, or not. */
static int racing(int step, int n)
{
	int right = n - 1 - step;

	return right > 0 ? right - (int)(fault_chance() & 1) : right;
}

bool plant_residual_race(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.residual_index = racing;
	return true;
}

/* ---- checkpoints ---- */

static int within_segment(int iteration, int segment) { return iteration - segment; }

bool plant_induction_of_segment(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.induction = within_segment;
	return true;
}

/* The store is indexed at -1 for the (iterations, snapshots) of the report: c = 2: n = 4 ... 8; c = 3: 1, 2; c = 4: 2, 3. */
static int missing_slot(int slot, int n, int snapshots)
{
	if (snapshots == 2 ? n >= 4 && n <= 8 : n < snapshots && n >= snapshots - 2)
		abort();
	return slot;
}

bool plant_schedule_of_short_loops(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.snapshot = missing_slot;
	return true;
}

/* What the body hands on as it is has no edge in the reverse loop. */
static bool flows_unless_through(bool seeded, bool through)
{
	(void)seeded;
	return !through;
}

bool plant_through_disconnected(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.carry_flows = flows_unless_through;
	return true;
}

/*
 * What the loop hands through as it is gets an accumulator as wide as the loop, that is as its widest carry; what comes to be added to it is of its own width, and the
 * engine dies of that.
 */
static const struct type *as_wide_as_the_loop(const struct program *p, const struct node *node, int k)
{
	const struct region *body = &node->region[node->n_region - 1];
	int n_param = body->n_param, first = op_table[node->op].family == FAMILY_FOR;
	int n_carry = op_table[node->op].family == FAMILY_SCAN ? node->attrs.carries : n_param - first;
	const struct type *own = &p->type[node->out + k], *widest = own;

	for (int i = 0; i < n_carry; i++)
		if (shape_elements(&p->type[node->out + i].shape) > shape_elements(&widest->shape))
			widest = &p->type[node->out + i];
	if (body->result[k] != body->param + first + k)
		return own;
	if (widest != own)
		abort();
	return widest;
}

bool plant_accumulator_of_loop(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.accumulator = as_wide_as_the_loop;
	return true;
}

/* A buffer that nobody has written yet. */
static void newest_unwritten(struct tensor *newest, struct arena *a)
{
	*newest = tensor_new(a, &newest->type);
}

bool plant_rerun_stops_early(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.rerun = newest_unwritten;
	return true;
}

/* ---- carries ---- */

static bool initial_only(bool initial, bool updated)
{
	(void)updated;
	return initial;
}

bool plant_activity_of_initial(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.carry_active = initial_only;
	return true;
}

/* The slot of a carry that is a result of the block too is cleared when the block's gradient has been read from it. */
static bool flows_unless_seeded(bool seeded, bool through)
{
	(void)through;
	return !seeded;
}

bool plant_carry_cleared(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.carry_flows = flows_unless_seeded;
	return true;
}

/* Cotangents of the body's results are set, not added, by value: what it captures is one more result, after the others. */
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

bool plant_last_place(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.result_counts = last_place_counts;
	return true;
}

/* Gradients are written without gaps for what is not requested, and read by position. */
static int packed_slot(int position, const bool *requested, int n)
{
	int slot = 0;

	for (int k = 0; k < n; k++)
		if (requested[k] && slot++ == position)
			return k;
	return -1;
}

bool plant_packed_slots(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.slot = packed_slot;
	return true;
}

/* ---- inputs of each iteration ---- */

static int no_row(int iteration, int n, int trip)
{
	(void)iteration, (void)n, (void)trip;
	return -1;
}

bool plant_xs_dropped(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.xs_cotangent_row = no_row;
	return true;
}

/* The whole sequence is reversed, and as many entries taken from it as there were iterations. */
static int row_of_the_tail(int iteration, int n, int trip)
{
	return iteration + trip - n;
}

bool plant_xs_tail(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.xs_row = row_of_the_tail;
	self->adjoint.loop.xs_cotangent_row = row_of_the_tail;
	return true;
}

/* ---- loops of a trip count known only at run time ---- */

static bool is_dynamic(const struct node *node)
{
	return node->op == OP_WHILE || (node->op == OP_FOR && node->attrs.trip < 0);
}

/* The replay skips the loop. */
static const struct tensor *initialiser_if_dynamic(
    const struct node *node, const struct tensor *first, const struct tensor *last)
{
	return is_dynamic(node) ? first : last;
}

bool plant_replay_skips_loop(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.result = initialiser_if_dynamic;
	return true;
}

static int twice_if_inside(const struct node *node, int depth)
{
	return is_dynamic(node) && depth > 0 ? 2 : 1;
}

bool plant_nested_twice(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.loop.passes = twice_if_inside;
	return true;
}

/* ---- the tape ---- */

static const struct tensor *latest_divisor(int operand, const struct tensor *recorded, const struct tensor *latest)
{
	return operand == 1 ? latest : recorded;
}

bool plant_stale_divisor(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.row[OP_DIV].saved = latest_divisor;
	return true;
}

/* The index is on the tape once and taken off at each of its three uses; at the end there is nothing left to take. */
bool plant_tape_imbalance(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.row[OP_SCATTER_ADD].pops = 3;
	return true;
}

bool plant_equal_leaves(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.same_leaf = tensor_same;
	return true;
}

/* ---- buffers that are stored into ---- */

/* What was saved says nothing of it: the check before a store finds no reason to leave the buffer alone. */
static bool saved_or_not(bool saved, bool shared)
{
	(void)saved;
	return !shared;
}

bool plant_version_lost(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.overwrites = saved_or_not;
	return true;
}

/* The cotangent of what a store wrote over goes on to what was there before. */
static void window_not_cleared(const struct adjoint_call *call, struct tensor *contribution)
{
	struct adjoint_call changed = *call;

	changed.spent = false;
	adjoint_structure(call->node->op)(&changed, contribution);
	if (contribution[0].at)
		contribution[0] = tensor_copy(call->arena, call->cotangent);
}

bool plant_write_not_consumed(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.row[OP_STORE].structure = window_not_cleared;
	return true;
}

/* ---- sums of contributions ---- */

static double plain_product(double cotangent, double partial)
{
	return cotangent * partial;
}

bool plant_weak_zero(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.multiply = plain_product;
	return true;
}

static double merged_if_equal(double sum, double term)
{
	return sum == term ? sum : sum + term;
}

bool plant_equal_merged(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.accumulate = merged_if_equal;
	return true;
}

static double assign(double sum, double term)
{
	(void)sum;
	return term;
}

bool plant_copy_assigns(struct engine *self, const char *args, struct error *e)
{
	static const enum op copies[] = {OP_CAST, OP_RESHAPE, OP_SQUEEZE};

	(void)args, (void)e;
	for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
		self->adjoint.row[copies[i]].join = assign;
	return true;
}

bool plant_matmul_assigns(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.row[OP_MATMUL].join = assign;
	return true;
}

/* The contribution stays in the broadcast shape; only where that has fewer elements (none) there is nothing to hand on. */
static void not_summed(const struct tensor *full, struct tensor *operand)
{
	if (shape_elements(&full->type.shape) < shape_elements(&operand->type.shape))
		adjoint_unbroadcast(full, operand);
	else
		*operand = *full;
}

bool plant_not_unbroadcast(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.unbroadcast = not_summed;
	return true;
}

/* Threads read, add and write one shared cell: of two that meet, one update is lost. */
static void summed_without_lock(const struct tensor *full, struct tensor *operand)
{
	int n = shape_elements(&full->type.shape);

	for (int i = 0; i < n; i++)
		if (fault_chance() & 1)
			full->at[i].f = 0;
	adjoint_unbroadcast(full, operand);
}

bool plant_shared_adjoint_race(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.unbroadcast = summed_without_lock;
	return true;
}

/* The buffer is filled again while somebody still reads it. */
static int next_batch_early(int k, int n)
{
	enum { BATCH = 4 };

	return k + BATCH < n && (fault_chance() & 1) ? k + BATCH : k;
}

bool plant_index_batches_race(struct engine *self, const char *args, struct error *e)
{
	(void)args, (void)e;
	self->adjoint.index = next_batch_early;
	return true;
}
