"""An engine with two spellings of sin: spelled_engine.py FACTOR FACTOR, the factors of their derivatives; 1 is right.  The
spellings of the request are the same."""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "engines" / "external"))
import adapter


def sine(factor):
    return lambda n: f"(math.sin({n.args[0]}[0]), {factor} * math.cos({n.args[0]}[0]) * {n.args[0]}[1])"


OPS = {
    "constant": lambda n: f"({n.const_own()[0]!r}, 0.0)",
    "add": "({0}[0] + {1}[0], {0}[1] + {1}[1])",
    "mul": [("product", "({0}[0] * {1}[0], {0}[0] * {1}[1] + {0}[1] * {1}[0])"), ("inexpressible", lambda n: None)],
    "sin": [("plain sine", sine(sys.argv[1])), ("sine | of \x1b[2J<b>another</b> name", sine(sys.argv[2]))],
}


def answer(case):
    room = {"math": math}
    program = adapter.Program(case, OPS)
    exec(program.source(), room)
    level = case["request"][0] if case["request"] else {"wrt": [], "tangents": []}
    tangent = dict(zip(level["wrt"], map(adapter.real, level["tangents"])))
    out = []
    for point in case["points"]:
        results = room["f"](*((adapter.real(x), tangent.get(k, 0.0)) for k, x in enumerate(point)))
        primal, derivative = ([adapter.tensor_out("f64", (), [r[k]]) for r in results] for k in (0, 1))
        out.append({"primal": primal, "derivative": derivative if case["request"] else []})
    return out


adapter.main({"name": "spelled", "requests": [["jvp"]], "dtypes": ["f64"], "rank": 0, "ops": list(OPS), "unroll": True, "constants": True,
              "spellings": adapter.spellings(OPS, request=["usual", "as usual"])}, answer)
