/* program.c: mutations of the program: one edit at one node, or a change of all types. */
#include "graph/walk.h"
#include "internal.h"

/* ---- driving an edit ---- */

typedef bool node_test(const struct node *n);

/* The number, in order of appearance, of the k-th node for which `test` holds; -1: none. */
static int find_node(const struct program *p, node_test *test, int k)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (test(w.node) && k-- == 0)
			return w.number;
	return -1;
}

static int count_nodes(const struct program *p, node_test *test)
{
	int count = 0;

	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		count += test(w.node);
	return count;
}

static void begin(struct mutator *m, struct rebuild *r, struct gen *g)
{
	const struct program *p = &m->t.program;

	gen_begin(g, m->c, m->p, m->a);
	rebuild_begin(r, g, p);
	if (p->top.n_param)
		g->base = p->type[0].shape;
	for (int i = p->top.n_param - 1; i >= 0; i--)
		if (dtype_is_float(p->type[i].dtype))
			g->dtype = p->type[i].dtype;
}

static void add_inputs(struct rebuild *r)
{
	for (int i = 0; i < r->p->top.n_param; i++) {
		struct type t = rebuild_type(r, i);

		r->map[i] = gen_input(r->g, &t, range_make(dtype_is_float(t.dtype) ? -4 : 0, 4));
	}
}

static bool finish(struct mutator *m, struct rebuild *r)
{
	const struct region *top = &r->p->top;
	int result[LIMIT_ARGS];

	for (int i = 0; i < top->n_result; i++)
		result[i] = r->map[top->result[i]];
	m->t.program = gen_end(r->g, result, top->n_result);
	if (choice_percent(m->c, 50))
		m->t.program = program_drop_dead(&m->t.program, m->a);
	return request_follow(m->c, m->p, &m->t, m->a);
}

static bool edit_at(struct mutator *m, node_test *test, edit_fn *edit)
{
	int n = count_nodes(&m->t.program, test), k = choice_below(m->c, n);
	struct rebuild r;
	struct gen g;

	if (!n)
		return false;
	begin(m, &r, &g);
	r.at = find_node(&m->t.program, test, k);
	r.edit = edit;
	add_inputs(&r);
	return rebuild_nodes(&r, &r.p->top) && finish(m, &r);
}

/* ---- operands ---- */

static bool has_operands(const struct node *n) { return n->n_arg > 0; }

static enum edit_outcome edit_operand(struct rebuild *r, const struct node *old, struct node *n)
{
	int i = choice_below(r->g->c, n->n_arg);
	struct type t = *gen_type(r->g, n->arg[i]);

	(void)old;
	for (int attempt = 0; attempt < 4; attempt++) {
		int v = gen_pick(r->g, gen_fits_type, &t);

		if (v >= 0 && v != n->arg[i]) {
			n->arg[i] = v;
			return EDIT_CHANGED;
		}
	}
	return EDIT_REFUSED;
}

/* Inside a region, takes an operand from outside, so that a value is shared across the border. */
static enum edit_outcome edit_outer_operand(struct rebuild *r, const struct node *old, struct node *n)
{
	int i = choice_below(r->g->c, n->n_arg);
	struct type t = *gen_type(r->g, n->arg[i]);

	(void)old;
	if (!r->g->depth || !r->outer)
		return EDIT_REFUSED;
	for (int attempt = 0; attempt < 8; attempt++) {
		int v = r->g->pool[choice_below(r->g->c, r->outer)];

		if (v != n->arg[i] && gen_fits_type(r->g, v, &t)) {
			n->arg[i] = v;
			return EDIT_CHANGED;
		}
	}
	return EDIT_REFUSED;
}

static enum edit_outcome edit_insert(struct rebuild *r, const struct node *old, struct node *n)
{
	int i = choice_below(r->g->c, n->n_arg), v = n->arg[i];
	struct type t = *gen_type(r->g, v);

	(void)old;
	if (dtype_is_float(t.dtype))
		v = choice_percent(r->g->c, 50) ? gen_unary_on(r->g, v) : gen_binary_on(r->g, v);
	else if (dtype_is_int(t.dtype))
		v = gen_with_scalar(r->g, OP_ADD, v, choice_between(r->g->c, -1, 2));
	else
		v = gen_unary(r->g, OP_LOGICAL_NOT, v);
	n->arg[i] = gen_as(r->g, v, &t);
	return n->arg[i] >= 0 ? EDIT_CHANGED : EDIT_REFUSED;
}

/* Inserts a few fresh ops before the node; the node uses the last one. */
static enum edit_outcome edit_emit(struct rebuild *r, const struct node *old, struct node *n)
{
	int i = choice_below(r->g->c, n->n_arg), times = choice_between(r->g->c, 1, 3), v = -1;
	struct type t = *gen_type(r->g, n->arg[i]);

