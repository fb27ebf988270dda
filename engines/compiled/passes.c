/* passes.c: the table of passes, and the order in which they run. */
#include "parts.h"
#include "engines/kernels/kernels.h"
#include "engines/aot/lower.h"

const struct pass_info compiled_passes[PASS_COUNT] = {
#define PASS(id, name, rewrite, meaning) {name, meaning, rewrite},
#include "passes.def"
#undef PASS
};

enum { ROUNDS = 8 }; /* each one makes the program simpler, and more than three are rarely needed */

struct program compiled_optimize(
    const struct program *p, const struct compiled_options *o, struct arena *a, struct compiled_counts *counts)
{
	/*
	 * A rewrite may give a buffer more readers.  The planner finds from lifetimes what may be written in place
	 * (plan.c).
	 */
	struct program now = lower_stores(p, a);
	bool changed = false;

	/* until no pass changes what the others left */
	for (int k = 0, quiet = 0; k < ROUNDS * PASS_COUNT && quiet < PASS_COUNT; k++) {
		const int pass = k % PASS_COUNT;
		struct arena_mark mark = arena_mark(a);
		struct program next;
		int n = 0;

		if (compiled_passes[pass].rewrite && !o->off[pass])
			n = compiled_passes[pass].rewrite(o->rules, &now, a, &next);
		counts->rewrites[pass] += n;
		quiet = n && pass != PASS_DCE ? 0 : quiet + 1; /* no other pass finds more among fewer nodes */
		changed |= n > 0;
		if (n)
			now = next;
		else
			arena_rewind(a, mark);
	}
	return changed ? program_renumber(&now, a) : now;
}

/* ---- dead code ---- */

/* x->state says of each value whether a result needs it. */
static enum rewritten drop_dead(struct rewrite *x, const struct node *node, int *taken)
{
	const unsigned char *live = x->state;

	(void)taken;
	for (int i = 0; i < node->n_out; i++)
		if (live[node->out + i])
			return REWRITE_KEEP;
	return REWRITE_GONE;
}

int compiled_dce(const struct compiled_rules *rules, const struct program *p, struct arena *a, struct program *out)
{
	struct rewrite x = {.rules = rules, .arena = a, .state = program_live(p, a), .visit = drop_dead};

	*out = rewrite_program(&x, p);
	return x.count;
}

/* ---- constants ---- */

/* A fold must not make the program larger: a broadcast constant would cost more cells than it saves time. */
static enum rewritten fold_node(struct rewrite *x, const struct node *node, int *taken)
{
	struct node *folded;
	struct tensor out;
	const struct tensor *arg[LIMIT_ARGS];
	int n_in = 0;

	(void)taken;
	if (node->n_region || node->n_out != 1 || node->n_arg == 0 || !kernel_has(node->op))
		return REWRITE_KEEP;
	for (int k = 0; k < node->n_arg; k++) {
		const struct node *constant = rewrite_def(x, node->arg[k], OP_CONSTANT);

		if (!constant)
			return REWRITE_KEEP;
		arg[k] = &constant->attrs.value;
		n_in += shape_elements(&arg[k]->type.shape);
	}
	if (shape_elements(&x->p->type[node->out].shape) > n_in)
		return REWRITE_KEEP;
	kernel_run(node, arg, &x->p->type[node->out], &out, x->arena);
	folded = rewrite_edit(x, node);
	folded->op = OP_CONSTANT;
	folded->n_arg = 0;
	folded->attrs = (struct attrs){.value = out};
	return REWRITE_CHANGED;
}

int compiled_fold(const struct compiled_rules *rules, const struct program *p, struct arena *a, struct program *out)
{
	struct rewrite x = {.rules = rules, .arena = a, .visit = fold_node};

	*out = rewrite_program(&x, p);
	return x.count;
}
