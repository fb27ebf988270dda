/*
 * straight.c: see straight.h.
 *
 * The program runs, and every node that runs is appended to the new one.  Each current value of the old program has a
 * number in the new one and its contents at the point.  The number is made when something asks for it.  A value that
 * nothing asks for, such as an index that no op reads, costs no node.
 */
#include "straight.h"
#include "graph/loop.h"
#include "graph/walk.h"

#include "engines/kernels/kernels.h"
#include "engines/aot/lower.h"

enum { UNBUILT = -1 };

/* The present state of a value of the old program. */
struct current {
	struct tensor at; /* at the point */
	int number;       /* in the new program; UNBUILT: a constant that nothing has asked for yet */
	bool active;      /* depends on a float input */
};

struct straight {
	const struct program *p;
	struct arena *arena;
	bool constants, full;
	const bool *keep; /* ops with regions that stay if all inside them stays; NULL: none */
	bool kept;        /* some stayed */
	int n_node;
	struct builder b;
	struct current *value; /* [p->n_value] */
	struct tensor *tensor; /* value[].at, in the form that kernels take */
};

static void run_region(struct straight *s, const struct region *region);

static int grow(struct straight *s, int number)
{
	s->full = s->full || ++s->n_node > STRAIGHT_NODES;
	return number;
}

static int number_of(struct straight *s, struct current *x)
{
	if (x->number == UNBUILT)
		x->number = grow(s, build_constant(&s->b, &x->at));
	return x->number;
}

static int node1(struct straight *s, enum op op, int arg, const struct attrs *attrs)
{
	return grow(s, build_node(&s->b, op, &arg, 1, attrs, NULL));
}

static struct current constant(const struct tensor *at) { return (struct current){.at = *at, .number = UNBUILT}; }

/* ---- nodes without regions ---- */

static void run_plain(struct straight *s, const struct node *node)
{
	bool active = false;
	int arg[LIMIT_ARGS];

	for (int k = 0; k < node->n_arg; k++) {
		s->tensor[node->arg[k]] = s->value[node->arg[k]].at;
		active = active || s->value[node->arg[k]].active;
	}
	kernel_step(s->p, node, s->tensor, s->arena);
	/* every op without regions has one result */
	struct current *out = &s->value[node->out];

	*out = constant(&s->tensor[node->out]);
	if (s->constants && (!active || !dtype_is_float(out->at.type.dtype)))
		return;
	out->active = active;
	for (int k = 0; k < node->n_arg; k++)
		arg[k] = number_of(s, &s->value[node->arg[k]]);
	out->number = grow(s,
	    build_node(&s->b, node->op == OP_STORE ? OP_DYNAMIC_UPDATE_SLICE : node->op, arg, node->n_arg, &node->attrs,
	        NULL));
}

/* ---- pieces of values ---- */

static struct attrs slice_attrs(const struct type *t, int start, int size)
{
	struct attrs attrs = {0};

	for (int d = 0; d < t->shape.rank; d++) {
		attrs.size[d] = d ? t->shape.extent[d] : size;
		attrs.stride[d] = 1;
	}
	attrs.start[0] = start;
	return attrs;
}

/* Part `start` of x along its first axis, without that axis.  `at` is its contents. */
static struct current take(struct straight *s, struct current *x, int start, const struct tensor *at)
{
	struct attrs slice = slice_attrs(&x->at.type, start, 1), shape = {.shape = at->type.shape};
	struct current out = constant(at);

	if (!x->active && (s->constants || x->number == UNBUILT))
		return out;
	out.active = x->active;
	out.number = node1(s, OP_RESHAPE, node1(s, OP_SLICE, number_of(s, x), &slice), &shape);
	return out;
}

/* Replaces part `start` of x along its first axis.  The caller updates x->at. */
static void put(struct straight *s, struct current *x, int start, struct current *part)
{
	struct attrs scatter = slice_attrs(&x->at.type, start, 1), shape = {.shape = x->at.type.shape};
	int arg[2];

	if (!x->active && !part->active && s->constants) {
		x->number = UNBUILT;
		return;
	}
	shape.shape.extent[0] = 1;
	arg[0] = number_of(s, x);
	arg[1] = node1(s, OP_RESHAPE, number_of(s, part), &shape);
	x->number = grow(s, build_node(&s->b, OP_SLICE_SCATTER, arg, 2, &scatter, NULL));
	x->active = x->active || part->active;
}

