"""Stand-ins for JAX and TensorFlow, made of numpy: `jax` and `tensorflow` as modules for sys.modules.

They compute primals, with loops and branches as documented.  A derivative is zeros of its type.  Its calls are recorded in `calls`: what was called, with which operands, in which order.

Usage: stand_ins.py [--primal] ADAPTER ARGUMENT...     runs an adapter in Python over them; --primal: its hello offers batches, and no derivatives
"""
import math
import runpy
import sys
import types

import numpy as np

np.seterr(all="ignore")
calls = []
refusing = False  # whether derivatives are not implemented


class Missing(AttributeError, NotImplementedError):
    """What a stand-in has not: not implemented."""

    def __init__(self, name):
        super().__init__(f"not implemented: {name}")


class Array(np.ndarray):
    """An array of either library."""

    @property
    def at(self):
        return Place(self)

    def numpy(self):
        return np.asarray(self)

    def __pow__(self, y):  # an array of rank 0 keeps its dtype too
        return np.power(self, np.asarray(y, self.dtype)).view(Array)


class Place:
    """x.at[index]: updates are copies."""

    def __init__(self, x, index=None):
        self.x, self.index = x, index

    def __getitem__(self, index):
        return Place(self.x, index)

    def by(self, ufunc, v):
        out = np.array(self.x)
        ufunc.at(out, self.index, v)
        return array(out)

    def set(self, v):
        out = np.array(self.x)
        out[self.index] = v
        return array(out)

    def add(self, v):
        return self.by(np.add, v)

    def multiply(self, v):
        return self.by(np.multiply, v)

    def min(self, v):
        return self.by(np.minimum, v)

    def max(self, v):
        return self.by(np.maximum, v)


def array(x, dtype=None):
    return np.asarray(x, dtype=dtype).view(Array)


def arrays(f):
    """The function, whose arrays are those of the library."""
    def call(*args, **options):
        out = f(*args, **options)
        return array(out) if isinstance(out, (np.ndarray, np.generic)) else out
    return call


class Library(types.ModuleType):
    """numpy under another name, with some functions of its own."""

    def __init__(self, name, base=np, **own):
        super().__init__(name)
        self.__dict__.update({k: arrays(v) if isinstance(v, types.FunctionType) else v for k, v in own.items()}, base=base)

    def __getattr__(self, name):
        if name.startswith("__") or name == "bool" or not hasattr(self.base, name):
            raise Missing(name)
        value = getattr(self.base, name)
        if isinstance(value, types.ModuleType):
            return Library(name, value)
        return arrays(value) if callable(value) and not isinstance(value, type) else value


# ---- what is recorded ----

def shown(xs):
    return f"({', '.join(str(np.asarray(x).tolist()) for x in xs)})"


def record(text):
    calls.append(text)


def zeros(xs):
    if refusing:
        raise Missing("derivatives")
    return tuple(array(np.zeros_like(np.asarray(x))) for x in xs)


def compiled(call):
    """A function that is recorded whenever it is called: jax.jit, tf.function."""
    def around(f=None, **options):
        if f is None:
            return lambda f: around(f, **options)

        def run(*xs):
            record(f"{call}({', '.join([f.__name__, *(f'{k}={v}' for k, v in options.items())])})")
            return f(*xs)
        return run
    return around


# ---- functions that numpy has not ----

def sigmoid(x):
    return array(1 / (1 + np.exp(-x)), np.asarray(x).dtype)


def rsqrt(x):
    return array(1 / np.sqrt(x), np.asarray(x).dtype)


erf = np.vectorize(math.erf, otypes=[float])


def like(f):
    """The function, with results of the operand's dtype."""
    return lambda x: array(f(x), np.asarray(x).dtype)


UNDEFINED = 77  # by an integer 0: whatever an implementation makes of it


