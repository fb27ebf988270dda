"""Programs as statements on numbers, one for each op and element. scalar_source.py makes sources of them."""
import itertools
import math

import adapter
from adapter import Unsupported


# ---- positions, row-major ----

def size(shape):
    return math.prod(shape)


def strides(shape):
    return [size(shape[d + 1:]) for d in range(len(shape))]


def walk(shape, stride, start=0):
    return [start + sum(i * s for i, s in zip(at, stride)) for at in itertools.product(*map(range, shape))]


def spread(shape, to):
    """Where the elements of a broadcast value come from."""
    own = [s if n != 1 else 0 for n, s in zip(shape, strides(shape))]
    return walk(to, [0] * (len(to) - len(shape)) + own)


def window(shape, start, extent, step):
    own = strides(shape)
    return walk(extent, [a * b for a, b in zip(own, step)], sum(a * b for a, b in zip(own, start)))


def lines_of(shape, axes):
    """The positions of each line along some axes."""
    own = strides(shape)
    kept = [d for d in range(len(shape)) if d not in axes]
    firsts = walk([shape[d] for d in kept], [own[d] for d in kept])
    return [walk([shape[d] for d in axes], [own[d] for d in axes], first) for first in firsts]


# ---- programs ----

class Statements:
    """A program as statements. at: the elements of each value as source.

    expression(op, operands, constants): operands are source; constants are their numbers where the program knows them,
    else None. A third operand of add: the product of the last two is added. literal(x): a number of the engine.
    define(name, expression): a statement. vector(name, expressions): the same for a value with axes, if not None.
    own: the ops that are expressions here, though another engine's are made of others or decided at the point.
    array: the statements of an array of the engine, from which gather takes its elements, if not None."""

    def __init__(self, case, literal, expression, define, vector=None, own=(), array=None):
        self.program = p = adapter.Program({**case, "body": []}, {})
        self.literal, self.expression, self.define, self.vector, self.own, self.array = literal, expression, define, vector, own, array
        self.at, self.lines, self.case = {}, [], case
        for raw in case["body"]:
            p.bind(raw["out"])

    def run(self, inputs):
        self.at.update(inputs)
        for raw in self.case["body"]:
            n = adapter.Node(self.program, raw)
            self.count = itertools.count() if n.shape() or n.op in ("matmul", "clamp") or n.op in FOLDS else None
            if n.op == "constant":
                self.program.constants[n.out] = adapter.flat(raw["value"], self.program.types[n.out])
                self.at[n.out] = [self.literal(v) for v in self.program.constants[n.out]]
            else:
                self.at[n.out] = self.value(n)
        return [self.at[r] for r in self.case["results"]]

    def op(self, n, op, operands, constants=()):
        name = n.out if self.count is None else f"{n.out}_{next(self.count)}"
        self.lines.append(self.define(name, self.expression(op, operands, list(constants) or [None] * len(operands))))
        return name

    def together(self, n, expressions):
        if not self.vector or not n.shape() or not expressions:
            return None
        self.lines.append(self.vector(n.out, expressions))
        return [f"{n.out}[{k}]" for k in range(len(expressions))]

    def moved(self, n):
        elements = [self.literal(0.0) if k is None else self.at[n.args[which]][k] for which, k in MOVES[n.op](n)]
        return self.together(n, elements) or elements

    def taken(self, n):
        """The elements that gather takes, out of an array of the engine, by statements of their own."""
        of, name = self.at[n.args[0]], f"{n.out}_of"
        self.lines += [self.array["open"].format(name=name, n=len(of)), *(self.array["put"].format(name=name, k=k, x=x) for k, x in enumerate(of))]
        out = []
        for _, k in MOVES["gather"](n):
            out.append(self.literal(0.0) if k is None else n.out if self.count is None else f"{n.out}_{next(self.count)}")
            self.lines += [] if k is None else [self.define(out[-1], self.array["take"].format(name=name, k=k))]
        return out

    def elementwise(self, n, op):
        at = [spread(n.shape(k), n.shape()) for k in range(len(n.args))]
        known = [self.program.constants.get(a) for a in n.args]
        each = [([self.at[a][p[i]] for a, p in zip(n.args, at)], [c and c[p[i]] for c, p in zip(known, at)]) for i in range(size(n.shape()))]
        if self.vector and n.shape():
            return self.together(n, [self.expression(op, *one) for one in each]) or []
        return [self.op(n, op, *one) for one in each]

    def fold(self, n, op, elements):
        if not elements:
            raise Unsupported(f"{n.op} of nothing")
        out = elements[0]
        for x in elements[1:]:
            out = self.op(n, op, [out, x])
        return out

    def value(self, n):
        of = self.at[n.args[0]]
        if n.op == "gather" and self.array:
            return self.taken(n)
        if n.op in MOVES:
            return self.moved(n)
        axes = n.a.get("axes", [])
        if n.op in self.own and n.op in FOLDS:
            return [self.op(n, n.op, [of[k] for k in line]) for line in lines_of(n.shape(0), axes)]
        if n.op in self.own:
            return self.elementwise(n, n.op)
        if n.op == "select":
            mask = n.const(0)
            at = [spread(n.shape(k), n.shape()) for k in range(3)]
            return [self.at[n.args[1 if mask[m] else 2]][a if mask[m] else b] for m, a, b in zip(*at)]
        if n.op == "clamp":
            low, high = (spread(n.shape(k), n.shape()) for k in (1, 2))
            return [self.op(n, "min", [self.op(n, "max", [x, self.at[n.args[1]][a]]), self.at[n.args[2]][b]]) for x, a, b in zip(of, low, high)]
        if n.op == "matmul":
            return self.matmul(n)
        if n.op.startswith("scatter_"):
            return self.scatter(n)
        if n.op in ("cumsum", "cumprod"):
            out = list(of)
            for line in lines_of(n.shape(), [n.a.get("axis", 0)]):
                for before, k in zip(line, line[1:]):
                    out[k] = self.op(n, "add" if n.op == "cumsum" else "mul", [out[before], of[k]])
            return out
        if n.op in FOLDS:
            return [self.reduced(n, [of[k] for k in line]) for line in lines_of(n.shape(0), axes)]
        return self.elementwise(n, n.op)

    def reduced(self, n, elements):
        if not FOLDS[n.op]:
            raise Unsupported(n.op)
        op, empty = FOLDS[n.op]
        if not elements and empty is not None:
            return self.literal(empty)
        total = self.fold(n, op, elements)
        return self.op(n, "div", [total, self.literal(float(len(elements)))]) if n.op == "reduce_mean" else total

    def matmul(self, n):
        a, b = n.shape(0), n.shape(1)
        batch = n.shape()[:len(n.shape()) - (len(a) > 1) - (len(b) > 1)]
        a, b = [1] * (len(a) == 1) + a, b + [1] * (len(b) == 1)
        left, right = (walk(batch, [0] * (len(batch) - len(s) + 2) + [w if e != 1 else 0 for e, w in zip(s[:-2], strides(s))]) for s in (a, b))
        out = []
        for first, second in zip(left, right):
            for i, j in itertools.product(range(a[-2]), range(b[-1])):
                pairs = [(self.at[n.args[0]][first + i * a[-1] + k], self.at[n.args[1]][second + k * b[-1] + j]) for k in range(a[-1])]
                total = self.op(n, "mul", pairs[0]) if pairs else self.literal(0.0)
                for pair in pairs[1:]:
                    total = self.op(n, "add", [total, *pair])
                out.append(total)
        return out

    def scatter(self, n):
        out, axis, extent = list(self.at[n.args[0]]), n.a.get("axis", 0), n.shape()
        at, gone = adapter.resolved(n.const(1), n.a["mode"], extent[axis])
        slices = lines_of(n.shape(2), [axis])
        for line, source in zip(lines_of(extent, [axis]), slices):
            for k, (i, dropped) in enumerate(zip(at, gone)):
                if not dropped:
                    new = self.at[n.args[2]][source[k]]
                    out[line[i]] = new if n.op == "scatter_set" else self.op(n, n.op.removeprefix("scatter_"), [out[line[i]], new])
        return out


