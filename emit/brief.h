/*
 * brief.h: short sources, for an issue.  Statements compare what an engine returns with literals; there are no
 * functions that judge.  Each number is judged alone, so at a tie every number between the conventions is right.
 */
#ifndef EMIT_BRIEF_H
#define EMIT_BRIEF_H

#include "expected.h"

/* What a source says of one output.  Expressions of its language; NULL: the engine has no such thing. */
struct brief_result {
	int point, output;
	bool derivative;
	/* A number if the output has no axes, else a flat list; in C and C++ the elements, with commas between them. */
	const char *numbers;
	const char *dtype, *right_dtype, *shape; /* right_dtype: NULL if dtypes are shown and not compared */
};

struct brief_language;
/* By the suffix of files: "py", "cjs", "cpp", "c" or "exs"; NULL: none. */
const struct brief_language *brief_language_of(const char *suffix);

/*
 * Writes statements that print the n results and compare them.  group: how many such calls of the same source came
 * before.  last: the source then ends with 1 if some number was wrong, else with 0.
 */
void brief_compare(const struct emission *x, const struct brief_language *l, const char *indent,
    const struct brief_result *result, int n, int group, bool last, struct text *out);

/* What stands above a source with such statements. */
const char *brief_head(const struct brief_language *l);

/* A line that tells a result, for whom has the truth; in the arena. */
const char *brief_line(const struct brief_result *r, struct arena *a);
/* Whether the sources of an adapter have such lines (engines/PROTOCOL.md). */
bool brief_has_results(const char *const *text, int n);
/* Writes these sources with the comparisons. */
void brief_write(const struct emission *x, const struct brief_language *l, const char *const *text, int n);

/* The text with long lines broken at commas inside brackets; in the arena. */
const char *brief_folded(const char *text, struct arena *a);

#endif
