/*
 * What is accepted at kinks, situation by situation: every published convention of oracles/CONVENTIONS.md, whose rows
 * have the names of these situations, and answers that nobody's convention gives.
 */
#include "fuzz/generate/choice.h"
#include "fuzz/generate/generate.h"
#include "oracles/truth.h"
#include "oracles/verdict/verdict.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWERS = 10, COMPONENTS = 4 };

struct attempt {
	const char *who;
	enum verdict verdict;
	double got[COMPONENTS]; /* the derivatives, flattened */
	enum reason reason;     /* of VERDICT_UNDECIDED */
};

struct situation {
	const char *name, *inputs, *body, *point, *request;
	struct attempt attempt[ANSWERS];
};

#define THIRD     0.33333333333333333
#define NO_NUMBER VERDICT_NAN_LEAK
#define MIXTURE(name, ...) \
	{ \
		name, VERDICT_UNDECIDED, __VA_ARGS__, REASON_CONVENTION \
	}
#define UNKNOWN(name, why, ...) \
	{ \
		name, VERDICT_UNDECIDED, __VA_ARGS__, REASON_##why \
	}

/* y is a custom of `operands`, with one result f of `params`, and a vjp of `given` that gives `results`. */
#define CUSTOM(operands, params, f, given, rule, results) \
	"y = custom (" operands ") transform=vjp { params " params "; w = " f "; yield w } do { params " given \
	"; " rule "; yield " results " }"

/* Two products that are equal, and may round apart. */
#define FOUR   "x: f64[], z: f64[], u: f64[], v: f64[]"
#define EQUALS "a = mul x, z; b = mul u, v; "
#define AT     "0.1,0.3,0.3,0.1"

