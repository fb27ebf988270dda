/* revolve.c: the schedule, action by action, and its cost in closed form. */
#include "revolve.h"

/*
 * beta(s, r) = C(s + r, s): the most steps that s snapshots can reverse if no step is advanced more than r times.
 * Callers keep it close to a number of steps, so nothing overflows.
 */
static int64_t beta(int s, int r)
{
	int64_t b = 1;

	if (s < 0 || r < 0)
		return 0;
	for (int k = 1; k <= s && k <= r; k++)
		b = b * (s > r ? s + k : r + k) / k;
	return b;
}

/* The least r with steps <= beta(snapshots, r). */
static int repetitions(int steps, int snapshots)
{
	int64_t b = 1;
	int r = 0;

	while (b < steps) {
		r++;
		b = b * (snapshots + r) / r;
	}
	return r;
}

int64_t revolve_cost(int steps, int snapshots)
{
	int r;

	if (steps < 2)
		return 0;
	r = repetitions(steps, snapshots);
	return (int64_t)r * steps - beta(snapshots + 1, r - 1);
}

/*
 * Where to put the next snapshot: how many of `steps` >= 2 steps to advance.  There are `snapshots` >= 2, and one of
 * them holds the state to start from.  Any number between two bounds is optimal (theorem 2 of the paper); this is the
 * lower one.
 */
static int split(int steps, int snapshots)
{
	int r = repetitions(steps, snapshots);
	int64_t low = beta(snapshots, r - 2), other = steps - beta(snapshots - 1, r);

	if (other > low)
		low = other;
	return low < 1 ? 1 : (int)low;
}

void revolve_init(struct revolve *r, int steps, int snapshots)
{
	*r = (struct revolve){.snapshots = snapshots, .left = steps};
}

struct revolve_action revolve_next(struct revolve *r)
{
	int from = r->at, last = r->left - 1, free = r->snapshots - r->live;

	if (r->left == 0)
		return (struct revolve_action){.kind = REVOLVE_DONE};
	if (from < 0) {
		r->at = r->stored[r->live - 1];
		return (struct revolve_action){.kind = REVOLVE_RESTORE, .from = r->at, .slot = r->live - 1};
	}
	if (from == last) {
		/* The snapshot of that step, if there is one, is no longer needed. */
		if (r->live && r->stored[r->live - 1] == last)
			r->live--;
		r->left--;
		r->at = -1;
		return (struct revolve_action){.kind = REVOLVE_REVERSE, .from = from};
	}
	if (!r->live || r->stored[r->live - 1] != from) {
		r->stored[r->live++] = from;
		return (struct revolve_action){.kind = REVOLVE_STORE, .from = from, .slot = r->live - 1};
	}
	r->at = free ? from + split(r->left - from, free + 1) : last;
	return (struct revolve_action){.kind = REVOLVE_ADVANCE, .from = from, .to = r->at};
}
