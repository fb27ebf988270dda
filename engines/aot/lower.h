/* lower.h: rewrites ops that an engine does not know into ops that it knows. */
#ifndef ENGINES_AOT_LOWER_H
#define ENGINES_AOT_LOWER_H

#include "graph/program.h"
#include "graph/request.h"

/*
 * Replaces every fixed_point by the `for` that computes it: `cap` iterations, an early exit, an index that nobody
 * reads.  Those of meaning `solution` stay if `keep_solutions`.  Returns p itself if there is nothing to do; else a
 * renumbered program in the arena.
 */
struct program lower_fixed_points(const struct program *p, bool keep_solutions, struct arena *a);

/*
 * Replaces every store by the dynamic_update_slice with the same value.  Returns p itself if there is no store; else a
 * program in the arena.
 */
struct program lower_stores(const struct program *p, struct arena *a);

/*
 * Replaces scatter_apply nodes of *p by loops over their indices.  Without such nodes *p does not change.  False with a
 * reason if the IR has no room.
 */
bool lower_applies(struct program *p, struct arena *a, struct error *e) MUST_CHECK;

/*
 * Replaces every custom whose rule is not of kind `kept` by the nodes of its region 0 (DERIVATIVE_COUNT: every
 * custom).  Customs that stay have no custom inside: nobody differentiates the inside of a function with a rule, or of
 * a rule.  Returns p itself if there is none; else a renumbered program in the arena.
 */
struct program lower_customs(const struct program *p, enum derivative_kind kept, struct arena *a);
/* The kind of rules that an engine can use when it answers this one level by itself.  NULL: it answers values only. */
enum derivative_kind lower_keeps(const struct transform *level);

#endif
