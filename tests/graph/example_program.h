/* example_program.h: a program with nested regions, for tests that edit it. */
#ifndef TESTS_GRAPH_EXAMPLE_PROGRAM_H
#define TESTS_GRAPH_EXAMPLE_PROGRAM_H

#include "graph/program.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const struct type real = {.dtype = DTYPE_F64}, count = {.dtype = DTYPE_I64}, flag = {.dtype = DTYPE_BOOL};
static const struct type vector = {DTYPE_F64, {1, {3}}};

/* build_node without attributes that must succeed. */
static inline int op1(struct builder *b, enum op op, int x) { return build_node(b, op, &x, 1, NULL, NULL); }

static inline int op2(struct builder *b, enum op op, int x, int y)
{
	return build_node(b, op, (int[]){x, y}, 2, NULL, NULL);
}

/*
 * A for loop around a scan with early exit and a cond that captures, and a while loop; a dead node at the top and one
 * in the loop. late: a constant is put between the regions and their op, so that the numbers are not canonical before
 * build_end.
 */
static inline struct program example(struct arena *a, bool late)
{
	struct builder b = {0};
	int x, v, i, c, inner, row, keep, y, z, until;

	build_begin(&b, a);
	x = build_input(&b, &real);
	v = build_input(&b, &vector);
	op1(&b, OP_SIN, x); /* dead */

	i = build_open(&b, (const struct type[]){count, real}, 2);
	c = i + 1;
	op1(&b, OP_COS, c); /* dead */
	inner = build_open(&b, (const struct type[]){real, real}, 2);
	row = inner + 1;
	z = op2(&b, OP_MUL, inner, row);
	keep = op2(&b, OP_LT, z, c);
	build_open(&b, NULL, 0);
	y = op1(&b, OP_EXP, z);
	build_close(&b, (const int[]){y}, 1);
	build_open(&b, NULL, 0);
	build_close(&b, (const int[]){x}, 1);
	y = build_region_node(&b, OP_COND, (const int[]){keep}, 1, NULL, NULL);
	build_close(&b, (const int[]){y, z, keep}, 3);
	if (late)
		build_scalar(&b, DTYPE_F64, 0.5);
	y = build_region_node(
	    &b, OP_SCAN, (const int[]){c, v}, 2, &(struct attrs){.trip = 3, .carries = 1, .until = true}, NULL);
	build_close(&b, (const int[]){y}, 1);
	y = build_region_node(&b, OP_FOR, (const int[]){x}, 1, &(struct attrs){.trip = 4}, NULL);

	c = build_open(&b, &real, 1);
	until = op2(&b, OP_LT, c, x);
	build_close(&b, (const int[]){until}, 1);
	c = build_open(&b, &real, 1);
	z = op2(&b, OP_ADD, c, build_scalar(&b, DTYPE_F64, 0.1));
	build_close(&b, (const int[]){z}, 1);
	z = build_region_node(&b, OP_WHILE, (const int[]){y}, 1, &(struct attrs){.cap = 10}, NULL);
	return build_end(&b, (const int[]){y, z}, 2);
}

/* Its loops and its cond. */
static inline struct node *loop(struct program *p) { return &p->top.node[1]; }
static inline struct node *scan(struct program *p) { return &loop(p)->region[0].node[1]; }
static inline struct node *cond(struct program *p) { return &scan(p)->region[0].node[2]; }
static inline struct node *repeat(struct program *p) { return &p->top.node[2]; }

#endif
