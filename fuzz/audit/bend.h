/* bend.h: programs whose op custom has a rule that is not the derivative of its function. */
#ifndef FUZZ_AUDIT_BEND_H
#define FUZZ_AUDIT_BEND_H

#include "graph/testcase.h"

/*
 * Changes one node in the rule of each custom of *c, where it has one that can be changed: another op of the same
 * type, or another constant.  The same seed makes the same changes.  The case stays valid.
 */
void bend_rules(struct testcase *c, uint64_t seed);

#endif
