"""The adapter compiled_c.py through the protocol, with a stand-in for Enzyme: right and wrong derivatives, what does not compile, crashes, loops.

Usage: test_compiled_c.py ADJUDGE SOURCE_ROOT -- CC [ARGUMENT...]
The stand-in compiler is CC with a function of Enzyme's name.  It computes central differences, which are exact for polynomials of second degree.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

adjudge, root, split = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve(), sys.argv.index("--")
cc = sys.argv[split + 1:]
failed = checks = 0
ENZYME = """
#include <stdarg.h>
#include <stdlib.h>

#ifndef SCALE
#define SCALE 1
#endif
int enzyme_dup = 1, enzyme_const = 2;

struct pair { double *x, *d; };

static struct pair next(va_list *list)
{
	struct pair p = {0};
	int kind = va_arg(*list, int);

	p.x = va_arg(*list, double *);
	if (kind == enzyme_dup)
		p.d = va_arg(*list, double *);
	return p;
}

static double at(void (*f)(const double *, const double *, double *), double x, double y)
{
	double out;

	f(&x, &y, &out);
	return out;
}

static void start(struct pair *a, struct pair *b, struct pair *out, va_list *list)
{
	*a = next(list), *b = next(list), *out = next(list);
	if (*a->x == 1001)
		abort();
	if (*a->x == 1002)
		for (volatile int n = 0;;)
			n = 1 - n;
	if (*a->x == 1003)
		*a->x = 0.5;
}

#define SLOPES \\
	void (*f)(const double *, const double *, double *) = (void (*)(const double *, const double *, double *))function; \\
	struct pair a, b, out; \\
	va_list list; \\
	double by_x, by_y; \\
\\
	va_start(list, function); \\
	start(&a, &b, &out, &list); \\
	va_end(list); \\
	by_x = SCALE * (at(f, *a.x + 0.5, *b.x) - at(f, *a.x - 0.5, *b.x)); \\
	by_y = SCALE * (at(f, *a.x, *b.x + 0.5) - at(f, *a.x, *b.x - 0.5))

void __enzyme_autodiff(void *function, ...)
{
	SLOPES;
	if (a.d)
		*a.d += by_x * *out.d;
	if (b.d)
		*b.d += by_y * *out.d;
}

void __enzyme_fwddiff(void *function, ...)
{
	SLOPES;
	*out.d = (a.d ? by_x * *a.d : 0) + (b.d ? by_y * *b.d : 0);
}
"""
COMPILER = """#!{python}
import pathlib, subprocess, sys
own = [a for k, a in enumerate(sys.argv[1:]) if not a.startswith(("-fplugin=", "-fno-crash", "-enzyme")) and a != "-mllvm"]
text = "".join(pathlib.Path(a).read_text() for a in own if a.endswith(".c"))
pathlib.Path("{log}").open("a").write("x")
if "erf(" in text:
    sys.exit("module1.c:7:1: error: Enzyme: cannot handle unknown intrinsic")
if "tan(" in text:
    sys.exit("error: Enzyme: No forward mode derivative found for tan")
