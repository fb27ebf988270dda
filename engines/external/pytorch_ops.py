"""The ops of PyTorch as source: for each op a template, or a function of its node (adapter.py); the first spelling of each."""
import adapter
from adapter import Unsupported, resolved

DTYPES = {"f64": "torch.float64", "f32": "torch.float32", "bf16": "torch.bfloat16", "f16": "torch.float16", "i64": "torch.int64", "i32": "torch.int32",
          "bool": "torch.bool"}
NAMES = {v: k for k, v in DTYPES.items()}


def constant(n):
    return f"torch.tensor({adapter.literal(n.const_own(), n.shape())}, dtype={DTYPES[n.dtype()]})" + (f".reshape({n.shape()})" if 0 in n.shape() else "")


def scripted_constant(n):
    """torch.jit.script rounds the numbers in torch.tensor to float32, whatever the dtype; torch.full keeps them.  It has
    no empty list of numbers."""
    if 0 in n.shape():
        return f"torch.zeros({n.shape()}, dtype={DTYPES[n.dtype()]})"
    if n.dtype() != "f64":
        return constant(n)
    numbers = [f"torch.full([], {adapter.literal([v], [])}, dtype=torch.float64)" for v in n.const_own()]
    return f"torch.stack([{', '.join(numbers)}]).reshape({n.shape()})" if n.shape() else numbers[0]


def slice_(n):
    start, size, stride = n.a["start"], n.a["size"], n.a.get("stride") or [1] * len(n.a["size"])
    x, flip = n.args[0], [d for d, s in enumerate(stride) if s < 0 and size[d]]
    if not start:
        return f"{x}.clone()"
    if flip:  # no negative steps: position start of the flipped axis
        x = f"torch.flip({x}, {flip})"
        start = [n.shape(0)[d] - 1 - a if d in flip else a for d, a in enumerate(start)]
    ends = [a + (k - 1) * abs(s) + 1 if k else a for a, k, s in zip(start, size, stride)]
    return f"{x}[{', '.join(f'{a}:{e}:{abs(s)}' for a, e, s in zip(start, ends, stride))}]"


def put(x, shape, update, start, size, stride):
    """slice_scatter along each axis that the slice does not cover, innermost last."""
    stride = [abs(s) for s in stride]
    cut = [d for d in range(len(shape)) if not (start[d] == 0 and size[d] == shape[d] and stride[d] == 1)]
    if not cut:
        return f"{update}.expand_as({x}).clone()" if shape else f"{update}.clone()"
    d = cut[0]
    end = start[d] + (size[d] - 1) * stride[d] + 1 if size[d] else start[d]
    if len(cut) > 1:
        part = f"{x}[{':, ' * d}{start[d]}:{end}:{stride[d]}]"
        inner_shape = list(shape)
        inner_shape[d] = size[d]
        inner_start, inner_stride = list(start), list(stride)
        inner_start[d], inner_stride[d] = 0, 1
        update = put(part, inner_shape, update, inner_start, size, inner_stride)
    return f"torch.slice_scatter({x}, {update}, {d}, {start[d]}, {end}, {stride[d]})"


def slice_scatter(n):
    start, stride, size = n.a["start"], n.a.get("stride") or [1] * len(n.shape(0)), n.shape(1)
    update = n.args[1]
    flip = [d for d, s in enumerate(stride) if s < 0 and size[d]]
    if flip:
        update = f"torch.flip({update}, {flip})"
        start = [a + (size[d] - 1) * stride[d] if d in flip else a for d, a in enumerate(start)]
    return put(n.args[0], n.shape(0), update, start, size, stride)


def dynamic_slice(n):
    size, x = n.a["size"], n.args[0]
    if n.args[1] not in n.program.constants:
        for d, (extent, k) in enumerate(zip(n.shape(0), size)):
            x = f"torch.index_select({x}, {d}, torch.clamp({n.args[1]}[{d}], 0, {extent - k}) + torch.arange({k}))"
        return x
    start = adapter.starts_of(n, 0, 1, size)
    return f"{n.args[0]}[{', '.join(f'{a}:{a + k}' for a, k in zip(start, size))}]" if size else f"{n.args[0]}.clone()"


def dynamic_update_slice(n):
    size = n.shape(1)
    return put(n.args[0], n.shape(0), n.args[1], adapter.starts_of(n, 0, 2, size), size, [1] * len(size))


def pad(n):
    low, high = n.a["low"], n.a["high"]
    if not low:
        return f"{n.args[0]}.clone()"
    amounts = [k for pair in reversed(list(zip(low, high))) for k in pair]
    if n.args[1] in n.program.constants:
        return f"torch.nn.functional.pad({n.args[0]}, {amounts}, value={adapter.literal(n.const(1), [])})"
    return put(f"{n.args[1]}.expand({n.shape()})", n.shape(), n.args[0], low, n.shape(0), [1] * len(low))


