/* declared.c: see declared.h. */
#include "declared.h"

#include "engines/process/hello.h"

/* Whether infinite numbers and NaN are excused. */
static bool needs_finite(const struct bench *b, const struct hello *hello)
{
	return hello && hello->finite_math && !b->strict;
}

/* Whether the engine declares what widens the radii. */
static bool declares_errors(const struct hello *hello) { return hello && (hello->accuracy || hello->reassociates); }

/* Sets what the truth allows for: what the hello declares of the engine's rounding errors; NULL: the usual. */
static void allow(struct bench *b, const struct hello *hello)
{
	oracle_accuracy(b->oracle, hello ? hello->accuracy : NULL);
	oracle_regroups(b->oracle, hello && hello->reassociates);
}

/* Judges a wrong number again, with the errors that the engine declares.  If they do not explain the number, it is a
 * finding. */
static void judge_declared(struct bench *b, const struct hello *hello, const struct testcase *c,
    const struct truth *truth, const struct answer *answer, struct arena *a, struct judgement *out)
{
	struct arena_mark mark = arena_mark(a);
	struct judgement declared;
	struct truth wide;

	allow(b, hello);
	oracle_truth(b->oracle, c, a, &wide);
	allow(b, NULL);
	if (needs_finite(b, hello))
		wide = truth_of_finite_points(&wide, a);
	judge(c, &wide, answer, &declared);
	arena_rewind(a, mark);
	if (verdict_is_finding[declared.verdict] ||
	    (declared.verdict == VERDICT_UNDECIDED && declared.reason != REASON_BLIND))
		*out = declared;
	else
		judgement_excuse(truth, declared.reason, out);
}

/* For an engine with finite_math.  If it is wrong only at points with a number that is not finite, that is a
 * convention. */
static void judge_finite(struct bench *b, const struct hello *hello, const struct testcase *c,
    const struct truth *truth, const struct answer *answer, struct arena *a, struct judgement *out)
{
	struct arena_mark mark = arena_mark(a);
	struct truth finite = truth_of_finite_points(truth, a);
	struct judgement elsewhere;

	judge(c, &finite, answer, &elsewhere);
	if ((elsewhere.verdict == VERDICT_WRONG || elsewhere.verdict == VERDICT_WRONG_PRIMAL) && declares_errors(hello))
		judge_declared(b, hello, c, &finite, answer, a, &elsewhere);
	arena_rewind(a, mark);
	if (verdict_is_finding[elsewhere.verdict])
		*out = elsewhere;
	else
		out->verdict = VERDICT_CONVENTION;
}

void bench_declared_truth(struct bench *b, const struct testcase *c, struct arena *a, struct truth *out)
{
	const struct hello *hello = engine_hello(b->engine[0]);

	allow(b, hello);
	oracle_truth(b->oracle, c, a, out);
	allow(b, NULL);
	oracle_confirm(b->oracle, c, a, out);
	if (needs_finite(b, hello))
		*out = truth_of_finite_points(out, a);
}

void bench_verdict(struct bench *b, const struct engine *engine, const struct testcase *c, const struct truth *truth,
    const struct answer *answer, struct arena *a, struct judgement *out)
{
	const struct hello *hello = engine_hello(engine);

	judge(c, truth, answer, out);
	if ((out->verdict == VERDICT_WRONG || out->verdict == VERDICT_WRONG_PRIMAL) && declares_errors(hello))
		judge_declared(b, hello, c, truth, answer, a, out);
	if ((out->verdict == VERDICT_WRONG || out->verdict == VERDICT_WRONG_PRIMAL ||
	        out->verdict == VERDICT_NAN_LEAK) &&
	    needs_finite(b, hello) && truth->point[out->point].nonfinite)
		judge_finite(b, hello, c, truth, answer, a, out);
	/* A derivative written for the engine contains selects that the program does not have.  A NaN may come from one
	 * of their dead branches. */
	if (out->verdict == VERDICT_NAN_LEAK && hello && hello->weak_zero &&
	    (out->weak_zero || hello_has_derivatives_written(hello, &c->program)))
		out->weak_zero = out->declared = true;
}
