/* inlets.c: see inlets.h. */
#include "inlets.h"

#include "graph/loop.h"
#include "fuzz/bench/rehearse.h"

enum { LONGER = 3 };

const char *const inlet_names[INLETS] = {[INLET_CARRY] = "carry", [INLET_ROWS] = "rows", [INLET_CAPTURE] = "capture"};

static bool has(unsigned inlets, enum inlet inlet) { return inlets >> inlet & 1; }

static bool is_float(const struct edit *e, int v) { return dtype_is_float(edit_type(e, v)->dtype); }

int inlet_stop(struct edit *e, struct region *r, int index, int v)
{
	const struct type type = *edit_type(e, v);
	const int out = edit_new_values(e, &type, 1);
	int *arg = NEW(e->arena, int, 1);

	arg[0] = v;
	edit_insert_node(
	    e, r, index, &(struct node){.op = OP_STOP_GRADIENT, .n_arg = 1, .arg = arg, .n_out = 1, .out = out});
	return out;
}

static void replace_in(int *list, int n, int from, int to)
{
	for (int i = 0; i < n; i++)
		list[i] = list[i] == from ? to : list[i];
}

void inlet_replace_inside(struct region *r, int from, int to)
{
	replace_in(r->result, r->n_result, from, to);
	for (int i = 0; i < r->n_node; i++) {
		replace_in(r->node[i].arg, r->node[i].n_arg, from, to);
		for (int k = 0; k < r->node[i].n_region; k++)
			inlet_replace_inside(&r->node[i].region[k], from, to);
	}
}

/* The inlet that operand k of the loop is. */
static enum inlet inlet_of(const struct node *n, int k)
{
	const struct node_loop l = node_loop(n);

	return k < l.first_arg + l.n_carry ? INLET_CARRY : INLET_ROWS;
}

const struct node *inlets_loop(const struct program *p)
{
	const struct node *only = NULL;

	for (struct walk w = walk_nodes(&p->top); walk_next(&w);) {
		if (w.node->n_region && only)
			return NULL;
		only = w.node->n_region ? w.node : only;
	}
	return only && op_is_loop(only->op) ? only : NULL;
}

/* Whether some region of the node captures v. */
static bool captures(const struct node *n, int v)
{
	bool reads = false;

	for (int i = 0; i < n->n_region; i++) {
		reads = reads || region_reads(&n->region[i], v);
		if (region_defines(&n->region[i], v))
			return false;
	}
	return reads;
}

static bool stop_at(struct edit *e, const struct site *s, unsigned inlets)
{
	const int n_value = e->c.program.n_value, n_arg = s->node->n_arg;
	bool any = false;
	int at = s->index;

	for (int k = 0; k < n_arg; k++) {
		const struct node *n = &s->region->node[at];
		const int v = n->arg[k];

		if (!is_float(e, v) || !has(inlets, inlet_of(n, k)))
			continue;
		/* Inserting moves the nodes, so the operand is set afterwards. */
		const int stopped = inlet_stop(e, s->region, at++, v);

		s->region->node[at].arg[k] = stopped;
		any = true;
	}
	for (int v = 0; v < n_value && has(inlets, INLET_CAPTURE); v++) {
		if (!is_float(e, v) || !captures(&s->region->node[at], v))
			continue;
		const int stopped = inlet_stop(e, s->region, at++, v);
		struct node *n = &s->region->node[at];

		for (int i = 0; i < n->n_region; i++)
			inlet_replace_inside(&n->region[i], v, stopped);
		any = true;
	}
	return any;
}

static bool inlets_stop(struct edit *e, unsigned inlets)
{
	bool any = false;
	struct site s;

	/* From the last node on: what is inserted before a node changes no number of those that remain. */
	for (int k = 0; edit_site_last(e, k, &s); k++)
		if (op_is_loop(s.node->op))
			any = stop_at(e, &s, inlets) || any;
	return any;
}

/* ---- is an inlet active? ---- */

static const struct node *maker_of(const struct program *p, int v)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (v >= w.node->out && v < w.node->out + w.node->n_out)
			return w.node;
	return NULL;
}

