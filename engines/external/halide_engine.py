#!/usr/bin/env python3
"""Halide 14 behind adjudge's protocol: propagate_adjoints, which is reverse mode.  Needs Halide's bindings for Python.

- Every value is a Func over one Var per axis, computed at its root. So each op rounds once, in its dtype. An input is a
  Func of a buffer, and a constant of one element is a literal.
- Halide has no gradient of a reduction whose partial derivatives need its intermediate values, and says to use a scan.
  So products and extrema are scans over one axis more.
- Halide asks for the cotangents, inputs and constants beside their ends, too. There a cotangent is 0, and another buffer
  repeats its last element.
- All results and gradients are one Pipeline, compiled once for all points, with the feature StrictFloat. A chain of 10 ops
  took 1 s of processor time, one of 40 took 5 s. So programs have at most 60 nodes.
"""
import contextlib
import itertools

import adapter
from adapter import Unsupported, floating
from halide_ops import DTYPES, OPS

# ---- what the source calls ----

class Room:
    """The functions that the source of a program calls.  made: all Funcs so far."""

    def __init__(self):
        import halide
        self.hl, self.made = halide, []

    def names(self):
        return {name: getattr(self, name) for name in ("hl", "func", "given", "buffer", "updated", "last", "moved", "mean")}

    def func(self, rank, value):
        f, i = self.hl.Func(), [self.hl.Var() for _ in range(rank)]
        f[tuple(i)] = value(i)
        f.compute_root()
        self.made.append(f)
        return f

    def buffer(self, dtype, shape, values=()):
        """A scalar is the only element of a buffer with an axis."""
        b = self.hl.Buffer(dtype, shape or [1])
        self.fill(b, shape, values)
        return b

    def fill(self, b, shape, values):
        for place, v in zip(itertools.product(*map(range, shape or [1])), values):
            b[place] = v

    def given(self, b, rank):
        near = self.hl.BoundaryConditions.repeat_edge(b) if rank else b
        return self.func(rank, lambda i: near[tuple(i) if rank else (self.hl.Expr(0),)])

    def updated(self, rank, domain, first, step):
        """A Func whose elements are the first ones, updated over the domain."""
        f = self.func(rank, first)
        to, value = step(f, f.args(), self.hl.RDom([(0, extent) for extent in domain]))
        f[to] = value
        return f

    def last(self, rank, count, first, step):
        """The end of a scan, which has an axis of its own."""
        f = self.updated(rank + 1, [count], lambda i: first, lambda f, i, r: ((*i[:rank], r[0] + 1), step(f, i, r)))
        return self.func(rank, lambda i: f[(*i, self.hl.Expr(count))])

    def moved(self, f, place):
        return self.func(f.dimensions(), lambda i: f[place(i)])

    def mean(self, f, count):
        return self.func(f.dimensions(), lambda i: f[tuple(i)] / count)


# ---- answers ----

def depends(case, result):
    """What a result is computed from, regions aside: adjudge unrolls them."""
    of = {v.split(": ")[0]: n.get("args", []) for n in case["body"] for v in n["out"]}
    seen, todo = set(), [result]
    while todo:
        v = todo.pop()
        if v not in seen:
            seen.add(v)
            todo += of.get(v, [])
    return seen


