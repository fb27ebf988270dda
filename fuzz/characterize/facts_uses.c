/* facts_uses.c: which nodes read differentiated values, which values a derivative needs, and the degree of results. */
#include <limits.h>
#include <string.h>

#include "facts.h"
#include "fuzz/edit/edit.h"

enum { DEGREE_MOST = 4 }; /* also stands for higher degrees and for values that are no polynomials */

struct uses {
	struct facts *f;
	int *n, *last;  /* [n_value] live uses; position of the last */
	int *maker;     /* [n_value] the op that computes it; -1: a parameter */
	int *degree;    /* [n_value] in what is differentiated */
	bool *needed;   /* [n_value] a derivative needs the value */
	bool *by_index; /* [n_value] computed from the iteration number of a loop */
	int position;
	bool any_path; /* degrees along every path, run or not */
	int *first;    /* [n_value] position of the first live use, from 1 on */
};

static bool live_operand(const struct facts *f, const struct node *n, int k)
{
	return f->live[n->arg[k]] && facts_passes(f, n, k);
}

static bool live_node(const struct facts *f, const struct node *n)
{
	for (int i = 0; i < n->n_out; i++)
		if (f->live[n->out + i])
			return true;
	return false;
}

/* ---- how often, and in which order ---- */

static void count_region(struct uses *u, const struct region *r)
{
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		int at = ++u->position;

		for (int k = 0; k < n->n_out; k++)
			u->maker[n->out + k] = (int)n->op;
		for (int w = 0; w < n->n_region; w++)
			if (facts_ran(u->f, &n->region[w]))
				count_region(u, &n->region[w]);
		for (int k = 0; k < n->n_arg && live_node(u->f, n); k++)
			if (live_operand(u->f, n, k)) {
				u->n[n->arg[k]]++;
				if (!u->first[n->arg[k]])
					u->first[n->arg[k]] = at;
				u->last[n->arg[k]] = at;
			}
	}
	for (int k = 0; k < r->n_result; k++) {
		u->n[r->result[k]]++;
		u->last[r->result[k]] = r == &u->f->c->program.top ? INT_MAX : u->position;
	}
}

/* A feature of an op: before and after are what a sentence says around its name. */
static void name_use(struct facts *f, const char *how, enum op op, const char *before, const char *after)
{
	facts_name(f, arena_printf(f->arena, "%s %s", how, op_table[op].name),
	    arena_printf(f->arena, "%s%s%s", before, op_table[op].name, after));
}

static void name_region(struct uses *u, const struct region *r)
{
	struct facts *f = u->f;
	const struct region *top = &f->c->program.top;

	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		int at = ++u->position;
		bool live = live_node(f, n);

		for (int w = 0; w < n->n_region; w++)
			if (facts_ran(f, &n->region[w]))
				name_region(u, &n->region[w]);
		for (int k = 0; k < n->n_arg && live; k++) {
			int v = n->arg[k];

			if (!live_operand(f, n, k))
				continue;
			if (u->n[v] > 1) {
				f->at[FEATURE_ACCUMULATED] = true;
				name_use(
				    f, "shares", n->op, "an operand of ", " is differentiated along another path too");
			}
			if (u->last[v] > at) {
				f->at[FEATURE_SHARED_LATER] = true;
				name_use(f, "shares-later", n->op, "a differentiated operand of ",
				    " is read again by a later operation");
			}
			if (u->first[v] && u->first[v] < at) {
				f->at[FEATURE_SHARED_EARLIER] = true;
				name_use(f, "shares-earlier", n->op, "a differentiated operand of ",
				    " is read by an earlier operation too");
			}
			if (v >= top->param && v < top->param + top->n_param)
				name_use(f, "enters", n->op, "", " reads a differentiated input");
		}
		if (n->op == OP_MUL && live && f->run && live_operand(f, n, 0) && live_operand(f, n, 1))
			f->at[FEATURE_ZERO_LIVE_FACTOR] |= f->zero_factor[0][n->out] || f->zero_factor[1][n->out];
		for (int k = 0; k < n->n_out && live; k++)
			for (int j = 0; j < top->n_result; j++)
				if (top->result[j] == n->out + k)
					name_use(f, "returns", n->op, "the result of ", " is a result of the program");
	}
}

