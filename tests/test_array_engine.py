"""The adapter of JAX and TensorFlow over stand-ins (stand_ins.py): which derivative calls it makes, and that its primals are right.

Usage: test_array_engine.py ADJUDGE SOURCE_ROOT.  Exit status 77 without numpy.  No derivative is judged: a stand-in has none.
"""
import json
import os
import pathlib
import subprocess
import sys

adjudge, root = sys.argv[1], pathlib.Path(sys.argv[2])
os.environ["ADJUDGE"] = adjudge
sys.path.insert(0, str(root / "engines" / "external"))
try:
    import stand_ins
except ImportError:  # numpy
    sys.exit(77)
import adapter
import array_engine

sys.modules.update(stand_ins.jax_modules() | stand_ins.tf_modules())


def case(*levels, variant=0, inputs=("x: f64[]",), body=({"out": ["y: f64[]"], "op": "mul", "args": ["x", "x"]},), results=("y",), points=((0.5,),)):
    return {"schema": "adjudge.case/1", "inputs": list(inputs), "body": list(body), "results": list(results), "points": [list(p) for p in points], "request": list(levels),
            **({"variant": variant} if variant else {})}


def jvp(*tangents, wrt=(0,)):
    return {"transform": "jvp", "wrt": list(wrt), "tangents": list(tangents)}


def vjp(*cotangents, wrt=(0,)):
    return {"transform": "vjp", "wrt": list(wrt), "cotangents": list(cotangents)}


BATCH = {"transform": "batch", "wrt": [0], "size": 2}
TWO = {"inputs": ("k: i64[]", "x: f64[2]", "z: f64[]"), "points": ((3, [0.5, 2.0], 4.0),), "results": ("n", "y"), "body": (
    {"out": ["n: i64[]"], "op": "neg", "args": ["k"]}, {"out": ["y: f64[2]"], "op": "mul", "args": ["x", "z"]})}
LOOP = {"body": ({"out": ["y: f64[]"], "op": "while", "args": ["x"], "cap": 9, "regions": [
    {"params": ["a: f64[]"], "body": [{"out": ["two: f64[]"], "op": "constant", "value": 2.0}, {"out": ["p: bool[]"], "op": "lt", "args": ["a", "two"]}], "results": ["p"]},
    {"params": ["b: f64[]"], "body": [{"out": ["c: f64[]"], "op": "add", "args": ["b", "b"]}], "results": ["c"]}]},)}
BOTH = "tf.autodiff.ForwardAccumulator"
FUNCTION, XLA = "tf.function({}, autograph=False)", "tf.function({}, autograph=False, jit_compile=True)"

