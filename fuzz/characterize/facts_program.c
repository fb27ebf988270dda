/* facts_program.c: features of operands, values, and ops that are differentiated. */
#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "fuzz/edit/edit.h"
#include "fuzz/edit/operand_name.h"

static bool is_float(const struct facts *f, int value) { return dtype_is_float(f->c->program.type[value].dtype); }

/* ---- nodes ---- */

/* which: an operand, which the sentence calls by what it is to the op; -1: none. */
static void name_op(struct facts *f, const char *how, const struct node *n, int which)
{
	const char *op_name = op_table[n->op].name;

	if (which < 0)
		facts_name(f, arena_printf(f->arena, "%s %s", how, op_name),
		    arena_printf(f->arena, "%s is %s", op_name, !strcmp(how, "derives") ? "differentiated" : how));
	else
		facts_name(f, arena_printf(f->arena, "%s %s %d", how, op_name, which),
		    arena_printf(f->arena, "the %s of %s is %s", operand_name(n, which, f->arena), op_name,
		        !strcmp(how, "traces")       ? "differentiated"
		            : !strcmp(how, "passes") ? "differentiated and contributes to the result"
		                                     : "not differentiated"));
}

static void add_role(struct facts *f, const char *words, const struct node *n)
{
	const char *role = arena_printf(f->arena, "%s of %s", words, op_table[n->op].name);

	for (int i = 0; i < f->n_role; i++)
		if (!strcmp(f->role[i], role))
			return;
	if (f->n_role < FACTS_ROLES)
		f->role[f->n_role++] = role;
}

/* Names the operands and captured values through which derivatives flow. */
static void name_roles(struct facts *f, const struct node *n)
{
	for (int k = 0; k < n->n_arg; k++)
		if (is_float(f, n->arg[k]) && f->live[n->arg[k]] && facts_passes(f, n, k))
			add_role(f, operand_name(n, k, f->arena), n);
	for (int v = 0; v < f->c->program.n_value && captured_name(n->op); v++) {
		bool reads = false;

		for (int w = 0; w < n->n_region && f->varied[v]; w++)
			reads |= !region_defines(&n->region[w], v) && region_reads(&n->region[w], v) &&
			    facts_ran(f, &n->region[w]);
		if (reads)
			add_role(f, captured_words(n, v, true), n);
	}
}

static void of_operands(struct facts *f, const struct node *n)
{
	const struct type *type = f->c->program.type;
	int floats = 0, varied = 0, live = 0, rank = -1;
	bool gap = false;

	for (int i = 0; i < n->n_arg; i++) {
		const struct type *t = &type[n->arg[i]];

		if (!dtype_is_float(t->dtype))
			continue;
		floats++;
		if (!f->varied[n->arg[i]]) {
			gap = true;
			continue;
		}
		varied++;
		f->at[FEATURE_SECOND_OPERAND_ONLY] |= gap;
		live += f->live[n->arg[i]] && facts_passes(f, n, i);
		f->at[FEATURE_RANKS_DIFFER] |= rank >= 0 && rank != t->shape.rank;
		rank = t->shape.rank;
		for (int k = 0; k < i; k++)
			if (n->arg[k] == n->arg[i] && facts_passes(f, n, i) && facts_passes(f, n, k)) {
				f->at[FEATURE_OPERANDS_SAME] = true;
				facts_name(f, arena_printf(f->arena, "repeats %s", op_table[n->op].name),
				    arena_printf(f->arena, "two operands of %s are the same differentiated value",
				        op_table[n->op].name));
				f->at[FEATURE_ELEMENTWISE_WITH_ITSELF] |= op_table[n->op].family == FAMILY_BINARY;
				f->at[FEATURE_COMMUTES_WITH_ITSELF] |= n->op == OP_ADD || n->op == OP_MUL ||
				    n->op == OP_MAX || n->op == OP_MIN || n->op == OP_MATMUL;
			}
		if (n->n_out && op_table[n->op].n_arg > 1 && !n->n_region) {
			f->at[FEATURE_SHAPE_SPREAD] |= facts_passes(f, n, i) &&
			    !shape_equal(&t->shape, &type[n->out].shape) &&
			    (op_table[n->op].family == FAMILY_BINARY || op_table[n->op].family == FAMILY_SELECT ||
			        op_table[n->op].family == FAMILY_CLAMP);
			f->at[FEATURE_SCALAR_SPREAD] |= facts_passes(f, n, i) &&
			    shape_elements(&t->shape) < shape_elements(&type[n->out].shape) &&
			    op_table[n->op].family != FAMILY_CONCATENATE && op_table[n->op].family != FAMILY_PAD;
		}
	}
	if (n->op == OP_BROADCAST_TO && varied)
		f->at[FEATURE_SCALAR_SPREAD] = true;
	if (floats < 2)
		return;
	for (int i = 0; i < n->n_arg && i < FACTS_OPERANDS && varied; i++)
		if (dtype_is_float(type[n->arg[i]].dtype)) {
			name_op(f, f->reached[n->arg[i]] ? "traces" : "holds", n, i);
			if (f->live[n->arg[i]] && facts_passes(f, n, i))
				name_op(f, "passes", n, i);
		}
	if (n->n_region)
		return;
	f->at[FEATURE_ONE_OPERAND] |= varied == 1;
	f->at[FEATURE_ALL_OPERANDS] |= live == floats;
}