/* ---- regions ---- */

static void inline_region(struct straight *s, const struct region *region, int out, int n_out)
{
	run_region(s, region);
	for (int k = 0; k < n_out; k++)
		s->value[out + k] = s->value[region->result[k]];
}

static void run_scatter_apply(struct straight *s, const struct node *node)
{
	const struct region *region = &node->region[0];
	struct current *x = &s->value[node->arg[0]], y, part;
	struct attrs shape = {.shape = {1, {shape_elements(&x->at.type.shape)}}};
	const struct shape whole = x->at.type.shape;
	int n, *at = kernel_positions(node, &x->at.type, &s->value[node->arg[1]].at, &n, s->arena);

	y = (struct current){.at = tensor_copy(s->arena, &x->at), .active = x->active, .number = UNBUILT};
	y.at.type.shape = shape.shape;
	if (x->active || !s->constants)
		y.number = node1(s, OP_RESHAPE, number_of(s, x), &shape);
	for (int k = 0; k < n && !s->full; k++) {
		struct tensor one = tensor_new(s->arena, &s->p->type[region->param]);

		one.at[0] = y.at.at[at[k]];
		s->value[region->param] = take(s, &y, at[k], &one);
		run_region(s, region);
		part = s->value[region->result[0]];
		y.at = tensor_copy(s->arena, &y.at); /* a constant that was made from it must not change */
		y.at.at[at[k]] = part.at.at[0];
		put(s, &y, at[k], &part);
	}
	shape.shape = whole;
	y.at.type.shape = whole;
	if (y.number != UNBUILT)
		y.number = node1(s, OP_RESHAPE, y.number, &shape);
	s->value[node->out] = y;
}

static void carry(struct straight *s, int to, const int *from, int n)
{
	struct current next[LIMIT_ARGS];

	for (int k = 0; k < n; k++)
		next[k] = s->value[from[k]];
	for (int k = 0; k < n; k++)
		s->value[to + k] = next[k];
}

/* Like carry, from consecutive values. */
static void carry_on(struct straight *s, int to, int from, int n)
{
	for (int k = 0; k < n; k++)
		s->value[to + k] = s->value[from + k];
}

/* Whether a while goes on from the carries that it has now. */
static bool goes_on(struct straight *s, const struct node_loop *l)
{
	carry_on(s, l->condition->param, l->node->out, l->n_carry);
	run_region(s, l->condition);
	return s->value[l->condition->result[0]].at.at[0].i != 0;
}

static void run_loop(struct straight *s, const struct node *node)
{
	const struct node_loop l = node_loop(node);
	const struct region *body = l.body;
	int trip = l.counted ? kernel_trip(node, &s->value[node->arg[0]].at) : node_max_trip(node);
	struct current *stacked = &s->value[node->out + l.n_carry];
	bool stop = false;

	carry(s, node->out, node->arg + l.first_arg, l.n_carry);
	for (int k = 0; k < l.n_ys; k++) {
		struct tensor zeros = tensor_new(s->arena, &s->p->type[node->out + l.n_carry + k]);

		stacked[k] = constant(&zeros);
	}
	for (int t = 0; t < trip && !stop && !s->full; t++) {
		if (l.condition && !goes_on(s, &l))
			return;
		if (l.n_index) {
			struct tensor index = tensor_new(s->arena, &s->p->type[body->param]);

			index.at[0].i = t;
			s->value[body->param] = constant(&index);
		}
		carry_on(s, l.first_param, node->out, l.n_carry);
		for (int k = l.n_carry; k < l.n_carry + l.n_xs; k++) {
			struct tensor row = kernel_row(&s->value[node->arg[k]].at, t, s->arena);

			s->value[body->param + k] = take(s, &s->value[node->arg[k]], t, &row);
		}
		run_region(s, body);
		stop = l.until && s->value[body->result[body->n_result - 1]].at.at[0].i;
		for (int k = 0; k < l.n_ys; k++) {
			struct current *part = &s->value[body->result[l.n_carry + k]];

			stacked[k].at = tensor_copy(s->arena, &stacked[k].at);
			kernel_set_row(&stacked[k].at, t, &part->at);
			put(s, &stacked[k], t, part);
		}
		carry(s, node->out, body->result, l.n_carry);
	}
}

