/* roles.h: how each node of a simplest case (simplest.h) matters to the finding.  The search replaces its op by other
 * ops and looks whether a finding still shows. */
#ifndef FUZZ_TRIAGE_ROLES_H
#define FUZZ_TRIAGE_ROLES_H

#include "fuzz/bench/question.h"

enum role {
	ROLE_OWN,         /* the finding is about this op */
	ROLE_ELEMENTWISE, /* most other elementwise ops in its place show a finding too, and so does a linear one */
	ROLE_NONLINEAR,   /* most nonlinear ops in its place show a finding, and a linear one does not: the finding is
	                     about the point at which a derivative is taken */
	ROLE_WRITE, /* a scatter or an update of a slice: most other scatters in its place show a finding; one is enough
	               if the verdict is not about numbers */
	ROLE_INDEX, /* the finding is about the index of a loop that this op uses: with a fixed index 0 or 1 and a
	               factor of the loop's index + 1, a finding still shows */
	ROLE_NONE,  /* an integer computed from that index */
	ROLE_TYPE /* elementwise, in a region, and needed only for the type of its result: broadcasting an operand would
	             do */
};

/* Whether the op copies an operand and overwrites some elements, without a region in its rule. */
bool op_writes(enum op op);
/* Whether the op makes a float from an operand that may be an integer or a boolean.  Then the finding may be about the
 * index of a loop. */
bool op_indexes(enum op op);

/* Fills role[program_nodes] for case c, which shows verdict v.  q asks whether a case shows any finding.  Nodes are in
 * pre-order: a node comes before the nodes of its regions. */
void find_roles(const struct question *q, const struct testcase *c, enum verdict v, struct arena *a, enum role *role);

#endif
