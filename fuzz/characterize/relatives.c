/*
 * relatives.c: other ops that fail as an op to blame does.  Ops of its family take its place everywhere in the typical
 * case and in the smallest one.  Ops of other families that engines treat with the same helper are drawn in programs of
 * their own.
 */
#include <string.h>

#include "graph/walk.h"
#include "lab_edit.h"

enum {
	OPS = 2,      /* to blame, at most */
	DRAWS = 6000, /* of each other op */
	JUDGED = 80,  /* of them */
	LISTED = 8
};

/* Families whose ops find elements in the same way, or join operands in the same way. */
#define IN(family) (UINT64_C(1) << FAMILY_##family)
static const uint64_t helpers[] = {
    IN(DYNAMIC_SLICE) | IN(DYNAMIC_UPDATE_SLICE),
    IN(GATHER) | IN(TAKE_ALONG_AXIS) | IN(SCATTER),
    IN(SLICE) | IN(SLICE_SCATTER),
    IN(RESHAPE) | IN(SQUEEZE) | IN(CAST),
    IN(SORT) | IN(ARGSORT) | IN(ARGMAX),
    IN(SORT) | IN(CUMULATIVE) | IN(REDUCE) | IN(TAKE_ALONG_AXIS) | IN(CONCATENATE),
    IN(TRANSPOSE) | IN(REVERSE) | IN(SLICE) | IN(DYNAMIC_SLICE) | IN(RESHAPE) | IN(SQUEEZE) | IN(BROADCAST_TO),
    IN(SLICE_SCATTER) | IN(DYNAMIC_UPDATE_SLICE) | IN(SCATTER) | IN(MASKED_SCATTER) | IN(PAD) | IN(CONCATENATE),
    IN(BINARY) | IN(CLAMP) | IN(SELECT) | IN(BROADCAST_TO),
    IN(REDUCE) | IN(CUMULATIVE),
    IN(MATMUL) | IN(GATHER) | IN(TAKE_ALONG_AXIS) | IN(PAD) | IN(BROADCAST_TO),
    IN(MATMUL) | IN(REDUCE) | IN(CUMULATIVE),
    IN(SELECT) | IN(PAD) | IN(CONCATENATE) | IN(SLICE_SCATTER) | IN(MATMUL),
};
enum { HELPERS = sizeof helpers / sizeof *helpers };

static const char in_place[] = "in its place", alone[] = "alone";

/* Puts `op` in the place of each `was` of the case; false: there is none, or it is one that has regions. */
static bool replace_all(struct edit *e, enum op was, enum op op)
{
	struct site s;
	bool any = false;

	for (struct walk w = walk_nodes(&e->c.program.top); edit_next(e, &w, &s);)
		if (s.node->op == was) {
			if (s.node->n_region)
				return false;
			s.node->op = op;
			any = true;
		}
	return any;
}

static void negate_inputs(struct edit *e)
{
	for (int p = 0; p < e->c.n_point; p++)
		for (int i = 0; i < e->c.program.top.n_param; i++) {
			struct tensor *x = &e->c.point[p][i];

			for (int k = 0; dtype_is_float(x->type.dtype) && k < shape_elements(&x->type.shape); k++)
				x->at[k].f = -x->at[k].f;
		}
}

/* Also with the numbers of the other sign: what the largest element does in one op, the smallest does in another. */
static void try_in_place(struct lab *l, const struct testcase *c, enum op was)
{
	for (int op = 0; op < OP_COUNT; op++)
		for (int negated = 0; negated < 2; negated++) {
			const struct op_info *o = &op_table[op], *than = &op_table[was];
			struct edit e = lab_edit_of(l, c);

			if (op == (int)was || o->family != than->family || o->n_arg != than->n_arg ||
			    o->attrs != than->attrs || o->regularity == REGULARITY_STEP ||
			    !replace_all(&e, was, (enum op)op))
				continue;
			if (negated)
				negate_inputs(&e);
			lab_try(l, &e, (const char *const[]){than->name, o->name, in_place});
		}
}

static bool shares_helper(enum family a, enum family b)
{
	for (int i = 0; i < HELPERS; i++)
		if (helpers[i] >> a & helpers[i] >> b & 1)
			return a != b;
	return false;
}