/* ---- values that a derivative needs ---- */

/* Whether the derivative of n needs its operand k as a number. */
static bool needs_operand(const struct facts *f, const struct node *n, int k)
{
	bool others = false;

	if (op_table[n->op].family == FAMILY_GATHER || op_table[n->op].family == FAMILY_TAKE_ALONG_AXIS ||
	    op_table[n->op].family == FAMILY_SCATTER || op_table[n->op].family == FAMILY_DYNAMIC_SLICE ||
	    op_table[n->op].family == FAMILY_DYNAMIC_UPDATE_SLICE)
		if (!dtype_is_float(f->c->program.type[n->arg[k]].dtype))
			return true;
	if (op_table[n->op].regularity != REGULARITY_SMOOTH)
		return false;
	for (int i = 0; i < n->n_arg; i++)
		others |= i != k && live_operand(f, n, i);
	if (n->op == OP_MUL || n->op == OP_MATMUL || (n->op == OP_DIV && k == 0))
		return others;
	return true;
}

static void find_needed(struct uses *u)
{
	for (struct walk w = walk_nodes(&u->f->c->program.top); walk_next(&w);)
		for (int k = 0; k < w.node->n_arg && !w.node->n_region && live_node(u->f, w.node); k++)
			u->needed[w.node->arg[k]] |= needs_operand(u->f, w.node, k);
}

static bool is_view(enum family f)
{
	return f == FAMILY_RESHAPE || f == FAMILY_SQUEEZE || f == FAMILY_TRANSPOSE || f == FAMILY_SLICE ||
	    f == FAMILY_REVERSE || f == FAMILY_BROADCAST_TO;
}

/* If a view is needed, so is the value that it shows.  Goes backwards, so that one sweep is enough. */
static void see_through_views(struct uses *u, const struct region *r, bool *seen)
{
	for (int i = r->n_node - 1; i >= 0; i--) {
		const struct node *n = &r->node[i];

		for (int w = 0; w < n->n_region; w++)
			see_through_views(u, &n->region[w], seen);
		if (is_view(op_table[n->op].family) && seen[n->out])
			seen[n->arg[0]] = true;
	}
}

/* If the value that starts a carry is needed, so is the carry, which has that value first. */
static void see_carries(const struct region *top, bool *seen)
{
	for (struct walk w = walk_nodes(top); walk_next(&w);) {
		const struct node_loop l = node_loop(w.node);

		for (int k = 0; k < l.n_carry; k++)
			seen[l.first_param + k] |= seen[w.node->arg[l.first_arg + k]];
	}
}

/* Adds to made[] every value computed from values in it; with `index`, also from the iteration numbers of loops. */
static void spread(const struct region *r, bool *made, bool index)
{
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		const struct node_loop l = node_loop(n);
		bool any = false;

		if (l.is_loop && l.n_index && index)
			made[l.body->param] = true;
		for (int k = 0; l.is_loop && k < l.n_carry && !index; k++)
			made[l.first_param + k] |= made[n->arg[l.first_arg + k]];
		for (int w = 0; w < n->n_region; w++) {
			spread(&n->region[w], made, index);
			for (int k = 0; k < n->region[w].n_result && !l.is_loop; k++)
				any |= made[n->region[w].result[k]];
		}
		for (int k = 0; k < n->n_arg; k++)
			any |= made[n->arg[k]];
		for (int k = 0; k < n->n_out; k++)
			made[n->out + k] |= any;
	}
}

