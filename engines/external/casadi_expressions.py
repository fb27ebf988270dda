#!/usr/bin/env python3
"""CasADi behind adjudge's protocol: casadi_expressions.py [sx | mx].

A tensor is an array of numpy whose elements are scalar expressions, SX or MX. A case is one casadi.Function of all
inputs, made once and called at each point. A level of a request is jtimes of the level below, forwards or transposed.
Comparisons are expressions too; a select by a comparison is if_else.
"""
import sys

import adapter
from adapter import Unsupported
from adapter_numpy import MOVES


def of_floats(n):
    """Whether its operands are floats: an expression is a double, and has no integer arithmetic."""
    if not adapter.is_float(n.dtype(0)):
        raise Unsupported(f"{n.op} of integers")
    return ", ".join(n.args)


def each(call):
    return lambda n: f"each({call}, {of_floats(n)})"


def reduced(call):
    return lambda n: f"fold({call}, {of_floats(n)}, {tuple(n.a.get('axes', []))}, {n.shape()})"


def along(call):
    return lambda n: f"running({call}, {of_floats(n)}, {n.a.get('axis', 0)})"


def of_nothing(n, call):
    """Refuses an op that has no value without elements."""
    if 0 in n.shape(0):
        raise Unsupported(f"{n.op} of nothing")
    return reduced(call)(n)


UNARY = {"neg": "op.neg", "abs": "ca.fabs", "square": "lambda a: a ** 2", "rsqrt": "lambda a: 1 / ca.sqrt(a)",
         **{f: f"ca.{f}" for f in ("sign", "sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
                                   "atanh", "erf", "floor", "ceil")}}
BINARY = {"add": "op.add", "sub": "op.sub", "mul": "op.mul", "div": "op.truediv", "pow": "ca.power", "atan2": "ca.atan2", "max": "ca.fmax", "min": "ca.fmin"}
REDUCED = {"reduce_sum": "lambda x: ca.sum1(x)", "reduce_prod": "product", "reduce_mean": "lambda x: ca.sum1(x) / x.numel()", "reduce_max": "ca.mmax", "reduce_min": "ca.mmin",
           "logsumexp": "ca.logsumexp", "norm": "ca.norm_2"}
EMPTY = ("reduce_sum", "reduce_prod", "norm")  # they have a value without elements
OPS = {
    **{name: (lambda rule: lambda n: f"box({rule(n) if callable(rule) else rule.format(*n.args)})")(rule) for name, rule in MOVES.items()},
    **{name: each(f) for name, f in {**UNARY, **BINARY, **{name: f"op.{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge")}}.items()},
    "logical_and": "each(ca.logic_and, {0}, {1})", "logical_or": "each(ca.logic_or, {0}, {1})", "logical_not": "each(ca.logic_not, {0})",
    "clamp": each("lambda x, low, high: ca.fmin(ca.fmax(x, low), high)"), "select": "each(ca.if_else, {0}, {1}, {2})",
    **{op: reduced(call) if op in EMPTY else (lambda call: lambda n: of_nothing(n, call))(call) for op, call in REDUCED.items()}, "cumsum": along("op.add"), "cumprod": along("op.mul"), "matmul": lambda n: f"matmul({of_floats(n)}, {n.shape()})",
}