static const struct situation situations[] = {
    {"max-tie", "x: f64[], z: f64[]", "y = max x, z", "2,2", "vjp; cotangents 3",
        {{"even: JAX, PyTorch", VERDICT_CONVENTION, {1.5, 1.5}}, {"first: TensorFlow", VERDICT_CONVENTION, {3, 0}},
            {"last: MLX", VERDICT_CONVENTION, {0, 3}}, MIXTURE("another share", {1, 2}),
            {"doubled share", VERDICT_WRONG, {3, 3}}, {"missing share", VERDICT_WRONG, {0, 0}},
            {"more than all", VERDICT_WRONG, {4, -1}}, {"no number", NO_NUMBER, {NAN, 3}}}},
    {"max-tie", "x: f64[], z: f64[]", "y = max x, z", "2,2", "jvp; tangents 1, 5",
        {{"even", VERDICT_CONVENTION, {3}}, {"first", VERDICT_CONVENTION, {1}},
            {"directional", VERDICT_CONVENTION, {5}}, MIXTURE("another share", {2}),
            {"doubled share", VERDICT_WRONG, {6}}, {"missing share", VERDICT_WRONG, {0}},
            {"no number", NO_NUMBER, {NAN}}}},
    /* a and b are alike, but have the tangents of x and of z if the first operand wins */
    {"max-tie", "x: f64[], z: f64[]", "a = max x, z; b = max z, x; p = mul a, b; m = min b, a; y = sub m, p", "0.5,0.5",
        "jvp; tangents 1, 0.25",
        {{"even, even", VERDICT_CONVENTION, {0}}, {"first, first", VERDICT_CONVENTION, {-.375}},
            {"first, last", VERDICT_CONVENTION, {.375}}, {"more than all", VERDICT_WRONG, {2}}}},
    {"min-tie", "x: f64[], z: f64[]", "y = min x, z", "2,2", "vjp; cotangents 3",
        {{"even: JAX, PyTorch", VERDICT_CONVENTION, {1.5, 1.5}}, {"first: TensorFlow", VERDICT_CONVENTION, {3, 0}},
            {"last: MLX", VERDICT_CONVENTION, {0, 3}}, {"doubled share", VERDICT_WRONG, {3, 3}},
            {"missing share", VERDICT_WRONG, {0, 0}}}},
    {"one-kind", "a: f64[], b: f64[], c: f64[], d: f64[]", "m = max a, b; n = max c, d; y = add m, n", "1,1,2,2", "vjp",
        {{"first, first", VERDICT_CONVENTION, {1, 0, 1, 0}}, {"even, even", VERDICT_CONVENTION, {.5, .5, .5, .5}},
            MIXTURE("first, last", {1, 0, 0, 1}), MIXTURE("even, first", {.5, .5, 1, 0}),
            {"first, doubled", VERDICT_WRONG, {1, 0, 1, 1}}, {"missing, first", VERDICT_WRONG, {0, 0, 1, 0}},
            {"what one lacks the other has", VERDICT_WRONG, {1, 1, 0, 0}}}},
    {"one-kind", "a: f64[], b: f64[], c: f64[]", "three = constant 3; m = max a, b; n = mul three, c; y = add m, n",
        "1,1,2", "vjp",
        {{"beside the tie", VERDICT_CONVENTION, {1, 0, 3}},
            {"a little off beside the tie", VERDICT_WRONG, {1, 0, 3 + 0x1p-46}},
            {"the same beside a mixture", VERDICT_WRONG, {.75, .25, 3 + 0x1p-46}},
            MIXTURE("a mixture beside what is right", {.75, .25, 3})}},
    {"two-kinds", "a: f64[], b: f64[], c: f64[], d: f64[]", "m = max a, b; n = min c, d; y = add m, n", "1,1,2,2",
        "vjp",
        {{"first, last", VERDICT_CONVENTION, {1, 0, 0, 1}}, {"last, even", VERDICT_CONVENTION, {0, 1, .5, .5}},
            {"first, doubled", VERDICT_WRONG, {1, 0, 1, 1}}}},
    {"reduce-max", "x: f64[4]", "y = reduce_max x axes=[0]", "[2,2,1,2]", "vjp",
        {{"even: JAX, TensorFlow, MLX, amax of PyTorch", VERDICT_CONVENTION, {THIRD, THIRD, 0, THIRD}},
            {"first index: max(dim) of PyTorch", VERDICT_CONVENTION, {1, 0, 0, 0}},
            {"last index", VERDICT_CONVENTION, {0, 0, 0, 1}}, MIXTURE("some index", {0, 1, 0, 0}),
            MIXTURE("a tree of pairs", {.25, .5, 0, .25}), {"all of them", VERDICT_WRONG, {1, 1, 0, 1}},
            {"none of them", VERDICT_WRONG, {0, 0, 0, 0}}, {"a loser too", VERDICT_WRONG, {.25, .25, .25, .25}},
            {"even among pairs", VERDICT_WRONG, {.5, .5, 0, .5}}, {"no number", NO_NUMBER, {NAN, 0, 0, 1}}}},
    {"abs-0", "x: f64[]", "y = abs x", "0", "vjp",
        {{"0: PyTorch, TensorFlow, MLX", VERDICT_CONVENTION, {0}}, {"+1: JAX", VERDICT_CONVENTION, {1}},
            {"-1", VERDICT_CONVENTION, {-1}}, MIXTURE("between", {.5}), {"outside", VERDICT_WRONG, {2}},
            {"no number", NO_NUMBER, {NAN}}}},
    {"sign-0", "x: f64[]", "y = sign x", "0", "vjp", {UNKNOWN("0: all", JUMP, {0}), {"no number", NO_NUMBER, {NAN}}}},
    {"clamp-bound", "x: f64[]", "y = clamp x, 2, 5", "2", "vjp",
        {{"half: clip of JAX", VERDICT_CONVENTION, {.5}}, {"passes: PyTorch, TensorFlow", VERDICT_CONVENTION, {1}},
            {"stops: lax.clamp of JAX, clip of MLX", VERDICT_CONVENTION, {0}}, MIXTURE("between", {.25}),
            {"outside", VERDICT_WRONG, {2}}, {"no number", NO_NUMBER, {NAN}}}},
    {"clamp-bound", "x: f64[], l: f64[]", "y = clamp x, l, 5", "2,2", "vjp",
        {{"clip of JAX", VERDICT_CONVENTION, {.5, .5}}, {"PyTorch, TensorFlow", VERDICT_CONVENTION, {1, 0}},
            {"clip of MLX", VERDICT_CONVENTION, {0, 1}}, {"lax.clamp of JAX: neither", VERDICT_CONVENTION, {0, 0}},
            {"doubled share", VERDICT_WRONG, {1, 1}}}},
    {"clamp-both", "x: f64[], l: f64[], h: f64[]", "y = clamp x, l, h", "2,2,2", "vjp",
        {{"PyTorch, TensorFlow", VERDICT_CONVENTION, {1, 0, 0}}, {"clip of MLX", VERDICT_CONVENTION, {0, 0, 1}},
            {"clip of JAX", VERDICT_CONVENTION, {.25, .25, .5}}, {"lax.clamp of JAX", VERDICT_CONVENTION, {0, 0, 0}},
            MIXTURE("the lower bound", {0, 1, 0}), {"both bounds", VERDICT_WRONG, {0, 1, 1}},
            {"all", VERDICT_WRONG, {1, 1, 1}}}},
    {"relu-max", "x: f64[]", "y = max x, 0", "0", "vjp",
        {{"half: JAX, PyTorch", VERDICT_CONVENTION, {.5}}, {"one: TensorFlow", VERDICT_CONVENTION, {1}},
            {"none: MLX", VERDICT_CONVENTION, {0}}, {"outside", VERDICT_WRONG, {-1}}}},
    {"relu-select", "x: f64[]", "c = constant 0; p = gt x, c; y = select p, x, c", "0", "vjp",
        {{"the branch taken: all", VERDICT_AGREE, {0}}, {"the other branch", VERDICT_WRONG, {1}},
            {"half", VERDICT_WRONG, {.5}}, {"no number", NO_NUMBER, {NAN}}}},
    {"sort-tie", "x: f64[3]", "y = sort x axis=0", "[2,2,2]", "vjp; cotangents [5, 1, 9]",
        {{"stable: JAX, PyTorch with stable=True, MLX", VERDICT_CONVENTION, {5, 1, 9}},
            {"reversed", VERDICT_CONVENTION, {9, 1, 5}}, {"even", VERDICT_CONVENTION, {5, 5, 5}},
            MIXTURE("another order: PyTorch", {1, 9, 5}), {"an element twice", VERDICT_WRONG, {5, 5, 1}},
            {"all to all", VERDICT_WRONG, {15, 15, 15}}, {"no number", NO_NUMBER, {5, 1, NAN}}}},
    {"sort-tie", "x: f64[4]", "y = sort x axis=0", "[2,2,2,2]", "vjp; cotangents [5, 1, 9, 2]",
        {{"stable", VERDICT_CONVENTION, {5, 1, 9, 2}}, MIXTURE("another order: too many to enumerate", {1, 5, 2, 9}),
            {"more than there is", VERDICT_WRONG, {18, 1, 9, 2}}}},
    {"sort-tie", "x: f64[]",
        "a = tanh x; b = broadcast_to a shape=[3]; s = mul b, b; t = sort s axis=0; u = mul t, t; y = sort u axis=0",
        "0.5", "vjp; cotangents [5, 1, 9]",
        {{"equal computations: any order", VERDICT_AGREE, {4.656690718360287883}},
            {"an element lost", VERDICT_WRONG, {3.104460478906858589}}}},
    {"order-statistic", "x: f64[3]", "s = sort x axis=0; y = slice s start=[1] size=[1]", "[2,1,2]", "vjp",
        {{"first", VERDICT_CONVENTION, {1, 0, 0}}, {"last", VERDICT_CONVENTION, {0, 0, 1}},
            {"even", VERDICT_CONVENTION, {.5, 0, .5}}, {"doubled share", VERDICT_WRONG, {1, 0, 1}},
            {"missing share", VERDICT_WRONG, {0, 0, 0}}, {"a loser", VERDICT_WRONG, {0, 1, 0}}}},
    {"cummax", "a: f64[], b: f64[], c: f64[]", "m = max a, b; n = max m, c; s = add a, m; y = add s, n", "1,1,1", "vjp",
        {{"latest: PyTorch, MLX", VERDICT_CONVENTION, {1, 1, 1}},
            {"pairwise even: JAX", VERDICT_CONVENTION, {1.75, .75, .5}}, {"earliest", VERDICT_CONVENTION, {3, 0, 0}},
            MIXTURE("even among all so far", {1 + .5 + THIRD, .5 + THIRD, THIRD}),
            {"doubled share", VERDICT_WRONG, {3, 2, 1}}, {"missing share", VERDICT_WRONG, {1, 0, 0}}}},
    {"norm-0", "x: f64[2]", "y = norm x axes=[0]", "[0,0]", "vjp",
        {{"0: PyTorch", VERDICT_CONVENTION, {0, 0}}, MIXTURE("no number: JAX, TensorFlow, MLX", {NAN, NAN}),
            MIXTURE("a subgradient", {.6, .8}), {"outside the ball", VERDICT_WRONG, {1.5, 0}}}},
    {"norm-0", "x: f64[2]", "y = norm x axes=[0]", "[0,0]", "jvp; tangents [3, 4]",
        {{"0", VERDICT_CONVENTION, {0}}, {"directional", VERDICT_CONVENTION, {5}}, MIXTURE("a subgradient", {-3}),
            MIXTURE("no number", {NAN}), {"outside", VERDICT_WRONG, {8}}}},
    {"norm-0", "x: f64[2]", "n = norm x axes=[0]; y = mul n, n", "[0,0]", "vjp",
        {{"the square is smooth", VERDICT_AGREE, {0, 0}}, MIXTURE("no number: JAX", {NAN, NAN}),
            {"outside", VERDICT_WRONG, {1, 0}}}},
    {"hypot-0", "x: f64[], z: f64[]", "a = mul x, x; b = mul z, z; s = add a, b; y = sqrt s", "0,0", "vjp",
        {UNKNOWN("no number: all", NON_FINITE, {NAN, NAN}), UNKNOWN("0", NON_FINITE, {0, 0})}},
    {"pow-base-0", "x: f64[]", "y = pow x, 2", "0", "vjp",
        {{"0: all", VERDICT_AGREE, {0}}, {"one", VERDICT_WRONG, {1}}, {"no number", NO_NUMBER, {NAN}}}},
    {"pow-base-0", "x: f64[]", "y = pow x, 1", "0", "vjp",
        {{"1: all", VERDICT_AGREE, {1}}, {"none", VERDICT_WRONG, {0}}, {"no number", NO_NUMBER, {NAN}}}},
    {"pow-base-0", "x: f64[]", "y = pow x, 0.5", "0", "vjp",
        {UNKNOWN("infinite: all", NON_FINITE, {INFINITY}), UNKNOWN("no number", NON_FINITE, {NAN})}},
    {"pow-0-0", "x: f64[]", "y = pow x, 0", "0", "vjp",
        {{"by the base, 0: PyTorch", VERDICT_AGREE, {0}}, {"0 * infinity: JAX, TensorFlow, MLX", NO_NUMBER, {NAN}},
            {"one", VERDICT_WRONG, {1}}}},
    {"pow-0-0", "x: f64[]", "y = pow 0, x", "0", "vjp",
        {{"by the exponent, 0: PyTorch, JAX, TensorFlow", VERDICT_CONVENTION, {0}}, MIXTURE("log 0: MLX", {-INFINITY}),
            MIXTURE("no number", {NAN}), {"rising", VERDICT_WRONG, {1}}}},
    {"pow-0-0", "x: f64[]", "y = pow 0, x", "2", "vjp",
        {{"exponent above 0: all", VERDICT_AGREE, {0}}, {"0 * infinity", NO_NUMBER, {NAN}}}},
    {"mod-multiple", "x: f64[], z: f64[]", "y = mod x, z", "6,2", "vjp",
        {{"the floor of the quotient: all", VERDICT_AGREE, {1, -3}}, {"no derivative by z", VERDICT_WRONG, {1, 0}},
            {"the other side", VERDICT_WRONG, {1, -2}}, {"constant", VERDICT_WRONG, {0, 0}},
            {"no number", NO_NUMBER, {1, NAN}}}},
    {"mod-multiple", "x: f64[], z: f64[]", "y = mod x, z", "1,0.1", "vjp",
        {UNKNOWN("the exact quotient is below 10", UNSTABLE_PATH, {1, -9}),
            UNKNOWN("the rounded quotient is 10", UNSTABLE_PATH, {1, -10})}},
    {"mod-0", "x: f64[], z: f64[]", "y = mod x, z", "3,0", "vjp",
        {UNKNOWN("NaN", NON_FINITE, {NAN, NAN}), UNKNOWN("1 by x", NON_FINITE, {1, NAN})}},
    {"floor-divide", "x: f64[], z: f64[]", "q = floor_divide x, z; y = mul q, x", "7,2", "vjp",
        {{"the quotient is a constant", VERDICT_AGREE, {3, 0}},
            {"the derivative of x/z", VERDICT_WRONG, {6.5, -12.25}}}},
    {"floor-integer", "x: f64[]", "y = floor x", "3", "vjp",
        {{"0: all", VERDICT_AGREE, {0}}, {"straight through", VERDICT_WRONG, {1}}, {"no number", NO_NUMBER, {NAN}}}},
    {"round-half", "x: f64[]", "y = round x", "2.5", "vjp",
        {{"0: all", VERDICT_AGREE, {0}}, {"straight through", VERDICT_WRONG, {1}}, {"no number", NO_NUMBER, {NAN}}}},
    {"atan2-0", "x: f64[], z: f64[]", "y = atan2 x, z", "0,0", "vjp",
        {UNKNOWN("0: PyTorch", NON_FINITE, {0, 0}),
            UNKNOWN("no number: JAX, TensorFlow, MLX", NON_FINITE, {NAN, NAN})}},
    {"logsumexp-tie", "x: f64[2]", "y = logsumexp x axes=[0]", "[2,2]", "vjp",
        {{"the softmax: all", VERDICT_AGREE, {.5, .5}}, {"first", VERDICT_WRONG, {1, 0}},
            {"no number", NO_NUMBER, {NAN, NAN}}}},
    {"prod-zeros", "x: f64[3]", "y = reduce_prod x axes=[0]", "[0,2,3]", "vjp",
        {{"the others' product: all", VERDICT_AGREE, {6, 0, 0}}, {"y / x", NO_NUMBER, {NAN, 0, 0}},
            {"masked", VERDICT_WRONG, {0, 0, 0}}}},
    {"prod-zeros", "x: f64[3]", "y = reduce_prod x axes=[0]", "[0,2,0]", "vjp",
        {{"two zeros: all", VERDICT_AGREE, {0, 0, 0}}, {"y / x", NO_NUMBER, {NAN, 0, NAN}}}},
    {"sqrt-0", "x: f64[]", "y = sqrt x", "0", "vjp",
        {UNKNOWN("infinite: all", NON_FINITE, {INFINITY}), UNKNOWN("0", NON_FINITE, {0}),
            UNKNOWN("no number", NON_FINITE, {NAN})}},
    {"sqrt-0", "x: f64[]", "y = sqrt x", "0", "vjp; cotangents 0",
        {{"nothing asked", VERDICT_AGREE, {0}}, {"0 * infinity", NO_NUMBER, {NAN}}}},
    {"sqrt-0", "x: f64[]", "c = constant 0; p = gt x, c; s = sqrt x; y = select p, s, c", "0", "vjp",
        {{"masked", VERDICT_AGREE, {0}}, {"0 * infinity", NO_NUMBER, {NAN}}}},
    {"rounded-choice", FOUR, EQUALS "y = max a, b", AT, "vjp",
        {{"the one", VERDICT_AGREE, {.3, .1, 0, 0}}, {"the other", VERDICT_AGREE, {0, 0, .1, .3}},
            UNKNOWN("even", UNSTABLE_PATH, {.15, .05, .05, .15}), UNKNOWN("both", UNSTABLE_PATH, {.3, .1, .1, .3}),
            UNKNOWN("a little beyond", UNSTABLE_PATH, {.5, .1, 0, 0}), {"far beyond", VERDICT_WRONG, {.7, .1, 0, 0}},
            {"the other sign", VERDICT_WRONG, {0, 0, .1, -.31}}, {"infinite", VERDICT_WRONG, {INFINITY, .1, 0, 0}},
            {"no number", NO_NUMBER, {NAN, .1, 0, 0}}}},
    {"rounded-choice", FOUR, EQUALS "y = max a, b", AT, "jvp; tangents 1, 1, 1, 2",
        {{"the one", VERDICT_AGREE, {.4}}, {"the other", VERDICT_AGREE, {.7}}, UNKNOWN("even", UNSTABLE_PATH, {.55}),
            {"neither", VERDICT_WRONG, {0}}, {"both", VERDICT_WRONG, {1.1}}}},
    {"rounded-choice", FOUR, EQUALS "d = sub a, b; y = abs d", AT, "vjp",
        {{"rising", VERDICT_AGREE, {.3, .1, -.1, -.3}}, {"falling", VERDICT_AGREE, {-.3, -.1, .1, .3}},
            UNKNOWN("equal", UNSTABLE_PATH, {0, 0, 0, 0}), {"beyond", VERDICT_WRONG, {1, .1, -.1, -.3}}}},
    {"rounded-choice", FOUR, EQUALS "p = gt a, b; s = mul x, 3; t = mul x, 4; y = select p, s, t", AT, "vjp x",
        {{"first", VERDICT_AGREE, {3}}, {"second", VERDICT_AGREE, {4}}, UNKNOWN("between", UNSTABLE_PATH, {3.5}),
            UNKNOWN("beside", UNSTABLE_PATH, {2.1}), {"neither", VERDICT_WRONG, {0}}, {"both", VERDICT_WRONG, {7}},
            {"no number", NO_NUMBER, {NAN}}}},
    {"rounded-choice", FOUR, EQUALS "p = gt a, b; s = mul x, 3; t = mul x, 4; y = select p, s, t", AT, "vjp",
        {{"an input of the choice alone", VERDICT_WRONG, {3, 1, 0, 0}}}},
    {"rounded-choice", FOUR,
        EQUALS "p = gt a, b; y = cond (p) { s = mul x, 3; yield s } else { t = mul x, x; r = mul t, 20; yield r }", AT,
        "vjp x",
        {{"first", VERDICT_AGREE, {3}}, {"second", VERDICT_AGREE, {4}}, UNKNOWN("between", UNSTABLE_PATH, {3.5}),
            {"neither", VERDICT_WRONG, {0}}, {"both", VERDICT_WRONG, {7}}}},
    {"rounded-choice", "x: f64[2], z: f64[2]", "q = mul x, z; y = sort q axis=0", "[0.1,0.3],[0.3,0.1]",
        "vjp; cotangents [5, 1]",
        {{"as they are", VERDICT_AGREE, {1.5, .1, .5, .3}}, {"exchanged", VERDICT_AGREE, {.3, .5, .1, 1.5}},
            {"beyond", VERDICT_WRONG, {4, .1, .5, .3}}, {"no number", NO_NUMBER, {NAN, .1, .5, .3}}}},
    /* The slope of the logarithm beside one way says nothing of the other. */
    {"rounded-choice", FOUR, EQUALS "p = gt a, b; w = select p, x, z; y = log w", AT, "vjp x",
        {UNKNOWN("10", UNSTABLE_PATH, {10}), UNKNOWN("any number", UNSTABLE_PATH, {900})}},
    {"rounded-choice", "x: f64[2], z: f64[2]",
        "q = mul x, z; i = argmax q axis=0; j = reshape i shape=[1]; y = gather x, j axis=0 mode=clip",
        "[0.1,0.3],[0.3,0.1]", "vjp x", {UNKNOWN("an index", UNSTABLE_PATH, {900, 0})}},
    {"rounded-choice", FOUR, EQUALS "p = gt a, b; i = cast p dtype=i64; f = cast i dtype=f64; y = mul f, x", AT,
        "vjp x", {UNKNOWN("an integer", UNSTABLE_PATH, {900})}},
    {"rounded-choice", FOUR,
        EQUALS "y = while (x) cap=2 { params s; p = gt a, b; yield p } do { params t; r = add t, t; yield r }", AT,
        "vjp x", {UNKNOWN("a number of iterations", UNSTABLE_PATH, {900})}},
    {"custom-tie", "x: f64[]", CUSTOM("x", "u", "abs u", "a, g", "s = sign a; d = mul s, g", "d"), "0", "vjp",
        {{"0: the rule", VERDICT_CONVENTION, {0}}, {"+1: the function", VERDICT_CONVENTION, {1}},
            {"-1", VERDICT_CONVENTION, {-1}}, MIXTURE("between", {.5}), {"outside", VERDICT_WRONG, {2}},
            {"no number", NO_NUMBER, {NAN}}}},
    {"custom-tie", "x: f64[], z: f64[]", CUSTOM("x, z", "u, v", "max u, v", "a, b, g", "h = mul g, 0.5", "h, h"), "2,2",
        "vjp",
        {{"even: the rule", VERDICT_CONVENTION, {.5, .5}}, {"last", VERDICT_CONVENTION, {0, 1}},
            {"doubled share", VERDICT_WRONG, {1, 1}}, {"missing share", VERDICT_WRONG, {0, 0}}}},
    {"custom-tie", "x: f64[], z: f64[]", CUSTOM("x, z", "u, v", "max u, v", "a, b, g", "h = mul g, 0", "h, g"), "2,2",
        "vjp", {{"last: the rule", VERDICT_CONVENTION, {0, 1}}, {"doubled share", VERDICT_WRONG, {1, 1}}}},
    /* No mixture: the program's rule is wrong, and an engine that uses it is right. */
    {"custom-tie", "x: f64[]", CUSTOM("x", "u", "abs u", "a, g", "s = cos a; t = add s, s; d = mul t, g", "d"), "0",
        "vjp",
        {{"2: the rule", VERDICT_AGREE, {2}}, {"+1: the function", VERDICT_AGREE, {1}}, UNKNOWN("0", CUSTOM_RULE, {0}),
            {"far beyond", VERDICT_WRONG, {6}}}},
    {"custom-tie", "x: f64[], z: f64[]", CUSTOM("x, z", "u, v", "max u, v", "a, b, g", "h = mul g, 1", "h, h"), "2,2",
        "vjp",
        {{"to both: the rule", VERDICT_AGREE, {1, 1}}, {"first", VERDICT_AGREE, {1, 0}},
            UNKNOWN("even", CUSTOM_RULE, {.5, .5}), {"far beyond", VERDICT_WRONG, {3, 1}}}},
    {"custom-tie", "x: f64[]", CUSTOM("x", "u", "max u, u", "a, g", "h = mul g, 0", "h"), "2", "vjp",
        {{"0: the rule", VERDICT_AGREE, {0}}, {"+1: no tie", VERDICT_AGREE, {1}}, {"far beyond", VERDICT_WRONG, {3}}}},
    {"custom-tie", "x: f64[]", CUSTOM("x", "u", "pow u, 0", "a, g", "h = mul g, 0", "h"), "0", "vjp",
        {{"0: the rule", VERDICT_AGREE, {0}}, {"one", VERDICT_WRONG, {1}}, {"0 * infinity", NO_NUMBER, {NAN}}}},
};

