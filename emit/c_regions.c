/* c_regions.c: prints nodes one after the other, and control flow as branches and loops of C. */
#include "c_parts.h"
#include "graph/loop.h"

/* Declares the value, uninitialised or zeroed. */
static void declare(struct c_source *s, int v, bool zeroed)
{
	c_line(s, "%s%s;", c_declared(s, v), !zeroed ? "" : s->p->type[v].shape.rank ? " = {0}" : " = 0");
}

/* Declares a value that begins as a copy; a scalar takes one line. */
static void declare_copy(struct c_source *s, int to, int from)
{
	if (!s->p->type[to].shape.rank) {
		c_line(s, "%s = v%d;", c_declared(s, to), from);
		return;
	}
	declare(s, to, false);
	c_copy(s, to, from);
}

/* Declares the used parameters of a region.  They are copies, because carries may change meanwhile. */
static void parameters(struct c_source *s, int first, int from, int n)
{
	for (int k = 0; k < n; k++)
		if (s->uses[first + k]) {
			declare_copy(s, first + k, from + k);
			if (s->empty)
				c_line(s, "(void)v%d;", first + k);
		}
}

static void results(struct c_source *s, int to, const int *from, int n)
{
	for (int k = 0; k < n; k++)
		c_copy(s, to + k, from[k]);
}

static void begin(struct c_source *s, const char *line)
{
	c_line(s, "%s {", line);
	s->depth++;
}

static void end(struct c_source *s)
{
	s->depth--;
	c_line(s, "}");
}

static bool cond(struct c_source *s, const struct node *node, struct error *e)
{
	for (int k = 0; k < node->n_out; k++)
		declare(s, node->out + k, false);
	begin(s, arena_printf(s->arena, "if (v%d)", node->arg[0]));
	if (!c_region(s, &node->region[0], e))
		return false;
	results(s, node->out, node->region[0].result, node->n_out);
	s->depth--;
	begin(s, "} else");
	if (!c_region(s, &node->region[1], e))
		return false;
	results(s, node->out, node->region[1].result, node->n_out);
	end(s);
	return true;
}

static void leave(struct c_source *s, const struct node *node)
{
	const struct region *body = &node->region[0];

	if (!node->attrs.until)
		return;
	c_line(s, "if (v%d)", body->result[body->n_result - 1]);
	s->depth++;
	c_line(s, "break;");
	s->depth--;
}

static bool for_loop(struct c_source *s, const struct node *node, struct error *e)
{
	const struct node_loop l = node_loop(node);
	const struct region *body = l.body;
	const char *trip = l.counted ? arena_printf(s->arena, "trip%d", node->out)
	                             : arena_printf(s->arena, "%d", node->attrs.trip);

	for (int k = 0; k < l.n_carry; k++)
		declare_copy(s, node->out + k, node->arg[l.first_arg + k]);
	if (l.counted)
		c_line(s, "const int64_t %s = clamped(v%d, 0, %d);", trip, node->arg[0], node->attrs.cap);
	begin(s,
	    arena_printf(
	        s->arena, "for (int64_t v%d = 0; v%d < %s; v%d++)", body->param, body->param, trip, body->param));
	parameters(s, l.first_param, node->out, l.n_carry);
	if (!c_region(s, body, e))
		return false;
	results(s, node->out, body->result, l.n_carry);
	leave(s, node);
	end(s);
	return true;
}

static bool while_loop(struct c_source *s, const struct node *node, struct error *e)
{
	const struct region *condition = &node->region[0], *body = &node->region[1];

	for (int k = 0; k < node->n_arg; k++)
		declare_copy(s, node->out + k, node->arg[k]);
	begin(s,
	    arena_printf(
	        s->arena, "for (int t%d = 0; t%d < %d; t%d++)", node->out, node->out, node->attrs.cap, node->out));
	parameters(s, condition->param, node->out, node->n_arg);
	if (!c_region(s, condition, e))
		return false;
	c_line(s, "if (!v%d)", condition->result[0]);
	s->depth++;
	c_line(s, "break;");
	s->depth--;
	parameters(s, body->param, node->out, node->n_arg);
	if (!c_region(s, body, e))
		return false;
	results(s, node->out, body->result, node->n_arg);
	end(s);
	return true;
}

