/* custom_choices.h: whether the rule of a custom decides anything by its direction. */
#ifndef ORACLES_EVALUATE_CUSTOM_CHOICES_H
#define ORACLES_EVALUATE_CUSTOM_CHOICES_H

#include "graph/program.h"

enum rule_choice {
	RULE_LINEAR, /* it does not */
	RULE_GUARDS, /* only by whether parts of it are exactly 0 */
	RULE_CHOOSES /* by its size or sign, or by equality with something else */
};

/* What the rule of op custom decides, as found by following the direction through it. A rule that gets RULE_CHOOSES
 * may be linear after all. Memory from a. */
enum rule_choice custom_choices(const struct program *p, const struct node *custom, struct arena *a);

#endif
