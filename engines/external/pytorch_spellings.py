"""Spellings of ops in PyTorch beside the first one, which is in pytorch_ops.py: for each op a list of names and rules.

All spellings of an op promise the same values and derivatives, round as a usual formula of the op does, and follow one
rule at ties.  So these are left out: a mean as a sum times 1/n and a root as pow(x, 0.5), which round or behave at -0
otherwise; a number divided by x, which torch makes a product with 1/x; a norm by squares and a logsumexp by logcumsumexp, which lose more; unstable sorts; relu for max.
Nor is x * x a square: it is the op mul, and the tape adds its two contributions to others one by one.
"""
import adapter

NUMBER = "by a Python number"


# ---- operands that are numbers ----

def number(n, k):
    """Operand k as source of a Python number, if it is a constant whose elements are equal and it gives the result no
    shape; else None."""
    others = [n.shape(i) for i in range(len(n.args)) if i != k]
    values = n.program.constants.get(n.args[k])
    if not values or not adapter.floating(n.ty(k)) or any(repr(v) != repr(values[0]) for v in values) or n.shape() not in others:
        return None
    return adapter.literal(values[:1], [])


def with_number(left, right):
    """left: a template for a number in the place of operand 0; right: of operand 1; None: torch has no such call."""
    def rule(n):
        x, y = number(n, 0), number(n, 1)
        if right and y is not None:
            return right.format(n.args[0], y)
        return left.format(x, n.args[1]) if left and x is not None else None
    return [(NUMBER, rule)]


def clamp_numbers(n):
    low, high = number(n, 1), number(n, 2)
    if low is None or high is None or n.shape(0) != n.shape():
        return None
    bounds = [f"min={low}"] * (low != "float('-inf')") + [f"max={high}"] * (high != "float('inf')")
    return f"torch.clamp({', '.join([n.args[0], *bounds])})" if bounds else None


def one_sided(side):
    """max and min as a clamp by one bound, a number or a tensor.  At ties all goes to the operand that is clamped."""
    def rule(n):
        x = n.args[0] if n.shape(0) == n.shape() else f"torch.broadcast_to({n.args[0]}, {n.shape()})"
        return f"torch.clamp({x}, {side}={number(n, 1) or n.args[1]})" if adapter.floating(n.ty(0)) else None
    return rule


def masked_fill(n):
    """A select with a number in one arm."""
    arms = [n.program.constants.get(n.args[k]) for k in (1, 2)]
    for k, mask in ((2, f"~{n.args[0]}"), (1, n.args[0])):
        values, other = arms[k - 1], n.args[3 - k]
        if values and adapter.floating(n.ty(k)) and all(repr(v) == repr(values[0]) for v in values):
            return f"torch.masked_fill(torch.broadcast_to({other}, {n.shape()}), {mask}, {adapter.literal(values[:1], [])})"
    return None


# ---- moves ----

def plain(stride):
    return all(s == 1 for s in stride)


def strides_of(n):
    return n.a.get("stride") or [1] * len(n.a["start"])


