#!/usr/bin/env python3
"""tinygrad behind adjudge's protocol: tinygrad_engine.py [python | cpu].  Needs tinygrad on the module path.

- python, the default: tinygrad's own interpreter runs the kernels.
- cpu: clang compiles each kernel, which takes 0.05 to 0.3 s for a new one. Functions are tinygrad's own polynomials.

Graph, gradient, scheduling and simplification are the same in both. All results of a point are realized at once, as in
a training step. An unrolled loop of matrix products has taken 44 s to schedule.

Tensor.gradient is the only transform. It adds the gradients of several results. A level of a request is the gradient of
the level below. A scalar input is the only element of a buffer. Tensor(3.0) would be a constant, the same one wherever
3.0 is written, and no constant has its own gradient.
"""
import sys

import adapter
from adapter import Unsupported, floating, resolved

DTYPES = {"f64": "dtypes.float64", "f32": "dtypes.float32", "f16": "dtypes.float16", "bf16": "dtypes.bfloat16", "i64": "dtypes.int64", "i32": "dtypes.int32", "bool": "dtypes.bool"}


# ---- ops as source ----

def tensor(values, shape, dtype):
    """A buffer; a single element without axes would be a constant."""
    text = f"Tensor({adapter.literal(values, shape)}, dtype={DTYPES[dtype]})"
    return text + (f".reshape({tuple(shape)})" if 0 in shape else "")


def typed(data, type_text):
    return tensor(adapter.flat(data, type_text), adapter.shape_of(type_text), adapter.dtype_of(type_text))


def variable(data, type_text):
    text = typed(data, type_text)
    return text if adapter.shape_of(type_text) else f"{typed([data], type_text[:-1] + '1]')}.reshape(())"


def positions(at, shape):
    return tensor(at, shape, "i32")


def cuts(n, size):
    """One slice per axis, as (begin, end, step); a negative end is one before the array."""
    start, stride = n.a["start"], n.a.get("stride") or [1] * len(size)
    ends = [a + (k - 1) * s + (1 if s > 0 else -1) for a, k, s in zip(start, size, stride)]
    return [(a, None if e < 0 else e, s) if k else (0, 0, 1) for a, k, e, s in zip(start, size, ends, stride)]


def slice_(n):
    text = ", ".join(f"{a}:{'' if e is None else e}:{s}" for a, e, s in cuts(n, n.a["size"]))
    return f"{n.args[0]}[{text}]" if text else n.args[0]


def slice_scatter(n):
    return f"updated({n.args[0]}, ({''.join(f'slice({a}, {e}, {s}), ' for a, e, s in cuts(n, n.shape(1)))}), {n.args[1]})"


def dynamic_slice(n):
    size = n.a["size"]
    return f"{n.args[0]}.shrink({tuple((a, a + k) for a, k in zip(adapter.starts_of(n, 0, 1, size), size))})" if size else n.args[0]


def dynamic_update_slice(n):
    size = n.shape(1)
    at = "".join(f"slice({a}, {a + k}), " for a, k in zip(adapter.starts_of(n, 0, 2, size), size))
    return f"updated({n.args[0]}, ({at}), {n.args[1]})"


def pad(n):
    widths = tuple(zip(n.a["low"], n.a["high"]))
    return f"{n.args[0]}.pad({widths}, value={adapter.literal(n.const(1), [])})" if widths else n.args[0]


def indices(n, k, axis):
    """Positions of operand k.  Dropped ones are beyond the end, where tinygrad reads 0 and writes nothing."""
    extent = n.shape(0)[axis]
    at, gone = resolved(n.const(k), n.a["mode"], extent)
    return [extent if g else i for i, g in zip(at, gone)]


def gather(n):
    axis = n.a.get("axis", 0)
    return f"{n.args[0]}[{':, ' * axis}{positions(indices(n, 1, axis), n.shape(1))}]"


def take_along_axis(n):
    axis = n.a.get("axis", 0)
    return f"{n.args[0]}.gather({axis}, {positions(indices(n, 1, axis), n.shape(1))})"


