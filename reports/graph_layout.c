/* graph_layout.c: layered layout of programs, with regions inside their nodes. */
#include "graph_layout.h"
#include "graph_route.h"
#include "graph/walk.h"

#include <stdlib.h>
#include <string.h>

enum { GAP_X = 22, GAP_Y = 34, PAD = 14, HEAD = 26, BOX_PAD_X = 12, BOX_PAD_Y = 9, TEXT_MOST = 30 };

const char *const box_kind_names[BOX_KINDS] = {[BOX_INPUT] = "input",
    [BOX_PARAM] = "param",
    [BOX_CONSTANT] = "constant",
    [BOX_OP] = "op",
    [BOX_LOOP] = "loop",
    [BOX_REGION] = "region",
    [BOX_RESULT] = "result"};

struct layout {
	const struct program *p;
	const char *text; /* of program_print */
	struct arena *a;
	struct drawing d;
	int *maker; /* [n_value] the box that defines it */
};

/* ---- texts ---- */

/* A copy, shortened if it is long. */
static const char *cut(const char *text, struct arena *a)
{
	return arena_printf(a, "%.*s%s", strlen(text) > TEXT_MOST ? TEXT_MOST - 3 : TEXT_MOST, text,
	    strlen(text) > TEXT_MOST ? "..." : "");
}

/* The part of the printed line of the node that follows its operands. */
static const char *attrs_of(const struct layout *l, const struct node *n)
{
	const char *key = arena_printf(l->a, "v%d: ", n->out), *at = l->text, *end, *name = op_table[n->op].name;
	char *attrs;

	if (!n->n_out)
		return "";
	for (; (at = strstr(at, key)); at++) /* only where the value is defined, and not inside a longer number */
		if (at == l->text || at[-1] == '\n' ||
		    (at[-1] == ' ' && (at - 1 == l->text || at[-2] == '\n' || at[-2] == ' ')))
			break;
	if (!at || !(at = strstr(at, " = ")))
		return "";
	at += 3 + strlen(name);
	end = at + strcspn(at, "\n");
	if (n->n_arg && n->n_region) {
		at = strchr(at, ')') + 1;
	} else {
		for (int k = 0; k < n->n_arg; k++) {
			at += strspn(at, ", ");
			at += strcspn(at, ", \n");
		}
	}
	if (end > at && end[-1] == '{')
		end--;
	while (end > at && end[-1] == ' ')
		end--;
	at += at < end && *at == ' ';
	attrs = NEW(l->a, char, end - at + 1);
	memcpy(attrs, at, (size_t)(end - at));
	return attrs;
}

static const char *types_of(const struct layout *l, int first, int n)
{
	const char *text = "";
	char type[TYPE_TEXT];

	for (int k = 0; k < n; k++)
		text = arena_printf(
		    l->a, "%s%sv%d: %s", text, k ? ", " : "", first + k, type_print(&l->p->type[first + k], type));
	return text;
}

/* ---- boxes ---- */

static int text_width(const struct box *b)
{
	int label = (int)strlen(b->label) * BOX_LABEL_CHAR, detail = (int)strlen(b->detail) * BOX_DETAIL_CHAR,
	    attrs = (int)strlen(b->attrs) * BOX_DETAIL_CHAR;
	int most = label > detail ? label : detail;

	return (most > attrs ? most : attrs) + 2 * BOX_PAD_X;
}

static int add_box(struct layout *l, enum box_kind kind, int parent, int value, const char *label, const char *detail,
    const char *attrs)
{
	struct box *b = &l->d.box[l->d.n_box];

	*b = (struct box){.kind = kind,
	    .parent = parent,
	    .value = value,
	    .label = cut(label, l->a),
	    .detail = cut(detail, l->a),
	    .attrs = cut(attrs, l->a)};
	b->w = text_width(b);
	b->h = ((*b->label != 0) + (*b->detail != 0) + (*b->attrs != 0)) * BOX_LINE + 2 * BOX_PAD_Y;
	return l->d.n_box++;
}

static void add_curve(struct layout *l, int value, int to)
{
	int from = l->maker[value];
	bool captured;

	if (from < 0)
		return;
	captured = l->d.box[from].parent != l->d.box[to].parent;
	for (int k = 0; k < l->d.n_curve; k++)
		if (l->d.curve[k].from == from && l->d.curve[k].to == to)
			return;
	l->d.curve[l->d.n_curve++] = (struct curve){.from = from, .to = to, .captured = captured};
}

static void move_box(struct layout *l, int first, int end, int dx, int dy)
{
	for (int k = first; k < end; k++) {
		l->d.box[k].x += dx;
		l->d.box[k].y += dy;
	}
}

/* ---- a region ---- */

/* A child of the region being laid out: a box and all boxes inside it. */
struct item {
	int box, end; /* [box, end) */
	int layer;
	double wish; /* the middle of the boxes that it uses */
};

