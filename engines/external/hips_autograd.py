#!/usr/bin/env python3
"""HIPS/autograd behind adjudge's protocol: its tape (make_vjp) and its forward mode (make_jvp), stacked.

It needs autograd and numpy on the module path. The differentiated function has only the float inputs and results;
integers are constants.

- f32 is offered from numpy 2 on. Before, a float32 of rank 0 becomes a double when it meets a Python number.
- abs is np.fabs. np.abs also takes complex numbers and divides by |x|, which rounds and overflows.
- numpy's own tests accept up to 4 ulps for its vectorised functions.
"""
import sys

import adapter
from adapter import Unsupported, floating
from adapter_numpy import DTYPES, MOVES, tensor


# ---- ops as source ----

def reduce_(call):
    def rule(n):
        axes = n.a.get("axes", [])
        return f"np.{call}({n.args[0]}, axis={tuple(axes)}, keepdims={n.a.get('keepdims', False)})" if axes else n.args[0]
    return rule


def extremum(call):
    """numpy has no extremum of no elements."""
    def rule(n):
        if any(n.shape(0)[d] == 0 for d in n.a.get("axes", [])) and 0 not in n.shape():
            raise Unsupported(f"{n.op} of nothing")
        return reduce_(call)(n)
    return rule


def norm(n):
    axes = n.a.get("axes", [])
    if len(axes) > 2:
        raise Unsupported("a norm of more than two axes")
    if not axes:
        return f"np.abs({n.args[0]})"
    text = f"np.linalg.norm({n.args[0]}, axis={axes[0] if len(axes) == 1 else tuple(axes)})"
    return f"np.reshape({text}, {tuple(n.shape())})" if n.a.get("keepdims", False) else text


def cast(n):
    if not adapter.is_float(n.dtype()) or not adapter.is_float(n.dtype(0)):
        raise Unsupported("a cast to or from no float")
    return f"{n.args[0]}.astype({DTYPES[n.dtype()]})"


def clamp(n):
    constant = all(x in n.program.constants for x in n.args[1:])
    return ("np.clip({0}, {1}, {2})" if constant else "np.minimum(np.maximum({0}, {1}), {2})").format(*n.args)


def along(call):
    return lambda n: f"np.{call}({n.args[0]}, axis={n.a.get('axis', 0)})"


OPS = {
    **MOVES, **{op: f"np.{f}({{0}})" for op, f in {
        "neg": "negative", "abs": "fabs", "sign": "sign", "square": "square", "sqrt": "sqrt", "exp": "exp", "expm1": "expm1", "log": "log", "log1p": "log1p", "sin": "sin",
        "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh",
        "acosh": "arccosh", "atanh": "arctanh", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "rint"}.items()},
    **{op: f"np.{f}({{0}}, {{1}})" for op, f in {
        "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "mod": "mod", "floor_divide": "floor_divide",
        "pow": "power", "atan2": "arctan2", "max": "maximum", "min": "minimum",
        "matmul": "matmul"}.items()},
    "rsqrt": "np.reciprocal(np.sqrt({0}))", "clamp": clamp, "select": "np.where({0}, {1}, {2})", "cast": cast,
    "reduce_sum": reduce_("sum"), "reduce_mean": reduce_("mean"), "reduce_prod": reduce_("prod"), "reduce_max": extremum("max"), "reduce_min": extremum("min"),
    "norm": norm, "cumsum": along("cumsum"), "sort": along("sort"),
}

# ---- transforms as source ----

PRELUDE = """import autograd.numpy as np
from autograd import make_jvp, make_vjp
from autograd.builtins import tuple as results
"""


class Function(adapter.Function):
    argument = staticmethod(tensor)

    def __init__(self, case, brief=False):
        super().__init__(case, OPS, gives="results(({}))", brief=brief)

    def level(self, level, name):
        return [f"def {name}({', '.join(self.inputs)}):", f"    return {self.called(level, name)}"]

    def called(self, level, name):
        """The level as an expression of the inputs."""
        p, below, vjp, lone = self.program, self.name, level["transform"] == "vjp", self.lone
        wrt = [p.inputs[i] for i in level["wrt"]]
        seeded = self.types if vjp else [p.types[x] for x in wrt]
        seeds = [tensor(d, t) for d, t in zip(level["cotangents" if vjp else "tangents"], seeded) if floating(t)]
        at = [self.inputs.index(x) for x in wrt if x in self.inputs]
        some = at and any(floating(t) for t in self.types)
        one = len(at) == 1  # a single argument is not a tuple
        argnum, all_seeds = at[0] if one else tuple(at), f"results(({''.join(f'{s}, ' for s in seeds)}))"
        given = seeds[0] if vjp and lone and seeds else all_seeds
        self.name, self.types = name, [p.types[x] for x in wrt] if vjp else self.types
        xs = ", ".join(self.inputs)
        if not some:
            self.lone = False
            body = f"results(({''.join(f'np.zeros({adapter.shape_of(t)}, dtype={DTYPES[adapter.dtype_of(t)]}), ' for t in self.types if floating(t))}))"
        elif vjp:
            pulled = f"make_vjp({below}, {argnum})({xs})[0]({given})"
            self.lone = self.brief and one
            body = pulled if self.lone else f"results(({pulled},))" if one else f"results({pulled})"
        else:
            pushed = f"make_jvp({below}, {argnum})({xs})({seeds[0] if one else all_seeds})[1]"
            body = pushed if lone else f"results({pushed})"
        return body