def scatter(how):
    def rule(n):
        axis, updates = n.a.get("axis", 0), n.shape(2)
        at = indices(n, 1, axis)
        lone = [len(at) if d == axis else 1 for d in range(len(updates))]
        whole = tuple(len(at) if d == axis else k for d, k in enumerate(updates))
        index = f"{positions(at, [len(at)])}.reshape({tuple(lone)}).expand({whole})"
        return f"{n.args[0]}.{how.format(axis, index, n.args[2])}"
    return rule


def reduced(call):
    def rule(n):
        axes = n.a.get("axes", [])
        return f"{n.args[0]}.{call}({tuple(axes)}, keepdim={n.a.get('keepdims', False)})" if axes else n.args[0]
    return rule



def logsumexp(n):
    """tinygrad's own does not squeeze several axes."""
    axes = n.a.get("axes", [])
    return f"{n.args[0]}.logsumexp({tuple(axes)}, keepdim=True).reshape({tuple(n.shape())})" if axes else n.args[0]


def cast(n):
    if not adapter.is_float(n.dtype()) or not adapter.is_float(n.dtype(0)):
        raise Unsupported("a cast to or from no float")
    return f"{n.args[0]}.cast({DTYPES[n.dtype()]})"


def along(call):
    return lambda n: f"{n.args[0]}.{call}({n.a.get('axis', 0)})"


OPS = {
    "constant": lambda n: tensor(n.const_own(), n.shape(), n.dtype()),
    **{op: f"{{0}}.{f}()" for op, f in {
        "neg": "neg", "abs": "abs", "sign": "sign", "square": "square", "sqrt": "sqrt", "rsqrt": "rsqrt", "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan",
        "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh",
        "logistic": "sigmoid", "erf": "erf", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "round", "copy": "contiguous", "stop_gradient": "detach"}.items()},
    **{op: f"{{0}}.{f}({{1}})" for op, f in {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "pow": "pow", "max": "maximum", "min": "minimum", "matmul": "matmul"}.items()},
    "mod": "{0}.mod({1})", "floor_divide": "{0}.div({1}, rounding_mode='floor')",
    "clamp": "{0}.clamp({1}, {2})", "select": "{0}.where({1}, {2})", "cast": cast,
    "broadcast_to": lambda n: f"{n.args[0]}.expand({tuple(n.shape())})", "reshape": lambda n: f"{n.args[0]}.reshape({tuple(n.shape())})",
    "squeeze": lambda n: n.args[0] + "".join(f".squeeze({d})" for d in sorted(n.a["axes"], reverse=True)),
    "transpose": lambda n: f"{n.args[0]}.permute({tuple(n.a['axes'])})", "reverse": lambda n: f"{n.args[0]}.flip({tuple(n.a['axes'])})",
    "slice": slice_, "slice_scatter": slice_scatter, "dynamic_slice": dynamic_slice, "dynamic_update_slice": dynamic_update_slice, "pad": pad,
    "concatenate": lambda n: f"{n.args[0]}.cat({''.join(f'{x}, ' for x in n.args[1:])}dim={n.a.get('axis', 0)})", "gather": gather, "take_along_axis": take_along_axis,
    "scatter_set": scatter("scatter({}, {}, {})"), "scatter_add": scatter("scatter_reduce({}, {}, {}, 'sum')"), "scatter_mul": scatter("scatter_reduce({}, {}, {}, 'prod')"),
    "scatter_max": scatter("scatter_reduce({}, {}, {}, 'amax')"), "scatter_min": scatter("scatter_reduce({}, {}, {}, 'amin')"),
    "reduce_sum": reduced("sum"), "reduce_mean": reduced("mean"), "reduce_prod": reduced("prod"), "reduce_max": reduced("max"), "reduce_min": reduced("min"),
    "logsumexp": logsumexp, "cumsum": along("cumsum"), "cumprod": along("cumprod"), "sort": lambda n: f"{n.args[0]}.sort({n.a.get('axis', 0)})[0]",
}

# ---- transforms as source ----

