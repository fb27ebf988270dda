/* program.c: steps that change a program: iterations, uses, regions, constants, axes. */
#include "steps.h"

/* ---- loops ---- */

enum edit_result grow_trip(struct edit *e, int k)
{
	struct site s;

	if (!edit_site(e, k / 2, &s))
		return EDIT_END;
	if (!node_loop(s.node).is_loop || node_max_trip(s.node) > 1 || node_loop(s.node).counted)
		return EDIT_SKIP;
	return edit_set_trip(e, &s, k % 2 ? 2 : 3) ? EDIT_TRY : EDIT_SKIP;
}

/* Where only the last iteration counts, a bug of another one does not show: then more iterations alone are not kept. */
enum edit_result grow_carry(struct edit *e, int k)
{
	struct node_loop l;
	bool changed = false;
	struct site s;

	if (!edit_site(e, k / 2, &s))
		return EDIT_END;
	l = node_loop(s.node);
	if (!l.is_loop || node_max_trip(s.node) > 1 || l.counted || op_table[s.node->op].family == FAMILY_FIXED_POINT)
		return EDIT_SKIP;
	for (int i = 0; i < l.n_carry; i++) {
		const int carry = l.first_param + i;

		if (!dtype_is_float(edit_type(e, carry)->dtype) || l.body->result[i] == carry)
			continue;
		l.body->result[i] = edit_insert_binary(
		    e, l.body, l.body->n_node, OP_ADD, carry, l.body->result[i], edit_type(e, carry));
		changed = true;
	}
	return changed && edit_set_trip(e, &s, k % 2 ? 2 : 3) ? EDIT_TRY : EDIT_SKIP;
}

/* Whether the node reads a marked value, in its regions too. */
static bool reads_marked(const struct node *n, const bool *marked)
{
	const struct region *r;

	for (int i = 0; i < n->n_arg; i++)
		if (marked[n->arg[i]])
			return true;
	for (int k = 0; k < n->n_region; k++)
		for (struct walk w = walk_nodes(&n->region[k]); (r = walk_region(&w));) {
			for (int i = 0; i < r->n_result; i++)
				if (marked[r->result[i]])
					return true;
			for (int j = 0; j < r->n_node; j++)
				for (int i = 0; i < r->node[j].n_arg; i++)
					if (marked[r->node[j].arg[i]])
						return true;
		}
	return false;
}

/* Whether result k of the body depends on carry k. */
static bool carries_on(struct edit *e, const struct node_loop *l, int k)
{
	bool *marked = NEW(e->arena, bool, e->c.program.n_value);

	marked[l->first_param + k] = true;
	for (int i = 0; i < l->body->n_node; i++) {
		const struct node *n = &l->body->node[i];

		for (int j = 0; j < n->n_out && reads_marked(n, marked); j++)
			marked[n->out + j] = true;
	}
	return marked[l->body->result[k]];
}

/* A carry whose next value does not read it says nothing of what passes from one iteration to the next. */
enum edit_result grow_chain(struct edit *e, int k)
{
	struct node_loop l;
	struct site s;

	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);) {
		int carry;

		l = node_loop(s.node);
		if (!l.is_loop || op_table[s.node->op].family == FAMILY_FIXED_POINT)
			continue;
		if (k >= l.n_carry) {
			k -= l.n_carry;
			continue;
		}
		carry = l.first_param + k;
		if (!dtype_is_float(edit_type(e, carry)->dtype) || carries_on(e, &l, k))
			return EDIT_SKIP;
		l.body->result[k] = edit_insert_binary(
		    e, l.body, l.body->n_node, OP_ADD, carry, l.body->result[k], edit_type(e, carry));
		return EDIT_TRY;
	}
	return EDIT_END;
}

/* ---- inputs of their own ---- */