/* Oracles by what they make of alternatives (oracles/truth.h). */
struct asked {
	struct oracle *usual, *counting;
};

/* The truth's primal, and these numbers, flattened, as derivatives. */
static struct answer answer_with(const struct truth_point *t, const double *got, struct arena *a)
{
	struct answer answer = {.n_primal = t->n_primal, .n_derivative = t->n_derivative, .text = ""};
	int at = 0;
	answer.primal = NEW(a, struct tensor, t->n_primal);
	answer.derivative = NEW(a, struct tensor, t->n_derivative);
	for (int k = 0; k < t->n_primal; k++) {
		answer.primal[k] = tensor_new(a, &t->primal[k].type);
		for (int e = 0; e < shape_elements(&t->primal[k].type.shape); e++) {
			if (dtype_is_float(t->primal[k].type.dtype))
				answer.primal[k].at[e].f = t->primal[k].at[e].value;
			else
				answer.primal[k].at[e].i = (int64_t)t->primal[k].at[e].value +
				    (int64_t)t->primal[k].at[e].low;
		}
	}
	for (int k = 0; k < t->n_derivative; k++) {
		answer.derivative[k] = tensor_new(a, &t->derivative[0][k].type);
		for (int e = 0; e < shape_elements(&t->derivative[0][k].type.shape); e++, at++)
			if (dtype_is_float(t->derivative[0][k].type.dtype))
				answer.derivative[k].at[e].f = got[at];
	}
	return answer;
}