# Other calls for these ops, which round alike and have no ties.
SPELLINGS = {
    "neg": [("-1 * x", each("lambda a: -1 * a")), ("0 - x", each("lambda a: 0 - a"))], "square": [("x * x", each("lambda a: a * a")), ("ca.power(x, 2)", each("lambda a: ca.power(a, 2)"))],
    "add": [("b + a", each("lambda a, b: b + a"))], "sub": [("a + -b", each("lambda a, b: a + -b"))], "mul": [("b * a", each("lambda a, b: b * a")), ("ca.times", each("ca.times"))],
    "div": [("ca.rdivide", each("ca.rdivide"))],
    "select": [("ca.if_else with short_circuit", "each(lambda p, x, y: ca.if_else(p, x, y, True), {0}, {1}, {2})"), ("ca.conditional", "each(lambda p, x, y: ca.conditional(p, [y], x), {0}, {1}, {2})")],
    "reduce_sum": [("ca.sum2", reduced("lambda x: ca.sum2(x.T)")), ("ca.dot with ones", reduced("lambda x: ca.dot(x, ca.DM.ones(x.shape))"))],
    "matmul": [("ca.mtimes", lambda n: f"mtimes({of_floats(n)})" if len(n.shape(0)) == 2 and len(n.shape(1)) == 2 and 0 not in n.shape(0) + n.shape(1) else None)],
}
OPS.update({op: [("usual", OPS[op]), *rows] for op, rows in SPELLINGS.items()})


class Room:
    """The functions that the source of a program calls."""

    def __init__(self, kind):
        import casadi
        import numpy
        import operator
        self.np, self.ca, self.op, self.number = numpy, casadi, operator, getattr(casadi, kind.upper())

    def names(self):
        return {name: getattr(self, name) for name in ("np", "ca", "op", "box", "each", "fold", "running", "matmul", "mtimes", "product")}

    def box(self, x):
        """An array of expressions; also made from a single one that numpy has taken out of its array."""
        if isinstance(x, self.np.ndarray):
            return x
        out = self.np.empty((), object)
        out[()] = x
        return out

    def each(self, f, *xs):
        return self.box(self.np.frompyfunc(lambda *of: f(*map(self.expression, of)), len(xs), 1)(*map(self.box, xs)))

    def expression(self, x):
        return x if isinstance(x, self.number) else self.number(float(x))

    def column(self, xs):
        return self.ca.vertcat(*map(self.expression, xs)) if len(xs) else self.number(0, 1)

    def product(self, x):
        out = self.number(1)
        for k in range(x.numel()):
            out = out * x[k]
        return out

    def fold(self, f, x, axes, shape):
        kept = [d for d in range(x.ndim) if d not in axes]
        lines = self.np.transpose(x, kept + list(axes)).reshape([x.shape[d] for d in kept] + [-1 if x.size else 0]) if axes else x.reshape(x.shape + (1,))
        out = self.np.empty(lines.shape[:-1], object)
        for at in self.np.ndindex(*lines.shape[:-1]):
            out[at] = f(self.column(lines[at]))
        return out.reshape(shape)

    def running(self, f, x, axis):
        out = self.np.array(x, dtype=object)
        lines = self.np.moveaxis(out, axis, 0)
        for k in range(1, len(lines)):
            lines[k, ...] = self.each(f, lines[k - 1, ...], lines[k, ...])
        return out

    def matmul(self, a, b, shape):
        if not a.size or not b.size:
            return self.np.zeros(shape)
        return self.box(self.np.matmul(self.np.array(a, dtype=object), self.np.array(b, dtype=object)))

    def mtimes(self, a, b):
        def matrix(x):
            return self.ca.reshape(self.column(x.ravel(order="F")), *x.shape)
        product, out = self.ca.mtimes(matrix(a), matrix(b)), self.np.empty((a.shape[0], b.shape[1]), object)
        for at in self.np.ndindex(*out.shape):
            out[at] = product[at]
        return out


def size(type_text):
    out = 1
    for extent in adapter.shape_of(type_text):
        out *= extent
    return out


def flat_of(data, types, which):
    """All elements in one list, with 0 for values that are not in `which`."""
    given = dict(zip(which, data))
    return [double(v) for k, t in enumerate(types) for v in (adapter.flat(given[k], t) if k in given else [0.0] * size(t))]


def double(v):
    if isinstance(v, int) and abs(v) > 1 << 53:
        raise Unsupported("an integer beyond 2^53")
    return float(v)


def of_function(ca, d, x, seed, vjp):
    f = ca.Function("level", [x], [d])
    return (f.reverse(1) if vjp else f.forward(1))(x, d, seed)