# An engine, its mode, the spelling of the request (None: the first), a case, and the calls that are recorded.
TABLE = [
    ("jax", "eager", None, case(), []),
    ("jax", "eager", None, case(jvp(3.0)), ["jax.jvp at (0.5) along (3.0)"]),
    ("jax", "eager", None, case(vjp(3.0)), ["jax.vjp at (0.5)", "pull (3.0)"]),
    ("jax", "eager", None, case(vjp(3.0), jvp(5.0)), ["jax.jvp at (0.5) along (5.0)", "jax.vjp at (0.5)", "pull (3.0)"]),
    ("jax", "eager", None, case(jvp(3.0), vjp(5.0)), ["jax.vjp at (0.5)", "jax.jvp at (0.5) along (3.0)", "pull (5.0)"]),
    ("jax", "eager", None, case(vjp(3.0), points=((0.5,), (2.0,))), ["jax.vjp at (0.5)", "pull (3.0)", "jax.vjp at (2.0)", "pull (3.0)"]),
    ("jax", "eager", "jax.linearize, jax.vjp", case(jvp(3.0)), ["jax.linearize at (0.5)", "push (3.0)"]),
    ("jax", "eager", "jax.linearize, jax.vjp", case(vjp(3.0)), ["jax.vjp at (0.5)", "pull (3.0)"]),
    ("jax", "eager", "jax.checkpoint around the function", case(vjp(3.0)), ["jax.checkpoint(f)", "jax.vjp at (0.5)", "jax.checkpoint(f)", "pull (3.0)"]),
    # Integers are neither differentiated nor seeded; an input that is not named in wrt is no operand.
    ("jax", "eager", None, case(vjp(0, [3.0, 4.0], wrt=(0, 2)), **TWO), ["jax.vjp at (4.0)", "pull ([3.0, 4.0])"]),
    ("jax", "eager", None, case(jvp([3.0, 4.0], 5.0, wrt=(1, 2)), **TWO), ["jax.jvp at ([0.5, 2.0], 4.0) along ([3.0, 4.0], 5.0)"]),
    ("jax", "eager", None, case(BATCH, vjp([3.0, 4.0]), points=(([0.5, 2.0],),)), ["jax.vmap(f, in_axes=(0,))", "jax.vjp at ([0.5, 2.0])", "jax.vmap(f, in_axes=(0,))", "pull ([3.0, 4.0])"]),
    # JAX has no vjp of a while_loop, so that is unrolled; its jvp is asked of the loop.
    ("jax", "eager", None, case(vjp(3.0), **LOOP), ["jax.vjp at (0.5)", "pull (3.0)"]),
    ("jax", "jit", None, case(), ["jax.jit(f)"]),
    ("jax", "jit", None, case(vjp(3.0), jvp(5.0)), ["jax.jit(f)", "jax.jit(jvp2)", "jax.jvp at (0.5) along (5.0)", "jax.vjp at (0.5)", "pull (3.0)"]),
    ("jax", "jit", "jax.jit around the function", case(jvp(3.0)), ["jax.jit(f)", "jax.jvp at (0.5) along (3.0)", "jax.jit(f)"]),
    ("jax", "jit", "jax.jit around the function and each level", case(vjp(3.0), jvp(5.0)),
     ["jax.jit(f)", "jax.jit(jvp2)", "jax.jvp at (0.5) along (5.0)", "jax.jit(vjp1)", "jax.vjp at (0.5)", "jax.jit(f)", "pull (3.0)"]),
    ("jax", "jit", "jax.jit around the whole, jax.linearize", case(jvp(3.0)), ["jax.jit(f)", "jax.jit(jvp1)", "jax.linearize at (0.5)", "push (3.0)"]),
    ("tensorflow", "eager", None, case(jvp(3.0)), [f"{BOTH} at (0.5) along (3.0)", "jvp, zero"]),
    ("tensorflow", "eager", None, case(vjp(3.0)), ["tf.GradientTape watches (0.5)", "gradient by (0.5) of (3.0), zero"]),
    ("tensorflow", "eager", None, case(vjp(3.0), jvp(5.0)), [f"{BOTH} at (0.5) along (5.0)", "tf.GradientTape watches (0.5)", "gradient by (0.5) of (3.0), zero", "jvp, zero"]),
    ("tensorflow", "eager", None, case(vjp(0, [3.0, 4.0], wrt=(0, 2)), **TWO), ["tf.GradientTape watches (4.0)", "gradient by (4.0) of ([3.0, 4.0]), zero"]),
    ("tensorflow", "eager", None, case(vjp(3.0), BATCH, points=(([0.5, 2.0],),)),
     ["tf.vectorized_map", "tf.vectorized_map", "tf.GradientTape watches (0.5)", "gradient by (0.5) of (3.0), zero", "tf.GradientTape watches (2.0)", "gradient by (2.0) of (3.0), zero"]),
    ("tensorflow", "function", None, case(vjp(3.0)), [FUNCTION.format("f"), FUNCTION.format("vjp1"), "tf.GradientTape watches (0.5)", "gradient by (0.5) of (3.0), zero"]),
    ("tensorflow", "function", "tf.function around the function", case(vjp(3.0)),
     [FUNCTION.format("f"), "tf.GradientTape watches (0.5)", FUNCTION.format("f"), "gradient by (0.5) of (3.0), zero"]),
    ("tensorflow", "function", "tf.function around the function and each level", case(vjp(3.0)),
     [FUNCTION.format("f"), FUNCTION.format("vjp1"), "tf.GradientTape watches (0.5)", FUNCTION.format("f"), "gradient by (0.5) of (3.0), zero"]),
    ("tensorflow", "xla", None, case(vjp(3.0)), [XLA.format("f"), XLA.format("vjp1"), "tf.GradientTape watches (0.5)", "gradient by (0.5) of (3.0), zero"]),
    ("tensorflow", "xla", "jit_compile=True around the function", case(jvp(3.0)), [XLA.format("f"), f"{BOTH} at (0.5) along (3.0)", XLA.format("f"), "jvp, zero"]),
]
# A case that a stand-in answers in full, and what the adapter makes of it.
ZERO, HALF = {"type": "f64[]", "data": ["0x0.0p+0"]}, {"type": "f64[2]", "data": ["0x0.0p+0"] * 2}
ANSWERS = [
    ("jax", case(vjp(3.0)), [{"primal": [{"type": "f64[]", "data": ["0x1.0000000000000p-2"]}], "derivative": [ZERO]}]),
    # Results and inputs that are no floats have a derivative of zeros.
    ("jax", case(jvp([3.0, 4.0], wrt=(1,)), **TWO), [{"primal": [{"type": "i64[]", "data": [-3]}, {"type": "f64[2]", "data": ["0x1.0000000000000p+1", "0x1.0000000000000p+3"]}],
                                                    "derivative": [{"type": "i64[]", "data": [0]}, HALF]}]),
    ("jax", case(vjp(3.0, wrt=(0, 1)), inputs=("b: bool[2]", "x: f64[]"), points=(([True, False], 0.5),)),
     [{"primal": [{"type": "f64[]", "data": ["0x1.0000000000000p-2"]}], "derivative": [{"type": "bool[2]", "data": [False, False]}, ZERO]}]),
    # JAX would count a negative start from the end.
    ("jax", case(inputs=("x: f64[3]", "s: i64[1]"), body=({"out": ["y: f64[2]"], "op": "dynamic_slice", "args": ["x", "s"], "size": [2]},), points=(([1.0, 2.0, 4.0], [-1]),)),
     [{"primal": [{"type": "f64[2]", "data": ["0x1.0000000000000p+0", "0x1.0000000000000p+1"]}], "derivative": []}]),
    # What JAX makes of an integer divided by 0 is not said, so it is never asked.
    *(("jax", case(inputs=("k: i64[]", "m: i64[2]"), body=({"out": ["y: i64[2]"], "op": op, "args": ["k", "m"]},), points=((-7, [0, 2]),)),
       [{"primal": [{"type": "i64[2]", "data": right}], "derivative": []}]) for op, right in (("div", [-1, -3]), ("remainder", [-7, -1]), ("mod", [-7, 1]), ("floor_divide", [-1, -4]))),
    ("tensorflow", case(vjp(0, [3.0, 4.0], wrt=(0, 2)), **TWO),
     [{"primal": [{"type": "i64[]", "data": [-3]}, {"type": "f64[2]", "data": ["0x1.0000000000000p+1", "0x1.0000000000000p+3"]}], "derivative": [{"type": "i64[]", "data": [0]}, ZERO]}]),
]
# Other calls for an op; a slice with steps takes the usual one.
CUT = {"inputs": ("x: f64[4]",), "points": (([0.5, 2.0, 4.0, 8.0],),)}
SPELLED = [
    ("jax", "slice", "lax.dynamic_slice", {**CUT, "body": ({"out": ["y: f64[2]"], "op": "slice", "args": ["x"], "start": [1], "size": [2]},)}, "lax.dynamic_slice(v0, (1,), (2,))"),
    ("jax", "slice", "lax.dynamic_slice", {**CUT, "body": ({"out": ["y: f64[2]"], "op": "slice", "args": ["x"], "start": [1], "size": [2], "stride": [2]},)}, "v0[1:4:2]"),
    ("jax", "square", "as usual", {"body": ({"out": ["y: f64[]"], "op": "square", "args": ["x"]},)}, "jnp.square(v0)"),
    ("jax", "square", "x ** 2", {"body": ({"out": ["y: f64[]"], "op": "square", "args": ["x"]},)}, "v0 ** 2"),
    ("tensorflow", "square", "x ** 2", {"body": ({"out": ["y: f64[]"], "op": "square", "args": ["x"]},)}, "v0 ** 2"),
]
engines = {}


