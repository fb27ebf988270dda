/* roles.h: what each node of a simplest case (simplest.h) has to do with the finding, found out by replacing its op by
 * a few others. */
#ifndef FUZZ_TRIAGE_ROLES_H
#define FUZZ_TRIAGE_ROLES_H

#include "fuzz/bench/question.h"

enum role {
	ROLE_OWN,         /* it is about this op */
	ROLE_ELEMENTWISE, /* most other elementwise ops in its place, of its first two float operands, show a finding
	                     too, */
	ROLE_NONLINEAR,   /* or most that are not linear, and none that is: it is about what a derivative is taken at */
	ROLE_WRITE,       /* a scatter or an update of a slice: most other scatters in its place show a finding too; any
	                     other, where it is not about numbers */
	ROLE_INDEX, /* what it makes is of the index of a loop, and for index 0 or 1, times one more than the index,
	               shows a finding too: it is about the index */
	ROLE_NONE,  /* an integer on the way there */
	ROLE_TYPE /* elementwise, in a region, and there for the type of its result: an operand broadcast to it would do
	           */
};

/* Whether the op has the value of an operand with some elements written over, by a rule that needs no region. */
bool op_writes(enum op op);
/* Whether the op makes a float by an operand that is none: of those that may be about the index of a loop. */
bool op_indexes(enum op op);

/* role[program_nodes] of case c, which shows v; q: whether a case shows any finding.  Nodes in pre-order, a node before
 * those of its regions. */
void find_roles(const struct question *q, const struct testcase *c, enum verdict v, struct arena *a, enum role *role);

#endif
