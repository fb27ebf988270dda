/* drawn.c: small programs of the ops to blame, drawn at random: they vary everything at once. */
#include "fuzz/bench/draw.h"
#include "fuzz/generate/generate.h"
#include "graph/walk.h"
#include "lab_edit.h"

enum {
	OPS = 2,        /* to blame, at most */
	DRAWS = 20000,  /* of each */
	JUDGED = 320,   /* of them */
	FRESH = 4,      /* one in so many tests the condition */
	OPS_DRAWN = 3,  /* aimed at in a program */
	EXTENT_MOST = 6 /* of an axis */
};

/* Programs of `op`, of the other ops of the case, and of ops that make operands. */
static struct profile profile_of(struct lab *l, enum op op, bool bare)
{
	static const enum op help[] = {
	    OP_CONSTANT, OP_ADD, OP_MUL, OP_SIN, OP_RESHAPE, OP_BROADCAST_TO, OP_REDUCE_SUM, OP_COPY};
	const enum dtype d = lab_dtype(l);
	struct profile p = profile_default();

	p.ops_min = 1;
	p.ops_max = p.ops_low_precision = OPS_DRAWN;
	p.body_ops_max = 2;
	p.dead_code = p.result_input = p.result_constant = p.result_integer = p.wrt_integer = 0;
	p.points_several = p.extent_empty = p.trip_medium = p.trip_large = 0;
	p.weight_large = p.weight_edge = p.unguarded = p.input_wide = p.mix_dtype = 0;
	p.bare = bare ? 100 : 0;
	p.extent_max = EXTENT_MOST;
	p.input_positive = 20;
	p.f64 = d == DTYPE_F64;
	p.f32 = d == DTYPE_F32;
	p.bf16 = d == DTYPE_BF16;
	p.f16 = d == DTYPE_F16;
	for (int k = 0; k < OP_COUNT; k++)
		p.without[k] = op_table[k].regularity != REGULARITY_DISCRETE;
	for (size_t k = 0; k < sizeof help / sizeof *help; k++)
		p.without[help[k]] = bare;
	for (struct walk w = walk_nodes(&l->typical->program.top); walk_next(&w);)
		p.without[w.node->op] = bare;
	p.without[OP_CONSTANT] = p.without[op] = false;
	return p;
}

/* Draw number k; false if it is none of the op, or the engine does not know it.  In l->scratch. */
static bool draw(struct lab *l, enum op op, const struct profile *p, int k, struct testcase *out)
{
	enum transform_kind stack[LIMIT_TRANSFORMS];
	struct choice c = choice_seeded(seed_mix(seed_mix(testcase_hash(l->base), (uint64_t)op), (uint64_t)k));

	for (int t = 0; t < l->base->n_transform; t++)
		stack[t] = l->base->transform[t].kind;
	arena_reset(&l->scratch);
	*out = generate_stack(&c, p, stack, l->base->n_transform, &l->scratch);
	return region_has_op(&out->program.top, op) && lab_same_request(l, out) &&
	    bench_knows(l->bench, out, &l->scratch);
}

bool lab_draw_of(struct lab *l, enum op op, int k, struct testcase *out)
{
	const bool bare = k % 2 == 0;
	struct profile p;

	if (bare && lab_draw_alone(l, op, k, out))
		return true;
	p = profile_of(l, op, bare);
	return draw(l, op, &p, k, out);
}

void experiment_drawn(struct lab *l)
{
	enum op blamed[LAB_USES];
	const int n = lab_blamed_ops(l, blamed);

	lab_columns(l, (const char *const[]){"draw"}, 1);
	for (int i = 0; i < n && i < OPS && !lab_kills(l); i++)
		for (int k = 0, judged = 0; k < DRAWS && judged < JUDGED && !lab_time_over(l); k++) {
			struct testcase c;

			if (!lab_draw_of(l, blamed[i], k, &c))
				continue;
			l->strict = true;
			explanation_fresh(l->explain, judged % FRESH == FRESH - 1);
			explanation_alone(l->explain, program_nodes(&c.program) == 1);
			lab_sample(l, &c);
			explanation_alone(l->explain, false);
			explanation_fresh(l->explain, false);
			l->strict = false;
			judged++;
		}
}