def engine(name, mode):
    if (name, mode) not in engines:
        engines[name, mode] = array_engine.Engine(name, mode)
        engines[name, mode].load()
    return engines[name, mode]


def drawn(names, name, of="request"):
    """The smallest variant by which that spelling is drawn."""
    return next(v for v in range(1 << 16) if adapter.spelling(v, of, len(names)) == names.index(name))


failed = []


def expect(what, got, wanted):
    if json.dumps(got) != json.dumps(wanted):  # False is not 0
        failed.append(what)
        print(f"{what}:\n    {got}\n    expected\n    {wanted}", file=sys.stderr)


for name, mode, spelled, asked, wanted in TABLE:
    e = engine(name, mode)
    names = e.hello()["spellings"].get("request", [])
    stand_ins.calls.clear()
    e.answer({**asked, **({"variant": drawn(names, spelled)} if spelled and spelled != names[0] else {})})
    expect(f"{name} {mode}, {spelled or 'the first spelling'}, {[level['transform'] for level in asked['request']]}", list(stand_ins.calls), wanted)
for name, asked, wanted in ANSWERS:
    expect(f"{name}, the answer", engine(name, "eager").answer(asked), wanted)

for name, op, spelled, asked, wanted in SPELLED:
    e = engine(name, "eager")
    source = e.sources(case(**asked, variant=drawn(e.hello()["spellings"][op], spelled, op)))
    expect(f"{name}, {op} as {spelled}", wanted if f" = {wanted}\n" in source else source, wanted)