/*
 * An answer to a case of rounded-choice. The verdict is the same if all alternatives are asked for, since their rows
 * are switched on. A number outside of them is a finding.
 */
static void test_counted(const struct asked *asked, const struct testcase *c, const struct situation *s,
    const struct attempt *attempt, struct arena *a)
{
	struct truth usual, counted;
	struct judgement want, got;

	oracle_truth(asked->usual, c, a, &usual);
	oracle_truth(asked->counting, c, a, &counted);
	struct answer answer = answer_with(&usual.point[0], attempt->got, a);
	judge(c, &usual, &answer, &want);
	judge(c, &counted, &answer, &got);
	CHECK(got.verdict == want.verdict && got.reason == want.reason && got.beyond == want.beyond,
	    "%s, %s, counted: %s, not %s", s->name, attempt->who, verdict_names[got.verdict],
	    verdict_names[want.verdict]);
	CHECK(!want.beyond || verdict_is_finding[want.verdict], "%s, %s: %d numbers outside", s->name, attempt->who,
	    want.beyond);
}

static void test_situation(const struct asked *asked, const struct situation *s, struct arena *a)
{
	struct oracle *oracle = asked->usual;

	struct testcase c = test_function(a, s->inputs, s->body, s->point, s->request);
	struct truth truth;
	if (!c.n_point)
		return;
	for (int k = 0; k < ANSWERS && s->attempt[k].who; k++) {
		const struct attempt *attempt = &s->attempt[k];
		struct judgement got;
		/* As a campaign does: judged, then every coordinate confirmed by the other oracle, and judged again. */
		oracle_truth(oracle, &c, a, &truth);
		oracle_confirm(oracle, &c, a, &truth);
		struct answer answer = answer_with(&truth.point[0], attempt->got, a);
		judge(&c, &truth, &answer, &got);
		CHECK(got.verdict == attempt->verdict, "%s, %s: %s, not %s (%s)", s->name, attempt->who,
		    verdict_names[got.verdict], verdict_names[attempt->verdict], reason_names[got.reason]);
		if (got.verdict == VERDICT_UNDECIDED)
			CHECK(got.reason == attempt->reason, "%s, %s: %s", s->name, attempt->who,
			    reason_names[got.reason]);
		if (!strcmp(s->name, "rounded-choice"))
			test_counted(asked, &c, s, attempt, a);
	}
}

