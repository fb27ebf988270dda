/* check.c: checks that a program is valid: scopes, definitions, stored types, literals, limits. */
#include "program.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The most values that a program within limits can have: inputs; per node results and parameters of two regions. */
enum { LIMIT_VALUES = (3 * LIMIT_NODES + 1) * LIMIT_ARGS };

/* What is known of a value.  CLOSED: it belongs to a region that has ended.  CONSUMED: a buffer that was stored into.
 */
enum { UNDEFINED, VISIBLE, CLOSED, CONSUMED };

struct checker {
	const struct program *p;
	struct error *e, inner; /* inner: of infer.c.  The first one ends the check. */
	int n_defined, n_node;
	int floor;     /* depth of the outermost region that may be captured from */
	bool inferred; /* the types are right */
	unsigned char state[LIMIT_VALUES];
	unsigned char depth[LIMIT_VALUES]; /* of the region that defines the value; 0 is the top */
};

/* Where a region is.  It becomes text only for an error. */
struct frame {
	const struct frame *up; /* NULL for the top region */
	int node, which;        /* this is regions[which] of body[node] of the region above */
};

/* A place inside frame f: in body[node] unless node < 0, key[index], or just key when index < 0. */
struct check_place {
	const struct frame *f;
	int node;
	const char *key;
	int index;
};

/* Appends to text[len], cut at room - 1 bytes. */
__attribute__((format(printf, 4, 5))) static void append(char *text, int room, int *len, const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(text + *len, (size_t)(room - *len), format, list);
	va_end(list);
	*len = n < 0 ? *len : n >= room - *len ? room - 1 : *len + n;
}

static void print_frame(const struct frame *f, char *text, int room, int *len)
{
	if (!f->up)
		return;
	print_frame(f->up, text, room, len);
	append(text, room, len, "body[%d].regions[%d].", f->node, f->which);
}

__attribute__((format(printf, 3, 4))) static bool refuse(
    struct checker *c, struct check_place at, const char *format, ...)
{
	char place[160] = "", text[256];
	int room = (int)sizeof place, len = 0;
	va_list list;

	if (!c->e)
		return false;
	print_frame(at.f, place, room, &len);
	if (at.node >= 0)
		append(place, room, &len, at.key[0] ? "body[%d]." : "body[%d]", at.node);
	append(place, room, &len, at.index < 0 ? "%s" : "%s[%d]", at.key, at.index);
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	return error_set(c->e, place, "%s", text);
}

static bool define(struct checker *c, int first, int n, int depth, struct check_place at)
{
	if (n < 0 || n > LIMIT_ARGS)
		return refuse(c, at, "%d values, expected at most %d", n, LIMIT_ARGS);
	for (int i = 0; i < n; i++) {
		int v = first + i;
		if (first < 0 || first >= c->p->n_value - i)
			return refuse(c, at, "defines v%d, expected 0 to %d", v, c->p->n_value - 1);
		if (c->state[v] != UNDEFINED)
			return refuse(c, at, "defines v%d a second time", v);
		c->state[v] = VISIBLE;
		c->depth[v] = (unsigned char)depth;
	}
	c->n_defined += n;
	return true;
}

static void close_values(struct checker *c, int first, int n) { memset(c->state + first, CLOSED, (size_t)n); }

static bool use(struct checker *c, int v, struct check_place at)
{
	if (v < 0 || v >= c->p->n_value)
		return refuse(c, at, "there is no value v%d, expected 0 to %d", v, c->p->n_value - 1);
	if (c->state[v] == CLOSED)
		return refuse(c, at, "v%d belongs to a region that has ended", v);
	if (c->state[v] == UNDEFINED)
		return refuse(c, at, "v%d is not defined before this use", v);
	if (c->state[v] == CONSUMED)
		return refuse(c, at, "v%d was stored into before this use, and is there no more", v);
	if (c->depth[v] < c->floor)
		return refuse(c, at, "v%d comes from outside a custom op, whose regions capture nothing", v);
	return true;
}

/*
 * Takes the buffer of a store out of scope: everything after it, whatever is captured and the region's results
 * included, is refused by use().  Visible values of one depth belong to one region.
 */