	(void)old;
	for (int k = 0; k < times; k++) {
		int fresh = gen_open(r->g) ? gen_emit(r->g) : -1;

		v = fresh >= 0 ? fresh : v;
	}
	if (v < 0 || !dtype_is_float(t.dtype) || !gen_is_float(r->g, v))
		return EDIT_REFUSED;
	n->arg[i] = gen_as(r->g, v, &t);
	return n->arg[i] >= 0 ? EDIT_CHANGED : EDIT_REFUSED;
}

bool mutate_operand(struct mutator *m) { return edit_at(m, has_operands, edit_operand); }
bool mutate_outer_operand(struct mutator *m) { return edit_at(m, has_operands, edit_outer_operand); }
bool mutate_insert(struct mutator *m) { return edit_at(m, has_operands, edit_insert); }
bool mutate_emit(struct mutator *m) { return edit_at(m, has_operands, edit_emit); }

/* ---- the op itself ---- */

static bool is_plain(const struct node *n) { return n->n_arg > 0 && !n->n_region; }

static enum edit_outcome edit_op(struct rebuild *r, const struct node *old, struct node *n)
{
	static const unsigned mask[] = {
	    [DTYPE_CLASS_FLOAT] = MASK_FLOAT, [DTYPE_CLASS_INT] = MASK_INT, [DTYPE_CLASS_BOOL] = MASK_BOOL};
	const struct op_info *info = &op_table[old->op];
	unsigned class = mask[dtype_table[gen_type(r->g, n->arg[0])->dtype].class];
	int candidate[OP_COUNT], count = 0;

	for (int op = 0; op < OP_COUNT; op++)
		if (op != (int)old->op && op_table[op].family == info->family && op_table[op].attrs == info->attrs &&
		    (op_table[op].dtypes & class))
			candidate[count++] = op;
	if (!count)
		return EDIT_REFUSED;
	n->op = (enum op)candidate[choice_below(r->g->c, count)];
	return EDIT_CHANGED;
}

/* Removes a node.  Its users take an operand of the same type, or another value. */
static enum edit_outcome edit_delete(struct rebuild *r, const struct node *old, struct node *n)
{
	for (int i = 0; i < old->n_out; i++) {
		struct type t = rebuild_type(r, old->out + i);
		int v = -1;

		for (int k = 0; k < n->n_arg && v < 0; k++)
			if (gen_fits_type(r->g, n->arg[k], &t))
				v = n->arg[k];
		r->map[old->out + i] = v >= 0 ? v : gen_value_of(r->g, &t);
		if (r->map[old->out + i] < 0)
			return EDIT_REFUSED;
	}
	return EDIT_DONE;
}

bool mutate_op(struct mutator *m) { return edit_at(m, is_plain, edit_op); }
bool mutate_delete(struct mutator *m) { return edit_at(m, has_operands, edit_delete); }

/* ---- attributes ---- */

static bool has_attrs(const struct node *n) { return op_table[n->op].attrs && n->n_arg > 0; }

static void nudge(struct choice *c, int *x, int low)
{
	*x += choice_percent(c, 50) ? 1 : -1;
	*x = *x < low ? low : *x;
}

static void change_axes(struct choice *c, const struct node *n, struct attrs *attrs, int rank)
{
	if (n->op == OP_TRANSPOSE) {
		int i = choice_below(c, rank), k = choice_below(c, rank), swap = attrs->axes[i];

		attrs->axes[i] = attrs->axes[k];
		attrs->axes[k] = swap;
	} else if (attrs->n_axes && choice_percent(c, 50)) {
		attrs->axes[--attrs->n_axes] = 0;
	} else {
		attrs->n_axes = 1;
		for (int d = 0; d < LIMIT_RANK; d++)
			attrs->axes[d] = d ? 0 : choice_below(c, rank);
	}
}