def index_tensor(index, shape=None):
    return f"torch.tensor({index}, dtype=torch.int64)" + (f".reshape({shape})" if shape is not None and len(shape) != 1 else "")


def positions(n, k, extent):
    """Source of operand k as positions on an axis, and of a mask of those that are not dropped, or None."""
    mode, x = n.a["mode"], n.args[k]
    if x in n.program.constants:
        at, gone = resolved(n.const(k), mode, extent)
        return index_tensor(at, n.shape(k)), f"torch.tensor({[not g for g in gone]}).reshape({n.shape(k)})" if any(gone) else None
    if mode == "drop":
        return f"torch.where(({x} >= 0) & ({x} < {extent}), {x}, 0).long()", f"(({x} >= 0) & ({x} < {extent}))"
    return (f"torch.clamp({x}, 0, {extent - 1}).long()" if mode == "clip" else f"torch.remainder({x}, {extent}).long()"), None


def kept(n, mask, taken):
    return taken if mask is None else f"torch.where({mask}, {taken}, torch.zeros((), dtype={DTYPES[n.dtype()]}))"


def gather(n):
    axis, shape = n.a.get("axis", 0), n.shape(0)
    if shape[axis] == 0:
        return f"torch.zeros({n.shape()}, dtype={DTYPES[n.dtype()]})"
    at, mask = positions(n, 1, shape[axis])
    mask = mask and f"{mask}.reshape({[1] * axis + n.shape(1) + [1] * (len(shape) - axis - 1)})"
    return kept(n, mask, f"torch.index_select({n.args[0]}, {axis}, {at}.reshape(-1)).reshape({n.shape()})")


def take_along_axis(n):
    axis, shape = n.a.get("axis", 0), n.shape(0)
    if shape[axis] == 0:
        return f"torch.zeros({n.shape()}, dtype={DTYPES[n.dtype()]})"
    at, mask = positions(n, 1, shape[axis])
    return kept(n, mask, f"torch.take_along_dim({n.args[0]}, {at}, {axis})")


def scatter(call, last_only=False):
    def rule(n):
        axis, shape = n.a.get("axis", 0), n.shape(0)
        at, gone = resolved(n.const(1), n.a["mode"], shape[axis])
        keep = [k for k in range(len(at)) if not gone[k]]
        if last_only:  # the last of several duplicates wins; torch does not define the order
            keep = [k for i, k in enumerate(keep) if at[k] not in [at[j] for j in keep[i + 1:]]]
        if not keep:
            return f"{n.args[0]}.clone()"
        update = n.args[2]
        if keep != list(range(n.shape(2)[axis])):
            update = f"torch.index_select({update}, {axis}, {index_tensor(keep)})"
        return call.format(x=n.args[0], axis=axis, index=index_tensor([at[k] for k in keep]), update=update)
    return rule


def masked_scatter(n):
    mask, room = [], 1
    for extent in n.shape(2):
        room *= extent
    for m in n.const(1):
        mask.append(bool(m) and room > 0)
        room -= bool(m)
    return f"torch.masked_scatter({n.args[0]}, torch.tensor({mask}).reshape({n.shape(0)}), {n.args[2]})"


def reduce_(call):
    def rule(n):
        axes = n.a.get("axes", [])
        return call.format(x=n.args[0], axes=axes, keep=n.a.get("keepdims", False)) if axes else f"{n.args[0]}.clone()"
    return rule


def extremum(call):
    """torch has no extremum of no elements, and raises an error."""
    def rule(n):
        if any(n.shape(0)[axis] == 0 for axis in n.a.get("axes", [])):
            raise Unsupported(f"{n.op} of no elements")
        return reduce_(call)(n)
    return rule


def reduce_each(call):
    """Reduces along one axis at a time, from the last."""
    def rule(n):
        text, keep = n.args[0], n.a.get("keepdims", False)
        for axis in sorted(n.a.get("axes", []), reverse=True):
            text = call.format(x=text, axis=axis, keep=keep)
        return text if text != n.args[0] else f"{text}.clone()"
    return rule


def cast(n):
    if n.dtype(0) in DTYPES and adapter.is_float(n.dtype(0)) and n.dtype()[0] == "i":
        raise Unsupported("a cast of a float to an integer: torch leaves open what does not fit")
    return f"{n.args[0]}.to({DTYPES[n.dtype()]})"


def divide(n):
    if adapter.is_float(n.dtype()):
        return f"{n.args[0]} / {n.args[1]}"
    if 0 in n.const(1):
        raise Unsupported("integer division by zero")
    return f"torch.div({n.args[0]}, {n.args[1]}, rounding_mode='trunc')"


def of_quotient(call):
    """mod and floor_divide; torch raises an error where an integer is divided by 0."""
    def rule(n):
        if not adapter.is_float(n.dtype()) and 0 in n.const(1):
            raise Unsupported("integer division by zero")
        return call.format(*n.args)
    return rule


