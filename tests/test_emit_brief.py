"""Short sources, as issues hold them: `adjudge emit --brief`.

Usage: test_emit_brief.py ADJUDGE SOURCE_ROOT [all]
First, adapters of this test return what a row says, in Python, JavaScript and C++, so that each kind of comparison meets a right
and a wrong number.  Then every adapter that writes sources writes those of corpus/real: they are valid and no line is long.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

adjudge, root, cxx = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]), shutil.which("g++") or shutil.which("c++")
COLUMNS = 120
ALL = "all" in sys.argv[3:]  # else C++ has one row of comparisons in three, and each format has fewer cases
failed = checks = 0


def check(good, text):
    global failed, checks
    checks += 1
    if not good:
        failed += 1
        print(text, file=sys.stderr)


def run(*command, adapters=root / "engines/external"):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300, env={**os.environ, "ADJUDGE_ADAPTERS": str(adapters)})


# ---- comparisons ----

PYTHON = """import json, pathlib, sys
print(json.dumps({"adjudge.engine": 1, "name": "own", "dtypes": ["f64"], "requests": [["vjp"], ["jvp"]], "ops": OPS, "weak_zero": True, "emits": "SUFFIX"}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if not request.get("brief"):
        sys.exit("the request does not ask for a short source")
    print(json.dumps({"id": request["id"], "sources": [pathlib.Path(__file__).with_name("source").read_text() for _ in request["emit"]]}), flush=True)
"""
NODE = """import fs from "node:fs";
import readline from "node:readline";
console.log(JSON.stringify({ "adjudge.engine": 1, name: "own", dtypes: ["f64"], requests: [["vjp"], ["jvp"]], ops: OPS, weak_zero: true, emits: "cjs" }));
readline.createInterface({ input: process.stdin }).on("line", (line) => console.log(JSON.stringify({ id: JSON.parse(line).id,
    sources: JSON.parse(line).emit.map(() => fs.readFileSync(new URL("source", import.meta.url), "utf8")) })));
"""
OPS = ["constant", "add", "mul", "div", "max", "exp", "neg"]
# How a language writes numbers, and runs a source.
LANGUAGES = {
    "py": ("torch", lambda numbers, scalar: numbers[0] if scalar else f"[{', '.join(numbers)}]", {"inf": "float('inf')", "nan": "float('nan')"}, "", "", [sys.executable, "-B"]),
    "cjs": ("tfjs", lambda numbers, scalar: numbers[0] if scalar else f"[{', '.join(numbers)}]", {"inf": "Infinity", "nan": "NaN"}, "", "", ["node"]),
    "cpp": ("boost", lambda numbers, scalar: ", ".join(numbers), {"inf": "HUGE_VAL", "nan": "NAN"}, "int main()\n{\n", "}\n", None),
}


def case(body, results, points, request=(), shape=""):
    inputs = [f"x{k}: f64[{shape}]" for k in range(len(points[0]))]
    return {"schema": "adjudge.case/1", "inputs": inputs, "body": [{"out": [out], "op": op, "args": args} for out, op, *args in map(str.split, body)], "results": results,
            "points": points, "request": list(request)}


VJP = {"transform": "vjp", "wrt": [0], "cotangents": [1]}
BOTH = {"transform": "vjp", "wrt": [0, 1], "cotangents": [1]}
DOUBLED = case(["y add x0 x0"], ["y"], [[0.5]])
EXP = case(["y exp x0"], ["y"], [[1]])
LIST = case(["y exp x0"], ["y"], [[[0, 1, 20]]], shape="3")
NO_ERROR = case(["y add x0 x0"], ["y"], [[[0, 1, 20]]], shape="3")
UNDECIDED = case(["y div x0 x1"], ["y"], [[1, 0]])
MIXED = case(["y div x0 x1"], ["y"], [[[1, 4], [0, 2]]], shape="2")
TIE = case(["y max x0 x1"], ["y"], [[2, 2]], [BOTH])
TWO = case(["y add x0 x0", "z neg x0"], ["y", "z"], [[0.5]])
POINTS = case(["y add x0 x0"], ["y"], [[0.5], [2]])
SLOPE = case(["y mul x0 x0"], ["y"], [[0.5]], [VJP])
# A name, a case, what the source tells of each result of each point, and whether it is right.
ROWS = [
    ("exact", DOUBLED, [[["1.0"]]], True), ("exact", DOUBLED, [[["1.0000000000000002"]]], False), ("exact", DOUBLED, [[["nan"]]], False), ("exact", DOUBLED, [[["inf"]]], False),
    ("near", EXP, [[["2.718281828459045"]]], True), ("near", EXP, [[["2.7182818284590455"]]], True), ("near", EXP, [[["2.71828182845905"]]], False), ("near", EXP, [[["nan"]]], False),
    ("list", LIST, [[["1.0", "2.718281828459045", "485165195.4097903"]]], True), ("list", LIST, [[["1.0", "2.7182819", "485165195.4097903"]]], False),
    ("list", LIST, [[["1.0", "2.718281828459045", "485165195.40980"]]], False), ("list", LIST, [[["1.0", "2.718281828459045", "nan"]]], False),
    ("exact list", NO_ERROR, [[["-0.0", "2.0", "40.0"]]], True), ("exact list", NO_ERROR, [[["0.0", "2.0", "40.00000000000001"]]], False),
    ("undecided", UNDECIDED, [[["inf"]]], True), ("undecided", UNDECIDED, [[["1.0"]]], True),
    ("mixed", MIXED, [[["inf", "2.0"]]], True), ("mixed", MIXED, [[["nan", "2.0"]]], True), ("mixed", MIXED, [[["inf", "2.1"]]], False), ("mixed", MIXED, [[["1.0", "nan"]]], False),
    ("tie", TIE, [[["1.0"], ["0.0"]]], True), ("tie", TIE, [[["0.5"], ["0.5"]]], True), ("tie", TIE, [[["1.5"], ["0.5"]]], False), ("tie", TIE, [[["0.5"], ["-0.1"]]], False),
    ("two results", TWO, [[["1.0"], ["-0.5"]]], True), ("two results", TWO, [[["1.5"], ["-0.5"]]], False), ("two results", TWO, [[["1.0"], ["0.5"]]], False),
    ("points", POINTS, [[["1.0"]], [["4.0"]]], True), ("points", POINTS, [[["1.5"]], [["4.0"]]], False), ("points", POINTS, [[["1.0"]], [["4.5"]]], False),
    ("derivative", SLOPE, [[["1.0"]]], True), ("derivative", SLOPE, [[["1.5"]]], False),
]


def folder(place, suffix):
    """An adapter that returns the file `source` beside it."""
    out = place / suffix
    out.mkdir(parents=True)
    for name in ("pytorch.py", "scalar_source.py"):
        (out / name).write_text(PYTHON.replace("OPS", repr(OPS)).replace("SUFFIX", suffix))
    (out / "tfjs.mjs").write_text(NODE.replace("OPS", json.dumps(OPS)))
    return out


def shape_of(c):
    return re.search(r"\[(.*)\]", c["inputs"][0])[1]


def executed(source, suffix, place, command):
    path = place / f"brief.{suffix}"
    path.write_text(source)
    if command:
        return run(*command, path)
    built = run(cxx, "-std=c++17", "-o", place / "brief", path)
    return built if built.returncode else run(place / "brief")


def test_comparisons(place):
    for suffix, (form, numbers, words, begin, end, command) in LANGUAGES.items():
        if command and not shutil.which(command[0]) or not command and not cxx:
            continue
        adapters, path = folder(place, suffix), place / "case.json"
        for name, c, points, good in ROWS[::1 if command or ALL else 3]:  # compiling is slow
            path.write_text(json.dumps(c))
            kind, scalar = "derivative" if c["request"] else "primal", "[]" in c["inputs"][0]
            lines = []
            for point in points:
                told = [f"    @{kind}\t{numbers([words.get(n, n) for n in result], scalar)}" for result in point]
                told = told if suffix != "py" else [line.lstrip() for line in told]
                lines += ["    {", *told, "    }"] if suffix != "py" and len(points) > 1 else told
            (adapters / "source").write_text(begin + "\n".join(lines) + "\n" + end)
            done = run(adjudge, "emit", "--brief", "--format", form, path, adapters=adapters)
            ran = executed(done.stdout, suffix, place, command)
            check(done.returncode == 0 and ran.returncode == (0 if good else 1) and "rror" not in ran.stderr and "expected" in ran.stdout,
                  f"{suffix}, {name}, {points}: exit status {ran.returncode}: {done.stderr}{ran.stdout}{ran.stderr}\n{done.stdout}")
            types = rf"{kind}( \d)?, float64\[{'' if scalar else shape_of(c)}\](, element \d)?:"
            check(re.search(types, ran.stdout), f"{suffix}, {name}: no dtype and shape ({types}):\n{ran.stdout}")
            check("@" not in done.stdout, f"{suffix}, {name}: a line that tells is left:\n{done.stdout}")


def test_types(place):
    """Dtype and shape are part of the answer in Python and JavaScript."""
    for suffix, form, right, command in (("py", "torch", "(2,)", [sys.executable, "-B"]), ("cjs", "tfjs", "[2]", ["node"])):
        if not shutil.which(command[0]):
            continue
        adapters, path = place / suffix, place / "case.json"
        path.write_text(json.dumps(case(["y add x0 x0"], ["y"], [[[0.5, 2]]], shape="2")))
        for dtype, shape, good in (("'f64'", right, True), ("'f32'", right, False), ("'f64'", right.replace("2", "1"), False), ("'f64'", "()" if suffix == "py" else "[]", False)):
            (adapters / "source").write_text(f"@primal\t[1.0, 4.0]\t{dtype}\t'f64'\t{shape}\n")
            source = run(adjudge, "emit", "--brief", "--format", form, path, adapters=adapters).stdout
            ran = executed(source, suffix, place, command)
            check(ran.returncode == (0 if good else 1) and dtype.strip("'") in ran.stdout and "primal:" in ran.stdout, f"{suffix}, {dtype} {shape}: exit status {ran.returncode}: {ran.stdout}{ran.stderr}\n{source}")
        path.write_text(json.dumps(LIST))
        for numbers, good in (("1.0, 2.718281828459045, 485165195.4097903", True), ("1.0, 2.718281828459045", False)):  # of a list whose shape is not told
            (adapters / "source").write_text(f"@primal\t[{numbers}]\n")
            source = run(adjudge, "emit", "--brief", "--format", form, path, adapters=adapters).stdout
            ran = executed(source, suffix, place, command)
            check(ran.returncode == (0 if good else 1), f"{suffix}, [{numbers}]: exit status {ran.returncode}: {ran.stdout}{ran.stderr}\n{source}")


def test_long_lines(place):
    """A long list is broken at commas, and means the same."""
    values = [k + 0.125 for k in range(60)]
    path = place / "case.json"
    path.write_text(json.dumps(case(["y add x0 x0"], ["y"], [[values]], shape="60")))
    for suffix, (form, numbers, _, begin, end, command) in LANGUAGES.items():
        if command and not shutil.which(command[0]) or not command and not cxx:
            continue
        for change, good in ((0, True), (1, False)):
            told = numbers([repr(2 * v + change * (k == 59)) for k, v in enumerate(values)], False)
            (place / suffix / "source").write_text(f"{begin}@primal\t{told}\n{end}")
            source = run(adjudge, "emit", "--brief", "--format", form, path, adapters=place / suffix).stdout
            ran = executed(source, suffix, place, command)
            check(ran.returncode == (0 if good else 1), f"{suffix}, {len(values)} numbers: exit status {ran.returncode}: {ran.stdout}{ran.stderr}\n{source}")
            check(max(map(len, source.expandtabs(4).split("\n"))) <= COLUMNS, f"{suffix}: a long line\n{source}")


# ---- engines that are stand-ins: x * x at 0.5, whose derivative is 1 ----

TORCH = """
import types


class Tensor:
    def __init__(self, x):
        self.x, self.dtype, self.shape = x, float64, ()

    def __mul__(self, other):
        return Tensor(self.x * other.x)

    def tolist(self):
        return self.x


float64 = "float64"
tensor = lambda x, dtype=None, requires_grad=False: Tensor(x)
autograd = types.SimpleNamespace(grad=lambda y, x: (Tensor(FACTOR),))
"""
TFJS = """
const tensor = (x) => ({ x, dtype: 'float32', shape: [], arraySync() { return x; } });
module.exports = { tensor, mul: (a, b) => tensor(a.x * b.x), grad: (f) => (x) => f(x) && tensor(FACTOR), setBackend: async () => true };
"""


def test_stand_ins(place):
    for factor, status in ((1, 0), (1.5, 1)):
        (place / "torch.py").write_text(TORCH.replace("FACTOR", str(factor)))
        module = place / "node_modules/@tensorflow/tfjs"
        module.mkdir(parents=True, exist_ok=True)
        (module / "index.js").write_text(TFJS.replace("FACTOR", str(factor)))
        for form, suffix, dtype, command in (("torch", "py", "f64", [sys.executable, "-B"]), ("tfjs", "cjs", "f32", ["node"])):
            if not shutil.which(command[0]):
                continue
            path = place / "square.json"
            path.write_text(json.dumps({**SLOPE, "inputs": [f"x0: {dtype}[]"]}))
            source = run(adjudge, "emit", "--brief", "--format", form, path).stdout
            ran = executed(source, suffix, place, command)
            check(ran.returncode == status and re.search(rf"derivative: float(64|32) .* {factor} expected: 1", ran.stdout), f"{form}: exit status {ran.returncode}: {ran.stdout}{ran.stderr}\n{source}")
            check(len([line for line in source.split("\n") if line]) <= 13, f"{form}: a long source\n{source}")


def test_others(place):
    """An adapter that knows no short sources: those with the functions that judge stand in the issue."""
    adapters = folder(place / "others", "py")
    text = (adapters / "pytorch.py").read_text().replace('    if not request.get("brief"):\n        sys.exit("the request does not ask for a short source")\n', "")
    (adapters / "pytorch.py").write_text(text)
    path = place / "square.json"
    path.write_text(json.dumps(SLOPE))
    for derivative, status in ((1.0, 0), (1.5, 1)):
        (adapters / "source").write_text(f"judge('primal', [[0.25]])\njudge('derivative', [[{derivative}]])\n")
        source = run(adjudge, "emit", "--brief", "--format", "torch", path, adapters=adapters).stdout
        ran = executed(source, "py", place, [sys.executable, "-B"])
        check(ran.returncode == status and "allowed" in ran.stdout, f"an adapter without short sources: exit status {ran.returncode}: {ran.stdout}{ran.stderr}\n{source}")


def test_served():
    """An adapter whose sources adjudge makes asks for a short one, and gets the lines that tell results."""
    request = json.dumps({"id": 1, "emit": [SLOPE], "brief": True}) + "\n"
    done = subprocess.run([adjudge, "emit", "--format", "jax", "--serve"], input=request, capture_output=True, text=True, timeout=300)
    reply = json.loads(done.stdout.splitlines()[-1])
    check("\n@derivative\td[0].tolist()\td[0].dtype\tjnp.float64\ttuple(d[0].shape)\n" in reply.get("sources", [""])[0] and "judge(" not in str(reply), f"emit --serve: {reply}")


# ---- the sources of all adapters ----

def formats():
    rows = re.findall(r'^FORMAT\("(.*?)", "(.*?)", "(.*?)"', (root / "fuzz/cli/emit_formats.def").read_text(), re.M)
    targets = re.findall(r'^TARGET\(\w+, "(.*?)"', (root / "emit/targets.def").read_text(), re.M)
    return [(form, program) for form, program, _ in rows] + [(form, "") for form in targets]


def valid(form, source, place):
    """The complaint of the language, or ''."""
    if "#include <" in source or form == "nx":
        return ""  # needs the engine's headers
    if "require('" in source:
        path = place / "valid.cjs"
        path.write_text(source)
        return run("node", "--check", path).stderr
    try:
        compile(source, form, "exec")
    except SyntaxError as e:
        return str(e)
    return ""


def test_adapters(place):
    cases = sorted((root / "corpus/real").glob("*.json"))
    for k, (form, program) in enumerate(formats()):
        if program == "node" and not shutil.which("node"):
            continue
        written = 0
        step = 30 if ALL else 120
        own = re.sub("^torch.*", "pytorch", form.replace("jax-js", "jaxjs")).split("-")[0]
        share = cases[k % step::step]  # each format has its own, and goes on until it can write one: first those of its engine
        for n, path in enumerate([*share, *sorted(cases, key=lambda path: path.stem.split("-")[0] != own)]):
            if n >= len(share) and written:
                break
            done = run(adjudge, "emit", "--brief", "--format", form, path)
            if done.returncode:
                check(done.returncode == 5, f"{form}, {path.name}: exit status {done.returncode}: {done.stderr}")
                continue
            written += 1
            lines = done.stdout.expandtabs(4).split("\n")
            check(max(map(len, lines)) <= COLUMNS and not re.search(r"^\s*@(primal|derivative)", done.stdout, re.M) and "judge(" not in done.stdout, f"{form}, {path.name}:\n{done.stdout}")
            check("expected" in done.stdout, f"{form}, {path.name}: nothing is compared:\n{done.stdout}")
            complaint = valid(form, done.stdout, place)
            check(not complaint, f"{form}, {path.name}: {complaint}\n{done.stdout}")
        check(written, f"{form}: no source of any case")


def test_no_input():
    """A select leaves no input in the result of adnn: a number, which has no backprop."""
    if shutil.which("node"):
        source = run(adjudge, "emit", "--brief", "--format", "adnn", root / "corpus/documents/xla-where-sqrt-at-0.json").stdout
        check("if (ad.isLifted(" in source, f"adnn, no input in the result:\n{source}")


def test_spellings():
    """The number of a variant draws from the adapter's list, so the source has the same one."""
    sys.path.insert(0, str(root / "engines/external"))
    from scalar_source import ENGINES
    said = re.search(r"s\.others = \{(.*)\};", (root / "engines/external/cppad.cpp").read_text())[1]
    wanted = {f"{op}|{'|'.join(names[1:])}" for op, names in ENGINES["cppad"]["spellings"].items()}
    check(set(re.findall(r'"([^"]+)"', said)) == wanted, f"cppad.cpp lists {said}, scalar_source.py {wanted}")


with tempfile.TemporaryDirectory() as name:
    test_served()
    test_spellings()
    test_no_input()
    for test in (test_comparisons, test_types, test_long_lines, test_stand_ins, test_others, test_adapters):
        test(pathlib.Path(name))
print(f"{checks} checks, {failed} failed")
sys.exit(1 if failed else 0)