/* ---- random programs ---- */

/* One point's worth of judging: the verdict on these numbers. */
static enum verdict verdict_on(
    const struct testcase *c, const struct truth_point *t, const double *got, struct arena *a)
{
	struct testcase one = *c;
	struct truth_point point = *t;
	struct truth truth = {1, &point};
	struct answer answer = answer_with(t, got, a);
	struct judgement j;
	one.n_point = 1;
	judge(&one, &truth, &answer, &j);
	return j.verdict;
}

static void flatten(const struct truth_point *t, int assignment, double *out)
{
	for (int k = 0; k < t->n_derivative; k++)
		for (int e = 0; e < shape_elements(&t->derivative[assignment][k].type.shape); e++)
			*out++ = t->derivative[assignment][k].at[e].value;
}

/* Whether a number lies in the hull by itself, or nothing is known of it. */
static bool inside(const struct truth_point *t, int k, double got)
{
	const struct hull *h = t->hull;
	int at = 0;
	for (int d = 0; d < t->n_derivative; d++)
		for (int e = 0; e < shape_elements(&t->derivative[0][d].type.shape); e++, at++)
			for (int s = 0; at == k && s < t->n_assignment; s++)
				if (t->derivative[s][d].at[e].reason != REASON_NONE ||
				    !dtype_is_float(t->derivative[s][d].type.dtype))
					return true;
	return got >= h->low[k] - 1e-9 * fabs(h->low[k]) - 1e-300 &&
	    got <= h->high[k] + 1e-9 * fabs(h->high[k]) + 1e-300;
}