/* seen: needed, through views too; by_input: computed from an input. */
static void say_needed(struct facts *f, const bool *seen, const bool *by_input)
{
	for (struct walk w = walk_nodes(&f->c->program.top); walk_next(&w);) {
		f->at[FEATURE_BUFFER_NEEDED] |= w.node->op == OP_STORE && seen[w.node->arg[0]];
		f->at[FEATURE_PREDICATE_DEPENDS] |= w.node->op == OP_COND && by_input[w.node->arg[0]];
	}
}

enum carries { CARRIES_FLOAT, CARRIES_LATER, CARRIES_INTEGER, ROWS };

/* Marks the values in loops that are computed from a float carry; from one other than the first; from one that is no
 * float; or from a per-iteration input. */
static void mark_carries(const struct program *p, enum carries which, bool *marked)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);) {
		const struct node_loop l = node_loop(w.node);

		for (int k = 0; k < l.n_xs && which == ROWS; k++)
			marked[l.first_param + l.n_carry + k] = true;
		for (int k = which == CARRIES_LATER; k < l.n_carry && which != ROWS; k++)
			marked[l.first_param + k] = which == CARRIES_LATER ||
			    dtype_is_float(p->type[l.first_param + k].dtype) == (which == CARRIES_FLOAT);
	}
	spread(&p->top, marked, false);
}

/* Marks the values that are computed from the element of a scatter_apply. */
static void mark_applied(const struct program *p, bool *marked)
{
	for (struct walk w = walk_nodes(&p->top); walk_next(&w);)
		if (w.node->op == OP_SCATTER_APPLY)
			marked[w.node->region[0].param] = true;
	spread(&p->top, marked, false);
}

static void of_needed(struct uses *u)
{
	struct facts *f = u->f;
	const struct program *p = &f->c->program;
	bool *seen, *by_input = NEW(f->arena, bool, p->n_value + 1), *later = NEW(f->arena, bool, p->n_value + 1);
	bool *integer = NEW(f->arena, bool, p->n_value + 1), *applied = NEW(f->arena, bool, p->n_value + 1),
	     *carried = NEW(f->arena, bool, p->n_value + 1), *row = NEW(f->arena, bool, p->n_value + 1);

	find_needed(u);
	spread(&p->top, u->by_index, true);
	for (int i = 0; i < p->top.n_param; i++)
		by_input[p->top.param + i] = true;
	spread(&p->top, by_input, false);
	mark_carries(p, CARRIES_FLOAT, carried);
	mark_carries(p, ROWS, row);
	mark_carries(p, CARRIES_LATER, later);
	mark_carries(p, CARRIES_INTEGER, integer);
	mark_applied(p, applied);
	for (int v = 0; v < p->n_value; v++) {
		f->at[FEATURE_CARRY_NEEDED] |= u->needed[v] && carried[v];
		f->at[FEATURE_ROW_NEEDED] |= u->needed[v] && row[v];
		f->at[FEATURE_LATER_CARRY_NEEDED] |= u->needed[v] && later[v];
		f->at[FEATURE_APPLY_NEEDED] |= u->needed[v] && applied[v];
		f->at[FEATURE_INTEGER_CARRY_NEEDED] |= u->needed[v] && integer[v];
		f->at[FEATURE_INDEX_NEEDED] |= u->needed[v] && u->by_index[v] &&
		    (!f->run || f->changes[v] || u->maker[v] < 0);
		if (u->needed[v] && u->maker[v] >= 0 && u->maker[v] != OP_CONSTANT)
			name_use(f, "needs", (enum op)u->maker[v], "the derivative needs the value that ", " computed");
	}
	seen = arena_copy(f->arena, u->needed, (size_t)p->n_value + 1, sizeof *seen);
	see_through_views(u, &p->top, seen);
	see_carries(&p->top, seen);
	say_needed(f, seen, by_input);
}

/* ---- degree ---- */

static int at_most(int degree) { return degree < DEGREE_MOST ? degree : DEGREE_MOST; }

