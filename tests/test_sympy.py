"""The adapter of SymPy, where SymPy and numpy are installed.  Usage: test_sympy.py ADJUDGE SOURCE_ROOT     Exit status 77, a skip, without them."""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
    import sympy
except ImportError:
    print("sympy or numpy is missing")
    sys.exit(77)
adjudge, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
failed = 0


def check(mode, code, *command):
    global failed
    engine = f"sympy=proc:exec {sys.executable} {root}/engines/external/sympy_expressions.py {mode}"
    done = subprocess.run([adjudge, *map(str, command), "--engine", engine], capture_output=True, text=True)
    if done.returncode != code:
        failed += 1
        print(f"{mode}, {command}: exit {done.returncode}, not {code}:\n{done.stdout[-1500:]}{done.stderr[-500:]}")


# Symbolic derivatives of both modes, elements, sums, branches, and a value without one.
check("mpmath", 0, "conform", "--op", "mul", "--op", "select", "--op", "logsumexp", "--cases", 1, "--quiet")
check("mpmath", 0, "run", root / "corpus/real/hips-power-mixed-at-exponent-0.json", root / "corpus/real/sympy-subexpression-twice.json")
check("mpmath", 0, "run", root / "corpus/regressions/integer-of-more-digits-than-a-double.json")
for other in ("division-by-a-constant-0", "negative-zero"):  # numbers that SymPy does not have
    check("mpmath", 5, "run", root / f"corpus/real/casadi-{other}.json")
case = {"schema": "adjudge.case/1", "inputs": ["x: f64[]"], "body": [{"out": ["p: bool[]"], "op": "constant", "value": False}], "results": ["p"], "points": [[0.5]],
        "request": [{"transform": "jvp", "wrt": [0], "tangents": [1]}], "variant": 1}  # a jacobian of what has no derivative
with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    json.dump(case, file)
    file.flush()
    check("mpmath", 0, "run", file.name)
if sympy.__version__ == "1.11.1":  # has this defect, as 1.14.0 has not
    check("cse", 1, "run", root / "corpus/real/sympy-subexpression-twice.json")
sys.exit(1 if failed else 0)
