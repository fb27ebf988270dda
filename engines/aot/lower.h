/* lower.h: programs without ops that an engine has no mind for, by ops that it has. */
#ifndef ENGINES_AOT_LOWER_H
#define ENGINES_AOT_LOWER_H

#include "graph/program.h"
#include "graph/request.h"

/*
 * The program with every fixed_point as the for that it is as a function: `cap` iterations, an early exit, an index
 * that nobody reads.  Those of meaning `solution` stay when `keep_solutions`.  The program itself where there is
 * nothing to do; else in the arena, renumbered.
 */
struct program lower_fixed_points(const struct program *p, bool keep_solutions, struct arena *a);

/* The program with every store as the dynamic_update_slice that it is as a function.  The program itself where there is
 * none; else in the arena. */
struct program lower_stores(const struct program *p, struct arena *a);

/*
 * The program with the nodes of region 0 in the place of every custom whose rule is not of kind `kept`
 * (DERIVATIVE_COUNT: of every one).  Those that stay have no custom inside: nobody differentiates what a function with
 * a rule, or the rule, is made of.  The program itself where there is none; else in the arena, renumbered.
 */
struct program lower_customs(const struct program *p, enum derivative_kind kept, struct arena *a);
/* Which rules an engine can use that answers this one level by itself; NULL: only values are asked for. */
enum derivative_kind lower_keeps(const struct transform *level);

#endif
