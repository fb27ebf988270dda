/* loops.c: experiments with the trip counts, kinds and bodies of loops. */
#include <string.h>

#include "graph/walk.h"
#include "fuzz/edit/formula.h"
#include "lab_edit.h"

/* ---- trip counts ---- */

static const int few[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17};
enum { FEW = sizeof few / sizeof *few, TRIPS = FEW + LAB_SIZES };

/* The trip counts to try in place of n: a few, and if n is larger, those around it.  Returns how many. */
static int trips_for(int n, int trip[TRIPS])
{
	int near[LAB_SIZES], n_near = n > few[FEW - 1] ? lab_sizes_near(n, near) : 0, n_trip = FEW;

	memcpy(trip, few, sizeof few);
	for (int i = 0; i < n_near; i++)
		if (near[i] > few[FEW - 1])
			trip[n_trip++] = near[i];
	return n_trip;
}

static void try_trips(struct lab *l, const struct testcase *c, const char *of)
{
	struct edit e = lab_edit_of(l, c);
	struct site s;
	int loops = 0;

	for (struct walk w = walk_nodes(&e.c.program.top); edit_next(&e, &w, &s);)
		loops += node_loop(s.node).is_loop;
	for (int which = 0; which < loops; which++) {
		int trip[TRIPS], n_trip = FEW;

		for (int t = 0; t < n_trip; t++) {
			int left = which, k = -1;

			e = lab_edit_of(l, c);
			while (left >= 0 && edit_site(&e, ++k, &s))
				left -= node_loop(s.node).is_loop;
			if (!t)
				n_trip = trips_for(node_max_trip(s.node), trip);
			if (edit_set_trip(&e, &s, trip[t]))
				lab_try(l, &e,
				    (const char *const[]){
				        LAB_TEXT(l, "%d (%s)%s", which, op_table[s.node->op].name, of),
				        LAB_TEXT(l, "%d", trip[t])});
		}
	}
}

void experiment_trips(struct lab *l)
{
	lab_columns(l, (const char *const[]){"loop", "iterations"}, 2);
	try_trips(l, l->base, "");
	if (l->typical == l->base)
		return;
	explanation_aside(l->explain, true, false);
	try_trips(l, l->typical, ", typical");
	explanation_aside(l->explain, false, true);
}

/* ---- kinds of loops ---- */

/* Replaces the parameters of `body` by `lead` i64 scalars, the carries, and `tail` i64 scalars. */
static int new_params(struct edit *e, struct region *body, const struct node_loop *loop, int lead, int tail)
{
	struct type type[LIMIT_ARGS + 2], index = {DTYPE_I64, shape_scalar()};
	int n = 0, first;

	for (int i = 0; i < lead; i++)
		type[n++] = index;
	for (int i = 0; i < loop->n_carry; i++)
		type[n++] = *edit_type(e, body->param + loop->n_index + i);
	for (int i = 0; i < tail; i++)
		type[n++] = index;
	first = edit_new_values(e, type, n);
	for (int i = 0; i < loop->n_carry; i++)
		edit_replace(e, body->param + loop->n_index + i, first + lead + i);
	/* the index is the first or the last new parameter; without one its uses are undefined and the variant is
	 * dropped */
	if (loop->n_index)
		edit_replace(e, body->param, lead ? first : tail ? first + n - 1 : body->param);
	body->param = first;
	body->n_param = n;
	return first;
}

/* Rewrites the loop at s as a loop of that op with n iterations. */
static bool make_kind(struct edit *e, const struct site *s, const struct node_loop *loop, enum op op, int n)
{
	struct region body = *loop->body, condition = {0};
	struct type boolean = {DTYPE_BOOL, shape_scalar()}, index = {DTYPE_I64, shape_scalar()};
	int *arg = NEW(e->arena, int, LIMIT_ARGS + 1), n_result = loop->n_carry, value, types_first, zero;
	struct node *node;

	if (loop->n_xs || loop->n_ys || loop->n_carry >= LIMIT_ARGS - 2)
		return false;
	zero = edit_insert_fill(e, s->region, s->index, &index, 0);
	node = &s->region->node[s->index + 1];
	memcpy(arg, node->arg + loop->first_arg, (size_t)loop->n_carry * sizeof *arg);
	body.result = NEW(e->arena, int, LIMIT_ARGS + 1);
	memcpy(body.result, loop->body->result, (size_t)n_result * sizeof *body.result);
	node->attrs = (struct attrs){.trip = n, .cap = n, .carries = loop->n_carry, .meaning = MEANING_STEPS};
	node->n_arg = loop->n_carry;
	node->arg = arg;
	switch (op) {
	case OP_FOR:
		new_params(e, &body, loop, 1, 0);
		node->attrs.cap = node->attrs.carries = 0;
		break;
	case OP_SCAN:
		new_params(e, &body, loop, 0, 0);
		node->attrs.cap = 0;
		break;
	case OP_FIXED_POINT:
		new_params(e, &body, loop, 0, 0);
		body.result[n_result++] = edit_insert_fill(e, &body, body.n_node, &boolean, 0);
		break;
	default: { /* OP_WHILE: a new carry counts the iterations */
		int count;
		struct type types[LIMIT_ARGS + 1];

		value = new_params(e, &body, loop, 0, 1) + loop->n_carry;
		count = edit_insert_fill(e, &body, body.n_node, &index, 1);
		body.result[n_result++] = edit_insert_binary(e, &body, body.n_node, OP_ADD, value, count, &index);
		for (int i = 0; i < body.n_param; i++)
			types[i] = *edit_type(e, body.param + i);
		condition.n_param = body.n_param;
		types_first = edit_new_values(e, types, body.n_param);
		condition.param = types_first;
		count = edit_insert_fill(e, &condition, 0, &index, n);
		condition.result = NEW(e->arena, int, 1);
		condition.result[0] = edit_insert_binary(
		    e, &condition, 1, OP_LT, types_first + loop->n_carry, count, &boolean);
		condition.n_result = 1;
		node->attrs.cap = 2 * n + 1;
		break;
	}
	}
	body.n_result = n_result;
	node->region = NEW(e->arena, struct region, 2);
	node->n_region = 1 + (op == OP_WHILE);
	node->region[op == OP_WHILE] = body;
	if (op == OP_WHILE)
		node->region[0] = condition;
	node->op = op;
	if (op == OP_WHILE) { /* one more result: the results get new numbers, and the counter starts at 0 */
		struct type types[LIMIT_ARGS + 1];
		int old = node->out;

		for (int i = 0; i < loop->n_carry; i++)
			types[i] = *edit_type(e, old + i);
		types[loop->n_carry] = index;
		node->out = edit_new_values(e, types, loop->n_carry + 1);
		node->n_out = loop->n_carry + 1;
		for (int i = 0; i < loop->n_carry; i++)
			edit_replace(e, old + i, node->out + i);
		arg[node->n_arg++] = zero;
	}
	return true;
}