FOLDS = {"reduce_sum": ("add", 0.0), "reduce_prod": ("mul", 1.0), "reduce_mean": ("add", None), "reduce_max": ("max", None), "reduce_min": ("min", None),
         "logsumexp": None, "norm": None}


def reverse(n):
    shape, own = n.shape(), strides(n.shape())
    flipped = [-s if d in n.a["axes"] else s for d, s in enumerate(own)]
    return walk(shape, flipped, sum((shape[d] - 1) * own[d] for d in n.a["axes"]))


def gather(n):
    axis, shape, own = n.a.get("axis", 0), n.shape(0), strides(n.shape(0))
    at, gone = adapter.resolved(n.const(1), n.a["mode"], shape[axis])
    outer, rest = walk(shape[:axis], own[:axis]), range(own[axis])
    return [None if dropped else o + i * own[axis] + r for o in outer for i, dropped in zip(at, gone) for r in rest]


def along(n):
    """take_along_axis"""
    axis, shape, own = n.a.get("axis", 0), n.shape(0), strides(n.shape(0))
    at, gone = adapter.resolved(n.const(1), n.a["mode"], shape[axis])
    places = walk(n.shape(), [0 if d == axis else s for d, s in enumerate(own)])
    return [None if dropped else p + i * own[axis] for p, i, dropped in zip(places, at, gone)]


