/*
 * checkpointed.c: the engine `checkpointed`: `functional` with a limited number of snapshots per loop.
 *
 * The forward sweep keeps only the number of iterations of a loop.  That number is then known for every kind of loop,
 * so one schedule (revolve.h) serves them all.  The price: the forward sweep places no snapshots.  Every execution of a
 * nested loop has its own snapshots.
 */
#include "region_vjp.h"
#include "revolve.h"

/*
 * The most iterations that are run again for one answer.  With few snapshots their number is quadratic in the trip
 * count.
 */
enum { RECOMPUTED_LIMIT = 1 << 23 };

/* One reverse sweep. */
struct checkpoints {
	struct revolve schedule;
	struct tensor *slot[REVOLVE_SNAPSHOTS]; /* [n_carry] each */
	struct tensor *working[2];              /* [n_carry] each: an iteration reads one and writes the other */
	int current;
	int segment; /* the iteration that started from the last snapshot taken */
};

static void *checkpoints_open(struct region_run *run, const struct node_loop *l, struct residuals *r)
{
	struct tensor initial[LIMIT_ARGS];
	struct checkpoints *c;
	int slots = r->n < run->snapshots ? r->n : run->snapshots;

	if (run->recomputed + revolve_cost(r->n, run->snapshots) > RECOMPUTED_LIMIT) {
		run->refusal = arena_printf(run->arena,
		    "checkpointed: %d iterations with %d snapshots run too many again, expected at most %d", r->n,
		    run->snapshots, RECOMPUTED_LIMIT);
		return NULL;
	}
	c = NEW(run->arena, struct checkpoints, 1);
	revolve_init(&c->schedule, r->n, run->snapshots);
	for (int k = 0; k < slots; k++)
		c->slot[run->rules->loop.snapshot(k, r->n, run->snapshots)] = loop_new_carries(run, l);
	for (int side = 0; side < 2; side++)
		c->working[side] = loop_new_carries(run, l);
	for (int k = 0; k < l->n_carry; k++)
		initial[k] = run->value[l->node->arg[l->first_arg + k]];
	loop_copy_carries(l, c->working[0], initial);
	return c;
}

static struct iterate checkpoints_next(
    struct region_run *run, const struct node_loop *l, const struct residuals *r, void *sweep, int step)
{
	const struct reverse_loop *rules = &run->rules->loop;
	struct checkpoints *c = sweep;

	(void)step;
	for (;;) {
		struct revolve_action action = revolve_next(&c->schedule);

		switch (action.kind) {
		case REVOLVE_STORE:
			loop_copy_carries(
			    l, c->slot[rules->snapshot(action.slot, r->n, run->snapshots)], c->working[c->current]);
			break;
		case REVOLVE_RESTORE: {
			/* The newest of the live snapshots. */
			int slot = run->rules->residual_index(0, action.slot + 1);

			loop_copy_carries(
			    l, c->working[c->current], c->slot[rules->snapshot(slot, r->n, run->snapshots)]);
			c->segment = action.from;
			break;
		}
		case REVOLVE_ADVANCE:
			for (int t = action.from; t < action.to; t++) {
				struct iterate from = {rules->induction(t, c->segment), t, c->working[c->current]};

				loop_advance(run, l, from, c->working[1 - c->current]);
				c->current = 1 - c->current;
			}
			run->recomputed += action.to - action.from;
			break;
		case REVOLVE_REVERSE:
		case REVOLVE_DONE:
			return (struct iterate){rules->induction(action.from, c->segment),
			    rules->xs_row(action.from, r->n, l->node->attrs.trip), c->working[c->current]};
		}
	}
}

static const struct loop_policy policy_revolve = {.open = checkpoints_open, .next = checkpoints_next};

static void checkpointed_answer(struct engine *self, void *state, const struct testcase *c, int which,
    struct tensor *point, struct arena *a, struct answer *out)
{
	(void)which;
	region_answer(self, &policy_revolve, state, c, point, a, out);
}

static const struct engine_option options[] = {{"snapshots", 1, REVOLVE_SNAPSHOTS, 3}, {NULL, 0, 0, 0}};

const struct engine_kind checkpointed_kind = {
    .name = "checkpointed",
    .summary = "like functional, with binomial checkpointing: snapshots=3 (1 to 64) per loop",
    .modelled_on = "Revolve, Griewank and Walther 2000",
    .vjp = true,
    .order = LIMIT_TRANSFORMS,
    .batch = true,
    .option = options,
    .prepare = region_prepare,
    .answer = checkpointed_answer,
};
