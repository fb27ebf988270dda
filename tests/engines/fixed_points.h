/*
 * fixed_points.h: programs with fixed points whose solutions have closed forms, for the tests of engines and of the
 * oracles.
 */
#ifndef TESTS_ENGINES_FIXED_POINTS_H
#define TESTS_ENGINES_FIXED_POINTS_H

#include <string.h>

#include "graph/testcase.h"
#include "tests/check.h"
#include "tests/support/case_text.h"

/* Done when |next - x| <= tol. */
#define REST(next, x, tol) \
	"d = sub " next ", " x "\n" \
	"e = abs d\n" \
	"done = le e, " tol "\n"
#define FIXED_POINT(outs, args, cap, meaning, body) \
	outs " = fixed_point (" args ") cap=" cap " meaning=" meaning " {\n" body "}\n"
#define TIGHT "0x1p-50"

/* y = b/(1 - a) as the solution of x = a*x + b, from x0. */
#define LINEAR(cap, meaning, tol) \
	FIXED_POINT("y", "x0", cap, meaning, \
	    "params x\n" \
	    "p = mul a, x\n" \
	    "n = add p, b\n" REST("n", "x", tol) "yield n, done\n")

/* y = sqrt(a) by Newton's iteration, from b; x0 is not used. */
#define ROOT(cap, tol) \
	"half = constant 0.5\n" FIXED_POINT("y", "b", cap, "solution", \
	    "params x\n" \
	    "q = div a, x\n" \
	    "s = add x, q\n" \
	    "n = mul s, half\n" REST("n", "x", tol) "yield n, done\n")

/* y = a cos y */
#define COSINE \
	FIXED_POINT("y", "x0", "100", "solution", \
	    "params x\n" \
	    "c = cos x\n" \
	    "n = mul a, c\n" REST("n", "x", TIGHT) "yield n, done\n")

/* u = v/2 + a, v = u/4 + b; y = u + 2 v */
#define COUPLED \
	"half = constant 0.5\n" \
	"quarter = constant 0.25\n" \
	"two = constant 2\n" FIXED_POINT("u, v", "x0, x0", "100", "solution", \
	    "params x, z\n" \
	    "p = mul z, half\n" \
	    "n = add p, a\n" \
	    "q = mul x, quarter\n" \
	    "m = add q, b\n" REST("n", "x", TIGHT) "yield n, m, done\n") "w = mul two, v\n" \
	                                                                 "y = add u, w\n"

/*
 * y = 3/8 y + 7/16 v + a, v = 7/16 y + 3/8 v + b: one mode contracts by 13/16, the other by 1/16, and neither element
 * is one of them.
 */
#define SYMMETRIC \
	"near = constant 0.375\n" \
	"far = constant 0.4375\n" FIXED_POINT("y, v", "x0, x0", "400", "solution", \
	    "params x, z\n" \
	    "p = mul x, near\n" \
	    "q = mul z, far\n" \
	    "r = add p, q\n" \
	    "n = add r, a\n" \
	    "s = mul x, far\n" \
	    "t = mul z, near\n" \
	    "w = add s, t\n" \
	    "m = add w, b\n" REST("n", "x", TIGHT) "yield n, m, done\n")

/* y = a * (solution of x = x/2 + a/2, which is a) + a, the captured value used before, inside and after */
#define SHARED \
	"half = constant 0.5\n" FIXED_POINT("r", "x0", "100", "solution", \
	    "params x\n" \
	    "s = add x, a\n" \
	    "n = mul s, half\n" REST("n", "x", TIGHT) "yield n, done\n") "m = mul a, r\n" \
	                                                                 "y = add m, a\n"

/* Three times v = the solution of x = x/2 + v*v/2: a^8.  The body holds a checkpoint, and stands in one in a for. */
#define NESTED \
	"half = constant 0.5\n" \
	"y = for (a) trip=3 {\n" \
	"  params i, v\n" \
	"  k = checkpoint {\n" \
	"    f = mul v, v\n" \
	"    g = mul f, half\n" FIXED_POINT("r", "x0", "100", "solution", \
	    "params x\n" \
	    "p = checkpoint { pp = mul x, half; yield pp }\n" \
	    "n = add p, g\n" REST("n", "x", TIGHT) "yield n, done\n") "    yield r\n" \
	                                                              "  }\n" \
	                                                              "  yield k\n" \
	                                                              "}\n"

/* A solution inside a solution: s = s/2 + x/2, which only the cap ends, is x, and x = s/2 + a is 2 a. */
#define INNER \
	"half = constant 0.5\n" FIXED_POINT("y", "x0", "100", "solution", \
	    "params x\n" \
	    "hx = mul x, half\n" FIXED_POINT("r", "x0", "60", "solution", \
	        "params s\n" \
	        "hs = mul s, half\n" \
	        "t = add hs, hx\n" \
	        "f = sub t, s\n" \
	        "g = abs f\n" \
	        "o = le g, -1\n" \
	        "yield t, o\n") "p = mul r, half\n" \
	                        "n = add p, a\n" REST("n", "x", "0x1p-44") "yield n, done\n")

/* Inputs a, b, x0; one scalar result y; the gradient by a, b, x0. */
struct fixed_point_row {
	const char *name, *body, *point; /* "a,b,x0" */
	double y, want[3];
};
static const struct fixed_point_row fixed_points[] = {
    {"linear", LINEAR("200", "solution", TIGHT), "0.5,1,0", 2, {4, 2, 0}},
    {"slow linear", LINEAR("2000", "solution", TIGHT), "0.875,1,3", 8, {64, 8, 0}},
    {"Newton's root", ROOT("40", TIGHT), "2,1,0", 1.4142135623730951, {0.35355339059327379, 0, 0}},
    {"a cos y", COSINE, "0.5,0,1", 0.45018361129487355, {0.73948159233291867, 0, 0}},
    {"coupled", COUPLED, "1,2,0", 2 / .875 + 2 * 2.25 / .875, {1.5 / .875, 2.5 / .875, 0}},
    {"symmetric", SYMMETRIC, "1,1,0", 16. / 3, {.625 / .19921875, .4375 / .19921875, 0}},
    {"shared", SHARED, "3,0,1", 12, {7, 0, 0}},
    {"nested", NESTED, "1.25,0,1", 5.9604644775390625, {38.146972656250000, 0, 0}},
    {"a solution in a solution", INNER, "1.5,0,0", 3, {2, 0, 0}},
};
enum { FIXED_POINTS = sizeof fixed_points / sizeof *fixed_points };

/* `along` < 0: a vjp by all three inputs; else a jvp along that one. */
static inline struct testcase fixed_point_case(struct arena *a, const char *body, const char *point, int along)
{
	static const char *const request[] = {
	    "jvp; tangents 1, 0, 0", "jvp; tangents 0, 1, 0", "jvp; tangents 0, 0, 1"};

	return test_case(a,
	    arena_printf(a,
	        "inputs a: f64[], b: f64[], x0: f64[]\n"
	        "%s\n"
	        "return y\n"
	        "point %s\n"
	        "request: %s",
	        body, point, along < 0 ? "vjp" : request[along]));
}

#endif
