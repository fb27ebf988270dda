/* sentences_request.h: says what the tables about what is asked show, one function a table. */
#ifndef FUZZ_CHARACTERIZE_SENTENCES_REQUEST_H
#define FUZZ_CHARACTERIZE_SENTENCES_REQUEST_H

#include "lab.h"

/* In which mode, and for which inputs, the derivative is wrong. */
void lab_state_inputs(struct lab *l, const struct variant_table *t);
/* At which points it fails; and whether the relative error grows towards 0, over the sweep of small x > 0. */
void lab_state_points(struct lab *l, const struct variant_table *t);
/* Whether each of several points is right alone. */
void lab_state_single_points(struct lab *l, const struct variant_table *t);
/* Whether the seed matters. */
void lab_state_seeds(struct lab *l, const struct variant_table *t);
/* Whether the second derivative fails too; of a case of order 2, with which modes it fails. */
void lab_state_orders(struct lab *l, const struct variant_table *t);
/* Whether it fails with a batch of the request, and without one. */
void lab_state_batches(struct lab *l, const struct variant_table *t);
/* Which other engines are right. */
void lab_state_engines(struct lab *l, const struct variant_table *t);
/* Whether chance and earlier cases matter. */
void lab_state_runs(struct lab *l, const struct variant_table *t);

#endif
