/*
 * print.c: a program for people.
 *
 *   inputs v0: f64[], v1: f64[3]
 *   v2: f64[] = mul v0, v0
 *   v6: f64[] = for (v2) trip=3 {
 *     params v3: i64[], v4: f64[]
 *     v5: f64[] = add v4, v0
 *     yield v5
 *   }
 *   return v6
 */
#include "testcase.h"
#include "text.h"

/* Literals longer than this are cut. */
enum { LITERAL_SHOWN = 16 };

static void add_values(struct text *t, const int *v, int n)
{
	for (int i = 0; i < n; i++)
		text_put(t, "%sv%d", i ? ", " : "", v[i]);
}

static void add_typed(struct text *t, const struct program *p, int first, int n)
{
	char type[TYPE_TEXT];

	for (int i = 0; i < n; i++)
		text_put(t, "%sv%d: %s", i ? ", " : "", first + i, type_print(&p->type[first + i], type));
}

static void add_ints(struct text *t, const char *key, const int *x, int n)
{
	text_put(t, " %s=[", key);
	for (int i = 0; i < n; i++)
		text_put(t, "%s%d", i ? ", " : "", x[i]);
	text_put(t, "]");
}

static void add_cell(struct text *t, enum dtype d, union cell cell)
{
	char digits[REAL_TEXT];

	if (dtype_is_float(d))
		text_put(t, "%s", real_decimal(cell.f, d, 1, digits));
	else if (d == DTYPE_BOOL)
		text_put(t, "%s", cell.i ? "true" : "false");
	else
		text_put(t, "%lld", (long long)cell.i);
}

static void add_literal(struct text *t, const struct tensor *x)
{
	int n = shape_elements(&x->type.shape), shown = n < LITERAL_SHOWN ? n : LITERAL_SHOWN;

	text_put(t, x->type.shape.rank ? " [" : " ");
	for (int k = 0; k < shown; k++) {
		text_put(t, "%s", k ? ", " : "");
		add_cell(t, x->type.dtype, x->at[k]);
	}
	if (shown < n)
		text_put(t, ", ... %d elements", n);
	if (x->type.shape.rank)
		text_put(t, "]");
}

static void add_attr(struct text *t, const struct program *p, const struct node *node, enum attr_index k)
{
	const char *key = attr_fields[k].key;
	struct attr_value v = node_attr(p, node, k);

	if (attr_fields[k].kind == ATTR_KIND_TENSOR)
		add_literal(t, &node->attrs.value);
	else if (attr_fields[k].kind == ATTR_KIND_BOOL)
		text_put(t, " %s", key);
	else if (v.list)
		add_ints(t, key, v.at, v.n);
	else if (v.name)
		text_put(t, " %s=%s", key, v.name);
	else
		text_put(t, " %s=%d", key, v.at[0]);
}

/* Flags come last, and only where they are set.  Of trip and cap, the one that counts is shown. */
static void add_attrs(struct text *t, const struct program *p, const struct node *node)
{
	for (int flags = 0; flags < 2; flags++)
		for (int k = 0; k < ATTR_COUNT; k++) {
			bool flag = attr_fields[k].kind == ATTR_KIND_BOOL;

			if (!(op_table[node->op].attrs & 1u << k) || flag != flags ||
			    (k == ATTR_INDEX_TRIP && !node_has_trip(node)) ||
			    (k == ATTR_INDEX_CAP && node_has_trip(node)) ||
			    (flag && !node_attr(p, node, (enum attr_index)k).at[0]))
				continue;
			add_attr(t, p, node, (enum attr_index)k);
		}
}

static void indent(struct text *t, int depth)
{
	for (int i = 0; i < depth; i++)
		text_put(t, "  ");
}

static void add_region(struct text *t, const struct program *p, const struct region *region, int depth,
    const char *params, const char *results)
{
	if (region->n_param) {
		indent(t, depth);
		text_put(t, "%s ", params);
		add_typed(t, p, region->param, region->n_param);
		text_put(t, "\n");
	}
	for (int k = 0; k < region->n_node; k++) {
		const struct node *node = &region->node[k];
		indent(t, depth);
		add_typed(t, p, node->out, node->n_out);
		text_put(t, " = %s", op_table[node->op].name);
		if (node->n_arg) {
			text_put(t, node->n_region ? " (" : " ");
			add_values(t, node->arg, node->n_arg);
			text_put(t, node->n_region ? ")" : "");
		}
		add_attrs(t, p, node);
		for (int i = 0; i < node->n_region; i++) {
			text_put(t, i == 0 ? " {\n" : node->op == OP_COND ? "} else {\n" : "} do {\n");
			add_region(t, p, &node->region[i], depth + 1, "params", "yield");
			indent(t, depth);
		}
		text_put(t, node->n_region ? "}\n" : "\n");
	}
	indent(t, depth);
	text_put(t, "%s ", results);
	add_values(t, region->result, region->n_result);
	text_put(t, "\n");
}

char *program_print(const struct program *p, struct arena *a)
{
	struct text t = {.arena = a};

	add_region(&t, p, &p->top, 0, "inputs", "return");
	return t.at;
}