/* ---- nodes that stay ---- */

static bool stays(const struct straight *s, const struct node *node)
{
	bool keeps = !node->n_region || (s->keep && s->keep[node->op]);

	for (struct walk w = walk_inside(node); keeps && walk_next(&w);)
		keeps = !w.node->n_region || s->keep[w.node->op];
	return keeps;
}

/*
 * Makes the numbers of the values that a region captures, before it begins. inside[v]: v is defined in the region, or
 * in a region around it that stays too.
 */
static void capture(struct straight *s, const struct region *region, bool *inside)
{
	for (int k = 0; k < region->n_param; k++)
		inside[region->param + k] = true;
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		for (int k = 0; k < node->n_arg; k++)
			if (!inside[node->arg[k]])
				number_of(s, &s->value[node->arg[k]]);
		for (int r = 0; r < node->n_region; r++)
			capture(s, &node->region[r], inside);
		for (int k = 0; k < node->n_out; k++)
			inside[node->out + k] = true;
	}
	for (int k = 0; k < region->n_result; k++)
		if (!inside[region->result[k]])
			number_of(s, &s->value[region->result[k]]);
}

static int keep_node(struct straight *s, const struct node *node);

static void keep_region(struct straight *s, const struct region *region)
{
	int param = build_open(&s->b, s->p->type + region->param, region->n_param), result[LIMIT_ARGS];

	for (int k = 0; k < region->n_param; k++)
		s->value[region->param + k].number = param + k;
	for (int i = 0; i < region->n_node; i++) {
		int out = keep_node(s, &region->node[i]);

		for (int k = 0; k < region->node[i].n_out; k++)
			s->value[region->node[i].out + k].number = out + k;
	}
	for (int k = 0; k < region->n_result; k++)
		result[k] = s->value[region->result[k]].number;
	build_close(&s->b, result, region->n_result);
}

/* Appends the node with the numbers of its operands.  Returns the number of its first result. */
static int keep_node(struct straight *s, const struct node *node)
{
	int arg[LIMIT_ARGS];

	for (int k = 0; k < node->n_arg; k++)
		arg[k] = s->value[node->arg[k]].number;
	if (node->op == OP_CONSTANT)
		return grow(s, build_constant(&s->b, &node->attrs.value));
	for (int r = 0; r < node->n_region; r++)
		keep_region(s, &node->region[r]);
	if (node->n_region)
		return grow(s, build_region_node(&s->b, node->op, arg, node->n_arg, &node->attrs, NULL));
	return grow(s,
	    build_node(&s->b, node->op == OP_STORE ? OP_DYNAMIC_UPDATE_SLICE : node->op, arg, node->n_arg, &node->attrs,
	        NULL));
}

/*
 * Keeps the node as it is, after it was executed.  Its results have their values, and the nodes made from its inside
 * are dead.
 */
static void keep_whole(struct straight *s, const struct node *node)
{
	bool *inside = NEW(s->arena, bool, s->p->n_value);
	int out;

	s->kept = true;
	for (int k = 0; k < node->n_arg; k++)
		number_of(s, &s->value[node->arg[k]]);
	for (int r = 0; r < node->n_region; r++)
		capture(s, &node->region[r], inside);
	out = keep_node(s, node);
	for (int k = 0; k < node->n_out; k++)
		s->value[node->out + k].number = out + k;
}

static void run_region(struct straight *s, const struct region *region)
{
	for (int i = 0; i < region->n_node && !s->full; i++) {
		const struct node *node = &region->node[i];

		switch (op_table[node->op].family) {
		case FAMILY_COND:
			inline_region(
			    s, &node->region[s->value[node->arg[0]].at.at[0].i ? 0 : 1], node->out, node->n_out);
			break;
		case FAMILY_CHECKPOINT:
			inline_region(s, &node->region[0], node->out, node->n_out);
			break;
		case FAMILY_SCATTER_APPLY:
			run_scatter_apply(s, node);
			break;
		case FAMILY_FOR:
		case FAMILY_WHILE:
		case FAMILY_SCAN:
			run_loop(s, node);
			break;
		default:
			run_plain(s, node);
		}
		if (node->n_region && stays(s, node))
			keep_whole(s, node);
	}
}