static const char *region_title(const struct node *n, int which)
{
	if (n->n_region == 1)
		return "";
	if (n->op == OP_COND)
		return which ? "if false" : "if true";
	if (n->op == OP_WHILE)
		return which ? "body" : "while";
	return which ? "rule" : "function";
}

static void layout_region(struct layout *l, const struct region *r, int self, bool top);

static void layout_node(struct layout *l, const struct node *n, int parent)
{
	bool constant = n->op == OP_CONSTANT;
	const char *attrs = attrs_of(l, n);
	int box = add_box(l,
	        constant          ? BOX_CONSTANT
	            : n->n_region ? BOX_LOOP
	                          : BOX_OP,
	        parent, n->out, constant ? attrs : op_table[n->op].name, types_of(l, n->out, n->n_out),
	        constant ? "" : attrs),
	    x = PAD, most = 0;
	struct box *b;

	for (int k = 0; k < n->n_arg; k++)
		add_curve(l, n->arg[k], box);
	if (n->n_region) {
		const char *head = arena_printf(l->a, "%s  %s", l->d.box[box].label, l->d.box[box].attrs);
		int foot = *l->d.box[box].detail ? BOX_LINE + 4 : 0;

		l->d.box[box].label = head;
		l->d.box[box].attrs = "";
		for (int k = 0; k < n->n_region; k++) {
			int region = add_box(l, BOX_REGION, box, -1, region_title(n, k), "", "");

			layout_region(l, &n->region[k], region, false);
			move_box(l, region, l->d.n_box, x, HEAD);
			x += l->d.box[region].w + PAD;
			most = l->d.box[region].h > most ? l->d.box[region].h : most;
		}
		b = &l->d.box[box];
		b->w = x > text_width(b) ? x : text_width(b);
		b->h = HEAD + most + PAD + foot;
	}
	for (int k = 0; k < n->n_out; k++)
		l->maker[n->out + k] = box;
}

static int compare_wish(const void *x, const void *y)
{
	const struct item *p = x, *q = y;

	if (p->layer != q->layer)
		return p->layer < q->layer ? -1 : 1;
	if (p->wish < q->wish || p->wish > q->wish)
		return p->wish < q->wish ? -1 : 1;
	return p->box < q->box ? -1 : p->box > q->box;
}

/* The child of region `self` that is box b or contains it; -1: b is outside. */
static int child_of(const struct layout *l, int b, int self)
{
	while (b >= 0 && l->d.box[b].parent != self)
		b = l->d.box[b].parent;
	return b;
}

static int item_of(const struct item *item, int n, int box)
{
	for (int k = 0; k < n; k++)
		if (item[k].box == box)
			return k;
	return -1;
}

/* Puts each item in a layer below everything that it uses, itself or inside.  Results go below all. */
static void set_layers(const struct layout *l, struct item *item, int n, int self)
{
	int deepest = 0;

	for (int k = 0; k < n; k++) {
		for (int c = 0; c < l->d.n_curve; c++) {
			const struct curve *curve = &l->d.curve[c];
			int from;

			if (curve->to < item[k].box || curve->to >= item[k].end)
				continue;
			from = item_of(item, n, child_of(l, curve->from, self));
			if (from >= 0 && from != k && item[from].layer >= item[k].layer)
				item[k].layer = item[from].layer + 1;
		}
		if (l->d.box[item[k].box].kind == BOX_RESULT && n > 1)
			item[k].layer = deepest + 1;
		deepest = item[k].layer > deepest ? item[k].layer : deepest;
	}
	/* constants stand just above their first user */
	for (int k = 0; k < n; k++) {
		int user = deepest;

		if (l->d.box[item[k].box].kind != BOX_CONSTANT)
			continue;
		for (int c = 0; c < l->d.n_curve; c++) {
			int to = l->d.curve[c].from == item[k].box
			    ? item_of(item, n, child_of(l, l->d.curve[c].to, self))
			    : -1;

			if (to >= 0 && item[to].layer - 1 < user)
				user = item[to].layer - 1;
		}
		item[k].layer = user > 0 ? user : 0;
	}
}

static void set_wishes(const struct layout *l, struct item *item, int n, int self, int layer)
{
	for (int k = 0; k < n; k++) {
		double sum = 0;
		int count = 0;

		if (item[k].layer != layer)
			continue;
		for (int c = 0; c < l->d.n_curve; c++) {
			const struct curve *curve = &l->d.curve[c];
			int from = curve->to >= item[k].box && curve->to < item[k].end ? child_of(l, curve->from, self)
			                                                               : -1;

			if (from < 0 || from == item[k].box)
				continue;
			sum += l->d.box[from].x + l->d.box[from].w / 2;
			count++;
		}
		item[k].wish = count ? sum / count : item[k].wish;
	}
}

