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
	int changed = 1;

	for (int round = 0; round < ROUNDS && changed; round++) {
		changed = 0;
		for (int k = 0; k < PASS_COUNT; k++) {
			struct arena_mark mark = arena_mark(a);
			struct program next;
			int n;

			if (!compiled_passes[k].rewrite || o->off[k])
				continue;
			n = compiled_passes[k].rewrite(o->rules, &now, a, &next);
			counts->rewrites[k] += n;
			changed += n;
			if (n)
				now = next;
			else
				arena_rewind(a, mark);
		}
	}
	return now;
}

/* ---- dead code ---- */

int compiled_dce(const struct compiled_rules *rules, const struct program *p, struct arena *a, struct program *out)
{
	(void)rules;
	*out = program_has_dead(p, a) ? program_drop_dead(p, a) : *p;
	return program_nodes(p) - program_nodes(out);
}

/* ---- constants ---- */

/* A fold must not make the program larger: a broadcast constant would cost more cells than it saves time. */
static enum rewritten fold_node(struct rewrite *x, struct node *node, int *taken)
{
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
	node->op = OP_CONSTANT;
	node->n_arg = 0;
	node->attrs = (struct attrs){.value = out};
	return REWRITE_CHANGED;
}

int compiled_fold(const struct compiled_rules *rules, const struct program *p, struct arena *a, struct program *out)
{
	struct rewrite x = {.rules = rules, .arena = a, .visit = fold_node};

	*out = rewrite_program(&x, p);
	return x.count;
}
