/* lower.c: turns a program into steps.  It decides what every value is a view of, and the order of the work. */
#include <string.h>

#include "parts.h"
#include "graph/loop.h"
#include "graph/walk.h"
#include "engines/kernels/kernels.h"

static const struct type *type_of(const struct code *c, int v) { return &c->p->type[v]; }

static int new_buffer(struct code *c, enum buffer_kind kind, int size)
{
	GROW(c->arena, c->buffer, &c->buffer_room, c->n_buffer + 1);
	c->buffer[c->n_buffer] = (struct buffer){.kind = kind, .size = size, .first = 1, .last = 0, .alias = -1};
	return c->n_buffer++;
}

static void view_in(
    struct code *c, enum buffer_kind kind, const struct shape *s, const bool varies[LIMIT_RANK], struct view *out)
{
	int size = view_fresh(s, varies, out);

	out->buffer = new_buffer(c, kind, size);
}

static void dense_view(struct code *c, enum buffer_kind kind, const struct shape *s, struct view *out)
{
	static const bool all[LIMIT_RANK] = {true, true, true, true};

	view_in(c, kind, s, all, out);
}

/* Gives value v new dense memory. */
static void give_dense(struct code *c, int v) { dense_view(c, BUFFER_OWN, &type_of(c, v)->shape, &c->view[v]); }

static struct step *add_step(struct code *c, struct block *b, enum step_kind kind, const struct node *node)
{
	GROW(c->arena, b->step, &b->room, b->n_step + 1);
	b->step[b->n_step] = (struct step){.kind = kind, .node = node};
	return &b->step[b->n_step++];
}

/* ---- plain nodes ---- */

/* Chooses along which axes the result of a node varies, by its rule. */
static void choose_layout(const struct code *c, const struct node *node, bool varies[LIMIT_RANK])
{
	int operand[LIMIT_ARGS][LIMIT_RANK] = {{0}};
	const struct shape *to = &type_of(c, node->out)->shape;
	bool zeros[LIMIT_ARGS];
	const struct layout_call call = {c->p, node, operand, zeros};

	for (int k = 0; k < node->n_arg; k++)
		zeros[k] = c->view[node->arg[k]].zeros;
	for (int k = 0; k < node->n_arg; k++)
		if (type_of(c, node->arg[k])->shape.rank <= to->rank)
			view_broadcast(&type_of(c, node->arg[k])->shape, &c->view[node->arg[k]], to, operand[k]);
	c->options->rules->row[node->op].layout(&call, varies);
}

/* A literal; it takes one cell if all elements are equal. */
static void lower_constant(struct code *c, const struct node *node)
{
	const struct tensor *t = &node->attrs.value;
	int n = shape_elements(&t->type.shape);
	struct view *v = &c->view[node->out];

	dense_view(c, BUFFER_CONSTANT, &t->type.shape, v);
	c->buffer[v->buffer].literal = t->at;
	for (int i = 1; i < n; i++)
		if (t->at[i].i != t->at[0].i)
			return;
	memset(v->stride, 0, sizeof v->stride);
	v->zeros = n > 0 && t->at[0].i == 0;
}

static void lower_view(struct code *c, struct block *b, const struct node *node)
{
	view_fn *view = c->options->rules->row[node->op].view;
	struct view whole = {0};

	if (view(c->p, node, &c->view[node->arg[0]], &c->view[node->out]))
		return;
	dense_view(c, BUFFER_OWN, &type_of(c, node->arg[0])->shape, &whole);
	add_step(c, b, STEP_LOOP, node)->loop = compiled_copy_loop(
	    c, &type_of(c, node->arg[0])->shape, &c->view[node->arg[0]], &whole);
	c->counts.loops++;
	view(c->p, node, &whole, &c->view[node->out]);
}

static void lower_concatenate(struct code *c, struct block *b, const struct node *node)
{
	struct view part;

	give_dense(c, node->out);
	part = c->view[node->out];
	for (int k = 0; k < node->n_arg; k++) {
		const struct shape *s = &type_of(c, node->arg[k])->shape;

		add_step(c, b, STEP_LOOP, node)->loop = compiled_copy_loop(c, s, &c->view[node->arg[k]], &part);
		c->counts.loops++;
		part.offset += s->extent[node->attrs.axis] * part.stride[node->attrs.axis];
	}
}