/* Changes one attribute.  Whether the new value is valid shows when the node is appended. */
static void change_attr(struct choice *c, struct node *n, enum attr_index which, const struct shape *s)
{
	struct attrs *attrs = &n->attrs;
	int d = choice_below(c, s->rank);

	switch (which) {
	case ATTR_INDEX_AXIS:
		attrs->axis = choice_below(c, s->rank);
		break;
	case ATTR_INDEX_AXES:
		change_axes(c, n, attrs, s->rank);
		break;
	case ATTR_INDEX_KEEPDIMS:
		attrs->keepdims = !attrs->keepdims;
		break;
	case ATTR_INDEX_DTYPE:
		attrs->dtype = (enum dtype)choice_below(c, choice_percent(c, 85) ? 4 : DTYPE_COUNT);
		break;
	case ATTR_INDEX_START:
		nudge(c, &attrs->start[d], 0);
		break;
	case ATTR_INDEX_SIZE:
		nudge(c, &attrs->size[d], 0);
		break;
	case ATTR_INDEX_STRIDE:
		/* The same positions in the other direction. */
		if (op_table[n->op].attrs & ATTR_SIZE) {
			attrs->start[d] += attrs->size[d] ? (attrs->size[d] - 1) * attrs->stride[d] : 0;
			attrs->stride[d] = -attrs->stride[d];
		} else {
			attrs->stride[d] = attrs->stride[d] == 1 ? 2 : 1;
		}
		break;
	case ATTR_INDEX_LOW:
		nudge(c, &attrs->low[d], 0);
		break;
	case ATTR_INDEX_HIGH:
		nudge(c, &attrs->high[d], 0);
		break;
	case ATTR_INDEX_MODE:
		attrs->mode = (enum index_mode)choice_below(c, MODE_COUNT);
		break;
	case ATTR_INDEX_TRIP:
		if (n->op == OP_FOR && attrs->trip >= 0)
			attrs->trip = choice_percent(c, 60) ? choice_below(c, 7) : choice_below(c, 40);
		break;
	case ATTR_INDEX_CAP:
		if (n->op == OP_WHILE || n->op == OP_FIXED_POINT || attrs->trip < 0)
			attrs->cap = choice_percent(c, 60) ? choice_below(c, 7) : choice_below(c, 40);
		break;
	case ATTR_INDEX_UNTIL:
		attrs->until = !attrs->until;
		break;
	case ATTR_INDEX_MEANING:
		attrs->meaning = attrs->meaning == MEANING_STEPS ? MEANING_SOLUTION : MEANING_STEPS;
		break;
	case ATTR_INDEX_TRANSFORM:
		attrs->transform = attrs->transform == DERIVATIVE_JVP ? DERIVATIVE_VJP : DERIVATIVE_JVP;
		break;
	case ATTR_INDEX_SHAPE:
	case ATTR_INDEX_CARRIES:
	case ATTR_INDEX_PRIMALS:
	case ATTR_INDEX_VALUE:
	case ATTR_COUNT:
		break;
	}
}

static enum edit_outcome edit_attr(struct rebuild *r, const struct node *old, struct node *n)
{
	int which[ATTR_COUNT], count = 0;
	struct shape s = gen_type(r->g, n->arg[0])->shape;

	(void)old;
	if (!s.rank && !n->n_region && n->op != OP_CAST)
		return EDIT_REFUSED;
	for (int i = 0; i < ATTR_COUNT; i++)
		if (op_table[n->op].attrs & 1u << i)
			which[count++] = i;
	change_attr(r->g->c, n, (enum attr_index)which[choice_below(r->g->c, count)], &s);
	return EDIT_CHANGED;
}

static bool is_constant(const struct node *n)
{
	return n->op == OP_CONSTANT && shape_elements(&n->attrs.value.type.shape) > 0;
}

static enum edit_outcome edit_constant(struct rebuild *r, const struct node *old, struct node *n)
{
	struct tensor *t = &n->attrs.value;
	union cell *x = &t->at[choice_below(r->g->c, shape_elements(&t->type.shape))];

	(void)old;
	if (dtype_is_float(t->type.dtype)) {
		static const double usual[] = {0, 1, -1, 2, 0.5};
		double y = choice_percent(r->g->c, 40) ? usual[choice_below(r->g->c, 5)]
		                                       : gen_real(r->g, t->type.dtype);

		x->f = dtype_round(t->type.dtype, choice_percent(r->g->c, 25) ? x->f * y : y);
	} else if (dtype_is_int(t->type.dtype)) {
		x->i = choice_percent(r->g->c, 50) ? choice_between(r->g->c, -2, 5)
		                                   : dtype_wrap(t->type.dtype, x->i ^ choice_between(r->g->c, 1, 3));
	} else {
		x->i = !x->i;
	}
	return EDIT_CHANGED;
}

bool mutate_attr(struct mutator *m) { return edit_at(m, has_attrs, edit_attr); }
bool mutate_constant(struct mutator *m) { return edit_at(m, is_constant, edit_constant); }

/* ---- wrapping ---- */

static bool may_wrap(const struct node *n) { return n->n_arg > 0 && !n->n_region && n->n_out == 1; }

/* Turns y = op(a, ...) into the last carry of a loop whose body is the op.  An operand of its type is the carry. */
static enum edit_outcome edit_wrap_for(struct rebuild *r, const struct node *old, struct node *n)
{
	struct gen *g = r->g;
	struct type t = rebuild_type(r, old->out), types[2] = {{.dtype = DTYPE_I64}, t};
	struct attrs attrs = {.trip = choice_below(g->c, 5)};
	int init = -1, mark, first, v, carry = -1;