# Spellings of a level: the derivative of d by x, in a direction or along a seed.
CALLS = [("jtimes", lambda ca, d, x, seed, vjp: ca.jtimes(d, x, seed, vjp)), ("Function.forward and reverse", of_function)]


class Engine:
    def __init__(self, kind):
        self.room, self.number = Room(kind), getattr(__import__("casadi"), kind.upper())

    def split(self, values, types):
        at, out = 0, []
        for t in types:
            out.append(values[at:at + size(t)])
            at += size(t)
        return out

    def function(self, case):
        """A function from x to the results and the derivative, each one column; and the types of both.  Integers and bool are
    inputs too, but nothing is differentiated by them."""
        ca, np, room = self.room.ca, self.room.np, self.room.names()
        program = adapter.Program(case, OPS)
        for elements in program.constants.values():
            for v in elements:
                double(v)  # or is refused
        types, outs = [program.types[v] for v in program.inputs], [program.types[r] for r in program.results]
        exec(program.source(), room)
        x = self.number.sym("x", sum(map(size, types)))
        elements = self.split([x[k] for k in range(x.numel())], types)
        args = []
        for values, t in zip(elements, types):
            a = np.empty(len(values), object)
            a[:] = values
            args.append(a.reshape(adapter.shape_of(t)))
        y = self.room.column([v for r in room["f"](*args) for v in np.asarray(r, dtype=object).ravel()])
        d, of = y, outs
        for level in case["request"]:
            # the floats that have a seed or a derivative: discrete values have neither
            vjp, wrt = level["transform"] == "vjp", [k for k in level["wrt"]]
            seeded = range(len(of)) if vjp else wrt
            seeds = [(k, s) for k, s in zip(seeded, level["cotangents" if vjp else "tangents"]) if adapter.floating((of if vjp else types)[k])]
            seed = ca.DM(flat_of([s for _, s in seeds], of if vjp else types, [k for k, _ in seeds]))
            d = CALLS[adapter.spelling(case.get("variant", 0), "request", len(CALLS))][1](ca, d, x, seed, vjp)
            if vjp:
                parts = self.split([d[k] for k in range(d.numel())], types)
                d, of = self.room.column([v for k in wrt for v in parts[k]]), [types[k] for k in wrt]
        return ca.Function("f", [x], [y, d]), types, outs, of

    def answer(self, case):
        ca = self.room.ca
        f, types, outs, of = self.function(case)
        answers = []
        for point in case["points"]:
            primal, derivative = f(ca.DM(flat_of(point, types, range(len(types)))))
            answers.append({"primal": self.tensors(primal, outs), "derivative": self.tensors(derivative, of, True) if case["request"] else []})
        return answers

    def tensors(self, column, types, derivative=False):
        out = []
        for values, t in zip(self.split(column.full().ravel().tolist(), types), types):
            dtype = adapter.dtype_of(t)
            discrete = [0 if derivative else v for v in values]
            out.append(adapter.tensor_out(dtype, adapter.shape_of(t), values if adapter.is_float(dtype) else [bool(v) if dtype == "bool" else int(v) for v in discrete]))
        return out


def main():
    mode = sys.argv[1] if len(sys.argv) > 1 else "sx"
    if mode not in ("sx", "mx"):
        sys.exit(f"no mode {mode}; there are sx, mx")
    import casadi
    one = [["jvp"], ["vjp"]]
    two = [[a, *s] for a in ("jvp", "vjp") for s in one]
    three = [[a, *s] for a in ("jvp", "vjp") for s in two]
    # reassociates: c (d x) becomes (c d) x when the expression is built
    adapter.main({"name": f"casadi.{mode}", "version": casadi.__version__, "requests": one + two + three, "dtypes": ["f64", "i64", "i32", "bool"], "ops": list(OPS),
                  "unroll": True, "weak_zero": True, "finite_math": True, "reassociates": True,
                  "spellings": adapter.spellings(OPS, request=[name for name, _ in CALLS])}, Engine(mode).answer)


if __name__ == "__main__":
    main()