def divided(x, y):
    """Towards zero."""
    by = np.where(y == 0, 1, y)
    return np.where(y == 0, UNDEFINED, (np.sign(x) * np.sign(by) * (np.abs(x) // np.abs(by)))).astype(np.asarray(x).dtype)


def rem(x, y):
    return np.where(y == 0, UNDEFINED, np.fmod(x, np.where(y == 0, 1, y))).astype(x.dtype) if x.dtype.kind == "i" else np.fmod(x, y)


def mod(x, y):
    """As rem, with the sign of y."""
    return np.where(y == 0, UNDEFINED, np.mod(x, np.where(y == 0, 1, y))).astype(x.dtype) if x.dtype.kind == "i" else np.mod(x, y)


def iota(dtype, shape, axis):
    return np.broadcast_to(np.arange(shape[axis]).reshape([-1 if d == axis else 1 for d in range(len(shape))]), shape).astype(dtype)


def logsumexp(x, axis, keepdims):
    most = np.max(x, axis=axis, keepdims=True)
    most = np.where(np.isfinite(most), most, 0)
    return np.log(np.sum(np.exp(x - most), axis=axis, keepdims=keepdims)) + (most if keepdims else np.squeeze(most, axis))


def window(x, start, size):
    """As JAX: a negative start counts from the end, and then it is clamped."""
    start = [min(max(int(s) + (extent if s < 0 else 0), 0), extent - n) for s, extent, n in zip(start, x.shape, size)]
    return tuple(slice(a, a + n) for a, n in zip(start, size))


def dynamic_update_slice(x, update, start):
    return array(x).at[window(x, start, update.shape)].set(update)


def lax_pad(x, value, widths):
    """Negative widths cut."""
    x = np.pad(x, [(max(low, 0), max(high, 0)) for low, high, _ in widths], constant_values=value)
    return x[tuple(slice(max(-low, 0), n - max(-high, 0)) for n, (low, high, _) in zip(x.shape, widths))]


def shifted(call):
    """By the width or more: nothing is left, or the sign."""
    def shift(x, y):
        width = np.asarray(x).dtype.itemsize * 8
        far = (y < 0) | (y >= width)
        left = call is np.left_shift
        return np.where(far, 0 if left else np.where(x < 0, -1, 0), call(x, np.where(far, 0, y))).astype(np.asarray(x).dtype)
    return shift


# ---- JAX ----

def fori_loop(lower, upper, body, init):
    for k in range(lower, upper):
        init = body(array(k), init)
    return init


def jax_while(cond, body, init):
    while cond(init):
        init = body(init)
    return init


def scan(f, init, xs, length):
    rows = []
    for k in range(length):
        init, y = f(init, tuple(array(x[k]) for x in xs))
        rows.append(y)
    if not rows:  # the types alone
        rows = [f(init, tuple(array(np.zeros(x.shape[1:], x.dtype)) for x in xs))[1]]
        return init, tuple(array(np.stack(column)[:0]) for column in zip(*rows))
    return init, tuple(array(np.stack(column)) for column in zip(*rows))


def vmap(f, in_axes):
    def batched(*xs):
        record(f"jax.vmap({f.__name__}, in_axes={in_axes})")
        n = next(len(x) for x, axis in zip(xs, in_axes) if axis == 0)
        rows = [f(*(array(x[k]) if axis == 0 else x for x, axis in zip(xs, in_axes))) for k in range(n)]
        return tuple(array(np.stack(column)) for column in zip(*rows))
    return batched


def jvp(f, primals, tangents):
    record(f"jax.jvp at {shown(primals)} along {shown(tangents)}")
    y = f(*primals)
    return y, zeros(y)


def vjp(f, *primals):
    record(f"jax.vjp at {shown(primals)}")
    y = f(*primals)

    def pull(cotangents):
        record(f"pull {shown(cotangents)}")
        return zeros(primals)
    return y, pull


def linearize(f, *primals):
    record(f"jax.linearize at {shown(primals)}")
    y = f(*primals)

    def push(*tangents):
        record(f"push {shown(tangents)}")
        return zeros(y)
    return y, push


def jax_modules():
    lax = Library("jax.lax", cond=lambda p, yes, no: yes() if p else no(), fori_loop=fori_loop, while_loop=jax_while, scan=scan, broadcasted_iota=iota, stop_gradient=lambda x: x,
                  rsqrt=rsqrt, erf=like(erf), div=divided, rem=rem, shift_left=shifted(np.left_shift), shift_right_arithmetic=shifted(np.right_shift),
                  dynamic_slice=lambda x, start, size: x[window(x, start, size)], dynamic_update_slice=dynamic_update_slice, pad=lax_pad,
                  associative_scan=lambda f, x, axis: f.accumulate(x, axis=axis))
    jnp = Library("jax.numpy", array=array, mod=mod, add=np.add, multiply=np.multiply)
    nn = Library("jax.nn", sigmoid=sigmoid, logsumexp=logsumexp)
    jax = Library("jax", __path__=[], __version__="stand-in", numpy=jnp, lax=lax, nn=nn, vmap=vmap, jvp=jvp, vjp=vjp, linearize=linearize, jit=compiled("jax.jit"), checkpoint=compiled("jax.checkpoint"),
                  config=types.SimpleNamespace(update=lambda *_: None))
    return {"jax": jax, "jax.numpy": jnp, "jax.lax": lax}


# ---- TensorFlow ----

def tf_while(cond, body, loop_vars):
    while cond(*loop_vars):
        loop_vars = body(*loop_vars)
    return loop_vars


def vectorized_map(f, elems):
    record("tf.vectorized_map")
    rows = [f(tuple(array(x[k]) for x in elems)) for k in range(len(elems[0]))]
    return tuple(array(np.stack(column)) for column in zip(*rows))


class GradientTape:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def watch(self, xs):
        record(f"tf.GradientTape watches {shown(xs)}")

    def gradient(self, ys, xs, cotangents, unconnected):
        record(f"gradient by {shown(xs)} of {shown(cotangents)}, {unconnected}")
        return list(zeros(xs))


class ForwardAccumulator:
    def __init__(self, primals, tangents):
        record(f"tf.autodiff.ForwardAccumulator at {shown(primals)} along {shown(tangents)}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def jvp(self, y, unconnected):
        record(f"jvp, {unconnected}")
        return zeros([y])[0]


def tf_slice(x, start, size):
    if any(s < 0 or s + n > extent for s, extent, n in zip(start, x.shape, size)):
        raise ValueError("tf.slice: out of bounds")
    return x[tuple(slice(int(s), int(s) + n) for s, n in zip(start, size))]


def saturate_cast(x, dtype):
    limits = np.iinfo(dtype)
    return np.where(x >= limits.max, limits.max, np.where(x <= limits.min, limits.min, np.nan_to_num(np.clip(x, -2.0**62, 2.0**62)).astype(dtype))).astype(dtype)


def scattered(call):
    def rule(x, index, update):
        return getattr(array(x).at[tuple(np.moveaxis(index, -1, 0))], call)(update)
    return rule


def reduced(call):
    """TensorFlow keeps the dtype of an integer."""
    return lambda x, axis, keepdims: array(call(x, axis=axis, keepdims=keepdims), np.asarray(x).dtype)


def scanned(call):
    def rule(x, axis, exclusive=False):
        out = call(x, axis=axis).astype(np.asarray(x).dtype)
        return out - x if exclusive else out
    return rule


def tf_modules():
    math_ = Library("tf.math", rsqrt=rsqrt, erf=like(erf), floormod=lambda x, y: np.mod(x, y), floordiv=lambda x, y: np.floor_divide(x, y), cumprod=scanned(np.cumprod))
    bitwise = Library("tf.bitwise")
    numpy = Library("tf.experimental.numpy", take_along_axis=np.take_along_axis)
    words = {w: getattr(np, f"arc{w[1:]}") for w in ("asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2")}
    own = {**{name: arrays(f) for name, f in words.items()}, **{f"reduce_{name}": reduced(getattr(np, name)) for name in ("sum", "prod", "max", "min", "mean")}}
    tf = Library("tensorflow", __path__=[], __version__="stand-in", bool=np.bool_, constant=array, convert_to_tensor=lambda x: x, identity=np.copy, reshape=lambda x, shape: np.reshape(x, shape), while_loop=tf_while,
                 cond=lambda p, yes, no: yes() if p else no(), cast=array, saturate_cast=saturate_cast, stop_gradient=lambda x: x, sigmoid=sigmoid, pow=np.power,
                 concat=lambda xs, axis: np.concatenate(xs, axis), gather=lambda x, at, axis: np.take(x, at, axis), slice=tf_slice,
                 pad=lambda x, widths, constant_values: np.pad(x, widths, constant_values=constant_values), reverse=lambda x, axis: np.flip(x, axis), norm=np.linalg.norm,
                 reduce_logsumexp=logsumexp, cumsum=scanned(np.cumsum), argsort=lambda x, axis, stable: np.argsort(x, axis, "stable"), argmax=lambda x, axis, output_type: array(np.argmax(x, axis), output_type),
                 tensor_scatter_nd_update=scattered("set"), tensor_scatter_nd_add=scattered("add"), tensor_scatter_nd_min=scattered("min"), tensor_scatter_nd_max=scattered("max"),
                 math=math_, bitwise=bitwise, gather_nd=lambda x, at: x[np.asarray(at)[..., 0]], compat=types.SimpleNamespace(v1=Library("tf.compat.v1")), experimental=types.SimpleNamespace(numpy=numpy), vectorized_map=vectorized_map, function=compiled("tf.function"), GradientTape=GradientTape,
                 UnconnectedGradients=types.SimpleNamespace(ZERO="zero"), autodiff=types.SimpleNamespace(ForwardAccumulator=ForwardAccumulator), **own)
    return {"tensorflow": tf}


def main():
    words = [w for w in sys.argv[1:] if w != "--primal"]
    sys.modules.update(jax_modules() | tf_modules())
    sys.path.insert(0, words[0].rpartition("/")[0] or ".")
    import adapter
    if "--primal" in sys.argv:
        usual = adapter.main
        adapter.main = lambda hello, *rest: usual({**hello, "requests": [["batch"]]}, *rest)
    sys.argv = words
    runpy.run_path(words[0], run_name="__main__")


if __name__ == "__main__":
    main()
