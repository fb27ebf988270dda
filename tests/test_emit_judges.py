"""Sources of `adjudge emit` judge what an engine returns: exit status 0 if it is right, 1 if it is wrong, 125 if they cannot tell.

Usage: test_emit_judges.py ADJUDGE SOURCE_ROOT -- CC [ARGUMENT...]
Engines are stand-ins: for C a file with the derivative and a function of Enzyme's name, for Python and JavaScript modules named torch and @tensorflow/tfjs, for
Elixir modules named Nx.  node and elixir are asked where they are installed.  The last test is a real `git bisect run`.
"""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

adjudge, root, split = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]), sys.argv.index("--")
cc = sys.argv[split + 1:]
RIGHT, WRONG, CANNOT_TELL = 0, 1, 125
failed = checks = 0
environment = {**os.environ, "ADJUDGE_ADAPTERS": str(root / "engines" / "external"), "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
               **{f"GIT_{who}_{what}": "nobody@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}
for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
    environment.pop(name, None)


def check(good, text):
    global failed, checks
    checks += 1
    if not good:
        failed += 1
        print(text, file=sys.stderr)


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, **more)


def emit(form, case, *options):
    done = run(adjudge, "emit", "--format", form, str(case), *options)
    check(not done.returncode, f"emit --format {form} {case}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


def case_of(name, body, x=(0.5,), request="vjp", dtype="f64", results=("y",), shape=""):
    """A case on scalar inputs x0, x1 ...; body: lines "y mul x0 x1"."""
    path = place / f"{name}.json"
    everything = list(range(len(x)))
    seed = {"transform": "vjp", "wrt": everything, "cotangents": [1] * len(results)} if request == "vjp" else {"transform": "jvp", "wrt": everything, "tangents": [1] * len(x)}
    path.write_text(json.dumps({"schema": "adjudge.case/1", "inputs": [f"x{k}: {dtype}[{shape}]" for k in everything],
                                "body": [{"out": [out], "op": op, "args": args} for out, op, *args in map(str.split, body)], "results": list(results), "points": [list(x)],
                                "request": [seed] if request else []}))
    return path


# ---- C ----

def c_status(case, derivative=None, *flags, change=lambda s: s, also=""):
    """The exit status and output of the C source with this derivative."""
    source, program, own = place / "case.c", place / "case", place / "derivative.h"
    source.write_text(change(emit("c", case)) + also)
    if derivative is not None:
        own.write_text(derivative)
        flags = (*flags, f'-DDERIVATIVE="{own}"')
    built = run(*cc, "-std=c11", "-Wall", "-Werror", "-o", str(program), str(source), *flags, "-lm")
    if built.returncode:
        return None, built.stderr
    done = run(str(program))
    return done.returncode, done.stdout


def c_table():
    second = root / "corpus/real/tfjs-second-derivative-of-exp.json"
    one = "static void derivative(const float v0[], float d0[]) { d0[0] = %s; }"
    two = "static void derivative(const double v0[], const double v1[], double d0[], double d1[]) { (void)v0, (void)v1; d0[0] = %s; d1[0] = %s; }"
    tie = root / "corpus/conventions/max-shares.json"
    return [(second, one % "(2 + v0[0]) * expf(v0[0])", RIGHT), (second, one % "(1 + v0[0]) * expf(v0[0])", WRONG), (second, one % "NAN", WRONG),
            (second, one % "INFINITY", WRONG), (second, one % "4.1218033f", RIGHT), (second, one % "4.1219f", WRONG), (second, None, CANNOT_TELL),
            # 3 is shared by two operands: every convention, a mixture of them, a share that is counted twice, and one that is missing
            (tie, two % (3, 0), RIGHT), (tie, two % (0, 3), RIGHT), (tie, two % (1.5, 1.5), RIGHT), (tie, two % (1, 2), CANNOT_TELL), (tie, two % (3, 3), WRONG),
            (tie, two % (0, 0), WRONG), (tie, two % (4, -1), WRONG), (tie, two % (3.1, 0), WRONG)]


def test_c():
    for case, derivative, wanted in c_table():
        status, printed = c_status(case, derivative)
        check(status == wanted, f"C, {case.stem}, {derivative}: exit status {status}, not {wanted}:\n{printed}")
        check(status not in (RIGHT, WRONG) or re.search(r"derivative 0, float(64|32)\[\]: expected .+, returned .+, allowed ", printed), f"no line about the derivative:\n{printed}")
    primal = case_of("primal", ["y mul x0 x0"], request="")
    check(c_status(primal)[0] == RIGHT, "C: a right primal")
    check(c_status(primal, change=lambda s: s.replace("v0 * v0", "v0 * v0 + 0x1p-53"))[0] == WRONG, "C: a primal that is off by an ulp, where it is exact")
    nothing = case_of("nothing", ["y log x0"], x=[-1], request="")
    check(c_status(nothing)[0] == CANNOT_TELL, "C: nothing is decided")
    zero = case_of("zero", ["y mul x0 x0"], x=[0], request="")
    check(c_status(zero, change=lambda s: s.replace("v0 * v0", "-0.0"))[0] == RIGHT, "C: no sign of zero is promised")
    large = case_of("large", ["y add x0 x0"], x=["4611686018427387903"], request="", dtype="i64")
    check(c_status(large)[0] == RIGHT, "C: a large integer")
    check(c_status(large, change=lambda s: s.replace("9223372036854775806}", "9223372036854775805}"))[0] == WRONG, "C: an integer that is off by 1")


# A stand-in for Enzyme: central differences, which are exact for polynomials of second degree.
ENZYME = """
#include <stdarg.h>

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

static double at(void (*f)(const double *, const double *, double *), double *x, double *y, double *moved, double by)
{
	double kept = *moved, out;

	*moved += by;
	f(x, y, &out);
	*moved = kept;
	return out;
}

#define SLOPE(moved) ((at(f, &x, &y, moved, 0.5) - at(f, &x, &y, moved, -0.5)) SIGN)
/* What every call hands over. */
#define ARGUMENTS \\
	void (*f)(const double *, const double *, double *) = (void (*)(const double *, const double *, double *))function; \\
	struct pair a, b, out; \\
	va_list list; \\
	double x, y; \\
\\
	va_start(list, function); \\
	a = next(&list), b = next(&list), out = next(&list); \\
	va_end(list); \\
	x = *a.x, y = *b.x

void __enzyme_autodiff(void *function, ...)
{
	ARGUMENTS;
	if (a.d)
		*a.d += SLOPE(&x) * *out.d;
	if (b.d)
		*b.d += SLOPE(&y) * *out.d;
}

void __enzyme_fwddiff(void *function, ...)
{
	ARGUMENTS;
	*out.d = (a.d ? SLOPE(&x) * *a.d : 0) + (b.d ? SLOPE(&y) * *b.d : 0);
}
"""


def test_enzyme():
    vjp = case_of("enzyme-vjp", ["s mul x0 x0", "y mul s x1"], x=[0.5, 3])
    jvp = case_of("enzyme-jvp", ["s mul x0 x0", "y mul s x1"], x=[0.5, 3], request="jvp")
    stack = place / "enzyme-stack.json"  # the derivative of x0^2 x1 by x0, and of that by both
    case = json.loads(vjp.read_text())
    case["request"] = [{"transform": "vjp", "wrt": [0], "cotangents": [1]}, {"transform": "jvp", "wrt": [0, 1], "tangents": [1, 2]}]
    stack.write_text(json.dumps(case))
    for path in (vjp, jvp, stack):
        for sign, wanted in (("", RIGHT), ("* -1", WRONG)):
            if path == stack and sign:  # two signs cancel
                sign, wanted = "* 2", WRONG
            status, printed = c_status(path, None, "-DENZYME", f"-DSIGN={sign}", also=ENZYME)
            check(status == wanted, f"Enzyme, {path.stem}, sign '{sign}': exit status {status}, not {wanted}:\n{printed}")
    batched = place / "batched.json"
    case["request"] = [{"transform": "vjp", "wrt": [0], "cotangents": [1]}, {"transform": "batch", "wrt": [0], "size": 2}]
    case["points"] = [[[0.5, 1.5], 3]]
    batched.write_text(json.dumps(case))
    status, printed = c_status(batched)
    check(status == CANNOT_TELL and "no counterpart" in printed, f"C, a batch of derivatives: exit status {status}:\n{printed}")


# ---- Python, JavaScript, Elixir: x * x at 0.5, and its derivative 1 ----

TORCH = """
import types


class Tensor(float):
    requires_grad = True
    flatten = detach = view_as = requires_grad_ = lambda self, *_: self
    tolist = lambda self: [float(self)]
    _is_zerotensor = lambda self: False
    dtype, shape = "torch.float64", ()
    __mul__ = lambda self, other: Tensor(float(self) * float(other))


float64, zeros_like = None, lambda t: Tensor(0)
tensor = lambda x, dtype=None: Tensor(x)


def grad(*_, **__):
    GRADIENT


autograd = types.SimpleNamespace(grad=grad)
"""
TINYGRAD = """
import types

dtypes = types.SimpleNamespace(float64="double", float32="float", bfloat16="bf16", float16="half", int64="long", int32="int", bool="bool")


class Tensor(float):
    flatten = reshape = lambda self, *_: self
    tolist = lambda self: [float(self)]
    dtype, shape = dtypes.float64, ()
    __new__ = lambda cls, x, **_: float.__new__(cls, x[0] if isinstance(x, list) else x)
    __init__ = lambda self, x, **_: None
    mul = lambda self, other: Tensor(float(self) * float(other))

    def gradient(self, *_, **__):
        GRADIENT
"""
TFJS = """
const tensor = (x) => ({ x: [x].flat()[0], dtype: 'float32', shape: [], arraySync() { return this.x; } });
module.exports = {
    tensor,
    square: (a) => tensor(a.x * a.x),
    mul: (a, b) => tensor(a.x * b.x),
    zerosLike: () => tensor(0),
    engine: () => ({ gradients: (f) => { f(); GRADIENT } }),
    setBackend: async () => true,
};
"""
NX = """
defmodule Nx do
  def tensor(x, _), do: x
  def multiply(x, y), do: x * y
  def sum(x), do: x
  def add(x, y), do: x + y
  def to_flat_list(x), do: if(is_map(x), do: [x.number], else: [x])
  def type(x), do: if(is_map(x), do: x.type, else: {:f, 64})
  def shape(x), do: if(is_map(x), do: x.shape, else: {})
end
defmodule Nx.Defn do
  def grad(_, _) do
    GRADIENT
  end
end
"""


def in_python(square, gradient):
    (place / "torch.py").write_text(TORCH.replace("GRADIENT", gradient)) if gradient else (place / "torch.py").unlink()
    (place / "case.py").write_text(emit("torch", square))
    return run(sys.executable, "-B", str(place / "case.py"), cwd=place)


def in_tinygrad(square, gradient):
    (place / "tinygrad.py").write_text(TINYGRAD.replace("GRADIENT", gradient))
    (place / "case.py").write_text(emit("tinygrad", square))
    return run(sys.executable, "-B", str(place / "case.py"), cwd=place)


def in_node(square, gradient):
    module = place / "node_modules/@tensorflow/tfjs"
    module.mkdir(parents=True, exist_ok=True)
    (module / "index.js").write_text(TFJS.replace("GRADIENT", gradient) if gradient else "throw new Error('broken');")
    (place / "case.cjs").write_text(emit("tfjs", square))
    return run("node", str(place / "case.cjs"), cwd=place)


def in_elixir(square, gradient):
    source = emit("nx", square)
    check("Mix.install" in source, "the source for Nx installs it")
    (place / "case.exs").write_text(re.sub(r"^Mix\.install.*$", lambda _: NX.replace("GRADIENT", gradient) if gradient else 'raise "no Nx"', source, flags=re.M))
    return run("elixir", str(place / "case.exs"), cwd=place)


# What the stand-in's gradient does, for each way to end.
LANGUAGES = {
    "Python": (in_python, "f64", {"return (Tensor(1),)": RIGHT, "return (Tensor(1.5),)": WRONG, "return (Tensor('nan'),)": WRONG, "return (Tensor('inf'),)": WRONG,
                                  "x = Tensor(1); x.dtype = 'torch.float32'; return (x,)": WRONG, "x = Tensor(1); x.shape = (1,); return (x,)": WRONG,
                                  "raise NotImplementedError('mul')": CANNOT_TELL, "raise RuntimeError('mul is not supported')": CANNOT_TELL, "raise RuntimeError('no')": WRONG,
                                  r"raise RuntimeError('no\n\nnot supported before')": WRONG, r"raise RuntimeError('backend raised:\nmul is not supported')": CANNOT_TELL,
                                  r"raise RuntimeError('backend raised:\nno\n\nnot supported before')": WRONG, "import os; os.abort()": WRONG,
                                  None: CANNOT_TELL}),
    "Python, tinygrad": (in_tinygrad, "f64", {"return [Tensor(1)]": RIGHT, "return [Tensor(1.5)]": WRONG, "x = Tensor(1); x.dtype = dtypes.float32; return [x]": WRONG,
                                              "x = Tensor(1); x.shape = (1,); return [x]": WRONG}),
    "node": (in_node, "f32", {"return { grads: [tensor(1)] };": RIGHT, "return { grads: [tensor(1.5)] };": WRONG, "return { grads: [tensor(NaN)] };": WRONG,
                              "return { grads: [{ ...tensor(1), dtype: 'float64' }] };": WRONG, "return { grads: [{ ...tensor(1), shape: [1] }] };": WRONG,
                              "throw new Error('no gradient');": WRONG, "throw new Error('mul is not supported');": CANNOT_TELL, None: CANNOT_TELL}),
    "elixir": (in_elixir, "f64", {"{1.0}": RIGHT, "{1.5}": WRONG, "{:nan}": WRONG, "{:infinity}": WRONG, '{%{number: 1.0, type: {:f, 32}, shape: {}}}': WRONG, '{%{number: 1.0, type: {:f, 64}, shape: {1}}}': WRONG, 'raise "no gradient"': CANNOT_TELL, None: CANNOT_TELL}),
}


def test_languages():
    for language, (started, dtype, ends) in LANGUAGES.items():
        if not language.startswith("Python") and not shutil.which(language):
            print(f"{language} is not installed: left out")
            continue
        square = case_of(f"square-{dtype}", ["y mul x0 x0"], dtype=dtype)
        for gradient, wanted in ends.items():
            done = started(square, gradient)
            check("abort" in str(gradient) or ("no answer: WRONG" in done.stdout) == (wanted == WRONG and bool(re.search("raise|throw", gradient))), f"{language}, {gradient}: {done.stdout}")
            check(done.returncode == wanted, f"{language}, {gradient}: exit status {done.returncode}, not {wanted}:\n{done.stdout}{done.stderr}")
            check(wanted == CANNOT_TELL or "no answer" in done.stdout or re.search(rf"derivative 0, float{dtype[1:]}\[\]: expected 1\.0, returned \S+, allowed ", done.stdout), f"{language}: no line about the derivative:\n{done.stdout}")


def test_brief():
    """A short source in C: the numbers of Enzyme (test_emit_brief.py has the other languages)."""
    vjp = case_of("brief-enzyme", ["s mul x0 x0", "y mul s x1"], x=[0.5, 3])
    for sign, wanted in (("", RIGHT), ("* 2", WRONG)):
        path = place / "brief.c"
        path.write_text(emit("c", vjp, "--brief") + ENZYME)
        built = run(*cc, "-w", "-o", str(place / "brief"), str(path), f"-DSIGN={sign}", "-lm")
        done = run(str(place / "brief")) if not built.returncode else built
        check(done.returncode == wanted and "derivative 0, float64[]: expected 3, returned" in done.stdout, f"C, brief, '{sign}': exit status {done.returncode}\n{done.stdout}{built.stderr}")


def test_ties():
    """The rules at ties are the same in all languages: rows of max-shares, judged by each language's own functions."""
    shares = {(3.0, 0.0): RIGHT, (1.5, 1.5): RIGHT, (1.0, 2.0): CANNOT_TELL, (3.0, 3.0): WRONG, (0.0, 0.0): WRONG, (4.0, -1.0): WRONG}
    tie = root / "corpus/conventions/max-shares.json"
    python, elixir = emit("jax", tie), emit("nx", tie)
    node = re.sub(r"(?s)//[^\n]*\nconst tf = .*", "", emit("tfjs", as_f32(tie))) if shutil.which("node") else ""
    for (a, b), wanted in shares.items():
        lines = "\n".join(line for line in python.splitlines() if line.startswith(("judged[", "compare", "conclude", "finish")))
        head = python[:python.index("\nimport jax\n")]
        lines = re.sub(r"flat\((\w)\[(\d)\]\), \w\[\d\]\.dtype, \w\[\d\]\.shape", lambda m: f"{ {'y0': [2.0], 'd0': [a], 'd1': [b]}[m[1] + m[2]] }, 'float64', ()", lines)
        tried = {"Python": [sys.executable, "-c", head + "\n" + lines]}
        if shutil.which("node"):
            tried["node"] = ["node", "-e", f"{node}\njudge('primal', [[2]]); judge('derivative', [[{a}], [{b}]]);"]
        if shutil.which("elixir"):
            text = re.sub(r"(?s)Mix\.install.*?(?=Judged\.compare)", "", elixir)
            text = re.sub(r"^(y|d|x\d) = .*$", "", text, flags=re.M)
            text = re.sub(r"\{Nx\.type\(elem\(\w, \d\)\), Nx\.shape\(elem\(\w, \d\)\)\}", "{{:f, 64}, {}}", text)
            text = re.sub(r"Nx\.to_flat_list\(elem\((\w), (\d)\)\)", lambda m: str({'y0': [2.0], 'd0': [a], 'd1': [b]}[m[1] + m[2]]), text)
            tried["elixir"] = ["elixir", "-e", text]
        for language, command in tried.items():
            done = run(*command)
            check(done.returncode == wanted, f"{language}, shares {a}, {b}: exit status {done.returncode}, not {wanted}:\n{done.stdout}{done.stderr}")


# ---- C++ ----

# A number type whose square root's derivative is to be given; it has nothing else that could be wrong.
JET = """#pragma once
#include <cmath>
#include <cstdlib>
namespace ceres {
template <class T, int N> struct Jet {
	T a, v[N];
	Jet() : Jet(T(0)) {}
	Jet(T x) : a(x), v{T(0)} {}
};
using J = Jet<double, 1>;
inline J jet(double a, double v) { J x(a); x.v[0] = v; return x; }
inline J operator-(J a) { return jet(-a.a, -a.v[0]); }
inline J operator+(J a, J b) { return jet(a.a + b.a, a.v[0] + b.v[0]); }
inline J operator-(J a, J b) { return jet(a.a - b.a, a.v[0] - b.v[0]); }
inline J operator*(J a, J b) { return jet(a.a * b.a, a.v[0] * b.a + a.a * b.v[0]); }
inline J operator/(J a, J b) { return jet(a.a / b.a, (a.v[0] - a.a / b.a * b.v[0]) / b.a); }
inline J sqrt(J a)
{
	switch (std::atoi(std::getenv("ROOT"))) {
ROOTS
	}
	return jet(std::sqrt(a.a), a.v[0] / (2 * std::sqrt(a.a)));
}
inline J fmax(J a, J b) { return a.a > b.a ? a : b; }
inline J fmin(J a, J b) { return a.a < b.a ? a : b; }
}
"""
# What the square root of the stand-in does at 1/4.
ROOTS = {"break;": RIGHT, "return jet(0.5, 1.5 * a.v[0]);": WRONG, "return jet(0.5, std::nan(\"\"));": WRONG, "return jet(0.25, a.v[0]);": WRONG, "return jet(0.5, INFINITY);": WRONG,
         "__builtin_trap();": WRONG, "throw 1;": WRONG, "std::abort();": WRONG}


def build_cpp(compiler, form, case):
    (place / "ceres").mkdir(exist_ok=True)
    (place / "ceres/jet.h").write_text(JET.replace("ROOTS", "\n".join(f"\tcase {k}: {text}" for k, text in enumerate(ROOTS))))
    (place / "case.cpp").write_text(emit(form, case))
    done = run(compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", str(place), "-o", str(place / "cpp"), str(place / "case.cpp"))
    check(not done.returncode, f"{form}: {done.stderr}")


# Ops on x, a matrix of 2 by 3, on u, which has two numbers, and by i, which has two integers: result, op, operands, attributes.
MOVES = [("f64[3,2]", "transpose", "x", {"axes": [1, 0]}), ("f64[2,3]", "reverse", "x", {"axes": [0, 1]}), ("f64[2,2]", "slice", "x", {"start": [0, 0], "size": [2, 2], "stride": [1, 2]}),
         ("f64[3,4]", "pad", "x n", {"low": [1, 0], "high": [0, 1]}), ("f64[2,6]", "concatenate", "x x", {"axis": 1}), ("f64[2,2]", "gather", "x i", {"axis": 1, "mode": "drop"}),
         ("f64[2,3]", "scatter_add", "x i y", {"axis": 0, "mode": "wrap"}), ("f64[2,3]", "scatter_max", "x i y", {"axis": 0, "mode": "clip"}), ("f64[2]", "matmul", "x w", {}),
         ("f64[2,2]", "matmul", "x t", {}), ("f64[2,3]", "cumsum", "x", {"axis": 1}), ("f64[2]", "reduce_max", "x", {"axes": [1], "keepdims": False}),
         ("f64[3]", "reduce_mean", "x", {"axes": [0], "keepdims": False}), ("f64[]", "reduce_prod", "x", {"axes": [0, 1], "keepdims": False}), ("f64[2,3]", "clamp", "x n h", {}),
         ("f64[2,2]", "dynamic_slice", "x i", {"size": [2, 2]}), ("f64[2,3]", "slice_scatter", "x v", {"start": [1, 0], "stride": [1, 2]}), ("f64[2,3]", "masked_scatter", "x m y", {}),
         ("f64[2,3]", "select", "m x n", {}), ("f64[2,1,3]", "broadcast_to", "w", {"shape": [2, 1, 3]}), ("f64[6]", "reshape", "x", {"shape": [6]})]


def moves():
    values = {"n": ("f64[]", 0.3), "h": ("f64[]", 0.7), "m": ("bool[2,3]", [True, False, True, False, True, False]), "t": ("f64[3,2]", [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])}
    body = [{"out": [f"{name}: {kind}"], "op": "constant", "value": value} for name, (kind, value) in values.items()]
    body += [{"out": ["y: f64[2,3]"], "op": "mul", "args": ["x", "x"]}, {"out": ["w: f64[3]"], "op": "reduce_sum", "args": ["y"], "axes": [0], "keepdims": False},
             {"out": ["v: f64[1,2]"], "op": "reshape", "args": ["u"], "shape": [1, 2]}]
    body += [{"out": [f"r{k}: {kind}"], "op": op, "args": operands.split(), **attributes} for k, (kind, op, operands, attributes) in enumerate(MOVES)]
    sizes = [math.prod(map(int, filter(None, kind[4:-1].split(",")))) for kind, *_ in MOVES]
    body += [{"out": [f"f{k}: f64[{n}]"], "op": "reshape", "args": [f"r{k}"], "shape": [n]} for k, n in enumerate(sizes)]
    thirds = range(0, len(MOVES), 3)
    body += [{"out": [f"c{k}: f64[{sum(sizes[k:k + 3])}]"], "op": "concatenate", "args": [f"f{i}" for i in range(k, k + 3)], "axis": 0} for k in thirds]
    x, u = [0.125, 0.5, 0.25, 0.625, 0.375, 0.75], [0.8125, 0.0625]
    path = place / "moves.json"
    path.write_text(json.dumps({"schema": "adjudge.case/1", "inputs": ["x: f64[2,3]", "u: f64[2]", "i: i64[2]"], "body": body, "results": [f"c{k}" for k in thirds],
                                "points": [[x, u, [1, 0]], [x, u, [0, 2]]],
                                "request": [{"transform": "jvp", "wrt": [0, 1], "tangents": [[1, 10, 100, 2, 20, 200], [3, 30]]}]}))
    return path


def test_cpp():
    """Sources in C++ judge, and a crash and an exception are wrong. A program with every op that moves or folds elements is the program that was meant."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if not compiler:
        print("there is no C++ compiler: left out")
        return
    case = case_of("root", ["y sqrt x0"], x=(0.25,), request="jvp")
    build_cpp(compiler, "ceres", case)
    for k, (root_of, wanted) in enumerate(ROOTS.items()):
        done = run("env", f"ROOT={k}", str(place / "cpp"))
        check(done.returncode == wanted, f"C++, {root_of}: exit status {done.returncode}, not {wanted}:\n{done.stdout}{done.stderr}")
    build_cpp(compiler, "ceres", moves())
    done = run(str(place / "cpp"))
    check(done.returncode == RIGHT and "point 1, derivative 6, float64[" in done.stdout, f"C++, moves: exit status {done.returncode}\n{done.stdout}")


def test_expressions():
    """A source for SymPy, where the system's Python has it."""
    python = "/usr/bin/python3"
    if not pathlib.Path(python).exists() or run(python, "-c", "import sympy, mpmath").returncode:
        print("there is no SymPy: left out")
        return
    source = emit("sympy", case_of("roots", ["a sqrt x0", "y div a x1"], x=(0.25, 3.0)))
    for text, status in ((source, RIGHT), (source.replace("sp.sqrt(x[0])", "sp.sqrt(x[0] + 1)"), WRONG)):
        (place / "case.py").write_text(text)
        done = run(python, "-B", str(place / "case.py"))
        check(done.returncode == status, f"SymPy: exit status {done.returncode}, not {status}: {done.stdout}{done.stderr}")


# Texts of numbers: what is returned, whether a NaN is accepted, value, lower digits, radius.
ROWS = [("1.0", False, "1.0", "0.0", "0.0", RIGHT), ("1.0", False, "1.0", "1.0e-20", "0.0", WRONG), ("1.25", False, "1.0", "0.0", "0.25", RIGHT),
        ("1.25", False, "1.0", "-0.125", "0.25", WRONG), ("-0.0", False, "0.0", "0.0", "0.0", RIGHT), ("nan", False, "1.0", "0.0", "0.25", WRONG),
        ("nan", True, "1.0", "0.0", "0.25", RIGHT), ("nan", True, "nan", "0.0", "0.0", RIGHT), ("1.0", True, "nan", "0.0", "0.0", WRONG),
        ("inf", False, "inf", "0.0", "0.0", RIGHT), ("-inf", False, "inf", "0.0", "0.0", WRONG), ("inf", False, "1.0", "0.0", "0.25", WRONG),
        ("1.0", False, "inf", "0.0", "0.0", WRONG), ("inf", True, "0.0", "0.0", "inf", CANNOT_TELL), ("nan", True, "0.0", "0.0", "inf", CANNOT_TELL)]
WORDS = {"Python": {}, "node": {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}, "elixir": {"nan": ":nan", "inf": ":infinity", "-inf": ":neg_infinity"}}


def test_rows():
    """The rules of the verdict, row by row, in the functions that the sources contain."""
    compare = root / "emit" / "compare"
    python, node, elixir = ((compare / name).read_text() for name in ("compare.py", "compare.cjs", "compare.exs"))
    for returned, accepts, value, low, radius, wanted in ROWS:
        tried = {"Python": [sys.executable, "-c", python + "\ncompare('', [{0}], None, None, None, [1], [['', '', {1}, [[{2}, {3}, {4}]]]])\nfinish()"],
                 "node": ["node", "-e", node + "const points = { primal: [], derivative: [] };\ncompare('', [{0}], [['', '', {1}, [[{2}, {3}, {4}]]]]);"],
                 "elixir": ["elixir", "-e", elixir + "\nJudged.compare(\"\", [{0}], {{{{:f, 64}}, {{}}}}, {{:f64, {{}}}}, [[\"\", \"\", {1}, [[{2}, {3}, {4}]]]])\nJudged.finish()"]}
        for language, (*command, source) in tried.items():
            if language != "Python" and not shutil.which(language):
                continue
            code, _, call = source.rpartition("ompare(")
            numbers = [WORDS[language].get(x, x) for x in (returned, value, low, radius)]
            truth = str(accepts) if language == "Python" else str(accepts).lower()
            done = run(*command, code + "ompare(" + call.format(numbers[0], truth, *numbers[1:]))
            check(done.returncode == wanted, f"{language}, {(returned, accepts, value, low, radius)}: exit status {done.returncode}, not {wanted}:\n{done.stdout}{done.stderr}")


def as_f32(case):
    path = place / "f32.json"
    path.write_text(case.read_text().replace("f64", "f32"))
    return path


def test_inaccurate():
    """A report of an inaccuracy is judged by the tight radius, any other case by the loose one."""
    case = json.loads((root / "corpus/accuracy/tanh-formula.json").read_text())
    report = place / "report.json"
    factor = 1 + 2.0 ** -44  # the fault that the corpus has for this case
    derivative = f"static void derivative(const double v0[], const double v1[], double d0[], double d1[]) {{ d0[0] = v1[0] / cosh(v0[0]) / cosh(v0[0]) * {factor!r}; d1[0] = tanh(v0[0]); }}"
    for verdict, wanted in (("wrong", RIGHT), ("inaccurate", WRONG)):
        report.write_text(json.dumps({"schema": "adjudge.report/1", "signature": f"x|vjp|{verdict}|finite", "engine": "tape", "case": case}))
        status, printed = c_status(report, derivative)
        check(status == wanted, f"a report of '{verdict}': exit status {status}, not {wanted}:\n{printed}")


def test_declared():
    """The accuracy that an engine declares is an excuse, but not where its source is judged by the tight radius."""
    case = root / "corpus/real/tfjs-log1p-of-a-tiny-number.json"  # the adapter declares log1p to 4 units of 1
    for options, excused in ((), True), (("--tight",), False):
        text = emit("tfjs-wasm", case, *options) if shutil.which("node") else ""
        radius = re.search(r'\["primal 0, float32\[\]", true, \[\["[^"]*", "([^"]*)"', text)
        check(not text or radius and (float(radius[1]) > 1e-7) == excused, f"emit {options}: radius {radius and radius[1]}")


def test_declared_nan():
    """A declared NaN is wrong in a case, and in a report and an issue about it; a report of another verdict allows it."""
    case = root / "corpus/documents/xla-where-sqrt-at-0.json"
    report = place / "declared.json"
    for verdict, wanted in ((None, WRONG), ("nan-leak", WRONG), ("wrong", RIGHT)):
        report.write_text(json.dumps({"schema": "adjudge.report/1", "signature": f"x|vjp|{verdict}|NaN", "engine": "tape", "case": json.loads(case.read_text())}) if verdict else case.read_text())
        judges = re.sub(r"(?s)\nimport torch\n.*", "", re.sub(r"(?s)# An engine that crashes.*?(?=\n# The adapter's)", "", emit("torch", report)))
        for number, status in (("0.0", RIGHT), ("nan", wanted)):
            done = run(sys.executable, "-c", f"{judges}\njudge('primal', [[0.0]])\njudge('derivative', [[{number}]])\nfinish_points()")
            check(done.returncode == status, f"a report of {verdict}, {number}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        short = emit("torch", report, "--brief")
        check(("not (" in short) == (verdict == "wrong"), f"a report of {verdict}, brief:\n{short}")
    engine = f"own=proc:'{adjudge}' worker --engine tape+weak-zero | sed -u '1s/\"name\":\"[^\"]*\"/\"name\":\"sacado rad\",\"weak_zero\":true/'"
    issue = run(adjudge, "report", str(case), "--engine", engine, "--format", "issue", "--experiments", "runs,cuts").stdout
    check("```cpp" in issue and "right" in issue and "!(" not in issue, f"an issue about a NaN allows it: {issue}")
    script = re.search(r"(?s)```cpp\n(.*?)```", issue)
    check(script and sum(map(bool, map(str.strip, script[1].split("\n")))) <= 20 and "\ncotangent of input 0: expected 0, actual" in issue, f"not of the smallest case, although that of the typical one is long: {issue}")
    check("sqrt is the first node" in issue.split("###")[0], f"an analysis of few sentences: {issue}")


def test_conform():
    """An adapter whose sources call `judge`: what conform writes beside a finding judges itself."""
    engine, out = place / "emitting.py", place / "conform"
    text = (root / "ci/example/engine.py").read_text().replace('"constants": True}', '"constants": True, "emits": "py"}')
    engine.write_text(text.replace("        request = json.loads(line)\n", """        request = json.loads(line)
        if "emit" in request:
            sources = [f"judge('primal', [[{abs(x)}] for x in [{x}]])\\njudge('derivative', [[{dx}]])\\n" for c in request["emit"]
                       for x in [float.fromhex(c["points"][0][0])] for dx in [float.fromhex(c["request"][0]["tangents"][0])]]
            print(json.dumps({"id": request["id"], "sources": sources}), flush=True)
            continue
"""))
    done = run(adjudge, "conform", "--engine", f"example=proc:exec {sys.executable} {engine}", "--op", "abs", "--out", str(out))
    written = sorted(out.glob("abs-*.py"))
    check(done.returncode == 1 and written, f"conform: exit status {done.returncode}, {[p.name for p in out.glob('*')]}\n{done.stdout}{done.stderr}")
    for path in written:
        done = run(sys.executable, str(path))
        check(done.returncode == WRONG and "returned" in done.stdout, f"{path.name}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    issue = run(adjudge, "report", str(sorted(out.glob("abs-*.json"))[0]), "--engine", f"example=proc:exec {sys.executable} {engine}", "--format", "issue", "--experiments", "runs")
    check(issue.returncode == 0 and "```python" in issue.stdout and "points = {" in issue.stdout, f"issue: exit status {issue.returncode}\n{issue.stdout}{issue.stderr}")


def test_writers():
    """An engine that writes no sources: an adapter of that name writes them, for `conform --out` and for issues."""
    out = place / "written"
    engine = f"own=proc:'{adjudge}' worker --engine tape+scale:sin:1.5 | sed -u '1s/\"name\":\"[^\"]*\"/\"name\":\"sacado rad\"/'"
    run(adjudge, "conform", "--engine", engine, "--op", "sin", "--dtype", "f64", "--cases", "1", "--out", str(out), "--quiet")
    sources = sorted(out.glob("sin-*.cpp"))
    check(sources and "Sacado" in sources[0].read_text() and "judge(" in sources[0].read_text(), f"no source of Sacado: {list(out.glob('*'))}")
    case = sorted(out.glob("sin-vjp-*.json"))[0]
    issue = run(adjudge, "report", str(case), "--engine", engine, "--format", "issue", "--experiments", "runs").stdout
    check("```cpp" in issue and "Sacado" in issue and "std::fabs(got - right) <= " in issue, f"no source in the issue: {issue}")
    rows = dict(re.findall(r'^WRITER\("(.*)", "(.*)"\)$', (root / "fuzz/cli/emit_writers.def").read_text(), re.M))
    formats = {says: form for line in (root / "corpus/real/engines.jsonl").read_text().splitlines() for says, form in json.loads(line)["formats"].items()}
    by_others = re.findall(r'^FORMAT\("(.*?)", "python3", "(?:scalar|expression)_source', (root / "fuzz/cli/emit_formats.def").read_text(), re.M)
    check(rows == {says: form for says, form in formats.items() if form in by_others}, f"emit_writers.def and engines.jsonl differ: {rows}")


def test_calls():
    """The names of ops in issues are those of the adapters."""
    files = {"torch": "pytorch_ops.py", "tfjs": "tfjs.mjs", "jaxjs": "jaxjs.mjs"}
    rows = re.findall(r'^CALL\("(.*)", (\w+), "(.*)"\)$', (root / "fuzz/cli/emit_calls.def").read_text(), re.M)
    check({library for library, *_ in rows} == set(files), f"emit_calls.def: {rows}")
    for library, op, name in rows:
        text = (root / "engines/external" / files[library]).read_text()
        check(re.search(rf'\b{op.lower()}"?: [^"`\n]*?["`\[]*{re.escape(name)}\b', text), f"emit_calls.def: {library} calls {op.lower()} otherwise than {name}")


# ---- git bisect ----

def test_bisect():
    """A scratch repository with an engine: ten commits, one cannot be built, the seventh breaks the derivative."""
    repository, source = place / "repository", place / "repro.c"
    repository.mkdir()
    source.write_text(emit("c", root / "corpus/real/tfjs-second-derivative-of-exp.json"))
    git = lambda *arguments: run("git", "-C", str(repository), *arguments)
    git("init", "-q", "-b", "main")
    commits = []
    for k in range(10):
        body = "this is no C" if k == 4 else "d0[0] = (%d + v0[0]) * expf(v0[0]);" % (2 if k < 6 else 3)
        (repository / "engine.h").write_text(f"/* version {k} */\nstatic void derivative(const float v0[], float d0[]) {{ {body} }}\n")
        git("add", "engine.h")
        git("commit", "-q", "-m", f"version {k}")
        commits.append(git("rev-parse", "HEAD").stdout.strip())
    git("bisect", "start", commits[-1], commits[0])
    command = f"{' '.join(cc)} '-DDERIVATIVE=\"engine.h\"' -I. -o {place}/repro {source} -lm || exit 125; {place}/repro"
    done = git("bisect", "run", "sh", "-c", command)
    check(f"{commits[6]} is the first bad commit" in done.stdout, f"git bisect run: exit status {done.returncode}\n{done.stdout}{done.stderr}")


with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    for test in (test_c, test_enzyme, test_languages, test_cpp, test_expressions, test_brief, test_ties, test_rows, test_inaccurate, test_declared, test_declared_nan, test_conform, test_writers, test_calls, test_bisect):
        test()
print(f"{checks} checks, {failed} failed")
sys.exit(1 if failed else 0)
