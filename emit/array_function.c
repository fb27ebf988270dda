/* array_function.c: writes a program as a function of an array library.  Its control flow becomes functions inside. */
#include "array.h"
#include "graph/loop.h"
#include "graph/walk.h"

#include <string.h>

struct array_body {
	const struct array_target *target;
	const struct program *p;
	const struct tensor **constant; /* [p->n_value] */
	struct arena *arena;
};

static void note_constants(const struct region *region, const struct tensor **constant)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);)
		if (w.node->op == OP_CONSTANT)
			constant[w.node->out] = &w.node->attrs.value;
}

/* ---- lists ---- */

static const char *values(const struct array_body *s, const int *v, int n)
{
	const char *item[LIMIT_ARGS];

	for (int k = 0; k < n; k++)
		item[k] = template_value(v[k], s->arena);
	return template_tuple(s->target, item, n, s->arena);
}

const char *array_parameters(const struct region *region, struct arena *a)
{
	const char *item[LIMIT_ARGS];

	for (int k = 0; k < region->n_param; k++)
		item[k] = template_value(region->param + k, a);
	return template_list(item, region->n_param, a);
}

/* ---- control flow ---- */

static const char *const *control_template(const struct array_target *target, enum op op)
{
	switch (op) {
	case OP_COND:
		return &target->cond;
	case OP_FOR:
		return &target->for_loop;
	case OP_WHILE:
		return &target->while_loop;
	case OP_SCAN:
		return &target->scan;
	default:
		return NULL;
	}
}

bool array_has_control(const struct array_target *target, enum op op)
{
	const char *const *text = control_template(target, op);

	return text && *text;
}

bool array_is_native(const struct array_target *target, const struct region *region, bool reverse)
{
	for (struct walk w = walk_nodes(region); walk_next(&w);) {
		const struct node *node = w.node;
		const char *const *text = control_template(target, node->op);

		if (node->n_region &&
		    (!text || !*text || node->attrs.until || node_loop(node).counted ||
		        (node->op == OP_WHILE && reverse && !target->while_reversed)))
			return false;
	}
	return true;
}

static const char *region_name(const struct node *node, int which, struct arena *a)
{
	return arena_printf(a, "%s%d",
	    node->op == OP_COND                  ? which ? "otherwise" : "then"
	        : node->op == OP_WHILE && !which ? "condition"
	                                         : "body",
	    node->out);
}

struct control {
	const struct array_body *body;
	const struct node *node;
};

/*
 * The keys of control flow:
 *
 *    outs              the names of the results    predicate, trip, cap
 *    first, second     functions of the regions    carries, xs    tuples
 *    carried           the number of carries
 */
static const char *control_key(const void *self, const char *key, size_t len)
{
	const struct control *x = self;
	const struct node *node = x->node;
	struct arena *a = x->body->arena;
	int carried = node->op == OP_SCAN ? node->attrs.carries : node->n_arg, out[LIMIT_ARGS];

#define IS(word) (strlen(word) == len && !strncmp(key, word, len))
	if (IS("outs")) {
		for (int k = 0; k < node->n_out; k++)
			out[k] = node->out + k;
		return values(x->body, out, node->n_out);
	}
	if (IS("predicate"))
		return template_value(node->arg[0], a);
	if (IS("trip"))
		return arena_printf(a, "%d", node->attrs.trip);
	if (IS("cap"))
		return arena_printf(a, "%d", node->attrs.cap);
	if (IS("first"))
		return region_name(node, 0, a);
	if (IS("second"))
		return region_name(node, 1, a);
	if (IS("carries"))
		return values(x->body, node->arg, carried);
	if (IS("xs"))
		return values(x->body, node->arg + carried, node->n_arg - carried);
	return IS("carried") ? arena_printf(a, "%d", carried) : NULL;
#undef IS
}

/* ---- lines ---- */

/* Writes every line of `text` as a line of a body. */
static void put_inside(const struct array_body *s, const char *text, struct text *out)
{
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		text_put(out, "%s",
		    TEMPLATE_WITH(s->arena, s->target->line, "text", arena_printf(s->arena, "%.*s", (int)len, text)));
	}
}

static void put_control(const struct array_body *s, const struct node *node, struct text *out)
{
	const struct control x = {s, node};

	for (int k = 0; k < node->n_region; k++)
		put_inside(s,
		    array_function_text(
		        s->target, s->p, &node->region[k], region_name(node, k, s->arena), s->constant, s->arena),
		    out);
	put_inside(s, template_put(*control_template(s->target, node->op), control_key, &x, s->arena), out);
}

static void put_region(const struct array_body *s, const struct region *region, struct text *out)
{
	for (int i = 0; i < region->n_node; i++) {
		const struct template_node x = {s->target, s->p, &region->node[i], s->constant, s->arena};
		const char *name = template_value(x.node->out, s->arena), *text;
		bool line = false;

		if (x.node->n_region) {
			put_control(s, x.node, out);
			continue;
		}
		text = x.node->op == OP_CONSTANT ? template_tensor(s->target, &x.node->attrs.value, s->arena)
		                                 : template_node(&x, template_row(&x), &line);
		put_inside(s, line ? text : TEMPLATE_WITH(s->arena, s->target->assign, "out", name, "text", text), out);
	}
}

const char *array_function_text(const struct array_target *target, const struct program *p, const struct region *region,
    const char *name, const struct tensor **constant, struct arena *a)
{
	struct array_body s = {target, p, constant, a};
	struct text body = {.arena = a};

	if (!constant) {
		s.constant = NEW(a, const struct tensor *, p->n_value);
		note_constants(&p->top, s.constant);
	}
	text_put_bytes(&body, "", 0); /* not NULL */
	put_region(&s, region, &body);
	return TEMPLATE_WITH(a, target->function, "name", name, "in", array_parameters(region, a), "body", body.at,
	    "results", values(&s, region->result, region->n_result));
}