static int degree_of(const struct uses *u, const struct node *n)
{
	int most = 0, sum = 0, second = 0;

	for (int k = 0; k < n->n_arg; k++) {
		int d = u->any_path || live_operand(u->f, n, k) ? u->degree[n->arg[k]] : 0;

		most = d > most ? d : most;
		sum += d;
		second = k == 1 ? d : second;
	}
	switch (n->op) {
	case OP_MUL:
	case OP_MATMUL:
	case OP_SCATTER_MUL:
		return at_most(sum);
	case OP_SQUARE:
		return at_most(2 * sum);
	case OP_DIV:
		return second ? DEGREE_MOST : most;
	default:
		break;
	}
	return op_table[n->op].regularity == REGULARITY_SMOOTH && most ? DEGREE_MOST : most;
}

static void degrees(struct uses *u, const struct region *r);

static void degrees_of_loop(struct uses *u, const struct node *n, const struct node_loop *l)
{
	const int trips = u->any_path            ? 1
	    : !facts_ran(u->f, l->body)          ? 0
	    : node_max_trip(n) < DEGREE_MOST + 1 ? node_max_trip(n)
	                                         : DEGREE_MOST + 1;

	for (int i = 0; i < l->n_carry; i++)
		u->degree[n->out + i] = u->degree[n->arg[l->first_arg + i]];
	for (int i = 0; i < l->n_xs; i++)
		u->degree[l->body->param + l->n_carry + i] = u->degree[n->arg[l->n_carry + i]];
	for (int t = 0; t < trips; t++) {
		for (int i = 0; i < l->n_carry; i++)
			u->degree[l->first_param + i] = u->degree[n->out + i];
		degrees(u, l->body);
		for (int i = 0; i < l->n_carry; i++)
			u->degree[n->out + i] = u->degree[l->body->result[i]];
	}
	for (int i = 0;
	     i < l->n_carry && u->any_path && u->f->run && facts_unentered(u->f, n) && u->f->live[n->out + i]; i++)
		u->f->at[FEATURE_UNENTERED_NONLINEAR] |= u->degree[l->body->result[i]] > 1;
	for (int i = 0; i < l->n_ys && trips; i++)
		u->degree[n->out + l->n_carry + i] = u->degree[l->body->result[l->n_carry + i]];
}

static void degrees_of_regions(struct uses *u, const struct node *n)
{
	for (int w = 0; w < n->n_region && !(n->op == OP_CUSTOM && w); w++) {
		const struct region *r = &n->region[w];

		if (!u->any_path && !facts_ran(u->f, r))
			continue;
		for (int i = 0; i < r->n_param && i < n->n_arg; i++)
			u->degree[r->param + i] = u->degree[n->arg[i]];
		degrees(u, r);
		for (int i = 0; i < r->n_result && i < n->n_out; i++)
			if (u->degree[r->result[i]] > u->degree[n->out + i])
				u->degree[n->out + i] = u->degree[r->result[i]];
	}
}

static void degrees(struct uses *u, const struct region *r)
{
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		const struct node_loop l = node_loop(n);

		if (l.is_loop)
			degrees_of_loop(u, n, &l);
		else if (n->n_region)
			degrees_of_regions(u, n);
		for (int k = 0; k < n->n_out && !n->n_region; k++)
			u->degree[n->out + k] = (u->any_path ? u->f->reached : u->f->live)[n->out + k] ? degree_of(u, n)
			                                                                               : 0;
	}
}

static void of_degree(struct uses *u)
{
	struct facts *f = u->f;
	const struct region *top = &f->c->program.top;
	int most = 0;

	for (int i = 0; i < top->n_param; i++)
		u->degree[top->param + i] = f->live[top->param + i];
	degrees(u, top);
	for (int i = 0; i < top->n_result; i++)
		most = u->degree[top->result[i]] > most ? u->degree[top->result[i]] : most;
	u->any_path = true;
	for (int i = 0; i < top->n_param; i++)
		u->degree[top->param + i] = f->reached[top->param + i];
	degrees(u, top);
	f->at[FEATURE_NONLINEAR] = most > 1;
	f->at[FEATURE_OVER_QUADRATIC] = most > 2;
	f->at[FEATURE_OVER_CUBIC] = most > 3;
}

