/* fuse.c: decides which nodes share a loop nest, and writes the expression that it evaluates. */
#include <assert.h>
#include <string.h>

#include "graph/walk.h"
#include "parts.h"
#include "engines/kernels/parts.h"

enum { GROUP_NODES = 32 }; /* most nodes in one loop: each needs a register */

static bool is_fold(const struct code *c, const struct node *node)
{
	return op_table[node->op].family == FAMILY_REDUCE && kernel_is_fold(node->op) && node->attrs.n_axes > 0 &&
	    shape_elements(&c->p->type[node->arg[0]].shape) > 0;
}

bool compiled_is_looped(const struct code *c, const struct node *node)
{
	return !node->n_region && (c->options->rules->row[node->op].loops || is_fold(c, node));
}

/* The shape over which the loop of a node iterates. */
static const struct shape *space_of(const struct code *c, const struct node *node)
{
	return &c->p->type[is_fold(c, node) ? node->arg[0] : node->out].shape;
}

/* Whether operand k is read at the coordinates of the result, so that it can be a register. */
static bool in_step(const struct code *c, const struct node *node, int k)
{
	if (!compiled_is_looped(c, node) || !shape_equal(&c->p->type[node->arg[k]].shape, space_of(c, node)))
		return false;
	return kernel_is_elementwise(node->op) || is_fold(c, node) ||
	    (op_table[node->op].family == FAMILY_SLICE_SCATTER && k == 0);
}

enum { NO_USER = -1, MANY_USERS = -2 };

static void use(int *user, int value, int group)
{
	user[value] = user[value] == NO_USER || user[value] == group ? group : MANY_USERS;
}

static void use_in_regions(int *user, const struct node *node)
{
	const struct region *region;

	for (int r = 0; r < node->n_region; r++)
		for (struct walk w = walk_nodes(&node->region[r]); (region = walk_region(&w));) {
			for (int i = 0; i < region->n_node; i++)
				for (int k = 0; k < region->node[i].n_arg; k++)
					user[region->node[i].arg[k]] = MANY_USERS;
			for (int k = 0; k < region->n_result; k++)
				user[region->result[k]] = MANY_USERS;
		}
}

void compiled_group(const struct code *c, const struct region *region, int *group, int *size)
{
	struct arena_mark mark = arena_mark(c->arena);
	/* By value: the group to which all users so far belong that read it at their own coordinates. */
	int *user = NEW(c->arena, int, c->p->n_value);

	for (int v = 0; v < c->p->n_value; v++)
		user[v] = NO_USER;
	for (int k = 0; k < region->n_result; k++)
		use(user, region->result[k], MANY_USERS);
	for (int i = region->n_node - 1; i >= 0; i--) {
		const struct node *node = &region->node[i];
		int g = node->n_out == 1 ? user[node->out] : MANY_USERS;

		group[i] = i;
		if (!c->options->off[PASS_FUSE] && g >= 0 && size[g] < GROUP_NODES && !is_fold(c, node) &&
		    compiled_is_looped(c, node))
			group[i] = g;
		size[group[i]]++;
		for (int k = 0; k < node->n_arg; k++)
			use(user, node->arg[k], in_step(c, node, k) ? group[i] : MANY_USERS);
		use_in_regions(user, node);
	}
	arena_rewind(c->arena, mark);
}

/* ---- expressions ---- */

struct emit {
	struct code *c;
	const struct region *region;
	const struct shape *space;
	struct loop_nest *loop;
};

static int add(struct emit *x, const struct instr *instr)
{
	x->loop->instr[x->loop->n_instr] = *instr;
	return x->loop->n_instr++;
}

static int load(struct emit *x, const struct shape *from, const struct view *v)
{
	struct instr instr = {.kind = INSTR_LOAD, .view = *v};

	assert(v->buffer >= 0);
	memset(instr.view.stride, 0, sizeof instr.view.stride);
	view_broadcast(from, v, x->space, instr.view.stride);
	for (int k = 0; k < x->loop->n_instr; k++)
		if (x->loop->instr[k].kind == INSTR_LOAD &&
		    !memcmp(&x->loop->instr[k].view, &instr.view, sizeof instr.view))
			return k;
	return add(x, &instr);
}

static int emit_value(struct emit *x, int v);

