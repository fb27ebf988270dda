/* Rewritten programs: the same function, in ops that the target has a row for; what is refused is refused by name. */
#include "emit/array.h"
#include "engines/aot/interpret.h"
#include "engines/aot/lower.h"
#include "engines/process/straight.h"
#include "fuzz/generate/generate.h"
#include "tests/support/frozen.h"

#include <string.h>

enum { CASES = 600 };

static const struct {
	const struct array_target *target;
	int written_percent; /* of straight random cases at least */
} targets[] = {{&array_jax, 95}, {&array_tensorflow, 85}, {&array_mlx, 85}, {&array_nx, 60}};

/* Every node has a row, and its index is inside the axis. */
static void check_known(
    const struct array_target *target, const struct program *p, unsigned long long seed, struct arena *a)
{
	const struct tensor **constant = NEW(a, const struct tensor *, p->n_value);

	for (int i = 0; i < p->top.n_node; i++)
		if (p->top.node[i].op == OP_CONSTANT)
			constant[p->top.node[i].out] = &p->top.node[i].attrs.value;
	for (int i = 0; i < p->top.n_node; i++) {
		const struct node *node = &p->top.node[i];
		enum family f = op_table[node->op].family;

		CHECK(node->op == OP_CONSTANT || template_row(&(struct template_node){target, p, node, constant, a}),
		    "seed %llu: %s has no row for %s", seed, target->name, op_table[node->op].name);
		if ((f != FAMILY_GATHER && f != FAMILY_TAKE_ALONG_AXIS && f != FAMILY_SCATTER) ||
		    !constant[node->arg[1]])
			continue;
		for (int k = 0; k < shape_elements(&constant[node->arg[1]]->type.shape); k++) {
			int64_t at = constant[node->arg[1]]->at[k].i;

			CHECK(at >= 0 && at < p->type[node->arg[0]].shape.extent[node->attrs.axis],
			    "seed %llu: %s at %lld", seed, op_table[node->op].name, (long long)at);
		}
	}
}

/* `constants`: integers are constants of the point before. */
static void check_generated(const struct array_target *target, bool constants, int written_percent, struct arena *a)
{
	static const enum transform_kind vjp[] = {TRANSFORM_VJP};
	struct profile profile = profile_frozen();
	int tried = 0, written = 0, changed = 0;

	profile.without[OP_NORM] = true; /* a square root of a sum of squares rounds otherwise */
	for (uint64_t seed = 0; seed < CASES; seed++) {
		struct choice choice = choice_seeded(seed);
		struct tensor x[LIMIT_ARGS], y[LIMIT_ARGS];
		struct program p, q;
		struct error e = {0};
		struct testcase c;

		arena_reset(a);
		c = generate_stack(&choice, &profile, vjp, 1, a);
		if (!emit_plain(&c, a, &p, &e) || !straight_program(&p, c.point[0], constants, NULL, a, &p, &e))
			continue;
		if (target->broadcast)
			p = straight_broadcasts(&p, a);
		tried++;
		if (!rewrite_for(target, &p, a, &q, &e)) {
			CHECK(strstr(e.text, ": no counterpart for op "), "seed %llu, %s: %s", (unsigned long long)seed,
			    target->name, e.text);
			continue;
		}
		written++;
		changed += !program_equal(&p, &q);
		check_known(target, &q, seed, a);
		interpret_program(&p, c.point[0], a, x);
		interpret_program(&q, c.point[0], a, y);
		CHECK(tensors_same(x, y, p.top.n_result), "seed %llu, %s%s: another function", (unsigned long long)seed,
		    target->name, constants ? ", constants" : "");
	}
	CHECK(tried > CASES / 2 && 100 * written >= written_percent * tried, "%s%s: %d of %d written", target->name,
	    constants ? ", constants" : "", written, tried);
	CHECK(changed > CASES / 20, "%s: %d programs changed", target->name, changed);
}

int main(int argc, char **argv)
{
	struct arena a;

	check_begin(argc, argv);
	arena_init(&a, 1 << 30);
	for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
		if (!row_wanted("targets: row %d", (int)k))
			continue;
		check_generated(targets[k].target, false, targets[k].written_percent, &a);
		check_generated(targets[k].target, true, targets[k].written_percent, &a);
	}
	arena_free(&a);
	return check_done();
}
