#!/usr/bin/env python3
"""SymPy behind adjudge's protocol: sympy_expressions.py [mpmath | math | cse].

A tensor is an array of numpy whose elements are expressions. Derivatives come from sympy.diff, functions from lambdify.
With mpmath the numbers have 2400 bits, so that an answer is the exact value of SymPy's formula; with math they are
doubles, in the order that SymPy gives to sums and products. cse is mpmath with lambdify(cse=True).

Where a formula has no value (1/0, the logarithm of a negative number), the answer is NaN.
"""
import math
import signal
import sys

import adapter
from adapter import Unsupported
from adapter_numpy import MOVES
from casadi_expressions import EMPTY, Room as Arrays, along, each, flat_of, of_floats, of_nothing, reduced, size

BITS = 2400  # 1 + x is exact for every double x
SECONDS = 20  # a derivative that takes longer is not asked for; expressions may grow without limit
LARGEST = 160  # elements of all results together


UNARY = {"neg": "lambda a: -a", "abs": "sp.Abs", "square": "lambda a: a ** 2", "rsqrt": "lambda a: 1 / sp.sqrt(a)", "expm1": "lambda a: sp.exp(a) - 1",
         "log1p": "lambda a: sp.log(1 + a)", "logistic": "lambda a: 1 / (1 + sp.exp(-a))",
         **{f: f"sp.{f}" for f in ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf")}}
BINARY = {"add": "op.add", "sub": "op.sub", "mul": "op.mul", "div": "op.truediv", "pow": "op.pow", "atan2": "sp.atan2", "max": "sp.Max", "min": "sp.Min",
          "eq": "sp.Eq", "ne": "sp.Ne", "lt": "sp.Lt", "le": "sp.Le", "gt": "sp.Gt", "ge": "sp.Ge"}
REDUCED = {"reduce_sum": "lambda x: sp.Add(*x)", "reduce_prod": "lambda x: sp.Mul(*x)", "reduce_mean": "lambda x: sp.Add(*x) / len(x)", "reduce_max": "lambda x: sp.Max(*x)",
           "reduce_min": "lambda x: sp.Min(*x)", "logsumexp": "lambda x: sp.log(sp.Add(*map(sp.exp, x)))", "norm": "lambda x: sp.sqrt(sp.Add(*(a ** 2 for a in x)))"}
OPS = {
    **{name: (lambda rule: lambda n: f"box({rule(n) if callable(rule) else rule.format(*n.args)})")(rule) for name, rule in MOVES.items()},
    **{name: each(f) for name, f in {**UNARY, **BINARY}.items()},
    "logical_and": "each(sp.And, {0}, {1})", "logical_or": "each(sp.Or, {0}, {1})", "logical_not": "each(sp.Not, {0})",
    "clamp": each("lambda x, low, high: sp.Min(sp.Max(x, low), high)"), "select": "each(lambda p, x, y: sp.Piecewise((x, p), (y, True)), {0}, {1}, {2})",
    **{op: reduced(call) if op in EMPTY else (lambda call: lambda n: of_nothing(n, call))(call) for op, call in REDUCED.items()}, "cumsum": along("op.add"), "cumprod": along("op.mul"),
    "matmul": lambda n: f"matmul({of_floats(n)}, {n.shape()})",
}

# Other calls: of ops, and of the derivative of v by a.
SPELLINGS = {"select": [("Piecewise of the other branch", "each(lambda p, x, y: sp.Piecewise((y, sp.Not(p)), (x, True)), {0}, {1}, {2})")],
             "matmul": [("Matrix", lambda n: f"matrices({of_floats(n)})" if len(n.shape(0)) == 2 and len(n.shape(1)) == 2 and 0 not in n.shape(0) + n.shape(1) else None)]}
OPS.update({op: [("usual", OPS[op]), *rows] for op, rows in SPELLINGS.items()})
CALLS = [("diff", lambda sp, v, a: sp.diff(v, a)), ("Matrix.jacobian", lambda sp, v, a: sp.Matrix([v]).jacobian([a])[0]), ("Derivative.doit", lambda sp, v, a: sp.Derivative(v, a).doit())]


class Room(Arrays):
    """The functions that the source of a program calls; those of arrays are CasADi's."""

    def __init__(self):
        import numpy
        import operator
        import sympy
        self.np, self.sp, self.op = numpy, sympy, operator

    def names(self):
        return {name: getattr(self, name) for name in ("np", "sp", "op", "box", "each", "fold", "running", "matmul", "matrices")}

    def expression(self, x):
        if isinstance(x, (self.sp.Basic, bool, self.np.bool_)):
            return self.sp.sympify(bool(x)) if not isinstance(x, self.sp.Basic) else x
        return self.sp.Integer(int(x)) if isinstance(x, (int, self.np.integer)) else self.exact(float(x))

    def exact(self, x):
        if not math.isfinite(x) or x == 0 and math.copysign(1, x) < 0:
            raise Unsupported("a constant that is no finite number, or -0")
        return self.sp.Rational(*x.as_integer_ratio())

    def column(self, xs):
        return [self.expression(x) for x in xs]

    def matmul(self, a, b, shape):
        if not a.size or not b.size:
            return self.np.zeros(shape)
        return self.box(self.np.matmul(self.each(lambda x: x, a), self.each(lambda x: x, b)))

    def matrices(self, a, b):
        product, out = self.sp.Matrix(*a.shape, self.column(a.ravel())) * self.sp.Matrix(*b.shape, self.column(b.ravel())), self.np.empty((a.shape[0], b.shape[1]), object)
        for at in self.np.ndindex(*out.shape):
            out[at] = product[at]
        return out


class Engine:
    def __init__(self, mode):
        import mpmath
        self.room, self.mpmath, self.cse, self.numbers = Room(), mpmath, mode == "cse", "math" if mode == "math" else "mpmath"
        mpmath.mp.prec = BITS

    def split(self, values, types):
        at, out = 0, []
        for t in types:
            out.append(values[at:at + size(t)])
            at += size(t)
        return out

    def functions(self, case):
        """Functions from x to the results and to the derivative, as lists of numbers; and the types of both."""
        sp, np, names = self.room.sp, self.room.np, self.room.names()
        program = adapter.Program(case, OPS)
        types, outs = [program.types[v] for v in program.inputs], [program.types[r] for r in program.results]
        if sum(map(size, types)) > LARGEST or sum(map(size, outs)) > LARGEST:
            raise Unsupported("so many elements")
        exec(program.source(), names)
        letter = "x" if self.cse else "v"  # cse() calls subexpressions x0, x1 ...
        x = [sp.Symbol(f"{letter}{k}", **({} if t.startswith("bool") else {"real": True})) for k, t in enumerate(t for t in types for _ in range(size(t)))]
        args = []
        for values, t in zip(self.split(x, types), types):
            a = np.empty(len(values), object)
            a[:] = values
            args.append(a.reshape(adapter.shape_of(t)))
        y = self.room.column([v for r in names["f"](*args) for v in np.asarray(r, dtype=object).ravel()])
        if any(v.has(sp.zoo) for v in y):
            raise Unsupported("a division by the number 0, which SymPy takes for complex infinity")
        floats = [adapter.floating(t) for t in outs for _ in range(size(t))]
        d, of, (_, diff) = [v if f else sp.Integer(0) for v, f in zip(y, floats)], outs, CALLS[adapter.spelling(case.get("variant", 0), "request", len(CALLS))]
        for level in case["request"]:
            vjp, wrt = level["transform"] == "vjp", level["wrt"]
            given = {k: s for k, s in zip(range(len(of)) if vjp else wrt, level["cotangents" if vjp else "tangents"]) if adapter.floating((of if vjp else types)[k])}
            seed = [self.room.exact(v) for v in flat_of(list(given.values()), of if vjp else types, list(given))]
            if vjp:
                parts = self.split([self.sum(s * diff(sp, v, a) for s, v in zip(seed, d) if s != 0) for a in x], types)
                d, of = [v for k in wrt for v in parts[k]], [types[k] for k in wrt]
            else:
                d = [self.sum(s * diff(sp, v, a) for s, a in zip(seed, x) if s != 0) for v in d]
        if any(v.has(sp.Derivative, sp.Subs) for v in d):
            raise Unsupported("a derivative that diff leaves as it is")
        return self.function(x, y), self.function(x, d), types, outs, of

    def sum(self, terms):
        return self.room.sp.Add(*terms)

    def function(self, x, expressions):
        """A list of functions, one for each element, so that an element without a value leaves the others."""
        half = {"Heaviside": lambda v, at=0.5: 0 if v < 0 else 1 if v > 0 else at, "DiracDelta": lambda v, *_: 0}
        return [self.room.sp.lambdify(x, e, modules=[half, self.numbers], cse=self.cse) for e in expressions]

    def value(self, f, x, integer=False):
        try:
            v = f(*x)
            if integer and v == v:
                return int(v)
            if isinstance(v, (bool, self.room.np.bool_)) or v in (self.room.sp.true, self.room.sp.false):
                return bool(v)
            return float(v)
        except OverflowError:
            return math.nan if self.numbers == "math" else math.copysign(math.inf, v)
        except (ZeroDivisionError, ValueError, TypeError):  # no value there, or a complex one
            return math.nan

    def answer(self, case):
        signal.signal(signal.SIGALRM, self.too_long)
        signal.alarm(SECONDS)
        try:
            f, df, types, outs, of = self.functions(case)
            number = self.mpmath.mpf if self.numbers == "mpmath" else float
            answers = []
            for point in case["points"]:
                numbers = flat_of(point, types, range(len(types)))
                if number is not float and any(v == 0 and math.copysign(1, v) < 0 for v in numbers):
                    raise Unsupported("-0, which is 0 in mpmath")
                x, whole = [number(v) for v in numbers], [t[0] == "i" for t in outs for _ in range(size(t))]
                primal, derivative = [self.value(g, x, w) for g, w in zip(f, whole)], [self.value(g, x) for g in df]
                answers.append({"primal": self.tensors(primal, outs), "derivative": self.tensors(derivative, of, True) if case["request"] else []})
            return answers
        except RecursionError as e:  # SymPy walks expressions by recursion
            raise Unsupported("expressions nested so deeply") from e
        finally:
            signal.alarm(0)

    def too_long(self, *_):
        raise Unsupported(f"a case that takes more than {SECONDS} s")

    def tensors(self, values, types, derivative=False):
        out = []
        for part, t in zip(self.split(values, types), types):
            dtype = adapter.dtype_of(t)
            whole = [0 if derivative or v != v else v for v in part]
            out.append(adapter.tensor_out(dtype, adapter.shape_of(t), part if adapter.is_float(dtype) else [bool(v) if dtype == "bool" else int(v) for v in whole]))
        return out


def main():
    mode = sys.argv[1] if len(sys.argv) > 1 else "mpmath"
    if mode not in ("mpmath", "math", "cse"):
        sys.exit(f"no mode {mode}; there are mpmath, math, cse")
    import sympy
    one = [["jvp"], ["vjp"]]
    two = [[a, *s] for a in ("jvp", "vjp") for s in one]
    adapter.main({"name": f"sympy.{mode}", "version": sympy.__version__, "requests": one + two, "dtypes": ["f64", "i64", "i32", "bool"], "ops": list(OPS), "rank": 3,
                  "unroll": True, "weak_zero": True, "finite_math": True, "timeout_ms": 60000,
                  "spellings": adapter.spellings(OPS, request=[name for name, _ in CALLS])}, Engine(mode).answer)


if __name__ == "__main__":
    main()
