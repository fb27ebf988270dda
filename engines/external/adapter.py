"""Shared by the adapters in Python: the protocol, and programs as source text.

An adapter has a table of source templates for the ops, and the calls of its engine's transforms as text. So it runs
exactly the source that `adjudge emit` prints. See ../PROTOCOL.md.
"""
import functools
import json
import re
import sys


class Unsupported(Exception):
    """The engine lacks something; the text says what."""


class Failure(Exception):
    """The adapter itself cannot go on, which says nothing about the engine. It ends the run."""


# ---- values ----

def real(v):
    return float.fromhex(v) if isinstance(v, str) else float(v)


def dtype_of(text):
    return text.split("[")[0]


def shape_of(text):
    inside = text[text.index("[") + 1:-1]
    return [int(n) for n in inside.split(",")] if inside else []


def is_float(dtype):
    return dtype in ("f64", "f32", "bf16", "f16")


def floating(type_text):
    return is_float(dtype_of(type_text))


def flat(data, type_text):
    """The elements as Python numbers, row-major."""
    data = data if isinstance(data, list) else [data]
    kind = dtype_of(type_text)
    if is_float(kind):
        return [real(v) for v in data]
    return [bool(v) for v in data] if kind == "bool" else [int(v) for v in data]


def literal(values, shape):
    """Nested lists of Python source, with float('nan') and so on for NaN and infinities; [] without elements."""
    if not values:
        return "[]"
    for extent in reversed(shape[1:]):
        values = [values[i:i + extent] for i in range(0, len(values), extent)]
    text = repr(values if shape else values[0])
    return re.sub(r"-?\b(nan|inf)\b", r"float('\g<0>')", text) if "n" in text else text


@functools.lru_cache
def type_text(dtype, shape):
    return f"{dtype}[{','.join(map(str, shape))}]"


def tensor_out(dtype, shape, values):
    """A tensor of an answer; values: flat Python numbers."""
    return {"type": type_text(dtype, tuple(shape)), "data": [float(v).hex() for v in values] if is_float(dtype) else [str(v) if abs(v) > 1 << 53 else v for v in values]}


# ---- spellings ----

def spelling(variant, name, n):
    """Which of n spellings the variant of a case draws for an op, or for "request" (../PROTOCOL.md)."""
    h = 2166136261 ^ variant
    for byte in name.encode():
        h = (h ^ byte) * 16777619 & 0xffffffff
    return (h ^ h >> 16) % n if variant else 0


def spellings(ops, **others):
    """The member of the hello: names by op, of the rows of a table that list spellings, and of `others`."""
    return {op: [name for name, _ in rule] for op, rule in ops.items() if isinstance(rule, list)} | others


# ---- programs ----

class Node:
    """One op.  outs: the names of its results, and out the first one.  args: names of the operands.  a: attributes as in
    a case.  ty(k): the type of operand k.  const(k): its elements, if it is a constant.  region(k): parameters, lines and
    results of its region k.  A rule may change the line `to = expression`: it may set `to`, and lines `before` it."""

    def __init__(self, program, raw):
        self.program, self.raw, self.before = program, raw, []
        self.op, self.args, self.a = raw["op"], raw.get("args", []), raw
        self.outs = program.bind(raw["out"])
        self.out = self.to = self.outs[0]

    def region(self, k):
        r = self.raw["regions"][k]
        return self.program.bind(r["params"]), self.program.body(r["body"]), r["results"]

    def ty(self, k):
        return self.program.types[self.args[k]]

    def shape(self, k=None):
        return shape_of(self.program.types[self.out] if k is None else self.ty(k))

    def dtype(self, k=None):
        return dtype_of(self.program.types[self.out] if k is None else self.ty(k))

    def const_own(self):
        """The elements of a node that is a constant."""
        return self.program.constants[self.out]

    def const(self, k):
        if self.args[k] not in self.program.constants:
            raise Unsupported(f"{self.op} of an index that is no constant")
        return self.program.constants[self.args[k]]


class Program:
    """A case's program as lines of source.  types: the type of every value; constants: flat elements by name.

    ops: a rule for each op, or a list of its spellings, each a name and a rule.  A rule is a template, or a function that
    makes source of a Node.  One that returns None cannot express the node, and the first spelling does."""

    def __init__(self, case, ops):
        self.ops, self.types, self.constants = ops, {}, {}
        self.variant = case.get("variant", 0)
        self.inputs = self.bind(case["inputs"])
        self.lines = self.body(case["body"])
        self.results = case["results"]

    def bind(self, values):
        """Records the types of "name: type", and returns the names."""
        pairs = [v.split(": ") for v in values]
        self.types.update(pairs)
        return [name for name, _ in pairs]

    def body(self, nodes):
        lines = []
        for raw in nodes:
            node = Node(self, raw)
            if node.op == "constant":
                self.constants[node.out] = flat(raw["value"], self.types[node.out])
            if node.op not in self.ops:
                raise Unsupported(f"op {node.op}")
            rules = self.ops[node.op] if isinstance(self.ops[node.op], list) else [("", self.ops[node.op])]
            expression = self.expression(rules[spelling(self.variant, node.op, len(rules))][1], node)
            if expression is None:
                expression = self.expression(rules[0][1], node)
            lines += node.before + [f"{node.to} = {expression}"]
        return lines

    def expression(self, rule, node):
        return rule(node) if callable(rule) else rule.format(*node.args)

    def source(self, name="f"):
        return "\n".join(function(name, self.inputs, self.lines, f"{', '.join(self.results)},")) + "\n"