/* An input of that type, with generic numbers or those of `like`, an input; < 0: there is none. */
static int new_input(struct edit *e, const struct type *type, int like, bool wrt)
{
	const struct region *top = &e->c.program.top;
	struct tensor value = tensor_new(e->arena, type);
	int number = generic_used(e);

	if (like >= 0)
		value = e->c.point[0][like];
	else
		generic_fill(&value, 0, &number);
	return top->n_param == LIMIT_ARGS ? -1 : edit_add_input(e, &value, wrt);
}

static bool is_input(const struct edit *e, int value)
{
	const struct region *top = &e->c.program.top;

	return value >= top->param && value < top->param + top->n_param;
}

static int count_uses(struct edit *e, int value)
{
	const struct region *r;
	int n = 0;

	for (struct walk w = walk_nodes(&e->c.program.top); (r = walk_region(&w));)
		n += region_count_uses(r, value);
	return n;
}

/*
 * Use number k of any value: an operand, or a result of a node's region.  *twin: the same node has the value twice.
 * NULL past the last.
 */
static int *use_at(struct edit *e, int k, bool *twin)
{
	struct site s;

	*twin = false;
	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);) {
		for (int n = 0; n < s.node->n_arg; n++) {
			for (int m = 0; m < n && !k; m++)
				*twin |= s.node->arg[m] == s.node->arg[n];
			if (k-- == 0)
				return &s.node->arg[n];
		}
		for (int r = 0; r < s.node->n_region; r++)
			for (int n = 0; n < s.node->region[r].n_result; n++)
				if (k-- == 0)
					return &s.node->region[r].result[n];
	}
	return NULL;
}

/* Ways 0 and 1: differentiated, with generic numbers and with those of the old input.  2 and 3: not differentiated. */
enum edit_result grow_use(struct edit *e, int k)
{
	bool twin, same = k % 2;
	int *use = use_at(e, k / 4, &twin), own, like;

	if (!use)
		return EDIT_END;
	if (!dtype_is_float(edit_type(e, *use)->dtype) || !(twin || (is_input(e, *use) && count_uses(e, *use) > 1)) ||
	    (same && !is_input(e, *use)))
		return EDIT_SKIP;
	like = same ? *use - e->c.program.top.param : -1;
	own = new_input(e, edit_type(e, *use), like, k % 4 < 2);
	use = use_at(e, k / 4, &twin);
	if (own < 0 || !use)
		return EDIT_SKIP;
	*use = own;
	return EDIT_TRY;
}

/* ---- regions that compute ---- */

static bool computes(const struct region *r, int value)
{
	for (int i = 0; i < r->n_node; i++)
		if (value >= r->node[i].out && value < r->node[i].out + r->node[i].n_out)
			return r->node[i].op != OP_CONSTANT;
	return false;
}

/* Whether regions of the op may use any value from outside. */
static bool may_capture(const struct node *n)
{
	return n->op != OP_CUSTOM && n->op != OP_DERIVATIVE &&
	    !(n->op == OP_FIXED_POINT && n->attrs.meaning == MEANING_SOLUTION);
}

/* Result number k of all regions of nodes. */
static struct region *region_result(struct edit *e, int k, int *which, bool *captures)
{
	struct site s;

	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);)
		for (int r = 0; r < s.node->n_region; r++)
			for (*which = 0; *which < s.node->region[r].n_result; ++*which)
				if (k-- == 0) {
					*captures = may_capture(s.node);
					return &s.node->region[r];
				}
	return NULL;
}

enum edit_result grow_result(struct edit *e, int k)
{
	bool captures;
	int which, factor;
	struct region *r = region_result(e, k / 2, &which, &captures);

	if (!r)
		return EDIT_END;
	if (!captures || !dtype_is_float(edit_type(e, r->result[which])->dtype) || computes(r, r->result[which]))
		return EDIT_SKIP;
	factor = new_input(e, edit_type(e, r->result[which]), -1, k % 2 == 0);
	if (factor < 0)
		return EDIT_SKIP;
	r = region_result(e, k / 2, &which, &captures);
	r->result[which] = edit_insert_binary(
	    e, r, r->n_node, OP_MUL, r->result[which], factor, edit_type(e, r->result[which]));
	return EDIT_TRY;
}