static bool consume(struct checker *c, const struct node *node, const struct frame *f, int index, int depth)
{
	int buffer = node->arg[0];

	if (c->depth[buffer] != depth)
		return refuse(c, (struct check_place){f, index, "args", 0},
		    "v%d belongs to a region further out, expected a value of the region of the store", buffer);
	for (int i = 1; i < node->n_arg; i++)
		if (node->arg[i] == buffer)
			return refuse(
			    c, (struct check_place){f, index, "args", i}, "v%d is also the buffer stored into", buffer);
	c->state[buffer] = CONSUMED;
	return true;
}

/* Adds the place in the program to an error of infer.c, which only knows the node. */
static bool refuse_node(struct checker *c, const struct frame *f, int node)
{
	return refuse(c, (struct check_place){f, node, c->inner.place, -1}, "%s", c->inner.text);
}

/* Every element must be a value of its dtype. */
static bool check_literal(struct checker *c, const struct tensor *t, struct check_place at)
{
	int n = shape_elements(&t->type.shape);

	for (int k = 0; k < n; k++) {
		enum dtype d = t->type.dtype;
		at.index = k;
		if (dtype_is_float(d)) {
			double x = t->at[k].f;
			if (!isnan(x) && dtype_round(d, x) != x)
				return refuse(c, at, "%.17g is no value of dtype %s", x, dtype_table[d].name);
		} else if (dtype_wrap(d, t->at[k].i) != t->at[k].i) {
			return refuse(
			    c, at, "%lld is no value of dtype %s", (long long)t->at[k].i, dtype_table[d].name);
		}
	}
	return true;
}

static bool check_region(struct checker *c, const struct region *region, const struct frame *f, int depth);

/* Checks that parameters of the regions have the types that the op gives them, then the regions themselves. */
static bool check_regions(struct checker *c, const struct node *node, const struct frame *f, int index, int depth)
{
	for (int i = 0; i < node->n_region; i++) {
		const struct region *region = &node->region[i];
		struct frame inner = {f, index, i};
		struct type want[LIMIT_ARGS];
		char text[2][TYPE_TEXT];
		int n = region->n_param;

		if (!c->inferred && !node_region_params(c->p, node, i, want, &n, &c->inner))
			return refuse_node(c, f, index);
		if (region->n_param != n)
			return refuse(c, (struct check_place){&inner, -1, "params", -1}, "%d parameters, expected %d",
			    region->n_param, n);
		if (!define(c, region->param, n, depth + 1, (struct check_place){&inner, -1, "params", -1}))
			return false;
		for (int k = 0; k < n && !c->inferred; k++) {
			const struct type *got = &c->p->type[region->param + k];
			if (!type_equal(got, &want[k]))
				return refuse(c, (struct check_place){&inner, -1, "params", k}, "type %s, expected %s",
				    type_print(got, text[0]), type_print(&want[k], text[1]));
		}
		int floor = c->floor;
		if (node->op == OP_CUSTOM)
			c->floor = depth + 1;
		if (!check_region(c, region, &inner, depth + 1))
			return false;
		c->floor = floor;
		close_values(c, region->param, region->n_param);
	}
	return true;
}

static bool check_node(struct checker *c, const struct node *node, const struct frame *f, int index, int depth)
{
	struct type want[LIMIT_ARGS];
	char text[2][TYPE_TEXT];
	int n = node->n_out;

	if ((unsigned)node->op >= OP_COUNT)
		return refuse(c, (struct check_place){f, index, "op", -1}, "there is no op %d", (int)node->op);
	if (node->n_arg < 0 || node->n_arg > LIMIT_ARGS)
		return refuse(c, (struct check_place){f, index, "args", -1}, "%d operands, expected at most %d",
		    node->n_arg, LIMIT_ARGS);
	for (int i = 0; i < node->n_arg; i++)
		if (!use(c, node->arg[i], (struct check_place){f, index, "args", i}))
			return false;
	if (node->n_region != op_table[node->op].n_region)
		return refuse(c, (struct check_place){f, index, "regions", -1}, "%d regions, expected %d",
		    node->n_region, op_table[node->op].n_region);
	if (!check_regions(c, node, f, index, depth))
		return false;

	if (!c->inferred && !node_infer(c->p, node, want, &n, &c->inner))
		return refuse_node(c, f, index);
	if (node->op == OP_CONSTANT &&
	    !check_literal(c, &node->attrs.value, (struct check_place){f, index, "value", -1}))
		return false;
	if (node->n_out != n)
		return refuse(c, (struct check_place){f, index, "", -1}, "%d results, expected %d", node->n_out, n);
	if (!define(c, node->out, n, depth, (struct check_place){f, index, "", -1}))
		return false;
	if (node->op == OP_STORE && !consume(c, node, f, index, depth))
		return false;
	for (int i = 0; i < n && !c->inferred; i++) {
		const struct type *got = &c->p->type[node->out + i];
		if (!type_equal(got, &want[i]))
			return refuse(c, (struct check_place){f, index, "", -1}, "result %d has type %s, expected %s",
			    i, type_print(got, text[0]), type_print(&want[i], text[1]));
	}
	return true;
}

