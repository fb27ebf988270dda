/* coverage.c: features are small facts of a case; each is hashed to a counter. */
#include "coverage.h"
#include "graph/loop.h"

#include "fuzz/generate/choice.h"

enum coverage_kind {
	KIND_PAIR = 1,
	KIND_CONTEXT,
	KIND_INSIDE_LOOP,
	KIND_REQUEST,
	KIND_DTYPE,
	KIND_TRIP,
	KIND_MODE,
	KIND_TRUTH,
	KIND_SHAPE
};

/* Where a node stands. */
struct context {
	int innermost; /* op of the innermost region, OP_COUNT at the top */
	int outer;     /* op around that; OP_COUNT: none */
	bool loop;     /* some enclosing region is a loop body */
};

struct features {
	uint8_t *counters;
	const struct program *p;
	uint8_t *producer; /* [n_value] family + 1, 0: an input or parameter */
};

static void hit(struct features *f, enum coverage_kind kind, int a, int b, int c)
{
	uint64_t h = seed_mix(
	    ((uint64_t)kind << 48) ^ ((uint64_t)(unsigned)a << 32) ^ (uint64_t)(unsigned)b, (uint64_t)(unsigned)c);
	uint8_t *counter = &f->counters[h % FEATURE_BYTES];

	*counter = (uint8_t)(*counter + (*counter < 255));
}

/* 0, 1, 2, 3, 4 to 7, 8 to 15 ... */
static int bucket(int n)
{
	int b = 0;

	if (n < 4)
		return n;
	while (n) {
		n >>= 1;
		b++;
	}
	return b + 1;
}

static bool is_loop(enum op op) { return op == OP_FOR || op == OP_WHILE || op == OP_SCAN || op == OP_FIXED_POINT; }

/* 0 empty, 1 scalar, 2 one element, 3 vector, 4 more axes. */
static int shape_class(const struct shape *s)
{
	int n = shape_elements(s);

	return !n ? 0 : !s->rank ? 1 : n == 1 ? 2 : s->rank == 1 ? 3 : 4;
}

static void features_region(struct features *f, const struct region *r, struct context at);

static void features_node(struct features *f, const struct node *n, struct context at)
{
	enum family family = op_table[n->op].family;
	const struct type *t = n->n_out ? &f->p->type[n->out] : NULL;

	for (int i = 0; i < n->n_arg; i++)
		hit(f, KIND_PAIR, f->producer[n->arg[i]], (int)n->op, 0);
	hit(f, KIND_CONTEXT, at.innermost, (int)family, at.outer);
	if (at.loop &&
	    (family == FAMILY_SELECT || family == FAMILY_SCATTER || family == FAMILY_SLICE_SCATTER ||
	        family == FAMILY_DYNAMIC_UPDATE_SLICE || family == FAMILY_GATHER || n->n_region))
		hit(f, KIND_INSIDE_LOOP, (int)n->op, at.innermost, 0);
	if (t) {
		hit(f, KIND_DTYPE, (int)t->dtype, (int)family, 0);
		hit(f, KIND_SHAPE, shape_class(&t->shape), (int)n->op, 0);
	}
	if (op_table[n->op].attrs & ATTR_MODE)
		hit(f, KIND_MODE, (int)n->op, (int)n->attrs.mode, 0);
	if (is_loop(n->op))
		hit(f, KIND_TRIP, (int)n->op, bucket(node_max_trip(n)),
		    node_loop(n).counted + 2 * n->attrs.until +
		        (n->op == OP_FIXED_POINT && n->attrs.meaning == MEANING_SOLUTION));
	for (int i = 0; i < n->n_region; i++) {
		struct context inner = {(int)n->op, at.innermost, at.loop || is_loop(n->op)};

		features_region(f, &n->region[i], inner);
	}
	for (int i = 0; i < n->n_out; i++)
		f->producer[n->out + i] = (uint8_t)(family + 1);
}

static void features_region(struct features *f, const struct region *r, struct context at)
{
	for (int k = 0; k < r->n_node; k++)
		features_node(f, &r->node[k], at);
}

static void features_request(struct features *f, const struct testcase *c)
{
	for (int i = 0; i < c->n_transform; i++) {
		const struct transform *t = &c->transform[i];
		int integers = 0;

		for (int k = 0; k < t->n_wrt; k++)
			integers += !dtype_is_float(c->program.type[t->wrt[k]].dtype);
		hit(f, KIND_REQUEST, (int)t->kind, t->n_wrt * 16 + c->program.top.n_param, (integers > 0) + 2 * i);
		if (i)
			hit(f, KIND_REQUEST, TRANSFORM_COUNT + 1 + (int)t->kind, (int)t[-1].kind, i);
	}
	hit(f, KIND_REQUEST, TRANSFORM_COUNT, bucket(c->n_point),
	    c->program.top.n_result < 4 ? c->program.top.n_result : 4);
}

static void features_truth(struct features *f, const struct truth *truth)
{
	for (int i = 0; i < truth->n_point; i++) {
		const struct truth_point *point = &truth->point[i];

		hit(f, KIND_TRUTH, point->kink, point->edge, bucket(point->n_assignment));
		hit(f, KIND_TRUTH, 2, (int)point->fd.outcome, 0);
		for (int k = 0; k < point->n_derivative && point->n_assignment; k++) {
			const struct truth_tensor *t = &point->derivative[0][k];
			int n = shape_elements(&t->type.shape);

			for (int e = 0; e < n; e++)
				if (t->at[e].reason != REASON_NONE)
					hit(f, KIND_TRUTH, 3, (int)t->at[e].reason, 0);
		}
	}
}

void features_of(const struct testcase *c, const struct truth *truth, uint8_t counters[FEATURE_BYTES])
{
	/* A program with more values than this gets no structural features. */
	uint8_t producer[4096] = {0};
	struct features f = {.counters = counters, .p = &c->program, .producer = producer};
	struct context top = {OP_COUNT, OP_COUNT, false};

	if (c->program.n_value <= (int)sizeof(producer))
		features_region(&f, &c->program.top, top);
	features_request(&f, c);
	if (truth)
		features_truth(&f, truth);
}