struct seen {
	int kinks, cornered, mixtures, beyond;
};

/*
 * Every assignment is accepted and lies in the hull, mixtures of corners are not blamed, and what lies beyond a
 * corner by itself is.
 */
static void test_kink(
    const struct testcase *c, const struct truth_point *t, uint64_t *random, struct seen *seen, struct arena *a)
{
	const struct hull *h = t->hull;
	double *got = NEW(a, double, h->n_component), *other = NEW(a, double, h->n_component);
	seen->kinks++;
	for (int s = 0; s < t->n_assignment; s++) {
		flatten(t, s, got);
		enum verdict v = verdict_on(c, t, got, a);
		CHECK(
		    v == VERDICT_AGREE || v == VERDICT_CONVENTION || v == VERDICT_UNDECIDED || v == VERDICT_INACCURATE,
		    "assignment %d: %s", s, verdict_names[v]);
		for (int k = 0; k < h->n_component; k++)
			CHECK(inside(t, k, got[k]), "assignment %d, component %d: %g is not between %g and %g", s, k,
			    got[k], h->low[k], h->high[k]);
	}
	seen->cornered += h->n_corner > 0;
	for (int mixture = 0; h->n_corner && mixture < 4; mixture++) {
		int x = (int)((*random = *random * 6364136223846793005u + 1442695040888963407u) >> 33) % h->n_corner;
		int y = (int)((*random = *random * 6364136223846793005u + 1442695040888963407u) >> 33) % h->n_corner;
		double part = mixture * 0.25;
		for (int k = 0; k < h->n_component; k++)
			got[k] = h->corner[x][k] + part * (h->corner[y][k] - h->corner[x][k]);
		enum verdict v = verdict_on(c, t, got, a);
		CHECK(v != VERDICT_WRONG && v != VERDICT_WRONG_PRIMAL, "a mixture of %d and %d: %s", x, y,
		    verdict_names[v]);
		seen->mixtures++;
	}
	/* Of two corners alone: twice as far as the second from the first. */
	bool apart = false;
	for (int k = 0; h->n_corner == 2 && k < h->n_component; k++) {
		got[k] = 2 * h->corner[1][k] - h->corner[0][k];
		double size = fabs(got[k]) + fabs(h->corner[0][k]) + fabs(h->corner[1][k]),
		       move = fabs(h->corner[1][k] - h->corner[0][k]);
		/* Numbers near the end of the range may have a radius that is larger than they are. */
		apart |= isfinite(h->low[k]) && isfinite(h->high[k]) && h->low[k] <= h->high[k] &&
		    move > 0.125 * size && move > 2 * h->slack[k];
	}
	flatten(t, 0, other);
	if (apart && verdict_on(c, t, other, a) == VERDICT_CONVENTION) {
		enum verdict v = verdict_on(c, t, got, a);
		seen->beyond++;
		CHECK(v == VERDICT_WRONG, "beyond a corner: %s", verdict_names[v]);
	}
}