/* ---- from a slice to a sum ---- */

/* Whether n is elementwise and treats all elements of an operand in from[] alike. */
static bool hands_on(const struct facts *f, const struct node *n, const bool *from)
{
	const struct type *type = f->c->program.type;
	enum family family = op_table[n->op].family;
	bool any = false;

	if (n->n_out != 1 || (family != FAMILY_UNARY && family != FAMILY_BINARY && family != FAMILY_CAST))
		return false;
	for (int k = 0; k < n->n_arg; k++) {
		any |= from[n->arg[k]] && shape_equal(&type[n->arg[k]].shape, &type[n->out].shape);
		if (!from[n->arg[k]] && shape_elements(&type[n->arg[k]].shape) > 1)
			return false;
	}
	return any;
}

/* Marks in from[] the values that are computed from the result of slice_scatter `of` element by element. */
static void follow_slice(struct facts *f, const struct node *of, const struct region *r, bool *from)
{
	const struct type *type = f->c->program.type;

	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];

		for (int w = 0; w < n->n_region; w++) {
			follow_slice(f, of, &n->region[w], from);
			for (int k = 0; k < n->n_out && k < n->region[w].n_result; k++)
				from[n->out + k] |= from[n->region[w].result[k]];
		}
		if (hands_on(f, n, from))
			from[n->out] = true;
		if ((n->op != OP_REDUCE_SUM && n->op != OP_REDUCE_MEAN) || !from[n->arg[0]])
			continue;
		for (int d = 0; d < n->attrs.n_axes; d++) {
			int axis = n->attrs.axes[d];

			f->at[FEATURE_SLICED_THEN_SUMMED] |= type[of->arg[1]].shape.extent[axis] <
			    type[of->arg[0]].shape.extent[axis];
		}
	}
}

static void of_slices(struct facts *f)
{
	const struct region *r, *top = &f->c->program.top;

	for (struct walk w = walk_nodes(top); (r = walk_region(&w));)
		for (int i = 0; i < r->n_node && (r == top || facts_ran(f, r)); i++) {
			const struct node *n = &r->node[i];
			bool *from;

			if (n->op != OP_SLICE_SCATTER || !f->live[n->out])
				continue;
			from = NEW(f->arena, bool, f->c->program.n_value + 1);
			from[n->out] = true;
			follow_slice(f, n, top, from);
		}
}

void facts_of_uses(struct facts *f)
{
	const int n = f->c->program.n_value + 1;
	struct uses u = {f, NEW(f->arena, int, n), NEW(f->arena, int, n), NEW(f->arena, int, n), NEW(f->arena, int, n),
	    NEW(f->arena, bool, n), NEW(f->arena, bool, n), 0, false, NEW(f->arena, int, n)};

	memset(u.maker, -1, (size_t)n * sizeof *u.maker);
	count_region(&u, &f->c->program.top);
	for (int v = 0; v < f->c->program.n_value; v++) {
		const int uses = f->live[v] ? u.n[v] : 0;

		f->at[FEATURE_USES_OVER_TWO] |= uses > 2;
		f->at[FEATURE_USES_OVER_THREE] |= uses > 3;
		f->at[FEATURE_USES_OVER_FOUR] |= uses > 4;
		f->at[FEATURE_USES_OVER_FIVE] |= uses > 5;
		f->at[FEATURE_USES_OVER_SEVEN] |= uses > 7;
	}
	u.position = 0;
	name_region(&u, &f->c->program.top);
	of_needed(&u);
	of_degree(&u);
	of_slices(f);
}
