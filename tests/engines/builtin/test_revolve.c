/* test_revolve.c: the schedule reverses every step once, in order, from the right states, within its snapshots, at the
 * least cost. */
#include "engines/builtin/revolve.h"
#include "tests/check.h"

enum { STEPS = 64, SNAPSHOTS = 16 };

/* The least advanced steps by dynamic programming over where the next snapshot goes; with one snapshot there is no
 * choice. */
static int64_t best[STEPS + 1][SNAPSHOTS + 1];

static void fill_best(void)
{
	for (int s = 1; s <= SNAPSHOTS; s++)
		for (int n = 2; n <= STEPS; n++) {
			best[n][s] = (int64_t)n * (n - 1) / 2;
			for (int k = 1; s > 1 && k < n; k++) {
				int64_t cost = k + best[n - k][s - 1] + best[k][s];

				if (cost < best[n][s])
					best[n][s] = cost;
			}
		}
}

/* Follows the schedule with numbers for states. */
static void check_schedule(int steps, int snapshots)
{
	int slot[REVOLVE_SNAPSHOTS], working = 0, todo = steps - 1, actions = 0;
	int64_t advanced = 0;
	struct revolve r;

	for (int k = 0; k < REVOLVE_SNAPSHOTS; k++)
		slot[k] = -1;
	revolve_init(&r, steps, snapshots);
	for (;; actions++) {
		struct revolve_action a = revolve_next(&r);

		if (a.kind == REVOLVE_DONE || actions > 100000)
			break;
		CHECK(r.live <= snapshots, "%d steps: %d live of %d", steps, r.live, snapshots);
		switch (a.kind) {
		case REVOLVE_STORE:
			CHECK(a.slot >= 0 && a.slot < snapshots && a.from == working,
			    "(%d, %d): stores %d in %d, at %d", steps, snapshots, a.from, a.slot, working);
			slot[a.slot] = working;
			break;
		case REVOLVE_ADVANCE:
			CHECK(a.from == working && a.to > a.from && a.to <= todo, "(%d, %d): %d to %d, at %d", steps,
			    snapshots, a.from, a.to, working);
			advanced += a.to - a.from;
			working = a.to;
			break;
		case REVOLVE_RESTORE:
			CHECK(a.slot >= 0 && a.slot < snapshots && slot[a.slot] == a.from, "(%d, %d): restores %d",
			    steps, snapshots, a.from);
			working = a.from;
			break;
		case REVOLVE_REVERSE:
			CHECK(a.from == todo && working == todo, "(%d, %d): reverses %d, not %d", steps, snapshots,
			    a.from, todo);
			todo--;
			working = -1;
			break;
		case REVOLVE_DONE:
			break;
		}
	}
	CHECK(todo == -1, "(%d, %d): step %d is not reversed", steps, snapshots, todo);
	CHECK(advanced == best[steps][snapshots] && revolve_cost(steps, snapshots) == advanced,
	    "(%d, %d): advances %lld, cost %lld, least %lld", steps, snapshots, (long long)advanced,
	    (long long)revolve_cost(steps, snapshots), (long long)best[steps][snapshots]);
}

/* Figures of the closed form far outside the table: steps * r - C(snapshots + r, snapshots + 1), by hand. */
static const struct {
	int steps, snapshots;
	int64_t cost;
} large[] = {
    {65536, 1, (int64_t)65536 * 65535 / 2},
    {65536, 64, 4 * 65536 - 50116},
    {0, 1, 0},
    {1, 1, 0},
    {64, 64, 63},
    {65, 64, 64},
    {66, 64, 66},
};

int main(int argc, char **argv)
{
	check_begin(argc, argv);
	fill_best();
	for (int steps = 0; steps <= STEPS; steps++)
		for (int snapshots = 1; snapshots <= SNAPSHOTS; snapshots++)
			check_schedule(steps, snapshots);
	for (size_t k = 0; k < sizeof large / sizeof *large; k++)
		if (row_wanted("large: row %d", (int)k))
			CHECK(revolve_cost(large[k].steps, large[k].snapshots) == large[k].cost, "(%d, %d): %lld",
			    large[k].steps, large[k].snapshots,
			    (long long)revolve_cost(large[k].steps, large[k].snapshots));
	return check_done();
}