static void test_random(struct oracle *oracle, struct arena *a)
{
	const struct profile profile = profile_default();
	struct seen seen = {0};
	uint64_t random = 1;
	for (uint64_t number = 0; number < 3000; number++) {
		struct choice choice = choice_seeded(seed_mix(11, number));
		struct truth truth;
		arena_reset(a);
		struct testcase c = generate(&choice, &profile, a);
		if (c.n_transform != 1)
			continue;
		oracle_truth(oracle, &c, a, &truth);
		for (int k = 0; k < truth.n_point; k++)
			if (truth.point[k].hull)
				test_kink(&c, &truth.point[k], &random, &seen, a);
	}
	CHECK(seen.kinks > 50 && seen.cornered > 25 && seen.mixtures > 100 && seen.beyond > 10,
	    "%d kinks, %d with corners, %d mixtures, %d beyond", seen.kinks, seen.cornered, seen.mixtures, seen.beyond);
}

/* A decision is at exact equality if two values are equal, not if one value occurs twice. */
static const struct edge {
	const char *inputs, *body, *point;
	bool edge;
} edges[] = {
    {"x: f64[]", "b = broadcast_to x shape=[3]; y = reduce_max b axes=[0]", "2", false},
    {"x: f64[]", "b = broadcast_to x shape=[3]; y = reduce_min b axes=[0]", "2", false},
    {"x: f64[]", "y = max x, x", "2", false},
    {"x: f64[2]", "y = reduce_max x axes=[0]", "[2,2]", true},
    {"x: f64[3]", "y = reduce_max x axes=[0]", "[2,2,3]", false},
    {"x: f64[]", "y = min x, 2", "2", true},
    {"x: f64[], z: f64[]", "y = mod x, z", "7,2", false},
    {"x: f64[], z: f64[]", "y = mod x, z", "6,2", true},
};