/*
 * Copies the operand, and writes into the copy.  If the operand dies here, the planner puts the copy into the operand's
 * cells, and nothing is copied.
 */
static void lower_scatter(struct code *c, struct block *b, const struct node *node)
{
	const struct shape *s = &type_of(c, node->out)->shape;
	const struct view *operand = &c->view[node->arg[0]];
	bool overwrites = c->options->rules->overwrites(s, operand), varies[LIMIT_RANK];

	for (int d = 0; d < s->rank; d++)
		varies[d] = !overwrites || operand->stride[d] != 0;
	view_in(c, BUFFER_OWN, s, varies, &c->view[node->out]);
	add_step(c, b, STEP_LOOP, node)->loop = compiled_copy_loop(c, s, operand, &c->view[node->out]);
	add_step(c, b, STEP_SCATTER, node);
	c->counts.loops += 2;
}

static void lower_plain(struct code *c, struct block *b, const struct region *region, const int *group, int size, int i)
{
	const struct node *node = &region->node[i];
	enum family family = op_table[node->op].family;
	bool varies[LIMIT_RANK] = {false};

	if (node->op == OP_CONSTANT) {
		lower_constant(c, node);
		return;
	}
	if (c->options->rules->row[node->op].view) {
		lower_view(c, b, node);
		return;
	}
	if (node->op == OP_CONCATENATE) {
		lower_concatenate(c, b, node);
		return;
	}
	if (family == FAMILY_SCATTER || family == FAMILY_DYNAMIC_UPDATE_SLICE) {
		lower_scatter(c, b, node);
		return;
	}
	if (!compiled_is_looped(c, node)) {
		give_dense(c, node->out);
		add_step(c, b, STEP_KERNEL, node);
		c->counts.kernels++;
		return;
	}
	choose_layout(c, node, varies);
	if (group[i] != i) {
		c->view[node->out].buffer = -1;
		view_fresh(&type_of(c, node->out)->shape, varies, &c->view[node->out]);
		return;
	}
	view_in(c, BUFFER_OWN, &type_of(c, node->out)->shape, varies, &c->view[node->out]);
	add_step(c, b, STEP_LOOP, node)->loop = compiled_loop(c, region, group, size, i);
	c->counts.loops++;
}

/* ---- regions ---- */

static void lower_region(struct code *c, const struct region *region, struct block *b);

static void lower_regions(struct code *c, const struct node *node, struct step *step)
{
	step->block = NEW(c->arena, struct block, node->n_region);
	for (int r = 0; r < node->n_region; r++)
		lower_region(c, &node->region[r], &step->block[r]);
}

/* A carry that is another carry, or a view of one, must be read before the other one is overwritten. */
static void stage_carries(struct code *c, struct step *step, const struct region *body, int first_param, int n)
{
	step->n_carry = n;
	step->stage = NEW(c->arena, struct view, n);
	for (int k = 0; k < n; k++) {
		int from = c->view[body->result[k]].buffer;

		step->stage[k].buffer = -1;
		for (int j = 0; j < n; j++)
			if (from == c->view[first_param + j].buffer && body->result[k] != first_param + k &&
			    c->options->rules->sets_aside(k, n))
				dense_view(c, BUFFER_OWN, &type_of(c, first_param + k)->shape, &step->stage[k]);
	}
}

/* Memory for n carries.  First the parameters are views of it, then the results. */
static void give_carries(struct code *c, int out, int param, int n)
{
	for (int k = 0; k < n; k++) {
		give_dense(c, out + k);
		c->view[param + k] = c->view[out + k];
	}
}

static void lower_for(struct code *c, const struct node *node, struct step *step)
{
	const struct node_loop l = node_loop(node);

	give_dense(c, l.body->param);
	give_carries(c, node->out, l.first_param, l.n_carry);
	lower_regions(c, node, step);
	stage_carries(c, step, l.body, l.first_param, l.n_carry);
}

static void lower_while(struct code *c, const struct node *node, struct step *step)
{
	const struct region *condition = &node->region[0], *body = &node->region[1];

	give_carries(c, node->out, body->param, node->n_arg);
	for (int k = 0; k < node->n_arg; k++)
		c->view[condition->param + k] = c->view[body->param + k];
	lower_regions(c, node, step);
	stage_carries(c, step, body, body->param, node->n_arg);
}