static void of_cast(struct facts *f, const struct node *n)
{
	const int from = dtype_table[f->c->program.type[n->arg[0]].dtype].precision,
	          to = dtype_table[n->attrs.dtype].precision;

	f->at[FEATURE_CASTS] |= f->c->program.type[n->arg[0]].dtype != n->attrs.dtype;
	f->at[FEATURE_CASTS_NARROWER] |= to && to < from;
	f->at[FEATURE_CASTS_WIDER] |= from && to > from;
}

static void of_attrs(struct facts *f, const struct node *n)
{
	const struct attrs *a = &n->attrs;
	const struct type *type = f->c->program.type, *x = n->n_arg ? &type[n->arg[0]] : NULL;
	enum family family = op_table[n->op].family;
	char name[96];

	if (op_table[n->op].attrs & ATTR_MODE) {
		snprintf(name, sizeof name, "%s %s", op_table[n->op].name, mode_names[a->mode]);
		facts_name(f, arena_printf(f->arena, "%s", name),
		    arena_printf(f->arena, "%s has mode %s", op_table[n->op].name, mode_names[a->mode]));
	}
	if (family == FAMILY_MATMUL)
		for (int i = 0; i < 2; i++)
			f->at[FEATURE_BATCHED_MATRICES] |= type[n->arg[i]].shape.rank > 2;
	if (family == FAMILY_SCATTER) {
		const struct shape *updates = &type[n->arg[2]].shape, *index = &type[n->arg[1]].shape;

		f->at[FEATURE_SPARE_UPDATES] |= updates->rank > a->axis && index->rank == 1 &&
		    updates->extent[a->axis] > index->extent[0];
	}
	if (family != FAMILY_SLICE && family != FAMILY_SLICE_SCATTER)
		return;
	for (int d = 0; d < x->shape.rank; d++) {
		int size = family == FAMILY_SLICE ? a->size[d] : type[n->arg[1]].shape.extent[d], stride = a->stride[d];
		int last = a->start[d] + (size - 1) * stride;

		if (size == x->shape.extent[d] && stride == 1)
			continue;
		f->at[FEATURE_SLICE_NOT_ALL] = true;
		f->at[FEATURE_SLICE_HAS_ZERO] |= size && (a->start[d] == 0 || last == 0);
		f->at[FEATURE_SLICE_STRIDED] |= stride != 1;
		f->at[FEATURE_SLICE_BACKWARDS] |= stride < 0;
		f->at[FEATURE_SLICE_OF_ONE] |= size == 1;
	}
}

/* Names the kind of a derivative, custom or fixed_point. */
static void name_kind(struct facts *f, const struct node *n)
{
	const char *op = op_table[n->op].name,
	           *kind = n->op == OP_FIXED_POINT ? meaning_names[n->attrs.meaning]
	                                           : derivative_names[n->attrs.transform];

	if (n->op == OP_DERIVATIVE || n->op == OP_CUSTOM || n->op == OP_FIXED_POINT)
		facts_name(f, arena_printf(f->arena, "%s %s", op, kind),
		    arena_printf(f->arena,
		        n->op == OP_FIXED_POINT  ? "the meaning of a %s is %s"
		            : n->op == OP_CUSTOM ? "a %s has a rule for %s"
		                                 : "a %s op in the program is a %s",
		        op, kind));
}

/* Differentiated inputs that n reads in another shape than that of its result, also if no derivative flows through n.
 */
