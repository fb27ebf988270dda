"""Ops that move elements, and constants, as source on arrays of numpy. For engines that use numpy's arrays."""
import adapter
from adapter import Unsupported, resolved

DTYPES = {"f64": "np.float64", "f32": "np.float32", "i64": "np.int64", "i32": "np.int32", "bool": "np.bool_"}


def array(values, shape, dtype):
    text = f"np.array({adapter.literal(values, shape)}, dtype={DTYPES[dtype]})"
    return text + (f".reshape({shape})" if 0 in shape else "")


def tensor(data, type_text):
    return array(adapter.flat(data, type_text), adapter.shape_of(type_text), adapter.dtype_of(type_text))


def positions(at, shape=None):
    return array(at, shape if shape is not None else [len(at)], "i64")


def window(x, start, size, stride):
    """x[...]: a slice with these strides.  A negative end is one before the array."""
    ends = [a + k * s for a, k, s in zip(start, size, stride)]
    cuts = [f"{a}:{'' if e < 0 else e}:{s}" if k else "0:0" for a, k, e, s in zip(start, size, ends, stride)]
    return f"{x}[{', '.join(cuts)}]" if cuts else x


def slice_(n):
    return window(n.args[0], n.a["start"], n.a["size"], n.a.get("stride") or [1] * len(n.a["size"]))


def dynamic_slice(n):
    size = n.a["size"]
    return window(n.args[0], adapter.starts_of(n, 0, 1, size), size, [1] * len(size))


def reverse(n):
    cuts = ["::-1" if d in n.a["axes"] else ":" for d in range(len(n.shape()))]
    return f"{n.args[0]}[{', '.join(cuts)}]" if cuts else n.args[0]


def broadcast_to(n):
    lead = [1] * (len(n.shape()) - len(n.shape(0)))  # it does not broadcast another rank
    x = f"np.reshape({n.args[0]}, {tuple(lead + n.shape(0))})" if lead else n.args[0]
    return f"np.broadcast_to({x}, {tuple(n.shape())})"


def pad(n):
    widths = list(zip(n.a["low"], n.a["high"]))
    return f"np.pad({n.args[0]}, {widths}, 'constant', constant_values={adapter.literal(n.const(1), [])})" if widths else n.args[0]


def kept(text, n, gone, shape):
    """Zeros where an index is dropped."""
    return f"np.where(np.array({[not g for g in gone]}).reshape({shape}), {text}, {array([0.0], [], n.dtype())})" if any(gone) else text


def gather(n):
    axis, extents, of = n.a.get("axis", 0), n.shape(0), n.shape(1)
    at, gone = resolved(n.const(1), n.a["mode"], extents[axis])
    if extents[axis] == 0:
        raise Unsupported("gather of nothing")
    text = f"{n.args[0]}[{':, ' * axis}{positions(at, of)}]"
    return kept(text, n, gone, [1] * axis + of + [1] * (len(extents) - axis - 1))


def take_along_axis(n):
    axis, extents, of = n.a.get("axis", 0), n.shape(0), n.shape(1)
    at, gone = resolved(n.const(1), n.a["mode"], extents[axis])
    if extents[axis] == 0:
        raise Unsupported("take_along_axis of nothing")
    own = [positions(at, of) if d == axis else f"np.arange({k}).reshape({[k if e == d else 1 for e in range(len(of))]})" for d, k in enumerate(of)]
    return kept(f"{n.args[0]}[{', '.join(own)}]", n, gone, of)


MOVES = {
    "constant": lambda n: array(n.const_own(), n.shape(), n.dtype()), "copy": "{0}", "broadcast_to": broadcast_to, "reverse": reverse,
    "reshape": lambda n: f"np.reshape({n.args[0]}, {tuple(n.shape())})", "squeeze": lambda n: f"np.squeeze({n.args[0]}, axis={tuple(n.a['axes'])})",
    "transpose": lambda n: f"np.transpose({n.args[0]}, {tuple(n.a['axes'])})", "slice": slice_, "dynamic_slice": dynamic_slice, "pad": pad, "gather": gather,
    "take_along_axis": take_along_axis, "concatenate": lambda n: f"np.concatenate(({', '.join(n.args)},), axis={n.a.get('axis', 0)})",
}