static bool is_differentiated(const struct testcase *c, int input)
{
	for (int k = 0; k < c->n_transform; k++)
		for (int i = 0; i < c->transform[k].n_wrt; i++)
			if (c->transform[k].kind != TRANSFORM_BATCH && c->transform[k].wrt[i] == input)
				return true;
	return false;
}

static bool is_active(const struct testcase *c, int v)
{
	const struct region *top = &c->program.top;
	const struct node *n;

	if (!dtype_is_float(c->program.type[v].dtype))
		return false;
	if (v >= top->param && v < top->param + top->n_param)
		return is_differentiated(c, v - top->param);
	n = maker_of(&c->program, v);
	return !n || (n->op != OP_CONSTANT && n->op != OP_STOP_GRADIENT);
}

static bool inlets_active(const struct testcase *c, unsigned inlets)
{
	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);) {
		if (!op_is_loop(w.node->op))
			continue;
		for (int k = 0; k < w.node->n_arg; k++)
			if (has(inlets, inlet_of(w.node, k)) && is_active(c, w.node->arg[k]))
				return true;
		for (int v = 0; v < c->program.n_value && has(inlets, INLET_CAPTURE); v++)
			if (is_active(c, v) && captures(w.node, v))
				return true;
	}
	return false;
}

/* ---- quiet ---- */

static bool shorten(struct edit *e, const struct quiet *q)
{
	bool any = false;
	struct site s;

	for (int k = 0; edit_site(e, k, &s); k++) {
		if (!op_is_loop(s.node->op) || node_max_trip(s.node) < q->trip)
			continue;
		if (!edit_set_trip(e, &s, q->trip - 1))
			return false;
		any = true;
	}
	return any;
}

bool quiet_make(struct edit *e, const struct quiet *q) { return q->trip ? shorten(e, q) : inlets_stop(e, q->inlets); }

bool quiet_broken(const struct testcase *c, const struct quiet *q)
{
	if (!q->trip)
		return inlets_active(c, q->inlets);
	for (struct walk w = walk_nodes(&c->program.top); walk_next(&w);)
		if (op_is_loop(w.node->op) && node_max_trip(w.node) >= q->trip)
			return true;
	return false;
}

/* ---- the inlets of a bug ---- */

/* Renumbers the inputs.  -1: there are too many. */
static int new_input(struct edit *e, int like)
{
	const struct type type = *edit_type(e, like);
	struct tensor value = tensor_new(e->arena, &type);

	edit_fill(&value, 0.5);
	return e->c.program.top.n_param < LIMIT_ARGS ? edit_add_input(e, &value, true) : -1;
}

static int add(struct edit *e, struct region *r, int index, int x, int y)
{
	const struct type type = *edit_type(e, x);

	return edit_insert_binary(e, r, index, OP_ADD, x, y, &type);
}

/* Adds y to result k of the region.  A value that is returned twice still is, because a bug may need that. */
static void add_to_result(struct edit *e, struct region *r, int k, int y)
{
	const int old = r->result[k], sum = add(e, r, r->n_node, old, y);

	for (int i = k; i < r->n_result; i++)
		r->result[i] = r->result[i] == old ? sum : r->result[i];
}

/* Whether the region returns at an earlier place what it returns at place k. */
static bool is_returned_before(const struct region *r, int k)
{
	for (int i = 0; i < k; i++)
		if (r->result[i] == r->result[k])
			return true;
	return false;
}

/* Adds a captured input to each float that the region returns. */
static bool capture_in(struct edit *e, struct region *r)
{
	bool any = false;

	for (int k = 0; k < r->n_result; k++) {
		const int w = is_float(e, r->result[k]) && !is_returned_before(r, k) ? new_input(e, r->result[k]) : -1;

		if (w < 0)
			continue;
		add_to_result(e, r, k, w);
		any = true;
	}
	return any;
}

