/*
 * reuse.h: values of the trace that the last evaluation left where they are needed again.
 *
 * Finite differences evaluate a program many times on one rung, and a move reaches only a part of the trace. A scalar
 * keeps its value if its place in the trace had the same op of the same parents before, and none of their values
 * changed since. That is a fact about places, not about programs, so nothing has to be forgotten between evaluations.
 *
 * Only evaluations without hooks use it: they are those that repeat.
 */
#ifndef ORACLES_EVALUATE_REUSE_H
#define ORACLES_EVALUATE_REUSE_H

#include "evaluate.h"

/* How the value in a place of the trace was computed, and when it changed last. */
struct computed {
	int64_t changed; /* number of the change, counted over all places */
	int parent[2];
	enum op op;
	int n_parent; /* -1: the value was set otherwise */
	bool exact;
};

/* Makes room for the records of n places. */
void reuse_reserve(struct evaluation *ev, int n);
/* Says that place k has a new value which no op computed. Call it after each such change. */
void reuse_changed(struct evaluation *ev, int k);
/* Whether place k holds the value of op over these parents already. If so, sets *exact. */
bool reuse_value(const struct evaluation *ev, int k, enum op op, const int *parent, int n, bool *exact);
/* Notes that place k now has the value of op over these parents. */
void reuse_note(struct evaluation *ev, int k, enum op op, const int *parent, int n, bool exact);

#endif
