/* custom_choices.h: whether the rule of a custom decides anything by its direction. */
#ifndef ORACLES_EVALUATE_CUSTOM_CHOICES_H
#define ORACLES_EVALUATE_CUSTOM_CHOICES_H

#include "graph/program.h"

enum rule_choice {
	RULE_LINEAR, /* it does not */
	RULE_GUARDS, /* by whether parts of it are exactly 0, no more */
	RULE_CHOOSES /* by its size or sign, or by equality with something else */
};

/* Of op custom, by what flows from the direction: a rule that ends in RULE_CHOOSES may be linear all the same.  Memory
 * from a. */
enum rule_choice custom_choices(const struct program *p, const struct node *custom, struct arena *a);

#endif