# What the engine or the templates lack is no finding, another exception is one.
says = lambda asked: adapter.guarded(engine("tensorflow", "eager").answer, asked)[0]
lacking = case(inputs=("k: i64[]", "m: i64[]"), body=({"out": ["y: i64[]"], "op": "div", "args": ["k", "m"]},), points=((3, 2),))
expect("an op without a counterpart", says(case(inputs=("x: bf16[]",), body=({"out": ["y: bf16[]"], "op": "neg", "args": ["x"]},)))["status"], "unsupported")
for text, status in (("No registered 'Erf' OpKernel for XLA_CPU_JIT devices compatible with node", "unsupported"), ("Incompatible shapes", "error")):
    def failing(_, text=text):
        raise ValueError(text)
    sys.modules["tensorflow"].square = failing
    asked = case(body=({"out": ["y: f64[]"], "op": "square", "args": ["x"]},))
    expect(f"an exception: {text}", says(asked), {"status": status, "text": f"ValueError: {text}"})
del sys.modules["tensorflow"].square

# The hello promises what the templates know.
for name, mode in (("jax", "jit"), ("tensorflow", "xla"), ("jax", "vmap")):
    hello = engine(name, mode).hello()
    expect(f"the hello of {name}", (hello["name"], hello["version"], hello["weak_zero"], hello["emits"], ["vjp", "jvp"] in hello["requests"], ["batch", "vjp"] in hello["requests"], ["vjp"] * 4 in hello["requests"]),
           (f"{name}.{mode}", "stand-in", True, "py", mode != "vmap", mode == "vmap", False))
expect("loops of JAX", [op for op in ("for", "while", "scan", "cond", "fixed_point") if op in engine("jax", "jit").hello()["ops"]], ["for", "while", "scan", "cond"])
expect("loops of TensorFlow", "scan" in engine("tensorflow", "xla").hello()["ops"], False)

# The protocol: every op by the sweep, primals alone.
LEAST = {"jax": 70, "tensorflow": 60}  # ops of which a cell agrees
for name, mode in (("jax", "jit"), ("tensorflow", "function")):
    command = f"'{sys.executable}' '{root}/tests/stand_ins.py' --primal '{root}/engines/external/array_engine.py' {name} {mode}"
    done = subprocess.run([adjudge, "conform", "--engine", f"proc:exec {command}", "--cases", "2", "--format", "json", "--quiet"], capture_output=True, text=True)
    if done.returncode:
        failed.append(name)
        print(f"{name}: conform ended with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}", file=sys.stderr)
        continue
    agreeing = [op["op"] for op in json.loads(done.stdout)["ops"] if any(cell.get("agree") for cell in op["cells"])]
    print(f"{name}: primals of {len(agreeing)} ops agree")
    if len(agreeing) < LEAST[name]:
        failed.append(name)
        print(f"{name}: {LEAST[name]} ops are expected; agreeing are {' '.join(agreeing)}", file=sys.stderr)
sys.exit(1 if failed else 0)