UPDATED = """def updated(x, at, v):
    y = x.clone()
    y[at] = v
    return y


"""
PULLED = """def vjp(ys, cotangents, xs):
    sums = [None for x in xs]
    for y, g in zip(ys, cotangents):
        sums = [d if s is None else s + d for s, d in zip(sums, y.gradient(*xs, gradient=g))]
    return tuple(sums)


"""
TOLD = """def told(y):
    names = {dtypes.float64: 'float64', dtypes.float32: 'float32', dtypes.bfloat16: 'bfloat16', dtypes.float16: 'float16'}
    return names.get(y.dtype, y.dtype), y.shape, y.flatten().tolist()


"""
PRELUDE = "from tinygrad import Tensor, dtypes\n\n\n" + UPDATED + PULLED + TOLD


class Function(adapter.Function):
    argument = staticmethod(variable)

    def __init__(self, case):
        super().__init__(case, OPS)

    def level(self, level, name):
        p, below = self.program, self.name
        wrt = [p.inputs[i] for i in level["wrt"]]
        seeds = [typed(d, t) for d, t in zip(level["cotangents"], self.types) if floating(t)]
        some = [x for x in wrt if x in self.inputs]
        self.name, self.types = name, [p.types[x] for x in wrt]
        xs = ", ".join(self.inputs)
        zeros = "".join(f"Tensor.zeros({tuple(adapter.shape_of(p.types[x]))}, dtype={DTYPES[adapter.dtype_of(p.types[x])]}), " for x in some)
        pulled = f"vjp({below}({xs}), [{', '.join(seeds)}], [{', '.join(some)}])" if seeds else f"({zeros})"
        return [f"def {name}({xs}):", f"    return {pulled}"]


def emit(mode, case):
    f = Function(case)
    lines = ["import os", f"os.environ['DEV'] = '{mode.upper()}'", PRELUDE + f.source, ""]
    for xs in f.points():
        lines += [f"for what, name in {[('primal', 'f')] + [('derivative', f.name)] * bool(case['request'])}:", f"    judge(what, [told(y) for y in globals()[name](*{xs})])"]
    return "\n".join(lines) + "\n"


def brief(mode, case):
    """Statements: the engine differentiates values, not functions."""
    p, levels = adapter.Program(case, OPS), case["request"]
    lines, results = adapter.used(p.lines, p.results), [r for r in p.results if floating(p.types[r])]
    head = ["import os", f"os.environ['DEV'] = '{mode.upper()}'", "from tinygrad import Tensor, dtypes", "", UPDATED if "updated(" in "".join(lines) else "", PULLED if len(results) > 1 else ""]
    for point in case["points"]:
        lines = [f"{x} = {variable(d, p.types[x])}" for d, x in zip(point, p.inputs) if floating(p.types[x])] + lines
        ds, types = results, [p.types[r] for r in results]
        for level in levels:
            xs = [x for x in (p.inputs[i] for i in level["wrt"]) if floating(p.types[x])]
            seeds = [typed(d, t) for d, t in zip(level["cotangents"], [p.types[r] for r in p.results] if ds is results else types) if floating(t)]
            if not xs or not seeds:
                raise Unsupported("a derivative of nothing")
            pulled = f"{ds[0]}.gradient({', '.join(xs)}, gradient={seeds[0]})" if len(ds) == 1 else f"vjp([{', '.join(ds)}], [{', '.join(seeds)}], [{', '.join(xs)}])"
            head[-1] = PULLED if len(ds) > 1 else head[-1]
            ds, types = ["d"] if len(xs) == 1 else [f"d{k}" for k in range(len(xs))], [p.types[x] for x in xs]
            lines = lines + [f"{', '.join(ds)}{',' * (len(ds) == 1)} = {pulled}"]
        for d, t in zip(ds, types):
            numbers = f"{d}.{'flatten().' if len(adapter.shape_of(t)) > 1 else ''}tolist()"
            lines.append(adapter.told(bool(levels), numbers, f"{d}.dtype", DTYPES[adapter.dtype_of(t)], f"{d}.shape"))
    return "\n".join([*head[:4], *(h.rstrip("\n") for h in head[4:] if h), *lines]) + "\n"


# ---- answers ----