def used(lines, results):
    """The lines without values that nothing uses, such as indices that only the adapter has read."""
    while True:
        text = "\n".join([*lines, *results])
        kept = [line for line in lines if not re.match(r"v\d+ = ", line) or len(re.findall(rf"\b{line.split()[0]}\b", text)) > 1]
        if kept == lines:
            return lines
        lines = kept


def function(name, params, lines, result):
    """The function as lines."""
    return [f"def {name}({', '.join(params)}):"] + [f"    {line}" for line in [*lines, f"return {result}"]]


def short_function(name, params, lines, result):
    """The same, which returns the last expression itself."""
    last = re.fullmatch(rf"{result} = (.*)", lines[-1]) if lines else None
    return function(name, params, lines[:-1] if last else lines, last[1] if last else result)


class Function:
    """A case as source for an engine that transforms functions: f and the levels on it, and the types of the outermost
    results.  Each level is a function from the float inputs to its float outputs.  A subclass has level(level, name), the
    lines of a function `name` on top of self.name, which it then becomes.  It also has argument(data, type_text)."""

    def __init__(self, case, ops, gives="({})", brief=False):
        """gives: the results as f returns them, each followed by a comma.  brief: a lone result is no tuple."""
        self.case, self.program, self.brief = case, Program(case, ops), brief
        p = self.program
        if brief:
            p.lines = used(p.lines, p.results)
        self.inputs = [x for x in p.inputs if floating(p.types[x])]
        self.results = [r for r in p.results if floating(p.types[r])]
        self.types = [p.types[r] for r in p.results]
        self.name = "f"
        self.lone = brief and len(self.results) == 1
        lines = short_function("f", self.inputs, p.lines, self.results[0]) if self.lone else function("f", self.inputs, p.lines, gives.format("".join(f"{r}, " for r in self.results)))
        for k, level in enumerate(case["request"]):
            lines += self.level(level, f"{level['transform']}{k + 1}")
        self.source = "\n".join(lines) + "\n"

    def points(self):
        p = self.program
        return ["(" + "".join(f"{self.argument(d, p.types[x])}, " for d, x in zip(point, p.inputs) if x in self.inputs) + ")" for point in self.case["points"]]

    def fixed(self, point):
        """The elements of the results that are no floats: constants, or inputs."""
        p = self.program
        return [None if r in self.results else p.constants[r] if r in p.constants else flat(point[p.inputs.index(r)], p.types[r]) for r in p.results]


# ---- indices, decided by their mode ----

def resolved(index, mode, extent):
    """Positions, and whether each is dropped (its position is then 0)."""
    out, gone = [], []
    for i in index:
        inside = 0 <= i < extent
        drop = extent == 0 or (mode == "drop" and not inside)
        out.append(0 if drop else i if inside else i % extent if mode == "wrap" else min(max(i, 0), extent - 1))
        gone.append(drop)
    return out, gone


def starts_of(node, x, at, size):
    """Clamped starts of dynamic_slice and dynamic_update_slice."""
    return [min(max(s, 0), n - k) for s, n, k in zip(node.const(at), node.shape(x), size)]


# ---- the protocol ----

def told(derivative, numbers, dtype="", right_dtype="", shape=""):
    """A line of a short source: adjudge writes the comparison of this result in its place (../PROTOCOL.md)."""
    return "\t".join([f"@{'derivative' if derivative else 'primal'}", numbers, dtype, right_dtype, shape]).rstrip("\t")


def main(hello, answer, emit=None, together=None, brief=None):
    """hello: the members of the first line.  answer(case): a list of {"primal": [...], "derivative": [...]}, one per
    point.  emit(case): source text.  brief(case): a short one, for an issue.  together(cases): the answers to several
    cases at once, if that is faster; None in the place of a case that is to be answered alone."""
    out = sys.stdout
    sys.stdout = sys.stderr  # the engine's own output must not be read as an answer
    emitting = "--emit" in sys.argv[1:]
    print(json.dumps({"adjudge.engine": 1, **hello}), file=out, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if emitting or "emit" in request:
            try:
                write = brief if brief and request.get("brief") else emit
                reply = {"id": request["id"], "sources": [write(c) for c in request.get("emit") or request["cases"]]}
            except Unsupported as e:
                reply = {"id": request["id"], "error": f"{hello['name']}: no counterpart for {e}"}
        else:
            try:
                reply = {"id": request["id"], "answers": answers(answer, together, request["cases"])}
            except Failure as e:
                reply = {"id": request["id"], "error": str(e)}
        print(json.dumps(reply), file=out, flush=True)


def answers(answer, together, cases):
    got = together(cases) if together and len(cases) > 1 else [None] * len(cases)
    return [guarded(answer, c) if points is None else [{"status": "ok", **a} for a in points] for c, points in zip(cases, got)]


def message(e):
    """The first line of an exception's text, and the next one where that says what the first announces: 'backend raised:'."""
    lines = [line.strip() for line in str(e).splitlines() if line.strip()]
    return " ".join(lines[:2 if lines and lines[0].endswith(":") else 1])


def guarded(answer, case):
    points = len(case["points"])
    try:
        return [{"status": "ok", **a} for a in answer(case)]
    except Unsupported as e:
        return [{"status": "unsupported", "text": str(e)}] * points
    except (KeyboardInterrupt, SystemExit, Failure):
        raise
    except BaseException as e:  # an exception of the engine is its answer
        text = f"{type(e).__name__}: {message(e)}"[:400]
        lower = text.lower()
        known = isinstance(e, NotImplementedError) or any(text in lower for text in ("not implemented", "not supported", "unsupported", "don't support"))
        return [{"status": "unsupported" if known else "error", "text": text}] * points