void experiment_loops(struct lab *l)
{
	static const enum op kinds[] = {OP_FOR, OP_WHILE, OP_SCAN, OP_FIXED_POINT};

	lab_columns(l, (const char *const[]){"loop", "iterations"}, 2);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (int n = 2; n <= 3; n++) {
			struct edit e = lab_edit(l);
			struct site s;
			struct node_loop loop;
			int carry;

			if (!lab_find_loop(&e, &s, &loop, &carry))
				return;
			if (loop.until && kinds[k] != OP_FIXED_POINT &&
			    op_table[s.node->op].family != FAMILY_FIXED_POINT)
				continue;
			if (make_kind(&e, &s, &loop, kinds[k], n))
				lab_try(l, &e, (const char *const[]){op_table[kinds[k]].name, LAB_TEXT(l, "%d", n)});
		}
}

/* ---- loop bodies ---- */

/* One iteration: c is the carry, which begins at 1; x and y are inputs. */
static const char *const bodies[] = {"c + x", "c * 2", "sin(c)", "c * c", "c + x^2", "c * x", "c / x", "sin(c * x)",
    "c + c * x", "c * (x - 2)", "c * (-x)", "c * c + x", "sin(c) + x", "c * 2 + x", "x - c", "x / c", "c * exp(x)",
    "tanh(c + x)", "c * x + y"};
enum { BODIES = sizeof bodies / sizeof *bodies };

/* Judges the first loop of the case with another body.  The carry starts at 1.  Inputs x and, if used, y = 2 have the
 * carry's type. */
static void try_body(struct lab *l, const char *body, int n, double x, bool by_y)
{
	struct edit e = lab_edit(l);
	struct site s;
	struct node_loop loop;
	struct type type;
	struct tensor at;
	int carry, value, input, other = -1, wrt;
	bool has_y = strchr(body, 'y') != NULL;

	if (!lab_find_loop(&e, &s, &loop, &carry))
		return;
	type = *edit_type(&e, s.node->arg[loop.first_arg + carry]);
	at = tensor_new(e.arena, &type);
	edit_fill(&at, x);
	input = edit_add_input(&e, &at, false);
	wrt = e.c.program.top.n_param - 1;
	if (has_y) {
		edit_fill(&at, 2);
		other = edit_add_input(&e, &at, false);
		input = e.c.program.top.param + wrt; /* inputs were numbered anew */
		wrt += by_y;
	}
	if (!edit_set_trip(&e, &s, n))
		return;
	loop = node_loop(s.node);
	if (!formula_build(&e, loop.body, body,
	        (const struct text_name[]){{"c", loop.body->param + loop.n_index + carry}, {"x", input}, {"y", other}},
	        2 + has_y, type.dtype, &value))
		return;
	loop.body->result[carry] = value;
	e.c.program.top.result[0] = s.node->out + carry;
	e.c.program.top.n_result = 1;
	value = edit_insert_fill(&e, s.region, s.index, &type, 1);
	s.region->node[s.index + 1].arg[loop.first_arg + carry] = value; /* the loop has moved by one node */
	lab_wrt(&e, &wrt, 1);
	lab_try(l, &e, (const char *const[]){body, LAB_TEXT(l, "%d", n), lab_number(l, x), by_y ? "y" : "x"});
}

void experiment_bodies(struct lab *l)
{
	static const double points[] = {0.5, 1.5, 0.3, 0.7};
	static const int counts[] = {3, 2, 4};
	static const double sweep[] = {0.001, 0.01, 0.1, 1, 2};
	const char *simplest = NULL;

	lab_columns(l, (const char *const[]){"body", "iterations", "x", "by"}, 4);
	for (int p = 0; p < 4; p++)
		for (int n = 0; n < 3; n++)
			for (int b = 0; b < BODIES; b++) {
				try_body(l, bodies[b], counts[n], points[p], false);
				if (strchr(bodies[b], 'y') && !p)
					try_body(l, bodies[b], counts[n], points[p], true);
			}
	lab_settle(l);
	/* the first that fails, over a geometric sweep */
	for (int i = 0; i < l->table->n_row && !simplest; i++)
		if (row_fails(&l->table->row[i], NULL))
			simplest = l->table->row[i].cell[0];
	for (size_t p = 0; simplest && p < sizeof sweep / sizeof *sweep; p++)
		try_body(l, simplest, counts[0], sweep[p], false);
}
