/*
 * compiled.h: improves a program by passes, lowers it once to loops over strided buffers, and runs it at many points.
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

/*
 * Rewrites the valid program p into another valid one, in the arena, that computes the same.  Returns the number of
 * rewrites.
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

/* Numbers about the compiled code. */
struct compiled_counts {
	int rewrites[PASS_COUNT];    /* by pass: nodes changed or gone; nodes fused into another's loop; loops in place;
	                                buffers in shared memory */
	int loops, kernels;          /* loop nests; ops that run their kernels */
	int buffers;                 /* buffers that are neither constants nor inputs */
	int64_t cells, cells_shared; /* elements of all buffers; elements of the memory that they share */
};

struct code;

/* p after all enabled passes that rewrite programs. */
struct program compiled_optimize(
    const struct program *p, const struct compiled_options *o, struct arena *a, struct compiled_counts *counts);

/*
 * Optimizes and lowers the valid program p.  The code lives in the arena and keeps pointers into p.  NULL with the
 * reason in *text if neither this engine nor a kernel knows an op of p.
 */
struct code *compiled_code(
    const struct program *p, const struct compiled_options *o, struct arena *a, const char **text);

/* The numbers about `code`. */
const struct compiled_counts *compiled_code_counts(const struct code *code);

/*
 * Runs the code on the program's inputs, which are not written to. result[n_result] are copies in the arena.  The
 * buffers' memory belongs to the code, and is the same at every point.
 */
void compiled_run(struct code *code, const struct tensor *input, struct arena *a, struct tensor *result);

#endif