static void test_edges(struct oracle *oracle, struct arena *a)
{
	for (size_t k = 0; k < sizeof edges / sizeof *edges; k++) {
		const struct edge *e = &edges[k];
		struct testcase c = test_function(a, e->inputs, e->body, e->point, "vjp");
		struct truth truth;
		oracle_truth(oracle, &c, a, &truth);
		CHECK(truth.point[0].edge == e->edge, "%s at %s: %d", e->body, e->point, truth.point[0].edge);
	}
}

/* Row names of the document: "| `name` | ...". */
static void test_document(const char *path, struct arena *a)
{
	FILE *f = fopen(path, "r");
	char line[4096];
	CHECK(f, "%s", path);
	if (!f)
		return;
	int n = (int)(sizeof situations / sizeof *situations), rows = 0;
	bool *seen = NEW(a, bool, n);
	while (fgets(line, sizeof line, f)) {
		char *end = strncmp(line, "| `", 3) ? NULL : strchr(line + 3, '`');
		bool known = false;
		if (!end)
			continue;
		*end = 0;
		rows++;
		for (int k = 0; k < n; k++) {
			if (strcmp(situations[k].name, line + 3))
				continue;
			known = seen[k] = true;
		}
		CHECK(known, "%s: nothing tests %s", path, line + 3);
	}
	fclose(f);
	CHECK(rows > 0, "%s has no rows", path);
	for (int k = 0; k < n; k++)
		CHECK(seen[k], "%s says nothing of %s", path, situations[k].name);
}

int main(int argc, char **argv)
{
	struct arena a;
	struct oracle_options options = {.seed = 1, .fd_one_in = 1};
	struct asked asked = {.usual = oracle_open(&options)};
	options.alternatives = ALTERNATIVES_COUNTED;
	asked.counting = oracle_open(&options);
	check_begin(argc, argv);
	arena_init(&a, 1 << 26);
	for (size_t k = 0; k < sizeof situations / sizeof *situations; k++) {
		if (!row_wanted("situations: %s", situations[k].name))
			continue;
		arena_reset(&a);
		test_situation(&asked, &situations[k], &a);
	}
	CHECK_LAW(test_edges(asked.usual, &a));
	CHECK_LAW(test_random(asked.usual, &a));
	arena_reset(&a);
	CHECK_LAW(test_document("oracles/CONVENTIONS.md", &a));
	arena_free(&a);
	oracle_close(asked.usual);
	oracle_close(asked.counting);
	return check_done();
}