/* Copies between row t of `rows` and the value `one`, which is as long as a row.  Prints loops over the flat row. */
static void row(struct c_source *s, int rows, int one, const char *t, bool into)
{
	const struct shape *shape = &s->p->type[one].shape;
	int n = shape_elements(shape);
	const struct shape flat = {shape->rank > 0, {n}};
	const struct element_place at = c_rows(&flat);
	const char *in_rows = c_element(s, rows, &at, n == 1 ? t : arena_printf(s->arena, "%d * %s", n, t)),
	           *alone = c_element(s, one, &at, NULL);

	c_loops(s, &flat,
	    into ? arena_printf(s->arena, "%s = %s", in_rows, alone)
	         : arena_printf(s->arena, "%s = %s", alone, in_rows));
}

static bool scan(struct c_source *s, const struct node *node, struct error *e)
{
	const struct region *body = &node->region[0];
	const char *t = arena_printf(s->arena, "t%d", node->out);
	int carries = node->attrs.carries;

	for (int k = 0; k < node->n_out; k++)
		if (k < carries)
			declare_copy(s, node->out + k, node->arg[k]);
		else
			declare(s, node->out + k, true);
	begin(s, arena_printf(s->arena, "for (int %s = 0; %s < %d; %s++)", t, t, node->attrs.trip, t));
	parameters(s, body->param, node->out, carries);
	for (int k = carries; k < node->n_arg; k++)
		if (s->uses[body->param + k]) {
			declare(s, body->param + k, false);
			row(s, node->arg[k], body->param + k, t, false);
			if (s->empty)
				c_line(s, "(void)v%d;", body->param + k);
		}
	if (!c_region(s, body, e))
		return false;
	for (int k = carries; k < node->n_out; k++)
		row(s, node->out + k, body->result[k], t, true);
	results(s, node->out, body->result, carries);
	leave(s, node);
	end(s);
	return true;
}

/* Applies the region to each element of the slice at every index. */
static bool scatter_apply(struct c_source *s, const struct node *node, struct error *e)
{
	const struct region *region = &node->region[0];
	const struct shape *whole = &s->p->type[node->out].shape;
	int axis = node->attrs.axis, n = whole->extent[axis], count = s->p->type[node->arg[1]].shape.extent[0],
	    step[LIMIT_RANK];
	const char *at = arena_printf(s->arena, "at%d", node->out), *name = arena_printf(s->arena, "n%d", node->out);
	struct shape over = *whole;
	struct element_place place = {0};
	const char *x;

	declare_copy(s, node->out, node->arg[0]);
	if (!shape_elements(whole) || !count)
		return true;
	shape_strides(whole, step);
	for (int d = 0; d < whole->rank; d++)
		place.step[d] = d == axis ? 0 : step[d];
	over.extent[axis] = 1;
	c_only_long(&place, &over);
	begin(s, arena_printf(s->arena, "for (int %s = 0; %s < %d; %s++)", name, name, count, name));
	c_line(s, "const int64_t %s = %s;", at,
	    c_position(s, node->attrs.mode, arena_printf(s->arena, "v%d[%s]", node->arg[1], name), n, 1));
	if (node->attrs.mode == MODE_DROP) {
		c_line(s, "if (%s < 0 || %s >= %d)", at, at, n);
		s->depth++;
		c_line(s, "continue;");
		s->depth--;
	}
	x = c_element(s, node->out, &place, step[axis] == 1 ? at : arena_printf(s->arena, "%d * %s", step[axis], at));
	for (int d = 0; d < over.rank; d++)
		if (over.extent[d] != 1)
			begin(s,
			    arena_printf(s->arena, "for (int %s%d = 0; %s%d < %d; %s%d++)", c_variable[d], node->out,
			        c_variable[d], node->out, over.extent[d], c_variable[d], node->out));
	/* the region has its own loops, so these use other variables */
	for (int d = 0; d < over.rank; d++)
		if (over.extent[d] != 1)
			c_line(s, "const int %s = %s%d;", c_variable[d], c_variable[d], node->out);
	c_line(s, "%s *x%d = &%s;", c_type(s->p->type[node->out].dtype), node->out, x);
	if (s->uses[region->param])
		c_line(s, "%s = *x%d;", c_declared(s, region->param), node->out);
	if (!c_region(s, region, e))
		return false;
	c_line(s, "*x%d = v%d;", node->out, region->result[0]);
	for (int d = 0; d < over.rank; d++)
		if (over.extent[d] != 1)
			end(s);
	end(s);
	return true;
}