def elements(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def row_major(shape):
    return [elements(shape[d + 1:]) for d in range(len(shape))]


def slice_narrow(n):
    text = n.args[0]
    for d, (a, k) in enumerate(zip(n.a["start"], n.a["size"])):
        text = f"torch.narrow({text}, {d}, {a}, {k})"
    return text if n.a["start"] and plain(strides_of(n)) else None


def slice_select(n):
    text = n.args[0]
    for d, (a, k, s) in enumerate(zip(n.a["start"], n.a["size"], strides_of(n))):
        text = f"torch.index_select({text}, {d}, torch.tensor({[a + i * s for i in range(k)]}, dtype=torch.int64))"
    return text if n.a["start"] else None


def slice_strided(n):
    start, size, stride = n.a["start"], n.a["size"], strides_of(n)
    if not start or not elements(size) or any(s < 0 for s in stride):
        return None
    rows = row_major(n.shape(0))
    return f"torch.as_strided({n.args[0]}.clone(memory_format=torch.contiguous_format), {size}, {[r * s for r, s in zip(rows, stride)]}, {sum(a * r for a, r in zip(start, rows))})"


def window(start, size, stride):
    return ", ".join(f"{a}:{a + (k - 1) * s + 1 if k else a}:{s}" for a, k, s in zip(start, size, stride))


def slice_assigned(n):
    start, stride = n.a["start"], strides_of(n)
    if not start or any(s < 0 for s in stride):
        return None
    n.before += [f"{n.out} = {n.args[0]}.clone()"]
    n.to = f"{n.out}[{window(start, n.shape(1), stride)}]"
    return n.args[1]


def slice_scattered_without_step(n):
    start, size, shape = n.a["start"], n.shape(1), n.shape(0)
    cut = [d for d in range(len(shape)) if start[d] or size[d] != shape[d]]
    if len(cut) != 1 or not plain(strides_of(n)):
        return None
    d = cut[0]
    return f"torch.slice_scatter({n.args[0]}, {n.args[1]}, {d}, {start[d]}, {start[d] + size[d]})"


def slice_copied(n):
    """index_copy along the one axis that the slice does not cover."""
    start, size, shape, stride = n.a["start"], n.shape(1), n.shape(0), strides_of(n)
    cut = [d for d in range(len(shape)) if start[d] or size[d] != shape[d] or stride[d] != 1]
    if len(cut) != 1:
        return None
    d = cut[0]
    return f"torch.index_copy({n.args[0]}, {d}, torch.tensor({[start[d] + i * stride[d] for i in range(size[d])]}, dtype=torch.int64), {n.args[1]})"


def select_scattered(n):
    start, size, shape = n.a["start"], n.shape(1), n.shape(0)
    cut = [d for d in range(len(shape)) if start[d] or size[d] != shape[d]]
    if len(cut) != 1 or size[cut[0]] != 1:
        return None
    return f"torch.select_scatter({n.args[0]}, torch.squeeze({n.args[1]}, {cut[0]}), {cut[0]}, {start[cut[0]]})"


def update_assigned(n):
    size = n.shape(1)
    if not size or n.args[2] not in n.program.constants:
        return None
    n.before += [f"{n.out} = {n.args[0]}.clone()"]
    n.to = f"{n.out}[{window(adapter.starts_of(n, 0, 2, size), size, [1] * len(size))}]"
    return n.args[1]


def squeezed(n):
    text = n.args[0]
    for axis in sorted(n.a["axes"], reverse=True):
        text = f"torch.squeeze({text}, {axis})"
    return text if n.a["axes"] else None


def viewed(n):
    return f"{n.args[0]}.clone(memory_format=torch.contiguous_format).view({n.shape()})"


def swapped(n):
    axes = n.a["axes"]
    moved = [d for d, a in enumerate(axes) if d != a]
    return f"torch.transpose({n.args[0]}, {moved[0]}, {moved[1]})" if len(moved) == 2 else None


def reversed_by_index(n):
    text = n.args[0]
    for axis in n.a["axes"]:
        text = f"torch.index_select({text}, {axis}, torch.arange({n.shape()[axis] - 1}, -1, -1))"
    return text if n.a["axes"] and 0 not in n.shape() else None


def repeated(n):
    shape, to = n.shape(0), n.shape()
    own = [1] * (len(to) - len(shape)) + shape
    return f"{n.args[0]}.repeat({[b if a == 1 else 1 for a, b in zip(own, to)]})" if 0 not in to and to else None


def padded_by_cat(n):
    low, high = n.a["low"], n.a["high"]
    if not low:
        return None
    text, shape = n.args[0], list(n.shape(0))
    for d, (a, b) in enumerate(zip(low, high)):
        def block(k):
            return f"{n.args[1]}.expand({shape[:d] + [k] + shape[d + 1:]})"
        text = f"torch.cat([{block(a)}, {text}, {block(b)}], {d})"
        shape[d] += a + b
    return text


def stacked(n):
    axis, shapes = n.a.get("axis", 0), [n.shape(k) for k in range(len(n.args))]
    if any(s != shapes[0] for s in shapes):
        return None
    return f"torch.stack([{', '.join(n.args)}], {axis}).reshape({n.shape()})"


# ---- indices ----

def taken(call):
    """A gather by another call on x, an axis, positions `at` in one dimension, and the shape that x's have there."""
    def rule(n):
        axis, shape = n.a.get("axis", 0), n.shape(0)
        if n.args[1] not in n.program.constants or not elements(n.shape()):
            return None
        at, gone = adapter.resolved(n.const(1), n.a["mode"], shape[axis])
        if any(gone):
            return None
        text = call(n.args[0], axis, shape, at)
        return text and f"{text}.reshape({n.shape()})"
    return rule


def spread(at, axis, shape):
    """Positions on an axis as a tensor of as many dimensions."""
    own = [1] * axis + [len(at)] + [1] * (len(shape) - axis - 1)
    return f"torch.tensor({at}, dtype=torch.int64).reshape({own}).expand({shape[:axis] + [len(at)] + shape[axis + 1:]})"


def take_gathered(n):
    axis, shape = n.a.get("axis", 0), n.shape(0)
    if n.args[1] not in n.program.constants or not elements(n.shape()):
        return None
    at, gone = adapter.resolved(n.const(1), n.a["mode"], shape[axis])
    return None if any(gone) else f"torch.gather({n.args[0]}, {axis}, torch.tensor({at}, dtype=torch.int64).reshape({n.shape(1)}))"


def scattered(call, last_only=False, assigned=False):
    """A scatter by another call: of x, an axis, positions in one dimension, the shape of x, and the update."""
    def rule(n):
        axis, shape = n.a.get("axis", 0), n.shape(0)
        at, gone = adapter.resolved(n.const(1), n.a["mode"], shape[axis])
        if any(gone) or not elements(n.shape(2)) or len(at) != n.shape(2)[axis] or (last_only and len(set(at)) < len(at)):
            return None
        if assigned:
            n.before += [f"{n.out} = {n.args[0]}.clone()"]
            n.to = f"{n.out}[{':, ' * axis}torch.tensor({at}, dtype=torch.int64)]"
            return n.args[2]
        return call(n.args[0], axis, at, shape, n.args[2])
    return rule


def put(accumulate):
    def call(x, axis, at, shape, update):
        """index_put on the axis as the first one."""
        index = f"(torch.tensor({at}, dtype=torch.int64),)"
        return f"torch.movedim(torch.index_put(torch.movedim({x}, {axis}, 0), {index}, torch.movedim({update}, {axis}, 0), {accumulate}), 0, {axis})"
    return call


def scatter_reduced(how):
    return lambda x, axis, at, shape, update: f"torch.scatter_reduce({x}, {axis}, {spread(at, axis, shape)}, {update}, '{how}')"


def masked_assigned(n):
    if n.shape(0) != n.shape() or sum(n.const(1)) > elements(n.shape(2)) or not any(n.const(1)):
        return None
    n.before += [f"{n.out} = {n.args[0]}.clone()"]
    n.to = f"{n.out}[torch.tensor({[bool(m) for m in n.const(1)]}).reshape({n.shape(0)})]"
    return f"{n.args[2]}.reshape(-1)[:{sum(map(bool, n.const(1)))}]"


# ---- reductions and products ----

def whole(call):
    """Over all axes at once, without naming them."""
    def rule(n):
        axes, kept = n.a.get("axes", []), n.a.get("keepdims", False)
        if not axes or len(axes) != len(n.shape(0)):
            return None
        text = call.format(n.args[0])
        return f"{text}.reshape({n.shape()})" if kept else text
    return rule


def one_axis_at_a_time(call):
    def rule(n):
        text, keep = n.args[0], n.a.get("keepdims", False)
        if any(n.shape(0)[axis] == 0 for axis in n.a.get("axes", [])):
            return None
        for axis in sorted(n.a.get("axes", []), reverse=True):
            text = call.format(text, axis, keep)
        return text if n.a.get("axes") else None
    return rule


def floats_only(rule):
    return lambda n: rule(n) if adapter.floating(n.ty(0)) else None


def mean_by_sum(n):
    axes = n.a.get("axes", [])
    count = elements([n.shape(0)[axis] for axis in axes])
    if not axes or not count or n.dtype() not in ("f64", "f32"):  # the sum of others overflows where the mean does not
        return None
    return f"torch.sum({n.args[0]}, {axes}, {n.a.get('keepdims', False)}) / {count}"


def einsum(n):
    a, b = len(n.shape(0)), len(n.shape(1))
    if not elements(n.shape(0)) or not elements(n.shape(1)):
        return None
    left, right = "...ij" if a > 1 else "j", "...jk" if b > 1 else "j"
    return f"torch.einsum('{left},{right}->{'...' * (a > 1 or b > 1)}{'i' * (a > 1)}{'k' * (b > 1)}', {n.args[0]}, {n.args[1]})"


def named_product(n):
    call = {(1, 1): "dot", (2, 1): "mv", (2, 2): "mm", (3, 3): "bmm"}.get((len(n.shape(0)), len(n.shape(1))))
    return f"torch.{call}({n.args[0]}, {n.args[1]})" if call and n.shape(0)[:-2] == n.shape(1)[:-2] else None


def sorted_by_index(n):
    axis = n.a.get("axis", 0)
    return f"torch.gather({n.args[0]}, {axis}, torch.argsort({n.args[0]}.detach(), dim={axis}, stable=True))"


SPELLINGS = {
    "add": with_number("torch.add({1}, {0})", "torch.add({0}, {1})"), "mul": with_number("{0} * {1}", "{0} * {1}"),
    "sub": with_number("torch.rsub({1}, {0})", "{0} - {1}") + [("torch.rsub", "torch.rsub({1}, {0})")], "div": with_number(None, "{0} / {1}"),
    "pow": with_number("torch.pow({0}, {1})", "torch.pow({0}, {1})"), "mod": with_number(None, "torch.remainder({0}, {1})"),
    "square": [("torch.pow(x, 2)", "torch.pow({0}, 2)")],
    "neg": [("torch.neg", "torch.neg({0})"), ("x * -1", "{0} * -1")], "copy": [("view_as", "{0}.view_as({0})")],
    "clamp": [("by Python numbers", clamp_numbers), ("by one bound at a time", "torch.clamp(torch.clamp({0}, min={1}), max={2})")],
    "max": [("torch.clamp by one bound", one_sided("min"))], "min": [("torch.clamp by one bound", one_sided("max"))],
    "select": [("torch.masked_fill", masked_fill)],
    "reshape": [("view", viewed)], "squeeze": [("torch.squeeze", squeezed)],
    "transpose": [("torch.movedim", lambda n: f"torch.movedim({n.args[0]}, {n.a['axes']}, {list(range(len(n.a['axes'])))})"), ("torch.transpose", swapped)],
    "reverse": [("torch.index_select", reversed_by_index)], "broadcast_to": [("repeat", repeated)],
    "slice": [("torch.narrow", slice_narrow), ("torch.index_select", slice_select), ("torch.as_strided", slice_strided)],
    "slice_scatter": [("torch.slice_scatter without a step", slice_scattered_without_step), ("torch.index_copy", slice_copied),
                      ("torch.select_scatter", select_scattered)],
    "pad": [("torch.cat", padded_by_cat)], "concatenate": [("torch.stack", stacked)],
    "gather": [("advanced indexing", taken(lambda x, axis, shape, at: f"{x}[{':, ' * axis}torch.tensor({at}, dtype=torch.int64)]")),
               ("torch.gather", taken(lambda x, axis, shape, at: f"torch.gather({x}, {axis}, {spread(at, axis, shape)})")),
               ("torch.take", taken(lambda x, axis, shape, at: f"torch.take({x}, torch.tensor({at}, dtype=torch.int64))" if len(shape) == 1 else None)),
               ("embedding", taken(lambda x, axis, shape, at: f"torch.nn.functional.embedding(torch.tensor({at}, dtype=torch.int64), {x})" if axis == 0 and len(shape) == 2 else None))],
    "take_along_axis": [("torch.gather", take_gathered)],
    "scatter_set": [("torch.scatter", scattered(lambda x, axis, at, shape, u: f"torch.scatter({x}, {axis}, {spread(at, axis, shape)}, {u})", True)),
                    ("torch.index_put", scattered(put(False), True))],
    "scatter_add": [("torch.scatter_add", scattered(lambda x, axis, at, shape, u: f"torch.scatter_add({x}, {axis}, {spread(at, axis, shape)}, {u})")),
                    ("torch.index_put", scattered(put(True))), ("torch.scatter_reduce", scattered(scatter_reduced("sum")))],
    "scatter_mul": [("torch.scatter_reduce", scattered(scatter_reduced("prod")))],
    "scatter_min": [("torch.scatter_reduce", scattered(scatter_reduced("amin")))],
    "scatter_max": [("torch.scatter_reduce", scattered(scatter_reduced("amax")))],
    "reduce_sum": [("without axes", floats_only(whole("torch.sum({0})"))), ("one axis at a time", floats_only(one_axis_at_a_time("torch.sum({0}, {1}, {2})")))],
    "reduce_mean": [("without axes", whole("torch.mean({0})")), ("torch.sum / n", mean_by_sum)],
    "reduce_prod": [("without axes", floats_only(whole("torch.prod({0})")))],
    "reduce_max": [("torch.max along each axis", one_axis_at_a_time("torch.max({0}, {1}, {2})[0]"))],
    "reduce_min": [("torch.min along each axis", one_axis_at_a_time("torch.min({0}, {1}, {2})[0]"))],
    "norm": [("torch.norm", lambda n: f"torch.norm({n.args[0]}, 2, {n.a['axes']}, {n.a.get('keepdims', False)})" if n.a.get("axes") else None)],
    "matmul": [("torch.einsum", einsum), ("torch.dot, mv, mm, bmm", named_product)],
    "sort": [("torch.gather of torch.argsort", sorted_by_index)],
}
# Assignments to elements: torch.func refuses them in tensors that it does not differentiate.
IN_PLACE = {
    "slice_scatter": [("assignment to a slice", slice_assigned)], "dynamic_update_slice": [("assignment to a slice", update_assigned)],
    "scatter_set": [("assignment by an index", scattered(None, True, True))], "masked_scatter": [("assignment by a mask", masked_assigned)],
}


def spelled(ops, in_place):
    """The table `ops` with a list of spellings for each op that has several."""
    rows = {op: SPELLINGS.get(op, []) + (IN_PLACE.get(op, []) if in_place else []) for op in ops}
    return {op: [("usual", rule), *rows[op]] if rows[op] else rule for op, rule in ops.items()}