static void of_inputs(struct facts *f, const struct node *n)
{
	const struct region *top = &f->c->program.top;
	const enum family family = op_table[n->op].family;

	if (family != FAMILY_BINARY && family != FAMILY_SELECT && family != FAMILY_CLAMP &&
	    family != FAMILY_BROADCAST_TO)
		return;
	for (int i = 0; i < n->n_arg; i++)
		f->at[FEATURE_INPUT_SPREAD] |= f->reached[n->arg[i]] && n->arg[i] >= top->param &&
		    n->arg[i] < top->param + top->n_param &&
		    !shape_equal(&f->c->program.type[n->arg[i]].shape, &f->c->program.type[n->out].shape);
}

struct surroundings {
	bool loop, cond, checkpoint, custom;
};

static void of_region(struct facts *f, const struct region *r, struct surroundings at);

/* Whether an op of the region does more than move, add, or scale by a constant. */
static bool has_nonlinear(const struct region *r)
{
	for (int i = 0; i < r->n_node; i++) {
		const struct node *n = &r->node[i];
		const enum regularity how = op_table[n->op].regularity;
		const bool linear = how == REGULARITY_LINEAR || how == REGULARITY_MOVE || n->op == OP_CONSTANT;

		if (!linear)
			return true;
	}
	return false;
}

/* Whether the value is cast to that dtype somewhere. */
static bool is_cast_to(const struct facts *f, int value, enum dtype d)
{
	for (struct walk w = walk_nodes(&f->c->program.top); walk_next(&w);)
		if (w.node->op == OP_CAST && w.node->arg[0] == value && w.node->attrs.dtype == d)
			return true;
	return false;
}

/* Names the nodes that read results of n; where derivatives count, those that are differentiated. */
static void of_readers(struct facts *f, const struct region *r, const struct node *n, bool values)
{
	for (int i = 0; i < r->n_node; i++)
		for (int k = 0; k < r->node[i].n_arg; k++) {
			const struct node *to = &r->node[i];

			if (to->arg[k] < n->out || to->arg[k] >= n->out + n->n_out ||
			    !(values || f->varied[to->arg[k]]))
				continue;
			facts_name(f,
			    arena_printf(f->arena, "feeds %s %s", op_table[n->op].name, op_table[to->op].name),
			    arena_printf(
			        f->arena, "%s reads the result of %s", op_table[to->op].name, op_table[n->op].name));
		}
}

static void of_node(struct facts *f, const struct region *r, const struct node *n, struct surroundings at)
{
	const struct node_loop l = node_loop(n);
	const bool values = !request_order(f->c->transform, f->c->n_transform);
	bool derived = false;
	struct surroundings inside = at;

	for (int i = 0; i < n->n_out; i++) /* by an operand or a capture */
		derived |= f->live[n->out + i] && (!f->run || f->run[n->out + i]);
	if (n->op != OP_CONSTANT && n->n_out && (!f->run || f->run[n->out]))
		facts_name(f, arena_printf(f->arena, "runs %s", op_table[n->op].name),
		    arena_printf(f->arena, "%s is executed", op_table[n->op].name));
	if (!f->run || (n->n_out && f->run[n->out]))
		name_kind(f, n);
	if (l.is_loop) {
		f->at[FEATURE_LOOP_COUNTED] |= l.first_arg > 0;
		for (int k = 0; k < l.n_carry; k++)
			f->at[FEATURE_CARRY_LOST] |= f->reached[n->arg[l.first_arg + k]] &&
			    !f->reached[l.body->result[k]] && (!f->run || f->run[l.body->result[k]]);
		if (derived) {
			f->at[FEATURE_LOOP_IN_LOOP] |= at.loop;
			facts_of_loop(f, n, &l);
		}
		inside.loop = true;
	}
	inside.cond |= n->op == OP_COND;
	inside.checkpoint |= n->op == OP_CHECKPOINT;
	inside.custom |= n->op == OP_CUSTOM;
	f->at[FEATURE_APPLY_NONLINEAR] |= derived && n->op == OP_SCATTER_APPLY && has_nonlinear(&n->region[0]);
	if (derived && n->op == OP_CUSTOM)
		f->at[FEATURE_CUSTOM_IN_LOOP] |= at.loop;
	if (n->op == OP_DERIVATIVE)
		f->at[FEATURE_INNER_CAPTURES] |= facts_captures_varied(f, &n->region[0]);
	for (int w = 0; w < n->n_region && !(n->op == OP_CUSTOM && w); w++)
		of_region(f, &n->region[w], inside);
	if (!f->run || (n->n_out && f->run[n->out]))
		of_inputs(f, n);
	if (n->op == OP_CAST && is_float(f, n->arg[0]) && !is_float(f, n->out) && n->attrs.dtype != DTYPE_BOOL &&
	    (!f->run || f->run[n->out])) {
		f->at[FEATURE_CASTS_TO_INTEGER] = true;
		f->at[FEATURE_CASTS_BY_INTEGER] |= is_cast_to(f, n->out, f->c->program.type[n->arg[0]].dtype);
	}
	if (values && n->op != OP_CONSTANT && (!f->run || (n->n_out && f->run[n->out]))) {
		of_attrs(f, n);
		of_readers(f, r, n, true);
	}
	if (!derived)
		return;
	name_op(f, "derives", n, -1);
	if (at.loop) {
		f->at[FEATURE_IN_LOOP] = true;
		facts_name(f, arena_printf(f->arena, "loops %s", op_table[n->op].name),
		    arena_printf(f->arena, "%s inside a loop is differentiated", op_table[n->op].name));
	}
	f->at[FEATURE_IN_COND] |= at.cond;
	f->at[FEATURE_IN_CHECKPOINT] |= at.checkpoint;
	f->at[FEATURE_IN_CUSTOM] |= at.custom;
	name_roles(f, n);
	of_operands(f, n);
	of_attrs(f, n);
	if (n->op == OP_CAST)
		of_cast(f, n);
	of_readers(f, r, n, false);
}