/* ---- nodes ---- */

static bool elementwise(struct c_source *s, const struct node *node)
{
	const struct type *t = &s->p->type[node->out];
	const char *operand[3] = {NULL, NULL, NULL}, *x;
	const struct element_place at = c_rows(&t->shape);

	for (int k = 0; k < node->n_arg; k++)
		operand[k] = c_broadcast_element(s, node->arg[k], &t->shape);
	x = c_expression(s, node->op, s->p->type[node->arg[node->op == OP_SELECT]].dtype, t->dtype, operand);
	if (!x)
		return false;
	if (t->shape.rank) {
		declare(s, node->out, false);
		c_loops(s, &t->shape, arena_printf(s->arena, "%s = %s", c_element(s, node->out, &at, NULL), x));
	} else {
		c_line(s, "const %s = %s;", c_declared(s, node->out), x);
	}
	return true;
}

/* Prints a node without regions: declares its value and sets it.  False if C has no counterpart. */
static bool c_plain_node(struct c_source *s, const struct node *node)
{
	switch (op_table[node->op].family) {
	case FAMILY_CONSTANT:
		c_line(s, "const %s = %s;", c_declared(s, node->out),
		    s->p->type[node->out].shape.rank
		        ? c_list(&node->attrs.value, s->arena)
		        : c_literal(s->p->type[node->out].dtype, node->attrs.value.at[0], s->arena));
		return true;
	case FAMILY_UNARY:
	case FAMILY_BINARY:
	case FAMILY_COMPARE:
	case FAMILY_CLAMP:
	case FAMILY_SELECT:
	case FAMILY_CAST:
		return elementwise(s, node);
	case FAMILY_IOTA:
	case FAMILY_BROADCAST_TO:
	case FAMILY_RESHAPE:
	case FAMILY_TRANSPOSE:
	case FAMILY_REVERSE:
	case FAMILY_SQUEEZE:
	case FAMILY_SLICE:
	case FAMILY_SLICE_SCATTER:
	case FAMILY_DYNAMIC_SLICE:
	case FAMILY_DYNAMIC_UPDATE_SLICE:
	case FAMILY_PAD:
	case FAMILY_CONCATENATE:
		declare(s, node->out, false);
		c_move(s, node);
		return true;
	case FAMILY_GATHER:
	case FAMILY_TAKE_ALONG_AXIS:
	case FAMILY_SCATTER:
	case FAMILY_MASKED_SCATTER:
		declare(s, node->out, false);
		c_index(s, node);
		return true;
	case FAMILY_REDUCE:
	case FAMILY_CUMULATIVE:
	case FAMILY_MATMUL:
	case FAMILY_SORT:
	case FAMILY_ARGSORT:
	case FAMILY_ARGMAX:
		declare(s, node->out, false);
		c_reduce(s, node);
		return true;
	case FAMILY_SCATTER_APPLY:
	case FAMILY_COND:
	case FAMILY_CHECKPOINT:
	case FAMILY_FIXED_POINT:
	case FAMILY_FOR:
	case FAMILY_WHILE:
	case FAMILY_SCAN:
	case FAMILY_DERIVATIVE:
	case FAMILY_CUSTOM:
		break;
	}
	return false;
}

static bool region_node(struct c_source *s, const struct node *node, struct error *e)
{
	switch ((int)node->op) {
	case OP_COND:
		return cond(s, node, e);
	case OP_FOR:
		return for_loop(s, node, e);
	case OP_WHILE:
		return while_loop(s, node, e);
	case OP_SCAN:
		return scan(s, node, e);
	case OP_SCATTER_APPLY:
		return scatter_apply(s, node, e);
	default:
		return c_plain_node(s, node) ||
		    error_set(e, NULL, "c: no counterpart for op %s", op_table[node->op].name);
	}
}

bool c_region(struct c_source *s, const struct region *region, struct error *e)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct node *node = &region->node[i];

		if (!region_node(s, node, e))
			return false;
		for (int k = 0; k < node->n_out; k++)
			if (s->empty || !s->uses[node->out + k])
				c_line(s, "(void)v%d;", node->out + k);
	}
	return true;
}
