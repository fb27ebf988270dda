/* dead_branch.c: see dead_branch.h. */
#include "dead_branch.h"

#include "fuzz/bench/draw.h"

#include <string.h>

/* The levels of the request.  NULL: there is a batch. */
static const char *levels_of(const enum transform_kind *stack, int n_stack, struct arena *a)
{
	const char *out = "";

	for (int k = 0; k < n_stack; k++) {
		if (stack[k] == TRANSFORM_BATCH)
			return NULL;
		out = arena_printf(a, "%s%s{\"transform\": \"%s\", \"wrt\": [0], \"%s\": [1]}", out, k ? ", " : "",
		    transform_names[stack[k]], stack[k] == TRANSFORM_VJP ? "cotangents" : "tangents");
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

/* y of x at 0.  smallest: the branch is never taken, and the other one is x.  Else it is taken where x > 0. */
static bool case_of(const enum transform_kind *stack, int n_stack, enum dtype dtype, int which, bool smallest,
    struct arena *a, struct testcase *out)
{
	const char *name = dtype_table[dtype].name, *levels = levels_of(stack, n_stack, a), *text;
	const char *branch = branch_of(which, name, a), *body;
	struct error e = {0};

	if (!levels)
		return false;
	body = smallest ? arena_printf(a,
	                      "%s, {\"out\": [\"p: bool[]\"], \"op\": \"constant\", \"value\": false},"
	                      "{\"out\": [\"y\"], \"op\": \"select\", \"args\": [\"p\", \"r\", \"x\"]}",
	                      branch)
	                : arena_printf(a,
	                      "{\"out\": [\"o: %s[]\"], \"op\": \"constant\", \"value\": 0},"
	                      "{\"out\": [\"p\"], \"op\": \"gt\", \"args\": [\"x\", \"o\"]}, %s,"
	                      "{\"out\": [\"y\"], \"op\": \"select\", \"args\": [\"p\", \"r\", \"o\"]}",
	                      name, branch);
	text = arena_printf(a,
	    "{\"schema\": \"adjudge.case/1\", \"inputs\": [\"x: %s[]\"], \"body\": [%s], \"results\": [\"y\"],"
	    "\"points\": [[0]], \"request\": [%s]}",
	    name, body, levels);
	return testcase_read(text, strlen(text), a, out, &e);
}

bool dead_branch_case(
    const enum transform_kind *stack, int n_stack, enum dtype dtype, int which, struct arena *a, struct testcase *out)
{
	return case_of(stack, n_stack, dtype, which, false, a, out);
}

/* Whether a dead branch with this request is known to the engine and shows the finding; the first that does. */
static bool shown_with(const struct question *q, const enum transform_kind *stack, int n_stack, enum dtype dtype,
    bool smallest, struct arena *a, struct testcase *out)
{
	for (int which = 0; which < DEAD_BRANCHES; which++)
		if (case_of(stack, n_stack, dtype, which, smallest, a, out) && bench_knows(q->bench, out, a) &&
		    case_shows(out, q, a, NULL))
			return true;
	return false;
}

bool dead_branch_of(
    const struct question *q, const struct testcase *c, struct arena *a, struct testcase *out, bool *smallest)
{
	static const enum transform_kind one[] = {TRANSFORM_VJP, TRANSFORM_JVP};
	enum transform_kind stack[LIMIT_TRANSFORMS];
	enum dtype dtype = DTYPE_F64;

	for (int k = 0; k < c->n_transform; k++)
		stack[k] = c->transform[k].kind;
	for (int k = 0; k < c->program.top.n_param; k++)
		if (dtype_is_float(c->program.type[c->program.top.param + k].dtype))
			dtype = c->program.type[c->program.top.param + k].dtype;
	for (int plain = 1; plain >= 0; plain--) {
		*smallest = plain;
		for (int k = 0; k < 4; k++) /* in f64, then in the dtype of the case */
			if ((k < 2 || dtype != DTYPE_F64) &&
			    shown_with(q, &one[k % 2], 1, k < 2 ? DTYPE_F64 : dtype, plain, a, out))
				return true;
	}
	*smallest = false;
	return c->n_transform > 1 && shown_with(q, stack, c->n_transform, dtype, true, a, out);
}