/* Checks nodes and results; the parameters are already defined. */
static bool check_region(struct checker *c, const struct region *region, const struct frame *f, int depth)
{
	if (depth > LIMIT_DEPTH)
		return refuse(c, (struct check_place){f, -1, "", -1}, "regions nested more than %d deep", LIMIT_DEPTH);
	for (int k = 0; k < region->n_node; k++) {
		if (++c->n_node > LIMIT_NODES)
			return refuse(c, (struct check_place){f, k, "", -1}, "more than %d nodes", LIMIT_NODES);
		if (!check_node(c, &region->node[k], f, k, depth))
			return false;
	}
	if (region->n_result < 0 || region->n_result > LIMIT_ARGS)
		return refuse(c, (struct check_place){f, -1, "results", -1}, "%d results, expected at most %d",
		    region->n_result, LIMIT_ARGS);
	for (int i = 0; i < region->n_result; i++)
		if (!use(c, region->result[i], (struct check_place){f, -1, "results", i}))
			return false;
	if (f->up)
		for (int k = 0; k < region->n_node; k++)
			close_values(c, region->node[k].out, region->node[k].n_out);
	return true;
}

static bool check_inputs(struct checker *c, const struct frame *f)
{
	const struct region *top = &c->p->top;

	if (!define(c, top->param, top->n_param, 0, (struct check_place){f, -1, "inputs", -1}))
		return false;
	for (int i = 0; i < top->n_param; i++) {
		const struct type *t = &c->p->type[top->param + i];
		char text[TYPE_TEXT];
		if ((unsigned)t->dtype >= DTYPE_COUNT || !shape_fits(&t->shape))
			return refuse(c, (struct check_place){f, -1, "inputs", i},
			    "type %s, expected rank up to %d and up to %d elements (an extent 0 counting as 1)",
			    type_print(t, text), LIMIT_RANK, LIMIT_ELEMENTS);
	}
	return true;
}

static bool check(const struct program *p, bool inferred, struct error *e)
{
	struct checker c;
	const struct frame top = {NULL, -1, -1};
	int64_t work;

	c.p = p;
	c.e = e;
	c.inner = (struct error){0};
	c.inferred = inferred;
	c.n_defined = c.n_node = c.floor = 0;
	if (p->n_value < 0 || p->n_value > LIMIT_VALUES)
		return refuse(&c, (struct check_place){&top, -1, "", -1}, "%d values, expected at most %d", p->n_value,
		    LIMIT_VALUES);
	memset(c.state, UNDEFINED, (size_t)p->n_value);

	if (!check_inputs(&c, &top) || !check_region(&c, &p->top, &top, 0))
		return false;
	if (!p->top.n_result)
		return refuse(&c, (struct check_place){&top, -1, "results", -1}, "no results, expected at least 1");
	if (c.n_defined != p->n_value)
		return refuse(&c, (struct check_place){&top, -1, "", -1}, "%d of %d values are never defined",
		    p->n_value - c.n_defined, p->n_value);
	work = program_work(p);
	if (work > LIMIT_WORK)
		return refuse(&c, (struct check_place){&top, -1, "", -1},
		    "work of %lld elements (trip counts multiply), expected at most %d", (long long)work, LIMIT_WORK);
	return true;
}

bool program_check(const struct program *p, struct error *e) { return check(p, false, e); }

bool program_check_inferred(const struct program *p, struct error *e) { return check(p, true, e); }