/* Judges programs of `op` without the one to blame, until one fails. */
static void try_alone(struct lab *l, enum op was, enum op op)
{
	for (int k = 0, judged = 0; k < DRAWS && judged < JUDGED && !lab_time_over(l); k++) {
		const struct variant_row *row;
		struct testcase c;
		struct edit e;

		if (!lab_draw_of(l, op, k, &c) || region_has_op(&c.program.top, was))
			continue;
		judged++;
		e = lab_edit_of(l, &c);
		row = lab_try_now(l, &e, (const char *const[]){op_table[was].name, op_table[op].name, alone});
		if (row && row_fails(row, NULL))
			return;
	}
}

/* Whether the smallest case has no other op.  Otherwise that may be to blame, and any op fails in this place. */
static bool is_only_op(const struct lab *l, enum op op)
{
	for (struct walk w = walk_nodes(&l->base->program.top); walk_next(&w);)
		if (w.node->op != op && w.node->op != OP_CONSTANT)
			return false;
	return true;
}

void experiment_relatives(struct lab *l)
{
	enum op blamed[LAB_USES];
	const int n = lab_blamed_ops(l, blamed);

	lab_columns(l, (const char *const[]){"op to blame", "other op", "where"}, 3);
	l->apart = true;
	for (int i = 0; i < n && i < OPS && !lab_kills(l); i++) {
		if (is_only_op(l, blamed[i]))
			try_in_place(l, l->typical, blamed[i]);
		if (is_only_op(l, blamed[i]) && l->typical != l->base)
			try_in_place(l, l->base, blamed[i]);
		for (int op = 0; op < OP_COUNT; op++)
			if (shares_helper(op_table[blamed[i]].family, op_table[op].family))
				try_alone(l, blamed[i], (enum op)op);
	}
	l->apart = false;
}

/* ---- what it says ---- */

/* The other ops that fail there, with the rows that show it. */
static const char *failing_relatives(
    struct lab *l, const struct variant_table *t, const char *op, const char *where, struct support *s)
{
	const char *list = "";
	int n = 0;

	*s = (struct support){.table = (int)(t - l->out->table), .row = NEW(l->arena, int, t->n_row)};
	for (int i = 0; i < t->n_row; i++) {
		const char *other = t->row[i].cell[1];
		int fails = 0;
		bool first = true;

		if (strcmp(t->row[i].cell[0], op) != 0 || strcmp(t->row[i].cell[2], where) != 0)
			continue;
		for (int k = 0; k < t->n_row; k++) {
			const struct variant_row *r = &t->row[k];
			const bool same = !strcmp(r->cell[0], op) && !strcmp(r->cell[2], where) &&
			    !strcmp(r->cell[1], other);

			first &= k >= i || !same;
			fails += same && row_fails(r, NULL);
		}
		if (!first || !fails)
			continue;
		s->row[s->n_row++] = i;
		if (n++ < LISTED)
			list = LAB_TEXT(l, "%s%s%s", list, *list ? ", " : "", other);
	}
	return n > LISTED ? LAB_TEXT(l, "%s and %d more", list, n - LISTED) : list;
}

void lab_state_relatives(struct lab *l)
{
	const struct variant_table *t = lab_find(l, "relatives");
	struct blamed blamed[LAB_USES];
	enum op ops[LAB_USES];
	const int n = lab_blamed(l, blamed), n_op = lab_blamed_ops(l, ops);

	/* of several ops that are only known to be in the case, each may be any op */
	for (int i = 0; i < n; i++)
		if (!blamed[i].role && blamed[i].op != blamed[0].op)
			return;
	for (int i = 0; t && i < n_op; i++) {
		const char *op = op_table[ops[i]].name, *list;
		struct support s;

		list = failing_relatives(l, t, op, in_place, &s);
		if (*list)
			lab_say(
			    l, "family", STATEMENT_SHOWN, &s, 1, "The same happens with %s in place of %s.", list, op);
		list = failing_relatives(l, t, op, alone, &s);
		if (*list)
			lab_say(l, "family", STATEMENT_SHOWN, &s, 1, "Programs of %s without %s fail too.", list, op);
	}
}
