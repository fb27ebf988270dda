/* wrong_seams.h: wrong functions for seams of struct adjoint_rules, which historic bugs and mutants share. */
#ifndef ENGINES_FAULTS_WRONG_SEAMS_H
#define ENGINES_FAULTS_WRONG_SEAMS_H

#include <stdbool.h>

/* clang-format off */
static inline double cotangent_times_partial(double cotangent, double partial) { return cotangent * partial; }
static inline double last_term(double sum, double term) { (void)sum; return term; }
static inline bool initial_alone(bool initial, bool updated) { (void)updated; return initial; }
static inline int forwards(int step, int n) { (void)n; return step; }
static inline int always_last(int step, int n) { (void)step; return n - 1; }
static inline bool over_saved(bool saved, bool shared) { (void)saved; return !shared; }
static inline int set_after(int saved, int n) { (void)n; return saved + 1; }
static inline int row_none(int i, int n, int trip) { (void)i, (void)n, (void)trip; return -1; }
static inline bool if_not_seeded(bool seeded, bool through) { (void)through; return !seeded; }
static inline bool if_changed(bool seeded, bool through) { (void)seeded; return !through; }
static inline bool first_alone(int k, int n) { (void)n; return k == 0; }
/* clang-format on */

#endif