def narrow(rule):
    """torch turns integers into int64."""
    return lambda n: rule(n) + ("" if n.dtype() != "i32" else ".to(torch.int32)")


def iota(n):
    shape, axis = n.a["shape"], n.a.get("axis", 0)
    along = f"torch.arange({shape[axis]}).to({DTYPES[n.dtype()]})"
    return f"{along}.reshape({[shape[d] if d == axis else 1 for d in range(len(shape))]}).expand({shape}).clone()"


def along(call):
    return lambda n: call.format(x=n.args[0], axis=n.a.get("axis", 0))


def of_none(n):
    return not n.a.get("axes", [])


def logsumexp(n):
    return f"{n.args[0]}.clone()" if of_none(n) else reduce_("torch.logsumexp({x}, {axes}, {keep})")(n)


def norm(n):
    return f"torch.abs({n.args[0]})" if of_none(n) else reduce_("torch.linalg.vector_norm({x}, 2, {axes}, {keep})")(n)


OPS = {
    "constant": constant, "copy": "{0}.clone()", "stop_gradient": "{0}.detach()",
    "neg": "-{0}", "abs": "torch.abs({0})", "sign": "torch.sign({0})", "floor": "torch.floor({0})", "ceil": "torch.ceil({0})",
    "trunc": "torch.trunc({0})", "round": "torch.round({0})", "logistic": "torch.sigmoid({0})",
    **{f: f"torch.{f}({{0}})" for f in ("square sqrt rsqrt exp expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf").split()},
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": divide,
    "mod": of_quotient("torch.remainder({0}, {1})"), "floor_divide": of_quotient("torch.div({0}, {1}, rounding_mode='floor')"),
    "pow": "torch.pow({0}, {1})", "atan2": "torch.atan2({0}, {1})",
    "max": "torch.maximum({0}, {1})", "min": "torch.minimum({0}, {1})", "clamp": "torch.clamp({0}, {1}, {2})",
    "select": "torch.where({0}, {1}, {2})", "cast": cast,
    "broadcast_to": lambda n: f"torch.broadcast_to({n.args[0]}, {n.shape()})", "reshape": lambda n: f"{n.args[0]}.reshape({n.shape()})",
    "squeeze": lambda n: f"{n.args[0]}.reshape({n.shape()})",
    "transpose": lambda n: f"{n.args[0]}.permute({n.a['axes']})", "reverse": lambda n: f"torch.flip({n.args[0]}, {n.a['axes']})",
    "slice": slice_, "slice_scatter": slice_scatter, "dynamic_slice": dynamic_slice, "dynamic_update_slice": dynamic_update_slice, "pad": pad,
    "concatenate": lambda n: f"torch.cat([{', '.join(n.args)}], {n.a.get('axis', 0)})", "gather": gather, "take_along_axis": take_along_axis,
    "scatter_set": scatter("torch.index_copy({x}, {axis}, {index}, {update})", True),
    "scatter_add": scatter("torch.index_add({x}, {axis}, {index}, {update})"),
    "scatter_mul": scatter("torch.index_reduce({x}, {axis}, {index}, {update}, 'prod')"),
    "scatter_min": scatter("torch.index_reduce({x}, {axis}, {index}, {update}, 'amin')"),
    "scatter_max": scatter("torch.index_reduce({x}, {axis}, {index}, {update}, 'amax')"),
    "masked_scatter": masked_scatter,
    "reduce_sum": narrow(reduce_("torch.sum({x}, {axes}, {keep})")), "reduce_mean": reduce_("torch.mean({x}, {axes}, {keep})"),
    "reduce_max": extremum("torch.amax({x}, {axes}, {keep})"), "reduce_min": extremum("torch.amin({x}, {axes}, {keep})"),
    "reduce_prod": narrow(reduce_each("torch.prod({x}, {axis}, {keep})")), "logsumexp": logsumexp, "norm": norm,
    "cumsum": narrow(along("torch.cumsum({x}, {axis})")), "cumprod": narrow(along("torch.cumprod({x}, {axis})")),
    "matmul": "torch.matmul({0}, {1})", "sort": along("torch.sort({x}, dim={axis}, stable=True)[0]"),
}

# The ops of integers and bool, for modes that see them.
DISCRETE = {
    "iota": iota, "argsort": along("torch.argsort({x}, dim={axis}, stable=True)"),
    "eq": "{0} == {1}", "ne": "{0} != {1}", "lt": "{0} < {1}", "le": "{0} <= {1}", "gt": "{0} > {1}", "ge": "{0} >= {1}",
    **{f"logical_{f}": f"torch.logical_{f}({{0}}, {{1}})" for f in ("and", "or", "xor")}, "logical_not": "torch.logical_not({0})",
    **{f"bitwise_{f}": f"torch.bitwise_{f}({{0}}, {{1}})" for f in ("and", "or", "xor")}, "bitwise_invert": "torch.bitwise_not({0})",
}
