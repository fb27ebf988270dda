/* carries.c: the same loop with other carries: it computes the same, but hands other things from one iteration to the
 * next. */
#include "edit.h"

/* Inserts a cast of `value` to `to` before node `index` of r; returns its result. */
static int insert_cast(struct edit *e, struct region *r, int index, int value, enum dtype to)
{
	const struct type type = {.dtype = to, .shape = edit_type(e, value)->shape};
	struct node n = {.op = OP_CAST, .n_arg = 1, .n_out = 1, .attrs.dtype = to};

	n.arg = arena_copy(e->arena, &value, 1, sizeof value);
	n.out = edit_new_values(e, &type, 1);
	edit_insert_node(e, r, index, &n);
	return n.out;
}

/* Makes parameter `param` of r a float.  The region reads a cast of it. */
static void read_cast(struct edit *e, struct region *r, int param)
{
	const enum dtype own = edit_type(e, param)->dtype;
	const struct type as_float = {.dtype = DTYPE_F64, .shape = edit_type(e, param)->shape};
	const int kept = edit_new_values(e, &as_float, 1);
	int read;

	/* uses read the cast; the parameter itself keeps its number, which is not a use */
	read = insert_cast(e, r, 0, kept, own);
	edit_replace(e, param, read);
	edit_replace(e, kept, param);
	e->c.program.type[param] = as_float;
}

bool edit_carry_floats(struct edit *e, const struct site *s)
{
	struct node_loop l = node_loop(s->node);
	int index = s->index;
	bool any = false;

	for (int k = 0; l.is_loop && k < l.n_carry; k++) {
		struct node *n = &s->region->node[index];
		const struct type type = *edit_type(e, n->out + k);
		const struct type as_float = {.dtype = DTYPE_F64, .shape = type.shape};
		int start, next, after;

		if (dtype_is_float(type.dtype))
			continue;
		any = true;
		start = insert_cast(e, s->region, index++, n->arg[l.first_arg + k], DTYPE_F64);
		n = &s->region->node[index];
		l = node_loop(n);
		n->arg[l.first_arg + k] = start;
		next = insert_cast(e, l.body, l.body->n_node, l.body->result[k], DTYPE_F64);
		read_cast(e, l.body, l.first_param + k);
		l.body->result[k] = next;
		if (l.condition)
			read_cast(e, l.condition, l.condition->param + k);
		e->c.program.type[n->out + k] = as_float;
		after = edit_new_values(e, &type, 1);
		edit_replace(e, n->out + k, after);
		edit_insert_node(e, s->region, index + 1,
		    &(struct node){.op = OP_CAST,
		        .n_arg = 1,
		        .arg = arena_copy(e->arena, (const int[]){n->out + k}, 1, sizeof(int)),
		        .n_out = 1,
		        .out = after,
		        .attrs.dtype = type.dtype});
		l = node_loop(&s->region->node[index]);
	}
	return any;
}

/* Gives consecutive values from `first` on, and one more of that type at place `place`, new numbers.  Returns the
 * first. */
static int renumber_with(struct edit *e, int first, int n, int place, const struct type *more)
{
	struct type type[LIMIT_ARGS + 2];
	int at;

	for (int i = 0; i < n; i++)
		type[i + (i >= place)] = *edit_type(e, first + i);
	type[place] = *more;
	at = edit_new_values(e, type, n + 1);
	for (int i = 0; i < n; i++)
		edit_replace(e, first + i, at + i + (i >= place));
	return at;
}

static int *longer(struct edit *e, const int *list, int n, int at, int value)
{
	int *out = NEW(e->arena, int, n + 1);

	for (int i = 0; i < n; i++)
		out[i + (i >= at)] = list[i];
	out[at] = value;
	return out;
}

bool edit_add_counter(struct edit *e, const struct site *s, int *counter)
{
	const struct type index = {.dtype = DTYPE_I64};
	struct node_loop l = node_loop(s->node);
	struct node *n;
	int zero, one, next, at;

	if (!l.is_loop || s->node->op == OP_FIXED_POINT || s->node->n_arg == LIMIT_ARGS ||
	    s->node->n_out == LIMIT_ARGS || l.body->n_param == LIMIT_ARGS)
		return false;
	zero = edit_insert_fill(e, s->region, s->index, &index, 0);
	n = &s->region->node[s->index + 1];
	l = node_loop(n);
	at = l.n_carry;
	n->arg = longer(e, n->arg, n->n_arg, l.first_arg + at, zero);
	n->n_arg++;
	n->out = renumber_with(e, n->out, n->n_out, at, &index);
	n->n_out++;
	n->attrs.carries += n->op == OP_SCAN;
	l.body->param = renumber_with(e, l.body->param, l.body->n_param, l.n_index + at, &index);
	l.body->n_param++;
	if (l.condition) {
		l.condition->param = renumber_with(e, l.condition->param, l.condition->n_param, at, &index);
		l.condition->n_param++;
	}
	*counter = l.body->param + l.n_index + at;
	one = edit_insert_fill(e, l.body, 0, &index, 1);
	next = edit_insert_binary(e, l.body, l.body->n_node, OP_ADD, *counter, one, &index);
	l.body->result = longer(e, l.body->result, l.body->n_result, at, next);
	l.body->n_result++;
	return true;
}

bool edit_add_rows(struct edit *e, const struct site *s, const struct tensor *rows, int *row)
{
	struct type type = {rows->type.dtype, {rows->type.shape.rank - 1, {0}}};
	struct node_loop l = node_loop(s->node);
	struct node *n;
	int constant;

	if (s->node->op != OP_SCAN || s->node->n_arg == LIMIT_ARGS)
		return false;
	for (int d = 0; d < type.shape.rank; d++)
		type.shape.extent[d] = rows->type.shape.extent[d + 1];
	constant = edit_insert_constant(e, s->region, s->index, rows);
	n = &s->region->node[s->index + 1];
	l = node_loop(n);
	n->arg = longer(e, n->arg, n->n_arg, n->n_arg, constant);
	n->n_arg++;
	l.body->param = renumber_with(e, l.body->param, l.body->n_param, l.body->n_param, &type);
	*row = l.body->param + l.body->n_param++;
	return true;
}

bool edit_count_by_carry(struct edit *e, const struct site *s)
{
	const struct node_loop l = node_loop(s->node);
	struct region *body = l.body;
	int counter;

	if (!l.n_index || !region_reads(l.body, l.body->param) || !edit_add_counter(e, s, &counter))
		return false;
	edit_replace(e, body->param, counter);
	return true;
}

bool edit_run_out(struct edit *e, const struct site *s)
{
	const struct node_loop l = node_loop(s->node);

	if (l.counted)
		return edit_set_trip(e, s, node_max_trip(s->node));
	if (!l.is_loop || !s->node->attrs.until || s->node->op == OP_FIXED_POINT)
		return false;
	s->node->attrs.until = false;
	l.body->n_result--;
	return true;
}
