"""The ops of halide_engine.py as source: each makes a Func, by the functions of its Room."""
import math

import adapter
from adapter import Unsupported, floating

DTYPES = {"f64": "hl.Float(64)", "f32": "hl.Float(32)", "i64": "hl.Int(64)", "i32": "hl.Int(32)", "bool": "hl.Bool()"}


def at(x, indices):
    return f"{x}[{', '.join(f'hl.Expr({i})' if isinstance(i, int) else i for i in indices) or '()'}]"


def axes_of(n, k=None):
    return [f"i[{d}]" for d in range(len(n.shape(k)))]


def func(n, text):
    """A Func whose element i is the expression."""
    return f"func({len(n.shape())}, lambda i: {text})"


def number(value, dtype):
    """A literal."""
    if dtype == "bool":
        return f"hl.Expr({value})"
    return f"hl.cast({DTYPES[dtype]}, {value})" if dtype[0] == "i" else f"hl.{dtype}({adapter.literal([float(value)], [])})"


def each(text):
    """The op on each element; {0}, {1} ... are those of the operands, {one} is a 1 of their dtype."""
    return lambda n: func(n, text.format(*(at(x, axes_of(n)) for x in n.args), one=number(1, n.dtype())))


def constant(n):
    values, shape = n.const_own(), n.shape()
    if len(values) == 1 and math.isfinite(values[0]) and abs(values[0]) < 2 ** (31 if n.dtype()[0] == "i" else 1024):
        return func(n, number(values[0], n.dtype()))
    return f"given(buffer({DTYPES[n.dtype()]}, {shape}, {adapter.literal(values, [len(values)])}), {len(shape)})"


def element(rule):
    """A Func of the first operand's elements; rule(n) says at which indices."""
    return lambda n: func(n, at(n.args[0], rule(n)))


def sliced(n):
    stride = n.a.get("stride") or [1] * len(n.shape())
    return [f"i[{d}] * {s} + {a}" for d, (a, s) in enumerate(zip(n.a["start"], stride))]


def reshaped(n):
    """Indices from the position of an element."""
    place, out = "hl.Expr(0)", []
    for d, extent in enumerate(n.shape()):
        place = f"({place} * {extent} + i[{d}])"
    step = 1
    for extent in reversed(n.shape(0)):
        out.insert(0, f"{place} // {step} % {extent}")
        step *= extent
    return out


def squeezed(n):
    rest = iter(axes_of(n))
    return [0 if d in n.a["axes"] else next(rest) for d in range(len(n.shape(0)))]


def broadcast(n):
    lead = len(n.shape()) - len(n.shape(0))
    return [f"i[{lead + d}]" if k == n.shape()[lead + d] else 0 for d, k in enumerate(n.shape(0))]


def inside(indices, shape):
    """Whether the indices are in the shape, and the nearest ones that are."""
    return " & ".join(f"({i} >= 0) & ({i} < {k})" for i, k in zip(indices, shape)) or "hl.Expr(True)", [f"hl.clamp({i}, 0, {k - 1})" for i, k in zip(indices, shape)]


def pad(n):
    where, near = inside([f"(i[{d}] - {low})" for d, low in enumerate(n.a["low"])], n.shape(0))
    return func(n, f"hl.select({where}, {at(n.args[0], near)}, {at(n.args[1], [])})")


def concatenate(n):
    axis, text, end = n.a.get("axis", 0), "", n.shape()[n.a.get("axis", 0)]
    for k in reversed(range(len(n.args))):
        extent = n.shape(k)[axis]
        end -= extent
        value = at(n.args[k], [f"hl.clamp(i[{d}] - {end}, 0, {extent - 1})" if d == axis else f"i[{d}]" for d in range(len(n.shape()))])
        text = f"hl.select(i[{axis}] < {end + extent}, {value}, {text})" if text else value
    return func(n, text)


