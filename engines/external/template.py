#!/usr/bin/env python3
"""A whole engine behind adjudge's protocol in 60 lines: forward mode with dual numbers, on scalars, without a library.

Copy it. Put your engine's calls into OPS and answer(). Say in the hello what it knows. ../PROTOCOL.md explains the rest.
Try it: adjudge conform --engine proc:'python3 engines/external/template.py'
"""
import json
import math
import sys


class Dual:
    def __init__(self, value, tangent=0.0):
        self.value, self.tangent = value, tangent


def unary(f, derivative):
    return lambda a: Dual(f(a.value), derivative(a.value) * a.tangent)


OPS = {
    "constant": None,
    "neg": unary(lambda x: -x, lambda x: -1.0),
    "sin": unary(math.sin, math.cos),
    "cos": unary(math.cos, lambda x: -math.sin(x)),
    "exp": unary(math.exp, math.exp),
    "add": lambda a, b: Dual(a.value + b.value, a.tangent + b.tangent),
    "sub": lambda a, b: Dual(a.value - b.value, a.tangent - b.tangent),
    "mul": lambda a, b: Dual(a.value * b.value, a.tangent * b.value + a.value * b.tangent),
    "div": lambda a, b: Dual(a.value / b.value, (a.tangent - a.value / b.value * b.tangent) / b.value),
}
HELLO = {"adjudge.engine": 1, "name": "template", "version": "1", "requests": [["jvp"]], "dtypes": ["f64"], "rank": 0, "ops": list(OPS),
         "unroll": True, "constants": True}


def answer(case, point):
    level = case["request"][0] if case["request"] else {"wrt": [], "tangents": []}
    tangents = dict(zip(level["wrt"], level["tangents"]))
    value = {}
    for k, (binding, x) in enumerate(zip(case["inputs"], point)):
        value[binding.split(":")[0]] = Dual(float.fromhex(x), float.fromhex(tangents[k]) if k in tangents else 0.0)
    for node in case["body"]:
        name = node["out"][0].split(":")[0]
        value[name] = Dual(float.fromhex(node["value"])) if node["op"] == "constant" else OPS[node["op"]](*(value[a] for a in node["args"]))
    tensor = lambda x: {"type": "f64[]", "data": x.hex()}
    results = [value[r] for r in case["results"]]
    return {"status": "ok", "primal": [tensor(r.value) for r in results], "derivative": [tensor(r.tangent) for r in results] if case["request"] else []}


def guarded(case, point):
    try:
        return answer(case, point)
    except (ArithmeticError, ValueError) as e:  # Python raises an error where other engines return inf or nan
        return {"status": "unsupported", "text": str(e)}
    except Exception as e:
        return {"status": "error", "text": f"{type(e).__name__}: {e}"}


print(json.dumps(HELLO), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], "answers": [[guarded(c, p) for p in c["points"]] for c in request["cases"]]}), flush=True)
