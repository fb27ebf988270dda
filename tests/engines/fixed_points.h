/* fixed_points.h: programs with fixed points whose solutions have closed forms, for the tests of engines and of the oracles. */
#ifndef TESTS_ENGINES_FIXED_POINTS_H
#define TESTS_ENGINES_FIXED_POINTS_H

#include <string.h>

#include "../../graph/testcase.h"
#include "../check.h"

#define N(out, op, ...) "{\"out\":[\"" out "\"],\"op\":\"" op "\",\"args\":[" __VA_ARGS__ "]}"
#define C(out, value) "{\"out\":[\"" out ": f64[]\"],\"op\":\"constant\",\"value\":" value "}"
/* Done when |next - x| <= tol. */
#define REST(next, x, tol)                                                                                              \
	N("d", "sub", "\"" next "\",\"" x "\"") "," N("e", "abs", "\"d\"") "," C("tol", tol) "," N("done", "le", "\"e\",\"tol\"")
#define REGION(params, body, results) "{\"params\":[" params "],\"body\":[" body "],\"results\":[" results "]}"
#define FIXED_POINT(outs, args, cap, meaning, region)                                                                   \
	"{\"out\":[" outs "],\"op\":\"fixed_point\",\"args\":[" args "],\"cap\":" cap ",\"meaning\":\"" meaning          \
	"\",\"regions\":[" region "]}"
#define TIGHT "\"0x1p-50\""

/* y = b/(1 - a) as the solution of x = a*x + b, from x0. */
#define LINEAR(cap, meaning, tol)                                                                                       \
	FIXED_POINT("\"y\"", "\"x0\"", cap, meaning,                                                                    \
	    REGION("\"x\"", N("p", "mul", "\"a\",\"x\"") "," N("n", "add", "\"p\",\"b\"") "," REST("n", "x", tol), "\"n\",\"done\""))

/* y = sqrt(a) by Newton's iteration, from b; x0 is not used. */
#define ROOT(cap, tol)                                                                                                  \
	C("half", "0.5") ","                                                                                            \
	FIXED_POINT("\"y\"", "\"b\"", cap, "solution",                                                                   \
	    REGION("\"x\"", N("q", "div", "\"a\",\"x\"") "," N("s", "add", "\"x\",\"q\"") "," N("n", "mul", "\"s\",\"half\"") "," \
		REST("n", "x", tol), "\"n\",\"done\""))

/* y = a cos y */
#define COSINE                                                                                                          \
	FIXED_POINT("\"y\"", "\"x0\"", "100", "solution",                                                               \
	    REGION("\"x\"", N("c", "cos", "\"x\"") "," N("n", "mul", "\"a\",\"c\"") "," REST("n", "x", TIGHT), "\"n\",\"done\""))

/* u = v/2 + a, v = u/4 + b; y = u + 2 v */
#define COUPLED                                                                                                         \
	C("half", "0.5") "," C("quarter", "0.25") "," C("two", "2") ","                                                 \
	FIXED_POINT("\"u\",\"v\"", "\"x0\",\"x0\"", "100", "solution",                                                   \
	    REGION("\"x\",\"z\"", N("p", "mul", "\"z\",\"half\"") "," N("n", "add", "\"p\",\"a\"") ","                   \
		N("q", "mul", "\"x\",\"quarter\"") "," N("m", "add", "\"q\",\"b\"") "," REST("n", "x", TIGHT),           \
		"\"n\",\"m\",\"done\"")) ","                                                                             \
	N("w", "mul", "\"two\",\"v\"") "," N("y", "add", "\"u\",\"w\"")

/* y = 3/8 y + 7/16 v + a, v = 7/16 y + 3/8 v + b: one mode contracts by 13/16, the other by 1/16, and neither element is one of them. */
#define SYMMETRIC                                                                                                       \
	C("near", "0.375") "," C("far", "0.4375") ","                                                                   \
	FIXED_POINT("\"y\",\"v\"", "\"x0\",\"x0\"", "400", "solution",                                                   \
	    REGION("\"x\",\"z\"", N("p", "mul", "\"x\",\"near\"") "," N("q", "mul", "\"z\",\"far\"") ","               \
		N("r", "add", "\"p\",\"q\"") "," N("n", "add", "\"r\",\"a\"") "," N("s", "mul", "\"x\",\"far\"") ","   \
		N("t", "mul", "\"z\",\"near\"") "," N("w", "add", "\"s\",\"t\"") "," N("m", "add", "\"w\",\"b\"") ","  \
		REST("n", "x", TIGHT), "\"n\",\"m\",\"done\""))