def found(n, index, extent):
    """Whether an index counts, and its position."""
    index, mode = f"hl.cast(hl.Int(32), {index})", n.a["mode"]
    return f"(({index} >= 0) & ({index} < {extent}))" if mode == "drop" else "", f"({index} % {extent})" if mode == "wrap" else f"hl.clamp({index}, 0, {extent - 1})"


def taken(n, index, place):
    axis = n.a.get("axis", 0)
    where, position = found(n, index, n.shape(0)[axis])
    value = at(n.args[0], place(position))
    return func(n, f"hl.select({where}, {value}, {number(0, n.dtype())})" if where else value)


def gather(n):
    axis, rank = n.a.get("axis", 0), len(n.shape(1))
    own = axes_of(n)
    return taken(n, at(n.args[1], own[axis:axis + rank]), lambda p: own[:axis] + [p] + own[axis + rank:])


def take_along_axis(n):
    axis, own = n.a.get("axis", 0), axes_of(n)
    return taken(n, at(n.args[1], own), lambda p: [p if d == axis else i for d, i in enumerate(own)])


def scatter(step):
    """An update; a dropped one adds 0.  Constant positions are read from a buffer, as Halide looks for their bounds."""
    def rule(n):
        axis, own, extent = n.a.get("axis", 0), axes_of(n), n.shape()[n.a.get("axis", 0)]
        where, position = found(n, at(n.args[1], ["r[0]"]), extent)
        if n.args[1] in n.program.constants and n.const(1):
            n.before.append(f"{n.out}_at = buffer(hl.Int(32), {n.shape(1)}, {adapter.resolved(n.const(1), n.a['mode'], extent)[0]})")
            position = f"hl.clamp({n.out}_at[r[0]], 0, {extent - 1})"
        place = [position if d == axis else i for d, i in enumerate(own)]
        value = at(n.args[2], ["r[0]" if d == axis else i for d, i in enumerate(own)])
        if where and not step:
            raise Unsupported("scatter_set that drops")
        value = f"hl.select({where}, {value}, {number(0, n.dtype())})" if where else value
        value = f"{at('f', place)} {step} {value}" if step else value
        return f"updated({len(own)}, {n.shape(1)}, lambda i: {at(n.args[0], own)}, lambda f, i, r: (({', '.join(place)},), {value}))"
    return rule


def split(n, axes, keep):
    """Indices of the operand: those of the result, and r over the axes."""
    out, free, reduced = [], 0, 0
    for d in range(len(n.shape(0))):
        out.append(f"r[{reduced}]" if d in axes else f"i[{free}]")
        free, reduced = free + (d not in axes or keep), reduced + (d in axes)
    return out


def reduced(first, step):
    """A sum by a reduction, others by a scan over the elements in a row."""
    def rule(n):
        axes, keep, rank = sorted(n.a.get("axes", [])), n.a.get("keepdims", False), len(n.shape())
        if not axes:
            return func(n, at(n.args[0], axes_of(n)))
        extents = [n.shape(0)[d] for d in axes]
        if step == "+":
            return f"updated({rank}, {extents}, lambda i: {number(first, n.dtype())}, lambda f, i, r: (tuple(i), {at('f', axes_of(n))} + {at(n.args[0], split(n, axes, keep))}))"
        count, place = math.prod(extents), split(n, axes, keep)
        inner = count
        for k, extent in enumerate(extents):
            inner //= extent
            place = [i.replace(f"r[{k}]", f"R // {inner} % {extent}") for i in place]
        value = at(n.args[0], [i.replace("R", "r[0]") for i in place])
        own = "".join(f"i[{d}], " for d in range(rank))
        return f"last({rank}, {count}, {number(first, n.dtype())}, lambda f, i, r: {step.format(f'f[{own}r[0]]', value)})"
    return rule


def mean(n):
    total = reduced(0.0, "+")(n)
    count = math.prod(n.shape(0)[d] for d in n.a.get("axes", []))
    return f"mean({total}, {number(float(count), n.dtype())})"