def update(n, places):
    """Operand 1 at these places of operand 0."""
    new = {place: k for k, place in enumerate(places)}
    return [(1, new[k]) if k in new else (0, k) for k in range(size(n.shape()))]


def pad(n):
    places = {place: k for k, place in enumerate(window(n.shape(), n.a["low"], n.shape(0), [1] * len(n.shape())))}
    return [(0, places[k]) if k in places else (1, 0) for k in range(size(n.shape()))]


def concatenate(n):
    axis, out = n.a.get("axis", 0), []
    for outer in range(size(n.shape()[:axis])):
        for k in range(len(n.args)):
            part = size(n.shape(k)[axis:])
            out += [(k, outer * part + i) for i in range(part)]
    return out


def masked_scatter(n):
    new = itertools.chain(range(size(n.shape(2))), itertools.repeat(None))
    taken = [next(new) if m else None for m in n.const(1)]
    return [(0, k) if at is None else (2, at) for k, at in enumerate(taken)]


def ones(n):
    return [1] * len(n.shape(0))


def first(places):
    return lambda n: [(0, k) for k in places(n)]


# The operand and the position that each element of these ops comes from; position None is a zero.
MOVES = {
    **{op: first(lambda n: range(size(n.shape()))) for op in ("copy", "cast", "reshape", "squeeze")},
    "broadcast_to": first(lambda n: spread(n.shape(0), n.shape())), "reverse": first(reverse), "gather": first(gather), "take_along_axis": first(along),
    "transpose": first(lambda n: walk(n.shape(), [strides(n.shape(0))[a] for a in n.a["axes"]])),
    "slice": first(lambda n: window(n.shape(0), n.a["start"], n.shape(), n.a.get("stride") or ones(n))),
    "dynamic_slice": first(lambda n: window(n.shape(0), adapter.starts_of(n, 0, 1, n.shape()), n.shape(), ones(n))),
    "slice_scatter": lambda n: update(n, window(n.shape(), n.a["start"], n.shape(1), n.a.get("stride") or ones(n))),
    "dynamic_update_slice": lambda n: update(n, window(n.shape(), adapter.starts_of(n, 0, 2, n.shape(1)), n.shape(1), ones(n))),
    "pad": pad, "concatenate": concatenate, "masked_scatter": masked_scatter,
}