class Pipeline:
    """The results of a case and the gradients that it asks for, compiled together."""

    def __init__(self, case):
        self.room, self.program = Room(), adapter.Program(case, OPS)
        p, self.hl, self.outs = self.program, self.room.hl, []
        if any(0 in adapter.shape_of(t) for t in p.types.values()):
            raise Unsupported("an array without elements, which no realization may be")
        names = self.room.names()
        exec(p.source(), names)
        self.buffers = [self.room.buffer(eval(DTYPES[adapter.dtype_of(t)], names), adapter.shape_of(t)) for t in (p.types[x] for x in p.inputs)]
        xs = [self.room.given(b, len(adapter.shape_of(p.types[x]))) for b, x in zip(self.buffers, p.inputs)]
        ys, self.types, self.primal = names["f"](*xs), [p.types[r] for r in p.results], len(p.results)
        self.of = list(ys)
        for level in case["request"]:
            wrt = level["wrt"]
            self.types += [p.types[p.inputs[k]] for k in wrt]
            self.of += self.gradients(case, ys, level["cotangents"], [xs[k] if floating(p.types[p.inputs[k]]) else None for k in wrt], [p.inputs[k] for k in wrt])
        # the same Func may be asked for twice
        lone = [self.room.func(f.dimensions(), lambda i: f[tuple(i)]) for f in self.of if f]
        self.outs = [self.hl.Buffer(f.output_types()[0], adapter.shape_of(t)) for f, t in zip(lone, [t for f, t in zip(self.of, self.types) if f])]
        self.pipeline = self.hl.Pipeline(lone) if lone else None
        self.target = self.hl.get_jit_target_from_environment().with_feature(self.hl.TargetFeature.StrictFloat)

    def gradients(self, case, ys, cotangents, xs, names):
        """A Func for each x, or None for one that is no float."""
        hl, p, sums = self.hl, self.program, [None] * len(xs)
        for r, y, g in zip(p.results, ys, cotangents):
            of, shape = depends(case, r), adapter.shape_of(p.types[r])
            if not floating(p.types[r]) or not any(x and name in of for x, name in zip(xs, names)):
                continue
            seed = self.room.buffer(y.output_types()[0], shape, adapter.flat(g, p.types[r]))
            made, around = list(self.room.made), hl.BoundaryConditions.constant_exterior(seed, hl.cast(y.output_types()[0], 0)) if shape else self.room.given(seed, 0)
            d = self.propagated(y, around, [hl.Range(0, k) for k in shape])
            for f in made:
                for update in range(-1, f.num_update_definitions()):
                    with contextlib.suppress(RuntimeError):  # the result has nothing to do with it
                        d[(f, update)].compute_root()
            for k, (x, name) in enumerate(zip(xs, names)):
                if x and name in of:
                    sums[k] = self.sum(sums[k], d[x])
        return [s or (x and self.room.func(x.dimensions(), lambda i: hl.cast(x.output_types()[0], 0))) for s, x in zip(sums, xs)]

    def propagated(self, y, seed, ranges):
        try:
            return self.hl.propagate_adjoints(y, seed, ranges)
        except RuntimeError as e:
            raise Unsupported(adapter.message(e)) if "Can't take the gradients" in str(e) else e

    def sum(self, f, g):
        return self.room.func(g.dimensions(), lambda i: f[tuple(i)] + g[tuple(i)]) if f else g

    def answer(self, point):
        p = self.program
        for b, x, data in zip(self.buffers, p.inputs, point):
            self.room.fill(b, adapter.shape_of(p.types[x]), adapter.flat(data, p.types[x]))
        if self.pipeline:
            self.pipeline.realize(self.outs, self.target)
        rest, told = iter(self.outs), []
        for f, t in zip(self.of, self.types):
            dtype, shape = adapter.dtype_of(t), adapter.shape_of(t)
            b = next(rest) if f else None
            values = [b[place] if b else 0 for place in itertools.product(*map(range, shape))]
            told.append(adapter.tensor_out(dtype, shape, values if dtype != "bool" else [bool(v) for v in values]))
        return {"primal": told[:self.primal], "derivative": told[self.primal:]}


def answer(case):
    pipeline = Pipeline(case)
    return [pipeline.answer(point) for point in case["points"]]


def main():
    adapter.main({"name": "halide", "version": "14.0.0", "requests": [["vjp"]], "dtypes": list(DTYPES), "ops": list(OPS), "unroll": True, "broadcast": True,
                  "nodes": 60, "weak_zero": True, "timeout_ms": 120000}, answer)


if __name__ == "__main__":
    main()