def running(first, step):
    """A scan; element k of the result is k + 1 of the scan."""
    def rule(n):
        axis, own = n.a.get("axis", 0), axes_of(n)
        place = lambda k: [k if d == axis else i for d, i in enumerate(own)]
        scan = f"updated({len(own)}, [{n.shape()[axis]}], lambda i: {number(first, n.dtype())}, lambda f, i, r: (({', '.join(place('r[0] + 1'))},), {step.format(at('f', place('r[0]')), at(n.args[0], place('r[0]')))}))"
        return f"moved({scan}, lambda i: ({', '.join(place(f'i[{axis}] + 1'))},))"
    return rule


def matmul(n):
    a, b = n.shape(0), n.shape(1)
    row, column = len(a) > 1, len(b) > 1
    batch = len(n.shape()) - row - column
    def lead(shape):
        own = shape[:-2]
        return [f"i[{batch - len(own) + d}]" if k > 1 else 0 for d, k in enumerate(own)]
    x = at(n.args[0], lead(a) + ([f"i[{batch}]"] if row else []) + ["r[0]"])
    y = at(n.args[1], lead(b) + ["r[0]"] + ([f"i[{batch + row}]"] if column else []))
    return f"updated({len(n.shape())}, {[a[-1]]}, lambda i: {number(0, n.dtype())}, lambda f, i, r: (tuple(i), {at('f', axes_of(n))} + {x} * {y}))"


def cast(n):
    to, of = n.dtype(), n.dtype(0)
    if to[0] == "i" and adapter.is_float(of):
        raise Unsupported("a cast from a float to an integer")
    return each(f"{{0}} != hl.cast({DTYPES[of]}, 0)" if to == "bool" and of != "bool" else f"hl.cast({DTYPES[to]}, {{0}})")(n)


def floats(rule):
    def checked(n):
        if not floating(n.program.types[n.out]):
            raise Unsupported(f"{n.op} of integers")
        return (rule if callable(rule) else each(rule))(n)
    return checked


OPS = {
    "constant": constant, "cast": cast, "copy": each("{0}"), "neg": floats("-{0}"), "square": floats("{0} * {0}"), "rsqrt": floats("{one} / hl.sqrt({0})"),
    "logistic": floats("{one} / ({one} + hl.exp(-{0}))"),
    **{op: floats(f"hl.{op}({{0}})") for op in ("abs", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor", "ceil", "trunc", "round")},
    **{op: floats(f"{{0}} {sign} {{1}}") for op, sign in {"add": "+", "sub": "-", "mul": "*", "div": "/"}.items()},
    **{op: floats(f"hl.{op}({{0}}, {{1}})") for op in ("pow", "atan2", "max", "min")}, "clamp": floats("hl.clamp({0}, {1}, {2})"),
    **{op: each(f"{{0}} {sign} {{1}}") for op, sign in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "logical_and": "&", "logical_or": "|"}.items()},
    "logical_not": each("hl.logical_not({0})"), "select": each("hl.select({0}, {1}, {2})"),
    "reshape": element(reshaped), "squeeze": element(squeezed), "broadcast_to": element(broadcast), "slice": element(sliced), "pad": pad, "concatenate": concatenate,
    "transpose": element(lambda n: [f"i[{n.a['axes'].index(d)}]" for d in range(len(n.shape()))]),
    "reverse": element(lambda n: [f"{k - 1} - i[{d}]" if d in n.a["axes"] else f"i[{d}]" for d, k in enumerate(n.shape())]),
    "gather": gather, "take_along_axis": take_along_axis, "scatter_add": floats(scatter("+")), "scatter_set": floats(scatter("")), "matmul": floats(matmul),
    "reduce_sum": floats(reduced(0.0, "+")), "reduce_mean": floats(mean), "reduce_prod": floats(reduced(1.0, "{} * {}")), "reduce_max": floats(reduced(-math.inf, "hl.max({}, {})")),
    "reduce_min": floats(reduced(math.inf, "hl.min({}, {})")), "cumsum": floats(running(0.0, "{} + {}")), "cumprod": floats(running(1.0, "{} * {}")),
}