static void lower_scan(struct code *c, const struct node *node, struct step *step)
{
	const struct region *body = &node->region[0];
	int n = node->attrs.carries;

	give_carries(c, node->out, body->param, n);
	for (int k = n; k < node->n_out; k++)
		give_dense(c, node->out + k);
	for (int k = n; k < node->n_arg; k++) {
		const struct view *xs = &c->view[node->arg[k]];
		struct view *row = &c->view[body->param + k];

		row->buffer = new_buffer(c, BUFFER_ROW, 0);
		c->buffer[row->buffer].index = xs->buffer;
		row->offset = xs->offset;
		for (int d = 0; d < type_of(c, body->param + k)->shape.rank; d++)
			row->stride[d] = xs->stride[d + 1];
	}
	lower_regions(c, node, step);
	stage_carries(c, step, body, body->param, n);
}

static void lower_region_op(struct code *c, struct block *b, const struct node *node)
{
	/* Nested steps grow their blocks, so the address of this one must not be kept meanwhile. */
	struct step step = {.node = node};

	switch (op_table[node->op].family) {
	case FAMILY_COND:
	case FAMILY_CHECKPOINT:
		step.kind = node->op == OP_COND ? STEP_COND : STEP_CHECKPOINT;
		for (int k = 0; k < node->n_out; k++)
			give_dense(c, node->out + k);
		lower_regions(c, node, &step);
		break;
	case FAMILY_SCATTER_APPLY:
		step.kind = STEP_SCATTER_APPLY;
		give_dense(c, node->out);
		give_dense(c, node->region[0].param);
		lower_regions(c, node, &step);
		break;
	case FAMILY_FOR:
		step.kind = STEP_FOR;
		lower_for(c, node, &step);
		break;
	case FAMILY_WHILE:
		step.kind = STEP_WHILE;
		lower_while(c, node, &step);
		break;
	case FAMILY_SCAN:
		step.kind = STEP_SCAN;
		lower_scan(c, node, &step);
		break;
	default:
		return;
	}
	*add_step(c, b, step.kind, node) = step;
}

static void lower_region(struct code *c, const struct region *region, struct block *b)
{
	int *group = NEW(c->arena, int, region->n_node), *size = NEW(c->arena, int, region->n_node);

	compiled_group(c, region, group, size);
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		if (node->n_region)
			lower_region_op(c, b, node);
		else
			lower_plain(c, b, region, group, size[i], i);
	}
}

/* ---- the program ---- */

/* The first op without code, or NULL. */
static const char *unknown_op(const struct region *region)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		switch (op_table[w.node->op].family) {
		case FAMILY_COND:
		case FAMILY_CHECKPOINT:
		case FAMILY_SCATTER_APPLY:
		case FAMILY_FOR:
		case FAMILY_WHILE:
		case FAMILY_SCAN:
			break;
		default:
			if (w.node->n_region || w.node->n_out != 1 || !kernel_has(w.node->op))
				return op_table[w.node->op].name;
		}
	return NULL;
}

struct code *compiled_code(
    const struct program *p, const struct compiled_options *o, struct arena *a, const char **text)
{
	struct code *c = NEW(a, struct code, 1);
	struct program *optimized = NEW(a, struct program, 1);
	const char *op;

	*optimized = compiled_optimize(p, o, a, &c->counts);
	op = unknown_op(&optimized->top);
	if (op) {
		*text = arena_printf(a, "no code for %s", op);
		return NULL;
	}
	c->options = o;
	c->arena = a;
	c->p = optimized;
	c->view = NEW(a, struct view, optimized->n_value);
	c->node_of = NEW(a, int, optimized->n_value);
	c->reg = NEW(a, int, optimized->n_value);
	for (int v = 0; v < optimized->n_value; v++)
		c->node_of[v] = c->reg[v] = -1;
	for (int k = 0; k < optimized->top.n_param; k++) {
		struct view *v = &c->view[optimized->top.param + k];

		dense_view(c, BUFFER_INPUT, &type_of(c, optimized->top.param + k)->shape, v);
		c->buffer[v->buffer].index = k;
	}
	lower_region(c, &optimized->top, &c->top);
	compiled_plan(c);
	c->cell = NEW(a, union cell, c->n_cell);
	c->base = NEW(a, union cell *, c->n_buffer);
	c->spare = NEW(a, union cell, c->n_register * STRIP);
	return c;
}

const struct compiled_counts *compiled_code_counts(const struct code *code) { return &code->counts; }