sys.exit(subprocess.run([*{cc}, *own, *{more}, "{standin}"]).returncode)
"""


def check(good, text):
    global failed, checks
    checks += 1
    if not good:
        failed += 1
        print(text, file=sys.stderr)


def case(op, x, request, **more):
    """x0 OP x1, or OP of x0, plus x1 at x."""
    node = {"out": ["s"], "op": op, "args": ["x0", "x1"] if op == "mul" else ["x0"]}
    jvp = {"transform": "jvp", "wrt": [0, 1], "tangents": [1, 2]}
    levels = {"vjp": {"transform": "vjp", "wrt": [0, 1], "cotangents": [1]}, "jvp": jvp, "one": {"transform": "vjp", "wrt": [1], "cotangents": [2]}, "inner": {"transform": "vjp", "wrt": [0], "cotangents": [1]}}
    return {"schema": "adjudge.case/1", "inputs": ["x0: f64[]", "x1: f64[]"], "body": [node, {"out": ["y"], "op": "add", "args": ["s", "x1"]}], "results": ["y"], "points": x,
            "request": [levels[r] for r in request], **more}


class Engine:
    def __init__(self, place, mode="enzyme-O1", more=()):
        (place / "ClangEnzyme-15.so").touch()
        (place / "EnzymeConfigVersion.cmake").write_text('set(PACKAGE_VERSION "7.8.9")')
        (place / "standin.c").write_text(ENZYME)
        self.log, compiler = place / "compiled", place / "clang"
        self.log.write_text("")
        compiler.write_text(COMPILER.format(python=sys.executable, log=self.log, cc=cc, more=list(more), standin=place / "standin.c"))
        compiler.chmod(0o755)
        self.command = [sys.executable, "-B", str(root / "engines/external/compiled_c.py"), mode]
        self.environment = {**os.environ, "ENZYME": str(place), "CLANG": str(compiler), "ADJUDGE": adjudge, "ADJUDGE_CALL_SECONDS": "0.5"}

    def answers(self, *cases):
        """The hello, the answers by case, and how often something was compiled."""
        before = len(self.log.read_text())
        lines = json.dumps({"id": 3, "cases": [typed(c) for c in cases]}) + "\n"
        done = subprocess.run(self.command, input=lines, capture_output=True, text=True, env=self.environment, timeout=600)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        check(len(said) == 2 and said[1].get("id") == 3, f"the adapter said {done.stdout}{done.stderr}")
        return said[0], said[1]["answers"] if len(said) == 2 else [], len(self.log.read_text()) - before

    def verdict(self, place, c):
        (place / "case.json").write_text(json.dumps(c))
        spec = "proc:exec " + shlex.join(["env", *(f"{k}={self.environment[k]}" for k in ("ENZYME", "CLANG", "ADJUDGE_CALL_SECONDS")), *self.command])
        done = subprocess.run([adjudge, "run", "--engine", f"e={spec}", str(place / "case.json")], capture_output=True, text=True, timeout=600)
        return done.stdout + done.stderr


def typed(c):
    """As the adapter gets it: results of nodes carry their types."""
    return {**c, "body": [{**n, "out": [f"{n['out'][0]}: f64[]"]} for n in c["body"]], "points": [[float(x).hex() for x in p] for p in c["points"]]}


def numbers(points, member="derivative"):
    return [[float.fromhex(t["data"][0]) for t in p[member]] for p in points] if all(p["status"] == "ok" for p in points) else points


with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    engine = Engine(place)
    good, forwards, one = case("mul", [[0.5, 3], [2, 4]], ["vjp"]), case("mul", [[0.5, 3]], ["jvp"]), case("square", [[3, 1]], ["one"])
    second = case("mul", [[0.5, 3]], ["inner", "jvp"])
    primal = case("square", [[3, 1]], [])
    hello, out, built = engine.answers(good, forwards, one, second, primal)
    check(hello["name"] == "enzyme O1" and hello["version"] == "7.8.9" and hello["finite_math"] and "mul" in hello["ops"] and "stop_gradient" not in hello["ops"], f"hello {hello}")
    check(numbers(out[0], "primal") == [[4.5], [12]] and numbers(out[0]) == [[3, 1.5], [4, 3]], f"vjp at two points: {out[0]}")
    check(numbers(out[1]) == [[6]], f"jvp: {out[1]}")
    check(numbers(out[2]) == [[2]], f"vjp by one input: {out[2]}")
    check(numbers(out[3]) == [[2]], f"jvp of a vjp: {out[3]}")
    check(numbers(out[4], "primal") == [[10]] and numbers(out[4]) == [[]], f"the primal: {out[4]}")
    check(built == 1, f"five programs take {built} modules")
    # what does not compile, dies, loops or writes into its inputs, among others that are right
    bad = [case("erf", [[0.5, 3]], ["vjp"]), case("tan", [[0.5, 3]], ["vjp"]), case("mul", [[1001, 3]], ["vjp"]), case("mul", [[1002, 3]], ["vjp"]), case("mul", [[1003, 3]], ["vjp"])]
    _, out, _ = engine.answers(bad[0], good, *bad[1:], forwards)
    check(out[0] == [{"status": "error", "text": "error: Enzyme: cannot handle unknown intrinsic"}], f"a failure of the engine: {out[0]}")
    check(out[2][0]["status"] == "unsupported" and "No forward mode derivative" in out[2][0]["text"], f"a rule that is missing: {out[2]}")
    check(out[3] == [{"status": "error", "text": "the compiled program died by SIGABRT"}], f"a crash: {out[3]}")
    check(out[4] == [{"status": "error", "text": "the compiled program gave no answer in 0.5 s"}], f"a loop: {out[4]}")
    check(out[5][0].get("input_modified") is True, f"an input that is written: {out[5]}")
    check(numbers(out[1]) == [[3, 1.5], [4, 3]] and numbers(out[6]) == [[6]], f"the right ones among them: {out[1]}, {out[6]}")
    check("input_modified" not in out[1][0], f"no input is written: {out[1]}")
    batched = case("mul", [[0.5, 3]], ["vjp"])
    batched["request"].append({"transform": "batch", "wrt": [0], "size": 2})
    batched["points"] = [[[0.5, 1.5], 3]]
    text = subprocess.run([adjudge, "emit", "--format", "c", "--serve"], input=json.dumps({"id": 5, "emit": [batched]}) + "\nno JSON\n", capture_output=True, text=True).stdout.splitlines()[1:]
    check([set(json.loads(line)) for line in text] == [{"id", "error"}] * 2 and "batch" in text[0], f"emit --serve, a batch and no JSON: {text}")
    # judged by adjudge, which the adapter finds without its name
    del engine.environment["ADJUDGE"]
    said = engine.verdict(place, good)
    check(said.count(" agree ") == 2 or " agree " in said and " wrong " not in said, f"right derivatives: {said}")
    wrong = Engine(place, "enzyme-O2-precise", ["-DSCALE=2"])
    said = wrong.verdict(place, good)
    check(" wrong " in said, f"derivatives that are twice as large: {said}")
    hello, _, _ = wrong.answers(good)
    check(hello["name"] == "enzyme O2 precise" and "finite_math" not in hello, f"hello {hello}")
print(f"{checks} checks, {failed} failed")
sys.exit(1 if failed else 0)