/* y = a * (solution of x = x/2 + a/2, which is a) + a, the captured value used before, inside and after */
#define SHARED                                                                                                          \
	C("half", "0.5") ","                                                                                            \
	FIXED_POINT("\"r\"", "\"x0\"", "100", "solution",                                                               \
	    REGION("\"x\"", N("s", "add", "\"x\",\"a\"") "," N("n", "mul", "\"s\",\"half\"") "," REST("n", "x", TIGHT),  \
		"\"n\",\"done\"")) ","                                                                                   \
	N("m", "mul", "\"a\",\"r\"") "," N("y", "add", "\"m\",\"a\"")

/* Three times v = the solution of x = x/2 + v*v/2: a^8.  The body holds a checkpoint, and stands in one in a for. */
#define NESTED                                                                                                          \
	C("half", "0.5") ",{\"out\":[\"y\"],\"op\":\"for\",\"args\":[\"a\"],\"trip\":3,\"regions\":["                    \
	REGION("\"i\",\"v\"", "{\"out\":[\"k\"],\"op\":\"checkpoint\",\"regions\":["                                     \
	    REGION("", N("f", "mul", "\"v\",\"v\"") "," N("g", "mul", "\"f\",\"half\"") ","                             \
		FIXED_POINT("\"r\"", "\"x0\"", "100", "solution",                                                       \
		    REGION("\"x\"", "{\"out\":[\"p\"],\"op\":\"checkpoint\",\"regions\":["                              \
			REGION("", N("pp", "mul", "\"x\",\"half\""), "\"pp\"") "]},"                                    \
			N("n", "add", "\"p\",\"g\"") "," REST("n", "x", TIGHT), "\"n\",\"done\"")), "\"r\"") "]}", "\"k\"") "]}"

/* A solution inside a solution: s = s/2 + x/2, which only the cap ends, is x, and x = s/2 + a is 2 a. */
#define INNER                                                                                                           \
	C("half", "0.5") ","                                                                                            \
	FIXED_POINT("\"y\"", "\"x0\"", "100", "solution",                                                               \
	    REGION("\"x\"", N("hx", "mul", "\"x\",\"half\"") ","                                                        \
		FIXED_POINT("\"r\"", "\"x0\"", "60", "solution",                                                        \
		    REGION("\"s\"", N("hs", "mul", "\"s\",\"half\"") "," N("t", "add", "\"hs\",\"hx\"") ","             \
			N("f", "sub", "\"t\",\"s\"") "," N("g", "abs", "\"f\"") "," C("eps", "-1") ","                 \
			N("o", "le", "\"g\",\"eps\""), "\"t\",\"o\"")) ","                                              \
		N("p", "mul", "\"r\",\"half\"") "," N("n", "add", "\"p\",\"a\"") "," REST("n", "x", "\"0x1p-44\""), "\"n\",\"done\""))

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
	static const char *const jvp[] = {"1,0,0", "0,1,0", "0,0,1"};
	struct testcase c = {0};
	struct error e = {.text = ""};
	const char *request = along < 0 ? "{\"transform\":\"vjp\",\"wrt\":[0,1,2],\"cotangents\":[1]}"
					: arena_printf(a, "{\"transform\":\"jvp\",\"wrt\":[0,1,2],\"tangents\":[%s]}", jvp[along]);
	char *text = arena_printf(a,
	    "{\"schema\":\"adjudge.case/1\",\"inputs\":[\"a: f64[]\",\"b: f64[]\",\"x0: f64[]\"],\"body\":[%s],\"results\":[\"y\"],"
	    "\"points\":[[%s]],\"request\":[%s]}",
	    body, point, request);

	CHECK(testcase_read(text, strlen(text), a, &c, &e), "%s: %s\n%s", e.place, e.text, text);
	return c;
}

#endif
