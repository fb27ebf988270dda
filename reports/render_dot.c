/* render_dot.c: the program of a report as a graph for Graphviz. */
#include "graph/testcase.h"
#include "escape.h"
#include "graph_layout.h"
#include "view.h"

static void put_label(struct text *out, const struct box *b)
{
	const char *const line[] = {b->label, b->detail, b->attrs};

	text_put(out, "label=\"");
	for (int k = 0, any = 0; k < 3; k++) {
		if (!*line[k])
			continue;
		text_put(out, "%s", any++ ? "\\n" : "");
		text_put_escaped(out, ESCAPE_DOT, line[k]);
	}
	text_put(out, "\"");
}

static void put_children(struct text *out, const struct drawing *d, int parent, int depth)
{
	static const char *const style[BOX_KINDS] = {
	    [BOX_INPUT] = "shape=box, style=\"rounded,filled\", fillcolor=\"#dbe9f6\"",
	    [BOX_PARAM] = "shape=box, style=\"rounded,filled\", fillcolor=\"#eef3f8\"",
	    [BOX_CONSTANT] = "shape=plaintext",
	    [BOX_OP] = "shape=box",
	    [BOX_RESULT] = "shape=box, style=\"rounded,filled\", fillcolor=\"#f3e3c3\""};

	for (int k = 0; k < d->n_box; k++) {
		const struct box *b = &d->box[k];

		if (b->parent != parent)
			continue;
		text_put(out, "%*s", 2 * depth, "");
		if (b->kind == BOX_LOOP || b->kind == BOX_REGION) {
			text_put(out, "subgraph cluster_%d {\n%*s", k, 2 * depth + 2, "");
			put_label(out, b);
			text_put(out, "; style=rounded; color=\"%s\"\n", b->kind == BOX_LOOP ? "#7a8794" : "#c5ccd3");
			if (b->kind == BOX_LOOP) /* edges of the node itself lead to this point */
				text_put(out, "%*sn%d [shape=point]\n", 2 * depth + 2, "", k);
			put_children(out, d, k, depth + 1);
			text_put(out, "%*s}\n", 2 * depth, "");
		} else {
			text_put(out, "n%d [", k);
			put_label(out, b);
			text_put(out, ", %s]\n", style[b->kind]);
		}
	}
}

void render_dot(struct text *out, const struct json *report, const char *source)
{
	const struct json *value = json_find(report, "case");
	struct error e = {0};
	struct testcase c;
	struct drawing d;

	(void)source;
	text_put(out, "digraph report {\n  label=\"");
	text_put_escaped(out, ESCAPE_DOT, render_member(report, "summary"));
	text_put(out, "\\n");
	text_put_escaped(out, ESCAPE_DOT, view_engine(report, out->arena));
	text_put(out,
	    "\"; labelloc=t; fontname=\"sans-serif\"\n  node [fontname=\"monospace\", fontsize=11]; edge "
	    "[color=\"#5b6670\"]\n");
	if (value && testcase_read_value(value, out->arena, &c, &e)) {
		d = graph_layout(&c.program, out->arena);
		put_children(out, &d, -1, 1);
		for (int k = 0; k < d.n_curve; k++)
			text_put(out, "  n%d -> n%d%s\n", d.curve[k].from, d.curve[k].to,
			    d.curve[k].captured ? " [style=dashed]" : "");
	}
	text_put(out, "}\n");
}