bool straight_program(const struct program *p, const struct tensor *point, bool constants, const bool *keep,
    struct arena *a, struct program *out, struct error *e)
{
	const struct program plain = lower_customs(p, DERIVATIVE_COUNT, a),
	                     loops = lower_fixed_points(&plain, false, a);
	struct straight s = {.p = &loops, .arena = a, .constants = constants, .keep = constants ? NULL : keep};
	int result[LIMIT_ARGS];

	s.value = NEW(a, struct current, loops.n_value);
	s.tensor = NEW(a, struct tensor, loops.n_value);
	build_begin(&s.b, a);
	for (int k = 0; k < loops.top.n_param; k++) {
		const struct type *t = &loops.type[loops.top.param + k];
		int number = build_input(&s.b, t);

		s.value[loops.top.param + k] = constant(&point[k]);
		if (dtype_is_float(t->dtype) || !constants)
			s.value[loops.top.param + k].number = number;
		s.value[loops.top.param + k].active = dtype_is_float(t->dtype);
	}
	run_region(&s, &loops.top);
	for (int k = 0; k < loops.top.n_result && !s.full; k++)
		result[k] = number_of(&s, &s.value[loops.top.result[k]]);
	if (s.full)
		return error_set(e, NULL, "more than %d ops without loops", STRAIGHT_NODES);
	*out = build_end(&s.b, result, loops.top.n_result);
	if (s.kept)
		*out = program_drop_dead(out, a);
	return true;
}

/* ---- broadcasts ---- */

struct spreading {
	struct program *p; /* type[] has room for the broadcasts */
	struct arena *arena;
};

static bool spreads(const struct program *p, const struct node *node, int k)
{
	enum family f = op_table[node->op].family;

	return (f == FAMILY_BINARY || f == FAMILY_COMPARE || f == FAMILY_CLAMP || f == FAMILY_SELECT) &&
	    !shape_equal(&p->type[node->arg[k]].shape, &p->type[node->out].shape);
}

/* The number of broadcasts that a region needs; if `deep`, those of the regions inside it too. */
static int count_spreads(const struct program *p, const struct region *region, bool deep)
{
	int n = 0;

	for (struct walk w = walk_nodes(region); walk_next(&w);) {
		for (int k = 0; k < w.node->n_arg; k++)
			n += spreads(p, w.node, k);
		if (!deep)
			walk_past(&w);
	}
	return n;
}

static void spread_region(struct spreading *s, struct region *region)
{
	int room = region->n_node + count_spreads(s->p, region, false), n = 0;
	struct node *to = NEW(s->arena, struct node, room);

	for (int i = 0; i < region->n_node; i++) {
		struct node node = region->node[i];

		node.arg = arena_copy(s->arena, node.arg, (size_t)node.n_arg, sizeof *node.arg);
		node.region = arena_copy(s->arena, node.region, (size_t)node.n_region, sizeof *node.region);
		for (int k = 0; k < node.n_arg; k++) {
			struct node *wide = &to[n];

			if (!spreads(s->p, &region->node[i], k))
				continue;
			*wide = (struct node){.op = OP_BROADCAST_TO, .n_arg = 1, .n_out = 1, .out = s->p->n_value};
			wide->arg = arena_copy(s->arena, &region->node[i].arg[k], 1, sizeof *wide->arg);
			wide->attrs.shape = s->p->type[node.out].shape;
			s->p->type[s->p->n_value] = s->p->type[wide->arg[0]];
			s->p->type[s->p->n_value].shape = wide->attrs.shape;
			node.arg[k] = s->p->n_value++;
			n++;
		}
		for (int r = 0; r < node.n_region; r++)
			spread_region(s, &node.region[r]);
		to[n++] = node;
	}
	region->node = to;
	region->n_node = n;
}

struct program straight_broadcasts(const struct program *p, struct arena *a)
{
	struct program out = *p;
	struct spreading s = {.p = &out, .arena = a};
	int more = count_spreads(p, &p->top, true);

	if (!more)
		return out;
	out.type = NEW(a, struct type, p->n_value + more);
	for (int v = 0; v < p->n_value; v++)
		out.type[v] = p->type[v];
	spread_region(&s, &out.top);
	return program_renumber(&out, a);
}