static int emit_node(struct emit *x, const struct node *node)
{
	const struct program *p = x->c->p;
	const struct compiled_rule *rule = &x->c->options->rules->row[node->op];
	struct instr instr = {.op = node->op, .to = p->type[node->out].dtype};

	if (op_table[node->op].family == FAMILY_IOTA) {
		instr.kind = INSTR_INDEX;
		instr.axis = node->attrs.axis;
		return add(x, &instr);
	}
	if (rule->window) {
		bool pad = op_table[node->op].family == FAMILY_PAD;
		const struct view *shown = &x->c->view[node->arg[pad ? 0 : 1]];

		instr.kind = INSTR_WINDOW;
		instr.view = *shown;
		rule->window(p, node, &instr.window);
		for (int d = 0; d < x->space->rank; d++)
			instr.varies[d] = x->c->view[node->out].stride[d] != 0;
		instr.arg[0] = emit_value(x, node->arg[pad ? 1 : 0]);
		return add(x, &instr);
	}
	instr.kind = INSTR_APPLY;
	instr.from = p->type[node->arg[node->n_arg - 1]].dtype;
	for (int k = 0; k < node->n_arg; k++)
		instr.arg[k] = emit_value(x, node->arg[k]);
	return add(x, &instr);
}

static int emit_value(struct emit *x, int v)
{
	int *reg = &x->c->reg[v], node = x->c->node_of[v];

	if (*reg < 0)
		*reg = node >= 0 ? emit_node(x, &x->region->node[node])
		                 : load(x, &x->c->p->type[v].shape, &x->c->view[v]);
	return *reg;
}

static struct loop_nest *new_loop(struct code *c, const struct shape *space, int n_instr, const struct view *to)
{
	struct loop_nest *loop = NEW(c->arena, struct loop_nest, 1);

	loop->rank = space->rank;
	for (int d = 0; d < space->rank; d++)
		loop->extent[d] = space->extent[d] > 1 && to->stride[d] == 0 ? 1 : space->extent[d];
	loop->instr = NEW(c->arena, struct instr, n_instr);
	loop->to = *to;
	return loop;
}

/* Sets the strides of a fold's result over the axes of its operand, and the extents of the whole operand. */
static void set_fold(struct loop_nest *loop, const struct node *node, const struct shape *space, const struct view *to)
{
	loop->folds = true;
	loop->fold = node->op;
	loop->n_fold = 1;
	for (int i = 0; i < node->attrs.n_axes; i++)
		loop->reduced[node->attrs.axes[i]] = true;
	for (int d = 0, kept = 0; d < space->rank; d++) {
		loop->extent[d] = space->extent[d];
		loop->n_fold *= loop->reduced[d] ? space->extent[d] : 1;
		loop->to.stride[d] = loop->reduced[d] ? 0 : to->stride[kept];
		kept += !loop->reduced[d] || node->attrs.keepdims;
	}
}

/* Clears the registers and nodes of one loop for the next one. */
static void forget(struct code *c, const struct node *node)
{
	c->node_of[node->out] = c->reg[node->out] = -1;
	for (int k = 0; k < node->n_arg; k++)
		c->node_of[node->arg[k]] = c->reg[node->arg[k]] = -1;
}

struct loop_nest *compiled_loop(struct code *c, const struct region *region, const int *group, int size, int root)
{
	const struct node *node = &region->node[root];
	struct emit x = {.c = c, .region = region, .space = space_of(c, node)};
	int n_node = 0, n_arg = 0, first = root;

	for (int i = root; i >= 0 && n_node < size; i--)
		if (group[i] == root) {
			n_node++;
			n_arg += region->node[i].n_arg;
			first = i;
		}
	x.loop = new_loop(c, x.space, n_node + n_arg, &c->view[node->out]);
	x.loop->dtype = c->p->type[node->out].dtype;
	if (is_fold(c, node))
		set_fold(x.loop, node, x.space, &c->view[node->out]);
	for (int i = first; i < root; i++)
		if (group[i] == root)
			c->node_of[region->node[i].out] = i;
	if (is_fold(c, node)) {
		int last = emit_value(&x, node->arg[0]);

		assert(last == x.loop->n_instr - 1);
	} else {
		emit_node(&x, node);
	}
	for (int i = first; i <= root; i++)
		if (group[i] == root)
			forget(c, &region->node[i]);
	c->counts.rewrites[PASS_FUSE] += n_node - 1;
	if (x.loop->n_instr > c->n_register)
		c->n_register = x.loop->n_instr;
	return x.loop;
}

struct loop_nest *compiled_copy_loop(
    struct code *c, const struct shape *s, const struct view *from, const struct view *to)
{
	struct loop_nest *loop = new_loop(c, s, 1, to);

	loop->instr[loop->n_instr++] = (struct instr){.kind = INSTR_LOAD, .view = *from};
	if (c->n_register < 1)
		c->n_register = 1;
	return loop;
}