def encode(x):
    from tinygrad import dtypes
    names = {getattr(dtypes, v.split(".")[1]): k for k, v in DTYPES.items()}
    out = x.tolist()
    for _ in x.shape[1:]:
        out = [v for part in out for v in part]
    return adapter.tensor_out(names.get(x.dtype, str(x.dtype)), x.shape, out if x.shape else [out])


def complete(types, floats, fixed):
    """The engine's tensors, and between them those that are no floats: their elements, or zeros."""
    rest, out = iter(floats), []
    for k, t in enumerate(types):
        shape = adapter.shape_of(t)
        size = 1
        for extent in shape:
            size *= extent
        dtype = adapter.dtype_of(t)
        out.append(encode(next(rest)) if floating(t) else adapter.tensor_out(dtype, shape, fixed[k] if fixed else [False if dtype == "bool" else 0] * size))
    return out


def answer(case):
    from tinygrad import Tensor
    f = Function(case)
    room = {}
    exec(PRELUDE + f.source, room)
    types = [f.program.types[r] for r in f.program.results]
    answers = []
    for point, text in zip(case["points"], f.points()):
        xs = eval(text, room)
        primal, derivative = room["f"](*xs), room[f.name](*xs) if case["request"] else ()
        if primal or derivative:
            Tensor.realize(*primal, *derivative)
        answers.append({"primal": complete(types, primal, f.fixed(point)), "derivative": complete(f.types, derivative, None) if case["request"] else []})
    return answers


def version():
    if "--emit" in sys.argv[1:]:  # which needs no tinygrad
        return ""
    import tinygrad
    from pathlib import Path
    import re
    stated = re.search(r'^version = "(.*)"', (Path(tinygrad.__file__).parent.parent / "pyproject.toml").read_text(), re.M)
    return stated.group(1) if stated else ""


MODES = ("python", "cpu")
# Errors in ulps, from tinygrad's own formulas:
# - e^a is 2^(a/log 2), and a^b is 2^(b log2 a).  They round their exponents: 2u|a| with |a| < 745.2, and 3u|b log a|.
# - cos a is sin(pi/2 - a), off by u(|a| + 2).  Declared for |a| < 62; farther out it is a finding.
# - sinh and cosh are half sums of two exponentials, tanh is 2 logistic(2a) - 1, atanh is log((1 + a)/(1 - a))/2, asinh is
#   log(a + sqrt(a^2 + 1)).  They lose ulps of 1.
# - asin is Abramowitz and Stegun 4.4.46, erf 7.1.26, in every dtype.  They are off by 2.2e-8 and 1.4e-7, their derivatives
#   by 3.1e-6 and 7.2e-6, the second ones by 1.4e-4 and 2.4e-4 (that of asin by more near 1).  In f32 that is declared.
# - acos is pi/2 - asin a, atan is asin(a/sqrt(1 + a^2)).
ACCURACY = {"exp": 745, "logistic": 745, "pow": 1120, **{op: {"absolute": 64} for op in ("sin", "cos", "tan")}, **{op: {"relative": 745, "absolute": 2} for op in ("sinh", "cosh")},
            **{op: {"absolute": 3} for op in ("tanh", "atanh", "asinh")}, **{op: {"absolute": 1200} for op in ("asin", "acos", "atan")}, "erf": {"absolute": 2000}}


def main():
    import os
    words = [w for w in sys.argv[1:] if not w.startswith("-")]
    mode = words[0] if words else MODES[0]
    if mode not in MODES:
        sys.exit(f"no mode {mode}; there are {', '.join(MODES)}")
    os.environ["DEV"] = mode.upper()
    # reassociates: the rewriting of kernels, which both modes have, moves the constants of sums and products together
    adapter.main({"name": f"tinygrad.{mode}", "version": version(), "requests": [["vjp"] * n for n in (1, 2, 3)], "dtypes": list(DTYPES), "ops": list(OPS), "unroll": True,
                  "constants": True, "weak_zero": True, "reassociates": True, "accuracy": ACCURACY, "emits": "py", "timeout_ms": 300000}, answer, lambda case: emit(mode, case), brief=lambda case: brief(mode, case))


if __name__ == "__main__":
    main()
