/*
 * bounds.h: limits that a valid case keeps, so that judging it takes bounded time and memory.  The oracles spend some
 * hundred bytes and at most some microseconds per scalar result; LIMIT_WORK bounds both.
 */
#ifndef GRAPH_BOUNDS_H
#define GRAPH_BOUNDS_H

enum {
	LIMIT_RANK = 4,
	LIMIT_ARGS = 16,          /* operands, results, region parameters of one op; inputs and results of a program */
	LIMIT_NODES = 1024,       /* nodes of a program, all regions together */
	LIMIT_DEPTH = 8,          /* nested regions */
	LIMIT_ELEMENTS = 1 << 16, /* elements of one value */
	LIMIT_TRIP = 1 << 16,     /* trip count or cap of one loop */
	LIMIT_WORK = 1 << 20,     /* operand and result elements summed over nodes, times the enclosing trip counts */
	LIMIT_POINTS = 16,        /* points of a case */
	LIMIT_TRANSFORMS = 4,     /* transforms stacked in a request */
	LIMIT_VARIANT = 65535,    /* the largest variant of a case */
	LIMIT_SPELLINGS = 16,     /* spellings of one op by one engine */
	LIMIT_BATCH = 64,         /* slices of one batch of a request */
	LIMIT_DATA = 1 << 18, /* elements of all constants, points and seeds: their text fits into LIMIT_CASE_BYTES */
	LIMIT_TEXT = 1 << 14, /* bytes of one string of the provenance */
	LIMIT_EXPECT = 64,    /* expectations of a case */
	LIMIT_RETURNED = 1 << 12,  /* literals of one expectation */
	LIMIT_CASE_BYTES = 8 << 20 /* size of a case file */
};

#endif