TOLD = "\ntold = lambda y: (y.dtype, y.shape, y.ravel().tolist())\n"


def emit(case):
    f = Function(case)
    lines = [f"judge('{what}', [told(y) for y in map(onp.asarray, {name}(*{xs}))])" for xs in f.points() for what, name in [("primal", "f")] + [("derivative", f.name)] * bool(case["request"])]
    return "import numpy as onp\n" + PRELUDE + TOLD + f.source + "\n".join(lines) + "\n"


def brief(case):
    """The outermost level is no function."""
    levels = case["request"]
    f = Function({**case, "request": levels[:-1]}, True)
    asked = f.called(levels[-1], "") if levels else f"f({', '.join(f.inputs)})"
    transforms = sorted({f"make_{level['transform']}" for level in levels})
    lines = ["import autograd.numpy as np", f"from autograd import {', '.join(transforms)}" if levels else "", "from autograd.builtins import tuple as results" if "results(" in f.source + asked else "", "\n" + f.source]
    for point in case["points"]:
        p = f.program
        lines += [f"{x} = {tensor(d, p.types[x])}" for d, x in zip(point, p.inputs) if x in f.inputs]
        floats = [t for t in f.types if floating(t)]
        lines.append(f"d = {asked}")
        for k, t in enumerate(floats):
            d = "d" if f.lone else f"d[{k}]"
            lines.append(adapter.told(bool(levels), f"{d}.ravel().tolist()" if len(adapter.shape_of(t)) > 1 else f"{d}.tolist()", f"{d}.dtype", DTYPES[adapter.dtype_of(t)], f"{d}.shape"))
    return "\n".join(line for k, line in enumerate(lines) if line or k > 2) + "\n"


def encode(x, onp):
    x = onp.asarray(x)
    return adapter.tensor_out({v[3:]: k for k, v in DTYPES.items()}.get(x.dtype.name, x.dtype.name), x.shape, x.ravel().tolist())


def complete(types, floats, onp, fixed=None):
    """The engine's tensors, and between them those that are no floats: their elements, or zeros."""
    rest = iter(floats)
    zeros = [onp.zeros(adapter.shape_of(t), bool if adapter.dtype_of(t) == "bool" else int).ravel().tolist() for t in types]
    return [encode(next(rest), onp) if floating(t) else adapter.tensor_out(adapter.dtype_of(t), adapter.shape_of(t), (fixed or {}).get(k, zeros[k]))
            for k, t in enumerate(types)]


def answer(case):
    import numpy as onp
    f = Function(case)
    room = {}
    exec(PRELUDE + f.source, room)
    types = [f.program.types[r] for r in f.program.results]
    answers = []
    for point, xs in zip(case["points"], f.points()):
        fixed = {k: values for k, values in enumerate(f.fixed(point)) if values is not None}
        derivative = complete(f.types, room[f.name](*eval(xs, room)), onp) if case["request"] else []
        answers.append({"primal": complete(types, room["f"](*eval(xs, room)), onp, fixed), "derivative": derivative})
    return answers


def version():
    import importlib.metadata
    try:
        return importlib.metadata.version("autograd")
    except importlib.metadata.PackageNotFoundError:
        return ""


def main():
    dtypes = list(DTYPES)
    if "--emit" not in sys.argv[1:]:  # which needs no numpy
        import numpy as onp
        onp.seterr(all="ignore")
        dtypes = [d for d in DTYPES if d != "f32" or int(onp.__version__.split(".")[0]) >= 2]
    one = [["jvp"], ["vjp"]]
    two = [[a, *s] for a in ("jvp", "vjp") for s in one]
    adapter.main({"name": "hips-autograd", "version": version(), "requests": one + two, "dtypes": dtypes, "ops": list(OPS), "unroll": True, "constants": True,
                  "weak_zero": True, "accuracy": 4, "emits": "py"}, answer, emit, brief=brief)


if __name__ == "__main__":
    main()