/* ---- constants ---- */

/* Way 0: an input that is differentiated; 1: one that is not. */
enum edit_result grow_constant(struct edit *e, int k)
{
	struct site s;
	int input, value;

	if (!edit_site(e, k / 2, &s))
		return EDIT_END;
	if (s.node->op != OP_CONSTANT || !dtype_is_float(s.node->attrs.value.type.dtype) ||
	    e->c.program.top.n_param == LIMIT_ARGS)
		return EDIT_SKIP;
	value = s.node->out;
	input = edit_add_input(e, &s.node->attrs.value, k % 2 == 0);
	edit_replace(e, value, input);
	return EDIT_TRY;
}

/* ---- shapes ---- */

enum { VECTOR = 3 };

static void as_vector(struct edit *e, struct type *t, int how)
{
	(void)e;
	if (!t->shape.rank && (dtype_is_float(t->dtype) || (!how && t->dtype == DTYPE_BOOL)))
		t->shape = (struct shape){1, {VECTOR}};
}

static void leave_node(struct edit *e, struct node *n, int how) { (void)e, (void)n, (void)how; }

enum edit_result grow_scalars(struct edit *e, int k)
{
	const struct region *top = &e->c.program.top;

	if (k >= 2)
		return EDIT_END;
	for (int i = 0; i < top->n_node; i++)
		if (top->node[i].n_region)
			return EDIT_END;
	edit_change_types(e, as_vector, leave_node, k);
	return EDIT_TRY;
}

static void lengthen_floats(struct edit *e, struct type *t, int to)
{
	(void)e;
	for (int d = 0; d < t->shape.rank && dtype_is_float(t->dtype); d++)
		if (t->shape.extent[d] == 1)
			t->shape.extent[d] = to;
}

/* Place 0: everywhere; place 1: in floats alone, so that starts and indices keep their number; place i + 2: input i. */
enum edit_result grow_extent(struct edit *e, int k)
{
	const int to = k % 2 ? 2 : VECTOR, input = k / 2 - 2;
	struct shape *s;
	bool any = false;

	if (input >= e->c.program.top.n_param)
		return EDIT_END;
	if (input == -2) {
		edit_change_extent(e, 1, to);
		return EDIT_TRY;
	}
	if (input == -1) {
		edit_change_types(e, lengthen_floats, leave_node, to);
		return EDIT_TRY;
	}
	s = &e->c.program.type[e->c.program.top.param + input].shape;
	for (int d = 0; d < s->rank; d++)
		if (s->extent[d] == 1) {
			s->extent[d] = to;
			any = true;
		}
	return any ? EDIT_TRY : EDIT_SKIP;
}

/* The shape of the window of the node, in its first operand; NULL: it has none. */
static const struct shape *window_of(struct edit *e, const struct node *n)
{
	switch (op_table[n->op].family) {
	case FAMILY_SLICE:
	case FAMILY_DYNAMIC_SLICE:
		return &edit_type(e, n->out)->shape;
	case FAMILY_SLICE_SCATTER:
	case FAMILY_DYNAMIC_UPDATE_SLICE:
		return &edit_type(e, n->arg[1])->shape;
	default:
		return NULL;
	}
}

enum edit_result grow_room(struct edit *e, int k)
{
	const struct shape *window;
	struct shape *whole;
	struct site s;

	if (!edit_site(e, k, &s))
		return EDIT_END;
	window = window_of(e, s.node);
	if (!window || !is_input(e, s.node->arg[0]))
		return EDIT_SKIP;
	whole = &e->c.program.type[s.node->arg[0]].shape;
	if (!whole->rank || !shape_equal(whole, window))
		return EDIT_SKIP;
	whole->extent[whole->rank - 1]++;
	return EDIT_TRY;
}