/* Each iteration of the loop adds the carry, which starts with what it started with and an input. */
static bool carry_on(struct edit *e, const struct site *s)
{
	const struct node_loop l = node_loop(s->node);
	int at = s->index;
	bool any = false;

	for (int k = 0; k < l.n_carry; k++) {
		const int place = l.first_arg + k, old = s->region->node[at].arg[place],
		          w = is_float(e, old) ? new_input(e, old) : -1;
		const struct node *n = &s->region->node[at];
		struct region *body = &n->region[n->n_region - 1];
		int sum;

		if (w < 0)
			continue;
		if (!is_returned_before(body, k))
			add_to_result(e, body, k, l.first_param + k);
		sum = add(e, s->region, at, n->arg[place], w);
		s->region->node[++at].arg[place] = sum;
		any = true;
	}
	return any;
}

/* Lets numbers in through another inlet of each loop.  False: it cannot. */
static bool open_inlet(struct edit *e, enum inlet inlet)
{
	bool any = false;
	struct site s;

	for (int k = 0; edit_site_last(e, k, &s); k++) {
		if (!op_is_loop(s.node->op))
			continue;
		if (inlet == INLET_CARRY)
			any = carry_on(e, &s) || any;
		else
			any = capture_in(e, &s.node->region[s.node->n_region - 1]) || any;
	}
	return any;
}

enum shows { SHOWS_NOT, SHOWS, SHOWS_PERHAPS };

static enum shows shows(const struct question *q, struct edit *e)
{
	struct judgement j;

	if (!edit_finish(e, false))
		return SHOWS_PERHAPS;
	if (case_shows(&e->c, q, e->arena, &j))
		return SHOWS;
	return j.verdict == VERDICT_AGREE || j.verdict == VERDICT_CONVENTION ? SHOWS_NOT : SHOWS_PERHAPS;
}

/* Whether the bug of c, which shows through `stopped`, shows through another inlet too, which c does not use: with as
 * many iterations as in c, or with three. */
static bool shows_through(
    const struct question *q, const struct testcase *c, unsigned stopped, enum inlet inlet, struct arena *a)
{
	enum shows own = SHOWS_NOT;

	for (int longer = 0; longer < 2 && own == SHOWS_NOT; longer++) {
		const struct arena_mark mark = arena_mark(a);
		struct edit e = {.c = testcase_copy(c, a), .arena = a};
		struct site s;

		for (int k = 0; longer && edit_site(&e, k, &s); k++)
			if (op_is_loop(s.node->op))
				edit_set_trip(&e, &s, LONGER);
		if (inlets_stop(&e, stopped) && open_inlet(&e, inlet))
			own = shows(q, &e);
		own = longer && own == SHOWS_PERHAPS ? SHOWS_NOT : own;
		arena_rewind(a, mark);
	}
	return own != SHOWS_NOT;
}

struct finding_inlets {
	const struct testcase *c;
	unsigned found;
};

static void find(void *context, const struct question *q, struct arena *a)
{
	struct finding_inlets *x = context;
	const struct testcase *c = x->c;
	static const enum inlet others[] = {INLET_CARRY, INLET_CAPTURE};
	unsigned out = 0;

	for (int k = 0; k < INLETS && inlets_loop(&c->program); k++) {
		const struct arena_mark mark = arena_mark(a);
		struct edit e = {.c = testcase_copy(c, a), .arena = a};

		if (inlets_stop(&e, 1u << k) && shows(q, &e) == SHOWS_NOT)
			out |= 1u << k;
		arena_rewind(a, mark);
	}
	for (size_t k = 0; k < sizeof others / sizeof *others && out; k++)
		if (!has(out, others[k]) && shows_through(q, c, out, others[k], a))
			out |= others[k] == INLET_CAPTURE ? 1u << INLET_CAPTURE | 1u << INLET_ROWS : 1u << others[k];
	x->found = out;
}

unsigned inlets_find(const struct question *q, const struct testcase *c, struct arena *a)
{
	struct finding_inlets x = {.c = c};

	rehearse(q, find, &x, a);
	return x.found;
}

const char *inlets_text(unsigned inlets, struct arena *a)
{
	const char *text = "";

	for (int k = 0; k < INLETS; k++)
		if (has(inlets, (enum inlet)k))
			text = arena_printf(a, "%s%s%s", text, *text ? "+" : "", inlet_names[k]);
	return text;
}