static void of_region(struct facts *f, const struct region *r, struct surroundings at)
{
	for (int i = 0; i < r->n_node; i++)
		of_node(f, r, &r->node[i], at);
}

/* ---- values ---- */

static void count_uses(struct facts *f)
{
	const struct region *r;

	for (struct walk w = walk_nodes(&f->c->program.top); (r = walk_region(&w));) {
		for (int i = 0; i < r->n_node; i++)
			for (int k = 0; k < r->node[i].n_arg; k++)
				f->uses[r->node[i].arg[k]]++;
		for (int k = 0; k < r->n_result; k++)
			f->uses[r->result[k]]++;
	}
}

static bool used_inside_and_out(const struct region *r, int value)
{
	bool inside = false, here = false;

	for (int i = 0; i < r->n_node; i++) {
		for (int k = 0; k < r->node[i].n_arg; k++)
			here |= r->node[i].arg[k] == value;
		for (int w = 0; w < r->node[i].n_region; w++)
			inside |= region_reads(&r->node[i].region[w], value);
	}
	for (int k = 0; k < r->n_result; k++)
		here |= r->result[k] == value;
	return inside && here;
}

static void of_values(struct facts *f)
{
	const struct program *p = &f->c->program;
	const struct region *top = &p->top;

	count_uses(f);
	for (int v = 0; v < p->n_value; v++) {
		const struct shape *s = &p->type[v].shape;
		enum dtype d = p->type[v].dtype;

		f->at[FEATURE_NARROW] |= dtype_is_float(d) && d != DTYPE_F64;
		f->at[FEATURE_HALF] |= d == DTYPE_BF16 || d == DTYPE_F16;
		f->at[FEATURE_EMPTY] |= !shape_elements(s);
		if (!f->varied[v])
			continue;
		f->at[FEATURE_USED_TWICE] |= f->uses[v] > 1;
		f->at[FEATURE_USED_IN_AND_OUT] |= used_inside_and_out(top, v);
		f->at[FEATURE_TENSORS] |= shape_elements(s) > 1;
		for (int i = 0; i < s->rank; i++)
			f->at[FEATURE_EXTENT_ONE] |= s->extent[i] == 1;
	}
	for (int i = 0; i < top->n_result; i++) {
		for (int k = 0; k < i; k++)
			f->at[FEATURE_RESULT_TWICE] |= top->result[i] == top->result[k];
		f->at[FEATURE_RESULT_IS_INPUT] |= top->result[i] >= top->param &&
		    top->result[i] < top->param + top->n_param;
	}
	f->at[FEATURE_RESULTS_SEVERAL] = top->n_result > 1;
}

void facts_of_program(struct facts *f)
{
	facts_find_live(f);
	facts_of_uses(f);
	of_values(f);
	of_region(f, &f->c->program.top, (struct surroundings){0});
}