/* Places a layer left to right in the order of wishes, and centres it on them as far as the left margin allows. */
static int place_layer(struct layout *l, struct item *item, int n, int y)
{
	int width = -GAP_X, height = 0, x;
	double middle = 0;

	for (int k = 0; k < n; k++) {
		const struct box *b = &l->d.box[item[k].box];

		width += b->w + GAP_X;
		height = b->h > height ? b->h : height;
		middle += item[k].wish / n;
	}
	x = (int)middle - width / 2;
	for (int k = 0; k < n; k++) {
		struct box *b = &l->d.box[item[k].box];
		int w = b->w, h = b->h;

		move_box(l, item[k].box, item[k].end, x, y + (height - h) / 2);
		x += w + GAP_X;
	}
	return height;
}

/* self: the box of the region, or -1 for the program.  Places its children relative to it and sets its size. */
static void layout_region(struct layout *l, const struct region *r, int self, bool top)
{
	int first = l->d.n_box, n = 0, y = top ? 0 : *l->d.box[self].label ? HEAD : PAD, left = 0, right = 0;
	struct item *item = NEW(l->a, struct item, r->n_param + r->n_node + 1);
	char type[TYPE_TEXT];

	for (int k = 0; k < r->n_param; k++) {
		item[n++] = (struct item){.box = l->d.n_box, .end = l->d.n_box + 1};
		l->maker[r->param + k] = add_box(l, top ? BOX_INPUT : BOX_PARAM, self, r->param + k,
		    arena_printf(l->a, "v%d", r->param + k), type_print(&l->p->type[r->param + k], type), "");
	}
	for (int k = 0; k < r->n_node; k++) {
		item[n].box = l->d.n_box;
		layout_node(l, &r->node[k], self);
		item[n++].end = l->d.n_box;
	}
	item[n] = (struct item){.box = l->d.n_box, .end = l->d.n_box + 1};
	add_box(l, BOX_RESULT, self, -1, top ? "return" : "yield", "", "");
	for (int k = 0; k < r->n_result; k++)
		add_curve(l, r->result[k], item[n].box);
	n++;
	set_layers(l, item, n, self);
	for (int k = 0; k < n; k++)
		item[k].wish = k;
	for (int layer = 0, done = 0; done < n; layer++) {
		int count = 0, height;

		if (layer)
			set_wishes(l, item, n, self, layer);
		qsort(item, (size_t)n, sizeof *item, compare_wish);
		while (done + count < n && item[done + count].layer == layer)
			count++;
		if (!count)
			continue;
		if (!done)
			for (int k = 0; k < count; k++)
				item[k].wish = 0;
		height = place_layer(l, &item[done], count, y);
		done += count;
		y += height + (done < n ? GAP_Y : 0);
	}
	for (int k = first; k < l->d.n_box; k++) {
		const struct box *b = &l->d.box[k];

		left = b->x < left ? b->x : left;
		right = b->x + b->w > right ? b->x + b->w : right;
	}
	move_box(l, first, l->d.n_box, (top ? 0 : PAD) - left, 0);
	if (top) {
		l->d.w = right - left;
		l->d.h = y;
	} else {
		struct box *b = &l->d.box[self];

		b->w = right - left + 2 * PAD;
		b->h = y + PAD;
	}
}

static void count_parts(const struct region *top, int *box, int *curve)
{
	const struct region *r;

	for (struct walk w = walk_nodes(top); (r = walk_region(&w));) {
		*box += r->n_param + 1;
		*curve += r->n_result;
		for (int k = 0; k < r->n_node; k++) {
			*box += 1 + r->node[k].n_region;
			*curve += r->node[k].n_arg;
		}
	}
}

int curve_bend(int y0, int y1) { return (y1 - y0) / 2 > 12 ? (y1 - y0) / 2 : 12; }

struct drawing graph_layout(const struct program *p, struct arena *a)
{
	struct layout l = {.p = p, .a = a, .text = program_print(p, a)};
	int n_box = 0, n_curve = 0;

	count_parts(&p->top, &n_box, &n_curve);
	l.d.box = NEW(a, struct box, n_box + 1);
	l.d.curve = NEW(a, struct curve, n_curve + 1);
	l.maker = NEW(a, int, p->n_value + 1);
	for (int v = 0; v < p->n_value; v++)
		l.maker[v] = -1;
	layout_region(&l, &p->top, -1, true);
	for (int k = 0; k < l.d.n_curve; k++) {
		struct curve *c = &l.d.curve[k];
		const struct box *from = &l.d.box[c->from], *to = &l.d.box[c->to];

		c->x0 = from->x + from->w / 2;
		c->y0 = from->y + from->h;
		c->x1 = to->x + to->w / 2;
		c->y1 = to->y;
	}
	graph_route(&l.d);
	return l.d;
}
