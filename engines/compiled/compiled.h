/*
 * compiled.h: a program improved by passes and lowered, once, to loops over strided buffers, then run at many points.
 */
#ifndef ENGINES_COMPILED_COMPILED_H
#define ENGINES_COMPILED_COMPILED_H

#include "graph/program.h"
#include "rules.h"

enum pass {
#define PASS(id, name, rewrite, meaning) PASS_##id,
#include "passes.def"
#undef PASS
	PASS_COUNT
};

/* Rewrites the valid program p into one in the arena that is valid and computes the same; the number of rewrites made.
 */
typedef int pass_fn(const struct compiled_rules *rules, const struct program *p, struct arena *a, struct program *out);

struct pass_info {
	const char *name, *meaning;
	pass_fn *rewrite; /* NULL: see passes.def */
};
extern const struct pass_info compiled_passes[PASS_COUNT];

struct compiled_options {
	const struct compiled_rules *rules;
	bool off[PASS_COUNT];
};

/* What compiling came to. */
struct compiled_counts {
	int rewrites[PASS_COUNT]; /* nodes changed or gone; fused into another's loop; loops in place; buffers in shared
	                             memory */
	int loops, kernels;       /* loop nests, and ops left to their kernels */
	int buffers;              /* that are not constants or inputs */
	int64_t cells, cells_shared; /* elements of all of them, and of the memory that they share */
};

struct code;

/* p after all program-to-program passes that are on. */
struct program compiled_optimize(
    const struct program *p, const struct compiled_options *o, struct arena *a, struct compiled_counts *counts);

/*
 * Optimizes and lowers the valid program p; the code lives in the arena and keeps pointers into p.  NULL with the
 * reason in *text when p has an op that is neither known here nor has a kernel.
 */
struct code *compiled_code(
    const struct program *p, const struct compiled_options *o, struct arena *a, const char **text);

/* What compiling `code` came to. */
const struct compiled_counts *compiled_code_counts(const struct code *code);

/*
 * Runs the code on the program's inputs, which are not written to; result[n_result] are copies in the arena.  The
 * memory of the buffers is the code's own and the same at every point.
 */
void compiled_run(struct code *code, const struct tensor *input, struct arena *a, struct tensor *result);

#endif
