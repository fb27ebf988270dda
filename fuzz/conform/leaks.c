/* leaks.c: the NaNs of weak zeros that a sweep meets: one entry, with one case, made small. */
#include "leaks.h"

#include <string.h>

#include "fuzz/bench/stop.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/minimize/simplest.h"

enum { LEAK_BUDGET = 400 }; /* candidates; the cases are small already */

/* The levels of the request, each by input 0 with seed 1.  NULL: there is a batch. */
static const char *levels_of(const struct conform_column *column, struct arena *a)
{
	const char *out = "";

	for (int k = 0; k < column->n_stack; k++) {
		const enum transform_kind kind = column->stack[k];

		if (kind == TRANSFORM_BATCH)
			return NULL;
		out = arena_printf(a, "%s%s{\"transform\": \"%s\", \"wrt\": [0], \"%s\": [1]}", out, k ? ", " : "",
		    transform_names[kind], kind == TRANSFORM_VJP ? "cotangents" : "tangents");
	}
	return out;
}

/* The dead branch, of x. */
static const char *branch_of(int which, const char *dtype, struct arena *a)
{
	static const char *const of_one[] = {"sqrt", "log"};

	if (which < (int)(sizeof of_one / sizeof *of_one))
		return arena_printf(a, "{\"out\": [\"r\"], \"op\": \"%s\", \"args\": [\"x\"]}", of_one[which]);
	return arena_printf(a,
	    "{\"out\": [\"i: %s[]\"], \"op\": \"constant\", \"value\": 1},"
	    "{\"out\": [\"r\"], \"op\": \"div\", \"args\": [\"i\", \"x\"]}",
	    dtype);
}

bool conform_dead_branch(const struct conform_column *column, int which, struct arena *a, struct testcase *out)
{
	const char *dtype = dtype_table[column->dtype].name, *levels = levels_of(column, a), *text;
	struct error e = {0};

	if (!levels)
		return false;
	text = arena_printf(a,
	    "{\"schema\": \"adjudge.case/1\", \"inputs\": [\"x: %s[]\"], \"body\": ["
	    "{\"out\": [\"o: %s[]\"], \"op\": \"constant\", \"value\": 0},"
	    "{\"out\": [\"p\"], \"op\": \"gt\", \"args\": [\"x\", \"o\"]},"
	    "%s,"
	    "{\"out\": [\"y\"], \"op\": \"select\", \"args\": [\"p\", \"r\", \"o\"]}],"
	    "\"results\": [\"y\"], \"points\": [[0]], \"request\": [%s]}",
	    dtype, dtype, branch_of(which, dtype, a), levels);
	return testcase_read(text, strlen(text), a, out, &e);
}

void conform_note_leak(struct conform_leaks *leaks, const struct testcase *c, int branch, const struct judgement *j,
    const char *cell, const char *signature, struct arena *a)
{
	if (j->verdict != VERDICT_NAN_LEAK || !j->weak_zero)
		return;
	if (!leaks->cases++)
		leaks->first = cell;
	else if (branch >= leaks->branch)
		return;
	leaks->branch = branch;
	leaks->declared = j->declared;
	leaks->signature = signature;
	leaks->smallest = NEW(a, struct testcase, 1);
	*leaks->smallest = testcase_copy(c, a);
}

/* Makes the case the smallest, if the engine shows it once more. */
void conform_minimize_leak(struct conform_leaks *leaks, struct bench *b, struct arena *scratch, struct arena *a)
{
	struct minimize_statistics stats;
	struct limit limit = {.stop = stop_requested};
	struct question same = {.bench = b,
	    .judged = JUDGED_IN_FULL,
	    .signature = leaks->signature,
	    .declared = leaks->declared,
	    .until = &limit,
	    .spent = &limit};
	struct testcase small;

	if (!leaks->cases)
		return;
	arena_reset(scratch);
	if (!case_shows(leaks->smallest, &same, scratch, NULL))
		return;
	same.ahead = question_ahead(&same);
	small = minimize_together(leaks->smallest, question_holds, &same, &same, LEAK_BUDGET, &limit, scratch, &stats);
	lookahead_close(same.ahead);
	*leaks->smallest = testcase_copy(&small, a);
}