	if (g->depth >= GEN_DEPTH)
		return EDIT_REFUSED;
	for (int i = 0; i < n->n_arg && carry < 0; i++)
		if (gen_fits_type(g, n->arg[i], &t))
			carry = i;
	init = carry >= 0 ? n->arg[carry] : gen_value_of(g, &t);
	if (init < 0)
		return EDIT_REFUSED;
	mark = g->n_pool;
	first = gen_region_open(
	    g, types, (const int[]){-1, init}, (const struct range[]){{0, 4}, {-4, 4}}, 2, attrs.trip);
	if (carry >= 0)
		n->arg[carry] = first + 1;
	v = rebuild_append(r, old, n) ? gen_as(g, r->map[old->out], &t) : -1;
	gen_region_close(g, &v, v >= 0, mark, attrs.trip);
	v = v >= 0 ? gen_region_node(g, OP_FOR, &init, 1, &attrs) : -1;
	if (v < 0)
		return EDIT_REFUSED;
	gen_track(g, v, range_make(-8, 8), 0xffff, true);
	r->map[old->out] = v;
	return EDIT_DONE;
}

/* Turns y = op(a, ...) into one branch of a cond.  The other branch returns a value of its type. */
static enum edit_outcome edit_wrap_cond(struct rebuild *r, const struct node *old, struct node *n)
{
	struct gen *g = r->g;
	struct type t = rebuild_type(r, old->out);
	int p = gen_predicate_scalar(g), other = gen_value_of(g, &t), mark, v, here = choice_below(g->c, 2);

	if (g->depth >= GEN_DEPTH || p < 0 || other < 0)
		return EDIT_REFUSED;
	for (int which = 0; which < 2; which++) {
		mark = g->n_pool;
		gen_region_open(g, NULL, NULL, NULL, 0, 1);
		v = which != here ? other : rebuild_append(r, old, n) ? gen_as(g, r->map[old->out], &t) : -1;
		gen_region_close(g, &v, v >= 0, mark, 1);
		if (v < 0)
			return EDIT_REFUSED;
	}
	v = gen_region_node(g, OP_COND, &p, 1, NULL);
	if (v < 0)
		return EDIT_REFUSED;
	gen_track(g, v, range_make(-8, 8), 0xffff, true);
	r->map[old->out] = v;
	return EDIT_DONE;
}

bool mutate_wrap_for(struct mutator *m) { return edit_at(m, may_wrap, edit_wrap_for); }
bool mutate_wrap_cond(struct mutator *m) { return edit_at(m, may_wrap, edit_wrap_cond); }

/* ---- the whole program ---- */

/* Replaces one float dtype by another everywhere: in program, points and seeds. */
bool mutate_dtype(struct mutator *m)
{
	struct rebuild r;
	struct gen g;
	enum dtype from, to;

	begin(m, &r, &g);
	from = g.dtype;
	to = (enum dtype)((from + 1 + (enum dtype)choice_below(m->c, 3)) % 4);
	r.dtype[from] = to;
	g.dtype = to;
	add_inputs(&r);
	for (int i = 0; i < m->t.n_point; i++)
		for (int k = 0; k < r.p->top.n_param; k++)
			m->t.point[i][k] = rebuild_tensor(&r, &m->t.point[i][k]);
	for (int i = 0; i < m->t.n_transform; i++)
		for (int k = 0; k < m->t.transform[i].n_seed; k++)
			m->t.transform[i].seed[k] = rebuild_tensor(&r, &m->t.transform[i].seed[k]);
	return rebuild_nodes(&r, &r.p->top) && finish(m, &r);
}

/* Makes another value a result, perhaps a fresh one. */
bool mutate_result(struct mutator *m)
{
	const struct region *top = &m->t.program.top;
	int result[LIMIT_ARGS], n = top->n_result, times = choice_below(m->c, 3), v;
	struct rebuild r;
	struct gen g;

	begin(m, &r, &g);
	add_inputs(&r);
	if (!rebuild_nodes(&r, &r.p->top))
		return false;
	for (int i = 0; i < times && gen_open(&g); i++)
		gen_emit(&g);
	for (int i = 0; i < n; i++)
		result[i] = r.map[top->result[i]];
	v = gen_pick(&g, gen_fits_float, NULL);
	if (v < 0)
		return false;
	if (n < LIMIT_ARGS && choice_percent(m->c, 40))
		n++;
	else if (n > 1 && choice_percent(m->c, 30))
		n--;
	result[choice_percent(m->c, 50) ? n - 1 : choice_below(m->c, n)] = v;
	if (n > top->n_result)
		result[n - 1] = v;
	m->t.program = gen_end(&g, result, n);
	return request_follow(m->c, m->p, &m->t, m->a);
}
